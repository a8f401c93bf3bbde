"""Rules for what is not built: it must be somebody's place, and leave a fabric behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from inventory.model import Fabric
from inventory.problems import Problem, few_hints
from inventory.topology.clos import Clos


def absent_devices_exist(fabric: Fabric) -> Iterator[Problem]:
    """What is not built must be somebody's place, and leaves stand while nodes hang on them."""
    said = fabric.intent.topology.absent
    if not said:
        return
    removable = set(fabric.population.at_maxima.nodes)
    leaves: set[str] = set()
    for one in fabric.fabrics:
        grown = one.at_maxima.clos
        removable |= {*grown.spine_places, *grown.superspine_places}
        leaves |= set(grown.leaves)
    seen: set[str] = set()
    close = few_hints()
    for at, name in enumerate(said):
        path = ("topology", "absent", at)
        if name in seen:
            yield fabric.problem(path, f"`{name}` again", "each name once")
        seen.add(name)
        if name in leaves:
            hint = "its nodes would have a NIC without a leaf: leave out the nodes, or the pod"
            yield fabric.problem(path, f"`{name}`", "a node, spine or superspine", hint)
        elif name not in removable:
            expected = "a node, spine or superspine of this site"
            yield fabric.problem(path, f"`{name}`", expected, close(name, removable))


def only_pods_are_of_the_site(fabric: Fabric) -> Iterator[Problem]:
    """A pod that is there is one of `pods`, and named once."""
    topology = fabric.intent.topology
    for at, pod in enumerate(topology.only_pods):
        path = ("topology", "only_pods", at)
        if pod > topology.pods:
            yield fabric.problem(path, str(pod), f"a pod from 1 to {topology.pods}, as `pods` says")
        if pod in topology.only_pods[:at]:
            yield fabric.problem(path, f"{pod} again", "each pod once")


def some_spines_are_left(fabric: Fabric) -> Iterator[Problem]:
    """Leaves without a spine, or spines without a superspine, cut pods off from each other."""
    if not fabric.intent.topology.absent:
        return
    for one in fabric.fabrics:
        built, full = _sets(one.clos), _sets(replace(one.clos, absent=frozenset()))
        for word in built:
            if full[word] - built[word]:
                found = f"every {word} of one set in `{one.plane}`"
                yield fabric.problem(("topology", "absent"), found, f"one {word} left at least")


def pods_keep_a_common_group(fabric: Fabric) -> Iterator[Problem]:
    """Pods meet in a group of superspines only: each two need a spine of the same number."""
    if not fabric.intent.topology.absent:
        return
    for one in fabric.fabrics:
        groups: dict[tuple[int, int], set[int]] = {}
        for at in one.clos.spine_places.values() if one.clos.three_tier else ():
            groups.setdefault((at.nic_plane, at.pod), set()).add(at.number)
        for (plane, pod), mine in sorted(groups.items()):
            apart = [
                other for (its_plane, other), theirs in sorted(groups.items())
                if its_plane == plane and other > pod and not mine & theirs
            ]  # fmt: skip
            if apart:
                found = f"no number of a spine that pods {pod} and {apart[0]} both have"
                expected = "spines of one number left in both"
                yield fabric.problem(("topology", "absent"), found, expected)
                return


def _sets(clos: Clos) -> dict[str, set[tuple[int, int]]]:
    """The sets of switches that have somebody: spines of a pod, superspines of a group."""
    return {
        "spine": {(at.pod, at.nic_plane) for at in clos.spine_places.values()},
        "superspine": {(at.nic_plane, at.group) for at in clos.superspine_places.values()},
    }


ABSENT_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    absent_devices_exist,
    only_pods_are_of_the_site,
    some_spines_are_left,
    pods_keep_a_common_group,
)
