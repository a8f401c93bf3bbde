"""What SONiC is asked of its ports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.linux import ask as linux

MODULES = "sonic-db-dump -n STATE_DB -k 'TRANSCEIVER_*' -y"
RATES = "sonic-db-dump -n COUNTERS_DB -k 'RATES:*' -y"
NAMES = "sonic-db-dump -n COUNTERS_DB -k COUNTERS_PORT_NAME_MAP -y"
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
PORTS = ("PORT", "1000")
CLASSES = (*PORTS, "QUEUE", "10000", "PG_DROP", "10000")
_OCTETS = (
    "local told = {} for _, port in ipairs(ARGV) do "
    "local oid = redis.call('HGET', 'COUNTERS_PORT_NAME_MAP', port) "
    "if oid then local both = redis.call('HMGET', 'COUNTERS:' .. oid, "
    "'SAI_PORT_STAT_IF_IN_OCTETS', 'SAI_PORT_STAT_IF_OUT_OCTETS') "
    "if both[1] and both[2] then "
    "told[#told + 1] = port .. ' ' .. both[1] .. ' ' .. both[2] end end end "
    "return table.concat(told, '\\n')"
)


def refresh(groups: Sequence[str]) -> Asked:
    """Waits until these groups of counters were polled; each word is followed by its default."""
    told = f"sonic-db-cli CONFIG_DB EVAL {shlex.quote(_POLLED)} 0 {shlex.join(groups)}"
    return linux.settle(told)


def carried(ports: Sequence[str]) -> Asked:
    """The bytes of these ports, once they were polled, and the device's clock."""
    octets = f"sonic-db-cli COUNTERS_DB EVAL {shlex.quote(_OCTETS)} 0 {shlex.join(ports)}"
    return {**refresh(PORTS), "bytes": octets, **linux.CLOCK}


def ports(_ports: Sequence[str]) -> Asked:
    """All counters."""
    return {"counters": "sonic-db-dump -n COUNTERS_DB -y"}
