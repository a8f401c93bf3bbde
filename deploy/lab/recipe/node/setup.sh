# shellcheck shell=sh
# What speaks to switches, and how, is the role's to say: here lldpd neither runs nor is told anything.
set -eu
systemctl --quiet disable lldpd.service
