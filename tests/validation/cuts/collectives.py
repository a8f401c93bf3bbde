"""nccl-tests, and our own program over MPI."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from validation.parse.loads import mpi_collective, nccl_tests

from . import Case

_HERE = Path(__file__).parents[2] / "evidence"
_COLLECTIVES = ("all_reduce", "all_gather", "alltoall")


def _collective(name: str) -> str:
    return next(one for one in _COLLECTIVES if one in name)


def _recorded() -> str:
    """The output of the first run that a lab left."""
    text = (_HERE / "collectives" / "healthy" / "node-p1-2.frames").read_text(encoding="utf-8")
    return text[text.index("mpirun (Open MPI)") :].split("railbed-frame")[0]


def _without_versions(table: object) -> object:
    """What a stage judges by: the rows and who took part."""
    return (getattr(table, "ranks", None), getattr(table, "rows", None))


CASES = (
    *(
        Case(
            path.stem,
            partial(nccl_tests.table, collective=_collective(path.stem)),
            path.read_text(encoding="utf-8"),
        )
        for path in sorted((_HERE / "nccl_tests").glob("*.txt"))
    ),
    Case("mpi-alltoall", partial(mpi_collective.table, collective="alltoall"), _recorded()),
)
