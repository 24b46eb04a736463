"""Write the keys of some kinds as patterns of the Rust engine, out of the vocabulary itself.

In:   kinds of keys.
Out:  a pattern that hits at the head of every key of these kinds, however it is written: `bankAccount`,
      `BANK_ACCOUNT`, `bank account`, `userphone`. It may hit elsewhere, too; `redaction_keys` decides.
Cost: 2 ms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from agent_tools.stages import redaction_vocabulary as vocabulary
from agent_tools.stages.redaction_keys import ALIASES, HAN_HEADS, HEADS

Parts = tuple[str, ...]

_NOTHING = "[a&&b]"
_BETWEEN = r"[ _.\-/']*"  # two words of a key


def latin_keys(kinds: Collection[str], extra: Collection[tuple[str, ...]] = ()) -> str:
    """Return a pattern of all keys of some kinds in Latin letters, up to where their value may begin.

    Args:
        kinds: Kinds of keys, as `redaction_keys.classify` names them.
        extra: Words of further keys.

    Example:
        >>> pattern = re.compile(latin_keys({"plate"}))
        >>> [bool(pattern.search(key)) for key in ("licencePlate", "LICENSE PLATES", "places")]
        [True, True, False]
    """
    bounded: list[Parts] = []
    glued: list[Parts] = []
    for phrase in _shortest([*(tuple(p.split()) for p, kind in HEADS.items() if kind in kinds), *extra]):
        rest = [f"{_BETWEEN}(?:{'|'.join(map(re.escape, _names(word)))})" for word in phrase[1:]]
        for name in _names(phrase[0]):
            (glued if name in vocabulary.GLUED else bounded).append((*map(re.escape, name), *rest))
    parts: list[str] = []
    if bounded:
        humps = [(f"(?-i:{word[0].upper()})", *word[1:]) for word in bounded]
        word = f"(?:^|[^A-Za-z])(?i:{_any_of(bounded)})|(?i:{_any_of(humps)})"
        parts.append(f"(?:{word})s?(?:[A-Z0-9_.\\- ][A-Za-z0-9_.\\- ]*)?")
    if glued:
        parts.append(f"(?i:{_any_of(glued)})[A-Za-z0-9_.\\- ]*")
    return f"(?:{'|'.join(parts)})" if parts else _NOTHING


def other_keys(kinds: Collection[str]) -> str:
    """Return a pattern of all keys of some kinds in other scripts.

    Example:
        >>> re.search(other_keys({"phone"}), "联系电话 010").group()
        '联系电话'
    """
    words = [word for word, kind in HAN_HEADS.items() if kind in kinds]
    words += [word for word, kind in vocabulary.OTHER_SCRIPTS.items() if kind in kinds]
    if not words:
        return _NOTHING
    return f"(?:(?i:{_any_of([tuple(map(re.escape, word)) for word in words])})[^\\x00-\\x7f]*[A-Za-z0-9]*)"


def _names(word: str) -> tuple[str, ...]:
    """Return a word of the vocabulary and its other names."""
    return (word, *ALIASES.get(word, ()))


def _any_of(words: Iterable[Parts]) -> str:
    """Return a pattern of any of some words, beginnings shared: else the automaton is ten times as large."""
    rests: dict[str, list[Parts]] = {}
    ends = False
    for word in words:
        if word:
            rests.setdefault(word[0], []).append(word[1:])
        else:
            ends = True
    branches = [first + _any_of(rest) for first, rest in rests.items()]
    if len(branches) < 2 and not ends:
        return "".join(branches)
    return f"(?:{'|'.join(branches)}){'?' if ends and branches else ''}"


def _shortest(phrases: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Leave out the phrases that hold another one: that one hits there, too."""
    known = set(phrases)
    return [
        phrase
        for phrase in known
        if not any(
            phrase[start:end] in known
            for start in range(len(phrase))
            for end in range(start + 1, len(phrase) + 1)
            if end - start < len(phrase)
        )
    ]
