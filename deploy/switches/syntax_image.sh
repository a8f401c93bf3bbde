#!/bin/sh
# syntax_image.sh LOWER SCRIPT FOLDER: runs SCRIPT FOLDER in the lab's switch image, read-only.
# Only inside a mount and network namespace of its own, which take all of this with them.
set -eu
mount -t tmpfs tmpfs /mnt
mkdir /mnt/root
mount -t overlay -o "ro,lowerdir=$1" overlay /mnt/root
mount -t proc proc /mnt/root/proc
for folder in run tmp var/tmp; do
    mount -t tmpfs tmpfs "/mnt/root/$folder"
done
mkdir /mnt/root/tmp/checked /mnt/root/run/network
mount --bind "$3" /mnt/root/tmp/checked
cp "$2" /mnt/root/tmp/check
# Out of the box ifupdown2 does not ask its parts whether they know a keyword.
options=/mnt/root/etc/network/ifupdown2/ifupdown2.conf
sed 's/^addon_syntax_check=0$/addon_syntax_check=1/' $options > /mnt/root/tmp/ifupdown2.conf
mount --bind /mnt/root/tmp/ifupdown2.conf $options
exec chroot /mnt/root /bin/sh /tmp/check /tmp/checked
