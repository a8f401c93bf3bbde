"""What was read so far: of each device its newest texts, and what to tell of the rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from validation.audit.box import NotRead, Text

from .dated import age_of, device_of
from .places import kind_of, of_one_system


@dataclass
class Unit:
    """Files that belong together: one text, or those of one system's root."""

    name: str
    texts: dict[str, Text] = field(default_factory=dict)
    skipped: int = 0


@dataclass
class Store:
    """Takes texts as they come; of several backups of one device only the newest stay."""

    units: dict[str, Unit] = field(default_factory=dict)
    older: dict[str, set[str]] = field(default_factory=dict)
    refused: list[NotRead] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_looked_at: Counter[str] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)

    def wants(self, name: str) -> bool:
        """Whether this is the newest backup of its device so far: an older one is not read."""
        device = device_of(name) or name
        held = self.units.get(device)
        if held is None:
            self.units[device] = Unit(name)
            return True
        if held.name == name:
            return True
        newest, old = sorted((held.name, name), key=age_of)[::-1]
        self.older.setdefault(device, set()).add(old)
        if newest == name:
            self.units[device] = Unit(name)
        return newest == name

    def put(self, name: str, place: str, text: Text) -> None:
        """A text of what `wants` was asked of."""
        self.units[device_of(name) or name].texts[place] = text

    def skip_in(self, name: str) -> None:
        """A file beside the configurations of a system."""
        self.units[device_of(name) or name].skipped += 1

    def refuse(self, name: str, why: str) -> None:
        """What may be a configuration and could not be read."""
        self.refused.append(NotRead(name, why))

    def pass_by(self, name: str) -> None:
        """What is no configuration by its name."""
        self.not_looked_at[kind_of(name)] += 1

    def devices(self, top: str) -> dict[str, dict[str, Text]]:
        """The texts of each device, named as the files are."""
        out: dict[str, dict[str, Text]] = {}
        for unit in self.units.values():
            name = unit.name or top
            if not unit.texts and unit.skipped:
                why = "files of a system, and no configuration among them that is known here"
                self.refuse(name, why)
            elif unit.texts:
                is_root = all(place.startswith("/") for place in unit.texts)
                out[name] = of_one_system(unit.texts) if is_root else unit.texts
        return dict(sorted(out.items()))
