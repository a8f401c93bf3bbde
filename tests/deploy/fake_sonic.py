"""The programs of a made-up SONiC switch, for a shell that finds them.

`main` runs once a command: FOLDER PROGRAM ARGUMENT...; it imports nothing of ours. What
the switch is lies in FOLDER/state.json: CONFIG_DB as Redis hashes, what FRR runs, units that wait,
the timer, a clock that only a test, `sleep` and a reload move. Files of the switch lie in FOLDER.

What each reply imitates (branches 202405 to 202505):
- hashes, lists as `field@`, a row without fields as NULL, writing that leaves fields that it does
  not name: sonic-py-swsssdk, configdb.py (typed_to_raw, raw_to_typed, mod_entry).
- `sonic-cfggen -d --print-data`, `-j FILE --write-to-db`: sonic-buildimage, sonic-config-engine.
- `sonic-db-cli CONFIG_DB DEL`: Redis, DEL; `EVAL SCRIPT 0 WORD...` (sonic-buildimage, swss.sh) has
  no Lua here: of CONFIG_DB it says how often counters are polled, of COUNTERS_DB what ports heard.
- `bgp graceful-shutdown` outside of an instance: FRR manual, BGP; shown before the instances.
- `config reload`: sonic-utilities, config/main.py: the lock; 202505 judges the file, unless it is
  standard input; services stop; CONFIG_DB is emptied; init_cfg.json and the file are written; the
  schema is migrated; sonic.target starts, which restarts the management port. Where its
  address or its table changes, sessions are lost (doc/Command-Reference.md, `load_mgmt_config`).
- `config save`: there. A boot: sonic-buildimage, docker_image_ctl.j2.
- FRR's files at the start of container bgp: docker-fpm-frr, docker_init.sh: but for split-unified
  there is no frr.conf. A container that does not run: docker's own words.
- `vtysh -C` names a line that it does not know: FRR, vtysh. Here such a line begins with `bogus`.
- systemd: conditions, jobs, SERVICE_RESULT (systemd.unit(5), systemd.exec(5)). bgp.service may
  start three times in 1200 s (sonic-buildimage, bgp.service.j2); `reset-failed` forgets them.
- `sonic_yang`: sonic-yang-mgmt; here it judges the MTU of ports (sonic-port.yang) and has no model
  of tables that begin with VENDOR.
What a push does not use (`apply-patch`, `checkpoint`, `replace`, `rollback`) is refused. No source
shows how long a reload takes, nor what systemd prints of a job that fails.
"""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Tree = dict[str, Any]
STARTS, IN_S = 3, 1200.0
INIT: Tree = {
    "DEVICE_METADATA": {"localhost": {"default_bgp_status": "up", "timezone": "UTC"}},
    "CRM": {"Config": {"polling_interval": "300"}},
    "FEATURE": {name: {"state": "enabled", "auto_restart": "enabled"} for name in ("bgp", "swss")},
}
DRAIN = "bgp graceful-shutdown"
POLLED_MS = 1
FPM = ("no fpm use-next-hop-groups", "fpm address 127.0.0.1")


class Refused(Exception):
    """What a program says on its standard error."""


def merged(tree: Tree, more: Tree) -> Tree:
    """A tree with another one put into it."""
    out = dict(tree)
    for key, value in more.items():
        below = out.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            out[key] = merged(below, value)
        else:
            out[key] = value
    return out


def hashes(tables: Tree) -> Tree:
    """Tables as Redis holds them."""
    return {
        f"{table}|{key}": {
            (f"{name}@" if isinstance(value, list) else name): (
                ",".join(value) if isinstance(value, list) else str(value)
            )
            for name, value in row.items()
        }
        or {"NULL": "NULL"}
        for table, rows in tables.items()
        if table[0].isupper()
        for key, row in rows.items()
    }


def tables(held: Tree) -> Tree:
    """The same as programs print it."""
    out: Tree = {}
    for name, row in held.items():
        table, _, key = name.partition("|")
        out.setdefault(table, {})[key] = {
            field.removesuffix("@"): value.split(",") if field.endswith("@") else value
            for field, value in row.items()
        }
    return out


class SonicYangException(Exception):
    """What a model says no to."""


class SonicYang:
    """The models, as `sonic_yang` gives them."""

    def __init__(self, _models: str, **_options: object) -> None:
        self.found: Tree = {}
        self.tablesWithOutYang: Tree = {}

    def loadYangModel(self) -> None:  # noqa: N802 - its own name
        """They are here."""

    def loadData(self, configdbJson: Tree) -> None:  # noqa: N802, N803 - its own names
        self.found = configdbJson
        mine = {one: rows for one, rows in configdbJson.items() if one.startswith("VENDOR")}
        self.tablesWithOutYang = mine

    def validate_data_tree(self) -> None:
        for port, row in self.found.get("PORT", {}).items():
            if not 68 <= int(row.get("mtu", "9100")) <= 9216:
                raise SonicYangException(f'Value "{row["mtu"]}" of {port} is out of range.')


class Machine:
    """The switch of a folder; changes are kept by `with machine.changing() as held`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def held(self) -> Tree:
        return dict(json.loads((self.folder / "state.json").read_text()))

    @contextmanager
    def changing(self) -> Iterator[Tree]:
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            held = self.held
            try:
                yield held
            finally:
                (self.folder / "state.json").write_text(json.dumps(held))

    def path(self, name: str) -> Path:
        return self.folder / name.removeprefix(f"{self.folder}/").lstrip("/")

    def start(self, startup: str) -> None:
        """A switch that has booted this."""
        self.path("etc/sonic/init_cfg.json").write_text(json.dumps(INIT))
        self.path("etc/sonic/config_db.json").write_text(startup)
        held: Tree = {
            "db": {}, "frr": None, "target": False, "now_s": 1000.0, "jobs": [], "due_s": None,
            "enabled": [], "starts": [], "net": 0, "boots": 0, "release": "202405", "calls": [],
            "reload_s": 150.0, "cut_at": "", "refuses": [], "migrates": {},
        }  # fmt: skip
        (self.folder / "state.json").write_text(json.dumps(held))
        self.boot()

    # -- services --------------------------------------------------------------------------

    def boot(self) -> None:
        """Power on: what is enabled first, then what is in the startup file."""
        with self.changing() as held:
            held |= {"frr": None, "target": False, "jobs": [], "due_s": None, "starts": []}
            held["boots"] += 1
            enabled = list(held["enabled"])
        for unit in enabled:
            self.run_unit(unit)
        text = self.path("etc/sonic/config_db.json").read_text()
        with self.changing() as held:
            held["db"] = hashes(merged(INIT, json.loads(text)))
            self.start_target(held)

    def start_target(self, held: Tree) -> None:
        """sonic.target: the host's name, the management port, the containers."""
        now = tables(held["db"])
        name = now.get("DEVICE_METADATA", {}).get("localhost", {}).get("hostname", "sonic")
        self.path("proc/sys/kernel/hostname").write_text(f"{name}\n")
        at = json.dumps([now.get(one, {}) for one in ("MGMT_INTERFACE", "MGMT_VRF_CONFIG")])
        if at != held.get("at"):
            held |= {"at": at, "net": held["net"] + 1}
        held["target"] = True
        self.start_bgp(held)

    def start_bgp(self, held: Tree) -> None:
        recent = [at for at in held["starts"] if at > held["now_s"] - IN_S]
        if len(recent) >= STARTS:
            held["frr"] = None
            raise Refused("Job for bgp.service failed.")
        held["starts"] = [*recent, held["now_s"]]
        box = tables(held["db"]).get("DEVICE_METADATA", {}).get("localhost", {})
        path = self.path("etc/sonic/frr/frr.conf")
        if box.get("docker_routing_config_mode") != "split-unified":
            path.unlink(missing_ok=True)
            held["frr"] = f"hostname {box.get('hostname', 'sonic')}\n" + "\n".join(FPM) + "\n"
            return
        text = path.read_text() if path.exists() else ""
        if FPM[0] not in text:
            text += "".join(f"{line}\n" for line in FPM)
            path.write_text(text)
        held["frr"] = text

    def pass_s(self, seconds: float) -> None:
        """Let time pass: jobs that wait are done, then what is due."""
        with self.changing() as held:
            held["now_s"] += seconds
            jobs, held["jobs"] = held["jobs"], []
        for unit in jobs:
            self.run_unit(unit)
        with self.changing() as held:
            is_due = held["due_s"] is not None and held["now_s"] >= held["due_s"]
            held["due_s"] = None if is_due else held["due_s"]
        if is_due:
            self.run_unit("railbed-rollback-now.service")

    def run_unit(self, unit: str) -> int:
        """A unit of type oneshot, to its end."""
        said = self.path(f"etc/systemd/system/{unit}").read_text()
        words = dict(re.findall(r"(?m)^(\w+)=(.*)$", said))
        if not Path(words["ConditionPathExists"]).exists():
            return 0
        place = {"PATH": f"{self.folder}/bin:/usr/bin:/bin"}
        result = "exit-code"
        with self.changing() as held:
            if held["reload_s"] > float(words["TimeoutStartSec"]):
                held["cut_at"], result = "reload", "timeout"
        with self.path("journal").open("a") as journal:
            done = subprocess.run(
                words["ExecStart"].split(), stdout=journal, stderr=journal, env=place,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
            if "ExecStopPost" in words:
                place["SERVICE_RESULT"] = "success" if done.returncode == 0 else result
                subprocess.run(words["ExecStopPost"].split(), env=place)
        with self.changing() as held:
            held["cut_at"] = "" if result == "timeout" else held["cut_at"]
        return done.returncode


# -- programs ----------------------------------------------------------------------------------


def cfggen(machine: Machine, words: list[str]) -> str:
    """`sonic-cfggen`."""
    if words == ["-d", "--print-data"]:
        return json.dumps(tables(machine.held["db"]), indent=4) + "\n"
    if words[::2] != ["-j", "--write-to-db"]:
        raise Refused(f"usage: sonic-cfggen ({words})")
    with machine.changing() as held:
        for name, row in hashes(json.loads(Path(words[1]).read_text())).items():
            held["db"][name] = {**held["db"].get(name, {}), **row}
            if held["cut_at"] == name:
                raise Refused("redis.exceptions.ConnectionError")
    return ""


def db_cli(machine: Machine, words: list[str]) -> str:
    """`sonic-db-cli`."""
    if words[1:2] == ["EVAL"]:
        return counted(machine, words[4:]) if words[0] == "COUNTERS_DB" else f"{POLLED_MS}\n"
    if words[:2] != ["CONFIG_DB", "DEL"]:
        raise Refused(f"Invalid command ({words})")
    with machine.changing() as held:
        return f"{len([held['db'].pop(one) for one in words[2:] if one in held['db']])}\n"


def counted(machine: Machine, ports: list[str]) -> str:
    """Each port has heard more at each reading, unless nobody uses the switch; or somebody does."""
    with machine.changing() as held:
        is_used = DRAIN not in (held["frr"] or "") or held.get("stuck")
        held["heard"] = held.get("heard", 0) + 50_000_000 * bool(is_used)
        return "".join(f"{port} {held['heard']} 0\n" for port in ports)


def config(machine: Machine, words: list[str]) -> str:
    """`config`."""
    if words == ["save", "-y"]:
        text = cfggen(machine, ["-d", "--print-data"])
        machine.path("etc/sonic/config_db.json").write_text(text)
        return "Running command: /usr/local/bin/sonic-cfggen -d --print-data\n"
    if words[:3] != ["reload", "-y", "-f"]:
        raise Refused(f'Error: No such command "{words[0]}".')
    file = words[3]
    new = json.loads(sys.stdin.read() if file == "/dev/stdin" else Path(file).read_text())
    judge = SonicYang("")
    judge.loadData(new)
    if machine.held["release"] == "202505" and file != "/dev/stdin":
        judge.validate_data_tree()
        if judge.tablesWithOutYang:
            raise Refused(f"Config tables are missing yang models: {judge.tablesWithOutYang}")
    with machine.changing() as held:
        held |= {"target": False, "frr": None}
        held["now_s"] += held["reload_s"]
    with machine.changing() as held:
        init = json.loads(machine.path("etc/sonic/init_cfg.json").read_text())
        held["db"] = hashes(merged(init, new))
        if held["cut_at"] == "reload":
            raise Refused("Aborted!")
        held["db"] |= held["migrates"]
    with machine.changing() as held:
        held["starts"] = []  # it resets failed services itself
        machine.start_target(held)
    return "Restarting SONiC target ...\nReloading Monit configuration ...\n"


def docker(machine: Machine, words: list[str]) -> str:
    """`docker exec bgp ...`."""
    runs, line = machine.held["frr"], words[-1]
    if runs is None:
        raise Refused("Error response from daemon: container bgp is not running")
    if "vtysh -C" in line:
        for number, text in enumerate(sys.stdin.read().splitlines(), 1):
            if text.startswith("bogus"):
                raise Refused(f"line {number}: % Unknown command: {text}")
        return ""
    if "show running-config" in line:
        return f"Building configuration...\n\nCurrent configuration:\n!\n{runs}!\nend\n"
    if "show version" in line:
        return "FRRouting 8.5.4\n"
    if words[-1] in (DRAIN, f"no {DRAIN}"):
        with machine.changing() as held:
            # With its remark, of which FRR keeps none.
            rest = re.sub(rf"(?m)^(! .*\n)?{DRAIN}\n", "", held["frr"])
            held["frr"] = rest if line.startswith("no ") else f"{DRAIN}\n{rest}"
        return ""
    raise Refused(f"% Unknown command: {line}")


def systemctl(machine: Machine, words: list[str]) -> str:
    """`systemctl`."""
    verb, *rest = [one for one in words if not one.startswith("--")]
    unit = rest[0] if rest else ""
    if verb == "start":
        if "--no-block" in words:
            with machine.changing() as held:
                held["jobs"].append(unit)
        elif machine.run_unit(unit):
            raise Refused(f"Job for {unit} failed.")
        return ""
    if verb == "is-active":
        is_on = unit == "sonic.target" and machine.held["target"]
        return "active\n" if is_on else sys.exit(3)
    with machine.changing() as held:
        if verb == "enable":
            held["enabled"] = sorted({*held["enabled"], unit})
        elif (verb, unit) == ("restart", "railbed-rollback.timer"):
            text = machine.path(f"etc/systemd/system/{unit}").read_text()
            seconds = re.search(r"OnActiveSec=(\d+)", text)
            held["due_s"] = held["now_s"] + float(seconds[1]) if seconds else None
        elif (verb, unit) == ("stop", "railbed-rollback.timer"):
            held["due_s"] = None
        elif (verb, unit) == ("restart", "bgp.service"):
            machine.start_bgp(held)
        elif (verb, unit) == ("reset-failed", "bgp.service"):
            held["starts"] = []
        elif verb != "daemon-reload":
            raise Refused(f"Unknown command verb {verb} {unit}.")
    return ""


def slept(machine: Machine, words: list[str]) -> str:
    """sleep(1)."""
    machine.pass_s(float(words[0]))
    return ""


PROGRAMS = {
    "sonic-cfggen": cfggen, "sonic-db-cli": db_cli, "config": config, "docker": docker,
    "systemctl": systemctl, "sleep": slept,
}  # fmt: skip


def main() -> int:
    """One command."""
    folder, program, *words = sys.argv[1:]
    machine = Machine(Path(folder))
    with machine.changing() as held:
        held["calls"].append(line := " ".join([program, *words]))
    if any(line.startswith(one) for one in machine.held["refuses"]):
        sys.stderr.write("internal error\n")
        return 1
    try:
        sys.stdout.write(PROGRAMS[program](machine, words))
    except (Refused, SonicYangException) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
