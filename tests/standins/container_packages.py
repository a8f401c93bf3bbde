"""Stand-in packages of containers: NVIDIA's toolkit, containerd, docker."""

from __future__ import annotations

from deploy.lab.hardware.debs import Deb, File, Link
from deploy.lab.hardware.driver_debs import UNITS, tools

_CDI_ENV = "/etc/nvidia-container-toolkit/nvidia-cdi-refresh.env"


def container_toolkit(version: str = "1.18.1") -> list[Deb]:
    """SOURCE: NVIDIA/nvidia-container-toolkit packaging/debian/control and deployments/systemd;
    NVIDIA/libnvidia-container for the other two."""
    full = f"{version}-1"
    breaks = "nvidia-container-runtime (<= 3.5.0-1), nvidia-container-runtime-hook"
    fields = {"Breaks": breaks, "Replaces": breaks}
    base_files: dict[str, File | Link] = {
        **tools("/usr/bin/nvidia-ctk"),
        "/usr/bin/nvidia-container-runtime": '#!/bin/sh\nexec runc "$@"\n',
        "/usr/share/standin/nvidia/toolkit": f"{version}\n",
        f"{UNITS}/nvidia-cdi-refresh.service": _CDI_SERVICE,
        f"{UNITS}/nvidia-cdi-refresh.path": _CDI_PATH,
        _CDI_ENV: "# NVIDIA_CTK_CDI_OUTPUT_FILE_PATH=/var/run/cdi/nvidia.yaml\n",
    }
    enable = _START.format(units="nvidia-cdi-refresh.path nvidia-cdi-refresh.service")
    return [
        Deb("libnvidia-container1", full, ""),
        Deb("libnvidia-container-tools", full, f"libnvidia-container1 (>= {full})"),
        Deb("nvidia-container-toolkit-base", full, "standin-runtime", fields=fields,
            files=base_files, scripts={"postinst": enable},
            conffiles=(_CDI_ENV,)),
        Deb("nvidia-container-toolkit", full,
            f"nvidia-container-toolkit-base (= {full}), libnvidia-container-tools (= {full}), "
            "libnvidia-container-tools (<< 2.0.0)",
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
ExecCondition=/usr/bin/grep -qE "/(nvidia|nvidia-current)[.]ko" /lib/modules/%v/modules.dep
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


_START = """\
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl enable --now {units} || true
"""


def containerd() -> list[Deb]:
    """SOURCE: Debian 12's containerd 1.6.20~ds1-1+deb12u3 and runc; they want no stand-in at all,
    but theirs bring 60 MB to every machine."""
    version = "1.6.20~ds1-1+deb12u3"
    files: dict[str, File | Link] = {
        "/usr/bin/containerd": _engine("containerd", "1.6.20~ds1"),
        f"{UNITS}/containerd.service": _daemon("containerd", "containerd container runtime"),
    }
    return [
        Deb("runc", "1.1.5+ds1-1+deb12u1", "", files={"/usr/sbin/runc": "#!/bin/sh\nexit 0\n"}),
        Deb("containerd", version, "runc (>= 1.1.5~)", files=files,
            scripts={"postinst": _START.format(units="containerd.service")},
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
        f"{UNITS}/containerd.service": _daemon("containerd", "containerd container runtime"),
    }
    ce_files: dict[str, File | Link] = {
        "/usr/bin/dockerd": _engine("Docker version", "28.5.1"),
        f"{UNITS}/docker.service": _daemon("dockerd", "Docker Application Container Engine"),
    }
    return [
        Deb("containerd.io", io, "", files=io_files, conffiles=("/etc/containerd/config.toml",),
            fields={"Conflicts": gone, "Replaces": gone, "Provides": gone},
            scripts={"postinst": _START.format(units="containerd.service")}),
        Deb("docker-ce-cli", version, "", files={"/usr/bin/docker": _engine("Docker", "28.5.1")}),
        Deb("docker-ce", version, "containerd.io (>= 1.6.24), docker-ce-cli",
            fields={"Conflicts": "docker, docker.io", "Replaces": "docker, docker.io"},
            files=ce_files, scripts={"postinst": _START.format(units="docker.service")}),
    ]  # fmt: skip
