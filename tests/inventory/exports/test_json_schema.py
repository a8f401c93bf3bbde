"""The JSON Schemas accept what we ship and refuse what an editor should mark."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
import yaml

from inventory.exports import json_schema
from inventory.exports.json_schema import FILES
from inventory.load.site import PROFILES, SITES

# It comes with ansible-lint; editors bring a validator of their own.
jsonschema = pytest.importorskip("jsonschema")


@cache
def validator(file: str) -> Any:
    schema = json.loads(json_schema(file))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def lab() -> Any:
    return yaml.safe_load((SITES / "lab/fabric.yml").read_text(encoding="utf-8"))


def places(value: Any, file: str = "fabric") -> set[str]:
    return {error.json_path for error in validator(file).iter_errors(value)}


@pytest.mark.parametrize("path", sorted(SITES.glob("*/fabric.yml")), ids=lambda p: p.parent.name)
def test_our_sites_are_accepted(path):
    assert places(yaml.safe_load(path.read_text(encoding="utf-8"))) == set()


@pytest.mark.parametrize("file", ["nodes", "switches"])
def test_our_profiles_are_accepted(file):
    text = (PROFILES / f"{file}.yml").read_text(encoding="utf-8")
    assert places(yaml.safe_load(text), file) == set()
    assert places({"a": {"nonsense": 1}}, file)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("topology.pods", 0),
        ("topology.pods", "2"),
        ("topology.podz", 2),
        ("topology.kind", "ring"),
        ("compute.pools.rails", "10.16.0.0"),
        ("compute.pools.rails", "10.16.0.0/33"),
        ("compute.pools.rails", "10.16.0.256/16"),
        ("compute.asn.spines", 65000),
        ("lossless.dscp", 64),
        ("oob.access", "100.64.0"),
        ("oob.domain", "UPPER.case"),
        ("credentials.ssh_key", "hunter2"),
        ("credentials.SSH", "file:key"),
        ("site", "Lab"),
        ("engine", "puppet"),
    ],
)
def test_what_is_wrong_is_marked(path, value):
    site = deepcopy(lab())
    *parents, last = path.split(".")
    part = site
    for one in parents:
        part = part[one]
    part[last] = value
    assert any(place.startswith(f"$.{parents[0] if parents else ''}") for place in places(site))


def test_what_is_missing_is_marked():
    site = lab()
    del site["lossless"], site["oob"]["server"]
    assert places(site) == {"$", "$.oob"}


@pytest.mark.parametrize("file", FILES)
def test_editors_have_something_to_show(file):
    """Every field has a description, names its choices, or holds sections with theirs."""
    schema = json.loads(json_schema(file))
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["title"] == f"{file}.yml"
    bare = [
        f"{name}.{key}"
        for name, part in {"": schema, **schema["$defs"]}.items()
        for key, field in part.get("properties", {}).items()
        if not {"description", "$ref", "const", "enum"} & {*field, *field.get("items", {})}
    ]
    assert bare == []
    assert all("description" in part for part in schema["$defs"].values())


def test_addresses_are_strings_with_a_pattern():
    schema = json.loads(json_schema("fabric"))
    rails = schema["$defs"]["Pools"]["properties"]["rails"]
    access = schema["$defs"]["Oob"]["properties"]["access"]
    assert (rails["type"], access["type"], access["format"]) == ("string", "string", "ipv4")
    assert rails["pattern"].startswith("^(")
    assert rails["description"]
