"""host_state.sh on this machine, by real shells; and what becomes of a damaged file."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inventory.reading.fields import Unreadable
from tests.validation import host_machine
from validation.evidence.gather import Reply, frames, script
from validation.host_state import archives
from validation.host_state import ask as host_ask
from validation.host_state.read import facts
from validation.parse.host.host_state import HostState, host_state, values

pytestmark = pytest.mark.instances(
    keep=7, of="the script that brings a host state", but="secret|frame|words"
)

ROOT = Path(__file__).parents[3]
SHELLS = [one for one in ("dash", "bash", "busybox") if shutil.which(one)]
SEED = 20261121


def run(
    shell: str = "sh", arguments: tuple[str, ...] = (), tools: Path | None = None, text: str = ""
) -> bytes:
    words = [shell, "sh"] if shell == "busybox" else [shell]
    given = ["-s", "--", *arguments]
    env = {"PATH": f"/usr/sbin:/usr/bin:/sbin:/bin:{tools or ''}"}
    done = subprocess.run(
        [*words, *given], input=(text or host_ask.SCRIPT.read_text()).encode(), env=env,
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


def tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("shell", SHELLS)
def test_it_runs_alone_on_any_machine_and_says_who_this_is(shell):
    """One page, by each shell that is here; nothing but the words of this machine comes back."""
    state = host_state(run(shell))
    assert (
        state.identity.hostname
        == subprocess.run(["hostname"], capture_output=True, text=True).stdout.strip()
    )
    assert state.identity.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert state.identity.macs["lo"] == "00:00:00:00:00:00"
    assert state.text("uname -r").strip()
    assert set(archives.LINES) <= set(state.told)
    assert facts(state).arguments == tuple(state.text("cat /proc/cmdline").split())


def test_it_fits_on_a_page():
    assert len(host_ask.SCRIPT.read_text().splitlines()) <= 100


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    file = tmp_path / "node.state"
    assert run(arguments=(str(file),)) == b""
    assert host_state(file.read_bytes()).identity.hostname
    assert archives.is_archive(file)
    assert [one.name for one in tmp_path.iterdir()] == ["node.state"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_steps_of_the_readme_bring_a_file_that_its_user_can_read(tmp_path):
    """As printed; `sudo` makes what it writes itself root's alone, as umask 077 does."""
    page = (ROOT / "validation/on_node/README.md").read_text()
    steps = page[page.index("scp validation/on_node/host_state.sh") :].split("./railbed", 1)[0]
    bin_, node, here = (tmp_path / name for name in ("bin", "node", "here"))
    for folder in (bin_, node, here / "validation/on_node"):
        folder.mkdir(parents=True)
    shutil.copy(host_ask.SCRIPT, here / "validation/on_node")
    (tmp_path / "roots").mkdir()
    tool(bin_, "ssh", f'[ "$1" != -t ] || shift; shift; cd {node} && exec sh -c "$*"')
    tool(
        bin_,
        "sudo",
        f"""touch {tmp_path}/began; sleep 0.01; "$@" || exit
find {node} -newer {tmp_path}/began -type f -perm 600 -exec mv {{}} {tmp_path}/roots \\;""",
    )
    tool(
        bin_,
        "scp",
        f'''for one; do set -- "$@" "$(echo "$one" | sed s,^NODE:,{node}/,)"; shift; done
exec cp "$@"''',
    )
    env = {"PATH": f"{bin_}:/usr/sbin:/usr/bin:/sbin:/bin"}
    done = subprocess.run(
        ["sh", "-euc", steps], cwd=here, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert host_state((here / "NODE.state").read_bytes()).identity.hostname
    assert list((tmp_path / "roots").iterdir()) == []


def test_rpm_is_asked_where_it_has_the_system_also_beside_dpkg(tmp_path):
    """EPEL has dpkg, which knows none of a RHEL node's packages."""
    tool(tmp_path, "dpkg-query", "echo dpkg ii")
    said = "echo rdma-core 0:48.0-1.el9 ii"
    tool(tmp_path, "rpm", f'case $1 in -q) [ "$2" = glibc ] ;; *) {said} ;; esac')
    text = host_ask.SCRIPT.read_text().replace("PATH=/usr/sbin", f"PATH={tmp_path}:/usr/sbin", 1)
    assert facts(host_state(run(text=text))).packages == {"rdma-core": "0:48.0-1.el9"}


LIE = f"end {host_machine.MARK} 1 {'0' * 64}"


def test_no_output_looks_like_a_frame_and_no_tool_hides_another(tmp_path):
    """A tool that lies, one that fails, one that hangs and one with a secret."""
    tool(
        tmp_path, "ofed_info", f"printf '%s\\n' '{LIE}'; echo 'odd: Permission denied' >&2; exit 7"
    )
    tool(tmp_path, "nv-fabricmanager", "echo begun; sleep 30")
    tool(tmp_path, "netplan", "echo 'auth: {password: hunter2, psk: x}'; echo 'mtu: 9000'")
    text = host_ask.SCRIPT.read_text().replace("answer 15", "answer 1")
    state = host_state(run(tools=tmp_path, text=text))
    assert state.told["ofed_info -s"].status == 7
    assert state.told["ofed_info -s"].output == f"{LIE}\n".encode()
    assert state.told["ofed_info -s"].errors == "Permission denied\n"
    with pytest.raises(Unreadable, match="did not finish"):
        state.text("nv-fabricmanager --version")
    assert state.lacks("nvidia-smi -q") or state.told["nvidia-smi -q"].status == 0
    said = state.text("netplan get")
    assert "hunter2" not in said
    assert "psk: x" not in said
    assert "mtu: 9000" in said


def test_empty_and_unreadable_files_are_told_apart():
    text = "values() { :; }\n" + host_ask.SCRIPT.read_text()
    begin = text.index("values() { look")
    body = text[begin : text.index("hide=", begin)]
    shell = f'set -u\nlook() {{ shift; script=$1; shift; sh -c "$script" sh "$@"; }}\n{body}\n'
    shell += 'd=$(mktemp -d); : >"$d/empty"; printf "/x\\n3 /y\\nz" >"$d/odd"\n'
    shell += 'values one "$d"/* /proc/nothing; rm -r "$d"'
    out = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True).stdout
    told = host_state(host_machine.sealed({**host_machine.answers(), "values one": (0, out)}))
    found = {Path(path).name: text for path, text in values(told, "one").items()}
    assert found == {"empty": "", "odd": "/x\n3 /y\nz"}


def test_a_trip_brings_it_as_one_frame():
    """The same script inside the script of a trip, and the trip's own scratch folder."""
    ask = host_ask.ask()
    nonce = "feedbeef"
    out = subprocess.run(
        ["sh", "-s"], input=script([ask], "lo", nonce).encode(), capture_output=True, timeout=120
    ).stdout
    (frame,), why = frames(Reply(out, 0, ""), "node", [ask], nonce, "digest", datetime.now(UTC))
    assert (why, frame.command, frame.exit_status) == ("", host_ask.HOST_STATE, 0)
    assert host_state(frame.payload).identity.hostname == frame.identity.hostname


def test_what_the_stand_in_writes_is_what_the_script_writes():
    """The frames that other tests seal by hand have the script's form."""
    state = host_state(run())
    again = host_machine.sealed({
        name: (one.status, (one.output or one.errors.encode()).decode())
        for name, one in state.told.items()
        if (one.status == 0) == bool(one.output) or not one.errors
    })  # fmt: skip
    assert isinstance(host_state(again), HostState)


def test_a_file_that_is_cut_anywhere_says_nothing():
    whole = host_machine.state()
    rng = random.Random(SEED)
    for at in [0, 5, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(60))]:
        with pytest.raises(Unreadable):
            host_state(whole[:at])


def test_a_file_that_is_altered_anywhere_says_nothing():
    whole = host_machine.state()
    rng = random.Random(SEED + 1)
    for at in (rng.randrange(len(whole)) for _ in range(80)):
        other = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        with pytest.raises(Unreadable):
            host_state(other)


def test_frames_of_two_files_do_not_mix():
    one = host_machine.state()
    other = one.replace(host_machine.MARK.encode(), b"f" * 32)
    middle = one.index(b"frame ", len(one) // 2)
    with pytest.raises(Unreadable):
        host_state(one[:middle] + other[other.index(b"frame ", len(other) // 2) :])


def test_a_file_to_write_is_a_new_one_or_an_old_one_and_nothing_else(tmp_path):
    """As root, the name of a device or a pipe would be replaced by a file."""
    (tmp_path / "old.state").write_text("old")
    (tmp_path / "link").symlink_to("old.state")
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "link"):
        done = subprocess.run(
            ["sh", ROOT / "validation/on_node/host_state.sh", tmp_path / name],
            capture_output=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (96, b"")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "old.state", "pipe"]
    assert (tmp_path / "old.state").read_text() == "old"
