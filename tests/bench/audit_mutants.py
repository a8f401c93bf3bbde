"""Wrong configurations: how many does the audit tell, and the proof, of 5,000 and more mutants?

One meaningful token of a rendered configuration is changed at a time, in five systems, by a
printed seed (`audit_mutation/tokens.py`). Whether packets or services are treated otherwise is
labelled before any rule runs, by a reader that shares no code with the product, checked against
300 labels by hand and, with `--frr`, against FRR itself. Told is what `audit` says of the whole
site without a plan, or an inconclusive line; and what the proof says against the plan. Survivors
of the audit go to `audit_survivors.csv`, grouped; what is said of mutants that change nothing to
`audit_told_unchanged.csv`.

    nice python -m tests.bench.audit_mutants [--count 1000] [--seed 1] [--frr] [SYSTEM ...]

`--sums` asks about mutants of the arithmetic that renderer and plan share instead.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.switch_configs.sites import DIALECTS

from .audit_mutation.arithmetic import main as sums
from .audit_mutation.machines import BGPD, running
from .audit_mutation.rows import HERE, Row, by_hand, rows, shares, true_of_text
from .audit_mutation.site import healthy, labels, site, told_by_audit, told_by_proof, told_near
from .results import result

_COMPARED = 40
# Lines that zebra, staticd and vtysh keep; bgpd's running configuration has none of them.
_NOT_OF_BGPD = re.compile(r"(no )?(fpm|frr|hostname|ip route|log|service|zebra) ")


def main(words: Sequence[str] | None = None) -> int:
    """Draw, label, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__, prog="audit_mutants")
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", default=[])
    parser.add_argument("--count", type=int, default=1000, help="of each system, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--frr", action="store_true", help="ask FRR about each frr.conf")
    parser.add_argument("--sums", action="store_true", help="mutants of the shared arithmetic")
    asked = parser.parse_args(words)
    if asked.sums:
        return sums(asked.seed)
    print(f"seed {asked.seed}")
    every: list[Row] = []
    with ProcessPoolExecutor(asked.jobs) as pool:
        for mine in pool.map(partial(_asked, asked.count, asked.seed), asked.systems or DIALECTS):
            print(f"{mine[0].system}: {len(mine)} mutants", flush=True)
            every += mine
    lines = _told(every)
    lines += _hand()
    lines += _frr(every) if asked.frr and BGPD.exists() else []
    _survivors(every)
    _unchanged(every)
    print("\n".join(lines))
    return 0


def _asked(count: int, seed: int, system: str) -> list[Row]:
    """The mutants of one system; some are asked about again, with every rule over every box."""
    of = site(system)
    assert not healthy(system), (system, healthy(system))
    wrong = [name for name in of.files if told_by_proof(of, None, name)]
    assert not wrong, wrong
    mine = list(rows(of, count, seed))
    for one in random.Random(seed).sample(mine, min(_COMPARED, len(mine))):
        whole = told_by_audit(of, one.mutant) - healthy(system)
        assert whole == set(one.audit) == told_near(of, one.mutant), str(one.mutant)
    return mine


def _told(every: list[Row]) -> list[str]:
    lines = [result("audit_mutants", len(every), "mutants", 5000, most=False)]
    print("system family | changed | audit % | of what texts can tell % | proof %")
    for one in shares(every):
        print(
            f"{one.system} {one.family} | {one.changed} | {100 * one.audit / one.changed:.1f} | "
            f"{one.known:.1f} | {100 * one.proof / one.changed:.1f}"
        )
        name = f"{one.system}_{one.family}".replace("/", "_")
        lines.append(result(f"audit_{name}", one.known, "%", 99, most=False))
        told = 100 * one.proof / one.changed
        lines.append(result(f"proof_{name}", told, "%", 99, most=False))
    same = [one for one in every if not one.family]
    lines.append(result("audit_unchanged", len(same), "mutants", 500, most=False))
    print(f"{sum(bool(one.alarms) for one in same)} of them told, as true of the text or falsely")
    lines.append(result("audit_false_alarms", sum(bool(one.false) for one in same), "", 0))
    moved = [one for one in every if one.family]
    for who, those in (("audit", [one for one in moved if one.audit]),
                      ("proof", [one for one in moved if one.proof])):  # fmt: skip
        lines.append(result(f"{who}_all", 100 * len(those) / len(moved), "%", 99, most=False))
    return lines


def _hand() -> list[str]:
    agreed = gone = 0
    for row, again in by_hand():
        gone += again is None
        if again is not None:
            changed = bool(labels(site(row["system"]), again))
            agreed += changed == (row["by_hand"] == "changed")
            if changed != (row["by_hand"] == "changed"):
                print(f"by hand {row['by_hand']}, by the reader not: {again}")
    count = 300 - gone
    print(f"{count} of 300 labels by hand are of texts as they are; {agreed} agree")
    return [result("hand_labels_agree", 100 * agreed / max(count, 1), "%", 97, most=False)]


def _frr(every: list[Row]) -> list[str]:
    """Where bgpd's running configuration is the same, the reader must have seen no change."""
    healthy_text: dict[str, tuple[str, ...]] = {}
    asked = against = 0
    for one in every:
        text = one.mutant.of
        if text.path.endswith("frr.conf") and not _NOT_OF_BGPD.match(one.mutant.before):
            if text.text not in healthy_text:
                healthy_text[text.text] = running(text.text)
            asked += 1
            if running(one.mutant.text) == healthy_text[text.text] and one.family:
                against += 1
                print(f"FRR sees no change: {one.mutant}")
    print(f"FRR was asked about {asked} mutants; of {against} it sees no change, the reader does")
    return [result("frr_against_reader", 100 * against / max(asked, 1), "%", 0)]


def _survivors(every: Iterable[Row]) -> None:
    groups = defaultdict[tuple[str, str, str], list[Row]](list)
    asked = Counter[tuple[str, str, str]]()
    for one in every:
        if one.family:
            asked[one.system, one.family, one.kind] += 1
            if not one.audit:
                groups[one.system, one.family, one.kind].append(one)
    with (HERE / "audit_survivors.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "system",
                "family",
                "kind",
                "survived",
                "of",
                "proof_tells",
                "before",
                "after",
                "reason",
            ]
        )
        for key, mine in sorted(groups.items(), key=lambda item: (item[1][0].excuse, item[0])):
            one = mine[0]
            told = sum(bool(each.proof) for each in mine)
            writer.writerow([*key, len(mine), asked[key], told, one.mutant.before.strip()[:90],
                             one.mutant.after.strip()[:90], one.excuse])  # fmt: skip


def _unchanged(every: Iterable[Row]) -> None:
    with (HERE / "audit_told_unchanged.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["system", "device", "line", "kind", "before", "after", "told", "true_because"]
        )
        for one in every:
            if not one.family and one.alarms:
                made = one.mutant
                writer.writerow([one.system, f"{made.of.device}{made.of.path}", made.line,
                                 made.kind, made.before.strip()[:90], made.after.strip()[:90],
                                 (one.false or one.alarms)[0][:160],
                                 "" if one.false else true_of_text(one.alarms[0])])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
