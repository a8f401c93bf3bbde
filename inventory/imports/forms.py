"""The forms of manifests that we know (`manifests.yml`), and one made of `--columns`."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from inventory.load.files import yaml_mapping
from inventory.load.wording import problem_of

from ..problems import InventoryError, Problem, close_to, one_of, shown
from ..schema.manifest import ManifestForm

MANIFESTS = Path(__file__).parent / "manifests.yml"
FIELDS = ("serial", "name", "rack", "unit")


def forms(path: Path = MANIFESTS) -> dict[str, ManifestForm]:
    """Return all known forms by name; raises InventoryError where the file is broken."""
    problems: list[Problem] = []
    marked = yaml_mapping(path, problems)
    found: dict[str, ManifestForm] = {}
    if marked is None or not isinstance(marked.value, dict):
        raise InventoryError(problems)
    for name, value in marked.value.items():
        try:
            found[name] = ManifestForm.model_validate(value)
        except ValidationError as error:
            wrong = error.errors(include_url=False)
            problems += [problem_of(ManifestForm, one, marked, (name,)) for one in wrong]
    if problems:
        raise InventoryError(problems)
    return found


def form_named(name: str, columns: str = "", file: str = "") -> ManifestForm:
    """Return a known form, or with `columns` (`serial=S/N,bmc=BMC MAC`) one of that layout.

    Raises InventoryError for a name that nobody has published.
    """
    known = forms()
    if columns:
        return _of_columns(columns, json=file.endswith(".json"))
    if name not in known:
        hint = close_to(name, known) or "for any other layout: --columns serial=..,name=..,bmc=.."
        problem = Problem("--as", 1, 1, "", shown(name), one_of(sorted(known)), hint)
        raise InventoryError([problem])
    return known[name]


def _of_columns(columns: str, json: bool) -> ManifestForm:
    fields: dict[str, str] = {}
    ports: dict[str, str] = {}
    for part in columns.split(","):
        ours, equals, theirs = (word.strip() for word in part.partition("="))
        if not equals or not ours or not theirs:
            expected = "our name = the column's name, like serial=S/N"
            raise InventoryError([Problem("--columns", 1, 1, "", shown(part), expected)])
        (fields if ours in FIELDS else ports)[ours] = theirs
    return ManifestForm(
        maker="any",
        format="json" if json else "csv",
        ports=ports,
        source="--columns",
        serial=fields.get("serial"),
        name=fields.get("name"),
        rack=fields.get("rack"),
        unit=fields.get("unit"),
    )
