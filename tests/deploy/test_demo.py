"""The demo begins from nothing: an earlier one may have built another system under its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deploy import demo
from deploy.session import Selection

_SAYS_NOTHING = Console(quiet=True)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The record of an earlier demo; the chapters only note whether it is still there."""
    path = tmp_path / "record.sqlite"
    path.write_bytes(b"an earlier demo's")
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    monkeypatch.setattr("deploy.lab.down", lambda _: None)
    return path


@pytest.mark.parametrize(("name", "is_kept"), [(demo.LAB, False), ("mine", True)])
def test_the_record_of_an_earlier_demo_is_no_record_of_this_one(
    record: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_kept: bool
) -> None:
    seen: list[bool] = []

    def chapters(_: object, __: Selection, ___: Callable[[str], None]) -> str:
        seen.append(record.exists())
        return "report.html"

    monkeypatch.setattr(demo, "_chapters", chapters)
    assert demo.run_demo(keep=False, out=_SAYS_NOTHING, name=name) == 0
    assert seen == [is_kept]
