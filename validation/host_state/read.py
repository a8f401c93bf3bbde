"""From a host state to facts: which answer tells what, on which machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial

from inventory.golden.evidence import Unreadable as NotWhole
from inventory.golden.topo import GpuRow, parse_topo
from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole
from switch_configs.answers.linux.iproute import links
from validation.manifest.ask_node import FAILED
from validation.parse.gpu import (
    cdi_list,
    cdi_spec,
    cufile,
    fabric_manager,
    gdscheck,
    nccl_conf,
    nvidia_proc,
    nvidia_smi,
    nvlink,
)
from validation.parse.host import host_kernel, kernel_log, lspci, net_owner, node_tools, units
from validation.parse.host.host_state import HostState, NicAt, values
from validation.parse.host.lspci import PciDevice
from validation.parse.host.node_tools import UNLIMITED, limit_bytes
from validation.parse.nic import dcb, ethtool, mlnx_qos, mlxconfig, mlxreg, ofed_info, rdma_sysfs
from validation.parse.nic.mlxconfig import NvValue
from validation.parse.nic.port_qos import PRIORITIES, PortQos
from validation.parse.nic.rdma_sysfs import Gid

from .facts import Forced, GpuFacts, HostFacts, NicFacts, Unread, fact, known, neutral

Files = Mapping[str, str | None]
_PRIORITY = Whole("priority", "1", 0, PRIORITIES - 1)
_SIGNALS = "/run/railbed/reboot-required.d/"
# NetworkManager calls a port so that somebody else has set up (nmcli(1), device states).
_NOT_MINE = ("connected (externally)", "unmanaged")
_CDI = "/var/run/cdi/railbed-rdma.json"
_VERBS = re.compile(r"/sys/class/infiniband_verbs/(uverbs\d+)/ibdev")
_GATE_CUFILE = "/etc/railbed/cufile-gate.json"
_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_GDSCHECK = "/usr/local/cuda/gds/tools/gdscheck -p"
# NICs and nodes of one kind say the same: equal answers are read once.
_ONCE = lru_cache(maxsize=1024)
_MLNX_QOS, _DCB = _ONCE(mlnx_qos.port_qos), _ONCE(dcb.port_qos)
_MLXCONFIG, _REGISTER = _ONCE(mlxconfig.settings), _ONCE(mlxreg.fields_of)
_PAUSE, _RINGS = _ONCE(ethtool.pause), _ONCE(ethtool.rings)
_SMI, _LSPCI, _CPU = _ONCE(nvidia_smi.query), _ONCE(lspci.devices), _ONCE(host_kernel.cpus)


def facts(state: HostState) -> HostFacts:
    """Everything that the machine told; what it did not tell is Unread."""
    files = fact(lambda: values(state, "files"))
    nvidia = fact(lambda: values(state, "nvidia"))
    smi = fact(lambda: _SMI(state.text("nvidia-smi -q")).whole())
    whole = _Whole(state)
    return HostFacts(
        identity=state.identity,
        nics=tuple(whole.nic(at) for at in state.identity.nics),
        release=fact(lambda: state.text("uname -r").strip()),
        arguments=fact(lambda: host_kernel.arguments(state.text("cat /proc/cmdline"))),
        hugepages=fact(lambda: host_kernel.hugepages(values(state, "kernel"))),
        cpus=fact(lambda: _CPU(state.text("cpu"))),
        thp=fact(lambda: host_kernel.chosen(values(state, "kernel").get(_THP), _THP)),
        pci=whole.pci,
        modules=fact(lambda: host_kernel.modules(state.text("modules"))),
        units=fact(lambda: units.units(state.text("units"))),
        signals=fact(lambda: _signals(known(files))),
        failed=fact(lambda: node_tools.failed_units(state.text(FAILED))),
        gpu=GpuFacts(
            fact(lambda: nvidia_proc.module(known(nvidia).get("/proc/driver/nvidia/version"))),
            smi,
            fact(lambda: nvidia_proc.options(known(nvidia).get("/proc/driver/nvidia/params"))),
            fact(lambda: fabric_manager.version(state.text("nv-fabricmanager --version"))),
            fact(lambda: _topology(state.text("nvidia-smi topo -m"))),
            fact(lambda: _links(state.text("nvidia-smi nvlink -s"))),
        ),
        ofed=fact(lambda: _ofed(state)),
        gds=fact(lambda: gdscheck.check(state.text(_GDSCHECK))),
        cufile=fact(lambda: cufile.settings(known(files).get("/etc/cufile.json"))),
        gate_cufile=fact(lambda: cufile.settings(known(files).get(_GATE_CUFILE))),
        nccl=fact(lambda: _conf(known(files), "/etc/nccl.conf")),
        ucx=fact(lambda: _conf(known(files), "/etc/ucx/ucx.conf")),
        devices=fact(lambda: cdi_list.devices(state.text("nvidia-ctk cdi list"))),
        cdi=fact(lambda: _cdi(values(state, "cdi"))),
        verbs=fact(lambda: _verbs(values(state, "cdi"))),
        limits=fact(lambda: _limits(state.text("limits"))),
        log=fact(lambda: kernel_log.whole_log(state.text("log"))),
        packages=fact(lambda: _packages(state.text("packages"))),
    )


def _topology(text: str) -> tuple[GpuRow, ...]:
    try:
        return parse_topo(text)
    except NotWhole as why:
        raise Unreadable(f"nvidia-smi topo -m: {why}") from None


def _links(text: str) -> tuple[nvlink.Linked, ...]:
    """The frame came whole, by its digest: so its lines may be counted here."""
    lines = text.splitlines()
    return nvlink.status("\n".join([*lines, f"end {len(lines)}"]))


def _signals(files: Files) -> dict[str, str]:
    found = {
        path.removeprefix(_SIGNALS): " ".join((text or "it gives no reason").split())
        for path, text in files.items()
        if path.startswith(_SIGNALS)
    }
    if "/run/reboot-required" in files:
        found["the distribution"] = "its packages ask for a reboot"
    return dict(sorted(found.items()))


def _ofed(state: HostState) -> ofed_info.Ofed | None:
    """The OFED that is installed; None where only the distribution's driver is."""
    return None if state.lacks("ofed_info -s") else ofed_info.ofed(state.text("ofed_info -s"))


def _conf(files: Files, path: str) -> dict[str, str]:
    if path not in files:
        raise Unreadable(f"there is no {path}")
    return nccl_conf.settings(files[path], path)


def _cdi(files: Files) -> dict[str, cdi_spec.CdiDevice]:
    """What our own description of devices brings; nothing where there is none."""
    return cdi_spec.cdi_devices(files[_CDI], _CDI) if _CDI in files else {}


def _verbs(files: Files) -> dict[str, str]:
    """RDMA device to its node: `ibdev` names the device (linux, core/uverbs_main.c)."""
    found = {name[1]: text for path, text in files.items() if (name := _VERBS.fullmatch(path))}
    return {text.strip(): f"/dev/infiniband/{name}" for name, text in found.items() if text}


def _packages(text: str) -> dict[str, str]:
    """Lines `NAME VERSION STATUS`; `ii` is installed (dpkg-query(1), db:Status-Abbrev)."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) != 3:
            raise Unreadable(f"the packages hold {line[:80]!r}")
        if words[2] == "ii":
            found[words[0]] = words[1]
    return found


def _limits(text: str) -> dict[tuple[str, str], str]:
    """Lines `PROGRAM|locked memory  SOFT  HARD  bytes` of /proc/PID/limits; the lowest counts."""
    found: dict[tuple[str, str], str] = {}
    for line in text.splitlines():
        row = re.fullmatch(r"(\w+)\|([a-z ]+?)\s{2,}(\S+)\s+(\S+)(\s.*)?", line)
        if not row or _size(row[3]) > _size(row[4]):
            raise Unreadable(f"the limits hold {line[:80]!r}")
        key = (row[1], row[2])
        found[key] = min(found.get(key, row[3]), row[3], key=_size)
    return found


def _size(value: str) -> tuple[bool, int]:
    """Orders limits: nothing is more than unlimited."""
    units = limit_bytes(value, 1)
    return units == UNLIMITED, units


class _Whole:
    """What all NICs share: read once, or why not."""

    def __init__(self, state: HostState) -> None:
        self.state = state
        self.rdma = fact(lambda: values(state, "rdma"))
        self.qos = fact(lambda: values(state, "qos"))
        self.gids = fact(lambda: rdma_sysfs.gids(state.text("gids")))
        self.links = fact(lambda: links(state.text("ip -j link show")))
        self.pci = fact(lambda: _LSPCI(state.text("lspci")))

    def nic(self, at: NicAt) -> NicFacts:
        """One NIC's facts."""
        rdma = at.rdma[0] if at.rdma else ""
        raw = fact(partial(self._port_qos, at.port))
        nv = fact(lambda: _MLXCONFIG(self.state.text(f"mlxconfig -d {at.pci} -e q")))
        register = f"mlxreg -d {at.pci} --reg_name ROCE_ACCL --get"
        port = at.port
        return NicFacts(
            port=port,
            pci=at.pci,
            rdma=rdma,
            qos=raw if isinstance(raw, Unread) else neutral(raw),
            port_qos=raw,
            tos=fact(lambda: rdma_sysfs.number(self._manager(rdma, "tos"), "default_roce_tos")),
            roce_mode=fact(lambda: self._manager(rdma, "mode")),
            forced=fact(lambda: self._forced(rdma)),
            ecn=fact(lambda: self._ecn(port, nv)),
            cnp_dscp=fact(lambda: self._cnp(at, "cnp_dscp", "np_cnp_dscp")),
            cnp_priority=fact(lambda: self._cnp_priority(at)),
            pause=fact(lambda: _PAUSE(self.state.text(f"ethtool -a {port}"))),
            rings=fact(lambda: _RINGS(self.state.text(f"ethtool -g {port}"))),
            ip_mtu_bytes=fact(lambda: self._mtu(port)),
            gids=fact(lambda: self._gids(rdma)),
            firmware=fact(lambda: self._file(f"/sys/class/infiniband/{rdma}/fw_ver")),
            settings=nv,
            accelerations=fact(lambda: _REGISTER(self.state.text(register))),
            pci_device=fact(lambda: self._pci(at.pci)),
            link_layer=fact(lambda: self._file(f"/sys/class/infiniband/{rdma}/ports/1/link_layer")),
            owners=fact(lambda: self._owners(port)),
        )

    def _port_qos(self, port: str) -> PortQos:
        """Of the two tools the one that is there; where both are, they must agree."""
        ofed, inbox = mlnx_qos.line(port), f"dcb -j pfc show dev {port}"
        found = []
        if not self.state.lacks(ofed):
            found.append(_MLNX_QOS(self.state.text(ofed)))
        if not self.state.lacks(inbox) and (not found or self.state.told[inbox].status == 0):
            found.append(self._by_dcb(port))
        if not found:
            raise Unreadable("neither mlnx_qos nor dcb is there")
        if len(found) > 1 and neutral(found[0]) != neutral(found[1]):
            raise Unreadable(f"mlnx_qos and dcb do not agree on {port}")
        return found[0]

    def _by_dcb(self, port: str) -> PortQos:
        told = {
            what: fact(partial(self.state.text, f"dcb -j {what} show dev {port}"))
            for what in ("pfc", "ets", "-N app", "buffer", "dcbx")
        }
        maybe = {what: None if isinstance(one, Unread) else one for what, one in told.items()}
        return _DCB(
            known(told["pfc"]),
            known(told["ets"]),
            known(told["-N app"]),
            maybe["buffer"],
            maybe["dcbx"],
        )

    def _file(self, path: str) -> str:
        text = known(self.rdma).get(path)
        if not text:
            raise Unreadable(f"{path} is not there or empty")
        return text.strip()

    def _manager(self, rdma: str, what: str) -> str:
        return self._file(f"/sys/kernel/config/rdma_cm/{rdma}/ports/1/default_roce_{what}")

    def _forced(self, rdma: str) -> Forced:
        path = f"/sys/class/infiniband/{rdma}/tc/1/traffic_class"
        found = known(self.rdma)
        if path not in found:
            return Forced(offered=False, traffic_class=None)
        return Forced(offered=True, traffic_class=rdma_sysfs.traffic_class(found[path]))

    def _ecn(self, port: str, nv: Mapping[str, NvValue] | Unread) -> tuple[int, ...]:
        """NVIDIA's driver has a file for each priority; of the kernel's own only firmware tells."""
        ends = [
            self._switches(f"/sys/class/net/{port}/ecn/{end}/enable/")
            for end in ("roce_np", "roce_rp")
        ]
        if all(len(end) == PRIORITIES for end in ends):
            return tuple(one for one in range(PRIORITIES) if all(end[one] for end in ends))
        if any(ends):
            raise Unreadable(f"/sys/class/net/{port}/ecn does not tell of all priorities")
        found = mlxconfig.needed(known(nv), "ROCE_CC_PRIO_MASK_P1")
        return mlxconfig.mask(found.next if found.current is None else found.current)

    def _switches(self, folder: str) -> dict[int, bool]:
        return {
            _PRIORITY.read(path.removeprefix(folder)): bool(rdma_sysfs.number(text, path))
            for path, text in known(self.qos).items()
            if path.startswith(folder)
        }

    def _cnp(self, at: NicAt, ofed: str, inbox: str) -> int:
        found = known(self.qos)
        for path in (
            f"/sys/class/net/{at.port}/ecn/roce_np/{ofed}",
            f"/sys/kernel/debug/mlx5/{at.pci}/cc_params/{inbox}",
        ):
            if path in found:
                return rdma_sysfs.number(found[path], path)
        raise Unreadable(f"the driver of {at.port} does not tell {ofed}")

    def _cnp_priority(self, at: NicAt) -> str:
        """With a mode other than 0 notifications do not go with this priority (mlx5, cong.c)."""
        told = str(self._cnp(at, "cnp_802p_prio", "np_cnp_prio"))
        path = f"/sys/kernel/debug/mlx5/{at.pci}/cc_params/np_cnp_prio_mode"
        if f"/sys/class/net/{at.port}/ecn/roce_np/cnp_802p_prio" in known(self.qos):
            return told
        mode = rdma_sysfs.number(known(self.qos).get(path, "0"), path)
        return f"{told}, and mode {mode}" if mode else told

    def _mtu(self, port: str) -> int:
        found = known(self.links).get(port)
        if found is None:
            raise Unreadable(f"ip tells nothing of {port}")
        return found.mtu_bytes

    def _gids(self, rdma: str) -> tuple[Gid, ...]:
        return tuple(gid for gid in known(self.gids) if gid.device == rdma)

    def _pci(self, address: str) -> PciDevice:
        found = known(self.pci).get(address)
        if found is None:
            raise Unreadable(f"lspci tells nothing of {address}")
        return found

    def _owners(self, port: str) -> tuple[tuple[str, str], ...]:
        """The programs that set the port up, each with its word on it."""
        asked = {
            "networkd": ("networkctl list --no-legend --no-pager", net_owner.networkd),
            "networkmanager": (
                "nmcli -t -f DEVICE,STATE,CONNECTION device",
                net_owner.network_manager,
            ),
        }
        found = []
        for name, (line, read) in asked.items():
            if not self._absent(line):
                told = read(self.state.text(line))
                if port not in told:  # both list what they leave alone, too
                    raise Unreadable(f"{name} says nothing of {port}")
                found += [] if told[port] in _NOT_MINE else [(name, told[port])]
        line = "ifquery --list -a"
        if not self._absent(line) and port in net_owner.ifupdown(self.state.text(line)):
            found.append(("ifupdown2", "configured"))
        return tuple(found)

    def _absent(self, line: str) -> bool:
        """Whether the tool is not there, or its service does not run: it owns nothing then."""
        told = self.state.told.get(line)
        return told is not None and (
            self.state.lacks(line) or (told.status != 0 and "not running" in told.errors.lower())
        )
