"""Stage 50 on the real lab: a healthy one passes, a port at a tenth is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.measuring.measure import Measured, validate_site
from deploy.measuring.stages import LOADED_STAGE
from deploy.record.journal import Record
from deploy.rollout.change import apply_site
from inventory import open_site
from tests.faults.cables import SLOW
from tests.faults.fault import Lab
from validation.verdict import Verdict

from .chain import NAME, SELECTION, inside, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="one stage that loads, healthy and hurt"),
]


def loaded() -> Measured:
    return validate_site(SELECTION, LOADED_STAGE, (), silent)


@contextmanager
def slowed(device: str, port: str) -> Iterator[None]:
    """One end of a cable at a tenth of its rate, as a port that fell back would be."""
    lab = Lab(NAME)
    lab.tc(device, f"qdisc replace dev {port} root {SLOW}")
    try:
        yield
    finally:
        lab.as_wired(device, port)


def servers() -> str:
    return "".join(inside(node, "pgrep -a iperf3 || true") for node in open_site("lab").node)


def test_every_pair_of_the_healthy_lab_gets_its_rate():
    """All 12 flows pass, all uplinks of four leaves were loaded, and nothing is left running."""
    found = [one for one in loaded().findings if one.stage == LOADED_STAGE]
    assert Counter(one.check for one in found) == {"bw": 12, "coverage": 4}
    assert {one.verdict for one in found} == {Verdict.PASS}, found
    assert servers() == ""


def test_a_port_at_a_tenth_of_its_rate_is_named_with_its_cable():
    """Nothing but a load sees it: every earlier stage passes."""
    with slowed("leaf-p1-r0", "swp2"):
        found = loaded()
    bad = [one for one in found.findings if one.verdict is not Verdict.PASS]
    assert {one.stage for one in bad} == {LOADED_STAGE}
    assert {one.verdict for one in bad} == {Verdict.FAIL}
    assert {one.suspect for one in bad} == {"cable leaf-p1-r0:swp2 -- node-p1-2:rail0"}
    assert servers() == ""


def test_apply_has_loaded_the_fabric_once_at_its_last_gate(converged):
    """The first rollout's last gate holds the flows; no other gate of it does."""
    record = Record(SELECTION.state_dir / "record.sqlite")
    first = converged.run
    loads = {
        wave.name: sum(one.check == "bw" for one in record.findings(first, wave.name))
        for wave in record.waves(first)
    }
    assert loads.pop(record.waves(first)[-1].name) == 12
    assert set(loads.values()) == {0}
    record.close()


def test_apply_does_not_load_a_fabric_again_in_which_nothing_changed():
    """The second apply's last gate lets go without a flow.

    The first loads it if a test before changed something since the last load.
    """
    assert apply_site(SELECTION, "", dry_run=False, say=silent).exit_code == 0
    again = apply_site(SELECTION, "", dry_run=False, say=silent)
    assert again.changed == ()
    assert again.exit_code == 0, again.outcome
    assert {one.stage for one in again.findings}.isdisjoint({LOADED_STAGE})
