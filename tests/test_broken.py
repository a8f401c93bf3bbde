"""The loader of broken inventories: a patch fits its base exactly, or is refused."""

from __future__ import annotations

import pytest

from tests.broken import ERRORS, NAMES, patched

BASE = "".join(f"{number}\n" for number in range(1, 10))
HEAD = "--- base\n+++ new\n"
FITS = "@@ -2,2 +2,3 @@\n 2\n-3\n+three\n+more\n@@ -8,2 +9 @@\n-8\n 9\n"


@pytest.fixture
def made(tmp_path):
    def make(patch: str) -> str:
        (tmp_path / "base").write_text(BASE)
        (tmp_path / "new.patch").write_text(patch)
        return patched(tmp_path / "new.patch", tmp_path).decode()

    return make


def test_what_a_patch_makes(made):
    assert made(HEAD + FITS).split() == ["1", "2", "three", "more", "4", "5", "6", "7", "9"]
    assert made(HEAD) == BASE
    assert made(HEAD + "@@ -9,0 +10 @@\n+10\n") == BASE + "10\n"
    every = "".join(f"-{line}\n" for line in BASE.split())
    assert made(f"{HEAD}@@ -1,9 +0,0 @@\n{every}") == ""


@pytest.mark.parametrize(
    ("patch", "line", "why"),
    [
        (HEAD + FITS.replace(" 2\n", " two\n"), 4, r"' two\\n', line 2 of the base is \[b'2\\n'\]"),
        (HEAD + FITS.replace("-3\n", "-4\n"), 5, "line 3 of the base"),
        (HEAD + FITS.replace("-2,2 +2,3", "-3,2 +3,3"), 4, "line 3 of the base"),
        (HEAD + FITS.replace("+more\n", ""), 7, "the hunk above"),
        (HEAD + FITS.replace(" 9\n", ""), 9, "the last hunk"),
        (HEAD + FITS.replace("+9 @@", "+8 @@"), 10, "the last hunk"),
        (HEAD + FITS + "@@ -8 +9 @@\n-8\n", 11, "the hunk above"),
        (HEAD + FITS + " 10\n", 11, r"line 10 of the base is \[\]"),
        (HEAD + FITS + "\\ No newline at end of file\n", 11, "found b'.* No newline"),
        (HEAD + FITS.replace(" 2\n", " 2\r\n"), 4, "line 2 of the base"),
        (FITS, 1, "found no `--- `"),
    ],
)
def test_one_that_does_not_fit_is_refused_with_its_line(made, patch, line, why):
    with pytest.raises(ValueError, match=rf"new\.patch:{line}: .*{why}"):
        made(patch)


def test_every_base_is_used_and_no_file_is_there_twice():
    patches = [path for path in ERRORS.rglob("*.patch") if path.is_file()]
    bases = {path for path in (ERRORS / "_bases").rglob("*") if path.is_file()}
    assert bases == {ERRORS / path.read_text().split("\n")[0][4:] for path in patches}
    assert not [path for path in patches if path.with_suffix("").exists()]
    assert {path.name for path in ERRORS.iterdir()} == {"_bases", *NAMES}
