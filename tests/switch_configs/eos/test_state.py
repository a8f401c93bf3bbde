"""Secrets that EOS can hold beside ours, in its own form (aristanetworks/avd, intended/configs)."""

from __future__ import annotations

import re

import pytest

from switch_configs import dialect
from switch_configs.intent import Rendered
from tests.switch_configs.intents import base
from tests.switch_configs.shells import CANARY, SESSIONS, SHOWN, fetched, masked, state

EOS = dialect("eos")
LEAF = "leaf-p1-r0"
# Accounts, of which `running` says nothing, then others: a line, and what is left of it.
ACCOUNTS = {
    "username ops privilege 15 role network-admin secret sha512 $6$%s":
        "username ops privilege 15 role network-admin secret <removed>",
    "username ops ssh-key ssh-ed25519 %s ops@host": "username ops ssh-key <removed>",
    "username ops sshkey ssh-ed25519 %s": "username ops <removed>",
    "username ops shell /bin/bash nopassword": "username ops shell /bin/bash nopassword",
    "username ops nopassword role network-admin %s":
        "username ops nopassword role network-admin <removed>",
    "enable password sha512 %s": "enable password <removed>",
    "enable secret 5 %s": "enable secret <removed>",
    "aaa root secret sha512 %s": "aaa root secret <removed>",
    "aaa root nopassword": "aaa root nopassword",
}  # fmt: skip
LINES = {
    "tacacs-server key 7 %s": "tacacs-server key 7 <removed>",
    "tacacs-server host 192.0.2.9 key 8a %s": "tacacs-server host 192.0.2.9 key 8a <removed>",
    "radius-server host 192.0.2.9 vrf MGMT key 7 %s":
        "radius-server host 192.0.2.9 vrf MGMT key 7 <removed>",
    "snmp-server community %s ro readers": "snmp-server community <removed> ro readers",
    "snmp-server host 192.0.2.9 version 2c %s": "snmp-server host 192.0.2.9 version 2c <removed>",
    "snmp-server host 192.0.2.9 version 1 %s": "snmp-server host 192.0.2.9 version 1 <removed>",
    "ntp authentication-key 1 sha1 7 %s": "ntp authentication-key <removed>",
    "router bgp 65000\n   neighbor SPINES password 7 %s":
        "router bgp 65000\n   neighbor SPINES password 7 <removed>",
    "router bgp 65001\n   neighbor 192.0.2.1 password %s":
        "router bgp 65001\n   neighbor 192.0.2.1 password <removed>",
    "interface Ethernet60/1\n   ip ospf authentication-key 7 %s":
        "interface Ethernet60/1\n   ip ospf authentication-key 7 <removed>",
    "interface Ethernet60/2\n   ip ospf message-digest-key 1 sha512 7 %s":
        "interface Ethernet60/2\n   ip ospf message-digest-key <removed>",
    "interface Ethernet60/3\n   isis authentication key 7 %s":
        "interface Ethernet60/3\n   isis authentication key 7 <removed>",
    "interface Ethernet60/4\n   isis authentication key-id 2 algorithm sha-512 key 0 %s":
        "interface Ethernet60/4\n   isis authentication key-id 2 algorithm sha-512 key 0 <removed>",
    "interface Ethernet60/5\n   vrrp 1 peer authentication ietf-md5 key-string 7 %s":
        "interface Ethernet60/5\n   vrrp 1 peer authentication ietf-md5 key-string 7 <removed>",
    "router ospfv3 1\n   area 0.0.0.0 encryption ipsec spi 1 esp aes 256-cbc 7 %s sha1 7 %s":
        "router ospfv3 1\n   area 0.0.0.0 encryption <removed>",
    "mac security\n   profile links\n      key 4142 7 %s fallback":
        "mac security\n   profile links\n      key <removed>",
    "management security\n   session shared-secret profile s\n      secret 0 7 %s receive-lifetime":
        "management security\n   session shared-secret <removed>\n      secret 0 <removed>",
    "ip security\n   profile p\n      shared-key 7 %s":
        "ip security\n   profile p\n      shared-key 7 <removed>",
    "daemon TerminAttr\n   exec /usr/bin/TerminAttr -cvaddr=192.0.2.9 -cvauth=key,%s":
        "daemon TerminAttr\n   exec /usr/bin/TerminAttr <removed>",
    "event-handler call\n   action bash curl -H 'X: %s' http://192.0.2.9":
        "event-handler call\n   action bash <removed>",
    "event-handler many\n   action bash\n      curl -H 'X: %s' http://192.0.2.9\n      EOF":
        "event-handler many\n   action bash\n      <removed>\n      <removed>",
    "alias backup copy running-config scp://ops:%s@192.0.2.9/x":
        "alias backup copy running-config scp://<removed>@192.0.2.9/x",
    "alias backup2 copy running-config scp://ops:x@%s@192.0.2.9/x":
        "alias backup2 copy running-config scp://<removed>@192.0.2.9/x",
    "agent Bfd environment ANY=%s": "agent Bfd environment <removed>",
    "alias call bash curl -H 'X: %s' http://192.0.2.9": "alias call <removed>",
    "alias many\n   10 bash curl -H 'X: %s' http://192.0.2.9":
        "alias many\n   10 bash <removed>",
    "schedule call interval 5 max-log-files 1 command bash curl -u %s x":
        "schedule call <removed>",
    "daemon other\n   option ANY value Secret=%s":
        "daemon other\n   option ANY value Secret=<removed>",
    "email\n   auth password 7 %s": "email\n   auth password 7 <removed>",
}  # fmt: skip


def leaf() -> Rendered:
    return EOS.render(base("eos", LEAF))


def flat(text: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if line.strip() != "!")


def test_secrets_of_every_kind_go_and_their_lines_stay(tmp_path):
    text = masked("eos", leaf(), "".join(f"{one}\n" for one in (*ACCOUNTS, *LINES)), tmp_path)
    for line, left in (ACCOUNTS | LINES).items():
        assert f"\n{left}\n" in flat(text), line


def test_what_others_wrote_is_still_unread(tmp_path):
    """Nothing is hidden with the secrets: readback names as many lines that it does not know."""
    more = "".join(f"{line.replace('%s', CANARY)}\n" for line in (*ACCOUNTS, *LINES))
    shown = SHOWN["eos"](leaf(), more)
    facts = [
        EOS.readback(EOS.running(LEAF, text))
        for text in (
            state("eos", shown, tmp_path), fetched("eos", shown, tmp_path),
        )
    ]  # fmt: skip
    masked_, plain = facts
    assert len(masked_.unread) == len(plain.unread) > len(LINES) / 2


def test_what_is_no_secret_is_as_it_is(tmp_path):
    lines = (
        "ip community-list marked permit 65000:1\n"
        "interface Ethernet60/1\n   description the key to the password vault\n"
        "aaa accounting exec default start-stop group railbed\n"
        "priority-flow-control pause watchdog action drop\n"
        "snmp-server host 192.0.2.1 %s\n"
    )
    text = masked("eos", leaf(), lines, tmp_path)
    assert lines.rpartition("snmp-server")[0] in text


def test_a_word_that_eos_removed_itself_is_read(tmp_path):
    """Its own form of a line without its secret is taken as one with it."""
    shown = SHOWN["eos"](EOS.render(base("eos", "storage-leaf-b1-1")), "")
    own = {said: sanitized(text) for said, text in shown.programs.items()}
    ours = state("eos", shown, tmp_path)
    assert CANARY not in str(own)
    shown = type(shown)(own)
    assert state("eos", shown, tmp_path) == ours


def sanitized(text: str) -> str:
    """As `show running-config sanitized` prints it."""
    return re.sub(rf"{CANARY}\d+", "<removed>", text)


@pytest.mark.parametrize(
    "listed",
    [
        '{"sessions": {"railbed-00000000": {"state": "pendingCommitTimer"}}}\n',
        '{"commitTimerSessionName": "railbed-00000000", "sessions": {}}\n',
    ],
    ids=["up to 4.31", "from 4.32"],
)
def test_a_change_that_waits_is_seen(tmp_path, listed):
    shown = SHOWN["eos"](leaf(), "")
    programs = {**shown.programs, ("sessions", SESSIONS): listed}
    text = state("eos", type(shown)(programs), tmp_path)
    assert "/railbed/pending" in {one.path for one in EOS.running(LEAF, text).files}
