"""What is pushed to bring a configuration back: secrets as they were, as far as that can be."""

from __future__ import annotations

import pytest

from deploy.backups.goal import goal
from deploy.errors import RailbedError
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Reply, StepRefused, Whole
from deploy.switches.push_steps import StepRunner
from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered, Step

EOS = dialect("eos")
SONIC = dialect("sonic")
HEAD = '{"sessions": {}}\n! Command: show running-config\n! device: leaf1 (vEOS, EOS-4.35.6M)\n!\n'
SECRETS = Secrets({"tacacs_key": "Sw0rdfish", "snmp_auth": "Tr0ut-22", "snmp_priv": "P1ke-333"})
SNMP = "snmp-server user reader all v3 "
PLANNED = (
    "tacacs-server host 192.0.2.8 key 7 <<secret:tacacs_key>>\n"
    f"{SNMP}auth sha <<secret:snmp_auth>> priv aes <<secret:snmp_priv>>\n"
)


def whole(text: str) -> Whole:
    fetched = f"{HEAD}{text}end\n"
    return Whole(EOS.running("leaf1", fetched), EOS.held("leaf1", fetched))


def asked(found: Whole) -> Rendered:
    (file,) = found.running.files
    return Rendered("leaf1", "eos", (ConfigFile(file.path, PLANNED, "", "", "", "none"),))


def test_what_a_switch_takes_back_is_sent_as_it_was():
    """Also where the site's own secret is another one by now."""
    found = whole(
        "tacacs-server host 192.0.2.8 key 7 08204E\ntacacs-server host 192.0.2.9 key 7 13061E\n"
        f"{SNMP}localized f571 auth sha 0a1b priv aes 3d4e\n"
    )
    made = goal(found, asked(found), SECRETS)
    (file,) = made.rendered.files
    assert "08204E" not in file.text
    sent = made.secrets.put_into(file).text
    assert "tacacs-server host 192.0.2.8 key 7 08204E\n" in sent
    assert "tacacs-server host 192.0.2.9 key 7 13061E\n" in sent
    # This user is shown in a form that no switch takes: the site's own secrets are.
    assert f"{SNMP}auth sha Tr0ut-22 priv aes P1ke-333\n" in sent
    assert "13061E" not in made.secrets.hidden("it said 13061E")
    again = made.secrets.recognised(found.running, made.rendered)
    assert EOS.push_steps(again, made.rendered, 90) == (), "what it ran is what is wanted"


def test_a_secret_that_nobody_can_bring_back_is_said():
    found = whole("snmp-server user eve all v3 localized f571 auth sha 0a1b priv aes 3d4e\n")
    with pytest.raises(RailbedError, match="leaf1: 1 line of what it ran then had a secret"):
        goal(found, asked(found), SECRETS)


def test_what_stands_in_clear_is_a_word_where_the_plan_has_it():
    line = '  "passkey": "{}"\n'
    path = "/etc/sonic/config_db.json"
    ran = ConfigFile(path, line.format("Sw0rdfish"), "root", "root", "0640", "reload")
    other = ConfigFile("/etc/sonic/frr/frr.conf", "! none\n", "", "", "absent", "none")
    mark = ConfigFile("/host/railbed/unsaved", "a restart would\n", "", "", "", "none")
    running = Rendered("leaf1", "sonic", (ran, other, mark))
    planned = (
        ConfigFile(path, line.format("<<secret:tacacs_key>>"), "root", "root", "0640", "reload"),
        ConfigFile(other.path, "router bgp 1\n", "300", "300", "0640", "daemon restart"),
    )
    made = goal(Whole(running, running), Rendered("leaf1", "sonic", planned), SECRETS)
    assert [(one.path, one.owner, one.mode, one.text) for one in made.rendered.files] == [
        (path, "root", "0640", line.format("<<secret:tacacs_key>>")),
        (other.path, "300", "0640", "! none\n"),
    ]


class Repeats:
    """A session of a switch that quotes what it does not take."""

    def run(self, command: str, timeout_s: float) -> Reply:
        raise NotImplementedError

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        return Reply("", f"invalid input: {file.text}", 1)

    def close(self) -> None:
        raise NotImplementedError


def test_what_nobody_planned_is_not_quoted():
    """Of a plan's own text a refusal may quote each word; of what goes back, only the plan's."""
    sent = ConfigFile("/f", "banner Herring host\n", "", "", "", "none")
    step = Step("load", "stage", "", sent, "", "", "none", 5)
    planned = Rendered("leaf1", "eos", (ConfigFile("/f", "banner mine\n", "", "", "", "none"),))
    runner = StepRunner((step,), lambda *_: None, Secrets(), planned=planned)
    with pytest.raises(StepRefused, match=r"load: exit status 1: invalid input: banner \* host"):
        runner.phase(Repeats(), "stage")
