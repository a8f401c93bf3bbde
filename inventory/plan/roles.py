"""What a site says of the roles' variables, resolved for one host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RoleVariable:
    """A variable of a role that takes the place of the role's default on one host.

    `value` is a number, a text, or the texts of a list. Of a mapping it is None, and `settings`
    are its names and values, sorted: the whole mapping, the role's default among them.
    """

    name: str
    value: int | str | tuple[str, ...] | None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def plain(self) -> object:
        """The value as JSON has it: a number, a text, a list or a mapping."""
        if self.value is None:
            return dict(self.settings)
        return list(self.value) if isinstance(self.value, tuple) else self.value
