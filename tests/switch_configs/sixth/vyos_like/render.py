"""From an intent to `set` lines, in the order in which the example shows them."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.plan import BgpSession, Switch, SwitchPort
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.policies import Policy, policies, policy_name


def lines(intent: SwitchIntent) -> Iterator[str]:
    """Every line of one switch; `DialectError` for what the example has no words for."""
    switch, services = intent.switch, intent.services
    _refuse(intent)
    yield f"set system host-name '{switch.name}'"
    yield f"set system release '{switch.release}'"
    yield f"set system hash-seed '{switch.hash_seed}'"
    yield from (f"set system syslog host '{one}'" for one in sorted(services.syslog))
    yield from (f"set service ntp server '{one}'" for one in sorted(services.ntp))
    own = switch.management
    yield f"set interfaces ethernet {own.port} address '{own.address}'"
    yield f"set interfaces ethernet {own.port} vrf 'mgmt'"
    yield f"set vrf name mgmt route 0.0.0.0/0 next-hop '{own.gateway}'"
    yield f"set interfaces loopback lo address '{switch.loopback}/32'"
    for port in switch.ports:
        yield from (f"set interfaces ethernet {port.name} {one}" for one in _port(port))
    for policy in policies(switch, drained=intent.drained):
        yield from (f"set policy route-map {policy.name} {one}" for one in _policy(policy))
    yield from (f"set protocols static route {one} blackhole" for one in switch.aggregates)
    yield from (f"set protocols bgp {one}" for one in _bgp(switch))


def _refuse(intent: SwitchIntent) -> None:
    switch, services = intent.switch, intent.services
    asked = {
        "VLANs": switch.vlans,
        "routing tables": switch.tables[1:],
        "bonds": switch.pair,
        "buffers": switch.buffers,
        "adaptive routing": switch.adaptive_routing,
        "TACACS+": services.tacacs,
        "SNMP": services.snmp,
        "gNMI": services.gnmi_port,
    }
    if found := [what for what, one in asked.items() if one]:
        raise DialectError(f"{switch.name}: the example has no words for {', '.join(found)}")


def _port(port: SwitchPort) -> Iterator[str]:
    yield f"description '{port.description}'"
    yield f"mtu '{port.ip_mtu_bytes}'"
    yield f"speed '{round(port.rate_gbps * 1000)}'"
    yield f"fec '{port.fec}'"
    if port.address:
        yield f"address '{port.address}'"


def _policy(policy: Policy) -> Iterator[str]:
    yield from (f"permit {net} length '{bits}'" for net, bits in policy.permits)
    yield from (f"add-mark '{one}'" for one in policy.adds)
    yield from (f"refuse-mark '{one}'" for one in policy.refuses)
    if policy.drained_last:
        yield "graceful-shutdown last"


def _bgp(switch: Switch) -> Iterator[str]:
    yield f"system-as '{switch.asn}'"
    yield f"router-id '{switch.loopback}'"
    yield "ebgp-requires-policy"
    yield f"maximum-paths '{switch.ecmp_width}'"
    yield from (f"network {one}" for one in switch.originates)
    for session in switch.sessions:
        yield from (f"neighbor {session.key} {one}" for one in _session(switch, session))


def _session(switch: Switch, session: BgpSession) -> Iterator[str]:
    timers = switch.timers
    yield f"remote-as '{session.peer_asn}'"
    yield f"description '{session.peer}'"
    yield f"import '{policy_name('', session.direction, is_in=True)}'"
    yield f"export '{policy_name('', session.direction, is_in=False)}'"
    yield f"keepalive '{timers.bgp_keepalive_s}'"
    yield f"holdtime '{timers.bgp_hold_s}'"
    yield f"connect '{timers.bgp_connect_s}'"
    yield f"bfd interval '{timers.bfd_interval_ms}'"
    yield f"bfd multiplier '{timers.bfd_multiplier}'"
    yield f"maximum-prefix-warning '{switch.maximum_prefix}'"
