"""Make foreign text fit for a reader who must not see everything: clip, boil down, drop secrets' places.

In:   text of any length from an exception.
Out:  one line, or lines that were meant as lines, without HTML, traceback, URL credentials.
Cost: bounded by MAX_RAW characters: what is longer is clipped before anything searches it.
"""

from __future__ import annotations

import re
import unicodedata

MAX_RAW = 4096  # characters of a message that are looked at; the rest is only counted
MAX_MESSAGE = 300
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
_TAG = re.compile(r"<[^<>]{0,500}>")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clip_raw(text: str) -> tuple[str, int]:
    """Clip to MAX_RAW characters on a word; return the text and its full length."""
    size = len(text)
    if size > MAX_RAW:
        head = text[:MAX_RAW]
        # a secret cut in two is no longer recognised, so the last word goes
        space = max(head.rfind(" "), head.rfind("\n"))
        text = head[:space] if space > MAX_RAW // 2 else head
    return text, size


def clean(text: str) -> str:
    """Return clipped text as one line without markup, traceback, credentials and query secrets.

    Example:
        >>> clean("502 for https://me:pw@example.com/?api_key=abc&page=2")
        '502 for https://example.com/?api_key=***&page=2'
    """
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)
    if _TRACEBACK[:9] in text or 'File "' in text:
        text = _drop_traceback(text)
    if "\n" in text or "(Back" in text:
        text = _drop_tails(text)
    if "<" in text:
        text = _boil_html(text)
    text = " ".join(text.split())
    if "://" in text and "@" in text:
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
    words = {word.lower() for word in _WORDS.findall(match[2])}
    hidden = not words.isdisjoint(_SECRET_WORDS) or match[2].lower() in _SECRET_WORDS
    return f"{match[1]}{match[2]}={'***' if hidden else match[3]}"


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


def _boil_html(text: str) -> str:
    lower = text.lower()
    start = min((at for tag in ("<!doctype html", "<html", "<head", "<body") if (at := lower.find(tag)) >= 0),
                default=-1)  # fmt: skip
    if start < 0:
        return text
    for tag in ("title", "h1"):
        opened = lower.find(f"<{tag}", start)
        if opened < 0:
            continue
        begin = lower.find(">", opened) + 1
        end = lower.find(f"</{tag}", begin)
        title = text[begin : end if end >= 0 else begin + 200].strip()
        if begin and title:
            return f"{text[:start]} {_TAG.sub(' ', title)} (HTML page)"
    return f"{text[:start]} {_TAG.sub(' ', text[start:])} (HTML page)"


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
