"""From the plan to text for a switch, and back. Pure: no sockets, no processes.

A dialect is a folder here whose package has `DIALECT`; nothing else registers it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from inventory.plan import Plan
from switch_configs.errors import DialectError
from switch_configs.intent import Dialect, Rendered, SwitchIntent

__all__ = ["DialectError", "dialect", "dialects", "intent", "render"]


@cache
def dialects() -> tuple[str, ...]:
    """The names of all dialects, sorted: the packages in this folder."""
    here = Path(__file__).parent
    return tuple(sorted(one.parent.name for one in here.glob("*/__init__.py")))


@cache
def dialect(name: str) -> Dialect:
    """The dialect of this name; `DialectError` names those there are."""
    if name not in dialects():
        raise DialectError(f"no dialect '{name}'", f"there are: {', '.join(dialects())}")
    return cast("Dialect", import_module(f"{__name__}.{name}").DIALECT)


def intent(plan: Plan, switch_name: str) -> SwitchIntent:
    """What the plan says of one switch; `DialectError` when it has no such switch."""
    switch = plan.switch.get(switch_name)
    if switch is None:
        raise DialectError(
            f"site '{plan.site}' has no switch '{switch_name}'",
            f"its switches are: {', '.join(sorted(plan.switch))}",
        )
    return SwitchIntent(plan.site, plan.digest, switch, plan.lossless, plan.oob.domain)


def render(plan: Plan, switch_name: str) -> Rendered:
    """The whole configuration of one switch. Same plan, same bytes; may raise `DialectError`."""
    wanted = intent(plan, switch_name)
    try:
        tongue = dialect(wanted.switch.dialect)
    except DialectError as error:
        raise DialectError(f"{switch_name}: {error.message}", error.hint) from None
    return tongue.render(wanted)
