"""Numbers in what a server's tools print: a token that is no number never becomes one.

Of each healthy text every number is tried: where another one in its place changes a number of what
is read, then `nan`, an overflow, nothing, a comma and a part that is no number must be Unreadable.
Cuts that are numbers themselves (`26` of `265`) are another matter: what is cut on the way is told
by lengths, digests and ends.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest

from inventory.golden.evidence import Unreadable as NotWhole
from inventory.golden.topo import parse_topo
from inventory.reading.fields import Unreadable
from tests.validation import host_machine
from validation.host_state.facts import known
from validation.host_state.read import facts
from validation.parse.gpu import cdi_list, dcgmi_diag, nvidia_smi, nvlink
from validation.parse.host import (
    host_kernel,
    kernel_log,
    lspci,
    node_state,
    node_tools,
    policy,
    redfish_bios,
)
from validation.parse.host.host_state import HostState, host_state, values
from validation.parse.nic import mlxconfig

from .test_node_tools import FIRST, RULES
from .test_numbers import _of as declarations_of

EVIDENCE = Path(__file__).parents[2] / "evidence"
NODE = host_machine.gpu_node()
Leaves = Counter[tuple[str, object]]


@dataclass(frozen=True)
class Case:
    """A reader with what it reads; `sealed` texts are whole by their frame alone."""

    module: str
    name: str
    text: str
    read: Callable[[str], object]
    sealed: bool = False
    lists: tuple[str, ...] = ()  # numbers in whose place a list may stand

    def __str__(self) -> str:
        return f"{self.module} {self.name}"


def answer(name: str) -> str:
    return host_machine.answers()[name][1]


def told(name: str, text: str) -> HostState:
    """A state with one answer besides who it is of."""
    return host_state(framed(name, text))


def framed(name: str, text: str) -> bytes:
    return host_machine.sealed({"identity": host_machine.answers()["identity"], name: (0, text)})


def smi(text: str) -> object:
    """All numbers that rows ask of GPUs, by address."""
    said = nvidia_smi.query(text).whole()
    found: dict[str, object] = {"attached": said.attached}
    for gpu in said.gpus:
        counts = [
            f"ECC Errors / {kind} / {name}"
            for kind in ("Volatile", "Aggregate")
            for name in gpu.under(f"ECC Errors / {kind}")
            if "ctable" in name
        ]
        found[gpu.pci] = (
            {path: gpu.count(path) for path in counts},
            {word: gpu.generation(word) for word in ("Current", "Max")},
            gpu.ends(),
            {word: gpu.lanes(word) for word in ("Current", "Max")},
            gpu.idles,
        )
    return found


def topology(text: str) -> object:
    try:
        return {row.index: (row.numa, row.nics) for row in parse_topo(text)}
    except NotWhole as why:
        raise Unreadable(str(why)) from None


def masks(text: str) -> object:
    found = mlxconfig.needed(mlxconfig.settings(text), "ROCE_CC_PRIO_MASK_P1")
    return [mlxconfig.mask(found.current or ""), mlxconfig.mask(found.next)]


def limits(text: str) -> object:
    found = known(facts(told("limits", text)).limits)
    return {key: node_tools.limit_bytes(value, 1) for key, value in found.items()}


def pages(text: str) -> object:
    return host_kernel.hugepages(values(told("values kernel", text), "kernel"))


FILES = (
    f"stat 644 root root 1234 /etc/a|regular file\n{'0' * 64}  /etc/a\n"
    "stat 2755 a b 4096 /d|directory\n"
)
LOG = (
    "[    8.387840] mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0\n"
    "[  914.125250] NVRM: Xid (PCI:0000:b1:00): 79, pid=1896, GPU has fallen off the bus.\n"
    "[  915.5] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 32\n"
    "end of log, 3 lines\n"
)
LIMITS = "containerd|locked memory       8388608        8388609        bytes\n"
BIOS = json.dumps(
    {
        "tool": "redfish-bios",
        "format": 1,
        "node": "n",
        "plan_digest": "d",
        "time": "t",
        "serial": "s",
        "running": {"a": 4, "b": "4", "c": 2.5},
        "pending": {"a": 5},
    }
)
CASES = (
    Case("host.node_tools", "limit", "8192\n", lambda text: node_tools.limit_bytes(text, 1024)),
    Case(
        "host.node_tools",
        "first process",
        FIRST.format(cap="00000000fcecbfff", hard=8388608),
        node_tools.most_locked_bytes,
        sealed=True,
    ),
    Case("host.node_state", "files", FILES, node_state.files),
    Case(
        "host.host_state",
        "frames",
        framed("uname -r", "6.8.0\n").decode(),
        lambda text: host_state(text.encode()),
    ),
    Case("host.host_state", "limits", LIMITS, limits, sealed=True),
    Case("host.host_kernel", "huge pages", answer("values kernel"), pages, sealed=True),
    Case("host.host_kernel", "CPUs", answer("cpu"), host_kernel.cpus, sealed=True),
    Case("host.kernel_log", "log", LOG, kernel_log.whole_log),
    Case("gpu.nvidia_smi", "report", host_machine.smi(2), smi),
    Case("gpu.nvidia_smi", "topology", host_machine.topology(NODE), topology, lists=("0", "1")),
    Case(
        "gpu.nvlink",
        "links",
        host_machine.nvlinks(2, 3) + "end 8\n",
        nvlink.status,
    ),
    Case("host.lspci", "devices", answer("lspci"), lspci.devices, sealed=True),
    Case("nic.mlxconfig", "mask", host_machine.mlxconfig("0000:18:00.0"), masks),
    *(
        Case(
            "gpu.dcgmi_diag",
            name,
            (EVIDENCE / "dcgm" / name).read_text(),
            dcgmi_diag.diag,
            lists=("0", "1"),
        )
        for name in ("v3_level3.json", "v4_level3.json")
    ),
    Case(
        "gpu.cdi_list",
        "devices",
        'time="2026-11-21T20:00:00Z" level=info msg="Found 2 CDI devices"\n'
        "nvidia.com/gpu=0\nnvidia.com/gpu=all\n",
        lambda text: (len(cdi_list.devices(text)), cdi_list.devices(text)),
    ),
    Case("host.policy", "rules", RULES, policy.rules),
    Case("host.redfish_bios", "attributes", BIOS, redfish_bios.found_bios),
)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
HOSTILE = ("nan", "-nan", "1e309", "", "1,5", "-", "+", ".", "0x", "1.")


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """All parts of what was read that have no parts, with the names that lead to them."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from leaves(getattr(value, one.name), f"{path}.{one.name}")
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, f"{path}[{key}]")
    elif isinstance(value, tuple | list | frozenset):
        for part in value:
            yield from leaves(part, path)
    else:
        yield path, value


def numbers(value: object) -> Leaves:
    """The numbers of what was read, and the names that lead to them."""
    return Counter(
        one
        for one in leaves(value)
        if isinstance(one[1], int | float) and not isinstance(one[1], bool)
    )


def tried(case: Case, text: str) -> object | None:
    try:
        return case.read(text)
    except Unreadable:
        return None


def others(token: str) -> tuple[str, ...]:
    """Other numbers of the same form."""
    if "." in token:
        return (f"{float(token) + 0.5}", f"{abs(float(token)) / 2}")
    number = int(token)
    return tuple(str(one) for one in (number + 1, number * 2, 1, 2, 0, number - 1) if one != number)


@cache
def of_numbers(case: Case) -> tuple[re.Match[str], ...]:
    """The tokens in whose place another number gives another number."""
    healthy = numbers(case.read(case.text))
    found = []
    for token in _NUMBER.finditer(case.text):
        for other in others(token[0]):
            read = tried(case, case.text[: token.start()] + other + case.text[token.end() :])
            if read is not None and numbers(read) != healthy:
                found.append(token)
                break
    return tuple(found)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_no_number_never_becomes_one(case: Case) -> None:
    for token in of_numbers(case):
        for word in HOSTILE:
            if word == "1,5" and token[0] in case.lists:
                continue
            text = case.text[: token.start()] + word + case.text[token.end() :]
            read = tried(case, text)
            where = case.text[max(token.start() - 40, 0) : token.end() + 20]
            assert read is None, f"{token[0]!r} as {word!r} in {where!r} gives {read!r}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_without_a_line_nothing_else_is_read(case: Case) -> None:
    """Less may be told, as long as what is told was told before; a row asks for what is missing."""
    healthy = Counter(leaves(case.read(case.text)))
    lines = case.text.splitlines(keepends=True)
    for at in range(len(lines)):
        text = "".join(lines[:at] + lines[at + 1 :])
        read = tried(case, text)
        if read is not None and not case.sealed:
            more = {one for one in Counter(leaves(read)) - healthy if one[1] not in (None, "")}
            assert not more, f"without {lines[at]!r}: {more}"


def test_a_sealed_answer_says_nothing_without_a_line() -> None:
    for case in CASES:
        if case.sealed:
            whole = framed("an answer", case.text)
            for line in case.text.splitlines(keepends=True):
                with pytest.raises(Unreadable):
                    host_state(whole.replace(line.encode(), b"", 1))


def test_each_reader_of_a_host_that_declares_numbers_is_here() -> None:
    """A case whose module declares nothing would show nothing."""
    mine = {case.module for case in CASES}
    for name in mine:
        module = importlib.import_module(f"validation.parse.{name}")
        declared = [one for value in vars(module).values() for one in declarations_of(value)]
        assert declared or name == "host.redfish_bios", name
    assert sum(len(of_numbers(case)) for case in CASES) > 100
