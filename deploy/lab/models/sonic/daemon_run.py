"""What follows CONFIG_DB: the daemons of swss, syncd and lldp, and those of the host.

They make Linux do what the rows say, tell what its ports carried in COUNTERS_DB and what modules
are in them in STATE_DB, and end with the data path: its ports go down.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from .. import modules, under
from ..daemon_run import ready
from ..under import Run
from ..under_run import System, Under, said
from ..wanted import Wanted
from . import faults
from .box import CONFIG_DB
from .buffermgr import buffers
from .machine_run import Redis
from .optics import rows
from .orchagent import Event, Orchagent, port_oid, started
from .tables import Hashes, tables
from .wanted import MANAGEMENT, wanted

_KEYS = Path("/etc/ssh/keys/admin")
# sonic-buildimage, enable_counters.py; sonic-swss, portsorch.cpp: every 1000 ms.
_POLLED = {"FLEX_COUNTER_TABLE|PORT": {"FLEX_COUNTER_STATUS": "enable"}}
_EVERY_S = 1.0
# Errors before and after correction (sonic-utilities, utilities_common/portstat.py).
_RATES = {"FEC_PRE_BER": str(modules.PRE_FEC_RATIO), "FEC_POST_BER": "0.0"}


def with_admin(text: str) -> Wanted:
    """And who may log in, which CONFIG_DB does not say."""
    return replace(wanted(text), users={"admin": _KEYS.read_text().splitlines()})


SYSTEM = System(
    management=MANAGEMENT,
    description="SONiC Software Version: SONiC.202405 (a model of it)",
    wanted=with_admin,
    logins_get="/bin/bash",
)


def follow() -> None:
    """Until systemd ends it."""
    linux, config, counters = Under(SYSTEM), Redis(CONFIG_DB), Redis("COUNTERS_DB")
    agent, asic, state = Orchagent(), Written("ASIC_DB"), Written("STATE_DB")
    appl, held, is_first = Written("APPL_DB"), config.hashes(), True
    for written in Redis(CONFIG_DB).changes(_EVERY_S):
        if written or is_first:
            held = config.hashes()
            linux.becomes(json.dumps(tables(held)))
            appl.has(buffers(held))
        if is_first:
            agent = started(held)
        else:
            agent.refuses = [*faults.asked().refuses]
            agent.hears(heard(config, written))
        asic.has(agent.asic)
        if is_first:
            ready()
            if not config.ask("EXISTS", *_POLLED):
                config.write(_POLLED)
        is_first = False
        counters.write(counted(linux.wanted))
        state.has(rows(fitted(said, linux.wanted)))


def heard(config: Redis, written: Iterable[tuple[str, str]]) -> Iterator[Event]:
    """A row is read whole, as it is when its change is heard."""
    for name, verb in written:
        row = {} if verb == "del" else config.row(name)
        if row or verb == "del":
            yield ("SET" if row else "DEL"), name, row


class Written:
    """A database that only these daemons write.

    ASIC_DB: what orchagent made of rows. APPL_DB: what buffermgrd did. STATE_DB: modules.
    """

    def __init__(self, database: str) -> None:
        self.redis = Redis(database)
        self.redis.ask("FLUSHDB")
        self.held: Hashes = {}

    def has(self, wanted: Hashes) -> None:
        """Write what is new, and take away what is gone."""
        for name in self.held.keys() - wanted.keys():
            self.redis.ask("DEL", name)
        self.redis.write({one: row for one, row in wanted.items() if self.held.get(one) != row})
        self.held = {one: dict(row) for one, row in wanted.items()}


def fitted(run: Run, asked: Wanted) -> Iterator[modules.Module]:
    """The modules in ports that PORT has."""
    return (one for one in modules.modules(run, asked) if one.device in asked.ports)


def counted(asked: Wanted) -> Hashes:
    """Rows of the ports (sonic-swss, portsorch.cpp, port_rates.lua; SAI, saiport.h)."""
    made: Hashes = {"COUNTERS_PORT_NAME_MAP": {}}
    for link in under.links(said, asked):
        if not link.asked or not link.device.startswith(SYSTEM.ports):
            continue
        oid = port_oid(link.device)
        made["COUNTERS_PORT_NAME_MAP"][link.device] = oid
        made[f"RATES:{oid}"] = _RATES
        ways = {"IN": link.came, "OUT": link.went}
        made[f"COUNTERS:{oid}"] = {
            f"SAI_PORT_STAT_IF_{way}_{name}": str(held[kernel])
            for way, held in ways.items()
            for name, kernel in (("OCTETS", "bytes"), ("UCAST_PKTS", "packets"))
        } | {f"SAI_PORT_STAT_IF_{way}_DISCARDS": str(held["dropped"]) for way, held in ways.items()}
    return made if made["COUNTERS_PORT_NAME_MAP"] else {}


def end() -> None:
    """No data port without its ASIC; xcvrd deletes its rows, too (its `deinit`)."""
    asked = tables(Redis(CONFIG_DB).hashes())
    kept = {name: rows for name, rows in asked.items() if name.startswith(("MGMT", "DEVICE"))}
    Under(SYSTEM).becomes(json.dumps(kept))
    Redis("STATE_DB").ask("FLUSHDB")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if sys.argv[1:] == ["end"]:
        end()
    else:
        follow()
