"""`railbed render --loadable`: files as a person loads them by hand, secrets put in.

Everywhere else a word stands where a secret will be. Here it is read at the last moment from what
the site's `credentials` name, and lies in files of 0600 that only whoever asked can open.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

from inventory.plan import Plan
from switch_configs import not_loadable
from switch_configs.intent import Rendered
from switch_configs.secrets import WORD, names

from . import credentials
from .errors import RailbedError

_SHOWN = 5
# What JSON, YAML between quotes and the command lines of EOS and NX-OS all take as it is; SONiC's
# models (sonic-snmp.yang) refuse two more in a password.
_TAKEN = re.compile(r"[A-Za-z0-9._+/=@:-]{1,128}")
_NOT_IN = {"sonic": re.compile(r"[@:]")}


def with_secrets(plan: Plan, state_dir: Path, made: Sequence[Rendered]) -> tuple[Rendered, ...]:
    """The same texts with their secrets.

    RailbedError for a device that could not start from its file, and for a secret that is not there
    or that a system does not take: never with its value.
    """
    unfit = [f"{one.device}: {why}" for one in made if (why := not_loadable(plan, one.device))]
    if unfit:
        more = f"\n  and {len(unfit) - _SHOWN} more" if len(unfit) > _SHOWN else ""
        raise RailbedError(
            f"{len(unfit)} of {len(made)} switches have no file that can be loaded:\n  "
            + "\n  ".join(unfit[:_SHOWN])
            + more,
            hint="rows of asbuilt.csv, or `--device` for those that are whole",
        )
    asked = sorted({name for one in made for file in one.files for name in names(file.text)})
    values = {name: credentials.read(plan, state_dir, name) for name in asked}
    return tuple(_filled(one, values) for one in made)


def _filled(one: Rendered, values: dict[str, str]) -> Rendered:
    for name in sorted({name for file in one.files for name in names(file.text)}):
        never = _NOT_IN.get(one.dialect)
        if not _TAKEN.fullmatch(values[name]) or (never and never.search(values[name])):
            raise RailbedError(
                f"credential '{name}': its value has a character that {one.dialect} would read "
                "otherwise, or more than 128 of them",
                hint="letters, digits and ._+/=- are taken everywhere",
            )
    files = (
        replace(file, text=WORD.sub(lambda found: values[found[1]], file.text))
        for file in one.files
    )
    return replace(one, files=tuple(files))


def write_private(made: Sequence[Rendered], folder: Path) -> None:
    """One folder a switch below `folder`, which appears when all is in it: 0700, files 0600."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))  # 0700
    try:
        for one in made:
            for file in one.files:
                path = partial / one.device / file.path.lstrip("/")
                for parent in reversed(path.parents):
                    if partial in parent.parents and not parent.exists():
                        parent.mkdir(mode=0o700)
                path.touch(mode=0o600)
                path.write_text(file.text, encoding="utf-8")
        partial.rename(folder)
    except BaseException:
        rmtree(partial, ignore_errors=True)
        raise
