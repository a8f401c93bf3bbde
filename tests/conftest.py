"""The plugins of the project's tests; each says in its first line what it is for."""

from __future__ import annotations

import os
from pathlib import Path

# No test meets the state of real sites that this user may have.
os.environ["XDG_STATE_HOME"] = str(Path(__file__).parents[1] / ".railbed" / "tests")
os.environ.pop("RAILBED_STATE", None)

pytest_plugins = (
    "tests.plugins.tiers",
    "tests.plugins.seed",
    "tests.plugins.order",
    "tests.plugins.needs",
    "tests.plugins.seconds",
    "tests.plugins.instances",
    "tests.plugins.resume",
    "tests.plugins.packing",
    "tests.plugins.progress",
    "tests.plugins.tallies",
    "tests.plugins.startup",
)
