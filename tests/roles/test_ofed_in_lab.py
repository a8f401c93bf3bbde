"""The role ofed on booted machines: real apt and dpkg, stand-in packages, both engines.

One node is each engine's. The kernel is the host's, so what is loaded is not shown here
(test_ofed_drivers.py): these machines have modules on disk and none of them runs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.lab.hardware import debs, fitted
from deploy.lab.machines import machine
from deploy.servers import engines
from deploy.servers.engine_run import HostResult
from deploy.session import Selection
from inventory import open_site
from tests.bench import small_lab
from tests.labs import lab_name
from tests.standins import packages, site

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="roles by both engines, on machines"),
]

NAME = lab_name("ofed")
NODE = {"pyinfra": "node-p1-1", "ansible": "node-p1-2"}
# The NIC stack alone: everything else of a GPU node is tried elsewhere.
BARE: dict[str, Any] = dict.fromkeys(
    ("gpu_driver", "gpu_storage", "containers", "collectives"), None
)
DOCA = {"stack": "doca", "model": "connectx7", "settings": {"CNP_DSCP_P1": 48}}
INBOX = {"stack": "inbox"}
STATE = r"""
dpkg-query -W -f '${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\n'
find /etc /usr/local /lib/modules /var/lib/dkms -xdev -type f \
    ! -name '*~' ! -path '/etc/.*' -printf '%p %m %u:%g %T@\n' | sort
"""
# What a look at other sources leaves behind is not apt's own.
APART = "-o Dir::State::Lists=/srv/vendor-lists -o Dir::Cache=/srv/vendor-cache"
HEADERS = f"apt-get -qq install {packages.headers().name}"


class Lab:
    """The lab, whose site is rewritten as a person would change it."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.folder = Path(selection.site)
        self.said: dict[str, str] = {}

    def wish(self, nics: dict[str, Any], doca: str = packages.DOCA_NEWER) -> None:
        """Ask for another stack or release, and send its packages to the OOB server."""
        path = self.folder / "profiles/nodes.yml"
        said = yaml.safe_load(path.read_text())
        said[site.NODE]["nics"] = nics
        path.write_text(yaml.safe_dump(said, sort_keys=False))
        if nics["stack"] == "doca":
            site.lock(self.folder, doca=doca)
        else:
            site.write_lock(self.folder, [packages.headers(), packages.runtime(), packages.dkms()])
            drop_components(self.folder / site.LOCK)
        small_lab.publish(small_lab.context_of(self.selection, "pyinfra"))

    def apply(
        self, *roles: str, dry_run: bool = False, crossed: bool = False
    ) -> dict[str, HostResult]:
        """Both engines at once, each on its node or on the other's."""
        asked = roles or ("ofed",)
        with ThreadPoolExecutor() as pool:
            started = {
                engine: pool.submit(self._one, engine, asked, crossed, dry_run) for engine in NODE
            }
            return {engine: one.result() for engine, one in started.items()}

    def _one(self, engine: Any, roles: tuple[str, ...], crossed: bool, dry_run: bool) -> HostResult:
        host = next(node for one, node in NODE.items() if (one == engine) != crossed)
        context = small_lab.context_of(self.selection, engine)
        done = engines.run(context, {host: roles}, dry_run=dry_run)
        self.said[engine] = done[0].transcript
        return engines.hosts_of(done)[0]

    def converge(self, again: bool = False) -> None:
        """Apply, where os_base has the pins of another lock; `again`: nothing is left to change,
        also not to the other engine.
        """
        for engine, one in self.apply("os_base", "ofed").items():
            assert not one.failed, self.said[engine][-3000:]
        for crossed in (False, True) if again else ():
            done = self.apply(crossed=crossed).values()
            assert [(one.failed, one.changed) for one in done] == [(False, False)] * 2

    def refused(self, *words: str) -> None:
        """Neither engine changes anything, and both say why; in a check too."""
        before = states()
        for results in (self.apply(dry_run=True), self.apply()):
            for engine, one in results.items():
                assert one.failed, engine
                for word in words:
                    assert word in one.message, (engine, one.message)
        assert states() == before


def drop_components(lock: Path) -> None:
    """A lock names packages alone that it has."""
    said = yaml.safe_load(lock.read_text())
    known = said["packages"]
    parts = said["components"]
    said["components"] = {key: names for key, names in parts.items() if set(names) <= set(known)}
    lock.write_text(yaml.safe_dump(said))


def inside(node: str, script: str) -> str:
    return small_lab.inside(NAME, node, script)


def states() -> list[str]:
    return [inside(node, STATE) for node in NODE.values()]


def versions(node: str) -> dict[str, tuple[str, bool]]:
    """Version and hold of each package of the stack."""
    shown = "'${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\\n'"
    rows = (line.split() for line in inside(node, f"dpkg-query -W -f {shown}").splitlines())
    kinds = re.compile(r"doca|mlnx|mft|ofed|ibverbs|rdma|perftest|libib|librdma")
    return {
        name: (version, want == "hold")
        for name, version, want, is_ in rows
        if kinds.search(name) and is_ == "installed"
    }


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab whose nodes have their base, stand-in devices, and no NIC stack."""
    folder = tmp_path_factory.mktemp("ofed") / "site"
    site.site(folder, nodes=2, **{**BARE, "nics": DOCA})
    with small_lab.standing(folder, NAME) as selection:
        context = small_lab.context_of(selection, "pyinfra")
        small_lab.serve(context)
        hosts = dict.fromkeys(NODE.values(), ("os_base",))
        small_lab.must(engines.run(context, hosts, dry_run=False))
        for node in NODE.values():
            fitted.put_tools(NAME, node, site.hardware())
        yield Lab(selection)


def strip(node: str) -> None:
    """Neither a NIC stack nor headers, as before the first test; nothing where that is so."""
    names = " ".join([*versions(node), packages.headers().name])
    inside(node, f"apt-get -qq purge --allow-change-held-packages {names} 2>&1")


def test_no_headers_of_the_running_kernel_is_refused(up):
    for node in NODE.values():
        strip(node)
    up.wish(DOCA)
    up.refused("no headers of the kernel", "linux-headers-")


@pytest.fixture
def headed(up: Lab) -> Lab:
    """The headers are there."""
    for node in NODE.values():
        inside(node, HEADERS)
    return up


@pytest.mark.full
def test_mlnx_ofed_is_refused(headed, tmp_path):
    one = next(one for one in packages.mlnx_ofed() if one.name == "mlnx-ofed-all")
    [path] = debs.build([one], tmp_path)
    for node in NODE.values():
        argv = ["sh", "-c", "cat >/root/x.deb && dpkg --force-depends -i /root/x.deb"]
        done = machine.inside(NAME, node, argv, path.read_bytes(), timeout_s=60)
        assert done.returncode == 0, done.stderr
    headed.refused("MLNX_OFED (mlnx-ofed-all 24.10-2.1.8.0)")
    for node in NODE.values():
        inside(node, "dpkg --purge mlnx-ofed-all; rm /root/x.deb")


@pytest.mark.full
def test_inbox_and_then_doca_up_and_down_by_the_lock(headed):
    """Both engines end alike, and each in what the other would not change."""
    headed.wish(INBOX)
    headed.converge(again=True)
    inbox = versions(NODE["pyinfra"])
    assert inbox == versions(NODE["ansible"])
    assert inbox["rdma-core"] == ("44.0-2", True)
    ends: dict[str, dict[str, tuple[str, bool]]] = {}
    for release in (packages.DOCA_OLDER, packages.DOCA_NEWER, packages.DOCA_OLDER):
        headed.wish(DOCA, release)
        headed.converge(again=release in ends)
        found = versions(NODE["pyinfra"])
        assert found == versions(NODE["ansible"])
        plan = open_site(headed.folder)
        assert {
            name: (version, True) for name, version in plan.packages.set_of("doca_ofed").items()
        } == found
        assert ends.setdefault(release, found) == found
        for node in NODE.values():
            built = inside(node, "modinfo -n mlx5_core; modinfo -F version mlx5_core").split()
            assert "/updates/dkms/" in built[0]
            conf = inside(node, "cat /etc/infiniband/openib.conf").split()
            assert {"IPOIB_LOAD=no", "RUN_FW_UPDATER_ONBOOT=no"} <= set(conf)
            assert inside(node, "ls /run/standin/uplink-cut 2>/dev/null || true") == ""
    # Not the stack that the site names, and nobody removes it by the way.
    headed.wish(INBOX)
    headed.refused("DOCA (doca-ofed 2.9.1-018000")


def vendors_own(folder: Path, deb: debs.Deb, label: str) -> bytes:
    """A flat repository of one package under this label, as a vendor publishes it, as tar."""
    [path] = debs.build([deb], folder)
    content = path.read_bytes()
    listed = f"{debs.control(deb)}Filename: ./{path.name}\nSize: {len(content)}\n"
    listed += f"SHA256: {sha256(content).hexdigest()}\n"
    (folder / "Packages").write_text(listed)
    digest = sha256(listed.encode()).hexdigest()
    (folder / "Release").write_text(
        f"Label: {label}\nSuite: stable\nSHA256:\n {digest} {len(listed)} Packages\n"
    )
    argv = ["tar", "-C", str(folder), "-c", "."]
    return subprocess.run(argv, capture_output=True, check=True).stdout


@pytest.fixture
def installed(headed: Lab) -> Lab:
    """DOCA is installed by both engines; for most tests an earlier one has done so."""
    headed.wish(DOCA, packages.DOCA_OLDER)
    wanted = open_site(headed.folder).packages.set_of("doca_ofed")
    held = {name: (version, True) for name, version in wanted.items()}
    if any(versions(node) != held for node in NODE.values()):
        headed.converge()
    return headed


def test_held_packages_stay_whatever_apt_is_asked(installed):
    for node in NODE.values():
        before = versions(node)
        assert {held for _, held in before.values()} == {True}
        inside(node, "apt-get -qq update; apt-get -y -q upgrade; apt-get -y -q dist-upgrade")
        assert versions(node) == before


@pytest.mark.parametrize(("name", "label"), [("dkms", "DOCA-HOST-3.2"), ("mft", "NVIDIA CUDA")])
def test_a_vendors_repository_that_somebody_adds_changes_nothing(installed, tmp_path, name, label):
    """apt knows the newer package there, and never takes it."""
    made = vendors_own(tmp_path / "repo", debs.Deb(name, "9.0-1"), label)
    node = NODE["ansible"]
    # Where apt's own user may read.
    argv = ["sh", "-c", "rm -rf /srv/vendor*; mkdir -p /srv/vendor; tar -C /srv/vendor -x"]
    assert machine.inside(NAME, node, argv, made, timeout_s=60).returncode == 0
    inside(
        node,
        "chmod 755 /srv/vendor; mkdir -p /srv/vendor-lists/partial /srv/vendor-cache; "
        "echo 'deb [trusted=yes] file:/srv/vendor ./' >/srv/vendor.list",
    )
    source = f"-o Dir::Etc::SourceList=/srv/vendor.list {APART}"
    told = inside(node, f"apt-get {source} update -qq && apt-cache {source} policy {name}")
    assert "9.0-1 -1" in told
    assert "Candidate: 9.0-1" not in told


def test_a_reload_under_the_way_in_is_refused(installed):
    """The management port becomes that of an mlx5 NIC."""
    path = installed.folder / "profiles/nodes.yml"
    before = path.read_text()
    said = yaml.safe_load(before)
    nics = [{"bdf": "0000:2a:00.0", "netdev": "eth0", "rdma": "mlx5_2"}]
    hardware = site.hardware()
    for node in NODE.values():
        fitted.put_tools(NAME, node, {**hardware, "nics": [*hardware["nics"], *nics]})
        fitted.put_up(NAME, node)
    said[site.NODE]["nics"] = {**DOCA, "reload": "now"}
    path.write_text(yaml.safe_dump(said, sort_keys=False))
    try:
        installed.refused("eth0, the way in")
        for node in NODE.values():
            assert inside(node, "ls /run/standin/uplink-cut 2>/dev/null || true") == ""
    finally:
        path.write_text(before)
        for node in NODE.values():
            fitted.take_down(NAME, node)


@pytest.mark.full
def test_a_repository_that_is_not_signed_by_our_key_is_apts_own_refusal(installed):
    """Nothing is installed of it."""
    installed.wish(DOCA, packages.DOCA_NEWER)
    before = {node: versions(node) for node in NODE.values()}
    server = open_site(installed.folder).oob.name
    place = inside(server, "find /srv/railbed -name InRelease").split()[0]
    # As a person in the middle would do: the signature no longer fits.
    inside(server, f"cp {place} /root/InRelease; sed -i 's/^Suite:.*/Suite: other/' {place}")
    try:
        for engine, one in installed.apply("os_base", "ofed").items():
            assert one.failed, engine
        assert {node: versions(node) for node in NODE.values()} == before
        # It goes on with the lists that it trusts, and they have no such version.
        asked = f"mkdir -p /srv/vendor-lists/partial /srv/vendor-cache; apt-get {APART} update"
        assert "signature" in inside(NODE["ansible"], f"{asked} 2>&1 || true")
    finally:
        inside(server, f"cp /root/InRelease {place}")
    installed.converge()
    assert {node: versions(node) for node in NODE.values()} != before
