"""The verb `railbed profile`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from deploy.errors import RailbedError
from inventory.golden.node import COMMANDS, Golden, golden_node, to_yaml

from .say import err, out

_NAME = re.compile(r"[a-z][a-z0-9-]{0,61}")
_PORT = re.compile(r"[A-Za-z][A-Za-z0-9/._-]{0,14}")


def profile(
    from_evidence: Annotated[
        Path, typer.Argument(help="A folder with one good node's saved outputs.")
    ],
    name: Annotated[str, typer.Option("--name", help="Name of the profile.")] = "golden-node",
    management_port: Annotated[
        str, typer.Option("--management-port", help="Its port in the OOB plane: no output says it.")
    ] = "",
) -> None:
    """Write a node profile from a golden node. Exit 0 whole, 1 wired wrong, 3 not all known."""
    golden = profile_of(from_evidence, name, management_port)
    out.print(to_yaml(golden), end="", markup=False, soft_wrap=True)
    for line in (*golden.wrong, *golden.unknown):
        err.print(line, markup=False, soft_wrap=True)
    raise typer.Exit(1 if golden.wrong else 3 if golden.unknown else 0)


def profile_of(folder: Path, name: str, management_port: str) -> Golden:
    """Return what a folder of evidence says; raises RailbedError where there is none."""
    if not _NAME.fullmatch(name):
        raise RailbedError(f"`{name}` is no name", "lower case letters, digits and `-`")
    if management_port and not _PORT.fullmatch(management_port):
        raise RailbedError(f"`{management_port}` is no interface name", "at most 15 characters")
    texts = {
        file: (folder / file).read_text(encoding="utf-8", errors="replace")
        for file in COMMANDS
        if (folder / file).is_file()
    }
    if not texts:
        wanted = "\n".join(f"    {command} > {file}" for file, command in COMMANDS.items())
        raise RailbedError(f"{folder} holds no evidence of a node", f"run on the node:\n{wanted}")
    return golden_node(texts, name, _origin(folder, sorted(texts)), management_port)


def _origin(folder: Path, files: list[str]) -> str:
    """Where the numbers come from, as a profile's `source` may say it."""
    node = re.sub(r"[^A-Za-z0-9._-]", "-", folder.resolve().name)[:60]
    return f"golden node {node} ({', '.join(files)})"
