"""What may stand in a configuration of NX-OS: every other value is refused by name.

A semicolon ends a command, `|` and `>` send its output elsewhere, `?` asks for help and `$(`
is a variable of the command line (Cisco Nexus 9000 NX-OS Fundamentals guide, "Understanding the
Command-Line Interface"). What a quote or a character outside ASCII becomes in a file that
`configure replace` reads is published nowhere that we found, so none is printed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from switch_configs.errors import DialectError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_TEXT = re.compile(r"[A-Za-z0-9!#%&'()*+,./:=@\[\]^_{}~ -]+")
_PORT = re.compile(r"Ethernet\d+/\d+(/\d+)?")
_NATURAL = re.compile(r"\d+|\D+")


def name(text: str, what: str, device: str, most: int = 63) -> str:
    """A word that NX-OS takes as a name."""
    if not _NAME.fullmatch(text) or len(text) > most:
        raise DialectError(
            f"{device}: {what} {text!r} cannot be printed",
            f"NX-OS takes {most} letters, digits and . _ - here, a letter or digit first",
        )
    return text


def port(text: str, device: str) -> str:
    """The name of a physical port."""
    if not _PORT.fullmatch(text):
        raise DialectError(
            f"{device}: port {text!r} cannot be printed",
            "a port of NX-OS is Ethernet1/2, or Ethernet1/2/1 in a split cage",
        )
    return text


def description(text: str, what: str, device: str, most: int) -> str:
    """Free text up to the end of a line; empty where there is none."""
    if text and (not _TEXT.fullmatch(text) or text != text.strip() or len(text) > most):
        raise DialectError(
            f"{device}: description of {what} {text!r} cannot be printed",
            f'NX-OS takes {most} characters of ASCII here, without " \\ ; | < > ? $ and `',
        )
    return text


def within(value: int, least: int, most: int, what: str, device: str) -> int:
    """A number in the range that the command takes, both ends included."""
    if not least <= value <= most:
        raise DialectError(
            f"{device}: {what} {value} is not within {least} to {most}",
            "Cisco Nexus 9000 NX-OS configuration guides, 10.5(x)",
        )
    return value


@lru_cache(maxsize=1 << 12)
def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Ethernet1/2 before Ethernet1/10."""
    parts = _NATURAL.findall(text)
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in parts)
