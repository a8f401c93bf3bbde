"""What evidence says of the versions that devices ran, of their modules and their boot. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.reading.fields import Unreadable
from validation.evidence.store import EvidenceStore, Frame
from validation.manifest import node_state
from validation.parse.host.host_state import host_state
from validation.stages.s15_optics.judge import called
from validation.stages.s15_optics.seen import modules_seen

from .ask import HOST_STATE
from .facts import HostFacts, Unread
from .read import facts

BOOT = "boot"


def versions_seen(store: EvidenceStore) -> dict[str, dict[str, str]]:
    """Device -> what (`kernel`, `package frr`, `firmware rail0`, `boot`) -> its version there.

    `module swp1` is the part and serial number of what is plugged in: an exchange is a change.
    What cannot be read is left out: it is no change.
    """
    found: dict[str, dict[str, str]] = {}
    for frame in store:
        mine = found.setdefault(frame.device, {})
        if not frame.damage:
            mine.update(_of_frame(frame))
    return {device: dict(sorted(found[device].items())) for device in sorted(found)}


def _of_frame(frame: Frame) -> Iterator[tuple[str, str]]:
    if frame.identity.boot_id:
        yield BOOT, frame.identity.boot_id
    if frame.exit_status not in (0, *node_state.MEANT.get(frame.command, ())):
        return
    if frame.command == node_state.PACKAGES:
        yield from _packages(frame.payload.decode("utf-8", "replace"))
    elif frame.command == HOST_STATE:
        try:
            yield from _host(facts(host_state(frame.payload)))
        except Unreadable:
            return
    else:
        for port, one in modules_seen(frame.command, frame.payload.decode("utf-8", "replace")):
            yield f"module {port}", called(one)


def _packages(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) >= 3 and words[0] == "package" and words[2]:
            yield f"package {words[1]}", words[2]


def _host(found: HostFacts) -> Iterator[tuple[str, str]]:
    if not isinstance(found.release, Unread):
        yield "kernel", found.release
    if not isinstance(found.gpu.module, Unread):
        yield "GPU driver", found.gpu.module[0]
    if not isinstance(found.gpu.fabric_manager, Unread):
        yield "fabric manager", found.gpu.fabric_manager
    if found.ofed is not None and not isinstance(found.ofed, Unread):
        yield "OFED", str(found.ofed)
    for nic in found.nics:
        if not isinstance(nic.firmware, Unread):
            yield f"firmware {nic.port}", nic.firmware
