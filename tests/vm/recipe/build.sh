#!/bin/sh
# build.sh LOWER HALF RECIPE KERNEL: the parts of a machine, made in HALF from the read-only
# folders LOWER, the package KERNEL and RECIPE. In a mount namespace of its own.
set -eu
lower=$1 half=$2 recipe=$3 kernel=$4
root=$half/root
mkdir "$half/upper" "$half/work" "$root" "$half/initrd.d" "$half/initrd.d/modules"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$half/upper,workdir=$half/work" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"

cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
cp "$half/sources" "$root/etc/apt/sources.list"
cp "$half/apt.conf" "$root/etc/apt/apt.conf.d/99vm"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
{
    printf 'force-unsafe-io\npath-exclude=/usr/share/%s/*\n' doc man locale | sort -u
    echo 'path-exclude=/lib/modules/*/kernel/*'
    echo 'path-exclude=/boot/System.map-*'
    sed -n 's|^[^#]|path-include=/lib/modules/*/kernel/&|p' "$recipe/modules"
} >"$root/etc/dpkg/dpkg.cfg.d/vm"
inside() { DEBIAN_FRONTEND=noninteractive INITRD=No chroot "$root" "$@" </dev/null; }
inside apt-get -qq update
# shellcheck disable=SC2046 # a package a word
inside apt-get -qq -y --no-install-recommends install "$kernel" $(cat "$recipe/packages")
rm "$root/usr/sbin/policy-rc.d" "$root/etc/apt/sources.list" "$root/etc/apt/apt.conf.d/99vm" \
    "$root/etc/dpkg/dpkg.cfg.d/vm"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb
: >"$root/etc/resolv.conf"
cp -r --remove-destination "$recipe/root/." "$root/"
release=$(ls "$root/usr/lib/modules")
inside depmod "$release"
inside systemctl --quiet mask serial-getty@ttyS0.service grub-common.service grub-initrd-fallback.service
# Asked at each boot and each reload of units, and without anything to find on such a machine:
# seconds without KVM (systemd.generator(7)).
mkdir -p "$root/etc/systemd/system-generators"
for one in cryptsetup debug getty gpt-auto hibernate-resume integritysetup rc-local run \
    system-update veritysetup; do
    ln -s /dev/null "$root/etc/systemd/system-generators/systemd-$one-generator"
done

# Who it is, and who may come in; the same for all machines of this image.
tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
ssh-keygen -q -t ed25519 -N '' -C vm -f "$root/etc/ssh/ssh_host_ed25519_key"
ssh-keygen -q -t ed25519 -N '' -C tests -f "$half/key"
cut -d ' ' -f 1,2 "$root/etc/ssh/ssh_host_ed25519_key.pub" >"$half/host.pub"
install -d -m 700 "$root/root/.ssh"
cp "$half/key.pub" "$root/root/.ssh/authorized_keys"

# The initial root file system, in the order in which modules need one another. The management
# port is found here, before other NICs: the kernel gives the name eth0 to the first.
cp "$root/bin/busybox" "$recipe/init" "$half/initrd.d/"
chmod 755 "$half/initrd.d/init"
inside modprobe -S "$release" --show-depends -a virtio_pci virtio_net virtio_blk crc32c_generic ext4 |
    sed -n 's/^insmod //p' | awk '!seen[$1]++ {printf "%02d %s\n", NR, $1}' |
    while read -r number path; do
        cp "$root$path" "$half/initrd.d/modules/$number-${path##*/}"
    done
cp "$root/boot/vmlinuz-$release" "$half/kernel"
echo "$release" >"$half/release"

# GRUB on a disk of its own: the boot sector, then the core where the boot sector looks for it
# (GRUB manual, "Images": boot.img, diskboot.img, core.img).
inside grub-mkimage -O i386-pc -p '(hd1)/boot/grub' -o /core.img biosdisk ext2 linux normal echo \
    test search search_fs_uuid search_label loadenv gzio configfile minicmd all_video part_msdos \
    terminal gettext sleep true
cat "$root/usr/lib/grub/i386-pc/boot.img" "$root/core.img" >"$half/grub.img"
truncate -s 1M "$half/grub.img"
rm "$root/core.img"
mkdir -p "$root/boot/grub"
cat >"$root/boot/grub/grub.cfg" <<END
linux /boot/vmlinuz-$release root=/dev/vda ro console=ttyS0 quiet panic=1
initrd /boot/initrd.img-$release
boot
END
