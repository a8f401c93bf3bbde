"""What is beside ports and routes: VLANs, bonds, buffers, services, and what nobody understands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from switch_configs.readback.facts import AclFacts, SwitchFacts

from .form import Field, Said, fields_said

_SWITCH = {
    "hostname": Field(
        "another hostname",
        "people and collectors know it by another name",
        "management",
        quoted=False,
    ),
    "release": Field("release", "the system is another", "management"),
    "isolated_ports": Field(
        "isolated ports", "machines on them may reach each other, or no longer", "forwarding"
    ),
    "lldp_hold_s": Field("LLDP hold in s", "a changed cable is noticed otherwise", "management"),
}
_VLAN = {
    "name": Field("another name", "nothing", "none", quoted=False),
    "vrf": Field("table", "its gateway is in another table", "forwarding"),
    "gateway": Field("gateway", "hosts lose the old one until they know the new", "forwarding"),
    "address": Field("own address", "the pair's addresses are others", "forwarding"),
    "ip_mtu_bytes": Field("IP MTU", "larger packets are dropped, or pass", "forwarding"),
}
_BOND = {
    "ports": Field("ports", "fewer or more links carry it", "forwarding"),
    "shared": Field("over both leaves", "one leaf alone carries it, or both", "forwarding"),
}
_PAIR = {
    "domain": Field("domain", "the pair parts until both say the same", "forwarding"),
    "ports": Field("ports between the leaves", "the pair parts when none is left", "forwarding"),
    "peer_management": Field("keepalive of the pair", "a split is judged otherwise", "control"),
}
_BUFFERS = {
    "alpha": Field("alpha", "one queue may take more or less of what is free", "lossless"),
    "over_subscription": Field("headroom shared by", "pauses of many ports may lose", "lossless"),
    "headroom_pool_bytes": Field(
        "headroom pool in bytes", "pauses of many ports may lose, or no longer", "lossless"
    ),
}
_ALERTS = "operators see less, or more"
_SERVICES = {
    "management_address": Field("management address", "logins go elsewhere", "management"),
    "management_gateway": Field("management gateway", "the OOB path is another", "management"),
    "management_vrf": Field("management table of its own", "it may meet traffic", "management"),
    "ntp": Field("time servers", "its clock follows others", "management"),
    "syslog": Field("log servers", _ALERTS, "management"),
    "tacacs": Field("login servers", "others decide who may log in", "management"),
    "snmp_users": Field("other SNMP users", _ALERTS, "management", quoted=False),
    "gnmi_port": Field("gNMI port", _ALERTS, "management"),
}


def beside(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    """What differs of all that is no port and no route."""
    yield from fields_said("", old, new, _SWITCH)
    yield from _named("VLAN", old.vlans, new.vlans, "id", _VLAN)
    yield from _acls(old, new)
    yield from _named("bond", old.bonds, new.bonds, "number", _BOND)
    if old.pair and new.pair:
        yield from fields_said("pair", old.pair, new.pair, _PAIR)
    elif old.pair or new.pair:
        what = "is there" if new.pair else "is gone"
        yield Said("pair", what, "bonds over both leaves work, or part", "forwarding")
    yield from fields_said("", old.buffers, new.buffers, _BUFFERS)
    yield from fields_said("", old.services, new.services, _SERVICES)
    yield from _beyond(old, new)


def _named(
    kind: str,
    before: Iterable[object],
    after: Iterable[object],
    key: str,
    rows: dict[str, Field],
) -> Iterator[Said]:
    old, new = ({getattr(one, key): one for one in side} for side in (before, after))
    for name in sorted({*old, *new}):
        subject = f"{kind} {name}"
        if name in old and name in new:
            yield from fields_said(subject, old[name], new[name], rows)
        else:
            what = "is there" if name in new else "is gone"
            yield Said(subject, what, "what is in it is carried, or no longer", "forwarding")


def _acls(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    before, after = ({one.id: one.acl for one in side.vlans} for side in (old, new))
    for number in sorted(set(before) & set(after)):
        gone, come = (
            _acl_said(set(one) - set(other))
            for one, other in (
                (before[number], after[number]),
                (after[number], before[number]),
            )
        )
        for what, rules in (("no longer", gone), ("now", come)):
            for rule in rules:
                effect = "others reach the machines of the VLAN than before"
                yield Said(f"VLAN {number}", f"{what}: {rule}", effect, "forwarding")
        if before[number] != after[number] and not gone and not come:
            effect = "the first rule that fits decides: others may pass than before"
            yield Said(f"VLAN {number}", "rules in another order", effect, "forwarding")


def _acl_said(rules: Iterable[AclFacts]) -> list[str]:
    return sorted(
        f"{one.action} {one.protocol} {one.source} to {one.destination}"
        + (f" port {one.port}" if one.port is not None else "")
        for one in rules
    )


def _beyond(old: SwitchFacts, new: SwitchFacts) -> Iterator[Said]:
    """What does not work as it reads, and lines that nobody here understands."""
    # A sentence on a hazard quotes names of the text, which nobody may have planned.
    come, gone = len(set(new.hazards) - set(old.hazards)), len(set(old.hazards) - set(new.hazards))
    if come:
        what = f"{come} more things do not work as they read"
        yield Said("", what, "not what it says: `railbed audit FILE` names them", "lossless")
    if gone:
        yield Said("", f"{gone} things are mended that did not work", "as it reads", "lossless")
    counts = (Counter((one.topic, one.digest) for one in side.unread) for side in (old, new))
    before, after = counts
    topics = {topic for topic, _ in (before - after) + (after - before)}
    for topic in sorted(topics):
        gone, come = (
            sum(count for (about, _), count in some.items() if about == topic)
            for some in (before - after, after - before)
        )
        what = f"lines on {topic} that are not understood: {gone} gone, {come} new"
        yield Said("", what, "not known", "lossless" if topic == "QoS" else "none")
