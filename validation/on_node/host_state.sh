#!/bin/sh
# How this machine's NICs, kernel and GPU software are really set. Read-only; needs nothing of railbed.
#   sh host_state.sh               to stdout
#   sh host_state.sh NODE.state    into one file, which is there whole or not at all; only its owner reads it
# Run it as root: else less is known. Each answer is framed by its length and SHA-256, with the command,
# its exit status (124: out of time, 127: no such tool) and what it complained of; the last line seals
# all frames, so a cut or altered file shows. No file that may hold a secret is read whole: of such only
# the words that decide. Of complaints known phrases, of the kernel's arguments only the values named in `tells`.
# shellcheck disable=SC2016,SC2046,SC2059,SC2086,SC3067 # inner shells expand, words are wanted, and every sh that we meet has -O
set -u; umask 077; PATH=/usr/sbin:/usr/bin:/sbin:/bin:/opt/mellanox/iproute2/sbin:$PATH LC_ALL=C; export PATH LC_ALL
# What a run makes has its maker in its name: PID, its start, boot and PID namespace. So the next run takes away
# what a killed one left; not what lives, is a link or another user's; what is of another boot or container when a day old.
tmp=${TMPDIR:-/tmp}; read -r boot </proc/sys/kernel/random/boot_id; where=${boot%%-*}-$(stat -Lc %i /proc/self/ns/pid)
began() { began=; read -r s <"/proc/$1/stat" && s=${s##*) } && set -- $s && [ "$1" != Z ] && began=${20}; } 2>/dev/null
tidy() { for old in "$1"*railbed.*.*.*; do r=${old##*railbed.} pid=${r%%.*}; r=${r#*.} since=${r%%.*}; r=${r#*.}; began "$pid"
  [ -O "$old" ] && [ ! -L "$old" ] && [ "${r%%.*}" = "$where" ] && [ "$began" != "$since" ] && rm -rf -- "$old"; done; :; }
began $$; mine=railbed.$$.$began.$where; tidy "$tmp/"; for old in "$tmp/"*railbed.*??????????; do if [ -d "$old" ]; then
find "$tmp" -maxdepth 1 -type d \( -name 'railbed.??????????' -o -name '*railbed.*.*.*-*.??????????' \) ! -name "*railbed.*.*.$where.*" \
  -user "$(id -u)" -mmin +1440 -exec rm -rf {} + </dev/null >/dev/null 2>&1; break; fi; done
[ "$#" -eq 0 ] || { [ ! -L "$1" ] && { [ ! -e "$1" ] || [ -f "$1" ]; } && tidy "$1." && exec >"$1.$mine"; } || exit 96
work=$(mktemp -d "$tmp/$mine.XXXXXXXXXX") || exit 97
trap 'rm -rf "$work" ${1:+"$1.$mine"}' EXIT; trap 'exit 98' HUP INT TERM
mark=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') number=0
answer() { # SECONDS NAME COMMAND...
  seconds=$1 name=$2; shift 2
  (ulimit -f 32768; exec timeout -k 2 "$seconds" "$@") </dev/null >"$work/out" 2>"$work/err"; status=$?
  : >"$work/why"; [ ! -s "$work/err" ] || grep -aoiE "$known" "$work/err" 2>/dev/null | head -n 8 >"$work/why"
  sum=$(cat "$work/out" "$work/why" | sha256sum); set -- $(cd "$work" && wc -c out why)
  set -- "$mark" "$number" "$status" "$1" "$3" "${sum%% *}" "$name"; frame='frame %s %d %d %d %d %s %s\n'
  printf "$frame" "$@" >>"$work/heads"; printf "$frame" "$@"
  cat "$work/out" "$work/why"; echo; number=$((number + 1))
}
run() { answer 15 "$*" "$@"; }; look() { name=$1 script=$2; shift 2; answer 30 "$name" sh -c "$script" sh "$@"; }
# Files, each as `BYTES PATH` and its text, or `unread PATH`: an empty one says something, too.
values() { look "values $1" 'shift; for f; do [ ! -f "$f" ] || if v=$(cat "$f" 2>/dev/null)
  then printf "%s %s\n%s\n" "${#v}" "$f" "$v"; else echo "unread $f"; fi; done' "$@"; }
hide='s/^( *(- )?(mtu|version|renderer|dhcp4|dhcp6|optional|link-local|table|priority): +[a-zA-Z0-9.-]{1,15})$/\1/;t;s/^( *[A-Za-z0-9_.-]{1,40}:)$/\1/;t
s/^( *- +"?[0-9a-f.:]+\/[0-9]{1,3}"?)$/\1/;t;s/^( *(- )?[a-z0-9-]{1,20}:).*/\1 (hidden)/;t;s/[^ ].*/(hidden)/' # of YAML
known='not found|no such (file or directory|device|command)|(permission|access|operation) (denied|not (permitted|supported))|timed? ?out
(invalid|unknown|unsupported) (argument|option|command|device)|not (running|supported|available|installed)|no devices? (were )?found|connection refused
(couldn.t|failed to|unable to|cannot) (open|read|find|load|connect|communicate|access|run command)( to| with)?( the)?( nvidia)?( driver| device| file)?' nics=
tells="${RAILBED_ARGUMENTS:-} BOOT_IMAGE quiet ro root iommu iommu.passthrough amd_iommu intel_iommu pci idle default_hugepagesz hugepages hugepagesz \
intel_idle.max_cstate processor.max_cstate cpuidle.off amd_pstate intel_pstate cpufreq.off cpufreq.default_governor isolcpus nohz_full rcu_nocbs \
transparent_hugepage numa_balancing mitigations nosmt nvme_core.multipath"
for device in /sys/class/net/*/device; do
  [ -d "$device/infiniband" ] || grep -qsx 0x15b3 "$device/vendor" || continue; port=${device%/device}; [ -e "$device/physfn" ] || nics="$nics ${port##*/}"; done
printf 'railbed-host-state 1 %s\n' "$mark"; look identity 'echo "hostname $(hostname)"; echo "boot $(cat /proc/sys/kernel/random/boot_id)"
  date -u "+time %Y-%m-%dT%H:%M:%S+00:00"; echo "user $(id -u)"
  for p in /sys/class/net/*/address; do n=${p%/address}; echo "mac ${n##*/} $(cat "$p")"; done
  for p; do d=$(readlink -f "/sys/class/net/$p/device"); v=$(readlink -f "$d/driver")
    echo "nic $p ${d##*/} ${v##*/} $(ls "$d/infiniband" 2>/dev/null)"; done' $nics
for line in 'uname -r' 'cat /etc/os-release' 'ip -j link show' 'ip -j -4 address show' 'ip -j -4 rule show' \
  'ip -j -4 route show table all' 'rdma -j link show' 'chronyc -n -c tracking' 'cat /proc/1/status /proc/1/limits' \
  'systemctl list-units --failed --plain --no-legend --no-pager' 'systemctl show --property=DefaultLimitMEMLOCK' \
  'networkctl list --no-legend --no-pager' 'nmcli -t -f DEVICE,STATE,CONNECTION device' 'ofed_info -s' \
  'nv-fabricmanager --version' 'nvidia-smi topo -m' 'nvidia-smi nvlink -s' 'nvidia-ctk cdi list' \
  '/usr/local/cuda/gds/tools/gdscheck -p'; do run $line; done
look 'ulimit -l' 'ulimit -l'; look 'cat /proc/cmdline' 't=$(cat /proc/cmdline) || exit; set -f; for w in $t; do n=${w%%=*}; case " $1 " in *" $n "*) ;; *) case $n in
  "$w" | *[!a-z0-9_.-]*) w="(hidden)" ;; *) w="$n=(hidden)" ;; esac ;; esac; printf "%s " "$w"; done; echo' "$tells"
for line in 'ifquery --list -a' 'netplan get'; do look "$line" 't=$($1) || exit; printf "%s\n" "$t" | { [ "$1" != "netplan get" ] && cat || sed -E "$2"; }' "$line" "$hide"; done
for line in 'nvidia-smi -q' 'mlxfwmanager --query'; do answer 90 "$line" $line; done; look modules 'for m; do s=/sys/module/$m; [ -d "$s" ] && l=loaded || l=absent
  for f in "$s/version" "$s/srcversion"; do l="$l|$(cat "$f" 2>/dev/null)"; done
  for f in "-F version" "-F srcversion" -n; do l="$l|$(modinfo $f "$m" 2>/dev/null)"; done; echo "$m|$l"
done' mlx5_core mlx5_ib ib_core nvidia nvidia_fs nvidia_peermem gdrdrv nvme_core nvme
look packages 't=$(if rpm -q glibc >/dev/null 2>&1; then rpm -qa --qf "%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} ii\n"
else dpkg-query -W -f "\${Package} \${Version} \${db:Status-Abbrev}\n"; fi) || exit; printf "%s\n" "$t" | grep -E "^(lib)?(doca|mlnx|mft|mst|ofed|rdma|\
ib|nvidia|cuda|gds|nccl|containerd|docker|linux-image|kernel)"'
look units 'exec systemctl show --no-pager --property=Id,LoadState,ActiveState,SubState,UnitFileState -- "$@"' \
  nvidia-fabricmanager.service nvidia-persistenced.service nvidia-cdi-refresh.service nvidia-cdi-refresh.path \
  openibd.service lldpad.service containerd.service docker.service doca-hugepages.service
look limits 'for n; do for p in $(pidof "$n"); do sed -n "s/^Max /$n|/p" "/proc/$p/limits"; done; done; :' containerd dockerd slurmd
look containers 'grep -HsE "^ *\"?(SystemdCgroup|default_runtime_name|BinaryName|enable_cdi|cdi_spec_dirs|imports|\
default-runtime|cdi)\"? *[=:]" /etc/containerd/config.toml /etc/containerd/conf.d/*.toml /etc/docker/daemon.json; :'
look lspci 't=$(lspci -Dvvv) || exit; printf "%s\n" "$t" | grep -E "^[0-9a-f]{4}:|ACSCtl:|MaxReadReq|LnkSta:"'
look log 't=$(dmesg) || exit; t=$(printf "%s\n" "$t" | grep -E "Xid|fallen off the bus|bandwidth, limited|DPC:? containment|\
(AER|Bus Error): .*([Uu]nc|Fatal)|event severity: (rec|fat)|Error [0-9]+, type: (rec|fat)|Hardware Error.: (Unc|Def|Sys)|Machine Check|\
mce: Unc|EDAC .*UE|Port module event.error|insufficient power|High temp|health comp|Health issue|[Ll]ink (is )?[Dd]own|[Ll]ost carrier|\
NETDEV WATCHDOG|TX timeout" | tail -n 2000); [ -z "$t" ] || printf "%s\n" "$t"
  echo "end of log, $(printf "%s" "$t" | grep -c "") lines"'
look cpu 'cd /sys/devices/system/cpu || exit; for c in cpu[0-9]*; do read -r g 2>/dev/null <"$c/cpufreq/scaling_governor" &&
  echo "governor $g"; for s in "$c"/cpuidle/state*; do [ ! -d "$s" ] || { read -r n <"$s/name"; read -r l <"$s/latency"
    read -r d <"$s/disable"; echo "idle $n $l $d"; }; done; done | sort | uniq -c'
look gids 'for d; do grep -rHs "" "$d/gids" "$d/gid_attrs"; done | grep -v ":0000:0000:0000:0000:.*:0000$"; :' /sys/class/infiniband/*/ports/*
values kernel /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/kernel/numa_balancing \
  /sys/devices/system/node/node*/hugepages/*/nr_hugepages /sys/devices/system/cpu/cpuidle/current_driver \
  /sys/devices/system/cpu/*_pstate/status /sys/module/nvme_core/parameters/multipath
values rdma /sys/class/infiniband/*/tc/*/traffic_class /sys/class/infiniband/*/ports/*/link_layer /sys/class/infiniband/*/fw_ver \
  /sys/class/infiniband/*/ports/*/rate /sys/class/infiniband/*/ports/*/state /sys/kernel/config/rdma_cm/*/ports/*/default_roce_*
values qos /sys/class/net/*/qos/trust /sys/class/net/*/qos/dscp2prio /sys/class/net/*/ecn/roce_*/enable/* \
  /sys/class/net/*/ecn/roce_np/cnp_* /sys/kernel/debug/mlx5/*/cc_params/*
values nvidia /proc/driver/nvidia/version /proc/driver/nvidia/params; values cdi /var/run/cdi/railbed-rdma.json /sys/class/infiniband_verbs/*/ibdev
values files /etc/cufile.json /etc/railbed/cufile-gate.json /etc/nccl.conf /etc/ucx/ucx.conf /run/reboot-required /run/railbed/reboot-required.d/*
config=$(command -v mlxconfig || command -v mstconfig || echo mlxconfig) reg=$(command -v mlxreg || command -v mstreg || echo mlxreg)
for port in $nics; do
  pci=$(readlink -f "/sys/class/net/$port/device") pci=${pci##*/}
  run mlnx_qos -a -i "$port"; for what in pfc ets buffer dcbx; do run dcb -j "$what" show dev "$port"; done; run dcb -j -N app show dev "$port"
  for what in -a -g -i -m; do run ethtool "$what" "$port"; done; answer 30 "mlxconfig -d $pci -e q" "$config" -d "$pci" -e q
  answer 30 "mlxreg -d $pci --reg_name ROCE_ACCL --get" "$reg" -d "$pci" --reg_name ROCE_ACCL --get
done
seal=$(sha256sum <"$work/heads"); printf 'end %s %d %s\n' "$mark" "$number" "${seal%% *}"; [ "$#" -eq 0 ] || mv "$1.$mine" "$1" || exit 95
