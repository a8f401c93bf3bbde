"""Mutants are what they say, are drawn alike by the same seed, and are noticed."""

from __future__ import annotations

import ast

import pytest

from tests.bench.mutants import draw, of_file
from tests.impact import change

PYTHON = '''"""Doc."""

def judged(a: int, b: str = "é<") -> bool:
    """Say."""
    if not a and b:
        log(a, b)
    limit = 5
    return a < limit
'''


def texts(path: str, text: str) -> dict[str, str]:
    return {one.kind: one.apply(text) for one in of_file(path, text)}


def test_of_python_each_kind_at_its_place():
    found = texts("validation/a.py", PYTHON)
    assert "return (a <= limit)" in found["< for <="]
    assert "if ((not a) or (b)):" in found["and for or"]
    assert "if bool(a) and b:" in found["not left out"]
    assert "log(b, a)" in found["swapped arguments"]
    assert "limit = 6" in found["number"]
    assert "return None" in found["returns nothing"]
    assert "'éx'" in found["string"]
    assert "        pass" in found["removed statement"]
    for text in found.values():
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(PYTHON))
        assert '"""Say."""' in text


@pytest.mark.parametrize(
    ("path", "text", "wrong"),
    [
        ("roles/a/tasks/main.yml", "- name: a 1\n  mode: 5\n- name: b\n", {
            "- name: b\n", "- name: a 1\n  mode: 5\n", "- name: a 1\n  mode: 6\n- name: b\n"}),
        ("switch_configs/a.j2", "{# 1 #}\nclass 3\n", {"{# 1 #}\n", "{# 1 #}\nclass 4\n"}),
        ("roles/a/files/x", "# 1\nif [ 3 ]\n", {"# 1\n", "# 1\nif [ 4 ]\n"}),
        ("inventory/profiles/a.yml", "# 1\nspeed: 400\nfec: on\n", {
            "# 1\nspeed: 401\nfec: on\n", "# 1\nspeed: 400\nfec: off\n"}),
        ("README.md", "3\n", set()),
    ],
)  # fmt: skip
def test_of_templates_tasks_and_data(path, text, wrong):
    assert {one.apply(text) for one in of_file(path, text)} == wrong


@pytest.mark.instances(keep=1, of="choices and mutants of this clone")
def test_a_draw_is_of_every_room_and_again_the_same():
    """Of the real tree each fourth file of the product."""
    product = {path: text for path, text in change.working_tree().items() if path[:5] != "tests"}
    tree = {path: product[path] for path in [*product][::4]}
    drawn = draw(tree, 60, seed=4)
    assert drawn == draw(tree, 60, seed=4) != draw(tree, 60, seed=5)
    rooms = {one.path.partition("/")[0] for one in drawn}
    assert rooms == {"inventory", "switch_configs", "validation", "deploy", "roles"}
    for one in drawn:
        assert one.apply(tree[one.path]) != tree[one.path]
        if one.path.endswith(".py"):
            ast.parse(one.apply(tree[one.path]))
