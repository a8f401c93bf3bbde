"""A switch's buffer divided, ECN against the XOFF point, and what the ledger says of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory import InventoryError, open_site
from inventory.load.site import SITES, load
from inventory.lossless import buffers_of, port_sets, switch_buffers
from inventory.lossless.buffers import PortKind, marked_buffers
from inventory.lossless.ecn import most_congested_ports, xoff_point_bytes
from inventory.lossless.policy import lossless_of
from inventory.plan import Lossless, Plan, SwitchBuffers
from inventory.schema import LosslessFile
from inventory.schema.lossless import HeadroomFile
from inventory.switches.abilities import RULES, abilities, how
from tests.inventory.lossless.test_headroom import ASICS

SECTION: dict[str, object] = {
    "mode": "full",
    "dscp": 26,
    "priority": 3,
    "cnp": {"dscp": 48, "priority": 6},
    "ip_mtu_bytes": {"hosts": 9000, "switches": 9216},
}
LAB = (SITES / "lab" / "fabric.yml").read_text()
NODES = """
test-node:
  os: debian-12
  arch: amd64
  management_port: eth0
  rails: [{port: rail0, rate_gbps: 400}, {port: rail1, rate_gbps: 400}]
  tuning: {clock: set, boot: grub}
  source: "a test"
"""


# Releases that versions/compat.yml knows for these ASICs.
RELEASES = {"sonic": "202405", "cumulus": "5.14.0", "nxos": "10.5(3)F", "eos": "4.36.0F"}


def asked(**more: object) -> Lossless:
    return lossless_of(LosslessFile.model_validate({**SECTION, **more}))


def quarters(ports: Sequence[tuple[float, float]]) -> list[PortKind]:
    """Ports of so many Gb/s and metres, on four lanes each."""
    return [PortKind(*one, 4) for one in ports]


def divided(
    asic: str, ports: Sequence[tuple[float, float]], lanes: int = 4, **more: object
) -> SwitchBuffers:
    kinds = [PortKind(*one, lanes) for one in ports]
    made = switch_buffers("a-switch", asic, ASICS[asic], kinds, asked(**more))
    assert isinstance(made, SwitchBuffers), made
    return made


def site(folder: Path, leaf: str, spine: str, *, lossless: str = "") -> Path:
    """The lab with switches that have buffers: `leaf` and `spine` are "dialect asic"."""
    text = LAB.replace("lab-node", "test-node").replace("mode: marking-only", "mode: full")
    text = text.replace("leaf_profile: lab-switch", "leaf_profile: test-leaf")
    text = text.replace("spine_profile: lab-switch", "spine_profile: test-spine")
    text = text.replace("switches: 9216}\n", f"switches: 9216}}\n{lossless}")
    (folder / "profiles").mkdir()
    (folder / "fabric.yml").write_text(text)
    (folder / "asbuilt.csv").write_bytes((SITES / "lab" / "asbuilt.csv").read_bytes())
    (folder / "profiles" / "nodes.yml").write_text(NODES)
    (folder / "profiles" / "switches.yml").write_text(
        switch_profile("test-leaf", leaf) + switch_profile("test-spine", spine)
    )
    return folder


def switch_profile(name: str, kind: str) -> str:
    dialect, asic = kind.split()
    release = RELEASES[dialect]
    ports = '{count: 64, name: "swp{n}", rate_gbps: 400}'
    return (
        f'{name}:\n  dialect: {dialect}\n  release: "{release}"\n  management_port: eth0\n'
        f'  ports: {ports}\n  asic: {asic}\n  lossless: full\n  source: "a test"\n'
    )


def ledger(plan: Plan) -> dict[str, str]:
    assert not any(one.measured for one in plan.assumptions)
    assert all(one.source for one in plan.assumptions)
    return {one.name: one.value for one in plan.assumptions}


# The sums


def test_the_buffer_of_a_spectrum_4_leaf_worked_by_hand():
    """64 ports to nodes over 5 m and 64 to spines over 40 m, 400 Gb/s, RoCE packets of 4178 B.

    In flight at 5 m: MTU 9216, cable 2525.25, MAC and PHY 819.2, peer 905 x 64, tile 6000;
    three cells for a packet of 64 bytes: 4178 + 3 x 76480.45 = 233619.4 -> 229 KiB; at 40 m
    the cable has 20202.02: 4178 + 3 x 94157.22 = 286649.7 -> 280 KiB. Both and 19 KiB for xon.
    """
    made = divided("spectrum4", [(400, 5)] * 64 + [(400, 40)] * 64)
    near, far = made.ports
    assert near.headroom is not None
    assert far.headroom is not None
    assert (near.headroom.xoff_bytes, far.headroom.xoff_bytes) == (229 * 1024, 280 * 1024)
    assert made.headroom_bytes == 64 * (229 + 19 + 280 + 19) * 1024
    assert made.headroom_pool_bytes == 0
    others = 128 * 48 * 1024 + 256 * 1024
    assert made.shared_bytes == (158229504 - made.headroom_bytes - others) // 2
    assert made.xoff_point_bytes == made.shared_bytes // 17


def test_shared_headroom_is_a_pool_that_is_promised_several_times():
    """The model takes 10 KiB for each port, and the rest of all xoff divided by the ratio."""
    ports = [(400.0, 5.0)] * 64
    made = divided("spectrum4", ports, headroom="shared", over_subscription=4)
    assert made.headroom_bytes == 64 * (19 + 10) * 1024
    assert made.headroom_pool_bytes == 64 * (229 - 10) * 1024 // 4
    own = divided("spectrum4", ports)
    assert own.shared_bytes is not None
    assert made.shared_bytes is not None
    assert made.shared_bytes > own.shared_bytes


def test_a_published_table_is_summed_as_it_stands():
    made = divided("tomahawk5", [(400, 3)] * 64 + [(400, 30)] * 64)
    assert made.headroom_bytes == 64 * (393192 + 446024 + 2 * 18796)
    assert made.shared_bytes == 162539680 - made.headroom_bytes
    pooled = divided("tomahawk5", [(400, 3)] * 64 + [(400, 30)] * 64, headroom="shared")
    assert pooled.headroom_bytes == 128 * 18796
    assert pooled.headroom_pool_bytes == 64 * (393192 + 446024)
    assert pooled.shared_bytes == made.shared_bytes


@given(st.lists(st.tuples(st.sampled_from((100.0, 200.0, 400.0)), st.floats(1, 300)), max_size=30))
def test_what_is_divided_is_what_there_is(ports):
    for asic, form in product(("spectrum3", "spectrum4", "tomahawk5"), ("dedicated", "shared")):
        made = switch_buffers("a-switch", asic, ASICS[asic], quarters(ports), asked(headroom=form))
        if isinstance(made, SwitchBuffers):
            assert sum(one.ports for one in made.ports) == len(ports)
            assert made.total_bytes is not None
            assert made.shared_bytes is not None
            parts = (made.headroom_bytes or 0) + (made.headroom_pool_bytes or 0)
            assert 0 < made.shared_bytes <= made.total_bytes - parts


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(("spectrum4", "tomahawk5")))
def test_more_ports_leave_less(one, other, asic):
    few, many = sorted((one, other))
    less, more = (divided(asic, [(400.0, 30.0)] * count) for count in (many, few))
    assert (less.shared_bytes or 0) <= (more.shared_bytes or 0)


def test_a_slower_port_in_a_whole_cage_takes_what_eight_lanes_take():
    """Of 64 at 400 Gb/s over 5 m: 38 KiB for xon, a frame more, and 84 KiB beside headroom."""
    made = divided("spectrum4", [(400, 5)] * 64, lanes=8)
    assert made.headroom_bytes == 64 * (229 + 38 + 9) * 1024
    others = 64 * 84 * 1024 + 256 * 1024
    assert made.shared_bytes == (158229504 - made.headroom_bytes - others) // 2


def test_headroom_that_does_not_fit_is_said():
    ports = [(400.0, 2000.0)] * 64
    made = switch_buffers("a-switch", "spectrum3", ASICS["spectrum3"], quarters(ports), asked())
    assert isinstance(made, tuple)
    assert [one.kind for one in made] == ["buffer"]


def test_a_marking_only_site_has_no_numbers():
    bare = asked(mode="marking-only")
    assert (bare.classes, bare.ecn, bare.watchdog, bare.headroom) == ((), None, None, None)
    with pytest.raises(ValueError, match="marking-only"):
        switch_buffers("a-switch", "spectrum4", ASICS["spectrum4"], [], bare)


def test_classes_without_pfc_have_marks_and_no_headroom():
    """Nothing is lossless there, and nothing of the buffer is known or asked."""
    bare = asked(mode="ecn")
    assert [one.lossless for one in bare.classes] == [False, False, False]
    assert {one.priority_group for one in bare.classes} == {0}
    assert (bare.watchdog, bare.headroom) == (None, None)
    made = marked_buffers("a-switch", "", quarters([(100.0, 5.0), (400.0, 5.0)]), bare.ecn)
    assert [(one.ecn.kmin_bytes, one.ecn.kmax_bytes) for one in made.ports] == [
        (399_360, 1_599_488),
        (1_599_488, 6_400_000),
    ]
    assert (made.total_bytes, made.xoff_point_bytes) == (None, None)


def test_marks_that_the_site_asks_for_come_first():
    mine = asked(mode="ecn", ecn={"kmin_bytes": 1000, "kmax_bytes": 2000, "probability_percent": 7})
    (port,) = marked_buffers("a-switch", "", quarters([(100.0, 5.0)]), mine.ecn).ports
    assert (port.ecn.kmin_bytes, port.ecn.probability_percent) == (1000, 7)


def marked_site(folder: Path, mode: str, profile: str) -> Path:
    """The lab with switches of a profile that says `lossless: PROFILE`."""
    text = LAB.replace("mode: marking-only", f"mode: {mode}")
    (folder / "profiles").mkdir()
    (folder / "fabric.yml").write_text(text.replace("_profile: lab-switch", "_profile: a-switch"))
    (folder / "asbuilt.csv").write_bytes((SITES / "lab" / "asbuilt.csv").read_bytes())
    (folder / "profiles" / "switches.yml").write_text(
        'a-switch:\n  dialect: linux_frr\n  release: "8.4.4"\n  management_port: eth0\n'
        '  ports: {count: 8, name: "swp{n}", rate_gbps: 0.2}\n'
        f'  lossless: {profile}\n  source: "a test"\n'
    )
    return folder


def test_a_site_without_pfc_opens_and_says_what_is_not_possible(tmp_path):
    plan = open_site(marked_site(tmp_path, "ecn", "ecn"))
    assert all(one.buffers and one.buffers.ports for one in plan.switches)
    told = ledger(plan)
    assert told["profile a-switch: lossless class"].startswith("ecn: ")
    assert told["profile a-switch: PFC priority"] == "not possible on linux_frr"
    assert "profile a-switch: class weights" not in told


def test_such_switches_may_still_only_mark(tmp_path):
    plan = open_site(marked_site(tmp_path, "marking-only", "ecn"))
    assert plan.lossless.classes == ()
    assert not any(one.buffers for one in plan.switches)


@pytest.mark.parametrize(
    ("mode", "profile", "said"),
    [
        ("ecn", "marking-only", "switches whose profile says `lossless: ecn`"),
        ("ecn", "full", "switches whose profile says `lossless: ecn`"),
        ("full", "ecn", "switches with PFC, ECN and buffers"),
    ],
)
def test_a_mode_that_the_switches_do_not_have_is_refused(tmp_path, mode, profile, said):
    with pytest.raises(InventoryError, match=re.escape(said)):
        open_site(marked_site(tmp_path, mode, profile))


# ECN and the XOFF point


def test_xoff_falls_with_congested_ports():
    """A pool of 32 MB and alpha 1: half of it for one port, a 17th for 16, a 65th for 64."""
    points = [xoff_point_bytes(32_000_000, 1, ports) for ports in (1, 16, 64)]
    assert points == [16_000_000, 1_882_352, 492_307]
    assert xoff_point_bytes(32_000_000, 2, 1) == 21_333_333


@given(st.integers(1, 10**9), st.floats(0.01, 128), st.integers(1, 10**8))
def test_how_many_ports_a_threshold_bears(pool, alpha, queue):
    ports = most_congested_ports(pool, alpha, queue)
    if ports:
        assert xoff_point_bytes(pool, alpha, ports) > queue
    assert xoff_point_bytes(pool, alpha, ports + 2) <= queue


@pytest.mark.parametrize("rate", [100.0, 400.0])
def test_thresholds_grow_with_the_rate(rate):
    """Few ports, one congested: nothing is cut, so 100 and 400 KB for each 25 Gb/s."""
    (port,) = divided("spectrum4", [(rate, 5.0)] * 8, congested_ports=1).ports
    assert port.ecn.kmax_bytes == int(400_000 * rate / 25) // 1024 * 1024
    assert 0 <= port.ecn.kmax_bytes / 4 - port.ecn.kmin_bytes < 1024
    assert port.ecn.probability_percent == 5


@given(
    st.sampled_from(("spectrum3", "spectrum4", "tomahawk5")),
    st.sampled_from((100.0, 200.0, 400.0)),
    st.integers(1, 64),
    st.integers(1, 256),
)
def test_by_rule_marking_always_begins_before_pause(asic, rate, ports, congested):
    made = divided(asic, [(rate, 30.0)] * ports, congested_ports=congested)
    assert made.xoff_point_bytes is not None
    for port in made.ports:
        assert 0 < port.ecn.kmin_bytes < port.ecn.kmax_bytes <= made.xoff_point_bytes


def test_what_the_site_asks_for_is_what_it_gets():
    ecn = {"kmin_bytes": 150_000, "kmax_bytes": 1_500_000, "probability_percent": 100}
    (port,) = divided("spectrum4", [(400.0, 5.0)], ecn=ecn).ports
    assert (port.ecn.kmin_bytes, port.ecn.kmax_bytes) == (150_000, 1_500_000)
    assert port.ecn.source == "fabric.yml, lossless.ecn"


# Left to the system, and supplied by the site


def test_an_asic_without_data_is_left_to_its_system():
    made = divided("silicon_one_g200", [(400.0, 30.0)] * 4)
    assert (made.total_bytes, made.shared_bytes, made.xoff_point_bytes) == (None, None, None)
    (port,) = made.ports
    assert port.headroom is None
    assert (port.ecn.kmin_bytes, port.ecn.kmax_bytes) == (150_000, 3_000_000)


def test_a_site_supplies_what_nobody_publishes():
    row = {"rate_gbps": 400.0, "xon_bytes": 0, "size_bytes": 1, "source": "the vendor, by letter"}
    given_ = [
        HeadroomFile.model_validate({**row, "profile": name, "cable_m": metres, "xoff_bytes": xoff})
        for name, metres, xoff in (
            ("a-switch", 400.0, 900), ("a-switch", 900.0, 1900), ("another", 300.0, 7),
        )
    ]  # fmt: skip
    made = switch_buffers(
        "a-switch",
        "silicon_one_g200",
        ASICS["silicon_one_g200"],
        quarters([(400.0, 300.0), (400.0, 500.0)]),
        asked(),
        given_,
    )
    assert isinstance(made, SwitchBuffers)
    found = [port.headroom for port in made.ports]
    assert [one.xoff_bytes for one in found if one] == [900, 1900]
    assert all(one and "by letter" in one.source for one in found)


def test_every_rule_is_known_for_every_dialect_with_its_source():
    for rule, dialect in product(RULES, abilities()):
        setting = how(rule, dialect)
        assert setting is not None, (rule, dialect)
        assert setting.source
        assert not setting.shown_by or setting.how == "left to the system"
    assert how("headroom", "unheard_of") is None


def test_the_default_timers_suit_every_dialect_with_a_watchdog():
    timers = asked().watchdog
    assert timers is not None
    ranges = {name: said.watchdog for name, said in abilities().items()}
    assert [name for name, limits in ranges.items() if limits is None] == ["linux_frr"]
    for limits in filter(None, ranges.values()):
        for span, value in (
            (limits.detect_ms, timers.detect_ms),
            (limits.restore_ms, timers.restore_ms),
            (limits.poll_ms, timers.poll_ms),
        ):
            assert span is None or span[0] <= value <= span[1]
        assert timers.detect_ms % timers.poll_ms == timers.restore_ms % timers.poll_ms == 0
        assert timers.poll_ms <= min(timers.detect_ms, timers.restore_ms) // 2


def test_classes_in_neutral_form():
    """Only RoCE data has a lossless group; CNPs are strict and capped; all else is best effort."""
    rest, roce, cnp = asked().classes
    assert (rest.dscps, rest.priority, rest.lossless, rest.strict) == ((), 0, False, False)
    assert (roce.dscps, roce.priority, roce.queue, roce.priority_group) == ((26,), 3, 3, 3)
    assert roce.lossless
    assert (cnp.dscps, cnp.queue, cnp.priority_group) == ((48,), 6, 0)
    assert (cnp.strict, cnp.lossless, cnp.rate_cap_percent) == (True, False, 5)
    assert (roce.weight_percent or 0) + (rest.weight_percent or 0) == 100


# Whole sites


def test_the_lab_computes_nothing():
    fabric = load("lab")
    assert buffers_of(fabric) == {}
    assert not [one for one in open_site("lab").assumptions if "ASIC" in one.name]


def test_nxos_opens_a_queue_after_whole_intervals(tmp_path):
    """NX-OS multiplies one interval, for shutting a queue and for opening it again."""
    times = "  watchdog: {detect_ms: 200, restore_ms: 450, poll_ms: 100}\n"
    with pytest.raises(InventoryError, match="a whole part of restore_ms, 450, on nxos"):
        open_site(site(tmp_path, "sonic spectrum4", "nxos silicon_one_g200", lossless=times))


def test_a_full_site_opens_and_its_ledger_says_what_is_not_known(tmp_path):
    plan = open_site(site(tmp_path, "sonic spectrum4", "nxos silicon_one_g200"))
    said = ledger(plan)
    assert said["ASIC spectrum4: cell"] == "192 bytes"
    assert said["ASIC spectrum4: alpha"] == "1"
    assert "400G 905" in said["ASIC spectrum4: pause response of peers, quanta"]
    assert said["profile test-leaf: headroom, 400 Gb/s over 3 m"].startswith("xoff ")
    left = said["profile test-leaf: headroom"]
    assert left.startswith("left to the system: not judged by configuration")
    assert "`show buffer information`" in left
    assert "incast" in said["profile test-spine: headroom"]
    ecn = "profile test-spine: ECN on spine, 400 Gb/s"
    assert said[f"{ecn}: Kmax against XOFF"].startswith("not known")
    ours = said["profile test-leaf: ECN on leaf-r0 and 1 alike, 400 Gb/s: Kmax against XOFF"]
    assert "N = 16, alpha 1" in ours
    assert not ours.startswith("warning")


def test_kmax_above_xoff_is_a_warning_and_no_error(tmp_path):
    extra = "  ecn: {kmin_bytes: 150000, kmax_bytes: 30000000}\n"
    plan = open_site(site(tmp_path, "sonic spectrum4", "cumulus spectrum4", lossless=extra))
    said = ledger(plan)["profile test-spine: ECN on spine, 400 Gb/s: Kmax against XOFF"]
    assert said.startswith("warning: XOFF is ")
    assert "N = 16, alpha 1" in said
    assert plan.lossless.ecn is not None
    assert plan.lossless.ecn.kmax_bytes == 30_000_000


def test_growth_within_the_maxima_changes_no_buffer(tmp_path):
    """A threshold that moved with each new node would change switches that are running."""
    fabric = load(site(tmp_path, "sonic spectrum4", "eos tomahawk5_7060x6"))
    topology = fabric.intent.topology
    grown = topology.model_copy(update={"pods": 4, "spines": 3, "nodes_per_pod": 4})
    larger = replace(fabric, intent=fabric.intent.model_copy(update={"topology": grown}))
    assert buffers_of(larger) == buffers_of(fabric)
    assert set(buffers_of(fabric)) == {"leaf-r0", "leaf-r1", "spine"}


def test_port_sets_count_the_ports_of_the_plan(tmp_path):
    """At the maxima, each kind of switch has as many lossless ports as the plan gives it."""
    folder = site(tmp_path, "sonic spectrum4", "eos tomahawk5_7060x6")
    text = (folder / "fabric.yml").read_text()
    full = text.replace("  pods: 2\n", "  pods: 4\n").replace("  spines: 2\n", "  spines: 4\n")
    full = full.replace("switches: 9216", "switches: 9214")  # the most that EOS takes
    (folder / "fabric.yml").write_text(full.replace("  nodes_per_pod: 2\n", "  nodes_per_pod: 4\n"))
    plan = open_site(folder)
    counted = {one.name: sum(count for _, count in one.ports) for one in port_sets(load(folder))}
    leaf = plan.switch["leaf-p1-r0"]
    assert counted["leaf-r0"] == len(leaf.ports)
    assert counted["spine"] == len(plan.switch["spine1"].ports)
    kinds = {(port.rate_gbps, port.cable_m, leaf.hardware.lanes) for port in leaf.ports}
    assert kinds == {kind for one in port_sets(load(folder))[:1] for kind, _ in one.ports}
