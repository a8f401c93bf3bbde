"""A distribution of the RHEL family in a folder, as dnf reads it by file://, and a site of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from inventory.load.site import SITES
from tests.inventory.own_sites import pod, write
from tests.shipped import loaded
from tests.standins.rpms import Rpm, build, lists, sign

PROFILES = SITES.parent / "profiles/nodes.yml"
# Of the shipped profiles, what asks for the maker of the CPU is not said here.
OTHER = {"tuning": {"boot": "bls"}, "gpu_storage": None}
CORE = ("glibc", "NetworkManager", "tpm_tools")
# Names and fields of EL9's; of what is in the minimal system, chrony is what roles ask for.
RPMS = (
    Rpm("glibc", "2.34-100.el9"),
    Rpm("NetworkManager", "1:1.46.0-1.el9".partition(":")[2], "glibc", lines="Epoch: 1\n"),
    Rpm("tpm_tools", "1.3-1.el9", "glibc"),
    Rpm("openssh-server", "8.7p1-38.el9", "glibc"),
    Rpm("chrony", "4.5-1.el9", "glibc, libseccomp"),
    Rpm("libseccomp", "2.5.2-2.el9", "glibc"),
    Rpm("lldpd", "1.0.18-4.el9", "(glibc and tpm_tools = 1.3-1.el9)"),
    Rpm("rdma-core", "48.0-1.el9", "libibverbs = 48.0-1.el9"),
    Rpm("libibverbs", "48.0-1.el9", "glibc"),
    Rpm("nvidia-open", "580.178.04-1.el9", "nvidia-kmod = 3:580.178.04", lines="Epoch: 3\n"),
    Rpm("kmod-nvidia-open-dkms", "580.178.04-1.el9", "glibc",
        lines="Epoch: 3\nProvides: nvidia-kmod = 3:580.178.04\n"),
    Rpm("nvidia-fabricmanager", "580.178.04-1", "glibc"),
    Rpm("python3-dnf-plugin-versionlock", "4.3.0-13.el9", "glibc",
        lines="ModularityLabel: tools:1:9:x\n"),
    Rpm("left-out", "1.0-1", "glibc"),
)  # fmt: skip

# AppStream's form, and NVIDIA's: the packages of a stream that nobody took are not offered.
MODULES = """---
document: modulemd
version: 2
data:
  name: tools
  stream: "1"
  version: 9
  context: x
  arch: x86_64
  summary: stand-in
  description: stand-in
  license: {module: [MIT]}
  artifacts: {rpms: ["python3-dnf-plugin-versionlock-0:4.3.0-13.el9.noarch"]}
...
"""


def archive(folder: Path, arch: str, key: Path) -> Path:
    """A repository of `RPMS`, its packages and its lists signed by a key."""
    made = build((one_of(one, arch) for one in RPMS), folder / "Packages")
    sign(made, key)
    lists(folder, CORE, key, MODULES)
    return folder


def one_of(rpm: Rpm, arch: str) -> Rpm:
    """The libraries of an architecture; the rest is of none."""
    return Rpm(rpm.name, rpm.version, rpm.requires, arch, rpm.lines) if "lib" in rpm.name else rpm


def armoured(key: Path) -> Path:
    """The public half of a key, as makers of repositories offer it."""
    path = key / "RPM-GPG-KEY"
    argv = [
        "gpg",
        "--batch",
        "--yes",
        "--homedir",
        str(key),
        "--armor",
        "--export",
        "-o",
        str(path),
    ]
    subprocess.run(argv, capture_output=True, check=True)
    return path


def site(folder: Path, os: str, arch: str, rows: list[Mapping[str, object]]) -> Path:
    """A site of nodes of the RHEL family that asks these repositories; nothing is locked yet."""
    fabric = pod()
    del fabric["versions"]
    fabric["compute"]["node_profile"] = "hgx-el9"
    (folder / "profiles").mkdir(parents=True)
    profiles = {
        name: loaded(PROFILES)[of] | {"os": os, "arch": arch, **OTHER}
        for name, of in {"hgx-el9": "hgx-h100", "storage-el9": "storage-cpu",
                         "mgmt-el9": "mgmt-cpu"}.items()
    }  # fmt: skip
    (folder / "profiles/nodes.yml").write_text(json.dumps(profiles))
    text = json.dumps(fabric).replace('"storage-cpu"', '"storage-el9"')
    write(json.loads(text.replace('"mgmt-cpu"', '"mgmt-el9"')), folder)
    (folder / "versions").mkdir()
    (folder / f"versions/{os}-{arch}.yml").write_text(
        f'os: {os}\nsuite: el9\narch: {arch}\nresolved: "2026-01-01"\n'
        "components:\n  fabric_manager: [nvidia-fabricmanager]\n  lldp: [lldpd]\n"
        "  nvidia_driver: [nvidia-open]\n  rdma: [rdma-core]\n  time: [chrony]\n"
        "packages: {}\n"
    )
    sources(folder, rows)
    return folder


def sources(folder: Path, rows: list[Mapping[str, object]]) -> None:
    """Have a site ask these repositories."""
    (folder / "versions/sources.yml").write_text(json.dumps({"repositories": rows}))


def row(os: str, where: Path, key: Path, fingerprint: str, **more: object) -> dict[str, object]:
    """A row of sources.yml."""
    return {
        "os": os,
        "url": f"file://{where}",
        "keys": [str(armoured(key))],
        "fingerprints": [fingerprint],
        "source": "made by a test",
        **more,
    }
