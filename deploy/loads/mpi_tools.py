"""The texts of MPI over SSH: what the first node runs, what it may ask for, what others run.

No node gets a way to log in to another: `mpirun` starts its daemons through an agent that only
notes what it was asked. The controller reads that, takes three values out of it, each checked,
and starts the daemons itself, by its own SSH. A node that lies can make another node's daemon
fail; it cannot make it run anything. (Open MPI 4.1: orterun(1), plm_rsh_agent; orted.)
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from ipaddress import IPv4Address

from inventory.problems import ExpectedError
from validation.stages.s70_collectives.launch import Launch

# How long the first node may take to ask, and a daemon to be seen alive.
ASK_S = 20
_ALIVE_S = 0.3
_ROOM_S = 5
# Where vendors install Open MPI beside the system's own, and the role nccl builds nccl-tests:
# the node itself says where that is.
_PATH = (
    "tests=$(sed -n 's/^folder //p' /etc/default/railbed-nccl 2>/dev/null); "
    "for one in /usr/mpi/gcc/openmpi-*/bin "
    '"${tests:-/opt/nccl-tests}/build" /usr/local/mpi/bin; do '
    '[ ! -d "$one" ] || PATH=$one:$PATH; done; export PATH'
)
_FIRST = """\
{path}
dir={dir}
mkdir -m 700 "$dir" || exit 96
trap 'rm -rf "$dir"' EXIT
trap 'exit 98' HUP INT TERM
cat >"$dir/agent" <<'AGENT'
#!/bin/sh
printf '%s\\n' "$*" >>"${{0%/*}}/asked"
AGENT
chmod 700 "$dir/agent"
cd /
mpirun --version 2>&1 | head -n 1
timeout -k 3 {limit} {mpirun}
"""
_ASKED = """\
tries=0
while [ "$tries" -lt {tries} ]; do
  if [ "$(cat {dir}/asked 2>/dev/null | wc -l)" -ge {count} ]; then
    cat {dir}/asked
    exit 0
  fi
  sleep 0.1
  tries=$((tries + 1))
done
echo 'mpirun did not ask for its daemons' >&2
exit 1
"""
_DAEMON = """\
{path}
mkdir -m 700 {dir} || exit 96
setsid timeout -k 3 {limit} {orted} </dev/null >"$RAILBED_TMP/orted" 2>&1 &
pid=$!
sleep {alive}
kill -0 "$pid" 2>/dev/null && echo "$pid" && exit 0
cat "$RAILBED_TMP/orted" >&2
exit 1
"""
_JOB = re.compile(r' -mca ess_base_jobid "(\d{1,10})" ')
_MAP = re.compile(r' -mca orte_node_regex "([A-Za-z0-9.,:@()\[\]-]{1,65536})" ')
_HOME = re.compile(r' -mca orte_hnp_uri "(\d{1,10})\.0;tcp://([0-9.]{7,15}):(\d{1,5})" ')


class Refused(ExpectedError, ValueError):
    """What a node asked for is not what its mpirun asks for; it is not done."""


@dataclass(frozen=True, slots=True)
class Home:
    """What a daemon must know of its run: its job, its nodes, and where its mpirun listens."""

    job: str
    nodes: str
    address: IPv4Address
    port: int


def folder(token: str) -> str:
    """Where a launch keeps its files on every node, Open MPI's own among them."""
    return f"/run/railbed-launch-{token}"


def first(launch: Launch, token: str) -> str:
    """POSIX sh for the first node; its standard output and status are the evidence."""
    limit = f"{launch.limit_s:g}"
    here = folder(token)
    return _FIRST.format(path=_PATH, dir=here, limit=limit, mpirun=_mpirun(launch, here))


def asked(launch: Launch, token: str) -> str:
    """POSIX sh that prints what the agent has noted, once that is all."""
    return _ASKED.format(dir=folder(token), tries=ASK_S * 10, count=len(launch.nodes) - 1)


def daemon(launch: Launch, home: Home, number: int, token: str) -> str:
    """POSIX sh that starts the daemon of node `number` (from 1), and prints its pid."""
    here, limit = folder(token), f"{launch.limit_s + _ROOM_S:g}"
    words = [
        *("orted", "-mca", "ess", "env", "-mca", "ess_base_jobid", home.job),
        *("-mca", "ess_base_vpid", str(number)),
        *("-mca", "ess_base_num_procs", str(len(launch.nodes))),
        *("-mca", "orte_node_regex", home.nodes),
        *("-mca", "orte_hnp_uri", f"{home.job}.0;tcp://{home.address}:{home.port}"),
        *("-mca", "plm", "rsh", "-mca", "plm_rsh_agent", "/bin/false"),
        *("-mca", "plm_rsh_no_tree_spawn", "1", "-mca", "pmix", "^s1,s2,cray,isolated"),
        *("-mca", "oob_tcp_if_include", str(launch.meet_over)),
        *("-mca", "orte_tmpdir_base", here),
    ]
    orted = shlex.join(words)
    return _DAEMON.format(path=_PATH, dir=here, limit=limit, orted=orted, alive=_ALIVE_S)


def home(text: str, launch: Launch) -> Home:
    """What the daemons must be told, from what the first node noted. Raises Refused.

    A daemon is sent to no other place than the first node's own address in the plan.
    """
    lines = text.splitlines()
    if len(lines) != len(launch.nodes) - 1:
        raise Refused(f"mpirun asked for {len(lines)} daemons, not {len(launch.nodes) - 1}")
    found = {_home(line) for line in lines}
    if len(found) != 1:
        raise Refused("mpirun asked its daemons for different runs")
    only = found.pop()
    if only.address != launch.meet_at[0]:
        raise Refused(f"mpirun listens at {only.address}, not at {launch.meet_at[0]}")
    return only


def _home(line: str) -> Home:
    job, nodes, where = _JOB.search(line), _MAP.search(line), _HOME.search(line)
    if not (job and nodes and where) or where[1] != job[1]:
        raise Refused(f"mpirun asked for what is no daemon of its run: {line[:120]}")
    try:
        return Home(job[1], nodes[1], IPv4Address(where[2]), int(where[3]))
    except ValueError as error:
        raise Refused(str(error)) from None


def _mpirun(launch: Launch, here: str) -> str:
    """The command line. Nothing is bound to cores: where ranks go is not what is measured."""
    each = launch.ranks_per_node
    words = [
        *("mpirun", "--allow-run-as-root", "--tag-output", "--bind-to", "none"),
        *("--mca", "plm", "rsh", "--mca", "plm_rsh_agent", f"{here}/agent"),
        *("--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "orte_tmpdir_base", here),
        *("--mca", "oob_tcp_if_include", str(launch.meet_over)),
        *("--mca", "btl_tcp_if_include", str(launch.data_over)),
        *(word for name, value in launch.settings for word in ("--mca", name, value)),
        *(word for name, value in launch.env for word in ("-x", f"{name}={value}")),
        *("--host", ",".join(f"{one}:{each}" for one in launch.meet_at)),
        *("--map-by", f"ppr:{each}:node", "-np", str(launch.ranks), *launch.argv),
    ]
    return shlex.join(words)
