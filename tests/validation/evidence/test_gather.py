"""Gathering with a real shell: whatever a command prints, its frame holds that and no more."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inventory.reading.one_program import is_one_program
from tests.validation.recorded import lab
from validation.evidence.gather import Ask, Reply, frames, gather, one_trip, parts, script

NONCE = "0123456789abcdef"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def run_sh(text: str) -> bytes:
    return subprocess.run(["sh", "-s"], input=text.encode(), capture_output=True, timeout=60).stdout


def answered(*lines: str, seconds: float = 10, files: dict[str, str] | None = None):
    asks = [Ask(line, line, seconds) for line in lines]
    out = run_sh(script(asks, "lo", NONCE, files))
    return frames(Reply(out, 0, ""), "leaf1", asks, NONCE, "digest", NOW)


def test_identity_is_of_the_machine_that_answered():
    (one,), why = answered("true")
    assert why == ""
    hostname = subprocess.run(["hostname"], capture_output=True, text=True).stdout.strip()
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert (one.identity.hostname, one.identity.boot_id) == (hostname, boot_id)
    assert one.identity.mac == Path("/sys/class/net/lo/address").read_text().strip()


OUTPUTS = {
    "nothing": b"",
    "no newline": b"abc",
    "binary": bytes(range(256)) * 3,
    "the end of the trip": f"end-{NONCE}\n".encode(),
    "a new trip": f"begin-{NONCE}\n0 0 0 {'0' * 64} 0\n\n".encode(),
    "a frame": f"\n1 0 3 {hashlib.sha256(b'lie').hexdigest()} 0\nlie\n".encode(),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_any_output_comes_back_byte_by_byte(name, tmp_path):
    (tmp_path / "out").write_bytes(OUTPUTS[name])
    (first, second), why = answered(f"cat '{tmp_path}/out'", "echo next")
    assert why == ""
    assert (first.payload, first.exit_status, first.damage) == (OUTPUTS[name], 0, "")
    assert second.payload == b"next\n"


def test_status_errors_and_quotes_are_kept():
    (one,), why = answered("""printf '%s' "it's \\$HOME"; echo "why
not" >&2; exit 7""")
    assert why == ""
    assert (one.payload, one.exit_status, one.errors) == (b"it's $HOME", 7, "why\nnot\n")


@pytest.mark.parametrize("shell", [["dash"], ["bash", "--posix"]])
@pytest.mark.parametrize("count", [7, 8, 9, 40])
def test_many_answers_come_in_order_each_with_its_own_status_and_errors(shell, count):
    """However many are measured in one go; what one says does not stay for the next."""

    def line(number: int) -> str:
        says = f"printf out{number};" if number % 3 else ""
        return f"{says} {f'echo bad{number} >&2;' if number % 4 == 0 else ''} exit {number}"

    asks = [Ask.line(line(number)) for number in range(count)]
    text = script(asks, "lo", NONCE)
    out = subprocess.run([*shell, "-s"], input=text.encode(), capture_output=True, timeout=60)
    assert out.stderr == b""
    made, why = frames(Reply(out.stdout, 0, ""), "leaf1", asks, NONCE, "digest", NOW)
    assert why == ""
    assert [(one.payload, one.exit_status, one.errors, one.damage) for one in made] == [
        (
            f"out{number}".encode() if number % 3 else b"",
            number,
            f"bad{number}\n" if number % 4 == 0 else "",
            "",
        )
        for number in range(count)
    ]


PROGRAMS = (
    "printenv LC_ALL",
    "cat '/proc/sys/kernel/hostname' --",
    "env printf '%s|' 'a  b' c,d=e:f",
    "/bin/ls /no-such-place",
    "no-such-program --help",
)


def test_one_program_runs_without_a_shell_and_says_what_it_said_with_one():
    """Each by itself, and in a list that a shell runs: the same bytes and the same status."""
    made, why = answered(*PROGRAMS, *(f"true; {line}" for line in PROGRAMS))
    assert why == ""
    told = [(one.payload, one.exit_status) for one in made]
    assert told[: len(PROGRAMS)] == told[len(PROGRAMS) :]
    assert told[2] == (b"a  b|c,d=e:f|", 0)
    assert [status for _, status in told[:5]] == [0, 0, 0, 2, 127]
    (hung,), _ = answered("sleep 50", seconds=0.2)
    assert hung.exit_status == 124


@pytest.mark.parametrize(("line", "shells"), [("sleep 1", 0), ("true; sleep 1; true", 1)])
def test_a_program_alone_has_no_shell_of_its_own(line, shells):
    with subprocess.Popen(["sh", "-s"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as one:
        assert one.stdin
        one.stdin.write(script([Ask.line(line)], "lo", NONCE).encode())
        one.stdin.close()
        while not (sleeps := descendants(one.pid, "sleep")):
            assert one.poll() is None
        assert len(descendants(one.pid, "sh")) == shells, sleeps


def descendants(pid: int, name: str) -> list[int]:
    """Those below a process that have this name."""
    found: list[int] = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):
            found += [int(child)] if Path(f"/proc/{child}/comm").read_text() == f"{name}\n" else []
            found += descendants(int(child), name)
    return found


SHELL_LINES = (
    *("ulimit -l", "echo a", "printf a", "cd /tmp", "type ip", "command ip", "read x", "while x"),
    *("A=b ip", "ip; ip", "ip && ip", "ip | cat", "ip >x", "ip $x", "ip `x`", 'ip "x"', "ip a*"),
    *(
        "ip ~",
        "ip #x",
        "ip\nip",
        "ip 'a",
        "ip \\a",
        "{ ip",
        "! ip",
        "(ip)",
        "ip {a,b}",
        "ip a?",
        "",
    ),
    *("'ip' a", " ip", "ip\t-j", "-j ip", ".", ". x", ": x", "[ a ]"),
)


@pytest.mark.parametrize("line", SHELL_LINES)
def test_what_a_shell_must_read_goes_to_a_shell(line):
    assert not is_one_program(line)


def bash_says() -> set[str]:
    return set(subprocess.check_output(["bash", "-c", "compgen -bk"], text=True).split())


def dash_says() -> set[str]:
    """It has no word that lists them: each word in its file is asked for, without a search path."""
    words = set(
        re.findall(r"[a-z]+", Path(shutil.which("dash") or "").read_bytes().decode("latin"))
    )
    ask = ["dash", "-c", 'PATH=; for one; do type "$one"; done', "-", *sorted(words)]
    told = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(?m)^(\w+) is a (?:special )?shell (?:builtin|keyword)$", told))


@pytest.mark.parametrize(
    ("says", "also"), [(bash_says, {"pushd", "while", "umask"}), (dash_says, {"chdir", "esac"})]
)
def test_no_word_that_a_shell_of_this_machine_keeps_for_itself_is_a_program(says, also):
    kept = says()
    assert also <= kept
    assert not [word for word in sorted(kept) if is_one_program(word)]
    assert not [word for word in sorted(kept) if is_one_program(f"{word} a")]


def test_a_command_cannot_read_the_script():
    (one, two), why = answered("cat; echo read", "echo two")
    assert why == ""
    assert (one.payload, two.payload) == (b"read\n", b"two\n")


def test_a_command_that_hangs_ends_alone():
    (slow, next_one), why = answered("echo begun; sleep 50", "echo next", seconds=0.2)
    assert why == ""
    assert (slow.exit_status, slow.payload) == (124, b"begun\n")
    assert next_one.payload == b"next\n"


def test_files_are_there_and_gone_after():
    (one,), _ = answered(
        'cat "$RAILBED_TMP/a b.py"; echo "$RAILBED_TMP"', files={"a b.py": "it's\n'$x'\n"}
    )
    text, _, folder = one.payload.decode().strip().rpartition("\n")
    assert text == "it's\n'$x'"
    assert not Path(folder).exists()


def test_noise_before_the_script_is_no_answer():
    asks = [Ask.line("echo a")]
    out = b"Welcome!\n0 0 0 x\n" + run_sh(script(asks, "lo", NONCE))
    (one,), why = frames(Reply(out, 0, ""), "leaf1", asks, NONCE, "digest", NOW)
    assert (one.payload, why) == (b"a\n", "")


def test_a_trip_cut_anywhere_keeps_only_whole_frames():
    asks = [Ask.line("echo first"), Ask.line("printf second")]
    whole = run_sh(script(asks, "lo", NONCE))
    for cut in range(len(whole)):
        made, why = frames(Reply(whole[:cut], 255, "broken pipe"), "leaf1", asks, NONCE, "d", NOW)
        assert why == "broken pipe"
        assert [one.payload for one in made] == [b"first\n", b"second"][: len(made)]
        assert all(one.damage == "" for one in made)


def test_an_answer_too_many_is_not_hidden():
    asks = [Ask.line("echo first"), Ask.line("echo second")]
    whole = run_sh(script(asks, "lo", NONCE))
    _, why = frames(Reply(whole, 0, ""), "leaf1", asks[:1], NONCE, "digest", NOW)
    assert why == "the answers are not the questions"


def test_answers_out_of_order_are_refused():
    asks = [Ask.line("echo first"), Ask.line("echo second")]
    whole = run_sh(script(asks, "lo", NONCE))
    found, _ = parts(whole.replace(b"\n1 0 ", b"\n2 0 ", 1), NONCE)
    assert len(found) == 1


def test_a_machine_without_the_management_port_has_no_identity():
    out = run_sh(script([Ask.line("echo a")], "nosuchport", NONCE))
    made, why = frames(Reply(out, 0, ""), "leaf1", [Ask.line("echo a")], NONCE, "digest", NOW)
    assert made == ()
    assert why.startswith("the device did not identify itself")


class Broken:
    """A transport whose devices fail in their own ways."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device == "spine1":
            return Reply(b"", 255, "ssh: Permission denied (publickey).")
        return Reply(b"Welcome\n", 0, "")


def test_why_a_device_did_not_answer_is_kept_for_each():
    wanted = {name: [Ask.line("true")] for name in ("spine1", "spine2")}
    found = gather(lab(), Broken(), wanted, workers=1)
    assert found.frames == ()
    assert found.errors == {
        "spine1": "ssh: Permission denied (publickey).",
        "spine2": "the script did not begin",
    }


def test_a_trip_takes_the_time_before_it_began():
    times = iter([NOW])

    class Local:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            return Reply(run_sh(script.replace("/net/eth0/", "/net/lo/")), 0, "")

    (one,), why = one_trip(
        lab(), Local(), "spine1", [Ask.line("echo a")], clock=lambda: next(times)
    )
    assert (one.time, one.plan_digest, why) == (NOW, lab().digest, "")
