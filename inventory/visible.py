"""Text from devices and files as it can be shown: nothing in it acts on whoever reads it.

Escape sequences move a terminal's cursor and colour what is not ours, a carriage return writes over
a line, and controls of direction (Unicode's Bidi_Control) make a line read as another one.
"""

from __future__ import annotations

_LAID_OUT = frozenset("\n\t")


def visible(text: str) -> str:
    r"""The text with whatever cannot be printed as its escape, `\x1b`; line ends and tabs stay."""
    return text if text.isprintable() else "".join(map(_shown, text))


def one_line(text: str) -> str:
    """A value as part of a line: line ends and tabs are escaped, too."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escape(one) for one in text)


def _shown(one: str) -> str:
    return one if one in _LAID_OUT or one.isprintable() else _escape(one)


def _escape(one: str) -> str:
    return one.encode("unicode_escape", "surrogatepass").decode("ascii")
