"""Plans to render: the lab both ways, and fabrics that the generator makes."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from inventory import open_site
from inventory.plan import Plan
from tests.generated.sites import SMALL_THREE_TIER, Size, generated_site
from tests.tree import ROOT

LAB = ROOT / "inventory/sites/lab"
LINKS = ("unnumbered", "numbered")
# Two uplinks to a spine, more ports than nine, and room to grow: other numbers than the lab's.
GENERATED = Size(pods=2, spines=3, rails=2, nodes_per_pod=5, uplinks=2, max_nodes_per_pod=12)


@cache
def lab(links: str) -> Plan:
    """The lab site with numbered or unnumbered fabric links."""
    with tempfile.TemporaryDirectory() as folder:
        site = shutil.copytree(LAB, Path(folder) / "lab")
        fabric = site / "fabric.yml"
        text = fabric.read_text()
        assert "fabric_links: unnumbered" in text
        fabric.write_text(text.replace("fabric_links: unnumbered", f"fabric_links: {links}"))
        return open_site(site)


@cache
def generated(numbered: bool, size: Size = GENERATED) -> Plan:
    """A fabric of 4 leaves and 3 spines with two links each, or of another size."""
    with tempfile.TemporaryDirectory() as folder:
        size = replace(size, numbered=numbered)
        return open_site(generated_site(Path(folder) / "generated", size))


def all_plans() -> dict[str, Plan]:
    """Every plan that the tests render, by name."""
    return {
        **{f"lab-{links}": lab(links) for links in LINKS},
        "generated-unnumbered": generated(False),
        "generated-numbered": generated(True),
        "three-tier-unnumbered": generated(False, SMALL_THREE_TIER),
        "three-tier-numbered": generated(True, SMALL_THREE_TIER),
    }
