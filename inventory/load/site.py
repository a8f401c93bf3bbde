"""The files of a site to a typed Fabric: every problem of every file at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from inventory.model import Fabric
from inventory.problems import InventoryError, Problem, close_to, one_of
from inventory.rules.fabric.sections import section_problems
from inventory.schema import AsicProfile, CompatFile, NodeProfile, SiteFile, SwitchProfile
from inventory.software.builds import read_builds
from inventory.software.compat import COMPAT, shipped_compat
from inventory.software.lock import Versions, VersionsFile, context_of, lock_path
from inventory.software.sources import source_problems
from inventory.topology.asbuilt import AsBuilt, parse_asbuilt

from . import profile_names as named
from .durations import duration_problems
from .files import is_there, label, text_of, yaml_mapping
from .foreign_vars import foreign_vars
from .refused import why_refused
from .topology_files import topologies
from .wording import is_of_another_branch, problem_of
from .yaml_positions import Marked, Path

Model = TypeVar("Model", bound=BaseModel)

SITES = FilePath(__file__).parents[1] / "sites"
PROFILES = FilePath(__file__).parents[1] / "profiles"
NODES, SWITCHES, ASICS = "nodes.yml", "switches.yml", "asics.yml"
PUBLIC_KEY = FilePath("packages") / "keyring.asc"
_PUBLIC_KEY_BEGINS = "-----BEGIN PGP PUBLIC KEY BLOCK-----"


@dataclass(slots=True)
class _Profiles:
    """Profiles by name; None for one that cannot be used. `unread`: files that nobody can read."""

    nodes: dict[str, NodeProfile | None] = field(default_factory=dict)
    switches: dict[str, SwitchProfile | None] = field(default_factory=dict)
    asics: dict[str, AsicProfile | None] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)


def site_folder(site: FilePath | str) -> FilePath:
    """Return the folder of a site: a name under `inventory/sites`, or any folder.

    A name of ours comes before a folder of that name; `./NAME` is always the folder.
    """
    is_name = isinstance(site, str) and "/" not in site and site not in ("", ".", "..")
    return SITES / site if is_name and is_there(SITES / site) else FilePath(site)


def existing_folder(site: FilePath | str) -> FilePath:
    """As `site_folder`; raises InventoryError, with the name that was meant, where none is."""
    folder = site_folder(site)
    if not is_there(folder):
        raise InventoryError([_no_site(site)])
    return folder


def load(site: FilePath | str, state: FilePath | None = None) -> Fabric:
    """Return the Fabric of a site folder or name; raises InventoryError with all problems."""
    fabric, problems = read(site, state)
    if fabric is None or problems:
        raise InventoryError(problems)
    return fabric


def read(
    site: FilePath | str, state: FilePath | None = None
) -> tuple[Fabric | None, list[Problem]]:
    """As `load`, but a Fabric whose problems leave it readable comes back beside them."""
    folder = site_folder(site)
    if not is_there(folder):
        return None, [_no_site(site)]
    problems = list(foreign_vars(folder))
    marked = yaml_mapping(folder / "fabric.yml", problems)
    intent = _model(SiteFile, marked, (), problems) if marked else None
    profiles = _profiles(folder, problems)
    asbuilt = _asbuilt(folder / "asbuilt.csv", problems)
    if intent is None or marked is None:
        return None, problems
    node_names = named.node_profiles(intent)
    nodes = _named_all(profiles.nodes, node_names, marked, problems, NODES in profiles.unread)
    switch_names = named.switch_profiles(intent)
    unread = SWITCHES in profiles.unread
    switches = _named_all(profiles.switches, switch_names, marked, problems, unread)
    apart = list(section_problems(intent, marked))
    problems += apart
    if apart or nodes is None or switches is None:
        return None, problems
    node = nodes[intent.compute.node_profile]
    problems += source_problems(folder)
    problems += duration_problems(folder)
    versions = _versions(folder, state, node, marked, problems)
    key = _package_key(state, problems)
    if versions is None:
        return None, problems
    fabric = Fabric(
        intent, nodes, switches, asbuilt, marked, versions, key, profiles.asics,
        topologies(folder, nodes, problems),
    )  # fmt: skip
    return fabric, problems


def _no_site(site: FilePath | str) -> Problem:
    known = sorted(path.name for path in SITES.iterdir() if (path / "fabric.yml").exists())
    expected = f"a folder, or one of our sites: {one_of(known)}"
    hint = close_to(str(site), known)
    return Problem(label(FilePath(site)), 1, 1, "", "no such folder", expected, hint)


def _model(
    model: type[Model],
    marked: Marked,
    at: tuple[str, ...],
    problems: list[Problem],
    context: Mapping[str, object] | None = None,
) -> Model | None:
    value = marked.value
    for part in at:
        value = value[part] if isinstance(value, dict) else None
    try:
        return model.model_validate(value, context=context)
    except ValidationError as error:
        told = {problem.path for problem in marked.problems}
        said = (one for one in error.errors(include_url=False) if not is_of_another_branch(one))
        found = (problem_of(model, one, marked, at) for one in said)
        problems += [problem for problem in found if problem.path not in told]
        return None


def _profiles(folder: FilePath, problems: list[Problem]) -> _Profiles:
    """Our profiles, and those that the site brings in a folder of its own."""
    ours, wrong = _ours()
    problems += wrong
    profiles = _Profiles(dict(ours.nodes), dict(ours.switches), dict(ours.asics))
    _add_folder(profiles, folder / "profiles", problems)
    return profiles


def known_profiles(
    folder: FilePath,
) -> tuple[dict[str, NodeProfile], dict[str, SwitchProfile], dict[str, AsicProfile]]:
    """Our profiles and those in a folder's `profiles/`: of nodes, switches and ASICs, by name.

    Raises InventoryError with all problems of these files.
    """
    problems: list[Problem] = []
    found = _profiles(folder, problems)
    if problems:
        raise InventoryError(problems)
    return _usable(found.nodes), _usable(found.switches), _usable(found.asics)


def _usable(profiles: dict[str, Model | None]) -> dict[str, Model]:
    return {name: one for name, one in profiles.items() if one is not None}


@cache
def _ours() -> tuple[_Profiles, tuple[Problem, ...]]:
    """Our own profiles: read once, they are part of the program."""
    profiles = _Profiles()
    problems: list[Problem] = []
    _add_folder(profiles, PROFILES, problems)
    return profiles, tuple(problems)


def _add_folder(profiles: _Profiles, where: FilePath, problems: list[Problem]) -> None:
    def add(known: dict[str, Model | None], model: type[Model], name: str) -> None:
        path = where / name
        if (where == PROFILES or is_there(path)) and not _add(known, model, path, problems):
            profiles.unread.add(name)

    add(profiles.nodes, NodeProfile, NODES)
    add(profiles.switches, SwitchProfile, SWITCHES)
    add(profiles.asics, AsicProfile, ASICS)


def _add(
    known: dict[str, Model | None], model: type[Model], path: FilePath, problems: list[Problem]
) -> bool:
    """Whether the file could be read at all."""
    marked = yaml_mapping(path, problems)
    if marked is None or not isinstance(marked.value, dict):
        return False
    for name in marked.value:
        if name in known:
            hint = "a site's own profiles need names of their own"
            problems.append(marked.key_problem((name,), "a second profile", "each name once", hint))
            continue
        known[name] = _model(model, marked, (name,), problems)
    return True


def _named_all(
    known: dict[str, Model | None],
    names: Iterator[tuple[Path, str]],
    marked: Marked,
    problems: list[Problem],
    is_unread: bool,
) -> dict[str, Model] | None:
    """The profiles that the site names; a problem at each name that nobody has.

    None where one of them is missing or cannot be used. What a file that `is_unread` would
    have named is not called unknown: that file has its own problem.
    """
    out: dict[str, Model] = {}
    broken = False
    for path, name in names:
        found = known.get(name)
        if name not in known and not is_unread:
            expected = one_of(sorted(known)) if known else "a readable profile"
            hint = why_refused(name) or close_to(name, known)
            problems.append(marked.problem(path, f"`{name}`", expected, hint))
        if found is None:
            broken = True
        else:
            out[name] = found
    return None if broken else out


def _versions(
    folder: FilePath, state: FilePath | None, node: NodeProfile, site: Marked,
    problems: list[Problem],
) -> Versions | None:  # fmt: skip
    name = f"{node.os}-{node.arch}"
    path, origin = lock_path(folder, state, name)
    if not is_there(path):
        hint = f"there is no {origin}, and the site has no versions/{name}.yml"
        expected = "a profile whose packages are locked"
        found = f"a profile of {name}"
        problems.append(site.problem(("compute", "node_profile"), found, expected, hint))
        return None
    marked = yaml_mapping(path, problems)
    context = context_of(marked.value) if marked else None
    file = _model(VersionsFile, marked, (), problems, context) if marked else None
    compat = _compat(folder, problems)
    builds = read_builds(folder, node.os, node.arch, problems)
    return Versions(file, marked, origin, compat, builds) if file and marked else None


def _compat(folder: FilePath, problems: list[Problem]) -> CompatFile:
    """The project's table of what goes together, and the rows of a site's own."""
    path = folder / "versions" / COMPAT.name
    marked = yaml_mapping(path, problems) if is_there(path) else None
    own = _model(CompatFile, marked, (), problems) if marked else None
    return shipped_compat().with_rows(own) if own else shipped_compat()


def _package_key(state: FilePath | None, problems: list[Problem]) -> str:
    """The public key that signs packages; "" where nobody has made one yet."""
    if state is None or not is_there(state / PUBLIC_KEY):
        return ""
    path = state / PUBLIC_KEY
    text = text_of(path, problems, "an OpenPGP public key") or ""
    if text and not text.startswith(_PUBLIC_KEY_BEGINS):
        expected = "an armoured OpenPGP public key (RFC 4880, 6.2)"
        problems.append(Problem(label(path), 1, 1, "", "something else", expected))
    return text.rstrip("\n")


def _asbuilt(path: FilePath, problems: list[Problem]) -> AsBuilt:
    text = text_of(path, problems, "a CSV file")
    if text is None:
        return AsBuilt()
    asbuilt, wrong = parse_asbuilt(text, label(path))
    problems += wrong
    return asbuilt
