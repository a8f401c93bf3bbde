# shellcheck shell=sh
# Runs inside the new root: host keys and identity are each machine's own, and no service
# runs that a machine of the lab does not need.
set -eu
rm -f /etc/ssh/ssh_host_* /etc/machine-id /var/lib/dbus/machine-id
ln -s /etc/machine-id /var/lib/dbus/machine-id
systemctl --quiet disable ssh.service systemd-networkd.service nftables.service
systemctl --quiet enable ssh.socket mgmt-dhcp.service booted.service
systemctl --quiet mask console-getty.service getty@tty1.service \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer \
    e2scrub_all.timer e2scrub_reap.service systemd-tmpfiles-clean.timer
sed -i 's/^hosts:.*/hosts: files myhostname dns/' /etc/nsswitch.conf
