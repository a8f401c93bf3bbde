"""The bench of wrong configurations: labels hold, and audit and proof tell most of a sample."""

from __future__ import annotations

import random
import re

import pytest

from tests.bench.audit_mutation.arithmetic import drawn as drawn_sums
from tests.bench.audit_mutation.arithmetic import healthy as healthy_sums
from tests.bench.audit_mutation.arithmetic import outcome
from tests.bench.audit_mutation.rows import Row, by_hand, excuses, rows
from tests.bench.audit_mutation.second_reader import changed, facts
from tests.bench.audit_mutation.site import (
    healthy,
    labels,
    site,
    told_by_audit,
    told_by_proof,
    told_near,
)
from tests.bench.audit_mutation.tokens import Mutant, Text, kinds_of_lines, mutants
from tests.switch_configs.sites import DIALECTS

pytestmark = pytest.mark.instances(keep=6, of="the bench of wrong configurations")

SEED, EACH = 5, 12


@pytest.fixture(scope="module")
def sample() -> list[Row]:
    from tests.bench.audit_mutation import rows as module  # its size is changed here

    kept, module.ENOUGH = module.ENOUGH, 0
    try:
        return [row for system in DIALECTS for row in rows(site(system), EACH, SEED)]
    finally:
        module.ENOUGH = kept


def test_healthy_texts_are_told_by_nobody():
    for system in DIALECTS:
        of = site(system)
        assert not healthy(system)
        assert not [name for name in of.files if told_by_proof(of, None, name)][:1]


def test_changed_texts_are_told_and_unchanged_ones_are_not(sample):
    assert len(sample) == EACH * len(DIALECTS)
    moved = [row for row in sample if row.family]
    assert len(moved) > EACH
    assert sum(bool(row.proof) for row in moved) >= 0.95 * len(moved)
    assert sum(bool(row.audit) for row in moved) >= 0.5 * len(moved)
    same = [row for row in sample if not row.family]
    assert sum(bool(row.alarms) for row in same) <= 0.2 * len(same)


def test_rules_near_a_change_say_what_the_whole_audit_says(sample):
    for row in random.Random(SEED).sample(sample, 10):
        of = site(row.system)
        whole = told_by_audit(of, row.mutant) - healthy(row.system)
        assert whole == told_near(of, row.mutant)


def test_the_second_reader_agrees_with_labels_by_hand():
    known = [(row, again) for row, again in by_hand() if again is not None]
    agreed = [
        row
        for row, again in known
        if bool(labels(site(row["system"]), again)) == (row["by_hand"] == "changed")
    ]
    assert len(known) >= 270
    assert len(agreed) >= 0.97 * len(known)


def test_mutants_are_the_same_for_the_same_seed_and_change_one_place():
    text = Text("s", "nxos", "d", "/running-config", "a 1\n b on\n b off\n! c\nd 10.0.0.0/8\n")
    one, two = (list(mutants([text], 20, random.Random(1))) for _ in range(2))
    assert one == two
    assert len({made.text for made in one}) == len(one)
    assert all(made.text != text.text for made in one)
    assert kinds_of_lines(text)["a 0 /  b on".replace("/  ", "/ ")] == (1,)


def test_the_second_reader_follows_names_and_drops_what_moves_nothing():
    text = site("eos").texts["leaf-p1-r0"]["/mnt/flash/startup-config"]
    healthy_facts = facts("eos", {"x": text})

    def families(old: str, new: str) -> tuple[str, ...]:
        assert old in text
        return changed(healthy_facts, facts("eos", {"x": text.replace(old, new, 1)}))

    assert families("priority 3 no-drop", "priority 4 no-drop") == ("marking",)
    assert families("mtu 9214", "mtu 9000") == ("mtu",)
    assert families("description to", "description at") == ()
    assert families("route-map up-out permit 10", "route-map up-out permit 15") == ()
    assert families("route-map up-out permit 10", "route-map up-out deny 10") == ("routing",)


def test_what_sonic_takes_for_meant_where_it_is_left_out_is_no_change():
    path = "/etc/sonic/config_db.json"
    text = site("sonic").texts["leaf-p1-r0"][path]
    line = re.compile(r'\n *"meter_type": "bytes",')
    less, other = (
        line.sub("", text),
        text.replace('"meter_type": "bytes"', '"meter_type": "packets"'),
    )
    assert text not in (less, other)
    healthy_facts = facts("sonic", {path: text})
    assert changed(healthy_facts, facts("sonic", {path: less})) == ()
    assert changed(healthy_facts, facts("sonic", {path: other})) == ("marking",)


def test_every_excuse_has_a_reason_and_a_pattern_that_compiles():
    for what in ("survived", "told"):
        assert excuses(what)
        assert all(len(why) > 10 and re.compile(pattern) for _, pattern, why in excuses(what))


def test_an_excuse_for_what_a_queue_holds_is_none_for_where_it_marks():
    line = "qdisc replace dev swp1 parent 1:2 handle 12: red limit 400 min 100 max 200 avpkt 1000"
    text = Text("s", "linux_frr", "d", "/etc/railbed/queues.tc", f"{line}\n")

    def excuse(after: str) -> str:
        changed = Mutant(text, "number", 1, line, after, f"{after}\n")
        return Row("linux_frr", changed, "ecn/watchdog", (), ()).excuse

    assert "holds" in excuse(line.replace("limit 400", "limit 401"))
    assert not excuse(line.replace("min 100", "min 101"))
    assert not excuse(line.replace("max 200", "max 201"))


def test_wrong_sums_are_planted_and_taken_away_again():
    before = healthy_sums()
    found = [outcome(one, before) for one in drawn_sums(6, 1)]
    assert {one.how for one in found} <= {"equal", "refused", "told", "audited", "survived"}
    assert "told" in {one.how for one in found}
    assert healthy_sums() == before
