"""What tools told of a real H200 in a virtual machine: driver 580.159.04, its NVLinks off."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from inventory.golden.topo import GpuRow, parse_topo
from inventory.reading.fields import Unreadable
from tests.validation import host_machine
from tests.validation.stages.test_stage_host import broken
from validation.host_state.hardware import complaint
from validation.parse.gpu import nvidia_proc, nvidia_smi
from validation.parse.host.kernel_log import whole_log
from validation.verdict import Verdict

from .test_hardware import HARDWARE, NOT_WHOLE, SMI, fails, with_gpu

EVIDENCE = Path(__file__).parents[2] / "evidence" / "nvidia"
# What a driver tells in a machine that has its NVSwitches, too.
JOINED = {"State": "Completed", "Status": "Success"}


def told(name: str) -> str:
    return (EVIDENCE / f"one_h200_{name}.txt").read_text()


@cache
def eight() -> str:
    """The report of the real GPU for each of a node's."""
    written = host_machine.answers()[SMI][1]
    places = re.findall(r"^GPU \S+$", written, flags=re.MULTILINE)
    head, gpu = re.split(r"^(?=GPU )", told("q"), flags=re.MULTILINE)
    driver = nvidia_smi.query(told("q")).driver
    head = re.sub(r"(Attached GPUs +: )1", rf"\g<1>{len(places)}", head)
    for name, word in JOINED.items():
        gpu = re.sub(rf"(\n {{8}}{name} +: )N/A", rf"\g<1>{word}", gpu)
    each = (re.sub(r"^GPU \S+$", place, gpu, count=1, flags=re.MULTILINE) for place in places)
    return (head + "".join(each)).replace(driver, host_machine.DRIVER)


def test_the_real_report_is_that_of_a_healthy_node():
    smi = nvidia_smi.query(told("q")).whole()
    assert (smi.driver, smi.attached) == ("580.159.04", 1)
    (gpu,) = smi.gpus
    assert (gpu.pci, gpu.ends(), gpu.lanes("Current"), gpu.idles) == ("0000:00:06.0", 5, 16, False)
    assert broken({SMI: (0, eight())}) == {}


@pytest.mark.parametrize(("section", "name", "value", "says"), NOT_WHOLE)
def test_a_real_report_of_a_gpu_that_is_not_whole_names_it(section, name, value, says):
    found = fails(SMI, with_gpu(2, section, name, value, eight()))
    assert found.suspect.endswith(":2")
    assert says in found.found


def test_a_line_that_is_judged_cannot_be_lost_from_a_real_report():
    """Of one GPU of eight, each line in turn: all that is judged is there, or it is unreadable."""
    lines = eight().splitlines(keepends=True)
    start, end = [at for at, line in enumerate(lines) if line.startswith("GPU ")][2:4]
    judged = [one.judged() for one in nvidia_smi.query("".join(lines)).whole().gpus]
    unread = 0
    for at in range(start, end):
        try:
            left = nvidia_smi.query("".join([*lines[:at], *lines[at + 1 :]])).whole()
        except Unreadable:
            unread += 1
            continue
        assert [one.judged() for one in left.gpus] == judged, lines[at]
    assert unread >= len(judged[2])


def test_a_gpu_whose_fabric_is_not_set_up_is_told():
    one = eight().replace("Completed", "N/A", 1)
    found = broken({SMI: (0, one)})
    assert {found[key].verdict for key in found} == {Verdict.FAIL}
    assert any("NVLink fabric" in one.found for one in found.values())


def test_what_the_real_module_says_of_itself_is_read():
    assert nvidia_proc.module(told("version")) == ("580.159.04", True)
    options = nvidia_proc.options(told("params"))
    assert len(options) == len(told("params").splitlines())
    assert (options["NvLinkDisable"], options["RegistryDwords"]) == ("1", "")


def test_the_real_matrix_of_one_gpu_is_read():
    """Its heading is underlined although nobody saw it on a terminal."""
    assert "\x1b[4m" in told("topo")
    assert parse_topo(told("topo")) == (GpuRow(0, 0, ()),)


def test_a_programs_own_faults_blame_no_gpu():
    """A write to an address that is none (Xid 31), and a kernel that traps (43)."""
    log = whole_log(told("xid"))
    assert [(one.at, one.code, complaint(one)) for one in log] == [
        ("0000:00:06.0", 31, ""),
        ("0000:00:06.0", 43, ""),
    ]
    fatal = whole_log(told("xid").replace("): 43,", "): 79,"))
    assert complaint(fatal[1]).startswith("79 of 0000:00:06.0")


def test_links_that_the_driver_does_not_tell_are_no_links():
    found = broken({"nvidia-smi nvlink -s": (0, "")})
    assert found[HARDWARE].verdict is Verdict.FAIL
    assert "none active" in found[HARDWARE].found
