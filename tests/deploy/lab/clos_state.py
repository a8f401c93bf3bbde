"""What the kernels and daemons of a lab of FRR say together: sessions, widths, paths."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from deploy.lab.machines.netns_run import NetnsTransport
from inventory import Plan
from inventory.plan import Switch

_CONVERGES_S = 60
_PARALLEL = 4


def wait_until(reached: Callable[[], bool]) -> float:
    """Seconds until it was so; the tests then say what it is, if it is not."""
    began = time.monotonic()
    while not reached() and time.monotonic() < began + _CONVERGES_S:
        time.sleep(0.2)
    return time.monotonic() - began


def announced(leaf: Switch) -> list[str]:
    """As the kernel shows them: a host's route has no length."""
    return [str(one).removesuffix("/32") for one in leaf.originates]


@dataclass(frozen=True)
class Clos:
    """A lab of kind netns and the plan that it was made from."""

    plan: Plan
    lab: str

    def ask(self, device: str, command: str) -> str:
        """What a shell command on a device prints; it must succeed."""
        reply = NetnsTransport(self.lab).run(device, command, 30)
        assert reply.exit_status == 0, f"{device}: {command}: {reply.error}"
        return reply.stdout.decode()

    def ask_all(self, command: str) -> dict[str, str]:
        """The same of all switches, a few at a time."""
        names = [one.name for one in self.plan.switches]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            answers = pool.map(lambda one: self.ask(one, command), names)
            return dict(zip(names, answers, strict=True))

    def tier(self, name: str) -> list[Switch]:
        """The switches of a tier."""
        return [one for one in self.plan.switches if one.tier == name]

    def sessions(self) -> dict[str, int]:
        """Sessions that the plan has, by switch."""
        return {one.name: len(one.sessions) for one in self.plan.switches}

    def established(self) -> dict[str, int]:
        """Sessions that are up, by switch."""
        answers = self.ask_all("vtysh -c 'show bgp summary json'")
        return {
            name: sum(
                peer["state"] == "Established"
                for peer in json.loads(answer).get("ipv4Unicast", {}).get("peers", {}).values()
            )
            for name, answer in answers.items()
        }

    def watched(self) -> dict[str, int]:
        """BFD sessions that are up, by switch."""
        answers = self.ask_all("vtysh -c 'show bfd peers json'")
        return {
            name: sum(one["status"] == "up" for one in json.loads(answer))
            for name, answer in answers.items()
        }

    def routes(self) -> dict[str, dict[str, list[str]]]:
        """The ports that the kernel of each switch sends a learnt prefix to."""
        answers = self.ask_all("ip -json route show proto bgp")
        return {
            name: {
                one["dst"]: sorted(hop["dev"] for hop in one.get("nexthops", [one]))
                for one in json.loads(answer)
            }
            for name, answer in answers.items()
        }

    def widths(self) -> dict[tuple[str, str], int]:
        """Equal paths in the kernel, by switch and prefix of a leaf."""
        prefixes = {one for leaf in self.tier("leaf") for one in announced(leaf)}
        return {
            (name, prefix): len(ports)
            for name, of in self.routes().items()
            for prefix, ports in of.items()
            if prefix in prefixes
        }

    def designed(self) -> dict[tuple[str, str], int]:
        """All uplinks up to where the paths meet, then the one link down."""
        out: dict[tuple[str, str], int] = {}
        for leaf in self.tier("leaf"):
            for one in self.plan.switches:
                below = one.tier == "superspine" or (one.tier == "spine" and one.pod == leaf.pod)
                width = 1 if below else one.ecmp_width
                if one != leaf:
                    out |= {(one.name, prefix): width for prefix in announced(leaf)}
        return out

    def settled(self) -> bool:
        """Whether all is as designed."""
        up = self.sessions()
        return self.established() == up == self.watched() and self.widths() == self.designed()

    def paths(
        self, found: dict[str, dict[str, list[str]]], path: list[str], prefix: str, end: str
    ) -> Iterator[list[str]]:
        """All ways on along the kernels' next hops; a loop would not end, so it fails."""
        assert len(path) <= len(self.plan.switches), f"a loop: {path}"
        if path[-1] == end:
            yield path
            return
        peers = {port.name: port.peer.device for port in self.plan.switch[path[-1]].ports}
        for port in found[path[-1]][prefix]:
            yield from self.paths(found, [*path, peers[port]], prefix, end)
