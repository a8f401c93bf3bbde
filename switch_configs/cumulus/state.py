"""What a switch holds without its secrets, for evidence; framed as in `fetch`.

NVUE prints some secrets as `'*'` and others as `$nvsec$...` (NVIDIA Cumulus Linux 5.14, User
Accounts; TACACS; LDAP; Optional BGP Configuration), and none of these stays. Communities and
SNMPv3 passwords stand as names. Snippets are text of other programs and may hold anything.
"""

from __future__ import annotations

from switch_configs.shown import masked
from switch_configs.shown.masked import REMOVED

from .files import SHOW_RULES

# Names whose value is secret, or else the names below them and all values there. A table or a list
# may be called `private`: a word that people choose would take facts away.
_SECRET = (
    "passw|passphrase|secrets?$|(^|-)(tokens?|credentials?|psk|cak|auth)$|(^|[-_])key$|apikey$|"
    "key-string|"
    "^(auth|encrypt|priv)-(md5|sha|aes|des)|^read.*-community"
)
# A value that holds more than one, unless it is empty: names in it are not seen.
_INLINE = "z ~ /^([&!][^ ]* +)*[{[]/ && z !~ /^([{][}]|[[][]])$/"
# `p` are the indents of the lines above, `h` whether the names below them are secret, `f` whether
# the values are, `b` counts names: two of them must not become one. `c` cuts off the rest of a
# secret over many lines, which is indented further.
_PROGRAM = (
    '{match($0,/^ */); i=RLENGTH; t=substr($0,i+1); d=(t ~ /^- /)?"- ":""}',
    'c && (t=="" || i>=c || (i==c-1 && d!="")) {next}',
    # Comments are nobody's facts, whatever stands in them.
    "t ~ /^#/ {next}",
    # A name of more than 128 characters is written over two lines.
    "t ~ /^[?]( |$)/ {exit 1}",
    '{u=t; sub(/^(- )+/,"",u); m=match(u,/:( |$)/); y=m ? substr(u,m+2) : u; z=y}',
    r'z !~ /^[\047"]/ && (m || d!="") {sub(/(^| +)#.*/,"",z)}',
    (
        r'match(z,/^(\047([^\047]|\047\047)*\047|"([^"\\]|\\.)*") +#/) '
        r'{z=substr(z,1,RLENGTH-1); sub(/ +$/,"",z)}'
    ),
    'z!=y {t=substr(t,1,length(t)-length(y)) z; sub(/ +$/,"",t)}',
    f"u ~ /^[{{[]/ && u !~ /^[{{[][]}}]/ || {_INLINE} {{exit 1}}",
    '{c=0; while(n && (p[n]>i || (p[n]==i && d==""))) n--; x=n && h[n]; a=n && f[n]; q=0; w=""}',
    (
        f'x {{b[n]++; o=d "{REMOVED[:-1]}-" b[n] ">"; if(t ~ /: [{{][}}]$/) o=o ": {{}}";'
        f' else if(t ~ /:$/) o=o ":"; else {{c=i+1; if(d=="") o=o ": {REMOVED}"}}}}'
    ),
    (
        "!x && match(t,/:( |$)/) {k=substr(t,1,RSTART-1); v=substr(t,RSTART+2); w=tolower(k);"
        f' sub(/^- /,"",w); gsub(/[\\047"]/,"",w); q=(w ~ /{_SECRET}/); o=t;'
        f' if(index(k,"$nvsec$")) {{k=d "{REMOVED[:-1]}-" ++b[n] ">"; o=k ":" (v=="" ? v : " " v)}}'
        f' if(v !~ /^([{{][}}]|\\047\\047|"")?$/ && (q || a || index(v,"$nvsec$")))'
        f' {{o=k ": {REMOVED}"; c=i+1}}}}'
    ),
    f'!x && !match(t,/:( |$)/) {{o=(a || index(t,"$nvsec$")) ? d "{REMOVED}" : t}}',
    '{n++; p[n]=i; h[n]=q; b[n]=0; f[n]=a || q || w=="snippet"}',
    f'{{gsub(/:\\/\\/[^\\/ ]+@/,"://{REMOVED}@",o); print substr($0,1,i) o}}',
)
_MASK = f"LC_ALL=C awk '{' '.join(_PROGRAM)}'"
_NVUE = masked.part(
    "nvue", "nvue 0", "timeout 12 nv config show", masked.whole("^(- )?set:"), _MASK
)
STATE_COMMAND = f"echo railbed-begin; {_NVUE}{SHOW_RULES}echo railbed-end"
