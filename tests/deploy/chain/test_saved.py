"""A saved plan on the real lab: applied while it holds, refused once a device has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from .chain import inside, railbed

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="a change of a converged lab"),
]
NODE = "node-p1-2"
LIMITS = "/etc/security/limits.d/90-railbed.conf"


def said(*arguments: str) -> tuple[int, str]:
    """Exit status and all that the command line says."""
    run = railbed(*arguments)
    out, err = run.communicate(timeout=300)
    return run.returncode, out + err


def test_a_saved_plan_does_what_it_says_and_no_more(tmp_path):
    """Saved, moved under its feet, refused, saved anew, read, applied."""
    early, late = tmp_path / "early.json", tmp_path / "late.json"
    assert "\n0 devices would change" in saved(early)
    inside(NODE, f"chmod 0600 {LIMITS}")
    try:
        for mode in ([], ["--dry-run"]):
            status, text = said("apply", str(early), *mode)
            assert status == 1, text
            assert f"{NODE}: then as planned, now 1 lines of difference" in text
        assert "600" in inside(NODE, f"stat -c %a {LIMITS}")
        status, text = said("apply", str(early), "--all")
        assert status == 2, text
        assert LIMITS in saved(late)
        status, text = said("apply", str(late))
        assert status == 0, text
        assert f"changed: {NODE}\n" in text
    finally:
        inside(NODE, f"chmod 0644 {LIMITS}")
    status, text = said("apply", str(late))
    assert status == 1, text
    assert f"{NODE}: then 1 lines of difference" in text


def saved(path: Path) -> str:
    """What `plan -o` says of what it saved."""
    status, text = said("plan", "-o", str(path), "--only", "nodes")
    assert status == 0, text
    return text
