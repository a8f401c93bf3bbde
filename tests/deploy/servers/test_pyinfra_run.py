"""What is believed of a pyinfra run, and what pyinfra really prints."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.context import Context
from deploy.servers.engine_run import ROOT, Ended, HostResult, RunResult
from deploy.servers.pyinfra_run import PROGRAM, SCRIPT, run
from deploy.servers.pyinfra_run import judge as judge_ended
from tests.deploy.nowhere import context_to_nowhere

DONE = "    railbed: {0}: roles oob_server\n    [{0}] Ready: deploy/nodes.py\n"


def judge(hosts: tuple[str, ...], dry_run: bool, status: int, out: str, err: str) -> RunResult:
    return judge_ended(hosts, dry_run, Ended(status, out, err))


def plan_of(*operations: dict[str, object]) -> str:
    return json.dumps({"plan": operations, "results": None})


def results(operations: list[dict[str, object]], failed: list[str]) -> str:
    return json.dumps({"plan": [], "results": {"operations": operations, "failed_hosts": failed}})


def operation(name: str, **kinds: list[str]) -> dict[str, object]:
    empty: dict[str, list[str]] = {"success": [], "error": [], "no_change": []}
    dry: dict[str, list[str]] = {"hosts_with_change": [], "hosts_with_conditional_change": []}
    return {"name": name, **empty, **dry, **kinds}


# -- judging, on what pyinfra 3.10 prints ------------------------------------------------------


def test_the_programs_that_another_python_runs_are_there():
    assert SCRIPT.is_file()
    assert PROGRAM.is_file()


def test_a_host_that_was_planned_and_needed_nothing():
    out = results([operation("write", no_change=["a"])], [])
    assert judge(("a",), False, 0, out, DONE.format("a")).hosts == (
        HostResult("a", failed=False, changed=False, operations=()),
    )


def test_a_host_that_changed_names_what():
    out = results([operation("write", success=["a"]), operation("start", no_change=["a"])], [])
    result = judge(("a",), False, 0, out, DONE.format("a"))
    assert result.ok
    assert result.hosts[0].operations == ("write",)


def test_a_dry_run_tells_apart_what_may_follow_a_change():
    certain = operation("write", hosts_with_change=["a"])
    out = plan_of(certain, operation("reload", hosts_with_conditional_change=["a"]))
    [told] = judge(("a",), True, 0, out, DONE.format("a")).hosts
    assert (told.operations, told.followed) == (("write",), ("reload",))


def test_a_failed_operation_is_named_with_what_was_said():
    out = results([operation("write", success=["a"]), operation("start", error=["a"])], ["a"])
    told = DONE.format("a") + "    [a] Job for dnsmasq.service failed\n"
    result = judge(("a",), False, 1, out, told)
    assert not result.ok
    assert result.hosts[0].failed
    assert result.hosts[0].changed
    assert result.hosts[0].message == "failed: start (Job for dnsmasq.service failed)"


def test_a_limit_that_matches_nothing_is_a_failure_though_pyinfra_exits_0():
    result = judge(("a",), False, 0, results([], []), "No host matches found for --limit: a\n")
    assert not result.ok
    assert "pyinfra did not run on it" in result.hosts[0].message


def test_a_host_that_is_missing_beside_one_that_is_done():
    out = results([operation("write", no_change=["a"])], [])
    result = judge(("a", "b"), False, 0, out, DONE.format("a"))
    assert [one.failed for one in result.hosts] == [False, True]
    assert not result.ok


def test_a_host_that_did_not_connect_says_why():
    out = results([operation("write", no_change=["a"])], ["b"])
    told = DONE.format("a") + "    [b] Could not connect ([Errno 113] No route to host)\n"
    result = judge(("a", "b"), False, 0, out, told)
    assert "No route to host" in result.hosts[1].message


def test_no_answer_at_all_fails_every_host():
    result = judge(("a", "b"), True, 0, "", "Exiting upon user request!\n")
    assert [one.failed for one in result.hosts] == [True, True]
    assert "Exiting upon user request!" in result.hosts[0].message


def test_when_no_host_is_left_the_operation_and_what_it_said_are_told():
    """As pyinfra 3.10 ends then: status 1, nothing on stdout."""
    told = (
        "--> Starting operation: Operating system | Reload SSH \n"
        "    [a]  Job for ssh.service failed.\n    [a]  Error: executed 0 commands\n\n"
        "--> pyinfra error: No hosts remaining!\n"
    )
    message = judge(("a",), False, 1, "", told).hosts[0].message
    assert message.startswith("failed: Operating system | Reload SSH; ")
    assert "Job for ssh.service failed" in message
    assert "No hosts remaining" in message


def test_an_exit_status_is_not_passed_over():
    assert not judge(("a",), False, 1, results([], []), DONE.format("a")).ok


def test_nobody_asked_is_not_all_well():
    assert not judge((), True, 0, plan_of(), "").ok


def test_a_conditional_operation_alone_is_no_difference():
    """pyinfra lists `_if=` operations for every host; they follow another's change."""
    reload_all = operation("reload", hosts_with_conditional_change=["a", "b"])
    out = plan_of(reload_all, operation("write", hosts_with_change=["b"]))
    told = DONE.format("a") + DONE.format("b")
    result = judge(("a", "b"), True, 0, out, told)
    assert [one.changed for one in result.hosts] == [False, True]
    assert result.hosts[1].operations == ("write",)


def test_the_transcript_shows_no_secret():
    result = judge(("a",), True, 0, plan_of(), DONE.format("a") + "password = hunter2\n")
    assert "hunter2" not in result.transcript


# -- the real program --------------------------------------------------------------------------

FAKE_INVENTORY = """
def hosts():
    data = {"railbed_plan_digest": "d", "fake_delay": 0}
    return {"kind_other": [("@fake/a", data), ("@fake/b", {"fake_delay": 0})]}
"""


def pyinfra(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "railbed_fake_inventory.py").write_text(FAKE_INVENTORY)
    program = "from pyinfra_cli.main import main; main()"
    argv = [sys.executable, "-c", program, "railbed_fake_inventory:hosts", *words]
    paths = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        argv, cwd=ROOT, env=os.environ | paths, capture_output=True, text=True, timeout=120
    )


def test_the_deploy_script_names_each_host_that_it_planned(tmp_path):
    done = pyinfra(tmp_path, "deploy/nodes.py", "--dry", "--json", "--limit", "@fake/a")
    assert judge(("@fake/a",), True, done.returncode, done.stdout, done.stderr).ok, done.stderr


def test_the_deploy_script_refuses_a_host_without_a_plan(tmp_path):
    done = pyinfra(tmp_path, "deploy/nodes.py", "--dry", "--json")
    result = judge(("@fake/a", "@fake/b"), True, done.returncode, done.stdout, done.stderr)
    assert not any(not one.failed for one in result.hosts)
    assert "@fake/b has no plan digest" in done.stderr


def test_the_real_program_exits_0_on_a_limit_that_matches_nothing(tmp_path):
    """What our judgement is for: if pyinfra mends this, the comment in pyinfra_run can go."""
    done = pyinfra(tmp_path, "deploy/nodes.py", "--yes", "--json", "--limit", "nobody")
    assert done.returncode == 0
    assert not judge(("nobody",), False, 0, done.stdout, done.stderr).ok


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return context_to_nowhere(tmp_path)


def test_hosts_that_are_not_reached_fail_by_name(context):
    result = run(context, {"node-p1-1": (), "oob1": ()}, dry_run=True)
    assert [one.host for one in result.hosts] == ["node-p1-1", "oob1"]
    assert all(one.failed for one in result.hosts)


KILLED = """
import sys
from pathlib import Path
from deploy.context import Context, no_journal
from deploy.servers.pyinfra_run import run
from inventory import open_site
folder = Path(sys.argv[1])
ssh = folder / "ssh"
say = lambda _: None
run(Context(open_site("lab"), "lab", folder, ssh / "config", ssh / "known_hosts", say, no_journal),
    {"oob1": ()}, dry_run=True)
"""


def children(pid: int) -> list[int]:
    """The child processes of a process (proc(5), task/TID/children)."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_pyinfra_ends_with_the_process_that_started_it(context):
    """A killed run must not go on changing hosts behind the next one."""
    config = context.ssh_config
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        config.write_text(config.read_text().replace("Port 1\n", f"Port {port}\n"))
        argv = [sys.executable, "-c", KILLED, str(context.state_dir)]
        parent = subprocess.Popen(argv, cwd=ROOT)
        try:
            connection, _ = server.accept()
            child = children(parent.pid)[0]
        finally:
            parent.kill()
            parent.wait()
        with connection:
            assert ends_while_it_is_kept_waiting(child, connection)


def ends_while_it_is_kept_waiting(pid: int, connection: socket.socket) -> bool:
    """Lines before the SSH banner (RFC 4253, 4.2) hold a login; its own limit comes later."""
    for _ in range(10):
        if is_ended(pid):
            return True
        connection.sendall(b"please wait\r\n")
        time.sleep(0.5)
    return False


def is_ended(pid: int) -> bool:
    """Whether it is gone; a zombie that nobody waits for has ended too (proc(5), stat)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # before it was opened, or while it is read
        return True


def test_no_host_is_not_every_host(context, monkeypatch):
    """Without --limit pyinfra runs on the whole inventory."""
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("pyinfra was started"))
    assert run(context, {}, dry_run=False).hosts == ()


def test_a_host_that_the_plan_does_not_have_fails(context):
    assert not run(context, {"node-p9-9": ()}, dry_run=True).ok


BROKEN = """\
--> Starting operation: OOB server | Describe the zones
    [oob1]  Success
--> Disconnecting from hosts...
--> An internal exception occurred:

  File ".../paramiko/packet.py", line 324, in read_all
    raise EOFError()
EOFError

--> The full traceback has been written to pyinfra-debug.log
--> If this is unexpected please consider submitting a bug report on GitHub, for more ...
"""


def test_a_connection_that_broke_off_is_said_in_words():
    """pyinfra 3.10's own last lines when a machine loses its power in mid-run."""
    ended = Ended(1, "", BROKEN)
    [host] = judge_ended(("oob1",), False, ended).hosts
    assert host.failed
    assert "Describe the zones" in host.message
    assert "the connection broke off" in host.message
    assert "bug report" not in host.message
