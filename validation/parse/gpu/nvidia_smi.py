"""Output of `nvidia-smi -q`: sections by indent, four blanks a level, `Name : value` at its leaves.

Which sections there are depends on driver and GPU, so each leaf is asked by its path; but a section
that is there has all its leaves (`_SECTIONS`), or the report is not whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import COUNTER_MOST, Whole

_GPU = re.compile(r"^GPU ([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9])\s*$")
_LEAF = re.compile(r"^( *)(\S.*?)\s*: (.*\S)\s*$")
_SECTION = re.compile(r"^( *)(\S.*?)\s*:?\s*$")
_ATTACHED = Whole("attached GPUs", "1", 0, 256)
_COUNT = Whole("errors", "1", 0, COUNTER_MOST)
_GENERATION = Whole("PCIe generation", "1", 1, 7, untold=frozenset({"N/A"}))
_LANES = Whole("PCIe width", "lanes", 1, 32)
_LINK = "PCI / GPU Link Info"
_SRAM = frozenset({"SRAM Uncorrectable Parity", "SRAM Uncorrectable SEC-DED"})
_ECC = frozenset({"SRAM Correctable", "DRAM Correctable", "DRAM Uncorrectable"})
_OLD = frozenset({"Single Bit / Total", "Double Bit / Total"})
# What a section has at least, each way in which drivers write it: before 545 one counter for SRAM,
# before Ampere none (nvidia-smi(1): ECC Errors, Remapped Rows, Retired Pages, GPU Reset Status).
_SECTIONS: Mapping[str, tuple[frozenset[str], ...]] = {
    "GPU Reset Status": (frozenset({"Reset Required", "Drain and Reset Recommended"}),),
    f"{_LINK} / PCIe Generation": (frozenset({"Max", "Current"}),),
    f"{_LINK} / Link Width": (frozenset({"Max", "Current"}),),
    "ECC Mode": (frozenset({"Current", "Pending"}),),
    "ECC Errors / Volatile": (_ECC | _SRAM, _ECC | {"SRAM Uncorrectable"}, _OLD),
    "ECC Errors / Aggregate": (
        _ECC | _SRAM | {"SRAM Threshold Exceeded"},
        _ECC | {"SRAM Uncorrectable"},
        _OLD,
    ),
    "Retired Pages": (frozenset({"Single Bit ECC", "Double Bit ECC", "Pending Page Blacklist"}),),
    "Remapped Rows": (
        frozenset(
            {"Correctable Error", "Uncorrectable Error", "Pending", "Remapping Failure Occurred"}
        ),
    ),
    "Fabric": (frozenset({"State", "Status"}),),
}
# Leaves that no other section has: elsewhere they say that their heading is lost.
_OWN = {
    leaf: f"{section} / {leaf}"
    for section in ("GPU Reset Status", "Retired Pages", "Remapped Rows")
    for leaf in _SECTIONS[section][0] - {"Pending"}
}
# Tells of resets since 570, alone; a leaf without a section (nvidia-smi(1), GPU Recovery Action).
ACTION = "GPU Recovery Action"
_JUDGED = ("ECC Errors / ", ACTION, *(f"{section} / " for section in _SECTIONS))
_STATE = Whole("performance state", "1", 0, 15)
_FIRST_IDLE = 5
_HEADING = "==============NVSMI LOG=============="


@dataclass(frozen=True)
class Gpu:
    """One GPU: its PCI address as the kernel writes it, and its leaves by path (`A / B`)."""

    pci: str
    leaves: Mapping[str, str]

    def needed(self, path: str) -> str:
        """A leaf, or Unreadable where this driver tells none."""
        if path not in self.leaves:
            raise Unreadable(f"nvidia-smi tells no `{path}` of {self.pci}")
        return self.leaves[path]

    def under(self, section: str) -> dict[str, str]:
        """The leaves of a section, by what stands below it."""
        start = f"{section} / "
        found = {path: value for path, value in self.leaves.items() if path.startswith(start)}
        return {path.removeprefix(start): value for path, value in found.items()}

    def count(self, path: str) -> int:
        """A counter of errors. Raises Unreadable."""
        return _COUNT.read(self.needed(path))

    def generation(self, word: str) -> int:
        """The PCIe generation that is `Current` or `Max`."""
        return _GENERATION.read(self.needed(f"{_LINK} / PCIe Generation / {word}"))

    def ends(self) -> int:
        """What the device and its host can both do; a virtual machine is not told of its host."""
        told = (f"{_LINK} / PCIe Generation / {word} Max" for word in ("Device", "Host"))
        both = [_GENERATION.maybe(self.needed(path)) for path in told]
        least = [one for one in both if one is not None]
        if not least:
            raise Unreadable(f"nvidia-smi tells no generation that {self.pci} can do")
        return min(least)

    def lanes(self, word: str) -> int:
        """The lanes of PCIe, `Current` or `Max`: `16x`."""
        said = self.needed(f"{_LINK} / Link Width / {word}")
        if not said.endswith("x"):
            raise Unreadable(f"nvidia-smi tells {said!r} lanes of {self.pci}")
        return _LANES.read(said.removesuffix("x"))

    @property
    def idles(self) -> bool | None:
        """Whether it is in a state for idling, P5 or more; None where the driver tells no state.

        GPUs for PCIe slots go down to generation 1 there; P0 to P3 are states of work
        (nvidia-smi(1), Performance State and PCIe Generation).
        """
        state = re.fullmatch(r"P(\d{1,2})", self.leaves.get("Performance State", ""))
        return None if state is None else _STATE.read(state[1]) >= _FIRST_IDLE

    def judged(self) -> frozenset[str]:
        """The leaves of what is judged: one driver tells the same of GPUs of one product."""
        return frozenset(path for path in self.leaves if path.startswith(_JUDGED))

    def whole(self) -> Gpu:
        """Itself, where each of its sections has all that it must have; else Unreadable."""
        for path in self.leaves:
            if _OWN.get(path.rpartition(" / ")[2], path) != path:
                raise Unreadable(f"nvidia-smi tells `{path}` of {self.pci}: a heading is lost")
        for section, ways in _SECTIONS.items():
            told = self.under(section).keys()
            if told and not any(way <= told for way in ways):
                raise Unreadable(f"nvidia-smi tells a part of `{section}` of {self.pci}")
        return self


@dataclass(frozen=True)
class Smi:
    """The driver as its library sees it, and the GPUs in order."""

    driver: str
    attached: int
    gpus: tuple[Gpu, ...]

    def whole(self) -> Smi:
        """Itself, where every attached GPU is told of, and wholly; else Unreadable."""
        if len({gpu.whole().pci for gpu in self.gpus}) != self.attached:
            raise Unreadable(f"nvidia-smi tells of {len(self.gpus)} of {self.attached} GPUs")
        like: dict[str, Gpu] = {}
        for one in self.gpus:
            first = like.setdefault(one.leaves.get("Product Name", ""), one)
            if one.judged() != first.judged():
                raise Unreadable(f"nvidia-smi tells other things of {one.pci} than of {first.pci}")
        return self


def query(text: str) -> Smi:
    """Read a report; Unreadable where the heading, the driver or the number of GPUs is missing."""
    head, *parts = re.split(r"^(?=GPU [0-9A-Fa-f]{8}:)", text, flags=re.MULTILINE)
    if _HEADING not in head:
        said = " ".join(text.split())[:120] or "nothing"
        raise Unreadable(f"nvidia-smi printed no report but: {said}")
    told = _leaves(head.splitlines())
    if not {"Driver Version", "Attached GPUs"} <= told.keys():
        raise Unreadable("nvidia-smi does not say driver and number of GPUs")
    gpus = tuple(_gpu(part.splitlines()) for part in parts)
    return Smi(told["Driver Version"], _ATTACHED.read(told["Attached GPUs"]), gpus)


def _gpu(lines: list[str]) -> Gpu:
    found = _GPU.match(lines[0])
    if not found:
        raise Unreadable(f"nvidia-smi: {lines[0]!r} names no GPU")
    # Blank lines are between GPUs only.
    said = "\n".join(lines[1:]).rstrip()
    return Gpu(pci_of(found[1]), _leaves(full_lines(said, "nvidia-smi")))


def pci_of(bus_id: str) -> str:
    """`00000000:18:00.0` as the kernel writes it: `0000:18:00.0`."""
    return bus_id.strip().lower()[-12:]


def _leaves(lines: list[str]) -> dict[str, str]:
    """Leaves by path; of two with one path the first counts: processes repeat theirs.

    In a section that is judged none is twice: there another's heading is lost.
    """
    found: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in lines:
        leaf = _LEAF.match(line)
        section = leaf or _SECTION.match(line)
        if not section:
            continue
        indent = len(section[1])
        path = [one for one in path if one[0] < indent]
        name = " / ".join([*(word for _, word in path), section[2]])
        if leaf:
            if name in found and name.startswith(_JUDGED):
                raise Unreadable(f"nvidia-smi tells `{name}` twice")
            found.setdefault(name, leaf[3])
        path.append((indent, section[2]))
    return found
