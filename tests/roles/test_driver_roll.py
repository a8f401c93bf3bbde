"""A driver version forward and back through the version lock, by both engines, on booted machines.

Packages are stand-ins with the names, versions and relations of NVIDIA's repository for Debian,
in the site's own signed repository; apt, dpkg and its holds are real. Two nodes have no driver.
Two others are brought to the older one, once; each test begins with that driver installed, none
loaded, and its packages served, whatever ran before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.context import Context
from deploy.lab.hardware import debs, fitted
from deploy.lab.machines import machine
from deploy.rollout import supply
from deploy.servers import engines
from deploy.servers.engine_run import HostResult
from deploy.session import Selection, open_plan
from inventory import InventoryError
from inventory.plan import Engine
from tests.bench import small_lab
from tests.bench.small_lab import inside
from tests.labs import lab_name
from tests.standins import packages
from tests.standins.site import hardware, lock, site

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="roles by both engines, on machines"),
]

NAME = lab_name("drv")
OLDER, NEWER = packages.OLDER, packages.NEWER
NODE: dict[Engine, str] = {"pyinfra": "node-p1-1", "ansible": "node-p1-2"}
BARE: dict[Engine, str] = {"pyinfra": "node-p1-3", "ansible": "node-p1-4"}
CROSSED: dict[Engine, str] = {"pyinfra": NODE["ansible"], "ansible": NODE["pyinfra"]}
ROLES = ("nvidia_driver", "os_base")
PACKAGES = "dpkg-query -W -f '${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\n'"
HOLDS = "apt-mark showhold"
OWN = (
    "find /etc/modprobe.d /etc/modules-load.d /etc/default /usr/local/sbin/railbed-nvidia "
    "/etc/systemd/system -type f -path '*railbed*' -exec sha256sum {} + 2>/dev/null | sort; "
    "systemctl is-enabled railbed-nvidia nvidia-persistenced nvidia-fabricmanager 2>&1"
)
STATE = f"{PACKAGES}; {HOLDS}; {OWN}"
SIGNAL = "cat /run/railbed/reboot-required.d/nvidia_driver 2>/dev/null || true"
# As often as tests ask: systemd refuses a unit that is started too often (systemd.unit(5)).
TOLD = "systemctl reset-failed railbed-nvidia 2>/dev/null; systemctl restart railbed-nvidia"
MODULE = "modinfo -F version nvidia"
# A power cut, or somebody's kill: all is unpacked, the module's package is being configured.
CUT = (
    "mv /usr/sbin/dkms /usr/sbin/dkms.real; printf '#!/bin/sh\\nkill -KILL "
    "$(pidof apt-get dpkg)\\n' >/usr/sbin/dkms; chmod 755 /usr/sbin/dkms"
)
MENDED = "[ ! -e /usr/sbin/dkms.real ] || mv /usr/sbin/dkms.real /usr/sbin/dkms"
# A job is a shell that has a file of that name open. Whatever it is, /proc shows it by this name:
# a device number of ours would be refused.
JOB = (
    ": >/dev/nvidia0; systemd-run -q --unit job sh -c 'exec sleep 600 </dev/nvidia0'; "
    "until systemctl is-active -q job; do sleep 0.1; done"
)
ENDED = "systemctl stop job 2>/dev/null; rm -f /dev/nvidia0"


@dataclass
class Rolled:
    """The lab, and the site that it is of; `context` is of the lock that was read last."""

    selection: Selection
    folder: Path
    driver: str = OLDER

    def at(self, driver: str) -> None:
        """Lock this driver, and serve its packages."""
        if driver != self.driver:
            lock(self.folder, driver)
            self.driver = driver
            supply.prepare(self.selection, lambda _: None, open_plan(self.selection))
            small_lab.publish(self.context("pyinfra"))

    def context(self, engine: Engine) -> Context:
        return small_lab.context_of(self.selection, engine)

    def run(self, engine: Engine, node: str, dry_run: bool = False) -> HostResult:
        # A dry run would not get past a repository that is not there yet, and a bare node is
        # refused before anybody asks for one.
        roles = ROLES[:1] if dry_run or node in BARE.values() else ROLES
        results = engines.run(self.context(engine), {node: roles}, dry_run=dry_run)
        [found] = engines.hosts_of(results)
        return found

    def by_both(
        self, dry_run: bool = False, nodes: dict[Engine, str] = NODE
    ) -> dict[Engine, HostResult]:
        """Both engines at once, each on its node."""
        with ThreadPoolExecutor() as pool:
            started = {one: pool.submit(self.run, one, nodes[one], dry_run) for one in nodes}
            return {one: future.result() for one, future in started.items()}

    def done(self) -> None:
        """Both engines succeed."""
        for one in self.by_both().values():
            assert not one.failed, one.message

    def agreed(self) -> None:
        """Each finds nothing to do after the other."""
        for one in self.by_both(dry_run=True, nodes=CROSSED).values():
            assert (one.failed, one.operations) == (False, ()), one.message


def each(script: str, nodes: dict[Engine, str] = NODE) -> dict[Engine, str]:
    return {engine: inside(NAME, node, script).strip() for engine, node in nodes.items()}


def both(script: str, nodes: dict[Engine, str] = NODE) -> str:
    """What both nodes say, which must be one thing."""
    said = each(script, nodes)
    assert said["pyinfra"] == said["ansible"]
    return said["pyinfra"]


def versions() -> set[str]:
    """The versions of all packages of the driver on both nodes."""
    rows = [line.split() for line in both(PACKAGES).splitlines()]
    own = {one.name for one in (*packages.driver(), *packages.fabric_manager())}
    return {version for name, version, *_ in rows if name in own}


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rolled]:
    """Nodes with stand-in GPUs and NVSwitches, and the older driver locked."""
    folder = site(tmp_path_factory.mktemp("drv") / "site", nodes=4, driver=OLDER)
    with small_lab.standing(folder, NAME) as selection:
        found = Rolled(selection, folder)
        small_lab.serve(found.context("pyinfra"))
        for node in (*NODE.values(), *BARE.values()):
            fitted.put_tools(NAME, node, hardware())
            fitted.put_up(NAME, node)
        yield found


def test_without_headers_both_engines_refuse_and_change_nothing(rolled):
    """Also in a dry run; the package alone would install, build nothing, and end well."""
    for dry_run in (True, False):
        for one in rolled.by_both(dry_run, BARE).values():
            assert one.failed
            assert "no headers of the running kernel" in one.message
    driver = {one.name for one in packages.driver()}
    for engine, said in each(PACKAGES, BARE).items():
        assert not driver & {line.split()[0] for line in said.splitlines()}, engine
    ours = "ls /etc/modprobe.d/*railbed* /usr/local/sbin/railbed-nvidia 2>/dev/null; true"
    assert both(ours, BARE) == ""


@pytest.fixture(scope="module")
def installed(rolled: Rolled, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The older driver comes to two nodes; what they then have: packages, holds and files."""
    [path] = debs.build([packages.headers()], tmp_path_factory.mktemp("headers"))
    for node in NODE.values():
        argv = ["sh", "-c", "cat >/root/x.deb && dpkg -i /root/x.deb && rm /root/x.deb"]
        done = machine.inside(NAME, node, argv, path.read_bytes(), timeout_s=60)
        assert done.returncode == 0, done.stderr
    rolled.done()
    assert versions() == {f"{OLDER}-1"}
    return both(STATE)


@pytest.fixture
def older(rolled: Rolled, installed: str) -> str:
    """The nodes with the older driver, also where an earlier test left them with another."""
    each(f"{ENDED}; {MENDED}")
    rolled.at(OLDER)
    for node in NODE.values():
        fitted.put_up(NAME, node)
    if set(each(STATE).values()) != {installed}:
        rolled.done()
    each(TOLD)
    assert both(STATE) == installed
    return installed


@pytest.fixture
def loaded(older: str) -> str:
    """The nodes with the older driver, which runs."""
    for node in NODE.values():
        fitted.load(NAME, node, "nvidia", OLDER)
    each(TOLD)
    return older


def test_all_is_installed_held_and_alike(older):
    held = set(both(HOLDS).split())
    assert {one.name for one in packages.fabric_manager()} <= held
    assert {"libcuda1", "nvidia-driver-cuda", "nvidia-kernel-open-dkms"} <= held
    assert both(MODULE) == OLDER
    assert both(SIGNAL) == f"no driver is loaded, {OLDER} is installed"
    assert (
        both("systemctl is-enabled nvidia-persistenced nvidia-fabricmanager") == "enabled\nenabled"
    )


def test_a_loaded_driver_of_that_version_asks_for_no_reboot(loaded):
    assert both(SIGNAL) == ""
    # What the profile asks of the module came into it by the one line of modprobe.d.
    assert both("grep MemOPs /proc/driver/nvidia/params") == "EnableStreamMemOPs: 1"


def test_an_unequal_fabric_manager_is_refused_before_anything(rolled, older):
    lock(rolled.folder, OLDER, fabric_manager=packages.SKEWED)
    try:
        with pytest.raises(InventoryError, match=rf"{packages.SKEWED}-1, expected the upstream"):
            rolled.context("pyinfra")
    finally:
        lock(rolled.folder, OLDER)
    assert both(STATE) == older


def test_forward_and_back_leaves_packages_and_holds_as_before(rolled, loaded):
    """Forward in two runs: the first is killed while packages are unpacked and a module goes.

    Holds too are as before, also one that somebody took off: apt takes them from what it changes.
    """
    rolled.at(NEWER)
    each(CUT)
    assert all(one.failed for one in rolled.by_both().values())
    for engine, said in each(PACKAGES).items():
        states = {line.split()[-1] for line in said.splitlines()}
        assert states - {"installed", "config-files"}, engine
    each(MENDED)
    rolled.done()
    assert versions() == {f"{NEWER}-1"}
    assert both(HOLDS) in loaded
    assert both(MODULE) == NEWER
    # Nothing was reloaded: the old one runs until the reboot.
    assert both("cat /sys/module/nvidia/version") == OLDER
    assert both(SIGNAL) == f"driver {OLDER} is loaded, {NEWER} is installed"
    each("apt-mark unhold libcuda1")
    rolled.at(OLDER)
    rolled.done()
    assert both(STATE) == loaded
    assert both(SIGNAL) == ""
    rolled.agreed()


def test_jobs_on_the_gpus_keep_their_driver(rolled, loaded):
    rolled.at(NEWER)
    each(JOB)
    for one in rolled.by_both().values():
        assert one.failed
        assert f"driver {OLDER} in use by sleep(" in one.message
    each(ENDED)
    assert both(STATE) == loaded


def test_packages_without_a_signature_are_refused(rolled, older):
    """Somebody between the nodes and the server takes the signature away."""
    rolled.at(NEWER)
    server = rolled.context("pyinfra").plan.oob.name
    strip = "sed -n '/^Hash/,/^-----BEGIN PGP SIG/p' InRelease | sed '1,2d;$d' >Release"
    folder = "/srv/railbed/packages/current/dists/*/"
    inside(NAME, server, f"cd {folder} && {strip} && rm InRelease && grep -q ^Suite: Release")
    for one in rolled.by_both().values():
        assert one.failed
    assert both(STATE) == older
