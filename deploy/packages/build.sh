#!/bin/sh
# build.sh FOLDER SUITE ARCH PACKAGES EPOCH DEPENDS: one package, in a root folder of nothing else.
# Runs in namespaces of its own, without a network. In FOLDER: repo, a flat repository of PACKAGES,
# each at one version, and for the root's /in: source.tar, run (lines for sh), pack.sh, and what that
# reads. Leaves FOLDER/made.deb: the same bytes for the same input, where the compiler's are
# (reproducible-builds.org, SOURCE_DATE_EPOCH).
set -eu
folder=$1 suite=$2 arch=$3 packages=$4 epoch=$5 depends=$6
root=$folder/root
umask 022
mmdebstrap --quiet --variant=essential --mode=root --architectures="$arch" \
    --dpkgopt='force-unsafe-io' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include="$packages" "$suite" "$root" "deb [trusted=yes] copy:$folder/repo ./"
cp -r "$folder/in" "$root/in"

# Whoever made the source has no rights here: nobody unpacks, builds and packs, in folders that root
# made empty. What a step leaves running ends with it, and has no terminal (TIOCSTI, ioctl_tty(2)).
nobody() {
    unshare --mount --mount-proc="$root/proc" --pid --fork --kill-child \
        setsid env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/build/source LC_ALL=C.UTF-8 TZ=UTC \
        SOURCE_DATE_EPOCH="$epoch" DESTDIR=/build/out \
        chroot "$root" setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"
}
mkdir "$root/build" "$root/build/source" "$root/build/out"
mount -o bind,nodev,nosuid "$root/build" "$root/build"
chown 65534:65534 "$root/build/source" "$root/build/out"
nobody tar -x -C /build/source --strip-components=1 --no-same-owner -f /in/source.tar
nobody /bin/sh -c 'cd /build/source; exec sh -eux /in/run'

# New, after the last process of the build: none of its links lies in the way.
mkdir "$root/build/pack"
chown 65534:65534 "$root/build/pack"
nobody /bin/sh /in/pack.sh /in /build "$depends"
nobody cat /build/pack/made.deb >"$folder/made.deb"
