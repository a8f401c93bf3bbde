"""The dialect on booted machines: systemd, FRR, ifupdown2, nftables and lldpd as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from deploy import lab as labs
from switch_configs import render
from switch_configs.diff import diff
from switch_configs.intent import Rendered
from tests.bench.push_faults import cells, tried, well
from tests.switch_configs.on_machines import (
    DIALECT,
    LAB,
    UNCONFIRMED,
    StepFailed,
    carry_out,
    delta,
    fetched,
    kernel_paths,
    push_all,
    shell,
    until,
    with_texts,
)
from tests.switch_configs.plans import LAB as SITE
from tests.switch_configs.plans import LINKS, lab

pytestmark = pytest.mark.lab
LEAF, FAR, SPINES = "leaf-p1-r0", "leaf-p2-r0", ("spine1", "spine2")
SWITCHES = (LEAF, FAR, *SPINES)


@pytest.fixture(scope="module", autouse=True)
def _machines() -> Iterator[None]:
    labs.down(LAB)
    labs.up(SITE, LAB, say=lambda _: None)
    for name in SWITCHES:
        shell(name, f"hostname {name}")  # what its lease would do
    yield
    labs.down(LAB)


@pytest.fixture
def _numbered() -> None:
    """All switches as planned with numbered links, whatever a test before left."""
    push_all([wanted("numbered", name) for name in SWITCHES])


def wanted(links: str, name: str) -> Rendered:
    return render(lab(links), name)


def harmful(name: str) -> Rendered:
    """Cuts the management port, shrinks the ports, renumbers BGP, and needs a restart of FRR."""
    return with_texts(
        wanted("numbered", name),
        nftables=('iifname { "lo", "eth0" } accept', 'iifname "eth0" drop'),
        interfaces=("mtu 9216", "mtu 1500"),
        frr=("router bgp 42", "router bgp 41"),
        daemons=("ospfd=no", "ospfd=yes"),
        **{"90-railbed": ("ip_forward = 1", "ip_forward = 0")},
    )


def is_as_before(name: str) -> bool:
    """Files, and what runs."""
    mtus = shell(name, "cat /sys/class/net/swp[15]/mtu 2>/dev/null").split()
    return (
        diff(fetched(name), wanted("numbered", name)) == ()
        and set(mtus) == {"9216"}
        and 'iifname { "lo", "eth0" } accept' in shell(name, "nft list ruleset")
        and shell(name, "sysctl -n net.ipv4.ip_forward").strip() == "1"
        and shell(name, DIALECT.pending_command()) == ""
    )


@pytest.mark.parametrize("links", LINKS)
def test_a_push_converges_and_a_second_has_nothing_to_do(links):
    """From nothing to unnumbered, then to numbered: FRR, kernel and files agree at the end."""
    push_all([wanted(links, name) for name in SWITCHES])
    for name in SWITCHES:
        assert fetched(name) == wanted(links, name)
        assert DIALECT.push_steps(fetched(name), wanted(links, name), 60) == ()
        assert delta(name) == ""
        shell(name, "ifquery -a -c")
    aggregate = lab(links).switch[FAR].aggregates[0]
    assert aggregate.prefixlen < 32
    assert until(lambda: kernel_paths(LEAF, aggregate) == len(SPINES))
    loopbacks = f"ip route show {lab(links).switch[FAR].loopback}"
    assert until(lambda: "bgp" in shell(SPINES[0], loopbacks))


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_what_frr_runs_counts_and_not_only_its_file():
    """An ASN changed in FRR alone is a difference, and a push mends it."""
    asn = lab("numbered").switch["spine1"].asn
    words = ("configure terminal", f"no router bgp {asn}", "router bgp 4200009999")
    shell("spine1", "vtysh " + " ".join(f"-c '{one}'" for one in words))
    found = fetched("spine1")
    assert "-router bgp 4200009999" in diff(found, wanted("numbered", "spine1"))[0].text
    carry_out(found, wanted("numbered", "spine1"))
    assert fetched("spine1") == wanted("numbered", "spine1")


@pytest.mark.full
@pytest.mark.usefixtures("_numbered")
def test_kernel_nexthop_objects_are_gone_after_a_push():
    """Routes that were installed through nexthop objects are learnt again without them."""
    shell(LEAF, "sed -i '/nexthop kernel/d' /etc/frr/frr.conf && systemctl restart frr")
    aggregate = lab("numbered").switch[FAR].aggregates[0]
    assert until(lambda: "nhid" in shell(LEAF, f"ip route show {aggregate}"))
    carry_out(fetched(LEAF), wanted("numbered", LEAF))
    assert aggregate.prefixlen < 32
    assert until(lambda: kernel_paths(LEAF, aggregate) == len(SPINES))
    assert until(lambda: "nhid" not in shell(LEAF, "ip route"))


@pytest.mark.full
@pytest.mark.usefixtures("_numbered")
def test_bgpd_outlives_its_neighbours():
    """bgpd 8.4.4 dies of paths left by neighbours that were taken away; the push leaves none."""
    aggregate = lab("numbered").switch[FAR].aggregates[0]
    assert aggregate.prefixlen < 32
    for links in LINKS:
        push_all([wanted(links, name) for name in SWITCHES])
        assert until(lambda: kernel_paths(LEAF, aggregate) == len(SPINES))
    before = {name: shell(name, "pidof bgpd") for name in (FAR, *SPINES)}
    labs.restart(LAB, LEAF)
    shell(LEAF, f"hostname {LEAF}")
    assert until(lambda: kernel_paths(LEAF, aggregate) == len(SPINES))
    assert {name: shell(name, "pidof bgpd") for name in before} == before


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_the_device_refuses_a_candidate_that_its_programs_refuse():
    """Nothing is applied, and nothing waits to be taken back."""
    for wrong in (
        with_texts(wanted("numbered", LEAF), interfaces=("mtu", "mtuu")),
        with_texts(wanted("numbered", LEAF), nftables=("iifname", "iifnam")),
        with_texts(wanted("numbered", LEAF), frr=("remote-as", "remoteas")),
    ):
        with pytest.raises(StepFailed, match="switch-push check"):
            carry_out(fetched(LEAF), wrong)
        assert is_as_before(LEAF)


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_a_harmful_change_goes_back_by_itself_when_nobody_confirms():
    """The timer brings files and everything that runs back."""
    carry_out(fetched(LEAF), harmful(LEAF), UNCONFIRMED, window_s=10)
    assert not is_as_before(LEAF)
    assert until(lambda: shell(LEAF, DIALECT.pending_command()) == "")
    assert until(lambda: is_as_before(LEAF))
    with pytest.raises(StepFailed, match="too late"):
        shell(LEAF, "/var/lib/railbed/switch-push confirm")


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_a_harmful_change_goes_back_at_a_restart_inside_the_window():
    """The machine restarts with an empty network namespace, and comes up with the old."""
    carry_out(fetched(LEAF), harmful(LEAF), UNCONFIRMED)
    labs.restart(LAB, LEAF)
    shell(LEAF, f"hostname {LEAF}")
    assert until(lambda: is_as_before(LEAF))


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_a_restart_in_the_middle_of_confirm_brings_the_old_back_whole():
    """Some startup files are new and some old: none of the new ones stays."""
    carry_out(fetched(LEAF), harmful(LEAF), UNCONFIRMED)
    base = "/var/lib/railbed/candidate"
    for path in ("/etc/nftables.conf", "/etc/network/interfaces", "/etc/frr/frr.conf"):
        shell(LEAF, f"cp -p {base}{path} {path}")
    shell(LEAF, "sync")
    labs.restart(LAB, LEAF)
    shell(LEAF, f"hostname {LEAF}")
    assert until(lambda: is_as_before(LEAF))


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_a_second_push_waits_for_the_first_and_undo_makes_way():
    """Begin refuses while a change waits; after undo the device is as before."""
    carry_out(fetched(LEAF), harmful(LEAF), UNCONFIRMED)
    assert "since " in shell(LEAF, DIALECT.pending_command())
    paths = [one.path for one in diff(fetched(LEAF), wanted("numbered", LEAF))]
    assert "/var/lib/railbed/pending" in paths
    with pytest.raises(StepFailed, match="not confirmed yet"):
        carry_out(fetched(LEAF), wanted("numbered", LEAF))
    shell(LEAF, DIALECT.undo_command())
    assert until(lambda: is_as_before(LEAF))


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_a_confirmed_change_survives_a_restart():
    """What was confirmed is what the machine boots with."""
    other = with_texts(wanted("numbered", FAR), frr=("maximum-paths 2", "maximum-paths 3"))
    carry_out(fetched(FAR), other)
    labs.restart(LAB, FAR)
    shell(FAR, f"hostname {FAR}")
    assert until(lambda: fetched(FAR) == other)
    shell(FAR, "systemctl is-enabled frr nftables lldpd networking")


@pytest.mark.full
@pytest.mark.usefixtures("_numbered")
def test_a_moved_management_address_comes_back():
    """A change that moves eth0 elsewhere is taken back, and its lease with it."""
    management = lab("numbered").switch[LEAF].management
    shell("oob1", serve_one_lease(str(management.address.ip), str(management.gateway)))
    reached = f"ping -c 1 -W 1 {management.address.ip} > /dev/null && echo yes || echo no"
    assert until(lambda: shell("oob1", reached) == "yes\n")
    moved = "\nauto eth0\niface eth0 inet static\n    address 192.0.2.1/24\n"
    files = tuple(
        replace(one, text=one.text + moved) if one.path == "/etc/network/interfaces" else one
        for one in wanted("numbered", LEAF).files
    )
    moving = replace(wanted("numbered", LEAF), files=files)
    carry_out(fetched(LEAF), moving, UNCONFIRMED, window_s=10)
    assert shell("oob1", reached) == "no\n"
    assert until(lambda: shell("oob1", reached) == "yes\n")
    assert "192.0.2.1" not in shell(LEAF, "ip address show eth0")
    assert until(lambda: is_as_before(LEAF))


def serve_one_lease(address: str, server: str) -> str:
    """A command for the OOB server: a bridge of its netmgmt ports, and dnsmasq(8) on it."""
    mac = lab("numbered").switch[LEAF].management.mac
    return (
        f"ip link add br0 type bridge && ip addr add {server}/24 dev br0 && ip link set br0 up "
        "&& for p in $(ls /sys/class/net | grep ^nm); do ip link set $p master br0 up; done "
        f"&& dnsmasq --port=0 --interface=br0 --bind-interfaces --conf-file=/dev/null "
        f"--dhcp-range={address},static,255.255.255.0,1h --dhcp-authoritative "
        f"--dhcp-host={mac},{address},{LEAF}"
    )


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_half_a_checkpoint_is_not_gone_back_to():
    """Going back removes what the checkpoint lacks, so it does nothing without a whole one."""
    wider = with_texts(wanted("numbered", LEAF), frr=("maximum-paths 2", "maximum-paths 3"))
    carry_out(fetched(LEAF), wider, ("stage", "check", "checkpoint", "arm"))
    whole = "/var/lib/railbed/checkpoint/whole"
    shell(LEAF, f"mv {whole} {whole}.away")
    with pytest.raises(StepFailed):
        shell(LEAF, DIALECT.undo_command())
    assert shell(LEAF, "ls /etc/frr/frr.conf /etc/nftables.conf")
    shell(LEAF, f"mv {whole}.away {whole}")
    shell(LEAF, DIALECT.undo_command())
    assert is_as_before(LEAF)


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_after_half_a_way_back_nothing_is_applied_or_confirmed():
    """A file that has no way into its place keeps the marker, and what runs is old."""
    carry_out(fetched(LEAF), harmful(LEAF), UNCONFIRMED)
    shell(LEAF, "mount --bind /etc/nftables.conf /etc/nftables.conf")
    with pytest.raises(StepFailed):
        shell(LEAF, DIALECT.undo_command())
    assert shell(LEAF, DIALECT.pending_command())
    for step in ("apply frr", "confirm"):
        with pytest.raises(StepFailed, match="the way back has been taken"):
            shell(LEAF, f"/var/lib/railbed/switch-push {step}")
    shell(LEAF, "umount /etc/nftables.conf")
    shell(LEAF, DIALECT.undo_command())
    assert is_as_before(LEAF)


@pytest.mark.instances(keep=3, of="a push on machines that does not go well")
@pytest.mark.usefixtures("_numbered")
def test_whatever_fails_the_switch_is_old_or_new_and_a_second_push_ends_well(rng, is_full):
    """Cut, killed, silent, restarted, its disk full ...: the bench has every step with each."""
    known = well("linux_frr")
    every = cells("linux_frr", known)
    # nft and vtysh end well also where nothing of what they say could be written.
    at = next(number for number, one in enumerate(known.steps) if one.endswith(" checkpoint"))
    always = [one for one in every if (one.step, one.fault) == (at, "flash full")]
    some = every if is_full else [*always, *rng.sample(every, 1)]
    assert [one for one in (tried(cell, known) for cell in some) if one.wrong] == []
