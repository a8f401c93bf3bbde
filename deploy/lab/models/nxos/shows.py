"""What NX-OS shows of what Linux, FRR and lldpd are doing.

The forms are those of recorded data: `show interface` and `show lldp neighbors detail` of napalm's
and netests' (napalm-automation/napalm, test/nxos/mocked_data), `show ip route` and `show forwarding
ipv4 route` of allenrobel/nxapi-netbox, `show bgp sessions vrf all` of napalm's, `show feature` and
`show interface counters` of Cisco's Programmability guide; `show interface transceiver details` of
microsoft/arc-switch (src/SwitchOutput/Cisco/Nexus/10), `show ntp peer-status` as napalm reads it. A
lone row is no list, and a table without rows is left out. A command of a feature that is off is no
command. What has no queue under it shows none.

How the line cards forward is how Linux does: its table is read by itself, not from FRR.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Interface, IPv4Network
from typing import Any

from .. import modules, timekeeping, under
from ..under import Link, Route, Run, shown_name
from ..wanted import LOOPBACK, Wanted, port_name
from .text import INVALID

_LOOPBACK = "loopback0"
_SEEN = ("Ethernet", "mgmt", _LOOPBACK)
_KNOWN = ("bfd", "bgp", "lldp", "scp-server")
_ENDS = {"high alarm": "alrm_hi", "low alarm": "alrm_lo", "high warning": "warn_hi",
         "low warning": "warn_lo"}  # fmt: skip
_LIMITS = (
    ("temp", modules.TEMPERATURE_WARN_C),
    ("current", modules.BIAS_WARN_MA),
    ("tx_pwr", modules.TX_WARN_DBM),
    ("rx_pwr", modules.RX_WARN_DBM),
)
Row = dict[str, object]


def told(line: str, run: Run, wanted: Wanted, _now: float) -> str | None:
    """What is shown; None for what is not known here."""
    match line:
        case "show interface | json":
            return json.dumps(interfaces(run, wanted))
        case "show interface counters | json":
            return json.dumps(counters(run, wanted))
        case "show interface transceiver details | json":
            return json.dumps(table("interface", map(_module, modules.modules(run, wanted))))
        case "show feature | json":
            return json.dumps(features(wanted))
        case "show lldp neighbors detail | json":
            return lldp(run) if wanted.lldp else INVALID
        case "show bgp sessions vrf all | json":
            return json.dumps(bgp(run)) if "bgp" in wanted.features else INVALID
        case "show ip route | json":
            return json.dumps(routes(run, wanted))
        case "show forwarding ipv4 route | json":
            return json.dumps(forwarding(run, wanted))
        case "show ntp peer-status | json":
            return json.dumps(peers(run))
    return None


def table(name: str, rows: Iterable[Row]) -> Row:
    """A table as NX-OS prints it."""
    made = list(rows)
    if not made:
        return {}
    return {f"TABLE_{name}": {f"ROW_{name}": made if len(made) > 1 else made[0]}}


def _short(name: str) -> str:
    return name.replace("Ethernet", "Eth").replace("loopback", "Lo")


def _dotted(mac: str) -> str:
    return ".".join(re.findall("....", mac.replace(":", "")))


def _ports(run: Run, wanted: Wanted) -> Iterator[tuple[str, Link]]:
    for link in under.links(run, wanted):
        name = shown_name(link.device, _LOOPBACK)
        if name.startswith(_SEEN) and (link.asked or link.device != LOOPBACK):
            yield name, link


def interfaces(run: Run, wanted: Wanted) -> Row:
    """`show interface`."""
    return table("interface", [_interface(*one) for one in _ports(run, wanted)])


def _interface(name: str, link: Link) -> Row:
    is_routed = bool(link.asked and (link.asked.address or link.asked.has_ipv6))
    made: Row = {
        "interface": name,
        "state": "up" if link.is_up else "down",
        "admin_state": "up" if link.is_enabled else "down",
        "share_state": "Dedicated",
        "eth_hw_desc": "1000/10000 Ethernet",
        "eth_hw_addr": _dotted(link.mac),
        "eth_bia_addr": _dotted(link.mac),
        "eth_mtu": str(link.mtu_bytes),
        "eth_bw": 1_000_000,
        "eth_mode": "routed" if is_routed else "access",
        "eth_inbytes": link.came["bytes"],
        "eth_outbytes": link.went["bytes"],
    }
    for local, bits in link.addresses:
        held = IPv4Interface(f"{local}/{bits}")
        made |= {"eth_ip_addr": local, "eth_ip_mask": bits}
        made["eth_ip_prefix"] = str(held.network.network_address)
    return made


def counters(run: Run, wanted: Wanted) -> Row:
    """`show interface counters`: each way a table, of each port a row of bytes and another."""
    found = [(name, link) for name, link in _ports(run, wanted) if link.device != LOOPBACK]
    told: Row = {}
    for way, word in (("rx", "in"), ("tx", "out")):
        rows: list[Row] = []
        for name, link in found:
            held = link.came if way == "rx" else link.went
            packets = {f"eth_{word}ucast": held["packets"]}
            rows.append({f"interface_{way}": name, f"eth_{word}bytes": held["bytes"], **packets})
            rows.append({f"interface_{way}": name, f"eth_{word}mcast": 0, f"eth_{word}bcast": 0})
        told |= table(f"{way}_counters", rows)
    return told


def _module(one: modules.Module) -> Row:
    lane: Row = {
        "temperature": f"{modules.TEMPERATURE_C:.2f}",
        "temp_flag": None,
        "current": f"{modules.BIAS_MA:.2f}",
        "tx_pwr": f"{modules.TX_DBM:.2f}",
        "rx_pwr": f"{one.rx_dbm:.2f}",
        "xmit_faults": "0",
    }
    for name, warn in _LIMITS:
        found = modules.limits(warn).items()
        lane |= {f"{name}_{_ENDS[end]}": f"{value:.2f}" for end, value in found}
    lanes: list[Row] = [{"lane_number": str(at + 1), **lane} for at in range(modules.LANES)]
    return {
        "interface": port_name(one.device),
        "sfp": "present",
        "type": modules.PART,
        "name": modules.VENDOR,
        "partnum": modules.PART,
        "rev": "01",
        "serialnum": one.serial,
        "nom_bitrate": "425000",
        "ciscoid": "24",
        **table("lane", lanes),
    }


def peers(run: Run) -> Row:
    """`show ntp peer-status`."""
    rows: list[Row] = [
        {
            "syncmode": "*" if one.is_followed else "=",
            "remote": one.address,
            "local": "0.0.0.0",  # noqa: S104 # any
            "st": str(one.stratum),
            "poll": str(one.poll_s),
            "reach": f"{one.reach:o}",
            "delay": "0.00000",
            "vrf": "management",
        }
        for one in timekeeping.servers(run)
    ]
    return {"totalpeers": f"Total peers : {len(rows)}", **table("peersstatus", rows)}


def features(wanted: Wanted) -> Row:
    """`show feature`."""
    rows: list[Row] = [
        {
            "cfcFeatureCtrlName2": name,
            "cfcFeatureCtrlInstanceNum2": "1",
            "cfcFeatureCtrlOpStatus2": "enabled" if name in wanted.features else "disabled",
        }
        for name in sorted({*_KNOWN, *wanted.features})
    ]
    return table("cfcFeatureCtrlTable", rows)


def lldp(run: Run) -> str:
    """`show lldp neighbors detail`."""
    rows: list[Row] = [
        {
            "chassis_type": "Mac Address",
            "chassis_id": _dotted(one.chassis),
            "port_type": "Interface Name",
            "port_id": one.port,
            "l_port_id": _short(port_name(one.device)),
            "port_desc": "null",
            "sys_name": one.name or "null",
            "sys_desc": one.description or "null",
            "ttl": str(one.ttl_s),
        }
        for one in under.heard(run)
    ]
    return json.dumps(table("nbor_detail", rows)) if rows else "ERROR: No neighbour information"


def bgp(run: Run) -> Row:
    """`show bgp sessions vrf all`."""
    found = under.sessions(run) or under.Sessions("0", "0.0.0.0", ())  # noqa: S104 # no process yet
    rows: list[Row] = [
        {
            "neighbor-id": one.key
            if one.key[0].isdigit()
            else f"{one.far or 'fe80::'}%{port_name(one.key)}",
            "remoteas": one.asn,
            "connectionsdropped": "0",
            "state": "Shut (Admin)" if "Admin" in one.state else one.state,
            "localport": "179",
        }
        for one in found.peers
    ]
    up = str(sum(one.state == "Established" for one in found.peers))
    vrf: Row = {
        "vrf-name-out": "default",
        "local-as": found.asn,
        "vrfpeers": str(len(rows)),
        "vrfestablishedpeers": up,
        "router-id": found.router_id,
        **table("neighbor", rows),
    }
    head = {"totalpeers": str(len(rows)), "totalestablishedpeers": up, "localas": found.asn}
    return {**head, **table("vrf", [vrf])}


def routes(run: Run, wanted: Wanted) -> Row:
    """`show ip route`, with the routes that NX-OS makes of its own addresses."""
    asn = (under.sessions(run) or under.Sessions("0", "", ())).asn
    rows = [row for one in under.routes(run, wanted) for row in _route(one, asn, wanted)]
    family = {"addrf": "ipv4", **table("prefix", rows)}
    return table("vrf", [{"vrf-name-out": "default", **table("addrf", [family])}])


def _route(one: Route, asn: str, wanted: Wanted) -> Iterator[Row]:
    if one.protocol == "connected":
        ((device, _),) = one.hops
        own = wanted.ports[device].address.partition("/")[0]
        direct, local = (_path(kind, own, device, one) for kind in ("direct", "local"))
        if one.prefix.endswith("/32"):
            yield _prefix(one.prefix, [local, direct], "true")
        else:
            yield _prefix(one.prefix, [direct], "true")
            yield _prefix(f"{own}/32", [local], "true")
        return
    client = f"bgp-{asn}" if one.protocol == "bgp" else one.protocol
    if one.drops:
        yield _prefix(one.prefix, [_path(client, "", "Null0", one)], "false")
        return
    hops = [_path(client, hop, device, one) for device, hop in one.hops]
    yield _prefix(one.prefix, hops, "false")


def _path(client: str, hop: str, device: str, one: Route) -> Row:
    """Beside the next hop of a numbered session no port is shown."""
    made: Row = {"ipnexthop": hop} if hop else {}
    if not hop or ":" in hop or client in ("direct", "local"):
        made["ifname"] = _short(shown_name(device, _LOOPBACK))
    pref, metric = ("0", "0") if client in ("direct", "local") else (one.distance, one.metric)
    made |= {"uptime": "PT1M", "pref": str(pref), "metric": str(metric)}
    return made | {"clientname": client, "ubest": "true"}


def _prefix(prefix: str, paths: list[Row], attached: str) -> Row:
    head: Row = {"ipprefix": prefix, "ucast-nhops": str(len(paths)), "mcast-nhops": "0"}
    return {**head, "attached": attached, **table("path", paths)}


def forwarding(run: Run, wanted: Wanted) -> Row:
    """`show forwarding ipv4 route`, of the one module of a switch of fixed ports."""
    own = [
        _entry(f"{local}/32", [{"special": "Receive", "ifname": "sup-eth1"}])
        for _, link in _ports(run, wanted)
        for local, _ in link.addresses
        if not (link.asked and link.asked.vrf)
    ]
    rows = [_held(one) for one in run("ip", "-j", "-4", "route", "show")]
    vrf = {"vrf_name_out": "default", "table_name": "base", **table("prefix", [*own, *rows])}
    return table("module", [{"module_number": "1", **table("vrf", [vrf])}])


def _held(one: Mapping[str, Any]) -> Row:
    """An entry of Linux's table."""
    dst = "0.0.0.0/0" if one["dst"] == "default" else str(IPv4Network(one["dst"]))
    if one.get("type") == "blackhole":
        return _entry(dst, [{"special": "Drop", "ifname": "Null0"}])
    paths: list[Row] = []
    for way in one.get("nexthops") or [one]:
        hop = way.get("gateway") or way.get("via", {}).get("host")
        name = port_name(way["dev"])
        paths.append({"ip_nexthop": hop} if hop else {"special": "Attached"})
        paths[-1]["ifname"] = name
    return _entry(dst, paths)


def _entry(prefix: str, paths: list[Row]) -> Row:
    return {"ip_prefix": prefix, **table("path", paths)}
