"""What the audit says of makers' own reference configurations, and whether each finding is argued.

`RAILBED_FINDINGS` names a folder with files as SOURCE/FABRIC/FILE, one switch each; SOURCE is the
address, as its owner and repository. The texts are others' and never committed. Each fabric is
audited by itself. `foreign_findings.csv` has a row for each kind of finding: its rule, words of its
sentence where one rule says many things, how many there were before it was looked at and how many
there are now, and why: `true` of what the text says so, or `mended` where the audit was wrong or
too loud. Ends with RESULT lines: findings that no row argues, and rows of mended kinds that are
told again; exit 3 without a folder. Run as `python -m tests.bench.foreign_findings`.
"""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.audits.gathered import gathered
from tests.bench.results import result
from validation.audit.audit import audit
from validation.audit.rule import Problem

_LIST = Path(__file__).with_suffix(".csv")
_INCONCLUSIVE = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of finding of one source; `words` are of its sentence, "" any."""

    source: str
    rule: str
    words: str
    before: int
    now: int
    verdict: str
    reason: str

    def argues(self, source: str, problem: Problem) -> bool:
        """Whether a finding is of this kind."""
        is_of_it = (self.source, self.rule) == (source, problem.rule)
        return is_of_it and self.words in problem.found


def rows(path: Path = _LIST) -> list[Row]:
    """All rows, the more words first: these say of which kind a finding is."""
    with path.open(encoding="utf-8", newline="") as file:
        made = [
            Row(source, rule, words, int(before), int(now), verdict, reason)
            for source, rule, words, before, now, verdict, reason in list(csv.reader(file))[1:]
        ]
    return sorted(made, key=lambda row: -len(row.words))


def found(folder: Path) -> Iterator[tuple[str, Problem]]:
    """Every finding of every fabric, with its source."""
    for source in sorted(one for one in folder.iterdir() if one.is_dir()):
        for fabric in sorted(source.iterdir()):
            for problem in audit(gathered(fabric).texts).problems:
                yield source.name, problem


def main() -> int:
    """Audit, print kind by kind, end with the results."""
    folder = os.environ.get("RAILBED_FINDINGS")
    if not folder:
        print("inconclusive: RAILBED_FINDINGS names no folder")
        return _INCONCLUSIVE
    known, counts, strange = rows(), Counter[Row](), Counter[tuple[str, str, str]]()
    for source, problem in found(Path(folder)):
        row = next((one for one in known if one.argues(source, problem)), None)
        if row is None:
            strange[source, problem.rule, problem.found] += 1
        else:
            counts[row] += 1
    for row in sorted(known, key=lambda one: (one.source, one.rule, one.words)):
        told = f"{row.before} before, {counts[row]} now (listed {row.now})"
        print(f"{row.source} {row.rule} {row.words}: {told}, {row.verdict}: {row.reason}")
    for (source, rule, said), count in strange.most_common():
        print(f"not argued: {source} {rule}: {said}: {count}")
    again = sum(count for row, count in counts.items() if row.verdict == "mended" and not row.now)
    results = [
        result("findings_not_argued", strange.total(), "findings", 0),
        result("mended_findings_told_again", again, "findings", 0),
    ]
    print(*results, sep="\n")
    return int(any(one.endswith("short") for one in results))


if __name__ == "__main__":
    sys.exit(main())
