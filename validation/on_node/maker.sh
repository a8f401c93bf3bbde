# shellcheck shell=sh disable=SC2034,SC2086,SC3067 # read into scripts; -O: every sh that we meet has it
# What a run makes has its maker in its name: PID, its start, boot and PID namespace. So the next run takes away
# what a killed one left; not what lives, is a link or another user's; what is of another boot or container when a day old.
tmp=${TMPDIR:-/tmp}; read -r boot </proc/sys/kernel/random/boot_id; where=${boot%%-*}-$(stat -Lc %i /proc/self/ns/pid)
began() { began=; read -r s <"/proc/$1/stat" && s=${s##*) } && set -- $s && [ "$1" != Z ] && began=${20}; } 2>/dev/null
tidy() { for old in "$1"*railbed.*.*.*; do r=${old##*railbed.} pid=${r%%.*}; r=${r#*.} since=${r%%.*}; r=${r#*.}; began "$pid"
  [ -O "$old" ] && [ ! -L "$old" ] && [ "${r%%.*}" = "$where" ] && [ "$began" != "$since" ] && rm -rf -- "$old"; done; :; }
began $$; mine=railbed.$$.$began.$where; tidy "$tmp/"; for old in "$tmp/"*railbed.*??????????; do if [ -d "$old" ]; then
find "$tmp" -maxdepth 1 -type d \( -name 'railbed.??????????' -o -name '*railbed.*.*.*-*.??????????' \) ! -name "*railbed.*.*.$where.*" \
  -user "$(id -u)" -mmin +1440 -exec rm -rf {} + </dev/null >/dev/null 2>&1; break; fi; done
