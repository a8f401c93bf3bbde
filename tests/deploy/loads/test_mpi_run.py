"""MPI over SSH: nodes get no way to log in to each other, and nothing is left behind."""

from __future__ import annotations

import hashlib
import re
import shlex
import time

import pytest

from deploy.loads.mpi_run import MpiOverSsh
from deploy.loads.mpi_tools import Home, Refused, asked, daemon, first, home
from inventory import open_site
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.stages.s70_collectives.runs import steps

PLAN = open_site("lab")
RUNS = [one for step in steps(PLAN, frozenset(PLAN.devices)) for one in step]
FOUR = next(one.launch for one in RUNS if one.id == "all_reduce:4:node-p1-1")
PAIRS = [one.launch for one in RUNS if one.id.startswith("all_reduce:2:")]
# As Open MPI 4.1.4 of Debian 12 calls its agent.
LINE = (
    '10.16.0.3  orted --daemonize -mca ess "env" -mca ess_base_jobid "4081057792" '
    '-mca ess_base_vpid 1 -mca ess_base_num_procs "3" '
    '-mca orte_node_regex "node-p[1:1]-1,[2:10].16.0.3,[2:10].16.32.1@0(3)" '
    '-mca orte_hnp_uri "4081057792.0;tcp://10.16.0.1:34081" '
    '--mca plm_rsh_no_tree_spawn "1" -mca plm "rsh" -mca pmix "^s1,s2,cray,isolated"\n'
)


class Nodes:
    """Nodes with Open MPI: `mpirun` waits for its daemons. Some have none, or tell lies."""

    def __init__(self, without: str = "", says: str = LINE, silent: str = "") -> None:
        self.without, self.says, self.silent = without, says, silent
        self.did: list[tuple[str, str, str]] = []
        self.at = {"node-p1-1": "10.16.0.1", "node-p2-1": "10.16.32.1"}

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device == self.silent:
            return Reply(b"", 255, "ssh: no route to host")
        body = script[script.index("begin-") :]
        nonce = re.findall(r"begin-([0-9a-f]+)", body)[0]
        words = shlex.split(body)
        shells = [words[at + 3] for at, word in enumerate(words) if word == "frame"]
        out = part(0, 0, f"{device}\nmac\nboot\n{int(time.time())}\n")
        for number, shell in enumerate(shells[1:], 1):
            out += part(number, *self._answer(device, shell))
        return Reply(f"begin-{nonce}\n".encode() + out + f"end-{nonce}\n".encode(), 0, "")

    def _answer(self, device: str, shell: str) -> tuple[int, str, str]:
        does = next(
            name
            for name, sign in (
                ("end", "/environ"),
                ("mpirun", "mpirun --version"),
                ("daemon", "orted -mca"),
                ("asked", "/asked"),
            )
            if sign in shell
        )
        self.did.append((device, does, shell))
        if does == "asked":
            count = int(re.findall(r"-ge (\d+) ", shell)[0])
            says = self.says.replace("tcp://10.16.0.1:", f"tcp://{self.at[device]}:")
            return 0, says * count, ""
        if does == "daemon" and device == self.without:
            return 1, "", "timeout: failed to run command 'orted'"
        return 0, f"{does} of {device}\n", ""

    def doing(self, does: str) -> list[str]:
        return sorted(device for device, what, _ in self.did if what == does)


def part(number: int, status: int, text: str, errors: str = "") -> bytes:
    data, why = text.encode(), errors.encode()
    digest = hashlib.sha256(data).hexdigest()
    return f"{number} {status} {len(data)} {digest} {len(why)}\n".encode() + data + why + b"\n"


def test_every_group_of_a_step_runs_at_once_and_everything_is_ended():
    nodes, store = Nodes(), EvidenceStore()
    launches = [one for one in PAIRS if one.nodes[0] in nodes.at]
    runner = MpiOverSsh(PLAN, nodes)
    assert runner.run(launches, store) == {}
    assert nodes.doing("mpirun") == ["node-p1-1", "node-p2-1"]
    assert nodes.doing("daemon") == ["node-p1-2", "node-p2-2"]
    assert nodes.doing("end") == sorted(PLAN.node)
    assert {one.command for one in store} == {one.command for one in launches}
    marked = [shell for _, does, shell in nodes.did if does in ("mpirun", "daemon")]
    assert all(f"RAILBED_LOAD={runner.token}" in shell for shell in marked)


def test_a_node_without_a_daemon_is_named_and_mpirun_does_not_wait_for_it():
    nodes, store = Nodes(without="node-p2-2"), EvidenceStore()
    found = MpiOverSsh(PLAN, nodes).run([FOUR], store)
    assert found == {"node-p2-2": "no MPI daemon: timeout: failed to run command 'orted'"}
    assert nodes.doing("end").count("node-p1-1") == 2
    assert sorted(set(nodes.doing("end"))) == sorted(PLAN.node)


def test_a_node_that_does_not_answer_is_named():
    nodes, store = Nodes(silent="node-p1-2"), EvidenceStore()
    found = MpiOverSsh(PLAN, nodes).run([FOUR], store)
    assert found == {"node-p1-2": "ssh: no route to host"}


LIES = {
    "another address": ("tcp://10.16.0.1:", "tcp://192.0.2.1:"),
    "two addresses": ("tcp://10.16.0.1:", "tcp://10.16.0.1,192.0.2.1:"),
    "another job": ("4081057792.0;", "1.0;"),
    "a command in the job": ('jobid "4081057792"', 'jobid "$(reboot)"'),
    "a command in the nodes": ("node-p[1:1]-1", "`reboot`"),
    "a quote in the nodes": ("node-p[1:1]-1", "x' ; reboot '"),
    "no daemon at all": ("orte_hnp_uri", "other"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_node_that_lies_makes_nobody_run_anything(lie):
    nodes = Nodes(says=LINE.replace(*LIES[lie]))
    assert nodes.says != LINE
    found = MpiOverSsh(PLAN, nodes).run([FOUR], EvidenceStore())
    assert nodes.doing("daemon") == []
    assert list(found) == ["node-p1-1"]
    assert "no launch" in found["node-p1-1"]


def test_what_mpirun_asks_for_is_read_as_data():
    found = home(LINE * 3, FOUR)
    assert (found.job, str(found.address), found.port) == ("4081057792", "10.16.0.1", 34081)
    with pytest.raises(Refused, match="2 daemons"):
        home(LINE * 2, FOUR)
    with pytest.raises(Refused, match="different runs"):
        home(LINE * 2 + LINE.replace("34081", "34082"), FOUR)
    with pytest.raises(Refused, match="999"):
        home(LINE.replace("10.16.0.1:", "999.16.0.1:") * 3, FOUR)


def test_the_texts_name_the_planned_networks_and_no_agent_that_logs_in():
    wanted = Home("1", "a,b@0(2)", FOUR.meet_at[0], 5000)
    text = first(FOUR, "token") + daemon(FOUR, wanted, 3, "token") + asked(FOUR, "token")
    assert "--mca oob_tcp_if_include 10.16.0.0/17" in text
    assert "--mca btl_tcp_if_include 10.16.0.0/16" in text
    assert "-mca plm_rsh_agent /bin/false" in text
    assert "ess_base_vpid 3" in text
    assert not re.search(r"(?<![\w-])ssh(?![\w-])", text)
    assert "--host 10.16.0.1:1,10.16.0.3:1,10.16.32.1:1,10.16.32.3:1" in text
