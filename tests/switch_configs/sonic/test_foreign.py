"""Configurations of others, as they are read: here what SONiC itself makes."""

from __future__ import annotations

import json
from typing import Any

from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.unread import unread
from switch_configs.sonic.files import CONFIG_DB
from tests.switch_configs.sonic.plans import SONIC
from tests.switch_configs.sonic.stock import stock


def read(tables: dict[str, Any]) -> Any:
    text = json.dumps(tables)
    file = ConfigFile(CONFIG_DB, text, "root", "root", "0644", "reload")
    return SONIC.readback(Rendered("str-sn5600", "sonic", (file,)))


def test_stock_sonic_drops_roce():
    """DSCP 26 is best effort there: RoCE on it is dropped, and nobody says so."""
    facts = read(stock())
    port = next(one for one in facts.ports if one.name == "Ethernet0")
    assert port.qos.pfc_priorities == (3, 4)
    of = {dscp: one for one in port.qos.classes for dscp in one.dscps}
    assert of[26].pfc_priority is None
    assert of[26].weight_percent == 14
    assert (of[3].pfc_priority, of[4].pfc_priority) == (3, 4)
    assert of[3].ecn.kmin_bytes == 1048576
    assert (of[3].ecn.kmax_bytes, of[3].ecn.probability_percent) == (2097152, 5)
    assert port.qos.cable_m == 5
    assert port.rate_gbps == 800
    assert facts.buffers.alpha == 1


def test_what_stock_sonic_lacks_is_said():
    facts = read(stock())
    for words in (
        "frr.conf is not used", "has another name in LLDP", "watches other priorities",
        "no schema version",
    ):  # fmt: skip
        assert any(words in one for one in facts.hazards), words
    assert facts.unread == (
        unread('config_db: DEVICE_METADATA|localhost default_pfcwd_status "enable"'),
    )


def test_anything_is_read_without_an_error():
    for text in ("", "{", "[]", '{"PORT": 1}', '{"PORT": {"Ethernet0": {"lanes": 1}}}', "null"):
        file = ConfigFile(CONFIG_DB, text, "root", "root", "0644", "reload")
        facts = SONIC.readback(Rendered("x", "sonic", (file,)))
        assert facts.unread or facts.hazards
