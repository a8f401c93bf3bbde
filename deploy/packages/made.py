"""Packages that are made here, in place of their makers': into the cache, as a lock names them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable

from deploy.lab.hardware.debs import Deb, build, control
from inventory.plan import LockedPackage
from validation.evidence.aside import scratch

from .fetch import cached
from .offered import Offered

_EXACTLY = re.compile(r"([a-z0-9][a-z0-9+.-]+)(?::any)? \(= ([^)\s]+)\)")
# What this process has made, by what the package says of itself.
_MADE: dict[str, Offered] = {}


def into_cache(debs: Iterable[Deb]) -> dict[str, Offered]:
    """Build packages into the cache; what a lock says of each, by name."""
    listed = list(debs)
    new = [one for one in listed if not _is_cached(one)]
    with scratch("made") as folder:
        for deb, path in zip(new, build(new, folder), strict=True):
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            needs = dict(_EXACTLY.findall(deb.depends))
            _MADE[control(deb)] = Offered(deb.version, digest, len(content), needs)
            place = cached(_locked(deb))
            place.parent.mkdir(parents=True, exist_ok=True)
            # Others may build the same package now: only a whole file takes the place.
            aside = place.with_name(f"{place.name}.{os.getpid()}")
            shutil.copyfile(path, aside)
            aside.replace(place)
    return {one.name: _MADE[control(one)] for one in listed}


def _is_cached(deb: Deb) -> bool:
    return control(deb) in _MADE and cached(_locked(deb)).is_file()


def _locked(deb: Deb) -> LockedPackage:
    one = _MADE[control(deb)]
    return LockedPackage(deb.name, one.version, one.sha256, one.size_bytes)
