"""Plants wrong changes in a throw-away copy of this clone: which do the tests notice?

    python -m tests.bench.mutation [--count 100] [--seed N] [--resume FILE] [--rest] [--labs]

For each mutant the tests run that it can touch (tests.impact), nearest first, until one fails.
A test counts only if it passes without the mutant. Linters and the drawing of the house take no
part: a mutant is to be noticed by what it does. Those that change nothing that anybody could
see are named in equivalents.csv, each with the reason, and are listed apart.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.bench.mutants import Mutant, draw
from tests.bench.results import result
from tests.impact import plugin
from tests.impact.change import ROOT, git, working_tree
from tests.impact.choose import all_tests, choose, is_lab
from tests.impact.graph import Graph
from tests.plugins.seconds import UNKNOWN_S, kept

EQUIVALENTS = Path(__file__).with_name("equivalents.csv")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_NO_PART = ("tests/test_lint.py", "tests/test_architecture.py", "tests/test_launcher.py",
            "tests/test_wheel.py", "tests/test_alone.py", "tests/impact/")  # fmt: skip
# Seconds of tests in the first go; the next, of twice as many, begins when none of these failed.
_FIRST_GO_S = 4.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    of: str
    rest: bool
    labs: bool
    budget_s: float


class Copy:
    """A throw-away clone with the files of this one, as far as git knows or would take them."""

    def __init__(self, folder: Path, before: str = "") -> None:
        self.root = folder
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(folder)], check=True)
        for path, text in working_tree().items():
            if not (folder / path).exists() or _text(folder / path) != text:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
        if before:
            git("rm", "-rq", "--cached", "tests", root=folder)
            subprocess.run(["rm", "-r", "--", str(folder / "tests")], check=True)
            git("checkout", "-q", before, "--", "tests", root=folder)
        self.tree = working_tree(folder)
        # Older suites know no choice: the plugin is this clone's, and always there.
        self.plugin = folder.with_name(f"{folder.name}_choice.py")
        self.plugin.write_text(Path(plugin.__file__).read_text())

    def failing(self, shares: dict[str, float], limit_s: float) -> tuple[str, bool]:
        """The first test that fails, empty if none does; and whether all had the time to run."""
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.root.parent) as file:
            json.dump(shares, file)
            file.flush()
            files = list(dict.fromkeys(one.partition("::")[0] for one in shares))
            command = [sys.executable, "-P", "-m", "pytest", "-xq", "-p", "no:cacheprovider"]
            command += ["-p", self.plugin.stem, f"--choice={file.name}", *files]
            code, said = self._run(command, limit_s)
        if code is None:
            return "", False
        failed = _FAILED.findall(said)
        return (failed[0] if failed else "" if code in {0, 5} else f"exit {code}"), True

    def _run(self, command: list[str], limit_s: float) -> tuple[int | None, str]:
        path = f"{self.root}:{self.root.parent}"
        process = subprocess.Popen(
            command, cwd=self.root, env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            said = process.communicate(timeout=limit_s)[0]
            return process.returncode, said
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            # Of a test run that was cut off nothing goes on; a session of its own is a group.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def judge(copy: Copy, mutant: Mutant, asked: Asked) -> dict[str, object]:
    """Plant one mutant, run the tests, take it out again; what came of it."""
    file = copy.root / mutant.path
    text = copy.tree[mutant.path]
    began, spent = time.monotonic(), os.times()
    shown: dict[str, object] = {"key": mutant.key, "mutant": str(mutant), "kind": mutant.kind,
                                "file": mutant.path, "line": mutant.line}  # fmt: skip
    unsound: set[str] = set()
    found, complete, ran = "", True, 0
    for go in _goes(copy, mutant, asked):
        shares = {one: share for one, share in go.items() if one not in unsound}
        while shares and not found:
            left = asked.budget_s - (time.monotonic() - began)
            file.write_text(mutant.apply(text))
            failed, had_time = copy.failing(shares, left) if left > 0 else ("", False)
            file.write_text(text)
            complete &= had_time
            if not failed:
                break
            name = "::".join(failed.partition("[")[0].split("::")[:2])
            if name in shares and copy.failing({name: 1.0}, asked.budget_s)[0]:
                unsound.add(name)
                del shares[name]
            else:
                found = failed
        ran += len(shares)
        if found or not complete:
            break
    after = os.times()
    cpu = after.children_user + after.children_system - spent.children_user - spent.children_system
    outcome = "found" if found else "not found" if complete else "no time"
    return shown | {"outcome": outcome, "by": found, "tests": ran, "cpu_s": round(cpu, 1),
                    "fails_anyway": sorted(unsound)}  # fmt: skip


def _goes(copy: Copy, mutant: Mutant, asked: Asked) -> Iterator[dict[str, float]]:
    """The tests in the order in which they are to run, some seconds of them at a time."""
    seconds = kept()
    graph = Graph(copy.tree | {mutant.path: mutant.apply(copy.tree[mutant.path])})
    every = {"::".join(node): is_lab(graph, node) for node in all_tests(graph)}
    choice = choose(graph, {mutant.path: copy.tree[mutant.path]}, seconds)
    chosen = dict(choice.functions) if asked.of == "changed" and not choice.everything else {}
    if asked.of == "all" or choice.everything:
        chosen = dict.fromkeys(sorted(every), 1.0)
    rest = {one: 1.0 for one in sorted(every) if chosen.get(one, 0) < 1} if asked.rest else {}
    limit, cost = _FIRST_GO_S, 0.0
    for part in (chosen, rest):
        go: dict[str, float] = {}
        for name, share in sorted(part.items(), key=lambda one: choice.distance(one[0])):
            if name.startswith(_NO_PART) or (every.get(name, True) and not asked.labs):
                continue
            go[name] = share
            cost += share * seconds.get(name, UNKNOWN_S)
            if cost > limit:
                yield go
                go, cost, limit = {}, 0.0, limit * 2
        if go:
            yield go


def equivalents() -> dict[str, str]:
    """The mutants known to change nothing that can be seen, by key, with the reason."""
    if not EQUIVALENTS.is_file():
        return {}
    with EQUIVALENTS.open(newline="") as lines:
        return {row["key"]: row["reason"] for row in csv.DictReader(lines)}


def report(shown: list[dict[str, object]]) -> None:
    """Those that were not found, then the results."""
    same = equivalents()
    outcomes = Counter(
        "equivalent" if one["key"] in same and one["outcome"] != "found" else str(one["outcome"])
        for one in shown
    )
    for one in shown:
        if one["outcome"] != "found":
            why = f"equivalent: {same[str(one['key'])]}" if one["key"] in same else one["outcome"]
            print(f"{one['key']} {one['mutant']}  {why}")
    judged = outcomes["found"] + outcomes["not found"]
    print(f"of {len(shown)} mutants: {dict(outcomes)}")
    cpu = sum(float(str(one["cpu_s"])) for one in shown) / max(1, len(shown))
    print(result("mutants_found", 100 * outcomes["found"] / max(1, judged), "%", 95, most=False))
    print(result("cpu_per_mutant", cpu, "s", 20))


def main() -> None:
    """Draw, judge each, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=("changed", "all"), default="changed")
    parser.add_argument("--before", default="", help="judge by the tests of this commit")
    parser.add_argument("--rest", action="store_true", help="then all other tests, too")
    parser.add_argument("--labs", action="store_true", help="tests with labs, too")
    parser.add_argument("--budget", type=float, default=300, help="seconds for one mutant")
    parser.add_argument("--resume", type=Path, help="JSON lines: go on after those that are there")
    options = parser.parse_args()
    asked = Asked(options.of, options.rest, options.labs, options.budget)
    lines = options.resume.read_text() if options.resume and options.resume.exists() else ""
    done = {one["key"]: one for one in map(json.loads, lines.splitlines())}
    shown: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="railbed-mutants-") as folder:
        copy = Copy(Path(folder) / "clone", options.before)
        for mutant in draw(working_tree(), options.count, options.seed):
            one = done.get(mutant.key) or judge(copy, mutant, asked)
            shown.append(one)
            if mutant.key not in done:
                print(f"{one['outcome']:9} {one['cpu_s']:6} s  {mutant}  {one['by']}", flush=True)
                if options.resume:
                    with options.resume.open("a") as file:
                        file.write(json.dumps(one) + "\n")
    report(shown)


def _text(path: Path) -> str:
    return path.read_text(errors="replace")


if __name__ == "__main__":
    main()
