"""Lines that public repositories hold and no device takes: none of them passes for good."""

from __future__ import annotations

import pytest

from tests.validation.audit.test_places import site
from validation.audit.audit import audit

# A system, after which line of a healthy text, and the wrong one.
WRONG = [
    ("eos", "   priority-flow-control on", "   priority-flow-control watchdog action errdisable"),
    (
        "eos",
        "   uc-tx-queue 3",
        "      random-detect ecn minimum-threshold 512 maximum-threshold 1536 units kbytes",
    ),
    (
        "eos",
        "spanning-tree mode mstp",
        "policy-map type qos x\n   class tx-queue 3\n      random-detect ecn",
    ),
    ("nxos", "  class type network-qos c-8q-nq3", "    congestion-control ecn"),
    ("nxos", "  class type network-qos c-8q-nq3", "    pause no-drop"),
    ("nxos", "feature lldp", "hardware qos pfc-watchdog on"),
    ("nxos", "policy-map type network-qos lossless", "  class type network-qos c-out-8q-q3"),
    ("nxos", "feature lldp", "feature qos"),
    (
        "cumulus",
        "    qos:",
        "      traffic-class:\n        '3':\n          pfc:\n            mode: on",
    ),
    (
        "cumulus",
        "    qos:",
        "      traffic-class:\n        '3':\n          congestion-control:\n            mode: ecn",
    ),
    (
        "cumulus",
        "      bgp:",
        "        neighbor:\n          swp1:\n            remote-as: external",
    ),
]


@pytest.mark.parametrize(("system", "after", "line"), WRONG)
def test_a_line_that_no_device_takes_is_no_pass(system, after, line):
    texts = site(system)
    name = next(iter(texts))
    spoilt = {
        path: text.replace(f"\n{after}\n", f"\n{after}\n{line}\n", 1)
        for path, text in texts[name].items()
    }
    assert spoilt != texts[name]
    found = audit({**texts, name: spoilt})
    assert found.exit_code
    assert any(one.subject.startswith(name) for one in found.problems) or any(
        name in why for why in found.inconclusive
    )


@pytest.mark.parametrize(
    "text",
    [
        "pfc.3.tx_en = on\n",
        "config interface pfc priority add Ethernet0 3\n",
        "nv set qos traffic-class 3 pfc mode on\n",
        "nv set router bgp neighbor swp1 remote-as external\n",
    ],
)
def test_commands_that_no_device_takes_are_no_pass(text):
    assert audit({"x": {"x": text}}).exit_code == 3
