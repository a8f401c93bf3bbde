"""Stand-in packages below all others: what the tools need, DKMS, headers of a kernel."""

from __future__ import annotations

import os
from dataclasses import replace

from deploy.lab.hardware import TOOLS
from deploy.lab.hardware.modules import module

from .debs import Deb, File, Link

_LIB = "/usr/share/standin/standin.py"
UNITS = "/lib/systemd/system"


def runtime() -> Deb:
    """What every stand-in tool needs; a package of ours, in no real repository."""
    return Deb(
        "standin-runtime", "1", "python3:any", arch="all", files={_LIB: TOOLS / "standin.py"}
    )


def devices() -> Deb:
    """Stand-ins of the OS's own tools, before the real ones in PATH."""
    files: dict[str, File | Link] = {
        f"/usr/local/sbin/{name}": TOOLS / name for name in ("dcb", "dmesg", "ethtool", "lspci")
    }
    files["/usr/local/sbin/setpci"] = Link("lspci")
    return Deb("standin-devices", "1", "standin-runtime", arch="all", files=files)


def tools(*paths: str) -> dict[str, File | Link]:
    """The stand-in tool of each path's last name."""
    return {path: (TOOLS / path.rpartition("/")[2]).resolve() for path in paths}


def files_of(name: str) -> dict[str, File | Link]:
    """Something to hold, for a package of which we need the name alone."""
    return {f"/usr/share/doc/{name}/standin": f"{name}\n"}


def dkms() -> Deb:
    """SOURCE: Debian 12's dkms 3.0.10-8+deb12u1 (it wants a compiler; this one does not)."""
    programs = tools("/usr/sbin/dkms", "/usr/sbin/update-initramfs")
    return Deb("dkms", "3.0.10-8+deb12u1", "standin-runtime, kmod", arch="all", files=programs)


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


def headers(kernel: str | None = None) -> Deb:
    """Headers of a kernel, by default of the running one, which every nspawn machine shares."""
    release = kernel or os.uname().release
    place = f"/usr/src/linux-headers-{release}"
    links = {f"/lib/modules/{release}/build": Link(place)}
    files: dict[str, File | Link] = {f"{place}/include/generated/utsrelease.h": f"{release}\n"}
    # A package's name has no underscore (Policy 5.6.1).
    name = f"linux-headers-{release.replace('_', '-').lower()}"
    return Deb(name, "1.0-1", "", files={**files, **links})
