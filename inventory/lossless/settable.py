"""What each switch OS lets one set of the lossless class, and what it finds by itself.

`set` is in our configuration; `left to the system` is found by the switch OS, so no reading of
a configuration can judge it: `shown_by` names the command that shows the running value, and
where there is none only a measured incast can tell; `not possible` is neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["set", "left to the system", "not possible"]

DIALECTS = ("cumulus", "eos", "linux_frr", "nxos", "sonic")
RULES = (
    "DSCP to class",
    "PFC priority",
    "cable length",
    "headroom",
    "buffer pools",
    "over-subscribed headroom",
    "alpha",
    "ECN thresholds",
    "watchdog detection",
    "watchdog restoration",
    "class weights",
    "CNP rate cap",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a dialect treats a rule. `shown_by` is "" where no command is known."""

    how: How
    source: str
    shown_by: str = ""


@dataclass(frozen=True, slots=True)
class WatchdogRange:
    """What a dialect takes, in ms; `polls` is how detection hangs on the polling interval.

    "both whole" is where restoration too is a whole number of intervals.
    """

    detect_ms: tuple[int, int] | None
    restore_ms: tuple[int, int] | None
    poll_ms: tuple[int, int] | None
    polls: Literal["at least one", "at least two", "whole", "both whole"]
    source: str


_SONIC = "sonic-buildimage src/sonic-yang-models"
# On Broadcom we set both, and how a dialect treats a rule is one answer for all its switches: the
# more careful one.
_SONIC_DYNAMIC = "sonic-swss cfgmgr/buffermgrdyn.cpp; set on Broadcom: sonic-buffer-profile.yang"
_CUMULUS = "NVIDIA Cumulus Linux 5.14, Quality of Service"
_EOS = "Arista AVD, eos_cli_config_gen: qos-profiles, priority-flow-control"
_EOS_NONE = "Arista AVD, eos_cli_config_gen has no command for it"
_NXOS = "Cisco Nexus 9000 NX-OS QoS configuration guide 10.5(x)"
# Linux forwarding in software. dcb-pfc(8) and dcb-buffer(8) need a driver with dcbnl, which only
# some hardware has (Linux, include/net/dcbnl.h); nobody here could try one.
_LINUX = "Linux in software: no PFC and no headroom; dcb-pfc(8) needs a driver with dcbnl"
_LINUX_DSCP = "tc-flower(8) ip_tos, action skbedit priority; tc-ets(8) priomap"

SETTABLE: dict[str, dict[str, Setting]] = {
    "DSCP to class": {
        "sonic": Setting("set", f"{_SONIC}: DSCP_TO_TC_MAP"),
        "cumulus": Setting("set", f"{_CUMULUS}: mapping"),
        "eos": Setting("set", _EOS),
        "nxos": Setting("set", f"{_NXOS}: class-map type qos"),
        "linux_frr": Setting("set", _LINUX_DSCP),
    },
    "PFC priority": {
        "sonic": Setting("set", f"{_SONIC}: PORT_QOS_MAP pfc_enable"),
        "cumulus": Setting("set", f"{_CUMULUS}: pfc"),
        "eos": Setting("set", _EOS),
        "nxos": Setting("set", f"{_NXOS}: pause pfc-cos"),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "cable length": {
        "sonic": Setting("set", f"{_SONIC}: CABLE_LENGTH"),
        "cumulus": Setting("set", f"{_CUMULUS}: pfc cable-length"),
        "eos": Setting("left to the system", _EOS_NONE),
        "nxos": Setting("left to the system", f"{_NXOS}: own sizes only beyond 100 m"),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "headroom": {
        "sonic": Setting("left to the system", _SONIC_DYNAMIC, "show buffer information"),
        "cumulus": Setting(
            "left to the system",
            f"{_CUMULUS}: best left to it",
            "nv show interface PORT qos buffer",
        ),
        "eos": Setting("left to the system", _EOS_NONE),
        "nxos": Setting("left to the system", f"{_NXOS}: own sizes only beyond 100 m"),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "buffer pools": {
        "sonic": Setting("left to the system", _SONIC_DYNAMIC, "show buffer information"),
        "cumulus": Setting("set", f"{_CUMULUS}: traffic pools, half of the buffer for each"),
        "eos": Setting("left to the system", _EOS_NONE),
        "nxos": Setting("left to the system", _NXOS),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "over-subscribed headroom": {
        "sonic": Setting("set", f"{_SONIC}: DEFAULT_LOSSLESS_BUFFER_PARAMETER"),
        "cumulus": Setting("left to the system", _CUMULUS),
        "eos": Setting("left to the system", _EOS_NONE),
        "nxos": Setting("left to the system", _NXOS),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "alpha": {
        "sonic": Setting("set", f"{_SONIC}: default_dynamic_th"),
        "cumulus": Setting("left to the system", f"{_CUMULUS}: 1 for lossless traffic by default"),
        "eos": Setting("left to the system", _EOS_NONE),
        "nxos": Setting("left to the system", _NXOS),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "ECN thresholds": {
        "sonic": Setting("set", f"{_SONIC}: WRED_PROFILE"),
        "cumulus": Setting("set", f"{_CUMULUS}: congestion-control"),
        "eos": Setting("set", f"{_EOS}: random-detect ecn"),
        "nxos": Setting("set", f"{_NXOS}: random-detect ... ecn"),
        "linux_frr": Setting("set", "tc-red(8): min, max, ecn nodrop"),
    },
    "watchdog detection": {
        "sonic": Setting("set", f"{_SONIC}: PFC_WD"),
        "cumulus": Setting("set", f"{_CUMULUS}: pfc-watchdog"),
        "eos": Setting("set", f"{_EOS}: pause watchdog"),
        "nxos": Setting("set", f"{_NXOS}: watch-dog shutdown-multiplier"),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "watchdog restoration": {
        "sonic": Setting("set", f"{_SONIC}: PFC_WD"),
        "cumulus": Setting(
            "left to the system",
            f"{_CUMULUS}: after one interval without pause",
            "nv show interface PORT qos pfc-watchdog",
        ),
        "eos": Setting("set", f"{_EOS}: pause watchdog"),
        "nxos": Setting("set", f"{_NXOS}: auto-restore multiplier"),
        "linux_frr": Setting("not possible", _LINUX),
    },
    "class weights": {
        "sonic": Setting("set", f"{_SONIC}: SCHEDULER weight"),
        "cumulus": Setting("set", f"{_CUMULUS}: egress-scheduler"),
        "eos": Setting("set", f"{_EOS}: bandwidth percent"),
        "nxos": Setting("set", f"{_NXOS}: bandwidth remaining percent"),
        "linux_frr": Setting("set", "tc-ets(8): quanta"),
    },
    "CNP rate cap": {
        "sonic": Setting("set", f"{_SONIC}: SCHEDULER pir"),
        "cumulus": Setting("set", f"{_CUMULUS}: egress-shaper"),
        "eos": Setting("set", f"{_EOS}: shape"),
        "nxos": Setting("set", f"{_NXOS}: shape of a queuing class"),
        "linux_frr": Setting("set", "tc-tbf(8): rate below a strict band of tc-ets(8)"),
    },
}

WATCHDOG_RANGES: dict[str, WatchdogRange] = {
    "sonic": WatchdogRange(
        (100, 5000), (100, 60000), (100, 1000), "at least one", f"{_SONIC}/sonic-pfcwd.yang"
    ),
    "eos": WatchdogRange(
        (10, 60000), (10, 60000), (5, 30000), "at least two", "Arista EOS 4.36, pause watchdog"
    ),
    "cumulus": WatchdogRange(
        None,
        None,
        (100, 5000),
        "whole",
        "NVIDIA Cumulus Linux 5.6, What's New; 5.14, Quality of Service",
    ),
    # An interval of 100 to 1000 ms, times 1 to 10 until a queue is shut, times 1 to 100 until it
    # is opened again.
    "nxos": WatchdogRange(
        (100, 10000), (100, 100000), (100, 1000), "both whole", f"{_NXOS}: priority flow control"
    ),
}


def how(rule: str, dialect: str) -> Setting | None:
    """Return how a dialect treats one of RULES; None for a dialect that nobody looked up."""
    return SETTABLE[rule].get(dialect)
