"""A large site made small: of pods, and of devices, that are alike one is drawn."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from .scene import BESIDE, Member, Scene

_MAX_RAILS = 16


@dataclass(frozen=True, slots=True, order=True)
class StackKey:
    """What makes devices one stack; `fold` is the first pod of those that are alike."""

    row: int
    fold: int
    rail: int
    word: str
    profile: str


@dataclass(frozen=True, slots=True)
class Stack:
    """Devices drawn once. `count` is that of one pod, or of all where there is no pod."""

    key: StackKey
    count: int
    links_down: tuple[int, ...]
    links_up: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Pods that are alike. `pods` is empty for what stands outside of pods."""

    first: int
    pods: tuple[int, ...]
    stacks: tuple[Stack, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """A scene with every fold, and the links between stacks with their rails."""

    folds: tuple[Fold, ...]
    links: tuple[tuple[StackKey, StackKey, int | None], ...]


# Above all pods; a scene says BESIDE for what stands beside them.
_ABOVE = -1


def fold(scene: Scene) -> Folded:
    """Fold a scene: linear in devices and wires."""
    first = _first_alike(scene)
    key_of = {member.name: _key(member, first) for member in scene.members}
    downs, ups = Counter[str](), Counter[str]()
    links: set[tuple[StackKey, StackKey, int | None]] = set()
    for wire in scene.across:
        ups[wire.lower] += 1
        downs[wire.upper] += 1
        links.add((key_of[wire.lower], key_of[wire.upper], wire.rail))
    members: dict[StackKey, list[Member]] = defaultdict(list)
    for one in scene.members:
        members[key_of[one.name]].append(one)
    pods: dict[int, set[int]] = defaultdict(set)
    for pod, leader in first.items():
        pods[leader].add(pod)
    stacks = [
        Stack(
            key,
            len(them) // max(1, len(pods[key.fold])),
            tuple(sorted({downs[member.name] for member in them})),
            tuple(sorted({ups[member.name] for member in them})),
        )
        for key, them in sorted(members.items())
    ]
    folds = [
        Fold(leader, tuple(sorted(pods[leader])), tuple(s for s in stacks if s.key.fold == leader))
        for leader in sorted({stack.key.fold for stack in stacks})
    ]
    ordered = sorted(links, key=lambda link: (link[0], link[1], -1 if link[2] is None else link[2]))
    return Folded(tuple(folds), tuple(ordered))


def _first_alike(scene: Scene) -> dict[int, int]:
    """Each pod, with the first pod that has the same devices and links."""
    shape: dict[int, Counter[tuple[object, ...]]] = defaultdict(Counter)
    for member in scene.members:
        if member.pod is not None:
            shape[member.pod][
                member.pod == BESIDE, member.row, member.word, member.rail, member.profile
            ] += 1
    for wire in scene.wires:
        low, high = scene.member[wire.lower], scene.member[wire.upper]
        if low.pod is not None:
            shape[low.pod]["up", low.row, high.row, wire.rail, wire.rate_gbps] += 1
    first: dict[frozenset[tuple[tuple[object, ...], int]], int] = {}
    return {pod: first.setdefault(frozenset(shape[pod].items()), pod) for pod in sorted(shape)}


def _key(one: Member, first: dict[int, int]) -> StackKey:
    rail = -1 if one.rail is None or one.rail >= _MAX_RAILS else one.rail
    leader = _ABOVE if one.pod is None else first[one.pod]
    return StackKey(one.row, leader, rail, one.word, one.profile)
