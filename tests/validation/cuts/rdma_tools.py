"""ibv_devinfo and show_gids."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from validation.parse import ibv_devinfo, show_gids

from . import Case

_HERE = Path(__file__).parents[2] / "evidence"
CASES = (
    *(
        Case(
            f"ibv_devinfo-{path.stem}",
            partial(ibv_devinfo.device, name="rxe-rail0"),
            path.read_text(encoding="utf-8"),
        )
        for path in sorted((_HERE / "ibv_devinfo").glob("*.txt"))
    ),
    Case(
        "ibv_devinfo-cx7",
        partial(ibv_devinfo.device, name="mlx5_1"),
        sample="ibv_devinfo_cx7_port_down.txt",
    ),
    *(
        Case(f"show_gids-{path.stem}", show_gids.show_gids, path.read_text(encoding="utf-8"))
        for path in sorted((_HERE / "show_gids").glob("*.txt"))
    ),
)
