"""The switch systems there are: each a package with what it can do as data in `abilities.yml`.

Ours are the folders of `switch_configs`; another Python package brings one by an entry point of
the group `railbed.switch_systems`: its name is the dialect, its value the package. Nothing of it
is imported here: the inventory reads files.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

GROUP = "railbed.switch_systems"
ABILITIES = "abilities.yml"
_OURS = Path(__file__).parents[2] / "switch_configs"


@cache
def packages() -> dict[str, str]:
    """The package of each dialect, by name. One of ours is never replaced by another's."""
    ours = {path.parent.name: f"{_OURS.name}.{path.parent.name}" for path in _files()}
    others = {point.name: point.module for point in entry_points(group=GROUP)}
    return dict(sorted((others | ours).items()))


@cache
def folders() -> dict[str, Path]:
    """Where each system's package lies. One that is announced and not installed is left out."""
    found = {path.parent.name: path.parent for path in _files()}
    for name, package in packages().items():
        if name not in found and (folder := _folder(package)):
            found[name] = folder
    return dict(sorted(found.items()))


def _folder(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # what it lies in is not there
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _files() -> list[Path]:
    return sorted(_OURS.glob(f"*/{ABILITIES}"))
