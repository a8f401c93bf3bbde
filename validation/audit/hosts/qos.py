"""Trust, priorities, marks and congestion control of NICs, as tools print and scripts set them.

mlnx_qos and the sysfs files: github.com/Mellanox/mlnx-tools; cma_roce_tos and cma_roce_mode: the
same; configfs: Documentation/ABI/testing/configfs-rdma_cm of the kernel; dcb(8) of iproute2;
mlxconfig: github.com/Mellanox/mstflint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from inventory.reading.fields import Unreadable, document, mapping
from inventory.reading.numbers import Whole
from validation.parse.nic import mlnx_qos, mlxconfig, rdma_sysfs
from validation.parse.nic.port_qos import PRIORITIES, SHARE

from .facts import ShareFacts
from .reading import CLASS, DSCP, OPTION, PCI, PRIORITY, Chunk, Reader, Reading, not_understood

_DSCPS = 64
_CABLE = Whole("length of the cable", "m", 0, 65_535)
_SWITCHED = {"0": False, "1": True, "off": False, "on": True}


def _mlnx_qos(chunk: Chunk) -> Iterator[Reading]:
    found = mlnx_qos.port_qos(chunk.text, every_class=False)
    nic = chunk.port
    pfc = chunk.line("enabled ")
    trust = chunk.line("Priority trust state")
    yield Reading(nic, "trust", found.trust, trust, runs=True)
    if found.priority_of:
        yield Reading(nic, "priority_of", found.priority_of, chunk.line("prio:"), runs=True)
    yield Reading(nic, "pfc_priorities", found.pfc_priorities, pfc, runs=True)
    shares = tuple(
        ShareFacts(one, found.tsa[one], found.bandwidth_percent[one]) for one in found.prio_tc
    )
    yield Reading(nic, "shares", shares, chunk.line("tc: "), runs=True)
    if found.prio_buffer is not None:
        apart = _is_apart(found.pfc_priorities, found.prio_buffer)
        yield Reading(nic, "is_buffer_apart", apart, chunk.line("buffer  "), runs=True)
    if found.cable_m is not None:
        yield Reading(nic, "cable_m", found.cable_m, chunk.line("Cable len"), runs=True)
    if found.host_rules is not None:
        yield Reading(nic, "rules_dcbx", found.host_rules, chunk.line("DCBX mode"), runs=True)


def _is_apart(paused: tuple[int, ...], buffer_of: tuple[int, ...]) -> bool:
    """Whether no paused priority shares a receive buffer with one that is not."""
    of_paused = {buffer_of[one] for one in paused}
    others = {buffer_of[one] for one in range(PRIORITIES) if one not in paused}
    return not of_paused & others


def _dcb(chunk: Chunk) -> Iterator[Reading]:
    """Text of `dcb pfc|app show`; any entry of a DSCP means that DSCPs are trusted."""
    for number, line in chunk.lines():
        words = line.split()
        pairs = [word.partition(":")[::2] for word in words[1:] if re.fullmatch(r"\d+:\w+", word)]
        if words[:1] == ["prio-pfc"]:
            on = tuple(PRIORITY.read(one) for one, word in pairs if word == "on")
            yield Reading(chunk.port, "pfc_priorities", on, number, runs=True)
        elif words[:1] == ["dscp-prio"]:
            yield from _dscp_rows(chunk.port, [(d, p) for d, p in pairs], number)


def _dcb_json(chunk: Chunk) -> Iterator[Reading]:
    told = document(chunk.text, "dcb")
    for entry in told if isinstance(told, list) else [told]:
        one = mapping(entry, "dcb")
        port = str(one.get("ifname", chunk.port))
        if isinstance(states := one.get("prio_pfc"), list):
            on = tuple(number for number, word in enumerate(states) if word in ("on", True))
            yield Reading(port, "pfc_priorities", on, chunk.line("prio_pfc"), runs=True)
        if isinstance(rows := one.get("dscp_prio"), list):
            both = [[str(one) for one in row if one != ""] for row in rows]
            pairs = [(row[0], row[1]) for row in both if len(row) == 2]
            yield from _dscp_rows(port, pairs, chunk.line("dscp_prio"))


def _dscp_rows(port: str, pairs: list[tuple[str, str]], line: int) -> Iterator[Reading]:
    table = tuple(sorted((DSCP.read(dscp), PRIORITY.read(prio)) for dscp, prio in pairs))
    yield Reading(port, "trust", "dscp" if table else "pcp", line, runs=True)
    if table:
        yield Reading(port, "priority_of", table, line, runs=True)


def _mlxconfig(chunk: Chunk) -> Iterator[Reading]:
    found = mlxconfig.settings(chunk.text)
    said = re.search(r"(?m)^Device:\s+(\S+)", chunk.text)
    device = said[1] if said else chunk.about
    is_pci = re.fullmatch(r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]", device)
    nic = f"#{device if device.count(':') > 1 else f'0000:{device}'}" if is_pci else f"@{device}"
    for name, what in (
        ("ROCE_CC_PRIO_MASK_P1", "ecn_priorities"),
        ("CNP_DSCP_P1", "cnp_dscp"),
        ("CNP_802P_PRIO_P1", "cnp_priority"),
    ):
        if name in found:
            said_next = found[name].next
            value = (
                mlxconfig.mask(said_next)
                if what == "ecn_priorities"
                else (DSCP if what == "cnp_dscp" else PRIORITY).read(mlxconfig.number(said_next))
            )
            yield Reading(nic, what, value, chunk.line(name))


# -- files of the kernel, by themselves, after `cat`, or as `grep . ...` prints them ----------

_PLACES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"class/infiniband/([^/]+)/tc/1/traffic_class$"), "@class"),
    (re.compile(r"rdma_cm/([^/]+)/ports/1/default_roce_tos$"), "@tos"),
    (re.compile(r"rdma_cm/([^/]+)/ports/1/default_roce_mode$"), "@mode"),
    (re.compile(r"class/net/([^/]+)/ecn/(roce_[nr]p)/enable/([0-7])$"), "ecn"),
    (re.compile(r"class/net/([^/]+)/ecn/roce_np/cnp_dscp$"), "cnp_dscp"),
    (re.compile(r"class/net/([^/]+)/ecn/roce_np/cnp_802p_prio$"), "cnp_priority"),
    (re.compile(r"mlx5/([0-9a-f:.]+)/cc_params/np_cnp_dscp$"), "#cnp_dscp"),
    (re.compile(r"mlx5/([0-9a-f:.]+)/cc_params/np_cnp_prio$"), "#cnp_priority"),
    (re.compile(r"class/net/([^/]+)/qos/trust$"), "trust"),
)


def of_sysfs(path: str, value: str, line: int, runs: bool) -> Iterator[Reading]:
    """What a file of the kernel's holds, or is given; nothing for a file that says nothing here."""
    for pattern, kind in _PLACES:
        if not (at := pattern.search(path)):
            continue
        mark, what = (kind[0], kind[1:]) if kind[0] in "@#" else ("", kind)
        nic = f"{mark}{at[1]}"
        if what == "class":
            number = _forced(value)
            if number is not None:
                yield Reading(nic, "traffic_class", number, line, runs)
        elif what == "tos":
            yield Reading(nic, "tos", CLASS.read(value), line, runs)
        elif what == "mode":
            yield Reading(nic, "is_roce_v2", "v2" in value, line, runs)
        elif what == "ecn" and value in _SWITCHED:
            yield Reading(nic, f"{at[2]}:{at[3]}", _SWITCHED[value], line, runs)
        elif what == "trust":
            yield Reading(nic, "trust", value, line, runs)
        elif what in ("cnp_dscp", "cnp_priority"):
            kind_of = DSCP if what == "cnp_dscp" else PRIORITY
            yield Reading(nic, what, kind_of.read(value), line, runs)


def _forced(value: str) -> int | None:
    """Of `Global tclass=106` as it is read, or of 106 as it is written; -1 unsets it."""
    if re.fullmatch(r"(tclass=)?-?\d+", value):
        number = value.removeprefix("tclass=")
        return None if number.startswith("-") else CLASS.read(number)
    return rdma_sysfs.traffic_class(value)


def of_one_file(chunk: Chunk) -> Iterator[Reading]:
    """A file of the kernel's that was copied, or shown by `cat`."""
    words = chunk.command.split()
    path = words[-1] if words[:1] == ["cat"] else chunk.path
    yield from of_sysfs(path, chunk.text.strip(), chunk.above + 1, runs=True)


_GREPPED = re.compile(r"(?m)^(/(?:sys|proc)/[^\s:]+(?::[0-9a-f]{2}[^\s:]*)*):(.*)$")
_TOS_ALONE = re.compile(r"\A\s*\d{1,3}\s*\Z")


def _grepped(chunk: Chunk) -> Iterator[Reading]:
    for one in _GREPPED.finditer(chunk.text):
        yield from of_sysfs(one[1], one[2].strip(), chunk.at(one.start()), runs=True)


def _cma(chunk: Chunk) -> Iterator[Reading]:
    nic = f"@{chunk.about}" if chunk.about else ""
    if nic and "cma_roce_tos" in chunk.command:
        tos = CLASS.read(chunk.text)
        yield Reading(nic, "tos", tos, chunk.above + 1, runs=True)
    elif nic and "cma_roce_mode" in chunk.command:
        yield Reading(nic, "is_roce_v2", "v2" in chunk.text, chunk.above + 1, runs=True)


# -- scripts, units and udev rules that set NICs, and the list of the role roce_nic ---------------

_MLNX_QOS = re.compile(r"\bmlnx_qos\s+([^\n;&|\"']*)")
_CMA = re.compile(r"\bcma_roce_(tos|mode)\s+([^\n;&|\"']*)")
_ECHO = re.compile(r"\becho\s+[\"']?((?:tclass=)?-?\w+)[\"']?\s*>\s*[\"']?(/sys/[^\s;\"']+)")
SETS = re.compile(
    r"\bmlnx_qos\s[^\n]*(?:--trust|--pfc|--dscp2prio|\s-[fd]\s)|\bcma_roce_tos\s[^\n]*-t\s"
    r"|\bcma_roce_mode\s[^\n]*-m\s|\becho\s[^\n>]*>\s*[\"']?/sys/(?:class/(?:net|infiniband)|kernel)/"
)


def _scripts(chunk: Chunk) -> Iterator[Reading]:
    """A line that sets a NIC by a variable's name is one that nobody here understands."""
    for number, line in chunk.lines():
        if line.lstrip().startswith("#"):
            continue
        found = tuple(_set_by_line(line, number))
        if not found and SETS.search(line):
            yield not_understood("RoCE", line, number)
        yield from found


def _set_by_line(line: str, number: int) -> Iterator[Reading]:
    for one in _MLNX_QOS.finditer(line):
        yield from _set_by_mlnx_qos(one[1].split(), number)
    for one in _CMA.finditer(line):
        said = _options(one[2].split())
        if (device := said.get("-d")) and "$" not in device:
            if one[1] == "tos" and said.get("-t", "$").isdigit():
                yield Reading(f"@{device}", "tos", CLASS.read(said["-t"]), number)
            if one[1] == "mode" and "-m" in said:
                yield Reading(f"@{device}", "is_roce_v2", said["-m"] == "2", number)
    for one in _ECHO.finditer(line):
        if "$" not in one[2] and "*" not in one[2]:
            yield from of_sysfs(one[2], one[1], number, runs=False)


def _set_by_mlnx_qos(words: list[str], line: int) -> Iterator[Reading]:
    said = _options(words)
    nic = said.get("-i") or said.get("--interface", "$")
    if "$" in nic or "%" in nic:
        return
    if trust := said.get("--trust"):
        yield Reading(nic, "trust", trust, line)
    if "$" not in (pfc := said.get("--pfc") or said.get("-f") or "$"):
        yield Reading(nic, "pfc_priorities", _ones(pfc), line)
    pairs = [word.split(",")[1:] for word in words if word.startswith("set,")]
    if table := tuple((DSCP.read(one[0]), PRIORITY.read(one[1])) for one in pairs if len(one) == 2):
        yield Reading(nic, "priority_of", table, line)
    if dcbx := said.get("-d") or said.get("--dcbx"):
        yield Reading(nic, "rules_dcbx", dcbx == "os", line)


def _options(words: list[str]) -> dict[str, str]:
    flat = [part for word in words for part in (word.split("=", 1) if word[:2] == "--" else [word])]
    return dict(pairwise(flat))


def _ones(listed: str) -> tuple[int, ...]:
    """The priorities of `0,0,0,1,0,0,0,0`."""
    words = listed.split(",")
    if len(words) != PRIORITIES or set(words) - {"0", "1"}:
        raise Unreadable(f"{listed!r} does not say of {PRIORITIES} priorities which are paused")
    return tuple(number for number, word in enumerate(words) if word == "1")


def _own_list(chunk: Chunk) -> Iterator[Reading]:
    """What the role roce_nic writes for railbed-roce-nic: wishes for each NIC, then the NICs."""
    each: list[tuple[list[str], int]] = []
    only: list[tuple[str, list[str], int]] = []
    nics: list[str] = []
    devices: list[str] = []
    lines: dict[str, int] = {}
    for number, line in chunk.lines():
        if line.strip() and line.lstrip()[0] != "#":
            lines.setdefault(line, number)
    for line, number in lines.items():
        match line.split():
            case ["vendor" | "qos_tool" as name, word] if word in _OWN_WORDS[name]:
                yield Reading("", f"{OPTION}{name}", word, number)
            case ["mark" | "each", *wish] if _is_wish(wish):
                each.append((wish, number))
            case ["only", nic, *wish] if _is_wish(wish):
                only.append((nic, wish, number))
            case ["nic", nic, pci, device] if nic not in nics and (pci == "-" or PCI.match(pci)):
                nics.append(nic)
                if pci != "-":
                    yield Reading(nic, "pci", pci, number)
                if device != "-":
                    devices.append(device)
                    yield Reading(nic, "device", device, number)
            case _:
                yield not_understood("RoCE", line, number)
    if devices:
        yield Reading("", "devices", tuple(devices), chunk.line("\nnic ") + 1)
    paused = next((wish[1] for wish, _ in each if wish[0] == "pfc"), "")
    for wish, number in each:
        for nic in nics:
            if wish[0] == "buffer":
                apart = _ones(wish[1]) == (_ones(paused) if paused else ())
                yield Reading(nic, "is_buffer_apart", apart, number)
            yield from _wish(nic, wish, number)
    for nic, wish, number in only:
        if nic not in nics:
            yield not_understood("RoCE", f"only {nic}", number)
        yield from _wish(nic, wish, number)


_OWN_WORDS = {"vendor": ("nvidia",), "qos_tool": ("auto", "mlnx_qos", "dcb")}
_WISHES = {
    "cm_mode": ("v1", "v2"),
    "dcbx": ("os", "firmware"),
    "no_pfc": ("all",),
    "out_of_order": ("on", "off"),
    "pause": ("off", "on"),
    "trust": ("dscp", "pcp"),
}


def _is_wish(wish: list[str]) -> bool:
    """Whether a wish is one that is known here, with a value of its own kind."""
    match wish:
        case ["cm_mode", "RoCE", value] | [_, value]:
            return wish[0] in _NUMBERED or value in _WISHES.get(wish[0], ())
    return False


_NUMBERED = (
    *("tos", "tclass", "map", "pfc", "ets", "cable", "buffer", "ecn", "cnp_dscp", "cnp_priority"),
    *("rings", "read_request"),
)


def _wish(nic: str, wish: list[str], line: int) -> Iterator[Reading]:
    name, value = wish[0], wish[-1]
    match name:
        case "cm_mode":
            yield Reading(nic, "is_roce_v2", value == "v2", line)
        case "tos":
            yield Reading(nic, "tos", CLASS.read(value), line)
        case "tclass":
            yield Reading(nic, "traffic_class", CLASS.read(value), line)
        case "dcbx":
            yield Reading(nic, "rules_dcbx", value == "os", line)
        case "pause":
            yield Reading(nic, "has_global_pause", value != "off", line)
        case "trust":
            yield Reading(nic, "trust", value, line)
        case "map":
            yield Reading(nic, "priority_of", _map(value), line)
        case "pfc":
            yield Reading(nic, "pfc_priorities", _ones(value), line)
        case "ets":
            yield Reading(nic, "shares", tuple(map(_share, value.split(","))), line)
        case "cable":
            yield Reading(nic, "cable_m", _CABLE.read(value), line)
        case "no_pfc":
            yield Reading(nic, "pfc_priorities", (), line)
        case "ecn":
            yield Reading(nic, "ecn_priorities", (PRIORITY.read(value),), line)
        case "cnp_dscp":
            yield Reading(nic, "cnp_dscp", DSCP.read(value), line)
        case "cnp_priority":
            yield Reading(nic, "cnp_priority", PRIORITY.read(value), line)
        case "rings" | "read_request" | "out_of_order":
            yield Reading(nic, f"{OPTION}{name}", value, line)


def _map(listed: str) -> tuple[tuple[int, int], ...]:
    """The priority of each of the 64 DSCPs."""
    words = listed.split(",")
    if len(words) != _DSCPS:
        raise Unreadable(f"a map of {len(words)} DSCPs, not of {_DSCPS}")
    return tuple((dscp, PRIORITY.read(word)) for dscp, word in enumerate(words))


def _share(words: str) -> ShareFacts:
    number, algorithm, percent = words.split("/")
    return ShareFacts(PRIORITY.read(number), algorithm, SHARE.read(percent))


READERS: tuple[Reader, ...] = (
    (re.compile(r"(?m)^Priority trust state: "), _mlnx_qos),
    (re.compile(r"(?m)^\s*(?:prio-pfc|dscp-prio) \d+:"), _dcb),
    (re.compile(r'"(?:prio_pfc|dscp_prio)"\s*:'), _dcb_json),
    (re.compile(r"(?m)^Configurations:\s"), _mlxconfig),
    (re.compile(r"(?m)^/(?:sys|proc)/\S+:"), _grepped),
    (SETS, _scripts),
    (re.compile(r"(?m)^(?:vendor \w+\nqos_tool |each (?:dcbx|map|pfc|trust) \S+$)"), _own_list),
    (re.compile(r"\A\s*(?:\d{1,3}|(?:IB/)?RoCE v[12]|Global tclass=\d+[\s\S]*)\s*\Z"), _cma),
)
