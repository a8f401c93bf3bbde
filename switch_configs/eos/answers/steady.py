"""What of an EOS switch must stay: how often links changed, and since when each session is up.

`linkStatusChanges` of `show interfaces | json` and `upDownTime` of `show bgp summary vrf all |
json`, the Unix time of a session's last change (napalm-automation/napalm,
test/eos/mocked_data/test_get_bgp_neighbors). EOS works that time out from how long ago it was, so
two readings of one session may differ a little.
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.fields import mapping, needed
from inventory.reading.numbers import Real, count
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.contract import Steady
from switch_configs.answers.said import Said
from switch_configs.answers.steady import Held

from .bgp import sessions
from .cli import port_name, shown
from .ports import interfaces

_PORTS = "show interfaces | json"
_SESSIONS = "show bgp summary vrf all | json"
_CHANGES = count("changes of a link")
_TIME = Real("time", "s", 0, 1e12)
_SLACK_S = 2.0


def _held(found: Mapping[str, Section]) -> Held:
    ports = Said(_PORTS, 0, section(found, "ports"), "")
    carrier = {
        name: _CHANGES.of(
            mapping(needed(one, "interfaceCounters", name), name), "linkStatusChanges", name
        )
        for name, one in interfaces(ports)
        if name.startswith("Ethernet")
    }
    told = Said(_SESSIONS, 0, section(found, "sessions"), "")
    known, since = sessions(told), _since(told)
    states = {key: (one.state, since[key]) for key, one in known.peers.items()}
    return Held(carrier, states, slack=_SLACK_S)


def _since(told: Said) -> dict[str, float]:
    made: dict[str, float] = {}
    for name, entry in mapping(needed(shown(told), "vrfs", "BGP summary"), "vrfs").items():
        peers = mapping(needed(mapping(entry, name), "peers", name), name)
        for key, row in peers.items():
            port = key.partition("%")[2]
            at = _TIME.of(mapping(row, key), "upDownTime", key)
            made[port_name(port) if port else key] = at
    return made


STEADY = Steady({"ports": _PORTS, "sessions": _SESSIONS}, _held)
