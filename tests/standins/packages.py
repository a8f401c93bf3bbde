"""Stand-in packages with the real names, forms of version and relations.

What is real is named at each set. A version that was seen nowhere has a real form, and its
comment says so. Sets leave out what our roles never touch (graphics, headers of libraries).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from .debs import TOOLS, Deb, File, Link
from .modules import module

# The two releases of a driver branch between which tests roll, and the fabric manager of the
# next branch. SOURCE: Azure/azhpc-images versions.json (580.126.16 and .20), NVIDIA's release
# notes of branch 590.
OLDER, NEWER, SKEWED = "580.126.16", "580.126.20", "590.48.01"

_LIB = "/usr/share/standin/standin.py"
_UNIT = "/lib/systemd/system"


def runtime() -> Deb:
    """What every stand-in tool needs; a package of ours, in no real repository."""
    return Deb(
        "standin-runtime", "1", "python3:any", arch="all", files={_LIB: TOOLS / "standin.py"}
    )


def devices() -> Deb:
    """Stand-ins of the OS's own tools, before the real ones in PATH."""
    tools: dict[str, File | Link] = {
        f"/usr/local/sbin/{name}": TOOLS / name for name in ("dcb", "ethtool", "lspci")
    }
    tools["/usr/local/sbin/setpci"] = Link("lspci")
    return Deb("standin-devices", "1", "standin-runtime", arch="all", files=tools)


def _tools(*paths: str) -> dict[str, File | Link]:
    """The stand-in tool of each path's last name."""
    return {path: (TOOLS / path.rpartition("/")[2]).resolve() for path in paths}


# --- DKMS -------------------------------------------------------------------------------------


def dkms() -> Deb:
    """SOURCE: Debian 12's dkms 3.0.10-8+deb12u1 (it wants a compiler; this one does not)."""
    tools = _tools("/usr/sbin/dkms", "/usr/sbin/update-initramfs")
    return Deb("dkms", "3.0.10-8+deb12u1", "standin-runtime, kmod", arch="all", files=tools)


# SOURCE: dkms-project/dkms v3.0.10 dkms_common.postinst: without headers it says `skipped` and
# ends with 0, so that the package counts as installed; a build that fails ends with 10.
_POSTINST = """\
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
name={name} version={version}
kernel=$(uname -r)
if dkms status -m "$name" -v "$version" | grep -q .; then
    dkms remove -m "$name" -v "$version" --all >/dev/null
fi
echo "Loading new $name-$version DKMS files..."
dkms add -m "$name" -v "$version" >/dev/null
modules=${{STANDIN_ROOT:-}}/lib/modules/$kernel
if [ ! -d "$modules" ]; then
    echo "It is likely that $kernel belongs to a chroot's host"
    echo "Building for "
    exit 0
fi
echo "Building for $kernel"
if [ -d "$modules/build/include" ]; then
    echo "Building initial module for $kernel"
    dkms build -m "$name" -v "$version" -k "$kernel" >/dev/null
    echo Done.
    dkms install -m "$name" -v "$version" -k "$kernel"
else
    echo "Module build for kernel $kernel was skipped since the"
    echo "kernel headers for this kernel does not seem to be installed."
fi
"""
_PRERM = """\
#!/bin/sh
set -e
case $1 in remove | upgrade | deconfigure) dkms remove -m {name} -v {version} --all || true ;; esac
"""


def _dkms_deb(deb: Deb, source: str, release: str, modules: dict[str, str]) -> Deb:
    """A package whose modules dkms builds: `source` and `release` are the names dkms uses."""
    base = f"/usr/src/{source}-{release}"
    files: dict[str, File | Link] = {
        f"{base}/{name}.ko": module(name, version) for name, version in modules.items()
    }
    files[f"{base}/dkms.conf"] = f'PACKAGE_NAME="{source}"\nPACKAGE_VERSION="{release}"\n'
    fill = {"name": source, "version": release}
    scripts = {"postinst": _POSTINST.format(**fill), "prerm": _PRERM.format(**fill)}
    return replace(deb, files={**deb.files, **files}, scripts={**deb.scripts, **scripts})


def headers(kernel: str | None = None) -> Deb:
    """Headers of a kernel, by default of the running one, which every nspawn machine shares."""
    release = kernel or os.uname().release
    place = f"/usr/src/linux-headers-{release}"
    links = {f"/lib/modules/{release}/build": Link(place)}
    files: dict[str, File | Link] = {f"{place}/include/generated/utsrelease.h": f"{release}\n"}
    # A package's name has no underscore (Policy 5.6.1).
    name = f"linux-headers-{release.replace('_', '-').lower()}"
    return Deb(name, "1.0-1", "", files={**files, **links})


# --- the NIC stack ----------------------------------------------------------------------------

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
            **_tools("/usr/bin/ofed_info", "/usr/bin/ibdev2netdev", "/etc/init.d/openibd"),
            "/usr/share/standin/ofed-release": f"{label}-{line}-{ofed}.0\n",
            "/usr/sbin/ofed_uninstall.sh": "#!/bin/sh\necho 'This program will uninstall all packages.'\n",
        },
    )  # fmt: skip
    tools = Deb("mlnx-tools", f"{line}-0.{number}", "python3:any, standin-runtime", fields={
        "Breaks": "mlnx-ofed-kernel-utils (<< 5.4), mlnx-en-utils (<< 5.4)",
        "Replaces": "mlnx-ofed-kernel-utils (<< 5.4), mlnx-en-utils (<< 5.4)",
    }, files={
        **_tools("/usr/bin/mlnx_qos", "/usr/sbin/cma_roce_mode", "/usr/sbin/cma_roce_tos", "/usr/sbin/show_gids"),
        # SOURCE: Mellanox/mlnx-tools tsbin/doca-hugepages: it sets every size, to 0 where no file
        # names it.
        "/usr/sbin/doca-hugepages": _HUGEPAGES,
        "/etc/mellanox/hugepages.d/README": "One JSON file for each program that needs huge pages.\n",
    })  # fmt: skip
    utils = Deb("mlnx-ofed-kernel-utils", kernel, f"ofed-scripts (= {base}-1)", files={
        f"{_UNIT}/openibd.service": _OPENIBD,
        "/etc/infiniband/openib.conf": "ONBOOT=yes\nIPOIB_LOAD=yes\n",
    }, conffiles=("/etc/infiniband/openib.conf",))  # fmt: skip
    version = f"{line}-{ofed}"
    modules = dict.fromkeys(("ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm"), version)
    drivers = _dkms_deb(
        Deb("mlnx-ofed-kernel-dkms", kernel, "dkms (>= 1.95)", arch="all"),
        "mlnx-ofed-kernel", f"{base}.1", modules,
    )  # fmt: skip
    libraries = [
        Deb(
            name,
            core,
            "" if name == "rdma-core" else f"rdma-core (= {core})",
            files=_files_of(name),
        )
        for name in _RDMA_CORE
    ]
    # SOURCE of perftest's form: DOCA's perftest_24.10.0-0.65...; the rest of it is left out.
    perftest = Deb("perftest", f"{line}.0-0.65.{number}", f"libibverbs1 (>= {core})")
    names = ("mlxconfig", "mlxfwreset", "mlxreg", "mst", "flint")
    firmware = _tools(*(f"/usr/bin/{name}" for name in names))
    return [
        drivers, *libraries, Deb("mft", mft, "standin-runtime", files=firmware),
        Deb("mlnx-fw-updater", f"{line}-{ofed}.0", f"mft (>= {mft})", files={
            **_tools("/usr/bin/mlxfwmanager"),
            "/usr/share/standin/firmware.json": '{"MT_0000000838": "28.43.2402"}\n',
        }), utils, tools, scripts, perftest,
    ]  # fmt: skip


def _files_of(name: str) -> dict[str, File | Link]:
    return {f"/usr/share/doc/{name}/standin": f"{name}\n"}


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


# --- the GPU driver ---------------------------------------------------------------------------


def driver(version: str = NEWER) -> list[Deb]:
    """The compute part of the driver, as NVIDIA's repository for Debian cuts it.

    SOURCE of names and of the form `<driver>-1`: apt logs of developer.download.nvidia.com
    .../cuda/repos/debian13 in psygreg/linuxtoys issues 908 and 1038; NVIDIA Driver Installation
    Guide, "Compute-only system" for Debian (nvidia-driver-cuda, nvidia-kernel-open-dkms).
    nvidia-open is cut down to what it pulls in on a machine without graphics.
    """
    full = f"{version}-1"
    exact = f"(= {full})"
    parts = (
        "firmware-nvidia-gsp", "libcuda1", "libcudadebugger1", "libnvidia-cfg1", "libnvidia-ml1",
        "libnvidia-nvvm4", "libnvidia-pkcs11-openssl3", "libnvidia-ptxjitcompiler1",
        "nvidia-kernel-support",
    )  # fmt: skip
    depends = {
        "libcuda1": f"libnvidia-ptxjitcompiler1 {exact}, libnvidia-nvvm4 {exact}",
        "libcudadebugger1": f"libcuda1 {exact}",
        "nvidia-kernel-support": f"nvidia-modprobe {exact}",
    }
    shared = [Deb(name, full, depends.get(name, ""), files=_files_of(name)) for name in parts]
    at = next(at for at, one in enumerate(shared) if one.name == "libnvidia-ml1")
    told = {"/usr/share/standin/nvidia/userspace": f"{version}\n"}
    shared[at] = replace(shared[at], files={**shared[at].files, **told})
    names = ("nvidia", "nvidia-drm", "nvidia-modeset", "nvidia-peermem", "nvidia-uvm")
    modules = _dkms_deb(
        Deb("nvidia-kernel-open-dkms", full, f"dkms, firmware-nvidia-gsp {exact}, nvidia-kernel-support {exact}",
            fields={"Conflicts": "nvidia-kernel-dkms", "Provides": f"nvidia-kernel-dkms {exact}"}),
        "nvidia", version, dict.fromkeys(names, version),
    )  # fmt: skip
    cuda = Deb("nvidia-driver-cuda", full, ", ".join([
        "standin-runtime", *(f"{name} {exact}" for name in (
            "libcuda1", "libcudadebugger1", "libnvidia-cfg1", "libnvidia-ml1",
            "libnvidia-pkcs11-openssl3", "nvidia-persistenced")),
    ]), files=_tools("/usr/bin/nvidia-smi"))  # fmt: skip
    meta = f"nvidia-driver-cuda {exact}, nvidia-kernel-open-dkms {exact}"
    return [
        *shared, modules, cuda, _persistenced(version),
        Deb("nvidia-modprobe", full, "", files={"/usr/bin/nvidia-modprobe": "#!/bin/sh\nexit 0\n"}),
        Deb("nvidia-open", full, meta),
    ]  # fmt: skip


def _persistenced(version: str) -> Deb:
    """SOURCE of the unit: NVIDIA/nvidia-persistenced init/systemd."""
    unit = """\
[Unit]
Description=NVIDIA Persistence Daemon
Wants=syslog.target

[Service]
Type=exec
ExecStart=/usr/bin/nvidia-persistenced --persistence-mode --verbose
ExecStopPost=/bin/rm -rf /var/run/nvidia-persistenced

[Install]
WantedBy=multi-user.target
"""
    return Deb("nvidia-persistenced", f"{version}-1", f"libnvidia-cfg1 (= {version}-1)", files={
        **_tools("/usr/bin/nvidia-persistenced"),
        f"{_UNIT}/nvidia-persistenced.service": unit,
        "/usr/share/standin/nvidia/persistenced": f"{version}\n",
    })  # fmt: skip


def fabric_manager(version: str = NEWER) -> list[Deb]:
    """SOURCE: NVIDIA/gpu-driver-container PR 451: from 580 on the name has no branch, and the
    old names are virtual. It wants no driver at its own version, which is the trap."""
    unit = """\
[Unit]
Description=NVIDIA fabric manager service
After=network-online.target
Requires=network-online.target

[Service]
User=root
PrivateTmp=false
Type=exec
ExecStart=/usr/bin/nv-fabricmanager -c /usr/share/nvidia/nvswitch/fabricmanager.cfg
LimitCORE=infinity

[Install]
WantedBy=multi-user.target
"""
    branch = version.partition(".")[0]
    full = f"{version}-1"
    provides = {"Provides": f"nvidia-fabricmanager-{branch}"}
    files: dict[str, File | Link] = {
        **_tools("/usr/bin/nv-fabricmanager"),
        f"{_UNIT}/nvidia-fabricmanager.service": unit,
        "/usr/share/nvidia/nvswitch/fabricmanager.cfg": "LOG_LEVEL=4\n",
        "/usr/share/standin/nvidia/fabricmanager": f"{version}\n",
    }
    return [
        Deb("nvidia-fabricmanager", full, "standin-runtime", fields=provides, files=files),
        Deb("libnvidia-nscq", full, "", fields={"Provides": f"libnvidia-nscq-{branch}"}),
    ]


# --- GDS, containers, NCCL --------------------------------------------------------------------


def gds() -> list[Deb]:
    """SOURCE of names: NVIDIA GPUDirect Storage guide, "Installing GDS" (nvidia-gds-<cuda>,
    gds-tools-<cuda>, libcufile-<cuda>, nvidia-fs-dkms); of the relation to the open driver: its
    release notes. /usr/local/cuda is a link of the real ones by update-alternatives."""
    fs, cuda = "2.27.3", "13.0.2-1"
    tool = "/usr/local/cuda-13.0/gds/tools/gdscheck"
    files: dict[str, File | Link] = {
        **_tools(tool), f"{tool}.py": Link("gdscheck"), "/usr/local/cuda": Link("cuda-13.0"),
        "/usr/share/standin/gds": "1.15.1.6 2.27 2.12\n",
    }  # fmt: skip
    module_deb = _dkms_deb(
        Deb("nvidia-fs-dkms", f"{fs}-1", "dkms, nvidia-kernel-open-dkms"),
        "nvidia-fs", fs, {"nvidia-fs": fs},
    )  # fmt: skip
    return [
        module_deb,
        Deb("nvidia-fs", f"{fs}-1", f"nvidia-fs-dkms (= {fs}-1)"),
        Deb("libcufile-13-0", "1.15.1.6-1", "", files={"/etc/cufile.json": _CUFILE},
            conffiles=("/etc/cufile.json",)),
        Deb("gds-tools-13-0", "1.15.1.6-1", "libcufile-13-0, standin-runtime", files=files),
        Deb("nvidia-gds-13-0", cuda, "gds-tools-13-0 (>= 1.15.1.6), libcufile-13-0 (>= 1.15.1.6), nvidia-fs (>= 2.27)"),
        Deb("nvidia-gds", cuda, f"nvidia-gds-13-0 (= {cuda})"),
    ]  # fmt: skip


# The shipped file is JSON with // comments.
_CUFILE = """\
{
    // NOTE : application can override custom configuration via export CUFILE_ENV_PATH_JSON=<filepath>
    "logging": {
        "level": "ERROR"
    },
    "properties": {
        // allow compat mode, this will enable use of cuFile posix read/writes
        "allow_compat_mode": true,
        "use_poll_mode": false
    }
}
"""


def container_toolkit(version: str = "1.18.1") -> list[Deb]:
    """SOURCE: NVIDIA/nvidia-container-toolkit packaging/debian/control and deployments/systemd;
    NVIDIA/libnvidia-container for the other two."""
    full = f"{version}-1"
    breaks = "nvidia-container-runtime (<= 3.5.0-1), nvidia-container-runtime-hook"
    fields = {"Breaks": breaks, "Replaces": breaks}
    base_files: dict[str, File | Link] = {
        **_tools("/usr/bin/nvidia-ctk"),
        "/usr/bin/nvidia-container-runtime": '#!/bin/sh\nexec runc "$@"\n',
        "/usr/share/standin/nvidia/toolkit": f"{version}\n",
        f"{_UNIT}/nvidia-cdi-refresh.service": _CDI_SERVICE,
        f"{_UNIT}/nvidia-cdi-refresh.path": _CDI_PATH,
        "/etc/nvidia-container-toolkit/nvidia-cdi-refresh.env": "# NVIDIA_CTK_CDI_OUTPUT_FILE_PATH=/var/run/cdi/nvidia.yaml\n",
    }
    enable = '#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\n[ -d /run/systemd/system ] || exit 0\nsystemctl daemon-reload\nsystemctl enable --now nvidia-cdi-refresh.path nvidia-cdi-refresh.service || true\n'
    return [
        Deb("libnvidia-container1", full, ""),
        Deb("libnvidia-container-tools", full, f"libnvidia-container1 (>= {full})"),
        Deb("nvidia-container-toolkit-base", full, "standin-runtime", fields=fields,
            files=base_files, scripts={"postinst": enable},
            conffiles=("/etc/nvidia-container-toolkit/nvidia-cdi-refresh.env",)),
        Deb("nvidia-container-toolkit", full,
            f"nvidia-container-toolkit-base (= {full}), libnvidia-container-tools (= {full}), libnvidia-container-tools (<< 2.0.0)",
            fields=fields, files={"/usr/bin/nvidia-container-runtime-hook": "#!/bin/sh\nexit 0\n"}),
    ]  # fmt: skip


_CDI_SERVICE = """\
[Unit]
Description=Refresh NVIDIA CDI specification file
ConditionPathExists=|/usr/bin/nvidia-smi
ConditionPathExists=/usr/bin/nvidia-ctk

[Service]
Type=oneshot
Environment=NVIDIA_CTK_CDI_OUTPUT_FILE_PATH=/var/run/cdi/nvidia.yaml
EnvironmentFile=-/etc/nvidia-container-toolkit/nvidia-cdi-refresh.env
ExecCondition=/bin/sh -c '/usr/bin/grep -qE "/(nvidia|nvidia-current)[.]ko" /lib/modules/%v/modules.dep'
ExecStart=/bin/sh -c '/usr/bin/nvidia-smi -L'
ExecStart=/usr/bin/nvidia-ctk cdi generate

[Install]
WantedBy=multi-user.target
"""
_CDI_PATH = """\
[Unit]
Description=Trigger CDI refresh on NVIDIA driver or toolkit install / upgrade events

[Path]
PathChanged=/lib/modules/%v/modules.dep
PathChanged=/lib/modules/%v/modules.dep.bin
PathChanged=/usr/bin/nvidia-ctk

[Install]
WantedBy=multi-user.target
"""


def _daemon(name: str, description: str) -> str:
    return f"""\
[Unit]
Description={description}
After=network.target

[Service]
Type=exec
ExecStart=/usr/bin/{name}
Restart=always
LimitNOFILE=infinity

[Install]
WantedBy=multi-user.target
"""


def _engine(name: str, version: str) -> str:
    """A daemon that answers --version and else sleeps; PATH and limits are those of its unit."""
    return (
        f"#!/bin/sh\ncase ${{1:-}} in\n--version) echo '{name} {version}' ;;\n"
        "config) cat /etc/containerd/config.toml 2>/dev/null || echo 'version = 2' ;;\n"
        "*) exec sleep infinity ;;\nesac\n"
    )


_START = '#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\n[ -d /run/systemd/system ] || exit 0\nsystemctl daemon-reload\nsystemctl enable --now {unit} || true\n'


def containerd() -> list[Deb]:
    """SOURCE: Debian 12's containerd 1.6.20~ds1-1+deb12u3 and runc; they want no stand-in at all,
    but theirs bring 60 MB to every machine."""
    version = "1.6.20~ds1-1+deb12u3"
    files: dict[str, File | Link] = {
        "/usr/bin/containerd": _engine("containerd", "1.6.20~ds1"),
        f"{_UNIT}/containerd.service": _daemon("containerd", "containerd container runtime"),
    }
    return [
        Deb("runc", "1.1.5+ds1-1+deb12u1", "", files={"/usr/sbin/runc": "#!/bin/sh\nexit 0\n"}),
        Deb("containerd", version, "runc (>= 1.1.5~)", files=files,
            scripts={"postinst": _START.format(unit="containerd.service")},
            fields={"Breaks": "docker.io (<< 20.10)"}),
    ]  # fmt: skip


def docker() -> list[Deb]:
    """SOURCE: download.docker.com's repository for bookworm: versions with epoch 5, containerd.io
    instead of the distribution's containerd and runc."""
    version, io = "5:28.5.1-1~debian.12~bookworm", "1.7.28-1~debian.12~bookworm"
    gone = "containerd, runc"
    io_files: dict[str, File | Link] = {
        "/usr/bin/containerd": _engine("containerd", "1.7.28"),
        "/usr/bin/runc": "#!/bin/sh\nexit 0\n",
        "/etc/containerd/config.toml": 'disabled_plugins = ["cri"]\n',
        f"{_UNIT}/containerd.service": _daemon("containerd", "containerd container runtime"),
    }
    ce_files: dict[str, File | Link] = {
        "/usr/bin/dockerd": _engine("Docker version", "28.5.1"),
        f"{_UNIT}/docker.service": _daemon("dockerd", "Docker Application Container Engine"),
    }
    return [
        Deb("containerd.io", io, "", files=io_files, conffiles=("/etc/containerd/config.toml",),
            fields={"Conflicts": gone, "Replaces": gone, "Provides": gone},
            scripts={"postinst": _START.format(unit="containerd.service")}),
        Deb("docker-ce-cli", version, "", files={"/usr/bin/docker": "#!/bin/sh\necho 'Docker version 28.5.1'\n"}),
        Deb("docker-ce", version, "containerd.io (>= 1.6.24), docker-ce-cli",
            fields={"Conflicts": "docker, docker.io", "Replaces": "docker, docker.io"},
            files=ce_files, scripts={"postinst": _START.format(unit="docker.service")}),
    ]  # fmt: skip


def nccl() -> list[Deb]:
    """SOURCE of the form: NVIDIA's libnccl2 2.30.4-1+cuda13.0 (Azure/azhpc-images versions.json for
    2.30.4). No public repository has a package nccl-tests: this one stands for a site's own."""
    version = "2.30.4-1+cuda13.0"
    programs = ("all_reduce_perf", "alltoall_perf", "broadcast_perf")
    files: dict[str, File | Link] = {
        f"/usr/bin/{name}": "#!/bin/sh\necho 'no GPU behind this stand-in' >&2\nexit 1\n"
        for name in programs
    }
    return [
        Deb("libnccl2", version, "", files=_files_of("libnccl2")),
        Deb("libnccl-dev", version, f"libnccl2 (= {version})"),
        Deb("nccl-tests", "2.17.6-1", "libnccl2 (>= 2.30)", files=files),
    ]


def everything(version: str = NEWER, doca_release: str = DOCA_NEWER) -> Iterator[Deb]:
    """One consistent set: what a node whose profile asks for everything gets."""
    yield from (runtime(), devices(), dkms(), headers())
    yield from doca(doca_release)
    yield from (*driver(version), *fabric_manager(version), *gds())
    yield from (*container_toolkit(), *containerd(), *nccl())
