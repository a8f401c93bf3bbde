"""Where a file would change the meaning of one that a role owns, or take its place: globs.

The search paths are those of systemd.unit(5), systemd.network(5), sysctl.d(5),
modprobe.d(5), modules-load.d(5), udev(7) and systemd-system.conf(5).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

_UNITS = PurePosixPath("/etc/systemd/system")
# Beside each of them lies one more, of `systemctl set-property`: system.control.
_UNIT_FOLDERS = ("/etc/systemd/system*", "/run/systemd/system*", "/usr/local/lib/systemd/system")
_MORE_ROOTS = ("/run", "/usr/local/lib")
_SEARCHED_BELOW = ("modprobe.d", "modules-load.d", "sysctl.d", "udev/rules.d")
# The last is where packages put theirs; what no package owns is nobody's there, too.
_NETWORK_ROOTS = ("/etc", *_MORE_ROOTS, "/usr/lib")
_NETWORK = frozenset({".link", ".netdev", ".network"})
_UNIT = frozenset({".mount", ".path", ".service", ".socket", ".target", ".timer"})


def of_file(path: str) -> Iterator[str]:
    """What lies beside an owned file that is a drop-in, or below one that has drop-ins."""
    place = PurePosixPath(path)
    folder = place.parent
    if folder.suffix == ".d":
        yield f"{folder}/*"
        below = str(folder).removeprefix("/etc/")
        # Drop-ins of units have folders of their own kind: `of_unit`.
        if below in _SEARCHED_BELOW or (below.startswith("systemd/") and folder.parent != _UNITS):
            yield from (f"{root}/{below}/*" for root in _MORE_ROOTS)
    if place.suffix in _NETWORK:
        yield from _of_network(place.name)
    if place.suffix in _UNIT and folder == _UNITS:
        yield from of_unit(place.name)


def of_port(by: str) -> Iterator[str]:
    """What lies beside the files that another tool writes for a port: netplan makes all three."""
    place = PurePosixPath(by)
    if place.suffix == ".network":
        for kind in sorted(_NETWORK):
            yield from _of_network(f"{place.stem}{kind}")


def _of_network(name: str) -> Iterator[str]:
    yield from (f"{root}/systemd/network/{name}.d/*" for root in _NETWORK_ROOTS)


def of_unit(name: str) -> Iterator[str]:
    """Another file for a unit, and drop-ins for it, for its kind and for its prefixes."""
    yield f"/run/systemd/transient/{name}"
    for folder in _UNIT_FOLDERS:
        yield f"{folder}/{name}"
        yield from (f"{folder}/{one}.d/*" for one in _with_drop_ins(name))


def _with_drop_ins(name: str) -> Iterator[str]:
    """`a-b.service` has those of `a-.service` and of `service` as well."""
    stem, _, kind = name.rpartition(".")
    parts = stem.split("-")
    yield name
    yield kind
    yield from (f"{'-'.join(parts[:end])}-.{kind}" for end in range(1, len(parts)))
