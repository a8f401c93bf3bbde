"""Every difference of facts is told with what it does, and equal facts say nothing."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache

import pytest

from inventory import open_site
from switch_configs import dialect, render
from switch_configs.readback import facts as said
from switch_configs.readback.facts import SwitchFacts
from switch_configs.shown.unread import unread
from validation.meaning import Meaning, meaning, subjects_said

KINDS = (
    said.PortFacts, said.QosFacts, said.ClassFacts, said.SessionFacts, said.PolicyFacts,
    said.TableFacts, said.VlanFacts, said.BondFacts, said.PairFacts, said.BufferFacts,
    said.ServiceFacts, SwitchFacts,
)  # fmt: skip
# What a thing is called by is no difference of it: another name is another thing.
NAMES = {
    "PortFacts.name", "SessionFacts.key", "SessionFacts.vrf", "PolicyFacts.name",
    "TableFacts.vrf", "VlanFacts.id", "BondFacts.number", "ClassFacts.dscps",
}  # fmt: skip
EVERY = sorted(f"{kind.__name__}.{field.name}" for kind in KINDS for field in fields(kind))


@cache
def facts() -> SwitchFacts:
    """A leaf as it is rendered, with one of each thing that it has not."""
    made = render(open_site("pod-256"), "leaf-p1-r0")
    found = dialect(made.dialect).readback(made)
    ports = (
        replace(one, qos=one.qos and replace(one.qos, by_tag=((3, 3),))) for one in found.ports
    )
    return replace(
        found,
        ports=tuple(ports),
        vlans=(said.VlanFacts(10, "users", acl=(said.AclFacts("permit", "ip", "a", "b", None),)),),
        bonds=(said.BondFacts(1, ("swp1",), False),),
        pair=said.PairFacts(1, ("swp9",), "192.0.2.1"),
        tables=(said.TableFacts("users", ("192.0.2.0/24",), 4),),
    )


def other(value: object) -> object:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case None:
            return 7
        case tuple():
            return value[1:] if value else ("x",)
    assert is_dataclass(value)
    assert not isinstance(value, type)
    field = fields(value)[0]
    return replace(value, **{field.name: other(getattr(value, field.name))})


ABSENT = {
    "headroom": said.HeadroomFacts(1, 2, 3),
    "ecn": said.EcnFacts(1, 2, 3),
}


def changed(kind: type, field: str, value: object) -> object:
    """The first thing of this kind in some facts, with another value of this field."""
    if type(value) is kind:
        mine = getattr(value, field)
        now = ABSENT[field] if mine is None and field in ABSENT else other(mine)
        return replace(value, **{field: now})  # type: ignore[type-var]
    if isinstance(value, tuple):
        made = [changed(kind, field, one) for one in value]
        at = next((n for n, one in enumerate(made) if one != value[n]), None)
        return value if at is None else (*value[:at], made[at], *value[at + 1 :])
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            mine = getattr(value, one.name)
            if (now := changed(kind, field, mine)) != mine:
                return replace(value, **{one.name: now})
    return value


@pytest.mark.parametrize("what", [one for one in EVERY if one not in NAMES])
def test_each_fact_s_change_is_told_with_what_it_does(what):
    kind, field = what.split(".")
    before = facts()
    if what in ("SwitchFacts.hazards", "SwitchFacts.unread"):
        added = {
            "hazards": (said.Hazard("port x: a chain is broken"),),
            "unread": (unread("qos new words"),),
        }
        after = replace(before, **{field: added[field]})  # type: ignore[arg-type]
    else:
        after = changed(getattr(said, kind), field, before)  # type: ignore[assignment]
    assert after != before, what
    told = meaning(before, after)
    assert told, what
    assert all(one.what and one.effect for one in told)


def test_the_same_means_the_same():
    assert meaning(facts(), facts()) == ()


def test_the_lossless_class_comes_first_and_ports_of_one_change_together():
    before = facts()

    def lossy(port: said.PortFacts) -> said.PortFacts:
        if port.qos is None or not port.qos.pfc_priorities:
            return port
        classes = tuple(replace(one, pfc_priority=None) for one in port.qos.classes)
        qos = replace(port.qos, classes=classes, pfc_priorities=())
        return replace(port, ip_mtu_bytes=1500, qos=qos)

    after = replace(before, ports=tuple(map(lossy, before.ports)))
    told = meaning(before, after)
    assert [one.path for one in told] == ["lossless", "lossless", "forwarding"]
    assert told[0].what == "DSCP 26: lossless in priority 3 -> lossy"
    assert "dropped" in told[0].effect
    assert told[2].what == "IP MTU: 9216 -> 1500 bytes"
    assert len(told[0].subjects) > 4
    assert subjects_said(told[0]).endswith("more")


def test_free_text_of_a_configuration_is_never_quoted():
    secret = "canary-secret"
    before = facts()
    ports = tuple(replace(port, description=secret) for port in before.ports)
    sessions = tuple(replace(one, description=secret) for one in before.sessions)
    vlans = tuple(replace(one, name=secret) for one in before.vlans)
    services = replace(before.services, snmp_users=(secret,))
    after = replace(before, ports=ports, sessions=sessions, vlans=vlans, services=services)
    told = meaning(before, after)
    assert told
    assert secret not in str(told)


def test_what_a_system_never_says_is_not_compared():
    before = facts()
    after = replace(before, hash_seed=None, release="another")
    unsaid = frozenset({"hash_seed"})
    assert [one.what.split(":")[0] for one in meaning(before, after, unsaid)] == ["release"]
    assert isinstance(meaning(before, after)[0], Meaning)
