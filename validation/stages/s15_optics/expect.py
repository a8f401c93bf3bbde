"""What is asked of modules and links: of NICs with RDMA, and of the ports on their way. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Cable, Plan, PortRef, RailNic
from switch_configs.answers import answers
from validation.expectation import Expectation
from validation.host_state.wanted import roce_nics
from validation.pairing.loads import SOFTWARE_BELOW_GBPS


@dataclass(frozen=True, slots=True)
class _OfPort(Expectation):
    """Of one end of a cable."""

    stage: ClassVar[int] = 15
    here: PortRef
    cable: Cable


@dataclass(frozen=True, slots=True)
class OpticExpected(_OfPort):
    """A module is within its own limits: light by lane, temperature, bias."""

    check: ClassVar[str] = "optic"


@dataclass(frozen=True, slots=True)
class BerExpected(_OfPort):
    """A link loses hardly a bit before correction, and none after."""

    check: ClassVar[str] = "ber"


@dataclass(frozen=True, slots=True)
class FlapsExpected(_OfPort):
    """A NIC's link has not gone down time and again."""

    check: ClassVar[str] = "flaps"


@dataclass(frozen=True, slots=True)
class EndsExpected(_OfPort):
    """Both ends of a cable tell modules that belong together."""

    check: ClassVar[str] = "ends"


def ends(plan: Plan, configured: frozenset[str]) -> tuple[tuple[PortRef, Cable], ...]:
    """Every port with a module that data of RDMA passes, once both its ends are in place.

    So slow a port is of no hardware: soft-RoCE, which has no module.
    """
    roce = [(node.name, nic) for node in plan.nodes for nic in roce_nics(node)]
    planes = {"compute" if isinstance(one, RailNic) else one.plane for _, one in roce}
    nics = {PortRef(name, one.port) for name, one in roce}
    found = []
    for cable in plan.cables:
        both = (cable.a, cable.b)
        if cable.plane not in planes or cable.rate_gbps < SOFTWARE_BELOW_GBPS:
            continue
        if not {end.device for end in both} <= configured:
            continue
        if any(end.device in plan.node and end not in nics for end in both):
            continue
        found += [(end, cable) for end in both]
    return tuple(sorted(found, key=lambda one: one[0]))


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Nothing where no NIC has RDMA: such a plan names no hardware with modules."""
    for here, cable in ends(plan, configured):
        name, rest = f"{here.device}:{here.port}", (here, cable)
        says = f"the module in {here} is within its limits"
        yield OpticExpected(f"optic:{name}", here.device, says, *rest)
        if _tells_of_links(plan, here.device):
            says = f"{here} loses hardly a bit before correction, and none after"
            yield BerExpected(f"ber:{name}", here.device, says, *rest)
        if here.device in plan.node and _tells_of_links(plan, here.device):
            says = f"{here} does not go down time and again"
            yield FlapsExpected(f"flaps:{name}", here.device, says, *rest)
        if here == cable.a:
            says = f"the modules at both ends of {cable} belong together"
            yield EndsExpected(f"ends:{name}", here.device, says, *rest)


def unasked(plan: Plan) -> Iterator[str]:
    """The switch systems that are not asked for error ratios; reports say so."""
    switches = {here.device for here, _ in ends(plan, frozenset(plan.devices))} & set(plan.switch)
    quiet = (one for one in switches if not _tells_of_links(plan, one))
    for system in sorted({plan.switch[one].dialect for one in quiet}):
        yield (
            f"reads no bit error ratios from {system}: a link whose other end tells none either is "
            "judged by its optical power alone"
        )


def _tells_of_links(plan: Plan, device: str) -> bool:
    """Whether a device has what tells of links: on nodes mlxlink, which comes with DOCA.

    Where the system's own stack is planned, the leaf's end of the cable is asked alone; and where
    a switch tells none that is read here, the other end.
    """
    node = plan.node.get(device)
    if node is not None:
        return node.software.nics.stack == "doca"
    known = answers(plan.switch[device].dialect).modules
    return known is None or known.ratios is not None
