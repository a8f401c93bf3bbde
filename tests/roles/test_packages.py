"""Packages at exact versions: what is done, in which order, what is refused; dpkg and rpm."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.lab.hardware.debs import Deb
from roles import resources
from roles.plugins.module_utils import railbed_packages as logic
from tests.standins.roots import Root, repository

NONE = logic.Found({}, frozenset(), frozenset())
DNF = "nvidia-fabricmanager-580.2-1 nvidia-open-580.2-1"
LOCKS = "'nvidia-fabricmanager-580.2-1.*' 'nvidia-open-580.2-1.*'"
LOCK = "dnf -q -y --disablerepo='*' versionlock"
ONLY = "--disablerepo='*' --enablerepo='railbed-*' --setopt=install_weak_deps=False"
INSTALL = f"dnf -y {ONLY} --setopt='railbed-*.metadata_expire=never' install {DNF}"
DRIVER = {"nvidia-open": "580.2-1", "nvidia-fabricmanager": "580.2-1"}


def found(installed: dict[str, str], held: set[str] | None = None) -> logic.Found:
    return logic.Found(installed, frozenset(), frozenset(held or ()))


def test_dpkg_tells_state_version_and_hold():
    """dpkg-query(1), Status: what was removed leaves `config-files`."""
    read = logic.found(
        "deb",
        "install installed chrony=4.3-2+deb12u3\n"
        "deinstall config-files iperf3=3.12-1\n"
        "hold installed rdma-core=44.0-2\n"
        "install unpacked nvidia-open=1:2\n"
        "unknown not-installed x=\n",
    )
    assert read.installed == {"chrony": "4.3-2+deb12u3", "rdma-core": "44.0-2"}
    assert (set(read.broken), set(read.held)) == ({"nvidia-open"}, {"rdma-core"})


def test_rpm_tells_epochs_and_locks():
    """rpm(8), --queryformat; dnf-plugins-core, versionlock: NAME-EPOCH:VERSION-RELEASE.*."""
    read = logic.found(
        "rpm",
        "install installed nvidia-open=3:580.2-1.el9\n"
        "install installed nvidia-open-tools=0:1-1\n"
        "locked nvidia-open-3:580.2-1.el9.*\n"
        "locked nvidia-open-tools-1-2.*\n",
    )
    assert read.installed == {"nvidia-open": "3:580.2-1.el9", "nvidia-open-tools": "1-1"}
    assert set(read.held) == {"nvidia-open"}


@pytest.mark.parametrize("epoch", ["", "0:"])
def test_a_version_that_begins_with_a_letter_is_held_and_let_go(epoch):
    """rpm-version(7) has letters anywhere; a role that never found its hold would never end."""
    wanted = {"mft-oem": "v4.30-r1.el9"}
    there = f"install installed mft-oem=0:v4.30-r1.el9\nlocked mft-oem-{epoch}v4.30-r1.el9.*\n"
    assert logic.changes(logic.found("rpm", there), wanted, hold=True) == []
    stale = logic.found("rpm", there.replace("-r1.el9.*", "-r0.el9.*"))
    assert f"{LOCK} delete mft-oem" in logic.commands("rpm", stale, wanted, hold=True)


def test_a_set_is_changed_in_one_transaction_and_held_again():
    there = found({"nvidia-open": "580.1-1", "nvidia-fabricmanager": "580.2-1"}, set(DRIVER))
    *_, install, hold = logic.commands("deb", there, DRIVER, hold=True)
    assert install.endswith("install nvidia-fabricmanager=580.2-1 nvidia-open=580.2-1")
    assert "--allow-downgrades --allow-change-held-packages" in install
    assert hold == "apt-mark hold nvidia-fabricmanager nvidia-open"


def test_dnf_lets_a_lock_go_before_it_changes_what_is_locked():
    there = found({"nvidia-open": "580.1-1"}, {"nvidia-open"})
    asks, frees, looks, *rest = logic.commands("rpm", there, DRIVER, hold=True)
    assert asks.startswith(f"{LOCK} list")
    assert frees == f"{LOCK} delete nvidia-open"
    assert looks.startswith(f"dnf -q -y {ONLY} --refresh makecache || exit 1; ")
    assert rest == [INSTALL, f"{LOCK} add --raw {LOCKS}"]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'Repo-revision      : 4000000000'", ""),
        ("echo 'Repo-revision      : 1700000000'", "lists of packages that ended at Tue Nov 14"),
        ("echo 'Repo-revision      : soon'", "lists of packages that ended at soon,"),
        ("exit 0", "lists of packages that ended at ,"),
        ("case $* in *makecache) echo broken >&2; exit 1 ;; esac", "broken"),
    ],
    ids=["later", "before", "no time", "silent", "no lists"],
)
def test_dnf_takes_only_lists_that_have_not_ended(tmp_path, script, told):
    tool(tmp_path, "dnf", script)
    looks, install = logic.commands("rpm", NONE, DRIVER, hold=False)
    done = run(looks, tmp_path, TZ="UTC")
    assert (done.returncode, told in done.stderr) == (int(bool(told)), True)
    assert install == INSTALL


def test_a_lock_of_another_version_is_no_hold_and_goes():
    """Beside it the wanted version could not be installed, nor kept."""
    lines = [f"install installed {name}=0:{version}" for name, version in DRIVER.items()]
    locks = ["locked nvidia-open-0:580.1-1.*", "locked nvidia-fabricmanager-0:580.2-1.*"]
    there = logic.found("rpm", "\n".join([*lines, *locks]))
    assert set(there.held) == {"nvidia-fabricmanager"}
    assert logic.changes(there, DRIVER, hold=True) == ["nvidia-open: hold"]
    assert logic.commands("rpm", there, DRIVER, hold=True)[1:] == [
        f"{LOCK} delete {' '.join(sorted(DRIVER))}",
        f"{LOCK} add --raw {LOCKS}",
    ]
    stale = logic.found("rpm", locks[0])
    assert logic.commands("rpm", stale, DRIVER, hold=False)[1] == (f"{LOCK} delete nvidia-open")


def test_without_versionlock_nothing_is_installed_that_is_to_be_held(tmp_path):
    asks = logic.commands("rpm", NONE, DRIVER, hold=True)[0]
    assert not [one for one in logic.commands("rpm", NONE, DRIVER, hold=False) if LOCK in one]
    for script, status in (("echo No such command: versionlock >&2; exit 1", 1), ("exit 0", 0)):
        tool(tmp_path, "dnf", script)
        done = run(asks, tmp_path)
        assert done.returncode == status
        assert ("lock it beside chrony (components.time)" in done.stderr) is bool(status)


def tool(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def run(command: str, tools: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{tools}:/usr/bin:/bin", "LC_ALL": "C", **more}
    argv = ["sh", "-c", command]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60)


NEW = Deb("driver", "2", fields={"Conflicts": "monitor, driver-fw-1", "Breaks": "neighbour (<< 2)"})
OLD = [
    Deb("driver", "1"),
    Deb("driver-fw-1", "1"),
    Deb("monitor", "1"),
    Deb("viewer", "1", "monitor"),
]


@pytest.mark.parametrize(
    ("debs", "told"),
    [
        (OLD[:2], ""),
        ([*OLD[:2], Deb("neighbour", "1")], ""),
        (
            OLD,
            (
                "found that apt would remove monitor viewer, expected only driver-fw-1 to go; "
                "remove it first, or lock versions that can be beside it"
            ),
        ),
    ],
)
def test_what_apt_would_remove_unasked_is_refused_by_name(tmp_path, debs, told):
    """With the real apt, in a root of its own; a neighbour that comes along newer may."""
    source = repository(tmp_path / "repo", [NEW, Deb("neighbour", "2")], None)
    root = Root(tmp_path / "root", source)
    (tmp_path / "root/etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{source} ./\n")
    root.have(debs)
    root.must("update")
    there = found({one.name: one.version for one in debs}, {"monitor"})
    asked = logic.commands("deb", there, {"driver": "2"}, False, ["driver-fw-*"])
    [guard] = [one for one in asked if "--simulate" in one]
    assert asked.index(guard) < next(
        at for at, one in enumerate(asked) if "-fw-1-" in one and one != guard
    )
    config = str(tmp_path / "root/etc/apt/apt.conf")
    done = run(guard, tmp_path, APT_CONFIG=config)
    assert (done.returncode, done.stderr.strip()) == (1 if told else 0, told)


def test_what_apt_cannot_do_is_said_and_stops_there(tmp_path):
    tool(tmp_path, "apt-get", "echo The following packages have unmet dependencies; exit 100")
    guard = logic.commands("deb", NONE, DRIVER, hold=True)[2]
    done = run(guard, tmp_path)
    assert (done.returncode, done.stderr) == (1, "The following packages have unmet dependencies\n")


def test_needrestart_is_asked_to_wait(tmp_path):
    """needrestart(1): its hook of apt does nothing where the variable is set."""
    asked = [one for one in logic.commands("deb", NONE, DRIVER, hold=True) if " install " in one]
    assert asked
    for command in asked:
        tool(tmp_path, "apt-get", 'echo "suspended=$NEEDRESTART_SUSPEND" >&2')
        assert run(command, tmp_path).stderr == "suspended=1\n"


@pytest.mark.parametrize("family", ["deb", "rpm"])
def test_nothing_is_done_where_all_is_so(family):
    assert logic.commands(family, found(dict(DRIVER), set(DRIVER)), DRIVER, hold=True) == []
    assert logic.commands(family, found(dict(DRIVER)), DRIVER, hold=False) == []


@pytest.mark.parametrize(
    ("there", "hold", "told"),
    [
        (found(dict(DRIVER)), True, "apt-mark hold nvidia-fabricmanager nvidia-open"),
        (found(dict(DRIVER), set(DRIVER)), False, "apt-mark unhold nvidia-fabricmanager"),
    ],
)
def test_a_lost_hold_is_set_again_and_a_strange_one_let_go(there, hold, told):
    """apt-get's --allow-change-held-packages takes holds away, and says nothing."""
    [command] = logic.commands("deb", there, DRIVER, hold=hold)
    assert command.startswith(told)


ANY = {"chrony": "", "nftables": ""}


def test_of_any_version_only_what_is_missing_is_installed(tmp_path):
    """With the real apt: what is there stays at its version, and systemd-timesyncd goes."""
    other = Deb("systemd-timesyncd", "1", fields={"Provides": "time-daemon"})
    rival = {"Conflicts": "time-daemon", "Provides": "time-daemon"}
    debs = [Deb("chrony", "4", fields=rival), Deb("nftables", "2")]
    source = repository(tmp_path / "repo", debs, None)
    root = Root(tmp_path / "root", source)
    (tmp_path / "root/etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{source} ./\n")
    root.have([other, Deb("nftables", "1")])
    there = found({"systemd-timesyncd": "1", "nftables": "1"}, {"nftables"})
    replaced = ["systemd-timesyncd"]
    assert logic.changes(there, ANY, False, replaced) == [
        "systemd-timesyncd -> absent", "chrony absent -> installed",
    ]  # fmt: skip
    config = {"APT_CONFIG": str(tmp_path / "root/etc/apt/apt.conf")}
    for command in logic.commands("deb", there, ANY, False, replaced):
        if "dpkg --force" not in command:
            done = run(command, tmp_path, **config)
            assert done.returncode == 0, done.stderr
    assert root.installed() == {"chrony": "4", "nftables": "1"}


@pytest.mark.parametrize("family", ["deb", "rpm"])
def test_of_any_version_a_hold_is_the_hosts_own(family):
    """And a package that is there is not named: apt would bring it to the newest."""
    there = found({"chrony": "4.3-2", "nftables": "1"}, {"chrony"})
    assert logic.changes(there, ANY, False) == []
    assert logic.commands(family, there, ANY, False) == []
    *_, last = logic.commands(family, found({"nftables": "1"}), ANY, False)
    assert last.endswith(" install chrony")


def test_what_was_left_unpacked_is_configured_first():
    there = logic.Found({}, frozenset({"nvidia-open"}), frozenset())
    assert "--configure -a" in logic.commands("deb", there, DRIVER, hold=False)[0]


FIRMWARE = {"nvidia-firmware-580-server-580.1": "580.1-1"}


@pytest.mark.parametrize(
    ("family", "way"),
    [
        ("deb", " nvidia-firmware-580-server-580.0-"),
        ("rpm", "rpm --erase nvidia-firmware-580-server-580.0"),
    ],
)
def test_what_has_the_old_version_in_its_name_goes_with_it(family, way):
    """Or a change forward and back would leave the newer one, and its hold."""
    old = "nvidia-firmware-580-server-580.0"
    there = found({**DRIVER, **FIRMWARE, old: "580.0-1"}, {*DRIVER, *FIRMWARE, old})
    wanted = {**DRIVER, **FIRMWARE}
    assert logic.commands(family, there, wanted, hold=True) == []
    asked = logic.commands(family, there, wanted, True, ["nvidia-firmware-*"])
    assert any(one.endswith(way) for one in asked)
    assert logic.changes(there, wanted, True, ["nvidia-firmware-*"]) == [f"{old} -> absent"]
    assert logic.left_over(found(wanted), wanted, ["nvidia-firmware-*"]) == []


def test_what_cannot_be_beside_it_is_refused_by_name():
    there = found({"mlnx-ofed-kernel-dkms": "24.10"})
    with pytest.raises(logic.Refused, match=r"mlnx-ofed-kernel-dkms 24\.10, which cannot be"):
        logic.refuse(there, {"doca-ofed": "3.2"}, ["mlnx-ofed-*"])
    # What is wanted itself is no conflict: DOCA's packages have such names too.
    logic.refuse(there, {"mlnx-ofed-kernel-dkms": "25.10"}, ["mlnx-ofed-*"])


def pyinfra(monkeypatch: pytest.MonkeyPatch, there: object, **more: Any) -> list[str]:
    fake = SimpleNamespace(get_fact=lambda *_, **__: there, noop=lambda _: None, name="n1")
    monkeypatch.setattr(resources, "host", fake)
    return [str(one) for one in resources.packages._inner(wanted=DRIVER, family="deb", **more)]


def test_the_pyinfra_face_does_the_same(monkeypatch):
    there = found({"nvidia-open": "580.1-1"})
    assert pyinfra(monkeypatch, there, hold=True) == logic.commands("deb", there, DRIVER, hold=True)
    [refused] = pyinfra(monkeypatch, found({"nvidia-driver": "1"}), conflicts=["nvidia-driver"])
    assert refused.endswith("exit 1")


def test_a_preflight_that_says_something_fails_on_this_host(monkeypatch):
    fake = SimpleNamespace(get_fact=lambda *_, **__: ["no headers"], noop=lambda _: None, name="n")
    monkeypatch.setattr(resources, "host", fake)
    [command] = map(str, resources.preflight._inner(script="x"))
    assert command == "printf '%s\\n' 'no headers' >&2; exit 1"


@pytest.mark.parametrize(
    ("script", "reasons"),
    [
        ("exit 0", []),
        ("echo noise >&2", []),
        (
            "echo one; echo no headers >&2; echo 'two words' >&2; exit 1",
            ["no headers", "two words"],
        ),
        ("exit 3", ["the preflight said nothing and ended with ['status: 3']"]),
    ],
)
def test_the_status_of_a_preflight_decides_as_it_does_for_ansible(script, reasons):
    fact = resources.Refusals()
    done = subprocess.run(["sh", "-c", fact.command(script)], capture_output=True, text=True)
    assert fact.process(done.stdout.splitlines()) == reasons


def test_no_answer_of_a_preflight_is_a_refusal():
    [reason] = resources.Refusals().process([])
    assert "said nothing" in reason
