"""Machines without a boot: namespaces over the same image, for large fabrics."""

from __future__ import annotations

from deploy.lab.paths import NETNS, LabPaths
from deploy.lab.spec import LabSpec

# pivot_root(2) and not chroot(2): a copy of the host's mounts would keep other machines'
# namespaces and disks alive after their end. The last shell is PID 1 and reaps orphans.
_HOLDER = r"""
set -eu
cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
for folder in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
chmod 1777 tmp
for device in null zero full random urandom tty; do
    : > "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0:stdin 1:stdout 2:stderr; do
    ln -s "/proc/self/fd/${number%:*}" "dev/${number#*:}"
done
hostname "$2"
pivot_root . mnt
exec chroot . /bin/sh -euc '
umount -l /mnt
for file in /etc/sysctl.d/*.conf; do [ ! -e "$file" ] || sysctl -q -e -p "$file" || :; done
ip link set lo up
: > /run/booted
while :; do sleep 86400 & wait; done'
"""


class Netns:
    """A shell's view of a machine: own network, mounts, name and processes; no systemd."""

    name = "netns"
    boots_systemd = False

    def command(self, spec: LabSpec, machine: str) -> list[str]:
        """No DHCP client runs here, so the machine has its name from the start."""
        paths = LabPaths(spec.name)
        network = f"--net={NETNS / paths.netns(machine)}"
        apart = ["--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child"]
        holder = ["/bin/sh", "-c", _HOLDER, "sh", str(paths.root(machine)), machine]
        return ["nsenter", network, "unshare", *apart, *holder]
