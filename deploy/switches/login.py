"""How railbed logs in to the command line of a switch, beside its key."""

from __future__ import annotations

from dataclasses import dataclass, field

from deploy.context import Context
from deploy.transport import credentials

CREDENTIALS = ("switch_password", "switch_enable")


@dataclass(frozen=True, slots=True)
class Login:
    """How to log in to a command line, beside the key; "" for what the site does not name."""

    password: str = field(default="", repr=False)
    enable: str = field(default="", repr=False)

    @classmethod
    def read(cls, context: Context) -> Login:
        """By reference, as the site names them. RailbedError."""
        named = dict(context.plan.credentials)
        plan, folder = context.plan, context.state_dir
        return cls(*(credentials.read(plan, folder, n) if n in named else "" for n in CREDENTIALS))


BY_KEY_ALONE = Login()
