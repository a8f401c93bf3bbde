"""DCGM's diagnostic: what it says of each GPU, and of the node as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from testinfra.host import Host

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence.reading import said
from validation.parse.gpu.dcgmi_diag import Diag, DiagTest, Result, diag
from validation.stage import Faults

from . import gpus
from .expect import DcgmExpected
from .gpus import Known, here, suspect
from .judge_gpu import RMA
from .terms import terms

_DEPLOYMENT = "deployment"
_OLD_NAMES = {"gpu_memory": "memory"}  # DCGM 3's names that DCGM 4 has shortened


@dataclass(frozen=True, slots=True)
class _Told:
    """One result under its test's name; `due` where the run level must have had it."""

    name: str
    result: Result
    due: bool

    @property
    def open(self) -> bool:
        """It proves nothing: it did not run though it was due, it warns, or doubts itself."""
        idle = self.result.status in {"skip", "not run"}
        return (idle and self.due) or self.result.status == "warn" or self.result.doubtful

    def __str__(self) -> str:
        return f"{self.name}: {'; '.join((self.result.status, *self.result.said))}"


def diagnostic(host: Host, plan: Plan, expect: Sequence[DcgmExpected], faults: Faults) -> None:
    """Each GPU's tests, and those of the node.

    A status other than 0 beside a document in which no GPU failed proves nothing (issues 136
    and 158 of github.com/NVIDIA/DCGM); nor does a test that was due and did not run.
    """
    level, command = expect[0].level, expect[0].command
    told = host.run(command)
    if told.rc and "{" not in str(told.stdout):
        raise Unreadable(f"dcgmi ended with status {told.rc} and said: {said(told)}")
    found = diag(str(told.stdout))
    who = gpus.of_host(host)
    lacking = _lacking(found, level)
    failed = any(each.status == "fail" for test in found.tests for each in test.results)
    explained = failed or not told.rc
    for expectation in expect:
        mine = list(_results(found, expectation, who))
        part = f"device {expectation.device}"
        if expectation.gpu is not None:
            part = suspect(plan.node[expectation.device], expectation.gpu, who)
        bad = sorted({str(each) for each in mine if each.result.status == "fail"})
        if bad:
            faults.add(expectation, part, "; ".join(bad)[:300], hint=RMA)
            continue
        why = [*lacking, *sorted({str(each) for each in mine if each.open})]
        why += [] if expectation.gpu is None else _untold(mine, level)
        why += [] if explained else [f"dcgmi ended with status {told.rc}"]
        if why or not mine:
            text = "; ".join(why) or "no test of it ran"
            faults.unknown(expectation, part, f"DCGM's level {level}: {text}"[:300])


def _lacking(found: Diag, level: int) -> list[str]:
    """The due tests of which there is no result at all."""
    names = {_name(test) for test in found.tests if test.results}
    deployed = any(test.category.lower() == _DEPLOYMENT and test.results for test in found.tests)
    out = [] if deployed else ["the deployment tests did not run"]
    return out + [f"{one} did not run" for one in sorted(set(terms().dcgm.tests[level]) - names)]


def _untold(mine: Sequence[_Told], level: int) -> list[str]:
    """The due tests that have a result of others and none of this GPU."""
    names = {_plain(each.name) for each in mine}
    return [f"{one} tells nothing of it" for one in terms().dcgm.tests[level] if one not in names]


def _name(test: DiagTest) -> str:
    return _plain(test.name)


def _plain(name: str) -> str:
    plain = name.strip().lower().replace(" ", "_").replace("/", "_")
    return _OLD_NAMES.get(plain, plain)


def _results(found: Diag, one: DcgmExpected, who: tuple[Known, ...]) -> Iterator[_Told]:
    """A GPU's results, by its serial where DCGM tells one, else by number; or the node's."""
    due = set(terms().dcgm.tests[one.level])
    number = None
    if one.gpu is not None:
        told = here(one.gpu, who)
        serials = {serial: at for at, serial in found.serials}
        number = serials.get(told.serial, told.index) if told.serial else told.index
    for test in found.tests:
        is_due = _name(test) in due or test.category.lower() == _DEPLOYMENT
        for each in test.results:
            if each.gpu == number or (one.gpu is None and found.major == 3):
                yield _Told(test.name, each, is_due)
        if one.gpu is None and test.summary is not None:
            yield _Told(test.name, Result(None, test.summary, ()), is_due)
