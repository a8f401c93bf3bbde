"""A site's own stages are asked by `validate`, and told with ours."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from deploy import session, show
from deploy.measuring.measure import validate_site
from deploy.session import Selection
from inventory import open_site, site_folder
from tests.tree import ROOT
from tests.validation.recorded import recorded
from validation.evidence.store import EvidenceStore
from validation.verdict import Verdict

README = (ROOT / "validation/stages/README.md").read_text()
HEAD = """
from __future__ import annotations
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from testinfra.host import Host
from inventory.plan import Plan
from validation.expectation import Expectation
from validation.stage import Check
"""


def example(folder: Path) -> None:
    """The example of the README, as somebody would copy it."""
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    for name, text in re.findall(
        r"# stages/s47_ours/(\w+)\.py\n(.*?)(?=# stages/|\Z)", code[1], re.DOTALL
    ):
        own = "from .expect import BannerExpected\n" if name == "checks" else ""
        (folder / f"{name}.py").write_text(HEAD + own + text)
    (folder / "stage.py").write_text(
        'from validation.stage import Stage\nSTAGE = Stage(47, "Ours", (), "nothing")\n'
    )
    (folder / "__init__.py").touch()


@pytest.fixture
def site(tmp_path: Path, monkeypatch) -> Path:
    """The lab, with stages of its own."""
    folder = tmp_path / "lab"
    shutil.copytree(site_folder("lab"), folder)
    (folder / "stages/s47_ours").mkdir(parents=True)
    example(folder / "stages/s47_ours")
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path / "state")
    monkeypatch.setattr(session, "require_up", lambda _: None)
    return folder


def evidence(folder: Path) -> str:
    """A recorded run. Nobody asked for the banner then."""
    store = EvidenceStore(folder / "run")
    store.add(recorded("healthy"))
    store.save()
    return str(folder / "run")


def test_it_is_no_problem_of_the_inventory(site):
    assert open_site(site).digest == open_site("lab").digest


def test_the_example_of_the_readme_is_asked_and_told(site, tmp_path):
    found = validate_site(Selection(str(site), "own"), 47, [evidence(tmp_path)], lambda _: None)
    ours = [one for one in found.findings if one.stage == 47]
    assert {one.check for one in ours} == {"banner"}
    # Missing evidence never passes.
    assert {one.verdict for one in ours} == {Verdict.INCONCLUSIVE}
    assert "banner:node-p1-1" in json.dumps(show.validate_json(found))
    assert found.report is not None
    assert "banner:node-p1-1" in found.report.with_suffix(".junit.xml").read_text()
