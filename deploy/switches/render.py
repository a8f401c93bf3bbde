"""`railbed render`: configurations to the screen or to a folder, proved, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from deploy.commands.say import err
from deploy.errors import RailbedError
from inventory.plan import OobSwitch, Plan, Switch
from inventory.problems import close_to
from inventory.switches.abilities import of
from switch_configs import as_commands, not_loadable
from switch_configs.grammar import languages
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from switch_configs.shown.secrets import names
from validation.evidence.aside import aside

from .loadable import with_secrets, write_private
from .render_run import Judged, judged_renders
from .site_proof import refuse_inconsistent
from .syntax_run import Programs, Said, check_programs

# Fewer switches than these are done before anybody looks at a bar.
_FEW = 8
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """Which switches; "" asks for all."""

    device: str = ""
    plane: str = ""
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Proved:
    """One switch, rendered. `unproved` says what nobody could judge, and why.

    `strange` are the raw lines among it, of `raw_lines` that the site adds; `facts` is what the
    text says.
    """

    rendered: Rendered
    facts: SwitchFacts
    wrong: tuple[str, ...]
    unproved: tuple[str, ...]
    strange: tuple[str, ...]
    raw_lines: int


def chosen(plan: Plan, wish: Wish) -> tuple[str, ...]:
    """The switches that a wish names, sorted; RailbedError where there is none."""
    every = plan.any_switch
    if wish.device and wish.device not in every:
        hint = close_to(wish.device, every) or f"one of {_several(every)}"
        raise RailbedError(f"{wish.device}: not a switch of {plan.site}", hint=hint)
    names = tuple(
        name
        for name, one in sorted(every.items())
        if wish.device in ("", name)
        and wish.plane in ("", *_planes(one))
        and wish.tier in ("", one.tier)
    )
    if not names:
        asked = " and ".join(filter(None, (wish.device, wish.plane, wish.tier)))
        tiers = sorted({one.tier for one in every.values()})
        near = close_to(wish.tier, tiers) if wish.tier and wish.tier not in tiers else ""
        hint = "; ".join(filter(None, (near, f"its tiers: {', '.join(tiers)}")))
        raise RailbedError(f"{plan.site} has no switch of {asked}", hint=hint)
    return names


def _planes(one: Switch | OobSwitch) -> tuple[str, ...]:
    return one.planes if isinstance(one, Switch) else ("oob",)


def proved(
    plan: Plan, names: Sequence[str], programs: Programs | None, progress: Progress | None = None
) -> tuple[Proved, ...]:
    """Render and judge these switches on all processors; sorted. DialectError as `render`.

    Without `programs` no program is run, and what they would judge is unproved.
    """
    judged: list[Judged] = []
    task = progress.add_task("rendering", total=len(names)) if progress else None
    for one in judged_renders(plan, names):
        judged.append(one)
        if progress is not None and task is not None:
            progress.advance(task)
    said = check_programs([one.rendered for one in judged], programs)
    return tuple(_proved(one, said[one.rendered.device]) for one in judged)


def _proved(one: Judged, said: Said) -> Proved:
    text = one.proof
    return Proved(
        one.rendered,
        one.facts,
        (*text.wrong, *said.wrong),
        (
            *said.unproved,
            *(["raw lines"] if text.unproved else []),
            *_unjudged(one.rendered.dialect),
        ),
        text.unproved,
        text.raw_lines,
    )


def _unjudged(dialect: str) -> tuple[str, ...]:
    """Why nobody can say that a system would take its text; empty where somebody can."""
    is_judged = dialect in languages() or of(dialect).programs != "none"
    return () if is_judged else (f"no grammar and no program of {dialect} is here",)


def render_site(
    plan: Plan,
    wish: Wish,
    out_dir: Path | None,
    programs: Programs | None,
    out: Console,
    *,
    typed: bool = False,
    secrets_of: Path | None = None,
) -> int:
    """Render and prove; into `out_dir`, which appears only when complete and right.

    `typed` shows commands in place of a tree, where a system has both. With `secrets_of`, the state
    folder that credentials are relative to, `out_dir` gets files to be loaded, secrets put in.

    A whole site is proved from NIC to NIC besides (`refuse_inconsistent`).

    Returns the exit status: 0 when all is proved, 1 when something is wrong and nothing was
    written, 3 when something could not be judged.
    """
    names = chosen(plan, wish)
    if out_dir is not None and out_dir.exists():
        raise RailbedError(f"{out_dir}: exists already", hint="name a folder that is not there yet")
    with Progress(console=err, transient=True, disable=len(names) < _FEW) as bar:
        found = proved(plan, names, programs, bar)
    wrong = [f"{one.rendered.device} {line}" for one in found for line in one.wrong]
    if wrong:
        raise RailbedError(
            f"found wrong in what was rendered, {len(wrong)} in all; nothing was written:\n  "
            + "\n  ".join(wrong[:_SHOWN]),
            hint="a raw line that contradicts the plan, or a defect of railbed: please report it",
            exit_code=1,
        )
    if wish == Wish():
        refuse_inconsistent(plan, [(one.rendered, one.facts) for one in found])
    shown = [as_commands(one.rendered) if typed else one.rendered for one in found]
    if out_dir is None:
        _print(shown, out)
    else:
        if secrets_of is not None:
            shown = list(with_secrets(plan, secrets_of, shown))
        try:
            (_write if secrets_of is None else write_private)(shown, out_dir)
        except OSError as error:
            raise RailbedError(f"{out_dir} cannot be written: {error.strerror}") from None
    if secrets_of is None:
        _not_to_be_loaded(plan, shown)
    return _summary(plan, found, out_dir)


def _not_to_be_loaded(plan: Plan, shown: Sequence[Rendered]) -> None:
    """What a person who would load these by hand must know, on stderr."""
    say = partial(err.print, soft_wrap=True)
    unfit = [
        f"{rendered.device}: {why}"
        for rendered in shown
        if (why := not_loadable(plan, rendered.device))
    ]
    secret = [rendered for rendered in shown if any(names(file.text) for file in rendered.files)]
    if unfit:
        say(f"  not to be loaded: {_switches(len(unfit))}, {unfit[0]}")
    if secret:
        say(
            f"  with words in place of secrets: {_switches(len(secret))}; "
            "`--loadable DIR` writes files with secrets put in"
        )


def _summary(plan: Plan, found: tuple[Proved, ...], out_dir: Path | None) -> int:
    """What was done and what was proved, to people: on stderr, so that texts stay alone."""
    say = partial(err.print, soft_wrap=True)
    where = f" into {out_dir}" if out_dir else ""
    many = _switches(len(found))
    say(f"{many} of {plan.site} rendered{where} (plan {plan.digest[:12]})")
    raw = sum(one.raw_lines for one in found)
    strange = [f"{one.rendered.device} {line}" for one in found for line in one.strange]
    if raw:
        say(f"  {raw} raw lines of the site, {len(strange)} of them read by nobody here")
    for line in strange[:_SHOWN]:
        say(f"    {line}")
    unproved = [one for one in found if one.unproved]
    reasons = sorted({reason for one in unproved for reason in one.unproved})
    if unproved:
        say(f"  not proved: {_switches(len(unproved))} ({'; '.join(reasons[:_SHOWN])})")
    else:
        say(f"  proved, syntax and meaning: {many}")
    return 3 if unproved else 0


def _switches(count: int) -> str:
    return f"{count:,} switch{'' if count == 1 else 'es'}"


def _several(names: dict[str, Switch | OobSwitch]) -> str:
    rest = len(names) - 3 * _SHOWN
    return ", ".join(sorted(names)[: 3 * _SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _print(rendered: list[Rendered], out: Console) -> None:
    for one in rendered:
        for file in one.files:
            out.rule(f"{one.device}  {file.path}  {file.owner}:{file.group} {file.mode}")
            out.print(file.text, markup=False, soft_wrap=True, end="")


def _write(rendered: Sequence[Rendered], out_dir: Path) -> None:
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    partial_dir = aside(out_dir)
    partial_dir.mkdir(mode=0o700)
    try:
        for one in rendered:
            for file in one.files:
                path = partial_dir / one.device / file.path.lstrip("/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.text, encoding="utf-8")
        partial_dir.chmod(0o755)
        partial_dir.rename(out_dir)
    except BaseException:
        shutil.rmtree(partial_dir, ignore_errors=True)
        raise
