"""What a switch keeps as its own: never changed by us, always compared and told, never shown."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.switches.compare import compare, exit_status
from switch_configs import dialect, render
from switch_configs.changes import Change, changes
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"
CANARY = "c4n4ryC4n4ry"
# What lets somebody in beside the plan, by system: kind -> lines, and where they stand.
WAYS_IN = {
    "cumulus": {
        "users": f"    system: {{aaa: {{user: {{mallory: {{hashed-password: {CANARY}}}}}}}}}\n",
        "users: ours": f"    system: {{aaa: {{user: {{cumulus: {{ssh: {{k: {CANARY}}}}}}}}}}}\n",
        "banners": f"    system: {{message: {{pre-login: {CANARY}}}}}\n",
        "SSH server": "    system: {ssh-server: {permit-root-login: enabled}}\n",
        "management access lists": "    system: {control-plane: {acl: {all: {inbound: {}}}}}\n",
        "API": "    system: {api: {listening-address: {0.0.0.0: {}}}}\n",
        "roles of users": "    system: {aaa: {role: {all: {class: {sudo: {}}}}}}\n",
    },
    "sonic": {
        "SNMP": f'"SNMP_COMMUNITY": {{"{CANARY}": {{"TYPE": "RW"}}}},\n',
        "banners": f'"BANNER_MESSAGE": {{"global": {{"state": "on", "login": "{CANARY}"}}}},\n',
    },
    "eos": {
        "users": f"username mallory privilege 15 role network-admin secret sha512 {CANARY}\n",
        "users: root": f"aaa root secret sha512 {CANARY}\n",
        "users: by key": f"username admin ssh-key ssh-rsa {CANARY} x\n",
        "banners": f"banner login\n{CANARY}\nEOF\n",
    },
    "nxos": {
        "users": f"username mallory password 5 {CANARY} role network-admin\n",
        "users: by key": f"username admin sshkey ssh-rsa {CANARY}\n",
        "banners": f"banner motd ^{CANARY}^\n",
        "shell": "feature bash-shell\n",
    },
}
# Other than what the maker documents of a new switch: each alone, as kind and lines.
ALTERED = {
    "cumulus": [
        ("roles of users", "    system: {aaa: {role: {nvue-monitor: {class: {sudo: {}}}}}}\n"),
        (
            "classes of users",
            "    system: {aaa: {class: {nvshow: {command-path: {/: {permission: all}}}}}}\n",
        ),
        ("classes of users", "    system: {aaa: {class: {nvshow: {action: deny}}}}\n"),
        (
            "management access lists",
            "    acl: {acl-default-whitelist: {rule: {'1': {action: {permit: {}}}}}}\n",
        ),
        ("users", "    system: {aaa: {user: {cumulus: {role: nvue-admin}}}}\n"),
        ("users", "    system: {aaa: {user: {cumulus: {hashed-password: ''}}}}\n"),
        ("users", f"    system: {{aaa: {{user: {{cumulus: {{password: {CANARY}}}}}}}}}\n"),
        ("SSH server", "    system: {ssh-server: {state: disabled}}\n"),
        ("API", "    system: {api: {state: disabled}}\n"),
        (
            "rules for passwords",
            "    system: {security: {password-hardening: {state: disabled}}}\n",
        ),
        ("system", "    system: {reboot: {mode: fast}}\n"),
        ("system", "    system: {timezone: Mars/Base}\n"),
    ],
    "sonic": [
        ("gNMI", '"TELEMETRY": {"gnmi": {"client_auth": "false"}},\n'),
        ("gNMI", '"TELEMETRY": {"gnmi": {"port": "50051"}},\n'),
        ("gNMI", '"TELEMETRY": {"certs": {"ca_crt": "/tmp/mine.cer"}},\n'),
        ("API", '"RESTAPI": {"config": {"client_auth": "true", "allow_insecure": "true"}},\n'),
        ("SSH server", '"SSH_SERVER": {"POLICIES": {"permit_root_login": "yes"}},\n'),
        ("SSH server", '"SSH_SERVER": {"POLICIES": {"ports": "22,2222"}},\n'),
        ("rules for passwords", '"PASSW_HARDENING": {"POLICIES": {"len_min": "1"}},\n'),
        ("console", '"SERIAL_CONSOLE": {"POLICIES": {"sysrq_capabilities": "enabled"}},\n'),
        ("CoPP", '"COPP_TRAP": {"evil": {"trap_ids": "x"}},\n'),
        ("CoPP", '"COPP_GROUP": {"queue1_group1": {"cir": "6000000"}},\n'),
        ("logs", '"SYSLOG_CONFIG": {"GLOBAL": {"severity": "none"}},\n'),
        ("features", '"FEATURE": {"p4rt": {"state": "enabled"}},\n'),
        ("features", '"FEATURE": {"bgp": {"state": "disabled"}},\n'),
        ("features", '"FEATURE": {"lldp": {"auto_restart": "disabled"}},\n'),
        ("features", '"FEATURE": {"backdoor": {"state": "enabled"}},\n'),
        ("routing", '"BGP_DEVICE_GLOBAL": {"STATE": {"tsa_enabled": "true"}},\n'),
        ("banners", f'"BANNER_MESSAGE": {{"global": {{"login": "{CANARY}"}}}},\n'),
        ("SNMP", f'"SNMP": {{"CONTACT": {{"{CANARY}": "x"}}}},\n'),
        ("DHCP", '"DHCP_SERVER": {"192.0.2.1": {}},\n'),
    ],
    "eos": [
        ("users", "username admin nopassword\n"),
        ("users", "username admin privilege 15 role network-admin nopassword\n"),
        ("users", f"username admin privilege 15 role everything secret sha512 {CANARY}\n"),
        ("users", "aaa root nopassword\n"),
        ("users", f"enable password sha512 {CANARY}\n"),
        ("boot", f"boot secret sha512 {CANARY}\n"),
        ("boot", "boot system http://192.0.2.1/EOS.swi\n"),
    ],
    "nxos": [
        ("users", f"username admin password 5 {CANARY} role network-operator\n"),
        ("users", f"username admin password 0 {CANARY} role network-admin\n"),
        ("users", "username admin passphrase lifetime 99 warntime 14 gracetime 3\n"),
        ("users", "username mallory role network-admin\n"),
        ("console", "line console\n  exec-timeout 0\n"),
        ("CoPP", "copp profile lenient\n"),
        ("boot", "boot poap enable\n"),
        ("boot", "boot nxos tftp://192.0.2.1/nxos.bin\n"),
        ("rules for passwords", "no password strength-check\n"),
        ("SSH server", "ssh key rsa 768\n"),
        ("alarms", "rmon event 9 log trap x description y owner z\n"),
        ("names", "no ip domain-lookup\n"),
        ("keys", "crypto ca trustpoint x\n"),
        ("aliases", "cli alias name wr copy run bootflash:x\n"),
        ("system", "vdc x id 1\n  limit-resource vlan minimum 16 maximum 20\n"),
        ("SNMP", f"username admin password 5 {CANARY}\nsnmp-server user admin network-admin\n"),
    ],
}
# What a new switch holds, its owner's password set.
SHIPPED = {
    "cumulus": """\
    system:
      aaa:
        class:
          nvapply: {action: allow, command-path: {/: {permission: all}}}
          nvshow: {action: allow, command-path: {/: {permission: ro}}}
          sudo: {action: allow, command-path: {/: {permission: all}}}
        role:
          nvue-admin: {class: {nvapply: {}}}
          nvue-monitor: {class: {nvshow: {}}}
          system-admin: {class: {nvapply: {}, sudo: {}}}
        user:
          cumulus:
            {full-name: 'cumulus,,,', hashed-password: '*', role: system-admin, state: enabled}
      api: {state: enabled}
      control-plane: {acl: {acl-default-dos: {inbound: {}}, acl-default-whitelist: {inbound: {}}}}
      global: {system-mac: '44:38:39:22:01:7a'}
      reboot: {mode: cold}
      ssh-server: {state: enabled}
      wjh: {channel: {forwarding: {trigger: {l2: {}, l3: {}, tunnel: {}}}}, enable: on}
""",
    "sonic": """\
"AUTO_TECHSUPPORT": {"GLOBAL": {"state": "enabled", "since": "2 days ago"}},
"BANNER_MESSAGE": {"global": {"state": "disabled", "login": "Debian GNU/Linux 11", "logout": ""}},
"BGP_DEVICE_GLOBAL": {"STATE": {"tsa_enabled": "false", "wcmp_enabled": "false"}},
"CRM": {"Config": {"polling_interval": "300", "acl_table_low_threshold": "70"}},
"FEATURE": {
    "bgp": {"state": "enabled", "auto_restart": "enabled", "delayed": "False",
            "has_global_scope": "False", "check_up_status": "false", "high_mem_alert": "disabled"},
    "database": {"state": "always_enabled", "auto_restart": "always_enabled"},
    "telemetry": {"state": "enabled", "set_owner": "kube", "support_syslog_rate_limit": "true"},
    "sflow": {"state": "disabled"}, "mux": {"state": "always_disabled"}},
"KDUMP": {"config": {"enabled": "false", "num_dumps": "3"}},
"LOGGER": {"orchagent": {"LOGLEVEL": "NOTICE", "LOGOUTPUT": "SYSLOG"}},
"PASSW_HARDENING": {"POLICIES": {"state": "disabled", "len_min": "8", "digits_class": "true"}},
"RESTAPI": {"config": {"client_auth": "true", "allow_insecure": "false", "log_level": "info"}},
"SNMP": {"LOCATION": {"Location": "public"}},
"SSH_SERVER": {"POLICIES": {"authentication_retries": "6", "ports": "22", "max_sessions": "0"}},
"SYSLOG_CONFIG": {"GLOBAL": {"rate_limit_interval": "0", "rate_limit_burst": "0"}},
"TELEMETRY": {"gnmi": {"client_auth": "true", "port": "50051", "log_level": "2"}},
""",
    "eos": """\
no aaa root
username admin privilege 15 role network-admin shell /bin/bash secret sha512 $6$x
boot system flash:/EOS-4.33.9M.swi
""",
    "nxos": """\
vdc x id 1
  limit-resource vlan minimum 16 maximum 4094
  limit-resource u4route-mem minimum 248 maximum 248
username admin password 5 $5$x  role network-admin
username admin passphrase  lifetime 99999 warntime 14 gracetime 3
snmp-server user admin network-admin auth md5 0x1 priv aes-128 0x2 localizedV2key
rmon event 1 log trap public description FATAL(1) owner PMON@FATAL
ssh key rsa 2048
ip domain-lookup
copp profile strict
line console
boot nxos bootflash:/nxos64-cs.10.5.3.F.bin
""",
}
JOINED = {"cumulus": "- set:\n"}
HEADS = {"sonic": "{\n", "nxos": "hostname ", "eos": "hostname "}


def with_more(rendered: Rendered, more: str) -> Rendered:
    """The same with lines that somebody added, in the file that holds such."""

    def text(old: str) -> str:
        head = HEADS.get(rendered.dialect)
        if head is None:
            return f"{old}- set:\n{more}"
        return old.replace(head, head + more if head == "{\n" else more + head, 1)

    first = "config_db" if rendered.dialect == "sonic" else ""
    return replace(
        rendered,
        files=tuple(
            replace(one, text=text(one.text))
            if first in one.path and not one.path.endswith(".rules")
            else one
            for one in rendered.files
        ),
    )


@pytest.mark.parametrize("name", sorted(WAYS_IN))
def test_ways_in_that_the_plan_does_not_name_are_told_and_not_shown(name, tmp_path):
    plan = small(name)
    asked = render(plan, LEAF)
    added = with_more(asked, JOINED.get(name, "").join(WAYS_IN[name].values()))
    for at, held in (("old", asked), ("new", added)):
        for file in held.files:
            path = tmp_path / at / LEAF / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
    kinds = sorted({kind.partition(":")[0] for kind in WAYS_IN[name]})
    for new in (None, tmp_path / "old"):
        found = compare(plan, tmp_path / "new", new)
        (one,) = (one for one in found if one.device == LEAF)
        assert [each.section for each in one.changes] == kinds
        said = [int(each.lines[0].split()[1]) for each in one.changes]
        assert sum(said) == len(WAYS_IN[name])
        assert exit_status(found) == 1
        assert CANARY not in repr(found)
    (same,) = compare(plan, tmp_path / "old", tmp_path / "old")
    assert not same.changes


def told(name: str, more: str, folder: Path) -> list[Change]:
    """What `diff` tells of a leaf with these lines more, beside the plan."""
    plan = small(name)
    for file in with_more(render(plan, LEAF), more).files:
        path = folder / LEAF / file.path.lstrip("/")
        path.parent.mkdir(parents=True)
        path.write_text(file.text, encoding="utf-8")
    (one,) = (one for one in compare(plan, folder, None) if one.device == LEAF)
    assert CANARY not in repr(one)
    return list(one.changes)


@pytest.mark.instances(keep=1, by="name")
@pytest.mark.parametrize(
    ("name", "kind", "more"), [(name, *one) for name in ALTERED for one in ALTERED[name]]
)
def test_what_the_maker_ships_otherwise_is_told_by_its_value(name, kind, more, tmp_path):
    assert [one.section for one in told(name, JOINED.get(name, "") + more, tmp_path)] == [kind]


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_new_switch_holds_is_no_difference(name, tmp_path):
    assert told(name, JOINED.get(name, "") + SHIPPED[name], tmp_path) == []


# Ways in on a Linux switch are lines of files that are ours as a whole: each is a difference.
FRR_WAYS_IN = ("password %s", "enable password %s", "username mallory nopassword")


@pytest.mark.parametrize("line", FRR_WAYS_IN)
def test_a_way_in_of_a_file_that_is_ours_is_a_difference(line):
    asked = render(small("linux_frr"), LEAF)
    files = tuple(
        replace(one, text=one.text + line.replace("%s", CANARY) + "\n")
        if one.path == "/etc/frr/frr.conf"
        else one
        for one in asked.files
    )
    found = changes(asked, replace(asked, files=files), dialect("linux_frr"))
    assert found
    assert CANARY not in repr(found)


def test_a_secret_that_changed_is_said_and_never_which():
    tongue = dialect("cumulus")
    rendered = render(small("cumulus"), LEAF)
    old, new = (
        replace(
            rendered,
            files=tuple(replace(one, text=one.text.replace("<<secret:tacacs_key>>", key))
                        for one in rendered.files),
        )
        for key in (CANARY, CANARY[::-1])
    )  # fmt: skip
    (change,) = changes(old, new, tongue)
    assert change.lines == ("a secret changed",)
    held = replace(rendered, files=tuple(replace(one, mode="0640") for one in rendered.files))
    assert all("becomes root:root 0" in one.lines[0] for one in changes(held, rendered, tongue))


# Two values of one secret, as the system's own text has it: a pattern, and what is instead.
ENCODED = {
    "cumulus": (r"<<secret:tacacs_key>>", "$nvsec${}"),
    "sonic": (r"<<secret:tacacs_key>>", "{}"),
    "eos": (r"key 0 <<secret:tacacs_key>>", "key 7 {}"),
    "nxos": (r"key 0 <<secret:tacacs_key>>", 'key 7 "{}"'),
    "linux_frr": (r"(router bgp \d+)", r"\1\n neighbor 192.0.2.1 password {}"),
}


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("name", ENCODED)
def test_a_secret_that_changed_is_said_by_every_system(name, other, tmp_path):
    """Also beside another change; and never against the plan's word for it."""
    plan, (pattern, instead) = small(name), ENCODED[name]
    asked = render(plan, LEAF)
    for at, key in (("old", CANARY), ("new", CANARY[::-1])):
        for file in asked.files:
            text = re.sub(pattern, instead.format(key), file.text, count=0)
            if other and at == "new":
                text = text.replace("node-p1-1:rail0", "spare")
            path = tmp_path / at / LEAF / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (one,) = compare(plan, tmp_path / "old", tmp_path / "new")
    said = [line for change in one.changes for line in change.lines]
    assert said.count("a secret changed") == 1
    assert (len(one.changes) > 1) == other
    assert CANARY not in repr(one)
    assert CANARY[::-1] not in repr(one)
    beside = [one for one in compare(plan, tmp_path / "old", None) if one.device == LEAF]
    assert not any("a secret changed" in change.lines for change in beside[0].changes)
    (same,) = compare(plan, tmp_path / "old", tmp_path / "old")
    assert not same.changes
