"""Packages of nodes: the lock and the repository of a plan, and what roles are told of both."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from inventory.model import Fabric
from inventory.nodes.gpu_driver import driver_packages
from inventory.plan import Assumption, Node, PackageLock, PackageRepo, Plan
from inventory.problems import Problem
from inventory.topology import addressing

from .builds import builds_fit
from .lock import VersionsFile, lock_problems
from .systems import SYSTEMS, is_rpm, package_kind

COMPONENT = "main"
# Wins over every other source, also for an older version (apt_preferences(5)).
PIN_PRIORITY = 1001


def lock(fabric: Fabric) -> PackageLock:
    """Return the version lock of the site's nodes; packages sorted by name."""
    file = fabric.versions.file
    kind = package_kind(file.os)
    return PackageLock(
        os=file.os,
        suite=file.suite,
        arch=file.arch,
        resolved=file.resolved,
        origin=fabric.versions.origin,
        components=tuple(
            (name, tuple(sorted(wanted))) for name, wanted in sorted(file.components.items())
        ),
        sets=tuple(
            (name, _closed(file, wanted)) for name, wanted in sorted(file.components.items())
        ),
        packages=tuple(
            kind(name, one.version, one.sha256, one.size_bytes)
            for name, one in sorted(file.packages.items())
        ),
    )


def _closed(file: VersionsFile, names: list[str]) -> tuple[str, ...]:
    """These packages and all that they want at exactly one version, sorted."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name in file.packages:
            found.add(name)
            waiting += file.packages[name].needs
    return tuple(sorted(found))


def repo(fabric: Fabric) -> PackageRepo:
    """Return where nodes get their packages: the OOB server's port in their own zone."""
    prefix, port = fabric.intent.oob.zones.hostmgmt, fabric.intent.oob.packages_port
    return PackageRepo(
        port=port,
        prefix=prefix,
        uri=f"http://{addressing.oob_server_address(prefix).ip}:{port}",
        suite=f"railbed-{fabric.versions.file.suite}",
        keyring=fabric.package_key,
    )


def versions_fit(fabric: Fabric) -> Iterator[Problem]:
    """Nodes can only get what the lock names, and apt refuses a set that contradicts itself."""
    profile = fabric.node_profile
    yield from lock_problems(fabric.versions, profile.os, profile.arch)
    yield from builds_fit(fabric.versions)


def ledger(fabric: Fabric) -> Iterator[Assumption]:
    """Say which lock this is: a lab may have one of its own."""
    file = fabric.versions.file
    value = f"{len(file.packages)} packages, resolved on {file.resolved}"
    name = f"package versions: {file.os} {file.arch}"
    yield Assumption(name, value, fabric.versions.origin, measured=False)
    if is_rpm(file.os):
        untried = (
            "RHEL userland not tried: railbed itself was tried only by Debian's dnf and rpm, "
            "with stand-in packages"
        )
        yield Assumption(f"system of nodes: {file.os}", untried, "tests/PROVED.md", measured=False)


def node_vars(plan: Plan) -> dict[str, object]:
    """What a role needs to install from the repository and nothing else."""
    versions = {package.name: package.version for package in plan.packages.packages}
    return {
        "package_repo_arch": plan.packages.arch,
        "package_repo_components": [COMPONENT],
        "package_repo_id": f"railbed-{sha256(plan.repo.keyring.encode()).hexdigest()[:12]}",
        "package_repo_keyring_text": plan.repo.keyring,
        "package_repo_pins": [
            {"package": name, "version": version, "priority": PIN_PRIORITY}
            for name, version in versions.items()
        ],
        "package_repo_suite": plan.repo.suite,
        "package_repo_uri": plan.repo.uri,
    }


def role_vars(plan: Plan, node: Node) -> dict[str, object]:
    """The packages of each role on one node: version by name, sorted."""
    lock, said = plan.packages, node.software
    return {
        "container_runtime_packages": lock.set_of(
            said.containers or "", *(["container_toolkit"] if said.gpu else [])
        ),
        "gds_packages": lock.set_of("gds" if said.gds == "nvidia_fs" else "gds_tools"),
        "nccl_packages": lock.set_of("mpi", "nccl", "nccl_tests"),
        "nvidia_driver_packages": _driver(lock, node),
        "os_base_packages": lock.set_of("lldp", "load", "time"),
        "ofed_packages": lock.set_of("rdma" if said.nics.stack == "inbox" else "doca_ofed"),
        "package_family": SYSTEMS[said.os].family,
    }


def _driver(lock: PackageLock, node: Node) -> dict[str, str]:
    """The driver's, and what GPUs are measured with; none on a node without a driver."""
    if node.software.gpu is None:
        return {}
    asked = {"dcgm": node.acceptance.dcgm_level, "gpu_burn": node.acceptance.burn}
    measure = lock.set_of(*(name for name, wish in asked.items() if wish is not None))
    return dict(sorted({**driver_packages(lock, node.software.gpu), **measure}.items()))


def server_vars(plan: Plan) -> dict[str, object]:
    """What the server of the repository needs."""
    return {
        "package_repo_port": plan.repo.port,
        "package_repo_prefix": str(plan.repo.prefix),
    }
