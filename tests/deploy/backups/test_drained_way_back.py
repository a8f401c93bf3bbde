"""A rollback leads traffic past a switch as a push does: by the same lines, in the same order."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from deploy.backups import told
from deploy.backups.preview import RolledBack, _differs, preview
from deploy.backups.rollback import Wish, goals_of, rollback
from deploy.backups.store import Backups
from deploy.backups.taken import fetcher, kept
from deploy.context import Context, no_journal
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout.drain.chosen import neighbours
from deploy.rollout.drain.marks import NO_PLACE, drained_as
from deploy.rollout.fabric_check import FabricCheck
from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.intent import Rendered
from tests.deploy.rollout import test_drain
from tests.deploy.rollout.models import SNMP, Site, leaf_and_spine
from tests.deploy.rollout.test_drain import (
    EOS,
    LEAF,
    NXOS_TOO,
    OTHER,
    SONIC,
    SONIC_TOO,
    SPINE,
    Beside,
    Replaced,
    Spine,
    Typed,
    on,
)

built = test_drain.built
BACK = "what it ran before run 1"


def ran_otherwise(site: Site[Any], spine: Spine) -> tuple[str, str]:
    """Run 1 took away what somebody had typed; returns what was there, and what is."""
    is_now = spine.runs, spine.saved
    texts = _texts(spine)
    _differ(spine)
    other = spine.runs
    kept(site.context, Backups(site.context.state_dir), fetcher(site.context)(SPINE), run=1)
    _put(spine, texts)
    assert (spine.runs, spine.saved) == is_now
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        run = record.begin_run(site.context.site, site.context.plan.digest)
        record.change(run, ChangeRow("w", SPINE, "save", "", "runtime", "", "", "done: save"))
    spine.log.clear()
    return other, is_now[0]


def _differ(spine: Spine) -> None:
    """Lines that a switch takes again when they are sent: EOS has prefix lists in blocks."""
    spine.differ()
    if isinstance(spine, Typed) and not isinstance(spine, Replaced):
        store, flat = spine.model.store, "ip prefix-list STRAY seq"
        text = store.running.replace(flat, "ip prefix-list STRAY\n   seq")
        store.running = store.startup = text


def _texts(spine: Spine) -> Any:
    if isinstance(spine, Beside):
        return spine.model.frr_conf.read_text(), spine.model.held["frr"]
    return spine.model.store.running, spine.model.store.startup


def _put(spine: Spine, texts: Any) -> None:
    if isinstance(spine, Beside):
        spine.model.frr_conf.write_text(texts[0])
        spine.model.put(frr=texts[1], calls=[])
    else:
        spine.model.store.running, spine.model.store.startup = texts


def back(site: Site[Any], *, accept_loss: bool = False, dry_run: bool = False) -> RolledBack:
    wish = Wish(1, dry_run=dry_run, accept_loss=accept_loss)
    goals = goals_of(site.context, 1, [SPINE])
    if wish.dry_run:
        return preview(site.context, goals)
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        return rollback(site.context, site.transport, record, wish, goals)


def phases(site: Site[Any], run: int) -> list[str]:
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        return list(dict.fromkeys(one.phase for one in record.changes(run)))


def watched(monkeypatch: pytest.MonkeyPatch, seen: Callable[[], object]) -> list[object]:
    """What is seen each time that the window asks whether the fabric works."""
    found, asked = list[object](), FabricCheck.missing

    def missing(
        check: FabricCheck, switch: str, deadline: float, *, whole: bool
    ) -> tuple[str, ...]:
        found.append(seen())
        return asked(check, switch, deadline, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    return found


@on(EOS, NXOS_TOO, SONIC)
def test_it_is_drained_idle_changed_and_undrained(built, monkeypatch):
    site, spine = built
    other, _ = ran_otherwise(site, spine)
    first = f"is drained first, if its sessions work: {OTHER} can take its traffic"
    assert [one.drain for one in back(site, dry_run=True).switches] == [first]
    looked = watched(monkeypatch, lambda: spine.is_drained)
    result = back(site)
    assert (result.exit_code, result.undrained) == (0, ()), result.outcome
    (one,) = result.switches
    assert one.drain.startswith("drained: idle by its counters: at most ")
    assert looked == [True]
    assert (spine.runs, spine.saved) == (other, other)
    order = phases(site, result.run or 0)
    assert order.index("drain") < order.index("stage") < order.index("confirm")
    assert order.index("confirm") < order.index("undrain") < order.index("save")
    on, sent, loaded, off = (
        next(at for at, line in enumerate(spine.log) if line.endswith(word) or word in line)
        for word in (spine.marks[0], spine.sends, spine.loads, spine.marks[1])
    )
    assert on < sent < loaded < off


@on(EOS, NXOS_TOO, SONIC_TOO)
def test_what_still_carries_traffic_goes_back_only_where_a_person_accepts_that(built, monkeypatch):
    site, spine = built
    other, now = ran_otherwise(site, spine)
    if isinstance(spine, Beside):
        spine.model.put(stuck=True)
    else:
        monkeypatch.setattr(type(spine), "marks", ("nobody types this", spine.marks[1]))
    refused = back(site)
    assert refused.exit_code == 1
    assert f"{SPINE}: stopped before anything was applied: not seen idle in " in refused.outcome
    assert [one.impact for one in refused.switches] == ["none"]
    assert (spine.runs, spine.saved) == (now, now), "it is as it was, and undrained"
    done = back(site, accept_loss=True)
    assert done.exit_code == 0, done.outcome
    assert spine.runs == other


@pytest.mark.full
@on(EOS)
def test_without_another_way_it_says_so_and_goes_back(built):
    site, spine = built
    other, _ = ran_otherwise(site, spine)
    gone = {one.port for one in site.context.plan.switch[LEAF].sessions if one.peer.device == OTHER}
    for session in site.state[LEAF].sessions:
        session.state = "Active" if session.at in gone else session.state
    result = back(site)
    assert result.exit_code == 0, result.outcome
    why = "not drained: a drain would change nothing: no other way works from leaf-p1-1 up"
    assert [one.drain for one in result.switches] == [why]
    assert not [one for one in spine.log if one.endswith(spine.marks[0])]
    assert spine.runs == other


@pytest.fixture(scope="module", params=["eos", "nxos", "sonic", "cumulus"])
def plan(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    word = request.param
    account = {"sonic": "", "cumulus": "cumulus"}.get(word, "admin")
    folder = tmp_path_factory.mktemp("site") / "mini"
    return leaf_and_spine(folder, word, account, 1, 4, SNMP if account == "admin" else "", spines=2)


def otherwise(asked: Rendered, old: str, new: str) -> Rendered:
    files = tuple(replace(one, text=re.sub(old, new, one.text)) for one in asked.files)
    assert files != asked.files
    return replace(asked, files=files)


def test_what_ran_is_drained_as_the_plan_is(plan):
    asked = render(plan, SPINE)
    if not dialect(asked.dialect).keeps_drain:
        return
    assert drained_as(plan, SPINE, asked) == drained_as(plan, SPINE)
    made = drained_as(plan, SPINE, otherwise(asked, r"\b9[12]\d\d\b", "9000"))
    assert made == otherwise(drained_as(plan, SPINE) or asked, r"\b9[12]\d\d\b", "9000")
    if asked.dialect != "sonic":  # bgpd marks all, by whatever policy
        for used in ("down-out", "down-out out"):
            other = otherwise(asked, rf"{used}\b", used.replace("down-out", "another"))
            assert drained_as(plan, SPINE, other) is None
    assert drained_as(plan, SPINE, made) is None, "somebody drained it for good"


def test_frr_on_linux_is_drained_as_the_plan_is():
    lab = open_site("lab")
    asked, drained = render(lab, SPINE), drained_as(lab, SPINE)
    assert drained_as(lab, SPINE, asked) == drained != asked
    other = otherwise(asked, r"(?m)^(router bgp )", r"ip prefix-list STRAY permit any\n\1")
    made = drained_as(lab, SPINE, other)
    assert made is not None
    assert "bgp graceful-shutdown\n" in text_of(made)
    assert "STRAY permit any" in text_of(made)


def text_of(one: Rendered) -> str:
    return "".join(file.text for file in one.files)


def test_a_preview_says_of_each_system_what_comes_first(plan, tmp_path):
    asked = render(plan, SPINE)
    context = Context(plan, plan.site, tmp_path, tmp_path, tmp_path, print, no_journal)
    old = otherwise(asked, r"\b9[12]\d\d\b", "9000")
    found = _differs(context, old, asked, {})
    said = {
        "cumulus": "is not drained: cumulus ends a drain as it applies a change",
    }.get(asked.dialect, f"is drained first, if its sessions work: {OTHER} can take its traffic")
    assert found.drain == said
    found = replace(found, impact="link flap")
    assert found.loses == (asked.dialect == "cumulus")
    file = io.StringIO()
    told.rolled_text(RolledBack(None, "dry run", 0, (found,)), Console(file=file, width=200))
    assert f"\n  {said}\n" in file.getvalue()
    if asked.dialect in ("eos", "nxos"):
        goal = otherwise(asked, "down-out", "another")
        assert _differs(context, old, goal, {}).drain == f"is not drained: {NO_PLACE}"


def test_who_is_asked_is_who_could_take_its_traffic(plan):
    asked = {SPINE, LEAF} | ({OTHER} if plan.switch[SPINE].dialect != "cumulus" else set())
    assert neighbours(plan, SPINE) == asked
    assert neighbours(plan, LEAF) == {SPINE, OTHER, LEAF}
    assert neighbours(plan, "a-switch-of-the-oob-plane") == {"a-switch-of-the-oob-plane"}
