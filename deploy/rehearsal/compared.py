"""A twin beside its site: devices, addresses and texts, each as planned there or told otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inventory.plan import Plan
from switch_configs import render

from .twin import Exceptional, LeftOut

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """What is otherwise; `same_texts` counts switches that get their very text."""

    exceptions: tuple[Exceptional, ...]
    left_out: tuple[LeftOut, ...]
    same_texts: int


def compared(site: Plan, twin: Plan) -> Compared:
    """How a twin's plan differs from its site's, device by device."""
    missing = sorted({*site.devices} - {*twin.devices})
    left_out = (
        [LeftOut(_some(missing, "devices"), "of a slice, or of a plane that is left out")]
        if missing
        else []
    )
    texts = {name: _otherwise(site, twin, name) for name in twin.any_switch}
    changed = sorted(name for name, lines in texts.items() if lines)
    exceptions = list(_addresses(site, twin))
    if changed:
        lines = sorted(lines for lines in texts.values() if lines)
        exceptions.append(
            Exceptional(
                f"the text of {_some(changed, 'switches')}",
                "",
                f"{lines[0]} to {lines[-1]} lines otherwise",
                "ports and neighbours that the twin has not, or a MAC that nobody knows yet",
            )
        )
    return Compared(tuple(exceptions), tuple(left_out), len(texts) - len(changed))


def outside(site: Plan, twin: Plan, keep: Sequence[str]) -> tuple[LeftOut, ...]:
    """The pods that a slice of named parts has not; nothing where nobody named any."""
    here = {one.pod for one in twin.nodes}
    pods = [f"pod_{pod}" for pod in sorted({one.pod for one in site.nodes} - here)]
    of = f"not of the slice {', '.join(keep)}"
    return (LeftOut(_some(pods, "pods"), of),) if keep and pods else ()


def _addresses(site: Plan, twin: Plan) -> Iterator[Exceptional]:
    moved = sorted(name for name in twin.devices if _known(site, name) != _known(twin, name))
    if moved:
        yield Exceptional(
            f"addresses of {_some(moved, 'devices')}", _known(site, moved[0]),
            _known(twin, moved[0]), "who is left out is not counted",
        )  # fmt: skip


def _known(plan: Plan, name: str) -> str:
    """What a device is known by: addresses and AS number."""
    if switch := plan.switch.get(name):
        return f"{switch.management.address} {switch.loopback} AS {switch.asn}"
    if node := plan.node.get(name):
        return " ".join(map(str, (node.management.address, *(nic.address for nic in node.rails))))
    if other := plan.any_switch.get(name):
        return str(other.management.address)
    return str(plan.oob.access)


def _otherwise(site: Plan, twin: Plan, name: str) -> int:
    """How many lines of a switch's files are in one of both alone; 1 where only their order is."""
    ours, theirs = (
        [(file.path, line) for file in render(plan, name).files for line in file.text.splitlines()]
        for plan in (site, twin)
    )
    return len(set(ours) ^ set(theirs)) or int(ours != theirs)


def _some(names: list[str], of: str) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more {of}" if len(names) > _NAMED else shown
