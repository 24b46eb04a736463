"""The tokens of a text, a stretch at a time, so that the stretches' counts add up exactly.

tiktoken first splits a text into pieces by a regex and then merges each piece on its own. So a text may
be cut where a piece ends, provided the regex sees the same piece without what follows. Three ways, from
cheap to dear:

1. A break that is one in every pattern tiktoken has, found by `re`: after a letter or digit, before
   punctuation; after anything, before a blank; between ASCII letters and digits. Ordinary text has one
   every few characters. None of the patterns looks behind, so what follows is split as before.
2. Where there is none (Thai, emoji, long runs), the encoding's own pattern in `regex`, which gives the
   same pieces as tiktoken's engine for every code point.
3. A piece longer than a stretch (a million '=', a DNA sequence) is merged in windows. A sequence of
   tokens is what merging the whole would give if and only if each two neighbours are what merging the two
   would give (https://github.com/github/rust-gems/tree/main/crates/bpe proves it). So windows overlap,
   and a window is taken when the next one begins with the token that it has there itself; if not,
   the window doubles.

Nothing long is ever handed to tiktoken's regex: on a million blanks it panics with a BaseException.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiktoken import Encoding

STRETCH = 4096  # characters: 0.25 ms of work, so that capped counts stop soon after their limit
_OVERLAP = 16  # tokens that a window shares with the next one; the last one or two are those that change
_BLANK_PIECES = (
    3  # tiktoken's patterns split a run of blanks into no more; a plugin's may, and must not stall
)
_SAFE_CALL = 500_000  # characters; tiktoken's regex engine gives up at 10**6 steps

# `'` is left out: o200k takes "'s" into the word. Marks are no punctuation: o200k takes them into the word.
_LAST_BREAK = re.compile(
    r"""(?s:.*)(?:
        [^\W_] (?= [\x00-&(-/:-@\[-`{-\x7f] | [\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011]
                 | [\u3014-\u301b\uff01-\uff06\uff08-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65] )
      | \S (?= [ \t] )
      | [A-Za-z] (?= [0-9] )
      | [0-9] (?= [A-Za-z] )
    )""",
    re.VERBOSE,
)


def iter_segments(encoding: Encoding, pattern: str, text: str) -> Iterator[tuple[int, list[int]]]:
    """Yield `(start, tokens)`: the text's tokens in order, and where their stretch began.

    Stretches that make up one long piece have the start of that piece. The text must have no lone
    surrogates when it is longer than one stretch, see `characters.repaired`.
    """
    start = 0
    while len(text) - start > STRETCH:
        end = _end_of_blanks(pattern, text, start)
        end = end or _cheap_end(text, start) or _piece_end(pattern, text, start)
        if end - start > STRETCH:
            for tokens in _merge_long(encoding, text[start:end]):
                yield start, tokens
        else:
            yield start, encoding.encode_ordinary(text[start:end])
        start = end
    yield start, encoding.encode_ordinary(text[start:])


def _end_of_blanks(pattern: str, text: str, start: int) -> int | None:
    """Find the end of the piece that a run of one kind of blank is, None where no long one begins.

    No pattern looks behind, so the end is found from near it: looking at the whole run takes as long as
    merging it.
    """
    blank = text[start]
    if not blank.isspace() or not text.startswith(blank * 3 * STRETCH, start):
        return None
    near = start + 3 * STRETCH
    while text.startswith(blank * STRETCH, near):
        near += STRETCH
    end = _piece_end(pattern, text, near - 2 * STRETCH)
    # the last blank may belong to the next word; a plugin may have short pieces of blanks
    return end if end >= near - 1 else None


def _cheap_end(text: str, start: int) -> int | None:
    # no break is in blanks at the end, and looking for one there takes 0.3 us each
    stretch = text[start : start + STRETCH - 1].rstrip()
    found = _LAST_BREAK.match(text, start, start + len(stretch) + 1)
    return found.end() if found else None


def _piece_end(pattern: str, text: str, start: int) -> int:
    """Find the last end of a piece in the stretch that is an exact cut; the first piece may be longer.

    After a blank piece a cut is exact only at the first: further on, the pattern leaves the last blank of
    a run to the next word, which it can't see once the text ends at the cut.
    """
    end, blanks = start, 0
    for piece in _compiled(pattern).finditer(text, start):
        if start < end and piece.end() - start > STRETCH:
            break
        blanks = blanks + 1 if piece.group().isspace() else 0
        if end == start or not blanks or blanks > _BLANK_PIECES:
            end = piece.end()
    return end if end > start else len(text)  # a plugin's pattern may match nothing of what is left


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> Any:
    import regex  # type: ignore[import-untyped]  # has no types, and only this line needs it

    return regex.compile(pattern)


def _merge_long(encoding: Encoding, piece: str) -> Iterator[list[int]]:
    merge = getattr(encoding, "_encode_single_piece", None)
    if merge is not None:
        yield from _merge_windows(_remembering(merge), encoding.decode_bytes, piece.encode())
        return
    # a tiktoken without that method: at most a token too many in every half million characters
    for start in range(0, len(piece), _SAFE_CALL):
        yield encoding.encode_ordinary(piece[start : start + _SAFE_CALL])


@lru_cache(maxsize=8)
def _remembering(merge: Callable[[bytes], list[int]]) -> Callable[[bytes], list[int]]:
    # the texts that are tried for one that fits begin alike, and one window takes 0.7 ms
    return lru_cache(maxsize=8)(merge)


def _merge_windows(
    merge: Callable[[bytes], list[int]], spell: Callable[[list[int]], bytes], piece: bytes
) -> Iterator[list[int]]:
    start, size, given = 0, STRETCH, 0
    window = piece[:size]
    tokens = merge(window)
    first = tokens[0]
    while start + size < len(piece):
        kept = tokens[:-_OVERLAP]
        after = start + len(spell(kept))
        following = piece[after : after + size]
        # a run of one character, the usual long piece, is the same window over and over
        ahead = tokens if following == window else merge(following)
        if kept and ahead[0] == tokens[-_OVERLAP]:
            yield kept
            start, window, tokens, first, given = after, following, ahead, ahead[0], given + len(kept)
            continue
        size *= 2
        window = piece[start : start + size]
        tokens = merge(window)
        if tokens[0] != first:
            # what follows reaches back into what was given; neither encoding has such tokens
            yield merge(piece)[given:]
            return
    yield tokens
