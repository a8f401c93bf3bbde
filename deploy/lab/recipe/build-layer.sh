#!/bin/sh
# build-layer.sh BASE UPPER WORK ROOT FILES SETUP PACKAGES...: what a layer adds over BASE.
# Runs in a mount namespace of its own, so that nothing stays mounted whatever happens.
set -eu
base=$1 upper=$2 work=$3 root=$4 files=$5 setup=$6
shift 6
if [ "$base" = none ]; then
    mount --bind "$root" "$root"
else
    mount -t overlay overlay -o "lowerdir=$base,upperdir=$upper,workdir=$work" "$root"
fi
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
if [ $# -gt 0 ]; then
    cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    DEBIAN_FRONTEND=noninteractive chroot "$root" \
        apt-get -qq -y --no-install-recommends install "$@" </dev/null
    rm "$root/usr/sbin/policy-rc.d"
    : > "$root/etc/resolv.conf"
fi
[ ! -d "$files" ] || cp -r --remove-destination "$files/." "$root/"
[ ! -e "$setup" ] || chroot "$root" /bin/sh -s < "$setup"
rm -rf "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb "$root"/var/log/*.log "$root"/var/log/apt/*
