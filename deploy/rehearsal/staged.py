"""A change that is several plans, each right in its own waves: they are written for the twin.

Where the waves of a change lead through a state in which packets are lost, `apply` refuses them and
says which lines to write into `fabric.yml`, plan by plan; so does a rehearsal, and rehearses these.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from deploy.rollout.ordered import plans_between
from inventory import open_site
from inventory.own_yaml import own_yaml
from inventory.plan import Plan


@dataclass(frozen=True, slots=True)
class Stage:
    """One plan of a change: the twin's folder so, its plan, and its lines of `fabric.yml`.

    `lines` are empty where the change is one plan.
    """

    folder: Path
    plan: Plan
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where devices are before a rollout, or after it: at nothing, the site's plan, or its change.

    `lines` are what a plan between says in the change's `fabric.yml`; none is the change itself.
    """

    at: Literal["nothing", "site", "change"]
    lines: tuple[str, ...] = ()


Leads = tuple[Standing, Standing]
AT_NOTHING, AT_SITE, AT_CHANGE = Standing("nothing"), Standing("site"), Standing("change")


def stages(before: Plan, after: Plan, folder: Path) -> tuple[Stage, ...]:
    """The plans from a twin to the twin of the change in `folder`, which is the last of them."""
    plans = plans_between(before, after)
    if len(plans) < 2:
        return (Stage(folder, after),)
    made = []
    for word, lines in plans[:-1]:
        place = folder.with_name(f"{folder.name}-{word}")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
        said = yaml.safe_dump(with_lines(own_yaml(folder / "fabric.yml"), lines), sort_keys=False)
        (place / "fabric.yml").write_text(said, encoding="utf-8")
        made.append(Stage(place, open_site(place), lines))
    return (*made, Stage(folder, after, plans[-1][1]))


def with_lines(fabric: dict[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """A `fabric.yml` in which these lines, like `lossless.dscp: 34`, are said."""
    made: dict[str, Any] = yaml.safe_load(yaml.safe_dump(fabric))
    for line in lines:
        path, _, value = line.partition(": ")
        *above, key = path.split(".")
        part = made
        for name in above:
            part = part.setdefault(name, {})
        part[key] = yaml.safe_load(value)
    return made


def title(what: str, number: int, among: Sequence[Sequence[str]]) -> str:
    """What the act is called that goes to one plan of `among`; `number` counts from 1."""
    if len(among) == 1:
        return what
    return f"{what}, plan {number} of {len(among)} ({', '.join(among[number - 1])})"
