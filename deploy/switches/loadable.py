"""`railbed render --loadable`: files as a person loads them by hand, secrets put in.

Everywhere else a word stands where a secret will be. Here it is read at the last moment from what
the site's `credentials` name, and lies in files of 0600 that only whoever asked can open.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree

from deploy.errors import RailbedError
from inventory.plan import Plan
from switch_configs import not_loadable
from switch_configs.intent import Rendered
from validation.evidence.aside import aside

from .push_secrets import read_secrets

_SHOWN = 5


def with_secrets(plan: Plan, state_dir: Path, made: Sequence[Rendered]) -> tuple[Rendered, ...]:
    """The same texts with their secrets.

    RailbedError for a device that could not start from its file, and for a secret that is not there
    or that a system does not take: never with its value.
    """
    unfit = [
        f"{rendered.device}: {why}"
        for rendered in made
        if (why := not_loadable(plan, rendered.device))
    ]
    if unfit:
        more = f"\n  and {len(unfit) - _SHOWN} more" if len(unfit) > _SHOWN else ""
        raise RailbedError(
            f"{len(unfit)} of {len(made)} switches have no file that can be loaded:\n  "
            + "\n  ".join(unfit[:_SHOWN])
            + more,
            hint="rows of asbuilt.csv, or `--device` for those that are whole",
        )
    secrets = read_secrets(plan, state_dir, made)
    return tuple(secrets.filled(rendered) for rendered in made)


def write_private(made: Sequence[Rendered], folder: Path) -> None:
    """One folder a switch below `folder`, which appears when all is in it: 0700, files 0600."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = aside(folder)
    partial.mkdir(mode=0o700)
    try:
        for rendered in made:
            for file in rendered.files:
                path = partial / rendered.device / file.path.lstrip("/")
                for parent in reversed(path.parents):
                    if partial in parent.parents and not parent.exists():
                        parent.mkdir(mode=0o700)
                path.touch(mode=0o600)
                path.write_text(file.text, encoding="utf-8")
        partial.rename(folder)
    except BaseException:
        rmtree(partial, ignore_errors=True)
        raise
