"""From the plan to text for a switch, and back. Pure: no sockets, no processes.

A dialect is a package: a folder here, or another's by an entry point of the group
`railbed.switch_systems` (`inventory/switches/systems.py`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import cast

from inventory.plan import Plan
from inventory.switches.systems import folders, packages
from switch_configs.errors import DialectError
from switch_configs.intent import Bundle, Cli, Dialect, OobIntent, Rendered, SwitchIntent

from .readback.facts import ReservedFacts

__all__ = [
    "DialectError",
    "as_commands",
    "bundles",
    "cli",
    "dialect",
    "dialects",
    "intent",
    "is_typed",
    "looks",
    "places_of",
    "render",
    "reserved",
    "without_raw",
]


@cache
def dialects() -> tuple[str, ...]:
    """The names of all dialects that are here, sorted."""
    return tuple(folders())


def package(name: str) -> ModuleType:
    """The package of a dialect; `DialectError` names those there are, or says what it lacks."""
    if name not in packages():
        raise DialectError(f"no dialect '{name}'", f"there are: {', '.join(dialects())}")
    try:
        return import_module(packages()[name])
    except ImportError as error:
        found = f"dialect '{name}': its package {packages()[name]} cannot be used: {error}"
        raise DialectError(found, "install it whole, or take its entry point away") from None


@cache
def dialect(name: str) -> Dialect:
    """The dialect of this name; `DialectError` as `package`."""
    found = getattr(package(name), "DIALECT", None)
    if found is None:
        raise DialectError(f"dialect '{name}': its package {packages()[name]} has no DIALECT")
    return cast("Dialect", found)


def cli(name: str) -> Cli | None:
    """How a system without a shell is spoken to; None for one that has a shell."""
    return cast("Cli | None", getattr(package(name), "CLI", None))


def is_typed(name: str) -> bool:
    """Whether devices of a dialect ("" for a server) are asked at a command line, by no shell."""
    return name in packages() and cli(name) is not None


def places_of(text: str) -> dict[str, str]:
    """By dialect, where a text of unknown origin lies on that system; none where it is not its.

    The package of a dialect says so by a function `place_of(text)`, and knows its own by content.
    """
    readers = {name: getattr(package(name), "place_of", None) for name in dialects()}
    found = {name: place_of(text) for name, place_of in readers.items() if place_of}
    return {name: place for name, place in found.items() if place}


@cache
def bundles() -> tuple[Bundle, ...]:
    """How systems lay out what they write of themselves: `BUNDLE` of a dialect's package."""
    found = (getattr(package(name), "BUNDLE", None) for name in dialects())
    return tuple(one for one in found if one is not None)


def intent(plan: Plan, name: str, *, drained: bool = False) -> SwitchIntent | OobIntent:
    """What the plan says of one switch; `DialectError` when it has no such switch."""
    site, digest = plan.site, plan.digest
    services = plan.switch_services
    switch, oob = plan.switch.get(name), plan.oob_switch.get(name)
    if switch is not None:
        return SwitchIntent(site, digest, switch, plan.lossless, services, drained)
    if oob is not None:
        return OobIntent(site, digest, oob, plan.oob.zones, services)
    raise DialectError(
        f"site '{plan.site}' has no switch '{name}'",
        f"its switches are: {', '.join(sorted(plan.any_switch))}",
    )


def render(plan: Plan, name: str) -> Rendered:
    """The whole configuration of one switch. Same plan, same bytes; may raise `DialectError`."""
    wanted = intent(plan, name)
    try:
        tongue = dialect(wanted.switch.dialect)
    except DialectError as error:
        raise DialectError(f"{name}: {error.message}", error.hint) from None
    return tongue.render(wanted)


def without_raw(plan: Plan, name: str) -> Rendered | None:
    """The same without the raw lines that the site adds; None where it adds none."""
    wanted = intent(plan, name)
    if not wanted.switch.raw:
        return None
    if isinstance(wanted, SwitchIntent):
        bare: SwitchIntent | OobIntent = replace(wanted, switch=replace(wanted.switch, raw=()))
    else:
        bare = replace(wanted, switch=replace(wanted.switch, raw=()))
    return dialect(wanted.switch.dialect).render(bare)


def as_commands(rendered: Rendered) -> Rendered:
    """The same as commands that a person can type, where a system has both (`nv set`).

    The package of a dialect says so by a function `as_commands(text)`; files of others stay.
    """
    typed = getattr(package(rendered.dialect), "as_commands", None)
    if typed is None:
        return rendered
    files = (
        replace(file, path=f"{file.path.removesuffix('.yaml')}.commands", text=typed(file.text))
        if file.path.endswith(".yaml")
        else file
        for file in rendered.files
    )
    return replace(rendered, files=tuple(files))


def reserved(rendered: Rendered) -> ReservedFacts | None:
    """What a configuration says of headroom in numbers; None where its system has no words for it.

    The package of a dialect that has them says so by a function `reserved(rendered)`.
    """
    read = getattr(package(rendered.dialect), "reserved", None)
    return None if read is None else cast("ReservedFacts", read(rendered))


def not_loadable(plan: Plan, name: str) -> str:
    """Why a switch must not start from what `render` gives; "" where nothing is known against it.

    The package of a dialect that knows of something says so by a function `not_loadable(intent)`.
    """
    wanted = intent(plan, name)
    why = getattr(package(wanted.switch.dialect), "not_loadable", None)
    return "" if why is None else cast("str", why(wanted))
