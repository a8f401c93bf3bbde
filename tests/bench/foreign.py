"""What other people's readers say of what we render.

Cumulus Linux: NVIDIA publishes an OpenAPI document of NVUE with each release, and nvueschema
(github.com/nemith/nvueschema) makes pydantic models of them. Every startup.yaml of the small site,
in each release that the dialect names, and of pod-256 must fit its model, no unknown key allowed;
and each path of our grammar must be there, with its words and ranges. nvueschema is installed into
an environment that is thrown away.

SONiC: where `SONIC_YANG` names a folder of SONiC's YANG models (and PYTHONPATH its `sonic_yang`),
its own validator reads the small site, pod-256 and superpod-10k.

Ends with RESULT lines; exit 3 where nvueschema cannot be installed. Run as
`python -m tests.bench.foreign`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from deploy.switches.sonic_run import check_all
from inventory.plan import Plan
from switch_configs import dialect, intent, render
from switch_configs.cumulus.grammar import proof as nvue
from switch_configs.cumulus.grammar.releases import known_release
from switch_configs.intent import OobIntent, Rendered, SwitchIntent
from switch_configs.shown.secrets import WORD
from tests.bench.results import result
from tests.switch_configs.sites import shipped, small

PEER = "nvueschema>=0.1,<0.2"
_INCONCLUSIVE = 3
_SHOWN = 20

# What runs in the other environment; argv: a file of {release: {files, paths}}.
_THEIRS = """
import importlib.util, json, re, sys, types
from pathlib import Path
from pydantic import ValidationError

def model(release):
    name = "nvueschema.models.v" + release.replace(".", "_")
    text = Path(importlib.util.find_spec(name).origin).read_text()
    strict = "class BaseModel(BaseModel):\\n    model_config = {'extra': 'forbid'}\\n\\n"
    at = text.index("# Validated network")
    made = sys.modules[name] = types.ModuleType(name)
    exec(compile(text[:at] + strict + text[at:], name, "exec"), made.__dict__)
    made.NvueConfig.model_rebuild(_types_namespace=made.__dict__)
    return made.NvueConfig

def refused(judge, tree):
    try:
        judge.model_validate(tree)
    except ValidationError as error:
        return [".".join(map(str, one["loc"])) + ": " + one["msg"] for one in error.errors()]
    return []

def plain(node, defs):
    for one in node.get("anyOf", [node]):
        if "$ref" in one:
            one = defs[one["$ref"].rpartition("/")[2]]
        if "anyOf" in one:
            yield from plain(one, defs)
        elif one.get("type") != "null" or all(
            more.get("type") == "null" for more in node.get("anyOf", [node])
        ):
            yield one  # nothing but null: the models' maker did not understand the type

def below(nodes, word):
    for one in nodes:
        more = one.get("additionalProperties")
        if word in one.get("properties", {}):
            yield one["properties"][word]
        elif more:
            yield more if isinstance(more, dict) else {}
        elif not one:
            yield {}  # anything may stand here

def fixed(one):
    return one.get("enum", [one["const"]] if "const" in one else [])

def unknown(schema, words, ends):
    defs = schema["$defs"]
    nodes = [schema]
    for word in words if ends else words[:-1]:
        nodes = [leaf for node in below(nodes, word) for leaf in plain(node, defs)]
        if not nodes:
            return "nothing is called " + word
    objects = [one for one in nodes if one.get("type", "object") == "object"]
    if ends:
        return "" if objects else "is a value"
    leaves = [one for one in nodes if one.get("type") != "object"]
    if not leaves:
        return "is an object"
    words_there = {str(word) for one in leaves for word in fixed(one)}
    numbers = [one for one in leaves if one.get("type") == "integer"]
    for part in words[-1].strip("()").split("|"):
        span = re.fullmatch(r"(\\d+)-(\\d+)", part)
        if span and numbers:
            low = min(one.get("minimum", 0) for one in numbers)
            high = max(one.get("maximum", 2**32) for one in numbers)
            if int(span[1]) < low or int(span[2]) > high:
                return f"{part} is wider than {low}-{high}"
        elif not span and not part.startswith("<") and words_there and part not in words_there:
            if all(map(fixed, leaves)):
                return part + " is not among " + ", ".join(sorted(words_there))
    return ""

said = {"files": [], "paths": []}
for release, asked in json.load(open(sys.argv[1])).items():
    judge = model(release)
    for name, tree in asked["files"].items():
        said["files"] += [f"{release} {name} {why}" for why in refused(judge, tree)]
    schema = judge.model_json_schema()
    for words, ends in asked["paths"]:
        if why := unknown(schema, words, ends):
            said["paths"].append(f"{release} {' '.join(words)}: {why}")
json.dump(said, sys.stdout)
"""


def in_release(one: SwitchIntent | OobIntent, release: str) -> SwitchIntent | OobIntent:
    """A device with another release; its gNMI server is one of 5.13 and later."""
    has_gnmi = int(release.split(".")[1]) >= 13
    services = one.services if has_gnmi else replace(one.services, gnmi_port=None)
    return replace(one, switch=replace(one.switch, release=release), services=services)  # type: ignore[arg-type]


def devices(plan: Plan) -> tuple[str, ...]:
    """All switches of a plan."""
    return (*(one.name for one in plan.switches), *(one.name for one in plan.oob_switches))


def tree(rendered: Rendered) -> Any:
    """What stands below `set`, all values texts; a word stands where a secret will be."""
    (text,) = (one.text for one in rendered.files if one.path.endswith("startup.yaml"))
    parts = yaml.load(WORD.sub("Stand-in-for-it0", text), Loader=yaml.BaseLoader)  # noqa: S506
    return next(one["set"] for one in parts if "set" in one)


def cumulus() -> Iterator[tuple[str, str, Any]]:
    """Release, name and tree of every configuration."""
    spoken = dialect("cumulus")
    plan = small("cumulus")
    for release in spoken.releases:
        for name in devices(plan):
            yield release, name, tree(spoken.render(in_release(intent(plan, name), release)))
    pod = shipped("pod-256", "cumulus")
    for name in devices(pod):
        one = intent(pod, name)
        yield one.switch.release, f"pod-256 {name}", tree(render(pod, name))


def asked() -> dict[str, Any]:
    """What the models are asked, by release as NVIDIA counts them: 5.14."""
    out: dict[str, Any] = {}
    for release, name, one in cumulus():
        known = known_release(release)
        assert known
        paths = [(path.tokens, path.ends) for path in nvue.paths() if known in path.releases]
        into = out.setdefault(known, {"files": {}, "paths": paths})
        into["files"][f"{release} {name}"] = one
    return out


def answer(question: dict[str, Any]) -> dict[str, list[str]] | None:
    """What nvueschema says; None where it cannot be installed."""
    with tempfile.TemporaryDirectory(prefix="railbed-foreign-") as folder:
        file = Path(folder) / "asked.json"
        file.write_text(json.dumps(question))
        python = Path(folder) / "env/bin/python"
        for step in (
            [sys.executable, "-m", "venv", f"{folder}/env"],
            [str(python), "-m", "pip", "install", "--quiet", PEER],
        ):
            if subprocess.run(step, check=False).returncode:
                return None
        done = subprocess.run(
            [str(python), "-W", "ignore", "-c", _THEIRS, str(file)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    said: dict[str, list[str]] = json.loads(done.stdout)
    return said


def sonic(models: Path) -> Iterator[str]:
    """What SONiC's validator refuses."""
    sites = {name: shipped(name, "sonic") for name in ("pod-256", "superpod-10k")}
    for name, plan in {"small": small("sonic"), **sites}.items():
        said = check_all([render(plan, one.name) for one in plan.switches], models)
        yield from (f"{name} {device} {line}" for device, lines in said.items() for line in lines)


def main() -> int:
    """Ask, print what is refused, end with the results."""
    question = asked()
    said = answer(question)
    if said is None:
        print(f"inconclusive: {PEER} cannot be installed here")
        return _INCONCLUSIVE
    for line in (said["files"] + said["paths"])[:_SHOWN]:
        print(line)
    files = sum(len(one["files"]) for one in question.values())
    paths = len(nvue.paths())
    lines = [
        result(f"nvue_refused_of_{files}_files", len(said["files"]), "complaints", 0),
        result(f"nvue_unknown_of_{paths}_paths", len(said["paths"]), "paths", 0),
    ]
    if models := os.environ.get("SONIC_YANG"):
        refused = list(sonic(Path(models)))
        print(*refused[:_SHOWN], sep="\n")
        lines.append(result("sonic_refused", len(refused), "complaints", 0))
    print(*lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
