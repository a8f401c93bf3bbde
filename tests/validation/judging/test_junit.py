"""Findings for machines: counts are right, inconclusive is an error, any text is XML."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from validation.judging.junit import junit
from validation.verdict import Finding, Verdict


def test_every_verdict_has_its_place():
    findings = [
        Finding(20, "bgp", "leaf1", "bgp:leaf1:swp1", Verdict.PASS),
        Finding(
            20, "bgp", "leaf1", "bgp:leaf1:swp2", Verdict.FAIL, "cable x", "down", "up", "look"
        ),
        Finding(40, "mtu", "leaf1", "mtu:leaf1:swp1", Verdict.INCONCLUSIVE, "", "no answer"),
    ]
    root = ElementTree.fromstring(junit(findings).encode())
    suites = {one.get("name"): one.attrib for one in root}
    assert suites["stage 20"] == {
        "name": "stage 20", "tests": "2", "failures": "1", "errors": "0", "skipped": "0",
    }  # fmt: skip
    assert suites["stage 40"]["errors"] == "1"
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "down"
    assert failure.text == "suspect: cable x\nexpected: up\nhint: look"
    assert root.find(".//skipped") is None


@given(st.text(), st.text())
def test_whatever_a_device_said_is_xml(found, suspect):
    one = Finding(20, "bgp", "leaf1", "bgp:leaf1:swp1", Verdict.FAIL, suspect, found)
    root = ElementTree.fromstring(junit([one]).encode())
    assert len(root.findall(".//failure")) == 1
