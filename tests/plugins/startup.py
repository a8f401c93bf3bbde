"""What a worker does once, so that all that follows costs less processor time.

Side by side, workers import the same files in the same order at the same time. In a fresh clone
each would compile all of them, and rewrite the assertions of all tests: they share that instead.
What is there once tests are collected stays, so the garbage collector need not look at it again.
"""

from __future__ import annotations

import gc
import py_compile
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

_ROOT = Path(__file__).parents[2]
_ROOMS = ("inventory", "switch_configs", "validation", "deploy", "tests")


def pytest_sessionstart(session: pytest.Session) -> None:
    told = getattr(session.config, "workerinput", None)
    asked = {session.config.rootpath / arg for arg in session.config.args}
    if told is not None and asked == {_ROOT / "tests"} and not sys.dont_write_bytecode:
        number = int(told["workerid"].removeprefix("gw"))
        for file in modules()[number :: told["workercount"]]:
            compiled(file, session.config)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


def modules() -> list[Path]:
    """The modules of the rooms, in one order for all workers. Scripts outside packages are none."""
    found = (path for room in _ROOMS for path in (_ROOT / room).rglob("*.py"))
    return sorted(path for path in found if (path.parent / "__init__.py").is_file())


def compiled(file: Path, config: pytest.Config) -> Path:
    """Where a module lies compiled, as pytest imports it; it is made where it is not there.

    One that is there and old is left: the import makes it anew. What is broken is said there too.
    """
    if not file.match("test_*.py") and file.name != "conftest.py":
        cached = Path(cache_from_source(str(file)))
        if not cached.exists():
            with suppress(OSError, py_compile.PyCompileError):
                py_compile.compile(str(file), doraise=True)
        return cached
    cached = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
    if not cached.exists():
        with suppress(OSError, SyntaxError, ValueError):
            source, code = rewrite._rewrite_test(file, config)
            cached.parent.mkdir(parents=True, exist_ok=True)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, cached)
    return cached
