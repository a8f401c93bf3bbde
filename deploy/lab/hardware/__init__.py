"""Devices that no container has: tools and trees that stand in for a node's NICs and GPUs."""

from __future__ import annotations

from pathlib import Path

TOOLS = Path(__file__).parent / "tools"
