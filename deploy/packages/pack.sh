#!/bin/sh
# pack.sh IN BUILD DEPENDS: packs BUILD/out into BUILD/pack/made.deb, as nobody, in the build's root,
# where a link of the source's leads to nothing of this machine. BUILD/pack is empty. In IN: control
# (without Depends), licence (the name of its file in BUILD/source), copyright (what comes before its text).
set -eu
in=$1 out=$2/out depends=$3
package=$(sed -n 's/^Package: //p' "$in/control")
licence=$2/source/$(cat "$in/licence")
doc=$out/usr/share/doc/$package
umask 022
complain() { echo "$*"; exit 1; }
first() { find "$out" "$@" | head -n 1; }

[ -n "$(first ! -type d)" ] || complain "the lines left nothing below \$DESTDIR"
[ -f "$licence" ] || complain "the source has no file $(cat "$in/licence")"
# dpkg runs what lies there, as root, on each node (Debian Policy 6).
[ ! -e "$out/DEBIAN" ] && [ ! -L "$out/DEBIAN" ] ||
    complain "the lines left \$DESTDIR/DEBIAN: scripts of a package are not taken"
odd=$(first ! -type f ! -type d ! -type l)
[ -z "$odd" ] || complain "$odd is no plain file, folder or link"
odd=$(first ! -type l -perm /7000)
[ -z "$odd" ] || complain "$odd is setuid, setgid or sticky"
[ "$(realpath -m "$doc")" = "$(realpath "$2")/out/usr/share/doc/$package" ] ||
    complain "a link on the way to $doc"

mkdir -p "$doc" "$out/DEBIAN" "$2/pack/debian"
rm -f "$doc/copyright"
{ cat "$in/copyright"; sed 's/^[[:space:]]*$/./; s/^/ /' "$licence"; } >"$doc/copyright"
cd "$2/pack"
printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$package" "$package" >debian/control
find "$out" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print0 | sort -z >elf
found=
[ ! -s elf ] || found=$(xargs -0 dpkg-shlibdeps -O --ignore-missing-info <elf |
    sed -n 's/^shlibs:Depends=//p')
[ -z "$depends" ] || [ -z "$found" ] || depends="$depends, "
{ grep -v '^Description: ' "$in/control"
  [ -z "$depends$found" ] || echo "Depends: $depends$found"
  grep '^Description: ' "$in/control"; } >"$out/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z9 --build "$out" made.deb >/dev/null
