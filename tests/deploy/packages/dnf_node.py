"""A root folder that stands for a node of the RHEL family: dnf, rpm and versionlock work in it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from jinja2 import Template

from inventory.plan import Plan
from inventory.software.packages import node_vars
from roles.plugins.module_utils import railbed_packages as logic
from tests.standins.rpms import build
from tests.tree import ROOT

from . import rpm_archive

PLUGIN = Path("/usr/lib/python3/dist-packages/dnf-plugins/versionlock.py")
# Where EL9's dnf finds it.
LOADED = "usr/lib/python3.9/site-packages/dnf-plugins/versionlock.py"
REPO = ROOT / "roles/os_base/templates/railbed.repo.j2"


@dataclass(frozen=True)
class Node:
    """A root folder, and programs that work in it; `uri` is where packages are served."""

    root: Path
    uri: str
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

    @property
    def tree(self) -> Path:
        """The folder of packages that it is served, where that is one."""
        return Path(self.uri.removeprefix("file://"))

    def trusts(self, key: str) -> None:
        """Write the repository's file and the key, as role os_base does for a site's key."""
        plan = replace(self.plan, repo=replace(self.plan.repo, keyring=key))
        values = {**node_vars(plan), "package_repo_uri": self.uri}
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


def minimal(root: Path, uri: str, plan: Plan) -> Node:
    """A node with a minimal system."""
    made = Node(root, uri, plan)
    system = [one for one in rpm_archive.RPMS if one.name in rpm_archive.CORE]
    base = build(system, root / "base")
    done = made.run(f"rpm --install --nosignature {' '.join(map(str, base))}")
    assert done.returncode == 0, done
    return made
