"""An intent -> what NVUE shall hold, and the rules beside it.

There are no template files here: NVUE's configuration is one tree with sorted keys, so each
module of `sections` puts its part into the tree and one printer prints it.
"""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, Rendered, SwitchIntent

from . import files, isolation
from .raw import add_raw
from .sections import acls, bridging, interfaces, oob, qos, routing, services
from .sections.base import base
from .tree import Tree, emit
from .words import RELEASES, words


def render(intent: SwitchIntent | OobIntent, dialect: str) -> Rendered:
    """All files of one switch; `DialectError` for what cannot be said in NVUE's words."""
    switch = intent.switch
    if switch.release not in RELEASES:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(RELEASES)}",
        )
    tree: Tree = {}
    tongue = words(switch.release)
    services.services(switch.name, intent.services, switch.management, tongue, tree)
    rules = ""
    if isinstance(intent, OobIntent):
        oob.oob(intent, tree)
        rules = isolation.rules(intent)
    else:
        _data(intent, tree)
    add_raw(switch.name, switch.raw, tree)
    rendered = files.startup(startup_text(switch.name, switch.release, tree))
    others = (files.isolation(rules),) if rules else ()
    return Rendered(switch.name, dialect, (*others, rendered))


def startup_text(device: str, release: str, tree: Tree) -> str:
    """A startup.yaml. Its comment holds only what can also be known of a running switch."""
    lines = [
        f"# {device}: Cumulus Linux {release}, by railbed",
        "- header:",
        "    nvue-api-version: nvue_v1",
        "    rev-id: 1.0",
        f"    version: Cumulus Linux {release}",
        "- set:",
        *emit(tree, 4),
    ]
    return "\n".join(lines) + "\n"


def _data(intent: SwitchIntent, tree: Tree) -> None:
    known = base(intent)
    interfaces.interfaces(known, tree)
    bridging.bridging(known, tree)
    acls.acls(known, tree)
    qos.qos(known, tree)
    routing.routing(known, tree)
