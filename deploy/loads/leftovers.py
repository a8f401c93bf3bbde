"""What load processes carry, so that they are found and ended wherever a run was cut off."""

from __future__ import annotations

import shlex

MARK = "RAILBED_LOAD"
# The mark is in the environment that a process was started with, and its children's. The shell
# that looks has it in no file of its own: it only knows the token as text.
_END = """\
ended=0
for one in /proc/[0-9]*; do
  tr '\\0' '\\n' 2>/dev/null <"$one/environ" | grep -qx {mark}={token} || continue
  kill "${{one#/proc/}}" 2>/dev/null && ended=$((ended + 1))
done
echo "$ended"
"""


def marked(shell: str, token: str) -> str:
    """The same text, with a mark on every process it starts."""
    return f"export {MARK}={shlex.quote(token)}\n{shell}"


def end(token: str) -> str:
    """POSIX sh that ends every process with this mark, and prints how many there were."""
    return _END.format(mark=MARK, token=shlex.quote(token))
