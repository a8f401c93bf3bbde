"""The state probe, run by a real shell on a system in a folder, and what is made of its answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.validation.stand_in import (
    DROP_IN,
    MANIFEST,
    STAGED,
    STATUS,
    UNITS,
    drifted,
    healthy,
    probed,
    put,
)
from validation.evidence.trust import MissingEvidence
from validation.manifest import node_state
from validation.manifest.differences import Answer
from validation.manifest.drift import compare
from validation.manifest.owned import LARGEST_BYTES, OwnedPackage, OwnedPort, OwnedUnit

pytestmark = [
    pytest.mark.skipif(not shutil.which("dpkg-query"), reason="the probe asks dpkg-query(1)"),
    pytest.mark.instances(
        keep=12, of="the state probe of a node", but="never|not_believed|unknown|secret|each_change"
    ),
]

CONF = "etc/sysctl.d/60-ours.conf"
SERVICE = "etc/systemd/system/chrony.service.d"
Change = Callable[[Path], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return healthy(tmp_path / "root")


def test_a_system_as_planned_has_no_drift(root):
    found = drifted(root)
    assert found.drifts == ()
    assert found.unknowns == ()


def status(old: str, new: str) -> Change:
    assert old in STATUS
    return lambda root: put(root, "/var/lib/dpkg/status", STATUS.replace(old, new))


def linked(root: Path) -> None:
    shutil.move(root / CONF, root / "elsewhere")
    (root / CONF).symlink_to(root / "elsewhere")


def piped(root: Path) -> None:
    (root / CONF).unlink()
    os.mkfifo(root / CONF)


def a_folder(root: Path) -> None:
    (root / CONF).unlink()
    (root / CONF).mkdir()


def without(folder: str) -> Change:
    return lambda root: shutil.rmtree(root / folder)


def a_file_above(root: Path) -> None:
    shutil.rmtree(root / SERVICE)
    put(root, f"/{SERVICE}", "")


CHANGES: dict[str, tuple[Change, str, str, str]] = {
    "one byte": (
        lambda root: put(root, f"/{CONF}", "a = 2\n"), "rails", f"file /{CONF}", "content"
    ),
    "gone": (lambda root: (root / CONF).unlink(), "rails", f"file /{CONF}", "none"),
    "mode": (lambda root: (root / CONF).chmod(0o600), "rails", f"file /{CONF}", "mode 0600"),
    "set-uid": (lambda root: (root / CONF).chmod(0o4644), "rails", f"file /{CONF}", "mode 4644"),
    "a link to the same bytes": (
        linked, "rails", f"file /{CONF}", "symbolic link"
    ),
    "a pipe, which nobody reads": (
        piped, "rails", f"file /{CONF}", "fifo"
    ),
    "a folder": (a_folder, "rails", f"file /{CONF}", "directory"),
    "a huge file, which is not hashed": (
        lambda root: os.truncate(root / CONF, LARGEST_BYTES + 1),
        "rails", f"file /{CONF}", f"{LARGEST_BYTES + 1} bytes",
    ),
    "no folder above it": (
        without(SERVICE), "os", f"file /{SERVICE}/ours.conf", "none"
    ),
    "a file for a folder above it": (
        a_file_above, "os", f"file /{SERVICE}/ours.conf", "none"
    ),
    "folder's mode": (
        lambda root: (root / "etc/sysctl.d").chmod(0o777),
        "rails", "folder /etc/sysctl.d", "mode 0777",
    ),
    "stray": (
        lambda root: put(root, f"/{SERVICE}/zz.conf", DROP_IN), "os",
        f"stray /{SERVICE}/zz.conf", "one",
    ),
    "stray with a name to trip over": (
        lambda root: put(root, "/etc/sysctl.d/a b\n; c*", ""), "rails",
        "stray /etc/sysctl.d/a b\n; c*", "one",
    ),
    "stray that leads nowhere": (
        lambda root: (root / "etc/sysctl.d/z.conf").symlink_to("/nowhere"), "rails",
        "stray /etc/sysctl.d/z.conf", "one",
    ),
    "another version": (
        status("4.3-2+deb12u1", "4.3-2"), "os", "package chrony", "4.3-2"
    ),
    "held": (
        status("install ok installed", "hold ok installed"), "os", "package chrony", "on hold"
    ),
    "not held": (
        status("hold ok installed", "install ok installed"), "os", "package rdma-core",
        "not on hold",
    ),
    "removed": (
        status("install ok installed", "deinstall ok config-files"), "os", "package chrony",
        "not installed",
    ),
    "half installed": (
        status("install ok installed", "install ok half-configured"), "os", "package chrony",
        "not installed",
    ),
    "unknown package": (
        status("Package: chrony\n", "Package: ntp\n"), "os", "package chrony", "not installed"
    ),
    "parameter": (
        lambda root: put(root, "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t1\n"), "os",
        "sysctl net.ipv4.tcp_rmem", "4096 131072 1",
    ),
    "no such parameter": (
        without("proc/sys/net/ipv4/conf/rail0"), "rails",
        "sysctl net.ipv4.conf.rail0.arp_ignore", "no such parameter",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_found_alone_and_names_its_role(root, name):
    change, role, thing, says = CHANGES[name]
    change(root)
    found = drifted(root)
    assert found.unknowns == ()
    mine = [one for one in found.drifts if f"{one.kind} {one.what}" == thing]
    assert [one.role for one in mine] == [role]
    assert says in mine[0].found
    others = set(found.drifts) - set(mine)
    # A file where a folder belongs is also nobody's; a folder's mode is the folder's alone.
    assert all(one.kind == "stray" for one in others)
    assert not others or "for a folder" in name or name == "no folder above it"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_another_owner_is_found(root):
    os.chown(root / CONF, 1, 2)
    (drift,) = drifted(root).drifts
    assert drift.found == "owner daemon:bin"


def test_what_a_package_owns_is_no_stray(root):
    put(root, "/etc/sysctl.d/packaged.conf", "")
    owned = f"/.\n{root}/etc/sysctl.d/packaged.conf\n"
    put(root, "/var/lib/dpkg/info/chrony.list", owned)
    assert drifted(root).drifts == ()


def test_only_what_roles_do_not_mend_is_left_to_people(root):
    put(root, "/etc/sysctl.d/zz.conf", "")
    (root / CONF).unlink()
    mended = {one.kind: one.is_mended_by_role for one in drifted(root).drifts}
    assert mended == {"stray": False, "file": True}


def test_the_probe_writes_nothing_and_sends_no_content(root):
    put(root, f"/{CONF}", "password = sesame\n")
    before = sorted((path, path.lstat().st_mtime_ns) for path in root.rglob("*"))
    answers = probed(root)
    assert sorted((path, path.lstat().st_mtime_ns) for path in root.rglob("*")) == before
    assert not any(b"sesame" in one.payload for one in answers.values())


# -- what is not known is never as planned ----------------------------------------------------


def test_a_broken_list_of_packages_is_unknown(root):
    put(root, "/var/lib/dpkg/status", "this is no list\n")
    found = drifted(root)
    assert {(one.role, one.kind) for one in found.unknowns} == {("os", "package")}
    assert found.drifts == ()


def test_a_file_that_stat_cannot_see_is_unknown_and_not_gone(root):
    loop = root / "etc/systemd/system/chrony.service.d"
    shutil.rmtree(loop)
    loop.symlink_to(loop)
    (unknown,) = (one for one in drifted(root).unknowns if one.kind == "file")
    assert "symbolic links" in unknown.why


@pytest.mark.parametrize("line", node_state.LINES)
def test_without_an_answer_everything_of_its_kinds_is_unknown(root, line):
    answers = probed(root)

    def read(name: str) -> Answer:
        if name == line:
            raise MissingEvidence("nobody answered")
        return answers[name]

    found = compare(MANIFEST, read)
    assert found.drifts == ()
    assert {one.why for one in found.unknowns} == {"nobody answered"}


@pytest.mark.parametrize("line", node_state.LINES)
def test_an_answer_that_did_not_end_well_is_not_believed(root, line):
    """Whatever it printed: a status that the tool does not mean leaves all of its kinds unknown."""
    answers = probed(root)
    assert answers[line].status == 0
    for status in {1, 2, 124, 126, 127, 137, 255} - set(node_state.MEANT.get(line, ())):
        failed = Answer(status, answers[line].payload, "something\nbroke")
        found = compare(MANIFEST, {**answers, line: failed}.__getitem__)
        assert found.drifts == ()
        assert {one.why for one in found.unknowns} == {
            f"`{line}` ended with status {status} and said: something broke"
        }


def test_no_line_of_the_answers_can_go_missing_unseen(root):
    """A manifest is as planned only by all that was said."""
    answers = probed(root)
    cut = 0
    for line, answer in answers.items():
        rows = answer.payload.splitlines(keepends=True) or [answer.payload]
        for number in range(len(rows)):
            rest = b"".join(rows[:number] + rows[number + 1 :])
            said = {**answers, line: Answer(answer.status, rest, "")}
            found = compare(MANIFEST, said.__getitem__)
            assert found.drifts + found.unknowns, (line, rows[number])
            cut += 1
    assert cut > 15


@pytest.mark.parametrize("line", node_state.LINES)
def test_noise_among_the_answers_is_unknown(root, line):
    answers = probed(root)
    noisy = Answer(answers[line].status, b"bash: warning\n" + answers[line].payload, "")
    found = compare(MANIFEST, {**answers, line: noisy}.__getitem__)
    assert found.drifts + found.unknowns


# -- units -----------------------------------------------------------------------------------


UNIT_CHANGES = {
    "disabled": ("UnitFileState=enabled", "UnitFileState=disabled", "disabled"),
    "masked": ("UnitFileState=enabled", "UnitFileState=masked", "masked"),
    "until the next boot": (
        "UnitFileState=enabled", "UnitFileState=enabled-runtime", "enabled-runtime"
    ),
    "stopped": ("ActiveState=active", "ActiveState=inactive", "inactive"),
    "failed": ("ActiveState=active", "ActiveState=failed", "failed"),
    "starting": ("ActiveState=active", "ActiveState=activating", "activating"),
    "not read again": ("NeedDaemonReload=no", "NeedDaemonReload=yes", "daemon-reload"),
    "gone": ("LoadState=loaded", "LoadState=not-found", "none"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNIT_CHANGES)
def test_a_unit_that_differs_is_found(root, name):
    old, new, says = UNIT_CHANGES[name]
    answers = probed(root) | {node_state.UNITS: Answer(0, UNITS.replace(old, new, 1).encode(), "")}
    (drift,) = compare(MANIFEST, answers.__getitem__).drifts
    assert (drift.role, drift.what) == ("rails", "systemd-networkd.service")
    assert says in drift.found


def test_a_unit_that_should_be_off_is_found_on(root):
    units = UNITS.replace("UnitFileState=disabled", "UnitFileState=enabled")
    answers = probed(root) | {node_state.UNITS: Answer(0, units.encode(), "")}
    (drift,) = compare(MANIFEST, answers.__getitem__).drifts
    assert (drift.wanted, drift.found) == ("disabled", "enabled")


def test_a_silent_systemd_is_unknown(root):
    answers = probed(root) | {node_state.UNITS: Answer(1, b"", "Failed to connect to bus\n")}
    found = compare(MANIFEST, answers.__getitem__)
    assert {one.kind for one in found.unknowns} == {"unit"}
    assert "Failed to connect to bus" in found.unknowns[0].why


def test_a_unit_that_is_not_there_is_unknown_where_systemd_did_not_speak_of_it(root):
    more = (*MANIFEST.units, OwnedUnit("x.service", "os", enabled=True, active=True))
    found = drifted(root, units=more)
    assert [(one.role, one.what) for one in found.unknowns] == [("os", "x.service")]


# -- questions -------------------------------------------------------------------------------


def test_only_what_is_owned_is_asked():
    files = tuple(one for one in MANIFEST.files if not one.path.endswith(".network"))
    lean = replace(MANIFEST, files=files, packages=(), units=(), strays=(), options=())
    assert node_state.lines(lean) == (node_state.FILES, node_state.KERNEL)


def test_a_slash_first_makes_a_parameter_a_path():
    names = {"net.ipv4.conf.eth0/100.mtu": "conf/eth0.100/mtu", "net/ipv4/conf/a.b/c": "conf/a.b/c"}
    for name, path in names.items():
        one = replace(MANIFEST.sysctls[0], name=name)
        (found,) = node_state.parameter_paths(replace(MANIFEST, sysctls=(one,)))
        assert found == f"/proc/sys/net/ipv4/{path}"


def test_a_root_that_needs_quoting_is_refused():
    with pytest.raises(ValueError, match="quoting"):
        node_state.ask(MANIFEST, node_state.FILES, "/tmp/a b")


def test_a_package_without_a_planned_version_may_have_any(root):
    """Then it is the host's own to update, and to hold."""
    any_version = tuple(
        OwnedPackage(name, "os", "", hold=False) for name in ("chrony", "rdma-core")
    )
    assert drifted(root, packages=any_version).drifts == ()


# -- what this user may not read is not known ---------------------------------------------------

# As root without what lets it read everything (capabilities(7)).
MORTAL = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "sh", "-s")
    if os.geteuid() == 0
    else ("sh", "-s")
)
PORTS = (OwnedPort("rail0", "rails", "/etc/systemd/network/50-rail0.network"),)
CLOSED = {
    "a watched folder": ("/etc/sysctl.d", ("rails",)),
    "one of a drop-in": (f"/{SERVICE}", ("os",)),
    "one above": ("/etc", ("os", "rails")),
    "systemd-networkd's": ("/etc/systemd/network", ("rails",)),
    "one of drop-ins of networks": ("/usr/lib/systemd/network/10-x.network.d", ("rails",)),
    "netplan's": ("/etc/netplan", ("rails",)),
    "NetworkManager's": ("/etc/NetworkManager/system-connections", ("rails",)),
    "a file": ("/etc/netplan/x.yaml", ("rails",)),
    "a network": ("/etc/systemd/network/10-x.network", ("rails",)),
}


@pytest.mark.skipif(not shutil.which(MORTAL[0]), reason="only another user may not read")
@pytest.mark.parametrize("mode", [0o000, 0o100, 0o400], ids=oct)
@pytest.mark.parametrize("name", CLOSED)
def test_what_this_user_may_not_read_is_never_as_if_nothing_were_there(root, name, mode):
    path, roles = CLOSED[name]
    place = root / path.lstrip("/")
    if place.suffix in (".yaml", ".network"):
        put(root, path, "x\n")
        mode &= 0o100
    else:
        place.mkdir(parents=True, exist_ok=True)
    if mode == 0o100 and path == "/etc":
        return  # nothing is compared with its names, so to enter it is enough
    manifest = replace(MANIFEST, ports=PORTS)
    old = place.stat().st_mode
    place.chmod(mode)
    try:
        found = compare(manifest, probed(root, manifest, MORTAL).__getitem__)
    finally:
        place.chmod(old)
    unread = {(one.role, one.what) for one in found.unknowns if one.kind == "stray"}
    assert {(role, path) for role in roles} <= unread


def test_staged_arguments_that_cannot_be_read_are_not_known(root):
    if not shutil.which(MORTAL[0]):
        pytest.skip("only another user may not read")
    place = root / STAGED.lstrip("/")
    place.chmod(0o000)
    found = compare(MANIFEST, probed(root, shell=MORTAL).__getitem__)
    place.chmod(0o644)
    assert [one.kind for one in found.unknowns] == ["kernel arguments"]
    assert found.drifts == ()
