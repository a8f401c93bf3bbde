"""How EOS's own command line is spoken to, by the plain login of privilege 15.

Arista EOS User Manual, "Command-Line Interface" (`% ` before what is refused) and "Configure
Session". A whole text is read by `copy terminal: session-config`, to Ctrl-D; a line that it
refuses is quoted after `>`, and the copy still completes (seen on cEOS 4.35.0F by others).
"""

from __future__ import annotations

import json
import re
from typing import Any

from switch_configs.errors import DialectError
from switch_configs.intent import Cli, Looks

from .running import kept_lines
from .sessions import pending, undo
from .state import MASK, SECRET

_REFUSED = re.compile(r"^\s*% |^> .*% ")
# Words may be cut short, the mask reads no JSON, and `| redirect` writes a file.
_ALLOWED = re.compile(
    r"show (running|startup)-config( sanitized| diffs)?"
    r"|show (?! *(?i:ru|sta|se|te))[^|>]*( \| json)?"
)


def _ask_identity(port: str) -> str:
    return f"show hostname | json\nshow interfaces {port} | json"


def _identity(answer: str) -> tuple[str, str]:
    try:
        host, port = _documents(answer)
        (interface,) = port["interfaces"].values()
        address = interface.get("burnedInAddress") or interface["physicalAddress"]
        digits = re.sub(r"[^0-9a-f]", "", address.lower())
        return str(host["hostname"]), ":".join(re.findall("..", digits))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DialectError(f"the switch does not say who it is ({type(error).__name__})") from None


def _boot(answer: str) -> tuple[str, int]:
    """Both are told as seconds (arista-eosplus/pyeapi and aristanetworks/goeapi, `show version`).

    EOS reckons the time of its boot from its clock: within a minute no switch boots twice.
    """
    try:
        (told,) = _documents(answer)
        booted, up = float(told["bootupTimestamp"]), float(told["uptime"])
        return f"minute {round(booted / 60)}", round(booted + up)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        why = f"the switch does not say since when it runs ({type(error).__name__})"
        raise DialectError(why) from None


def _documents(text: str) -> list[dict[str, Any]]:
    found, reader = [], json.JSONDecoder()
    while text := text.strip():
        document, end = reader.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


CLI = Cli(
    refused=_REFUSED,
    opens=(
        "configure session {path}",
        "rollback clean-config",
        "copy terminal: session-config",
    ),
    closes=("end",),
    ask_identity=_ask_identity,
    identity=_identity,
    pending=pending,
    undo=undo,
    kept=kept_lines,
    looks=Looks(
        ask_boot="show version | json",
        boot=_boot,
        allowed=_ALLOWED,
        secret=SECRET,
        mask=MASK,
    ),
)
