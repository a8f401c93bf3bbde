"""A saved plan is applied only while the plan and every device are as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.commands.next_steps import Typed
from deploy.errors import RailbedError
from deploy.record.revision import revision
from deploy.rollout.look import Difference
from deploy.rollout.saved_plan import (
    code_digest,
    read,
    refuse_drifted,
    refuse_other,
    saved_plan,
    write,
)
from deploy.rollout.survey import Survey

FOUND = Survey(
    plan_digest="p1",
    as_planned=frozenset({"a"}),
    differences=(Difference("b", "runtime", "rdma: file /etc/x: found none"),),
    silent=(("c", "no route"),),
    roles={"b": ("rdma",)},
    seen={"a": "1", "b": "2"},
)
SAVED = saved_plan("lab", "one", "nodes", FOUND)


def test_it_comes_back_from_its_file_as_it_was(tmp_path):
    path = tmp_path / "plan.json"
    write(SAVED, path)
    assert read(path) == SAVED
    assert SAVED.seen == {"a": "1", "b": "2", "c": "silent"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 3}', "\x00"])
def test_a_file_that_is_no_saved_plan_is_refused(tmp_path, text):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(RailbedError, match="is not a saved plan") as refused:
        read(path)
    assert refused.value.exit_code == 2


def test_a_file_of_another_version_is_refused(tmp_path):
    path = tmp_path / "plan.json"
    write(SAVED, path)
    path.write_text(
        path.read_text().replace('"format":2', '"format":3').replace('"format": 2', '"format": 3')
    )
    with pytest.raises(RailbedError, match="of this version"):
        read(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(RailbedError, match="No such file"):
        read(tmp_path / "none.json")


def test_the_same_site_and_plan_may_go_on():
    refuse_other(SAVED, "lab", "one", "", "p1")
    refuse_other(SAVED, "lab", "one", "nodes", "p1")


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (("pod", "one", "", "p1"), "site lab, not pod"),
        (("lab", "two", "", "p1"), "lab one, not two"),
        (("lab", "one", "oob", "p1"), "step nodes, not oob"),
        (("lab", "one", "", "p2"), "plan p1, not p2"),
    ],
)
def test_another_site_step_or_plan_is_refused(now, told):
    with pytest.raises(RailbedError, match=told) as refused:
        refuse_other(SAVED, *now)
    assert refused.value.exit_code == 2


def test_the_same_devices_may_go_on_whatever_the_reason_of_silence():
    refuse_drifted(SAVED, replace(FOUND, silent=(("c", "timed out"),)))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (replace(FOUND, seen={"a": "9", "b": "2"}), "a: then as planned, now as planned"),
        (replace(FOUND, silent=(), seen={**FOUND.seen, "c": "3"}), "c: then silent, now"),
        (replace(FOUND, silent=(("a", "x"), ("c", "x")), seen={"b": "2"}), "now silent"),
        (
            replace(FOUND, seen={"a": "1", "b": "5"}, differences=()),
            "b: then 1 lines of difference, the first: rdma: file /etc/x: found none",
        ),
        # Nothing moved on the device, but what would be done to it did.
        (
            replace(FOUND, differences=(Difference("b", "link flap", "rdma: file /etc/y"),)),
            "b: then 1 lines of difference",
        ),
    ],
)
def test_a_device_that_drifted_is_named(now, told):
    with pytest.raises(RailbedError) as refused:
        refuse_drifted(SAVED, now)
    assert told in str(refused.value)
    assert refused.value.exit_code == 1


def test_other_code_is_refused(tmp_path):
    """A pull between plan and apply may change what a role or a template does."""
    for folder in ("roles", "switch_configs", "deploy/playbooks"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "roles" / "a.j2").write_text("mtu 9000\n")
    before = code_digest(tmp_path)
    (tmp_path / "roles" / "a.j2").write_text("mtu 1500\n")
    assert code_digest(tmp_path) != before
    with pytest.raises(RailbedError, match="code of roles and dialects") as refused:
        refuse_other(replace(SAVED, code=before), "lab", "one", "", "p1")
    assert refused.value.exit_code == 2


def test_a_saved_plan_is_printed_with_whose_it_is_and_asks_nobody(tmp_path, monkeypatch):
    monkeypatch.setenv("SUDO_USER", "mallory[/]")
    monkeypatch.setattr("deploy.commands.next_steps._now", Typed())
    made = saved_plan("lab", "nc", "nodes", FOUND)
    write(made, tmp_path / "a plan.json")
    done = CliRunner().invoke(app, ["plan", "--show", str(tmp_path / "a plan.json")])
    assert done.exit_code == 0, done.output
    for said in ("site lab, lab nc, step nodes", made.saved, "by mallory[/]", made.plan_digest):
        assert said in done.output
    assert all(one.text in done.output.replace("\n    ", "\n") for one in made.differences)
    assert f"`./railbed apply '{tmp_path}/a plan.json' --lab nc`" in done.output
    wrong = CliRunner().invoke(app, ["plan", "--show", "x", "--only", "nodes"])
    assert isinstance(wrong.exception, RailbedError)


@pytest.mark.parametrize("packed", [True, False])
def test_the_revision_is_what_git_has(tmp_path, packed):
    git = tmp_path / ".git"
    (git / "refs/heads").mkdir(parents=True)
    assert revision(tmp_path) == ""
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    name, text = ("packed-refs", "# pack-refs\nabc refs/heads/main\n")
    if not packed:
        name, text = ("refs/heads/main", "abc\n")
    (git / name).write_text(text)
    assert revision(tmp_path) == "abc"
