"""A golden node's outputs become its profile: right pairs, wrong wiring named, gaps said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from inventory.golden.evidence import COMMANDS, IBV, LINKS, LSPCI, NUMA, TOPO, Unreadable
from inventory.golden.ibv import parse_ibv
from inventory.golden.links import parse_links, parse_numa
from inventory.golden.lspci import parse_lspci
from inventory.golden.node import Golden, golden_node, to_yaml
from inventory.golden.topo import parse_topo
from inventory.load.site import PROFILES
from inventory.load.yaml_positions import parse
from inventory.schema import NodeProfile
from tests.inventory.test_profiles import node_problems
from tests.plugins.tiers import examples

EVIDENCE = Path(__file__).parents[2] / "evidence" / "golden"
NODES = sorted(path.name for path in EVIDENCE.iterdir() if path.is_dir())


def texts(node: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in (EVIDENCE / node).iterdir()}


def read(node: str, **changed: str) -> Golden:
    return golden_node(texts(node) | changed, "a-node", "a test", "eno3")


def profile(golden: Golden) -> NodeProfile:
    """The YAML as the inventory itself reads it."""
    marked = parse(to_yaml(golden), "nodes.yml")
    assert not marked.problems
    assert isinstance(marked.value, dict)
    return NodeProfile.model_validate(marked.value[golden.name])


def pairs(golden: Golden) -> list[tuple[int, str]]:
    return [(rail.gpu, rail.nic.device) for rail in golden.rails]


def test_eight_gpus_are_those_of_the_shipped_profile():
    """The evidence has the addresses that NVIDIA publishes for DGX H100."""
    golden = read("eight_gpus")
    shipped = YAML(typ="safe").load(PROFILES / "nodes.yml")["hgx-h100"]
    made = profile(golden)
    assert not golden.unknown + golden.wrong
    assert made.rails == NodeProfile.model_validate(shipped).rails
    assert made.gpus == NodeProfile.model_validate(shipped).gpus
    assert not node_problems("a-node", made)


def test_nics_of_other_planes_are_told_apart():
    assert [nic.port for nic in read("eight_gpus").others] == [
        "enp41s0f0np0", "enp41s0f1np1", "enp170s0f0np0", "enp170s0f1np1",
    ]  # fmt: skip


def test_gpus_of_one_switch_are_paired_in_the_order_of_addresses():
    golden = read("shared_switches")
    assert pairs(golden) == [(0, "mlx5_0"), (1, "mlx5_1"), (2, "mlx5_2"), (3, "mlx5_3")]
    assert [gpu.numa for gpu in golden.gpus] == [3, 3, 1, 1]


def test_a_port_that_is_down_has_no_rate():
    golden = read("shared_switches")
    assert [line for line in golden.unknown if "rate" in line] == [
        "the rate of mlx5_3: `ibv_devinfo -v` of an active port says it"
    ]
    assert "rate_gbps: 200, rdma_device: mlx5_2" in to_yaml(golden)
    assert "rdma_device: mlx5_3" in to_yaml(golden)


def test_two_ports_of_one_card_are_its_two_planes():
    made = profile(read("two_planes"))
    assert [(nic.rail, nic.nic_plane, nic.gpu) for nic in made.rails] == [
        (0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1),
    ]  # fmt: skip
    assert not node_problems("a-node", made)


def test_two_cards_equally_near_are_not_chosen_from():
    golden = read("two_cards")
    assert not golden.rails
    assert len(golden.unknown) == 2


def test_a_gpu_whose_nics_are_across_the_sockets_is_named():
    golden = read("across_sockets")
    assert golden.wrong == (
        "GPU 1 has no NIC near it: mlx5_0, mlx5_1 at SYS are on another NUMA node",
    )
    assert pairs(golden) == [(0, "mlx5_0")]


def test_a_nic_that_is_near_by_pcie_and_far_by_numa_is_named():
    golden = read("wrong_numa")
    found = "mlx5_1 (0000:9a:00.0) on NUMA node 0 serves GPU 1 (0000:9d:00.0) on NUMA node 1"
    assert golden.wrong == (found,)
    assert any(
        "on NUMA node 0 and its GPU" in one[0] for one in node_problems("x", profile(golden))
    )


@pytest.mark.parametrize("gone", [LSPCI, TOPO, IBV, LINKS])
@pytest.mark.parametrize("node", NODES)
def test_missing_evidence_is_said_and_never_guessed(node: str, gone: str):
    whole = read(node)
    left = golden_node({k: v for k, v in texts(node).items() if k != gone}, "x", "a test", "eno3")
    assert f"what `{COMMANDS[gone]}` says: there is no {gone}" in left.unknown
    assert set(pairs(left)) <= set(pairs(whole))
    known = {rail.nic.device: rail.nic for rail in whole.rails}
    for rail in left.rails:
        for field in ("port", "pci", "numa", "rate_gbps"):
            assert getattr(rail.nic, field) in (None, getattr(known[rail.nic.device], field))


@pytest.mark.parametrize("file", [LSPCI, TOPO, IBV, LINKS])
@pytest.mark.parametrize("text", ["", "bash: command not found\n", "{}", "[1, 2]\n", "GPU0 CPU\n"])
def test_what_cannot_be_read_counts_as_missing(file: str, text: str):
    golden = read("eight_gpus", **{file: text})
    assert golden.unknown or file == LINKS
    to_yaml(golden)


def test_counts_that_differ_are_wrong():
    lines = texts("eight_gpus")[LSPCI].split("\n\n")
    fewer = "\n\n".join(part for part in lines if not part.startswith("0000:43:00.0"))
    golden = read("eight_gpus", **{LSPCI: fewer})
    assert golden.wrong[0].startswith("lspci shows 7 GPUs and nvidia-smi 8")
    assert not any(gpu.pci for gpu in golden.gpus)


def test_without_parentdev_the_address_is_open():
    found = json.loads(texts("eight_gpus")[LINKS])
    bare = [{key: one[key] for key in one if not key.startswith("parent")} for one in found]
    golden = read("eight_gpus", **{LINKS: json.dumps(bare)})
    assert golden.rails[0].nic.port == "enp24s0np0"
    assert golden.rails[0].nic.pci is None
    assert "parentdev" in golden.unknown[0]


def test_rack_scale_nodes_are_refused():
    text = texts("eight_gpus")[LSPCI].replace("GH100 [H100 SXM5 80GB]", "GB200 [HGX GB200]")
    assert "GB200 and GB300 NVL72 are not supported" in read("eight_gpus", **{LSPCI: text}).wrong[0]


@pytest.mark.parametrize("node", NODES)
def test_numa_nodes_may_stand_in_a_file_of_their_own(node: str):
    """`lspci` and `nvidia-smi` that name none, and sysfs that does: the same profile."""
    whole = read(node)
    told = {one.pci: one.numa for one in whole.gpus}
    told |= {rail.nic.pci: rail.nic.numa for rail in whole.rails}
    assert None not in {*told, *told.values()}
    bare = {
        LSPCI: re.sub(r",?\sNUMA node:? \d+", "", texts(node)[LSPCI]),
        TOPO: re.sub(r"\t\d+(?=\s*$|\t+N/A)", "\tN/A", texts(node)[TOPO], flags=re.MULTILINE),
    }
    without = {key: text for key, text in texts(node).items() if key != NUMA} | bare
    assert not any(one.numa for one in golden_node(without, "x", "a test", "eno3").gpus)
    listed = "".join(f"{pci} {numa}\n" for pci, numa in sorted(told.items()))
    golden = read(node, **bare, **{NUMA: f"0000:00:00.0 -1\n{listed}"})
    assert (golden.gpus, golden.rails) == (whole.gpus, whole.rails)
    assert golden.unknown == whole.unknown


@pytest.mark.parametrize("node", NODES)
def test_all_files_of_a_node_are_read(node: str):
    assert not [one for one in read(node).unknown if one.startswith("what `")]


@pytest.mark.parametrize("node", NODES)
def test_same_evidence_same_bytes(node: str):
    shuffled = dict(reversed(texts(node).items()))
    assert to_yaml(read(node)) == to_yaml(golden_node(shuffled, "a-node", "a test", "eno3"))


@pytest.mark.parametrize("reader", [parse_lspci, parse_topo, parse_ibv, parse_links, parse_numa])
@pytest.mark.parametrize("text", ["", "\n\n", "no such command", "\x00\x1b[4m", "GPU0 X CPU\nGPU0"])
def test_readers_refuse_what_is_not_theirs(reader: Callable[[str], object], text: str):
    with pytest.raises(Unreadable):
        reader(text)


@pytest.mark.parametrize("node", NODES)
def test_no_line_of_the_matrix_can_be_lost(node: str):
    """Rows, heading and legend: without any one or two of them it says the same, or nothing."""
    lines = (EVIDENCE / node / TOPO).read_text().splitlines()
    whole = parse_topo("\n".join(lines))
    for one, other in combinations_with_replacement(range(len(lines)), 2):
        left = "\n".join(line for at, line in enumerate(lines) if at not in (one, other))
        try:
            assert parse_topo(left) == whole
        except Unreadable:
            continue


def test_a_cell_that_is_lost_does_not_move_the_others():
    """Each GPU's row has the X in its own column."""
    text = (
        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\tX\tNV18\t0-51\t0\nGPU1\tNV18\tX\t0\t0\n"
    )
    assert len(parse_topo(text)) == 2
    for old, new in (("NV18\tX", "X\tNV18"), ("GPU1\tNV18\tX", "GPU1\tX"), ("X\tNV18", "X\tX")):
        with pytest.raises(Unreadable):
            parse_topo(text.replace(old, new))


@given(data=st.data())
@settings(
    max_examples=examples(30, full=150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
def test_no_output_makes_a_traceback(data: st.DataObject):
    """Lines lost, doubled, cut or scrambled on the way: read, or said to be unreadable."""
    changed = texts(data.draw(st.sampled_from(NODES)))
    file = data.draw(st.sampled_from(sorted(changed)))
    lines = changed[file].splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    cut = data.draw(st.integers(0, len(lines[at])))
    junk = data.draw(st.one_of(st.just(""), st.text(max_size=8), st.just("9" * 5000)))
    lines[at] = lines[at][:cut] + junk + data.draw(st.sampled_from(["", lines[at][cut:]]))
    if data.draw(st.booleans()):
        lines.insert(at, data.draw(st.sampled_from(lines)))
    changed[file] = "\n".join(lines)
    made = to_yaml(golden_node(changed, "x", "a test", "eno3"))
    assert isinstance(parse(made, "nodes.yml").value, dict)


@pytest.mark.samples
def test_reads_captures_by_others(samples: Path):
    """A real matrix without NICs; real devices, with ports down and followed by ibstat."""
    rows = parse_topo((samples / "nvidia_smi_topo_m_8xH100.txt").read_text())
    assert [row.numa for row in rows] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert not any(row.nics for row in rows)
    down = parse_ibv((samples / "ibv_devinfo_cx7_port_down.txt").read_text())
    assert [one.name for one in down] == ["mlx5_0", "mlx5_1"]
    assert [one.mac for one in down] == ["9c:63:c0:d5:ed:f6", "9c:63:c0:d5:ed:f7"]
    assert down[0].card == down[1].card
    assert [one.rate_gbps for one in down] == [None, None]
    active = parse_ibv((samples / "ibv_devinfo_cx5_active_and_ibstat.txt").read_text())
    assert [(one.name, one.mac) for one in active] == [("mlx5_0", "50:6b:4b:28:4d:dc")]


@pytest.mark.samples
def test_a_capture_without_nics_leaves_the_rails_open(samples: Path):
    topo = (samples / "nvidia_smi_topo_m_8xH100.txt").read_text()
    golden = golden_node({TOPO: topo}, "x", "a test", "eno3")
    assert not golden.rails
    assert "the rails: nothing says which NIC is near which GPU" in golden.unknown
