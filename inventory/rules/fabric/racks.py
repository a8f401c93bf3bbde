"""Rules for racks and for the switches of the OOB plane: height, power, ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.load import profile_names as named
from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.oob import switches as oob_switches
from inventory.oob.switches import access_name
from inventory.plan import RackedDevice
from inventory.problems import Problem, one_of
from inventory.topology import rack_plan
from inventory.topology.racks import OOB_SWITCH_UNITS, Layout, layout

_AGGREGATION_PORTS = 2


def racks_have_a_rule(fabric: Fabric) -> Iterator[Problem]:
    """Without the number of nodes in a rack nobody knows what stands where."""
    intent = fabric.intent
    if intent.racks is not None and intent.topology.nodes_per_rack is None:
        path = ("topology", "nodes_per_rack")
        hint = "the section `racks` plans each rack"
        yield fabric.problem(path, "nothing", "the key `nodes_per_rack`", hint)
    if intent.oob.switches is not None and intent.racks is None:
        hint = "there is one switch of the plane in each rack"
        yield fabric.problem(("racks",), "nothing", "the section `racks`", hint)


def zones_cover_everybody(fabric: Fabric) -> Iterator[Problem]:
    """A BMC or PDU without a zone would have no address, or would share one with hosts."""
    zones = fabric.intent.oob.zones
    with_bmc = sorted(name for name, one in fabric.node_profiles.items() if one.bmc)
    if with_bmc and zones.bmc is None:
        hint = f"{', '.join(with_bmc)} have management controllers; they never share `hostmgmt`"
        yield fabric.problem(("oob", "zones", "bmc"), "nothing", "the key `bmc`", hint)
    if fabric.intent.racks is not None and zones.power is None:
        hint = "the PDUs of the racks need addresses"
        yield fabric.problem(("oob", "zones", "power"), "nothing", "the key `power`", hint)


def racks_hold_their_devices(fabric: Fabric) -> Iterator[Problem]:
    """What is higher than the rack does not fit, whatever the plan says."""
    places = layout(fabric)
    if places is None:
        return
    worst = max(((_height(fabric, places, rack), rack) for rack in places.by_rack), default=(0, ""))
    if worst[0] > places.racks.units:
        found = f"{places.racks.units} units, and {worst[1]} needs {worst[0]}"
        hint = "fewer devices in a rack, or higher racks"
        yield fabric.problem(("racks", "units"), found, f"at least {worst[0]}", hint)


def _height(fabric: Fabric, places: Layout, rack: str) -> int:
    # Devices stand at the places of a full rack: a gap stays a gap.
    tops = (_top(rack_plan.racked(fabric, places, name)) for name in places.by_rack[rack])
    own = OOB_SWITCH_UNITS if fabric.intent.oob.switches is not None else 0
    return max(tops, default=0) + own


def _top(device: RackedDevice) -> int:
    return device.unit + device.rack_units - 1


def profiles_say_their_power(fabric: Fabric) -> Iterator[Problem]:
    """A rack's power cannot be held against its limit while a device's is not known."""
    if layout(fabric) is None:
        return
    for path, name, power_w in _powers(fabric):
        if power_w is None:
            hint = "what does it draw at most? `racks.power_of` takes a figure of yours"
            yield fabric.problem(path, f"`{name}`, without power_w", "a profile with it", hint)


def _powers(fabric: Fabric) -> Iterator[tuple[Path, str, int | None]]:
    for path, name in (*named.node_profiles(fabric.intent), *named.switch_profiles(fabric.intent)):
        # What joins the switches of racks stands outside of the planned racks.
        if path[:2] != ("oob", "switches") or path[2] == "access_profile":
            yield path, name, rack_plan.power_of(fabric, name)


def racks_carry_their_power(fabric: Fabric) -> Iterator[Problem]:
    """Above the rack's limit breakers trip; with one PDU lost, the others carry all of it."""
    places = layout(fabric)
    if places is None:
        return
    loads = [(_power(fabric, places, rack), rack) for rack in places.by_rack]
    worst_w, rack = max(loads, default=(0, ""))
    said = places.racks
    if worst_w > said.power_w:
        found = f"{said.power_w} W, and {rack} draws {worst_w} W at most"
        hint = "fewer devices in a rack, or more power"
        yield fabric.problem(("racks", "power_w"), found, f"at least {worst_w} W", hint)
    left = max(said.pdus - 1, 1)
    if worst_w > left * said.pdu_power_w:
        found = f"{said.pdu_power_w} W, and {rack} draws {worst_w} W at most"
        expected = f"at least {-(-worst_w // left)} W: {left} of {said.pdus} PDUs carry the rack"
        yield fabric.problem(("racks", "pdu_power_w"), found, expected)


def _power(fabric: Fabric, places: Layout, rack: str) -> int:
    devices = [rack_plan.racked(fabric, places, name).power_w for name in places.by_rack[rack]]
    said = fabric.intent.oob.switches
    own = rack_plan.power_of(fabric, said.access_profile) if said else 0
    return sum(devices) + (own or 0)


def oob_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A rack's switch needs a port for each system, BMC and PDU, or growth moves cables."""
    places, said = layout(fabric), fabric.intent.oob.switches
    if places is None or said is None:
        return
    needed = oob_switches.ports_needed(fabric, places)
    count = fabric.switch_profiles[said.access_profile].ports.count
    if needed > count:
        found = f"{count} ports ({said.access_profile})"
        path = ("oob", "switches", "access_profile")
        hint = "a port for each system and BMC, or switch, and for each PDU of a full rack"
        yield fabric.problem(path, found, f"at least {needed} ports", hint)
    above = fabric.switch_profiles[said.aggregation_profile]
    if fabric.switch_profiles[said.access_profile].uplinks is None:
        path = ("oob", "switches", "access_profile")
        found, hint = f"`{said.access_profile}`, without `uplinks`", "its way to the OOB server"
        yield fabric.problem(path, found, "a profile with uplinks", hint)
    if above.ports.count < _AGGREGATION_PORTS:
        path = ("oob", "switches", "aggregation_profile")
        found = f"{above.ports.count} port ({said.aggregation_profile})"
        hint = "the last port goes up, the others to racks"
        yield fabric.problem(path, found, f"at least {_AGGREGATION_PORTS} ports", hint)
    if said.breakout not in above.ports.ways():
        path = ("oob", "switches", "breakout")
        expected = one_of(map(str, above.ports.ways()))
        hint = "ports that a cage becomes, in the profile's `breakout`"
        yield fabric.problem(path, str(said.breakout), expected, hint)
        return
    yield from _aggregation(fabric, places)


def _aggregation(fabric: Fabric, places: Layout) -> Iterator[Problem]:
    said = fabric.intent.oob.switches
    if said is None:
        return
    count = oob_switches.aggregations(fabric, places)
    if count > 1 and said.core_profile is None:
        hint = f"{places.max_racks} racks within the maxima need {count} aggregation switches"
        path = ("oob", "switches", "core_profile")
        yield fabric.problem(path, "nothing", "the key `core_profile`", hint)
    elif count > 1:
        core = fabric.switch_profiles[said.core_profile or ""].ports.count
        if count + 1 > core:
            path = ("oob", "switches", "core_profile")
            found = f"{core} ports ({said.core_profile})"
            yield fabric.problem(path, found, f"at least {count + 1} ports")


def oob_names_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """Racks give their switches and PDUs their names: a group named like another's rack clashes."""
    places = layout(fabric.at_maxima)
    if places is None:
        return
    owners: dict[str, str] = {}
    for name, spot in places.spots.items():
        kind = owners.setdefault(access_name(spot.rack), spot.kind)
        if kind != spot.kind:
            path = ("servers",)
            found = f"{spot.rack} twice: for {kind} and for {spot.kind} ({name})"
            yield fabric.marked.key_problem(path, found, "another name for the group")
            return


RACK_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    racks_have_a_rule,
    zones_cover_everybody,
    profiles_say_their_power,
    racks_hold_their_devices,
    racks_carry_their_power,
    oob_ports_suffice,
    oob_names_are_apart,
)
