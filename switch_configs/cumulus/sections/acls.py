"""`acl`, and where an access list is put: inbound on the VLAN's own interface.

Source: NVIDIA Cumulus Linux 5.14, Access Control List Configuration. NVUE's lists end open, so
the last rule of each is one that drops all.
"""

from __future__ import annotations

from inventory.plan import AclRule
from switch_configs.errors import DialectError

from ..tree import Tree, put
from .base import Base

_LAST = 65535
_MOST = 6000


def acls(base: Base, tree: Tree) -> None:
    """The access list of each VLAN that has one."""
    for vlan in base.intent.switch.vlans:
        if vlan.acl:
            name = f"vlan{vlan.id}-in"
            if len(vlan.acl) > _MOST:
                raise DialectError(f"{base.device}: {name} has {len(vlan.acl)} rules")
            put(tree, "interface", f"vlan{vlan.id}", "acl", name, "inbound")
            _list(name, vlan.acl, tree)


def _list(name: str, rules: tuple[AclRule, ...], tree: Tree) -> None:
    put(tree, "acl", name, "type", value="ipv4")
    for number, rule in enumerate(rules, start=1):
        _rule(("acl", name, "rule", str(10 * number)), rule, tree)
    _rule(("acl", name, "rule", str(_LAST)), AclRule("deny", "ip", "any", "any", None), tree)


def _rule(at: tuple[str, ...], rule: AclRule, tree: Tree) -> None:
    put(tree, *at, "action", rule.action)
    put(tree, *at, "match", "ip", "source-ip", value=_address(rule.source))
    put(tree, *at, "match", "ip", "dest-ip", value=_address(rule.destination))
    if rule.protocol != "ip":
        put(tree, *at, "match", "ip", "protocol", value=rule.protocol)
    if rule.port is not None:
        put(tree, *at, "match", "ip", rule.protocol, "dest-port", rule.port)


def _address(text: str) -> str:
    return "ANY" if text == "any" else text
