"""Access lists of VLANs, on the ports that carry them.

A SONiC list of type L3 hangs on ports and bonds, not on VLAN interfaces (sonic-swss, aclorch),
so it sees bridged packets too: its first rule for a VLAN lets those within the subnet pass.
"""

from __future__ import annotations

from inventory.plan import AclRule, SwitchVlan
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from ..names import natural
from .rows import Row, Rows, Tables
from .vlans import member

LIST = "VLANS_IN"
_PROTOCOL = {"tcp": "6", "udp": "17", "icmp": "1"}
_FIRST, _LAST, _MOST = 9999, 1, 900


def tables(intent: SwitchIntent) -> Tables:
    """ACL_TABLE and ACL_RULE; nothing where no VLAN has a list."""
    switch = intent.switch
    listed = sorted((one for one in switch.vlans if one.acl), key=lambda one: one.id)
    if not listed:
        return {}
    numbers = {one.id for one in listed}
    ports = {member(port) for port in switch.ports if numbers & set(port.vlans)}
    rules: Rows = {}
    for vlan in listed:
        if len(vlan.acl) > _MOST:
            raise DialectError(f"{switch.name}: more than {_MOST} rules on VLAN {vlan.id}")
        rules |= _rules(vlan)
    table: Row = {"ports": sorted(ports, key=natural), "stage": "ingress", "type": "L3"}
    return {"ACL_TABLE": {LIST: table}, "ACL_RULE": rules}


def _rules(vlan: SwitchVlan) -> Rows:
    head = f"{LIST}|VLAN{vlan.id}"
    own = {"DST_IP": str(vlan.subnet), "PACKET_ACTION": "FORWARD", "PRIORITY": str(_FIRST)}
    rows: Rows = {f"{head}_BRIDGED": _row(vlan, own)}
    for number, rule in enumerate(vlan.acl, start=1):
        rows[f"{head}_{number}"] = _row(vlan, _rule(rule, _FIRST - 10 * number))
    rest = {"PACKET_ACTION": "DROP", "PRIORITY": str(_LAST)}
    rows[f"{head}_REST"] = _row(vlan, rest)
    return rows


def _row(vlan: SwitchVlan, said: dict[str, str]) -> Row:
    # IPv4 only: a rule that drops all would drop ARP too.
    return {"ETHER_TYPE": "0x0800", "VLAN_ID": str(vlan.id), **said}


def _rule(rule: AclRule, priority: int) -> dict[str, str]:
    row = {
        "PACKET_ACTION": "FORWARD" if rule.action == "permit" else "DROP",
        "PRIORITY": str(priority),
    }
    if rule.protocol != "ip":
        row["IP_PROTOCOL"] = _PROTOCOL[rule.protocol]
    if rule.source != "any":
        row["SRC_IP"] = rule.source
    if rule.destination != "any":
        row["DST_IP"] = rule.destination
    if rule.port is not None:
        row["L4_DST_PORT"] = str(rule.port)
    return row
