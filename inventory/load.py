"""The files of a site to a typed Fabric: every problem of every file at once."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from .asbuilt import AsBuilt, parse_asbuilt
from .marked import Marked, parse, place_of
from .model import Fabric
from .problems import InventoryError, Problem, close_to, one_of
from .schema import NodeProfile, SiteFile, SwitchProfile
from .wording import problem_of

Model = TypeVar("Model", bound=BaseModel)

SITES = FilePath(__file__).parent / "sites"
PROFILES = FilePath(__file__).parent / "profiles"
# Far above any real site, far below what would hurt the reader.
_MOST_BYTES = 64 * 2**20


@dataclass(slots=True)
class _Profiles:
    """Profiles by name, and the file each came from."""

    nodes: dict[str, NodeProfile] = field(default_factory=dict)
    switches: dict[str, SwitchProfile] = field(default_factory=dict)


def site_folder(site: FilePath | str) -> FilePath:
    """Return the folder of a site: a name under `inventory/sites`, or any folder."""
    named = SITES / site
    return named if isinstance(site, str) and "/" not in site and named.is_dir() else FilePath(site)


def load(site: FilePath | str) -> Fabric:
    """Return the Fabric of a site folder or name; raises InventoryError with all problems."""
    fabric, problems = read(site)
    if fabric is None or problems:
        raise InventoryError(problems)
    return fabric


def read(site: FilePath | str) -> tuple[Fabric | None, list[Problem]]:
    """As `load`, but a Fabric whose problems leave it readable comes back beside them."""
    folder = site_folder(site)
    if not folder.exists():
        return None, [_no_site(str(site))]
    problems: list[Problem] = []
    marked = _yaml(folder / "fabric.yml", problems)
    intent = _model(SiteFile, marked, (), problems) if marked else None
    profiles = _profiles(folder, problems)
    asbuilt = _asbuilt(folder / "asbuilt.csv", problems)
    if intent is None or marked is None:
        return None, problems
    compute = intent.compute
    node = _named(profiles.nodes, "node_profile", compute.node_profile, marked, problems)
    leaf = _named(profiles.switches, "leaf_profile", compute.leaf_profile, marked, problems)
    spine = _named(profiles.switches, "spine_profile", compute.spine_profile, marked, problems)
    if node is None or leaf is None or spine is None:
        return None, problems
    return Fabric(intent, node, leaf, spine, asbuilt, marked), problems


def _no_site(site: str) -> Problem:
    known = sorted(path.name for path in SITES.iterdir() if (path / "fabric.yml").exists())
    expected = f"a folder, or one of our sites: {one_of(known)}"
    return Problem(site, 1, 1, "", "no such folder", expected, close_to(site, known))


def text_of(path: FilePath, problems: list[Problem], kind: str) -> str | None:
    """Return the text of a file, or None and a problem. Never raises for what a disk can hold."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            problems.append(Problem(str(path), 1, 1, "", what, kind))
            return None
        if status.st_size > _MOST_BYTES:
            found = f"{status.st_size} bytes"
            problems.append(Problem(str(path), 1, 1, "", found, f"at most {_MOST_BYTES} bytes"))
            return None
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no such path"
        problems.append(Problem(str(path), 1, 1, "", why.lower(), kind))
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = place_of(raw[: error.start].decode("utf-8"), error.start)
        found = f"the byte 0x{raw[error.start]:02x}"
        problems.append(Problem(str(path), place.line, place.column, "", found, "UTF-8 text"))
        return None


def _yaml(path: FilePath, problems: list[Problem]) -> Marked | None:
    text = text_of(path, problems, "a YAML file")
    if text is None:
        return None
    marked = parse(text, str(path))
    problems += marked.problems
    if marked.value is None and not marked.problems:
        problems.append(marked.problem((), "an empty file", "a mapping"))
    return marked if isinstance(marked.value, dict) or _wants_mapping(marked, problems) else None


def _wants_mapping(marked: Marked, problems: list[Problem]) -> bool:
    if marked.value is not None:
        kind = "a list" if isinstance(marked.value, list) else "a single value"
        problems.append(marked.problem((), kind, "a mapping"))
    return False


def _model(
    model: type[Model], marked: Marked, at: tuple[str, ...], problems: list[Problem]
) -> Model | None:
    value = marked.value
    for part in at:
        value = value[part] if isinstance(value, dict) else None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        told = {one.path for one in marked.problems}
        found = (problem_of(model, one, marked, at) for one in error.errors(include_url=False))
        problems += [one for one in found if one.path not in told]
        return None


def _profiles(folder: FilePath, problems: list[Problem]) -> _Profiles:
    profiles = _Profiles()
    own = folder / "profiles"
    for where in (PROFILES, own) if own.is_dir() else (PROFILES,):
        _add(profiles.nodes, NodeProfile, where / "nodes.yml", problems)
        _add(profiles.switches, SwitchProfile, where / "switches.yml", problems)
    return profiles


def _add(
    known: dict[str, Model], model: type[Model], path: FilePath, problems: list[Problem]
) -> None:
    marked = _yaml(path, problems)
    if marked is None or not isinstance(marked.value, dict):
        return
    for name in marked.value:
        if name in known:
            hint = "a site's own profiles need names of their own"
            problems.append(marked.key_problem((name,), "a second profile", "each name once", hint))
            continue
        profile = _model(model, marked, (name,), problems)
        if profile is not None:
            known[name] = profile


def _named(
    known: dict[str, Model], key: str, name: str, marked: Marked, problems: list[Problem]
) -> Model | None:
    if name not in known:
        expected = one_of(sorted(known)) if known else "a readable profile"
        problems.append(
            marked.problem(("compute", key), f"`{name}`", expected, close_to(name, known))
        )
    return known.get(name)


def _asbuilt(path: FilePath, problems: list[Problem]) -> AsBuilt:
    text = text_of(path, problems, "a CSV file")
    if text is None:
        return AsBuilt()
    asbuilt, wrong = parse_asbuilt(text, str(path))
    problems += wrong
    return asbuilt
