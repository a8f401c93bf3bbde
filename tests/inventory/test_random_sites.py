"""Random sites of every kind: growth, removal and another order change nobody else."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import InventoryError, open_site
from inventory.plan import Plan
from tests.plugins.tiers import examples

from . import invariants
from .random_sites import Site, growths, sites, write

QUICK = settings(deadline=None, suppress_health_check=list(HealthCheck))
Facts = dict[tuple[str, str, str], object]


def facts(plan: Plan) -> Facts:
    """All that is derived for a device, by device, kind and port: what others must not change."""
    out: Facts = {}
    for switch in plan.switches:
        who = (switch.asn, switch.loopback, switch.tables, switch.hash_seed)
        out[switch.name, "is", ""] = (*who, switch.vlans, switch.pair, switch.maximum_prefix)
        out[switch.name, "place", ""] = (switch.tier, switch.pod, switch.unit, switch.rail)
        out[switch.name, "oob", ""] = switch.management
        out |= {(switch.name, "port", port.name): port for port in switch.ports}
        for session in switch.sessions:
            out[switch.name, "session", f"{session.port} {session.vrf}"] = session
    for node in plan.nodes:
        out[node.name, "is", ""] = (node.kind, node.pod, node.rack, node.position, node.vlans)
        out[node.name, "oob", ""] = (node.management, node.bmc)
        out |= {(node.name, "nic", rail.port): rail for rail in node.rails}
        out |= {(node.name, "nic", nic.port): nic for nic in node.nics}
    for own in plan.oob_switches:
        out[own.name, "is", ""] = (own.tier, own.rack, own.management)
        out |= {(own.name, "port", port.name): port for port in own.ports}
    for cable in plan.cables:
        out[cable.a.device, "cable", cable.a.port] = cable
        out[cable.b.device, "cable", cable.b.port] = cable
    for rack in plan.racks:
        out |= {(one.device, "stands", ""): (rack.name, one.unit) for one in rack.devices}
        out |= {(one.name, "oob", ""): one.management for one in rack.pdus}
    for zone in plan.oob.zones:
        out |= {(one.name, "lease", zone.name): one for one in zone.leases}
    return out


def plan_of(tmp_path_factory, site: Site) -> Plan:
    return open_site(write(site, tmp_path_factory.getbasetemp() / "random"))


def changed(before: Facts, after: Facts) -> dict[object, object]:
    return {key: (one, after.get(key)) for key, one in before.items() if after.get(key) != one}


@settings(QUICK, max_examples=examples(12, full=60))
@given(sites(), st.data())
def test_growth_changes_nobody_else(tmp_path_factory, site, data):
    small = plan_of(tmp_path_factory, site)
    invariants.hold(small)
    larger = growths(site)
    if not larger:
        return
    word = data.draw(st.sampled_from(sorted(larger)))
    grown = plan_of(tmp_path_factory, larger[word])
    invariants.hold(grown)
    assert not changed(facts(small), facts(grown)), word
    assert len(grown.devices) > len(small.devices)


@settings(QUICK, max_examples=examples(12, full=60))
@given(sites(), st.data())
def test_one_taken_out_of_the_middle_leaves_a_gap(tmp_path_factory, site, data):
    before = plan_of(tmp_path_factory, site)
    removable = [one.name for one in before.nodes]
    removable += [one.name for one in before.switches if one.tier != "leaf"]
    name = data.draw(st.sampled_from(removable))
    smaller = site.copy()
    smaller.fabric["topology"]["absent"].append(name)
    try:
        after = plan_of(tmp_path_factory, smaller)
    except InventoryError as error:
        # The last of its set may not go, nor may somebody else speak of what is gone.
        paths = ("topology.absent", f"overrides.{name}", "engine_groups.")
        assert all(one.path.startswith(paths) for one in error.problems)  # noqa: PT017
        return
    invariants.hold(after)
    old, new = facts(before), facts(after)
    assert not changed(new, old)
    gone = set(before.devices) - set(after.devices)
    emptied = {one.name for one in before.racks} - {one.name for one in after.racks}
    assert gone == {name} | {one.name for one in before.oob_switches if one.rack in emptied}
    assert len(emptied) <= 1
    faced = {end for one in before.cables for end in (one.a, one.b)
             if {one.a.device, one.b.device} & gone}  # fmt: skip
    ports = {(end.device, end.port) for end in faced}
    pdus = {pdu.name for rack in before.racks if rack.name in emptied for pdu in rack.pdus}
    for device, kind, port in set(old) - set(new):
        assert device in gone | pdus or (device, port.split(" ")[0]) in ports, (device, kind, port)


@settings(QUICK, max_examples=examples(10, full=25))
@given(sites(), st.integers(0, 2**32))
def test_another_order_gives_the_same_digest(tmp_path_factory, site, seed):
    folder = tmp_path_factory.getbasetemp() / "ordered"
    plans = [
        open_site(write(site, folder, order, built=True)) for order in (None, random.Random(seed))
    ]
    assert plans[0].waves
    assert plans[0].undeployable == ()
    assert plans[0].digest == plans[1].digest
    assert plans[0] == plans[1]
