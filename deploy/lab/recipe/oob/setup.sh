# shellcheck shell=sh
# The leases are a configuration to be applied, not part of the image.
set -eu
systemctl --quiet disable chrony.service dnsmasq.service nginx.service mgmt-dhcp.service lldpd.service
