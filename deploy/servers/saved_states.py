"""What a person brought back from nodes: host states and BIOS attributes, as files or folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deploy.errors import RailbedError
from inventory.plan import Plan
from inventory.problems import close_to
from validation.host_state import archives, bios
from validation.host_state.archives import Archives


def bios_texts(saved: Sequence[str]) -> dict[str, str]:
    """What `railbed bios --save` left, by node: in a folder that was given, or as a file."""
    found = dict[str, str]()
    for path in (Path(one.rpartition("=")[2]) for one in saved):
        for one in sorted(path.glob(f"*{bios.SUFFIX}")) if path.is_dir() else [path]:
            if one.name.endswith(bios.SUFFIX):
                text = one.read_bytes().decode("utf-8", "replace")
                found[one.name.removesuffix(bios.SUFFIX)] = text
    return found


def host_states(plan: Plan, saved: Sequence[str]) -> Archives | None:
    """The host states that were named; None where a run's evidence folder was, or nothing.

    Raises RailbedError for a path that is not there, or leads to neither.
    """
    some: list[archives.Source] = []
    for one in saved:
        node, sign, file = one.partition("=")
        named = bool(sign) and node in plan.node
        path = Path(file if named else one)
        if not path.exists():
            hint = "a run's evidence folder, or what host_state.sh wrote; NODE=FILE names the node"
            if sign and Path(file).exists():
                hint = close_to(node, plan.node) or hint
                raise RailbedError(f"{node} is no node of {plan.site}", hint=hint)
            raise RailbedError(f"{path}: no such file or folder", hint=hint)
        if not path.name.endswith(bios.SUFFIX):
            some += archives.sources(path, node if named else "")
    if not some:
        if len(saved) > 1:
            raise RailbedError("--from-evidence: one run's evidence folder goes, found several")
        return None
    found = archives.read(plan, some)
    if not found.nodes:
        raise RailbedError(
            "no host state is of a node of this plan", hint="; ".join(found.notes[2:])
        )
    return found
