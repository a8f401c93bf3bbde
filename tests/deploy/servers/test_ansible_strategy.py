"""The strategy that plays our tasks: one Python a host, and an end where Ansible is ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.servers.ansible_run import settings
from deploy.servers.engine_run import ROOT

PLAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
"""
SAY_PARENT = """
    - name: Say which process runs modules
      ansible.builtin.command: sh -c 'echo parent=$PPID'
      changed_when: false
      register: said
    - name: Show it
      ansible.builtin.debug: {var: said.stdout}
"""
FILE = """
    - name: Have a file
      railbed_files:
        files:
          - {src: ours.j2, dest: "TMP/ours"}
"""
SECRET = """
    - name: Keep a secret
      ansible.builtin.command: echo hunter2
      no_log: true
      changed_when: true
"""
SLOW = """
    - name: Take a while
      ansible.builtin.shell: "touch TMP/begun; sleep 3"
    - name: Go on
      ansible.builtin.command: touch TMP/went-on
"""
GONE_S = 60


def play(folder: Path, tasks: str, *words: str, strategy: bool = True) -> list[str]:
    """The command for a playbook of these tasks on this machine."""
    book = folder / "play.yml"
    book.write_text(PLAY + tasks.replace("TMP", str(folder)))
    own = {} if strategy else {"ANSIBLE_STRATEGY": "linear"}
    pairs = [f"{name}={value}" for name, value in {**settings(), **own}.items()]
    tool = [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(book)]
    return ["env", *pairs, *tool, "-e", f"ansible_python_interpreter={sys.executable}", *words]


def run(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("strategy", "processes"), [(True, 1), (False, 2)])
def test_one_python_runs_all_tasks_of_a_host(tmp_path, strategy, processes):
    said = run(play(tmp_path, SAY_PARENT * 2, strategy=strategy))
    assert len(set(re.findall(r"parent=(\d+)", said))) == processes


def test_a_check_a_diff_and_our_own_module_are_as_with_ansibles_own_strategy(tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/ours.j2").write_text("ours\n")
    for words in (("--check", "--diff"), ("--diff",)):
        (tmp_path / "ours").unlink(missing_ok=True)
        told = [run(play(tmp_path, FILE, *words, strategy=False))]
        assert (tmp_path / "ours").exists() == ("--check" not in words)
        (tmp_path / "ours").unlink(missing_ok=True)
        told.append(run(play(tmp_path, FILE, *words)))
        assert (tmp_path / "ours").exists() == ("--check" not in words)
        assert told[0] == told[1]
        assert "+ours" in told[1]


def test_what_is_not_to_be_logged_is_not_said(tmp_path):
    assert "hunter2" not in run(play(tmp_path, SECRET, "-vvv"))


def test_what_was_ended_begins_no_other_task(tmp_path):
    """The engine gets this signal where railbed is killed."""
    with subprocess.Popen(
        play(tmp_path, SLOW), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as ansible:
        wait_for((tmp_path / "begun").exists)
        ansible.send_signal(signal.SIGTERM)
        ansible.wait(GONE_S)
    wait_for(lambda: not processes_naming(str(tmp_path)))
    assert not (tmp_path / "went-on").exists()


def wait_for(true) -> None:
    end = time.monotonic() + GONE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def processes_naming(word: str) -> list[int]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            words = (one / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in words and int(one.name) != os.getpid():
            found.append(int(one.name))
    return found
