"""The programs that roles put on nodes: POSIX shell, the same text on every node."""

from __future__ import annotations

import subprocess

import pytest

from roles.pyinfra_role import ROLES

FILES = [one for one in ROLES.glob("*/files/**/*") if one.is_file()]
PROGRAMS = sorted(one for one in FILES if one.read_text().startswith("#!/bin/sh"))


def test_the_programs_are_found():
    names = {one.name for one in PROGRAMS}
    assert {"railbed-acs", "railbed-kernel-tuning", "railbed-roce-nic"} <= names
    assert len(names) == 11


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.name)
def test_programs_are_plain_posix_shell(program):
    assert subprocess.run(["dash", "-n", str(program)]).returncode == 0


def test_what_has_jinja_in_it_is_a_template_and_nothing_else_is():
    """A file is sent as it is, but `applied.j2` includes it: a mark of Jinja would count there.

    In shell that is the length of a variable, `${#name}`: `expr length` says the same.
    """
    templates = [one for one in ROLES.glob("*/templates/**/*") if one.is_file()]
    assert len(templates) > 50
    for path in (*FILES, *templates):
        marks = [mark for mark in ("{{", "{%", "{#") if mark in path.read_text()]
        assert (path.suffix == ".j2", bool(marks)) == ((path in templates),) * 2, f"{path}: {marks}"
