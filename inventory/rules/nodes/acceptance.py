"""Rules for what is measured: programs need their hardware, mounts need nodes on the plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.problems import Problem, one_of
from inventory.schema import MountFile, NodeProfile
from inventory.topology.population import GPU

Finding = tuple[str, str, str]
# hier(7): what fills one of these stops the node.
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "proc", "run", "sbin", "sys", "usr")


def programs_have_hardware(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A test of GPUs on a node without any would fail each time, or be believed by mistake."""
    said = profile.acceptance
    asked = {"dcgm_level": said.dcgm_level, "burn": said.burn, "all_reduce": said.all_reduce}
    for key, value in asked.items():
        if value is not None and not profile.gpus:
            yield f"`{name}`, with `acceptance.{key}` and no `gpus`", "a profile with `gpus`", ""
    if said.scratch and _is_system(said.scratch):
        found = f"`{name}`, whose `acceptance.scratch` is {said.scratch}"
        yield found, "a folder that may be filled, like /var/tmp", ""


def mounts_are_reached(fabric: Fabric) -> Iterator[Problem]:
    """A mount is measured against the NICs of this plane, by nodes that have some."""
    storage = fabric.intent.storage
    seen: set[str] = set()
    for at, one in enumerate(storage.mounts if storage else ()):
        path: Path = ("storage", "mounts", at)
        if one.path in seen:
            yield fabric.problem((*path, "path"), f"{one.path} again", "each path once")
        seen.add(one.path)
        if _is_system(one.path):
            expected = "a folder of the site's own, like /mnt/data"
            yield fabric.problem((*path, "path"), one.path, expected)
        yield from _kinds(fabric, path, one)


def _kinds(fabric: Fabric, path: Path, mount: MountFile) -> Iterator[Problem]:
    population = fabric.population
    profiles = {
        GPU: population.profile,
        **{group.name: group.profile for group in population.groups},
    }
    for at, kind in enumerate(mount.kinds):
        profile = fabric.node_profiles.get(profiles.get(kind, ""))
        where = (*path, "kinds", at)
        if kind not in profiles:
            yield fabric.problem(where, f"`{kind}`", one_of(sorted(profiles)))
        elif profile is not None and not profile.storage:
            expected = "nodes with NICs in the storage plane"
            yield fabric.problem(where, f"`{kind}`, whose profile has none", expected)
        elif profile is not None and mount.gds and profile.gpu_storage is None:
            found = f"{mount.path} with `gds` on `{kind}`"
            expected = "a profile with `gpu_storage`"
            yield fabric.problem((*path, "gds"), found, expected)


def _is_system(path: str) -> bool:
    return path.split("/")[1] in _SYSTEM


ACCEPTANCE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (mounts_are_reached,)
