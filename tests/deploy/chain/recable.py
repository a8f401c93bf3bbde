"""Other cables between machines of a standing lab, plugged while their power is off."""

from __future__ import annotations

from collections.abc import Iterable

from deploy import lab
from deploy.lab import spec
from deploy.lab.command import run
from deploy.lab.paths import LabPaths
from deploy.lab.wires import shape


def recable(name: str, cables: Iterable[tuple[str, str]]) -> None:
    """Plug these ports (`machine:port`) together, and start their machines; nobody else's change.

    A cable that a port had before goes with its other end.
    """
    paths = LabPaths(name)
    standing = spec.load(paths.spec)
    every = {(one.machine, one.name): one for one in _ports(standing)}
    ends = [[every[_at(end)] for end in cable] for cable in cables]
    for one in (port for cable in ends for port in cable):
        space = paths.netns(one.machine)
        if one.name in run(["ip", "-netns", space, "-br", "link"]).replace("@", " ").split():
            run(["ip", "-netns", space, "link", "delete", one.name])
    for a, b in ends:
        line = f"link add name {a.name} address {a.mac} netns {paths.netns(a.machine)} type veth"
        peer = f"peer name {b.name} address {b.mac} netns {paths.netns(b.machine)}"
        run(["ip", *line.split(), *peer.split()])
    for one in (port for cable in ends for port in cable):
        shape(standing, one.machine, [one.name])
    for machine in sorted({one.machine for cable in ends for one in cable}):
        lab.restart(name, machine)


def _ports(standing: spec.LabSpec) -> Iterable[spec.Port]:
    return (end for link in standing.links for end in (link.a, link.b))


def _at(end: str) -> tuple[str, str]:
    machine, _, port = end.partition(":")
    return machine, port
