"""How much of other people's configurations the readbacks understand.

`RAILBED_FOREIGN` names a folder with files as SYSTEM/SOURCE/FILE, one configuration each; they are
others' and never committed. SOURCE is the address, as its owner and repository. Of each file the
bench prints its digest, how many lines say something, how many of these are unread, and what those
are about; below it, what is known by its form alone (`switch_configs.readback.beside`): not
unread, and no plan has it. Lines stand over lines: of SONiC an unread row counts all of its own,
and of YAML the headings, which say nothing by themselves, are left out of both. Ends with RESULT
lines: the worst share of each system, at most 5 percent of at least 10 files from 3 sources; exit
1 where one is short, 3 without a folder, and a system with fewer files or sources is said to be
not shown. Run as `python -m tests.bench.readable`.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from switch_configs import dialect, dialects
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.unread import unread
from tests.bench.results import result

_PLACES = {
    "cumulus": "/etc/nvue.d/startup.yaml",
    "eos": "/mnt/flash/startup-config",
    "linux_frr": "/etc/frr/frr.conf",
    "nxos": "/running-config",
    "sonic": "/etc/sonic/config_db.json",
}
_INCONCLUSIVE = 3
_FILES, _SOURCES, _MOST_PERCENT = 10, 3, 5


@dataclass(frozen=True, slots=True)
class Read:
    """One file: lines that say something, and of those unread how many are about what.

    `beside` are lines known by form: of features that no plan has
    (`switch_configs.readback.beside`).
    """

    source: str
    name: str
    digest: str
    lines: int
    topics: tuple[tuple[str, int], ...]
    beside: tuple[tuple[str, int], ...]

    @property
    def percent(self) -> float:
        """The share of lines that nobody read."""
        return 100 * sum(count for _, count in self.topics) / max(self.lines, 1)


def read(system: str, path: Path) -> Read:
    """One file by the readback of a system."""
    text = path.read_text(encoding="utf-8", errors="replace")
    file = ConfigFile(_PLACES[system], text, "root", "root", "0600", "none")
    facts = dialect(system).readback(Rendered(path.stem, system, (file,)))
    rows = rows_of(text) if system == "sonic" else {}
    topics, beside = Counter[str](), Counter[str]()
    for one in facts.unread:
        (beside if one.by_form else topics)[one.topic] += rows.get(one.digest, 1)
    digest = sha256(text.encode()).hexdigest()[:12]
    return Read(
        source=path.parent.name,
        name=path.name,
        digest=digest,
        lines=lines_of(system, text),
        topics=tuple(topics.most_common()),
        beside=tuple(beside.most_common()),
    )


def lines_of(system: str, text: str) -> int:
    """How many lines of a configuration say something by themselves."""
    if system == "sonic":
        return _said(json.dumps(json.loads(text), indent=1))
    if system != "cumulus":
        return _said(text)
    lines = [line for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]
    depths = [len(line) - len(line.lstrip(" -")) for line in lines]
    return sum(after <= here for here, after in pairwise([*depths, 0]))


def rows_of(text: str) -> dict[str, int]:
    """The lines of each table and row of a config_db.json, by its digest where it is unread."""
    found = {}
    for table, rows in json.loads(text).items():
        found[unread(f"config_db: {table}").digest] = _said(json.dumps({table: rows}, indent=1))
        for key, row in rows.items() if isinstance(rows, dict) else ():
            name = unread(f"config_db: {table}|{key}").digest
            found[name] = _said(json.dumps({key: row}, indent=1))
    return found


def _about(counts: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{topic} {count}" for topic, count in counts) or "none"


def _said(text: str) -> int:
    return sum(line.strip()[:1] not in ("", *"!#{}],") for line in text.splitlines())


def main() -> int:
    """Read, print file by file, end with the results."""
    folder = os.environ.get("RAILBED_FOREIGN")
    if not folder:
        print("inconclusive: RAILBED_FOREIGN names no folder")
        return _INCONCLUSIVE
    results = []
    for system in dialects():
        found = [read(system, one) for one in sorted(Path(folder, system).glob("*/*"))]
        for one in found:
            about = _about(one.topics)
            where = f"{system}/{one.source}/{one.name} sha256:{one.digest}"
            print(f"{where}: {one.percent:.1f} % of {one.lines} lines unread: {about}")
            print(f"    known by form alone: {_about(one.beside)}")
        sources = len({one.source for one in found})
        if len(found) < _FILES or sources < _SOURCES:
            print(f"not shown: {system} has {len(found)} files of {sources} sources")
        if found:
            worst = round(max(one.percent for one in found), 1)
            name = f"unread_worst_of_{len(found)}_{system}_files"
            results.append(result(name, worst, "percent", _MOST_PERCENT))
    print(*results, sep="\n")
    return int(any(one.endswith("short") for one in results))


if __name__ == "__main__":
    sys.exit(main())
