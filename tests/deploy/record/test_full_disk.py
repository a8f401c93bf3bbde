"""A full disk under the state folder: one sentence, no signal, and what was written stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.record.journal import Record
from deploy.record.rows import ChangeRow

ROOT = Path(__file__).parents[3]
# Writes until nothing goes any more, then says what became of it; the disk stays full.
WRITER = """
import sys
from pathlib import Path
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow

folder = Path(sys.argv[1])
try:
    record = Record(folder / "record.sqlite")
    run = record.begin_run("lab", "d1")
    record.begin_wave(run, "nodes", "nodes", ["a"])
    print("begun", flush=True)
    for number in range(10_000):
        more = "x" * int(sys.argv[2])
        record.change(run, ChangeRow("nodes", "a", "roles", "", "none", "", "", more))
        print("written", flush=True)
except RailbedError as error:
    print(f"refused {error.exit_code}: {error.message}", flush=True)
    for _ in range(2):
        try:
            record.end_run(run, "stopped")
            print("ended", flush=True)
        except RailbedError as again:
            print("again: " + again.message, flush=True)
"""
# A disk of its own that only this process and its children see; it is gone when they are.
SMALL = """
mount -t tmpfs -o size=256k none "$1" && shift || exit 97
"$@" || { echo "status $?"; exit 0; }
echo "sound $(python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); \\
print(*db.execute("PRAGMA integrity_check").fetchone(), \\
*db.execute("SELECT COUNT(*) FROM change").fetchone())' "$RECORD")"
"""


def written(folder: Path, size: int) -> list[str]:
    """What the writer says on a disk of 256 KiB, whole or by its limit for files."""
    argv = [sys.executable, "-c", WRITER, str(folder), str(size)]
    env = {**os.environ, "RECORD": str(folder / "record.sqlite"), "PYTHONPATH": str(ROOT)}
    if os.geteuid() == 0:
        shell = ["unshare", "--mount", "sh", "-c", SMALL, "sh", str(folder), *argv]
    else:
        # ulimit counts 512-byte blocks here (POSIX), so 256 KiB.
        shell = ["sh", "-c", 'ulimit -f 512; "$@" || echo "status $?"', "sh", *argv]
    done = subprocess.run(shell, env=env, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode == 97:
        pytest.skip("this machine lets nobody mount a tmpfs")
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("size", [100, 30_000])
def test_a_full_disk_is_one_sentence_and_nothing_that_was_written_is_lost(tmp_path, size):
    lines = written(tmp_path, size)
    assert lines[0] == "begun"
    (refused,) = [line for line in lines if line.startswith("refused")]
    assert refused.startswith("refused 1: the record cannot be read or written: ")
    assert "full" in refused or os.geteuid() != 0
    count = lines.count("written")
    assert count >= 3
    assert not any(line.startswith("status") for line in lines)
    # Small or big, the next write says the same again, or finds room; no transaction is left open.
    after = lines[lines.index(refused) + 1 : lines.index(refused) + 3]
    assert all(line == "ended" or "the record cannot be" in line for line in after)
    assert not any("within a transaction" in line for line in lines)
    if os.geteuid() == 0:
        assert lines[-1] == f"sound ok {count}"


def test_a_record_of_old_leaves_its_mapped_index(tmp_path):
    import sqlite3

    path = tmp_path / "record.sqlite"
    record = Record(path)
    run = record.begin_run("lab", "d1")
    record.close()
    with sqlite3.connect(path) as old:
        assert old.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",)
    old.close()
    record = Record(path)
    record.change(run, ChangeRow("nodes", "a", "roles", "", "none", "", "", ""))
    assert not {one.name for one in tmp_path.iterdir()} & {f"{path.name}-shm", f"{path.name}-wal"}
    assert [one.device for one in record.changes(run)] == ["a"]
    record.close()
