"""Stage 30's hardware: each part that is worn, narrow or complained of is named."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.validation import host_machine
from tests.validation.stages.test_stage_host import NODE, PCI, PLAN, PORT, broken
from validation.host_state.facts import fact
from validation.host_state.gpu_rows import gpu_rows
from validation.host_state.hardware import log_terms
from validation.host_state.read import facts
from validation.host_state.software import software_rows
from validation.parse.gpu import nvidia_smi
from validation.parse.host import lspci
from validation.parse.host.host_state import host_state
from validation.parse.host.kernel_log import MOST
from validation.verdict import Finding, Verdict

HEALTHY = facts(host_state(host_machine.state()))
HARDWARE = f"hardware:{NODE.name}"
GPU = "0000:10:00.0"  # the first one of host_machine.smi
SMI, TOPO, NVLINK = "nvidia-smi -q", "nvidia-smi topo -m", "nvidia-smi nvlink -s"
RDMA = NODE.rails[0].rdma_device
# Of one GPU: the section, the leaf, what it says then, and what is found.
NOT_WHOLE = [
    ("Volatile", "DRAM Uncorrectable", "1", "1 DRAM Uncorrectable"),
    ("Volatile", "SRAM Uncorrectable Parity", "7", "7 SRAM Uncorrectable Parity"),
    ("Remapped Rows", "Pending", "Yes", "rows wait for a reset to be remapped"),
    ("Remapped Rows", "Remapping Failure Occurred", "Yes", "a row could not be remapped"),
    ("Aggregate", "SRAM Threshold Exceeded", "Yes", "SRAM errors passed the threshold"),
    ("ECC Errors", "Channel Repair Pending", "Yes", "a channel waits for a reset"),
    ("ECC Errors", "TPC Repair Pending", "Yes", "a processing cluster waits for a reset"),
    ("ECC Errors", "Unrepairable Memory", "Yes", "memory cannot be repaired"),
    ("Remapped Rows", "Pending", "GPU requires reset", "a reset is required"),
    ("Volatile", "DRAM Uncorrectable", "GPU requires reset", "a reset is required"),
    ("ECC Mode", "Current", "Disabled", "ECC is Disabled"),
    ("PCIe Generation", "Current", "4", "generation 4 of 5, 16 lanes of 16"),
    ("Link Width", "Current", "8x", "generation 5 of 5, 8 lanes of 16"),
]
NARROW = "8.0 GT/s PCIe x8 link at 0001:42:01.0"


def fails(name: str, text: str) -> Finding:
    """The one finding of a node that is healthy but for one answer."""
    found = broken({name: (0, text)})
    assert set(found) == {HARDWARE}
    assert found[HARDWARE].verdict is Verdict.FAIL
    return found[HARDWARE]


def answer(name: str) -> str:
    return host_machine.answers()[name][1]


def with_gpu(number: int, section: str, name: str, value: str, report: str = "") -> str:
    """The report with one leaf of one GPU changed: the first of this name after its section."""
    head, *gpus = re.split(r"^(?=GPU )", report or answer(SMI), flags=re.MULTILINE)
    before, found, after = gpus[number].partition(section)
    assert found
    changed = re.sub(rf"( +{re.escape(name)} *: )\S+", rf"\g<1>{value}", after, count=1)
    assert changed != after
    gpus[number] = before + found + changed
    return head + "".join(gpus)


@pytest.mark.parametrize(("section", "name", "value", "says"), NOT_WHOLE)
def test_a_gpu_that_is_not_whole_is_named(section, name, value, says):
    found = fails(SMI, with_gpu(2, section, name, value))
    assert found.suspect == f"GPU {NODE.name}:2"
    assert says in found.found


def idle(text: str, number: int, **changed: str) -> str:
    """The report with one GPU in its lowest state, at generation 1."""
    head, *gpus = re.split(r"^(?=GPU )", text, flags=re.MULTILINE)
    values = {"Performance State": "P8", "Current ": "1", "Device Current": "1", **changed}
    for name, value in values.items():
        leaf = rf"(\n +{re.escape(name)} *: )\S+"
        gpus[number], count = re.subn(leaf, rf"\g<1>{value}", gpus[number], count=1)
        assert count
    return head + "".join(gpus)


def test_a_gpu_that_idles_at_generation_1_is_whole():
    """L40S, A40, L4 and RTX 6000 do so; one that works does not."""
    assert broken({SMI: (0, idle(answer(SMI), 2))}) == {}
    found = fails(SMI, idle(answer(SMI), 2, **{"Performance State": "P0"}))
    assert "generation 1 of 5, 16 lanes of 16" in found.found
    for ends, host in (("5", "N/A"), ("5", "4")):
        changed = {"Device Max": ends, "Host Max": host}
        assert broken({SMI: (0, idle(answer(SMI), 2, **changed))}) == {}
    found = fails(SMI, idle(answer(SMI), 2, Max="4"))
    assert "generation 4 at most, its ends can do 5" in found.found


def test_drivers_since_570_tell_of_resets_by_the_action_alone():
    text = re.sub(
        r"((?:Reset Required|Reset Recommended) +: )No",
        r"\1Requested functionality has been deprecated",
        answer(SMI),
    )
    assert broken({SMI: (0, text)}) == {}
    older = broken({SMI: (0, re.sub(r" +GPU Recovery Action.*\n", "", text))})
    assert older[HARDWARE].verdict is Verdict.INCONCLUSIVE
    found = fails(SMI, text.replace("Action                   : None", "Action : Reset", 1))
    assert "the driver wants it recovered: Reset" in found.found


@pytest.mark.parametrize("leaf", ["Performance State", "Device Max", "Host Max"])
def test_what_an_idle_gpu_can_do_must_be_told(leaf):
    text = re.sub(rf"^ +{leaf} .*\n", "", idle(answer(SMI), 2), flags=re.MULTILINE)
    assert broken({SMI: (0, text)})[HARDWARE].verdict is Verdict.INCONCLUSIVE


def test_ecc_that_is_disabled_fails_though_nothing_is_counted():
    head, *gpus = re.split(r"^(?=GPU )", answer(SMI), flags=re.MULTILINE)
    gpus[2] = re.sub(r"((?:Unc|C)orrectable.*: )0", r"\1N/A", gpus[2])
    gpus[2] = gpus[2].replace("Exceeded       : No", "Exceeded       : N/A")
    gpus[2] = gpus[2].replace(": Enabled\n        Pending", ": Disabled\n        Pending")
    found = fails(SMI, head + "".join(gpus))
    assert "ECC is Disabled" in found.found


def open_or_wrong(text: str) -> set[str]:
    """The rows of GPUs and driver that are not as planned with this report of nvidia-smi."""
    told = fact(lambda: nvidia_smi.query(text).whole())
    found = replace(HEALTHY, gpu=replace(HEALTHY.gpu, smi=told))
    rows = [*gpu_rows(NODE, found, "hardware"), *software_rows(PLAN, NODE, found)]
    return {row.what for row in rows if row.judged != "as planned"}


# What no row asks of a GPU that works at full speed.
_NOT_ASKED = (
    *("Product Name", "Device Current", "Device Max", "Host Max", "Performance State"),
    *("Correctable", "Aggregate / SRAM Unc", "Aggregate / DRAM Unc", "Uncorrectable Error"),
    "ECC Mode / Pending",
)


def test_no_line_of_a_gpu_can_be_lost_or_cut_and_leave_it_whole():
    """Of the 41 lines of a GPU each that is removed, doubled or cut is missed by some row."""
    head, first, *rest = re.split(r"^(?=GPU )", answer(SMI), flags=re.MULTILINE)
    lines = first.splitlines(keepends=True)
    section = ""
    for at, line in enumerate(lines):
        section = line.strip() if ":" not in line else section
        path = f"{section} / {line.strip()}"
        is_asked = line.strip() and not any(one in path for one in _NOT_ASKED)
        start = line.index(":") + 1 if is_asked and ": " in line else 0
        hurt = [line[:end] + "\n" for end in range(start, len(line.rstrip()))] if start else []
        hurt += [""] if is_asked or "orrectable" in line else []
        for damaged in hurt:
            text = head + "".join([*lines[:at], damaged, *lines[at + 1 :], *rest])
            assert open_or_wrong(text), (path, damaged)


def test_what_ecc_corrected_is_no_fault():
    text = with_gpu(2, "Volatile", "DRAM Correctable", "12")
    assert broken({SMI: (0, with_gpu(3, "Remapped Rows", "Correctable Error", "1"))}) == {}
    assert broken({SMI: (0, text)}) == {}


def test_a_gpu_that_is_gone_is_missed():
    found = fails(SMI, host_machine.smi(7))
    assert "GPUs beside rails: found 7, wanted 8 at least" in found.found


@pytest.mark.parametrize("section", ["ECC Mode", "Volatile", "Remapped Rows", "PCIe Generation"])
def test_a_driver_that_does_not_tell_leaves_it_open(section):
    text = answer(SMI).replace(section, "Something else")
    found = broken({SMI: (0, text)})
    assert found[HARDWARE].verdict is Verdict.INCONCLUSIVE


def test_a_gpu_far_from_its_nic_is_named():
    row = next(line for line in answer(TOPO).splitlines() if line.startswith("GPU0"))
    found = fails(TOPO, answer(TOPO).replace(row, row.replace("PIX", "SYS")))
    assert f"GPU 0 beside {RDMA}: found another NUMA node" in found.found
    cut = answer(TOPO).replace(row, row.rpartition("NODE")[0])
    assert broken({TOPO: (0, cut)})[HARDWARE].verdict is Verdict.INCONCLUSIVE


def test_nvlinks_count_and_run_alike():
    """A link that is down, and one that came up slower: no GPU's state says the latter."""
    first = answer(NVLINK).partition("GPU 1:")[0]
    for old, new, says in (
        ("Link 7: 26.562 GB/s", "Link 7: <inactive>", "1 inactive, 17 of 26.562 GB/s"),
        ("Link 7: 26.562 GB/s", "Link 7: 13.281 GB/s", "1 of 13.281 GB/s, 17 of 26.562 GB/s"),
    ):
        found = fails(NVLINK, answer(NVLINK).replace(first, first.replace(old, new)))
        assert found.suspect == f"GPU {NODE.name}:0"
        assert says in found.found
    lines = first.splitlines(keepends=True)
    assert "17 of 26.562" in fails(NVLINK, answer(NVLINK).replace(lines[-1], "", 1)).found


@pytest.mark.parametrize(
    "text",
    [
        host_machine.nvlinks(7),
        host_machine.nvlinks().replace("GPU 1:", "GPU 2:"),
        host_machine.nvlinks().replace("Link 5:", "Link 6:", 1),
        host_machine.nvlinks().replace("26.562 GB/s", "fast", 1),
    ],
)
def test_nvlinks_that_are_not_all_told_are_open(text):
    assert broken({NVLINK: (0, text)})[HARDWARE].verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Speed 32GT/s, Width x16", "Speed 16GT/s, Width x16", "252 Gb/s of 16 GT/s x16"),
        ("Speed 32GT/s, Width x16", "Speed 32GT/s, Width x8", "252 Gb/s of 32 GT/s x8"),
        (
            "Speed 32GT/s, Width x16",
            "Speed 32GT/s, Width x16 (downgraded)",
            "504 Gb/s of 32 GT/s x16, downgraded",
        ),
    ],
)
def test_a_nic_in_a_narrow_slot_is_named(old, new, says):
    at = answer("lspci").index(f"{PCI} ")
    text = answer("lspci")[:at] + answer("lspci")[at:].replace(old, new, 1)
    found = fails("lspci", text)
    assert found.suspect == f"NIC {NODE.name}:{PORT}"
    assert f"PCIe of {PORT}: found {says}, wanted carries 400 Gb/s" in found.found


def log(*lines: str) -> str:
    told = "".join(f"[  {at}.000000] {line}\n" for at, line in enumerate(lines))
    return f"{told}end of log, {len(lines)} lines\n"


@pytest.mark.parametrize(
    ("lines", "suspect", "says"),
    [
        (
            [f"NVRM: Xid (PCI:{GPU[:-2]}): 79, pid=1, GPU has fallen off the bus."],
            f"GPU {NODE.name}:0",
            f"79 of {GPU}: GPU has fallen off the bus",
        ),
        (
            ["NVRM: Xid (PCI:0000:77:00): 999, pid=1, what is this"],
            f"device {NODE.name}",
            "999 of 0000:77:00.0: not in our table",
        ),
        (
            [
                f"mlx5_core {PCI}: 63.008 Gb/s available PCIe bandwidth, limited by {NARROW}",
            ],
            f"NIC {NODE.name}:{PORT}",
            "limited by 8.0 GT/s PCIe x8 link",
        ),
        (
            ["mce: [Hardware Error]: CPU 12: Machine Check: 0 Bank 1: bc800800060c0859"],
            f"device {NODE.name}",
            "[Hardware Error]",
        ),
        (
            ["{1}[Hardware Error]: event severity: fatal"],
            f"device {NODE.name}",
            "event severity: fatal",
        ),
        (
            [f"NVRM: GPU {GPU}: GPU has fallen off the bus."],
            f"GPU {NODE.name}:0",
            "GPU has fallen off the bus",
        ),
        (
            [f"mlx5_core {PCI}: Port module event[error]: module 0, Cable error, High Temperature"],
            f"NIC {NODE.name}:{PORT}",
            "High Temperature",
        ),
        (
            [
                (
                    f"NVRM: Xid (PCI:{GPU[:-2]}): 154, GPU recovery action changed from 0x0 (None) "
                    "to 0x2 (Node Reboot Required)"
                )
            ],
            f"GPU {NODE.name}:0",
            "GPU recovery action changed",
        ),
        (
            [f"NVRM: Xid (PCI:{GPU[:-2]}): 145, RLW_REMAP Fatal XC1 i0 Link 10 (0x82 0x40)"],
            f"GPU {NODE.name}:0",
            "NVLink RLW error",
        ),
        (
            [f"mlx5_core {PCI} {PORT}: Link down"] * 5,
            f"NIC {NODE.name}:{PORT}",
            f"{PORT} 5 times",
        ),
        (
            ["nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 32 LTSSM Fault"],
            f"device {NODE.name}",
            "20034, Fatal",
        ),
    ],
)
def test_what_the_kernel_complains_of_is_named(lines, suspect, says):
    found = fails("log", log(*lines))
    assert found.suspect == suspect
    assert says in found.found


def test_what_needs_no_reset_passes():
    """A program's own fault, a flap or two, an error that was corrected, a narrow disk."""
    quiet = log(
        f"NVRM: Xid (PCI:{GPU[:-2]}): 31, pid=1, name=python, MMU Fault",
        f"NVRM: Xid (PCI:{GPU[:-2]}): 43, pid=1, name=python, Ch 00000008",
        f"NVRM: Xid (PCI:{GPU[:-2]}): 154, GPU recovery action changed from 0x1 (GPU Reset "
        "Required) to 0x0 (None)",
        f"NVRM: Xid (PCI:{GPU[:-2]}): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x8)",
        f"NVRM: Xid (PCI:{GPU[:-2]}): 121, C2C Link corrected error",
        "mce: [Hardware Error]: Machine check events logged",
        "{1}[Hardware Error]: event severity: corrected",
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0",
        *[f"mlx5_core {PCI} {PORT}: Link down"] * 4,
        "nvme 0000:e1:00.0: 31.506 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link "
        "at 0000:e0:01.1",
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress",
    )
    assert broken({"log": (0, quiet)}) == {}


def test_a_log_without_its_end_is_open():
    found = broken({"log": (0, log("x").replace("end of log", "end"))})
    assert found[HARDWARE].verdict is Verdict.INCONCLUSIVE


def test_a_log_whose_first_lines_are_lost_never_passes():
    """A flood that pushes out what came before leaves it open; what is in it still fails."""
    quiet = [f"mlx5_core {PCI} other: Link down"] * MOST
    assert broken({"log": (0, log(*quiet))})[HARDWARE].verdict is Verdict.INCONCLUSIVE
    fails("log", log(*quiet[1:], f"NVRM: GPU {GPU}: GPU has fallen off the bus."))


def test_the_table_of_xids_knows_every_word():
    words = {"app", "watch", "reset", "link", "replace"}
    assert {one["mends"] for one in log_terms().xid.values()} <= words
    assert all(set(one) - {"unless"} == {"means", "mends"} for one in log_terms().xid.values())


# -- the readers ----------------------------------------------------------------------------------


def test_links_of_other_generations():
    """pciutils of three ages write the same link: bare, `(ok)` and `(downgraded)`."""
    text = "0000:18:00.0 Ethernet controller: X\n\t\tLnkSta:\tSpeed {}, Width {}\n"
    for speed, width, gbps, down in (
        ("2.5GT/s", "x1", 2.0, False),
        ("8GT/s", "x8 TrErr- Train-", 63.0, False),
        ("8GT/s (ok)", "x16 (ok)", 126.0, False),
        ("8GT/s (downgraded)", "x16 (ok)", 126.0, True),
        ("64GT/s", "x8 (downgraded)", 504.1, True),
    ):
        link = lspci.devices(text.format(speed, width))["0000:18:00.0"].link
        assert link is not None
        assert (round(link.gbps, 1), link.downgraded) == (gbps, down)
