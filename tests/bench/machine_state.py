"""What a machine is, in lines: all that roles may own, and all that a change leaves behind."""

from __future__ import annotations

from .small_lab import inside

# Files by bytes, owner and mode, where roles write (what lies in the package repository is no
# role's); packages and holds for all the rest.
_STATE = r"""
find /etc /srv /root /usr/local /lib/systemd/system /var/spool/cron -xdev \
  \( -path /root/.ssh -o -path /root/.ansible -o -path /etc/machine-id \
  -o -path '/etc/ssh/ssh_host_*' -o -path /etc/resolv.conf -o -path '/etc/*-' \
  -o -path '/srv/railbed/packages/*' \) -prune -o \
  \( -type f -printf 'file %p %m %u:%g ' -exec sh -c 'sha256sum < "$1"' sh {} \; \) -o \
  -type l -printf 'link %p %l\n' -o -type d -printf 'folder %p %m %u:%g\n' | sort
dpkg-query -W -f 'package ${Package} ${Version} ${db:Status-Abbrev}\n'
apt-mark showhold | sed 's/^/hold /'
systemctl list-unit-files --no-legend --no-pager --plain | awk '{print "unit", $1, $2}'
systemctl list-units --all --no-legend --no-pager --plain --type=service,socket,timer |
  awk '{print "active", $1, $3, $4}' |
  grep -vE 'ssh@|session-|user@|user-runtime-dir@|logind|hostnamed|apt-daily|systemd-tmpfiles'
sysctl -a 2>/dev/null | grep -E '^(net\.|vm\.|fs\.|kernel\.)' | grep -vE \
  'random|ns_last_pid|inode|dentry|file-nr|dir-notify|epoll|_count|quota|pty|stable_secret|fastopen_key|ndisc|flush|sched_domain|keys|boot_id|tainted|hugetlb|nr_|usermodehelper|conf\.[a-z]*[0-9]*\.mc_forwarding'
"""

# As above for times: every file outside volatile places, and since when each unit runs.
_TRACES = r"""
find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log \
-o -path /var/tmp -o -path /var/lib/systemd -o -path /var/lib/dhcp -o -path /root/.ansible \) \
-prune -o -type f -newermt 2020-01-01 -printf '%p %T@ %s %m %u:%g\n' | sort
systemctl show '*.service' -p Id -p ActiveEnterTimestampMonotonic \
-p ExecMainStartTimestampMonotonic | awk 'BEGIN { RS = "" } { gsub("\n", " "); print }'
"""
# Units that a login itself starts, or a clock.
_PASSING = (
    "ssh@",
    "user@",
    "user-runtime-dir@",
    "systemd-logind",
    "systemd-hostnamed",
    "apt-daily",
)


def state(name: str, device: str) -> list[str]:
    """Everything a role may own, one thing a line, sorted by kind."""
    return inside(name, device, _STATE).splitlines()


def traces(name: str, device: str) -> list[str]:
    """Times of files and units: equal before and after a run that changed nothing."""
    lines = inside(name, device, _TRACES).splitlines()
    return [line for line in lines if not any(f"Id={unit}" in line for unit in _PASSING)]


def differences(one: list[str], other: list[str]) -> list[str]:
    """The lines that only one of two has."""
    return sorted(set(one) ^ set(other))
