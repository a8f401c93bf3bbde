"""The lab's exports against files that people read and reviewed; --update-golden writes anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inventory import Plan, exports
from tests.inventory.exports.plans import lab
from tests.tree import ROOT

GOLDEN = ROOT / "tests/golden/exports"
EXPORTS: dict[str, Callable[[Plan], str]] = {
    "cables.csv": exports.cables_csv,
    "addresses.csv": exports.addresses_csv,
    "lldp.csv": exports.lldp_csv,
    "bom.csv": exports.bom_csv,
    "compute.svg": exports.topology_svg,
    "oob.svg": lambda plan: exports.topology_svg(plan, "oob"),
    "topology.conf": exports.topology_conf,
    "topology.yaml": exports.topology_yaml,
    "lab.clab.yml": exports.containerlab_yaml,
}


@pytest.mark.parametrize("name", EXPORTS)
def test_the_lab_is_exported_as_reviewed(name, update_golden):
    text = EXPORTS[name](lab())
    if update_golden:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert (GOLDEN / name).read_text(encoding="utf-8") == text


def test_no_file_is_left_over():
    assert {path.name for path in GOLDEN.iterdir()} == set(EXPORTS)
