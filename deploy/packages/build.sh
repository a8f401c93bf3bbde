#!/bin/sh
# build.sh FOLDER SUITE ARCH PACKAGES EPOCH DEPENDS: one package, in a root folder of nothing else.
# Runs in namespaces of its own, without a network. In FOLDER: repo, a flat repository of PACKAGES,
# each at one version, and for the root's /in: source.tar, run (lines for sh), control (without
# Depends), licence (its file's name) and copyright (what comes before its text).
# Leaves FOLDER/made.deb: the same bytes for the same input, where the compiler's are
# (reproducible-builds.org, SOURCE_DATE_EPOCH).
set -eu
folder=$1 suite=$2 arch=$3 packages=$4 epoch=$5 depends=$6
root=$folder/root
umask 022
mmdebstrap --quiet --variant=essential --mode=root --architectures="$arch" \
    --dpkgopt='force-unsafe-io' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include="$packages" "$suite" "$root" "deb [trusted=yes] copy:$folder/repo ./"
mount -t proc proc "$root/proc"
cp -r "$folder/in" "$root/in"

inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/build LC_ALL=C.UTF-8 TZ=UTC \
        SOURCE_DATE_EPOCH="$epoch" DESTDIR=/build/out chroot "$@"
}

# Whoever made the source has no rights here: nobody builds, in a folder of its own.
inside "$root" /bin/sh -eu <<'IN'
mkdir -p /build/source /build/out
tar -x -C /build/source --strip-components=1 --no-same-owner -f /in/source.tar
chown -R 65534:65534 /build
IN
inside --userspec=65534:65534 "$root" /bin/sh -c 'umask 022; cd /build/source; exec sh -eux /in/run'

# The package: what was left, the licence, and what its programs' libraries are of. All of it inside,
# where a link of the source's leads to nothing of this machine.
inside "$root" /bin/sh -eu -s "$depends" <<'IN'
depends=$1
package=$(sed -n 's/^Package: //p' /in/control)
licence=/build/source/$(cat /in/licence)
complain() { echo "$*"; exit 1; }
[ -n "$(find /build/out ! -type d | head -n 1)" ] || complain 'the lines left nothing below $DESTDIR'
[ -f "$licence" ] || complain "the source has no file $(cat /in/licence)"
chown -R 0:0 /build
doc=/build/out/usr/share/doc/$package
mkdir -p "$doc" /build/debian /build/out/DEBIAN
{ cat /in/copyright; sed 's/^[[:space:]]*$/./; s/^/ /' "$licence"; } >"$doc/copyright"
printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$package" "$package" >/build/debian/control
cd /build
find out -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print | sort >elf
found=
[ ! -s elf ] || found=$(tr '\n' '\0' <elf | xargs -0 dpkg-shlibdeps -O --ignore-missing-info |
    sed -n 's/^shlibs:Depends=//p')
[ -z "$depends" ] || [ -z "$found" ] || depends="$depends, "
{ grep -v '^Description: ' /in/control
  [ -z "$depends$found" ] || echo "Depends: $depends$found"
  grep '^Description: ' /in/control; } >out/DEBIAN/control
dpkg-deb --root-owner-group -Zgzip -z9 --build out made.deb >/dev/null
IN
mv "$root/build/made.deb" "$folder/made.deb"
