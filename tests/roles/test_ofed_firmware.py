"""railbed-nic-firmware against stand-ins of MFT's tools, which keep state and refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.hardware import TOOLS

from .machine import Machine

BDF = "0000:18:00.0"
SIGNAL = "/run/railbed/reboot-required.d/ofed-firmware"
PSID = "MT_0000000838"


class Nic(Machine):
    """A node with one NIC."""

    def __init__(self, root: Path, **nic: Any) -> None:
        super().__init__(root)
        hardware = {"nics": [{"bdf": BDF, "netdev": "rail0", "rdma": "mlx5_0", **nic}]}
        self.write("/etc/standin/hardware.json", json.dumps(hardware))
        self.boot("1")

    # What the program asks for and shall not find.
    lacks: tuple[str, ...] = ()

    def boot(self, number: str) -> None:
        """Start again: what waited for it becomes current."""
        self.write("/proc/sys/kernel/random/boot_id", f"{number}\n")

    def asked(self, *words: str, **more: Any) -> tuple[int, str, str]:
        """Run the program with what the profile asks."""
        wanted = {f"ofed_{name}": value for name, value in more.items()}
        settings = wanted.get("ofed_settings", {})
        wanted["ofed_settings"] = [{"name": a, "value": b} for a, b in settings.items()]
        wanted = {"ofed_devices": [{"pci": BDF, "port": "rail0"}], **wanted}
        config = self.text("ofed", "nic-firmware.j2", wanted)
        self.write("/etc/default/railbed-nic-firmware", config)
        script = self.text("ofed", "railbed-nic-firmware", wanted)
        for one in self.lacks:
            script = script.replace(one, "tool none-of-it")
        done = self.run(script, *words)
        return done.returncode, done.stdout, done.stderr

    def signal(self) -> str:
        return self.read(SIGNAL) if self.has(SIGNAL) else ""


def test_a_node_that_is_asked_for_nothing_needs_no_tool(tmp_path):
    nic = Nic(tmp_path)
    assert nic.asked() == (0, "", "")
    assert not nic.has("/var/lib/standin")
    assert not nic.signal()


def test_what_next_boot_lacks_is_staged_and_said_until_it_runs(tmp_path):
    nic = Nic(tmp_path, nv={"CNP_DSCP_P1": 0, "ROCE_CC_PRIO_MASK_P1": 0})
    wish = {"CNP_DSCP_P1": "48", "LINK_TYPE_P1": "ETH", "ROCE_CC_PRIO_MASK_P1": "255"}
    assert nic.asked(settings=wish) == (0, "", "")
    told = f"{BDF} rail0: staged, not running: CNP_DSCP_P1 ROCE_CC_PRIO_MASK_P1"
    assert nic.signal() == told
    assert nic.asked("show", settings=wish)[1].splitlines() == [
        "PCI            SETTING                      WANTED           STAGED           RUNNING",
        "0000:18:00.0   CNP_DSCP_P1                  48               48               0",
        "0000:18:00.0   LINK_TYPE_P1                 ETH              ETH(2)           ETH(2)",
        "0000:18:00.0   ROCE_CC_PRIO_MASK_P1         255              255              0",
    ]
    nic.boot("2")
    assert nic.asked(settings=wish) == (0, "", "")
    assert not nic.signal()


def test_a_look_changes_nothing(tmp_path):
    nic = Nic(tmp_path, nv={"CNP_DSCP_P1": 0})
    status, table, _ = nic.asked("show", settings={"CNP_DSCP_P1": "48"})
    assert (status, table.splitlines()[1].split()) == (0, [BDF, "CNP_DSCP_P1", "48", "0", "0"])
    assert nic.asked("show", settings={"CNP_DSCP_P1": "48"})[1] == table
    assert not nic.signal()


def test_nothing_is_written_where_all_is_staged(tmp_path):
    """Each write wears the NIC's flash."""
    nic = Nic(tmp_path)
    nic.asked(settings={"CNP_DSCP_P1": "48"})
    nic.tool("mlxconfig", f'exec "{TOOLS}/mlxconfig" "$@"')
    assert nic.asked(settings={"CNP_DSCP_P1": "48", "SRIOV_EN": "False"})[0] == 0
    assert nic.said() == [f"mlxconfig -d {BDF} -e q CNP_DSCP_P1 SRIOV_EN"]


def test_a_hidden_setting_is_set_after_the_one_that_shows_it(tmp_path):
    nic = Nic(tmp_path)
    wish = {"ADVANCED_PCI_SETTINGS": "1", "MAX_ACC_OUT_READ": "44"}
    assert nic.asked(settings=wish) == (0, "", "")
    assert nic.signal().endswith("not running: ADVANCED_PCI_SETTINGS MAX_ACC_OUT_READ")


def test_a_hidden_setting_that_shows_at_the_next_boot_waits_for_it(tmp_path):
    """Some firmware looks at what runs; that is no fault of the profile."""
    nic = Nic(tmp_path, nv={"ADVANCED_PCI_SETTINGS": 0})
    nic.tool(
        "mlxconfig",
        'case "$*" in *MAX_ACC*) echo "-E- Unknown Parameter MAX_ACC_OUT_READ"; exit 3 ;; esac\n'
        f'exec "{TOOLS}/mlxconfig" "$@"',
    )
    status, _, error = nic.asked(settings={"ADVANCED_PCI_SETTINGS": "1", "MAX_ACC_OUT_READ": "44"})
    assert (status, error) == (0, "")
    assert nic.signal().endswith("can be set after the next boot: MAX_ACC_OUT_READ")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"NO_SUCH_KEY": "1", "CNP_DSCP_P1": "48"}, f"{BDF} rail0 has no setting NO_SUCH_KEY"),
        ({"CNP_DSCP_P1": "64"}, f"{BDF} rail0 does not take CNP_DSCP_P1=64"),
    ],
)
def test_what_a_nic_refuses_is_a_failure(tmp_path, wish, said):
    status, _, error = Nic(tmp_path).asked(settings=wish)
    assert status == 1
    assert said in error


def test_a_nic_that_is_not_there_is_a_failure(tmp_path):
    other = [{"pci": "0000:99:00.0", "port": "rail7"}]
    status, _, error = Nic(tmp_path).asked(settings={"CNP_DSCP_P1": "48"}, devices=other)
    assert (status, "0000:99:00.0 rail7 has no setting CNP_DSCP_P1" in error) == (1, True)


# What mlxconfig prints where a device does not know all columns, and for a read-only row
# (mlxconfig/mlxcfg_ui.cpp of github.com/Mellanox/mstflint: printConfHeader, printSingleParam).
HEADS = {
    "next alone": ("Configurations:     Next Boot", "        ROCE_CONTROL    {}"),
    "no default": ("Configurations:     Current     Next Boot", "*       ROCE_CONTROL    {}   {}"),
    "read only": (
        "Configurations:     Default    Current     Next Boot",
        "*RO     ROCE_CONTROL    ROCE_ENABLE(2)  {}   {}",
    ),
}


@pytest.mark.parametrize("form", HEADS)
def test_columns_are_found_by_their_heading(tmp_path, form):
    head, row = HEADS[form]
    nic = Nic(tmp_path)
    values = ["ROCE_DISABLE(1)", "ROCE_ENABLE(2)"][-row.count("{}") :]
    text = "\n".join(["Device #1:", "", head, row.format(*values), "The '*' shows parameters"])
    nic.tool("mlxconfig", f"cat <<'END'\n{text}\nEND")
    running = values[0] if len(values) == 2 else "-"
    table = nic.asked("show", settings={"ROCE_CONTROL": "2"})[1].splitlines()[1].split()
    assert table == [BDF, "ROCE_CONTROL", "2", "ROCE_ENABLE(2)", running]


def test_other_firmware_is_reported_and_left_alone(tmp_path):
    nic = Nic(tmp_path, fw="28.43.2026")
    status, out, error = nic.asked(firmware="28.47.2682")
    assert (status, error) == (0, "")
    assert out == f"railbed-nic-firmware: {BDF} rail0 has firmware 28.43.2026, wanted 28.47.2682\n"
    assert not nic.signal()


def test_firmware_is_burned_where_the_site_says_so_and_runs_after_the_next_boot(tmp_path):
    nic = Nic(tmp_path, fw="28.43.2026", psid=PSID)
    image = f"/usr/share/railbed/firmware/{PSID}-28.47.2682.bin"
    status, _, error = nic.asked(firmware="28.47.2682", burn=True)
    assert (status, f"{image} is not there" in error) == (1, True)
    nic.write(image, f"FW 28.47.2682 PSID {PSID}\n")
    assert nic.asked(firmware="28.47.2682", burn=True) == (0, "", "")
    assert nic.signal() == f"{BDF} rail0: firmware 28.47.2682 is in flash, 28.43.2026 runs"
    table = nic.asked("show", firmware="28.47.2682", burn=True)[1].splitlines()[1].split()
    assert table == [BDF, "firmware", "28.47.2682", "28.47.2682", "28.43.2026"]
    nic.boot("2")
    assert nic.asked(firmware="28.47.2682", burn=True) == (0, "", "")
    assert not nic.signal()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"firmware": "28.47.2682"}, "no firmware can be read: neither flint (mft) nor mstflint"),
        ({"settings": {"CNP_DSCP_P1": "48"}}, "no settings can be read: neither mlxconfig (mft)"),
    ],
)
def test_without_a_tool_no_word_of_before_stays(tmp_path, wish, said):
    nic = Nic(tmp_path)
    nic.write(SIGNAL, "of before\n")
    nic.lacks = ("tool mlxconfig mstconfig", "tool flint mstflint")
    status, _, error = nic.asked(**wish)
    assert (status, error.count("is there")) == (1, 1)
    assert nic.signal().startswith(said)
    assert nic.asked("show", **wish)[0] == 1


def test_an_image_of_another_board_is_refused_by_flint(tmp_path):
    nic = Nic(tmp_path, psid=PSID)
    image = f"/usr/share/railbed/firmware/{PSID}-28.47.2682.bin"
    nic.write(image, "FW 28.47.2682 PSID DEL0000000027\n")
    status, _, error = nic.asked(firmware="28.47.2682", burn=True)
    assert (status, "does not take" in error) == (1, True)
    assert not nic.signal()
