"""A driver version forward and back through the version lock, by both engines, on booted machines.

Packages are stand-ins with the names, versions and relations of NVIDIA's repository for Debian,
in the site's own signed repository; apt, dpkg and its holds are real.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy import engines, supply
from deploy.context import Context
from deploy.engine_run import HostResult
from deploy.session import Selection
from inventory import InventoryError
from inventory.plan import Engine
from tests.bench import small_lab
from tests.bench.small_lab import inside
from tests.labs import lab_name
from tests.standins import packages, sysfs
from tests.standins.site import hardware, lock, site

pytestmark = pytest.mark.lab

NAME = lab_name("drv")
OLDER, NEWER = packages.OLDER, packages.NEWER
NODE: dict[Engine, str] = {"pyinfra": "node-p1-1", "ansible": "node-p1-2"}
OTHER: dict[Engine, Engine] = {"pyinfra": "ansible", "ansible": "pyinfra"}
ROLES = ("nvidia_driver", "os_base")
SWITCHES = (
    "for at in 05 06 07 08; do d=/sys/bus/pci/devices/0000:$at:00.0; mkdir -p $d; "
    "echo 0x10de >$d/vendor; echo 0x068000 >$d/class; done"
)
PACKAGES = "dpkg-query -W -f '${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\n'"
HOLDS = "apt-mark showhold"
OWN = (
    "find /etc/modprobe.d /etc/modules-load.d /etc/default /usr/local/sbin/railbed-nvidia "
    "/etc/systemd/system -type f -path '*railbed*' -exec sha256sum {} + 2>/dev/null | sort; "
    "systemctl is-enabled railbed-nvidia nvidia-persistenced nvidia-fabricmanager 2>&1"
)
SIGNAL = "cat /run/railbed/reboot-required.d/nvidia_driver 2>/dev/null || true"
MODULE = "modinfo -F version nvidia"
# A power cut, or somebody's kill: all is unpacked, the module's package is being configured.
CUT = (
    "mv /usr/sbin/dkms /usr/sbin/dkms.real; printf '#!/bin/sh\\nkill -KILL "
    "$(pidof apt-get dpkg)\\n' >/usr/sbin/dkms; chmod 755 /usr/sbin/dkms"
)
MENDED = "mv /usr/sbin/dkms.real /usr/sbin/dkms"


@dataclass
class Rolled:
    """The lab, and the site that it is of; `context` is of the lock that was read last."""

    selection: Selection
    folder: Path

    def at(self, driver: str) -> None:
        """Lock this driver, and serve its packages."""
        lock(self.folder, driver)
        supply.prepare(self.selection, lambda _: None)
        small_lab.publish(self.context("pyinfra"))

    def context(self, engine: Engine) -> Context:
        return small_lab.context_of(self.selection, engine)

    def run(self, engine: Engine, node: str, dry_run: bool = False) -> HostResult:
        # A dry run would not get past a repository that is not there yet.
        roles = ROLES[:1] if dry_run else ROLES
        results = engines.run(self.context(engine), {node: roles}, dry_run=dry_run)
        [found] = engines.hosts_of(results)
        return found

    def by_both(self, dry_run: bool = False, crossed: bool = False) -> dict[Engine, HostResult]:
        """Both engines at once, each on its node, or each on the other's."""
        with ThreadPoolExecutor() as pool:
            started = {
                one: pool.submit(self.run, one, NODE[OTHER[one] if crossed else one], dry_run)
                for one in NODE
            }
            return {one: future.result() for one, future in started.items()}

    def done(self) -> None:
        """Both engines succeed."""
        for one in self.by_both().values():
            assert not one.failed, one.message

    def agreed(self) -> None:
        """Each finds nothing to do after the other."""
        for one in self.by_both(dry_run=True, crossed=True).values():
            assert (one.failed, one.operations) == (False, ()), one.message


def each(script: str) -> dict[Engine, str]:
    return {engine: inside(NAME, node, script) for engine, node in NODE.items()}


def both(script: str) -> str:
    """What both nodes say, which must be one thing."""
    said = each(script)
    assert said["pyinfra"] == said["ansible"]
    return said["pyinfra"].strip()


def versions() -> set[str]:
    """The versions of all packages of the driver on both nodes."""
    rows = [line.split() for line in both(PACKAGES).splitlines()]
    own = {one.name for one in (*packages.driver(), *packages.fabric_manager())}
    return {version for name, version, *_ in rows if name in own}


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rolled]:
    """Two nodes with stand-in GPUs and NVSwitches, and the older driver locked."""
    folder = site(tmp_path_factory.mktemp("drv") / "site", nodes=2, driver=OLDER)
    with small_lab.standing(folder, NAME) as selection:
        found = Rolled(selection, folder)
        small_lab.serve(found.context("pyinfra"))
        for node in NODE.values():
            sysfs.put_tools(NAME, node, hardware())
            sysfs.put_up(NAME, node)
            inside(NAME, node, SWITCHES)
        yield found


def test_without_headers_both_engines_refuse_and_change_nothing(rolled):
    """Also in a dry run; the package alone would install, build nothing, and end well."""
    before = each(PACKAGES)
    for dry_run in (True, False):
        for one in rolled.by_both(dry_run=dry_run).values():
            assert one.failed
            assert "no headers of the running kernel" in one.message
    driver = {one.name for one in packages.driver()}
    for engine, said in each(PACKAGES).items():
        assert not driver & {line.split()[0] for line in said.splitlines()}, engine
    assert before.keys() == NODE.keys()
    assert (
        both("ls /etc/modprobe.d/*railbed* /usr/local/sbin/railbed-nvidia 2>/dev/null; true") == ""
    )


@pytest.fixture(scope="module")
def older(rolled: Rolled) -> str:
    """The nodes with the older driver: packages and holds."""
    name = packages.headers().name
    for node in NODE.values():
        inside(NAME, node, f"apt-get -q -y update && apt-get -q -y install {name}")
    rolled.done()
    assert versions() == {f"{OLDER}-1"}
    return both(f"{PACKAGES}; {HOLDS}; {OWN}")


def test_all_is_installed_held_and_alike(rolled, older):
    held = set(both(HOLDS).split())
    assert {one.name for one in packages.fabric_manager()} <= held
    assert {"libcuda1", "nvidia-driver-cuda", "nvidia-kernel-open-dkms"} <= held
    assert both(MODULE) == OLDER
    assert both(SIGNAL) == f"no driver is loaded, {OLDER} is installed"
    assert (
        both("systemctl is-enabled nvidia-persistenced nvidia-fabricmanager") == "enabled\nenabled"
    )


def test_a_loaded_driver_of_that_version_asks_for_no_reboot(rolled, older):
    for node in NODE.values():
        sysfs.load(NAME, node, "nvidia", OLDER)
        inside(NAME, node, "systemctl restart railbed-nvidia")
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
    assert both(f"{PACKAGES}; {HOLDS}; {OWN}") == older


def test_forward_and_back_leaves_packages_and_holds_as_before(rolled, older):
    """Forward in two runs: the first is killed while packages are unpacked and a module goes.

    Holds too are as before, also one that somebody took off: apt takes them from what it changes.
    """
    rolled.at(NEWER)
    for node in NODE.values():
        inside(NAME, node, CUT)
    assert all(one.failed for one in rolled.by_both().values())
    for engine, node in NODE.items():
        states = {line.split()[-1] for line in inside(NAME, node, PACKAGES).splitlines()}
        assert states - {"installed", "config-files"}, engine
        inside(NAME, node, MENDED)
    rolled.done()
    assert versions() == {f"{NEWER}-1"}
    assert both(HOLDS) in older
    assert both(MODULE) == NEWER
    # Nothing was reloaded: the old one runs until the reboot.
    assert both("cat /sys/module/nvidia/version") == OLDER
    assert both(SIGNAL) == f"driver {OLDER} is loaded, {NEWER} is installed"
    for node in NODE.values():
        inside(NAME, node, "apt-mark unhold libcuda1")
    rolled.at(OLDER)
    rolled.done()
    assert both(f"{PACKAGES}; {HOLDS}; {OWN}") == older
    assert both(SIGNAL) == ""
    rolled.agreed()


def test_jobs_on_the_gpus_keep_their_driver(rolled, older):
    """The job is a shell that has a file of that name open."""
    rolled.at(NEWER)
    # Whatever it is, /proc shows it by this name: a device number of ours would be refused.
    job = (
        ": >/dev/nvidia0; systemd-run -q --unit job sh -c 'exec sleep 600 </dev/nvidia0'; "
        "until systemctl is-active -q job; do sleep 0.1; done"
    )
    for node in NODE.values():
        inside(NAME, node, job)
    try:
        for one in rolled.by_both().values():
            assert one.failed
            assert f"driver {OLDER} in use by sleep(" in one.message
    finally:
        for node in NODE.values():
            inside(NAME, node, "systemctl stop job; rm -f /dev/nvidia0")
    assert both(f"{PACKAGES}; {HOLDS}; {OWN}") == older


def test_packages_without_a_signature_are_refused(rolled, older):
    """Somebody between the nodes and the server takes the signature away."""
    server = rolled.context("pyinfra").plan.oob.name
    strip = "sed -n '/^Hash/,/^-----BEGIN PGP SIG/p' InRelease | sed '1,2d;$d' >Release"
    folder = "/srv/railbed/packages/current/dists/*/"
    inside(NAME, server, f"cd {folder} && {strip} && rm InRelease && grep -q ^Suite: Release")
    for one in rolled.by_both().values():
        assert one.failed
    assert both(f"{PACKAGES}; {HOLDS}; {OWN}") == older
