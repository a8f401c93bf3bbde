"""The damage bench finds what a careless reader passes over; what it excuses has a reason."""

from __future__ import annotations

import random
import re

from inventory.reading.fields import Unreadable
from tests.bench.damage import Excuse, excuses, of_subject, report
from tests.bench.damaged import Parser, Stage

from .healthy import stage_25_nxos, stage_40_nxos, stage_42

TEXT = "a 1\nb 2\nend\n"


def careless(text: str) -> dict[str, float]:
    """Falls back to 1 where `a` is lost."""
    rows = dict(line.split() for line in text.splitlines() if len(line.split()) == 2)
    return {"a": _number(rows.get("a", "1")), "b": _number(rows.get("b", ""))}


def careful(text: str) -> dict[str, float]:
    if text.splitlines()[-1:] != ["end"] or not text.endswith("\n"):
        raise Unreadable("cut")
    rows = [line.split() for line in text.splitlines()[:-1]]
    if [len(one) for one in rows] != [2, 2]:
        raise Unreadable("lost")
    return {name: _number(value) for name, value in rows}


def _number(word: str) -> float:
    if not word.isdigit():
        raise Unreadable(f"{word!r} is no number")
    return float(word)


def lost(parser: Parser) -> set[str]:
    _, short = of_subject(parser, 10**6, random.Random(1), ())
    return {one.how for one in short if one.line == "a 1\n"}


def test_a_value_that_is_made_up_comes_short():
    assert {"removed", "blanked"} <= lost(Parser("careless", careless, TEXT))
    assert lost(Parser("careful", careful, TEXT)) == set()


def test_a_sample_that_is_refused_is_told():
    assert Parser("careful", careful, "a 1\n").refused == "cut"
    assert [report(10, *bad, 10) for bad in ((0, 0), (1, 0), (0, 1))] == [0, 1, 1]
    assert report(9, 0, 0, 10) == 1


def test_a_stage_is_judged_by_what_rests_on_the_answer():
    stage = Stage(stage_42)
    one = stage.texts()[0]
    assert (stage.refused, stage.stays(one, one.text), stage.stays(one, "")) == ("", True, False)
    assert stage.stays(one, one.text), "the whole answer is there again"


def excused(texts: str, seen_by: str = "", same: str = "^a (?P<same>)") -> set[str]:
    """The excuses that hold where the careless reader passes over a lost `a`."""
    mine = Excuse(re.compile("careless"), re.compile(same), re.compile("removed"), seen_by, "so")
    parser = Parser("careless", careless, texts)
    others = {"careful": Parser("careful", careful, texts)}
    _, short = of_subject(parser, 10**6, random.Random(1), (mine,), others)
    return {one.excused for one in short if one.how == "removed" and one.line.startswith("a ")}


def test_an_excuse_holds_where_it_is_as_it_says():
    """One line that tells it alone is no excuse, nor a stage that does not read the answer."""
    assert excused("a 1\nb 2\nend\n", same="^a ") == {"so"}
    assert excused("a 1\nb 2\nend\n") == {""}
    assert excused("a 2\na 2\nb 2\nend\n") == {"so"}
    assert excused("a 1\nb 2\nend\n", seen_by="careful") == {""}
    assert excused("a 1\nb 2\nend\n", seen_by="nobody") == {""}


def test_another_stage_sees_a_damage_of_the_answer_that_both_read():
    """And none that it does not read: NX-OS prints all of its settings in one answer."""
    two, others = Stage(stage_25_nxos), Stage(stage_40_nxos)
    one = next(one for one in two.texts() if "priority-flow-control mode on" in one.text)
    lost = one.text.replace("priority-flow-control mode on\n", "\n", 1)
    assert two.stays(one, lost)
    assert others.sees(one, lost)
    assert not others.sees(one, one.text)
    assert not Stage(stage_42).sees(one, lost)


def test_every_excuse_has_a_reason():
    assert excuses()
    assert all(len(one.reason) > 20 for one in excuses())
