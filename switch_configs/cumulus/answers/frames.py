"""Frames that a port of Cumulus Linux counts: the kernel's, which switchd brings from the ASIC."""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.sections import Section, needed
from switch_configs.answers.carried import settled
from switch_configs.answers.contract import FrameCounts
from switch_configs.answers.frames import Counted
from switch_configs.answers.linux import frames as linux

from . import ask


def _read(found: Mapping[str, Section]) -> Counted:
    settled(needed(found, "refresh"))
    return linux.asic(needed(found, "links"))


FRAMES = FrameCounts(lambda _ports: {**ask.REFRESH, "links": linux.LINKS}, _read)
