"""Renders or reads the files of a task, and hands all texts to one execution of the module."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.module_utils.common.text.converters import to_bytes
from ansible.plugins.action import ActionBase
from ansible.template import Templar, trust_as_template

_KEYS = {"src", "dest", "mode", "validate", "loop", "loop_var", "when"}


class ActionModule(ActionBase):
    """See the module's documentation for what it does."""

    _VALID_ARGS = frozenset({"folders", "files"})

    @classmethod
    def finalize_task_arg(cls, name: str, value: Any, templar: Any, context: Any) -> Any:
        """Leave `files` as written: `dest` of a repeated file names an item not known yet."""
        if name == "files":
            return value
        return super().finalize_task_arg(name, value, templar, context)

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Render here, put in place there."""
        super().run(tmp, task_vars)
        values = task_vars or {}
        files: list[dict[str, Any]] = []
        texts: dict[str, str] = {}
        for one, more in self._files(values):
            if one["dest"] in texts:
                raise AnsibleActionFail(f"two files are to be {one['dest']}")
            text = self._text_of(one, {**values, **more})
            texts[one["dest"]] = base64.b64encode(text).decode()
            files.append(one)
        arguments = {"folders": self._task.args.get("folders", []), "files": files, "texts": texts}
        result: dict[str, Any] = self._execute_module(
            module_name="railbed_files", module_args=arguments, task_vars=values
        )
        if self._task.no_log:
            result.pop("diff", None)
        return result

    def _files(self, values: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each file with its templates filled in, and the loop's variable."""
        written = self._task.args.get("files")
        rows = self._templar.template(written) if isinstance(written, str) else written
        if not isinstance(rows, list):
            raise AnsibleActionFail("files must be a list")
        for row in rows:
            if not isinstance(row, dict) or not {"src", "dest"} <= row.keys() <= _KEYS:
                raise AnsibleActionFail(
                    f"a file has src, dest and of {sorted(_KEYS)} what it needs"
                )
            if ("loop" in row) != ("loop_var" in row):
                raise AnsibleActionFail(f"{row['dest']}: loop and loop_var come together")
            items = self._templar.template(row["loop"]) if "loop" in row else [None]
            for item in items:
                more = {row["loop_var"]: item} if "loop" in row else {}
                templar = self._with({**values, **more})
                if templar.evaluate_conditional(row.get("when", True)):
                    plain = {key: row[key] for key in row.keys() - {"loop", "loop_var", "when"}}
                    yield templar.template(plain), more

    def _with(self, values: dict[str, Any], folders: list[str] | None = None) -> Templar:
        return self._templar.copy_with_new_env(searchpath=folders, available_variables=values)

    def _text_of(self, one: dict[str, Any], values: dict[str, Any]) -> bytes:
        """A file as it is; a template (`*.j2`) as ansible.builtin.template makes it by default."""
        is_template = one["src"].endswith(".j2")
        home = "templates" if is_template else "files"
        try:
            path: str = self._find_needle(home, one["src"])  # type: ignore[no-untyped-call]
        except AnsibleError as error:
            raise AnsibleActionFail(str(error)) from error
        if not is_template:
            return Path(path).read_bytes()
        own = [self._loader.get_basedir(), os.path.dirname(path)]  # noqa: PTH120
        searched = [*values.get("ansible_search_path", []), *own]
        folders = [each for folder in searched for each in (f"{folder}/templates", folder)]
        # A template may include a file of its role: none has a mark of Jinja in it.
        folders.append(f"{Path(path).parents[1]}/files")
        text = self._with(values, folders).template(
            trust_as_template(self._loader.get_text_file_contents(path)),
            escape_backslashes=False,
            overrides={"trim_blocks": True, "lstrip_blocks": False, "newline_sequence": "\n"},
        )
        return bytes(to_bytes("" if text is None else text, errors="surrogate_or_strict"))
