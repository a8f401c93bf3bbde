"""Stand-in packages of the NIC stack: DOCA-Host in two releases, and MLNX_OFED."""

from __future__ import annotations

from deploy.lab.hardware.debs import Deb
from deploy.lab.hardware.driver_debs import UNITS, dkms_deb, files_of, tools

# DOCA release -> release of its packages, OFED, rdma-core, mft.
# SOURCE: DOCA 2.9.1 with OFED 24.10-1.1.4: NVIDIA's file names of MLNX_OFED/DOCA 24.10 as public
# install scripts list them (rdma-core_2410mlnx54-1.2410068, mft_4.30.1-8,
# mlnx-ofed-kernel-dkms_24.10.OFED.24.10.1.1.4.1-1, ofed-scripts_24.10.OFED.24.10.1.1.4-1,
# mlnx-tools_24.10-0.2410068). DOCA 3.2.1: Azure/azhpc-images versions.json (044000) and
# install_doca.sh (2510.0.11), Mellanox/network-operator PR 1835 (25.10-1.2.8.0); its mft and the
# build number 2510128 have a real form and were seen nowhere.
DOCA_OLDER, DOCA_NEWER = "2.9.1", "3.2.1"
_DOCA = {
    DOCA_OLDER: ("018000", "24.10", "1.1.4", "2410mlnx54-1.2410068", "2410068", "4.30.1-8"),
    DOCA_NEWER: ("044000", "25.10", "1.2.8", "2510.0.11-1", "2510128", "4.34.0-145"),
}
# SOURCE: the libraries of Debian 12's source package rdma-core, which DOCA's replace by version.
_RDMA_CORE = (
    *("ibverbs-providers", "ibverbs-utils", "libibumad3", "libibverbs1", "librdmacm1"),
    "rdma-core",
)


def doca(release: str = DOCA_NEWER) -> list[Deb]:
    """DOCA-Host's profiles doca-ofed and doca-roce, whose parts hang together by exact versions."""
    build, line, ofed, core, number, mft = _DOCA[release]
    version = f"{release}-{build}"
    parts = _ofed_parts(line, ofed, core, number, mft, "OFED-internal")
    # SOURCE: DOCA Installation Guide, profiles; azhpc-images install_doca.sh for the strict pins.
    roce = [one for one in parts if one.name not in {"mft", "mlnx-fw-updater"}]
    return [
        *parts,
        Deb("doca-roce", version, _exactly(roce), fields=_no_mlnx_ofed()),
        Deb("doca-ofed", version, _exactly(parts), fields=_no_mlnx_ofed()),
    ]


def mlnx_ofed() -> list[Deb]:
    """MLNX_OFED 24.10-2.1.8, the end of its line: parts of the same names as DOCA's.

    SOURCE: a public log of mlnxofedinstall 24.10-2.1.8.0 (ofed-scripts_24.10.OFED.24.10.2.1.8-1,
    mlnx-ofed-kernel-dkms_24.10.OFED.24.10.2.1.8.1-1); its metapackage mlnx-ofed-all by the
    MLNX_OFED manual, "Installing MLNX_OFED using apt-get".
    """
    parts = _ofed_parts(
        "24.10", "2.1.8", "2410mlnx54-1.2410325", "2410325", "4.30.1-113", "MLNX_OFED_LINUX"
    )
    fields = {"Conflicts": "doca-ofed, doca-roce"}
    return [
        *parts,
        Deb("mlnx-ofed-all", "24.10-2.1.8.0", _exactly(parts), arch="all", fields=fields),
    ]


def _no_mlnx_ofed() -> dict[str, str]:
    return {"Conflicts": "mlnx-ofed-all, mlnx-ofed-basic, mlnx-ofed-kernel-only"}


def _exactly(debs: list[Deb]) -> str:
    return ", ".join(f"{one.name} (= {one.version})" for one in debs)


def _ofed_parts(line: str, ofed: str, core: str, number: str, mft: str, label: str) -> list[Deb]:
    """The parts of an OFED: kernel modules, user libraries, tools, firmware tools."""
    base = f"{line}.OFED.{line}.{ofed}"
    kernel = f"{base}.1-1"
    scripts = Deb(
        "ofed-scripts", f"{base}-1", "standin-runtime",
        files={
            **tools("/usr/bin/ofed_info", "/usr/bin/ibdev2netdev", "/etc/init.d/openibd"),
            "/usr/share/standin/ofed-release": f"{label}-{line}-{ofed}.0\n",
            "/usr/sbin/ofed_uninstall.sh": "#!/bin/sh\nexit 0\n",
        },
    )  # fmt: skip
    qos = Deb("mlnx-tools", f"{line}-0.{number}", "python3:any, standin-runtime", fields={
        "Breaks": "mlnx-ofed-kernel-utils (<< 5.4), mlnx-en-utils (<< 5.4)",
        "Replaces": "mlnx-ofed-kernel-utils (<< 5.4), mlnx-en-utils (<< 5.4)",
    }, files={
        **tools("/usr/bin/mlnx_qos", "/usr/sbin/show_gids"),
        **tools("/usr/sbin/cma_roce_mode", "/usr/sbin/cma_roce_tos"),
        # SOURCE: Mellanox/mlnx-tools tsbin/doca-hugepages: it sets every size, to 0 where no file
        # names it.
        "/usr/sbin/doca-hugepages": _HUGEPAGES,
        "/etc/mellanox/hugepages.d/README": "One JSON file for each program.\n",
    })  # fmt: skip
    utils = Deb("mlnx-ofed-kernel-utils", kernel, f"ofed-scripts (= {base}-1)", files={
        f"{UNITS}/openibd.service": _OPENIBD,
        "/etc/infiniband/openib.conf": "ONBOOT=yes\nIPOIB_LOAD=yes\n",
    }, conffiles=("/etc/infiniband/openib.conf",))  # fmt: skip
    version = f"{line}-{ofed}"
    modules = dict.fromkeys(("ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm"), version)
    drivers = dkms_deb(
        Deb("mlnx-ofed-kernel-dkms", kernel, "dkms (>= 1.95)", arch="all"),
        "mlnx-ofed-kernel", f"{base}.1", modules,
    )  # fmt: skip
    libraries = [
        Deb(
            name,
            core,
            _needs_of(name, core),
            files=tools("/usr/bin/ibv_devinfo") if name == "ibverbs-utils" else files_of(name),
        )
        for name in _RDMA_CORE
    ]
    # SOURCE of perftest's form: DOCA's perftest_24.10.0-0.65...; the rest of it is left out.
    perftest = Deb("perftest", f"{line}.0-0.65.{number}", f"libibverbs1 (>= {core})")
    names = ("mlxconfig", "mlxfwreset", "mlxreg", "mst", "flint")
    firmware = tools(*(f"/usr/bin/{name}" for name in names))
    return [
        drivers, *libraries, Deb("mft", mft, "standin-runtime", files=firmware),
        Deb("mlnx-fw-updater", f"{line}-{ofed}.0", f"mft (>= {mft})", files={
            **tools("/usr/bin/mlxfwmanager"),
            "/usr/share/standin/firmware.json": '{"MT_0000000838": "28.43.2402"}\n',
        }), utils, qos, scripts, perftest,
    ]  # fmt: skip


def _needs_of(library: str, core: str) -> str:
    runtime = ", standin-runtime" if library == "ibverbs-utils" else ""
    return "" if library == "rdma-core" else f"rdma-core (= {core}){runtime}"


_OPENIBD = """\
[Unit]
Description=openibd - configure Mellanox devices
After=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/etc/init.d/openibd start bootid=%b
ExecStop=/etc/init.d/openibd stop bootid=%b

[Install]
WantedBy=multi-user.target
"""
_HUGEPAGES = """\
#!/usr/bin/python3
import json, pathlib, sys
wanted = {}
for path in pathlib.Path("/etc/mellanox/hugepages.d").glob("*.json"):
    for size, one in json.loads(path.read_text()).items():
        wanted[size] = wanted.get(size, 0) + one["num"]
if sys.argv[1:] != ["reload"]:
    sys.exit("usage: doca-hugepages reload")
print("Reloading hugepages configuration...")
for folder in pathlib.Path("/sys/kernel/mm/hugepages").glob("hugepages-*kB"):
    size = folder.name[10:-2]
    (folder / "nr_hugepages").write_text(str(wanted.get(size, 0)))
"""
