"""What is wrong with text that is no YAML, in words that name the line to mend."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ruamel.yaml.error import MarkedYAMLError

_OPENS = re.compile(r"""(?:^|[:\-,\[{])\s*(["'])""")
_NO_BREAK = "\u00a0"
_TOKENS = ("'<block mapping start>'", "'<block sequence start>'", "'<block end>'", "'-'")
_IN_FULL = "`key: value`, with a space after the colon"
_QUOTED = "quote the whole value, or no part of it"


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mistake: its line and column from 1, what was found and expected, and what to do."""

    line: int
    column: int
    found: str
    expected: str
    hint: str = ""


def no_break_space(text: str) -> Wrong | None:
    """A space of web pages and documents that YAML takes for a letter; None where there is none."""
    for number, line in enumerate(text.split("\n") if _NO_BREAK in text else (), start=1):
        before, found, _ = line.partition(_NO_BREAK)
        # Inside text it is a character like any other; where a key or a value begins it is not.
        begins = before.rstrip(" \t")[-1:] in (*":,{[-", "") and not set(before) & set("#\"'")
        if found and begins:
            hint = r"they come with text of web pages and documents: sed -i 's/\xc2\xa0/ /g' FILE"
            what = "a no-break space (U+00A0)"
            return Wrong(number, len(before) + 1, what, "plain spaces", hint)
    return None


def syntax(error: MarkedYAMLError, text: str) -> Wrong:
    """The mistake behind what ruamel.yaml says."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    quote = _open_quote(lines[:line])
    if quote is not None:
        return quote
    said = next(iter((error.problem or "").splitlines()), "")
    found, expected = _halves(said)
    if found in _TOKENS or (said.startswith("mapping values") and _is_deeper(lines, line)):
        levels = _levels(lines, line)
        own = _indent(lines[line - 1])
        spaces = f"{own} space{'' if own == 1 else 's'} before the text"
        hint = "entries of one mapping or list begin in one column"
        return Wrong(line, column, spaces, f"{levels}, as in the lines above", hint)
    if expected == "':'" and (bare := _bare_line(error, lines)):
        said = "a line without `: `"
        return Wrong(bare, 1 + _indent(lines[bare - 1]), said, "a key, `:` and a space", _IN_FULL)
    hint = ""
    if "'\\t'" in found:
        found, expected = "a tab before the text", "spaces"
        hint = r"YAML indents with spaces: sed -i 's/\t/  /g' FILE"
    elif start := re.match("character '([@`%])'|undefined alias", found):
        found = f"a value that begins with `{start[1] or '*'}`"
        expected, hint = "text or a number", "quote it"
    elif found.startswith("unknown escape character"):
        expected, hint = "an escape that YAML knows", "in single quotes a backslash is itself"
    elif (found, expected) == ("'<scalar>'", "<block end>"):
        found, expected, hint = "text after the closing quote", "the end of the line", _QUOTED
    elif found.startswith("('<block mapping start>'"):
        found, expected = "less space before the text than on the first line", "the same"
        hint = "entries of one mapping or list begin in one column"
    elif (found, expected) == ("'?'", "<block end>"):
        found, expected = "a key among the entries of a list", "an entry: `- `"
    elif expected.startswith("',' or") and error.context_mark:
        hint = f"`{expected[-2]}` is missing: line {error.context_mark.line + 1} opens it"
    return Wrong(line, column, found, expected, hint)


def _bare_line(error: MarkedYAMLError, lines: list[str]) -> int | None:
    """The line (from 1) that should be `key: value`: where the text that lacks a `:` begins."""
    at = error.context_mark.line if error.context_mark else -1
    return at + 1 if 0 <= at < len(lines) and ": " not in lines[at] else None


def _open_quote(lines: list[str]) -> Wrong | None:
    """The first value that begins with a quote and does not end on its line."""
    for number, line in enumerate(lines, start=1):
        bare = line.lstrip()
        at = len(line) - len(bare)
        while not bare.startswith("#") and (match := _OPENS.search(line, at)):
            close = _closing(line, match.end(), match[1])
            if close is None:
                found = f"a {match[1]} that is opened here and not closed"
                return Wrong(number, match.end(), found, f"the closing {match[1]} on this line")
            at = close + 1
    return None


def _closing(line: str, start: int, quote: str) -> int | None:
    """Where a quote ends: doubled inside single quotes, after a backslash inside double ones."""
    inside = r'"' if quote == '"' else r"'"
    pattern = r'(?:[^"\\]|\\.)*' if quote == '"' else r"(?:[^']|'')*"
    match = re.compile(pattern + inside).match(line, start)
    return match.end() - 1 if match else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _above(lines: list[str], line: int) -> list[str]:
    """Lines before a line (from 1) that say something, the nearest first."""
    return [one for one in reversed(lines[: line - 1]) if one.strip() and one.strip()[0] != "#"]


def _is_deeper(lines: list[str], line: int) -> bool:
    """Whether a line is indented below one that has a value already."""
    above = _above(lines, line)[:1]
    return lines[line - 1].count(": ") < 2 and any(
        _indent(lines[line - 1]) > _indent(x) for x in above
    )


def _levels(lines: list[str], line: int) -> str:
    """The indentations that a line may have: those that are open above it."""
    least = 1 << 20
    open_ones: list[int] = []
    for one in _above(lines, line):
        if _indent(one) < least:
            least = _indent(one)
            open_ones.append(least)
    return " or ".join(map(str, sorted(open_ones))) or "0"


def _halves(line: str) -> tuple[str, str]:
    """Take the two halves out of what ruamel.yaml says."""
    if match := re.fullmatch(r"expected (.+), but (?:got|found) (.+)", line):
        return match[2], match[1]
    if match := re.fullmatch(r"could not find expected (.+)", line):
        return "something else", match[1]
    if line == "mapping values are not allowed here":
        return "a second `:` in one line", "YAML: quote text that has `: ` in it"
    if line == "but found another document":
        return "a second document", "one document in a file"
    return line.removeprefix("found ") or "broken YAML", "YAML"
