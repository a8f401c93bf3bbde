"""Changes that YANG takes, that no neutral fact holds, and that are a hazard all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, broadcom, made

LEAF, SPINE, USERS = "leaf-p1-r0", "spine-p1-1", "business-leaf-b1-1"
BOTH = "gress_lossless_profile,"
PAD = "\n        "
CHANGES = (
    (LEAF, '"mtu": "4178"', '"mtu": "64"', "no packet of RoCE"),
    (LEAF, '"mtu": "4178"', '"mtu": "2130"', "ports let larger ones through"),
    (LEAF, '"type": "LeafRouter"', '"type": "SpineRouter"', "seed of another tier"),
    (SPINE, '"type": "SpineRouter"', '"type": "ToRRouter"', "seed of another tier"),
    ("superspine-g1-1", '"type": "ToRRouter"', '"type": "LeafRouter"', "seed of another tier"),
    (LEAF, '"size": "158229504"', '"size": "1582"', "cannot be"),
    (LEAF, '"size": "158229504"', '"size": "150000000"', "not the box's"),
    (LEAF, '"type": "ingress"', '"size": "900000000", "type": "ingress"', "cannot be"),
    (LEAF, f'"e{BOTH}', '"', "lists no egress profile"),
    (LEAF, f'"in{BOTH}', '"', "lists no ingress profile"),
    (LEAF, '"ACS-SN5600"', '"ACS-MSN4700"', "do not belong together"),
    (LEAF, "nvidia_sn5600-r0", "nvidia_sn5610-r0", "do not belong together"),
    (USERS, "Vlan300|10.96.0.1/22", "Vlan300|10.96.0.1/24", "gateway in another network"),
    (USERS, "eth0|172.16.0.48/20", "eth0|172.16.0.48/24", None),
    (USERS, "eth0|172.16.0.48/20", "eth0|172.16.0.48/2x", "is no address"),
    (LEAF, "Loopback0|10.255.0.1/32", "Loopback0|10.255.0.1/3x", "is no address"),
    (LEAF, '"fec": "rs"', '"fec": "rS"', "there is no fec 'rS'"),
    (LEAF, '"action": "drop"', '"action": "dorp"', "there is no action"),
    (LEAF, '"pfc_enable": "3"', '"pfc_enable": "3,x"', "no list of priorities"),
    (LEAF, '"meter_type": "bytes"', '"meter_type": "packets"', "capped in packets, not bytes"),
    (LEAF, '"mac": "02', '"mac": "0x', "no MAC address"),
    (LEAF, f'"CABLE_LENGTH": {{{PAD}"AZURE"', f'"CABLE_LENGTH": {{{PAD}"AZURx"', "calls AZURE"),
    (USERS, '"VLANS_IN": {', '"VLANS_IX": {', "VLANS_IN, which is not there"),
    (USERS, '"lacp_key": "auto",', "", "no lacp_key"),
    (
        USERS,
        f'{PAD}"PortChannel1|Ethernet0": {{}},{PAD}"PortChannel1|Ethernet2": {{}},',
        "",
        "PortChannel1 has no member",
    ),
    (USERS, f'"min_links": "1",{PAD}    "mtu": "9216"', '"min_links": "1"', "have other MTUs"),
)


def changed(one: SwitchIntent, old: str, new: str) -> tuple[SwitchFacts, SwitchFacts]:
    """What is read of a configuration with one word changed, and what was asked for."""
    rendered = SONIC.render(one)
    files = tuple(
        replace(file, text=file.text.replace(old, new, 1)) if file.path.endswith("json") else file
        for file in rendered.files
    )
    assert files != rendered.files, "nothing was changed"
    return SONIC.readback(replace(rendered, files=files)), wanted(one, SONIC.unsaid)


@pytest.mark.parametrize(("device", "old", "new", "sentence"), CHANGES)
def test_it_is_seen(device, old, new, sentence):
    found, asked = changed(made(small("sonic"), device), old, new)
    assert found != asked
    assert sentence is None or any(sentence in one for one in found.hazards)


def test_a_rate_is_in_bytes_where_nothing_says_in_what():
    """By the default of `meter_type` (sonic-scheduler.yang)."""
    found, asked = changed(made(small("sonic"), LEAF), '"meter_type": "bytes",', "")
    assert found == asked


def test_pools_of_broadcom_are_the_memory_of_the_box():
    old, new = '"size": "166115492"', '"size": "165660323"'
    found, asked = changed(made(broadcom(), LEAF), old, new)
    assert found != asked
    assert any("box's 166115492 bytes" in one for one in found.hazards)


def test_ports_that_let_larger_packets_through_are_refused():
    one = made(small("sonic"), LEAF)
    assert one.lossless.headroom
    policy = replace(one.lossless.headroom, packet_bytes=1106)
    with pytest.raises(DialectError, match=f"{LEAF}: headroom is for packets of 1106 bytes"):
        SONIC.render(replace(one, lossless=replace(one.lossless, headroom=policy)))
