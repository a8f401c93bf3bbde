"""What files of packages are called where they are kept together. Pure."""

from __future__ import annotations

from inventory.plan import LockedPackage


def file_name(package: LockedPackage) -> str:
    """A package's name in a pool: without epoch, as in Debian's own (Policy 5.6.12)."""
    between = "_" if package.ending == "deb" else "-"
    version = package.version.rpartition(":")[2]
    parts = (package.name, version, package.sha256[:8])
    return f"{between.join(parts)}.{package.ending}"
