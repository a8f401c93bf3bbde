"""What a leaf of a pair says, and what of it would cut traffic when somebody changed it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, render
from switch_configs.readback.facts import SwitchFacts
from tests.switch_configs.sites import small

EOS = dialect("eos")
LEAF = "storage-leaf-b1-1"


def changed(old: str, new: str) -> SwitchFacts:
    made = render(small("eos"), LEAF)
    (file,) = made.files
    text = file.text.replace(old, new)
    assert text != file.text
    return EOS.readback(replace(made, files=(replace(file, text=text),)))


def test_bonds_follow_the_uplinks():
    text = render(small("eos"), LEAF).files[0].text
    blocks = text.split("!\n")
    up = [one for one in blocks if "link tracking group uplinks upstream" in one]
    down = [one for one in blocks if "link tracking group uplinks downstream" in one]
    bonds = [one for one in blocks if "   mlag " in one]
    assert up
    assert bonds == down
    assert "link tracking" not in render(small("eos"), "leaf-p1-r0").files[0].text


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        ("   link tracking group uplinks downstream\n", "", "stays up when the leaf has lost"),
        ("   link tracking group uplinks upstream\n", "", "is not tracked"),
        ("\nlink tracking group uplinks\n   recovery delay 60\n", "\n", "which is not defined"),
        ("00:1c:73:00:00:99", "00:1c:73:00:00:98", "the virtual MAC is 00:1c:73:00:00:98"),
        ("mode active", "mode passive", "waits for the other end's LACP"),
    ],
)
def test_what_cuts_traffic_is_said(old, new, hazard):
    found = changed(old, new)
    assert any(hazard in one for one in found.hazards), found.hazards
