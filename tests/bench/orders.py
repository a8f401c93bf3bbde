"""Orders of a rollout: small random sites against every order, and the time of a large one.

Each random site has a random change (classes, MTU, adaptive routing, ASNs, boxes). The order that
is found for it is walked state by state, packet by packet, by a simulator that shares nothing with
it (`tests/validation/order/walked.py`), and all orders are gone through: there must be one exactly
where one was found. Then superpod-10k: 510 switches, 1,424 servers, some changes one by one.

Run as `python -m tests.bench.orders [SITES [SEED]]`; about a minute.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from inventory import open_site, site_folder
from inventory.plan import Plan
from tests.bench.results import result
from tests.validation.order import walked
from tests.validation.order.agreed import agreed
from validation.order.order import Order, order

SITES = 400
MOST_STATES = 20_000
LARGE = "superpod-10k"
LARGE_S = 60.0
CHANGES = {
    "dscp": {"\n  dscp: 26": "\n  dscp: 34"},
    "priority": {"\n  priority: 3": "\n  priority: 4"},
    "mtu_down": {"{hosts: 9000, switches: 9216}": "{hosts: 8000, switches: 8216}"},
    "asn": {"superspines: 4200000000": "superspines: 4200000900"},
}


def small(count: int, seed: int) -> None:
    """Random sites against all their orders."""
    how: Counter[str] = Counter()
    wrong, whole = 0, 0
    while how.total() < count:
        site = walked.drawn(seed, most=256)
        if site is not None:
            found = agreed(site, MOST_STATES)
            how[found.how] += 1
            wrong += bool(found.wrong)
            whole += found.tried
            if found.wrong:
                print(f"seed {seed}: {found.how}: {found.wrong}")
        seed += 1
    print(", ".join(f"{count} {word}" for word, count in how.most_common()))
    print(result("orders_random_sites", how.total(), "sites", 200, most=False))
    print(result("orders_all_tried", 100 * whole / how.total(), "%", 95, most=False))
    print(result("orders_disagree", wrong, "sites", 0))


def changed(texts: dict[str, str]) -> Plan:
    """The large site with some texts of its inventory changed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / LARGE
        shutil.copytree(site_folder(LARGE), folder)
        path = folder / "fabric.yml"
        text = path.read_text(encoding="utf-8")
        for old, new in texts.items():
            if old not in text:
                raise SystemExit(f"{path} has no {old!r}")
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return open_site(folder)


def timed(name: str, old: Plan, new: Plan, replaced: tuple[str, ...] = ()) -> Order:
    """One order of the large site, with what it took of the processor."""
    begin = time.process_time()
    found = order(old, new, replaced)
    took_s = time.process_time() - begin
    own = "as planned" if found.own is None else f"own order wrong: {found.own}"
    print(f"{name}: {len(found.steps)} steps, {found.looks} looks; {own}")
    print(result(f"orders_{name}", took_s, "s", LARGE_S))
    print(result(f"orders_{name}_found", int(bool(found.steps)), "orders", 1, most=False))
    return found


def large() -> None:
    """The changes of the large site."""
    old = open_site(LARGE)
    for name, texts in CHANGES.items():
        new = changed(texts)
        timed(name, old, new)
        if name == "mtu_down":
            timed("mtu_up", new, old)
    for tier in ("leaf", "spine", "superspine"):
        box = next(one.name for one in old.switches if one.tier == tier)
        timed(f"replace_{tier}", old, old, (box,))


if __name__ == "__main__":
    asked = [int(one) for one in sys.argv[1:]]
    small(asked[0] if asked else SITES, asked[1] if len(asked) > 1 else 1)
    large()
