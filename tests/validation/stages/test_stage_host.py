"""Stages 30 and 40 on what a node really is: healthy, broken one thing at a time, and damaged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from inventory import open_site
from switch_configs import intent
from switch_configs.readback.facts import ClassFacts
from switch_configs.readback.wanted import wanted
from tests.validation import host_machine
from tests.validation.host_machine import DRIVER, KERNEL, MAC, mlnx_qos, state
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.expect import expectations
from validation.host_state.ask import HOST_STATE
from validation.host_state.expect import host_expectations
from validation.host_state.read import facts
from validation.host_state.rows import rows
from validation.host_state.software import parts
from validation.host_state.wanted import roce_nics, wanted_qos
from validation.judging.gate import Word, decide
from validation.manifest.ask_node import FAILED
from validation.parse.host.host_state import host_state
from validation.run import ValidationResult, validate
from validation.verdict import Finding, Verdict

PLAN = host_machine.site()
NODE = host_machine.gpu_node()
CHECKS = frozenset({"hardware", "kernel", "nic", "signal", "software"})
PORT, PCI = NODE.rails[0].port, NODE.rails[0].pci
NIC = f"nic:{NODE.name}:{PORT}"
NOW = datetime(2026, 11, 21, 20, tzinfo=UTC)


def frame(data: bytes, **other: object) -> Frame:
    who = Identity(NODE.name, MAC, "11111111")
    digest = hashlib.sha256(data).hexdigest()
    one = Frame(NODE.name, HOST_STATE, PLAN.digest, NOW, who, 0, len(data), digest, data)
    return replace(one, **other)  # type: ignore[arg-type]


def judged(*some: Frame) -> ValidationResult:
    store = EvidenceStore()
    store.add(some)
    return validate(PLAN, 40, store, None, frozenset({NODE.name}), checks=CHECKS)


def broken(changed: Mapping[str, tuple[int, str]], without: str = "") -> dict[str, Finding]:
    """What does not pass of a node that is healthy but for this."""
    result = judged(frame(state(changed, without)))
    return {one.expectation: one for one in result.findings if one.verdict is not Verdict.PASS}


def test_a_healthy_node_passes_all_of_it():
    result = judged(frame(state()))
    assert {one.verdict for one in result.findings} == {Verdict.PASS}
    assert len(result.findings) == len(parts(NODE)) + 3 + len(roce_nics(NODE))
    assert len(roce_nics(NODE)) == 10


def test_a_node_without_rdma_and_gpu_is_asked_nothing():
    """The lab's nodes: their expectations stay what they were."""
    lab = open_site("lab")
    assert list(host_expectations(lab, frozenset(lab.devices))) == []


def test_every_expectation_has_one_row_at_least():
    found = rows(PLAN, NODE.name, facts(host_state(state())))
    told = {row.part for row in found}
    assert told == {
        *parts(NODE),
        "hardware",
        "kernel",
        "signals",
        *(f"nic {one.port}" for one in roce_nics(NODE)),
    }
    assert {row.judged for row in found} == {"as planned"}


def qos(old: str, new: str) -> dict[str, tuple[int, str]]:
    assert old in mlnx_qos()
    return {f"mlnx_qos -a -i {PORT}": (0, mlnx_qos().replace(old, new)), **NO_DCB}


NETWORKCTL = "networkctl list --no-legend --no-pager"
NMCLI = "nmcli -t -f DEVICE,STATE,CONNECTION device"


def nmcli(word: str) -> str:
    """Every port left alone by NetworkManager, but for one."""
    names = [one.port for one in roce_nics(NODE)]
    told = [f"{one}:{word}:{one}" if one == PORT else f"{one}:unmanaged:" for one in names]
    return "\n".join([*told, "lo:unmanaged:", ""])


NO_DCB = {f"dcb -j pfc show dev {PORT}": (127, "timeout: no such command")}


def said(name: str, old: str, new: str) -> dict[str, tuple[int, str]]:
    text = host_machine.answers()[name][1]
    assert old in text, name
    return {name: (0, text.replace(old, new))}


def value(frame_name: str, path: str, text: str | None) -> dict[str, tuple[int, str]]:
    """One file of a `values` frame with another text, or not there."""
    told = host_machine.answers()[frame_name][1]
    begin = told.index(f" {path}\n")
    line = told.rindex("\n", 0, begin) + 1 if "\n" in told[:begin] else 0
    size = int(told[line:begin])
    end = begin + len(path) + 2 + size + 1
    new = "" if text is None else f"{len(text)} {path}\n{text}\n"
    return {frame_name: (0, told[:line] + new + told[end:])}


SOFTWARE = f"software:{NODE.name}:"
ROCE, CARD = f"role roce_nic on {NODE.name}", f"NIC {NODE.name}:{PORT}"
RDMA = f"/sys/class/infiniband/{NODE.rails[0].rdma_device}"
MANAGER = f"/sys/kernel/config/rdma_cm/{NODE.rails[0].rdma_device}/ports/1"
SYSFS = f"/sys/class/net/{PORT}/ecn"
FAIL, OPEN = Verdict.FAIL, Verdict.INCONCLUSIVE
MLXCONFIG = f"mlxconfig -d {PCI} -e q"
GDS = "/usr/local/cuda/gds/tools/gdscheck -p"
FM = "nv-fabricmanager --version"
PAGES = "/sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages"
FAULTS: dict[str, tuple[dict[str, tuple[int, str]], str, Verdict, str, str]] = {
    "trust pcp": (
        {f"mlnx_qos -a -i {PORT}": (0, mlnx_qos().replace("state: dscp", "state: pcp").replace(
            "\tprio:", "\tprioX:")), **NO_DCB}, NIC, FAIL, "trust: found pcp", ROCE),
    "DSCP in another class": (qos("\tprio:3 dscp:26,", "\tprio:4 dscp:26,"), NIC, FAIL,
                              "DSCP 26 0 %", ROCE),
    "another DSCP beside it": (
        qos("\tprio:0 dscp:00,", "\tprio:3 dscp:00,").copy() if "\tprio:0 dscp:00," in mlnx_qos()
        else qos("prio:0 dscp:00,01,", "prio:3 dscp:00,01,"), NIC, FAIL, "paused as 3", ROCE),
    "PFC off": (qos("enabled     0   0   0   1 ", "enabled     0   0   0   0 "), NIC, FAIL,
                "PFC priorities: found none, wanted 3", ROCE),
    "PFC on two": (qos("enabled     0   0   0   1   0", "enabled     0   0   0   1   1"), NIC, FAIL,
                   "PFC priorities: found 3,4", ROCE),
    "CNPs not strict": (qos("tsa: strict", "tsa: vendor"), NIC, FAIL, "classes: found", ROCE),
    "shared buffer": (qos("buffer      0   0   0   1", "buffer      0   0   0   0"), NIC, FAIL,
                      "lossless buffer: found shared", ROCE),
    "a row of DSCPs lost": (qos("\tprio:0 dscp:08,09,10,11,12,13,14,15,\n", ""), NIC, OPEN,
                            "56 of 64 DSCPs", ROCE),
    "a class cut": (qos("tc: 6 ratelimit: unlimited, tsa: strict", "tc: 6 ratelimit:"), NIC, OPEN,
                    "cannot be", ROCE),
    "a class lost": (qos("tc: 6 ratelimit: unlimited, tsa: strict\n", ""), NIC, OPEN,
                     "7 traffic classes", ROCE),
    "two tools at odds": ({f"mlnx_qos -a -i {PORT}": (0, mlnx_qos().replace(
        "enabled     0   0   0   1 ", "enabled     0   0   0   0 "))}, NIC, OPEN,
        "do not agree", ROCE),
    "no QoS tool": ({f"mlnx_qos -a -i {PORT}": (127, "none"), **NO_DCB}, NIC, OPEN,
                    "neither mlnx_qos nor dcb", ROCE),
    "ToS of another DSCP": (value("values rdma", f"{MANAGER}/default_roce_tos", "0"), NIC, FAIL,
                            "RDMA-CM ToS: found DSCP 0, wanted DSCP 26", ROCE),
    "RoCE v1": (value("values rdma", f"{MANAGER}/default_roce_mode", "IB/RoCE v1"), NIC, FAIL,
                "RDMA-CM mode: found IB/RoCE v1", ROCE),
    "no RDMA-CM": (value("values rdma", f"{MANAGER}/default_roce_tos", None), NIC, OPEN,
                   "RDMA-CM ToS is not known", ROCE),
    "no forced class": (value("values rdma", f"{RDMA}/tc/1/traffic_class", ""), NIC, FAIL,
                        "forced traffic class: found none, wanted DSCP 26", ROCE),
    "another forced class": (
        value("values rdma", f"{RDMA}/tc/1/traffic_class", "Global tclass=41"), NIC, FAIL,
        "forced traffic class: found DSCP 10", ROCE),
    "DOCA's driver without the file": (
        value("values rdma", f"{RDMA}/tc/1/traffic_class", None), NIC, FAIL,
        "forced traffic class: found no such setting in this driver", ROCE),
    "marks not answered": (value("values qos", f"{SYSFS}/roce_rp/enable/3", "0"), NIC, FAIL,
                           "ECN answered: found not there", ROCE),
    "CNPs as others": (value("values qos", f"{SYSFS}/roce_np/cnp_dscp", "0"), NIC, FAIL,
                       "CNP DSCP: found 0, wanted 48", ROCE),
    "global pause": (said(f"ethtool -a {PORT}", "RX:\t\toff", "RX:\t\ton"), NIC, FAIL,
                     "global pause: found rx on, tx off", ROCE),
    "MTU": (said("ip -j link show", f'"{PORT}","mtu":9000', f'"{PORT}","mtu":1500'), NIC, FAIL,
            "IP MTU: found 1500, wanted 9000", ROCE),
    "no GID of the address": (said("gids", "ffff:0a10:0001", "ffff:0a10:0099"), NIC, FAIL,
                              "RoCE v2 GID: found 10.16.0.153, wanted 10.16.0.1", ROCE),
    "rings": (said(f"ethtool -g {PORT}", "settings:\nRX:\t\t8192", "settings:\nRX:\t\t1024"), NIC,
              FAIL, "rings: found rx 1024", ROCE),
    "two owners": ({NMCLI: (0, nmcli("connected"))}, NIC, FAIL,
                   "set up by: found networkd and networkmanager", ROCE),
    "InfiniBand": (value("values rdma", f"{RDMA}/ports/1/link_layer", "InfiniBand"), NIC, FAIL,
                   "link layer: found InfiniBand", CARD),
    "old firmware": (value("values rdma", f"{RDMA}/fw_ver", "28.39.1002"), NIC, FAIL,
                     "firmware: found 28.39.1002", CARD),
    "no NIC": (said("identity", f"nic {PORT} {PCI}", "nic eth9 0000:01:00.0"), NIC, FAIL,
               "NIC: found not there", CARD),
    "a NIC of another name": (said("identity", f"nic {PORT} {PCI}", f"nic eth9 {PCI}"), NIC, FAIL,
                              f"PCI {PCI} is eth9", CARD),
    "a setting waits": (
        {MLXCONFIG: (0, host_machine.mlxconfig(str(PCI)).replace(
            f"{'ETH(2)':<20}{'ETH(2)':<20}", f"{'IB(1)':<20}{'ETH(2)':<20}"))}, NIC, OPEN,
        f"setting LINK_TYPE_P1: 1 runs until {NODE.name} boots, 2 is staged",
        f"role ofed on {NODE.name}"),
    "a setting that is going": (
        {MLXCONFIG: (0, host_machine.mlxconfig(str(PCI)).replace(
            f"{'ETH(2)':<20}{'ETH(2)':<20}", f"{'ETH(2)':<20}{'IB(1)':<20}"))}, NIC, FAIL,
        "setting LINK_TYPE_P1", f"role ofed on {NODE.name}"),
    "a stale module": (said("modules", "mlx5_core|loaded|25.10-1.7.1|", "mlx5_core|loaded|24.10|"),
                       f"{SOFTWARE}stack", FAIL, "module mlx5_core", f"role ofed on {NODE.name}"),
    "the kernel's own module": (
        said("modules", "updates/dkms/mlx5_core", "kernel/drivers/net/mlx5_core"),
        f"{SOFTWARE}stack", FAIL, "origin of mlx5_core: found the kernel's own",
        f"role ofed on {NODE.name}"),
    "fabric manager": ({FM: (0, "Fabric Manager version is : 590.44.01\n")}, f"{SOFTWARE}driver",
                       FAIL, f"590.44.01, and {DRIVER} is loaded",
                       f"role nvidia_driver on {NODE.name}"),
    "no fabric manager": ({FM: (127, "no such file")}, f"{SOFTWARE}driver", OPEN,
                          "fabric manager's version is not known",
                          f"role nvidia_driver on {NODE.name}"),
    "fabric not ready": (said("nvidia-smi -q", "Completed", "In Progress"), f"{SOFTWARE}driver",
                         FAIL, "NVLink fabric: found In Progress",
                         f"role nvidia_driver on {NODE.name}"),
    "no persistence": (said("nvidia-smi -q", "Mode                      : Enabled",
                            "Mode                      : Disabled"), f"{SOFTWARE}driver", FAIL,
                       "persistence mode: found Disabled", f"role nvidia_driver on {NODE.name}"),
    "an old driver is loaded": (
        said("modules", f"nvidia|loaded|{DRIVER}", "nvidia|loaded|570.10.99")
        | said("values nvidia", f"x86_64  {DRIVER}  R", "x86_64  570.10.99  R"),
        f"{SOFTWARE}driver", FAIL, "570.10.99 is loaded", f"role nvidia_driver on {NODE.name}"),
    "memory that is locked little": (
        said("limits", "memory       unlimited", "memory         8388608"),
        f"{SOFTWARE}containers", FAIL, "containerd may lock memory: found 8388608",
        f"role container_runtime on {NODE.name}"),
    "no CDI": ({"nvidia-ctk cdi list": (0, "nvidia.com/gpu=0\n")}, f"{SOFTWARE}containers", FAIL,
               "all GPUs by CDI", f"role container_runtime on {NODE.name}"),
    "fallback allowed": (
        value("values files", "/etc/railbed/cufile-gate.json",
              '{"properties": {"allow_compat_mode": true}}'),
        f"{SOFTWARE}storage", FAIL, "gates fall back to the CPU: found yes",
        f"role gds on {NODE.name}"),
    "storage address": (
        value("values files", "/etc/cufile.json", '{"properties": {"rdma_dev_addr_list": []}}'),
        f"{SOFTWARE}storage", FAIL, "rdma_dev_addr_list: found []", f"role gds on {NODE.name}"),
    "GDS not verified": (said(GDS, "verification succeeded", "verification failed"),
                         f"{SOFTWARE}storage", FAIL, "platform: found not verified",
                         f"role gds on {NODE.name}"),
    "firmware rules DCBX": (qos("OS controlled", "Firmware controlled"), NIC, FAIL,
                            "DCBX is ruled by: found the firmware", ROCE),
    "NCCL's class": (value("values files", "/etc/nccl.conf", "NCCL_IB_TC=41"),
                     f"{SOFTWARE}collectives", FAIL, "NCCL_IB_TC: found DSCP 10, wanted DSCP 26",
                     f"role nccl on {NODE.name}"),
    "an argument that does not run": (
        said("cat /proc/cmdline", "iommu=pt", "iommu=on"), f"kernel:{NODE.name}", FAIL,
        "arguments: found iommu=on", f"role kernel_tuning on {NODE.name}"),
    "pages of one node": (
        value("values kernel", PAGES.format(1, 1048576), "7"), f"kernel:{NODE.name}", FAIL,
        "pages of 1048576 KiB: found 8 on node 0, 7 on node 1, wanted 8 on node 0, 8 on node 1",
        f"role kernel_tuning on {NODE.name}"),
    "a governor": (said("cpu", "112 governor performance", "111 governor performance\n"
                        "      1 governor powersave"), f"kernel:{NODE.name}", FAIL,
                   "CPU governor: found performance, powersave",
                   f"role kernel_tuning on {NODE.name}"),
    "a deep state": (said("cpu", "C6 133 1", "C6 133 0"), f"kernel:{NODE.name}", FAIL,
                     "idle states over 2 us: found C6", f"role kernel_tuning on {NODE.name}"),
    "THP": (value("values kernel", "/sys/kernel/mm/transparent_hugepage/enabled",
                  "[always] madvise never"), f"kernel:{NODE.name}", FAIL,
            "transparent huge pages: found always", f"role kernel_tuning on {NODE.name}"),
    "ACS": (said("lspci", "ReqRedir-", "ReqRedir+"), f"kernel:{NODE.name}", FAIL,
            "on at 0000:00:01.0", f"role kernel_tuning on {NODE.name}"),
    "a reboot": ({
        "values files": (0, host_machine.answers()["values files"][1] + host_machine.files(
            {"/run/railbed/reboot-required.d/ofed": "mlx5_core was replaced"}))},
        f"signal:{NODE.name}", OPEN, "ofed: mlx5_core was replaced; drain", f"device {NODE.name}"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_is_found_alone_with_its_suspect(name):
    changed, expectation, verdict, found, suspect = FAULTS[name]
    finding = broken(changed)
    assert list(finding) == [expectation], {one: two.found for one, two in finding.items()}
    one = finding[expectation]
    assert (one.verdict, one.suspect) == (verdict, suspect), one.found
    assert found in one.found


# Rows that no fault above is about: what is changed, and what is then found.
ROWS: dict[str, tuple[dict[str, tuple[int, str]], str]] = {
    "PCI address": (said("identity", f"{PORT} {PCI}", f"{PORT} 0000:ff:00.0"), "0000:ff:00.0"),
    "RDMA device": (said("identity", f"{PCI} mlx5_core mlx5_0\n", f"{PCI} mlx5_core mlx5_20\n"),
                    "mlx5_20"),
    "CNP priority": (value("values qos", f"{SYSFS}/roce_np/cnp_802p_prio", "3"), "3"),
    "longest PCIe read": (said("lspci", f"{PCI} Ethernet", f"{PCI} Ethernet controller: x\n\t\t"
                               "MaxReadReq 512 bytes\n0000:ff:00.0 x"), "512"),
    "takes packets out of order": (
        said(f"mlxreg -d {PCI} --reg_name ROCE_ACCL --get", "0x00000001", "0x00000000"), "0"),
    "library's version": (said("nvidia-smi -q", f": {DRIVER}", ": 570.1.1"),
                          f"570.1.1, and {DRIVER} is loaded"),
    "kernel modules": (
        value("values nvidia", "/proc/driver/nvidia/version",
              f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {DRIVER}  Fri Jan 10 UTC 2025"),
        "proprietary"),
    "option EnableStreamMemOPs": (said("values nvidia", "MemOPs: 1", "MemOPs: 0"), "0"),
    "option RegistryDwords": (said("values nvidia", "StaticBar1=1", "StaticBar1=0"),
                              "RMForceStaticBar1=0;RmForceDisableIomapWC=1"),
    "module nvidia_peermem": (said("modules", "nvidia_peermem|loaded", "nvidia_peermem|absent"),
                              "not loaded"),
    "module nvidia_fs": (said("modules", "nvidia_fs|loaded", "nvidia_fs|absent"), "not loaded"),
    "GDS driver NVMe": (said(GDS, "NVMe               : Supported",
                             "NVMe               : Unsupported"), "Unsupported"),
    "NVLink fabric's status": (said("nvidia-smi -q", "Success", "Failure"), "Failure"),
    "OFED": ({"ofed_info -s": (127, "no such command")}, "none"),
    "containerd": (said("units", "Id=containerd.service\nLoadState=loaded\nActiveState=active",
                        "Id=containerd.service\nLoadState=loaded\nActiveState=failed"), "failed"),
    "fabric manager": (
        said("units", "fabricmanager.service\nLoadState=loaded\nActiveState=active",
             "fabricmanager.service\nLoadState=not-found\nActiveState=inactive"),
        "not installed"),
    "origin of mlx5_ib": (said("modules", f"{KERNEL}/updates/dkms/mlx5_ib", "5.4/mlx5_ib"),
                          "another kernel's: /lib/modules/5.4/mlx5_ib.ko.zst"),
}  # fmt: skip


@pytest.mark.parametrize("what", ROWS)
def test_each_row_finds_its_own_difference(what):
    changed, running = ROWS[what]
    found = rows(PLAN, NODE.name, facts(host_state(state(changed))))
    mine = [row for row in found if row.what == what and row.judged != "as planned"]
    assert [(row.running, row.judged) for row in mine] == [(running, "differs")]


CDI, CDI_TEXT = host_machine.CDI, host_machine.cdi(10)
NODES, MOUNTS = "nodes of railbed.io/rdma=all", "files of railbed.io/rdma=all"
FABRIC: dict[str, tuple[dict[str, tuple[int, str]], str, str, str]] = {
    "not listed": (said("nvidia-ctk cdi list", "railbed.io/rdma=all\n", ""), "RDMA by CDI",
                   "differs", "2 other devices"),
    "rdma_cm": (value("values cdi", CDI, CDI_TEXT.replace("rdma_cm", "issm0")), NODES,
                "differs", "it lacks rdma_cm"),
    "one NIC": (value("values cdi", CDI, CDI_TEXT.replace("uverbs0", "uverbs77")), NODES,
                "differs", f"it lacks the uverbs of {NODE.rails[0].rdma_device}"),
    "nccl.conf": (value("values cdi", CDI, CDI_TEXT.replace("/etc/nccl.conf", "/x")), MOUNTS,
                  "differs", "/etc/ucx/ucx.conf"),
    "ucx.conf": (value("values cdi", CDI, CDI_TEXT.replace("/etc/ucx/ucx.conf", "/x")), MOUNTS,
                 "differs", "/etc/nccl.conf"),
    "another file": (
        value("values cdi", CDI, CDI_TEXT.replace('Path": "/etc/nccl.conf"', 'Path": "/x"', 1)),
        MOUNTS, "differs", "/etc/ucx/ucx.conf"),
    "no file": (value("values cdi", CDI, None), MOUNTS, "differs", "none of them"),
    "damaged": (value("values cdi", CDI, CDI_TEXT[:-9]), MOUNTS, "not known",
                f"{CDI} is no CDI specification"),
    "unread": ({"values cdi": (0, f"unread {CDI}\n")}, MOUNTS, "not known",
               f"{CDI} could not be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", FABRIC)
def test_containers_get_the_fabric(name):
    changed, what, judged_as, running = FABRIC[name]
    found = rows(PLAN, NODE.name, facts(host_state(state(changed))))
    assert [(one.judged, one.running) for one in found if one.what == what] == [
        (judged_as, running)
    ]


def test_what_the_next_boot_brings_has_to_be_known():
    """Running is as planned; without the roles' notes nobody knows whether it stays so."""
    found = broken({"values files": (1, "no")})[f"kernel:{NODE.name}"]
    assert found.verdict is OPEN
    assert "what the next boot brings of arguments is not known" in found.found
    modules = host_machine.answers()["modules"][1].splitlines()
    told = "\n".join(one for one in modules if not one.startswith("nvidia|"))
    mine = rows(PLAN, NODE.name, facts(host_state(state({"modules": (0, told)}))))
    row = next(one for one in mine if one.what == "driver version")
    assert (row.running, row.judged) == (DRIVER, "not known")


def test_a_driver_that_was_installed_beside_a_loaded_one_waits_for_a_reboot():
    """With all that equals it; what is of a third version, or not staged, differs all the same."""
    old = "570.10.99"
    loaded = said("modules", f"nvidia|loaded|{DRIVER}", f"nvidia|loaded|{old}") | said(
        "values nvidia", f"x86_64  {DRIVER}  R", f"x86_64  {old}  R"
    )
    mismatch = (18, "Failed to initialize NVML: Driver/library version mismatch")
    asked = ("nvidia-smi -q", "nvidia-smi topo -m", "nvidia-smi nvlink -s")
    loaded |= dict.fromkeys(asked, mismatch)
    one = broken(loaded)[f"{SOFTWARE}driver"]
    assert one.verdict is OPEN
    told = f"driver version: {old} runs until {NODE.name} boots, {DRIVER} is staged; module nvidia"
    assert one.found.startswith(told)
    assert f"drain {NODE.name}, reboot it" in one.found
    mine = rows(PLAN, NODE.name, facts(host_state(state(loaded))))
    assert {row.what for row in mine if row.judged == "waits"} == {
        "driver version", "module nvidia", "fabric manager's version",
    }  # fmt: skip
    assert "differs" not in {row.judged for row in mine if row.part == "driver"}
    other = {FM: (0, "Fabric Manager version is : 590.44.01\n")}
    assert broken(loaded | other)[f"{SOFTWARE}driver"].verdict is FAIL
    third = {"modules": (0, loaded["modules"][1].replace(DRIVER, "590.44.01"))}
    assert broken(loaded | third)[f"{SOFTWARE}driver"].verdict is FAIL


def test_a_failed_unit_of_a_role_is_no_silence():
    """It may have failed before it could ask for a reboot; other units are the check units'."""
    line = "{} loaded failed failed Something\n"
    names = ("railbed-ofed.service", "fwupd.service")
    found = broken({FAILED: (0, "".join(map(line.format, names)))})
    one = found[f"signal:{NODE.name}"]
    assert one.verdict is OPEN
    assert one.found == (
        f"failed: railbed-ofed.service; on {NODE.name}: systemctl status railbed-ofed.service"
    )


# What no row needs where all is well: seen by people, or a second source of the same.
SPARE = ("rdma ", "netplan", "cat /etc", "ip -j -4", "ulimit",
         "cat /proc/1", "systemctl show", "chronyc", "mlxfw", "packages", "ethtool -i",
         "ethtool -m", "dcb -j", "containers")  # fmt: skip
FIRST = [
    name for name in host_machine.answers()
    if not any(f"{one.port}" in name or f"{one.pci}" in name for one in roce_nics(NODE)[1:])
]  # fmt: skip


@pytest.mark.parametrize("name", [one for one in FIRST if not one.startswith(SPARE)])
def test_an_answer_that_is_left_out_never_passes(name, sampled):
    """Left out, out of time, failing or empty: what needs it is open or fails, nothing passes."""
    ways: list[tuple[dict[str, tuple[int, str]], str]] = [
        ({}, name), ({name: (124, "")}, ""), ({name: (1, "no")}, "")
    ]  # fmt: skip
    for changed, without in sampled(ways, 1):
        found = broken(changed, without)
        assert found, (name, changed)
        assert Verdict.PASS not in {one.verdict for one in found.values()}


DAMAGED = {
    "cut": frame(state()[:-100]),
    "altered": frame(state().replace(b"Global tclass=106", b"Global tclass=107", 1)),
    "another node": frame(state(), identity=Identity("gpu-p1-99", MAC, "11111111")),
    "another machine": frame(state(), identity=Identity(NODE.name, "02:00:00:00:00:bb", "1")),
    "another machine inside": frame(state(said("identity", MAC, "02:00:00:00:00:bb"))),
    "another plan": frame(state(), plan_digest="0" * 64),
    "not finished": frame(state(), exit_status=124),
    "no root to write in": frame(b"", exit_status=97, errors="mktemp: no space"),
    "nothing": frame(b""),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_state_is_inconclusive_for_all(name):
    found = judged(DAMAGED[name]).findings
    assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}


def test_a_port_that_networkmanager_only_sees_has_one_owner():
    for word in ("connected (externally)", "unmanaged"):
        assert broken({NMCLI: (0, nmcli(word))}) == {}


@pytest.mark.parametrize("line", [NETWORKCTL, NMCLI])
def test_a_port_of_which_a_program_says_nothing_may_be_its_own(line):
    """Both list every link, also those that they leave alone: a row that is gone is lost."""
    whole = {NETWORKCTL: host_machine.answers()[NETWORKCTL][1], NMCLI: nmcli("unmanaged")}
    assert broken({name: (0, text) for name, text in whole.items()}) == {}
    row = next(one for one in whole[line].splitlines(keepends=True) if PORT in one)
    lost = whole | {line: whole[line].replace(row, "")}
    open_ = broken({name: (0, text) for name, text in lost.items()})
    assert {name: one.verdict for name, one in open_.items()} == {NIC: Verdict.INCONCLUSIVE}
    assert "set up by is not known" in open_[NIC].found


def test_no_state_is_inconclusive_for_all():
    assert {one.verdict for one in judged().findings} == {Verdict.INCONCLUSIVE}


def test_a_gate_tells_of_a_reboot_and_does_not_wait():
    result = judged(frame(state(FAULTS["a reboot"][0])))
    decision = decide(result, [one.expectation for one in result.findings])
    assert decision.word is Word.GO
    assert "mlx5_core was replaced" in str(decision.reasons[0])


NO_GPU_TOLD = {"nvidia-smi -q": (18, "Driver/library version mismatch")}
LOOKS = {
    "asked": (FAULTS["a reboot"][0], Word.HOLD, (NODE.name,)),
    "a role's unit failed": ({FAILED: (0, "railbed-ofed.service loaded failed failed x\n")},
                             Word.STOP, ()),
    "what roles say is not read": ({"values files": (1, "no")}, Word.STOP, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKS)
def test_only_who_is_read_to_wait_for_a_reboot_keeps_a_gate_from_stopping(name):
    """All that worked before is open now; a boot is the reason only where a role says so."""
    changed, word, reboot = LOOKS[name]
    result = judged(frame(state(changed | NO_GPU_TOLD)))
    open_one = f"hardware:{NODE.name}"
    signal = next(one for one in result.findings if one.check == "signal")
    assert signal.verdict is OPEN
    decision = decide(result, [signal.expectation, open_one], [signal.expectation, open_one])
    assert (decision.word, decision.reboot) == (word, reboot)


def test_a_node_that_says_nothing_does_not_wait_for_a_reboot():
    result = judged()
    every = [one.expectation for one in result.findings]
    decision = decide(result, every, every)
    assert (decision.word, decision.reboot) == (Word.STOP, ())


def test_a_gate_says_first_what_a_driver_waits_for():
    """More is open than the driver itself, and all in the words of tools that cannot tell."""
    told = host_machine.answers()["values files"][1] + host_machine.files(
        {"/run/railbed/reboot-required.d/nvidia_driver": "570.10.99 is loaded"}
    )
    changed = said("modules", f"nvidia|loaded|{DRIVER}", "nvidia|loaded|570.10.99")
    changed |= said("values nvidia", f"x86_64  {DRIVER}  R", "x86_64  570.10.99  R")
    result = judged(frame(state(changed | NO_GPU_TOLD | {"values files": (0, told)})))
    every = [one.expectation for one in result.findings]
    decision = decide(result, every, every)
    assert (decision.word, decision.reboot) == (Word.HOLD, (NODE.name,))
    assert str(decision.reasons[0]).startswith(
        f"role nvidia_driver on {NODE.name}: driver version: 570.10.99 runs until {NODE.name} boots"
    )
    assert decision.mended_by == f"drain and reboot {NODE.name}"


def test_what_a_boot_will_bring_is_open_and_lets_the_gate_go():
    """The role says that a boot is due: arguments and pages of boot time wait for it."""
    told = host_machine.answers()["values files"][1] + host_machine.files(
        {"/run/railbed/reboot-required.d/kernel_tuning": "iommu=pt does not run"}
    )
    changed = said("cat /proc/cmdline", "iommu=pt", "") | {"values files": (0, told)}
    changed |= value("values kernel", PAGES.format(0, 1048576), "0")
    found = broken(changed)
    assert {one.verdict for one in found.values()} == {OPEN}
    assert set(found) == {f"kernel:{NODE.name}", f"signal:{NODE.name}"}
    assert "8 on node 0, 8 on node 1 is staged" in found[f"kernel:{NODE.name}"].found
    result = judged(frame(state(changed)))
    assert decide(result, [one.expectation for one in result.findings]).word is Word.GO


def test_the_plan_s_classes_are_the_switches():
    """DSCP, priority and PFC of a host are those of the switches' ports, class by class."""
    switch = next(one for one in PLAN.switches if one.tier == "leaf" and one.plane == "compute")
    host = wanted_qos(PLAN.lossless)
    assert host is not None
    ports = [one.qos for one in wanted(intent(PLAN, switch.name)).ports if one.qos]
    assert ports
    for one in ports:
        assert one.pfc_priorities == host.pfc_priorities
        assert [_wire(row) for row in one.classes] == [_wire(row) for row in host.classes]


def _wire(one: ClassFacts) -> tuple[object, ...]:
    return one.dscps, one.pfc_priority, one.strict, one.weight_percent


def test_a_new_dscp_is_a_new_wish_everywhere():
    """One DSCP changed in the plan: these things of a node, and no others, are wanted otherwise."""
    moved = tuple(
        replace(one, dscps=(30,)) if one.dscps == (26,) else one for one in PLAN.lossless.classes
    )
    lossless = replace(PLAN.lossless, dscp=30, classes=moved)
    told = facts(host_state(state()))
    found = rows(replace(PLAN, lossless=lossless), NODE.name, told)
    differ = {row.what for row in found if row.judged == "differs"}
    assert differ == {
        "NCCL_GIN_IB_TC",
        "NCCL_IB_TC",
        "RDMA-CM ToS",
        "UCX_IB_TRAFFIC_CLASS",
        "classes",
        "forced traffic class",
    }


def test_expectations_name_each_nic_and_part_once():
    mine = [one for one in expectations(PLAN, frozenset({NODE.name})) if one.check in CHECKS]
    assert len({one.id for one in mine}) == len(mine) == 18


def test_a_gpu_less_is_open_wherever_gpus_are_asked():
    """Both ask the same report: the driver's software, and the hardware."""
    found = broken(
        said(
            "nvidia-smi -q",
            "Attached GPUs                             : 8",
            "Attached GPUs                             : 9",
        )
    )
    assert {name: one.verdict for name, one in found.items()} == {
        f"{SOFTWARE}driver": OPEN,
        f"hardware:{NODE.name}": OPEN,
    }
    assert found[f"{SOFTWARE}driver"].suspect == f"role nvidia_driver on {NODE.name}"
    assert all("8 of 9 GPUs" in one.found for one in found.values())
