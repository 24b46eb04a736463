"""Hide the value that a key announces in a text: where it starts, where it ends, whether it is one.

In:   a text, the place after `password=`, `password is` or `--password`, and the kind of the key.
Out:  spans `(start, end, mask)`; none for code (`password=os.environ[...]`), placeholders and plain words.
Cost: bounded by the length of the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_tools.stages.redaction_masks import HIDDEN, HIDDEN_PASSWORD
from agent_tools.stages.redaction_spans import HAN, Span, line_end
from agent_tools.stages.redaction_values import HIDERS, SCHEME, count_digits, is_placeholder, looks_random
from agent_tools.stages.redaction_vocabulary import STOP_WORDS

# `--password TEXT` in a help text
_METAVAR = re.compile(r"[A-Z][A-Z_]{2,30}[\])]?")
_QUOTE = re.compile(r"""\"{3}\n?|'{3}\n?|\\{0,7}["'`“]|%22|&quot;""")
_LIST = re.compile(r"""\[\s{0,3}((?:\\{0,7}["'][^"'\]\n]{0,400}["'][,\s]{0,3}){1,50})\]""")
LONGEST_LOOK = 160  # a longer value goes on with what tokens consist of
_ODD = re.compile(r"[\d!@#$%^&*_+=~]|(?<=.)[A-Z]", re.DOTALL)
_UNQUOTED = re.compile(r"""[^\s"'`<>，。；、！？”「」】】\\]{1,160}""")
_UNQUOTED_REST = re.compile(r"[A-Za-z0-9_\-+/=.~%]{0,65536}")
_HAN_CHAR = re.compile(f"[{HAN}]")
_FORM_CUT = re.compile(
    r"\?(?=[A-Za-z_]\w{0,40}=)|&(?:amp;)?[A-Za-z_][\w.\-\[\]%]{0,60}=|"
    r"[;,](?:$|[A-Za-z_][\w.\- ]{0,60}[=:])|[|]|"
    r"%26[A-Za-z_]\w{0,40}%3D"
)
_CODE = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z_][\w.]*[(\[].*|\w+\?\.\w.*|&?self\.\w+|\(.*|[{}\[\]()]+.*"
)
# What stands for a value in templates, and how code goes on behind a variable.
_WRAPPED = re.compile(
    r"(?:Some|Just|Ok|Right|Optional|SecretStr|Secret)\((?=[\"'])|"
    r"[BbFfNnRrUu]{1,2}(?=\\{0,3}[\"'])|![A-Za-z][\w\-./:]{0,40}[ \t]+(?=\S)"
)
# The values of `Authorization: Digest username="ann", response="..."` that let somebody in.
_DIGEST = re.compile(
    r"(?i)\b(?:response|c?nonce|opaque|mac|hash|signature|oauth_\w{1,20})\s?=\s?(\"?)([^\",\s]{6,512})\1"
)
_TEMPLATE = re.compile(r"\$?\{\{|\$\{|\$\(|<%|\{%")
# nothing, or a scheme that the code goes on behind: `"Bearer " + token`
_EMPTY = re.compile(r"(?i)[^\w!@#$%^&*+~]*|(?:bearer|basic|token)[ \t]*")
# what stands for a token behind `Bearer`
_STANDS_FOR = re.compile(
    r"\$?\{[\w.\- ]{0,60}\}|\$\(|\$[A-Za-z_]\w{0,60}(?![\w.\-])|\{\{|<[\w \-]{1,40}>|%\(?\w*\)?s\b|<%"
)
_HUMP = re.compile(r"[a-z][A-Z]")
_CODE_GOES_ON = re.compile(r"[ \t](?:or|if|and|\|\||\?\?)[ \t]|[);]")
_HEADER_LINE = re.compile(r"[^\r\n\"'`}<]{1,4096}")
_SCHEME_WORD = re.compile(r"(?i)(?:bearer|basic|token|digest|apikey|negotiate|oauth|jwt)[ \t]+(?=\S)")
_LINE = re.compile(r"[^\r\n\"'<>{}\t|;；，。]{1,300}")
_PERSONAL: dict[str, re.Pattern[str]] = {
    "ip": re.compile(r"[0-9a-fA-F.:]{3,45}(?:, ?[0-9a-fA-F.:]{3,45}){0,8}"),
    "birth": re.compile(r"[0-9][0-9年月日./\- ]{3,20}"),
    "email": re.compile(r"\S{3,254}"),
}
_NEXT_KEY = re.compile(r"&|[,，]?\s+(?=[^\s:：=,]{1,20}[=:：])|,(?=[A-Za-z_]+[=:])")
_PERSONAL_KINDS = frozenset({"name", "address", "birth", "ip", "email"})
_HAN_VALUE = re.compile(r"[“”]|[^\x00-\x7f\s]{1,12}[!-~]{3}")
_PHRASE = re.compile(r"[a-z]{2,12}(?:[ ,\-][a-z]{2,12}){2,23}")
_OTP_VALUE = re.compile(r"[A-Z]?-?\d{3}[ \-]?\d{1,5}(?![0-9A-Za-z])|(?=[A-Z]*\d)[A-Z0-9]{4,8}(?![0-9A-Za-z])")

_CVV_VALUE = re.compile(r"\d{3,8}(?![0-9A-Za-z])")


def hide_as(kind: str, value: str) -> str | None:
    """Return the mask of a value found in a text, None when it stays."""
    hidden = HIDERS[kind](value)
    return None if hidden == value else hidden


def _quoted(text: str, at: int) -> tuple[int, int] | None:
    """Return start and end of the quoted value at this place."""
    quote = _QUOTE.match(text, at)
    if quote is None:
        return None
    mark, start = quote[0], quote.end()
    closing = "”" if mark == "“" else mark.rstrip("\n")
    end = start
    while True:
        end = text.find(closing, end, start + 65536)
        if end < 0:
            return start, line_end(text, start)
        slashes = len(text[start:end]) - len(text[start:end].rstrip("\\"))
        if slashes % 2 == 0 or (len(mark) > 1 and not slashes):
            return start, end
        end += len(closing)


def after_sign(text: str, at: int, kind: str, *, strict: bool = False) -> Iterator[Span]:
    """Hide the value after `key =` or `key:`."""
    if kind not in _PERSONAL_KINDS and not text[at : at + 1].isascii() and not _HAN_VALUE.match(text, at):
        return
    wrapped = _WRAPPED.match(text, at)
    at = wrapped.end() if wrapped else at
    quoted = _quoted(text, at)
    if quoted is not None:
        start, end = quoted
        value = text[start:end]
        if kind == "token" and value.isalpha() and value.isupper() and len(value) <= 12:
            return
        scheme = _SCHEME_WORD.match(text, start, end) if kind in ("header", "token", "holder") else None
        start = scheme.end() if scheme else start
        if _EMPTY.fullmatch(text, start, end) or (scheme and _STANDS_FOR.fullmatch(text, start, end)):
            return
        if (hidden := hide_as(kind, value)) is not None:
            yield start, end, hidden
        return
    if strict:
        return
    items = _LIST.match(text, at)
    if items is not None:
        if kind not in ("maybe", "holder") or any(
            looks_random(v) for v in re.findall(r"[^\"',\s\\]+", items[1])
        ):
            yield items.start(1), items.end(1), f'"{HIDDEN}"' if '"' in items[1] else f"'{HIDDEN}'"
        return
    if kind in ("cookie", "header"):
        yield from _header_value(text, at, kind)
    elif kind in ("otp", "pin", "cvv"):
        hit = (_CVV_VALUE if kind == "cvv" else _OTP_VALUE).match(text, at)
        if hit is not None:
            yield hit.start(), hit.end(), HIDDEN_PASSWORD
    elif kind in _PERSONAL_KINDS:
        hit = _PERSONAL.get(kind, _LINE).match(text, at)
        if hit is not None:
            value = _NEXT_KEY.split(hit[0], maxsplit=1)[0].rstrip()
            if (hidden := hide_as(kind, value)) is not None:
                yield at, at + len(value), hidden
    elif kind == "phrase":
        hit = _PHRASE.match(text, at) or _UNQUOTED.match(text, at)
        if hit is not None and not is_placeholder(hit[0]) and hit[0].lower() not in STOP_WORDS:
            yield hit.start(), hit.end(), HIDDEN_PASSWORD
    else:
        yield from _plain_value(text, at, kind)


def _plain_value(text: str, at: int, kind: str) -> Iterator[Span]:
    """Hide an unquoted value; code, placeholders and words that are no value stay."""
    end = _unquoted_end(text, at)
    value = text[at:end]
    if not value or (kind == "maybe" and not looks_random(value)):
        return
    if _TEMPLATE.match(text, at) or (value.isidentifier() and _names_a_variable(text, value, end)):
        return
    if value.lower() in ("bearer", "basic", "token") and text[end : end + 1] == " ":
        at = end + 1
        end = _unquoted_end(text, at)
        value = text[at:end]
    if not _is_value(value, kind):
        return
    if value.isdecimal() and kind in ("phone", "contact", "id", "plate", "card"):
        return
    number = value.isascii() and value.replace(".", "").isdigit()
    if number and kind in ("secret", "token", "internal", "maybe", "holder") and len(value) < 12:
        return
    hidden = hide_as(kind, value)
    if hidden is not None:
        end = _whole_end(text, at, end)
        if text[end : end + 1] == "" or not _bare_json_number(text, at, value):
            yield at, end, hidden
        else:
            yield at, end, f'"{hidden}"'


def _names_a_variable(text: str, value: str, end: int) -> bool:
    """Whether an unquoted word is code or grammar: `token = api_key or x`, `(pw=db_password)`, `NOUN`."""
    if value.isupper() and value.isalpha() and len(value) <= 12:
        return True
    has_parts = "_" in value.strip("_") or _HUMP.search(value) is not None
    goes_on = _CODE_GOES_ON.match(text, end)
    return has_parts and goes_on is not None and not any(c.isdigit() for c in value)


def _bare_json_number(text: str, at: int, value: str) -> bool:
    """Whether the value is a bare number after a quoted key, so that its mask needs quotes."""
    return value.isdigit() and re.search(r"\"\s{0,4}:\s{0,8}$", text[max(0, at - 14) : at]) is not None


def _unquoted_end(text: str, at: int) -> int:
    # a value that starts in another script is a short password or no value at all
    hit = _UNQUOTED.match(text, at, at + 40 if not text[at : at + 1].isascii() else len(text))
    if hit is None:
        return at
    value = hit[0]
    cut = _FORM_CUT.search(value)
    if cut is not None:
        value = value[: cut.start()]
    elif len(value) == LONGEST_LOOK:
        return hit.end()
    if value[:1].isascii():
        han = _HAN_CHAR.search(value)
        if han is not None:
            value = value[: han.start()]
    while value and value[-1] in ".,;:?)]}":
        if value[-1] in ")]}" and value.count("([{"[")]}".index(value[-1])]) >= value.count(value[-1]):
            break
        value = value[:-1]
    return at + len(value)


def _whole_end(text: str, at: int, end: int) -> int:
    """Return where a long value really ends; asked only of what is hidden, so each place is read once."""
    if end - at < LONGEST_LOOK:
        return end
    rest = _UNQUOTED_REST.match(text, end)
    return rest.end() if rest else end


def _is_value(value: str, kind: str) -> bool:
    if is_placeholder(value) or value.lower().strip(".,;:!?") in STOP_WORDS or value[0] in "=&|<>":
        return False
    if _CODE.fullmatch(value) and not looks_random(value):
        return False
    if _HAN_CHAR.match(value):
        return sum(c.isascii() and c.isalnum() for c in value) >= 4
    return len(value) >= 3


def _header_value(text: str, at: int, kind: str) -> Iterator[Span]:
    line = _HEADER_LINE.match(text, at)
    if line is None:
        return
    value = line[0].rstrip()
    if kind == "header" and value.split(None, 1)[0].lower() in (
        "digest",
        "hawk",
        "mac",
        "signature",
        "oauth",
    ):
        end = min(line_end(text, at), at + 600)
        for part in _DIGEST.finditer(text, at, end) if text.find("=", at, end) >= 0 else ():
            yield part.start(2), part.end(2), HIDDEN
        return
    if kind == "header":
        words = value.split(None, 2)
        keep_all = (
            words and words[0].lower() in ("digest", "oauth", "signature", "hawk", "mac")
        ) or "Credential=" in value
        if not keep_all and words:
            count = 2 if len(words) > 1 and (SCHEME.match(value) or looks_random(words[1], 8)) else 1
            hit = re.match(r"\S+\s+\S+" if count == 2 else r"\S+", value)
            value = (hit[0] if hit else value).rstrip(",;)")
    if (
        value
        and not is_placeholder(value)
        and ("=" in value or (kind == "cookie" and " " not in value) or kind == "header")
        and (kind == "cookie" or len(value) >= 6)
        and _is_value(value, kind)
    ):
        scheme = _SCHEME_WORD.match(value)
        if _STANDS_FOR.match(text, at + (scheme.end() if scheme else 0)):
            return
        yield at + (scheme.end() if scheme else 0), at + len(value), HIDDEN


def in_element(text: str, tail: re.Match[str], kind: str) -> Iterator[Span]:
    """Hide the value after `<key>`."""
    at = tail.end("xml")
    end = text.find("<", at, at + 4096)
    if end > at and (hidden := hide_as(kind, text[at:end])) is not None and text[at:end].strip():
        yield at, end, hidden


def after_verb(text: str, at: int, kind: str, word: str) -> Iterator[Span]:
    """Hide the value after `password is` or `password for ann:`: it must not be a word of the sentence."""
    if kind in ("otp", "pin", "cvv"):
        yield from after_sign(text, at, kind)
        return
    if kind not in (
        "password",
        "pass",
        "secret",
        "token",
        "maybe",
        "holder",
        "header",
        "internal",
        "extra",
        "cookie",
    ):
        if not word.isascii():
            yield from after_sign(text, at, kind)
        return
    if _QUOTE.match(text, at):
        yield from after_sign(text, at, kind)
        return
    end = _unquoted_end(text, at)
    value = text[at:end]
    # one sets a password to something, and copies a token to a place
    if word.startswith("to") and kind not in ("password", "pass") and not looks_random(value):
        return
    if value and _is_value(value, kind) and is_odd_word(value):
        yield at, _whole_end(text, at, end), HIDDEN_PASSWORD if kind in ("password", "pass") else HIDDEN


def is_odd_word(value: str) -> bool:
    """Whether a word is none of a sentence: digits, inner capitals or signs in it."""
    return len(value) >= 4 and _ODD.search(value) is not None


def is_odd_argument(text: str, at: int) -> bool:
    """Whether a quoted argument is a value and no text: `setPassword("x7!q")`, not `t("password")`."""
    quoted = _quoted(text, at)
    value = text[slice(*quoted)] if quoted is not None else ""
    return is_odd_word(value) and " " not in value and not value.isupper() and not value.isidentifier()


def after_blank(text: str, at: int, kind: str, *, is_flag: bool, han: bool) -> Iterator[Span]:
    """Hide the value after a key and a blank: a flag's value, or a text that looks random."""
    if han and not text[at : at + 1].isascii():
        return
    if not han and text[at - 1 : at] not in (" ", "\t"):
        return
    if kind in ("otp", "pin", "cvv"):
        hit = (_CVV_VALUE if kind == "cvv" else _OTP_VALUE).match(text, at)
        if hit is not None and (kind == "cvv" or count_digits(hit[0]) >= 4):
            yield hit.start(), hit.end(), HIDDEN_PASSWORD
        return
    quoted = _quoted(text, at) if is_flag or _QUOTE.match(text, at) else None
    start, end = quoted or (at, _unquoted_end(text, at))
    value = text[start:end]
    if not value or is_placeholder(value) or value.startswith("-"):
        return
    if is_flag:
        if _METAVAR.fullmatch(value) and quoted is None:
            return
        if text[at - 1 : at] in " \t" and (hidden := hide_as(kind, value)) is not None:
            yield start, end if quoted else _whole_end(text, start, end), hidden
        return
    if kind in ("phone", "contact", "id", "card", "plate", "name", "address", "birth", "ip", "email"):
        return
    least = 6 if han else 10
    if kind == "header":
        yield from _scheme_value(text, at)
    elif (
        looks_random(value, least)
        or (quoted and kind in ("password", "pass") and is_odd_word(value))
        or (han and is_odd_word(value) and len(value) >= 6 and value.isascii())
    ):
        end = end if quoted else _whole_end(text, start, end)
        yield start, end, HIDDEN_PASSWORD if kind in ("password", "pass") else HIDDEN


def _scheme_value(text: str, at: int) -> Iterator[Span]:
    line = _HEADER_LINE.match(text, at)
    if line and SCHEME.match(line[0]):
        yield from _header_value(text, at, "header")
