"""Rules that come before a Fabric is made: sections that positions cannot be counted without."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.load.yaml_positions import Marked, Path
from inventory.problems import Problem
from inventory.schema import SiteFile

# Ten times the largest sites that anybody has described: it bounds what a slip can cost.
_MOST_DEVICES = 131_072
_MOST_UNITS = 8_192


def section_problems(intent: SiteFile, marked: Marked) -> Iterator[Problem]:
    """Every problem that must be mended before positions can be counted at all."""
    yield from _three_tiers_are_whole(intent, marked)
    yield from _shared_switches_exist(intent, marked)
    yield from _groups_have_places(intent, marked)
    yield from _too_large(intent, marked)


def _three_tiers_are_whole(intent: SiteFile, marked: Marked) -> Iterator[Problem]:
    """Superspines have a count, a profile and an ASN, or nothing can be placed."""
    three = intent.topology.kind == "rail-optimized-three-tier"
    needed = {
        ("topology", "maxima", "superspines"): intent.topology.maxima.superspines,
        ("topology", "superspines"): intent.topology.superspines,
        ("compute", "superspine_profile"): intent.compute.superspine_profile,
        ("compute", "asn", "superspines"): intent.compute.asn.superspines,
    }
    for path, value in needed.items():
        if three and value is None:
            expected = f"the key `{path[-1]}`"
            yield marked.problem(path, "nothing", expected, "three tiers have superspines")


def _shared_switches_exist(intent: SiteFile, marked: Marked) -> Iterator[Problem]:
    """Switches of a plane that the site does not have cannot be shared."""
    shares = intent.business is not None and intent.business.switches == "storage"
    if shares and intent.storage is None:
        expected = "a site with a storage plane"
        yield marked.problem(("business", "switches"), "`storage`", expected)


def _groups_have_places(intent: SiteFile, marked: Marked) -> Iterator[Problem]:
    """A group's id is its place: two groups in one would get the same addresses."""
    most = intent.topology.maxima
    groups = {one.id: name for name, one in sorted(intent.servers.items(), reverse=True)}
    for name, group in intent.servers.items():
        at: Path = ("servers", name, "id")
        if groups[group.id] != name:
            hint = f"`{groups[group.id]}` has it"
            yield marked.problem(at, str(group.id), "an id that no other group has", hint)
        if group.id > most.server_groups:
            expected = f"at most topology.maxima.server_groups, {most.server_groups}"
            yield marked.problem(at, str(group.id), expected)


def _too_large(intent: SiteFile, marked: Marked) -> Iterator[Problem]:
    """Counts whose product nobody can build: rules and derivation would count them one by one."""
    topology, most = intent.topology, intent.topology.maxima
    three = topology.kind == "rail-optimized-three-tier"
    for path, counts in ((("topology", "maxima"), most), (("topology", "pods"), topology)):
        per_unit = most.nodes_per_unit or counts.nodes_per_pod
        spines = counts.spines * (counts.pods if three else 1)
        tops = counts.spines * (counts.superspines or 0) if three else 0
        made = (
            ("nodes", counts.pods * counts.nodes_per_pod, _MOST_DEVICES),
            ("sets of leaves", counts.pods * -(-counts.nodes_per_pod // per_unit), _MOST_UNITS),
            ("spines and superspines", spines + tops, _MOST_DEVICES),
        )
        for what, count, limit in made:
            if count > limit:
                hint = "counts multiply: pods, and what is in each of them"
                yield marked.problem(path, f"{count} {what}", f"at most {limit}", hint)
