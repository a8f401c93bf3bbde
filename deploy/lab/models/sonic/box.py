"""What SONiC's programs need of the switch they run on: its databases, its files, its services.

Who holds it says by what it is reached: a test holds a folder, a machine of the lab has Redis,
systemd and a disk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..trees import Tree, merged
from .tables import Hashes, hashes, tables

CONFIG_DB = "CONFIG_DB"
FRR = "8.5.4"  # of 202405: sonic-buildimage, rules/frr.mk
# What every reload and every boot merges in: sonic-buildimage, init_cfg.json.j2.
INIT: Tree = {
    "DEVICE_METADATA": {"localhost": {"default_bgp_status": "up", "timezone": "UTC"}},
    "CRM": {"Config": {"polling_interval": "300"}},
    "FEATURE": {name: {"state": "enabled", "auto_restart": "enabled"} for name in ("bgp", "swss")},
}
# What docker-fpm-frr, docker_init.sh, adds to a frr.conf without it.
FPM = ("no fpm use-next-hop-groups", "fpm address 127.0.0.1")


class Refused(Exception):
    """What a program says on its standard error."""


class Switch:
    """A switch under its programs."""

    release = "202405"

    def path(self, name: str) -> Path:
        """Where a file of the switch lies."""
        return Path("/") / name

    def holds(self, database: str) -> Hashes:
        """All hashes of a database."""
        raise NotImplementedError(database)

    def writes(self, held: Hashes) -> None:
        """Put these into CONFIG_DB: what they do not name stays (configdb.py, mod_entry)."""
        raise NotImplementedError(held)

    def loads(self, held: Hashes) -> None:
        """Empty CONFIG_DB, and put these into it."""
        raise NotImplementedError(held)

    def asked(self, database: str, words: Sequence[str]) -> str:
        """What Redis says to a command."""
        raise NotImplementedError(f"{database}: {words}")

    def stops(self) -> None:
        """`systemctl stop sonic.target`: all containers of the data path."""
        raise NotImplementedError

    def starts(self) -> None:
        """Start it anew, with the management port."""
        raise NotImplementedError

    def by_hand(self, words: Sequence[str]) -> None:
        """Commands of `config` that people give."""
        raise Refused(f'Error: No such command "{"".join(words[:1])}".')

    @property
    def tables(self) -> Tree:
        """What runs."""
        return tables(self.holds(CONFIG_DB))

    def with_init(self, text: str) -> Hashes:
        """A file, with what the image brings, as CONFIG_DB holds them."""
        init = json.loads(self.path("etc/sonic/init_cfg.json").read_text())
        return hashes(merged(init, json.loads(text)))

    def boots(self) -> Hashes:
        """What CONFIG_DB holds after a boot: docker_image_ctl.j2 loads the startup file."""
        self.path("etc/sonic/init_cfg.json").write_text(json.dumps(INIT))
        return self.with_init(self.path("etc/sonic/config_db.json").read_text())

    def routing(self, runs: Tree) -> str:
        """The frr.conf with which container bgp starts (docker-fpm-frr, docker_init.sh).

        But for split-unified there is none: templates of the image make it.
        """
        box = runs.get("DEVICE_METADATA", {}).get("localhost", {})
        path = self.path("etc/sonic/frr/frr.conf")
        if box.get("docker_routing_config_mode") != "split-unified":
            path.unlink(missing_ok=True)
            return f"hostname {box.get('hostname', 'sonic')}\n" + "\n".join(FPM) + "\n"
        text = path.read_text() if path.exists() else ""
        if FPM[0] not in text:
            text += "".join(f"{line}\n" for line in FPM)
            path.write_text(text)
        return text
