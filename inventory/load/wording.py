"""pydantic's errors in our words: found, expected, hint, and the place in the file."""

from __future__ import annotations

from types import UnionType
from typing import Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from inventory.nodes.role_places import place_of
from inventory.problems import Problem, close_to, foreign_character, one_of, shown
from inventory.schema import PATTERNS, RoleValues

from .yaml_positions import Marked, Path

# Under these keys a value may be a secret that strayed into the file.
_SECRET = ("credentials",)

# Models in whose place one word may stand.
_SECTIONS_OR_WORDS = ("AccessSwitches",)

_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "text",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
    "missing": "a value",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "string_too_short": "some text",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
}


def problem_of(
    model: type[BaseModel], error: ErrorDetails, marked: Marked, at: tuple[str, ...]
) -> Problem:
    """One error of pydantic as a Problem. `at` is where `model` begins in the file."""
    inner = _without_branches(tuple(part for part in error["loc"] if part != "[key]"), marked, at)
    path: Path = (*at, *inner)
    if error["type"] == "extra_forbidden":
        return _unknown_key(model, inner, path, marked)
    info = _field(model, inner)
    hint = (info.description or "") if info else ""
    if error["type"] == "missing":
        expected = f"the key `{path[-1]}`"
        return marked.key_problem(path, "nothing", expected, hint)
    if isinstance(error["input"], str) and path[:1] != _SECRET:
        hint = foreign_character(error["input"]) or hint
    if error["loc"][-1:] == ("[key]",):
        return marked.key_problem(path, shown(error["input"]), _expected(error), hint)
    secret = path[:1] == _SECRET
    found = _kind(error["input"]) if secret else shown(error["input"])
    if error["type"] in ("too_short", "too_long"):
        found = "1 entry" if len(error["input"]) == 1 else f"{len(error['input'])} entries"
    return marked.problem(path, found, _expected(error), hint)


def is_of_another_branch(error: ErrorDetails) -> bool:
    """Whether a value that may be a section or one word is held against the other of the two."""
    branch, is_section = str(error["loc"][-1:]), isinstance(error["input"], dict)
    if error["type"] == "literal_error" and "literal[" in branch:
        return is_section
    return error["type"] == "model_type" and any(one in branch for one in _SECTIONS_OR_WORDS)


def _without_branches(parts: Path, marked: Marked, at: Path) -> Path:
    """The path without the names of branches, which pydantic puts between the keys."""
    out: Path = ()
    for part in parts:
        is_branch = part in _SECTIONS_OR_WORDS or str(part).startswith("literal[")
        if not is_branch or (*at, *out, part) in marked.keys:
            out = (*out, part)
    return out


def _unknown_key(model: type[BaseModel], inner: Path, path: Path, marked: Marked) -> Problem:
    owner = _owner(model, inner[:-1])
    known = sorted(_keys(owner)) if owner else []
    key = str(inner[-1])
    if owner is RoleValues and (place := place_of(key)):
        found, hint = f"`{key}`, which the plan computes", f"it comes from {place}"
        return marked.key_problem(path, found, "a variable that nothing else decides", hint)
    found = f"the unknown key {shown(key)}"
    return marked.key_problem(path, found, one_of(known), close_to(key, known))


def _expected(error: ErrorDetails) -> str:
    context = error.get("ctx") or {}
    kind = error["type"]
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return str(context["expected"]).replace("'", "`")
    if kind == "string_pattern_mismatch":
        return PATTERNS.get(str(context["pattern"]), f"text like {context['pattern']}")
    words = _EXPECTED.get(kind)
    limits = {name: f"{one:.12g}" for name, one in context.items() if isinstance(one, int | float)}
    return words.format(**limits) if words else error["msg"]


def _kind(value: object) -> str:
    kinds = {dict: "a mapping", list: "a list", type(None): "nothing"}
    return kinds.get(type(value), "a literal value (not shown)")


def _field(model: type[BaseModel], path: Path) -> FieldInfo | None:
    while path:
        owner = _owner(model, path[:-1])
        if owner is not None:
            return _keys(owner).get(str(path[-1]))
        path = path[:-1]
    return None


def _owner(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """Return the model that holds the keys below `path`, or None where no model does."""
    owner: type[BaseModel] | None = model
    held: object = model
    for part in path:
        if owner is not None:
            info = _keys(owner).get(str(part))
            held = _present(info.annotation) if info else None
        else:
            held = next(iter(get_args(held)[::-1]), None)
        owner = held if isinstance(held, type) and issubclass(held, BaseModel) else None
    return owner


def _keys(owner: type[BaseModel]) -> dict[str, FieldInfo]:
    """Fields by the key in the file: `from` is no name for a field of Python."""
    return {info.alias or name: info for name, info in owner.model_fields.items()}


def _present(annotation: object) -> object:
    """What a section that may be left out holds where it is there."""
    kinds = [one for one in get_args(annotation) if isinstance(one, type) and one is not type(None)]
    may_be_left_out = type(None) in get_args(annotation) or get_origin(annotation) in (
        Union,
        UnionType,
    )
    return kinds[0] if may_be_left_out and len(kinds) == 1 else annotation
