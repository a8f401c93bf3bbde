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
# not: ifupdown2 3.0.0 itself sets 1500 without it.
ifupdown2() {
    said=$(ifup -a -s -i "$1" 2>&1) && failed=0 || failed=$?
    left=$(printf '%s\n' "$said" | grep -v 'bridge inherits mtu from its ports')
    [ "$left" != "$said" ] || [ "$failed" -eq 0 ] || { printf '%s\n' "$said"; return 1; }
    case $left in *[Ee]rror*|*[Ww]arning*) printf '%s\n' "$left"; return 1 ;; esac
}

settings() {
    sed -n 's/^\([a-z][^ =]*\) *=.*/\1/p' "$1" | while read -r key; do
        sysctl -n "$key" > /dev/null || exit 1
    done
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
echo checked
