#!/bin/sh
# syntax_check.sh FOLDER: what the switch's own programs say of rendered files, offline.
# FOLDER/DEVICE/PATH are the files. Prints `DEVICE<tab>PATH<tab>WORDS` for each complaint,
# and at the end `checked`, without which nothing counts.
set -u
cd "$1" || exit 1

complain() {
    printf '%s\n' "$3" | sed -e '/^ *$/d' -e "s|^|$1	/$2	|"
}

# judge DEVICE PATH PROGRAM WORDS...: complains when the program fails or is not there.
judge() {
    device=$1 path=$2
    shift 2
    if ! command -v "$1" > /dev/null; then
        complain "$device" "$path" "not checked: there is no $1 here"
    elif ! said=$("$@" 2>&1 < /dev/null); then
        complain "$device" "$path" "${said:-$1 refuses it and does not say why}"
    fi
}

frr() {
    judge "$1" "$2" vtysh -C -f "$1/$2"
}

# A file compared with itself: any difference means that a reload would never be done.
frr_reload() {
    said=$(python3 /usr/lib/frr/frr-reload.py --test --confdir "${2%/*}" --rundir /tmp \
        --input "$2" "$2" 2> /tmp/reload.err) || said=$(cat /tmp/reload.err)
    [ -z "$said" ] || { printf '%s\n' "$said"; return 1; }
}

# ifup ends with 0 also where it complains. It calls the MTU of a bridge needless, which it is
# not: ifupdown2 3.0.0 itself sets 1500 without it. Now and then, and then often for a while, it
# is told EINVAL as it reads what interfaces the kernel has (`recv() error`): two threads of it
# end one netlink dump. That says nothing of the file, so it is asked again a moment later.
ifupdown2() {
    for _ in 1 2 3 4 5 6 7 8; do
        said=$(ifup -a -s -i "$1" 2>&1) && failed=0 || failed=$?
        case $said in *'recv() error'*) sleep 0.5 ;; *) break ;; esac
    done
    left=$(printf '%s\n' "$said" | grep -v 'bridge inherits mtu from its ports')
    [ "$left" != "$said" ] || [ "$failed" -eq 0 ] || { printf '%s\n' "$said"; return 1; }
    case $left in *[Ee]rror*|*[Ww]arning*) printf '%s\n' "$left"; return 1 ;; esac
}

settings() {
    sed -n 's/^\([a-z][^ =]*\) *=.*/\1/p' "$1" | while read -r key; do
        sysctl -n "$key" > /dev/null || exit 1
    done
}

# tc has no dry run, so it gets a namespace with ports of these names. It reads every word
# before it asks the kernel; what only this kernel does not have is no fault of the file.
queues() {
    # shellcheck disable=SC2016  # $1 and the others are for the inner shell
    said=$(unshare -n sh -c '
        number=0
        for port in $(sed -n "s/^qdisc replace dev \([^ ]*\) clsact$/\1/p" "$1"); do
            ip link add "$port" type veth peer name "other$((number += 1))" || exit 1
        done
        tc -force -batch "$1"' sh "$1" 2>&1) || true
    said=$(printf '%s\n' "$said" | grep -v -e '^Command failed ' -e '^We have an error talking' \
        -e '^Error: Specified qdisc kind is unknown' -e '^Error: TC classifier not found' \
        -e '^Error: Failed to find specified qdisc' -e '^$')
    [ -z "$said" ] || { printf '%s\n' "$said"; return 1; }
}

# Every line that is not of the one form that is written here is for rsyslogd itself to judge.
rsyslog() {
    form='\*\.\* action\(type="omfwd" target="[0-9a-f.:]+" port="514" protocol="udp"\)'
    others=$(grep -v -x -E -e '#.*' -e "$form" "$1")
    [ -n "$others" ] || return 0
    command -v rsyslogd > /dev/null || { echo 'not checked: there is no rsyslogd here'; return 1; }
    rsyslogd -N1 -f "$1"
}

# timesyncd.conf(5): systemd only logs what it does not know.
timesyncd() {
    others=$(grep -v -x -E -e '#.*' -e '\[Time\]' -e '(Fallback)?NTP=[0-9a-f.: ]*' "$1")
    [ -z "$others" ] || { printf 'timesyncd.conf knows no: %s\n' "$others"; return 1; }
}

for file in */etc/frr/frr.conf */etc/sonic/frr/frr.conf; do
    [ -e "$file" ] || continue
    frr "${file%%/*}" "${file#*/}"
    [ ! -e /usr/lib/frr/frr-reload.py ] || judge "${file%%/*}" "${file#*/}" frr_reload "$file"
done
for file in */etc/frr/daemons; do
    [ ! -e "$file" ] || judge "${file%%/*}" "${file#*/}" sh -n "$file"
done
for file in */etc/network/interfaces; do
    [ -e "$file" ] || continue
    command -v ifreload > /dev/null && check=ifupdown2 || check=ifreload
    judge "${file%%/*}" "${file#*/}" "$check" "$file"
done
for file in */etc/nftables.conf; do
    [ -e "$file" ] || continue
    [ "$(id -u)" -eq 0 ] && check=nft || check='nft as root'
    judge "${file%%/*}" "${file#*/}" "$check" -c -f "$file"
done
for file in */etc/sysctl.d/*.conf; do
    [ ! -e "$file" ] || judge "${file%%/*}" "${file#*/}" settings "$file"
done
for file in */etc/railbed/queues.tc; do
    [ -e "$file" ] || continue
    [ "$(id -u)" -eq 0 ] && check=queues || check='tc as root'
    judge "${file%%/*}" "${file#*/}" "$check" "$file"
done
for file in */etc/rsyslog.d/*.conf; do
    [ ! -e "$file" ] || judge "${file%%/*}" "${file#*/}" rsyslog "$file"
done
for file in */etc/systemd/timesyncd.conf.d/*.conf; do
    [ ! -e "$file" ] || judge "${file%%/*}" "${file#*/}" timesyncd "$file"
done
echo checked
