# shellcheck shell=sh
# The model starts FRR's daemons and its own command line; a person has given the address.
set -eu
sed -i 's/^bgpd=no/bgpd=yes/; s/^bfdd=no/bfdd=yes/' /etc/frr/daemons
chmod 755 /usr/lib/modelled/login
: > /etc/motd
rm -rf /etc/update-motd.d/*
systemctl --quiet disable chrony.service mgmt-dhcp.service redis-server.service
systemctl --quiet enable frr.service modelled.service
systemctl --quiet mask systemd-udevd.service systemd-udev-trigger.service \
    systemd-udevd-control.socket systemd-udevd-kernel.socket
