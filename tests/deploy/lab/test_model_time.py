"""Models of switches ask the servers of their configuration, and tell what chronyd knows."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from deploy.lab.models import timekeeping
from deploy.lab.models.cumulus import ntpq as cumulus_ntpq
from deploy.lab.models.cumulus import wanted as cumulus
from deploy.lab.models.eos import shows as eos_shows
from deploy.lab.models.eos import wanted as eos
from deploy.lab.models.nxos import shows as nxos_shows
from deploy.lab.models.nxos import wanted as nxos
from deploy.lab.models.sonic import wanted as sonic
from deploy.lab.models.wanted import Port, Wanted
from inventory import open_site
from switch_configs import render
from switch_configs.answers import answers
from switch_configs.answers.said import Said
from switch_configs.answers.timekeeping import Timekeeping, TimeSource

LEAF = "leaf-p1-r0"
READS: dict[str, tuple[Callable[[str], Wanted], str]] = {
    "cumulus": (cumulus.wanted, "mgmt"),
    "eos": (eos.wanted, "MGMT"),
    "nxos": (nxos.wanted, "management"),
    "sonic": (sonic.wanted, "mgmt"),
}
# chronyc 4.3 with -c, two seconds ahead of one of two servers; the other does not answer.
ROWS = {
    "tracking": "0A580001,10.88.0.1,11,1795796811.1,-2.0,0,0,0,0,0,0,0,64.2,Normal",
    "sources": "^,*,10.88.0.1,10,6,377,23,0.000001,0.000001,0.0002\n"
    "^,?,192.0.2.9,0,6,0,4294967295,0.0,0.0,0.0",
}
KNOWN = Timekeeping(
    (
        TimeSource("10.88.0.1", is_followed=True, answers=True, ahead_s=2.0),
        TimeSource("192.0.2.9", is_followed=False, answers=False, ahead_s=None),
    )
)


def chronyc(*argv: str) -> list[list[str]]:
    assert argv[:3] == ("chronyc", "-n", "-c")
    return [line.split(",") for line in ROWS[argv[3]].splitlines()]


@pytest.mark.parametrize("system", READS)
def test_it_asks_the_planned_server_from_its_management_port(system):
    plan, (read, table) = open_site(f"lab-{system}"), READS[system]
    texts = [one.text for one in render(plan, LEAF).files if "frr" not in one.path]
    asked = read(texts[0])
    (server,) = plan.switch_services.ntp
    assert asked.time == {table: [server]}
    address = plan.switch[LEAF].management.address.ip
    said = f"bindacqaddress {address}\nserver {server} iburst\ncmdport 0\n"
    assert timekeeping.conf(asked) == said


def test_without_servers_nobody_is_asked():
    port = Port("eth0", True, 1500, "10.0.0.1/24")
    none = Wanted("x", {"eth0": port}, {}, {}, None, set(), {}, time={"": []})
    assert timekeeping.conf(none) == ""
    none.time = {"": ["10.0.0.9"]}
    assert timekeeping.conf(none) == "server 10.0.0.9 iburst\ncmdport 0\n"


def told(system: str) -> Timekeeping:
    """What our reader makes of what the model shows."""
    wanted = Wanted("x", {}, {}, {}, None, set(), {})
    match system:
        case "cumulus":
            text = "\n".join(cumulus_ntpq.table(list(timekeeping.servers(chronyc)))) + "\n"
        case "eos":
            text = str(eos_shows.told("show ntp associations | json", chronyc, wanted, 0.0))
        case _:
            text = str(nxos_shows.told("show ntp peer-status | json", chronyc, wanted, 0.0))
    known = answers(system).clocks
    assert known is not None
    return known.read(Said("asked", 0, text))


@pytest.mark.parametrize("system", ["cumulus", "eos"])
def test_it_tells_what_chronyd_knows(system):
    assert told(system) == KNOWN


def test_nxos_tells_no_offset():
    none = (TimeSource(one.server, one.is_followed, one.answers, None) for one in KNOWN.sources)
    assert told("nxos").sources == tuple(none)


def test_without_chronyd_no_server_is_shown():
    silent = [["506 Cannot talk to daemon"]]
    wanted = Wanted("x", {}, {}, {}, None, set(), {})
    said = eos_shows.told("show ntp associations | json", lambda *_: silent, wanted, 0.0)
    assert json.loads(str(said)) == {"peers": {}}
    assert list(cumulus_ntpq.table([])) == ["No association IDs returned"]
