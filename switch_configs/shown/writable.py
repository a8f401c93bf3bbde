"""Whether a line that nobody planned may be written down whole, into a site that is under review.

No list of words knows all that may hold a secret. So beside the words that announce one, all is
refused that is about logins or runs a program, and each word that the plan has not and that looks
like one that was made up to be hard to guess. What is refused in error a person can still write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from switch_configs.diff import HIDDEN, masked

from .foreign import AN_ADDRESS, Chain, words_of
from .secrets import HELD, WORD
from .unread import SHARED

_ABOUT = re.compile(
    r"(?i)pass|secret|key|communit(?:y\b|y-map|ies-map)|snmp|auth|encr|token|\bcak\b|\bpsk\b|\bpin\b"
    r"|md5|sha[0-9-]|\bsha\b|crypto|certificate|cipher|\baaa\b|user|ssh|tacacs|tacplus|radius|ldap"
    r"|\bbash|\bexec|python|\bscript|environment|\balias\b|schedule|daemon|\baction\b|://[^/ ]*@"
    r"|-----BEGIN|\$[0-9a-z]+\$"
)
# Values of BGP that are no secrets, whatever stands after the word.
_NONE = re.compile(
    r"(?i)\b(?:set|send|match|delete|ip|bgp)[ -](?:large-|ext)?community(?:-list)?\b"
)
# A digit between letters, or more letters and digits in one piece than anybody reads.
_MADE_UP = re.compile(r"[A-Za-z][0-9]+[A-Za-z]|(?=\S*[0-9])(?=\S*[A-Za-z])[A-Za-z0-9+/=]{20,}")
_SHORT = 6


def known_words(texts: Iterable[str]) -> frozenset[str]:
    """What the words of a plan's texts have in common with those that may stand for them."""
    return frozenset({AN_ADDRESS, *(kind for one in texts for _, kind in words_of(one))})


def may_hold_secret(chain: Chain, known: frozenset[str]) -> bool:
    """Whether a line in its place may; `known` are the `known_words` that the plan has there."""
    text = _NONE.sub("", " ".join(one.strip() for one in chain))
    if HELD in text or HIDDEN in masked(text) or WORD.search(text) or not text.isprintable():
        return True
    if _ABOUT.search(text):
        return True
    return any(
        len(word) >= _SHORT and word not in SHARED and kind not in known and _MADE_UP.search(word)
        for word, kind in words_of(text)
    )
