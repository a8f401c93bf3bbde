"""The least that each role must own, written by hand: a role that lost half of it would still be
equal by both engines, and still change nothing the second time.
"""

from __future__ import annotations

import pytest

from .owned import BOTH, NAMES, owned

# By role: files, units, packages and kernel parameters that must be among what it owns on a node
# that asks for it (a GPU node for what runs there).
LEAST: dict[str, dict[str, set[str]]] = {
    "container_runtime": {
        "files": {
            "/etc/containerd/conf.d/90-railbed.toml", "/etc/containerd/config.toml",
            "/etc/systemd/system/containerd.service.d/90-railbed.conf",
            "/usr/local/sbin/railbed-cdi",
        },
        "units": {
            "containerd.service", "nvidia-cdi-refresh.path", "nvidia-cdi-refresh.service",
            "railbed-cdi.service",
        },
        "packages": {"containerd", "nvidia-container-toolkit", "nvidia-container-toolkit-base"},
    },
    "gds": {
        "files": {
            "/etc/cufile.json", "/etc/railbed/cufile-gate.json", "/usr/local/sbin/railbed-gds",
        },
        "units": {"railbed-gds.service"},
        "packages": {"nvidia-gds-13-0"},
    },
    "kernel_tuning": {
        "files": {
            "/etc/default/grub.d/90-railbed.cfg", "/etc/default/railbed-kernel-tuning",
            "/etc/sysctl.d/90-railbed-kernel.conf", "/usr/local/sbin/railbed-kernel-tuning",
        },
        "units": {"railbed-kernel-tuning.service"},
    },
    "nccl": {
        "files": {"/etc/nccl.conf", "/etc/ucx/ucx.conf", "/usr/local/sbin/railbed-nccl"},
        "units": {"railbed-nccl.service"},
        "packages": {"libnccl2"},
    },
    "nvidia_driver": {
        "files": {
            "/etc/modprobe.d/90-railbed-nouveau.conf", "/etc/modprobe.d/90-railbed-nvidia.conf",
            "/usr/local/sbin/railbed-nvidia",
        },
        "units": {
            "nvidia-fabricmanager.service", "nvidia-persistenced.service", "railbed-nvidia.service",
        },
        "packages": {
            "nvidia-fabricmanager-580", "nvidia-headless-580-server-open",
            "nvidia-utils-580-server",
        },
    },
    "ofed": {
        "files": {
            "/etc/apt/preferences.d/90-railbed-ofed.pref", "/etc/default/railbed-nic-firmware",
            "/usr/local/sbin/railbed-nic-firmware", "/usr/local/sbin/railbed-ofed",
        },
        "units": {"openibd.service", "railbed-nic-firmware.service", "railbed-ofed.service"},
        "packages": {"doca-ofed", "mlnx-tools"},
    },
    "oob_server": {
        "files": {"/etc/railbed/oob/dhcp-hosts", "/etc/railbed/oob/firewall.nft"},
        "units": {"railbed-dnsmasq.service", "railbed-oob-firewall.service"},
    },
    "os_base": {
        "files": {
            "/etc/apt/keyrings/railbed.asc", "/etc/apt/preferences.d/90-railbed",
            "/etc/chrony/chrony.conf", "/etc/security/limits.d/90-railbed.conf",
            "/etc/ssh/sshd_config.d/00-railbed.conf", "/etc/systemd/system.conf.d/90-railbed.conf",
        },
        "units": {"chrony.service"},
        "packages": {"chrony", "iperf3"},
    },
    "package_repo": {
        "files": {"/etc/railbed/packages/nginx.conf"},
        "units": {"railbed-packages.service"},
    },
    "roce_nic": {
        "files": {
            "/etc/default/railbed-roce-nic", "/etc/sysctl.d/60-railbed-roce-nic.conf",
            "/etc/udev/rules.d/90-railbed-roce-nic.rules", "/usr/local/lib/railbed/nic/nvidia.sh",
            "/usr/local/sbin/railbed-network", "/usr/local/sbin/railbed-roce-nic",
        },
        "units": {"railbed-network.service", "railbed-roce-nic.service"},
        "sysctls": {
            "net.ipv4.conf.enp24s0np0.arp_ignore", "net.ipv4.conf.enp220s0np0.rp_filter",
        },
    },
}  # fmt: skip


def test_every_role_has_its_least():
    assert sorted(LEAST) == NAMES


@pytest.mark.parametrize("role", NAMES)
def test_a_role_owns_at_least_this(role):
    found = owned(role, "gpu" if role in BOTH else "")
    there: dict[str, set[str]] = {
        "files": set(found.files), "units": set(found.units),
        "packages": found.packages, "sysctls": set(found.sysctls),
    }  # fmt: skip
    missing = {kind: wanted - there[kind] for kind, wanted in LEAST[role].items()}
    assert {kind: names for kind, names in missing.items() if names} == {}
