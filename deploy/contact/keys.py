"""Host keys as files have them: lines of known_hosts or ssh-keyscan, and logs of a serial console.

A text names a device by its name, its name in the site's domain, or an address; a console log by
who the key says it is of (`root@NAME`), or by nothing at all, and then whoever gives it says whose
it is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import SSHCertificate, load_ssh_public_identity

CERTIFIED = "-cert-v01@openssh.com"
# The best first: one line of known_hosts is kept of each device.
KINDS = (
    "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
)  # fmt: skip
_KEY = re.compile(
    rf"(?P<kind>(?:{'|'.join(KINDS)})(?:{re.escape(CERTIFIED)})?) +(?P<text>[A-Za-z0-9+/]+={{0,3}})"
    r"(?: +(?P<comment>\S+))?"
)
# As cloud-init prints them (cc_ssh, cc_keys_to_console), and `ssh-keygen -l`.
_PRINT = re.compile(
    r"\b\d{3,5} (?P<print>SHA256:[A-Za-z0-9+/]{43})(?: +(?P<comment>.*?))? \((?P<word>[A-Z0-9]+)\)"
)
# sshd(8), SSH_KNOWN_HOSTS FILE FORMAT: such a line has a key that is no host's.
_MARKED = re.compile(r"\s*@(?P<marker>revoked|cert-authority)\s", re.IGNORECASE)
_NAMES = re.compile(r"\s*(?P<names>[^\s#]\S*)\s+$")
_HASHED = re.compile(r"\|1\|(?P<salt>[A-Za-z0-9+/=]+)\|(?P<name>[A-Za-z0-9+/=]+)")
_PORT = re.compile(r"\[(?P<host>[^\]]+)\]:\d+")


@dataclass(frozen=True, slots=True, order=True)
class HostKey:
    """A public key: its kind (RFC 4253, 6.6) and its base64."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.text}"

    @property
    def word(self) -> str:
        """Its kind as `ssh-keygen -l` prints it."""
        return "ECDSA" if self.kind.startswith("ecdsa") else self.kind.removeprefix("ssh-").upper()

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` prints it."""
        digest = hashlib.sha256(base64.b64decode(self.text)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says of one device: keys, certificates, and fingerprints with their kind.

    `revoked` are keys that nobody may have.
    """

    keys: tuple[HostKey, ...] = ()
    certificates: tuple[HostKey, ...] = ()
    prints: tuple[tuple[str, str], ...] = ()
    revoked: tuple[HostKey, ...] = ()


def best(keys: Iterable[HostKey]) -> HostKey | None:
    """The key that is kept of several of one device."""
    return min(keys, key=lambda one: (KINDS.index(one.kind), one.text), default=None)


def key_in(text: str) -> HostKey | None:
    """The public key that a line of `hostkeys.json`, or a `.pub` file, holds."""
    found = _whole(match) if (match := _KEY.match(text.strip())) else None
    return found if found and not found.kind.endswith(CERTIFIED) else None


def read(text: str, names: Mapping[str, str], owner: str = "") -> dict[str, Said]:
    """What a text says, by device. `names` leads from each name and address to its device.

    With an `owner` all that stands there is said of that device. A key that is marked as revoked
    is so for every device; that of an authority is no host's.
    """
    keys: dict[str, set[HostKey]] = {}
    prints: dict[str, set[tuple[str, str]]] = {}
    revoked = set[HostKey]()
    for line in text.splitlines():
        if marked := _MARKED.match(line):
            if marked["marker"].lower() == "revoked":
                revoked |= {key for match in _KEY.finditer(line) if (key := _whole(match))}
            continue
        for match in _KEY.finditer(line):
            key = _whole(match)
            for device in [owner] if owner else _owners(line, match, names):
                if key:
                    keys.setdefault(device, set()).add(key)
        for match in _PRINT.finditer(line):
            for device in [owner] if owner else _commented(match, names):
                prints.setdefault(device, set()).add((match["word"], match["print"]))
    warned = ([owner] if owner else names.values()) if revoked else ()
    return {
        device: Said(
            tuple(sorted(one for one in keys.get(device, ()) if not _certifies(one))),
            tuple(sorted(one for one in keys.get(device, ()) if _certifies(one))),
            tuple(sorted(prints.get(device, ()))),
            tuple(sorted(revoked)),
        )
        for device in sorted({*keys, *prints, *warned})
    }


def _certifies(key: HostKey) -> bool:
    return key.kind.endswith(CERTIFIED)


def _whole(match: re.Match[str]) -> HostKey | None:
    """The key, where its bytes begin with the kind that the text gives it (RFC 4253, 6.6)."""
    try:
        data = base64.b64decode(match["text"], validate=True)
    except binascii.Error:
        return None
    kind = match["kind"].encode()
    begins = len(kind).to_bytes(4, "big") + kind
    return HostKey(match["kind"], match["text"]) if data.startswith(begins) else None


def _owners(line: str, match: re.Match[str], names: Mapping[str, str]) -> Iterator[str]:
    """Whose key a line has: the names before it (sshd(8), known_hosts), in a log its comment."""
    before = _NAMES.fullmatch(line[: match.start()])
    if before is None or before["names"].endswith(":"):
        yield from _commented(match, names) if match["comment"] else _certified(match, names)
    else:
        said = before["names"].split(",")
        yield from sorted({device for one in said for device in _devices(one, names)})


def _certified(match: re.Match[str], names: Mapping[str, str]) -> Iterator[str]:
    """Whose a certificate is that stands alone, as `ssh-keyscan -c` prints it: by what it says.

    Whether that holds is for who knows the authorities.
    """
    if match["kind"].endswith(CERTIFIED):
        with suppress(ValueError, UnsupportedAlgorithm):
            found = load_ssh_public_identity(match[0].encode())
            if isinstance(found, SSHCertificate):
                said = (one.decode("utf-8", "replace") for one in found.valid_principals)
                yield from sorted({names[one] for one in said if one in names})


def _devices(word: str, names: Mapping[str, str]) -> Iterator[str]:
    if hashed := _HASHED.fullmatch(word):
        salt = base64.b64decode(hashed["salt"])
        for name, device in names.items():
            made = hmac.new(salt, name.encode(), hashlib.sha1).digest()
            if hmac.compare_digest(base64.b64encode(made).decode(), hashed["name"]):
                yield device
    plain = _PORT.fullmatch(word)
    if named := names.get(plain["host"] if plain else word):
        yield named


def _commented(match: re.Match[str], names: Mapping[str, str]) -> Iterator[str]:
    _, _, host = (match["comment"] or "").rpartition("@")
    if device := names.get(host):
        yield device
