"""Stand-in packages of GPUs: the driver, its fabric manager, GPUDirect Storage, NCCL."""

from __future__ import annotations

from dataclasses import replace

from deploy.lab.hardware.debs import Deb, File, Link
from deploy.lab.hardware.driver_debs import (
    MODULES,
    dkms_deb,
    fabric_files,
    files_of,
    persistence_files,
    tools,
)

# The two releases of a driver branch between which tests roll, and the fabric manager of the
# next branch. SOURCE: Azure/azhpc-images versions.json (580.126.16 and .20), NVIDIA's release
# notes of branch 590.
OLDER, NEWER, SKEWED = "580.126.16", "580.126.20", "590.48.01"


def driver(version: str = NEWER) -> list[Deb]:
    """The compute part of the driver, as NVIDIA's repository for Debian cuts it.

    SOURCE of names and of the form `<driver>-1`: apt logs of developer.download.nvidia.com
    .../cuda/repos/debian13 in github.com/psygreg/linuxtoys/issues/908 and 1038; NVIDIA Driver
    Installation Guide, "Compute-only system" for Debian (nvidia-driver-cuda,
    nvidia-kernel-open-dkms).
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
    shared = [Deb(name, full, depends.get(name, ""), files=files_of(name)) for name in parts]
    at = next(at for at, one in enumerate(shared) if one.name == "libnvidia-ml1")
    told = {"/usr/share/standin/nvidia/userspace": f"{version}\n"}
    shared[at] = replace(shared[at], files={**shared[at].files, **told})
    modules = dkms_deb(
        Deb("nvidia-kernel-open-dkms", full,
            f"dkms, firmware-nvidia-gsp {exact}, nvidia-kernel-support {exact}",
            fields={"Conflicts": "nvidia-kernel-dkms", "Provides": f"nvidia-kernel-dkms {exact}"}),
        "nvidia", version, dict.fromkeys(MODULES, version),
    )  # fmt: skip
    cuda = Deb("nvidia-driver-cuda", full, ", ".join([
        "standin-runtime", *(f"{name} {exact}" for name in (
            "libcuda1", "libcudadebugger1", "libnvidia-cfg1", "libnvidia-ml1",
            "libnvidia-pkcs11-openssl3", "nvidia-persistenced")),
    ]), files=tools("/usr/bin/nvidia-smi"))  # fmt: skip
    meta = f"nvidia-driver-cuda {exact}, nvidia-kernel-open-dkms {exact}"
    return [
        *shared, modules, cuda, _persistenced(version),
        Deb("nvidia-modprobe", full, "", files={"/usr/bin/nvidia-modprobe": "#!/bin/sh\nexit 0\n"}),
        Deb("nvidia-open", full, meta),
    ]  # fmt: skip


def _persistenced(version: str) -> Deb:
    full, needs = f"{version}-1", f"libnvidia-cfg1 (= {version}-1)"
    return Deb("nvidia-persistenced", full, needs, files=persistence_files(version))


def fabric_manager(version: str = NEWER) -> list[Deb]:
    """SOURCE: NVIDIA/gpu-driver-container PR 451: from 580 on the name has no branch, and the
    old names are virtual. It wants no driver at its own version, which is the trap."""
    branch = version.partition(".")[0]
    full = f"{version}-1"
    provides = {"Provides": f"nvidia-fabricmanager-{branch}"}
    files = fabric_files(version)
    return [
        Deb("nvidia-fabricmanager", full, "standin-runtime", fields=provides, files=files),
        Deb("libnvidia-nscq", full, "", fields={"Provides": f"libnvidia-nscq-{branch}"}),
    ]


def nvlsm() -> list[Deb]:
    """SOURCE of the name, and that it comes beside the fabric manager with a version of its own:
    NVIDIA/gpu-driver-container PR 246. The version has the form of 2025.03.1-1 there."""
    program = "/opt/nvidia/nvlsm/sbin/nvlsm"
    return [Deb("nvlsm", "2025.03.1-1", "", files={program: "#!/bin/sh\nexec sleep infinity\n"})]


def gds() -> list[Deb]:
    """SOURCE of names: NVIDIA GPUDirect Storage guide, "Installing GDS" (nvidia-gds-<cuda>,
    gds-tools-<cuda>, libcufile-<cuda>, nvidia-fs-dkms); of the relation to the open driver: its
    release notes. /usr/local/cuda is a link of the real ones by update-alternatives."""
    fs, cuda = "2.27.3", "13.0.2-1"
    tool = "/usr/local/cuda-13.0/gds/tools/gdscheck"
    files: dict[str, File | Link] = {
        **tools(tool), f"{tool}.py": Link("gdscheck"), "/usr/local/cuda": Link("cuda-13.0"),
        "/usr/share/standin/gds": "1.15.1.6 2.27 2.12\n",
    }  # fmt: skip
    module_deb = dkms_deb(
        Deb("nvidia-fs-dkms", f"{fs}-1", "dkms, nvidia-kernel-open-dkms"),
        "nvidia-fs", fs, {"nvidia-fs": fs},
    )  # fmt: skip
    return [
        module_deb,
        Deb("nvidia-fs", f"{fs}-1", f"nvidia-fs-dkms (= {fs}-1)"),
        Deb("libcufile-13-0", "1.15.1.6-1", "", files={"/etc/cufile.json": _CUFILE},
            conffiles=("/etc/cufile.json",)),
        Deb("gds-tools-13-0", "1.15.1.6-1", "libcufile-13-0, standin-runtime", files=files),
        Deb("nvidia-gds-13-0", cuda,
            "gds-tools-13-0 (>= 1.15.1.6), libcufile-13-0 (>= 1.15.1.6), nvidia-fs (>= 2.27)"),
        Deb("nvidia-gds", cuda, f"nvidia-gds-13-0 (= {cuda})"),
    ]  # fmt: skip


# The shipped file is JSON with // comments.
_CUFILE = """\
{
    // an application can name another file by CUFILE_ENV_PATH_JSON
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
        Deb("libnccl2", version, "", files=files_of("libnccl2")),
        Deb("libnccl-dev", version, f"libnccl2 (= {version})"),
        Deb("nccl-tests", "2.17.6-1", "libnccl2 (>= 2.30)", files=files),
    ]
