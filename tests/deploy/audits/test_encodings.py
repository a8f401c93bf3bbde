"""Bytes to text, and what a text shows of being cut or damaged."""

from __future__ import annotations

import pytest

from deploy.audits.decoded import Decoded, decoded
from deploy.audits.gathered import gathered
from deploy.audits.whole import doubts
from validation.audit.audit import audit

from .texts import one, write

EOS, NXOS = one("eos"), one("nxos")


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path, name):
    found = gathered(write(tmp_path / "a.cfg", EOS.encode(name)))
    assert found.texts["a.cfg"]["a.cfg"] == EOS
    assert bool(found.notes) == (name == "utf-16")
    assert not found.refused


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (EOS.encode("utf-16-le"), "binary data"),
        (EOS.encode("utf-32"), "UTF-32: save it as UTF-8"),
        (EOS.encode("utf-16")[:-1], "cut or damaged UTF-16"),
        (EOS.encode("cp500"), "no text in UTF-8 (line 1)"),
        (b"hostname caf\xe9\n", "no text in UTF-8 (line 1)"),
        (b"! \xff\xff\xff\xff\n", "no text in UTF-8 (line 1)"),
        (bytes(100), "binary data"),
    ],
)
def test_others_are_refused_by_name(data, why):
    assert decoded(data) == why


def test_latin_1_in_words_for_people_is_read_with_a_note():
    text = b"hostname a\n! caf\xe9\ninterface Ethernet1\n   description B\xfcro\n"
    found = decoded(text)
    assert isinstance(found, Decoded)
    assert "description Büro" in found.text
    assert found.note.startswith("line 2 and 1 more: no UTF-8, read as Latin-1")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\r\nb\n", "a\nb\n"),
        ("a\rb\r", "a\nb\n"),
        ("\x1b[?7h\x1b[1mhostname a\x1b[0m\n", "hostname a\n"),
        ("a\n --More-- \b\b\b\b        \b\b\b   mtu 9214\n", "a\n   mtu 9214\n"),
        ("a\n<--- More --->\r              \r   mtu 9214\n", "a\n   mtu 9214\n"),
        ("a\n--More--(5%)\r\n   mtu 9214\n", "a\n\n   mtu 9214\n"),
        ("a\nmore words\n", "a\nmore words\n"),
    ],
)
def test_what_a_terminal_adds_is_taken_away(raw, clean):
    assert decoded(raw.encode()) == Decoded(clean)


def test_bytes_that_no_text_has_leave_a_doubt_and_its_lines_their_numbers():
    for odd in ("\x01", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"):
        found = decoded(f"a\nb{odd}c\nd\n".encode())
        assert isinstance(found, Decoded)
        assert found.doubt.startswith("line 2 has bytes")
        assert len(found.text.splitlines()) == 3


@pytest.mark.parametrize(
    ("system", "change", "why"),
    [
        ("eos", lambda t: t[: t.index("router bgp")], "it has no `end`"),
        ("eos", lambda t: t + "interface Ethernet9\n", "it goes on after `end`"),
        ("eos", lambda t: t.replace("hostname ", "hostnaem "), "it has no hostname"),
        ("eos", lambda t: t.replace("\nend", "\nhostname b\nend"), "two configurations in one"),
        ("eos", lambda t: t.replace("\nend", "\ninterface Loopback0\nend"), "is there twice"),
        ("nxos", lambda t: t.replace("  mtu 9216\n", "  mtu 9216\n  mtu 9\n"), "says `mtu` twice"),
        ("nxos", lambda t: t[:-5], "its last line has no line end"),
        ("nxos", lambda t: t + t, "two configurations in one"),
        ("nxos", lambda t: t + EOS, "it has lines of eos and nxos"),
        ("sonic", lambda t: t[:-20], "no whole JSON (line "),
        ("sonic", lambda _: "[" * 100_000, "no JSON that anybody wrote"),
        ("cumulus", lambda t: t.replace("hostname:", "hostnaem:"), "it has no hostname"),
        ("linux_frr", lambda t: t.replace("\nexit\n", "\n", 1), "has no `exit`"),
    ],
)  # fmt: skip
def test_a_text_that_shows_its_loss_is_no_pass(system, change, why):
    text = next(t for t in (one(system), *_others(system)) if change(t) != t)
    place = "/etc/sonic/config_db.json" if system == "sonic" else "a.cfg"
    assert not list(doubts(place, text))
    assert any(why in each for each in doubts(place, change(text)))


def _others(system: str) -> list[str]:
    from .texts import rendered

    return [text for path, text in rendered(system).items() if path.endswith("frr.conf")]


def test_a_doubt_leaves_the_rest_judged(tmp_path):
    cut = write(tmp_path / "a.cfg", EOS[: EOS.index("router bgp")])
    found = gathered(cut)
    done = audit(found.texts, found.refused)
    assert done.network.boxes
    assert done.exit_code in (1, 3)
