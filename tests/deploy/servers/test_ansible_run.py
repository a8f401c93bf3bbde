"""What is believed of an Ansible run, and what Ansible really prints."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from deploy.servers.ansible_run import judge, run
from deploy.servers.engine_run import ROOT, Ended, HostResult
from inventory import open_site
from tests import broken
from tests.deploy.nowhere import context_to_nowhere

# As ansible-core 2.19 prints them (default callback, no colour).
RECAP = (
    "{host}                  : ok={ok}    changed={changed}    unreachable={unreachable}    "
    "failed={failed}    skipped=0    rescued=0    ignored={ignored}   \n"
)
HEAD = """
PLAY [Set up the nodes] ********************************************************

TASK [roce_nic : Validating arguments against arg spec 'main' - Rail NICs] *****
ok: [a]

"""


def recap(host: str, ok: int = 2, **counts: int) -> str:
    numbers = {"changed": 0, "unreachable": 0, "failed": 0, "ignored": 0, **counts}
    return RECAP.format(host=host, ok=ok, **numbers)


def task(name: str, *lines: str) -> str:
    return "\n".join([f"TASK [{name}] ".ljust(80, "*"), *lines, "", ""])


def judged(status: int, *parts: str, hosts: tuple[str, ...] = ("a",)) -> tuple[HostResult, ...]:
    wanted = dict.fromkeys(hosts, ("roce_nic",))
    return judge(wanted, False, Ended(status, HEAD + "".join(parts), "")).hosts


def test_a_host_that_was_played_and_needed_nothing():
    told = judged(0, task("roce_nic : Write", "ok: [a]"), recap("a"))
    assert told == (HostResult("a", failed=False, changed=False, operations=()),)


def test_a_loop_counts_once_and_so_does_a_task_of_the_same_name():
    items = ("changed: [a] => (item=rail0)", "ok: [a] => (item=rail1)", "changed: [a] => (item=2)")
    handler = "RUNNING HANDLER [roce_nic : Write] ***\nchanged: [a]\n\n"
    [told] = judged(0, task("roce_nic : Write", *items), handler, recap("a", changed=2))
    assert not told.failed, told.message
    assert told.operations == ("roce_nic: Write",)
    assert told.followed == ("roce_nic: Write",)


def test_a_failed_task_is_named_with_what_it_said():
    line = 'fatal: [a]: FAILED! => {"changed": false, "msg": "Unable to start", "rc": 1}'
    [told] = judged(2, task("roce_nic : Start", line), recap("a", failed=1))
    assert told.failed
    assert told.message == "failed: Start: Unable to start"


def test_a_host_that_was_not_reached_says_why():
    line = 'fatal: [a]: UNREACHABLE! => {"changed": false, "msg": "No route", "unreachable": true}'
    [told] = judged(4, task("roce_nic : Start", line), recap("a", ok=0, unreachable=1))
    assert told.failed
    assert "No route" in told.message


def test_one_host_fails_and_the_other_is_done():
    line = 'fatal: [b]: FAILED! => {"msg": "no"}'
    both = (task("roce_nic : Write", "ok: [a]", line), recap("a"), recap("b", failed=1))
    assert [one.failed for one in judged(2, *both, hosts=("a", "b"))] == [False, True]


def test_a_host_that_the_recap_does_not_have_failed():
    told = judged(0, task("roce_nic : Write", "ok: [a]"), recap("a"), hosts=("a", "b"))
    assert [one.failed for one in told] == [False, True]
    assert told[1].message == "Ansible did not run on it"


def test_nothing_matched_is_a_failure_though_ansible_exits_0():
    out = "PLAY [Set up the nodes] ***\nskipping: no hosts matched\n\nPLAY RECAP ***\n"
    assert judge({"a": ()}, False, Ended(0, out, "")).hosts[0].failed


def test_a_role_that_said_nothing_was_not_played():
    """Tags that match no task play Ansible's own check of the arguments, and exit 0."""
    [told] = judged(0, recap("a", ok=1))
    assert told.failed
    assert told.message == "Ansible did not play roce_nic on it"


@pytest.mark.parametrize("counts", [{"changed": 1}, {"ignored": 1}])
def test_a_recap_that_says_more_than_the_tasks_is_not_believed(counts):
    [told] = judged(0, task("roce_nic : Write", "ok: [a]"), recap("a", **counts))
    assert told.failed


@pytest.mark.parametrize(("status", "failed"), [(1, 0), (5, 0), (250, 0), (-1, 0), (2, 0), (0, 1)])
def test_a_status_that_does_not_fit_the_recap_fails_every_host(status, failed):
    told = judged(status, task("roce_nic : Write", "ok: [a]"), recap("a", failed=failed))
    assert told[0].failed


def test_nobody_asked_is_not_all_well():
    assert not judge({}, True, Ended(0, "", "")).ok


def test_the_transcript_and_the_message_show_no_secret():
    line = 'fatal: [a]: FAILED! => {"msg": "password = hunter2"}'
    out = task("roce_nic : Start", line) + recap("a", failed=1)
    result = judge({"a": ("roce_nic",)}, False, Ended(2, out, "password = hunter2\n"))
    assert "hunter2" not in result.transcript + result.hosts[0].message


# -- the real program --------------------------------------------------------------------------


def playbook(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """As a user types it, in the clone's root, with the environment on PATH."""
    tools = Path(sys.executable).parent
    own = {"PATH": f"{tools}:{os.environ['PATH']}", "RAILBED_LAB": "nosuchlab", **env}
    argv = ["ansible-playbook", "-i", "inventory/ansible_source.py", "deploy/playbooks/nodes.yml"]
    return subprocess.run(
        [*argv, *words],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C.UTF-8", **own},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.instances(keep=2, of="what Ansible would end well")
def test_a_host_that_is_not_reached_fails_by_name(tmp_path):
    context = context_to_nowhere(tmp_path)
    result = run(context, dict.fromkeys(("node-p2-1", "node-p2-2"), ()), dry_run=True)
    assert [one.host for one in result.hosts] == ["node-p2-1", "node-p2-2"]
    assert all("Connection refused" in one.message for one in result.hosts)


@pytest.mark.instances(keep=2, of="what Ansible would end well")
def test_a_host_that_the_plan_does_not_have_fails_beside_one_that_it_has(tmp_path):
    context = context_to_nowhere(tmp_path)
    result = run(context, dict.fromkeys(("node-p2-1", "node-p9-9"), ()), dry_run=True)
    assert result.hosts[1].message == "Ansible did not run on it"


@pytest.mark.instances(keep=2, of="what Ansible would end well")
def test_hosts_without_a_way_to_them_are_refused():
    """Ansible would otherwise look their names up in DNS and use the user's own keys."""
    done = playbook("--check")
    assert done.returncode == 2
    assert "RAILBED_STATE names no folder" in done.stdout + done.stderr


@pytest.mark.instances(keep=2, of="what Ansible would end well")
@pytest.mark.instances(keep=1, by="settings")
@pytest.mark.parametrize("limit", ["node-p1-1", "kind_node", "nobody"])
@pytest.mark.parametrize("settings", ["ours", "none"])
def test_a_broken_site_is_no_success_whatever_ansible_is_told(tmp_path, limit, settings):
    """Not even where Ansible does not read our settings, and a limit hides the empty inventory."""
    empty = tmp_path / "ansible.cfg"
    empty.write_text("")
    site = str(broken.site("lossless_class", tmp_path / "site"))
    more = {"ANSIBLE_CONFIG": str(empty)} if settings == "none" else {}
    done = playbook("--limit", limit, RAILBED_SITE=site, **more)
    assert done.returncode != 0, done.stdout


def test_a_limit_that_matches_nobody_is_no_success():
    assert playbook("--limit", "nobody").returncode != 0


@pytest.mark.instances(keep=2, of="what Ansible would end well")
@pytest.mark.parametrize(("tags", "is_known"), [("os_bsae", False), ("ofed,os_base", True)])
def test_a_tag_that_no_role_has_is_no_success(tmp_path, tags, is_known):
    """Ansible itself would play nothing and end with 0."""
    site = open_site("lab")
    (tmp_path / "ssh").mkdir()
    (tmp_path / "ssh/config").write_text("Host *\n  ProxyCommand false\n")
    done = playbook("--tags", tags, "--limit", site.nodes[0].name, RAILBED_STATE=str(tmp_path))
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0, said
    assert ("os_bsae: no such tag, the roles are oob_server" in said) != is_known
    assert ("UNREACHABLE" in said) == is_known


def test_every_role_can_be_named_by_its_tag():
    done = playbook("--list-tags")
    assert done.returncode == 0, done.stderr
    roles = {path.parent.parent.name for path in (ROOT / "roles").glob("*/tasks/main.yml")}
    told = {word.strip(" []") for line in done.stdout.splitlines() for word in line.split(",")}
    found = {name for name in roles if any(one.endswith(name) for one in told)}
    assert found == roles
    (first, *_) = yaml.safe_load((ROOT / "deploy/playbooks/nodes.yml").read_text())
    assert set(first["tasks"][1]["vars"]["nodes_roles"]) == roles


def test_the_engine_dies_with_us():
    """A killed railbed must not leave an engine behind that goes on changing hosts."""
    program = (
        "import os, sys; from deploy.servers.engine_run import execute; "
        "execute([sys.executable, '-c', 'import os, time; print(os.getpid(), flush=True);"
        " time.sleep(60)'], os.environ, lambda line: print(line, flush=True))"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with ours:
        assert ours.stdout
        child = int(ours.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        ours.kill()
    for _ in range(1000):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.01)
    raise AssertionError("the engine outlived us")
