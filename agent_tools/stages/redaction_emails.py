"""Find e-mail addresses in a text.

In:   a text.
Out:  spans `(start, end, mask)`; image names (`logo@2x.png`), packages and git remotes are none.
Cost: linear: every look starts at an at sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_tools.stages.redaction_masks import HIDDEN
from agent_tools.stages.redaction_spans import Span, hits_in

_DOMAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})(?:\.[A-Za-z0-9\-]{1,63}){1,6}")
_FILE_ENDS = (
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "ts", "json", "html", "htm", "md",
    "py", "txt", "pdf", "xml", "yml", "yaml", "avif", "bmp", "mp4",
)  # fmt: skip
_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-!#$&*/=?^`{|}~"
_AT = r"\s{0,2}[\[(<{]\s?(?:at|@|AT|At)\s?[\])>}]\s{0,2}[A-Za-z0-9\-]+"
_DOT = r"\s{0,2}(?:[\[(<{]?\s?(?:dot|DOT|Dot)\s?[\])>}]?|\.)\s{0,2}[A-Za-z0-9\-]+"
_OBFUSCATED = re.compile(f"{_AT}(?:{_DOT}){{1,5}}")


def email_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Find addresses, also written as `name [at] example dot org`."""
    at = text.find("@", start, end)
    while at >= 0:
        before = text[max(0, at - 64) : at]
        size = len(before) - len(before.rstrip(_LOCAL))
        local = before[len(before) - size :].lstrip("./=?&|#`{*!")
        domain = _DOMAIN.match(text, at + 1)
        if local and domain and _is_email(text, at - len(local), local, domain):
            yield at - len(local), domain.end(), f"***@{domain[0]}"
        at = text.find("@", at + 1, end)
    for hit in hits_in(_OBFUSCATED, text, start, end):
        before = text[max(0, hit.start() - 64) : hit.start()]
        size = len(before) - len(before.rstrip(_LOCAL))
        if size:
            yield hit.start() - size, hit.end(), HIDDEN


def _is_email(text: str, start: int, local: str, domain: re.Match[str]) -> bool:
    top = domain[0].rpartition(".")[2].lower()
    if len(top) < 2 or (not top.isalpha() and not top.startswith("xn--")) or top in _FILE_ENDS:
        return False
    if text.startswith(":", domain.end()) and re.match(
        r":[\w~./\-]+", text[domain.end() : domain.end() + 40]
    ):
        return local not in ("git", "hg", "svn") and not re.match(r":[A-Za-z~/]", text[domain.end() :])
    return not ("://" in text[max(0, start - 12) : start] and local == "git")
