"""Secrets that NX-OS can hold beside ours, in its own form.

batfish, cisco_nxos/testconfigs; Cisco's Nexus 9000 guides (Security, Unicast Routing, Interfaces,
System Management).
"""

from __future__ import annotations

import re

import pytest

from switch_configs import DialectError, dialect
from switch_configs.intent import Rendered
from tests.switch_configs.intents import base
from tests.switch_configs.shells import CANARY, SHOWN, fetched, masked, state

NXOS = dialect("nxos")
LEAF = "storage-leaf-b1-1"
# What is the switch's own and left out, then lines and what is left of them. A maker's role stays:
# the plan says which one a login may have.
OWN = (
    "username admin password 5 $5$%s  role network-admin",
    "username admin passphrase  lifetime 99999 warntime 14 gracetime 3",
    "rmon event 1 log trap %s description FATAL(1) owner PMON@FATAL",
    "banner motd #\nthe password is %s#",
)
LOGINS = {
    "username admin password 5 $5$%s  role network-admin":
        "username admin password 5 <removed> role network-admin",
    "username ops sshkey ssh-rsa %s ops@node": "username ops sshkey <removed>",
    "username remote password 5 !  role network-operator":
        "username remote password 5 ! role network-operator",
    "username made password 5 $5$%s  role %s": "username made password 5 <removed>",
}  # fmt: skip
LINES = {
    'tacacs-server key 7 "%s"': "tacacs-server key 7 <removed>",
    'tacacs-server host 192.0.2.9 key 7 "%s" port 50 timeout 3':
        "tacacs-server host 192.0.2.9 key 7 <removed> port 50 timeout 3",
    'tacacs-server host 192.0.2.9 key 7 "a %s b" single-connection':
        "tacacs-server host 192.0.2.9 key 7 <removed> single-connection",
    'radius-server host 192.0.2.9 key 7 "%s" authentication accounting':
        "radius-server host 192.0.2.9 key 7 <removed>",
    "radius-server host 192.0.2.9 test username u password %s idle-time 3":
        "radius-server host 192.0.2.9 test username u password <removed>",
    'ldap-server host 192.0.2.9 rootDN "cn=x" password 7 %s port 389':
        'ldap-server host 192.0.2.9 rootDN "cn=x" password 7 <removed>',
    "enable secret 5 %s": "enable secret 5 <removed>",
    "snmp-server community %s group network-operator":
        "snmp-server community <removed> group network-operator",
    "snmp-server host 192.0.2.9 traps version 2c %s udp-port 1162":
        "snmp-server host 192.0.2.9 traps version 2c <removed>",
    "snmp-server user admin network-admin auth md5 0x%s priv aes-128 0x%s localizedV2key":
        "snmp-server user admin network-admin auth md5 <removed> priv aes-128 <removed>"
        " localizedV2key",
    "snmp-server user old network-operator auth md5 0x%s priv 0x%s localizedkey":
        "snmp-server user old network-operator auth md5 <removed> priv <removed> localizedkey",
    "snmp-server mib community-map %s context c": "snmp-server mib community-map <removed>",
    "ntp authentication-key 1 md5 %s 7": "ntp authentication-key <removed>",
    "key chain links\n  key 1\n    key-string 7 %s":
        "key chain links\n  key <removed>\n    key-string 7 <removed>",
    "key chain macs macsec\n  key 10\n    key-octet-string 7 %s cryptographic-algorithm AES":
        "key chain macs macsec\n  key <removed>\n    key-octet-string 7 <removed>",
    "router bgp 65000\n  neighbor 192.0.2.1\n    password 3 %s":
        "router bgp 65000\n  neighbor 192.0.2.1\n    password 3 <removed>",
    "router bgp 65000\n  template peer p\n    password %s":
        "router bgp 65000\n  template peer p\n    password <removed>",
    "interface Ethernet1/60\n  ip ospf authentication-key 3 %s":
        "interface Ethernet1/60\n  ip ospf authentication-key 3 <removed>",
    "interface Ethernet1/60\n  ip ospf message-digest-key 1 md5 3 %s":
        "interface Ethernet1/60\n  ip ospf message-digest-key <removed>",
    "interface Ethernet1/60\n  ip pim hello-authentication ah-md5 3 %s":
        "interface Ethernet1/60\n  ip pim hello-authentication <removed>",
    "interface Vlan9\n  hsrp 9\n    authentication md5 key-string 7 %s":
        "interface Vlan9\n  hsrp 9\n    authentication md5 key-string 7 <removed>",
    "interface Vlan9\n  hsrp 8\n    authentication text %s":
        "interface Vlan9\n  hsrp 8\n    authentication <removed>",
    "interface Vlan9\n  vrrp 9\n    authentication text %s":
        "interface Vlan9\n  vrrp 9\n    authentication <removed>",
    "interface Ethernet1/60\n  bfd authentication keyed-SHA1 key-id 1 hex-key %s":
        "interface Ethernet1/60\n  bfd authentication keyed-SHA1 key-id 1 hex-key <removed>",
    "ip msdp password 192.0.2.1 3 %s": "ip msdp password <removed>",
    "scheduler aaa-authentication username ops password 7 %s":
        "scheduler aaa-authentication username ops password 7 <removed>",
    "event manager applet a\n  action 1.0 cli command %s":
        "event manager applet a\n  action 1.0 <removed>",
    "cts device-id x password 7 %s": "cts device-id x password 7 <removed>",
    "callhome\n  transport http proxy server http://u:%s@192.0.2.9":
        "callhome\n  transport http proxy server http://<removed>@192.0.2.9",
}  # fmt: skip


def leaf() -> Rendered:
    return NXOS.render(base("nxos", LEAF))


def test_secrets_of_every_kind_go_and_their_lines_stay(tmp_path):
    text = masked("nxos", leaf(), "".join(f"{one}\n" for one in (*OWN, *LINES)), tmp_path)
    for line, left in LINES.items():
        assert f"\n{left}\n" in text, line
    assert "\nbanner motd ^<removed>^\n" in text
    for word in ("passphrase", "rmon"):
        assert not re.search(rf"(?m)^(?!snmp-server).*{word}", text)


def test_of_a_login_its_name_is_left(tmp_path):
    text = masked("nxos", leaf(), "".join(f"{one}\n" for one in LOGINS), tmp_path)
    for left in LOGINS.values():
        assert f"\n{left}\n" in text


WRAPPED = {
    "snmp-server user admin network-admin auth md5 0x%s\n priv aes-128 0x%s localizedV2key":
        "snmp-server user admin network-admin auth md5 <removed>\n priv <removed>",
    "snmp-server user admin network-admin auth md5 0x%s\n08 priv aes-128 %s localizedV2key":
        "snmp-server user admin network-admin auth md5 <removed>\npriv <removed>",
    "snmp-server user admin network-admin auth md5 0x%s priv aes-128 0x%s\n08 localizedkey":
        "auth md5 <removed> priv aes-128 <removed>\n<removed> localizedkey",
    "snmp-server user admin network-admin auth md5\n%s priv aes-128 0x%s localizedV2key":
        "snmp-server user admin network-admin auth md5\n<removed> localizedV2key",
    "snmp-server user admin network-admin\n auth md5 0x%s priv 0x%s\n localizedkey":
        "snmp-server user admin network-admin\n auth md5 <removed>\n localizedkey",
    "snmp-server user admin network-admin auth sha-512 0x%s\n0123abCD\n12 priv aes-128 %s\n99":
        "auth sha-512 <removed>\n<removed>\npriv <removed>\n<removed>",
    "username admin password 9 $9$%s\nx%s  role network-admin":
        "username admin password 9 <removed>\n<removed>",
}  # fmt: skip


@pytest.mark.parametrize("lines", WRAPPED)
def test_a_key_that_goes_on_in_the_next_line_goes_too(tmp_path, lines):
    text = masked("nxos", leaf(), f"{lines}\nip host below 192.0.2.1\n", tmp_path)
    assert f"{WRAPPED[lines]}\nip host below 192.0.2.1\n" in text
    assert not re.search(r"(?m)0123abCD|^ ?(08|12|99)", text)


JOB = "copy running-config scp://u@192.0.2.9/%s vrf management"


@pytest.mark.parametrize("body", [f"  {JOB}\n  banner motd #%s\n", f"{JOB}\nbanner motd #%s\n"])
def test_a_job_is_masked_whole(tmp_path, body):
    job = f"scheduler job name backup\n{body}\nend-job\nip host below 192.0.2.1\n"
    text = masked("nxos", leaf(), job, tmp_path)
    assert re.search(
        r"\nscheduler job name backup\n *<removed>\n *<removed>\n\nend-job\nip host below", text
    )


def test_a_job_without_an_end_is_unreadable(tmp_path):
    shown = SHOWN["nxos"](leaf(), f"scheduler job name backup\n{JOB}\n")
    said = state("nxos", shown, tmp_path)
    with pytest.raises(DialectError, match=LEAF):
        NXOS.running(LEAF, said)


def test_words_that_only_sound_like_keys_stay(tmp_path):
    lines = "route-map priv permit 10\ninterface Ethernet1/60\n  description auth sha room\n"
    text = masked("nxos", leaf(), f"radius-server key %s\n{lines}", tmp_path)
    assert lines in text


def test_what_others_wrote_is_still_unread(tmp_path):
    more = "".join(f"{line.replace('%s', CANARY)}\n" for line in (*OWN, *LINES))
    shown = SHOWN["nxos"](leaf(), more)
    masked_, plain = (
        NXOS.readback(NXOS.running(LEAF, text))
        for text in (
            state("nxos", shown, tmp_path), fetched("nxos", shown, tmp_path),
        )
    )  # fmt: skip
    assert len(masked_.unread) == len(plain.unread) > len(LINES) / 2


def test_a_port_behind_a_key_is_a_fact_that_stays(tmp_path):
    rendered = leaf()
    text = masked("nxos", rendered, 'tacacs-server host 192.0.2.9 key 7 "%s" port 50\n', tmp_path)
    held = NXOS.running(LEAF, text)
    assert any("port 50" in one.text for one in held.files)
    assert NXOS.readback(held).unread


@pytest.mark.parametrize("banner", ["#\nno password\n#\n", "@one line@\n", "#\nkey 1\nand 2 #\n"])
def test_a_banner_does_not_swallow_what_is_below_it(tmp_path, banner):
    text = masked(
        "nxos",
        leaf(),
        f"banner motd {banner}ip host %s 192.0.2.1\n".replace(
            "ip host %s", "radius-server key %s\nip host below"
        ),
        tmp_path,
    )
    assert "ip host below 192.0.2.1\n" in text


def test_a_banner_without_an_end_is_unreadable(tmp_path):
    shown = SHOWN["nxos"](leaf(), "banner motd #\nno end\n")
    with pytest.raises(DialectError, match=LEAF):
        NXOS.running(LEAF, state("nxos", shown, tmp_path))
