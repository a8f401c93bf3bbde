"""Firewall and network of the OOB server: changed with a way back, which a new connection ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import join
from typing import Any, NamedTuple

from pyinfra.api.operation import OperationMeta
from pyinfra.operations import systemd

from .. import resources
from ..pyinfra_role import File, Files

FIREWALL = "railbed-oob-firewall.service"
NETWORKD = "systemd-networkd.service"
WAY_BACK = "railbed-oob-way-back"
CONFIG = "/etc/railbed/oob"
UNITS = "/etc/systemd/system"
_NETWORKS = "/etc/systemd/network"
_PROGRAM = f"/usr/local/sbin/{WAY_BACK}"
_FIREWALL = File("firewall.nft.j2", f"{CONFIG}/firewall.nft", validate="nft -c -f %s")
_FILTER_UNIT = File(FIREWALL, f"{UNITS}/{FIREWALL}")
# Where it differs all services are told, these two as well.
_APPLIED = File("applied.j2", "/var/lib/railbed-oob_server.applied", "0600")
_RUNS = "systemctl is-active --quiet {}"
_NETWORKD = File("networkd.conf", "/etc/systemd/networkd.conf.d/50-railbed.conf")
_OURS = (_FIREWALL, _FILTER_UNIT, _NETWORKD)


class Written(NamedTuple):
    """What was done, for those that follow; `armed` did something only where anything differs."""

    way_back: OperationMeta
    armed: OperationMeta
    firewall: OperationMeta
    filter_unit: OperationMeta
    networkd: OperationMeta
    networks: OperationMeta


def take_back() -> None:
    """Undo what a run that was cut off left unconfirmed; what differs is looked for afterwards."""
    resources.unless(
        name="Take back what nobody confirmed",
        holds="! test -e /var/lib/railbed-oob/pending",
        command=join([_PROGRAM, "go-back", "now"]),
    )


def write(files: Files, values: Mapping[str, Any]) -> Written:
    """Put the way back in place, arm it where anything is going to change, and change it."""
    put, trunk = files.put, values["oob_server_trunk_port"]
    networks = [*_networks(values)]
    way_back = put(
        "Have a way back",
        File(WAY_BACK, _PROGRAM, "0755"),
        File(f"{WAY_BACK}.service", f"{UNITS}/{WAY_BACK}.service"),
    )
    systemd.service(
        name="Have a way back after a restart, too",
        service=f"{WAY_BACK}.service",
        running=None,
        enabled=True,
    )
    arm = ["arm", str(values["oob_server_way_back_s"]), values["oob_server_access_port"]]
    armed = resources.before_change(
        name="Keep what is there, and go back to it unless it is confirmed",
        files=[files.wanted(one) for one in (_APPLIED, *_OURS, *networks)],
        holds=" && ".join(map(_RUNS.format, (FIREWALL, NETWORKD))),
        command=join([_PROGRAM, *arm]),
    )
    return Written(
        way_back,
        armed,
        put("Write the firewall", _FIREWALL, folders=["/etc/railbed", CONFIG]),
        put("Write the firewall's unit", _FILTER_UNIT),
        put("Configure systemd-networkd", _NETWORKD, folders=["/etc/systemd/networkd.conf.d"]),
        put("Describe the zones", *networks, folders=[_netplan(trunk)] if trunk else []),
    )


def confirm(armed: OperationMeta, values: Mapping[str, Any], ssh_config: str) -> None:
    """Have what was applied stay, said over a new connection; else it goes back by itself.

    By ssh, and not over the connection that all tools share (ControlMaster): what is established
    stays whatever the new rules say.
    """
    options = ("ControlMaster=no", "ControlPath=none", "ConnectionAttempts=3")
    anew = ["ssh", "-F", ssh_config, *(f"-o{one}" for one in options)]
    limit_s = str(values["oob_server_confirm_s"])
    resources.confirmed(
        name="Confirm it over a new connection",
        expect=join([_PROGRAM, "expect", limit_s]),
        confirm=join([*anew, values["oob_server_name"], _PROGRAM, "confirm"]),
        otherwise="no new SSH connection confirmed the change of network and firewall: "
        f"it goes back by itself within {limit_s} s",
        _if=armed.did_change,
    )


def _netplan(trunk: str) -> str:
    return f"{_NETWORKS}/10-netplan-{trunk}.network.d"


def _networks(values: Mapping[str, Any]) -> Iterator[File]:
    if trunk := values["oob_server_trunk_port"]:
        yield File("trunk.network.j2", f"{_NETWORKS}/50-railbed-trunk.network")
        yield File("trunk-netplan.conf.j2", f"{_netplan(trunk)}/50-railbed.conf")
    for vlan in values["oob_server_vlans"]:
        path = f"{_NETWORKS}/50-railbed-vlan-{vlan['id']}.netdev"
        yield File("vlan.netdev.j2", path, more={"oob_server_vlan": vlan})
    kinds = (
        ("bridge.netdev.j2", "br-{}.netdev"),
        ("bridge.network.j2", "br-{}.network"),
        ("ports.network.j2", "ports-{}.network"),
    )
    for src, name in kinds:
        for zone in values["oob_server_zones"]:
            # An empty list of names would match every port there is.
            if zone["ports"] or src != "ports.network.j2":
                path = f"{_NETWORKS}/50-railbed-{name.format(zone['name'])}"
                yield File(src, path, more={"oob_server_zone": zone})
