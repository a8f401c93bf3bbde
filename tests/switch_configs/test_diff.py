"""Differences for people: whole, by file, and without secrets."""

from __future__ import annotations

import pytest

from switch_configs.diff import HIDDEN, diff, masked
from switch_configs.intent import ConfigFile, Rendered


def one_file(text: str, mode: str = "0640") -> Rendered:
    return Rendered("x", "y", (ConfigFile("/etc/a", text, "root", "root", mode, "runtime"),))


def test_nothing_differs():
    assert diff(one_file("a\n"), one_file("a\n")) == ()


def test_lines_and_impact_are_shown():
    (one,) = diff(one_file("a\nb 1\n"), one_file("a\nb 2\n"))
    assert (one.path, one.impact) == ("/etc/a", "runtime")
    assert one.text.splitlines()[:2] == ["--- device /etc/a", "+++ plan /etc/a"]
    assert "-b 1" in one.text.splitlines()
    assert "+b 2" in one.text.splitlines()


def test_a_file_on_one_side_only_is_a_difference_with_its_impact():
    empty = Rendered("x", "y", ())
    assert [one.impact for one in diff(empty, one_file("a\n"))] == ["runtime"]
    assert [one.impact for one in diff(one_file("a\n"), empty)] == ["runtime"]


def test_a_mode_alone_is_a_difference():
    (one,) = diff(one_file("a\n"), one_file("a\n", "0600"))
    assert "-(root:root 0640)" in one.text


@pytest.mark.parametrize(
    "line",
    [
        " neighbor 192.0.2.1 password {}",
        "password 8 {}",
        "enable password {}",
        "snmp-server community {} ro",
        "username admin secret 5 {}",
        " key-string {}",
        "ntp authentication-key 7 md5 {}",
        "api-key: {}",
        "TOKEN={}",
    ],
)
def test_secrets_are_never_shown(line):
    """Neither the old nor the new one, nor as context; but that they differ is said."""
    old, new = line.format("Xq9hunter"), line.format("Zz7walrus")
    (one,) = diff(one_file(f"{old}\nb\n"), one_file(f"{old}\nc\n"))
    assert "hunter" not in one.text
    (one,) = diff(one_file(f"{old}\n"), one_file(f"{new}\n"))
    assert "hunter" not in one.text
    assert "walrus" not in one.text
    assert one.text == "only in a value that is not shown"


@pytest.mark.parametrize(
    "before",
    [
        "password", "enable passwd", "passphrase", "passkey", "secret", "secret-key", "key-string",
        "pre-shared-key", "authentication-key", "private-key", "snmp-server community", "TOKEN",
        "api-key", "key 0", "key", "auth_key:", "priv-pass", "encrypted_password =", "shared_key",
        "auth md5", "auth sha-256", "priv aes", "priv aes128", "pa\u017f\u017fword", "\u212aey 7",
    ],
)  # fmt: skip
def test_each_word_before_a_secret_hides_it(before):
    """What is asked first, to save time, leaves none of them out."""
    assert masked(f"  {before} Sw0rdfish-99") == f"  {before} {HIDDEN}"
