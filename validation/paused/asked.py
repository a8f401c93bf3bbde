"""Whether what a plan asks of the lossless class is whole, and fits to itself.

Behaviour is judged by the plan's own classes and modes, so these are held against each other first:
what IEEE 802.1Qbb needs wherever something is paused, and whose each priority, queue and group is.
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.plan import Lossless, TrafficClass
from switch_configs.intent import SwitchIntent

_BEST_EFFORT = 0
_LOSSY_GROUP = 0


def unlike_itself(asked: SwitchIntent) -> Iterator[str]:
    """Sentences on what is missing, or of what one part of a plan contradicts another."""
    site, switch = asked.lossless, asked.switch
    for name, held, modes in (
        ("classes", bool(site.classes), ("full", "ecn")),
        ("PFC watchdog", site.watchdog is not None, ("full",)),
        ("headroom", site.headroom is not None, ("full",)),
    ):
        if held != (site.mode in modes):
            yield f"mode {site.mode} {'without' if not held else 'with'} {name}"
    if switch.plane == "compute" and site.mode != "marking-only" and switch.buffers is None:
        yield f"a switch of GPUs has no buffers for the class, and the mode is {site.mode}"
    for one in site.classes:
        yield from (f"class {one.name} has {said}" for said in _of_class(site, one))


def _of_class(site: Lossless, one: TrafficClass) -> Iterator[str]:
    """What it must be by the DSCPs that are sorted into it (IEEE 802.1Q-2018, 8.6.6 and 36)."""
    is_roce, is_cnp = site.dscp in one.dscps, site.cnp_dscp in one.dscps
    priority = site.priority if is_roce else site.cnp_priority if is_cnp else _BEST_EFFORT
    paused = is_roce and site.mode == "full"
    for what, held, want in (
        ("priority", one.priority, priority),
        ("queue", one.queue, priority),
        # A group is for pausing: what may be lost shares one, and never that of what may not.
        ("priority group", one.priority_group, priority if paused else _LOSSY_GROUP),
        ("lossless", one.lossless, paused),
        ("strict", one.strict, is_cnp),
    ):
        if held != want:
            yield f"{what} {held}, and must have {want}"
