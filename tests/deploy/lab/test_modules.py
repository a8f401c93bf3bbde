"""The modules in the lab's models: what each system shows is what its readers take."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable

import pytest

from deploy.lab.modelled import MODELS, SYSTEMS
from deploy.lab.models import modules
from deploy.lab.models.cumulus import optics as cumulus
from deploy.lab.models.eos import shows as eos
from deploy.lab.models.nxos import shows as nxos
from deploy.lab.models.sonic import daemon_run as sonic_daemon
from deploy.lab.models.sonic import optics as sonic
from deploy.lab.models.sonic.box import Switch
from deploy.lab.models.sonic.programs import PROGRAMS
from deploy.lab.models.sonic.tables import Hashes
from deploy.lab.models.under import Run
from deploy.lab.models.wanted import Port, Wanted, kernel_name
from inventory.plan import PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers import answers
from switch_configs.answers.contract import Modules
from switch_configs.answers.linux import ethtool_module
from validation.stages.s15_optics.judge import ends_fault, link_faults, module_faults, whole_for
from validation.stages.s15_optics.terms import limits

# A port whose far end is on, one whose far end is off, one of management.
PORTS = {
    "cumulus": ("swp5", "swp6", "eth0"),
    "eos": ("Ethernet5/1", "Ethernet6/1", "Management1"),
    "nxos": ("Ethernet1/5", "Ethernet1/6", "mgmt0"),
    "sonic": ("Ethernet4", "Ethernet8", "eth0"),
}
Says = Callable[[str], str]


def linux(system: str) -> Run:
    """Linux under a switch with these ports."""
    lit, dark, management = map(kernel_name, PORTS[system])
    empty = {"mtu": 1500, "addr_info": [], "stats64": {"rx": _COUNTED, "tx": _COUNTED}}
    rows = [
        {"ifname": name, "address": f"02:00:00:00:00:0{at}", "flags": ["UP", *more], **empty}
        for at, (name, more) in enumerate(
            [(lit, ["LOWER_UP"]), (dark, ["NO-CARRIER"]), (management, ["LOWER_UP"])]
        )
    ]
    return lambda *argv: rows if argv[-2:] == ("address", "show") else {}


_COUNTED = {"bytes": 0, "packets": 0, "dropped": 0, "errors": 0, "carrier_changes": 0}


def asked(system: str) -> Wanted:
    ports = {kernel_name(one): Port(kernel_name(one), True, 1500) for one in PORTS[system]}
    return Wanted("leaf", ports, {}, {4: True, 6: True}, None, set(), {})


class Sonic(Switch):
    """Redis after its daemons wrote."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(sonic_daemon, "said", linux("sonic"))
        found = sonic_daemon.fitted(linux("sonic"), asked("sonic"))
        self.db = {
            "STATE_DB": sonic.rows(found),
            "COUNTERS_DB": sonic_daemon.counted(asked("sonic")),
        }

    def holds(self, database: str) -> Hashes:
        return self.db[database]


def shell(line: str) -> str:
    """What Cumulus Linux says to a line."""
    run = linux("cumulus")
    program, _, port, *more = shlex.split(line)
    if program == "ethtool":
        assert more == ["&&", "echo", ethtool_module.END]
        found = cumulus.fitted(run, port)
        return f"{cumulus.ethtool(found)}{more[2]}\n" if found else ""
    told = cumulus.phy(shlex.split(line)[1:], run, 600.0)
    assert told
    return told[1]


@pytest.fixture(params=sorted(PORTS))
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def says(system: str, monkeypatch: pytest.MonkeyPatch) -> Says:
    if system == "cumulus":
        return shell
    if system == "sonic":
        switch = Sonic(monkeypatch)
        return lambda line: PROGRAMS[shlex.split(line)[0]](switch, shlex.split(line)[1:])
    shows = {"eos": eos.told, "nxos": nxos.told}[system]
    return lambda line: shows(line, linux(system), asked(system), 0.0) or ""


@pytest.fixture
def readers(system: str) -> Modules:
    found = answers(system).modules
    assert found
    return found


def test_each_system_with_a_model_is_tried():
    assert tuple(sorted(PORTS)) == SYSTEMS


def test_a_module_is_within_its_limits_and_dark_where_the_far_end_is_off(system, says, readers):
    up, off, management = PORTS[system]
    lit, dark = (readers.module(says(readers.line(port)), port) for port in (up, off))
    # Four lanes, whatever its map has room for.
    assert (lit.rx_dbm, lit.tx_dbm, lit.bias_ma) == ((0.1,) * 4, (1.9,) * 4, (92.0,) * 4)
    assert lit.media
    assert (lit.media.lanes, lit.copper, lit.fixed, lit.serial) == (
        4, False, False, "MODEL020000000000",
    )  # fmt: skip
    whole_for(lit, 400)
    assert list(module_faults(lit, limits())) == []
    wrong = list(module_faults(dark, limits()))
    assert [one.partition(" is -40 dBm, below")[0] for one in wrong] == [
        f"rx of lane {lane}" for lane in range(1, 5)
    ]
    assert ends_fault(PortRef("leaf", up), lit, PortRef("leaf", off), dark) == ""
    with pytest.raises(Unreadable):
        readers.module(says(readers.line(management)), management)


def test_its_limits_are_its_own(system, says, readers):
    port, *_ = PORTS[system]
    one = readers.module(says(readers.line(port)), port)
    assert (one.rx.low, one.rx.high) == modules.RX_WARN_DBM
    assert (one.tx.low, one.tx.high) == modules.TX_WARN_DBM
    assert (one.bias.low, one.bias.high) == modules.BIAS_WARN_MA
    assert (one.temperature.low, one.temperature.high) == modules.TEMPERATURE_WARN_C


def test_its_link_loses_no_bits(system, says, readers):
    port, *_ = PORTS[system]
    if readers.ratios is None:
        assert system == "nxos"
        return
    texts = [says(line) for line in readers.ratios.lines(port)]
    link = readers.ratios.link(texts, port)
    assert list(link_faults(link, limits())) == []
    assert link.pre_fec_ber == pytest.approx(modules.PRE_FEC_RATIO, rel=0.2)


def test_ports_of_which_all_modules_are_told_at_once(system, says, readers):
    if readers.told is None:
        assert system == "cumulus"
        return
    up, off, _ = PORTS[system]
    assert sorted(readers.told(says(readers.line("")))) == sorted([up, off])


class Held:
    """Redis, as far as its rows are written."""

    def __init__(self) -> None:
        self.rows: Hashes = {}

    def ask(self, verb: str, *names: str) -> None:
        assert verb in ("FLUSHDB", "DEL")
        for name in names or list(self.rows):
            del self.rows[name]

    def write(self, held: Hashes) -> None:
        self.rows |= held


def test_rows_of_sonic_follow_its_ports(monkeypatch):
    redis = Held()
    redis.rows["TRANSCEIVER_INFO|Ethernet99"] = {"serial": "of before it began"}
    monkeypatch.setattr(sonic_daemon, "Redis", lambda _: redis)
    state = sonic_daemon.Written("STATE_DB")
    run, both = linux("sonic"), asked("sonic")
    state.has(sonic.rows(sonic_daemon.fitted(run, both)))
    ports = {name.partition("|")[2] for name in redis.rows}
    assert ports == {"Ethernet4", "Ethernet8"}
    assert redis.rows["TRANSCEIVER_DOM_SENSOR|Ethernet8"]["rx1power"] == "-inf"
    del both.ports["Ethernet8"]
    state.has(sonic.rows(sonic_daemon.fitted(run, both)))
    assert {name.partition("|")[2] for name in redis.rows} == {"Ethernet4"}


@pytest.mark.parametrize(
    ("words", "asked_of"),
    [
        (("-m", "swp5"), "python3 -SP -m models.cumulus.optics swp5"),
        (("-m", "eth0"), "ethtool.real -m eth0"),
        (("-S", "swp5"), "ethtool.real -S swp5"),
    ],
)
def test_before_ethtool_stands_one_that_tells_of_modules(tmp_path, words, asked_of):
    said = (MODELS / "cumulus/disk/usr/lib/modelled/ethtool").read_text().replace("$$", "$")
    for name in ("python3", "ethtool.real"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o700)
    script = tmp_path / "ethtool"
    script.write_text(said.replace("/usr/sbin/", f"{tmp_path}/"))
    done = subprocess.run(
        ["sh", script, *words], env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{asked_of}\n"


def test_who_asks_of_a_port_that_is_not_there_is_told_so():
    assert cumulus.fitted(linux("cumulus"), "swp9") is None
    words = ["show", "interface", "swp9", "link", "phy-detail", "--output", "json"]
    assert cumulus.phy(words, linux("cumulus"), 0.0) == (
        1, "Error: The requested item does not exist.",
    )  # fmt: skip
    assert cumulus.phy(["config", "show"], linux("cumulus"), 0.0) is None


def test_who_is_not_root_is_told_of_no_module(monkeypatch, capsys):
    monkeypatch.setattr(cumulus, "said", linux("cumulus"))
    for user, port, told in (
        (0, "swp5", "Vendor SN                                 : MODEL020000000000\n"),
        (0, "swp9", "netlink error: No such device\n"),
        (1000, "swp5", "netlink error: Operation not permitted\n"),
    ):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        status = cumulus.main(port)
        out, err = capsys.readouterr()
        assert told in (err if status else out)
        assert bool(status) is bool(err) is not bool(out)
