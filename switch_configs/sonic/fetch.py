"""The one command that shows what a switch holds, and what comes back from it.

The answer is a line `railbed-fetch 1`, then parts, then `railbed-fetch end`. A part is one
head line and its bytes in base64 lines: `file PATH OWNER GROUP MODE BYTES`, `odd PATH` (there,
but no plain file), `db EXIT_STATUS BYTES` (of `sonic-cfggen -d --print-data`) or
`frr EXIT_STATUS BYTES` (of `vtysh -c 'show running-config'` in the container of BGP).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from dataclasses import dataclass

from switch_configs.errors import DialectError

from .files import OWNED, PENDING

_BEGIN = "railbed-fetch 1"
_END = "railbed-fetch end"


@dataclass(frozen=True, slots=True)
class Held:
    """A path as it lies on the device; `mode` is "odd" where it is no plain file."""

    path: str
    owner: str
    group: str
    mode: str
    text: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """All owned paths that are there, sorted; what CONFIG_DB and FRR hold, None if not known."""

    held: tuple[Held, ...]
    database: str | None
    frr: str | None


def fetch_command() -> str:
    """One read-only POSIX shell command; its output is for `parse`."""
    paths = " ".join((*OWNED, PENDING))
    part = 'echo "{0} $? $(printf "%s\\n" "$r" | wc -c)"; printf "%s\\n" "$r" | base64; '
    return (
        f"echo {_BEGIN}; for f in {paths}; do "
        'if [ -f "$f" ] && [ ! -L "$f" ]; then stat -c "file %n %u %g %a %s" "$f"; base64 "$f"; '
        'elif [ -e "$f" ] || [ -L "$f" ]; then echo "odd $f"; fi; done; '
        f"r=$(timeout 60 sonic-cfggen -d --print-data 2>/dev/null); {part.format('db')}"
        "r=$(timeout 30 docker exec bgp vtysh -c 'show running-config' 2>/dev/null); "
        f"{part.format('frr')}echo {_END}"
    )


def parse(device: str, output: str) -> Fetched:
    """The parts of an answer; `DialectError` when it is cut, doubled or was changed on its way."""
    held: list[Held] = []
    ran: dict[str, str | None] = {}
    for head, content in _parts(device, output):
        match head:
            case ["file", path, owner, group, mode, size] if size == str(len(content)):
                text = content.decode("utf-8", "backslashreplace")
                held.append(Held(path, _name(owner), _name(group), mode.zfill(4), text))
            case ["odd", path] if not content:
                held.append(Held(path, "", "", "odd", ""))
            case ["db" | "frr" as what, status, size] if size == str(len(content)):
                if what in ran:
                    raise _broken(device, "a part is there twice")
                text = content.decode("utf-8", "backslashreplace")
                ran[what] = text if status == "0" else None
            case _:
                raise _broken(device, f"the part '{' '.join(head)}' is not whole")
    if set(ran) != {"db", "frr"} or len({one.path for one in held}) != len(held):
        raise _broken(device, "a part is missing or there twice")
    return Fetched(tuple(sorted(held, key=lambda one: one.path)), ran["db"], ran["frr"])


def _name(number: str) -> str:
    """Numbers, because the host does not name the users of its containers."""
    return "root" if number == "0" else number


def _parts(device: str, output: str) -> list[tuple[list[str], bytes]]:
    lines = output.replace("\r", "").strip().splitlines()
    if len(lines) < 2 or lines[0] != _BEGIN or lines[-1] != _END:
        raise _broken(device, "its first or last line is missing")
    parts: list[tuple[list[str], list[str]]] = []
    for line in lines[1:-1]:
        if " " in line:
            parts.append((line.split(), []))
        elif parts:
            parts[-1][1].append(line)
        else:
            raise _broken(device, "it begins with bytes of no file")
    try:
        return [(head, b64decode("".join(text), validate=True)) for head, text in parts]
    except binascii.Error as error:
        raise _broken(device, str(error)) from None


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
