"""Faults that nobody recorded: a healthy run with one answer told otherwise."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.validation.recorded import gated, judged, recorded
from validation.evidence import ask
from validation.evidence.store import EvidenceStore, Frame
from validation.judging.gate import Word


def told(device: str, command: str, change: Callable[[Any], Any]) -> EvidenceStore:
    """The healthy run in which one device's answer was changed, whole and well sealed."""

    def edit(frame: Frame) -> Frame:
        if (frame.device, frame.command) != (device, command):
            return frame
        text = json.dumps(change(json.loads(frame.payload))).encode()
        digest = hashlib.sha256(text).hexdigest()
        return replace(frame, payload=text, byte_length=len(text), sha256=digest)

    return recorded("healthy", edit)


def suspects(store: EvidenceStore) -> set[str]:
    decision = gated(judged(store, 20))
    assert decision.word is Word.STOP
    return set(decision.suspects)


def heard_instead(port: str, system: str, at: str) -> Callable[[Any], Any]:
    def change(answer: Any) -> Any:
        for one in answer["lldp"][0]["interface"]:
            if one["name"] == port:
                one["chassis"][0]["name"][0]["value"] = system
                one["port"][0]["id"][0]["value"] = at
        return answer

    return change


def test_a_stranger_in_a_port_blames_its_cable():
    store = told("leaf-p1-r0", ask.LLDP, heard_instead("swp5", "laptop", "eth0"))
    assert suspects(store) == {"cable leaf-p1-r0:swp5 -- spine1:swp1"}


def test_a_plug_in_another_port_that_the_other_end_does_not_confirm_is_one_cable():
    store = told("leaf-p1-r0", ask.LLDP, heard_instead("swp5", "spine1", "swp2"))
    assert suspects(store) == {"cable leaf-p1-r0:swp5 -- spine1:swp1"}


def test_a_name_with_the_sites_domain_is_the_same_system():
    name = "spine1.lab.railbed.internal"
    store = told("leaf-p1-r0", ask.LLDP, heard_instead("swp5", name, "swp1"))
    assert gated(judged(store, 20)).word is Word.GO


def test_an_lldpd_that_misses_its_own_port_is_one_way_not_to_hear():
    """Both ends run: the cable is the suspect, and the hint says what else it may be."""

    def deaf(answer: Any) -> Any:
        rows = answer["lldp"][0]["interface"]
        answer["lldp"][0]["interface"] = [one for one in rows if one["name"] != "swp5"]
        return answer

    decision = gated(judged(told("leaf-p1-r0", ask.LLDP, deaf), 20))
    (reason,) = decision.reasons
    assert reason.suspect == "cable leaf-p1-r0:swp5 -- spine1:swp1"
    assert "`lldpcli show interfaces`" in reason.hint


def test_two_neighbours_on_one_port_are_no_pass():
    def double(answer: Any) -> Any:
        rows = answer["lldp"][0]["interface"]
        (first,) = [one for one in rows if one["name"] == "swp5"]
        other = json.loads(json.dumps(first))
        other["chassis"][0]["name"][0]["value"] = "hub"
        rows.append(other)
        return answer

    assert suspects(told("leaf-p1-r0", ask.LLDP, double)) == {
        "cable leaf-p1-r0:swp5 -- spine1:swp1"
    }


def test_a_port_that_is_not_there_is_named():
    def without(answer: Any) -> Any:
        return [one for one in answer if one["ifname"] != "swp6"]

    assert suspects(told("leaf-p2-r1", ask.LINKS, without)) == {"port leaf-p2-r1:swp6"}


def test_a_session_with_another_asn_is_no_pass():
    def renumber(answer: Any) -> Any:
        answer["ipv4Unicast"]["peers"]["swp5"]["remoteAs"] = 64512
        return answer

    store = told("leaf-p1-r0", ask.BGP, renumber)
    assert suspects(store) == {"BGP over leaf-p1-r0:swp5 -- spine1:swp1"}


def test_a_path_that_the_peer_knows_and_the_leaf_does_not_use_blames_the_leaf():
    def narrow(answer: Any) -> Any:
        hops = answer["10.16.32.0/19"][0]["nexthops"]
        answer["10.16.32.0/19"][0]["nexthops"] = [
            one for one in hops if one["interfaceName"] == "swp6"
        ]
        return answer

    assert suspects(told("leaf-p1-r0", ask.RIB, narrow)) == {"device leaf-p1-r0"}


def test_a_prefix_lost_at_its_origins_spine_is_followed_there():
    """spine1 lost leaf-p2-r0's aggregate: three leaves miss a path, one device is blamed."""
    frames = recorded("healthy")

    def lose(frame: Frame) -> Frame:
        if frame.command != ask.RIB or not (
            frame.device == "spine1" or frame.device in ("leaf-p1-r0", "leaf-p1-r1", "leaf-p2-r1")
        ):
            return frame
        answer = json.loads(frame.payload)
        if frame.device == "spine1":
            del answer["10.16.32.0/19"]
        else:
            row = answer["10.16.32.0/19"][0]
            row["nexthops"] = [one for one in row["nexthops"] if one["interfaceName"] != "swp5"]
        text = json.dumps(answer).encode()
        digest = hashlib.sha256(text).hexdigest()
        return replace(frame, payload=text, byte_length=len(text), sha256=digest)

    store = EvidenceStore()
    store.add(lose(frame) for frame in frames)
    assert suspects(store) == {"device leaf-p2-r0"}


def test_a_leaf_that_leaks_its_hosts_is_told_by_who_hears_it():
    def leak(answer: Any) -> Any:
        row = json.loads(json.dumps(answer["10.255.0.3/32"]))
        row[0]["prefix"] = "10.16.32.0/31"
        return {**answer, "10.16.32.0/31": row}

    decision = gated(judged(told("spine1", ask.RIB, leak), 20))
    (reason,) = decision.reasons
    assert (reason.suspect, reason.expectations) == ("device leaf-p2-r0", ("routes:spine1",))
    assert "10.16.32.0/31" in reason.found


def test_a_route_that_somebody_set_by_hand_is_not_the_planned_one():
    def static(answer: Any) -> Any:
        answer["10.16.32.0/19"][0]["protocol"] = "static"
        return answer

    assert suspects(told("leaf-p1-r0", ask.RIB, static)) == {"device leaf-p1-r0"}


def test_a_kernel_with_a_port_too_many_is_no_pass():
    def widen(answer: Any) -> Any:
        for one in answer:
            if one["dst"] == "10.16.32.0/19":
                one["nexthops"].append({"gateway": "10.16.0.1", "dev": "swp1", "flags": []})
        return answer

    assert suspects(told("leaf-p1-r0", ask.FIB, widen)) == {"kernel routes of leaf-p1-r0"}
