"""SwitchIntent -> config_db.json and frr.conf."""

from __future__ import annotations

from typing import Any

from switch_configs import frr
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered, SwitchIntent

from . import files, raw
from .frr_words import printing
from .json_text import text_of
from .names import RELEASES
from .tables import SECTIONS
from .tables.rows import without_empty


def render(intent: SwitchIntent, dialect: str) -> Rendered:
    """Both files of one switch; `DialectError` for what SONiC cannot do."""
    switch = intent.switch
    if switch.release not in RELEASES:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(RELEASES)}",
        )
    lines = raw.for_frr(switch)
    texts = {
        files.CONFIG_DB: text_of(_tables(intent)),
        files.FRR: frr.frr_conf(intent, printing(switch.release), lines),
    }
    rendered = tuple(files.owned_file(path, texts[path]) for path in files.OWNED)
    return Rendered(switch.name, dialect, rendered)


def _tables(intent: SwitchIntent) -> dict[str, Any]:
    """Every section, and what the site adds to it."""
    whole: dict[str, Any] = {}
    for name, build in SECTIONS.items():
        own: dict[str, Any] = dict(without_empty(build(intent)))
        for added in raw.for_tables(intent.switch, name):
            raw.merge(intent.switch, own, added)
        raw.merge(intent.switch, whole, own)
    for added in raw.for_tables(intent.switch, "other"):
        raw.merge(intent.switch, whole, added)
    return whole
