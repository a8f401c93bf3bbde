"""Every role on booted machines, by the users' own command lines of both engines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from deploy.context import no_journal
from deploy.lab.machines import machine
from deploy.session import Selection, open_context
from tests.labs import OOB, applied, lab_name

from .lab_engines import operations, run, tasks
from .owned import HOST_OF, PLAN, owned

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="roles by both engines, on machines"),
]

BASE = "roles"
NAME = lab_name(BASE)
SELECTION = Selection("lab", NAME)
ENGINES = ("pyinfra", "ansible")
OTHER = {"pyinfra": "ansible", "ansible": "pyinfra"}
# One node for each engine, of one image: what they end in must be the same.
NODE = dict(zip(ENGINES, (one.name for one in PLAN.nodes), strict=False))
MANAGED = {one.name: one.management.address.ip for one in PLAN.nodes}
ROLES = [role for role, host in HOST_OF.items() if host == PLAN.nodes[0].name]

# All files with their times, and since when each service runs.
STATE = r"""
find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log \
    -o -path /var/tmp -o -path /var/lib/systemd -o -path /var/lib/chrony \) -prune \
    -o \( -type f -o -type l \) -printf '%p %T@ %s %m %u:%g %l\n' | sort
for unit in chrony lldpd railbed-kernel-tuning railbed-ofed railbed-nic-firmware railbed-roce-nic \
    systemd-networkd ssh.socket; do
    echo "unit:$unit $(systemctl show $unit -p ActiveState -p UnitFileState \
        -p ActiveEnterTimestampMonotonic | tr '\n' ' ')"
done
"""
# What both nodes must have alike: bytes, owner, mode; packages with holds; units; parameters.
SAME = r"""
find /etc /usr/local /usr/share/keyrings -xdev -type f -printf '%p %m %u:%g ' \
    -exec sh -c 'sha256sum <"$1"' - {} \; | sort
find /etc -xdev -type l -printf '%p -> %l\n' | sort
dpkg-query -W -f '${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\n'
systemctl list-unit-files --no-legend --plain | awk '{print "unit", $1, $2}'
systemctl list-units --type=service --state=active --no-legend --plain | awk '{print "runs", $1}'
systemctl show -p DefaultLimitMEMLOCK
for one in $(sed -n 's/ = .*//p' /etc/sysctl.d/*railbed*); do sysctl $one; done
"""
# What is each machine's own: its name, its keys, the addresses of its rails, its logins.
OWN = re.compile(
    r"/etc/(hostname|machine-id|ssh/ssh_host_\S+|resolv\.conf) "
    r"|/etc/(lldpd\.d/railbed\.conf|railbed/network|systemd/network/50-railbed-rail\S+) "
    r"|/etc/\S*-? .*\.lock|runs (ssh@|user@|user-runtime-dir@)|unit ssh@"
)
# What installing packages leaves behind beside their own files.
BY_PACKAGES = re.compile(
    r"/etc/apparmor\.d/local/|/etc/chrony/chrony\.keys$|/etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$|/etc/ld\.so\.cache$"
    r"|/etc/rc\d\.d/|/etc/systemd/system/.*\.(wants|requires)/|/etc/systemd/system/chronyd\.service$"
    r"|/etc/systemd/system/systemd-networkd-wait-online\.service$"
    # The second name of systemd-networkd, which comes with enabling it.
    r"|/etc/systemd/system/dbus-org\.freedesktop\.network1\.service$"
    r"|/usr/share/(man|info|mime|perl5)/|/etc/(localtime|timezone)$|/etc/alternatives/"
    r"|/var/(lib|cache)/|/usr/lib/.*\.(pyc|cache)$|/root/\.ansible"
)


def by_both(check: bool = False, crossed: bool = False) -> dict[str, str]:
    """Both engines at once, each on its node, or each on the other's."""
    with ThreadPoolExecutor() as pool:
        hosts = {engine: NODE[OTHER[engine] if crossed else engine] for engine in ENGINES}
        started = {
            engine: pool.submit(run, SELECTION, engine, host, check)
            for engine, host in hosts.items()
        }
        return {engine: one.result() for engine, one in started.items()}


def inside(device: str, script: str) -> str:
    done = machine.inside(NAME, device, ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def states() -> dict[str, dict[str, str]]:
    """By engine, what is on its node: path or unit, and the rest of the line."""
    return {
        engine: dict(line.split(" ", 1) for line in inside(NODE[engine], STATE).splitlines())
        for engine in ENGINES
    }


@pytest.fixture(scope="module")
def ready() -> Iterator[None]:
    """A lab whose OOB server gives leases and packages; its nodes are as installed."""
    with applied(BASE, only=OOB) as selection:
        open_context(selection, print, no_journal)
        yield


@pytest.fixture(scope="module")
def fresh(ready: None) -> dict[str, dict[str, str]]:
    """The nodes before any run."""
    return states()


@pytest.fixture(scope="module")
def checked(fresh: dict[str, dict[str, str]]) -> dict[str, str]:
    """What a check of a new node says; that it changed nothing is a test of its own."""
    said = by_both(check=True)
    assert states() == fresh
    return said


@pytest.fixture(scope="module")
def first(checked: dict[str, str]) -> dict[str, str]:
    """What the first run says."""
    return by_both()


@pytest.fixture(scope="module")
def converged(first: dict[str, str]) -> dict[str, dict[str, str]]:
    """The nodes after the first run."""
    return states()


def test_both_engines_end_in_the_same(converged):
    ends = {
        engine: [line for line in inside(NODE[engine], SAME).splitlines() if not OWN.match(line)]
        for engine in ENGINES
    }
    assert ends["ansible"] == ends["pyinfra"]
    assert len(ends["ansible"]) > 300


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_touched_that_no_role_owns(engine, fresh, converged):
    before, after = fresh[engine], converged[engine]
    changed = {
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path) and path.startswith("/")
    }
    mine = {path for role in ROLES for path in owned(role).files if "/50-railbed-rail" not in path}
    assert mine <= changed
    listed = "for p in $(dpkg-query -W -f '${Package}\n'); do dpkg -L $p; done"
    # Packages say /lib, which is a link to /usr/lib.
    files = inside(NODE[engine], listed).splitlines()
    packaged = {re.sub(r"^/(bin|sbin|lib|lib64)/", r"/usr/\1/", one) for one in files}
    # apt keeps the lists of a repository under the name of its suite.
    lists = {path for path in changed if path.startswith("/var/lib/apt/lists/")}
    ours = {path for path in changed - lists if "railbed" in path}
    left = {path for path in changed - mine - packaged - ours if not BY_PACKAGES.search(path)}
    assert left == set()
    assert {path for path in ours - mine if "/50-railbed-rail" not in path} == {
        f"/etc/systemd/system/multi-user.target.wants/{unit}"
        for role in ROLES
        for unit, (enabled, _) in owned(role).units.items()
        if unit.startswith("railbed-") and enabled is True
    }


@pytest.mark.instances(keep=1, of="what is run once roles are as planned")
def test_a_second_run_changes_nothing(converged):
    before = states()
    assert_nothing_changed(by_both())
    assert states() == before


@pytest.mark.instances(keep=1, of="what is run once roles are as planned")
def test_a_run_of_the_other_engine_changes_nothing(converged):
    before = states()
    assert_nothing_changed(by_both(crossed=True))
    assert states() == before


def test_a_check_of_a_new_node_told_what_the_run_changed(checked, first):
    """Ansible by its changed tasks; a handler that is a command is never checked."""
    told, done = tasks(checked["ansible"]), tasks(first["ansible"])
    assert told <= done
    handlers = {one for one in done if "HANDLER" in one}
    assert done - told <= handlers
    told, done = operations(checked["pyinfra"]), operations(first["pyinfra"])
    assert told == done


def assert_nothing_changed(said: dict[str, str]) -> None:
    recap = re.search(r"changed=(\d+)", said["ansible"])
    assert recap is not None
    assert recap[1] == "0", tasks(said["ansible"])
    assert operations(said["pyinfra"]) == set()


def test_what_a_role_sets_runs(converged):
    """Read from the machine itself, not from files."""
    node = NODE["ansible"]
    args = inside(node, "ps -o args= -C chronyd | sort -u")
    assert args.split() == ["/usr/sbin/chronyd", "-F", "1", "-x"]
    # As soon as four answers agree; a hundredth of a second is much between two containers.
    inside(node, "chronyc waitsync 60 0.01 0 1")
    source, stratum = inside(node, "chronyc -n -c tracking").split(",")[1:3]
    assert (source, stratum) == ("10.88.1.1", "11")
    assert str(MANAGED[node]) in inside(PLAN.oob.name, "chronyc -n clients")
    assert inside(node, "getent hosts leaf-p1-r0").split()[0] == "10.88.0.11"
    assert inside(node, "apt-get --print-uris update").count("http://") == (
        inside(node, "apt-get --print-uris update").count("http://10.88.1.1:8080")
    )
    assert inside(node, "systemctl is-system-running || systemctl --failed").strip() == "running"


def test_a_node_without_rdma_devices_is_clean_and_asks_for_no_reboot(converged):
    for node in NODE.values():
        units = "-u railbed-ofed -u railbed-roce-nic -u railbed-kernel-tuning"
        said = inside(node, f"journalctl -o cat {units}")
        assert "railbed-ofed:" not in said
        assert "found" not in said
        assert "railbed-kernel-tuning:" not in said
        assert inside(node, "ls /run/railbed/reboot-required.d 2>/dev/null || true") == ""


@pytest.mark.instances(keep=1, of="what is run once roles are as planned")
def test_a_node_says_its_planned_name_by_lldp_on_its_data_ports_alone(converged):
    """The image brings no word for lldpd: all of it is the role's."""
    for node in NODE.values():
        said = json.loads(inside(node, "lldpcli -f json0 show interfaces"))
        ports = {one["name"]: one for one in said["lldp"][0]["interface"]}
        assert set(ports) == {nic.port for nic in PLAN.node[node].rails}
        assert {one["chassis"][0]["name"][0]["value"] for one in ports.values()} == {node}
        assert {one["port"][0]["id"][0]["value"] for one in ports.values()} == set(ports)


@pytest.mark.instances(keep=1, of="what is run once roles are as planned")
def test_by_hand_changes_are_taken_back_by_either_engine(converged):
    """What the manifest would find: a file, a mode, a unit, a parameter."""
    hurt = (
        "echo x >>/etc/hosts; chmod 600 /etc/default/railbed-roce-nic; "
        "systemctl stop chrony lldpd; systemctl disable -q railbed-roce-nic; "
        "sysctl -qw net.ipv4.tcp_mtu_probing=0; "
        "sysctl -qw net.ipv4.conf.rail0.arp_ignore=0; chmod 777 /etc/systemd/system.conf.d"
    )
    ask = (
        "sha256sum /etc/hosts; cd /etc; stat -c %a default/railbed-roce-nic systemd/system.conf.d; "
        "systemctl is-active chrony lldpd; systemctl is-enabled railbed-roce-nic; "
        "sysctl net.ipv4.tcp_mtu_probing net.ipv4.conf.rail0.arp_ignore"
    )
    before = {node: inside(node, ask) for node in NODE.values()}
    for node in NODE.values():
        inside(node, hurt)
    assert_all_differ = {node: inside(node, f"({ask}) || true") for node in NODE.values()}
    assert all(assert_all_differ[node] != before[node] for node in NODE.values())
    by_both()
    assert {node: inside(node, ask) for node in NODE.values()} == before
