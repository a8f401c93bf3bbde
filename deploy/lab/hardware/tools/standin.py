"""What the stand-in device tools share: the hardware that is said to be there, and its state.

It runs on a bare Debian 12 beside the tools and imports nothing of the project, because a
stand-in that shares a mistake with the code hides it.

hardware   /etc/standin/hardware.json, written by the test that owns the machine
volatile   /run/standin/nic/<ifindex>@<boot_id>.json: gone when the interface is made anew and
           at reboot, as the state of a mlx5 port is
lasting    /var/lib/standin/nv/<bdf>.json: the NIC's own flash, read by mlxconfig and flint

STANDIN_ROOT puts all of it below another folder; tests use that.
"""

from __future__ import annotations

import copy
import fcntl
import json
import os
import sys
from functools import cache
from pathlib import Path

# A name that type checkers take for true: the import of typing is a fifth of a tool's time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    State = dict[str, Any]

TABLE = range(8)
# A row of `mlnx_qos` counts in cells of this size (tests: 130944 = 1023 cells).
CELL_BYTES = 128
# The largest rx and tx rings of a ConnectX (kernel: drivers/net/ethernet/mellanox/mlx5/core/en.h,
# MLX5E_PARAMS_MAXIMUM_LOG_RQ_SIZE 0xd).
RING_MAX = 8192


def root(path: str) -> Path:
    """A path of the machine, below STANDIN_ROOT."""
    return Path(os.environ.get("STANDIN_ROOT", "") + path)


def die(text: str, status: int = 1) -> NoReturn:
    """End with a message on standard error."""
    print(text, file=sys.stderr)
    sys.exit(status)


def read(path: str, default: str = "") -> str:
    """A small text file without its last line break."""
    try:
        return root(path).read_text(encoding="utf-8").rstrip("\n")
    except OSError:
        return default


def write(path: Path, text: str) -> None:
    """Write a file as a whole: two tools may run at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def hardware() -> State:
    """What this machine is said to have; nothing where the file is missing."""
    try:
        text = root("/etc/standin/hardware.json").read_text(encoding="utf-8")
    except OSError:
        return {"nics": [], "gpus": [], "nvswitches": 0, "quirks": []}
    return {"nics": [], "gpus": [], "nvswitches": 0, "quirks": [], **json.loads(text)}


def nics() -> list[State]:
    """The NICs, sorted by PCI address."""
    return sorted(hardware()["nics"], key=lambda nic: str(nic["bdf"]))


def by_netdev(name: str) -> State | None:
    """The NIC behind an interface that exists now."""
    exists = bool(read(f"/sys/class/net/{name}/ifindex"))
    return next((nic for nic in nics() if nic["netdev"] == name), None) if exists else None


def by_address(name: str) -> State | None:
    """The NIC that a tool of MFT would open: by PCI address, RDMA device or /dev/mst name."""
    for number, nic in enumerate(nics()):
        bdf = str(nic["bdf"])
        if name in {bdf, bdf.removeprefix("0000:"), nic["rdma"], mst_device(nic, number)}:
            return nic
    return None


def mst_device(nic: State, number: int) -> str:
    """The name that `mst start` makes: by device id, then by order."""
    same = [one for one in nics() if device_id(one) == device_id(nic)]
    del number
    return f"/dev/mst/mt{device_id(nic)}_pciconf{same.index(nic)}"


def device_id(nic: State) -> int:
    """PCI device id by family (pci-ids: 15b3:101b, 1021, 1023, ...)."""
    ids = {"ConnectX5": 4119, "ConnectX6": 4123, "ConnectX6DX": 4125, "ConnectX6LX": 4127}
    ids |= {"ConnectX7": 4129, "ConnectX8": 4131, "BlueField3": 41692}
    return ids.get(nic.get("family", "ConnectX7"), 4129)


# --- the volatile state of a port -------------------------------------------------------------


def fresh_port(nic: State) -> State:
    """A mlx5 port as its driver starts it.

    Linux 6.1 drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c: mlx5e_ets_init() gives
    traffic class i to priority i but swaps 0 and 1, all of them `vendor`; trust is pcp, so
    there is no application entry. The cable length 7 is MLX5E_DEFAULT_CABLE_LEN.
    Global pause is on, as the firmware ships it.
    """
    return {
        "dcbx": "fw",
        "apps": [],
        "pfc": [0] * 8,
        "cable_len": 7,
        "prio_tc": [1, 0, 2, 3, 4, 5, 6, 7],
        "tsa": ["vendor"] * 8,
        "tc_bw": [0] * 8,
        "maxrate_kbit": [0] * 8,
        "manual_buffer": False,
        "prio2buffer": [0] * 8,
        "buffer_size": [int(nic.get("buffer_bytes", 262016)), 0, 0, 0, 0, 0, 0, 0],
        "pause": {"autoneg": False, "rx": True, "tx": True},
        "rings": {"rx": 1024, "tx": 1024},
        "registers": {},
    }


def port_file(netdev: str) -> Path:
    """Where the state of an interface lies, as long as it is this interface and this boot."""
    index = read(f"/sys/class/net/{netdev}/ifindex", "0")
    boot = read("/proc/sys/kernel/random/boot_id", "0")
    return root(f"/run/standin/nic/{index}@{boot}.json")


def load_port(nic: State) -> State:
    """The state of a port; as its driver starts it where nobody has set anything.

    Ports are this process's own until it ends: the kernel, too, sets one thing after the other
    (its rtnl lock), and nothing that another tool sets meanwhile is lost.
    """
    _hold_ports()
    path = port_file(str(nic["netdev"]))
    if path.is_file():
        return {**fresh_port(nic), **json.loads(path.read_text(encoding="utf-8"))}
    return fresh_port(nic)


@cache
def _hold_ports() -> int:
    path = root("/run/standin/nic.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    held = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def save_port(nic: State, port: State) -> None:
    """Keep the state of a port, with the buffers that the firmware chooses for it."""
    if not port["manual_buffer"]:
        port["prio2buffer"], port["buffer_size"] = automatic_buffers(nic, port)
    write(port_file(str(nic["netdev"])), json.dumps(port, indent=1) + "\n")


def automatic_buffers(nic: State, port: State) -> tuple[list[int], list[int]]:
    """One buffer for lossy, one for lossless priorities, of equal halves.

    SOURCE: the recorded `mlnx_qos` of a ConnectX-5 with PFC on priority 3: buffer row
    `0 0 0 1 ...`, sizes 130944,130944 of 262016.
    """
    total = int(nic.get("buffer_bytes", 262016))
    if not any(port["pfc"]):
        return [0] * 8, [total, 0, 0, 0, 0, 0, 0, 0]
    half = total // CELL_BYTES // 2 * CELL_BYTES
    return list(port["pfc"]), [half, half, 0, 0, 0, 0, 0, 0]


def total_buffer(nic: State) -> int:
    """All the receive buffer of a port, in bytes."""
    return int(nic.get("buffer_bytes", 262016))


def trust(port: State) -> str:
    """mlx5 has no trust of its own: any DSCP entry means dscp (mlnx_qos, Trust.getTrust)."""
    return "dscp" if port["apps"] else "pcp"


def set_app(port: State, dscp: int, prio: int) -> None:
    """Map one DSCP (mlx5e_dcbnl_ieee_setapp): the old entry goes, the new one comes first."""
    port["apps"] = [[dscp, prio], *(one for one in port["apps"] if one[0] != dscp)]


def del_app(port: State, dscp: int, prio: int) -> bool:
    """Unmap; False is the kernel's ENOENT (mlx5e_dcbnl_ieee_delapp)."""
    if [dscp, prio] not in port["apps"]:
        return False
    port["apps"].remove([dscp, prio])
    return True


def trust_all(port: State) -> None:
    """The firmware's default map: priority = DSCP >> 3 (mlnx-tools dcbnetlink.py)."""
    for dscp in range(64):
        set_app(port, dscp, dscp >> 3)


def bad_ets(port: State) -> bool:
    """What mlx5e_dbcnl_validate_ets() refuses: shares of ETS classes that are not 100 in all."""
    shares = [port["tc_bw"][tc] for tc in TABLE if port["tsa"][tc] == "ets"]
    return bool(shares) and sum(shares) != 100


def driver_reload() -> None:
    """All ports forget: what openibd and `modprobe -r mlx5_core` do."""
    for path in root("/run/standin/nic").glob("*.json"):
        path.unlink()


# --- the flash of a NIC -----------------------------------------------------------------------

# Default, Current and Next Boot of a NIC's configuration. The names and defaults are those of
# `mlxconfig -e q` captures: github.com/ironcore-dev/dpservice/issues/26 (ROCE_CC_PRIO_MASK_P1 255,
# CNP_802P_PRIO_P1 6, CNP_DSCP_P1 48), k8snetworkplumbingwg/sriov-network-operator PR 358 and
# the NVIDIA MFT manual. LINK_TYPE: 1 InfiniBand, 2 Ethernet.
NV_DEFAULTS: dict[str, int] = {
    "ADVANCED_PCI_SETTINGS": 0,
    "ATS_ENABLED": 0,
    "CNP_802P_PRIO_P1": 6,
    "CNP_DSCP_P1": 48,
    "LINK_TYPE_P1": 2,
    "NUM_OF_VFS": 0,
    "PCI_WR_ORDERING": 0,
    "ROCE_ADAPTIVE_ROUTING_EN": 0,
    "ROCE_CC_PRIO_MASK_P1": 255,
    "ROCE_CONTROL": 2,
    "SRIOV_EN": 0,
}
# Shown and settable only once ADVANCED_PCI_SETTINGS is on (MFT manual, mlxconfig).
NV_HIDDEN = {"MAX_ACC_OUT_READ": 0}
NV_WORDS: dict[str, dict[int, str]] = {
    "LINK_TYPE_P1": {1: "IB", 2: "ETH"},
    "PCI_WR_ORDERING": {0: "per_mkey", 1: "force_relax"},
    "ROCE_CONTROL": {1: "ROCE_DISABLE", 2: "ROCE_ENABLE"},
}
NV_BOOLEAN = {"ADVANCED_PCI_SETTINGS", "ATS_ENABLED", "ROCE_ADAPTIVE_ROUTING_EN", "SRIOV_EN"}


def load_flash(nic: State) -> State:
    """A NIC's lasting state. What waited for a boot becomes current in a new boot."""
    path = root(f"/var/lib/standin/nv/{nic['bdf']}.json")
    flash: State = {
        "next": dict(NV_DEFAULTS) | dict(nic.get("nv", {})),
        "current": dict(NV_DEFAULTS) | dict(nic.get("nv", {})),
        "fw": nic.get("fw", "28.43.2026"),
        "fw_next": nic.get("fw", "28.43.2026"),
        "boot": "",
    }
    if path.is_file():
        flash |= json.loads(path.read_text(encoding="utf-8"))
    boot = read("/proc/sys/kernel/random/boot_id", "0")
    if flash["boot"] not in {"", boot}:
        reset_flash(flash)
    flash["boot"] = boot
    return flash


def save_flash(nic: State, flash: State) -> None:
    """Keep a NIC's lasting state."""
    path = root(f"/var/lib/standin/nv/{nic['bdf']}.json")
    write(path, json.dumps(flash, indent=1, sort_keys=True) + "\n")


def reset_flash(flash: State) -> None:
    """A reset of the firmware: what was staged becomes current."""
    flash["current"] = copy.deepcopy(flash["next"])
    flash["fw"] = flash["fw_next"]


def module_version(name: str) -> str:
    """The version of the module that is loaded: where a stand-in of /proc or /sys says so."""
    return read(f"/sys/module/{name}/version")


def real_tool(name: str) -> NoReturn:
    """Become the machine's own tool of this name: for devices that are not stand-ins."""
    for folder in ("/usr/sbin", "/usr/bin", "/sbin", "/bin"):
        path = f"{folder}/{name}"
        for one in (f"{path}.real", path):
            if os.access(one, os.X_OK) and not Path(one).samefile(Path(sys.argv[0])):
                os.execv(one, [one, *sys.argv[1:]])  # noqa: S606
    die(f"{name}: not on this machine", 127)


# --- the GPU driver ---------------------------------------------------------------------------


def kernel() -> str:
    """The release of the running kernel, as `uname -r` says it."""
    return read("/proc/sys/kernel/osrelease") or os.uname().release


def module_on_disk(name: str) -> str:
    """The version of a stand-in module that is installed for the running kernel, or "".

    Stand-in modules hold it as `version=` in their section .modinfo, as real ones do.
    """
    base = root(f"/lib/modules/{kernel()}")
    for folder in (base / "updates/dkms", base / "extra"):
        path = folder / f"{name}.ko"
        if path.is_file():
            for part in path.read_bytes().split(b"\0"):
                if part.startswith(b"version="):
                    return part.decode().partition("=")[2]
    return ""


def loaded_file(name: str) -> Path:
    """Where the loaded version of a module stands, for this boot."""
    boot = read("/proc/sys/kernel/random/boot_id", "0")
    return root(f"/run/standin/modules/{name}@{boot}")


def loaded(name: str, on_demand: bool = True) -> str:
    """The version of a module that this boot has loaded.

    The first who asks for a GPU loads it, as nvidia-modprobe does; from then on an upgrade of
    the packages changes nothing until a reboot or a reload.
    """
    path = loaded_file(name)
    if path.is_file():
        return path.read_text(encoding="utf-8").strip()
    found = module_on_disk(name)
    if found and on_demand:
        write(path, found + "\n")
        if hardware().get("loads_on_demand"):
            # What the kernel shows of it, for who asks no tool (nvidia-modprobe(1)).
            argv = ["/usr/local/sbin/standin-sysfs", "load", name, found]
            os.spawnv(os.P_WAIT, argv[0], argv)  # noqa: S606
    return found if on_demand else ""


def loaded_at_boot(name: str) -> str:
    """The version of a module that somebody has loaded, or that modules-load.d(5) names.

    Nobody loads it on demand: on disk alone it is of no use.
    """
    for folder in ("/etc/modules-load.d", "/usr/lib/modules-load.d", "/lib/modules-load.d"):
        for path in sorted(root(folder).glob("*.conf")):
            names = {line.strip().replace("-", "_") for line in path.read_text().splitlines()}
            if name.replace("-", "_") in names:
                return loaded(name) or loaded(name.replace("_", "-"))
    return loaded(name, on_demand=False)


def gpus() -> list[State]:
    """The GPUs, sorted by PCI address."""
    return sorted(hardware()["gpus"], key=lambda gpu: str(gpu["bdf"]))


def uuid(gpu: State) -> str:
    """A UUID that follows from the PCI address, so that it stays."""
    digits = f"{int(str(gpu['bdf']).replace(':', '').replace('.', ''), 16):032x}"
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def long_bdf(gpu: State) -> str:
    """NVML writes the PCI domain with eight digits."""
    return f"0000{str(gpu['bdf']).upper()}"


def fabric_state() -> str:
    """What the fabric manager has reached in this boot, "" where there is no NVSwitch."""
    if not hardware()["nvswitches"]:
        return ""
    return read(
        f"/run/standin/fabric@{read('/proc/sys/kernel/random/boot_id', '0')}", "In Progress"
    )
