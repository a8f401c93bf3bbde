# Written by railbed, role roce_nic, for railbed-roce-nic. Local changes are lost.
# shellcheck shell=sh disable=SC2016,SC2046,SC2086,SC2154 # awk expands, words are wanted, variables are its reader's
# NVIDIA ConnectX and BlueField (driver mlx5): what other makers' NICs are told in another way.
# `port`, `bdf` and `rdma` are the device at hand; `qos_tool` is auto, mlnx_qos or dcb.

[ "$qos_tool" != auto ] || {
    qos_tool=dcb
    command -v mlnx_qos >/dev/null && qos_tool=mlnx_qos
    case $verb in
    apply) echo "railbed-roce-nic: qos_tool auto is $qos_tool" ;;
    show) printf 'node\tqos_tool\tauto\t%s\tok\n' "$qos_tool" ;;
    esac
}

# In debugfs with the kernel's own driver; a register of the firmware's.
raw="$raw ecn cnp_dscp cnp_priority out_of_order"

# --- classes: mlnx_qos prints all at once, dcb (iproute2) one object at a time ---

# ask OBJECT [OPTION]: what the tool prints of it into `shown`.
ask() {
    case $qos_tool in
    mlnx_qos)
        [ -n "$shown" ] || shown=$(mlnx_qos -i "$port" 2>&1) || { why=$(last "$shown") shown=; return 1; }
        ;;
    *) shown=$(dcb -N "$1" show dev "$port" ${2-} 2>&1) || { why=$(last "$shown") shown=; return 1; } ;;
    esac
}

last() { echo "$1" | tail -n 1; }

# pick AWK: what this program finds in it into `found`.
pick() { found=$(echo "$shown" | awk "$1"); [ -n "$found" ] || { why="no answer of $qos_tool"; return 1; }; }

# items KEY: the values of `KEY 0:a 1:b ...` of dcb, with commas.
items() {
    pick '$1 == "'"$1"'" { for (i = 2; i <= NF; i++) { sub(/^[0-9]+:/, "", $i); s = s "," $i }
        print substr(s, 2); exit }'
}

# pairs LIST: `0:a 1:b ...` of a list with commas, as dcb takes it.
pairs() { echo "$1" | awk -F, '{ for (i = 1; i <= NF; i++) printf "%d:%s ", i - 1, $i }'; }

# column NUMBER LIST: of `a/b/c,a/b/c`; tcs NUMBER LIST: the same by traffic class, DEFAULT for others.
column() { echo "$2" | tr , '\n' | cut -d / -f "$1" | paste -sd , -; }
tcs() {
    echo "$2" | tr , '\n' | awk -F / -v n="$1" -v d="$3" '{ v[$1] = $n }
        END { for (i = 0; i < 8; i++) s = s "," (i in v ? v[i] : d); print substr(s, 2) }'
}

get_dcbx() {
    ask dcbx || return
    case $qos_tool in
    mlnx_qos) pick '/^DCBX mode:/ { print $3 == "OS" ? "os" : "firmware" }' ;;
    *) pick '{ print /(^| )host( |$)/ ? "os" : "firmware"; exit }' ;;
    esac
}
set_dcbx() {
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" -d os ;;
    *) dcb dcbx set dev "$port" host ieee ;;
    esac
}

# mlx5 has no apptrust: it trusts DSCP as long as it has any entry of a DSCP.
get_trust() {
    ask app dscp-prio || return
    case $qos_tool in
    mlnx_qos) pick '/^Priority trust state:/ { print $4 }' ;;
    *) pick '/[0-9]:[0-9]/ { n++ } END { print n ? "dscp" : "pcp" }' ;;
    esac
}
set_trust() {
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" --trust "$1" ;;
    # One entry makes it so; the map says which.
    *) dcb app replace dev "$port" dscp-prio 0:0 ;;
    esac
}

# Priority of each of the 64 DSCPs.
get_map() {
    ask app dscp-prio || return
    pick '{ for (i = 1; i <= NF; i++) {
            if ($i ~ /^prio:[0-7]$/) p = substr($i, 6)
            if ($i ~ /^dscp:/) { n = split(substr($i, 6), d, ","); for (j = 1; j <= n; j++) if (d[j] != "") m[d[j] + 0] = p }
            if ($i ~ /^[0-9]+:[0-7]$/) { split($i, e, ":"); m[e[1] + 0] = e[2] } } }
        END { for (i = 0; i < 64; i++) s = s "," (i in m ? m[i] : "-"); print substr(s, 2) }'
}
set_map() {
    case $qos_tool in
    # One call, and not together with --trust, which it refuses.
    mlnx_qos) mlnx_qos -i "$port" $(pairs "$1" | tr ' ' '\n' | sed -n 's/^\(.*\):\(.*\)$/--dscp2prio set,\1,\2/p') ;;
    # What it puts out of the table the driver has put out already, and says so.
    *) dcb app replace dev "$port" dscp-prio $(pairs "$1") ;;
    esac
}

get_pfc() {
    ask pfc prio-pfc || return
    case $qos_tool in
    mlnx_qos) pick '$1 == "enabled" { print $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9 }' ;;
    *) items prio-pfc && found=$(echo "$found" | sed 's/off/0/g; s/on/1/g') ;;
    esac
}
set_pfc() {
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" --pfc "$1" ;;
    *) dcb pfc set dev "$port" prio-pfc $(pairs "$1" | sed 's/:0/:off/g; s/:1/:on/g') ;;
    esac
}

# Where the fabric has no classes, a NIC without them is as it should be.
get_no_pfc() {
    get_pfc || { why="no PFC here: $why"; return 2; }
    [ "$found" != 0,0,0,0,0,0,0,0 ] || found=all
}
set_no_pfc() { set_pfc 0,0,0,0,0,0,0,0; }

# Traffic class, algorithm and share of each priority; a class that no priority has counts not.
get_ets() {
    ask ets || return
    case $qos_tool in
    mlnx_qos)
        pick '$1 == "tc:" { tc = $2; sub(/.*tsa: /, ""); sub(/%/, ""); split($0, a, ", bw: "); t = a[1]; b = a[2] + 0 }
            $1 == "priority:" { p[$2] = tc "/" t "/" b }
            END { for (i = 0; i < 8; i++) s = s "," (i in p ? p[i] : "-"); print substr(s, 2) }'
        ;;
    *)
        pick '$1 ~ /^(prio-tc|tc-tsa|tc-bw)$/ { for (i = 2; i <= NF; i++) { split($i, e, ":"); v[$1, e[1]] = e[2] } }
            END { for (i = 0; i < 8; i++) { c = v["prio-tc", i]; t = v["tc-tsa", c]
                s = s "," c "/" t "/" (t == "ets" ? v["tc-bw", c] + 0 : 0) } print substr(s, 2) }'
        ;;
    esac
}
set_ets() {
    prio_tc=$(column 1 "$1") tsa=$(tcs 2 "$1" ets) share=$(tcs 3 "$1" 0)
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" -p "$prio_tc" -s "$tsa" -t "$share" ;;
    *) dcb ets set dev "$port" prio-tc $(pairs "$prio_tc") tc-tsa $(pairs "$tsa") tc-bw $(pairs "$share") ;;
    esac
}

# Metres; the driver reckons with them where receive buffers are set by hand.
get_cable() {
    ask pfc delay || return
    case $qos_tool in
    mlnx_qos) pick '/^Cable len:/ { print $3 }' ;;
    *) pick '$1 == "delay" { print $2 }' ;;
    esac
}
set_cable() {
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" --cable_len "$1" ;;
    *) dcb pfc set dev "$port" delay "$1" ;;
    esac
}

# buffer LIST: priorities of 1 share no receive buffer with those of 0. Firmware sees to it when
# PFC is set, as long as nobody set buffers by hand.
get_buffer() {
    ask buffer prio-buffer || return
    case $qos_tool in
    mlnx_qos) pick '$1 == "buffer" { print $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9 }' ;;
    *) items prio-buffer ;;
    esac || return
    apart=$(echo "$1 $found" | awk '{ n = split($1, w, ","); split($2, b, ",")
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) if (w[i] && !w[j] && b[i] == b[j]) bad = 1
        print bad + 0 }')
    [ "$apart" != 0 ] || found=$1
}
set_buffer() {
    case $qos_tool in
    mlnx_qos) mlnx_qos -i "$port" --prio2buffer "$1" ;;
    *) dcb buffer set dev "$port" prio-buffer $(pairs "$1") ;;
    esac
}

# --- congestion control (DCQCN): sysfs of NVIDIA's driver, debugfs of the kernel's own ---

# congestion SYSFS [DEBUGFS]: the file of a setting into `file`, and whose driver it is of.
congestion() {
    file=/sys/class/net/$port/ecn/$1 driver=nvidia
    [ ! -e "$file" ] || return 0
    debug=/sys/kernel/debug/mlx5/$bdf/cc_params
    if [ -n "$bdf" ] && [ -d "$debug" ]; then
        file=$debug/${2-} driver=kernel
    elif [ -z "$rdma" ] && [ -n "$only_name" ]; then
        # mlx5_ib makes it, after the interface: the RDMA device has an event of its own.
        why='its RDMA device is not there yet'
        return 2
    else
        why="neither $file nor $debug"
        return 1
    fi
}

# ecn PRIORITY: notification and reaction point of it. The kernel's own driver has no switch for
# each priority: the firmware's ROCE_CC_PRIO_MASK decides.
get_ecn() {
    congestion "roce_np/enable/$1" || return
    [ "$driver" = nvidia ] || { why='left to the firmware: ROCE_CC_PRIO_MASK'; return 2; }
    np=$(cat "$file") rp=$(cat "/sys/class/net/$port/ecn/roce_rp/enable/$1")
    [ "$np$rp" = 11 ] && found=$1 || found="np $np rp $rp"
}
set_ecn() {
    put "/sys/class/net/$port/ecn/roce_np/enable/$1" 1
    put "/sys/class/net/$port/ecn/roce_rp/enable/$1" 1
}

get_cnp_dscp() { congestion roce_np/cnp_dscp np_cnp_dscp && value "$file"; }
set_cnp_dscp() { congestion roce_np/cnp_dscp np_cnp_dscp && put "$file" "$1"; }

# A mode other than 0 sends notifications with a priority that is not this one; writing the
# priority makes it 0 (drivers/infiniband/hw/mlx5/cong.c of Linux).
get_cnp_priority() {
    congestion roce_np/cnp_802p_prio np_cnp_prio && value "$file" || return
    mode=${file}_mode
    [ ! -e "$mode" ] || [ "$(cat "$mode")" = 0 ] || found="$found, and mode $(cat "$mode")"
}
set_cnp_priority() { congestion roce_np/cnp_802p_prio np_cnp_prio && put "$file" "$1"; }

# --- packets out of order: the register ROCE_ACCL, by mlxreg of MFT or mstreg of mstflint ---

field() { echo "$text" | awk -F '|' -v f="$1" '{ gsub(/[ \t]/, "") } $1 == f { print $2 }'; }

get_out_of_order() {
    [ -n "$bdf" ] || { why='no PCI device'; return 1; }
    reg=$(command -v mlxreg || command -v mstreg) || { why='neither mlxreg nor mstreg'; return 1; }
    text=$("$reg" -d "$bdf" --reg_name ROCE_ACCL --get 2>&1) || { why=$(last "$text"); return 1; }
    select=$(field adaptive_routing_forced_en_field_select)
    case $(field adaptive_routing_forced_en)/$select in
    /*) why='firmware without adaptive_routing_forced_en'; return 1 ;;
    */0x00000000) why='firmware that does not let adaptive_routing_forced_en be set'; return 1 ;;
    0x00000001/*) found=on ;;
    *) found=off ;;
    esac
}
set_out_of_order() {
    "$reg" -d "$bdf" --reg_name ROCE_ACCL --yes \
        --set "${select:+adaptive_routing_forced_en_field_select=0x1,}adaptive_routing_forced_en=0x1"
}
