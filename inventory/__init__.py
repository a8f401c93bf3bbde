"""The truth of a site: files in, one frozen Plan out. Opens no socket, starts no process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .derive import derive
from .load.site import read, site_folder
from .plan import Plan
from .problems import InventoryError, Problem
from .rules.check import check

__all__ = ["InventoryError", "Plan", "Problem", "open_site", "site_folder", "uncollected"]


def open_site(site: Path | str, state: Path | None = None) -> Plan:
    """Return the plan of a site: a name under `inventory/sites`, or a folder.

    `state` is the site's state folder: the public key that signs its packages lies there,
    and a lab's own version lock. Raises InventoryError with all problems of all files at once.
    """
    with uncollected():
        fabric, problems = read(site, state)
        if fabric is not None:
            problems += check(fabric)
        if fabric is None or problems:
            raise InventoryError(problems)
        return derive(fabric)


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector still: a quarter of the time of a large site.

    Millions of objects are made here and all of them are kept, so each of its rounds would look
    at more of them and find nothing. What is not in a cycle is freed without it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
