"""Whole configurations, with the secrets in them: encrypted with a key of the site's own.

The key lies beside that of its digests, its owner's alone, and is in no backup. Without it, or with
another, nothing that was encrypted is ever read again; that is said, and nothing is made up.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from deploy.errors import RailbedError
from deploy.record.site_key import key_in

KEY = "backup.key"
_BRING_BACK = "bring it back from where you keep copies of it; without it the backups stay closed"


def closed(data: bytes, state_dir: Path, *, is_first: bool) -> bytes:
    """The data, encrypted. Only the first of a site may make the key."""
    path = state_dir / KEY
    if not is_first and not path.exists():
        raise _gone(path)
    return _fernet(path).encrypt(data)


def opened(token: bytes, state_dir: Path, what: str) -> bytes:
    """What was encrypted; RailbedError where the key is gone, or is not the one it was."""
    path = state_dir / KEY
    if not path.exists():
        raise _gone(path)
    try:
        return _fernet(path).decrypt(token)
    except InvalidToken:
        raise RailbedError(
            f"{what} cannot be opened: it is damaged, or {path} is not the key it was closed with",
            hint=_BRING_BACK,
        ) from None


def _fernet(path: Path) -> Fernet:
    return Fernet(urlsafe_b64encode(key_in(path, _BRING_BACK)))


def _gone(path: Path) -> RailbedError:
    return RailbedError(
        f"{path}, the key of the backups, is gone",
        hint=f"{_BRING_BACK}, and to begin anew move the folder `backups` away",
    )
