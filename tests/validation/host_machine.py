"""A GPU node as the plan wants it, in the words of its tools, and its host state as bytes.

Written by hand in the tools' formats, from their sources: mlnx_qos and dcb (mlnx-tools, iproute2),
ethtool, sysfs and configfs, mlxconfig (mstflint, mlxcfg_ui.cpp), nvidia-smi, gdscheck, nvidia-ctk.
What each tool prints lies in `answers`, so that a test may change one and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from inventory import open_site
from inventory.nodes.kernel_arguments import arguments
from inventory.plan import HugePages, Node, Plan
from validation.evidence.gather import management_port
from validation.host_state.wanted import roce_nics
from validation.manifest import ask_node
from validation.stages.s30_node_state.expect import ways_out

MARK = "00112233445566778899aabbccddeeff"
MAC = "02:00:00:00:00:aa"
TIME = "2026-11-21T20:00:00+00:00"
DRIVER = "580.95.05"
CDI = "/var/run/cdi/railbed-rdma.json"
KERNEL = "6.8.0-60-generic"
Answers = dict[str, tuple[int, str]]


@cache
def site() -> Plan:
    """pod-256, its first GPU node with a MAC, and asking for all that a profile can ask."""
    plan = open_site("pod-256")
    node = next(one for one in plan.nodes if one.rails)
    made = asking_for_all(node)
    made = replace(made, management=replace(made.management, mac=MAC))
    nodes = tuple(made if one.name == node.name else one for one in plan.nodes)
    return replace(plan, nodes=nodes)


def asking_for_all(node: Node) -> Node:
    """A GPU node whose profile asks for all that one can ask."""
    assert node.software.gpu is not None
    gpu = replace(
        node.software.gpu,
        version=DRIVER,
        peer_memory="peermem",
        nvswitch=True,
        options=(
            "NVreg_EnableStreamMemOPs=1",
            'NVreg_RegistryDwords="RMForceStaticBar1=1;RmForceDisableIomapWC=1;"',
        ),
    )
    nics = replace(
        node.software.nics,
        stack="doca",
        firmware="28.43.2026",
        settings=(("CNP_DSCP_P1", "48"), ("LINK_TYPE_P1", "2")),
        rings=8192,
        read_request_bytes=4096,
    )
    software = replace(
        node.software, nics=nics, gpu=gpu, gds="nvidia_fs", containers="containerd",
        collectives=True,
    )  # fmt: skip
    rails = tuple(replace(one, out_of_order=True) for one in node.rails)
    made = replace(node, software=software, rails=rails)
    tuned = replace(
        node.tuning,
        kernel_arguments=("iommu=pt",),
        hugepages=(HugePages(1048576, 16, (8, 8)), HugePages(2048, 512, at="runtime")),
        cpu=replace(node.tuning.cpu, governor="performance", idle_exit_us=2),
        thp="madvise",
        acs="disabled",
    )
    return replace(made, tuning=tuned)


def gpu_node() -> Node:
    """The node of `site` that is told of."""
    return next(one for one in site().nodes if one.management.mac == MAC)


def state(changed: Mapping[str, tuple[int, str]] | None = None, without: str = "") -> bytes:
    """The node's host state: healthy, but for what is changed or left out."""
    return sealed({
        name: one for name, one in {**answers(), **(changed or {})}.items() if name != without
    })  # fmt: skip


def sealed(told: Mapping[str, tuple[int, str]]) -> bytes:
    """Frames and seal as host_state.sh writes them; a test runs that and compares."""
    heads, parts = [], [f"railbed-host-state 1 {MARK}\n".encode()]
    for number, (name, (status, text)) in enumerate(told.items()):
        out, why = (text.encode(), b"") if status == 0 else (b"", text.encode())
        digest = hashlib.sha256(out + why).hexdigest()
        head = f"frame {MARK} {number} {status} {len(out)} {len(why)} {digest} {name}\n".encode()
        heads.append(head)
        parts.append(head + out + why + b"\n")
    seal = hashlib.sha256(b"".join(heads)).hexdigest()
    parts.append(f"end {MARK} {len(heads)} {seal}\n".encode())
    return b"".join(parts)


def files(told: Mapping[str, str]) -> str:
    """A frame `values`: each file as `BYTES PATH` and its text."""
    return "".join(f"{len(text)} {path}\n{text}\n" for path, text in told.items())


@cache
def answers() -> Answers:
    """Every answer of the healthy node, by command."""
    return answers_of(site(), gpu_node())


def answers_of(plan: Plan, node: Node) -> Answers:
    """Every answer of a node of `plan` that asks for all, healthy, by command.

    Its driver is the planned one.
    """
    found = dict[str, tuple[int, str]]()
    port = management_port(plan, node.name)
    nics = [(one.port, one.pci, one.rdma_device) for one in roce_nics(node)]
    lines = [f"hostname {node.name}", "boot 11111111-2222-3333-4444-555555555555", f"time {TIME}"]
    lines += ["user 0", f"mac {port} {node.management.mac}", "mac lo 00:00:00:00:00:00"]
    lines += [f"nic {name} {pci} mlx5_core {rdma}" for name, pci, rdma in nics]
    found["identity"] = (0, "\n".join(lines) + "\n")
    found |= {name: (0, text) for name, text in _system(node).items()}
    for name, pci, rdma in nics:
        found |= {line: (0, text) for line, text in _nic(str(name), str(pci), str(rdma)).items()}
        found[f"dcb -j buffer show dev {name}"] = (1, "Attribute not found: Success")
    found["nmcli -t -f DEVICE,STATE,CONNECTION device"] = (127, "timeout: no such command")
    found["ifquery --list -a"] = (127, "sh: 1: ifquery: not found")
    return found


def _system(node: Node) -> dict[str, str]:
    nics, gpu = roce_nics(node), node.software.gpu
    driver = gpu.version if gpu else DRIVER
    rdma = [str(one.rdma_device) for one in nics]
    return {
        "uname -r": f"{KERNEL}\n",
        "ip -j link show": _links(node),
        ask_node.RULES: rules(node),
        ask_node.TABLES: routes(node),
        ask_node.FAILED: "",
        "networkctl list --no-legend --no-pager": "".join(
            f"{number:3} {one.port} ether routable configured\n" for number, one in enumerate(nics)
        ),
        "ofed_info -s": "OFED-internal-25.10-1.7.1:\n",
        "nv-fabricmanager --version": f"Fabric Manager version is : {driver}\n",
        "nvidia-ctk cdi list": "nvidia.com/gpu=0\nnvidia.com/gpu=all\nrailbed.io/rdma=all\n",
        "/usr/local/cuda/gds/tools/gdscheck -p": GDSCHECK,
        "cat /proc/cmdline": f"BOOT_IMAGE=/boot/vmlinuz-{KERNEL} root=/dev/sda1 quiet "
        f"{' '.join(arguments(node.tuning))}\n",
        "nvidia-smi -q": smi(driver=driver),
        "nvidia-smi topo -m": topology(node),
        "nvidia-smi nvlink -s": nvlinks(),
        "log": "end of log, 0 lines\n",
        "packages": "libnccl2 2.28.3-1+cuda13.0 ii \nlibnccl-dev 2.28.3-1+cuda13.0 rc \n",
        "modules": _modules(driver),
        "units": "\n".join(_unit(one) for one in ("nvidia-fabricmanager", "containerd")),
        "limits": "containerd|locked memory       unlimited        unlimited        bytes\n",
        "lspci": "0000:00:01.0 PCI bridge: Intel Corporation Device 352a\n"
        "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- "
        "DirectTrans-\n"
        + "".join(
            f"{one.pci} Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
            "\t\tMaxPayload 512 bytes, MaxReadReq 4096 bytes\n"
            "\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"
            for one in nics
            if one.pci
        ),
        "cpu": "    112 governor performance\n    112 idle POLL 0 0\n    112 idle C1 1 0\n"
        "    112 idle C6 133 1\n",
        "gids": "".join(
            _gids(one.rdma_device, one.port, str(one.address.ip)) for one in nics if one.address
        ),
        "values kernel": files({
            "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
            **_pages(node),
        }),
        "values rdma": files({
            path: text
            for one in rdma
            for path, text in {
                f"/sys/class/infiniband/{one}/tc/1/traffic_class": "Global tclass=106",
                f"/sys/class/infiniband/{one}/ports/1/link_layer": "Ethernet",
                f"/sys/class/infiniband/{one}/fw_ver": "28.43.2026",
                f"/sys/kernel/config/rdma_cm/{one}/ports/1/default_roce_mode": "RoCE v2",
                f"/sys/kernel/config/rdma_cm/{one}/ports/1/default_roce_tos": "106",
            }.items()
        }),
        "values qos": files({path: text for one in nics for path, text in _ecn(one.port).items()}),
        "values nvidia": files({
            "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for "
            f"x86_64  {driver}  Release Build  (dvs-builder@U22)  Tue Sep 23 09:55:41 UTC 2025\n"
            "GCC version:  gcc version 13.3.0",
            "/proc/driver/nvidia/params": 'EnableStreamMemOPs: 1\nRegistryDwords: '
            '"RmForceDisableIomapWC=1;RMForceStaticBar1=1;"\nRmMsg: ""',
        }),
        "values cdi": files({
            CDI: cdi(len(rdma)),
            **{
                f"/sys/class/infiniband_verbs/uverbs{number}/ibdev": one
                for number, one in enumerate(rdma)
            },
        }),
        "values files": files({
            "/etc/cufile.json": '// written here\n{"properties": {"allow_compat_mode": true, '
            f'"rdma_peer_type": "{_peer(node)}", "rdma_dev_addr_list": {_storage(node)},}}}}',
            "/etc/railbed/cufile-gate.json": '{"properties": {"allow_compat_mode": false}}',
            "/etc/nccl.conf": _nccl(node),
            "/etc/ucx/ucx.conf": "UCX_IB_TRAFFIC_CLASS=106",
        }),
    }  # fmt: skip


def _pages(node: Node) -> dict[str, str]:
    """Two NUMA nodes with half each of what is asked for, and no page of the other size."""
    asked = {2048: 0, 1048576: 0, **{one.size_kib: one.count for one in node.tuning.hugepages}}
    return {
        f"/sys/devices/system/node/node{one}/hugepages/hugepages-{kib}kB/nr_hugepages": f"{n // 2}"
        for one in (0, 1)
        for kib, n in asked.items()
    }


def cdi(devices: int) -> str:
    """A CDI specification (its SPEC.md, 0.5.0) with these RDMA devices and the fabric's files."""
    nodes = ["rdma_cm", *(f"uverbs{one}" for one in range(devices))]
    mounts = ["/etc/nccl.conf", "/etc/ucx/ucx.conf"]
    edits = {
        "deviceNodes": [{"path": f"/dev/infiniband/{one}"} for one in nodes],
        "mounts": [{"hostPath": one, "containerPath": one} for one in mounts],
    }
    return json.dumps(
        {
            "cdiVersion": "0.5.0",
            "kind": "railbed.io/rdma",
            "devices": [{"name": "all", "containerEdits": edits}],
        }
    )


def _nccl(node: Node) -> str:
    devices = ",".join(str(one.rdma_device) for one in node.rails)
    return f"# ours\nNCCL_GIN_IB_TC=106\nNCCL_IB_HCA=={devices}\nNCCL_IB_TC=106"


def _links(node: Node) -> str:
    ports = [(one.port, one.ip_mtu_bytes) for one in node.rails]
    ports += [(one.port, one.ip_mtu_bytes) for one in node.nics]
    rows = [
        f'{{"ifname":"{port}","mtu":{mtu},"operstate":"UP","flags":["UP","LOWER_UP"]}}'
        for port, mtu in ports
    ]
    return f"[{','.join(rows)}]"


def _ways(node: Node) -> list[tuple[str, str, str, int, int, str, str]]:
    """Port, address, gateway, table, priority, and what is near and far, of each routed NIC."""
    return [
        (one.port, str(one.address), str(one.gateway), one.table, one.rule_priority,
         str(one.near), str(one.far))
        for one in ways_out(node)
    ]  # fmt: skip


def _peer(node: Node) -> str:
    """What cuFile calls the way by which NICs reach GPU memory."""
    gpu = node.software.gpu
    return "nvidia_peermem" if gpu and gpu.peer_memory == "peermem" else "dmabuf"


def _storage(node: Node) -> str:
    """The addresses of the NICs by which cuFile reaches storage."""
    own = (one for one in node.nics if one.plane == "storage" and one.address)
    return json.dumps([str(one.address.ip) for one in own if one.address])


def rules(node: Node) -> str:
    """`ip -j rule show`: a rule for each NIC with a table of its own."""
    rows = ['{"priority":0,"src":"all","table":"local"}'] + [
        f'{{"priority":{priority},"src":"{address}","table":"{table}"}}'
        for _, address, _, table, priority, _, _ in sorted(_ways(node), key=lambda one: one[4])
    ]
    return f"[{','.join(rows)}]"


def routes(node: Node) -> str:
    """`ip -j route show table all`."""
    rows = [
        f'{{"dst":"{prefix}","gateway":"{gateway}","dev":"{port}"{where}}}'
        for port, _, gateway, table, _, near, far in _ways(node)
        for prefix, where in ((near, ""), (far, f',"table":"{table}"'))
    ]
    return f"[{','.join(rows)}]"


def _nic(port: str, pci: str, rdma: str) -> dict[str, str]:
    return {
        f"mlnx_qos -a -i {port}": mlnx_qos(),
        f"dcb -j pfc show dev {port}": '{"pfc_cap":8,"macsec_bypass":false,"delay":0,"prio_pfc":'
        '["off","off","off","on","off","off","off","off"]}\n',
        f"dcb -j ets show dev {port}": '{"willing":false,"ets_cap":8,"cbs":false,"tc_bw":'
        '[50,0,0,50,0,0,0,0],"tc_tsa":["ets","ets","ets","ets","ets","ets","strict","ets"],'
        '"prio_tc":[0,1,2,3,4,5,6,7]}\n',
        f"dcb -j -N app show dev {port}": '{"dscp_prio":['
        + ",".join(f'[{dscp},{ {26: 3, 48: 6}.get(dscp, 0)}," "]' for dscp in range(64))
        + "]}\n",
        f"dcb -j dcbx show dev {port}": '{"host":true,"ieee":true}\n',
        f"ethtool -a {port}": f"Pause parameters for {port}:\nAutonegotiate:\toff\n"
        "RX:\t\toff\nTX:\t\toff\n",
        f"ethtool -g {port}": f"Ring parameters for {port}:\nPre-set maximums:\nRX:\t\t8192\n"
        "RX Mini:\tn/a\nTX:\t\t8192\nCurrent hardware settings:\nRX:\t\t8192\n"
        "RX Mini:\tn/a\nTX:\t\t8192\n",
        f"mlxconfig -d {pci} -e q": mlxconfig(pci),
        f"mlxreg -d {pci} --reg_name ROCE_ACCL --get": "Sending access register...\n\n"
        "Field Name                 | Data\n========================================\n"
        "adaptive_routing_forced_en | 0x00000001\n",
    }  # fmt: skip


def mlnx_qos() -> str:
    """A NIC that the host rules, by the OFED of today."""
    rest = [f"{one:02d}," for one in range(64) if one not in (26, 48)]
    rows = ["".join(rest[at : at + 8]) for at in range(0, len(rest), 8)]
    table = "".join(f"\tprio:0 dscp:{row}\n" for row in rows)
    bands = "".join(
        f"tc: {tc} ratelimit: unlimited, tsa: {how}\n\t priority:  {tc}\n"
        for tc, how in enumerate(
            ["ets, bw: 50%", "ets, bw: 0%", "ets, bw: 0%", "ets, bw: 50%", "ets, bw: 0%",
             "ets, bw: 0%", "strict", "ets, bw: 0%"]
        )
    )  # fmt: skip
    return (
        "DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
        f"{table}\tprio:3 dscp:26,\n\tprio:6 dscp:48,\n"
        "default priority:\n"
        "Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,total_size=262016\n"
        "Cable len: 7\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n"
        "\tenabled     0   0   0   1   0   0   0   0   \n"
        "\tbuffer      0   0   0   1   0   0   0   0   \n"
        f"{bands}"
    )


def mlxconfig(pci: str) -> str:
    """Firmware settings, one of them changed from its default."""
    row = "{}     {:<48}{:<20}{:<20}{:<20}\n".format
    return (
        "\nDevice #1:\n----------\n\n"
        f"Device type:        ConnectX7           \nDevice:             {pci}\n\n"
        f"{'Configurations:':<56}{'Default':<20}{'Current':<20}{'Next Boot':<20}\n"
        + row("   ", "ROCE_CC_PRIO_MASK_P1", "255", "255", "255")
        + row("   ", "CNP_DSCP_P1", "48", "48", "48")
        + row("*  ", "LINK_TYPE_P1", "IB(1)", "ETH(2)", "ETH(2)")
        + row(" RO", "ESWITCH_HAIRPIN_DESCRIPTORS", "Array[0..7]", "Array[0..7]", "Array[0..7]")
        + "The '*' shows parameters with next value different from default/current value.\n"
    )


def _ecn(port: str) -> dict[str, str]:
    base = f"/sys/class/net/{port}/ecn"
    enabled = {
        f"{base}/{end}/enable/{one}": "1" if one == 3 else "0"
        for end in ("roce_np", "roce_rp")
        for one in range(8)
    }
    return {
        **enabled,
        f"{base}/roce_np/cnp_dscp": "48",
        f"{base}/roce_np/cnp_802p_prio": "6",
    }


def _gids(rdma: str | None, port: str, address: str) -> str:
    number = [int(part) for part in address.split(".")]
    mapped = "0000:0000:0000:0000:0000:ffff:{:02x}{:02x}:{:02x}{:02x}".format(*number)
    base = f"/sys/class/infiniband/{rdma}/ports/1"
    entries = [
        ("fe80:0000:0000:0000:0000:00ff:fe00:0001", "RoCE v2"),
        (mapped, "IB/RoCE v1"),
        (mapped, "RoCE v2"),
    ]
    rows = [f"{base}/gids/{number}:{gid}\n" for number, (gid, _) in enumerate(entries)]
    rows += [
        f"{base}/gid_attrs/types/{number}:{kind}\n" for number, (_, kind) in enumerate(entries)
    ]
    rows += [f"{base}/gid_attrs/ndevs/{number}:{port}\n" for number, _ in enumerate(entries)]
    return "".join(rows)


def _modules(driver: str) -> str:
    row = "{0}|loaded|{1}|ABC{2}|{1}|ABC{2}|/lib/modules/{3}/updates/dkms/{0}.ko.zst\n".format
    names = {"mlx5_core": "25.10-1.7.1", "mlx5_ib": "25.10-1.7.1", "ib_core": "25.10-1.7.1"}
    names |= {"nvidia": driver, "nvidia_peermem": driver, "nvidia_fs": "2.26.6"}
    return "".join(
        row(name, version, number, KERNEL) for number, (name, version) in enumerate(names.items())
    )


def _unit(name: str) -> str:
    return (
        f"Id={name}.service\nLoadState=loaded\nActiveState=active\n"
        "SubState=running\nUnitFileState=enabled\n"
    )


def smi(gpus: int = 8, driver: str = DRIVER) -> str:
    """`nvidia-smi -q` of so many healthy GPUs."""
    head = (
        "\n==============NVSMI LOG==============\n\n"
        "Timestamp                                 : Sat Nov 21 20:00:00 2026\n"
        f"Driver Version                            : {driver}\n"
        "CUDA Version                              : 13.0\n\n"
        f"Attached GPUs                             : {gpus}\n"
    )
    return head + "".join(
        f"GPU 00000000:{one + 16:02X}:00.0\n"
        "    Product Name                          : NVIDIA H100 80GB HBM3\n"
        "    Persistence Mode                      : Enabled\n"
        "    Fabric\n        State                             : Completed\n"
        "        Status                            : Success\n"
        f"{_SMI_HEALTH}\n"
        for one in range(gpus)
    )


# Sections of `nvidia-smi -q` of a healthy H100, driver 565 and later, in its order of words.
_SMI_HEALTH = """\
    GPU Reset Status
        Reset Required                    : No
        Drain and Reset Recommended       : No
    GPU Recovery Action                   : None
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 5
                Device Current            : 5
                Device Max                : 5
                Host Max                  : 5
            Link Width
                Max                       : 16x
                Current                   : 16x
    Performance State                     : P0
    ECC Mode
        Current                           : Enabled
        Pending                           : Enabled
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 0
            SRAM Uncorrectable SEC-DED    : 0
            DRAM Correctable              : 0
            DRAM Uncorrectable            : 0
        Aggregate
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 0
            SRAM Uncorrectable SEC-DED    : 0
            DRAM Correctable              : 0
            DRAM Uncorrectable            : 0
            SRAM Threshold Exceeded       : No
        Channel Repair Pending            : No
        TPC Repair Pending                : No
        Unrepairable Memory               : No
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 0
        Pending                           : No
        Remapping Failure Occurred        : No
"""


def topology(node: Node) -> str:
    """`nvidia-smi topo -m`, tabs and all: each GPU's own NIC at a bridge, others farther."""
    nics = [one for one in node.rails if one.rdma_device]
    gpus = sorted({one.gpu for one in nics if one.gpu is not None})
    names = [f"GPU{one}" for one in gpus] + [f"NIC{at}" for at in range(len(nics))]
    rows = [
        "\t"
        + "\t".join([*(f"\x1b[4m{one}" for one in names), "CPU Affinity\tNUMA Affinity\x1b[0m"])
    ]
    for gpu in gpus:
        near = ["X" if other == gpu else "NV18" for other in gpus]
        near += ["PIX" if one.gpu == gpu else "NODE" for one in nics]
        rows.append("\t".join([f"GPU{gpu}", *near, f"0-55\t{gpu // 4}"]))
    legend = [f"  NIC{at}: {one.rdma_device}" for at, one in enumerate(nics)]
    return "\n".join([*rows, "", "NIC Legend:", "", *legend]) + "\n"


def nvlinks(gpus: int = 8, links: int = 18) -> str:
    """`nvidia-smi nvlink -s` of healthy GPUs."""
    return "".join(
        f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-{gpu:08d}-0000-0000-0000-000000000000)\n"
        + "".join(f"\t Link {one}: 26.562 GB/s\n" for one in range(links))
        for gpu in range(gpus)
    )


GDSCHECK = """\
 GDS release version: 1.15.1.6
 nvidia_fs version:  2.26 libcufile version: 2.12
 Platform: x86_64
 ============
 ENVIRONMENT:
 ============
 =====================
 DRIVER CONFIGURATION:
 =====================
 NVMe P2PDMA        : Unsupported
 NVMe               : Supported
 NFS                : Unsupported
 --Mellanox PeerDirect : Enabled
 =====================
 CUFILE CONFIGURATION:
 =====================
 properties.use_pci_p2pdma : false
 properties.use_compat_mode : false
 =========
 GPU INFO:
 =========
 GPU index 0 NVIDIA H100 80GB HBM3 bar:1 bar size (MiB):131072 supports GDS, IOMMU State: Disabled
 ==============
 PLATFORM INFO:
 ==============
 IOMMU: disabled
 Nvidia Driver Info Status: Supported(Nvidia Open Driver Installed)
 Platform verification succeeded
"""
