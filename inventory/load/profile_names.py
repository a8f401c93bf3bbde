"""Where a site names its profiles: the place in `fabric.yml`, and the name."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from inventory.schema import SiteFile

from .yaml_positions import Path


def node_profiles(intent: SiteFile) -> Iterator[tuple[Path, str]]:
    """Every place that names a profile of nodes."""
    yield ("compute", "node_profile"), intent.compute.node_profile
    for name, group in intent.servers.items():
        yield ("servers", name, "profile"), group.profile


def switch_profiles(intent: SiteFile) -> Iterator[tuple[Path, str]]:
    """Every place that names a profile of switches."""
    sections: list[tuple[Path, BaseModel | None]] = [(("compute",), intent.compute)]
    if intent.storage is not None:
        sections.append((("storage", "switches"), intent.storage.switches))
    if intent.business is not None and not isinstance(intent.business.switches, str):
        sections.append((("business", "switches"), intent.business.switches))
    sections.append((("oob", "switches"), intent.oob.switches))
    for path, section in sections:
        for key in type(section).model_fields if section else ():
            name = getattr(section, key)
            if key.endswith("_profile") and key != "node_profile" and name is not None:
                yield (*path, key), name
