"""Keys of a site; that of its digests: who holds a report alone can guess nothing from them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from deploy.errors import RailbedError
from switch_configs.shown.foreign import Showing
from validation.evidence.aside import aside

_NAME = "digest.key"
_BYTES = 32


def showing(state_dir: Path, *, whole: bool = False) -> Showing:
    """How foreign lines of a site's devices are shown: the same line has one digest in every run.

    Where a site has no state yet nothing is written for it, and digests last as long as this run.
    """
    if not state_dir.is_dir():
        return Showing(whole=whole)
    return Showing(key_in(state_dir / _NAME, "remove it; digests begin anew"), whole)


def key_in(path: Path, damaged: str) -> bytes:
    """Read a key, made at the first use; of two that make it at once one wins.

    RailbedError with the hint `damaged` for a file that holds none.
    """
    made = aside(path)
    try:
        if not path.exists():
            made.touch(mode=0o600)
            made.write_text(secrets.token_hex(_BYTES) + "\n", encoding="utf-8")
            try:
                os.link(made, path)  # fails where there is one, and is never seen half written
            except FileExistsError:
                pass
            finally:
                made.unlink()
        key = bytes.fromhex(path.read_text(encoding="utf-8"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise RailbedError(f"{path} is damaged", hint=damaged)
    return key
