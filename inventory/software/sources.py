"""Where packages of nodes come from, on whatever controller: repositories and their keys.

The project's `versions/sources.yml` has the distributions' own archives. A site's
`SITE/versions/sources.yml` stands in place of them for each OS that it names: mirrors, makers'
repositories, with nothing added that the site does not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from pydantic import ValidationError

from inventory.load.files import is_there, yaml_mapping
from inventory.load.wording import problem_of
from inventory.load.yaml_positions import Marked
from inventory.problems import InventoryError, Problem
from inventory.schema.versions import Repository, SourcesFile

from .lock import VERSIONS
from .systems import is_rpm

SOURCES = "sources.yml"


@dataclass(frozen=True, slots=True)
class Sources:
    """The repositories of one OS and architecture; `folder` is where relative keys lie."""

    repositories: tuple[Repository, ...]
    folder: FilePath
    is_of_site: bool


def source_problems(site: FilePath) -> list[Problem]:
    """Everything that is wrong with a site's own file; nothing where it has none."""
    try:
        _read(site / "versions" / SOURCES)
    except InventoryError as error:
        return list(error.problems)
    return []


def sources(site: FilePath, os: str, arch: str) -> Sources:
    """Return the repositories of an OS and architecture; raises InventoryError.

    None of them where neither the site nor the project knows any.
    """
    for folder in (site / "versions", VERSIONS):
        rows = [one for one in _read(folder / SOURCES).repositories if one.os == os]
        if rows:
            found = tuple(one for one in rows if arch in one.arch)
            return Sources(found, folder, is_of_site=folder != VERSIONS)
    return Sources((), VERSIONS, is_of_site=False)


def _read(path: FilePath) -> SourcesFile:
    if not is_there(path):
        return SourcesFile(repositories=[])
    problems: list[Problem] = []
    marked = yaml_mapping(path, problems)
    if marked is not None and not problems:
        try:
            read = SourcesFile.model_validate(marked.value)
        except ValidationError as error:
            found = error.errors(include_url=False)
            problems = [problem_of(SourcesFile, one, marked, ()) for one in found]
        else:
            problems = list(_of_another_family(read, marked))
            if not problems:
                return read
    raise InventoryError(problems)


def _of_another_family(read: SourcesFile, marked: Marked) -> Iterator[Problem]:
    """A repository without suites is one for dnf, and apt has no others."""
    for at, one in enumerate(read.repositories):
        path = ("repositories", at, "os")
        if is_rpm(one.os) and one.suites:
            yield marked.problem(path, f"`suites` for {one.os}", "none: its packages are dnf's")
        elif not is_rpm(one.os) and not one.suites:
            yield marked.problem(path, f"no `suites` for {one.os}", "one at the least, as of apt")
