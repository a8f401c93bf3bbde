"""Words of the plan, as they may stand in files of a device."""

from __future__ import annotations

import re

from switch_configs.errors import DialectError

# One blank between words: interfaces(5) reads several as one.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.,:/()_+-]*( [A-Za-z0-9.,:/()_+-]+)*")
# Linux: IFALIASZ, net/core/dev.c.
_LONGEST = 255
# Linux: IFNAMSIZ less its end; the others are names that iproute2 and sysctl give a meaning.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_TAKEN = frozenset(("all", "default", "local", "main", "unspec"))


def plain(text: str, what: str) -> str:
    """Text that no configuration file or template engine on the device can misread."""
    if not _PLAIN.fullmatch(text) or len(text) > _LONGEST:
        raise DialectError(
            f"{what} {text!r} cannot be printed",
            f"use at most {_LONGEST} letters, digits, single blanks and . , : / ( ) _ + -",
        )
    return text


def interface_name(text: str, device: str) -> str:
    """A name that the kernel takes for an interface, and that means nothing else to it."""
    if not _NAME.fullmatch(text) or text in _TAKEN:
        raise DialectError(
            f"{device}: {text!r} cannot be the name of an interface",
            f"at most 15 letters, digits and . _ -, and not {', '.join(sorted(_TAKEN))}",
        )
    return text


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """swp2s0 before swp10s0."""
    return tuple(
        (word, int(number or 0)) for word, number in re.findall(r"([^0-9]+)([0-9]*)", name)
    )


def stem(name: str) -> str:
    """`swp` of swp10s0: what the names of its like begin with."""
    return re.split(r"[0-9]", name, maxsplit=1)[0]
