"""The readers of what hosts' tools print: recorded forms, and never a part for the whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from inventory.reading.fields import Unreadable
from tests.validation import host_machine
from tests.validation.host_machine import answers, gpu_node
from validation.host_state.facts import neutral
from validation.parse.gpu import (
    cdi_list,
    cdi_spec,
    cufile,
    fabric_manager,
    gdscheck,
    nccl_conf,
    nvidia_proc,
    nvidia_smi,
)
from validation.parse.host import host_kernel, lspci, net_owner, units
from validation.parse.host.host_state import host_state, values
from validation.parse.nic import dcb, ethtool, mlnx_qos, mlxconfig, mlxreg, ofed_info, rdma_sysfs
from validation.parse.nic.port_qos import PortQos

EVIDENCE = Path(__file__).parents[2] / "evidence"
PORT, PCI = gpu_node().rails[0].port, gpu_node().rails[0].pci


_PFC = (EVIDENCE / "dcb/pfc.json").read_text(encoding="utf-8")
_USED_CLASSES = partial(mlnx_qos.port_qos, every_class=False)  # as without -a


def recorded(name: str) -> str:
    return (EVIDENCE / name).read_text(encoding="utf-8")


def said(name: str) -> str:
    return answers()[name][1]


# --- what each reads, whole ---


def test_mlnx_qos_of_today_and_in_the_form_of_switches():
    qos = mlnx_qos.port_qos(host_machine.mlnx_qos())
    assert (qos.trust, qos.host_rules, qos.cable_m) == ("dscp", True, 7)
    assert [qos.priority(one) for one in (0, 26, 48)] == [0, 3, 6]
    assert qos.buffer_bytes is not None
    assert qos.buffer_bytes[1] == 130944
    classes = neutral(qos).classes
    found = [(one.dscps[0], one.pfc_priority, one.strict, one.weight_percent) for one in classes]
    assert found == [(0, None, False, 50), (26, 3, False, 50), (48, None, True, None)]
    assert sum(len(one.dscps) for one in classes) == 64


def test_mlnx_qos_without_buffers():
    qos = mlnx_qos.port_qos(recorded("mlnx_qos/no_buffers.txt"))
    assert (qos.priority(25), qos.buffer_bytes, qos.prio_buffer, qos.cable_m) == (0, None, None, 30)
    assert qos.tsa[6] == "strict"


def test_neither_tool_is_read_with_some_of_the_dscps():
    """A row of eight DSCPs lost, one of them cut off, and only what somebody set."""
    text = host_machine.mlnx_qos()
    row = next(one for one in text.splitlines(keepends=True) if "dscp:08" in one)
    few = re.sub(r"\tprio:0 dscp:.*\n", "", text)
    for damaged, count in ((text.replace(row, ""), 56), (text.replace("08,", ""), 63), (few, 2)):
        with pytest.raises(Unreadable, match=f"{count} of 64 DSCPs"):
            mlnx_qos.port_qos(damaged)
    for damaged in (text.replace("08,", "8,"), text.replace("\tprio:3 dscp:26,", "\tprio:3 dscp:")):
        with pytest.raises(Unreadable, match="cannot be"):
            mlnx_qos.port_qos(damaged)
    with pytest.raises(Unreadable, match="2 of 64 DSCPs"):
        dcb.port_qos(_PFC, recorded("dcb/ets.json"), '{"dscp_prio":[[26,3],[48,6]]}', None, None)


def test_a_class_that_is_cut_or_lost_moves_no_priority_to_another():
    text = host_machine.mlnx_qos()
    line = "tc: 6 ratelimit: unlimited, tsa: strict\n"
    for damaged in ("", *(line[:at] + "\n" for at in range(1, len(line) - 2))):
        with pytest.raises(Unreadable):
            mlnx_qos.port_qos(text.replace(line, damaged))


def test_mlnx_qos_of_a_port_that_trusts_no_dscp():
    text = recorded("mlnx_qos/no_dscp_lldpad.txt")
    qos = mlnx_qos.port_qos(text)
    assert (qos.trust, qos.pfc_priorities) == ("pcp", ())
    assert len(neutral(qos).classes) == 1


@pytest.mark.samples
def test_mlnx_qos_of_a_real_connectx_5(samples):
    """A capture of an older mlnx_qos: `max_buffer_size=`, a class of `vendor`, three classes."""
    text = _sample(samples / "mlnx_qos_cx5_prio3_lossless.txt")
    with pytest.raises(Unreadable, match="3 traffic classes"):
        mlnx_qos.port_qos(text)
    qos = _USED_CLASSES(text)
    assert (qos.trust, qos.host_rules, qos.pfc_priorities) == ("dscp", False, (3,))
    assert qos.priority(26) == 3
    assert qos.tsa[6] == "vendor"
    lossless = next(one for one in neutral(qos).classes if one.pfc_priority == 3)
    assert lossless.dscps == tuple(range(24, 32))


@pytest.mark.samples
def test_a_real_connectx_5_is_told_as_mlnx_qos_tells_it_line_by_line(samples):
    """Each line of the capture counts: without it nothing, or something else, is read."""
    _each_line_counts(_USED_CLASSES, _sample(samples / "mlnx_qos_cx5_prio3_lossless.txt"), "")


def _sample(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("# SOURCE:"))


def _dcb(pfc: str = "pfc", app: str = "app_old") -> PortQos:
    told = {one: recorded(f"dcb/{one}.json") for one in (pfc, "ets", app, "buffer")}
    return dcb.port_qos(told[pfc], told["ets"], told[app], told["buffer"], '{"host":true}')


def test_dcb_in_all_its_forms_is_one():
    assert _dcb() == _dcb("pfc_booleans", "app_new_in_list")
    qos = _dcb()
    assert (qos.trust, qos.pfc_priorities, qos.host_rules) == ("dscp", (3,), True)
    assert (
        dcb.port_qos(recorded("dcb/pfc.json"), recorded("dcb/ets.json"), "{}", None, None).trust
        == "pcp"
    )


def test_dcb_with_names_of_dscps_is_not_read():
    with pytest.raises(Unreadable, match="-N"):
        _dcb(app="app_named")


def test_mlnx_qos_and_dcb_agree_on_one_nic():
    pfc, ets, app = (said(f"dcb -j {one} show dev {PORT}") for one in ("pfc", "ets", "-N app"))
    ours = dcb.port_qos(pfc, ets, app, None, None)
    assert neutral(ours) == neutral(mlnx_qos.port_qos(host_machine.mlnx_qos()))


def test_ethtool():
    assert ethtool.pause(recorded("ethtool/pause_with_statistics.txt")) == ethtool.Pause(
        False, False
    )
    assert ethtool.rings(recorded("ethtool/rings.txt")) == ethtool.Rings(1024, 1024, 8192, 8192)
    with pytest.raises(Unreadable):
        ethtool.pause(recorded("ethtool/pause_not_supported.txt"))


def test_mlxconfig_tells_what_waits():
    found = mlxconfig.settings(recorded("mlxconfig/waits.txt"))
    assert [name for name, one in found.items() if one.waits] == ["CNP_DSCP_P1", "LINK_TYPE_P1"]
    assert mlxconfig.number(found["LINK_TYPE_P1"].next) == "2"
    assert mlxconfig.number("Array[0..7]") == "Array[0..7]"
    old = mlxconfig.settings(recorded("mlxconfig/next_boot_only.txt"))
    assert old["LINK_TYPE_P1"] == mlxconfig.NvValue(None, "ETH(2)")
    with pytest.raises(Unreadable, match="Failed to open"):
        mlxconfig.settings(recorded("mlxconfig/no_device.txt"))
    with pytest.raises(Unreadable, match="nothing of X"):
        mlxconfig.needed(found, "X")


def test_nvidia_smi_of_every_gpu_or_none():
    found = nvidia_smi.query(host_machine.smi(2)).whole()
    assert [one.pci for one in found.gpus] == ["0000:10:00.0", "0000:11:00.0"]
    assert found.gpus[1].needed("Fabric / State") == "Completed"
    with pytest.raises(Unreadable, match="no `Nothing`"):
        found.gpus[0].needed("Nothing")
    with pytest.raises(Unreadable, match="couldn't communicate"):
        nvidia_smi.query(recorded("nvidia/no_devices.txt"))


@pytest.mark.samples
def test_nvidia_smi_of_real_machines(samples):
    """Captures of two drivers: 565 with H100 (one of eight GPUs kept), 535 with eight."""
    one = nvidia_smi.query(_sample(samples / "nvidia_smi_q_h100_healthy_excerpt.txt"))
    assert (one.driver, one.attached, len(one.gpus)) == ("565.57.01", 8, 1)
    assert one.gpus[0].needed("Fabric / Status") == "Success"
    assert one.gpus[0].needed("PCI / GPU Link Info / Link Width / Current") == "16x"
    with pytest.raises(Unreadable, match="1 of 8 GPUs"):
        one.whole()
    bad = nvidia_smi.query(_sample(samples / "nvidia_smi_q_page_retirement_bad.txt")).whole()
    assert bad.gpus[1].needed("Retired Pages / Pending Page Blacklist") == "Yes"


def test_the_loaded_nvidia_module():
    assert nvidia_proc.module(recorded("nvidia/version_open.txt")) == ("580.95.05", True)
    assert nvidia_proc.module(recorded("nvidia/version_proprietary.txt")) == ("550.135", False)
    options = nvidia_proc.options(recorded("nvidia/params.txt"))
    assert options["EnableStreamMemOPs"] == "1"
    words = nvidia_proc.registry_dwords(options["RegistryDwords"])
    assert words == {"PeerMappingOverride": "1", "RMForceStaticBar1": "1"}
    with pytest.raises(Unreadable):
        nvidia_proc.registry_dwords("A=1;A=2")


@pytest.mark.samples
def test_gdscheck_and_ofed_info_of_real_machines(samples):
    """Captures: GDS 1.14 of a workstation, MLNX_OFED 24.07."""
    found = gdscheck.check(_sample(samples / "gdscheck_p_1_14.txt"))
    assert (found.release, found.nvidia_fs, found.verified) == ("1.14.0.30", "2.24", True)
    assert found.drivers["NVMe"]
    assert not found.drivers["NVMe P2PDMA"]
    assert (found.gpus, found.iommu) == (2, "disabled")
    assert found.settings["properties.use_compat_mode"] == "false"
    ofed = ofed_info.ofed(_sample(samples / "ofed_info_s.txt"))
    assert ofed == ofed_info.Ofed("MLNX_OFED_LINUX", "24.07-0.6.1.0")


def test_traffic_class_is_global_ruled_or_unset():
    assert rdma_sysfs.traffic_class(recorded("rdma_sysfs/traffic_class_rules.txt")) == 106
    assert rdma_sysfs.traffic_class("tclass=104,dst_ip=10.1.0.0/16\n") is None
    assert rdma_sysfs.traffic_class("") is None
    for bad in (None, "106", "Global tclass=1060", "tclass=1\nGlobal tclass=106"):
        with pytest.raises(Unreadable):
            rdma_sysfs.traffic_class(bad)


def test_nccl_conf_is_read_as_nccl_does():
    text = "# c\nNCCL_IB_HCA==mlx5_0,mlx5_1\nNCCL_DEBUG=WARN \nNCCL_DEBUG=INFO"
    found = nccl_conf.settings(text)
    assert found == {"NCCL_IB_HCA": "=mlx5_0,mlx5_1", "NCCL_DEBUG": "WARN "}
    for bad in (" # indented", "NCCL_DEBUG", None):
        with pytest.raises(Unreadable):
            nccl_conf.settings(bad)


def test_cufile_with_comments_and_addresses():
    text = (
        '{ // "a"\n "properties": {"x": "http://y", '
        '"rdma_dev_addr_list": [ "10.0.0.1", ], }, /* z */ }'
    )
    assert cufile.settings(text) == {
        "properties.x": "http://y",
        "properties.rdma_dev_addr_list": ["10.0.0.1"],
    }
    for bad in (text[:-2], "", None):
        with pytest.raises(Unreadable):
            cufile.settings(bad)


def test_lspci_tells_what_is_sent_up_to_the_root_and_reads():
    text = (
        "0000:15:01.0 PCI bridge: Broadcom / LSI PEX890xx\n"
        "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- "
        "DirectTrans-\n"
        f"{PCI} Ethernet controller: Mellanox\n\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"
    )
    found = lspci.devices(text)
    up = frozenset({"SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"})
    assert found["0000:15:01.0"].acs == up
    assert (found[str(PCI)].acs, found[str(PCI)].read_bytes) == (None, 512)
    assert lspci.devices(text.replace("+", "-"))["0000:15:01.0"].acs == frozenset()


def test_who_sets_up_a_port():
    assert net_owner.networkd("  2 rail0 ether routable configured\n") == {"rail0": "configured"}
    assert (
        net_owner.network_manager("br\\:0:connected:x\nrail0:unmanaged:\n")["br:0"] == "connected"
    )
    assert net_owner.ifupdown("lo\nrail0\n") == {"lo", "rail0"}


def test_modules_pages_and_states():
    found = host_kernel.modules(said("modules"))
    assert found["nvidia"].is_stale is False
    other = host_kernel.modules(
        "a|loaded|1|X|2|X|/p\nb|loaded||X||Y|/p\nc|absent|||||\nd|loaded|||||/p\n"
    )
    assert [one.is_stale for one in other.values()] == [True, True, False, None]
    pools = "/sys/devices/system/node/node{}/hugepages/hugepages-2048kB/nr_hugepages"
    assert host_kernel.hugepages({pools.format(0): "8", pools.format(1): "7"}) == {
        (0, 2048): 8,
        (1, 2048): 7,
    }
    assert host_kernel.cpus(said("cpu")).governors == (("performance", 112),)
    assert host_kernel.chosen("always [madvise] never", "THP") == "madvise"
    assert host_kernel.arguments('a "b c" d="e f"') == ("a", '"b c"', 'd="e f"')


def test_cdi_devices_are_as_many_as_were_found():
    log = 'time="2026-11-21T20:00:00Z" level=info msg="Found 2 CDI devices"\n'
    assert len(cdi_list.devices("nvidia.com/gpu=0\nnvidia.com/gpu=all\n", log)) == 2
    with pytest.raises(Unreadable):
        cdi_list.devices("nvidia.com/gpu=0\n", log)
    assert cdi_list.devices("") == ()


# --- never a part for the whole ---


@dataclass(frozen=True)
class Whole:
    """A reader, an output that it reads, and the lines of it that it does not need."""

    read: Callable[[str], object]
    text: str
    spare: str = r"\s*$"


def _values(text: str) -> object:
    state = host_state(host_machine.sealed({**answers(), "values rdma": (0, text)}))
    return values(state, "rdma")


def _pfc(text: str) -> object:
    return dcb.port_qos(text, recorded("dcb/ets.json"), "{}", None, None)


WHOLE = {
    "cdi_spec": Whole(lambda text: cdi_spec.cdi_devices(text, "x"),
                      json.dumps(json.loads(host_machine.cdi(1)), indent=1), r' "cdiVersion"'),
    "cdi_list": Whole(lambda text: cdi_list.devices(text, "Found 3 CDI devices"),
                      said("nvidia-ctk cdi list")),
    "cpus": Whole(host_kernel.cpus, said("cpu")),
    "cufile": Whole(cufile.settings, '{\n"properties": {\n"allow_compat_mode": false\n}\n}\n'),
    "dcb pfc": Whole(_pfc, recorded("dcb/pfc.json").replace(",", ",\n"),
                     r'"(pfc_cap|macsec|delay)|\s*$'),
    "fabric manager": Whole(fabric_manager.version, said("nv-fabricmanager --version")),
    "gdscheck": Whole(gdscheck.check, host_machine.GDSCHECK,
                      r" ?(Platform:|Nvidia Driver| =+$|ENVIRONMENT|--Mell|\s*$)"),
    "gids": Whole(rdma_sysfs.gids, "".join(said("gids").splitlines(keepends=True)[:9])),
    "limits": Whole(host_kernel.modules, said("modules")),
    "mlnx_qos": Whole(mlnx_qos.port_qos, host_machine.mlnx_qos(),
                      r"default priority|\s*$"),
    "mlxconfig": Whole(mlxconfig.settings, host_machine.mlxconfig(str(PCI)),
                       r"-+$|Device type|Device:|The '|\s*$"),
    "mlxreg": Whole(mlxreg.fields_of, said(f"mlxreg -d {PCI} --reg_name ROCE_ACCL --get"),
                    r"Sending|Field|=+|\s*$"),
    "nccl_conf": Whole(nccl_conf.settings, "NCCL_IB_TC=106\nNCCL_IB_HCA==mlx5_0\n"),
    "nvidia_proc options": Whole(nvidia_proc.options, recorded("nvidia/params.txt")),
    "nvidia_proc version": Whole(nvidia_proc.module, recorded("nvidia/version_open.txt")[:67]),
    "nvidia_smi": Whole(lambda text: nvidia_smi.query(text).whole(), host_machine.smi(2),
                        "Timestamp|CUDA|\\s*$"),
    "ofed_info": Whole(ofed_info.ofed, said("ofed_info -s")),
    "pause": Whole(ethtool.pause, recorded("ethtool/pause_with_statistics.txt"),
                   r"Auto|.* negotiated|Statistics|  [tr]x_|\s*$"),
    "rings": Whole(ethtool.rings, recorded("ethtool/rings.txt"),
                   r"Ring param|RX (Mini|Jumbo|Buf)|TX (push|Push)|CQE|\s*$"),
    "units": Whole(units.units, said("units")),
    "values": Whole(_values, said("values rdma")),
}  # fmt: skip


def _each_line_counts(read: Callable[[str], object], text: str, spare: str) -> None:
    lines = text.splitlines(keepends=True)
    healthy = read(text)
    for number, line in enumerate(lines):
        if spare and re.match(spare, line):
            continue
        try:
            found = read("".join(lines[:number] + lines[number + 1 :]))
        except Unreadable:
            continue
        assert found != healthy, f"without {line!r} nothing is missed"


@pytest.mark.parametrize("name", WHOLE)
def test_without_a_line_that_it_needs_a_reader_does_not_say_the_same(name):
    """Every line in turn: what is left is unreadable, or another answer."""
    one = WHOLE[name]
    _each_line_counts(one.read, one.text, one.spare)


def _cuts(text: str) -> Iterator[str]:
    step = max(1, len(text) // 120)
    return (text[:at] for at in range(0, len(text), step))


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_output_is_not_read_as_the_whole(name):
    """Cut anywhere before what it does not need: unreadable, or another answer."""
    one = WHOLE[name]
    healthy = one.read(one.text)
    lines = one.text.splitlines(keepends=True)
    while lines and re.match(one.spare, lines[-1]):
        lines.pop()
    needed = "".join(lines).rstrip()
    for cut in _cuts(needed):
        try:
            found = one.read(cut)
        except Unreadable:
            continue
        assert found != healthy, f"cut at {len(cut)} of {len(needed)} nothing is missed"


@pytest.mark.parametrize("name", WHOLE)
def test_noise_is_unreadable_and_never_another_error(name):
    for noise in (
        "",
        "\n",
        "command not found",
        "{}",
        "Segmentation fault (core dumped)\n",
        "\0\xff",
    ):
        try:
            WHOLE[name].read(noise)
        except Unreadable:
            continue
