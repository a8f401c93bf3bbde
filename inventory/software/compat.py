"""What goes together: the rows of `versions/compat.yml`, and questions to them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path as FilePath

from pydantic import ValidationError

from inventory.load.files import yaml_mapping
from inventory.load.wording import problem_of
from inventory.problems import InventoryError, Problem
from inventory.schema.versions import CompatFile, FirmwareSet, Minimum, Published, SwitchRelease

COMPAT = FilePath(__file__).parents[1] / "versions" / "compat.yml"
WHERE = "add a row with its source to inventory/versions/compat.yml or SITE/versions/compat.yml"


@cache
def shipped_compat() -> CompatFile:
    """The project's own table; InventoryError where this clone's is broken."""
    problems: list[Problem] = []
    marked = yaml_mapping(COMPAT, problems)
    if marked is not None and not problems:
        try:
            return CompatFile.model_validate(marked.value)
        except ValidationError as error:
            found = error.errors(include_url=False)
            problems = [problem_of(CompatFile, one, marked, ()) for one in found]
    raise InventoryError(problems)


def published(compat: CompatFile, component: str, version: str) -> Iterator[Published]:
    """The rows of a version, for every OS and architecture that has it."""
    for row in compat.published:
        if (row.component, row.version) == (component, version):
            yield row


def versions_for(compat: CompatFile, component: str, os: str, arch: str) -> list[str]:
    """The known versions of a component for an OS and architecture, oldest first."""
    rows = {
        row.version
        for row in compat.published
        if (row.component, row.os, row.arch) == (component, os, arch)
    }
    return sorted(rows, key=order)


def minima(compat: CompatFile, component: str, version: str) -> Iterator[Minimum]:
    """What a version, or the line that it is of, needs of other components."""
    for row in compat.minimum:
        if row.component == component and is_of(version, row.version):
            yield row


def firmware_sets(compat: CompatFile, device: str) -> Iterator[FirmwareSet]:
    """The rows that hold firmware for a device."""
    return (row for row in compat.firmware if device in row.devices)


def switch_releases(compat: CompatFile, dialect: str, asic: str | None) -> list[SwitchRelease]:
    """The known releases of a switch OS for an ASIC."""
    rows = (
        release
        for release in compat.switch_os
        if (release.dialect, release.asic) == (dialect, asic)
    )
    return sorted(rows, key=lambda row: order(row.release))


def upstream(version: str) -> str:
    """The upstream part of a Debian version: no epoch, no revision (deb-version(7))."""
    without_epoch = version.rpartition(":")[2]
    return without_epoch.rpartition("-")[0] or without_epoch


def is_of(version: str, line: str) -> bool:
    """Whether a version is of a line: 13.2.1 is of 13.2, and so is 13.2."""
    return version == line or version.startswith(f"{line}.")


def order(version: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts versions as people do: numbers as numbers."""
    return tuple(
        (int(number or -1), word)
        for number, word in re.findall(r"([0-9]{1,18})|([^0-9]+)", version)
    )


def is_older(version: str, than: str) -> bool:
    """Whether one dotted version is older than another; 570.26 is older than 570.124."""
    pairs = zip_longest(_numbers(version), _numbers(than), fillvalue=0)
    return next((a < b for a, b in pairs if a != b), False)


def _numbers(version: str) -> list[int]:
    return [int(one) for one in re.findall(r"[0-9]{1,18}", version)]
