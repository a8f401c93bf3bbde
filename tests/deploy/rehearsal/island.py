"""A controller that reaches no network: takes a folder of packages, and rehearses by them.

Run in a network namespace of its own (unshare(1), --net): a lab's cables are all that it has.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from deploy.packages import carry, fetch
from deploy.rehearsal.rehearse import Asked, rehearse
from deploy.rehearsal.slices import Slice
from tests.deploy.command_line import railbed

SMALL = Slice(nodes_per_pod=2, spines=2, servers_per_group=1)


def main(site: str, cache: str, folder: str, key: str, lab: str) -> int:
    """Import into a cache of its own, and rehearse; what went wrong is on stderr."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if Path("/sys/class/net/lo/ifindex").parents[1].stat():
        links = sorted(one.name for one in Path("/sys/class/net").iterdir())
        print("links", links, flush=True)
    fetch.cache_folder = carry.cache_folder = lambda: Path(cache)
    said = railbed("packages", "import", folder, "--site", site, "--key", key)
    print(said.stdout, said.stderr, flush=True)
    if said.returncode:
        return said.returncode
    found = rehearse(Asked(site, SMALL, 20), print, keep=False, name=lab)
    for act in found.acts:
        print("ACT", act.passed, act.title, act.outcome, act.changed, flush=True)
    return found.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
