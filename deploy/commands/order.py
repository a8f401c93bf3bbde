"""The verbs in the order of a day's work, and which railbed this is."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from deploy import logs

_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
# A new site, what it will be, the way there, what is true of it, and what it was.
_ORDER = (
    "init", "profile", "import", "asbuilt", "doctor", "enroll", "packages", "check", "plan",
    "render", "dialects", "prove", "audit", "rehearse", "lab", "diff", "drift", "accept", "backup",
    "schedule", "node", "bios", "push-trial", "apply", "rollback", "validate", "cabling", "drill",
    "report", "runs", "history", "compare", "bisect", "export", "demo", "test",
)  # fmt: skip


class DayOrder(TyperGroup):
    """A group whose help lists its verbs as they are needed, not as they were written."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs; one that has no place yet stands last."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda one: _ORDER.index(one) if one in _ORDER else len(_ORDER))


def version() -> str:
    """The clone's version, or that of the installed package."""
    if _PROJECT.is_file():
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    return metadata.version("railbed")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"railbed {version()}")
        raise typer.Exit


def root(
    context: typer.Context,
    _version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Say which one this is."
    ),
    verbose: int = typer.Option(
        *(0, "-v", "--verbose"),
        count=True,
        help="Before the verb: say what is done, -vv each trip, too. A site's state folder keeps "
        "both in railbed.log.",
    ),
) -> None:
    """Infrastructure as code for RoCE GPU clusters, gated on measured proof."""
    logs.begin(verbose)
    context.call_on_close(logs.end)
