"""Make one page of HTML that shows a trace, the statistics of a log or its latest traces.

In:   a payload of plain data (`trace_data`, `stats_data`, `index_data`).
Out:  a page that needs nothing else: script, style and uPlot (MIT) are inside it.
Cost: some 15 ms for each MB of the payload.

What a log holds is hostile until shown otherwise. It reaches the page as JSON in which no `<` is left, and
the document as text nodes only. The page's Content-Security-Policy lets one script and one style run, by
hash, loads nothing from anywhere, and with Trusted Types no script can turn text into markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

_SCRIPTS = (
    "uplot/uPlot.iife.min.js",
    "text.js",
    "calls.js",
    "timeline.js",
    "contents.js",
    "detail.js",
    "answer.js",
    "findings.js",
    "charts.js",
    "statistics.js",
    "traces.js",
    "main.js",
)
_STYLES = ("uplot/uPlot.min.css", "page.css")
_LICENSE = "uplot/LICENSE"
_MARK = re.compile(r"\{\{(\w+)\}\}")
# what ends a script element or opens a comment in it; U+2028 and U+2029 end a line of a script
_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_IN_JSON_PATTERN = re.compile(f"[{''.join(_IN_JSON)}]")
_NOT_IN_TITLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def render(payload: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        payload: Plain data with the keys `kind` (`trace`, `stats` or `traces`) and `title`.

    Example:
        >>> page = render({"kind": "traces", "title": "<b>", "traces": []})
        >>> "<title>&lt;b&gt;</title>" in page, "https://" in page.partition("<style>")[0]
        (True, False)
    """
    parts = {
        "policy": html.escape(policy(), quote=True),
        "title": html.escape(_NOT_IN_TITLE.sub(" ", str(payload["title"]))),
        "style": _style(),
        "script": _script(),
        "data": escape_json(orjson.dumps(payload, default=str).decode()),
    }
    # one pass: what was put in is not looked at again
    return _MARK.sub(lambda match: parts[match[1]], _read("page.html"))


def escape_json(text: str) -> str:
    r"""Spell JSON so that it can stand inside a script element.

    Example:
        >>> escape_json('["</script><!--"]')
        '["\\u003c/script\\u003e\\u003c!--"]'
    """
    return _IN_JSON_PATTERN.sub(lambda match: _IN_JSON[match[0]], text)


@cache
def policy() -> str:
    """Return the Content-Security-Policy of every page; a server adds `frame-ancestors 'none'`.

    Example:
        >>> policy().startswith("default-src 'none'; script-src 'sha256-")
        True
    """
    return (
        f"default-src 'none'; script-src '{_hash(_script())}'; style-src '{_hash(_style())}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _script() -> str:
    first, *rest = map(_read, _SCRIPTS)
    # each part is a block of its own, so that only what it hands to `page` is seen by the others
    ours = "\n".join("{\n" + part + "}" for part in rest)
    licence = f"/*! uPlot\n{_read(_LICENSE)}*/"
    return f"{licence}\n{first}\n(() => {{\n'use strict';\nconst page = {{}};\n{ours}\n}})();\n"


@cache
def _style() -> str:
    return "\n".join(map(_read, _STYLES))


@cache
def _read(name: str) -> str:
    text = (files(__name__) / "parts" / name).read_text(encoding="utf-8")
    # a browser reads every line break as a line feed before it compares hashes
    return text.replace("\r\n", "\n")
