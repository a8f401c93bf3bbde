"""Why something differs: the value of the inventory that feeds it, and else nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.differences import keep, of_switch
from deploy.differences.inventory import Causes
from inventory import open_site
from inventory.load.site import SITES
from switch_configs import render
from switch_configs.shown.foreign import Showing

ENTRY = "{action: deny, protocol: ip, source: any, destination: 10.16.0.0/16}"
# A single edit of pod-256, and the place in which its cause is.
EDITS = {
    "mtu": ("hosts: 9000, switches: 9216}", "hosts: 9000, switches: 9210}", "lossless.ip_mtu_byt"),
    "storage mtu": ("switches: 9214", "switches: 9212", "storage.ip_mtu_bytes.switches"),
    "dscp": ("  dscp: 26", "  dscp: 28", "lossless.dscp"),
    "cnp": ("dscp: 48", "dscp: 46", "lossless.cnp.dscp"),
    "leaf ASNs": ("leaves: 4200000100", "leaves: 4200000300", "compute.asn.leaves"),
    "storage ASNs": ("leaves: 4200010100", "leaves: 4200010300", "storage.switches.asn.leaves"),
    "a VLAN": ("id: 300", "id: 301", "business.vlans[0].id"),
    "time": ("ntp: [10.88.32.5]", "ntp: [10.88.32.7]", "switch_services.ntp[0]"),
    "a second time server": ("[10.88.32.5]", "[10.88.32.9, 10.88.32.5]", "switch_services.ntp[0]"),
    "logs": ("syslog: [10.88.32.6]", "syslog: [10.88.32.8]", "switch_services.syslog[0]"),
    "an entry in front": (
        f"- {ENTRY}",
        f"- {ENTRY.replace('10.16', '10.99')}\n        - {ENTRY}",
        "business.vlans[0].acl[0]",
    ),
}


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str], tuple[Path, Causes]]:
    def made(old: str, new: str) -> tuple[Path, Causes]:
        folder = tmp_path / "site"
        shutil.copytree(SITES / "pod-256", folder)
        text = (folder / "fabric.yml").read_text()
        assert old in text
        (folder / "fabric.yml").write_text(text.replace(old, new, 1))
        keep("pod-256", tmp_path, "a")
        return folder, Causes(str(folder), tmp_path, "b")

    return made


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_the_cause_of_what_it_changes_and_of_nothing_else(name, edited):
    old, new, place = EDITS[name]
    folder, causes = edited(old, new)
    assert causes.moved
    assert {one.where.split(" ")[1].startswith(place) for one in causes.moved} == {True}
    plan, before, causes_told = open_site(folder), open_site("pod-256"), list[str]()
    kinds = {(one.dialect, one.tier): one.name for one in plan.switches}
    for switch in kinds.values():
        was, asked = render(before, switch), render(plan, switch)
        causes_told += [one.cause for one in of_switch(was, asked, (), causes, Showing())]
    assert causes_told, "an edit that no switch has"
    assert [one for one in causes_told if place not in one] == []
    foreign = causes.of(["- mtu 1234"], ["+ mtu 9000"], is_earlier=False)
    assert foreign.startswith("not known")


@pytest.mark.parametrize(
    ("come", "expected"),
    [
        ("permit 10", ""),  # an ACL's word in a route map
        ("mtu 9000", ""),  # of two planes
        ("mtu 9214", "storage.ip_mtu_bytes.switches is 9214"),
        ("users", ""),
    ],
)
def test_without_an_earlier_inventory_only_a_value_of_one_place_is_named(tmp_path, come, expected):
    told = Causes("pod-256", tmp_path, "b").of([], [come], is_earlier=None)
    assert expected in told
    assert bool(told) == bool(expected)


def test_a_value_whose_old_word_alone_goes_is_no_cause(edited):
    _, causes = edited("switches: 9214", "switches: 9212")
    assert causes.of(["mtu 9214"], ["mtu 1500"], is_earlier=None) == ""
