"""Secrets that NVUE can hold beside ours, in its YAML.

NVIDIA Cumulus Linux 5.14: User Accounts, TACACS, RADIUS AAA, LDAP, SNMP, NTP, Optional BGP
Configuration, Snippets.
"""

from __future__ import annotations

import re

import pytest
import yaml

from switch_configs import DialectError, dialect
from switch_configs.intent import Rendered
from tests.switch_configs.intents import base
from tests.switch_configs.shells import CANARY, SHOWN, answer, decoded, masked

CUMULUS = dialect("cumulus")
LEAF = "leaf-p1-r0"
# A second `set` says more of the same tree, and is merged into it.
MORE = """\
- set:
    system:
      aaa:
        ldap:
          bind-dn: cn=admin
          secret: $nvsec$%s
        radius:
          server:
            192.0.2.9:
              port: 1812
              secret: $nvsec$%s
        user:
          cumulus:
            hashed-password: '$6$%s'
            ssh:
              authorized-key:
                laptop:
                  key: %s
                  type: ssh-ed25519
      config:
        snippet:
          frr.conf: |
            router bgp 65000
             neighbor 192.0.2.1 password %s

            ! %s
          snmp-config: rocommunity %s
      ntp:
        key:
          '5':
            type: md5
            value: $nvsec$%s
      snmp-server:
        readonly-community:
          $nvsec$%s:
            access:
              any: {}
          'two %s words':
            access:
              192.0.2.0/24: {}
        trap-destination:
          192.0.2.9:
            community-password:
              $nvsec$%s:
                version: 2c
        username:
          other:
            auth-md5:
              $nvsec$%s:
                encrypt-des:
                  $nvsec$%s: {}
    vrf:
      default:
        router:
          bgp:
            neighbor:
              swp60:
                password: 'a long one %s
                  that goes on %s'
                timers:
                  hold: 9
                  keepalive: 3
    nve:
      proxy: http://user:%s@192.0.2.9:3128
      passwords:
      - %s
      - %s
"""
LEFT = """\
- set:
    system:
      aaa:
        ldap:
          bind-dn: cn=admin
          secret: <removed>
        radius:
          server:
            192.0.2.9:
              port: 1812
              secret: <removed>
        user:
          cumulus:
            hashed-password: <removed>
            ssh:
              authorized-key:
                <removed-1>:
                  key: <removed>
                  type: <removed>
      config:
        snippet:
          frr.conf: <removed>
          snmp-config: <removed>
      ntp:
        key:
          <removed-1>:
            type: <removed>
            value: <removed>
      snmp-server:
        readonly-community:
          <removed-1>:
            access:
              any: {}
          <removed-2>:
            access:
              192.0.2.0/24: {}
        trap-destination:
          192.0.2.9:
            community-password:
              <removed-1>:
                version: <removed>
        username:
          other:
            auth-md5:
              <removed-1>:
                encrypt-des:
                  <removed-1>: {}
    vrf:
      default:
        router:
          bgp:
            neighbor:
              swp60:
                password: <removed>
                timers:
                  hold: 9
                  keepalive: 3
    nve:
      proxy: http://<removed>@192.0.2.9:3128
      passwords:
      - <removed-1>
"""


def leaf() -> Rendered:
    return CUMULUS.render(base("cumulus", LEAF))


def test_secrets_of_every_kind_go_and_the_tree_stays(tmp_path):
    text = masked("cumulus", leaf(), MORE, tmp_path)
    assert f"\n{LEFT}" in text
    assert isinstance(yaml.safe_load(LEFT), list)


def test_communities_of_routes_and_names_of_tables_stay(tmp_path):
    more = (
        "- set:\n    vrf:\n      private:\n        router:\n          bgp:\n"
        "            autonomous-system: 65000\n"
        "    router:\n      policy:\n        community-list:\n          marked:\n"
        "            rule:\n              '10':\n                action: permit\n"
        "                community: 65000:1\n    system:\n      secret: %s\n"
    )
    assert more.replace("%s", "<removed>") in masked("cumulus", leaf(), more, tmp_path)


def test_a_name_over_two_lines_is_refused(tmp_path):
    """YAML writes a long name so, and what follows could be read as something else."""
    name = CANARY * 30
    more = (
        "- set:\n    system:\n      snmp-server:\n        readonly-community:\n"
        f"          ? {name}\n          : access: any\n"
    )
    said = answer(CUMULUS.state_command(), SHOWN["cumulus"](leaf(), more), tmp_path)
    assert CANARY not in said
    with pytest.raises(DialectError, match=LEAF):
        CUMULUS.running(LEAF, said)


NAMES = ("secrets", "apikey", "api-key", "auth", "X-Auth")


@pytest.mark.parametrize("name", NAMES)
def test_more_names_of_secrets(tmp_path, name):
    more = f"- set:\n    nve:\n      {name}: %s\n      port: 9\n"
    assert more.replace("%s", "<removed>") in masked("cumulus", leaf(), more, tmp_path)


def test_what_nvue_encrypted_goes_whatever_its_name(tmp_path):
    more = (
        "- set:\n    nve:\n      any: $nvsec$%s\n      quoted: '$nvsec$%s'\n      list:\n"
        "      - $nvsec$%s\n      below:\n        $nvsec$%s:\n          port: 9\n"
        "        '$nvsec$%s': {}\n"
    )
    left = (
        "- set:\n    nve:\n      any: <removed>\n      quoted: <removed>\n      list:\n"
        "      - <removed>\n      below:\n        <removed-1>:\n          port: 9\n"
        "        <removed-2>: {}\n"
    )
    assert left in masked("cumulus", leaf(), more, tmp_path)


def test_comments_go_and_what_looks_like_one_stays(tmp_path):
    more = (
        "- set:\n    nve:\n      # %s\n      port: 9 # %s\n      at: '10' # %s\n"
        "      of: # %s\n        name: 'rack #3'\n        other: a#b\n"
    )
    left = (
        "- set:\n    nve:\n      port: 9\n      at: '10'\n"
        "      of:\n        name: 'rack #3'\n        other: a#b\n"
    )
    assert left in masked("cumulus", leaf(), more, tmp_path)


@pytest.mark.parametrize(
    "flow",
    [
        "x: {secret: %s}",
        "- {secret: %s}",
        "x: [{secret: %s}]",
        "x: &a {secret: %s}",
        "{secret: %s}",
    ],
)
def test_names_within_a_line_are_refused(tmp_path, flow):
    more = f"- set:\n    nve:\n      {flow.replace('%s', CANARY)}\n"
    said = answer(CUMULUS.state_command(), SHOWN["cumulus"](leaf(), more), tmp_path)
    assert CANARY not in decoded(said)
    with pytest.raises(DialectError, match=LEAF):
        CUMULUS.running(LEAF, said)


def test_a_password_with_an_at_goes_whole(tmp_path):
    more = "- set:\n    nve:\n      proxy: http://user:x@%s@192.0.2.9:3128\n"
    assert "http://<removed>@192.0.2.9:3128" in masked("cumulus", leaf(), more, tmp_path)


def test_a_secret_that_is_empty_is_still_seen_as_none(tmp_path):
    made = leaf()
    shown = SHOWN["cumulus"](made, "")
    programs = {
        said: re.sub(r"secret: \S+", "secret: ''", text) for said, text in shown.programs.items()
    }
    said = answer(CUMULUS.state_command(), type(shown)(programs, shown.files), tmp_path)
    found = CUMULUS.readback(CUMULUS.running(LEAF, said))
    assert any("has no secret" in one for one in found.hazards)
