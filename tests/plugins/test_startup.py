"""What one worker compiles is what the others import."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.plugins import startup


def test_a_test_is_compiled_with_its_assertions_rewritten(tmp_path, request):
    file = tmp_path / "test_one.py"
    file.write_text("def test_one():\n    assert 1 == 2\n")
    code = rewrite._read_pyc(file, startup.compiled(file, request.config))
    assert code is not None
    assert "@pytest_ar" in code.co_names


def test_a_module_is_compiled_as_python_imports_it(tmp_path, request):
    file = tmp_path / "one.py"
    file.write_text("ONE = 1\n")
    cached = startup.compiled(file, request.config)
    assert cached.read_bytes()[:4] == importlib.util.MAGIC_NUMBER


@pytest.mark.parametrize("name", ["test_bad.py", "bad.py"])
def test_what_is_broken_is_left_to_who_imports_it(name, tmp_path, request):
    (tmp_path / name).write_text("def (:\n")
    assert not startup.compiled(tmp_path / name, request.config).exists()


def test_every_module_that_a_test_imports_is_somebodys():
    """Of packages: a device's own program, which its tests import too, is compiled by who does."""
    ours = {str(path) for path in startup.modules()}
    rooms = {"inventory", "switch_configs", "validation", "deploy", "tests"}
    loaded = {
        str(file)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in rooms and (file := getattr(module, "__file__", None))
        if (Path(file).parent / "__init__.py").is_file()
    }
    assert loaded <= ours
