"""Make foreign text fit for a reader who must not see everything: clip, boil down, drop secrets' places.

In:   text of any length from an exception.
Out:  one line, or lines that were meant as lines, without HTML, traceback, URL credentials.
Cost: about 5 us for WINDOW characters. Of a longer text no more is read, unless nearly nothing of that is
      left; then MAX_RAW.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
import unicodedata
from collections.abc import Callable, Iterable

from agent_tools.foreign import read_text

WINDOW = 1024
MAX_RAW = 4096  # characters of a message that are looked at; the rest is only counted
MAX_MESSAGE = 300
MAX_LINES = 6  # of a validation error or a group; the rest is counted
EDGE = 256  # what stands so near to a cut may be half a secret: it is read and not shown
ENOUGH = 600 + EDGE  # of a cleaned text: the longest that is shown, in a log, and the edge

Redact = Callable[[str], str]
TOKEN_CHARACTERS = string.ascii_letters + string.digits + "+/=_-.~%"
_TRACEBACK = "Traceback (most recent call last)"
# what libraries append to their messages for people with a browser
_TAILS = (
    "\nFor more information check:",
    "\nFor further information visit",
    "(Background on this error at:",
    "\n[SQL:",
    "\n[parameters:",
)
_USERINFO = re.compile(r"(?<=://)[^\s/?#]{0,512}@")
_QUERY_VALUE = re.compile(r"([?&;]|%26)([\w.\-\[\]]{1,64})=([^\s&;'\"<>)]+)")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = frozenset(
    [
        "key",
        "apikey",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "pass",
        "passphrase",
        "sig",
        "signature",
        "auth",
        "authorization",
        "credential",
        "credentials",
        "jwt",
        "session",
        "sessionid",
        "sid",
        "bearer",
        "code",
        "otp",
        "pin",
        "accesskey",
        "accesstoken",
    ]
)
_FRAME = re.compile(r'^\s*(?:[|+]\s*)*File ".*?", line \d+')
_PAGE = re.compile(r"<(?i:!doctype html|html|head|body)")
_INPUT_VALUE = re.compile(r", input_value=.{0,400}?, input_type=\w+\]", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,500}>")
_SURROGATES = re.compile("[\ud800-\udfff]")


def shorten(text: str, redact: Redact, limit: int = MAX_MESSAGE) -> str:
    """Return a text of any length cleaned, redacted and clipped, in this order; no half of a secret is left.

    Raises:
        Exception: Whatever the redactor raises.

    Example:
        >>> shorten("got\\n" + "word " * 9_000, str, 40)
        'got word word word… (45,004 characters)'
    """
    cleaned, is_cut = _excerpt(text)
    redacted = hide_in_urls(redact(cleaned))
    shown = redacted[:-EDGE] if is_cut else redacted
    return f"a text of {len(text):,} characters" if is_blank(shown) else clip(shown, limit, len(text))


def part_of(text: object, redact: Redact, limit: int = 100) -> str:
    """Return what is shown of a part of a message; redacted only where it is cut, else with the whole.

    Raises:
        Exception: Whatever the redactor raises.

    Example:
        >>> part_of(" no  such file", str)
        'no such file'
    """
    raw = read_text(text) or ""
    return clean(raw) if len(raw) <= limit else shorten(raw, redact, limit)


def fit(text: str, redact: Redact, limit: int = 100) -> str:
    """Return a text that is clean already, cut as `part_of` does it.

    Raises:
        Exception: Whatever the redactor raises.

    Example:
        >>> fit("no such file", str, 8)
        'no such…'
    """
    return text if len(text) <= limit else shorten(text, redact, limit)


def join_lines(lines: Iterable[str], total: int, joint: str = "\n") -> str:
    """Join the first MAX_LINES lines, and count the rest.

    Example:
        >>> join_lines(["a"] * 8, 8, "; ")
        'a; a; a; a; a; a; and 2 more'
    """
    shown = list(itertools.islice(lines, MAX_LINES))
    if total > len(shown):
        shown.append(f"and {total - len(shown)} more")
    return joint.join(shown)


def _excerpt(text: str) -> tuple[str, bool]:
    # the beginning of a text, cleaned, and whether a secret of several words may be cut at its end
    if len(text) <= WINDOW:
        return clean(text), False
    head = _head(text, WINDOW)
    if "<" in head and (found := _PAGE.search(head)):
        page, start = _head(text, MAX_RAW), found.start()
        title = _title_of(page, start)
        told = clean(_boil_html(page[:start], title or page[start:]))
        return told, title is None and _is_cut(page, text)
    cleaned = clean(head)
    if len(cleaned) >= ENOUGH:
        return cleaned, True
    head = _head(text, MAX_RAW)
    return clean(head), _is_cut(head, text)


def _head(text: str, size: int) -> str:
    # a token cut in two is no longer recognised, so what is left of it goes
    return text if len(text) <= size else text[:size].rstrip(TOKEN_CHARACTERS)


def _is_cut(head: str, text: str) -> bool:
    # what ends in a word as long as that is no phrase
    return len(head) < len(text) and MAX_RAW - len(head) < EDGE


def clean(text: str) -> str:
    """Return text as one line without markup, traceback and what libraries append.

    Example:
        >>> clean("502\\n for  <html><title>Bad Gateway</title></html>")
        '502 for Bad Gateway (HTML page)'
    """
    # a look for one character costs a tenth of one for a word
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)
    if "Traceback" in text or ('"' in text and 'File "' in text):
        text = _drop_traceback(text)
    if "\n" in text or ("(" in text and "(Back" in text):
        text = _drop_tails(text)
    text = without_inputs(text)
    if "<" in text and (page := _PAGE.search(text)):
        text = _boil_html(text[: page.start()], _title_of(text, page.start()) or text[page.start() :])
    if "\n" in text or "  " in text or not text.isprintable():
        text = " ".join(text.split())
    else:
        text = text.strip(" ")
    return text


def without_inputs(text: str) -> str:
    """Return text without the values that pydantic rejected, each shortened in its middle: half a secret.

    Example:
        >>> without_inputs("a: bad [type=int_parsing, input_value='hunter...ter2', input_type=str]")
        'a: bad [type=int_parsing]'
    """
    return _INPUT_VALUE.sub("]", text) if "input_value=" in text else text


def hide_in_urls(text: str) -> str:
    """Return redacted text without credentials and query secrets of URLs.

    After the redactor: a secret of which this hid a part would no longer be recognised.

    Example:
        >>> hide_in_urls("502 for https://me:pw@example.com/?api_key=abc&page=2")
        '502 for https://example.com/?api_key=***&page=2'
    """
    if "@" in text and "://" in text:
        text = _USERINFO.sub("", text)
    if "=" in text and ("?" in text or "&" in text):
        text = _QUERY_VALUE.sub(_mask, text)
    return text


def _drop_tails(text: str) -> str:
    for tail in _TAILS:
        if (cut := text.find(tail)) >= 0:
            text = text[:cut]
    return text


def _mask(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}={'***' if _names_a_secret(match[2]) else match[3]}"


@functools.lru_cache(maxsize=1024)
def _names_a_secret(name: str) -> bool:
    words = {word.lower() for word in _WORDS.findall(name)}
    return not words.isdisjoint(_SECRET_WORDS) or name.lower() in _SECRET_WORDS


def _drop_traceback(text: str) -> str:
    # what stands before it, and its last line: the exception
    kept: list[str] = []
    dropped = in_frames = False
    for line in text.splitlines():
        if _TRACEBACK in line:
            kept.append(line[: line.find(_TRACEBACK)].rstrip(" +|"))
            in_frames = dropped = True
        elif _FRAME.match(line):
            in_frames = dropped = True
        elif in_frames and (
            not line.strip() or line[:1].isspace() or line.lstrip(" |").startswith(("^", "~"))
        ):
            continue
        else:
            in_frames = False
            kept.append(line)
    return "\n".join(kept) if dropped else text


def _title_of(page: str, start: int) -> str | None:
    lower = page.lower()
    for tag in ("title", "h1"):
        opened = lower.find(f"<{tag}", start)
        begin = lower.find(">", opened) + 1
        end = lower.find(f"</{tag}", begin)
        if opened >= 0 and begin and end >= 0 and (title := page[begin:end].strip()):
            return title
    return None


def _boil_html(before: str, words: str) -> str:
    return f"{before} {_TAG.sub(' ', words)} (HTML page)"


def clip(text: str, limit: int = MAX_MESSAGE, size: int = 0) -> str:
    """Clip to `limit` characters on a word, or on a whole character; say the full size when it was large.

    Example:
        >>> clip("one two three", 9)
        'one two…'
    """
    if len(text) <= limit and size <= MAX_RAW:
        return text
    note = f" ({size:,} characters)" if size > MAX_RAW else ""
    if len(text) + len(note) <= limit:
        return text + note
    room = limit - len(note) - 1
    space = text.rfind(" ", room - 40, room + 1) if room > 40 else text.rfind(" ", 0, room + 1)
    end = space if space > 0 else room
    while end > 1 and (unicodedata.combining(text[end]) or "\u200d" in text[end - 1 : end + 1]):
        end -= 1
    return text[:end].rstrip() + "…" + note


def is_blank(text: str) -> bool:
    """Say whether a text tells nothing: empty, `None`, or only punctuation.

    Example:
        >>> is_blank(" ..."), is_blank("None"), is_blank("no")
        (True, True, False)
    """
    if text[-1:].isalnum() and len(text) != 4:
        return False  # nearly every message, without a loop
    return text == "None" or not any(character.isalnum() or _is_symbol(character) for character in text)


def _is_symbol(character: str) -> bool:
    # an emoji says something, a dollar sign alone and what stands for an unreadable character do not
    return character > "\x7f" and character != "\ufffd" and unicodedata.category(character) == "So"
