"""A site is looked at every night: the units, what systemd is told, and how they go again."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy.backups import schedule_run
from deploy.backups.schedule import MARK, Nightly, units
from deploy.backups.schedule_run import Scheduled, schedule
from deploy.errors import RailbedError
from deploy.session import Selection
from inventory import site_folder
from tests.deploy.command_line import railbed

SITE = "pod-256"
TIMER = f"railbed-{SITE}.timer"
SECRET = "Sw0rdfish-99"
ASKED = Nightly(
    "hall-1", Path("/srv/my sites/100%/hall-1"), Path("/var/lib/hall 1"), Path("/bin/true"),
    "02:30", "root", "tell-us@%n.service",
)  # fmt: skip
Does = Callable[..., Scheduled]


def test_what_the_units_say():
    service, timer = units(ASKED).values()
    assert [*units(ASKED)] == ["railbed-hall-1.service", "railbed-hall-1.timer"]
    lines = service.splitlines()
    for line in (
        "Type=oneshot",
        "User=root",
        "OnFailure=tell-us@%n.service",
        'Environment="RAILBED_SITE=/srv/my sites/100%%/hall-1"',
        'Environment="RAILBED_STATE=/var/lib/hall 1"',
        'ExecStart="/bin/true" drift',
        'ExecStopPost="/bin/true" backup',
        "NoNewPrivileges=yes",
        "ProtectSystem=full",
    ):
        assert line in lines
    for line in ("OnCalendar=*-*-* 02:30:00", "RandomizedDelaySec=10min", "Persistent=true"):
        assert line in timer.splitlines()
    own = units(replace(ASKED, user="", on_failure=""))["railbed-hall-1.service"]
    assert "User=" not in own
    assert "Protect" not in own, "a user's manager may not"
    assert "OnFailure" not in own


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
@pytest.mark.parametrize("user", ["", "root"])
def test_systemd_takes_them(tmp_path, user):
    texts = units(replace(ASKED, user=user, on_failure="" if not user else "basic.target"))
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [
            "systemd-analyze",
            "verify",
            *([] if user else ["--user"]),
            *(f"./{one}" for one in texts),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        check=False,
    )
    # It names units of this machine, too.
    assert "railbed-hall-1" not in done.stderr
    assert user == "" or done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at": "24:00"}, "--at 24:00: no time of the day"),
        ({"at": "2:30"}, "--at 2:30: no time of the day"),
        ({"at": "02:30\nUser=root"}, "no time of the day"),
        ({"on_failure": "a.service\nUser=x"}, "no unit that can be started"),
        ({"on_failure": "mail"}, "--on-failure mail: no unit that can be started"),
        ({"folder": Path('/srv/a"b')}, "no unit can name a path with '\"'"),
        ({"state": Path("/srv/a\nExecStart=b")}, r"no unit can name a path with '\\n'"),
        ({"program": Path("/srv/$x")}, r"no unit can name a path with '\$'"),
    ],
)
def test_what_no_unit_can_say_is_refused(change, said):
    with pytest.raises(RailbedError, match=said):
        units(replace(ASKED, **change))


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What systemctl was asked; it refuses while there is a file `refuses`."""
    folder, log = tmp_path / "bin", tmp_path / "told"
    folder.mkdir()
    script = folder / "systemctl"
    refuses = f"test ! -e {tmp_path}/refuses || {{ echo no bus >&2; exit 1; }}"
    script.write_text(f'#!/bin/sh\necho "$*" >>{log}\n{refuses}\n')
    script.chmod(0o755)
    log.write_text("")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(schedule_run, "SYSTEM", tmp_path / "system")
    return log


@pytest.fixture(params=["root", "somebody"])
def does(request: pytest.FixtureRequest, told: Path, monkeypatch: pytest.MonkeyPatch) -> Does:
    monkeypatch.setattr(os, "geteuid", lambda: 0 if request.param == "root" else 1000)
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name=request.param))

    def call(at: str = "02:30", *, write: bool = True, remove: bool = False) -> Scheduled:
        return schedule(Selection(SITE, "lab"), at, "", write=write, remove=remove)

    return call


def asked(told: Path) -> list[str]:
    """What systemctl was asked since the last look, without whose manager."""
    lines = told.read_text().splitlines()
    told.write_text("")
    return [one.removeprefix("--user ") for one in lines]


def test_it_is_said_written_once_changed_and_taken_away(does, told):
    first = does(write=False)
    assert set(first.done.values()) == {"is new"}
    assert asked(told) == []
    assert not [path for path in first.texts if path.exists()]
    is_own = any("config/systemd/user" in str(path) for path in first.texts)
    assert any("enable-linger somebody" in one for one in first.notes) == is_own
    does()
    assert {path: path.read_text() for path in first.texts} == first.texts
    assert {path.stat().st_mode & 0o777 for path in first.texts} == {0o644}
    assert asked(told) == ["daemon-reload", f"enable {TIMER}", f"restart {TIMER}"]
    assert set(does().done.values()) == {"is as asked for"}
    assert asked(told) == [f"enable {TIMER}", f"start {TIMER}"], "it may have been stopped by hand"
    later = does("03:15")
    assert sorted(later.done.values()) == ["is as asked for", "is changed"]
    assert asked(told) == ["daemon-reload", f"enable {TIMER}", f"restart {TIMER}"]
    assert set(does(write=False, remove=True).done.values()) == {"goes"}
    assert asked(told) == []
    does(remove=True)
    assert asked(told) == [f"disable --now {TIMER}", "daemon-reload"]
    assert not [path for path in first.texts if path.exists()]
    assert set(does(remove=True).done.values()) == {"is not there"}
    assert asked(told) == []


def test_what_is_left_of_a_unit_goes_too(does, told):
    """systemctl refuses a timer that is gone, and then nothing would ever be taken away."""
    service, timer = sorted(does().texts)
    timer.unlink()
    asked(told)
    does(remove=True)
    assert asked(told) == ["daemon-reload"]
    assert not service.exists()


def test_another_site_of_the_same_name_is_told(does, tmp_path):
    assert not any("another site of this name" in one for one in does().notes)
    mine = tmp_path / "100%" / "mine"
    shutil.copytree(site_folder(SITE), mine)
    for remove in (False, True):
        found = schedule(Selection(str(mine), "lab"), "02:30", "", write=False, remove=remove)
        (note,) = (one for one in found.notes if "another site of this name" in one)
        assert f" looks at {site_folder(SITE).resolve()}, " in note
    schedule(Selection(str(mine), "lab"), "02:30", "", write=True, remove=False)
    found = schedule(Selection(str(mine), "lab"), "02:30", "", write=False, remove=True)
    assert not any("another site of this name" in one for one in found.notes)


def test_the_units_are_of_who_asks_whatever_a_shell_kept(told, monkeypatch):
    """`su` leaves USER and LOGNAME to root as they were."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("USER", "LOGNAME"):
        monkeypatch.setenv(name, "somebody")
    found = schedule(Selection(SITE, "lab"), "02:30", "", write=False, remove=False)
    assert "User=root" in next(iter(found.texts.values())).splitlines()


def test_a_unit_of_somebody_else_is_left_alone(does, told):
    path, _ = does(write=False).texts
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/bin/true\n")
    for remove in (False, True):
        with pytest.raises(RailbedError, match="is not railbed's: somebody else wrote it"):
            does(remove=remove)
    assert path.read_text().startswith("[Service]")
    assert asked(told) == []


def test_what_systemd_refuses_is_told_and_the_next_try_mends_it(does, told):
    (told.parent / "refuses").touch()
    with pytest.raises(RailbedError, match=r"`systemctl .*daemon-reload`: no bus"):
        does()
    (told.parent / "refuses").unlink()
    asked(told)
    does()
    assert asked(told) == [f"enable {TIMER}", f"start {TIMER}"]


def test_without_systemd_it_can_be_said_and_not_done(does, told, monkeypatch):
    monkeypatch.setenv("PATH", str(told.parent))
    assert does(write=False).texts
    with pytest.raises(RailbedError, match="no systemd here"):
        does()


def test_a_credential_of_a_shell_is_named_and_never_written(told, monkeypatch):
    monkeypatch.setenv("RAILBED_TACACS_KEY", SECRET)
    said = railbed("schedule", "--site", "superpod-10k")
    assert said.returncode == 0, said.stderr
    assert "credential tacacs_key is env:RAILBED_TACACS_KEY, which no timer has" in " ".join(
        said.stdout.split()
    )
    assert SECRET not in said.stdout
    assert MARK.strip() in said.stdout
    assert said.stdout.endswith("nothing is written without --write\n")
    assert asked(told) == []


def test_a_lab_is_not_looked_at_every_night(told):
    said = railbed("schedule", "--site", "lab", "--write")
    assert (said.returncode, "is a lab's" in said.stderr) == (2, True)
    assert asked(told) == []
