"""What a rollout does to each device of a site: from nothing, or from one plan to another. Pure.

Of a switch by its system's own steps, of a server by what its roles own (`differences.effects`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from deploy.differences.effects import Effect, of_drift
from deploy.rollout.drain.chosen import choice
from deploy.switches.push_result import is_at_least
from inventory.plan import Node, OobSwitch, Plan, Switch, Wave
from inventory.schema.site import Rollout
from inventory.topology.waves import waves
from switch_configs import render
from switch_configs.intent import Impact, Rendered
from validation.manifest.device import Manifests
from validation.manifest.differences import Drift
from validation.manifest.owned import Manifest

from .impacts import Impacts, kind_of_switch
from .measured import kind_of

_Device = TypeVar("_Device", Node, Switch, OobSwitch)
_MAC = "as if it were there"
_GPU_DRIVER = "nvidia_driver"


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """What a push does: its impact, whether it drains first, and only one at a time."""

    name: str
    system: str
    impact: Impact
    drains: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class ServerChange:
    """What an engine does: which roles run (none: all), bytes of packages, acts of the table.

    `reboot` is why a restart is needed, "" where none is; `restarts` which. Where it `holds`, the
    gate of its wave waits for that: a driver that worked runs no more as installed.
    """

    name: str
    engine: str
    kind: str
    roles: frozenset[str]
    least_bytes: int
    most_bytes: int
    acts: tuple[str, ...]
    reboot: str
    restarts: str
    holds: bool = False


Change = SwitchChange | ServerChange


def whole_waves(plan: Plan, most: Rollout) -> tuple[tuple[Wave, ...], bool]:
    """The waves of a site without devices that are not there; True: as if all of it were built.

    That where it has no waves yet, because `asbuilt.csv` does not know its OOB server.
    """
    if plan.waves:
        missing = {*plan.undeployable}
        kept = (_of(one, missing) for one in plan.waves)
        return tuple(one for one in kept if one.devices), False
    nodes = tuple(_built(one) for one in plan.nodes)
    switches = tuple(_built(one) for one in plan.switches)
    own = tuple(_built(one) for one in plan.oob_switches)
    server = replace(plan.oob, mac=plan.oob.mac or _MAC)
    return waves(server, own, nodes, switches, most), True


def from_nothing(plan: Plan) -> dict[str, Change]:
    """Every device, new: of a switch from an empty configuration, so the worst there is."""
    made: dict[str, Change] = {}
    alike: dict[tuple[str, ...], Impact] = {}
    impacts = Impacts(plan)
    for name, switch in plan.any_switch.items():
        key = kind_of_switch(plan, name)
        if key not in alike:
            empty = Rendered(name, switch.dialect, ())
            alike[key] = impacts.of(empty, render(plan, name)) or "none"
        made[name] = SwitchChange(name, switch.dialect, alike[key])
    manifests = Manifests(plan)
    kinds: dict[tuple[str, str], ServerChange | None] = {}
    for name in manifests.roles:
        kind = (plan.engine_of(name), kind_of(plan, name))
        if kind not in kinds:
            kinds[kind] = _server(plan, name, Manifest(name, ()), manifests.of(name))
        if found := kinds[kind]:
            made[name] = replace(found, name=name)
    return made


def between(
    before: Plan, after: Plan, kept: dict[str, Manifests] | None = None
) -> dict[str, Change]:
    """The devices that differ between two plans of a site, and how; a new one is from nothing.

    `kept` has manifests by plan, and gets those of both: the way back reads them again.
    """
    made: dict[str, Change] = {}
    impacts = Impacts(after)
    for name, switch in after.any_switch.items():
        if name not in before.any_switch:
            old = Rendered(name, switch.dialect, ())
        else:
            old = render(before, name)
        new = render(after, name)
        if old != new and (impact := impacts.of(old, new)):
            chosen = choice(before, name) if name in before.switch else None
            drains = bool(chosen and chosen.drains and is_at_least(impact, chosen.least))
            above = name in after.switch and after.switch[name].tier != "leaf"
            alone = bool(chosen and chosen.drains and above)
            made[name] = SwitchChange(name, switch.dialect, impact, drains, alone)
    held = {} if kept is None else kept
    was, now = (held.setdefault(one.digest, Manifests(one)) for one in (before, after))
    for name in now.roles:
        old_one = was.of(name) if name in was.roles else Manifest(name, ())
        if old_one != now.of(name) and (found := _server(after, name, old_one, now.of(name))):
            made[name] = found
    return made


def _of(wave: Wave, missing: set[str]) -> Wave:
    return replace(wave, devices=tuple(name for name in wave.devices if name not in missing))


def _built(one: _Device) -> _Device:
    return replace(one, management=replace(one.management, mac=one.management.mac or _MAC))


def _server(plan: Plan, name: str, old: Manifest, new: Manifest) -> ServerChange | None:
    effects = [*_effects(old, new)]
    sizes = {one.name: one.size_bytes for one in plan.packages.packages}
    owned = {one.name: one.role for one in set(new.packages) - set(old.packages)}
    least = sum(sizes.get(one, 0) for one in owned)
    most = least if old.roles else sum(sizes.values())
    node = plan.node.get(name)
    # What reloads drivers of NICs reloads none of a GPU.
    gpu = _GPU_DRIVER in owned.values()
    now = node is not None and node.software.nics.reload == "now" and not gpu
    waits = [
        one for one in effects
        if one.impact == "reboot" or (one.impact == "driver reload" and not now)
    ]  # fmt: skip
    why = "; ".join(dict.fromkeys(one.reason for one in waits)) if node else ""
    holds = bool(node and old.roles) and any(one.impact == "driver reload" for one in waits)
    acts = tuple(_acts(node, owned, effects, firmware=not old.roles))
    big = node is not None and bool(node.gpus)
    roles = _roles(old, new)
    return ServerChange(
        name, plan.engine_of(name), kind_of(plan, name), roles, least, most, acts, why,
        "reboot_gpu_node" if big else "reboot_server", holds,
    )  # fmt: skip


def _roles(old: Manifest, new: Manifest) -> frozenset[str]:
    """Those that own something which differs; none where all do."""
    differ = {
        one.role
        for part in (
            "files", "folders", "packages", "units", "sysctls", "arguments", "options", "ports",
        )
        for one in set(getattr(old, part)) ^ set(getattr(new, part))
    }  # fmt: skip
    return frozenset() if differ >= {*new.roles} else frozenset(differ)


def _acts(
    node: Node | None, owned: dict[str, str], effects: list[Effect], *, firmware: bool
) -> Iterator[str]:
    roles = set(owned.values())
    if owned:
        yield "unpack_packages"
    if node is None:
        return
    nics = node.software.nics
    if "ofed" in roles and nics.stack != "inbox":
        yield "build_nic_driver"
    if _GPU_DRIVER in roles:
        yield "build_gpu_driver"
    if nics.reload == "now" and any(one.impact == "driver reload" for one in effects):
        yield "nic_driver"
    if firmware and nics.firmware and nics.firmware_act == "burn":
        yield "nic_firmware"


def _effects(old: Manifest, new: Manifest) -> Iterator[Effect]:
    for one in set(new.files) - set(old.files):
        yield of_drift(Drift(new.device, one.role, "file", one.path, one.sha256, ""))
    for package in set(new.packages) - set(old.packages):
        found = Drift(new.device, package.role, "package", package.name, package.version, "")
        yield of_drift(found)
    for words in set(new.arguments) - set(old.arguments):
        yield of_drift(Drift(new.device, words.role, "kernel arguments", words.words, "", ""))
