"""A model that fixes the rate of its ports takes no slower NIC, and says so while it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory import open_site
from inventory.problems import InventoryError
from tests.inventory.own_sites import pod

FIXED = "arista-7060x6-64pe-sonic"


def opened(folder: Path, node: str) -> None:
    site = pod()
    site["compute"] |= {"leaf_profile": FIXED, "spine_profile": FIXED, "node_profile": node}
    site["topology"] |= {
        "breakout": {"nodes": 2, "fabric": 2}, "uplinks_per_spine": 4, "oversubscription": {},
    }  # fmt: skip
    site["lossless"] |= {"headroom": "dedicated", "over_subscription": 1}
    site["racks"]["power_of"][FIXED] = 2400
    (folder / "fabric.yml").write_text(json.dumps(site))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    open_site(folder)


def test_400_on_400(tmp_path):
    opened(tmp_path, "hgx-h100")


@pytest.mark.parametrize(("node", "rate"), [("dgx-a100", 200)])
def test_a_slower_nic_is_refused_by_its_rate(node, rate, tmp_path):
    """Arista-7060X6-64PE-O128S2: hwsku.json splits each cage 2x400G, for which platform.json names
    no lower rate.
    """
    with pytest.raises(InventoryError) as caught:
        opened(tmp_path, node)
    assert f"compute.leaf_profile: found a NIC of {rate} Gb/s, expected 400 Gb/s" in str(
        caught.value
    )
    assert "ports of one rate only" in str(caught.value)
