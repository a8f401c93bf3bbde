"""What must be true of each port that carries the lossless class. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan, PortRef, Switch, SwitchPort
from switch_configs import DialectError
from switch_configs.answers import answers
from switch_configs.qos import dscps_of, port_qos
from validation.expectation import Expectation

_ANY_BYTES = 1


@dataclass(frozen=True, slots=True)
class PfcExpected(Expectation):
    """A port pauses exactly `priorities`, both ways.

    None for what its system does not tell: `trust`, `dscps` that end in these priorities, and the
    least that each of them must have as headroom.
    """

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "pfc"
    port: str
    priorities: tuple[int, ...]
    trust: str | None
    dscps: tuple[int, ...] | None
    xoff_bytes: int | None


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every port of the lossless class, where the plan asks for PFC and a reader is here."""
    if plan.lossless.mode != "full":
        return
    classes = plan.lossless.classes
    paused = [traffic_class for traffic_class in classes if traffic_class.lossless]
    priorities = tuple(sorted(traffic_class.priority for traffic_class in paused))
    dscps = tuple(
        sorted(dscp for traffic_class in paused for dscp in dscps_of(classes, traffic_class))
    )
    for switch in plan.switches:
        if switch.name in configured and answers(switch.dialect).lossless:
            for port in switch.ports:
                xoff_bytes = _xoff_bytes(plan, switch, port)
                if xoff_bytes is not None:
                    yield _expected(switch, port.name, priorities, dscps, xoff_bytes)


def _xoff_bytes(plan: Plan, switch: Switch, port: SwitchPort) -> int | None:
    """The planned headroom, any at all where the system finds it; None for no lossless port."""
    try:
        found = port_qos(switch, plan.lossless, port)
    except DialectError:
        return _ANY_BYTES
    if found is None:
        return None
    return found.headroom.xoff_bytes if found.headroom else _ANY_BYTES


def _expected(
    switch: Switch, port: str, priorities: tuple[int, ...], dscps: tuple[int, ...], xoff_bytes: int
) -> PfcExpected:
    known = answers(switch.dialect).lossless
    tells = known.tells if known else frozenset()
    says = f"pauses {named('priority', priorities)} alone, both ways"
    if "dscps" in tells:
        says += f", and puts {named('DSCP', dscps)} alone there, by trust in DSCP"
    if "rooms" in tells:
        says += f", with {xoff_bytes} bytes of headroom or more"
    return PfcExpected(
        f"pfc:{PortRef(switch.name, port)}",
        switch.name,
        says,
        port,
        priorities,
        trust="dscp" if "trust" in tells else None,
        dscps=dscps if "dscps" in tells else None,
        xoff_bytes=xoff_bytes if "rooms" in tells else None,
    )


def named(what: str, numbers: tuple[int, ...]) -> str:
    """Numbers under their name: `priority 3`, `no priority`."""
    return f"{what} {', '.join(map(str, numbers))}" if numbers else f"no {what}"
