"""The module that puts files in place, where somebody made a link of their folder."""

from __future__ import annotations

import base64
import importlib.util
import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from roles.pyinfra_role import ROLES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files of the roles are root's")


def module() -> Any:
    path = ROLES / "plugins/modules/railbed_files.py"
    spec = importlib.util.spec_from_file_location("railbed_files", path)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("is_check", [True, False])
def test_a_link_for_a_folder_is_replaced_by_the_folder_with_its_files(tmp_path, is_check):
    """Through the link the file seems to be there: it must be written all the same."""
    folder, other = tmp_path / "a.d", tmp_path / "other"
    other.mkdir()
    folder.symlink_to(other)
    for path in (other / "file", other / "kept"):
        path.write_text("x\n")
    file = {"src": "x.j2", "dest": str(folder / "file"), "mode": "0644", "validate": None}
    texts = {file["dest"]: base64.b64encode(b"x\n").decode()}
    params = {"folders": [str(folder)], "files": [file], "texts": texts}
    task = SimpleNamespace(params=params, check_mode=is_check, _diff=False)
    found = module().outcome(task)
    assert str(folder) in found["paths"]
    assert folder.is_symlink() == is_check
    assert (folder / "file").read_text() == "x\n"
    assert (other / "kept").exists()
    if not is_check:
        assert not module().outcome(task)["changed"]
