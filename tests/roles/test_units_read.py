"""systemd has read the units of a role before its handlers restart them, in the same run."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from deploy.servers.engine_run import ROOT

BUILTIN = "ansible.builtin."
ROLES = sorted(path.parents[1].name for path in (ROOT / "roles").glob("*/handlers/main.yml"))


def tasks_of(role: str, name: str = "main.yml") -> list[dict[str, Any]]:
    """The tasks in order, imported ones in their places."""
    found: list[dict[str, Any]] = []
    for task in yaml.safe_load((ROOT / "roles" / role / "tasks" / name).read_text()):
        imported = task.get(f"{BUILTIN}import_tasks")
        found += tasks_of(role, imported) if imported else [task]
    return found


def restarts(role: str) -> list[str]:
    handlers = yaml.safe_load((ROOT / "roles" / role / "handlers/main.yml").read_text())
    units = [one.get(f"{BUILTIN}systemd_service", {}) for one in handlers]
    return [one["name"] for one in units if one.get("state") == "restarted"]


def reads(task: dict[str, Any]) -> bool:
    """Whether this task has systemd read all units, whatever the site says."""
    unit = task.get(f"{BUILTIN}systemd_service", {})
    return "when" not in task and bool(unit.get("daemon_reload"))


def writes(task: dict[str, Any]) -> bool:
    return "/etc/systemd/system/" in str(task.get("railbed_files", {}))


def unread(tasks: list[dict[str, Any]]) -> list[str]:
    """Tasks that write units which nothing has read where the handlers begin."""
    [flushed] = [at for at, one in enumerate(tasks) if one.get(f"{BUILTIN}meta")]
    read = max(at for at, one in enumerate(tasks[:flushed]) if reads(one))
    return [one["name"] for at, one in enumerate(tasks) if writes(one) and at > read]


@pytest.mark.parametrize("role", ROLES)
def test_no_handler_restarts_what_systemd_has_not_read(role):
    assert not restarts(role) or unread(tasks_of(role)) == []


def test_a_unit_that_is_written_after_the_reading_is_found():
    tasks = tasks_of("ofed")
    written = [one for one in tasks if writes(one)]
    assert written
    assert unread([one for one in tasks if one not in written] + written) == [
        one["name"] for one in written
    ]
