"""The task that puts many files in place, in whole plays on this machine."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import ROLES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files of the roles are root's")

TRICKY = """\
{% for one in [1, 2] %}
  {{ one }} \\n {{ item_of_loop.name | default('none') }}
{% endfor %}
{% if true %}   x
{% endif %}
{{ number }}

"""


def play(
    folder: Path, tasks: list[dict[str, Any]], *flags: str
) -> subprocess.CompletedProcess[str]:
    """Run a play on this machine with this clone's settings."""
    values = {"number": 7, "things": [{"name": "a", "is_on": True}, {"name": "b", "is_on": False}]}
    one = {
        "hosts": "localhost", "connection": "local", "gather_facts": False,
        "vars": {**values, "ansible_python_interpreter": sys.executable}, "tasks": tasks,
    }  # fmt: skip
    book = folder / "play.json"
    book.write_text(json.dumps([one]))
    done = subprocess.run(
        [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(book), *flags],
        cwd=ROLES.parent,
        env={**os.environ, "HOME": str(folder), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def files(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "Put", "railbed_files": {"files": list(rows)}, **more}


@pytest.mark.instances(keep=1, of="files are written as by Ansible's own module")
def test_it_renders_as_ansibles_own_module_does(tmp_path):
    (tmp_path / "templates").mkdir()
    texts = {
        "tricky.j2": TRICKY, "number.j2": "{{ number }}", "list.j2": "{{ things }}\n",
        "including.j2": "{% include 'tricky.j2' %}", "empty.j2": "{% if false %}x{% endif %}",
        "lines.j2": "a\r\nb {{ number }}\r\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / "templates" / name).write_text(text, newline="")
    own = [{"src": name, "dest": str(tmp_path / f"own.{name}")} for name in texts]
    theirs = [
        {"name": "Put", "ansible.builtin.template": {"src": n, "dest": f"{tmp_path}/theirs.{n}"}}
        for n in texts
    ]
    done = play(tmp_path, [files(*own), *theirs])
    assert done.returncode == 0, done.stdout
    for name in texts:
        mine, other = (tmp_path / f"{who}.{name}" for who in ("own", "theirs"))
        assert mine.read_bytes() == other.read_bytes(), name
    assert (tmp_path / "own.tricky.j2").read_text().count("none") == 2


def test_a_file_arrives_as_it_is_and_a_template_may_include_one(tmp_path):
    for home in ("templates", "files"):
        (tmp_path / home).mkdir()
    as_is = b"{{ number }}\r\n\xff\n\n"
    (tmp_path / "files/plain").write_bytes(as_is)
    (tmp_path / "files/other").write_text("x ")
    (tmp_path / "templates/including.j2").write_text("{% include 'other' %}{{ number }}\n")
    rows = [{"src": src, "dest": f"{tmp_path}/own.{src}"} for src in ("plain", "including.j2")]
    done = play(tmp_path, [files(*rows)])
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "own.plain").read_bytes() == as_is
    assert (tmp_path / "own.including.j2").read_text() == "x 7\n"


@pytest.mark.instances(keep=1, of="files are written as by Ansible's own module")
def test_a_repeated_file_a_condition_and_what_a_run_tells(tmp_path):
    (tmp_path / "x.j2").write_text("secretword {{ thing.name | default(number) }}\n")
    rows = [
        {"src": "x.j2", "dest": f"{tmp_path}/n{{{{ number }}}}", "when": "number == 7"},
        {"src": "x.j2", "dest": f"{tmp_path}/never", "when": "number == 8"},
        {
            "src": "x.j2",
            "dest": f"{tmp_path}/t-{{{{ thing.name }}}}",
            "loop": "{{ things }}",
            "loop_var": "thing",
            "when": "thing.is_on",
        },
    ]
    told = play(tmp_path, [files(*rows)], "--check", "-vvv")
    assert "changed=1 " in told.stdout
    assert not (tmp_path / "t-a").exists()
    shown = play(tmp_path, [files(*rows), files(*rows)], "--diff")
    assert shown.stdout.count("+secretword") == 2
    assert "changed=1 " in shown.stdout
    assert (tmp_path / "n7").read_text() == "secretword 7\n"
    assert (tmp_path / "t-a").read_text() == "secretword a\n"
    assert not list(tmp_path.glob("never")) + list(tmp_path.glob("t-b"))
    (tmp_path / "t-a").write_text("x\n")
    coded = base64.b64encode(b"secretword a\n").decode()
    hidden = [
        play(tmp_path, [files(*rows, diff=False)], "--diff", "--check"),
        play(tmp_path, [files(*rows, no_log=True)], "--diff", "--check", "-vvv"),
        play(tmp_path, [files(*rows)], "-vvv"),
    ]
    for done in (told, *hidden):
        assert "changed=1 " in done.stdout
        assert "secretword" not in done.stdout + done.stderr
        assert coded not in done.stdout + done.stderr


NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"src": "none.j2", "dest": "/none/x"}, "none.j2"),
    ({"src": "none", "dest": "/none/x"}, "none"),
    ({"src": "x.j2"}, "a file has src, dest"),
    ({"src": "x.j2", "dest": "/none/x", "owner": "me"}, "a file has src, dest"),
    ({"src": "x.j2", "dest": "/none/x", "loop": [1]}, "come together"),
    ({"src": "bad.j2", "dest": "/none/x"}, "not_there"),
    ({"src": "x.j2", "dest": "/none/{{ not_there }}"}, "not_there"),
    ({"src": "x.j2", "dest": "/none/x", "loop": [1, 2], "loop_var": "one"}, "two files"),
]


def test_what_makes_no_sense_is_refused(tmp_path):
    """All in one play: each task fails with words of its own, and the last of them ends it."""
    (tmp_path / "x.j2").write_text("x\n")
    (tmp_path / "bad.j2").write_text("{{ not_there }}\n")
    last = len(NONSENSE) - 1
    tasks = [
        files(row) | {"name": f"Try {at}", "ignore_errors": at < last}
        for at, (row, _) in enumerate(NONSENSE)
    ]
    done = play(tmp_path, tasks, "--check")
    assert done.returncode == 2, done.stdout
    assert f"failed=1    skipped=0    rescued=0    ignored={last} " in done.stdout
    parts = re.split(r"(?m)^TASK \[Try \d\] ", done.stdout)[1:]
    for part, (row, said) in zip(parts, NONSENSE, strict=True):
        assert "FAILED!" in part, row
        assert said in part, row
