"""A controller that reaches no network takes a folder of packages, and rehearses a site by them.

`unshare --net -- python -m tests.deploy.rehearsal.island SITE CACHE FOLDER KEY LAB`: a network
namespace of its own (unshare(1)), in which a lab's cables are all that there is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.rehearsal.rehearse import Asked, rehearse
from tests.deploy.command_line import railbed

from .test_rehearse import SMALL


def main(site: str, cache: str, folder: str, key: str, lab: str) -> int:
    """The last line of stdout is what was seen: links at first, and what became of each act."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    said = subprocess.run(["ip", "-json", "link"], capture_output=True, check=True).stdout
    links = [one["ifname"] for one in json.loads(said)]
    with pytest.MonkeyPatch.context() as patch:
        for module in ("fetch", "carry"):
            patch.setattr(f"deploy.packages.{module}.cache_folder", lambda: Path(cache))
        before = railbed("packages", "fetch", "--site", site)
        taken = railbed("packages", "import", folder, "--site", site, "--key", key)
        sys.stderr.write(taken.stdout + taken.stderr)
        if taken.returncode:
            return taken.returncode
        found = rehearse(Asked(site, SMALL, 20), _say, keep=False, name=lab)
    seen = {
        "links": links,
        "before": [before.returncode, " ".join(before.stderr.split())],
        "taken": taken.stdout,
        "acts": [[one.title, one.passed, one.outcome, one.changed] for one in found.acts],
    }
    print(json.dumps(seen))
    return found.exit_code


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
