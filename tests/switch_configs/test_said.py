"""What may be shown of a program's standard error: messages as they are, secrets never."""

from __future__ import annotations

import errno
import os

import pytest

from switch_configs.shown.said import said, why
from tests.deploy.canaries import CANARIES, SAID, lines

SHOWN = [
    "sh: 1: exec: /usr/sbin/sshd: not found",
    "ssh: connect to host 10.0.0.1 port 22: Connection refused",
    "root@node-p1-1: Permission denied (publickey,password).",
    "Host key verification failed.",
    "no end within 15 s; ssh said: nothing",
    "the script ended with status 98: no reason given",
    "Couldn't connect to 10.0.0.3:18515",
    "IB device mlx5_0 not found",
    "gpu17-rail0 has no RoCE v2 GID of ::ffff:10.16.0.3",
    "mpirun noticed: process rank 3 with PID 746351 on node dgx17a exited on signal 9 (Killed).",
    "Failed to connect to bus: No such file or directory",
    "timeout: failed to run command 'nvidia-smi': No such file or directory",
    "/etc/ssh/sshd_config line 12: Bad configuration option: *",
    "Error: NetworkManager is not running.",
    "bgpd is not running",
    "% Invalid input detected at '^' marker.",
    *(os.strerror(number) for number in sorted(errno.errorcode)),
]


@pytest.mark.parametrize("text", SHOWN)
def test_messages_that_programs_share_are_shown_as_they_are(text):
    assert said(text) == text


def test_no_canary_is_shown_and_what_was_shown_once_is_shown_the_same():
    text = "\n".join([*lines(SAID), *lines(CANARIES)])
    shown = said(text)
    assert [kind for kind, secret in CANARIES.items() if secret in shown] == []
    assert said(shown) == shown
    assert len(shown.splitlines()) == len(text.splitlines())
    assert "Connection refused" in shown


def test_words_of_the_command_are_shown_and_a_number_after_a_secret_s_name_is_not():
    assert said("zorblax: 4711: no such option", "zorblax --all") == "zorblax: 4711: no such option"
    assert said("zorblax failed") == "* failed"
    assert said("password 4711 is wrong") == "* is wrong"
    assert said("key 4711 is wrong", "key 5") == "key * is wrong"
    assert said("pin: 4711", "pin 4711 4712") == "pin: *"


def test_lines_with_nothing_to_show_are_told_apart_and_one_line_says_why():
    one, two, again = said("hunter2hunter2\nXyzzyPlugh\nhunter2hunter2").splitlines()
    assert one == again != two
    assert one[0] == "#"
    assert why("", "% Invalid input\n detected") == "% Invalid input detected"
    assert why("", "") == "nothing"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("ab12345cd", "12345"),
        ("recovery ab12-cd34-ef56 refused", "cd34"),
        ("MYSQL_PWD=12345", "12345"),
        ("authorization: Basic 12345", "12345"),
        ("snmp-server host 10.0.0.1 12345", "12345"),
        ("12345 is the password", "12345"),
        ("error: token\n12345", "12345"),
        ("error: token\n#12345 ab", "12345"),
    ],
)
def test_shapes_of_secrets_are_hidden_whatever_stands_around_them(text, secret):
    assert secret not in said(text)
    assert said(said(text)) == said(text)
