"""Findings for machines: JUnit XML and JSON. `inconclusive` is an error, never skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from validation.verdict import Finding, Verdict

# XML 1.0 allows no other control characters, and devices may print any.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(findings: Iterable[Finding], name: str = "railbed", gates: Iterable[Finding] = ()) -> str:
    """One test suite per stage, one test case per expectation; the gates are one more suite."""
    stages: dict[int, list[Finding]] = {}
    for finding in sorted(findings, key=lambda item: (item.stage, item.expectation)):
        stages.setdefault(finding.stage, []).append(finding)
    root = Element("testsuites", name=name)
    suites = [(f"stage {stage:02}", found) for stage, found in sorted(stages.items())]
    suites += [("gates", decided)] if (decided := list(gates)) else []
    for title, found in suites:
        suite = SubElement(root, "testsuite", {"name": title, **_counts(found)})
        for one in found:
            _case(suite, one)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _counts(found: list[Finding]) -> dict[str, str]:
    verdicts = [finding.verdict for finding in found]
    return {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count(Verdict.FAIL)),
        "errors": str(verdicts.count(Verdict.INCONCLUSIVE)),
        "skipped": "0",
    }


def _case(suite: Element, one: Finding) -> None:
    case = SubElement(
        suite, "testcase", classname=f"{one.check}.{one.device}", name=one.expectation
    )
    if one.verdict is Verdict.PASS:
        return
    kind = "failure" if one.verdict is Verdict.FAIL else "error"
    bad = SubElement(case, kind, type=str(one.verdict), message=_clean(one.found))
    lines = (f"suspect: {one.suspect}", f"expected: {one.expected}", f"hint: {one.hint}")
    bad.text = _clean("\n".join(lines))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def plain(one: Finding) -> dict[str, object]:
    """A finding in plain JSON types."""
    return {
        "stage": one.stage,
        "check": one.check,
        "device": one.device,
        "expectation": one.expectation,
        "verdict": str(one.verdict),
        "suspect": one.suspect,
        "found": one.found,
        "expected": one.expected,
        "hint": one.hint,
        "figure": asdict(one.figure) if one.figure else None,
    }
