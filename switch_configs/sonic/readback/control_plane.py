"""Policies on what the switch itself receives say nothing of its ports.

Enterprise SONiC keeps classes, policies and their bindings in tables of their own; those that are
bound to `CtrlPlane` alone are beside the lossless path. Bound elsewhere, they stay unread.
"""

from __future__ import annotations

from collections import defaultdict

from .database import Database

_PLACE = "CtrlPlane"
_TOPIC = "control plane"
_WHY = "policy of what the switch itself receives"


def read(db: Database) -> None:
    """Takes what is of the control plane alone."""
    bindings = db.rows("POLICY_BINDING_TABLE")
    bound: dict[str, set[str]] = defaultdict(set)
    for place, row in bindings.items():
        for policy in row.fields.values():
            bound[str(policy)].add(place)
    own = {policy for policy, places in bound.items() if places == {_PLACE}}
    sections = db.rows("POLICY_SECTIONS_TABLE")
    users: dict[str, set[str]] = defaultdict(set)
    for key in sections:
        policy, _, name = key.partition("|")
        users[name].add(policy)
    beside = {name for name, policies in users.items() if policies <= own}
    for found, names in (
        (bindings, {_PLACE}),
        (db.rows("POLICY_TABLE"), own),
        (sections, own),
        (db.rows("CLASSIFIER_TABLE"), beside),
    ):
        for key, row in found.items():
            if key.partition("|")[0] in names:
                db.beside(row, _TOPIC, _WHY)
            else:
                db.stray(row)
