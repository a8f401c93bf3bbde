"""Stock sites in a folder, as `railbed init` makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inventory.starter import ASBUILT_CSV, Wish, starter_text
from tests.bench.init_space import shelf


def of(**changes: Any) -> Wish:
    """Two nodes of HGX H100 on EOS with RoCE storage, but for what is said."""
    values: dict[str, Any] = {
        "name": "stock",
        "nodes": 2,
        "node_profile": "hgx-h100",
        "switch_profile": "arista-7060x6-64pe-eos",
        "kind": "rail-optimized-two-tier",
        "storage": "roce",
        "business": "none",
        "oob_switches": False,
        "growth": 1.0,
    }
    return Wish(**(values | changes))


def site(folder: Path, wish: Wish | None = None, **changes: Any) -> Path:
    """Write the site of a wish, or of changes to the usual one."""
    folder.mkdir()
    (folder / "fabric.yml").write_text(starter_text(wish or of(**changes), shelf()))
    (folder / "asbuilt.csv").write_text(ASBUILT_CSV)
    return folder
