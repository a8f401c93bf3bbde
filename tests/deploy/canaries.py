"""Over a hundred secrets of many kinds for a whole run, and where they must not be found.

Beside the forms of `tests.secrets` (lines of switches and of files) stand here those of servers:
kernel command lines, disks, BMCs, tunnels, and what programs complain of.
"""

from __future__ import annotations

import base64
import json
import random
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from tests.secrets import PLANTED

_BOOT = """
netroot=iscsi:eve:{}@192.0.2.1::3260:1:iqn.2026-01.x:y
rd.iscsi.password={}
rd.iscsi.in.password={}
ip=ibft rd.luks.key=/{}
rd.luks.options=password={}
systemd.set_credential=passwd:{}
luks_passphrase="{} b"
cifs.password={}
nfsrootdebug {}
-- {}
"""
_SAID = """
mysql: Access denied for user root using password {}
ipmitool: -U admin -P {}: Invalid user name
cryptsetup: No key available with passphrase {}
wg: Key is not the correct length or format: `{}'
curl: (22) https://eve:{}@198.51.100.7/redfish/v1 returned error: 401
Authorization: Bearer {}
radclient: shared secret {} is incorrect
tacacs-server key {} rejected
iscsiadm: CHAP secret {} refused, login failed
export AWS_SECRET_ACCESS_KEY={}
snmpget: Timeout: No Response from 10.0.0.1 with community {}
PresharedKey = {}
macsec: cak {} invalid
/etc/netplan/60.yaml:9:13: Error in network definition: password: {}
docker login -u eve -p {}
Set-Cookie: session={}; Path=/
X-Auth-Token: {}
vault: token {} expired
-----BEGIN OPENSSH PRIVATE @-----{}
{}
echo {} | base64 -d: No such file or directory
sh: 1: {}: not found
psql: FATAL: password authentication failed ({})
ldap_bind: Invalid credentials (49) {}
wpa_supplicant: psk={}
redis-cli -a {}: Connection refused
"""
_NETPLAN = """
network: {ethernets: {eth9: {auth: {password: {}}}}}
  tunnels:
    wg0:
      keys:
        private: {}
      key: {}
  wifis:
    wlan0: {access-points: {x: {password: "{}"}}}
      psk: "{}"
"""
_DRAW = random.Random(8)
_LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _planted(forms: str) -> dict[str, str]:
    """Secrets with characters that JSON and URLs write otherwise, or of letters and digits."""
    made = {}
    for number, form in enumerate(line for line in forms.splitlines() if "{}" in line):
        word = "".join(_DRAW.choices(_LETTERS, k=14))
        made[form] = f"{word[:7]}/+{word[7:]}==" if number % 3 == 1 else word
    return made


# No file of ours says what a search for keys looks for.
BOOT, SAID, NETPLAN = map(
    _planted, (_BOOT, _SAID.replace("PRIVATE @", "PRIVATE " + "KEY"), _NETPLAN)
)
_NAMES = ("bmc_password", "bgp_password", "snmp_auth", "tacacs_key", "radius_key", "registry_token")
CREDENTIALS = {f"credential {name}": f"c-{name}-{at}Zq7Kx" for at, name in enumerate(_NAMES)}
CANARIES = {**PLANTED, **BOOT, **SAID, **NETPLAN, **CREDENTIALS}


def lines(planted: dict[str, str]) -> list[str]:
    """Each form with its secret."""
    return [form.replace("{}", secret) for form, secret in planted.items()]


def _encodings(secret: str) -> Iterator[bytes]:
    raw = secret.encode()
    yield raw
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    yield quote(secret, safe="").encode()
    yield json.dumps(secret)[1:-1].replace("/", "\\/").encode()
    # Wherever it stands in what was encoded: three alignments, without the ends that others share.
    for at in range(3):
        coded = base64.b64encode(b"\0" * at + raw).decode().rstrip("=")
        yield coded[4 if at else 0 : -2].encode()


_WANTED = {code: kind for kind, one in CANARIES.items() for code in _encodings(one)}


def found(texts: Iterable[tuple[str, bytes]]) -> list[str]:
    """`WHERE: KIND` of each canary that one of these holds, in whichever of five encodings."""
    return sorted(
        f"{where}: {kind}"
        for where, data in texts
        for code, kind in _WANTED.items()
        if code in data
    )


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Everything below a folder as it lies, and what a database or a packed file holds unpacked."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        data = path.read_bytes()
        yield str(path.relative_to(folder)), data
        if data.startswith(b"SQLite format 3"):
            with sqlite3.connect(path) as db:
                yield f"{path.name} dumped", "\n".join(db.iterdump()).encode()
        if data.startswith(b"\x1f\x8b"):
            yield f"{path.name} unpacked", zlib.decompress(data, 31)
