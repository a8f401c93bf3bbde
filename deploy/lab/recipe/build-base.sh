#!/bin/sh
# build-base.sh TARGET SUITE SOURCES APT_OPTIONS PACKAGES: a minimal root by mmdebstrap(1).
# Package lists stay, the layers need them; documentation is left out.
set -eu
target=$1 suite=$2 sources=$3 options=$4 packages=$5
mmdebstrap --quiet --variant=minbase --mode=root --skip=cleanup/apt/lists \
    --aptopt="$options" --dpkgopt='force-unsafe-io' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include="$packages" "$suite" "$target" "$sources"
