"""What a switch holds: one command that prints it, and its answer taken apart."""

from __future__ import annotations

import binascii
from base64 import b64decode

from switch_configs.errors import DialectError

from .files import OURS, SHOW_RULES
from .waiting import WAITING

_BEGIN, _END = "railbed-begin", "railbed-end"
_PARTS = ("nvue", "unsaved", "waits", "rules")


def fetch_command() -> str:
    """One read-only POSIX shell command; its output is for `parse`.

    `unsaved` is what a restart would forget, `waits` are revisions of others that nobody confirmed.
    """
    return (
        'p() { echo "$1 $2 $(printf "%s\\n" "$3" | wc -c)"; printf "%s\\n" "$3" | base64; }; '
        f"echo {_BEGIN}; "
        'c=$(nv config show 2>/dev/null); p nvue $? "$c"; '
        'c=$(nv config diff startup applied 2>/dev/null); p unsaved $? "$c"; '
        f'[ -f {OURS} ] || {{ c=$({WAITING}); p waits $? "$c"; }}; '
        f"{SHOW_RULES}"
        f"echo {_END}"
    )


def parse(device: str, output: str) -> dict[str, str]:
    """The parts by name; `DialectError` when the answer is cut, doubled or was changed."""
    lines = output.replace("\r", "").strip().splitlines()
    if len(lines) < 2 or lines[0] != _BEGIN or lines[-1] != _END:
        raise _broken(device, "its first or last line is missing")
    parts: dict[str, list[str]] = {}
    heads: dict[str, list[str]] = {}
    for line in lines[1:-1]:
        words = line.split()
        if len(words) == 3 and words[0] in _PARTS and words[0] not in parts:
            heads[words[0]], parts[words[0]] = words, []
        elif parts and len(words) == 1:
            parts[next(reversed(parts))].append(line)
        else:
            raise _broken(device, f"the line '{line[:40]}' belongs to no part")
    if "nvue" not in parts:
        raise _broken(device, "NVUE's part is missing")
    return {name: _text(device, heads[name], parts[name]) for name in parts}


def _text(device: str, head: list[str], lines: list[str]) -> str:
    try:
        content = b64decode("".join(lines), validate=True)
    except binascii.Error as error:
        raise _broken(device, str(error)) from None
    if head[1] != "0" or head[2] != str(len(content)):
        raise _broken(device, f"the part '{head[0]}' is not whole")
    return content.decode("utf-8", "backslashreplace")


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
