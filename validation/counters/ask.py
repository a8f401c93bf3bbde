"""What prints the port counters of a switch, by dialect: POSIX sh, or lines to type. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.reading.sections import shell
from switch_configs import is_typed
from switch_configs.answers import answers
from switch_configs.answers.contract import Asked
from switch_configs.answers.typed import in_parts


def carried(dialect: str, ports: Sequence[str]) -> str | None:
    """What prints the bytes of at least `ports`; None where no form is known."""
    known = answers(dialect).counters
    return _text(dialect, known.ask_carried(sorted(ports))) if known else None


def port_counters(dialect: str, ports: Sequence[str], last: bool = False) -> str | None:
    """What prints the counters of at least `ports`; None where no form is known.

    `last`: what has just happened must be in them, so those that are polled are waited for.
    """
    known = answers(dialect).counters
    if known is None:
        return None
    return _text(dialect, {**(known.refresh if last else {}), **known.ask_ports(sorted(ports))})


def _text(dialect: str, asked: Asked) -> str:
    return in_parts(asked) if is_typed(dialect) else shell(asked)
