"""Asks dnf 4 about repositories, for a machine that has no packages; run by dnf_run.py.

The system's own Python runs it, because dnf's modules are Debian's. A question comes as JSON on
stdin, the answer goes as JSON to stdout: `{"error": ...}` where there is none. All that dnf
writes lies below the folder that the question names. Calls: DNF 4 API reference.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dnf
import dnf.exceptions
import dnf.module.module_base

# The group of a minimal system (comps of BaseOS), and what both engines and roles reach it by.
_CORE = "core"
_REACHED_BY = ("openssh-server", "python3", "systemd", "dracut", "grubby", "NetworkManager")


def opened(asked: dict[str, Any]) -> Any:
    """A base of dnf with the lists of all repositories, checked; nothing is installed there."""
    base = dnf.Base()
    conf, folder = base.conf, asked["folder"]
    conf.installroot = f"{folder}/root"
    conf.cachedir = f"{folder}/cache"
    conf.persistdir = f"{folder}/persist"
    conf.logdir = f"{folder}/log"
    Path(conf.logdir).mkdir(parents=True, exist_ok=True)
    conf.reposdir = []
    conf.varsdir = []
    conf.pluginpath = []
    conf.arch = asked["arch"]
    conf.ignorearch = True
    conf.releasever = asked["release"]
    conf.install_weak_deps = False
    conf.timeout = asked["silence_s"]
    for row in asked["repositories"]:
        repo = base.repos.add_new_repo(row["name"], conf, baseurl=[row["url"]])
        repo.gpgkey = [f"file://{one}" for one in row["keys"]]
        repo.repo_gpgcheck = row["lists_signed"]
        # A list that cannot be had, or is not signed any more, ends it; no older one is taken.
        repo.skip_if_unavailable = False
        # As `dnf --refresh`: `metadata_expire = 0` still believes lists that came this very second.
        repo._repo.expire()  # noqa: SLF001 - dnf has no other way
    base.fill_sack(load_system_repo=False)
    here = base.sack.query().filter(arch=[asked["arch"], "noarch"])
    base.sack.add_excludes(base.sack.query().difference(here))
    if asked["streams"]:
        dnf.module.module_base.ModuleBase(base).enable(asked["streams"])
    return base


def brings(base: Any, wanted: list[str], base_system: list[str]) -> dict[str, Any]:
    """Name -> package of all that installing these on an empty machine would bring."""
    base.reset(goal=True)
    for name in wanted:
        base.install(name)
    for name in base_system:
        base.install(name, strict=False)
    base.resolve()
    return {one.name: one for one in base.transaction.install_set}


def minimal(base: Any) -> list[str]:
    """What a minimal system of the release is made of."""
    base.read_comps(arch_filter=True)
    group = base.comps.group_by_pattern(_CORE)
    if group is None:
        raise dnf.exceptions.Error(
            f"no repository has the group {_CORE!r}: name the distribution's own, like BaseOS"
        )
    names = {*_REACHED_BY, *(one.name for one in group.mandatory_packages)}
    return [one for one in sorted(names) if base.sack.query().filter(provides=one)]


def resolved(base: Any, names: list[str]) -> dict[str, Any]:
    """What `names` bring beyond a minimal system, and all that these need at one version."""
    system = minimal(base)
    there = {name: one for name, one in brings(base, [], system).items() if name not in names}
    found = brings(base, names, system)
    kept = {name: one for name, one in found.items() if name not in there}
    told = {name: described(base, one, found) for name, one in kept.items()}
    while more := {other for one in told.values() for other in one["needs"]} - {*told}:
        told |= {name: described(base, found[name], found) for name in more}
    return told


def described(base: Any, package: Any, among: dict[str, Any]) -> dict[str, Any]:
    """One package as a lock has it; `needs` are those of `among` that it wants exactly."""
    kind, digest = package.returnIdSum()
    if kind != "sha256":
        raise dnf.exceptions.Error(f"{package.repoid}: {kind} in its lists, expected sha256")
    return {
        "version": _version(package),
        "sha256": digest,
        "size_bytes": package.downloadsize,
        "licence": package.license or "",
        "needs": dict(sorted(_exactly(base, package, among))),
    }


def _exactly(base: Any, package: Any, among: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """By name or by what it provides, with or without the release (rpm-dependencies(7))."""
    for need in package.requires:
        version = str(need).partition(" = ")[2].removeprefix("0:")
        if not version:
            continue
        for other in base.sack.query().filter(provides=need):
            is_one = among.get(other.name) == other and other.name != package.name
            if is_one and version in (_version(other), _version(other).rpartition("-")[0]):
                yield other.name, _version(other)


def _version(package: Any) -> str:
    return str(package.evr).removeprefix("0:")


def _all_of(base: Any, name: str) -> Any:
    return sorted(base.sack.query().filter(name=name), reverse=True)


def answer(asked: dict[str, Any]) -> object:
    """The answer to one question; raises what dnf raises."""
    base = opened(asked)
    if "resolve" in asked:
        return resolved(base, asked["resolve"])
    if "versions" in asked:
        return {
            name: list(dict.fromkeys(_version(one) for one in _all_of(base, name)))
            for name in asked["versions"]
        }
    return downloaded(base, asked["download"], asked["into"])


def downloaded(base: Any, files: dict[str, str], into: str) -> dict[str, dict[str, str]]:
    """Bring packages, SHA-256 by name, into a folder; by repository, files by package."""
    base.conf.destdir = into
    told: dict[str, dict[str, str]] = {}
    for name, digest in files.items():
        offered = [one for one in _all_of(base, name) if one.returnIdSum() == ("sha256", digest)]
        if offered:
            try:
                base.download_packages(offered[:1])
            except dnf.exceptions.Error as error:
                raise dnf.exceptions.Error(f"{name}: {error}") from None
            file = Path(offered[0].localPkg()).name
            told.setdefault(offered[0].repoid, {})[name] = file
    return told


def main() -> int:
    """Answer one question."""
    try:
        told = answer(json.load(sys.stdin))
    except (dnf.exceptions.Error, OSError) as error:
        told = {"error": " ".join(str(error).split())}
    json.dump(told, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
