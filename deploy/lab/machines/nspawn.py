"""Machines with a booted systemd, by systemd-nspawn(1)."""

from __future__ import annotations

from deploy.lab.paths import NETNS, LabPaths
from deploy.lab.spec import LabSpec

# Without these the host's registry, lock files and clock would take part. Only the
# machine's own /proc/sys/net may be written (systemd.io, ENVIRONMENT.md of systemd).
_ENVIRONMENT = ("SYSTEMD_NSPAWN_API_VFS_WRITABLE=network", "SYSTEMD_NSPAWN_LOCK=0")
_OPTIONS = (
    *("--quiet", "--boot", "--register=no", "--keep-unit", "--settings=no", "--console=pipe"),
    *("--resolv-conf=off", "--timezone=off", "--link-journal=no"),
    "--capability=CAP_NET_ADMIN,CAP_NET_RAW",
)


class Nspawn:
    """Its own systemd, sshd, apt and /etc; the kernel is the host's."""

    name = "nspawn"
    boots_systemd = True

    def command(self, spec: LabSpec, machine: str) -> list[str]:
        """It boots as `localhost`: a machine gets its name with its lease."""
        paths = LabPaths(spec.name)
        own = [
            f"--directory={paths.root(machine)}",
            f"--machine={paths.netns(machine)}",
            "--hostname=localhost",
            f"--network-namespace-path={NETNS / paths.netns(machine)}",
        ]
        return ["env", *_ENVIRONMENT, "systemd-nspawn", *_OPTIONS, *own]
