"""A login that is not root's: commands and files go through `sudo -n`, in the words of a shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import DeviceUnreachable, Reply
from deploy.switches.push_steps import StepRunner
from deploy.switches.switch_push import NetmikoSession, as_root
from switch_configs.intent import ConfigFile, Step

SECRET = "it's $HOME; a secret\n"
# sudo(8): with -n it never asks; what it says where it would have to, and its status.
REFUSES = "#!/bin/sh\necho 'sudo: a password is required' >&2; exit 1\n"
GRANTS = '#!/bin/sh\necho "$*" >> "$LOG"; [ "$1 $2" = "-n --" ] && shift 2 && exec "$@"\n'


class OnThisMachine(NetmikoSession):
    """The same session whose commands run here, with a sudo of this test before the real one."""

    sudo_path: Path

    def _run(self, command: str, timeout_s: float, given: bytes = b"") -> Reply:
        log = self.sudo_path.parent / "log"
        place = {"PATH": f"{self.sudo_path.parent}:/usr/bin:/bin", "LOG": str(log)}
        done = subprocess.run(
            ["sh", "-c", command], input=given, capture_output=True, env=place, timeout=timeout_s
        )
        return Reply(done.stdout.decode(), done.stderr.decode(), done.returncode)


def session(folder: Path, program: str) -> OnThisMachine:
    made = OnThisMachine(None, None, sudo=True)  # type: ignore[arg-type]
    made.sudo_path = folder / "sudo"
    made.sudo_path.write_text(program)
    made.sudo_path.chmod(0o755)
    return made


def send(session: OnThisMachine, path: Path) -> None:
    """A step that sends a file, as a push runs it."""
    file = ConfigFile(str(path), SECRET, "root", "root", "0640", "none")
    step = Step("send", "stage", "", file, "", "", "none", 30)
    StepRunner((step,), lambda *_: None, Secrets()).phase(session, "stage")


def test_a_command_keeps_its_quotes():
    assert as_root("echo 'a b'; id") == """sudo -n -- sh -c 'echo '"'"'a b'"'"'; id'"""


@pytest.mark.skipif("__import__('os').geteuid() != 0", reason="chown needs root")
def test_a_file_goes_by_standard_input_and_never_in_a_command(tmp_path):
    target = tmp_path / "deep" / "file"
    send(session(tmp_path, GRANTS), target)
    assert target.read_text() == SECRET
    assert target.stat().st_mode & 0o777 == 0o640
    assert not Path(f"{target}.part").exists()
    assert "a secret" not in (tmp_path / "log").read_text()


def test_a_sudo_that_asks_for_a_password_is_a_refusal_in_its_words(tmp_path):
    with pytest.raises(
        DeviceUnreachable, match=r"sudo: a \S+ is required"
    ):  # `said` hides words that look secret
        send(session(tmp_path, REFUSES), tmp_path / "deep" / "file")
    assert session(tmp_path, REFUSES).run("id", 5).exit_status == 1


def test_a_login_that_may_not_become_root_is_told_before_anything_is_asked(tmp_path):
    session(tmp_path, GRANTS).require_root()
    with pytest.raises(DeviceUnreachable, match="not use sudo without a password") as error:
        session(tmp_path, REFUSES).require_root()
    assert "/etc/sudoers.d" in error.value.hint
    assert "switch_services.logins" in error.value.hint
