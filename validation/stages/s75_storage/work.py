"""The work of stage 75 as steps: each group at once, one group after the other. Pure."""

from __future__ import annotations

import shlex

from inventory.plan import Mount, Plan
from validation.probes.work import Job, Step

from .groups import groups
from .terms import terms

_MARGIN_S = 60.0
# The same care as for fio: a mount, a folder of its own, gone afterwards.
_GDS = """\
set -u
place={place}
mountpoint -q -- "$place" || {{ echo "$place is not mounted" >&2; exit 76; }}
mine="$place/.railbed-gds-$(hostname)"
rm -rf -- "$mine"
trap 'rm -rf -- "$mine"' EXIT
trap 'exit 98' HUP INT TERM
mkdir -m 700 -- "$mine" || exit 74
PATH=$PATH:/usr/local/cuda/gds/tools
gdsio -D "$mine" -d 0 -w {threads} -s {mib}M -i {block} -x 0 -I 1 >&2 || exit 75
gdsio -D "$mine" -d 0 -w {threads} -s {mib}M -i {block} -x 0 -I 0 -T {seconds}
"""


def gds_command(mount: Mount) -> str:
    """The frame of a GPU's direct reads."""
    asked = terms().gds
    return (
        f"probe gds {mount.path} threads={asked.threads} mib={asked.mib} block={asked.block} "
        f"seconds={asked.seconds}"
    )


def steps(plan: Plan, configured: frozenset[str]) -> tuple[Step, ...]:
    """A step for each group, small ones first; then, where asked, all GPUs' direct reads."""
    out: list[Step] = []
    for group in groups(plan, configured):
        files = group.files
        out.append(
            tuple(Job(node, group.command, files.shell, files.limit_s) for node in group.nodes)
        )
    for mount in plan.mounts:
        nodes = [
            node for node in plan.nodes if node.kind in mount.kinds and node.name in configured
        ]
        if mount.gds and nodes:
            out.append(tuple(_direct(node.name, mount) for node in nodes))
    return tuple(out)


def _direct(node: str, mount: Mount) -> Job:
    asked = terms().gds
    shell = _GDS.format(
        place=shlex.quote(mount.path),
        threads=asked.threads,
        mib=asked.mib,
        block=asked.block,
        seconds=asked.seconds,
    )
    limit_s = 4 * asked.seconds + 2 * _MARGIN_S
    return Job(node, gds_command(mount), shell, limit_s)
