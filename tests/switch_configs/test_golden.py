"""Rendered files against those in tests/golden, which people read and reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from switch_configs import render
from tests.switch_configs.plans import LINKS, lab
from tests.tree import ROOT

GOLDEN = ROOT / "tests/golden/lab"


def folder_of(links: str) -> Path:
    return GOLDEN / links


@pytest.mark.parametrize("links", LINKS)
def test_the_lab_is_rendered_as_reviewed(links, update_golden):
    rendered = {
        f"{name}{file.path}": file.text
        for name in lab(links).switch
        for file in render(lab(links), name).files
    }
    if update_golden:
        write(folder_of(links), rendered)
    assert read(folder_of(links)) == rendered


def read(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write(folder: Path, texts: dict[str, str]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
