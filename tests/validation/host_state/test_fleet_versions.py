"""Stage 30's versions: who runs something else than most of its kind."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache

from inventory import open_site
from inventory.plan import Node, Plan
from tests.validation import host_machine
from tests.validation.host_machine import DRIVER, KERNEL, state
from tests.validation.stages.test_stage_host import NODE, NOW, PORT
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.host_state.ask import HOST_STATE
from validation.host_state.facts import Unread
from validation.host_state.fleet_versions import odd, versions
from validation.host_state.read import facts
from validation.parse.host.host_state import host_state
from validation.run import validate

A, B = {"kernel": "6.8"}, {"kernel": "6.9"}


def test_what_a_node_runs():
    found = versions(NODE, facts(host_state(state())))
    assert found["kernel"] == KERNEL
    assert found["GPU driver"] == found["fabric manager"] == DRIVER
    assert found["NCCL"] == "2.28.3-1+cuda13.0"
    assert found[f"firmware of {PORT}"] == "28.43.2026"
    assert not [one for one in found.values() if isinstance(one, Unread)]


def test_nccl_of_the_rhel_family_has_another_name():
    """Where both nodes had "none" of Debian's name, two releases of it would agree."""
    node = replace(NODE, software=replace(NODE.software, os="rocky-9"))
    found = replace(facts(host_state(state())), packages={"libnccl": "0:2.28.3-1+cuda13.0"})
    assert versions(node, found)["NCCL"] == "0:2.28.3-1+cuda13.0"


def test_the_odd_one_is_named_and_nobody_else():
    fleet = {"n1": A, "n2": A, "n3": B}
    assert odd(A, fleet) == ([], [])
    assert odd(B, fleet) == (["kernel is 6.9, 6.8 on 2 of 3 nodes"], [])


def test_halves_blame_nobody():
    fleet = {"n1": A, "n2": B}
    assert odd(A, fleet) == ([], ["kernel has no usual version: 6.8 on 1, 6.9 on 1"])
    assert odd(A, {"n1": A}) == ([], [])


def test_what_is_not_known_is_no_agreement():
    unread = {"kernel": Unread("cut")}
    assert odd(unread, {"n1": A, "n2": unread}) == ([], ["kernel is not known: cut"])
    assert odd(A, {"n1": A, "n2": unread, "n3": A}) == ([], [])


@cache
def fleet() -> tuple[Plan, tuple[Node, ...]]:
    """Four nodes of one profile, which ask for all, with MACs of their own."""
    plan = open_site("pod-256")
    kind = [one for one in plan.nodes if one.rails][:4]
    made = tuple(
        replace(
            host_machine.asking_for_all(one),
            management=replace(one.management, mac=f"02:00:00:00:00:{at:02x}"),
        )
        for at, one in enumerate(kind)
    )
    of = {one.name: one for one in made}
    return replace(plan, nodes=tuple(of.get(one.name, one) for one in plan.nodes)), made


def judged(kernels: dict[int, str], silent: int | None = None) -> dict[int, tuple[str, str, str]]:
    plan, nodes = fleet()
    store = EvidenceStore()
    for at, node in enumerate(nodes):
        answers = host_machine.answers_of(plan, node)
        changed = {"uname -r": (0, kernels.get(at, KERNEL) + "\n")}
        data = host_machine.sealed({**answers, **changed})
        who = Identity(node.name, str(node.management.mac), "11111111")
        digest = hashlib.sha256(data).hexdigest()
        told = Frame(node.name, HOST_STATE, plan.digest, NOW, who, 0, len(data), digest, data)
        store.add([told] if at != silent else [])
    names = [one.name for one in nodes]
    asked = frozenset({"versions"})
    found = validate(plan, 30, store, None, frozenset(names), checks=asked).findings
    return {names.index(one.device): (str(one.verdict), one.suspect, one.found) for one in found}


def test_a_node_with_another_kernel_is_named_and_its_fleet_passes():
    found = judged({2: "6.8.0-59-generic"})
    assert {at: one[0] for at, one in found.items()} == {
        0: "pass", 1: "pass", 2: "fail", 3: "pass",
    }  # fmt: skip
    assert found[2][1] == f"device {fleet()[1][2].name}"
    assert found[2][2] == f"kernel is 6.8.0-59-generic, {KERNEL} on 3 of 4 nodes"


def test_a_silent_node_is_open_and_the_others_pass():
    found = judged({}, silent=1)
    assert {at: one[0] for at, one in found.items()} == {
        0: "pass", 1: "inconclusive", 2: "pass", 3: "pass",
    }  # fmt: skip


def test_half_a_fleet_upgraded_is_nobodys_fault():
    found = judged({0: "6.8.0-59-generic", 1: "6.8.0-59-generic"})
    assert {one[0] for one in found.values()} == {"inconclusive"}
