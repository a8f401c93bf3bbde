"""One DSCP changed in the inventory: what follows it, in every place, and nothing else.

The lossless class is told to switches, NICs, firmware, libraries and the gate. Two sites that
differ in one number are compared in all that is made of them.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from inventory import InventoryError, open_site, site_folder
from inventory.nodes.hostvars import as_json, groups, vars_for
from inventory.plan import Plan
from roles.pyinfra_role import text_of
from switch_configs import render
from tests.roles import wishes
from tests.switch_configs.sites import DIALECTS, small, small_with
from validation.expect import expectations
from validation.manifest.device import manifests

# Data and CNPs. The new numbers mean another priority to a device that is told nothing: DSCP >> 3.
OLD, NEW = (26, 48), (42, 18)
PRIORITIES = (3, 6)
Change = tuple[int, int, int]
# A DSCP of its own for the class, and best effort for what was it.
MAPPED: set[Change] = {
    *((dscp, priority, 0) for dscp, priority in zip(OLD, PRIORITIES, strict=True)),
    *((dscp, 0, priority) for dscp, priority in zip(NEW, PRIORITIES, strict=True)),
}


def flat(
    value: object, path: tuple[object, ...] = ()
) -> Iterator[tuple[tuple[object, ...], object]]:
    """Every leaf with its path."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from flat(one, (*path, key))
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from flat(one, (*path, number))
    else:
        yield path, value


def differing(one: object, other: object) -> dict[tuple[object, ...], tuple[object, object]]:
    """The leaves that differ, by path."""
    before, after = dict(flat(one)), dict(flat(other))
    return {
        path: (before.get(path), after.get(path))
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    }


# -- switches ----------------------------------------------------------------------------------


def changed_lines(one: str, other: str) -> tuple[list[str], list[str]]:
    """Lines of one text alone, and of the other alone, each once, sorted."""
    before, after = one.splitlines(), other.splitlines()
    return sorted({*before} - {*after}), sorted({*after} - {*before})


def of_tree(one: Any, other: Any) -> set[Change]:
    """Where a tree maps DSCPs to priorities: the DSCP is in the path of each leaf."""
    found = differing(one, other)
    return {(_dscp_in(path), int(str(old)), int(str(new))) for path, (old, new) in found.items()}


def _dscp_in(path: tuple[object, ...]) -> int:
    [dscp] = [int(str(part)) for part in path if str(part) in {*map(str, (*OLD, *NEW))}]
    return dscp


def of_eos(one: str, other: str) -> set[Change]:
    """A line for each class; a DSCP that no line names has the class of its first three bits.

    Best effort is class 1 in EOS: its own map has DSCP 0 to 7 in 1, and 8 to 15 in 0.
    """
    own, priority = (1, 0, 2, 3, 4, 5, 6, 7), {1: 0}
    told = re.compile(r"qos map dscp ([\d ]+) to traffic-class (\d)$")
    for line in (line for lines in changed_lines(one, other) for line in lines):
        assert told.fullmatch(line)
    maps = []
    for text in (one, other):
        rows = filter(None, map(told.fullmatch, text.splitlines()))
        maps.append({int(dscp): int(row[2]) for row in rows for dscp in row[1].split()})
    found = {dscp: [one.get(dscp, own[dscp >> 3]) for one in maps] for dscp in range(64)}
    return {
        (dscp, priority.get(old, old), priority.get(new, new))
        for dscp, (old, new) in found.items()
        if old != new
    }


def of_nxos(one: str, other: str) -> set[Change]:
    """Classes by name; what no class matches is best effort."""
    before, after = changed_lines(one, other)
    assert before == [f"  match dscp {dscp}" for dscp in sorted(OLD)]
    assert after == [f"  match dscp {dscp}" for dscp in sorted(NEW)]
    swapped = dict(zip(map(str, OLD), map(str, NEW), strict=True))
    text = re.sub(r"(?m)(?<=^  match dscp )(\d+)$", lambda found: swapped[found[1]], one)
    return MAPPED if text == other else set()


FILTER = re.compile(
    r"filter replace dev (\S+) ingress pref \d+ handle 1 protocol (ip|ipv6) flower "
    r"ip_tos (0x..)/0xfc action skbedit priority (\d)"
)


def of_linux(one: str, other: str) -> set[Change]:
    """Filters by TOS on each port, for both versions of IP; what none matches is best effort."""
    for line in (line for lines in changed_lines(one, other) for line in lines):
        assert FILTER.fullmatch(line)
    maps: list[dict[tuple[str, str], dict[int, int]]] = []
    for text in (one, other):
        ports: dict[tuple[str, str], dict[int, int]] = {}
        for row in filter(None, map(FILTER.fullmatch, text.splitlines())):
            ports.setdefault((row[1], row[2]), {})[int(row[3], 16) >> 2] = int(row[4])
        maps.append(ports)
    assert maps[0].keys() == maps[1].keys()
    return {
        (dscp, maps[0][port].get(dscp, 0), maps[1][port].get(dscp, 0))
        for port in maps[0]
        for dscp in (*OLD, *NEW)
    }


READERS: dict[str, Callable[[str, str], set[Change]]] = {
    "cumulus": lambda one, other: of_tree(yaml.safe_load(one), yaml.safe_load(other)),
    "eos": of_eos,
    "linux_frr": of_linux,
    "nxos": of_nxos,
    "sonic": lambda one, other: of_tree(json.loads(one), json.loads(other)),
}


def other_class(site: dict[str, Any]) -> None:
    site["lossless"]["dscp"] = NEW[0]
    site["lossless"]["cnp"]["dscp"] = NEW[1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_switches_of_every_dialect_map_the_new_dscps_and_nothing_else(dialect):
    """Every switch that carries the class: users' and the OOB plane's own switches do not."""
    one, other = small(dialect), small_with(dialect, other_class)
    follow = set()
    for name in (*one.switch, *one.oob_switch):
        for before, after in zip(render(one, name).files, render(other, name).files, strict=True):
            assert before.path == after.path
            if before.text != after.text:
                assert READERS[dialect](before.text, after.text) == MAPPED, name
                follow.add(name)
    assert follow == {name for name, switch in one.switch.items() if switch.plane != "business"}


# -- nodes, and the gate -----------------------------------------------------------------------


@cache
def plan(dscp: int = OLD[0], cnp: int = OLD[1], firmware: int | None = None) -> Plan:
    """A site whose GPU nodes have everything, with these DSCPs."""
    with tempfile.TemporaryDirectory() as folder:
        site = wishes.site(Path(folder) / "site")
        replace(site / "fabric.yml", f"\n  dscp: {OLD[0]}\n", f"\n  dscp: {dscp}\n")
        replace(site / "fabric.yml", f"cnp: {{dscp: {OLD[1]},", f"cnp: {{dscp: {cnp},")
        number = firmware if firmware is not None else cnp
        replace(site / "profiles/nodes.yml", f"CNP_DSCP_P1: {OLD[1]}", f"CNP_DSCP_P1: {number}")
        return open_site(site)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


DATA, BOTH = (NEW[0], OLD[1]), NEW
GPU = next(node.name for node in plan().nodes if node.software.gpu)
OTHERS = ("mgmt-01", "store-01")
# What is made of the lossless class, and of CNPs alone.
VARIABLES = {"nccl_settings", "nccl_ucx_settings", "roce_nic_class_wishes", "roce_nic_marks"}
FILES = {"/etc/default/railbed-roce-nic", "/etc/nccl.conf", "/etc/ucx/ucx.conf",
         "/var/lib/railbed-roce_nic.applied"}  # fmt: skip
FIRMWARE = {"/etc/default/railbed-nic-firmware", "/var/lib/railbed-ofed.applied"}


def test_the_sites_differ_in_the_class_alone():
    assert {path for path, _ in differing(as_json(plan()), as_json(plan(*DATA))).items()} == {
        ("digest",), ("lossless", "dscp"), ("lossless", "classes", 1, "dscps", 0),
    }  # fmt: skip


@pytest.mark.parametrize("dscps", [DATA, BOTH], ids=["data", "data and CNPs"])
def test_of_a_gpu_node_its_nics_firmware_nccl_and_ucx_follow(dscps):
    firmware = dscps == BOTH
    more = {"ofed_settings"} if firmware else set()
    assert variables(GPU, dscps) == {*VARIABLES, *more, "railbed_plan_digest"}
    assert files(GPU, dscps) == FILES | (FIRMWARE if firmware else set())


@pytest.mark.parametrize("node", OTHERS)
def test_of_a_node_without_gpus_its_nics_follow(node):
    assert variables(node, BOTH) == {
        "railbed_plan_digest", "roce_nic_class_wishes", "roce_nic_marks"
    }  # fmt: skip
    assert files(node, BOTH) == {
        "/etc/default/railbed-roce-nic", "/var/lib/railbed-roce_nic.applied"
    }  # fmt: skip


def test_every_node_is_of_one_of_these_kinds():
    kinds = {(node.kind, node.profile) for node in plan().nodes}
    assert kinds == {
        (node.kind, node.profile) for node in (plan().node[name] for name in (GPU, *OTHERS))
    }


def test_of_all_other_machines_only_the_name_of_the_plan_follows():
    one, other = plan(), plan(*BOTH)
    for name in (one.oob.name, *one.switch, *one.oob_switch):
        assert variables(name, BOTH) == {"railbed_plan_digest"}
    assert groups(one) == groups(other)


def variables(host: str, dscps: tuple[int, int]) -> set[str]:
    one, other = vars_for(plan(), host), vars_for(plan(*dscps), host)
    assert one.keys() == other.keys()
    return {name for name in one if one[name] != other[name]}


def files(host: str, dscps: tuple[int, int]) -> set[str]:
    """Files that differ; packages, units, parameters and all else of a manifest do not."""
    one, other = (manifests(each).of(host) for each in (plan(), plan(*dscps)))
    rest = differing(as_json(one), as_json(other)).keys()
    assert {path[0] for path in rest} == {"files"}
    pairs = zip(one.files, other.files, strict=True)
    return {before.path for before, after in pairs if before != after}


def lines(template: str, role: str, dscps: tuple[int, int]) -> tuple[list[str], list[str]]:
    texts = [text_of(role, template, vars_for(each, GPU)) for each in (plan(), plan(*dscps))]
    return changed_lines(texts[0], texts[1])


def table(dscps: tuple[int, int]) -> str:
    """The host's trust map, by DSCP."""
    named = dict(zip(dscps, PRIORITIES, strict=True))
    return ",".join(str(named.get(dscp, 0)) for dscp in range(64))


def test_what_a_nic_is_told_of_it():
    """Trust map, RDMA-CM's TOS, the class of all queue pairs, the DSCP of CNPs."""
    assert lines("roce-nic.j2", "roce_nic", BOTH) == told_of(OLD, BOTH)


def told_of(old: tuple[int, int], new: tuple[int, int]) -> tuple[list[str], list[str]]:
    def told(dscps: tuple[int, int]) -> list[str]:
        tos = dscps[0] << 2 | 2
        return sorted([
            f"each cnp_dscp {dscps[1]}", f"each map {table(dscps)}",
            f"mark tclass {tos}", f"mark tos {tos}",
        ])  # fmt: skip

    return told(old), told(new)


def test_what_nccl_and_ucx_are_told_of_it():
    """Queue pairs that a GPU makes know nothing of the NIC's class (NCCL_GIN_IB_TC)."""
    one, other = vars_for(plan(), GPU), vars_for(plan(*DATA), GPU)
    for name in ("nccl_settings", "nccl_ucx_settings"):
        assert set(differing(one[name], other[name]).values()) == {("106", "170")}
    assert {path for (path,) in differing(one["nccl_settings"], other["nccl_settings"])} == {
        "NCCL_GIN_IB_TC", "NCCL_IB_TC",
    }  # fmt: skip


def test_firmware_that_a_profile_leaves_behind_is_refused():
    with pytest.raises(InventoryError, match="CNP_DSCP_P1 48, expected 18"):
        plan(*BOTH, firmware=OLD[1])


def test_the_gate_expects_the_new_tos_and_all_else_as_before():
    """Probes of the path are marked as the data is, and switches must pause for the new DSCP."""
    assert expected_otherwise(plan(), plan(*BOTH)) == {
        "df": {(("probe", "tos"), 106, 170)},
        "pfc": {(("dscps", 0), 26, 42)},
        "soak": {(("probe", "tos"), 106, 170)},
        "tos": {(("probe", "tos"), 106, 170)},
    }


def test_loads_are_marked_as_the_data_is():
    streams = {(("drill", "crossing", "streams", one, "tos"), 106, 170) for one in range(4)}
    assert expected_otherwise(lab(), lab(NEW[0])) == {
        "back": streams,
        "bw": {(("probe", "dscp"), 26, 42)},
        "detect": {one for one in streams if one[0][3] in (0, 1)},
        "df": {(("probe", "tos"), 106, 170)},
        "soak": {(("probe", "tos"), 106, 170)},
        "switchover": streams,
        "tos": {(("probe", "tos"), 106, 170)},
    }


@cache
def lab(dscp: int = OLD[0]) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        site = Path(shutil.copytree(site_folder("lab"), Path(folder) / "lab"))
        replace(site / "fabric.yml", f"dscp: {OLD[0]}\n", f"dscp: {dscp}\n")
        return open_site(site)


def expected_otherwise(
    one: Plan, other: Plan
) -> dict[str, set[tuple[tuple[object, ...], object, object]]]:
    """What differs, by check; its sentence says the same again."""
    before = expectations(one, frozenset(one.devices))
    after = expectations(other, frozenset(other.devices))
    found: dict[str, set[tuple[tuple[object, ...], object, object]]] = {}
    for mine, its in zip(before, after, strict=True):
        assert mine.id == its.id
        for path, pair in differing(as_json(mine), as_json(its)).items():
            if path != ("says",):
                found.setdefault(mine.check, set()).add((path, *pair))
    return found
