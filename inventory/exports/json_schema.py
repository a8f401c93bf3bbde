"""JSON Schema (draft 2020-12) of the files that people write, for their editors."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from ..schema import NodeProfile, SiteFile, SwitchProfile

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# File to its model, and whether the file maps names to such models.
FILES: dict[str, tuple[type[BaseModel], bool]] = {
    "fabric": (SiteFile, False),
    "nodes": (NodeProfile, True),
    "switches": (SwitchProfile, True),
}


def json_schema(file: str) -> str:
    """The schema of `fabric.yml`, `profiles/nodes.yml` or `profiles/switches.yml`, as JSON."""
    model, by_name = FILES[file]
    schema = model.model_json_schema()
    shared: dict[str, Any] = schema.pop("$defs", {})
    if by_name:
        shared[model.__name__] = schema
        schema = {
            "type": "object",
            "description": "profiles by name",
            "additionalProperties": {"$ref": f"#/$defs/{model.__name__}"},
        }
    schema = {**schema, "title": f"{file}.yml", "$defs": shared}
    return (
        json.dumps(_closed(_untitled({"$schema": DRAFT, **schema})), indent=1, ensure_ascii=False)
        + "\n"
    )


def _untitled(schema: Any) -> Any:
    """Without the titles that pydantic makes of field names: editors would print both."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _untitled(value) for key, value in schema.items()}
    for field in out.get("properties", {}).values():
        if isinstance(field, dict):
            field.pop("title", None)
    return out


def _closed(schema: Any) -> Any:
    """Mappings by pattern take no other keys, as our loader sees it."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _closed(value) for key, value in schema.items()}
    if "patternProperties" in out:
        out.setdefault("additionalProperties", False)
    return out
