"""What ends the leftovers of a run: by their mark alone, and without a word on other processes."""

from __future__ import annotations

import signal
import subprocess

from deploy.loads.leftovers import MARK, end


def test_what_carries_the_mark_is_ended_and_what_cannot_be_read_is_passed_over(tmp_path):
    """A process that ended meanwhile, or may not be looked at, fills no answer with complaints."""
    left, other = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
    for number, says in ((left.pid, f"{MARK}=mine\0A=b\0"), (other.pid, f"{MARK}=others\0")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "environ").write_text(says)
    (tmp_path / "1").mkdir()
    text = end("mine").replace("/proc/", f"{tmp_path}/")
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert left.wait(timeout=30) == -signal.SIGTERM
    assert other.poll() is None
    other.kill()
    other.wait(timeout=30)
