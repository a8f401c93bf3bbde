"""A switch with SONiC in a folder, for a shell that finds its programs.

Programs and what they hold are those of the lab's model (`deploy/lab/models/sonic`); here a folder
stands for the disk, Redis and systemd. `main` runs once a command: FOLDER PROGRAM ARGUMENT...
What the switch is lies in FOLDER/state.json: CONFIG_DB as Redis hashes, what FRR runs, units that
wait, the timer, a clock that only a test, `sleep` and a reload move. Files of the switch lie in
FOLDER.

What each reply imitates (branches 202405 to 202505), beside what the model says of its own:
- `sonic-db-cli CONFIG_DB DEL`, `HDEL`: Redis; `EVAL SCRIPT 0 WORD...` (sonic-buildimage, swss.sh)
  has no Lua here: of CONFIG_DB it says how often counters are polled, of COUNTERS_DB what ports
  heard.
- `bgp graceful-shutdown` outside of an instance: FRR manual, BGP; shown before the instances.
- `service integrated-vtysh-config`: docker-fpm-frr, docker_init.sh; shown by FRR, vtysh/vtysh.c.
- A reload restarts the management port. Where its address or its table changes, sessions are lost
  (doc/Command-Reference.md, `load_mgmt_config`). The schema is migrated (scripts/db_migrator.py).
- FRR's files at the start of container bgp: docker-fpm-frr, docker_init.sh. A container that does
  not run: docker's own words.
- `vtysh -C` names a line that it does not know: FRR, vtysh. Here such a line begins with `bogus`.
- systemd: conditions, jobs, SERVICE_RESULT (systemd.unit(5), systemd.exec(5)). bgp.service may
  start three times in 1200 s (sonic-buildimage, bgp.service.j2); `reset-failed` forgets them.
No source shows how long a reload takes, nor what systemd prints of a job that fails.
"""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from deploy.lab.models.sonic import programs
from deploy.lab.models.sonic.box import CONFIG_DB, Refused, Switch
from deploy.lab.models.sonic.orchagent import Orchagent, events, started
from deploy.lab.models.sonic.sonic_yang import SonicYangException
from deploy.lab.models.sonic.tables import Hashes, tables
from deploy.lab.models.trees import Tree

STARTS, IN_S = 3, 1200.0
DRAIN = "bgp graceful-shutdown"
POLLED_MS = 1
VTYSH = "service integrated-vtysh-config"


class Machine(Switch):
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
        self.path("etc/sonic/config_db.json").write_text(startup)
        held: Tree = {
            "db": {}, "frr": None, "target": False, "now_s": 1000.0, "jobs": [], "due_s": None,
            "enabled": [], "starts": [], "net": 0, "boots": 0, "release": "202405", "calls": [],
            "reload_s": 150.0, "cut_at": "", "refuses": [], "migrates": {}, "orch": {},
            "ignores": [],
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
        with self.changing() as held:
            held["db"] = self.boots()
            self.start_target(held)

    def start_target(self, held: Tree) -> None:
        """sonic.target: the host's name, the management port, the containers."""
        now = tables(held["db"])
        name = now.get("DEVICE_METADATA", {}).get("localhost", {}).get("hostname", "sonic")
        self.path("proc/sys/kernel/hostname").write_text(f"{name}\n")
        at = json.dumps([now.get(one, {}) for one in ("MGMT_INTERFACE", "MGMT_VRF_CONFIG")])
        if at != held.get("at"):
            held |= {"at": at, "net": held["net"] + 1}
        held |= {"target": True, "orch": asdict(started(held["db"], held["ignores"]))}
        self.start_bgp(held)

    def start_bgp(self, held: Tree) -> None:
        recent = [at for at in held["starts"] if at > held["now_s"] - IN_S]
        if len(recent) >= STARTS:
            held["frr"] = None
            raise Refused("Job for bgp.service failed.")
        held["starts"] = [*recent, held["now_s"]]
        held["frr"] = self.routing(tables(held["db"]))

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

    # -- what its programs need ------------------------------------------------------------

    @property
    def release(self) -> str:  # type: ignore[override]
        return str(self.held["release"])

    def holds(self, database: str) -> Hashes:
        if database == "ASIC_DB":
            return dict(self.held["orch"]["asic"])
        assert database == CONFIG_DB
        return dict(self.held["db"])

    @contextmanager
    def followed(self) -> Iterator[Tree]:
        """Change CONFIG_DB; orchagent hears it where it runs."""
        with self.changing() as held:
            before = dict(held["db"])
            try:
                yield held
            finally:
                if held["target"]:
                    agent = Orchagent(**{**held["orch"], "refuses": held["ignores"]})
                    agent.hears(events(before, held["db"]))
                    held["orch"] = asdict(agent)

    def writes(self, held: Hashes) -> None:
        with self.followed() as now:
            for name, row in held.items():
                now["db"][name] = {**now["db"].get(name, {}), **row}
                if now["cut_at"] == name:
                    raise Refused("redis.exceptions.ConnectionError")

    def loads(self, held: Hashes) -> None:
        with self.changing() as now:
            now["db"] = held
            if now["cut_at"] == "reload":
                raise Refused("Aborted!")
            now["db"] |= now["migrates"]

    def asked(self, database: str, words: Sequence[str]) -> str:
        if words[:1] == ["EVAL"]:
            return counted(self, words[3:]) if database == "COUNTERS_DB" else f"{POLLED_MS}\n"
        if (database, words[0]) not in ((CONFIG_DB, "DEL"), (CONFIG_DB, "HDEL")):
            raise Refused(f"Invalid command ({words})")
        with self.followed() as held:
            if words[0] == "HDEL":
                row = dict(held["db"].pop(words[1], {}))
                lost = [row.pop(one) for one in words[2:] if one in row]
                held["db"] |= {words[1]: row} if row else {}
                return f"{len(lost)}\n"
            return f"{len([held['db'].pop(one) for one in words[1:] if one in held['db']])}\n"

    def stops(self) -> None:
        with self.changing() as held:
            held |= {"target": False, "frr": None}
            held["now_s"] += held["reload_s"]

    def starts(self) -> None:
        with self.changing() as held:
            held["starts"] = []  # it resets failed services itself
            self.start_target(held)


# -- programs ----------------------------------------------------------------------------------


def counted(machine: Machine, ports: Sequence[str]) -> str:
    """Each port has heard more at each reading, unless nobody uses the switch; or somebody does."""
    with machine.changing() as held:
        is_used = DRAIN not in (held["frr"] or "") or held.get("stuck")
        held["heard"] = held.get("heard", 0) + 50_000_000 * bool(is_used)
        return "".join(f"{port} {held['heard']} 0\n" for port in ports)


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
        return f"Building configuration...\n\nCurrent configuration:\n!\n{runs}{VTYSH}\n!\nend\n"
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


_SHARED = ("config", "sonic-cfggen", "sonic-db-cli", "sonic-db-dump")
PROGRAMS = {
    **{name: programs.PROGRAMS[name] for name in _SHARED},
    "docker": docker, "systemctl": systemctl, "sleep": slept,
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
