"""Running the pair schedule over a transport: round after round, servers always ended."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import time
from dataclasses import replace
from ipaddress import IPv4Address

import pytest

from deploy.loads import latency_run, load_run
from deploy.loads.load_tools import client, server
from inventory import open_site
from tests.validation.carried_says import linux
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.pairing.latency import LatencyProbe, latency_terms
from validation.pairing.loads import terms_of
from validation.pairing.schedule import loads

PLAN = open_site("lab")
ROUNDS = loads(PLAN, frozenset(PLAN.devices))
FLOWS = [flow for row in ROUNDS for flow in row]


def printed(source: str, target: str, gbps: float) -> str:
    """What `iperf3 -J` of Debian 12 (3.12) prints, as far as it is read."""
    size = int(gbps * 1e9 * 3 / 8)
    total = {"seconds": 3.0, "bytes": size, "bits_per_second": gbps * 1e9}
    ends = {"local_host": source, "local_port": 40000, "remote_host": target, "remote_port": 20000}
    test = {"protocol": "TCP", "num_streams": 1, "reverse": 0}
    end = {
        "streams": [{"receiver": total}],
        "sum_sent": {**total, "retransmits": 0},
        "sum_received": total,
    }
    start = {"connected": [ends], "test_start": test}
    return json.dumps({"start": start, "intervals": [{}], "end": end})


class Nodes:
    """Nodes with iperf3. NICs at `slow` addresses get a tenth; `refusing` have no iperf3."""

    def __init__(self, slow: str = "", refusing: str = "", silent: str = "") -> None:
        self.slow, self.refusing, self.silent = slow, refusing, silent
        self.did: list[tuple[str, str, str]] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device == self.silent:
            return Reply(b"", 255, "ssh: no route")
        body = script[script.index("begin-") :]
        nonce = re.findall(r"begin-([0-9a-f]+)", body)[0]
        words = shlex.split(body)
        shells = [words[at + 3] for at, word in enumerate(words) if word == "frame"]
        out = f"begin-{nonce}\n".encode() + part(0, 0, f"{device}\nmac\nboot\n{int(time.time())}\n")
        asked: list[str] = []
        for number, shell in enumerate(shells[1:], 1):
            out += part(number, *self._answer(device, shell, asked))
        return Reply(out + f"end-{nonce}\n".encode(), 0, "")

    def _answer(self, device: str, shell: str, asked: list[str]) -> tuple[int, str]:
        if "setsid" in shell:
            self.did.append((device, "serve", shell))
            return (1, "") if device == self.refusing else (0, "4711\n")
        if "/environ" in shell:
            self.did.append((device, "stop", shell))
            return 0, ""
        if "wait" in shell:
            self.did.append((device, "load", shell))
            asked += re.findall(r"iperf3 -c (\S+ -B \S+)", shell)
            return 0, ""
        if not asked:
            return 0, "no iperf3 ran"
        target, source = asked[int(re.findall(r"load-(\d+)", shell)[0])].split(" -B ")
        return 0, printed(source, target, self.gbps(source, target))

    def gbps(self, source: str, target: str) -> float:
        """The rate of a flow that runs now."""
        return 0.02 if self.slow in (source, target) else 0.198


def part(number: int, status: int, text: str) -> bytes:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{number} {status} {len(text)} {digest} 0\n{text}\n".encode()


def test_every_flow_leaves_a_frame_with_its_sender():
    store = EvidenceStore()
    done = load_run.run(PLAN, ROUNDS, Nodes(), store)
    assert (done.frames, done.rounds, done.retested, done.errors) == (12, 2, 0, {})
    assert {(one.device, one.command) for one in store} == {
        (one.sender, one.command) for one in FLOWS
    }
    assert all(one.good for one in load_run.results(store, FLOWS))


def test_each_round_serves_loads_and_stops_before_the_next():
    nodes = Nodes()
    load_run.run(PLAN, ROUNDS, nodes, EvidenceStore())
    steps = [what for _, what, _ in nodes.did]
    order = [what for at, what in enumerate(steps) if at == 0 or steps[at - 1] != what]
    assert order == ["serve", "load", "stop"] * 2
    assert steps.count("serve") == steps.count("stop") == len(FLOWS)
    tokens = {
        re.findall(r"RAILBED_LOAD=(\w+)", shell)[0]
        for _, what, shell in nodes.did
        if what != "load"
    }
    assert len(tokens) == 2


def test_a_slow_nic_is_loaded_again_with_good_ones():
    flow = FLOWS[0]
    nodes, store = Nodes(slow=str(flow.target)), EvidenceStore()
    done = load_run.run(PLAN, ROUNDS, nodes, store)
    assert (done.rounds, done.retested) == (4, 4)
    again = {one.command for one in store} - {one.command for one in FLOWS}
    assert len(again) == 4
    assert all(flow.receiver in command for command in again)


def test_a_silent_node_and_one_without_the_tool_are_told_and_the_rest_goes_on():
    store = EvidenceStore()
    done = load_run.run(PLAN, ROUNDS, Nodes(silent="node-p2-2", refusing="node-p1-2"), store)
    assert done.errors == {
        "node-p1-2": "no load server: it did not start",
        "node-p2-2": "ssh: no route",
    }
    assert {one.command for one in store} == {
        one.command for one in FLOWS if one.sender != "node-p2-2"
    }


def test_an_interrupted_run_stops_its_servers():
    class Interrupted(Nodes):
        def _answer(self, device: str, shell: str, asked: list[str]) -> tuple[int, str]:
            if "iperf3 -c" in shell:
                raise KeyboardInterrupt
            return super()._answer(device, shell, asked)

    nodes = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        load_run.run(PLAN, ROUNDS, nodes, EvidenceStore())
    served = sorted(device for device, what, _ in nodes.did if what == "serve")
    assert served == sorted(device for device, what, _ in nodes.did if what == "stop")
    assert len(served) == len(ROUNDS[0])


def test_no_rounds_need_no_trip():
    nodes = Nodes()
    assert load_run.run(PLAN, (), nodes, EvidenceStore()).frames == 0
    assert nodes.did == []


def test_data_is_marked_as_the_lossless_class():
    """DSCP 26: TOS 104 for TCP, whose ECN bits are the kernel's; 106 with ECT(0) for RDMA."""
    tcp = FLOWS[0]
    rdma = replace(
        tcp, sender_device="mlx5_0", receiver_device="mlx5_1", terms=terms_of("ib_write_bw")
    )
    assert " -S 104 " in client(tcp)[1]
    assert " --tclass=106 " in client(rdma)[1]
    assert client(rdma)[1].endswith(f" -p {tcp.port} {tcp.target}")
    assert "-d mlx5_1 " in server(rdma)[1]
    assert server(rdma)[1].endswith(f" -p {tcp.port}")


@pytest.mark.parametrize(("kind", "found"), [("RoCE v2", "3"), ("IB/RoCE v1", "")])
def test_the_gid_of_an_address_is_looked_up_on_the_node(tmp_path, kind, found):
    """A real shell on a made-up sysfs: the index of the RoCE v2 entry, or no run at all."""
    flow = replace(FLOWS[0], sender_device="mlx5_0", terms=terms_of("ib_write_bw"))
    port = tmp_path / "mlx5_0/ports/1"
    (port / "gids").mkdir(parents=True)
    (port / "gid_attrs/types").mkdir(parents=True)
    for index, (gid, type_) in enumerate(
        [
            ("fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2"),
            ("0000:0000:0000:0000:0000:0000:0000:0000", ""),
            ("0000:0000:0000:0000:0000:ffff:0a10:0001", "IB/RoCE v1"),
            ("0000:0000:0000:0000:0000:ffff:0a10:0001", kind),
        ]
    ):
        (port / f"gids/{index}").write_text(f"{gid}\n")
        (port / f"gid_attrs/types/{index}").write_text(f"{type_}\n")
    before = client(flow)[0].replace("/sys/class/infiniband", str(tmp_path))
    done = subprocess.run(
        ["sh", "-c", f'{before}echo "$gid"'], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == found
    assert (done.returncode == 0) == bool(found)


def test_a_client_without_its_device_says_so(tmp_path):
    """A real shell: the look-up ends the client, whose words and status are the evidence."""
    flow = replace(
        FLOWS[0],
        sender_device="rxe-none",
        source=IPv4Address("10.16.0.1"),
        terms=terms_of("ib_write_bw"),
    )
    env = {**os.environ, "RAILBED_TMP": str(tmp_path)}
    _, done = (
        subprocess.run(
            ["sh", "-c", ask.shell], env=env, capture_output=True, text=True, check=False
        )
        for ask in load_run.load_asks([flow])[flow.sender]
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "rxe-none has no RoCE v2 GID of 0000:0000:0000:0000:0000:ffff:0a10:0001\n"


def test_memory_of_the_gpus_beside_the_nics_and_longer_waits():
    terms = replace(terms_of("ib_write_bw"), gpu_memory=True, qp_timeout=20)
    flow = replace(FLOWS[0], sender_device="mlx5_0", receiver_device="mlx5_1", terms=terms)
    assert "--use_cuda" not in client(flow)[1]
    flow = replace(flow, gpus=(3, 5))
    assert " --use_cuda=3 -u 20 --tclass" in client(flow)[1]
    assert " --use_cuda=5 -u 20 --tclass" in server(flow)[1]
    assert client(flow)[0].endswith("export CUDA_DEVICE_ORDER=PCI_BUS_ID; ")
    assert flow.command.endswith(" gpus=3>5")


def test_latencies_run_after_each_other_and_are_served_like_loads():
    probe = replace(_latency(), sender_device="mlx5_0", receiver_device="mlx5_1")
    assert client(probe)[1].startswith('ib_write_lat -d mlx5_0 -x "$gid" -F -s 2 -n 5000 ')
    assert client(probe)[1].endswith(f" --tclass=106 -p {probe.port} {probe.target}")
    assert server(probe)[1].endswith(f" --tclass=106 -p {probe.port}")
    nodes, store = Nodes(), EvidenceStore()
    done = latency_run.run(PLAN, ((probe,), (probe,)), nodes, store)
    assert (done.rounds, done.frames) == (2, 2)
    steps = [what for _, what, _ in nodes.did]
    assert steps == ["serve", "load", "stop"] * 2


def _latency() -> LatencyProbe:
    flow = FLOWS[0]
    return LatencyProbe(
        flow.id, flow.rail, flow.leaves,
        flow.sender, flow.sender_port, "", flow.source,
        flow.receiver, flow.receiver_port, "", flow.target,
        flow.port, 1, 6.0, flow.dscp, latency_terms("ib_write_lat"),
    )  # fmt: skip


class Hashing(Nodes):
    """With switches, too: each round of pairs loads the uplinks that are next in turn."""

    def __init__(self, turns: list[set[str]]) -> None:
        super().__init__()
        self._turns, self._rounds = turns, 0

    def _answer(self, device: str, shell: str, asked: list[str]) -> tuple[int, str]:
        if "statistics" not in shell:
            return super()._answer(device, shell, asked)
        number = self._rounds // len(LEAVES)
        self._rounds += 1
        done = (number + 1) // 2
        size = int(0.19e9 / 8 * 3)
        sent = {port: sum(port in turn for turn in self._turns[:done]) for port in UPLINKS}
        ports = {port: (9 + n * size, 7 + n * size) for port, n in sent.items()}
        return 0, linux(ports, 100 + 4 * number)


LEAVES = [one.name for one in PLAN.switches if one.tier == "leaf"]
UPLINKS = ("swp5", "swp6")


@pytest.mark.parametrize(
    ("turns", "more"),
    [
        ([{"swp5", "swp6"}], 0),
        ([{"swp5"}, {"swp5"}, {"swp6"}], 2),
        ([{"swp5"}] * 11, terms_of("iperf3").top_up_rounds),
    ],
)
def test_uplinks_that_nobody_loaded_get_more_rounds_until_all_were_or_none_is_left(turns, more):
    nodes, store = Hashing(turns), EvidenceStore()
    done = load_run.run(PLAN, ROUNDS, nodes, store, frozenset(PLAN.devices))
    assert done.topped_up == more
    assert done.rounds == len(ROUNDS) + more
    names = {frame.command for frame in store if frame.device == LEAVES[0]}
    assert len(names) == 2 * (1 + more)
