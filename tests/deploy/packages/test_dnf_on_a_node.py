"""What the site's dnf repository gives a node: dnf, rpm and versionlock, as they are here.

A root folder of its own stands for the node, and what roles do there is done. RHEL userland is not
tried, and vendor packages are stand-ins.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from jinja2 import Template

from deploy.rollout.supply import programs
from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from inventory.software.packages import node_vars
from roles.plugins.module_utils import railbed_packages as logic
from tests.standins.rpms import Rpm, build
from tests.tree import ROOT
from validation.manifest.device import manifests
from validation.manifest.node_state import NETWORKS, PACKAGES, STRAYS, ask
from validation.manifest.owned import Manifest, OwnedPackage, Watched
from validation.parse.host.node_state import packages, strays

from . import rpm_archive
from .conftest import Served

PLUGIN = Path("/usr/lib/python3/dist-packages/dnf-plugins/versionlock.py")
pytestmark = [
    pytest.mark.skipif(
        not (all(map(shutil.which, [*programs("rocky-9"), "rpmbuild"])) and PLUGIN.exists()),
        reason="needs dnf, dnf-plugins-core, rpm, createrepo-c and gnupg",
    ),
    pytest.mark.instances(keep=2, of="a node's dnf"),
]
# Where EL9's dnf finds it.
LOADED = "usr/lib/python3.9/site-packages/dnf-plugins/versionlock.py"
REPO = ROOT / "roles/os_base/templates/railbed.repo.j2"


@dataclass(frozen=True)
class Node:
    """A root folder, and programs that work in it; `tree` is what the OOB server serves."""

    root: Path
    tree: Path
    plan: Plan

    def __post_init__(self) -> None:
        """Write what role os_base does, and what the system itself has."""
        keys, repos = self.root / "etc/pki/rpm-gpg", self.root / "etc/yum.repos.d"
        for folder in (keys, repos, self.root / "etc/dnf/plugins", self.root / "bin"):
            folder.mkdir(parents=True)
        self.trusts(self.plan.repo.keyring)
        (repos.parent / "dnf.conf").write_text("[main]\n")
        plugin = self.root / LOADED
        plugin.parent.mkdir(parents=True)
        plugin.symlink_to(PLUGIN)
        locks = self.root / "etc/dnf/plugins/versionlock"
        locks.with_suffix(".list").touch()
        locks.with_suffix(".conf").write_text(
            f"[main]\nenabled=1\nlocklist={locks.with_suffix('.list')}\n"
        )
        options = (
            f"--installroot={self.root} --releasever=9 --setopt=reposdir={repos} "
            f"--setopt=pluginconfpath={locks.parent} --setopt=cachedir={self.root}/cache "
            f"--setopt=pluginpath={plugin.parent} --config={repos.parent}/dnf.conf"
        )
        # Debian's rpm keeps its database elsewhere than the RHEL family's.
        (self.root / "home").mkdir()
        (self.root / "home/.rpmmacros").write_text("%_dbpath /var/lib/rpm\n")
        self._program("dnf", options)
        self._program("rpm", f"--root={self.root}")

    def trusts(self, key: str) -> None:
        """Write the repository's file and the key, as role os_base does for a site's key."""
        plan = replace(self.plan, repo=replace(self.plan.repo, keyring=key))
        values = {**node_vars(plan), "package_repo_uri": f"file://{self.tree}"}
        keys = self.root / "etc/pki/rpm-gpg"
        (keys / "railbed.asc").write_text(key)
        text = Template(REPO.read_text()).render(**values)
        (self.root / "etc/yum.repos.d/railbed.repo").write_text(
            text.replace("file:///etc/pki/rpm-gpg", f"file://{keys}")
        )

    def _program(self, name: str, options: str) -> None:
        path = self.root / "bin" / name
        path.write_text(f'#!/bin/sh\nexec {shutil.which(name)} {options} "$@"\n')
        path.chmod(0o755)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a role."""
        env = {
            "PATH": f"{self.root}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C.UTF-8",
            "HOME": f"{self.root}/home",
        }
        argv = ["sh", "-c", command]
        return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=300)

    def found(self, wanted: dict[str, str]) -> logic.Found:
        """What there is, as roles ask for it."""
        return logic.found("rpm", self.run(logic.query("rpm", [*wanted], [])).stdout)

    def has(self, wanted: dict[str, str]) -> str:
        """Have these packages, held, as roles do it; what failed, or nothing."""
        for command in logic.commands("rpm", self.found(wanted), wanted, hold=True):
            done = self.run(command)
            if done.returncode:
                return done.stdout + done.stderr
        return ""


@pytest.fixture
def node(served: Served, tmp_path: Path) -> Node:
    """A node with a minimal system, and a server for it alone."""
    shutil.copytree(served.tree, tmp_path / "tree")
    made = Node(tmp_path / "node", tmp_path / "tree", served.plan)
    system = [one for one in rpm_archive.RPMS if one.name in rpm_archive.CORE]
    base = build(system, tmp_path / "base")
    done = made.run(f"rpm --install --nosignature {' '.join(map(str, base))}")
    assert done.returncode == 0, done
    return made


def wanted(node: Node) -> dict[str, str]:
    return node.plan.packages.set_of("time", "lldp", "rdma", "nvidia_driver")


def test_roles_find_exact_versions_and_hold_them(node):
    """Of any epoch, and of a module without its stream; a second time there is nothing to do."""
    asked = wanted(node)
    assert asked["nvidia-open"] == "3:580.178.04-1.el9"
    assert "python3-dnf-plugin-versionlock" in asked
    assert node.has(asked) == ""
    there = node.found(asked)
    assert there.installed == asked
    assert there.held == {*asked}
    assert logic.changes(there, asked, hold=True) == []
    assert node.run("rpm -q libseccomp").returncode == 0


def probed(node: Node, manifest: Manifest, frame: str) -> subprocess.CompletedProcess[bytes]:
    """What the probe of stage 30 and of drift prints, also where somebody installed dpkg."""
    for name in ("awk", "cat", "dpkg-query", "grep", "rpm", "sed"):
        (node.root / "alone").mkdir(exist_ok=True)
        (node.root / "alone" / name).unlink(missing_ok=True)
        (node.root / "alone" / name).symlink_to(str(shutil.which(name)))
    script = ask(manifest, frame, str(node.root)).shell
    argv = ["/bin/sh", "-c", script]
    return subprocess.run(argv, env={"PATH": f"{node.root}/alone"}, capture_output=True)


def manifest_of(node: Node) -> Manifest:
    rows = (OwnedPackage(name, "r", version, hold=True) for name, version in wanted(node).items())
    return Manifest("n", ("r",), family="rpm", packages=(*rows,))


def test_the_probe_of_drift_reads_packages_and_holds(node):
    asked = {name: version for name, version in wanted(node).items() if name != "lldpd"}
    assert node.has(asked) == ""
    assert node.run("dnf -q -y --disablerepo='*' versionlock delete chrony").returncode == 0
    manifest = manifest_of(node)
    done = probed(node, manifest, PACKAGES)
    told = packages(done.stdout.decode(), done.returncode, wanted(node)).found
    assert told.pop("lldpd") is None
    assert {name: one.version for name, one in told.items() if one} == asked
    assert {name for name, one in told.items() if one and not one.is_held} == {"chrony"}
    shutil.rmtree(node.root / "var/lib/rpm")
    broken = probed(node, manifest, PACKAGES)
    with pytest.raises(Unreadable):
        packages(broken.stdout.decode(), broken.returncode, wanted(node))


def with_settings(**changed: str) -> Callable[[Node], object]:
    """Other settings of versionlock; the last of a name counts."""
    lines = "".join(f"{name} = {value}\n" for name, value in changed.items())
    return lambda node: edited(node, "plugins/versionlock.conf", lines)


def edited(node: Node, name: str, lines: str) -> None:
    path = node.root / "etc/dnf" / name
    path.parent.mkdir(exist_ok=True)
    names = {one.partition("=")[0].strip() for one in lines.splitlines()}
    old = path.read_text().splitlines() if path.exists() else ["[main]"]
    kept = [one for one in old if one.partition("=")[0].strip() not in names]
    path.write_text("\n".join([*kept, lines]))


def list_moved(node: Node) -> None:
    folder = node.root / "etc/dnf/plugins"
    (folder / "versionlock.list").rename(folder / "other.list")
    edited(node, "plugins/versionlock.conf", f"locklist = {folder}/other.list\n")


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (with_settings(enabled="0"), False),
        (with_settings(enabled="False"), False),
        (with_settings(locklist="/dev/null"), False),
        (lambda node: (node.root / LOADED).unlink(), False),
        (list_moved, True),
    ],
    ids=["off", "false", "another list", "no plugin", "list moved"],
)
def test_a_lock_holds_where_dnf_reads_it(node, change, holds):
    """What the probe says is what dnf does, as roles ask it."""
    asked = {name: wanted(node)[name] for name in ("chrony", "lldpd")}
    assert node.has(asked) == ""
    change(node)
    done = probed(node, manifest_of(node), PACKAGES)
    told = packages(done.stdout.decode(), done.returncode, wanted(node)).found
    held = {name for name, one in told.items() if one and one.is_held}
    assert held == ({*asked} if holds else set())
    assert held == {*node.found(asked).held}


def test_where_dnf_loads_no_plugin_no_lock_holds(node):
    asked = {"chrony": wanted(node)["chrony"]}
    assert node.has(asked) == ""
    edited(node, "dnf.conf", "plugins = 0\n")
    assert "\thold\t" not in probed(node, manifest_of(node), PACKAGES).stdout.decode()


def test_what_a_package_brought_is_no_stray(node):
    """rpm lists paths as they are on the node: here the root goes before them."""
    folder = node.root / "etc/tpm"
    folder.mkdir()
    for name in ("own.conf", "other.conf"):
        (folder / name).touch()
    [file] = build([Rpm("owner", "1-1", file=f"{folder}/own.conf")], node.root / "b")
    assert node.run(f"rpm --install --nosignature {file}").returncode == 0
    manifest = Manifest("n", ("r",), family="rpm", strays=(Watched("/etc/tpm/*", "r"),))
    told = strays(probed(node, manifest, STRAYS).stdout)
    assert told.paths == (f"{folder}/other.conf",)
    network = node.root / "etc/systemd/network/80-other.network"
    network.parent.mkdir(parents=True)
    network.write_text("[Match]\nName=eth0\n")
    assert probed(node, manifest, NETWORKS).returncode == 0
    # Of a database that rpm cannot read it says that no package owns anything.
    shutil.rmtree(node.root / "var/lib/rpm")
    for frame in (STRAYS, NETWORKS):
        assert probed(node, manifest, frame).returncode == 2


def test_the_plan_says_which_tool_knows_a_nodes_packages(node):
    [name, *_] = (one.name for one in node.plan.nodes if one.kind == "gpu")
    assert manifests(node.plan).of(name).family == "rpm"


def lists_of(node: Node) -> Path:
    return node.tree / "rpm/railbed-el9/repodata/repomd.xml"


def signed_by_another(node: Node, other: Path) -> None:
    path = lists_of(node).with_name("repomd.xml.asc")
    argv = ["gpg", "--batch", "--yes", "--homedir", str(other), "--armor", "--output"]
    subprocess.run([*argv, str(path), "--detach-sign", str(lists_of(node))], check=True)


def unsigned(node: Node, _: Path) -> None:
    lists_of(node).with_name("repomd.xml.asc").unlink()


def changed(node: Node, _: Path) -> None:
    lists_of(node).write_text(lists_of(node).read_text().replace("<revision>", "<revision>1"))


def package_changed(node: Node, _: Path) -> None:
    [path] = lists_of(node).parents[1].glob("packages/chrony-*.rpm")
    path.write_bytes(path.read_bytes()[:-8] + b"tampered")


def package_replaced(node: Node, _: Path) -> None:
    """Another file under its name, whole and of the same version."""
    [path] = lists_of(node).parents[1].glob("packages/chrony-*.rpm")
    [other] = build([Rpm("chrony", "4.5-1.el9", lines="Provides: a-way-in\n")], node.root / "b")
    path.write_bytes(other.read_bytes())


def of_another_site(node: Node, other: Path) -> None:
    """Its packages are whole and signed, but by a key that this node was never told of."""
    text = rpm_archive.armoured(other).read_text()
    (node.root / "etc/pki/rpm-gpg/railbed.asc").write_text(text)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (signed_by_another, "repomd.xml GPG signature verification error"),
        (unsigned, "repomd.xml.asc"),
        (changed, "repomd.xml GPG signature verification error"),
        (package_changed, "checksum"),
        (package_replaced, "checksum"),
        (of_another_site, "repomd.xml GPG signature verification error"),
    ],
)
def test_what_was_touched_on_its_way_is_refused_and_nothing_installed(node, keys, harm, said):
    harm(node, keys[1][0])
    assert said in node.has(wanted(node))
    assert node.found(wanted(node)).installed == {}


def test_lists_that_have_ended_are_refused_whoever_serves_them_again(node, served):
    """They are whole and signed by this site: an older lock's packages would come with them."""
    asked = {"lldpd": wanted(node)["lldpd"]}
    assert node.has(asked) == ""
    shutil.rmtree(node.tree)
    shutil.copytree(served.ended, node.tree)
    said = node.has(wanted(node))
    assert "found lists of packages that ended at" in said
    assert node.found(wanted(node)).installed == asked


def test_no_other_lists_than_those_that_were_looked_at_are_taken(node, served):
    """Who serves ended ones once the date was looked at is not asked again."""
    asked = {"lldpd": wanted(node)["lldpd"]}
    *before, install, _ = logic.commands("rpm", node.found(asked), asked, hold=True)
    for command in before:
        assert node.run(command).returncode == 0
    now = lists_of(node).parent
    shutil.rmtree(now)
    shutil.copytree(served.ended / now.relative_to(node.tree), now)
    assert node.run(install).returncode == 0
    used = {path.read_text() for path in (node.root / "cache").rglob("repomd.xml")}
    assert used.isdisjoint({lists_of(node).read_text()})


def test_a_key_that_the_site_gave_up_counts_no_more(node, keys):
    """dnf keeps the keys that it took for a repository, whatever its file says by then."""
    first = {"lldpd": wanted(node)["lldpd"]}
    plugin = {"python3-dnf-plugin-versionlock": wanted(node)["python3-dnf-plugin-versionlock"]}
    assert node.has(first) == ""
    node.trusts(rpm_archive.armoured(keys[1][0]).read_text())
    assert "repomd.xml GPG signature verification error" in node.has(plugin)
    signed_by_another(node, keys[1][0])
    assert node.has(plugin) == ""
