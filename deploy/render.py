"""`railbed render`: configurations to the screen or to a folder, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from rich.console import Console

from inventory.plan import Plan
from switch_configs import render
from switch_configs.intent import Rendered

from .errors import RailbedError


def render_site(plan: Plan, device: str, out_dir: Path | None, out: Console) -> None:
    """Render one switch or all; into `out_dir`, which appears only when complete."""
    if device and device not in plan.switch:
        raise RailbedError(
            f"{device}: not a switch of {plan.site}",
            hint=f"one of {', '.join(sorted(plan.switch))}",
        )
    rendered = [render(plan, name) for name in ([device] if device else sorted(plan.switch))]
    if out_dir is None:
        _print(rendered, out)
        return
    if out_dir.exists():
        raise RailbedError(f"{out_dir}: exists already", hint="name a folder that is not there yet")
    try:
        _write(rendered, out_dir)
    except OSError as error:
        raise RailbedError(f"{out_dir} cannot be written: {error.strerror}") from None
    out.print(f"{len(rendered)} switches rendered into {out_dir}", soft_wrap=True)


def _print(rendered: list[Rendered], out: Console) -> None:
    for one in rendered:
        for file in one.files:
            out.rule(f"{one.device}  {file.path}  {file.owner}:{file.group} {file.mode}")
            out.print(file.text, markup=False, soft_wrap=True, end="")


def _write(rendered: list[Rendered], out_dir: Path) -> None:
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}.", dir=out_dir.parent))
    try:
        for one in rendered:
            for file in one.files:
                path = partial / one.device / file.path.lstrip("/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.text, encoding="utf-8")
        partial.chmod(0o755)
        partial.rename(out_dir)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
