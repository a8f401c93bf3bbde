"""Cables, sessions, routes and ports of EOS and NX-OS."""

from __future__ import annotations

from collections.abc import Callable

from switch_configs.answers.said import Said
from switch_configs.eos.answers import bgp as eos_bgp
from switch_configs.eos.answers import lldp as eos_lldp
from switch_configs.eos.answers import ports as eos_ports
from switch_configs.eos.answers import routes as eos_routes
from switch_configs.nxos.answers import bgp as nxos_bgp
from switch_configs.nxos.answers import forwarding as nxos_forwarding
from switch_configs.nxos.answers import lldp as nxos_lldp
from switch_configs.nxos.answers import ports as nxos_ports
from switch_configs.nxos.answers import routes as nxos_routes

from ..shows import eos, nxos
from ..shows.readings import small_switch
from . import Case


def _of(reader: Callable[[Said], object]) -> Callable[[str], object]:
    return lambda text: reader(Said("show", 0, text))


def _refused(reader: Callable[[Said], object]) -> Callable[[str], object]:
    return lambda text: reader(Said("show", 1, "", text))


_HERE = small_switch()
_EOS, _NXOS = eos.says(_HERE), nxos.says(_HERE)
CASES = (
    Case("eos-lldp", _of(eos_lldp.neighbours), _EOS[eos.LLDP]),
    Case("eos-lldp-off", eos_lldp.is_off, "no lldp run\nend\n"),
    Case("eos-bgp", _of(eos_bgp.sessions), _EOS[eos.BGP]),
    Case("eos-selected", _of(eos_routes.selected), _EOS[eos.ROUTES]),
    Case("eos-programmed", _of(eos_routes.programmed), _EOS[eos.ROUTES]),
    Case("eos-ports", _of(eos_ports.ports), _EOS[eos.PORTS]),
    Case("eos-addresses", _of(eos_ports.addresses), _EOS[eos.PORTS]),
    Case("nxos-lldp", _of(nxos_lldp.neighbours), _NXOS[nxos.LLDP]),
    Case("nxos-lldp-nobody", _refused(nxos_lldp.neighbours), nxos.NOBODY),
    Case("nxos-bgp", _of(nxos_bgp.sessions), _NXOS[nxos.BGP]),
    Case("nxos-selected", _of(nxos_routes.selected), _NXOS[nxos.RIB]),
    Case("nxos-forwarded", _of(nxos_forwarding.forwarded), _NXOS[nxos.FIB]),
    Case("nxos-ports", _of(nxos_ports.ports), _NXOS[nxos.PORTS]),
    Case("nxos-addresses", _of(nxos_ports.addresses), _NXOS[nxos.PORTS]),
)
