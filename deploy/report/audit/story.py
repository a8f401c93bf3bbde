"""All that there is to say of an audit: what is shown, written and counted is made of this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from validation.audit.audit import Audit
from validation.audit.known import SERVERS, NotJudged
from validation.audit.rule import SEVERITIES, Severity
from validation.verdict import Verdict

from .baseline import Known, Since, since
from .findings import Finding, findings, fingerprint, known_rules
from .suppress import Sorted, Suppression, sort_out


@dataclass(frozen=True, slots=True)
class Asked:
    """What counts: how severe a finding must be to fail, what was known, and what is answered for.

    `today` decides which suppressions hold.
    """

    today: date
    fail_on: Severity = "minor"
    baseline: Mapping[str, Known] | None = None
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """Lines of a box on one topic that nobody here understands, and the files they are in.

    Those that `concern` the lossless path make the answer inconclusive.
    """

    box: str
    files: tuple[str, ...]
    topic: str
    lines: int
    concern: bool


@dataclass(frozen=True, slots=True)
class Story:
    """An audit of one path. `findings` count; `known` were in the baseline; the rest is told."""

    path: str
    audit: Audit
    fail_on: Severity
    findings: tuple[Finding, ...]
    known: tuple[Finding, ...]
    suppressed: tuple[tuple[Suppression, tuple[Finding, ...]], ...]
    notes: tuple[str, ...]
    since: Since
    against_baseline: bool
    unread: tuple[Unread, ...]
    not_judged: tuple[NotJudged, ...]
    open_ports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """1 where a finding is as severe as `fail_on`, 3 where none is and not all is known."""
        worst = SEVERITIES.index(self.fail_on)
        if any(SEVERITIES.index(one.severity) <= worst for one in self.findings):
            return 1
        return 3 if self.audit.inconclusive else 0

    @property
    def verdict(self) -> Verdict:
        """The exit code as a word."""
        return {0: Verdict.PASS, 1: Verdict.FAIL}.get(self.exit_code, Verdict.INCONCLUSIVE)

    @property
    def severities(self) -> Mapping[Severity, tuple[int, int]]:
        """How many findings and places there are of each."""
        return {
            name: (len(mine), sum(len(one.places) for one in mine))
            for name in SEVERITIES
            for mine in [[one for one in self.findings if one.severity == name]]
        }

    @property
    def systems(self) -> Mapping[str, int]:
        """Switches by system."""
        return dict(sorted(Counter(box.system for box in self.audit.network.boxes).items()))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What was read, as the table of rules has it: systems, and servers."""
        return (*self.systems, *((SERVERS,) if self.hosts else ()))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of servers whose files were read."""
        return tuple(one.name for one in self.audit.network.hosts)


def tell(path: str, audit: Audit, asked: Asked) -> Story:
    """What is to say of the audit of a path. Pure."""
    sorted_out: Sorted = sort_out(audit.problems, asked.suppressions, asked.today, known_rules())
    names = audit.network.box.keys()
    baseline = asked.baseline or {}
    now = {one: fingerprint(one) for one in audit.problems}
    every = {one: [p for p, by in sorted_out.suppressed if by == one] for one in asked.suppressions}
    hosts = {one.name for one in audit.network.hosts}
    return Story(
        path=path,
        audit=audit,
        fail_on=asked.fail_on,
        findings=findings((p for p in sorted_out.counted if now[p] not in baseline), names),
        known=findings((p for p in sorted_out.counted if now[p] in baseline), names),
        suppressed=tuple((one, findings(mine, names)) for one, mine in every.items() if mine),
        notes=sorted_out.notes,
        since=since(baseline, now.values(), names | hosts),
        against_baseline=asked.baseline is not None,
        unread=tuple(_unread(audit)),
        not_judged=audit.not_judged,
        open_ports=audit.unseen_ends,
    )


def _unread(audit: Audit) -> Iterable[Unread]:
    """The most lines first."""
    most = sorted(audit.unread.items(), key=lambda item: (-item[1], item[0]))
    for (name, topic), lines in most:
        yield Unread(name, _files_of(audit, name, topic), topic, lines, audit.concerns(topic))


def _files_of(audit: Audit, name: str, topic: str) -> tuple[str, ...]:
    """The files of a switch, or those of a server that have such lines."""
    if name in audit.network.box:
        return tuple(sorted(audit.network.box[name].texts))
    lines = (one for host in audit.network.hosts if host.name == name
             for one in host.facts.unread_lines)  # fmt: skip
    return tuple(sorted({one.place.rpartition(":")[0] for one in lines if one.topic == topic}))
