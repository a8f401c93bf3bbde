"""The texts with host keys that a person gives: `[DEVICE=]FILE`, or a folder of such files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from inventory.plan import Plan
from inventory.problems import close_to

from .keys import Said, read
from .site import Site

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Given:
    """A file or folder as it was given, and the device that it is of; "" for whoever it names."""

    said: str
    path: Path
    owner: str


def given_files(plan: Plan, keys: Sequence[str]) -> tuple[Given, ...]:
    """What `--keys` names; RailbedError for a file that is not there, or a device."""
    return tuple(_given(plan, one) for one in keys)


def _given(plan: Plan, said: str) -> Given:
    device, equal, name = said.partition("=")
    if equal and device in plan.devices:
        path, owner = Path(name), device
    else:
        path, owner = Path(said), ""
    if path.exists():
        return Given(said, path, owner)
    if equal and not owner:
        hint = close_to(device, plan.devices)
        raise RailbedError(f"--keys {said}: {plan.site} has no device {device}", hint=hint)
    raise RailbedError(f"--keys {said}: {path} is not there")


def read_texts(site: Site, given: Sequence[Given]) -> dict[str, list[tuple[str, Said]]]:
    """By device, what each text says of it; RailbedError for a file that says of none.

    Of a file that is called as a device (`leaf-p1-r0.log`) all keys are that device's.
    """
    found: dict[str, list[tuple[str, Said]]] = {}
    for one in given:
        said = False
        for path, owner in _files(site, one):
            for device, what in _read(site, path, owner).items():
                found.setdefault(device, []).append((path.name, what))
                said = True
        if not said:
            raise RailbedError(
                f"--keys {one.said}: found no host key of a device of {site.plan.site}",
                hint="lines of known_hosts or ssh-keyscan with names or addresses of the plan, or "
                "the log of a console as DEVICE=FILE",
            )
    return found


def _files(site: Site, given: Given) -> Iterator[tuple[Path, str]]:
    path = given.path
    paths = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    for one in paths:
        yield one, given.owner or (one.stem if one.stem in site.plan.devices else "")


def _read(site: Site, path: Path, owner: str) -> Mapping[str, Said]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RailbedError(f"--keys: {path} has more than {_MOST_BYTES >> 20} MiB")
        return read(path.read_text(encoding="utf-8", errors="replace"), site.by_name, owner)
    except OSError as error:
        raise RailbedError(f"--keys: {path} cannot be read ({error.strerror})") from None
