"""SONiC's own programs, as far as people and `apply` use them on a switch.

- `sonic-cfggen -d --print-data`, `-j FILE --write-to-db`: sonic-buildimage, sonic-config-engine.
- `sonic-db-cli DATABASE COMMAND ...`: Redis; `sonic-db-dump -n DATABASE -k PATTERN -y`: each key
  with its type and value (sonic-utilities, scripts/generate_dump).
- `config reload`: sonic-utilities, config/main.py: 202505 judges the file, unless it is standard
  input; services stop; CONFIG_DB is emptied; init_cfg.json and the file are written; sonic.target
  starts. `config save`: there. What a push does not use (`apply-patch`, `checkpoint`, `replace`,
  `rollback`) is refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

from .box import Refused, Switch
from .sonic_yang import SonicYang
from .tables import hashes

Program = Callable[[Switch, list[str]], str]


def cfggen(switch: Switch, words: list[str]) -> str:
    """`sonic-cfggen`."""
    if words == ["-d", "--print-data"]:
        return json.dumps(switch.tables, indent=4) + "\n"
    if words[::2] != ["-j", "--write-to-db"]:
        raise Refused(f"usage: sonic-cfggen ({words})")
    switch.writes(hashes(json.loads(Path(words[1]).read_text())))
    return ""


def db_cli(switch: Switch, words: list[str]) -> str:
    """`sonic-db-cli`."""
    database, *command = words
    return switch.asked(database, command)


def db_dump(switch: Switch, words: list[str]) -> str:
    """`sonic-db-dump`."""
    asked = dict(zip(words[::2], words[1::2], strict=False))
    held, pattern = switch.holds(asked["-n"]), asked.get("-k", "*")
    found = {
        key: {"expireat": 0, "ttl": -0.001, "type": "hash", "value": row}
        for key, row in sorted(held.items())
        if fnmatchcase(key, pattern)
    }
    return json.dumps(found, indent=2, sort_keys=True) + "\n"


def config(switch: Switch, words: list[str]) -> str:
    """`config`."""
    if words == ["save", "-y"]:
        text = cfggen(switch, ["-d", "--print-data"])
        switch.path("etc/sonic/config_db.json").write_text(text)
        return "Running command: /usr/local/bin/sonic-cfggen -d --print-data\n"
    if words[:3] != ["reload", "-y", "-f"]:
        switch.by_hand(words)
        return ""
    file = words[3] if words[3:] else "/etc/sonic/config_db.json"
    text = sys.stdin.read() if file == "/dev/stdin" else Path(file).read_text()
    new = json.loads(text)
    judge = SonicYang("")
    judge.loadData(new)
    if switch.release >= "202505" and file != "/dev/stdin":
        judge.validate_data_tree()
        if judge.tablesWithOutYang:
            raise Refused(f"Config tables are missing yang models: {judge.tablesWithOutYang}")
    switch.stops()
    switch.loads(switch.with_init(text))
    switch.starts()
    return "Restarting SONiC target ...\nReloading Monit configuration ...\n"


PROGRAMS: dict[str, Program] = {
    "config": config,
    "sonic-cfggen": cfggen,
    "sonic-db-cli": db_cli,
    "sonic-db-dump": db_dump,
}
