"""Every table that a command prints fits 80 columns, and breaks no name, address or number."""

from __future__ import annotations

import ast
import inspect
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from deploy import show
from deploy.commands import export as cli_export
from deploy.commands import switches as cli_switches
from deploy.lab.status import LabStatus, MachineStatus
from deploy.record.timing import PhaseTime, RunTiming
from deploy.report.audit.explain import all_rules, explained
from deploy.report.audit.losses import losses_text
from deploy.servers.node_look import NodeLook
from deploy.show import plan_tables
from deploy.show.verdicts import print_ladder
from deploy.show.words import PlainTable, plain_table
from deploy.switches.site_proof import site_proof
from inventory import exports, open_site
from inventory.plan import Plan, PortRef
from tests.deploy import told_runs
from tests.inventory.own_sites import three_tiers, write
from tests.tree import ROOT
from validation.host_state.wanted import HostRow
from validation.judging.history import Line
from validation.verdict import Finding

SCREEN = 80
# The longest that the product makes: a superspine of a hundred thousand GPUs, a split port.
NODE, SWITCH = "storage-p128-1024", "business-leaf-b128-16"
PORT = f"{SWITCH}:Ethernet1/64/4"
PROSE = "compare the counters of both ends, then exchange the cable, " * 4

Maker = tuple[str, str]


def makers() -> Iterator[Maker]:
    """Every function of the command line that makes a table, by its file and name."""
    for path in sorted((ROOT / "deploy").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        # Most files make none, and this is asked of all whenever tests are collected.
        if "plain_table" not in text and "PlainTable" not in text:
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef):
                for call in ast.walk(function):
                    name = getattr(getattr(call, "func", None), "id", "")
                    name = name or getattr(getattr(call, "func", None), "attr", "")
                    if isinstance(call, ast.Call) and name in ("plain_table", "PlainTable"):
                        yield str(path.relative_to(ROOT)), function.name


def test_no_table_is_made_but_by_ours():
    """So each one knows how to be narrow."""
    for path in (ROOT / "deploy").rglob("*.py"):
        if path != ROOT / "deploy/show/words.py":
            text = path.read_text(encoding="utf-8")
            calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
            assert not [one for one in calls if getattr(one.func, "id", "") == "Table"], path


def plans(folder: Path) -> list[Plan]:
    return [open_site("lab"), open_site("pod-256"), open_site(write(three_tiers(), folder / "own"))]


def of_plan(plan: Plan, out: Console) -> None:
    show.check_text(plan, out)
    for everything in (False, True):
        show.plan_text(plan, show.Look(everything=everything), out)
        for plane in ("compute", "storage", "business", "oob"):
            show.plan_text(plan, show.Look(plane=plane, everything=everything), out)
    kinds: dict[tuple[type, object], str] = {}
    devices: list[Any] = [*plan.switches, *plan.oob_switches, *plan.nodes, *plan.racks]
    for one in devices:
        kinds.setdefault((type(one), getattr(one, "tier", getattr(one, "kind", ""))), one.name)
    for name in (*kinds.values(), plan.oob.name):
        show.plan_text(plan, show.Look(device=name), out)
    out.print(cli_export.bill_table(plan.site, exports.bill(plan, None)))


def of_records(findings: Sequence[Finding], out: Console) -> None:
    print_ladder(findings, out)
    line = Line(50, "bw", f"bw:{NODE}:rail0->{PORT}", "Gb/s", 12, 391.2, 391, 39.1, 392, -0.9)
    show.history_text([line], out)
    phase = PhaseTime(
        "superspines-canary", "fetch and render", 1.5, 12.25, 128, ((SWITCH, 1.25),) * 9
    )
    show.timing_text(RunTiming(1, 60.0, (), (phase,)), out)
    row = HostRow("driver", "parameter", "NVreg_EnableStreamMemOPs=1", PROSE, "-", "differs", "")
    show.node_text(NodeLook(NODE, (row,)), out)
    machine = MachineStatus(SWITCH, "switch", "running", 4194304, 3, 1.0, 2 * 10**11, 5 * 10**10)
    show.lab_text(LabStatus("lab", "up", "nspawn", 1, "10.0.0.1", 1.0, 1, 1, 1, (machine,)), out)
    at = PortRef(SWITCH, "Ethernet1/64/4")
    stray = SimpleNamespace(who=f"{NODE}:rail0", at=str(at), serial="S" * 20, seat_of=at)
    report = SimpleNamespace(
        seen=1, swapped=(), misplaced=(stray,), strangers=(stray,), missing=(at,), unproven=(),
        as_planned=(),
    )  # fmt: skip
    merged = SimpleNamespace(added=(), changed=(), removed=(), unchanged=0, differs=False)
    show.learned_text(SimpleNamespace(learned=report, merged=merged, path="f", written=False), out)  # type: ignore[arg-type] # what it prints


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[Maker, list[PlainTable]]:
    """Every table that was made, by the function that made it."""
    found: dict[Maker, list[PlainTable]] = {}
    begin: Callable[..., None] = PlainTable.__init__

    def remembered(self: PlainTable, *some: Any, **more: Any) -> None:
        begin(self, *some, **more)
        frames = (one for one in inspect.stack(0)[1:] if not one.filename.endswith("show/words.py"))
        frame = next(frames)
        maker = (str(Path(frame.filename).relative_to(ROOT)), frame.function)
        found.setdefault(maker, []).append(self)

    out = Console(file=io.StringIO(), width=SCREEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainTable, "__init__", remembered)
        patch.setattr(cli_switches, "out", out)
        for plan in plans(tmp_path_factory.mktemp("site")):
            of_plan(plan, out)
        patch.setattr(plan_tables, "MOST_ROWS", 2)
        of_plan(plan, out)
        _, record, run = told_runs.lab_run(tmp_path_factory.mktemp("record"))
        of_records(record.findings(run.id), out)
        record.close()
        cli_switches.dialects()
        show.rules_text(all_rules(), out)
        for rule, _, _ in all_rules():
            show.explained_text(explained(rule), out)
        losses_text(site_proof(open_site("lab"), Console(quiet=True)).losses, out)
    return found


def printed(table: PlainTable, width: int = SCREEN) -> str:
    text = io.StringIO()
    Console(file=text, width=width, highlight=False).print(table)
    return text.getvalue()


def broken(table: PlainTable, text: str) -> set[str]:
    """The words of cells that are not whole in what was printed."""
    cells = [cell for column in table.columns for cell in column.cells]
    words = {word for cell in cells if isinstance(cell, Text) for word in cell.plain.split()}
    return words - set(text.split())


@pytest.mark.parametrize("maker", sorted(set(makers()) - {("deploy/show/words.py", "plain_table")}))
def test_a_table_fits_a_narrow_screen_with_names_whole(made, maker):
    assert made.get(maker), f"nothing here prints the table of {maker}"
    for table in made[maker]:
        text = printed(table)
        assert max(map(len, text.splitlines()), default=0) <= SCREEN
        assert not broken(table, text)


@pytest.mark.parametrize("width", [60, 72, 80, 100])
@pytest.mark.parametrize("columns", range(1, 10))
def test_long_names_beside_prose(columns, width):
    """Whatever the columns: a folded cell folds between words, or rows become lines."""
    table = plain_table("t", [f"column {one}" for one in range(columns)])
    for cell in (SWITCH, PORT, PROSE, "4200000000", "10.255.255.254/31"):
        table.add_row(*[cell, PROSE, SWITCH, PORT, "1", NODE, "", "x", PROSE][:columns])
    text = printed(table, width)
    assert max(map(len, text.splitlines())) <= width
    assert not broken(table, text)
