"""A push on the real lab that leaves management alone and the fabric broken goes back by itself."""

from __future__ import annotations

import time

import pytest

from deploy.rollout.change import apply_site
from deploy.rollout.fabric_check import FabricCheck
from inventory import open_site
from switch_configs.linux_frr.files import LLDPD

from .chain import SELECTION, inside, mended, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
]
LEAF = "leaf-p1-r0"
BY_HAND = "# by hand"


def test_a_leaf_that_loses_half_its_paths_goes_back_and_says_which(monkeypatch):
    """A spine shuts its session as soon as the leaf has applied its plan."""
    spine = next(one for one in open_site("lab").switch[LEAF].sessions).peer
    cut = (
        f"vtysh -c 'configure terminal' -c 'router bgp' -c '%sneighbor {spine.port} shutdown' "
        f"-c 'end'"
    )
    asked = FabricCheck.missing

    def missing(check: FabricCheck, switch: str, _: float, *, whole: bool) -> tuple[str, ...]:
        inside(spine.device, cut % "")
        return asked(check, switch, time.monotonic() + 5, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    inside(LEAF, f"echo '{BY_HAND}' >>{LLDPD}")
    try:
        result = apply_site(SELECTION, "switches", dry_run=False, say=silent)
        assert result.exit_code == 1
        assert f"{LEAF}: the fabric does not work with it: " in result.outcome
        assert spine.device in result.outcome
        assert "the device has its old configuration again" in result.outcome
        assert inside(LEAF, f"tail -n 1 {LLDPD}").strip() == BY_HAND
    finally:
        inside(spine.device, cut % "no ")
        monkeypatch.undo()
        mended("switches")
    assert BY_HAND not in inside(LEAF, f"cat {LLDPD}")
