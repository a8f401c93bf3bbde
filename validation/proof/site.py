"""The proof of a whole site: all its rendered configurations by the rules of the audit. Pure.

`configuration.py` asks whether each switch says what the plan says; here it is asked whether the
plan itself, as it was rendered, is consistent from one end of each path to the other. Cables are
those of the plan: nothing is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Interface

from inventory.plan import Plan, PortRef
from switch_configs.intent import Rendered
from switch_configs.readback.facts import PortFacts, SwitchFacts
from validation.audit.box import Box
from validation.audit.hosts.host import Host
from validation.audit.hosts.join import NicLink
from validation.audit.hosts.planned import planned_hosts
from validation.audit.links import End, Link
from validation.audit.network import Network

_BY = "the plan"


def site_network(plan: Plan, said: Iterable[tuple[Rendered, SwitchFacts]]) -> Network:
    """Switches and servers of a site as their texts say them, and the plan's cables between.

    Subinterfaces of one tag at both ends are a link too.
    """
    made = (_box(rendered, facts) for rendered, facts in said)
    boxes = tuple(sorted(made, key=lambda box: box.name))
    ports = {(box.name, port.name): (box, port) for box in boxes for port in box.facts.ports}
    hosts = tuple(planned_hosts(plan))
    return Network(
        boxes,
        tuple(sorted(_links(plan, ports), key=lambda one: str(one.a))),
        hosts,
        tuple(sorted(_nic_links(plan, ports, hosts), key=lambda one: (one.host.name, str(one)))),
    )


def _box(rendered: Rendered, facts: SwitchFacts) -> Box:
    texts = {f"{rendered.device}{file.path}": file.text for file in rendered.files}
    return Box(rendered.device, rendered.dialect, facts, texts)


_Ports = Mapping[tuple[str, str], tuple[Box, PortFacts]]


def _links(plan: Plan, ports: _Ports) -> Iterator[Link]:
    tagged: dict[tuple[str, str], list[str]] = defaultdict(list)
    for device, name in ports:
        below, dot, tag = name.rpartition(".")
        if dot:
            tagged[device, below].append(tag)
    for cable in plan.cables:
        ends = [(end.device, end.port) for end in (cable.a, cable.b)]
        both = set(tagged[ends[0]]) & set(tagged[ends[1]])
        for tail in ("", *(f".{tag}" for tag in sorted(both))):
            a, b = (ports.get((device, f"{name}{tail}")) for device, name in ends)
            if a and b:
                yield Link(_end(*a, b[1]), _end(*b, a[1]), _BY)


def _nic_links(plan: Plan, ports: _Ports, hosts: Iterable[Host]) -> Iterator[NicLink]:
    for host in hosts:
        for nic in host.facts.nics:
            cable = plan.cable_at.get(PortRef(host.name, nic.name))
            for end in (cable.a, cable.b) if cable else ():
                if far := ports.get((end.device, end.port)):
                    yield NicLink(host, nic, *far, _BY)


def _end(box: Box, port: PortFacts, far: PortFacts) -> End:
    """An end with its session: by the far end's address, or unnumbered by the port."""
    keys = {port.name, *(str(IPv4Interface(text).ip) for text in far.addresses)}
    session = next(
        (one for one in box.facts.sessions if one.key in keys and one.vrf == port.vrf), None
    )
    return End(box, port, session)
