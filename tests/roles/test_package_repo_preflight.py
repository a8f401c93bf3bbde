"""A web server that serves somebody is not masked under them: the package role refuses."""

from __future__ import annotations

import os
import subprocess

import pytest

from roles.pyinfra_role import text_of

from .owned import variables


@pytest.mark.parametrize(("status", "refused"), [(0, True), (3, False), (4, False)])
def test_an_nginx_that_runs_is_refused_before_it_is_masked(tmp_path, status, refused):
    """Statuses of systemctl(1): 0 active, 3 not active, 4 no such unit."""
    tool = tmp_path / "systemctl"
    asked = '[ "$*" = "is-active --quiet nginx.service" ] || exit 9'
    tool.write_text(f"#!/bin/sh\n{asked}\nexit {status}\n")
    tool.chmod(0o755)
    script = text_of("package_repo", "preflight.sh", variables("package_repo"))
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (int(refused), "")
    assert ("found nginx.service running, expected none" in done.stderr) == refused
