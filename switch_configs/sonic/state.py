"""What a switch holds and runs without its secrets, for evidence; framed as in `fetch`.

CONFIG_DB is JSON, so names are masked where they stand in it, by the Python that SONiC's own
commands need. Secrets in CONFIG_DB: sonic-buildimage, src/sonic-yang-models (sonic-system-tacacs,
-radius, -ldap, sonic-snmp, sonic-ntp, sonic-macsec, sonic-bgp-common) and its Configuration.md;
OSPF: sonic-mgmt-framework, models/yang.
"""

from __future__ import annotations

from switch_configs.shown import masked
from switch_configs.shown.masked import REMOVED

from .files import CONFIG_DB, FRR, NAMED, NAMED_SOON, PENDING

_FIELDS = (
    "passw(or)?d(?!_auth)|passkey|passphrase|secret|token|psk|(^|_)cak$|"
    "(auth|encr|priv|sha|aes|des)[a-z0-9_-]*key|(shared|md5?)[_-]?key|^auth$|(?-i:[a-z0-9]Key$)"
)
# Every object goes through `o`, innermost first; a key that is there twice ends it, as `running`
# takes no such text either. Tables of `w` have one field that is secret; rows of SNMP_COMMUNITY
# are named by a secret. An empty secret stays: it is a fact, and a hazard.
_PYTHON = ";".join(
    (
        "import json,re,sys",
        f's=re.compile("(?i){_FIELDS}").search',
        'w={"NTP_KEY":"value","SNMP_TRAP_CONFIG":"Community"}',
        f'r=lambda x:"{REMOVED}" if x else x',
        f'k=lambda v:{{"{REMOVED[:-1]}-%d>"%i:x for i,x in enumerate(v.values(),1)}}',
        "v=lambda n,v:{i:{f:r(x) if f==w[n] else x for f,x in y.items()} for i,y in v.items()}",
        'd=lambda n,x:k(x) if n=="SNMP_COMMUNITY" else v(n,x) if n in w else x',
        "m=lambda n,x:d(n,x) if isinstance(x,dict) else r(x) if s(n) else x",
        "o=lambda p:{n:m(n,x) for n,x in p} if len(dict(p))==len(p) else sys.exit(1)",
        "t=json.load(sys.stdin,object_pairs_hook=o)",
        "isinstance(t,dict) and t or sys.exit(1)",
        f'print(re.sub("://[^/ ]+@","://{REMOVED}@",json.dumps(t,indent=4)))',
    )
)
_MASK_JSON = f"python3 -c '{_PYTHON}'"
_MASK_CLI = masked.sed(masked.CLI)
_ANY = "cat"


def state_command() -> str:
    """One read-only shell line; its output is for `fetch.parse`."""
    files = _file(CONFIG_DB, _MASK_JSON) + _file(FRR, _MASK_CLI) + _file(PENDING, _MASK_CLI)
    files += _file(NAMED, _MASK_JSON) + _file(NAMED_SOON, _MASK_JSON)
    database = masked.part("db", "db 0", "timeout 9 sonic-cfggen -d --print-data", _ANY, _MASK_JSON)
    frr = masked.part(
        "frr", "frr 0", "timeout 4 docker exec bgp vtysh -c 'show running-config'",
        masked.whole("^frr version ", "end"), _MASK_CLI,
    )  # fmt: skip
    return f"echo railbed-fetch 1; {files}{database}{frr}echo railbed-fetch end"


def _file(path: str, mask: str) -> str:
    """A part where there is such a file; `odd` where it is no plain one."""
    held = masked.part("file", f"$(stat -c 'file %n %u %g %a' {path})", f"cat {path}", _ANY, mask)
    return (
        f"if [ -f {path} ] && [ ! -L {path} ]; then {held}"
        f'elif [ -e {path} ] || [ -L {path} ]; then echo "odd {path}"; fi; '
    )
