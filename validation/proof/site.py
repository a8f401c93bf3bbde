"""The proof of a whole site: all its rendered configurations by the rules of the audit. Pure.

`configuration.py` asks whether each switch says what the plan says; here it is asked whether the
plan itself, as it was rendered, is consistent from one end of each path to the other. Cables are
those of the plan: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface

from inventory.plan import Plan, PortRef
from switch_configs.intent import Rendered
from switch_configs.readback.facts import PortFacts, SwitchFacts
from validation.audit.box import Box
from validation.audit.links import End, Link
from validation.audit.network import Network

_BY = "the plan"


def site_network(plan: Plan, said: Iterable[tuple[Rendered, SwitchFacts]]) -> Network:
    """The switches of a site as their texts say them, and the plan's cables between them."""
    boxes = tuple(
        sorted((_box(rendered, facts) for rendered, facts in said), key=lambda box: box.name)
    )
    return Network(boxes, tuple(sorted(_links(plan, boxes), key=lambda one: (str(one.a), one.by))))


def _box(rendered: Rendered, facts: SwitchFacts) -> Box:
    texts = {f"{rendered.device}{file.path}": file.text for file in rendered.files}
    return Box(rendered.device, rendered.dialect, facts, texts)


def _links(plan: Plan, boxes: tuple[Box, ...]) -> Iterator[Link]:
    ports = {(box.name, port.name): (box, port) for box in boxes for port in box.facts.ports}

    def found(end: PortRef) -> tuple[Box, PortFacts] | None:
        return ports.get((end.device, end.port))

    for cable in plan.cables:
        a, b = found(cable.a), found(cable.b)
        if a and b:
            yield Link(_end(*a, b[1]), _end(*b, a[1]), _BY)


def _end(box: Box, port: PortFacts, far: PortFacts) -> End:
    """An end with its session: by the far end's address, or unnumbered by the port."""
    keys = {port.name, *(str(IPv4Interface(text).ip) for text in far.addresses)}
    session = next((one for one in box.facts.sessions if one.key in keys and not one.vrf), None)
    return End(box, port, session)
