"""Every answer with one line blanked: a value that is read is never moved, nor lost unseen.

A line is blanked by what interleaves, filters or wraps an output. Either the reader refuses, or
what it says is the same; or the line is in `MAY_GO`, where whoever asks sees that it is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

import pytest

from inventory import open_site
from inventory.reading.fields import Unreadable
from tests.plugins.needs import samples_folder
from tests.validation import host_machine
from tests.validation.cuts import Case
from tests.validation.planned import says
from validation.host_state.facts import HostFacts, Unread
from validation.host_state.read import facts
from validation.manifest import node_state as asked
from validation.manifest.device import manifests
from validation.parse.host import host_state, kernel_state, lspci, net_owner, node_state, node_tools

from .test_cuts import CASES

_PLAN = open_site("lab")
_MANIFEST = manifests(_PLAN).of("node-p1-1")
_SAYS = says(_MANIFEST)
_STRAY = "network /etc/systemd/network/10-evil.network\nName rail0 rail1\nMAC 02:00:00:00:00:01\n"
_NETWORKS = f"{_STRAY}port rail0 02:00:00:00:00:01\npackaged /etc/x.network\nnames rail0 /etc/y\n"
MORE = (
    Case("networks", kernel_state.networks, f"{_NETWORKS}end 6\n"),
    Case("files", node_state.files, _SAYS[asked.FILES]),
    Case("packages", lambda text: node_state.packages(text, 0, ["frr"]), _SAYS[asked.PACKAGES]),
    Case("units", node_state.units, _SAYS[asked.UNITS]),
    Case(
        "kernel",
        lambda text: kernel_state.kernel(text, asked.parameter_paths(_MANIFEST)),
        _SAYS[asked.KERNEL],
    ),
    Case(
        "sshd",
        lambda text: kernel_state.sshd_options(text, [one.name for one in _MANIFEST.options]),
        _SAYS[asked.SSHD],
    ),
    Case("failed", node_tools.failed_units, "a.service loaded failed\nb.service loaded failed\n"),
    Case("ifquery", net_owner.ifupdown, "lo\nrail0\n"),
    Case("nmcli", net_owner.network_manager, "rail0:connected:x\nrail1:unmanaged:\n"),
    Case("lspci", lspci.devices, host_machine.answers()["lspci"][1]),
)
_BY_NAME = "asked for by its name: whoever needs it says that it is not told"
_OPTIONAL = "a tool or a driver may leave it out; nothing is judged then, and the stage says so"
# By the name of a case: which lines may be lost, and why that is seen.
MAY_GO: dict[str, tuple[tuple[str, str], ...]] = {
    "all_.*|alltoall_.*": (
        (r"# nccl-tests version|NCCL version", _OPTIONAL),
        (r"NET/\w+ : GPU Direct RDMA", "each rank of a host says it: what one lost another has"),
        (r"#\s+Rank ", "stage 70 counts the ranks of each node against the plan"),
    ),
    "all.*_one_h200_.*": (
        (
            r"Using network",
            "its one rank alone says it; `no IB` beside Socket is no planned network",
        ),
    ),
    "sections": ((r"^(one|two|three)$", "the reader of a section reads its lines"),),
    "sonic-counters": ((r'"Ethernet\d+(:\d+)?": "oid', _BY_NAME), (r"_STAT_", _OPTIONAL)),
    "sonic-lossless-ports": ((r"SAI_PORT_ATTR_", "as where SONiC set none: not as planned"),),
    "sonic-lossless-profiles": ((r'"xoff"', "as of a pool without headroom: not as planned"),),
    "nxos-pfc": ((r"^Ethernet", _BY_NAME),),
    "mlxlink-.*": (
        (r"Manufacturing Date|Link Down Counter", _OPTIONAL),
        (r"Time Since Last Clear", "without its time no error ratio is judged"),
    ),
    "sonic-modules": ((r"vendor_date|temperature", _OPTIONAL),),
    "sonic-rates": ((r"FEC_P\w+_BER", "stage 15 asks the ratio of each port"),),
    "perftest-ib_send_lat_ev_.*": ((r"Test with events", "stage 50 asks how it waited"),),
    "fio-.*": ((r'"\w+" : "', "a job is held to what was asked of it"),),
    "dcgm-.*": ((r'"(gpu_ids?|entity_group)"', "what names no GPU fails for the node"),),
    "eos-lldp": ((r'"systemName"', "a neighbour without name is not the planned one"),),
    "mlxconfig .*": ((r"[A-Z_]+", _BY_NAME),),
    "uname -r": ((r".", "an empty release is no release that is planned"),),
    ".*gdscheck.*": ((r" : |nvidia_fs version|supports GDS", _BY_NAME),),
}


def blanked(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Each line that may not be lost, with the text in which it is blank."""
    spared = [
        re.compile(lines)
        for names, some in MAY_GO.items()
        if re.fullmatch(names, name)
        for lines, _ in some
    ]
    rows = text.splitlines(keepends=True)
    for at, row in enumerate(rows):
        if row.strip() and not any(one.search(row) for one in spared):
            yield row, "".join([*rows[:at], "\n", *rows[at + 1 :]])


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda case: case.name)
def test_a_blank_line_never_takes_a_value_away(case: Case):
    """With any line blank the answer is unreadable, or says all that the whole said."""
    text = case.whole(samples_folder())
    if text is None:
        pytest.skip("needs the folder of captures that RAILBED_SAMPLES names")
    whole = case.takes(case.read(text))
    for row, damaged in blanked(text, case.name):
        try:
            found = case.takes(case.read(damaged))
        except Unreadable:
            continue
        assert found == whole, f"without {row.strip()!r}"


@pytest.mark.parametrize(
    "owner", ["Name rail0", "MAC 02:00:00:00:00:01", "network /etc/systemd/net\nName rail0"]
)
def test_a_match_of_no_file_is_unreadable(owner):
    with pytest.raises(Unreadable):
        kernel_state.networks(f"{owner}\nend {len(owner.splitlines())}\n")


def test_nothing_found_is_no_blank_line():
    assert kernel_state.networks("end 0\n").files == {}
    assert net_owner.ifupdown("\n") == frozenset()
    assert node_tools.failed_units("") == ()


@cache
def whole_host() -> HostFacts:
    return facts(host_state.host_state(host_machine.state()))


def moved(whole: object, now: object, at: str = "") -> Iterator[str]:
    """Where a fact is another and still known."""
    if isinstance(now, Unread) or whole == now:
        return
    if is_dataclass(whole) and type(whole) is type(now):
        for one in fields(whole):
            yield from moved(getattr(whole, one.name), getattr(now, one.name), f"{at}.{one.name}")
    elif isinstance(whole, tuple) and isinstance(now, tuple) and len(whole) == len(now):
        for number, (one, other) in enumerate(zip(whole, now, strict=True)):
            yield from moved(one, other, f"{at}[{number}]")
    else:
        yield at


@pytest.mark.instances(keep=15)
@pytest.mark.parametrize(
    "command", [name for name, (status, _) in host_machine.answers().items() if status == 0]
)
def test_a_blank_line_of_a_host_never_moves_a_fact(command):
    """What a server's tools tell, through the whole host state."""
    text = host_machine.answers()[command][1]
    for row, damaged in blanked(text, command):
        try:
            now = facts(host_state.host_state(host_machine.state({command: (0, damaged)})))
        except Unreadable:
            continue
        assert not [*moved(whole_host(), now)], f"without {row.strip()!r}"
