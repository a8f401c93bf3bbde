"""The manifest: what contracts give on a host, and every way in which a contract can be wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from inventory import open_site
from tests.roles.rendering import by_pyinfra
from validation.manifest.contract import ROLES, Contract, ContractError, contract, roles_of
from validation.manifest.device import _joined, _Part, manifests
from validation.manifest.owned import Manifest, OwnedArguments, OwnedSysctl, OwnedUnit, Watched

PLAN = open_site("lab")
NODE = "node-p1-1"

OWNS = """
files:
  - {path: /etc/a.d/ours.conf, src: a.j2, owner: root, group: root, mode: "0644"}
  - {path: "/etc/{{ port.name }}.network", src: port.j2, for: toy_ports, as: port,
     when: port.up, owner: root, group: root, mode: "0640"}
folders: [{path: /etc/a.d, owner: root, group: root, mode: "0755"}]
packages: [{name: "{{ toy_package }}", version: "{{ toy_version }}", hold: true}]
units: [{name: toy.service, enabled: true, active: true}]
sysctls: {from: toy_sysctls}
kernel_arguments: {from: toy_arguments}
staged: [{path: /boot/toy.cfg}]
sshd: [sshd.j2]
strays: [/etc/*toy*]
"""
_SSHD = {"sshd": "# Ours.\nPermitRootLogin prohibit-password\nMaxSessions 9\n"}
HOST: dict[str, object] = {
    "toy_ports": [{"name": "rail0", "up": True}, {"name": "rail1", "up": False}],
    "toy_sysctls": {"net.ipv4.tcp_rmem": "1\t2  3", "a.b": 1},
    "toy_arguments": ["hugepagesz=2M", "hugepages=16", "hugepagesz=1G", "hugepages=16"],
    "toy_version": "1-2",
    "other": "not the role's",
}


def role(folder: Path, owns: str = OWNS, name: str = "toy", **templates: str) -> Path:
    """A role with a contract; more templates by name, without their suffix."""
    home = folder / name
    names = ("ports", "sysctls", "arguments", "version", "package")
    options: dict[str, object] = {f"toy_{one}": {} for one in names}
    spec = {"argument_specs": {"main": {"options": options}}}
    texts = {"a": "x = 1\n", "port": "{{ port.name }}\n", **_SSHD, **templates}
    files = {
        "meta/owns.yml": owns,
        "meta/argument_specs.yml": yaml.safe_dump(spec),
        "defaults/main.yml": "toy_package: chrony\n",
        **{f"templates/{one}.j2": text for one, text in texts.items()},
    }
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    return folder


def made(contracts: Sequence[Contract], host: Mapping[str, object]) -> Manifest:
    return _joined("n1", [_Part(one, one.values(host)) for one in contracts])


def toy(folder: Path, owns: str = OWNS, **templates: str) -> Manifest:
    return made([contract("toy", role(folder, owns, **templates))], HOST)


def test_a_contract_becomes_a_manifest(tmp_path):
    found = toy(tmp_path)
    assert [(one.path, one.mode) for one in found.files] == [
        ("/etc/a.d/ours.conf", "0644"),
        ("/etc/rail0.network", "0640"),
    ]
    assert found.files[1].sha256 == hashlib.sha256(b"rail0\n").hexdigest()
    assert [(one.name, one.version, one.hold) for one in found.packages] == [
        ("chrony", "1-2", True)
    ]
    assert found.units == (OwnedUnit("toy.service", "toy", enabled=True, active=True),)
    assert found.sysctls == (
        OwnedSysctl("a.b", "toy", "1"),
        OwnedSysctl("net.ipv4.tcp_rmem", "toy", "1 2 3"),
    )
    words = "hugepagesz=2M hugepages=16 hugepagesz=1G hugepages=16"
    assert found.arguments == (OwnedArguments(words, "toy", "/boot/toy.cfg"),)
    assert [(one.name, one.value) for one in found.options] == [
        ("maxsessions", "9"),
        ("permitrootlogin", "without-password"),
    ]
    assert len(found) == 2 + 1 + 1 + 1 + 2 + 1 + 2 + len(found.strays)


def test_drop_in_folders_are_watched_without_being_asked(tmp_path):
    unit = [
        f"{folder}/{one}"
        for folder in (
            "/etc/systemd/system*",
            "/run/systemd/system*",
            "/usr/local/lib/systemd/system",
        )
        for one in ("toy.service", "toy.service.d/*", "service.d/*")
    ]
    network = [
        f"{root}/systemd/network/rail0.network.d/*"
        for root in ("/etc", "/run", "/usr/lib", "/usr/local/lib")
    ]
    others = ["/etc/*toy*", "/etc/a.d/*", "/run/systemd/transient/toy.service"]
    wanted = sorted([*unit, *network, *others])
    assert [one.glob for one in toy(tmp_path).strays] == wanted
    shared = toy(tmp_path, f"{OWNS}shared: [/etc/a.d]\n")
    assert Watched("/etc/a.d/*", "toy") not in shared.strays


@pytest.mark.parametrize("kind", ["link", "netdev", "network"])
def test_drop_ins_of_what_netplan_writes_for_a_port_are_watched(tmp_path, kind):
    """One line of one of them changes an MTU (systemd.network(5), systemd.link(5))."""
    by = "/run/systemd/network/10-netplan-rail0.network"
    globs = {
        one.glob for one in toy(tmp_path, f"{OWNS}ports: [{{name: rail0, by: {by}}}]\n").strays
    }
    folder = f"systemd/network/10-netplan-rail0.{kind}.d"
    roots = ("/etc", "/run", "/usr/lib", "/usr/local/lib")
    assert {f"{root}/{folder}/*" for root in roots} <= globs


@pytest.mark.parametrize("below", ["modprobe.d", "modules-load.d", "sysctl.d", "udev/rules.d"])
def test_a_drop_in_of_a_searched_folder_is_watched_in_all_of_them(tmp_path, below):
    owns = OWNS.replace("/etc/a.d/ours.conf", f"/etc/{below}/ours.conf")
    globs = {one.glob for one in toy(tmp_path, owns).strays}
    assert {f"{root}/{below}/*" for root in ("/etc", "/run", "/usr/local/lib")} <= globs


# Others have files there that are no business of ours, each told in another way or named so.
SHARED = {
    "/etc/NetworkManager/conf.d", "/etc/apt/sources.list.d", "/etc/network/interfaces.d",
    "/etc/ssh/sshd_config.d",
}  # fmt: skip


def test_what_lies_beside_a_file_that_is_read_among_others_is_drift():
    """Whatever its name: which of two that set one thing wins, each program has its own order."""
    plan = open_site("pod-256")
    for found in map(manifests(plan).of, (plan.nodes[0].name, plan.oob.name)):
        folders = {str(Path(one.path).parent) for one in found.files}
        folders = {one for one in folders if one.endswith(".d")} - SHARED
        assert {f"{one}/*" for one in folders} <= {one.glob for one in found.strays}
    node = manifests(PLAN).of(NODE)
    assert Watched("/etc/lldpd.d/*", "os_base") in node.strays
    assert Watched("/etc/lldpd.conf", "os_base") in node.strays


def test_a_unit_with_dashes_has_the_drop_ins_of_its_prefixes(tmp_path):
    owns = OWNS.replace("name: toy.service", "name: a-b-c.service")
    globs = {one.glob for one in toy(tmp_path, owns).strays}
    assert {f"/run/systemd/system*/{one}.service.d/*" for one in ("a-b-c", "a-b-", "a-")} <= globs


def test_nothing_elsewhere_has_a_say_in_a_masked_unit(tmp_path):
    owns = OWNS.replace("enabled: true, active: true", "masked: true")
    found = toy(tmp_path, owns)
    assert found.units == (OwnedUnit("toy.service", "toy", None, None, masked=True),)
    assert not [one for one in found.strays if "toy.service" in one.glob]


def test_the_same_contract_gives_the_same_digest_and_any_change_another(tmp_path):
    first = toy(tmp_path)
    assert toy(tmp_path).digest == first.digest
    assert toy(tmp_path, a="x = 2\n").digest != first.digest
    assert toy(tmp_path, OWNS.replace("0644", "0600")).digest != first.digest


def test_a_file_is_taken_as_it_is_and_only_a_template_is_rendered(tmp_path):
    (tmp_path / "toy/files").mkdir(parents=True)
    (tmp_path / "toy/files/a").write_text("{{ not jinja }}\n")
    [ours] = [one for one in toy(tmp_path, OWNS.replace("a.j2", "a")).files if "ours" in one.path]
    assert ours.sha256 == hashlib.sha256(b"{{ not jinja }}\n").hexdigest()


@pytest.mark.parametrize("text", ["x", "x\n\n", "{% if false %}x\n{% endif %}\n"])
def test_a_text_that_the_engines_end_in_different_bytes_is_refused(tmp_path, text):
    with pytest.raises(ContractError, match=r"templates/a.j2: .* exactly one newline"):
        toy(tmp_path, a=text)


WRONG = {
    "unknown key": ("colour: red\n", "", "colour: Extra inputs"),
    "mode is a number": ('"0644"', "0644", "files.0.mode"),
    "no owner": ("owner: root, group: root, mode: \"0644\"", "mode: \"0644\"", "files.0.owner"),
    "no such template": ("a.j2", "b.j2", "files.0.src: there is no templates/b.j2"),
    "no such file": ("a.j2", "a", "files.0.src: there is no files/a"),
    "no such list": ("for: toy_ports", "for: toy_pots", "files.1.for: toy_pots is no variable"),
    "half a repetition": (", as: port,", ",", "files.1: `for` and `as` go together"),
    "no such variable": ("toy_sysctls", "toy_sysctl", "sysctls.from: toy_sysctl is no variable"),
    "undefined name": ("{{ toy_package }}", "{{ toy_pack }}", "'toy_pack' is undefined"),
    "another's variable": ("{{ toy_package }}", "{{ other }}", "'other' is undefined"),
    "relative path": ("path: /etc/a.d,", "path: etc/a.d,", "'etc/a.d' is not usable"),
    "a way up": ("path: /etc/a.d,", "path: /etc/../a.d,", "'/etc/../a.d' is not usable"),
    "a shell's word": ("path: /etc/a.d,", 'path: "/etc/$(id)",', r"'/etc/\$\(id\)' is not usable"),
    "a file twice": ("{{ port.name }}.network", "a.d/ours.conf", "file /etc/a.d/ours.conf is"),
    "arguments that wait nowhere": ("staged:", "shared: [] #", "`staged` does not say where"),
    "no template for sshd": ("[sshd.j2]", "[s.j2]", "sshd: there is no templates/s.j2"),
    "no mapping": (OWNS, "- files\n", "found list, expected a mapping"),
    "no YAML": (OWNS, "files: [\n", "owns.yml: while parsing"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_contract_is_refused_by_name(tmp_path, name):
    old, new, says = WRONG[name]
    owns = OWNS.replace(old, new) if new else OWNS + old
    assert owns != OWNS
    with pytest.raises(ContractError, match=says):
        toy(tmp_path, owns)


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    owns = OWNS.replace("a.j2", "b.j2").replace("toy_sysctls", "toy_x").replace(", as: port,", ",")
    with pytest.raises(ContractError) as told:
        toy(tmp_path, owns)
    assert str(told.value).count("roles/toy/meta/owns.yml") == 3


def test_a_role_without_a_contract_is_refused(tmp_path):
    role(tmp_path)
    (tmp_path / "toy/meta/owns.yml").unlink()
    with pytest.raises(ContractError, match=r"toy/meta/owns.yml: no such file"):
        contract("toy", tmp_path)


def test_a_variable_that_nobody_gives_is_named(tmp_path):
    lacking = {key: value for key, value in HOST.items() if key != "toy_version"}
    with pytest.raises(ContractError, match="the inventory gives no toy_version"):
        made([contract("toy", role(tmp_path))], lacking)


def test_two_roles_may_share_a_folder_and_nothing_else(tmp_path):
    both = [contract(name, role(tmp_path, name=name)) for name in ("toy", "boy")]
    with pytest.raises(ContractError) as told:
        made(both, HOST)
    assert "file /etc/a.d/ours.conf is owned by boy and by toy" in str(told.value)
    assert "unit toy.service" in str(told.value)
    assert "folder" not in str(told.value)


# -- the project's own roles -------------------------------------------------------------------


def every() -> Iterator[Manifest]:
    known = manifests(PLAN)
    yield from (known.of(device) for device in known.roles)


def test_every_server_of_the_lab_has_a_manifest_in_the_playbooks_order():
    roles = {one.device: one.roles for one in every()}
    assert set(roles) == {PLAN.oob.name, *PLAN.node}
    assert roles[NODE] == ("os_base", "kernel_tuning", "ofed", "roce_nic")
    assert roles_of(PLAN) == roles
    assert all(len(one) > 30 for one in every())


def test_a_switch_has_an_empty_manifest():
    assert len(manifests(PLAN).of("spine1")) == 0


def test_digests_are_of_what_the_engines_write():
    """What pyinfra's faces render; the test of the roles shows that Ansible writes the same."""
    written = {hashlib.sha256(text).hexdigest() for text in by_pyinfra().values()}
    for device in (PLAN.oob.name, NODE):
        files = manifests(PLAN).of(device).files
        assert [one.path for one in files if one.sha256 not in written] == []
        assert len(files) > 10


def test_every_template_and_file_of_every_role_is_somebodys():
    for home in ROLES.glob("*/templates"):
        owned = {row.src for row in contract(home.parent.name).owns.files}
        homes = (home, home.with_name("files"))
        files = {path.name for one in homes for path in one.glob("*") if path.is_file()}
        # What a role looks at before it changes anything stays on no node.
        assert owned == files - {"preflight.sh", "preflight.sh.j2"}


def test_nodes_differ_in_their_own_files_only():
    one, other = manifests(PLAN).of(NODE), manifests(PLAN).of("node-p1-2")
    differing = {a.path for a, b in zip(one.files, other.files, strict=True) if a != b}
    rails = {f"/etc/systemd/network/50-railbed-rail{rail}.network" for rail in (0, 1)}
    own = {*rails, "/etc/lldpd.d/railbed.conf"}  # it says the node's name
    applied = {f"/var/lib/railbed-{role}.applied" for role in ("os_base", "roce_nic")}
    read = {"/etc/railbed/network", *applied}  # they have them in them
    assert differing == {*own, *read}


def test_another_plan_is_not_answered_from_the_last_one():
    node = PLAN.node[NODE]
    mtu = replace(node.rails[0], ip_mtu_bytes=1500)
    changed = replace(node, rails=(mtu, *node.rails[1:]))
    other = replace(PLAN, nodes=tuple(changed if one is node else one for one in PLAN.nodes))
    assert manifests(PLAN).of(NODE).digest != manifests(other).of(NODE).digest
    assert manifests(PLAN).of(NODE).digest == manifests(open_site("lab")).of(NODE).digest


def test_a_site_whose_devices_have_no_mac_has_a_manifest_of_its_oob_server():
    """Reservations that are none yet are a file all the same, with one line break at its end."""
    found = manifests(open_site("pod-256")).of("oob1")
    assert "/etc/railbed/oob/dhcp-hosts" in {one.path for one in found.files}
