"""`bios`: node by node, each attribute that is no pass as wanted, pending and running."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from validation.verdict import Verdict

from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.servers.bios import BiosReport, NodeBios

_STYLES = {Verdict.FAIL: "red", Verdict.INCONCLUSIVE: "yellow", Verdict.PASS: "green"}


def bios_json(report: BiosReport) -> dict[str, Any]:
    """Every node with every attribute; values as JSON writes them, `-` where there is none."""
    return {
        "plan_digest": report.plan_digest,
        "exit_code": report.exit_code,
        "nodes": [
            {
                "node": bios.node,
                "verdict": bios.verdict,
                "unread": bios.unread,
                "attributes": [asdict(row) for row in bios.rows],
            }
            for bios in report.nodes
        ],
    }


def bios_text(report: BiosReport, out: Console) -> None:
    """What is no pass, then one line that counts."""
    for one in report.nodes:
        if one.verdict is not Verdict.PASS:
            _print_node(one, out)
    count = {kind: sum(bios.verdict is kind for bios in report.nodes) for kind in Verdict}
    rows = sum(len(bios.rows) for bios in report.nodes)
    print_line(
        out,
        f"{count[Verdict.PASS]} as wanted, {count[Verdict.FAIL]} not, "
        f"{count[Verdict.INCONCLUSIVE]} not known or waiting for a reboot; "
        f"{rows} settings compared",
    )


def _print_node(one: NodeBios, out: Console) -> None:
    print_line(out, (one.node, "bold"))
    if one.unread:
        print_line(out, f"  not known: {one.unread}", style="yellow")
    for row in one.rows:
        if row.verdict is Verdict.PASS:
            continue
        columns = f"wanted {row.wanted}, pending {row.pending}, running {row.running}"
        said = f"  {row.attribute}: {columns}; {row.says}"
        print_line(out, said, style=_STYLES[row.verdict])
