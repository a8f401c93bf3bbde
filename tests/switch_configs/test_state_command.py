"""What a switch says as evidence holds no secret, and reads like what it runs."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from switch_configs import DialectError, dialect, dialects, intent
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from switch_configs.shown.secrets import names
from tests.switch_configs.intents import roles
from tests.switch_configs.plans import generated, lab
from tests.switch_configs.shells import (
    ASKED,
    CANARY,
    SHELLS,
    SHOWN,
    Shown,
    cuts,
    decoded,
    fetched,
    state,
)  # fmt: skip
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"


def rendered(name: str, device: str = LEAF) -> Rendered:
    return dialect(name).render(intent(small(name), device))


def read(name: str, device: str, output: str) -> SwitchFacts:
    tongue = dialect(name)
    return tongue.readback(tongue.running(device, output))


def altered(shown: Shown, text: str, status: int, program: str = "") -> Shown:
    """The same with another output of its programs, or of one of them."""
    programs = {
        said: text if said[0] == program or not program else old
        for said, old in shown.programs.items()
    }
    return replace(shown, programs=programs, status=status)


def test_every_dialect_but_one_can_be_asked():
    assert {one for one in dialects() if dialect(one).state_command()} == set(ASKED)


def test_another_plan_is_of_the_dialect_that_has_files_instead():
    for plan in (lab("unnumbered"), generated(numbered=True)):
        assert {one.dialect for one in plan.switches} == {"linux_frr"}


@pytest.mark.parametrize(
    ("name", "device"), [(name, device) for name in ASKED for device in roles(name)]
)
def test_no_secret_comes_and_every_fact_does(tmp_path, name, device):
    made = rendered(name, device)
    shown = SHOWN[name](made, "")
    said = state(name, shown, tmp_path)
    plain = fetched(name, shown, tmp_path)
    if any(names(one.text) for one in made.files):
        assert CANARY in decoded(plain), "the test itself must have a secret to lose"
    assert CANARY not in decoded(said)
    assert read(name, device, said) == read(name, device, plain)
    assert read(name, device, said) == dialect(name).readback(made)


@pytest.mark.parametrize(("name", "words"), [("eos", {"show"}), ("nxos", {"echo", "show"})])
def test_a_command_line_is_only_shown_things(name, words):
    assert {one.split()[0] for one in dialect(name).state_command().splitlines()} == words


@pytest.mark.parametrize("name", SHELLS)
def test_it_is_one_line_for_any_shell_that_changes_nothing(tmp_path, name):
    command = dialect(name).state_command()
    assert "\n" not in command
    assert not re.search(
        r"\b(configure|commit|write|copy|save|replace|patch|apply|rm|mv)\b", command
    )
    assert not re.search(r"> ?(?!/dev/null)[/$a-z]", re.sub(r"'[^']*'", "", command))
    subprocess.run(["sh", "-n"], input=command, text=True, check=True)
    shown = SHOWN[name](rendered(name), "")
    first = state(name, shown, tmp_path)
    before = held(tmp_path)
    assert state(name, Shown({}), tmp_path) == first
    assert held(tmp_path) == before


def held(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("% Invalid input (at token 2: 'sanitized')\n", 0),
        ("% Invalid input\n", 1),
        ("Error: cannot connect\n", 0),
        ("", 0),
        ("", 127),
    ],
)
def test_an_error_is_no_configuration(tmp_path, name, text, status):
    shown = altered(SHOWN[name](rendered(name), ""), text, status)
    with pytest.raises(DialectError, match=LEAF):
        dialect(name).running(LEAF, state(name, shown, tmp_path))


@pytest.mark.parametrize("name", ASKED)
def test_a_program_that_fails_or_is_not_there_says_nothing(tmp_path, name):
    """Its output may be whole: it does not count, and no secret of it comes."""
    shown = replace(SHOWN[name](rendered(name), ""), status=124)
    said = state(name, shown, tmp_path)
    assert CANARY not in decoded(said)
    with pytest.raises(DialectError, match=LEAF):
        dialect(name).running(LEAF, said)
    bare = tmp_path / "bare"
    bare.mkdir()
    with pytest.raises(DialectError, match=LEAF):
        dialect(name).running(LEAF, state(name, Shown({}), bare))


@pytest.mark.parametrize("name", ASKED)
def test_a_mask_that_fails_lets_nothing_through(tmp_path, name, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    shown = SHOWN[name](rendered(name), "")
    (tmp_path / "bin").mkdir()
    for one in ("sed", "awk", "python3"):
        (tmp_path / "bin" / one).write_text("#!/bin/sh\ncat\nexit 1\n")
        (tmp_path / "bin" / one).chmod(0o755)
    said = state(name, shown, tmp_path)
    assert CANARY not in decoded(said)
    with pytest.raises(DialectError, match=LEAF):
        dialect(name).running(LEAF, said)


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_that_is_cut_is_none(tmp_path, name):
    said = state(name, SHOWN[name](rendered(name), ""), tmp_path)
    for cut in cuts(said):
        with pytest.raises(DialectError, match=LEAF):
            dialect(name).running(LEAF, cut)


@pytest.mark.parametrize(
    ("name", "program", "status"),
    [
        ("eos", "running", 0),
        ("sonic", "sonic-cfggen", 0),
        ("sonic", "docker", 0),
        # What is cut here ends like what is whole: only the exit status tells.
        ("cumulus", "nv", 143),
        ("nxos", "running", 143),
    ],
)
def test_an_output_that_is_cut_is_none(tmp_path, name, program, status):
    shown = SHOWN[name](rendered(name), "")
    whole = next(
        text for said, text in sorted(shown.programs.items()) if said[0] == program and text
    )
    for at, cut in enumerate(cuts(whole)):
        (tmp_path / str(at)).mkdir()
        said = state(name, altered(shown, cut, status, program), tmp_path / str(at))
        with pytest.raises(DialectError, match=LEAF):
            dialect(name).running(LEAF, said)


WRONG_BYTE = "\udce9"
LINES = {
    "cumulus": "- set:\n    nve:\n      password: x%s\n",
    "eos": "radius-server key 7 x%s\nradius-server host 192.0.2.9 key 7 x%s\n",
    "nxos": "radius-server key 7 x%s\nsnmp-server community x%s group y\n",
    "sonic": "-- frr\nrouter bgp 1\n neighbor 192.0.2.1 password x%s\n",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_byte_of_another_alphabet_does_not_save_a_secret(tmp_path, name):
    """A mask that takes an answer for UTF-8 would stop at it."""
    lines = LINES[name].replace("%s", f"{WRONG_BYTE}{CANARY}")
    said = state(name, SHOWN[name](rendered(name), lines), tmp_path)
    assert CANARY not in decoded(said)
    assert "<removed>" in decoded(said)
    dialect(name).running(LEAF, said)
