"""A change chooses the tests that it can touch; what nobody knows chooses all."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.impact import change, choose, plugin
from tests.impact.graph import Graph

# A small house with the same rules: rooms, a dialect found as it runs, templates, roles, sites.
TREE = {
    "validation/parse/link.py": (
        "RATE = 5\n\ndef speed(text):\n    return _number(text) * RATE\n\n"
        "def _number(text):\n    return int(text)\n\ndef name(text):\n    return text.strip()\n"
    ),
    "validation/parse/__init__.py": "from .link import name, speed\n",
    "validation/judge.py": (
        "from .parse import speed\n\nclass Judge:\n    def verdict(self, text):\n"
        "        return speed(text) > 1\n"
    ),
    "switch_configs/__init__.py": (
        "from importlib import import_module\n\ndef dialect(name):\n"
        "    return import_module(f'{__name__}.{name}.dialect').DIALECT\n"
    ),
    "switch_configs/nos/__init__.py": "",
    "switch_configs/nos/dialect.py": "from .render import render\n\nDIALECT = render\n",
    "switch_configs/nos/render.py": (
        "from jinja2 import FileSystemLoader\n\ndef render():\n"
        "    return FileSystemLoader('templates')\n"
    ),
    "switch_configs/nos/templates/qos.j2": "class 3\n",
    "inventory/load/site.py": "SITES = 'sites'\n\ndef load(site):\n    return SITES + site\n",
    "inventory/sites/small/fabric.yml": "profile: fast-nic\n",
    "inventory/profiles/fast-nic.yml": "speed: 400\n",
    "roles/tuning/deploy.py": "def apply():\n    return 1\n",
    "roles/tuning/tasks/main.yml": "- name: tune\n",
    "roles/other/tasks/main.yml": "- name: other\n",
    "deploy/push_run.py": "def push():\n    return 1\n",
    "deploy/shown.py": "def shown():\n    return 1\n",
    "deploy/commands/main.py": (
        "import typer\nfrom deploy import shown, push_run\napp = typer.Typer()\n\n@app.command()\n"
        "def show():\n    return shown.shown()\n\n@app.command('push')\ndef _push():\n"
        "    return push_run.push()\n"
    ),
    "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef judge():\n    return 1\n",
    "tests/test_architecture.py": "def test_imports():\n    pass\n",
    "tests/test_lint.py": "def test_ruff_check():\n    pass\n\ndef test_yamllint():\n    pass\n",
    "tests/validation/conftest.py": (
        "import pytest\nfrom validation.judge import Judge\n\n@pytest.fixture\n"
        "def judge():\n    return Judge()\n"
    ),
    "tests/validation/parse/test_whole.py": (
        "from validation.parse import name, speed\n\ndef test_speed():\n    assert speed('4')\n\n"
        "def test_name():\n    assert name(' a')\n"
    ),
    "tests/validation/test_judge.py": (
        "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_verdict(judge, n):\n    assert judge.verdict('4')\n"
    ),
    "tests/switch_configs/test_nos.py": (
        "from switch_configs import dialect\n\ndef test_render():\n    assert dialect('nos')()\n"
    ),
    "tests/inventory/test_small.py": (
        "from inventory.load.site import load\n\ndef test_small():\n    assert load('small')\n\n"
        "def test_none():\n    assert 1\n"
    ),
    "tests/roles/test_tuning.py": (
        "ROLE = 'tuning'\n\ndef test_tuning():\n    assert ROLE\n\ndef test_nothing():\n    pass\n"
    ),
    "tests/roles/test_in_lab.py": (
        "import pytest\n\npytestmark = pytest.mark.lab\n\ndef test_lab():\n    assert 'tuning'\n"
    ),
    "tests/deploy/test_lab.py": (
        "import pytest\nfrom deploy import push_run, shown\n\n@pytest.mark.lab\n"
        "def test_push():\n    push_run.push()\n\n@pytest.mark.lab\ndef test_shown():\n"
        "    shown.shown()\n"
    ),
    "tests/deploy/commands/test_cli.py": (
        "from deploy.commands.main import app\n\ndef test_show():\n    assert app(['show'])\n\n"
        "def test_push():\n    assert app(['push'])\n"
    ),
    "tests/evidence/fio/run.json": "{}",
    "tests/validation/test_fio.py": (
        "from pathlib import Path\n\ndef test_fio():\n"
        "    assert Path('tests/evidence', 'fio').iterdir()\n"
    ),
}
ALWAYS = {"tests/test_architecture.py::test_imports"}
PYTHON = ALWAYS | {"tests/test_lint.py::test_ruff_check"}


def chosen(path: str, old: str = "", new: str = "", **seconds: float) -> choose.Choice:
    """The choice after `old` became `new` in one file; the file is new where it was not there."""
    text = TREE.get(path, "")
    assert old in text
    tree = TREE | {path: text.replace(old, new) if old else new}
    return choose.choose(Graph(tree), {path: text}, seconds)


@pytest.mark.parametrize(
    ("path", "old", "new", "tests"),
    [
        ("validation/parse/link.py", "int(", "float(", {
            "tests/validation/parse/test_whole.py::test_speed",
            "tests/validation/test_judge.py::test_verdict"}),
        ("validation/parse/link.py", "RATE = 5", "RATE = 6", {
            "tests/validation/parse/test_whole.py::test_speed",
            "tests/validation/test_judge.py::test_verdict"}),
        ("validation/parse/link.py", "strip", "lstrip", {
            "tests/validation/parse/test_whole.py::test_name"}),
        ("validation/judge.py", "> 1", "> 2", {"tests/validation/test_judge.py::test_verdict"}),
        ("switch_configs/nos/render.py", "'templates'", "'other'", {
            "tests/switch_configs/test_nos.py::test_render"}),
        ("deploy/shown.py", "1", "2", {
            "tests/deploy/commands/test_cli.py::test_show"}),
        ("tests/validation/conftest.py", "Judge()", "Judge", {
            "tests/validation/test_judge.py::test_verdict"}),
        ("tests/roles/test_tuning.py", "pass", "assert 1", {
            "tests/roles/test_tuning.py::test_nothing"}),
    ],
)  # fmt: skip
def test_a_changed_symbol_chooses_the_tests_that_use_it_and_no_others(path, old, new, tests):
    choice = chosen(path, old, new)
    assert set(choice.functions) == PYTHON | tests
    assert not choice.everything


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("switch_configs/nos/templates/qos.j2", {"tests/switch_configs/test_nos.py::test_render"}),
        ("tests/evidence/fio/run.json", {"tests/validation/test_fio.py::test_fio"}),
        ("inventory/sites/small/fabric.yml", {"tests/inventory/test_small.py::test_small"}),
        ("inventory/profiles/fast-nic.yml", {"tests/inventory/test_small.py::test_small"}),
        ("roles/tuning/tasks/main.yml", {
            "tests/roles/test_tuning.py::test_tuning", "tests/roles/test_in_lab.py::test_lab"}),
    ],
)  # fmt: skip
def test_data_chooses_the_tests_that_read_it(path, tests):
    found = set(chosen(path, TREE[path], TREE[path] + "x").functions)
    assert found - ALWAYS - {"tests/test_lint.py::test_yamllint"} == tests


def test_what_may_be_a_script_is_linted_as_one():
    lint = "tests/test_lint.py"
    tree = TREE | {lint: "def test_shellcheck():\n    pass\n"}
    for path, is_one in (("roles/tuning/files/x", True), ("roles/tuning/tasks/main.yml", False)):
        found = choose.choose(Graph(tree | {path: "now"}), {path: ""}, {}).functions
        assert (f"{lint}::test_shellcheck" in found) == is_one


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml", "railbed", "requirements.lock", "tests/conftest.py",
     "tests/plugins/seed.py", "tests/plugins/deep/er.py", "unheard/of.bin", "roles/new/x"],
)  # fmt: skip
def test_what_touches_all_or_is_not_known_chooses_every_test(path):
    choice = chosen(path, new="def now(): ...")
    assert choice.everything
    assert path in choice.lines()[1]


def test_python_that_cannot_be_read_chooses_every_test():
    assert chosen("validation/judge.py", "class", "clas").everything


def test_who_imports_what_is_gone_is_chosen():
    text = TREE["validation/parse/link.py"]
    functions = chosen("validation/parse/link.py", text[text.index("def name") :], "").functions
    assert "tests/validation/parse/test_whole.py::test_name" in functions


def test_a_hook_of_a_folder_chooses_the_tests_of_the_folder():
    functions = chosen("tests/validation/conftest.py", "import pytest\n",
                       "import pytest\ndef pytest_runtest_setup(): ...\n").functions  # fmt: skip
    below = {one for one in functions if one.startswith("tests/validation/")}
    assert len(below) == 4
    assert set(functions) == PYTHON | below


def test_a_comment_chooses_only_the_linters():
    assert set(chosen("validation/judge.py", "class", "# why\nclass").functions) == PYTHON


def test_a_lab_runs_where_only_labs_reach_or_prove_it():
    pushed = chosen("deploy/push_run.py", "1", "2").functions
    assert "tests/deploy/test_lab.py::test_push" in pushed
    shown = chosen("deploy/shown.py", "1", "2")
    assert "tests/deploy/test_lab.py::test_shown" not in shown.functions
    assert shown.labs_left_out == 1
    del (tree := dict(TREE))["tests/deploy/commands/test_cli.py"]
    tree["deploy/shown.py"] = "def shown():\n    return 2\n"
    alone = choose.choose(Graph(tree), {"deploy/shown.py": TREE["deploy/shown.py"]}, {})
    assert "tests/deploy/test_lab.py::test_shown" in alone.functions


def test_over_the_cap_instances_are_left_out_and_never_a_class():
    seconds = {
        "tests/validation/test_judge.py::test_verdict": 600.0,
        "tests/validation/parse/test_whole.py::test_speed": 80.0,
    }
    graph = Graph(TREE | {"validation/parse/link.py": TREE["validation/parse/link.py"] + "\n"})
    text = TREE["validation/parse/link.py"].replace("int(", "float(")
    choice = choose.choose(graph, {"validation/parse/link.py": text}, seconds)
    assert choice.functions["tests/validation/test_judge.py::test_verdict"] == choose.SHARE
    assert choice.functions["tests/validation/parse/test_whole.py::test_speed"] == 1
    assert choice.seconds < 150


def test_the_plugin_runs_what_was_chosen_and_one_instance_at_least(tmp_path):
    toy = tmp_path / "test_toy.py"
    toy.write_text(
        "import pytest\n@pytest.mark.parametrize('n', range(5))\ndef test_some(n):\n    pass\n"
        "@pytest.mark.parametrize('n', range(40))\ndef test_part(n):\n    pass\n"
        "def test_other():\n    raise AssertionError\n"
    )
    file = tmp_path / "choice"
    file.write_text(json.dumps({"test_toy.py::test_some": 0.01, "test_toy.py::test_part": 0.25}))
    command = ["pytest", "-q", str(toy), "-c", "/dev/null", f"--rootdir={tmp_path}"]
    command += ["-p", plugin.__name__, f"--choice={file}"]
    done = subprocess.run(command, cwd=change.ROOT, capture_output=True, text=True)
    assert "11 passed, 35 deselected" in done.stdout, done.stdout + done.stderr


def test_a_base_is_where_the_branch_left_main_or_the_last_commit(tmp_path):
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        return change.git(*identity, *arguments, root=tmp_path)

    git("init", "--quiet")
    for number in range(3):
        (tmp_path / "a.py").write_text(f"{number}\n")
        git("add", "-A")
        git("commit", "--quiet", "-m", str(number))
    first, last = git("rev-parse", "HEAD~2").strip(), git("rev-parse", "HEAD").strip()
    assert change.base_of("", tmp_path) == last
    git("update-ref", "refs/remotes/origin/main", first)
    assert change.base_of("", tmp_path) == first
    assert change.base_of("HEAD", tmp_path) == last
    (tmp_path / "new.py").write_text("")
    new = change.working_tree(tmp_path)
    assert change.changed_files(first, new, tmp_path) == {"a.py": "0\n", "new.py": ""}


@pytest.mark.instances(keep=1, of="choices and mutants of this clone")
def test_in_this_clone_a_parser_chooses_its_own_tests():
    """Of the real tree one room: a parser's change runs that parser's tests, and not all."""
    rooms = ("validation/", "tests/validation/", "tests/test_architecture.py")
    tree = {path: text for path, text in change.working_tree().items() if path.startswith(rooms)}
    path = "validation/parse/nic/ethtool.py"
    before = {path: tree[path].replace("def pause(", "def pause_(")}
    choice = choose.choose(Graph(tree), before, {})
    assert "tests/validation/parse/test_host.py::test_ethtool" in choice.functions
    assert len(choice.functions) < choice.tests / 2
