"""Drift of what runs: kernel arguments, sshd, networks and what overrides a unit."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.validation.stand_in import (
    ARGUMENTS,
    MANIFEST,
    RAIL,
    STAGED,
    UNITS,
    drifted,
    healthy,
    probed,
    put,
)
from validation.manifest import node_state
from validation.manifest.differences import Answer
from validation.manifest.drift import compare
from validation.manifest.overriding import of_file
from validation.manifest.owned import OwnedFile, OwnedOption, OwnedPort, Watched

pytestmark = [
    pytest.mark.skipif(not shutil.which("dpkg-query"), reason="the probe asks dpkg-query(1)"),
    pytest.mark.instances(keep=12, of="drift of what runs on a node", but="unknown|sshd"),
]
# The same words, and the numbers of pages exchanged.
SWAPPED = "iommu=pt hugepagesz=2M hugepages=8 hugepagesz=1G hugepages=16"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return healthy(tmp_path / "root")


# -- kernel arguments: wanted, staged, running -------------------------------------------------


@pytest.mark.parametrize("running", ["quiet", f"quiet {SWAPPED} panic=1", f"x{ARGUMENTS}"])
def test_arguments_that_are_staged_and_do_not_run_are_told_and_no_drift(root, running):
    put(root, "/proc/cmdline", f"{running}\n")
    found = drifted(root)
    assert (found.drifts, found.unknowns) == ((), ())
    (note,) = found.notes
    assert (note.role, note.what) == ("os", ARGUMENTS)
    assert note.says == "wanted, staged, not running: a reboot is required"


@pytest.mark.parametrize("staged", ["", f"# {ARGUMENTS}\n", f"x{ARGUMENTS}\n", f"{SWAPPED}\n"])
def test_arguments_that_are_not_staged_are_drift_that_the_role_mends(root, staged):
    put(root, STAGED, staged)
    (drift,) = drifted(root).drifts
    assert (drift.role, drift.what, drift.found) == ("os", ARGUMENTS, "not staged, running")
    assert drift.is_mended_by_role


def test_arguments_that_neither_run_nor_are_staged_are_drift(root):
    put(root, "/proc/cmdline", "quiet\n")
    (root / STAGED.lstrip("/")).unlink()
    found = drifted(root)
    assert [one.found for one in found.drifts] == ["not staged, not running"]
    assert found.notes == ()


def test_an_argument_that_was_taken_back_runs_until_the_reboot(root):
    put(root, "/proc/cmdline", f"quiet {ARGUMENTS} nosmt\n")
    put(root, "/run/railbed/kernel-arguments", f"nosmt {ARGUMENTS}\n{ARGUMENTS} gone=1\n")
    found = drifted(root)
    assert (found.drifts, found.unknowns) == ((), ())
    assert [(one.what, one.says) for one in found.notes] == [
        ("nosmt", "wanted no more, runs until the next reboot")
    ]
    put(root, "/run/railbed/kernel-arguments", "")  # quiet and nosmt were never ours
    assert drifted(root).notes == ()


def test_of_grub_the_line_that_boots_linux_counts(root):
    menu = "/boot/grub/grub.cfg"
    mine = (replace(MANIFEST.arguments[0], staged=menu),)
    put(root, menu, f"# {ARGUMENTS}\nmenuentry x {{\n\tlinux /vmlinuz ro\n}}\n")
    assert [one.kind for one in drifted(root, arguments=mine).drifts] == ["kernel arguments"]
    put(root, menu, f"menuentry x {{\n\tlinux\t/vmlinuz ro {ARGUMENTS} quiet\n}}\n")
    found = drifted(root, arguments=mine)
    assert (found.drifts, found.unknowns, found.notes) == ((), (), ())


def test_of_boot_entries_every_one_counts(root):
    """The next kernel that is chosen may be any of them (BootLoaderSpec)."""
    folder = "/boot/loader/entries"
    mine = (replace(MANIFEST.arguments[0], staged=folder),)
    assert [one.kind for one in drifted(root, arguments=mine).drifts] == ["kernel arguments"]
    put(root, f"{folder}/a.conf", f"title A\noptions root=x ro {ARGUMENTS}\ngrub_class a\n")
    put(root, f"{folder}/b.conf", f"title B\noptions root=x ro {ARGUMENTS} quiet\n")
    found = drifted(root, arguments=mine)
    assert (found.drifts, found.unknowns, found.notes) == ((), (), ())
    put(root, f"{folder}/b.conf", "title B\noptions root=x ro quiet\n")
    assert [one.kind for one in drifted(root, arguments=mine).drifts] == ["kernel arguments"]


# -- what is read beside our files -----------------------------------------------------------


def test_a_file_that_lldpd_reads_after_ours_is_a_stray(root):
    """lldpcli(8), -c: files of its folder by name, so the last that sets a thing wins."""
    ours = OwnedFile("/etc/lldpd.d/railbed.conf", "os", "0" * 64, "root", "root", "0644")
    watched = tuple(Watched(glob, "os") for glob in of_file(ours.path))
    put(root, ours.path, "")
    changes = {"files": (ours,), "strays": watched}
    before = {one.what for one in drifted(root, **changes).drifts if one.kind == "stray"}
    put(root, "/etc/lldpd.d/zz.conf", "configure lldp tx-interval 30\n")
    after = {one.what for one in drifted(root, **changes).drifts if one.kind == "stray"}
    assert after - before == {"/etc/lldpd.d/zz.conf"}


# -- what comes before our networks ------------------------------------------------------------


def network(root: Path, path: str, match: str) -> str:
    put(root, path, f"# x\n[Match]\n{match}\n\n[Network]\nDHCP=yes\nName=of-no-port\n")
    return path


@pytest.mark.parametrize("folder", ["/etc", "/run", "/usr/local/lib"])
@pytest.mark.parametrize(
    "match",
    [
        "Name=eth*\nName = rail[0-3]",
        "Type=ether",
        "MACAddress=02:00:00:00:00:01",
        "Name=!eth0 eth1",
    ],
)
def test_a_network_before_ours_that_may_match_our_port_is_a_stray(root, folder, match):
    path = network(root, f"{folder}/systemd/network/10-a.network", match)
    (drift,) = drifted(root).drifts
    assert (drift.kind, drift.what, drift.role) == ("stray", path, "rails")


@pytest.mark.parametrize(
    ("name", "match"),
    {
        "10-other.network": "Name=eth0 en*",
        "60-after.network": "Name=*",
        "10-mac.network": "PermanentMACAddress=02:00:00:00:00:99",
        "10-but.network": "Name=!rail*",
    }.items(),
)
def test_a_network_that_cannot_take_our_ports_is_not_our_business(root, name, match):
    network(root, f"/etc/systemd/network/{name}", match)
    assert drifted(root).drifts == ()


NAMED = {
    "/etc/netplan/00-installer.yaml": "network: {ethernets: {rail0: {dhcp4: true}}}",
    "/run/netplan/x.yaml": "network:\n  ethernets:\n    rail0:\n      mtu: 1500",
    "/etc/network/interfaces": "auto eth0 rail0",
    "/etc/network/interfaces.d/cloud": "iface rail0 inet dhcp",
    "/etc/NetworkManager/system-connections/x.nmconnection": "interface-name=rail0",
    "/run/NetworkManager/system-connections/x": "interface-name=rail0",
}
SAID_BY = {
    "networkd": RAIL,
    "netplan": "/run/systemd/network/10-netplan-rail0.network",
    "networkmanager": "/etc/NetworkManager/system-connections/railbed-rail0.nmconnection",
    "ifupdown2": "/etc/network/interfaces.d/railbed.intf",
}


def port(tool: str) -> tuple[OwnedPort, ...]:
    return (OwnedPort("rail0", "rails", SAID_BY[tool]),)


def had_by(root: Path, tool: str) -> dict[str, Any]:
    """A system whose port is another tool's: the manifest has no file of systemd-networkd."""
    if tool == "networkd":
        return {"ports": port(tool)}
    (root / RAIL.lstrip("/")).unlink()
    kept = tuple(one for one in MANIFEST.files if one.path != RAIL)
    return {"files": kept, "ports": port(tool)}


@pytest.mark.parametrize("tool", SAID_BY)
@pytest.mark.parametrize("path", NAMED)
def test_another_file_that_names_our_port_is_a_stray_whatever_tool_reads_it(root, path, tool):
    put(root, path, f"{NAMED[path]}\n")
    (drift,) = drifted(root, ports=port(tool)).drifts
    assert (drift.kind, drift.what, drift.role) == ("stray", path, "rails")


@pytest.mark.parametrize("tool", SAID_BY)
def test_our_own_file_and_those_of_other_ports_are_no_strays(root, tool):
    if tool != "networkd":
        put(root, SAID_BY[tool], "[Match]\nName=rail0\n")
    put(root, "/etc/netplan/01-management.yaml", "network: {ethernets: {eth0: {dhcp4: true}}}\n")
    put(root, "/etc/network/interfaces", "# rail01, brail0\nauto eth0\n")
    put(root, "/etc/systemd/network/10-eth.network", "[Match]\nName=eth0\n")
    assert drifted(root, **had_by(root, tool)).drifts == ()


@pytest.mark.parametrize(
    ("tool", "name", "is_stray"),
    [
        ("netplan", "05-all.network", True),
        ("netplan", "10-netplan-all-en.network", True),
        ("netplan", "20-later.network", False),
        ("networkmanager", "80-later.network", True),
        ("ifupdown2", "80-later.network", True),
    ],
)
def test_systemd_networkd_may_take_no_port_that_another_tool_has(root, tool, name, is_stray):
    path = network(root, f"/etc/systemd/network/{name}", "Name=rail*")
    found = [one.what for one in drifted(root, **had_by(root, tool)).drifts]
    assert found == ([path] if is_stray else [])


def drop_in(root: Path, folder: str, name: str, text: str) -> str:
    path = f"{folder}/systemd/network/{name}.d/x.conf"
    put(root, path, text)
    return path


@pytest.mark.parametrize("folder", ["/etc", "/run", "/usr/lib", "/usr/local/lib"])
@pytest.mark.parametrize("match", ["Name=rail0", "Name=", "Name=eth9 rail*"])
def test_a_drop_in_that_has_another_network_match_our_port_is_a_stray(root, folder, match):
    """It is read as the end of that file, whose place counts (systemd.network(5))."""
    path = drop_in(root, folder, "10-eth.network", f"[Match]\n{match}\n")
    (drift,) = drifted(root).drifts
    assert (drift.kind, drift.what, drift.role) == ("stray", path, "rails")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("10-eth.network", "[Link]\nMTUBytes=1500\n"),
        ("10-eth.network", "[Match]\nName=eth1\n"),
        ("60-later.network", "[Match]\nName=rail0\n"),
    ],
)
def test_other_drop_ins_of_other_networks_are_not_our_business(root, name, text):
    drop_in(root, "/etc", name, text)
    found = drifted(root)
    assert (found.drifts, found.unknowns) == ((), ())


def test_a_network_of_a_package_is_no_stray(root):
    path = network(root, "/etc/systemd/network/10-a.network", "Name=*")
    put(root, "/var/lib/dpkg/info/chrony.list", f"/.\n{root}{path}\n")
    assert drifted(root).drifts == ()


# -- sshd --------------------------------------------------------------------------------------


# Recorded: what sshd of OpenSSH 9.2 (Debian 12) says to `-T`, and to `-T -f` of a broken file.
FATAL = 255
OURS, BROKEN = "/etc/ssh/sshd_config.d", "/root/broken.conf"
WHOLE = "AuthenticationMethods cannot be satisfied by enabled authentication methods"
OLD = f"{BROKEN} line 1: Deprecated option KeyRegenerationInterval\n"
ENDS = f"{BROKEN}: terminating, 1 bad configuration options\n"
REFUSALS = {
    "a number": f"{OURS}/00-railbed.conf line 9: MaxSessions integer value invalid.\n",
    "a triple": f"{OURS}/zz-railbed.conf line 3: Invalid MaxStartups spec.\n",
    "a word": f'{BROKEN} line 2: unsupported option "prohibit-passwor#".\n',
    "an option": f"{BROKEN}: line 1: Bad configuration option: Permit\n{ENDS}",
    "no value": f'{BROKEN} line 1: no argument after keyword "PasswordAuthentication"\n{ENDS}',
    "an old one first": f"{OLD}{BROKEN}: line 2: Bad configuration option: Foo\n{ENDS}",
    "a match": f"Unsupported Match attribute foo\n{BROKEN} line 1: Bad Match condition\n",
    "methods": f'Disabled method "password" in AuthenticationMethods list "password"\n{WHOLE}\n',
    "a command": "AuthorizedKeysCommand set without AuthorizedKeysCommandUser\n",
}
# Where the first line does not say why.
REASONS = {
    "an old one first": f"{BROKEN}: line 2: Bad configuration option: Foo",
    "a match": f"{BROKEN} line 1: Bad Match condition",
    "methods": WHOLE,
}
NO_FOLDER = "Missing privilege separation directory: /run/sshd\n"
NO_NAME = "bad addr or host: foo.bar.invalid (Temporary failure in name resolution)\n"
NO_KEYS = "Unable to load host key: /nowhere\nsshd: no hostkeys available -- exiting.\n"
# Not sshd's word on its configuration, or not with the status of one that refuses it.
UNKNOWN = {
    "no folder": (FATAL, "", NO_FOLDER, f"status 255 and said: {NO_FOLDER.strip()}"),
    "only a warning": (FATAL, "", OLD + NO_FOLDER, "Missing privilege separation directory"),
    "no name": (FATAL, "", NO_NAME, "status 255 and said: bad addr"),
    "no keys": (1, "", NO_KEYS, "no hostkeys available"),
    "no sshd": (127, "", "sh: 1: exec: /usr/sbin/sshd: not found\n", "status 127 and said: sh:"),
    "too late": (124, "", REFUSALS["a word"], "status 124 and said: /root"),
    "silent": (FATAL, "", "", "sshd -T ended with status 255 and said: nothing"),
    "other words": (0, "bash: x\n", "", "sshd -T printed"),
    "no words": (0, "", "", ""),
    "no words, but no refusal": (0, "", REFUSALS["a word"], ""),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_sshd_that_does_not_say_is_unknown(root, name):
    status, text, errors, says = UNKNOWN[name]
    answers = probed(root) | {node_state.SSHD: Answer(status, text.encode(), errors)}
    found = compare(MANIFEST, answers.__getitem__)
    assert found.drifts == ()
    assert [one.kind for one in found.unknowns] == ["sshd option"]
    assert says in found.unknowns[0].why


@pytest.mark.parametrize("name", REFUSALS)
def test_a_configuration_that_sshd_refuses_is_drift_and_not_unknown(root, name):
    """None of the wanted options holds where sshd takes none of its files; that was measured."""
    answers = probed(root) | {node_state.SSHD: Answer(FATAL, b"", REFUSALS[name])}
    found = compare(MANIFEST, answers.__getitem__)
    assert found.unknowns == ()
    (drift,) = found.drifts
    why = REASONS.get(name, REFUSALS[name].splitlines()[0])
    assert drift.found == f"sshd refuses its configuration: {why}"
    assert (drift.role, drift.wanted) == ("os", "permitrootlogin without-password")
    # A file of ours that is wrong is a drift of its own, and that the role mends.
    assert not drift.is_mended_by_role


def test_each_role_with_options_is_told_of_a_refusal(root):
    """The finding stands with whoever wants something of sshd."""
    more = (*MANIFEST.options, OwnedOption("maxsessions", "rails", "9"))
    answers = probed(root) | {node_state.SSHD: Answer(FATAL, b"", REFUSALS["an option"])}
    drifts = compare(replace(MANIFEST, options=more), answers.__getitem__).drifts
    assert {(one.role, one.wanted) for one in drifts} == {
        ("os", "permitrootlogin without-password"),
        ("rails", "maxsessions 9"),
    }


def test_the_probe_hands_on_the_status_of_sshd(tmp_path):
    """Run for real: a stand-in ends as OpenSSH does; the frame has its status and words."""
    stand_in = put(tmp_path, "/sshd", f"echo '{WHOLE}' >&2\nexit {FATAL}\n", 0o755)
    for folder in (tmp_path, tmp_path / "none"):
        asked = node_state.ask(MANIFEST, node_state.SSHD).shell
        shell = asked.replace("exec /usr/sbin/sshd", f"exec sh {stand_in}")
        shell = shell.replace("[ -d /run/sshd ]", f"[ -d {folder} ]")
        shell = shell.replace("unshare --mount sh", "sh").replace("mount -t tmpfs none /run", ":")
        shell = shell.replace("mkdir -m 0755 /run/sshd", ":")
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=20)
        assert (done.returncode, done.stdout, done.stderr) == (FATAL, "", f"{WHOLE}\n")


def test_what_sshd_really_does_is_compared_and_left_to_people(root):
    """Our own file may be as planned: another one spoke first."""
    answers = probed(root) | {node_state.SSHD: Answer(0, b"permitrootlogin yes\n", "")}
    (drift,) = compare(MANIFEST, answers.__getitem__).drifts
    assert (drift.role, drift.what, drift.wanted) == ("os", "permitrootlogin", "without-password")
    assert not drift.is_mended_by_role


# -- units -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/lib/systemd/system/systemd-networkd.s", "/etc/systemd/system/systemd-networkd.s"),
        ("DropInPaths=", "DropInPaths=/run/systemd/system.control/x.service.d/50-x.conf "),
    ],
)
def test_a_file_that_systemd_read_for_our_unit_and_nobody_owns_is_a_stray(root, old, new):
    assert old in UNITS
    answers = probed(root) | {node_state.UNITS: Answer(0, UNITS.replace(old, new, 1).encode(), "")}
    (drift,) = compare(MANIFEST, answers.__getitem__).drifts
    assert (drift.kind, drift.role) == ("stray", "rails")
    assert drift.what.startswith(("/etc/systemd/system/", "/run/systemd/system.control/"))


def test_a_unit_that_should_be_masked_is_more_than_disabled(root):
    wait = replace(MANIFEST.units[0], enabled=None, masked=True)
    (drift,) = drifted(root, units=(wait, MANIFEST.units[1])).drifts
    assert (drift.what, drift.wanted, drift.found) == (wait.name, "masked", "disabled")
