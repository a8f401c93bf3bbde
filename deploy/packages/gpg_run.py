"""Signs a site's package repository by gpg, with a key that never leaves this machine.

The key is one file of the state folder, ours alone. gpg works in a home of its own that
lasts for one call: no agent and no keyring stay behind, and the user's are not touched.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.lab.locks import held
from inventory.load.site import PUBLIC_KEY

PRIVATE_KEY = PUBLIC_KEY.with_name("signing-key.asc")
_LIMIT_S = 60.0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# No passphrase, so nothing may ask for one (gpg(1)). How long a signature counts is said in
# what is signed: a key that expired would take every node's packages away on one day.
_GPG = ("gpg", "--batch", "--quiet", "--no-tty", "--pinentry-mode", "loopback")


def ensure_key(state_dir: Path, site: str) -> Path:
    """Return the public key's file; the pair is made when there is none yet.

    Raises RailbedError where one half is lost, or others may read the private one.
    """
    private, public = state_dir / PRIVATE_KEY, state_dir / PUBLIC_KEY
    with held(private.with_suffix(".lock"), lambda: None):
        if not private.exists() and not public.exists():
            _make(private, public, f"railbed packages of {site}")
    _refuse_open(private)
    if not public.is_file():
        raise RailbedError(
            f"{public} is missing", hint=f"move {private.name} away: a new pair is made"
        )
    return public


def clearsign(state_dir: Path, text: str) -> str:
    """Return `text` signed in the clear (RFC 4880, 7) with the site's key."""
    private = state_dir / PRIVATE_KEY
    _refuse_open(private)
    with _home(state_dir) as home:
        _run(home, "--import", str(private))
        return _run(home, "--digest-algo", "SHA512", "--clearsign", text=text)


def detach(state_dir: Path, text: str) -> str:
    """Return an armoured signature of `text`, apart from it, by the site's key."""
    private = state_dir / PRIVATE_KEY
    _refuse_open(private)
    with _home(state_dir) as home:
        _run(home, "--import", str(private))
        return _run(home, "--digest-algo", "SHA512", "--armor", "--detach-sign", text=text)


def fingerprint_of(owner: Path, key: str) -> str:
    """The fingerprint of the first key of an armoured text; RailbedError where it holds none."""
    with _home(owner) as home:
        found = _fingerprints(_run(home, "--with-colons", "--show-keys", text=key))
    if not found:
        raise RailbedError("no OpenPGP key where one is expected")
    return found[0]


def signed_by(owner: Path, key: str, text: str, signature: str) -> str:
    """Who of `key` signed `text`: a fingerprint. RailbedError where the signature is not good."""
    with _home(owner) as home:
        for name, content in (("key", key), ("text", text), ("signature", signature)):
            (home / name).write_text(content, encoding="utf-8")
        _run(home, "--import", str(home / "key"))
        pair = (str(home / "signature"), str(home / "text"))
        said = _run(home, "--status-fd", "1", "--verify", *pair)
    # GnuPG, doc/DETAILS: the last field of VALIDSIG is the primary key's fingerprint.
    found = re.search(r"^\[GNUPG:\] VALIDSIG .*\b([0-9A-F]{40})$", said, re.MULTILINE)
    if found is None:
        raise RailbedError("the signature is not good")
    return found[1]


def only_keys(
    owner: Path, files: Iterable[bytes], fingerprints: Collection[str]
) -> tuple[set[str], str]:
    """Which of these keys some files hold, and those alone, armoured.

    `owner` names the folder that they are for. RailbedError where a file holds no key.
    """
    with _home(owner) as home:
        for number, raw in enumerate(one for one in files if one):
            path = home / f"{number}.key"
            path.write_bytes(raw)
            _run(home, "--import", str(path))
        found = {*_fingerprints(_run(home, "--with-colons", "--list-keys"))} & {*fingerprints}
        return found, _run(home, "--armor", "--export", *sorted(found)) if found else ""


def _fingerprints(listed: str) -> list[str]:
    """The fingerprints of primary keys (GnuPG, doc/DETAILS: a `fpr` record follows its `pub`).

    Who else may revoke a key stands between the two, as in those of Debian's archive.
    """
    return re.findall(
        r"^pub:.*\n(?:rvk:.*\n)*fpr:(?:[^:\n]*:){8}([0-9A-F]{40}):", listed, re.MULTILINE
    )


def _make(private: Path, public: Path, name: str) -> None:
    with _home(private.parent) as home:
        _run(home, "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "never")
        write_atomically(private, _run(home, "--armor", "--export-secret-keys"), mode=0o600)
        write_atomically(public, _run(home, "--armor", "--export"))


def _refuse_open(private: Path) -> None:
    try:
        mode = private.stat().st_mode
    except OSError as error:
        raise RailbedError(
            f"the key that signs packages cannot be read ({error.strerror}: {private})",
            hint="take it from the machine that ran railbed before; or move keyring.asc away, "
            "and nodes are given a new key with the next apply",
        ) from None
    if mode & _OTHERS:
        raise RailbedError(f"{private} is open to others", hint=f"chmod 600 {private}")


@contextmanager
def _home(owner: Path) -> Iterator[Path]:
    """A home for gpg, gone afterwards with its agent; short, for sockets (unix(7): 108 bytes).

    Its name is always the same, so that what a killed run left is removed by the next one.
    """
    root = os.geteuid() == 0
    private = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    base = Path("/run/railbed" if root else private)
    digest = hashlib.sha256(f"{os.geteuid()}:{owner.absolute()}".encode()).hexdigest()[:16]
    home = base / f"gpg-{digest}"
    with held(base / f"gpg-{digest}.lock", lambda: None):
        if home.exists() and home.lstat().st_uid != os.geteuid():
            raise RailbedError(f"{home} belongs to somebody else", hint="remove it")
        _end(home)
        home.mkdir(mode=0o700, parents=True)
        try:
            yield home
        finally:
            _end(home)


def _end(home: Path) -> None:
    if home.exists():
        subprocess.run(
            ["gpgconf", "--homedir", str(home), "--kill", "all"],
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
        # The agent takes its sockets away while it ends.
        shutil.rmtree(home, onerror=_unless_gone)


def _unless_gone(_remove: object, _path: str, why: tuple[type, BaseException, object]) -> None:
    if not isinstance(why[1], FileNotFoundError):
        raise why[1]


def _run(home: Path, *arguments: str, text: str = "") -> str:
    try:
        done = subprocess.run(
            [*_GPG, "--homedir", str(home), *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise RailbedError("gpg is not installed", hint="apt-get install gnupg") from None
    except subprocess.TimeoutExpired:
        raise RailbedError(f"gpg did not end in {_LIMIT_S:.0f} s") from None
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise RailbedError(f"gpg failed: {said}", exit_code=1)
    return done.stdout
