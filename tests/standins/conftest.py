"""What tests of the stand-ins share."""

from __future__ import annotations

from pathlib import Path

import pytest

from .stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A machine with one NIC."""
    return Stage(tmp_path / "machine")
