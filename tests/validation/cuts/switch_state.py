"""What switches with FRR say of themselves, and what soak and drills leave."""

from __future__ import annotations

from pathlib import Path

from inventory import open_site
from switch_configs.answers.linux import state as switch_state
from validation.parse.loads import soak
from validation.stages.s80_soak.drills import drills
from validation.stages.s80_soak.work import soaked

from ..healthy import stage_25, stage_42, stage_80
from . import Case

_HERE = Path(__file__).parents[2] / "evidence" / "frr"
_PLAN = open_site("lab")
_ALL = frozenset(_PLAN.devices)
_WIRES = "".join(stage_42.leaf_says(stage_42.mine(_PLAN, _ALL, "leaf-p1-r0"), 3).values())
CASES = (
    Case("bfd-peers", switch_state.bfd_peers, (_HERE / "bfd_peers.json").read_text("utf-8")),
    Case("switch-files", switch_state.files, stage_25.files(_PLAN, "spine1")),
    Case("switch-settings", switch_state.settings, "net.ipv4.ip_forward = 1\nx.y = 1\t2\nend\n"),
    Case("frr-to-do", switch_state.to_do, "\nLines To Add\n====\nno bgp x\nend\n"),
    Case("wires", switch_state.wires, _WIRES),
    Case("steady", soak.steady, stage_80.steady(_PLAN, "spine1")),
    Case("drilled", soak.drilled, stage_80.pulled(_PLAN, drills(_PLAN, _ALL)[0], 90)),
    Case("stream", soak.stream, stage_80.stream(soaked(_PLAN, _ALL)[0], 20, 30, 3, 90.0)),
)
