"""Another DSCP of RoCE over a live fabric: expand, migrate, contract, and what the wire says.

The switches' classes are those that `apply` loads. Kernels of test machines may have no classifier
by DSCP (flower, skbedit, ets, red): there a stand-in of tc(8) takes what is loaded, and keeps which
DSCP has which priority since when. `tests/switch_configs/linux_frr/test_kernel.py` pushes the same
under Debian's own kernel. The nodes' NICs are stand-ins too, marked by the role's own program;
packets, cables, switches and pushes are real.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.errors import RefusedError
from deploy.lab.hardware import fitted
from deploy.lab.machines import machine
from deploy.measuring.stages import QUIET_STAGE
from deploy.rollout import runbook
from deploy.rollout.change import apply_site
from deploy.rollout.runbook import ApplyResult
from deploy.session import Selection
from inventory import open_site, site_folder
from inventory.plan import Plan
from tests.labs import kept_lab, started
from tests.standins.site import hardware

from .chain import inside, silent
from .dscp.wire import TC, Wire, watched

pytestmark = [pytest.mark.lab, pytest.mark.full]
OLD, NEW = 26, 34
PROFILE = """lab-ecn-switch:
  dialect: linux_frr
  management_port: eth0
  release: "8.4.4"
  ports: {count: 8, name: "swp{n}", rate_gbps: 0.2}
  lossless: ecn
  source: "lab-switch with the classes that Linux has"
"""


@dataclass(frozen=True)
class Classed:
    """A lab whose switches have classes, and its site, whose DSCPs can be said otherwise."""

    folder: Path
    lab: str

    def says(self, dscp: int, *also: int) -> Plan:
        """Write these DSCPs into `fabric.yml`."""
        path = self.folder / "fabric.yml"
        lines = path.read_text().splitlines()
        kept = [one for one in lines if not one.startswith(("  dscp:", "  also_dscps:"))]
        at = kept.index("lossless:") + 1
        kept[at:at] = [f"  dscp: {dscp}", f"  also_dscps: {list(also)}"]
        path.write_text("\n".join([*kept, ""]))
        return open_site(self.folder)

    def apply(self, *, accept_loss: bool = False) -> ApplyResult:
        """Without the loads on rails: they would disturb what is counted."""
        chosen = Selection(str(self.folder), self.lab)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runbook, "LOADED_STAGE", QUIET_STAGE)
            result = apply_site(chosen, "", dry_run=False, say=silent, accept_loss=accept_loss)
        assert result.exit_code == 0, result.outcome
        return result


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Classed]:
    """The lab as planned, and then with classes at its switches and NICs at its nodes."""
    folder = Path(shutil.copytree(site_folder("lab"), tmp_path_factory.mktemp("site") / "lab"))
    (folder / "profiles").mkdir(exist_ok=True)
    (folder / "profiles/switches.yml").write_text(PROFILE)
    path = folder / "fabric.yml"
    ecn = "  mode: ecn\n  ecn: {kmin_bytes: 30000, kmax_bytes: 90000}\n  #"
    text = path.read_text().replace("  mode: marking-only ", ecn)
    path.write_text(text.replace("_profile: lab-switch", "_profile: lab-ecn-switch"))
    plan = open_site(folder)
    with started("dscp", kept_lab()) as selection:
        for switch in plan.switch:
            put = "cat >/usr/local/sbin/tc && chmod 755 /usr/local/sbin/tc"
            tool = TC.read_bytes()
            assert machine.inside(selection.lab, switch, ["sh", "-c", put], tool).returncode == 0
        for node in plan.nodes:
            fitted.put_tools(selection.lab, node.name, hardware())
            fitted.put_up(selection.lab, node.name)
            # As with the kernel's own driver, which has no such file.
            inside(node.name, "rm -r /sys/class/infiniband/*/tc", selection.lab)
        found = Classed(folder, selection.lab)
        found.says(OLD)
        # Another profile is another box to a rollout, and nobody sends yet.
        found.apply(accept_loss=True)
        yield found


def whole(wire: Wire) -> bool:
    """All that was sent came, and each packet was seen at one switch at least."""
    return wire.heard == wire.sent and wire.hops.total() > wire.sent.total() > 3000


def test_no_packet_is_in_a_wrong_class_while_the_dscp_changes(fabric, tmp_path, capsys):
    plan = fabric.says(NEW)
    priorities = {
        "data": plan.lossless.priority, "cnp": plan.lossless.cnp_priority, "rest": 0
    }  # fmt: skip
    with watched(plan, fabric.lab, tmp_path, priorities) as wire:
        with pytest.raises(RefusedError) as refused:
            fabric.apply()
        for dscps in ((OLD, NEW), (NEW, OLD), (NEW,)):
            fabric.says(*dscps)
            fabric.apply()
    with capsys.disabled():
        print("", *wire.lines(), sep="\n")
    assert f"takes DSCP {NEW} as best effort" in refused.value.message
    assert f"lossless.dscp: {OLD}, lossless.also_dscps: [{NEW}]; then " in refused.value.hint
    assert wire.unseen == 0
    assert whole(wire), "lost, or not seen"
    assert {dscp for kind, dscp in wire.hops if kind == "data"} == {OLD, NEW}
    assert wire.wrong == {}


def test_the_same_at_once_is_seen_on_the_wire(fabric, tmp_path, capsys):
    """The count can be other than 0: back to the old one, by who accepts the loss."""
    plan = fabric.says(OLD)
    priorities = {
        "data": plan.lossless.priority, "cnp": plan.lossless.cnp_priority, "rest": 0
    }  # fmt: skip
    with watched(plan, fabric.lab, tmp_path, priorities) as wire:
        fabric.apply(accept_loss=True)
    with capsys.disabled():
        print("", *wire.lines(), sep="\n")
    assert wire.unseen == 0
    assert {kind for _, kind, _ in wire.wrong} == {"data"}
    assert wire.wrong.total() > 100
