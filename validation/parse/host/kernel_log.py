"""Lines of a kernel's log that tell of hardware: dmesg(1), journalctl(1), syslog.

What stands before the message differs (`[ 8.387515]`, `Aug 17 06:18:01 host kernel:`, an ISO time)
and is passed over; a message counts by its words. `RULES` has them, each with its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import COUNTER_MOST, Real, Whole

Kind = Literal[
    "xid",
    "sxid",
    "gpu lost",
    "pcie limited",
    "pcie error",
    "platform error",
    "machine check",
    "nic fault",
    "link down",
    "tx timeout",
    "overflow",
]
# What a shell looks for (grep -E) in a log that is too long to bring home; `RULES` judge. What was
# corrected is left on the node: a storm of it would push the rest out of the last `MOST` lines.
WORDS = (
    "Xid|fallen off the bus|bandwidth, limited|DPC:? containment|"
    "(AER|Bus Error): .*([Uu]nc|Fatal)|event severity: (rec|fat)|Error [0-9]+, type: (rec|fat)|"
    "Hardware Error.: (Unc|Def|Sys)|Machine Check|mce: Unc|EDAC .*UE|Port module event.error|"
    "insufficient power|High temp|health comp|Health issue|[Ll]ink (is )?[Dd]own|[Ll]ost carrier|"
    "NETDEV WATCHDOG|TX timeout"
)
# A line with these belongs to a rule, or it is damaged.
_NEVER_PASSED_OVER = ("NVRM: Xid", " available PCIe bandwidth, limited by ")
MOST = 2000  # lines that a node sends at most, its last
_XID = Whole("Xid", "1", 0, 999)
_SXID = Whole("SXid", "1", 0, 99_999)
_STATUS = Whole("status of a bank", "bits", 0, COUNTER_MOST, base=16)
_UPTIME = Real("time since boot", "s", 0, 1e10)
_LINES = Whole("lines", "1", 0, MOST)
_DIGITS = 16
_UNCORRECTED = 61  # MCi_STATUS.UC (Intel SDM 3B, 16.3.2.2; AMD APM 2, 9.3.2.2)
_PCI = r"(?P<at>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)"
_MLX5 = rf"(?:mlx5_core {_PCI}[^:]*:.*?)?"


@dataclass(frozen=True, slots=True)
class Rule:
    """Words that count. `place` is what they are of where the line names no device or port."""

    kind: Kind
    words: re.Pattern[str]
    source: str
    place: str = ""


def _rule(kind: Kind, words: str, source: str, place: str = "") -> Rule:
    return Rule(kind, re.compile(words), source, place)


RULES = (
    _rule(
        "xid",
        rf"NVRM: Xid \((?:PCI:)?{_PCI}[^)]*\): (?P<xid>.*?),(?: |$)",
        "docs.nvidia.com/deploy/xid-errors",
    ),
    _rule(
        "sxid",
        r"SXid \((?:PCI:)?(?P<at>[^)]*)\): (?P<sxid>\S*?), ",
        "Fabric Manager user guide, NVSwitch SXid errors",
    ),
    # Without an Xid where the driver cannot ask the GPU any more.
    _rule(
        "gpu lost",
        rf"NVRM: (?!Xid)(?:GPU {_PCI}: |.*?)(?:GPU has )?fallen off the bus",
        "NVIDIA/open-gpu-kernel-modules, src/nvidia/arch/nvalloc/unix/src/osinit.c",
        "a GPU",
    ),
    _rule(
        "pcie limited",
        rf"{_PCI}: \S+ Gb/s available PCIe bandwidth, limited by ",
        "linux, drivers/pci/pci.c, __pcie_print_link_status",
    ),
    _rule(
        "pcie error",
        rf"{_PCI}\S*: (?:DPC: |DPC )containment event",
        "linux, drivers/pci/pcie/dpc.c, dpc_process_error",
    ),
    _rule(
        "pcie error",
        rf"{_PCI}: (?:AER|PCIe Bus Error): .*(?:[Uu]ncorrect|Fatal)",
        "linux, drivers/pci/pcie/aer.c, aer_print_error",
    ),
    # `corrected` and `info` need nothing done.
    _rule(
        "platform error",
        r"\[Hardware Error\]:\s+(?:event severity|Error \d+, type): (?:recoverable|fatal)",
        "linux, drivers/acpi/apei/ghes.c; drivers/firmware/efi/cper.c, cper_severity_strs",
        "the platform",
    ),
    # `Corrected error, no action required` is the fourth of its words. `Machine check events
    # logged` is said of corrected and other ones alike.
    _rule(
        "machine check",
        r"\[Hardware Error\]: (?:Uncorrected|Deferred|System Fatal) ?.*error",
        "linux, drivers/edac/mce_amd.c, decode_error_status",
        "mce",
    ),
    _rule(
        "machine check",
        r"\[Hardware Error\]: CPU \S+: Machine Check(?P<exception> Exception)?: \S+ Bank \S+:"
        r" (?P<status>\S*)",
        "linux, arch/x86/kernel/cpu/mce/core.c, print_mce",
        "mce",
    ),
    _rule(
        "machine check",
        r"mce: Uncorrected hardware memory error",
        "linux, arch/x86/kernel/cpu/mce/core.c, kill_me_maybe",
        "mce",
    ),
    _rule(
        "machine check",
        r"(?P<at>EDAC \w+): (?:\d+ )?UE\b",
        "linux, drivers/edac/edac_mc.c, edac_ue_error; edac_device.c",
    ),
    # A cable that is bad, too hot or not known; `Cable unplugged` has no `[error]`.
    _rule(
        "nic fault",
        rf"{_MLX5}Port module event\[error\]: ",
        "linux, drivers/net/ethernet/mellanox/mlx5/core/events.c, port_module",
        "mlx5_core",
    ),
    _rule(
        "nic fault",
        rf"{_MLX5}Detected insufficient power on the PCIe slot",
        "linux, drivers/net/ethernet/mellanox/mlx5/core/events.c, mlx5_pcie_event",
        "mlx5_core",
    ),
    _rule(
        "nic fault",
        rf"{_MLX5}High temperature on sensors",
        "linux, drivers/net/ethernet/mellanox/mlx5/core/events.c, temp_warn",
        "mlx5_core",
    ),
    # Severities are those of syslog(3): 3 and less are errors. `Fatal error 3 detected` says a
    # virtual function, too, whose host takes it away.
    _rule(
        "nic fault",
        rf"{_MLX5}(?:device's health compromised|Health issue observed, .*severity\([0-3]\))",
        "linux, drivers/net/ethernet/mellanox/mlx5/core/health.c, poll_health, print_health_info",
        "mlx5_core",
    ),
    _rule(
        "link down",
        r"(?:^|\s)(?P<at>[\w.-]+)(?:: [Ll]ost carrier|: [Ll]ink [Dd]own|:? NIC Link is Down)",
        "drivers of linux; systemd, src/network/networkd-link.c, link_carrier_lost",
    ),
    _rule(
        "tx timeout",
        r"NETDEV WATCHDOG: (?P<at>[\w.-]+) \(\S+\): transmit queue",
        "linux, net/sched/sch_generic.c, dev_watchdog",
    ),
    _rule(
        "tx timeout",
        r"(?:^|\s)(?P<at>[\w.-]+): (?:NETDEV WATCHDOG|TX timeout)",
        "linux, net/sched/sch_generic.c; mlx5/core/en_main.c, mlx5e_tx_timeout",
    ),
)
_ISO = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_SYSLOG = re.compile(r"^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) ")
_BOOT = re.compile(r"^\[ *([^\s\]]*)\]")
_END = re.compile(r"^end of log, (\S*) lines$")


@dataclass(frozen=True, slots=True)
class Event:
    """One line. `at` is a PCI address as the kernel writes it, or a port; `code` an Xid's number.

    `seconds` is the time of the line on its log's own clock, None where it has none.
    """

    kind: Kind
    at: str
    code: int | None
    seconds: float | None
    says: str


def whole_log(text: str) -> tuple[Event, ...]:
    """What lines tell of hardware, in their order. Raises Unreadable.

    The log ends with `end of log, N lines`, N its other lines. That tells a log without
    events from one that is missing. An event `overflow` comes first where there may have been more
    lines than a node sends.
    """
    lines = full_lines(text, "the kernel's log")
    end = _END.match(lines[-1]) if lines else None
    if end is None or _LINES.read(end[1]) != len(lines) - 1:
        said = " ".join(text.split())[:120] or "nothing"
        raise Unreadable(f"the kernel's log is not whole: {said}")
    told = tuple(_events(lines[:-1]))
    more = Event("overflow", "", None, None, f"only the last {MOST} lines of the log are told")
    return (more, *told) if len(lines) > MOST else told


def most_within(found: list[Event], hours: float) -> int:
    """How many events at most lie within so many hours; those without a time count as one time."""
    times = sorted(event.seconds if event.seconds is not None else 0.0 for event in found)
    width = timedelta(hours=hours).total_seconds()
    return max((sum(first <= one <= first + width for one in times) for first in times), default=0)


def _events(lines: list[str]) -> Iterator[Event]:
    for line in lines:
        for rule in RULES:
            if match := rule.words.search(line):
                event = _event(rule, match, line)
                yield from () if event is None else (event,)
                break
        else:
            if any(words in line for words in _NEVER_PASSED_OVER):
                raise Unreadable(f"the kernel's log has no address or number in: {line[:120]}")


def _event(rule: Rule, match: re.Match[str], line: str) -> Event | None:
    """What a line tells by its rule; None for a machine check that was corrected."""
    parts = match.groupdict()
    if "status" in parts and not _is_uncorrected(parts["status"], parts["exception"]):
        return None
    code = None
    if "xid" in parts:
        code = _XID.read(parts["xid"])
    elif "sxid" in parts:
        code = _SXID.read(parts["sxid"])
    says = line[match.start() :].strip()[:160]
    return Event(rule.kind, _place(parts.get("at") or rule.place), code, _seconds(line), says)


def _is_uncorrected(status: str, exception: str | None) -> bool:
    if len(status) != _DIGITS:
        raise Unreadable(f"the kernel's log has a machine check with the status {status[:20]!r}")
    bits = _STATUS.read(status)
    return exception is not None or bool(bits >> _UNCORRECTED & 1)


def _place(said: str) -> str:
    """PCI addresses with four digits of a domain and a function, as lspci has them."""
    found = re.fullmatch(r"[0-9a-fA-F]*([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(\.\d)?", said)
    return f"{found[1].lower()}{found[2] or '.0'}" if found else said


def _seconds(line: str) -> float | None:
    if found := _BOOT.match(line):
        return _UPTIME.read(found[1])
    try:
        if found := _ISO.match(line):
            return datetime.fromisoformat(f"{found[1]}+00:00").timestamp()
        if found := _SYSLOG.match(line):
            # No year is told: differences count, and a leap year has every day.
            return datetime.strptime(f"2024 {found[1]} +0000", "%Y %b %d %H:%M:%S %z").timestamp()
    except ValueError:
        raise Unreadable(f"the kernel's log has no such time: {line[:40]!r}") from None
    return None
