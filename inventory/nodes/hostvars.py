"""The variables of each host, and the groups: one function feeds both engines.

Keys carry the prefix of the role that reads them (`roce_nic_`, `oob_server_`), or of what
they describe (`switch_`, `railbed_`). All values are plain JSON.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields, is_dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from inventory.plan import Management, Node, OobServer, OobSwitch, Plan, RoleVariable, Switch, Zone
from inventory.software import packages

from . import tuning
from .collectives import collectives_vars
from .gpu_nodes import gpu_vars
from .groups import node_groups
from .host_devices import device_vars
from .host_network import network_vars
from .host_qos import qos_vars
from .nic_stack import nic_stack_vars
from .roles import WISHES, role_groups


def vars_for(plan: Plan, host: str) -> dict[str, object]:
    """Return all variables of one host; KeyError for a name that the plan lacks.

    `ansible_host` is the device's name: the rendered ssh_config knows its address and the
    way there.
    """
    common: dict[str, object] = {
        "ansible_host": host,
        "railbed_device": host,
        "railbed_engine": plan.engine_of(host),
        "railbed_plan_digest": plan.digest,
        "railbed_site": plan.site,
    }
    if host == plan.oob.name:
        return common | _oob_server(plan.oob) | packages.server_vars(plan)
    if host in plan.switch:
        return common | _switch(plan.switch[host])
    if host in plan.oob_switch:
        return common | _oob_switch(plan.oob_switch[host])
    node = plan.node[host]
    return common | _node(plan, node) | tuning.node_vars(plan, node) | node_site_vars(plan)


_latest: list[tuple[Plan, dict[str, object]]] = []


def node_site_vars(plan: Plan) -> dict[str, object]:
    """Return those variables of `vars_for` that all nodes share: names and packages.

    The same object each time for the latest plan: on each node of a large site, its own copy
    would be a hundred megabytes.
    """
    if not _latest or _latest[0][0] is not plan:
        _latest[:] = [(plan, tuning.site_vars(plan) | packages.node_vars(plan))]
    return _latest[0][1]


def groups(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return hosts by group, both sorted. Every name is valid for Ansible.

    Each name has a prefix and an underscore, which no device's name has.
    """
    members: dict[str, list[str]] = defaultdict(list)
    # Also where nobody is in it: a play names it, and a group that is not there is an error.
    members |= {f"role_{role}": [] for role in WISHES}
    for switch in plan.switches:
        for group in _switch_groups(switch):
            members[group].append(switch.name)
    for node in plan.nodes:
        for group in (*_node_groups(node), *role_groups(node)):
            members[group].append(node.name)
    for one in plan.oob_switches:
        for group in ("kind_oob_switch", f"dialect_{one.dialect}", f"tier_{one.tier}"):
            members[group].append(one.name)
    for group in ("kind_oob_server", "plane_oob"):
        members[group].append(plan.oob.name)
    return {group: tuple(sorted(members[group])) for group in sorted(members)}


def as_json(value: object) -> object:
    """Return a part of a plan as plain JSON values; addresses become text."""
    if isinstance(value, IPv4Address | IPv4Interface | IPv4Network):
        return str(value)
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return value


def _management(management: Management) -> dict[str, object]:
    return {"railbed_management": as_json(management)}


def _oob_server(server: OobServer) -> dict[str, object]:
    return {
        "railbed_kind": "oob_server",
        "oob_server_access_address": str(server.access),
        "oob_server_access_mac": server.mac or "",
        "oob_server_access_port": server.access_port,
        "oob_server_clock": server.time.clock,
        "oob_server_domain": server.domain,
        "oob_server_name": server.name,
        "oob_server_time_sources": list(server.time.sources),
        "oob_server_trunk_mac": server.trunk_mac or "",
        "oob_server_trunk_port": server.trunk_port or "",
        "oob_server_vlans": [
            {"port": zone.ports[0], "id": zone.vlan}
            for zone in (server.zones if server.trunk_port else ())
        ],
        "oob_server_zones": [_zone(zone) for zone in server.zones],
        **_set_by_site(server.role_variables),
    }


def _set_by_site(variables: tuple[RoleVariable, ...]) -> dict[str, object]:
    """What the site says in place of the roles' defaults, which both engines have themselves."""
    return {variable.name: variable.plain for variable in variables}


def _zone(zone: Zone) -> dict[str, object]:
    # Exactly the options of the role's contract: Ansible refuses a key that it does not
    # list. Both forms of an address, because templates print and never compute.
    return {
        "name": zone.name,
        "prefix": str(zone.prefix),
        "network": str(zone.prefix.network_address),
        "server_address": str(zone.server_address),
        "server": str(zone.server_address.ip),
        "ports": list(zone.ports),
        "leases": as_json(zone.leases),
        "services": as_json(zone.services),
    }


# What neither engine acts on, and what would be most of a large site's variables: the plan's
# readers have them from the plan.
_LEFT_OUT = frozenset({"name", "management", "ports", "sessions", "buffers"})


def _switch(switch: Switch) -> dict[str, object]:
    return {"railbed_kind": "switch", **_of_switch(switch)}


def _oob_switch(switch: OobSwitch) -> dict[str, object]:
    return {"railbed_kind": "oob_switch", **_of_switch(switch)}


def _of_switch(switch: Switch | OobSwitch) -> dict[str, object]:
    own = {
        f"switch_{field.name}": as_json(getattr(switch, field.name))
        for field in fields(switch)
        if field.name not in _LEFT_OUT
    }
    return {**_management(switch.management), **own}


def _node(plan: Plan, node: Node) -> dict[str, object]:
    return {
        "railbed_kind": "node",
        "railbed_pod": node.pod,
        "railbed_position": node.position,
        "railbed_profile": node.profile,
        "railbed_rack": node.rack or 0,
        "railbed_bmc": as_json(node.bmc),
        "railbed_nics": as_json(node.nics),
        "railbed_vlans": as_json(node.vlans),
        **_management(node.management),
        **network_vars(node),
        **device_vars(node, plan.lossless),
        **qos_vars(plan.lossless),
        **packages.role_vars(plan, node),
        **nic_stack_vars(plan, node),
        **gpu_vars(node),
        **collectives_vars(plan, node),
        **_set_by_site(node.role_variables),
    }


def _switch_groups(switch: Switch) -> list[str]:
    names = [
        "kind_switch",
        f"plane_{switch.plane}",
        f"tier_{switch.tier}",
        f"profile_{switch.profile}",
        f"dialect_{switch.dialect}",
        f"zone_{switch.management.zone}",
    ]
    names += [f"pod_{switch.pod}"] if switch.pod is not None else []
    names += [f"rail_{switch.rail}"] if switch.rail is not None else []
    return [name.replace("-", "_") for name in names]


def _node_groups(node: Node) -> tuple[str, ...]:
    rails = sorted({nic.rail for nic in node.rails})
    zone = node.management.zone
    return node_groups(node.pod, node.rack, node.profile, rails, node.kind, zone)
