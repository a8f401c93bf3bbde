"""The OOB server, booted, through the very port that its role's firewall guards; both engines."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy import lab
from deploy.context import no_journal
from deploy.lab.machines import machine
from deploy.servers import ansible_run
from deploy.session import Selection, open_context
from inventory.load.site import SITES
from tests.deploy.lab.traces import forget
from tests.labs import lab_name

from .lab_engines import assert_nothing_changed, begun, operations, run, tasks

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="the OOB server, by real logins and engines"),
]

BASE = "oobwb"
NAME = lab_name(BASE)
ENGINES = ("pyinfra", "ansible")
PENDING = "/var/lib/railbed-oob/pending"
LIMIT_S = 300.0
# All that the role may change of network and firewall, as written, as it runs, and as noted.
STATE = """
cd /etc/systemd; sha256sum network/* network/*/* networkd.conf.d/* system/railbed-* 2>/dev/null
sha256sum /etc/railbed/oob/* /var/lib/railbed-oob_server.applied 2>/dev/null
ip -br address; ip -4 route; nft -s list ruleset | grep -v 'counter'
for unit in railbed-oob-firewall systemd-networkd; do systemctl is-active $unit; done
true
"""
# What no preflight sees: routes by protocol say that the session comes in by a second port. Rules
# that let SSH in there alone then cut the way of every new connection.
BLIND = """
ip link set hm1 up; ip address replace 203.0.113.9/32 dev hm1
ip route replace default dev hm1 table 99
ip rule add pref 10 ipproto tcp lookup main 2>/dev/null
ip rule add pref 11 lookup 99 2>/dev/null
true
"""
SEEING = "ip rule del pref 10; ip rule del pref 11"
CUTS: dict[str, Any] = {
    "oob_server_access_port": "hm1",
    "oob_server_access_mac": "",
    "oob_server_access_address": "203.0.113.9",
    "oob_server_confirm_s": 10,
}


def inside(script: str) -> str:
    done = machine.inside(NAME, "oob1", ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def wait_until(holds: Callable[[], bool]) -> None:
    """The limit is for what never comes; slowness fails nothing."""
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


def is_pending() -> bool:
    return machine.inside(NAME, "oob1", ["test", "-e", PENDING], timeout_s=120).returncode == 0


def is_over() -> bool:
    """Nothing is pending, and what took it back has ended."""
    state = "systemctl show -P ActiveState railbed-oob-going-back.service"
    return not is_pending() and inside(state).strip() not in ("activating", "active")


@pytest.fixture(scope="module")
def selection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Selection]:
    """The OOB server of the site `lab`, and one node to have a cable to."""
    folder: Path = tmp_path_factory.mktemp("site") / "lab"
    folder.mkdir()
    (folder / "fabric.yml").write_bytes((SITES / "lab/fabric.yml").read_bytes())
    rows = (SITES / "lab/asbuilt.csv").read_text().splitlines()
    kept = [row for row in rows if row.startswith(("device,", "oob1,"))]
    (folder / "asbuilt.csv").write_text("\n".join(kept) + "\n")
    head = "a_device,a_port,b_device,b_port,plane"
    (folder / "wiring.csv").write_text(f"{head}\nnode-p1-1,eth0,oob1,hm1,oob\n")
    chosen = Selection(str(folder), NAME)
    forget(NAME)
    try:
        lab.up(folder, NAME, say=lambda _: None)
        open_context(chosen, print, no_journal)
        yield chosen
    finally:
        forget(NAME)


def apply(selection: Selection, engine: str, check: bool = False, **values: Any) -> str:
    return run(selection, engine, "oob1", check, roles=("oob_server",), values=values)


def refused(selection: Selection, engine: str, why: str, *, check: bool, **values: Any) -> None:
    """The run fails and says why; a dry run of pyinfra says it and ends with 0."""
    try:
        said = apply(selection, engine, check, **values)
    except AssertionError as error:
        said = str(error)
    else:
        assert (engine, check) == ("pyinfra", True)
    assert re.search(why, said)


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """No test leans on another's end."""
    yield
    inside("ip rule del pref 10 2>/dev/null; ip rule del pref 11 2>/dev/null; true")
    inside("[ ! -e /usr/local/sbin/railbed-oob-way-back ] || railbed-oob-way-back go-back now")


@pytest.fixture(scope="module")
def applied(selection: Selection) -> Selection:
    """A server as installed that was reached through up0, and then has all of the role."""
    apply(selection, "pyinfra")
    return selection


def test_a_good_change_stays_and_a_second_run_begins_nothing(applied):
    assert not is_pending()
    before, kept = inside(STATE), inside("stat -c %Y.%Z /var/lib/railbed-oob/kept")
    assert 'iifname "up0" tcp dport 22 accept' in before
    for engine in ENGINES:
        assert_nothing_changed(engine, apply(applied, engine))
    # Ansible's change is confirmed as pyinfra's was: rules that somebody wrote over are back.
    # By mitogen's strategy, as `apply` runs it, and by Ansible's own.
    inside("echo '# x' >>/etc/railbed/oob/firewall.nft")
    context = open_context(applied, print, no_journal)
    result = ansible_run.run(context, {"oob1": ("oob_server",)}, dry_run=False)
    assert result.ok, result.transcript
    assert "Confirm it over a new connection" in result.transcript
    assert (inside(STATE), is_pending()) == (before, False)
    inside("echo '# x' >>/etc/railbed/oob/firewall.nft")
    apply(applied, "ansible")
    assert (inside(STATE), is_pending()) == (before, False)
    assert inside("stat -c %Y.%Z /var/lib/railbed-oob/kept") != kept
    assert inside("systemctl is-active railbed-oob-going-back.timer || true").strip() == "inactive"


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_firewall_that_cuts_the_way_comes_back_by_itself(engine, applied):
    inside(BLIND)
    before = inside(STATE)
    why = "no new SSH connection confirmed the change"
    refused(applied, engine, why, check=False, **CUTS)
    wait_until(is_over)
    assert inside(STATE) == before
    assert "before the change are back (now)" in inside("journalctl -o cat -u 'railbed-oob*'")
    inside(SEEING)
    assert_nothing_changed(engine, apply(applied, engine))


def test_what_a_killed_run_left_is_taken_back_by_a_restart(applied):
    inside(BLIND)
    before = inside("cat /etc/railbed/oob/firewall.nft")
    values = {**CUTS, "oob_server_confirm_s": 3600, "oob_server_way_back_s": 3600}
    with begun(applied, "pyinfra", "oob1", roles=("oob_server",), values=values) as process:
        wait_until(lambda: is_pending() and inside("cat /etc/railbed/oob/firewall.nft") != before)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    lab.restart(NAME, "oob1")
    wait_until(is_over)
    assert inside("cat /etc/railbed/oob/firewall.nft") == before
    assert 'iifname "up0" tcp dport 22 accept' in inside("nft list ruleset")
    assert_nothing_changed("pyinfra", apply(applied, "pyinfra"))


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_next_run_begins_clean(engine, applied):
    """It takes back at once what a run left that was killed, as here after its first words."""
    before = inside(STATE)
    inside("railbed-oob-way-back arm 3600 up0; echo '# x' >>/etc/railbed/oob/firewall.nft")
    for check in (True, False):
        assert is_pending()
        said = apply(applied, engine, check)
        done = tasks(said) if engine == "ansible" else operations(said)
        assert any("Take back what nobody confirmed" in one for one in done)
    assert (inside(STATE), is_pending()) == (before, False)


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("check", [True, False])
def test_a_swapped_mac_is_refused_by_name(engine, check, applied):
    before = inside(STATE)
    (other,) = re.findall(r"\S+:\S+", inside("cat /sys/class/net/hm1/address"))
    why = f"found up0 with the MAC address .*{other}.*; hm1 has it"
    refused(applied, engine, why, check=check, oob_server_access_mac=other)
    assert inside(STATE) == before
