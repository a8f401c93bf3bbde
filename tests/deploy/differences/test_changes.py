"""What a difference is called: comments, secrets, owners and modes, on every system."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.differences.file_lines import ONLY_BLANKS, lines
from deploy.differences.meanings import meanings
from deploy.switches.compare import compare
from switch_configs import dialect, dialects, render
from switch_configs.changes import SECRET_CHANGED, changes
from switch_configs.diff import diff
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.foreign import Showing
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"
FRR = [name for name in dialects() if name in ("linux_frr", "sonic")]
SHOWING = Showing(b"k" * 32)


def frr_path(rendered: Rendered) -> str:
    return next(one.path for one in rendered.files if one.path.endswith("/frr.conf"))


def with_text(rendered: Rendered, path: str, change) -> Rendered:
    files = tuple(
        replace(one, text=change(one.text)) if one.path == path else one for one in rendered.files
    )
    return replace(rendered, files=files)


def told(old: Rendered, new: Rendered) -> list[str]:
    return [line for one in changes(old, new, dialect(new.dialect)) for line in one.lines]


@pytest.mark.parametrize("name", FRR)
@pytest.mark.parametrize("comment", ["!", "! hunter2", " ! hunter2", "# hunter2"])
def test_comments_of_frr_are_no_difference(name, comment):
    rendered = render(small(name), LEAF)
    held = with_text(
        rendered, frr_path(rendered), lambda text: text.replace("\n", f"\n{comment}\n")
    )
    assert changes(held, rendered, dialect(name)) == ()
    assert diff(held, rendered) == ()


@pytest.mark.parametrize("name", ["cumulus", "eos", "nxos", "sonic"])
def test_that_it_is_not_saved_is_said_as_that_and_as_no_line_that_nobody_understands(name):
    rendered = render(small(name), LEAF)
    mark = ConfigFile("/etc/running (not saved)", "not saved\n", "", "", "", "none")
    held = replace(rendered, files=(*rendered.files, mark))
    (found,) = changes(held, rendered, dialect(name))
    assert (found.impact, found.lines) == ("none", ("- not saved",))
    assert meanings(held, rendered) == ()


@pytest.mark.parametrize("name", FRR)
def test_a_comment_hides_no_line_below_it(name):
    """A line that stands in a stanza is told in that stanza, whatever comment is above it."""
    rendered = render(small(name), LEAF)
    path = frr_path(rendered)
    stanza = next(
        line for line in _texts(rendered)[path].splitlines() if line.startswith("router bgp")
    )
    more = " bgp graceful-shutdown\n"
    plain = with_text(rendered, path, lambda text: text.replace(f"{stanza}\n", f"{stanza}\n{more}"))
    beside = with_text(
        rendered, path, lambda text: text.replace(f"{stanza}\n", f"{stanza}\n! x\n{more}")
    )
    expected = changes(plain, rendered, dialect(name), showing=SHOWING)
    assert [one.section for one in expected] == [stanza]
    assert changes(beside, rendered, dialect(name), showing=SHOWING) == expected


@pytest.mark.parametrize("name", FRR)
def test_a_folder_s_comment_hides_no_line_either(name, tmp_path):
    plan = small(name)
    for file in render(plan, LEAF).files:
        path = tmp_path / LEAF / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = file.text
        if file.path.endswith("/frr.conf"):
            text = re.sub(
                r"(?m)^(router bgp .+)$", r"\1\n! by hand\n bgp graceful-shutdown", text, count=1
            )
        path.write_text(text)
    (found,) = [one for one in compare(plan, tmp_path, None) if one.device == LEAF]
    (change,) = found.changes
    assert change.section.startswith("router bgp")
    assert len(change.lines) == 1


def _texts(rendered: Rendered) -> dict[str, str]:
    return {one.path: one.text for one in rendered.files}


# A line with a secret, and a comment, in each form of text.
SECRETS = {
    "eos": "tacacs-server key 7 {}\n",
    "nxos": "tacacs-server key 7 {}\n",
    "linux_frr": " neighbor 192.0.2.1 password {}\n",
}
COMMENTS = {"eos": "! {}\n", "nxos": "! {}\n", "linux_frr": "# {}\n"}


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_that_changed_is_one_sentence(name):
    rendered = render(small(name), LEAF)
    path = _main(rendered)
    old, new = (
        with_text(rendered, path, lambda text, word=word: text + SECRETS[name].format(word))
        for word in ("hunter1", "hunter2")
    )
    assert told(old, new) == [SECRET_CHANGED]


@pytest.mark.parametrize("name", sorted(COMMENTS))
def test_a_comment_that_changed_is_no_secret(name):
    rendered = render(small(name), LEAF)
    for path in _texts(rendered):
        old, new = (
            with_text(rendered, path, lambda text, word=word: text + COMMENTS[name].format(word))
            for word in ("old", "new password 7")
        )
        assert SECRET_CHANGED not in told(old, new), path


@pytest.mark.parametrize("name", sorted(dialects()))
def test_blanks_and_order_are_no_secret(name):
    rendered = render(small(name), LEAF)
    for path in _texts(rendered):
        blank = with_text(rendered, path, lambda text: text + "\n\n")
        assert SECRET_CHANGED not in told(rendered, blank), path


def _main(rendered: Rendered) -> str:
    return next(
        (one.path for one in rendered.files if one.path.endswith("/frr.conf")),
        rendered.files[0].path,
    )


OWNERS = [(owner, mode) for owner in ("root", "frr") for mode in ("0600", "0644")]


@pytest.mark.parametrize("text", ["a\n", "b\n", "a\n\n", "# a\na\n"])
@pytest.mark.parametrize(("before", "after"), list(itertools.product(OWNERS, OWNERS)))
def test_nothing_becomes_itself_and_another_owner_or_mode_is_always_told(text, before, after):
    (first, *_) = render(small("linux_frr"), LEAF).files
    path = "/etc/lldpd.d/railbed.conf"
    old, new = (
        Rendered(
            LEAF,
            "linux_frr",
            (replace(first, path=path, text=held, owner=owner, group=owner, mode=mode),),
        )
        for held, (owner, mode) in (("a\n", before), (text, after))
    )
    said = told(old, new)
    sentences = [re.fullmatch(r"(.+) becomes (.+)", one) for one in said]
    assert all(one[1] != one[2] for one in sentences if one)
    assert any(sentences) == (before != after)


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        ("Key=1\n", "Key=2\n", ("- Key=1", "+ Key=2")),
        ("a\npassword x\n", "a\npassword y\n", (SECRET_CHANGED,)),
        ("a\n\n", "a\n", (ONLY_BLANKS,)),
        ("# old\na\n", "a\n", None),
    ],
)
def test_a_server_s_file_is_told_by_lines(found, wanted, expected):
    shown = lines(found, wanted, SHOWING)
    if expected is not None:
        assert shown == expected
    assert "old" not in " ".join(shown)
    assert (SECRET_CHANGED in shown) == (expected == (SECRET_CHANGED,))


def test_a_line_that_the_earlier_plan_had_is_known():
    assert lines("By=hand\n", "", SHOWING, "By=hand\n") == ("- By=hand",)
    (shown,) = lines("By=hand\n", "", SHOWING)
    assert "hand" not in shown


def test_folders_that_differ_in_a_secret_alone_say_so_once(tmp_path: Path):
    plan = small("eos")
    for at, word in (("old", "hunter1"), ("new", "hunter2")):
        (tmp_path / at).mkdir()
        text = render(plan, LEAF).files[0].text + f"tacacs-server key 7 {word}\n"
        (tmp_path / at / f"{LEAF}.cfg").write_text(text)
    (found,) = compare(plan, tmp_path / "old", tmp_path / "new")
    assert [line for one in found.changes for line in one.lines] == [SECRET_CHANGED]
