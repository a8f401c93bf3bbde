"""`schedule`: the nightly drift and backup of a site as units of systemd. Pure.

Options of units: systemd.service(5), systemd.timer(5), systemd.exec(5). No unit holds a credential:
these stay references in the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from inventory.state import STATE_VARIABLE

MARK = "# Written by railbed, whose verb `schedule` changes it and takes it away.\n"
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_UNIT = re.compile(r"[A-Za-z0-9:_.@%-]+\.(service|target)")
# What no way of quoting brings through all versions.
_UNQUOTED = re.compile(r"[\x00-\x1f\x7f\"'\\$]")
# Taken by the manager of a user as well as by the system's.
_FENCED = (
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
    "UMask=0077",
)
# A user's manager may not do these.
_FENCED_BY_ROOT = (
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectSystem=full",
)


@dataclass(frozen=True, slots=True)
class Nightly:
    """What is asked for: at which time of the day, for which site, by which program and whom.

    `user` is "" for the units of a user's own manager. `on_failure` is a unit that tells people.
    """

    site: str
    folder: Path
    state: Path
    program: Path
    at: str
    user: str = ""
    on_failure: str = ""

    @property
    def name(self) -> str:
        """Of the timer and its service."""
        return f"railbed-{self.site}"


def units(asked: Nightly) -> Mapping[str, str]:
    """The text of each unit, by its file's name. RailbedError for what no unit can say."""
    if not _CLOCK.fullmatch(asked.at):
        raise RailbedError(
            f"--at {asked.at}: no time of the day", "as 02:30, of this machine's clock"
        )
    if asked.on_failure and not _UNIT.fullmatch(asked.on_failure):
        raise RailbedError(
            f"--on-failure {asked.on_failure}: no unit that can be started", "as tell-us@%n.service"
        )
    program, what = _word(asked.program), f"drift and backup of the site {asked.site}"
    unit = [f"Description=railbed: nightly {what}"]
    if asked.user:
        unit += ["Wants=network-online.target", "After=network-online.target"]
    if asked.on_failure:
        unit.append(f"OnFailure={asked.on_failure}")
    fences = (*_FENCED, *(_FENCED_BY_ROOT if asked.user else ()))
    service = (
        "[Unit]", *unit, "",
        "[Service]", "Type=oneshot",
        *([f"User={asked.user}"] if asked.user else ()),
        f"Environment={_word(f'RAILBED_SITE={asked.folder}')}",
        f"Environment={_word(f'{STATE_VARIABLE}={asked.state}')}",
        "# It has failed with 1 where something drifted, with 3 where not all is known.",
        f"ExecStart={program} drift",
        "# Whatever that found: what changed is told once, and kept from then on.",
        f"ExecStopPost={program} backup",
        "TimeoutStartSec=6h", "TimeoutStopSec=6h", "Nice=10",
        *fences,
    )  # fmt: skip
    timer = (
        "[Unit]", f"Description=railbed: every night, {what}", "",
        "[Timer]", f"OnCalendar=*-*-* {asked.at}:00", "RandomizedDelaySec=10min",
        "Persistent=true", "",
        "[Install]", "WantedBy=timers.target",
    )  # fmt: skip
    pairs = ((".service", service), (".timer", timer))
    return {f"{asked.name}{kind}": MARK + "\n".join(lines) + "\n" for kind, lines in pairs}


def unset(credentials: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What is to be known of credentials that only a person's shell has."""
    return tuple(
        f"credential {name} is {reference}, which no timer has: name a file (`file:`) in the site, "
        "or a file of 0600 as `EnvironmentFile=` (`systemctl edit`)"
        for name, reference in credentials
        if reference.startswith("env:")
    )


def _word(text: object) -> str:
    """One word of a unit: quoted, and without specifiers (systemd.syntax(7), systemd.unit(5))."""
    if found := _UNQUOTED.search(str(text)):
        raise RailbedError(f"{text}: no unit can name a path with {found[0]!r}", "move or link it")
    return '"' + str(text).replace("%", "%%") + '"'
