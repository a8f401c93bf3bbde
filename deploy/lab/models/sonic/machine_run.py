"""The switch as a machine: Redis, systemd, and its own disk.

Databases have SONiC's numbers (sonic-swss-common, database_config.json).
"""

from __future__ import annotations

import re
import select
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import Any

from .box import CONFIG_DB, Refused, Switch
from .tables import Hashes

NUMBERS = {"APPL_DB": 0, "ASIC_DB": 1, "COUNTERS_DB": 2, CONFIG_DB: 4, "STATE_DB": 6}
_SOCKET = "/run/redis/redis.sock"
_KNOWN = frozenset({"DEL", "EVAL", "EXISTS", "HDEL", "HGET", "HSET", "KEYS", "PING"})
_SETTLES_S = 0.1
# redis.io, "Redis keyspace notifications": a channel names the key, its message is the verb.
_TOLD = re.compile(rb"__keyspace@4__:([^\r]+)\r\n\$\d+\r\n(\w+)\r\n")
_NO_PORT = "Interface name is invalid. Please enter a valid interface name!!"
_UNITS = ("swss.service", "bgp.service", "sonic.target")


class Redis:
    """A connection to a database (redis.io, "Redis serialization protocol specification")."""

    def __init__(self, database: str) -> None:
        if database not in NUMBERS:
            raise Refused(f"Invalid database name input : '{database}'")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(_SOCKET)
        self.lines = self.socket.makefile("rb")
        self.ask("SELECT", str(NUMBERS[database]))

    def ask(self, *words: str) -> Any:
        """A command, and what Redis says."""
        said = [one.encode() for one in words]
        parts = [b"$%d\r\n%s\r\n" % (len(one), one) for one in said]
        self.socket.sendall(b"*%d\r\n%s" % (len(said), b"".join(parts)))
        return self._said()

    def _said(self) -> Any:
        line = self.lines.readline().decode().rstrip("\r\n")
        kind, rest = line[:1], line[1:]
        if kind == "-":
            raise Refused(rest)
        if kind == "$":
            return None if rest == "-1" else self.lines.read(int(rest) + 2)[:-2].decode()
        if kind == "*":
            return [self._said() for _ in range(int(rest))]
        return int(rest) if kind == ":" else rest

    def hashes(self) -> Hashes:
        """All of them."""
        found: Hashes = {}
        for key in sorted(self.ask("KEYS", "*")):
            found[key] = self.row(key)
        return found

    def write(self, held: Hashes) -> None:
        """Put these into it."""
        for key, row in held.items():
            self.ask("HSET", key, *(part for pair in row.items() for part in pair))

    def changes(self, wait_s: float) -> Iterator[list[tuple[str, str]]]:
        """At once, then whenever somebody wrote, or when this time is over: which keys, and how."""
        self.ask("PSUBSCRIBE", f"__keyspace@{NUMBERS[CONFIG_DB]}__:*")
        yield []
        while True:
            told = b""
            while select.select([self.socket], [], [], _SETTLES_S if told else wait_s)[0]:
                if not (more := self.socket.recv(1 << 16)):
                    return
                told += more
            yield [(key.decode(), verb.decode()) for key, verb in _TOLD.findall(told)]

    def row(self, key: str) -> dict[str, str]:
        """What a key holds; nothing where it is not."""
        said = self.ask("HGETALL", key)
        return dict(zip(said[::2], said[1::2], strict=True))


class Machine(Switch):
    """Of the lab."""

    def holds(self, database: str) -> Hashes:
        """All hashes of a database."""
        return Redis(database).hashes()

    def writes(self, held: Hashes) -> None:
        """What is not named stays."""
        Redis(CONFIG_DB).write(held)

    def loads(self, held: Hashes) -> None:
        """What was there is gone."""
        redis = Redis(CONFIG_DB)
        redis.ask("FLUSHDB")
        redis.write(held)

    def asked(self, database: str, words: Sequence[str]) -> str:
        """As `sonic-db-cli` prints it."""
        if words[0].upper() not in _KNOWN:
            raise Refused(f"{words[0]}: not in this model of sonic-db-cli")
        said = Redis(database).ask(*words)
        return "".join(f"{one}\n" for one in (said if isinstance(said, list) else [said]))

    def stops(self) -> None:
        """With the data path."""
        system("stop", "sonic.target")
        system("stop", *_UNITS)

    def starts(self) -> None:
        """`config reload` forgets how often they were started."""
        system("reset-failed", *_UNITS)
        system("restart", "sonic.target")

    def by_hand(self, words: Sequence[str]) -> None:
        """`config interface startup|shutdown PORT`."""
        match words:
            case ["interface", "startup" | "shutdown" as verb, port]:
                if f"PORT|{port}" not in self.holds(CONFIG_DB):
                    raise Refused(f"Error: {_NO_PORT}")
                status = "up" if verb == "startup" else "down"
                self.writes({f"PORT|{port}": {"admin_status": status}})
            case ["interface", verb, *_]:
                super().by_hand([verb])
            case _:
                super().by_hand(words)


def system(*words: str) -> bool:
    """systemctl(1)."""
    done = subprocess.run(["systemctl", *words], check=False, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def answers(limit_s: float) -> None:
    """Wait until Redis does."""
    give_up = time.monotonic() + limit_s
    while True:
        try:
            Redis(CONFIG_DB)
            return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)
