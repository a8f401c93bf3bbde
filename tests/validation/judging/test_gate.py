"""The gate's word, its exit code, and the order and number of its reasons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.judging.gate import Word, decide
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict


def finding(name: str, verdict: Verdict, suspect: str = "", found: str = "") -> Finding:
    return Finding(20, name.partition(":")[0], "leaf1", name, verdict, suspect, found)


def result(*findings: Finding) -> ValidationResult:
    return ValidationResult("digest", 40, findings, {}, ())


CABLE = "cable leaf1:swp1 -- spine1:swp1"


@pytest.mark.parametrize(
    ("verdicts", "required", "before", "word", "code"),
    [
        ("PP", "ab", "", Word.GO, 0),
        ("PF", "ab", "", Word.STOP, 1),
        ("PI", "ab", "", Word.HOLD, 3),
        ("FI", "ab", "", Word.STOP, 1),
        ("PF", "a", "", Word.GO, 0),
        ("PF", "a", "b", Word.STOP, 1),
        ("PI", "a", "b", Word.STOP, 1),
        ("PP", "abc", "", Word.HOLD, 3),
        ("PP", "ab", "c", Word.STOP, 1),
    ],
)
def test_the_word(verdicts, required, before, word, code):
    kinds = {"P": Verdict.PASS, "F": Verdict.FAIL, "I": Verdict.INCONCLUSIVE}
    found = [finding(name, kinds[kind]) for name, kind in zip("ab", verdicts, strict=True)]
    decision = decide(result(*found), required, before)
    assert (decision.word, decision.exit_code) == (word, code)
    assert (decision.suspects == ()) == (word is Word.GO)


UNREAD = finding("signal:leaf1", Verdict.INCONCLUSIVE, "device leaf1", "not known")
REBOOT = replace(UNREAD, found="drain it, reboot it", waits=True)


@pytest.mark.parametrize(
    ("found", "word", "reboot"),
    [
        (finding("hw:leaf1", Verdict.INCONCLUSIVE), Word.HOLD, ("leaf1",)),
        (finding("hw:leaf1", Verdict.FAIL), Word.STOP, ()),
        (replace(finding("hw:leaf1", Verdict.INCONCLUSIVE), device="leaf2"), Word.STOP, ()),
    ],
)
def test_what_a_reboot_would_tell_holds_and_is_not_lost(found, word, reboot):
    """Only of the device that asks for it, and only what is not known."""
    decision = decide(result(found, REBOOT), ["hw:leaf1"], ["hw:leaf1"])
    assert (decision.word, decision.reboot) == (word, reboot)
    for one in (UNREAD, replace(UNREAD, suspect="")):  # nobody answered
        other = decide(result(found, one), ["hw:leaf1"], ["hw:leaf1"])
        assert (other.word, other.reboot) == (Word.STOP, ())


def test_a_hold_names_what_a_reboot_does_not_mend():
    """A reboot of one node mends nothing of another device; and what is awaited is told first."""
    open_ones = [finding(f"hw:leaf1:{n}", Verdict.INCONCLUSIVE, "device leaf1") for n in "abc"]
    driver = finding("software:leaf1", Verdict.INCONCLUSIVE, "role driver on leaf1", "it waits")
    mine = (REBOOT, *open_ones, replace(driver, waits=True))
    names = [one.expectation for one in mine]
    held = decide(result(*mine), names, names)
    assert held.mended_by == "drain and reboot leaf1"
    assert held.suspects == ("role driver on leaf1", "device leaf1")
    other = replace(finding("mtu:x", Verdict.INCONCLUSIVE, CABLE), device="spine1")
    for more, required in (((other,), "mtu:x"), ((), "nobody:answered")):
        held = decide(result(*mine, *more), [*names, required], names)
        assert held.mended_by == "mend the suspect, drain and reboot leaf1"
    failed = replace(other, verdict=Verdict.FAIL)
    held = decide(result(*mine, failed), [*names, "mtu:x"], names)
    assert (held.word, held.mended_by) == (Word.STOP, "mend the suspect")


def test_both_ends_of_a_cable_are_one_reason():
    ends = [finding(f"lldp:{end}", Verdict.FAIL, CABLE, f"{end} is down") for end in ("x", "w")]
    other = finding("mtu:y", Verdict.INCONCLUSIVE, CABLE)
    decision = decide(result(*ends, other), ["lldp:w", "lldp:x", "mtu:y"])
    assert decision.suspects == (CABLE,)
    assert decision.reasons[0].expectations == ("lldp:w", "lldp:x", "mtu:y")
    assert decision.reasons[0].found == "w is down"


def test_the_gravest_and_most_blamed_come_first():
    found = [
        finding("bgp:1", Verdict.INCONCLUSIVE, "device a"),
        finding("bgp:2", Verdict.FAIL, "device b"),
        finding("bgp:3", Verdict.FAIL, "device c"),
        finding("bgp:4", Verdict.FAIL, "device c"),
        finding("bgp:5", Verdict.FAIL, "device d"),
    ]
    decision = decide(
        result(*found), [one.expectation for one in found if one.suspect != "device d"]
    )
    assert [one.suspect for one in decision.reasons] == [
        "device c",
        "device b",
        "device a",
        "device d",
    ]
    assert decision.suspects == ("device c", "device b", "device a")


def test_what_was_lost_is_marked():
    bad = finding("bgp:a", Verdict.FAIL, CABLE)
    assert decide(result(bad), ["bgp:a"], ["bgp:a"]).reasons[0].lost
    assert not decide(result(bad), ["bgp:a"]).reasons[0].lost


VERDICTS = st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=6)


@given(VERDICTS, st.data())
def test_a_worse_verdict_never_makes_a_better_word(verdicts, data):
    found = [finding(f"bgp:{n}", verdict) for n, verdict in enumerate(verdicts)]
    required = data.draw(st.lists(st.sampled_from([one.expectation for one in found])))
    before = data.draw(st.lists(st.sampled_from([one.expectation for one in found])))
    at = data.draw(st.integers(0, len(found) - 1))
    worse = [*found]
    worse[at] = replace(found[at], verdict=Verdict.FAIL)
    rank = [Word.GO, Word.HOLD, Word.STOP]
    now, then = decide(result(*found), required, before), decide(result(*worse), required, before)
    assert rank.index(then.word) >= rank.index(now.word)


@given(VERDICTS, st.randoms())
def test_the_order_of_findings_does_not_matter(verdicts, random):
    found = [finding(f"bgp:{n}", verdict, f"device {n % 2}") for n, verdict in enumerate(verdicts)]
    required = [one.expectation for one in found]
    first = decide(result(*found), required)
    random.shuffle(found)
    assert decide(result(*found), required) == first


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.INCONCLUSIVE])
def test_nodes_beside_each_other_are_told_and_hold_no_rollout(verdict):
    """A canary with a new driver differs from all others: that is what a rollout does."""
    odd = finding("versions:node-1", verdict, "device node-1", "kernel is another")
    decision = decide(result(odd), ["versions:node-1"], ["versions:node-1"])
    assert decision.word is Word.GO
    assert [str(one) for one in decision.reasons] == ["device node-1: kernel is another"]
    missing = decide(result(), ["state:node-1:os_base"])
    assert missing.word is Word.HOLD
