"""A stage is its folder, and for loads a runner of its name: no list elsewhere names it."""

from __future__ import annotations

import re

import pytest

from deploy.loads.loading import runner
from tests.tree import PACKAGES, ROOT, files
from validation.ladder import folders, ladder, number_of, stage_part

NAME = re.compile(r"\bs[0-9]{2}_[a-z_]+?(?=_run\b|\b)")
# What locating, the drill and others use of one stage, by name. The rest is found.
LEANS = {
    "deploy/commands/drill.py": {"s80_soak"},
    "deploy/measuring/requested.py": {"s80_soak"},
    "deploy/loads/guarded_drill.py": {"s80_soak"},
    "deploy/loads/launch.py": {"s70_collectives"},
    "deploy/loads/mpi_run.py": {"s70_collectives"},
    "deploy/loads/mpi_tools.py": {"s70_collectives"},
    "deploy/loads/shell_drain.py": {"s80_soak"},
    "deploy/rehearsal/flapped.py": {"s80_soak"},
    "deploy/rehearsal/flows.py": {"s80_soak"},
    "deploy/rehearsal/traffic_run.py": {"s80_soak"},
    "deploy/measuring/measure.py": {"s42_loss"},
    "deploy/rollout/drain/drains.py": {"s20_cabling_routing"},
    "validation/counters/added.py": {"s60_congestion"},
    "validation/host_state/versions_seen.py": {"s15_optics"},
    "validation/locating/ground.py": {"s15_optics"},
    "validation/locating/locate.py": {"s20_cabling_routing"},
    "validation/locating/replay.py": {"s15_optics"},
    "validation/locating/view.py": {"s15_optics", "s20_cabling_routing", "s50_pairs"},
    "validation/pairing/own_past.py": {"s50_pairs"},
    "validation/probes/hops.py": {"s40_lossless_mtu"},
    "validation/run.py": {"s30_node_state"},
}


def test_nothing_else_names_a_stage():
    own = re.compile(r"validation/stages/|deploy/loads/(s[0-9]{2}_|loading\.py)")
    found = {
        str(path): names
        for path in files()
        if path.parts[0] in PACKAGES and path.suffix == ".py" and not own.match(str(path))
        if (names := set(NAME.findall((ROOT / path).read_text(encoding="utf-8"))))
    }
    assert found == LEANS


@pytest.mark.parametrize("folder", folders(), ids=lambda path: path.name)
def test_a_stage_has_all_of_its_parts(folder):
    number = number_of(folder)
    for name in ("stage", "expect", "checks"):
        stage_part(number, name)  # KeyError where it is missing
    if ladder()[number].loads:
        assert callable(stage_part(number, "preview").parts)
        assert callable(runner(number))
