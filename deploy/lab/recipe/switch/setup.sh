# shellcheck shell=sh
# FRR and its configuration are the dialect's to start and to write. udevd would rename
# ports and give them other MACs once it finds sysfs writable.
set -eu
rm -f /etc/frr/frr.conf
systemctl --quiet disable frr.service
systemctl --quiet enable sys-writable.service networking.service
systemctl --quiet mask systemd-udevd.service systemd-udev-trigger.service \
    systemd-udevd-control.socket systemd-udevd-kernel.socket
