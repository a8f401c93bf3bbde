"""How long as-built rows are read, and a site's lists compared with its plan; is that linear?

Prints its figures and ends with RESULT lines; run as `python -m tests.bench.lists`. Seconds are
those of the processor, which other programs do not change.
"""

from __future__ import annotations

import tempfile
from math import log
from pathlib import Path
from time import process_time

from inventory.derive import derive
from inventory.imports.compare import compare_cables, compare_devices
from inventory.imports.merge import merge
from inventory.imports.site import device_ports
from inventory.imports.spreadsheet import device_claims, read_cables, read_devices
from inventory.load.site import load
from inventory.topology.asbuilt import parse_asbuilt
from inventory.topology.asbuilt_rows import rows_of
from tests.bench.results import result
from tests.generated.sites import Size, generated_site
from tests.inventory.imports.test_spreadsheet import cables_of, devices_of
from tests.inventory.topology.test_asbuilt import NEW, lines

SMALL_PODS, LARGE_PODS = 8, 32


def read_s(nodes: int) -> float:
    """Seconds to read ten rows for each node."""
    text = NEW + "\n".join(lines(nodes, ",")) + "\n"
    begin = process_time()
    parse_asbuilt(text, "asbuilt.csv")
    return process_time() - begin


def compare_s(pods: int) -> tuple[float, int]:
    """Seconds to compare a spreadsheet of a site with its plan; and how many cables it has."""
    with tempfile.TemporaryDirectory() as folder:
        site = generated_site(Path(folder), Size(pods, spines=16, rails=8, nodes_per_pod=64))
        fabric = load(site)
    plan = derive(fabric)
    devices, cables = devices_of(plan), cables_of(plan)
    begin = process_time()
    listed, _ = read_devices(devices, "devices.csv")
    wires, _ = read_cables(cables, "cables.csv")
    compare_devices(plan, listed)
    compare_cables(plan, wires)
    claims, _ = device_claims(listed, device_ports(fabric, plan))
    merge(rows_of(fabric.asbuilt), claims, moved=True)
    return process_time() - begin, len(plan.cables)


def main() -> None:
    """Measure both, at two sizes."""
    few, many = read_s(3_200), read_s(12_800)
    print(f"32,000 rows in {few:.2f} s, 128,000 rows in {many:.2f} s")
    (small_s, small), (large_s, large) = compare_s(SMALL_PODS), compare_s(LARGE_PODS)
    print(f"{small} cables compared in {small_s:.2f} s, {large} in {large_s:.2f} s")
    print(result("asbuilt_128000_rows", many, "s", 1.5))
    exponent = log(large_s / small_s) / log(large / small)
    print(result("lists_exponent", exponent, "", 1.1))


if __name__ == "__main__":
    main()
