"""The house as it is drawn: imports go down, and only what is named for it touches the world."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.tree import PACKAGES, ROOMS, ROOT, files, imports, nodes, python_files

MAY_ACT = re.compile(r"deploy/((\w+/)?(\w+_run|switch_push)|lab/.+)\.py")
# Replaces itself by the environment's Python; starts nothing beside itself.
MAY_EXEC = {Path("inventory/ansible_source.py")}
# Programs that are sent to devices as text: they act there, and nothing here imports them.
SENT = re.compile(r"validation/on_node/.+\.py")
ACTING_MODULES = {
    "asyncio", "concurrent.futures.process", "ftplib", "http.client", "http.server", "httpx",
    "multiprocessing", "netmiko", "paramiko", "pty", "pynetbox", "requests", "smtplib", "socket",
    "socketserver", "subprocess", "telnetlib", "urllib.request", "urllib3",
}  # fmt: skip
ACTING_CALLS = re.compile(r"os\.(system|popen|fork|forkpty|posix_spawnp?|(exec|spawn)[lv]p?e?)")

COUNT = re.compile(r"\{\d+(, *\d+)*,? *\}")

MAX_PYTHON_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_README_LINES = 100
# Of modules: in a room's root those that everybody in it uses, in a folder what an eye takes in.
MAX_ROOT_MODULES = 10
MAX_FOLDER_MODULES = 20

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
# Written in halves, so that this file does not hold them itself.
FORBIDDEN = {
    "the absolute path of one workplace": r"(?<![\w.~-])/" + r"(work|workspace|home/\w+)/",
    "a file outside the clone": r"\.\./" + r"shared\b",
    "a word about how it was written": r"\bissues " + r"show\b|\bissue " + r"#?\d",
    "a secret": r"-----BEGIN (\w+ )?PRIVATE " + r"KEY-----",
}
# CI's machine keeps captures by others beside the clone.
MAY_NAME = {Path(".ci/run"): {"a file outside the clone"}}


def is_within(name: str, packages: set[str]) -> bool:
    """Whether a dotted name is one of these or lies below one."""
    return any(name == one or name.startswith(f"{one}.") for one in packages)


def acts(path: Path) -> Iterator[str]:
    """Where a file could open a socket or start a process."""
    for line, name in imports(path):
        if is_within(name, ACTING_MODULES):
            yield f"{path}:{line}: imports {name}"
    for node in nodes(path):
        # `os.system`: a longer or a shorter name is none of them, and writing it out takes time.
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and ACTING_CALLS.fullmatch(name := f"{node.func.value.id}.{node.func.attr}")
        ):
            yield f"{path}:{node.lineno}: calls {name}"


def formatted_counts(path: Path) -> Iterator[str]:
    """Where an f-string formats `{1, 3}`: a count of a regular expression that lost its braces."""
    text = (ROOT / path).read_text()
    for node in ast.walk(ast.parse(text)) if COUNT.search(text) else ():
        if isinstance(node, ast.FormattedValue):
            value = node.value
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            if all(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in parts):
                yield f"{path}:{node.lineno}: {ast.unparse(node)}"


def test_imports_go_down_only():
    wrong = [
        f"{path}:{line}: imports {name}"
        for level, room in enumerate(ROOMS)
        for path in python_files(room)
        for line, name in imports(path)
        if is_within(name, set(ROOMS[level + 1 :]))
    ]
    assert not wrong


def test_roles_stand_alone():
    """Roles import nothing of ours, and only deploy/nodes.py imports roles."""
    into = [
        f"{path}:{line}: imports {name}"
        for path in python_files(*ROOMS)
        for line, name in imports(path)
        if is_within(name, {"roles"}) and path != Path("deploy/nodes.py")
    ]
    out_of = [
        f"{path}:{line}: imports {name}"
        for path in python_files("roles")
        for line, name in imports(path)
        if is_within(name, set(ROOMS))
    ]
    assert not into + out_of


def test_nobody_imports_tests():
    wrong = [
        f"{path}:{line}: imports {name}"
        for path in python_files(*PACKAGES)
        for line, name in imports(path)
        if is_within(name, {"tests"})
    ]
    assert not wrong


def test_nothing_imports_what_others_run():
    """deploy/nodes.py acts when pyinfra loads it, what is sent to devices acts there, and
    importing pyinfra's program changes the whole process.
    """
    wrong = [
        f"{path}:{line}"
        for path in python_files(*PACKAGES)
        for line, name in imports(path)
        if is_within(
            name, {"deploy.nodes", "deploy.servers.pyinfra_program_run", "validation.on_node"}
        )
    ]
    assert not wrong


def test_only_what_is_named_for_it_acts():
    wrong = [
        place
        for path in python_files(*PACKAGES)
        if not (MAY_ACT.fullmatch(path.as_posix()) or SENT.fullmatch(path.as_posix()))
        if path not in MAY_EXEC
        for place in acts(path)
    ]
    assert not wrong


def test_only_one_module_talks_netmiko():
    users = {
        path.as_posix()
        for path in python_files(*PACKAGES)
        for _, name in imports(path)
        if is_within(name, {"netmiko"})
    }
    assert users <= {"deploy/switches/switch_push.py"}


@pytest.mark.parametrize("name", ["group_vars", "host_vars"])
def test_there_is_no_second_truth(name):
    """Ansible reads these folders beside an inventory without being asked."""
    assert not [path for path in files() if name in path.parts]


def test_our_names_are_ours_alone():
    """No package of the environment brings a module of a name that we use."""
    owners = packages_distributions()
    assert not {
        name: owners[name]
        for name in (*PACKAGES, "tests")
        if set(owners.get(name, [])) - {"railbed"}
    }


@pytest.mark.parametrize("room", [*PACKAGES, "tests"])
def test_every_room_is_a_package(room):
    """Without tests/__init__.py, pytest would put tests/ first and hide the real rooms."""
    assert (ROOT / room / "__init__.py").is_file()


def needing_readme() -> set[Path]:
    """The folders that hold Python, roles and sites; those of tests share one."""
    code = {path.parent for path in python_files(*PACKAGES)}
    contracts = {path.parents[1] for path in files() if path.match("roles/*/defaults/*.yml")}
    sites = {Path("inventory/sites")} if (ROOT / "inventory/sites").is_dir() else set()
    return code | contracts | sites | {Path(), Path("tests")}


def test_every_folder_has_a_readme():
    assert not sorted(
        str(folder) for folder in needing_readme() if not (ROOT / folder / "README.md").is_file()
    )


def test_readme_of_a_folder_fits_a_screen():
    long = {
        str(path): lines
        for path in files()
        if path.name == "README.md" and path.parent != Path()
        if (lines := len((ROOT / path).read_text().splitlines())) > MAX_README_LINES
    }
    assert not long


def test_readme_links_resolve():
    dead = [
        f"{path}: {target}"
        for path in files()
        if path.suffix == ".md"
        for target in LINK.findall((ROOT / path).read_text())
        if "://" not in target and not target.startswith(("#", "mailto:"))
        if not (ROOT / path.parent / target.partition("#")[0]).exists()
    ]
    assert not dead


def test_a_folder_is_surveyed_at_a_glance():
    """The folder's name says what is in it; a long list of files would need a guide again."""
    modules = Counter(path.parent for path in python_files(*PACKAGES) if path.stem != "__init__")
    most = {Path(room): MAX_ROOT_MODULES for room in PACKAGES}
    assert not {
        str(folder): count
        for folder, count in modules.items()
        if count > most.get(folder, MAX_FOLDER_MODULES)
    }


def test_python_files_stay_small():
    long = {
        str(path): lines
        for path in python_files(*PACKAGES)
        if (lines := len((ROOT / path).read_text().splitlines())) > MAX_PYTHON_LINES
    }
    assert not long


def test_functions_stay_small():
    long = [
        f"{path}:{node.lineno}: {node.name} has {lines} lines"
        for path in python_files(*PACKAGES)
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert not long


def test_counts_of_patterns_keep_their_braces():
    assert not [
        place for path in python_files(*PACKAGES, "tests") for place in formatted_counts(path)
    ]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_files_speak_of_the_project_alone(what):
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{path}:{number}: {line.strip()[:80]}"
        for path in files()
        if what not in MAY_NAME.get(path, set())
        if pattern.search(text := (ROOT / path).read_text(encoding="utf-8", errors="replace"))
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found


def test_the_rules_find_what_they_forbid(tmp_path):
    """A rule that cannot fail protects nothing: each must bite on a file made to break it."""
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import os\nfrom urllib import request\n\ndef late():\n"
        "    import subprocess\n    os.system('true')\n    from deploy.lab import up\n"
    )
    assert [place.partition(": ")[2] for place in acts(bad)] == [
        "imports urllib.request",
        "imports subprocess",
        "calls os.system",
    ]
    assert "deploy.lab.up" in {name for _, name in imports(bad)}
    bad.write_text('A = rf"{B}[0-9]{1, 3}x{2}y{{3}}"\n')
    assert len(list(formatted_counts(bad))) == 2
    assert re.search(FORBIDDEN["the absolute path of one workplace"], "x=/" + "work/main/a")
