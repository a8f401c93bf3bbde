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
# systemd starts each generator at every daemon-reload, a hundred times in one rollout; these read
# disks, fstab, GPT, consoles and kernel arguments that no container has (systemd.generator(7)).
mkdir -p /etc/systemd/system-generators
for one in cryptsetup debug fstab getty gpt-auto hibernate-resume integritysetup rc-local run \
    system-update veritysetup; do
    ln -s /dev/null "/etc/systemd/system-generators/systemd-$one-generator"
done
# Four processes at every login, for a greeting that nobody reads (pam_motd(8)).
sed -i '/pam_motd\.so/d' /etc/pam.d/sshd
