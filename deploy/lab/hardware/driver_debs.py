"""Stand-ins of a GPU driver's packages: a lock's own names, versions and exact relations.

apt, dpkg, holds and maintainer scripts are real; what they bring is the tools beside this. A
module comes by `dkms`, whose stand-in the machine has (`fitted.put_tools`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from inventory.software.compat import upstream

from . import TOOLS
from .debs import Deb, File, Link
from .modules import module

UNITS = "/lib/systemd/system"
MODULES = ("nvidia", "nvidia-drm", "nvidia-modeset", "nvidia-peermem", "nvidia-uvm")
_TOLD = "/usr/share/standin/nvidia"
# Which package brings what, by its name in Ubuntu's archive or in NVIDIA's repository (NVIDIA
# Driver Installation Guide; packages.ubuntu.com, source nvidia-graphics-drivers-580-server).
# Where none is called so, the first that the lock's component names. DCGM's package of its engine
# is NVIDIA/DCGM's datacenter-gpu-manager-4-core.
_BRINGS = {
    "module": ("nvidia_driver", r"(nvidia-dkms|nvidia-kernel-open-dkms|linux-modules-nvidia)\b.*"),
    "tools": ("nvidia_driver", r"nvidia-(utils-.*|driver-cuda|smi)"),
    "library": ("nvidia_driver", r"libnvidia-(compute-.*|ml1)"),
    "persistence": ("nvidia_driver", r"nvidia-(compute-utils-.*|persistenced)"),
    "fabric manager": ("fabric_manager", r".*fabric-?manager.*"),
    "dcgm": ("dcgm", r"datacenter-gpu-manager-\d+-core"),
}


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of a lock: its version, and what it wants at exactly which."""

    version: str
    needs: Mapping[str, str] = field(default_factory=dict)


def stand_ins(
    packages: Mapping[str, Locked], components: Mapping[str, Collection[str]]
) -> tuple[Deb, ...]:
    """Stand-ins of these packages, sorted; `components` are what roles ask for, as in the lock."""
    parts: dict[str, list[str]] = {}
    for part, (component, pattern) in _BRINGS.items():
        if asked := components.get(component):
            found = [one for one in sorted(packages) if re.fullmatch(pattern, one)]
            parts.setdefault(found[0] if found else min(asked), []).append(part)
    made = []
    for name, one in sorted(packages.items()):
        depends = (f"{other} (= {version})" for other, version in sorted(one.needs.items()))
        deb = Deb(name, one.version, ", ".join(depends), files=files_of(name))
        for part in parts.get(name, ()):
            deb = _with(deb, part, upstream(one.version))
        made.append(deb)
    return tuple(made)


def _with(deb: Deb, part: str, version: str) -> Deb:
    """The package with one part of the driver, which no other package can have beside it."""
    if part == "module":
        deb = dkms_deb(deb, "nvidia", version, dict.fromkeys(MODULES, version))
    files: dict[str, dict[str, File | Link]] = {
        "module": {},
        "tools": tools("/usr/bin/nvidia-smi"),
        "library": {f"{_TOLD}/userspace": f"{version}\n"},
        "persistence": persistence_files(version),
        "fabric manager": fabric_files(version),
        "dcgm": engine_files(version),
    }
    only = f"standin-{part.replace(' ', '-')}"
    already = deb.fields.get("Provides")
    names = f"{already}, {only}" if already else only
    relations = dict.fromkeys(("Provides", "Conflicts", "Replaces"), names)
    return replace(deb, files={**deb.files, **files[part]}, fields={**deb.fields, **relations})


def tools(*paths: str) -> dict[str, File | Link]:
    """The stand-in tool of each path's last name."""
    return {path: (TOOLS / path.rpartition("/")[2]).resolve() for path in paths}


def files_of(name: str) -> dict[str, File | Link]:
    """Something to hold, for a package of which we need the name alone."""
    return {f"/usr/share/doc/{name}/standin": f"{name}\n"}


def persistence_files(version: str) -> dict[str, File | Link]:
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
    return {
        **tools("/usr/bin/nvidia-persistenced"),
        f"{UNITS}/nvidia-persistenced.service": unit,
        f"{_TOLD}/persistenced": f"{version}\n",
    }


def fabric_files(version: str) -> dict[str, File | Link]:
    """It starts beside a driver of its own version alone."""
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
    return {
        **tools("/usr/bin/nv-fabricmanager"),
        f"{UNITS}/nvidia-fabricmanager.service": unit,
        "/usr/share/nvidia/nvswitch/fabricmanager.cfg": "LOG_LEVEL=4\n",
        f"{_TOLD}/fabricmanager": f"{version}\n",
    }


def engine_files(version: str) -> dict[str, File | Link]:
    """DCGM's engine, and what asks it. SOURCE of the unit: NVIDIA/DCGM config-files/systemd."""
    unit = """\
[Unit]
Description=NVIDIA DCGM service

[Service]
User=root
PrivateTmp=false
ExecStart=/usr/bin/nv-hostengine -n --service-account nvidia-dcgm
Restart=on-abort

[Install]
WantedBy=multi-user.target
"""
    return {
        **tools("/usr/bin/nv-hostengine", "/usr/bin/dcgmi"),
        f"{UNITS}/nvidia-dcgm.service": unit,
        f"{_TOLD}/dcgm": f"{version}\n",
    }


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


def dkms_deb(deb: Deb, source: str, release: str, modules: dict[str, str]) -> Deb:
    """A package whose modules dkms builds: `source` and `release` are the names dkms uses."""
    base = f"/usr/src/{source}-{release}"
    files: dict[str, File | Link] = {
        f"{base}/{name}.ko": module(name, version) for name, version in modules.items()
    }
    files[f"{base}/dkms.conf"] = f'PACKAGE_NAME="{source}"\nPACKAGE_VERSION="{release}"\n'
    fill = {"name": source, "version": release}
    scripts = {"postinst": _POSTINST.format(**fill), "prerm": _PRERM.format(**fill)}
    return replace(deb, files={**deb.files, **files}, scripts={**deb.scripts, **scripts})
