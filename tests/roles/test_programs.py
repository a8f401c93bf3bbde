"""The programs that roles put on nodes: POSIX shell, the same text on every node."""

from __future__ import annotations

import subprocess

import pytest

from roles.face import ROLES

# Of a template that computes nothing, the text is the program.
PROGRAMS = sorted(
    one
    for one in ROLES.glob("*/templates/*.j2")
    if one.read_text().startswith("#!/bin/sh") and "{{" not in one.read_text()
)


def test_the_programs_are_found():
    names = {one.stem for one in PROGRAMS}
    assert {"railbed-acs", "railbed-kernel-tuning", "railbed-roce-nic"} <= names


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.stem)
def test_programs_are_plain_posix_shell(program):
    text = program.read_text()
    assert "{%" not in text
    assert subprocess.run(["dash", "-n"], input=text, text=True).returncode == 0
