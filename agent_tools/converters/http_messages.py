"""What a server says about a failure, in the forms that APIs and error pages have.

In:   parsed JSON, an HTML page, or XML.
Out:  one sentence, None where nothing is said.
Cost: bounded by MAX_NODES values of JSON and MAX_HTML_CHARS of a page.
"""

from __future__ import annotations

import html
import re
from typing import Any

MAX_NODES = 200
MAX_ITEMS = 5
MAX_HTML_CHARS = 50_000
MAX_MESSAGE_CHARS = 400
MAX_PARAGRAPHS_CHARS = 200
# RFC 9457, JSON:API, OAuth, Google, AWS, GitHub, FastAPI, Django ...; the most telling first
KEYS = (
    "detail",
    "details",
    "error_description",
    "message",
    "Message",
    "error_message",
    "errorMessage",
    "error",
    "errors",
    "msg",
    "reason",
    "title",
    "description",
    "fault",
    "faultstring",
)
_TAG = re.compile(r"<[^<>]{0,500}>")
_PARAGRAPH = re.compile(r"<p\b[^<>]*>(.*?)(?=</p\s*>|<p\b|$)", re.DOTALL | re.IGNORECASE)
_XML_TEXT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_]+)\b[^<>]*>([^<>]+)</")
_SILENT = re.compile(r"<(script|style|head|noscript|svg)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


def find_message(data: Any) -> str | None:
    """Return the words of an error body.

    Example:
        >>> find_message({"error": {"code": 404, "message": "no such order"}})
        'no such order'
        >>> find_message({"detail": [{"loc": ["body", "amount"], "msg": "field required"}]})
        'body.amount: field required'
        >>> find_message({"id": 1}) is None
        True
    """
    return _Search().find(data, 0)


class _Search:
    """One search through a body, which may be large or deep."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def find(self, node: Any, depth: int) -> str | None:
        self.left -= 1
        if self.left < 0 or depth > 6:
            return None
        if isinstance(node, str):
            return " ".join(node.split())[:MAX_MESSAGE_CHARS] or None
        if isinstance(node, list):
            return self._list(node, depth)
        return self._object(node, depth) if isinstance(node, dict) else None

    def _list(self, items: list[Any], depth: int) -> str | None:
        said = [text for item in items[:MAX_ITEMS] if (text := self.find(item, depth + 1))]
        more = f" and {len(items) - MAX_ITEMS} more" if len(items) > MAX_ITEMS and said else ""
        return "; ".join(dict.fromkeys(said))[:MAX_MESSAGE_CHARS] + more or None

    def _object(self, fields: dict[str, Any], depth: int) -> str | None:
        for key in KEYS:
            value = fields.get(key)
            # a details list of machine-readable parts says less than the message beside it
            if value is None or (key == "details" and isinstance(fields.get("message"), str)):
                continue
            said = self.find(value, depth + 1)
            if said:
                return _at(fields.get("loc"), said)
        if depth and fields and all(isinstance(value, str | list) for value in fields.values()):
            # a map from field to complaints, as Django and Rails have it
            pairs = [(key, self.find(value, depth + 1)) for key, value in list(fields.items())[:MAX_ITEMS]]
            return "; ".join(f"{key}: {said}" for key, said in pairs if said) or None
        return None


def _at(place: Any, said: str) -> str:
    return f"{'.'.join(map(str, place))}: {said}" if isinstance(place, list) and place else said


def looks_like_html(text: str) -> bool:
    """Say whether a body is a page, whatever its content type says.

    Example:
        >>> looks_like_html("<!DOCTYPE html><html>"), looks_like_html("a < b")
        (True, False)
    """
    head = text[:1000].lstrip().lower()
    return head.startswith(("<!doctype html", "<html")) or "<head" in head or "<body" in head


def boil_html(text: str) -> str | None:
    """Return what a page says: its title, headings, first preformatted text and paragraphs, each once.

    Example:
        >>> boil_html("<html><title>502</title><h1>Bad Gateway</h1><p>nginx</p></html>")
        '502. Bad Gateway. nginx'
    """
    text = text[:MAX_HTML_CHARS]
    body = _SILENT.sub(" ", text)
    # Django and Express have their message in the first <pre>
    parts = [_words(_inside(text, "title")), *(_words(_inside(body, tag)) for tag in ("h1", "h2", "pre"))]
    told: list[str] = []
    for part in [*parts, _paragraphs(body) or _words(body)]:
        for said in told:
            part = part.replace(said, "")
        part = part.strip(" .")
        if part and not any(part.lower() in said.lower() for said in told):
            told.append(part)
    ended = [part if part[-1] in "?!:" else f"{part}." for part in told]
    return " ".join(ended).removesuffix(".")[:MAX_MESSAGE_CHARS] or None


def find_xml_message(text: str) -> str | None:
    """Return the words of an error in XML, as object stores and SOAP services send it.

    Example:
        >>> find_xml_message("<Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>")
        'No such key.'
    """
    if not text.lstrip().startswith("<"):
        return None
    said = {match[1].lower(): _words(match[2]) for match in _XML_TEXT.finditer(text[:MAX_HTML_CHARS])}
    return next((words for key in KEYS if (words := said.get(key.lower()))), None)


def _paragraphs(text: str) -> str:
    words = dict.fromkeys(_words(match[1]) for match in _PARAGRAPH.finditer(text))
    return " ".join(filter(None, words))[:MAX_PARAGRAPHS_CHARS]


def _inside(text: str, tag: str) -> str:
    opened = re.search(rf"<{tag}\b[^<>]*>", text, re.IGNORECASE)
    if opened is None:
        return ""
    closed = re.compile(rf"</{tag}\s*>", re.IGNORECASE).search(text, opened.end())
    return text[opened.end() : closed.start() if closed else opened.end() + 200]


def _words(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())[:200]
