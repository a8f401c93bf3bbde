"""iperf3 -J."""

from __future__ import annotations

from pathlib import Path

from validation.parse.loads import iperf3

from . import Case

_HERE = Path(__file__).parents[2] / "evidence" / "iperf3"
CASES = tuple(
    Case(f"iperf3-{path.stem}", iperf3.flow, path.read_text(encoding="utf-8"))
    for path in sorted(_HERE.glob("*_stream*.json"))
)
