"""Rows of a node's software: NIC stack, GPU driver, storage path, containers, collectives. Pure.

A part is there only where the node's profile asks for it, so that nothing is asked in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from inventory.nodes.collectives import TOPOLOGY_PATH
from inventory.plan import GpuStack, Node, Plan
from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole
from validation.parse.gpu.cdi_spec import CdiDevice
from validation.parse.gpu.nvidia_proc import registry_dwords

from .facts import HostFacts, known
from .wanted import HostRow, Rows, roce_nics, words_of

_STACK = ("ib_core", "mlx5_core", "mlx5_ib")
_TRAFFIC_CLASS = Whole("traffic class", "1", 0, 255)
_GPUS, _RDMA = "nvidia.com/gpu=all", "railbed.io/rdma=all"
_FABRIC_MANAGER = "nvidia-fabricmanager.service"
# Where DKMS puts modules: Debian's and Red Hat's (dkms(8), `DEST_MODULE_LOCATION`).
_ADDED = ("/updates/", "/extra/", "/weak-updates/")
PARTS = ("stack", "driver", "storage", "containers", "collectives")


def parts(node: Node) -> tuple[str, ...]:
    """What a node's profile asks for, in order; nothing for a node without RDMA and GPU."""
    said = node.software
    asked = {
        "stack": bool(roce_nics(node)),
        "driver": said.gpu is not None,
        "storage": said.gds is not None,
        "containers": said.containers is not None,
        "collectives": said.collectives,
    }
    return tuple(one for one in PARTS if asked[one])


def software_rows(plan: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    """Everything that the plan wants of a node's software."""
    of: dict[str, Callable[[Plan, Node, HostFacts], Iterator[HostRow]]] = {
        "stack": _stack,
        "driver": _driver,
        "storage": _storage,
        "containers": _containers,
        "collectives": _collectives,
    }
    for part in parts(node):
        yield from of[part](plan, node, found)


def _stack(_: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    make = Rows("stack", f"role ofed on {node.name}")
    added = node.software.nics.stack == "doca"
    yield make.row(
        "OFED",
        "installed" if added else "none",
        lambda: "installed" if known(found.ofed) else "none",
    )
    for name in _STACK:
        yield make.row(f"module {name}", "loaded as installed", partial(_fresh, found, name))
        wanted = "added to the kernel" if added else "the kernel's own"
        yield make.row(f"origin of {name}", wanted, partial(_origin, found, name))


def _fresh(found: HostFacts, name: str) -> str:
    """A module that was replaced on disk runs on as it was until it is loaded again."""
    one = known(found.modules).get(name)
    if one is None or not one.is_loaded:
        return "not loaded"
    if one.is_stale is None and not any(part in one.path for part in _ADDED) and one.path:
        return "loaded as installed"
    if one.is_stale is None:
        raise Unreadable(f"the kernel and modinfo do not both tell which build of {name} it is")
    here = one.version or one.srcversion
    return f"{here} loaded, another installed" if one.is_stale else "loaded as installed"


def _origin(found: HostFacts, name: str) -> str:
    one = known(found.modules).get(name)
    if one is None or not one.path:
        raise Unreadable(f"modinfo does not tell where {name} is")
    if f"/lib/modules/{known(found.release)}/" not in one.path:
        return f"another kernel's: {one.path}"
    return "added to the kernel" if any(part in one.path for part in _ADDED) else "the kernel's own"


def _driver(_: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    gpu = node.software.gpu
    if gpu is None:
        return
    make = Rows("driver", f"role nvidia_driver on {node.name}")
    yield from _versions(gpu, make, found)
    yield make.row("kernel modules", "open", lambda: _open(found))
    yield make.row("persistence mode", "Enabled", lambda: _all(found, "Persistence Mode"))
    for option in gpu.options:
        for name, value in words_of(option).items():
            yield make.row(f"option {name}", _sorted(name, value), partial(_option, found, name))
    if gpu.peer_memory == "peermem":
        yield make.row("module nvidia_peermem", "loaded", lambda: _loaded(found, "nvidia_peermem"))


def _versions(gpu: GpuStack, make: Rows, found: HostFacts) -> Iterator[HostRow]:
    """One version everywhere: module, library and fabric manager (fabric manager guide).

    A driver that was installed beside a loaded one runs from the next boot on, and what equals it
    waits with it.
    """
    fresh, same = "loaded as installed", "the loaded module's"
    if gpu.version:
        yield make.staged(
            "driver version",
            gpu.version,
            lambda: known(found.gpu.module)[0],
            lambda: _installed(found, "nvidia"),
        )
    yield make.row(
        "library's version",
        same,
        lambda: _same(found, known(found.gpu.smi).driver),
    )
    yield make.staged(
        "module nvidia",
        fresh,
        lambda: _fresh(found, "nvidia"),
        lambda: fresh if _comes(gpu, found) else "",
    )
    if gpu.nvswitch:
        yield make.staged(
            "fabric manager's version",
            same,
            lambda: _same(found, known(found.gpu.fabric_manager)),
            lambda: (
                same
                if _comes(gpu, found) and known(found.gpu.fabric_manager) == gpu.version
                else ""
            ),
        )
        yield make.row("fabric manager", "active", lambda: _active(found, _FABRIC_MANAGER))
        yield make.row("NVLink fabric", "Completed", lambda: _all(found, "Fabric / State"))
        yield make.row("NVLink fabric's status", "Success", lambda: _all(found, "Fabric / Status"))


def _comes(gpu: GpuStack, found: HostFacts) -> bool:
    """Whether another driver runs, and the next boot brings the planned one."""
    return known(found.gpu.module)[0] != gpu.version == _installed(found, "nvidia")


def _same(found: HostFacts, version: str) -> str:
    loaded = known(found.gpu.module)[0]
    return "the loaded module's" if version == loaded else f"{version}, and {loaded} is loaded"


def _open(found: HostFacts) -> str:
    return "open" if known(found.gpu.module)[1] else "proprietary"


def _all(found: HostFacts, leaf: str) -> str:
    words = sorted({gpu.needed(leaf) for gpu in known(found.gpu.smi).gpus})
    if not words:
        raise Unreadable("nvidia-smi tells of no GPU")
    return ", ".join(words)


def _option(found: HostFacts, name: str) -> str:
    told = known(found.gpu.options)
    if name not in told:
        raise Unreadable(f"the module tells no option {name}")
    return _sorted(name, told[name])


def _sorted(name: str, value: str) -> str:
    if name != "RegistryDwords":
        return value
    return ";".join(f"{key}={word}" for key, word in sorted(registry_dwords(value).items()))


def _loaded(found: HostFacts, name: str) -> str:
    one = known(found.modules).get(name)
    return "loaded" if one is not None and one.is_loaded else "not loaded"


def _installed(found: HostFacts, name: str) -> str:
    one = known(found.modules).get(name)
    if one is None or not one.installed_version:
        raise Unreadable(f"modinfo does not tell which version of {name} is installed")
    return one.installed_version


def _active(found: HostFacts, unit: str) -> str:
    one = known(found.units).get(unit)
    if one is None:
        raise Unreadable(f"systemctl tells nothing of {unit}")
    return one.active if one.is_there else "not installed"


def _storage(_: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    make, gpu = Rows("storage", f"role gds on {node.name}"), node.software.gpu
    yield make.row("platform", "verified", lambda: _verified(found))
    driver = "NVMe P2PDMA" if node.software.gds == "p2pdma" else "NVMe"
    yield make.row(f"GDS driver {driver}", "Supported", lambda: _supported(found, driver))
    if node.software.gds == "nvidia_fs":
        yield make.row("module nvidia_fs", "loaded", lambda: _loaded(found, "nvidia_fs"))
    yield make.row("gates fall back to the CPU", "no", lambda: _fallback(found))
    peer = "nvidia_peermem" if gpu is not None and gpu.peer_memory == "peermem" else "dmabuf"
    yield make.row("rdma_peer_type", peer, partial(_property, found, "rdma_peer_type"))
    addresses = [str(nic.address.ip) for nic in node.nics if nic.plane == "storage" and nic.address]
    addresses += [str(vlan.address.ip) for vlan in node.vlans if vlan.plane == "storage"]
    yield make.row(
        "rdma_dev_addr_list", str(addresses), partial(_property, found, "rdma_dev_addr_list")
    )


def _verified(found: HostFacts) -> str:
    return "verified" if known(found.gds).verified else "not verified"


def _supported(found: HostFacts, driver: str) -> str:
    told = known(found.gds).drivers
    if driver not in told:
        raise Unreadable(f"gdscheck tells nothing of {driver}")
    return "Supported" if told[driver] else "Unsupported"


def _fallback(found: HostFacts) -> str:
    """A gate may not: reads that fall back look fine, and are slow."""
    return "no" if known(found.gate_cufile).get("properties.allow_compat_mode") is False else "yes"


def _property(found: HostFacts, name: str) -> str:
    return str(known(found.cufile).get(f"properties.{name}", "not set"))


def _containers(_: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    engine = node.software.containers or ""
    make = Rows("containers", f"role container_runtime on {node.name}")
    yield make.row(engine, "active", lambda: _active(found, f"{engine}.service"))
    # Docker's containers are children of containerd's shim, so its limit is theirs, too.
    for program in ("containerd", "dockerd") if engine == "docker" else ("containerd",):
        yield make.row(
            f"{program} may lock memory",
            "unlimited",
            partial(_limit, found, program),
        )
    if node.software.gpu is not None:
        yield make.row("all GPUs by CDI", _GPUS, lambda: _cdi(found, _GPUS))
    yield from _fabric(node, make, found)


def _fabric(node: Node, make: Rows, found: HostFacts) -> Iterator[HostRow]:
    """What a container needs of the fabric: without one of it NCCL falls back to sockets.

    A specification without any edit is refused, so a node without both is asked for neither.
    """
    rdma = sorted({nic.rdma_device for nic in roce_nics(node) if nic.rdma_device})
    files = ["/etc/nccl.conf", "/etc/ucx/ucx.conf"] if node.software.collectives else []
    files += [TOPOLOGY_PATH] if files and node.software.topology else []
    if (rdma or files) and node.software.gpu is not None:
        yield make.row("RDMA by CDI", _RDMA, lambda: _cdi(found, _RDMA))
    if rdma:
        wanted = f"rdma_cm and uverbs of {len(rdma)} devices"
        yield make.row(f"nodes of {_RDMA}", wanted, partial(_nodes, found, rdma, wanted))
    if files:
        yield make.row(f"files of {_RDMA}", ", ".join(files), partial(_mounts, found, files))


def _nodes(found: HostFacts, rdma: list[str], wanted: str) -> str:
    nodes, verbs = _brought(found).nodes, known(found.verbs)
    untold = [one for one in rdma if one not in verbs]
    if untold:
        raise Unreadable(f"the kernel does not tell the uverbs of {', '.join(untold)}")
    lacks = [] if "/dev/infiniband/rdma_cm" in nodes else ["rdma_cm"]
    lacks += [f"the uverbs of {one}" for one in rdma if verbs[one] not in nodes]
    return f"it lacks {', '.join(lacks)}" if lacks else wanted


def _mounts(found: HostFacts, files: list[str]) -> str:
    mounts = _brought(found).mounts
    return ", ".join(file for file in files if mounts.get(file) == file) or "none of them"


def _brought(found: HostFacts) -> CdiDevice:
    """What our device brings; nothing where it is not described."""
    return known(found.cdi).get(_RDMA, CdiDevice(frozenset(), {}))


def _limit(found: HostFacts, program: str) -> str:
    told = known(found.limits).get((program, "locked memory"))
    if told is None:
        raise Unreadable(f"{program} does not run, or its limits are not told")
    return told


def _cdi(found: HostFacts, wanted: str) -> str:
    devices = known(found.devices)
    return wanted if wanted in devices else f"{len(devices)} other devices"


def _collectives(plan: Plan, node: Node, found: HostFacts) -> Iterator[HostRow]:
    make = Rows("collectives", f"role nccl on {node.name}")
    dscp = f"DSCP {plan.lossless.dscp}"
    for name in ("NCCL_GIN_IB_TC", "NCCL_IB_TC"):
        yield make.row(name, dscp, partial(_nccl_class, found, name))
    yield make.row(
        "UCX_IB_TRAFFIC_CLASS", dscp, lambda: _class_of(known(found.ucx), "UCX_IB_TRAFFIC_CLASS")
    )
    devices = ",".join(nic.rdma_device for nic in node.rails if nic.rdma_device)
    if devices:
        # The first `=` ends the name, the second asks for exact names (NCCL's user guide).
        yield make.row(
            "NCCL_IB_HCA", f"={devices}", lambda: known(found.nccl).get("NCCL_IB_HCA", "not set")
        )


def _nccl_class(found: HostFacts, name: str) -> str:
    return _class_of(known(found.nccl), name)


def _class_of(told: Mapping[str, str], name: str) -> str:
    value = told.get(name, "")
    try:
        return f"DSCP {_TRAFFIC_CLASS.read(value) >> 2}" if value else "not set"
    except Unreadable:
        return value
