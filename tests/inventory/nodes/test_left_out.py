"""What GPU nodes do without is told, with the one command that locks what is missing."""

from __future__ import annotations

from dataclasses import replace

from deploy.commands.next_steps import Typed, as_typed
from inventory import open_site
from inventory.nodes.left_out import left_out
from inventory.plan import Plan
from tests.validation.host_machine import asking_for_all


def asking(plan: Plan) -> Plan:
    """The same site, its GPU nodes asking for all that one can ask."""
    nodes = (asking_for_all(one) if one.gpus else one for one in plan.nodes)
    return replace(plan, nodes=tuple(nodes))


def test_a_profile_that_asks_for_little_says_what_is_off_and_what_is_not_locked():
    profile, lock = left_out(open_site("pod-256"))
    assert profile.startswith("profile hgx-h100 asks for none of: DOCA (`nics.stack`), GPUDirect")
    assert profile.endswith("CPU clocks and idle states (`tuning.cpu`)")
    assert "GPU driver" not in profile
    assert "container_toolkit, containerd, doca_ofed, gds, nccl, nccl_tests" in lock
    # A site of one's own is named by its folder, which only the command line knows.
    told = as_typed(lock, Typed("/srv/hall-1"))
    assert told.endswith("`./railbed packages refresh --site /srv/hall-1`")


def test_who_asks_for_all_and_who_has_no_gpu_does_without_nothing():
    assert left_out(asking(open_site("pod-256"))) == ()
    assert left_out(open_site("lab")) == ()
