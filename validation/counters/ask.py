"""The shell text that prints the port counters of a switch, by dialect. Pure.

Two texts a dialect: `carried`, the bytes of some ports and the device's clock, of which a fabric of
ten thousand uplinks is asked twice a round; and `port_counters`, all that the dialect tells of
classes besides. What makes their counters fresh is part of both (`carried.py`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from ..parse.sections import shell
from .nxos import READS

Asked = Mapping[str, str]  # a section's name -> the shell that prints it
_LINUX = {"links": "ip -s -j link show", "queues": "tc -s -j qdisc show"}
_CLOCK = {"clock": "cat /proc/uptime"}
# sysfs-class-net-statistics (the kernel's ABI documents), one line a port.
_SYSFS = (
    "for one in {}; do s=/sys/class/net/$one/statistics; "
    'rx=$(cat "$s/rx_bytes") && tx=$(cat "$s/tx_bytes") || exit 1; echo "$one $rx $tx"; done'
)
# Twice the time between two refreshes: one that had begun before the wait is over then, and
# another one is done.
_SETTLE = (
    'ms=$({}) || exit 1; case $ms in "" | *[!0-9]*) echo "$ms"; exit 1;; esac; '
    'read -r from rest </proc/uptime; sleep "$(( (2 * ms + 999) / 1000 ))"; '
    'read -r to rest </proc/uptime; echo "$ms $from $to"'
)
# Cumulus Linux docs, switchd: the time between two readings of the ASIC, in milliseconds; the
# file has the default as a comment.
_SWITCHD = (
    "v=$(sed -n 's/^ *stats[.]poll_interval *= *//p' /etc/cumulus/switchd.conf) || exit 1; "
    'echo "${v:-2000}"'
)
# The longest time between two refreshes of these groups. sonic-swss, orchagent/portsorch.cpp: ports
# every 1000 ms, queues and drops of priority groups every 10000, unless CONFIG_DB says otherwise,
# and not at all where nobody enabled it. sonic-db-cli takes EVAL as sonic-buildimage's
# files/scripts/swss.sh gives it.
_POLLED = (
    "local most = 0 for at = 1, #ARGV, 2 do "
    "local key = 'FLEX_COUNTER_TABLE|' .. ARGV[at] "
    "if redis.call('HGET', key, 'FLEX_COUNTER_STATUS') ~= 'enable' then "
    "return ARGV[at] .. ' is not polled' end "
    "local every = tonumber(redis.call('HGET', key, 'POLL_INTERVAL') or ARGV[at + 1]) "
    "most = math.max(most, every) end "
    "return tostring(most)"
)
_PORTS = ("PORT", "1000")
_CLASSES = (*_PORTS, "QUEUE", "10000", "PG_DROP", "10000")
_OCTETS = (
    "local told = {} for _, port in ipairs(ARGV) do "
    "local oid = redis.call('HGET', 'COUNTERS_PORT_NAME_MAP', port) "
    "if oid then local both = redis.call('HMGET', 'COUNTERS:' .. oid, "
    "'SAI_PORT_STAT_IF_IN_OCTETS', 'SAI_PORT_STAT_IF_OUT_OCTETS') "
    "if both[1] and both[2] then "
    "told[#told + 1] = port .. ' ' .. both[1] .. ' ' .. both[2] end end end "
    "return table.concat(told, '\\n')"
)
_FASTCLI = "FastCli -p 15 -c {}"
_EOS_SHOW = "show interfaces %s | json\\n"
_EOS_WAIT_S = 5
_NOW = "date +%s.%N"
_EOS = {
    "queues": "show interfaces counters queue detail | json",
    "marked": "show qos interfaces ecn counters queue | json",
    "watchdog": "show priority-flow-control counters watchdog | json",
}
_NXOS = "vsh -c 'show interface counters | json'"
_NXOS_GAP_S = 3


def _sysfs(ports: Sequence[str]) -> Asked:
    return {"bytes": _SYSFS.format(shlex.join(ports)), **_CLOCK}


def _linux(_ports: Sequence[str]) -> Asked:
    return _LINUX


def _cumulus_bytes(ports: Sequence[str]) -> Asked:
    return {"refresh": _SETTLE.format(_SWITCHD), **_sysfs(ports)}


def _cumulus(ports: Sequence[str]) -> Asked:
    """Ports of Cumulus are ports of Linux; what its ASIC counts besides, NVUE tells one by one."""
    asked: dict[str, str] = {}
    for port in ports:
        show = f"nv show interface {shlex.quote(port)}"
        asked[f"pause:{port}"] = f"ethtool -S {shlex.quote(port)}"
        asked[f"qos:{port}"] = f"{show} counters qos --output json"
        asked[f"watchdog:{port}"] = f"{show} qos pfc-watchdog status --output json"
    return {"links": _LINUX["links"], **asked}


def _sonic_refresh(groups: Sequence[str]) -> Asked:
    told = f"sonic-db-cli CONFIG_DB EVAL {shlex.quote(_POLLED)} 0 {shlex.join(groups)}"
    return {"refresh": _SETTLE.format(told)}


def _sonic_bytes(ports: Sequence[str]) -> Asked:
    octets = f"sonic-db-cli COUNTERS_DB EVAL {shlex.quote(_OCTETS)} 0 {shlex.join(ports)}"
    return {**_sonic_refresh(_PORTS), "bytes": octets, **_CLOCK}


def _sonic(_ports: Sequence[str]) -> Asked:
    return {"counters": "sonic-db-dump -n COUNTERS_DB -y"}


def _eos_bytes(ports: Sequence[str]) -> Asked:
    """One session of the CLI for all ports; the wait is for counters that say when they were read.

    EOS does not publish how often it reads them: what is older than the reading is refused.
    """
    shows = f'FastCli -p 15 -c "$(printf {shlex.quote(_EOS_SHOW)} {shlex.join(ports)})"'
    since = f"{_NOW} && sleep {_EOS_WAIT_S}"
    return {"since": since, "bytes": shows, "until": _NOW, **_CLOCK}


def _eos(ports: Sequence[str]) -> Asked:
    more = {name: _FASTCLI.format(shlex.quote(one)) for name, one in _EOS.items()}
    return {**_eos_bytes(ports), **more}


def _nxos_bytes(_ports: Sequence[str]) -> Asked:
    first, *others = READS
    again = f"sleep {_NXOS_GAP_S} && {_NXOS}"
    return {first: _NXOS, **dict.fromkeys(others, again), **_CLOCK}


def _nxos(_ports: Sequence[str]) -> Asked:
    return {READS[0]: _NXOS}


_Asks = Mapping[str, Callable[[Sequence[str]], Asked]]
_BYTES: _Asks = {
    "cumulus": _cumulus_bytes,
    "eos": _eos_bytes,
    "linux_frr": _sysfs,
    "nxos": _nxos_bytes,
    "sonic": _sonic_bytes,
}
_ALL: _Asks = {
    "cumulus": _cumulus,
    "eos": _eos,
    "linux_frr": _linux,
    "nxos": _nxos,
    "sonic": _sonic,
}


_REFRESHES: Mapping[str, Asked] = {
    "cumulus": {"refresh": _SETTLE.format(_SWITCHD)},
    "sonic": _sonic_refresh(_CLASSES),
}


def carried(dialect: str, ports: Sequence[str]) -> str | None:
    """POSIX sh that prints the bytes of at least `ports`; None where no form is known."""
    asked = _BYTES.get(dialect)
    return shell(asked(sorted(ports))) if asked else None


def port_counters(dialect: str, ports: Sequence[str], last: bool = False) -> str | None:
    """POSIX sh that prints the counters of at least `ports`; None where no form is known.

    `last`: what has just happened must be in them, so those that are polled are waited for.
    """
    asked = _ALL.get(dialect)
    if asked is None:
        return None
    waits = _REFRESHES.get(dialect, {}) if last else {}
    return shell({**waits, **asked(sorted(ports))})
