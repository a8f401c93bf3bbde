"""The plugins of the project's tests; each says in its first line what it is for."""

from __future__ import annotations

pytest_plugins = (
    "tests.plugins.tiers",
    "tests.plugins.seed",
    "tests.plugins.order",
    "tests.plugins.needs",
    "tests.plugins.instances",
    "tests.plugins.resume",
    "tests.plugins.seconds",
    "tests.plugins.packing",
    "tests.plugins.progress",
)
