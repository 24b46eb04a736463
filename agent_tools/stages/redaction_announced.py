"""Hide the value that a key announces in a text: where it starts, where it ends, whether it is one.

In:   a text, the place after `password=`, `password is` or `--password`, and the kind of the key.
Out:  spans `(start, end, mask)`; none for code (`password=os.environ[...]`), placeholders and plain words.
Cost: bounded by the length of the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent_tools.stages.redaction_masks import HIDDEN, HIDDEN_PASSWORD
from agent_tools.stages.redaction_spans import HAN, Span, line_end
from agent_tools.stages.redaction_values import HIDERS, SCHEME, count_digits, is_placeholder, looks_random
from agent_tools.stages.redaction_vocabulary import STOP_WORDS

# `--password TEXT` in a help text
_METAVAR = re.compile(r"[A-Z][A-Z_]{2,30}[\])]?")
_QUOTE = re.compile(r"""\"{3}\n?|'{3}\n?|\\{0,7}["'`“]|%22|&quot;""")
_QUOTE_STARTS = "\"'`“\\%&"
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
_WRAP_STARTS = "SJORBbFfNnrUu!"
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
_ONE_WORD, _TWO_WORDS = re.compile(r"\S+"), re.compile(r"\S+\s+\S+")
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
_DIGITS = {"otp": _OTP_VALUE, "pin": _OTP_VALUE, "cvv": _CVV_VALUE}
_SCHEMES_OF_PARTS = frozenset({"digest", "hawk", "mac", "signature", "oauth"})
_PLAIN_KINDS = frozenset({"password", "pass", "secret", "token", "maybe", "holder", "internal", "extra"})
_WORDS_ONLY = re.compile(r"[A-Za-z_][A-Za-z_.\-/:* ]*")
# a list of names on both sides of one, and a name in front of its value
_LISTED = re.compile(r"[\"'`]\s{0,3},\s{0,20}[\"'`][\w.\-/ ]{1,60}[\"'`],\s{0,4}\Z")
_OPTION = re.compile(r"[\"'`]--?[\w.\-]{1,60}[\"'`],\s{0,4}\Z")
_LIST_GOES_ON = re.compile(r"[\"'`]\s{0,3},\s{0,20}[\"'`]")
_IS_KEY = re.compile(r"\\{0,7}[\"'`]\s{0,3}:")
_AFTER_CLOSING = re.compile(r"[\s)\],;:.+%}]|\Z")
# of what is a value and no placeholder
_MASKS = {"password": HIDDEN_PASSWORD} | dict.fromkeys(("secret", "token", "internal", "extra"), HIDDEN)
_SPOKEN = _PLAIN_KINDS | {"header", "cookie"}
# what nothing but `_plain_value` takes, and that as a whole: most ids and keys in a log
_LONG_RUN = re.compile(r"(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,159}(?![^\s\"'`<>\\])")

Spans = Sequence[Span]
NOTHING: Spans = ()


def hide_as(kind: str, value: str) -> str | None:
    """Return the mask of a value found in a text, None when it stays, as a single character does."""
    hidden = HIDERS[kind](value) if len(value) > 1 else value
    return None if hidden == value else hidden


def _quoted(text: str, at: int) -> tuple[int, int] | None:
    """Return start and end of the quoted value at this place."""
    quote = _QUOTE.match(text, at) if text[at : at + 1] in _QUOTE_STARTS else None
    if quote is None or _closes(text, quote):
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


def _closes(text: str, quote: re.Match[str]) -> bool:
    """Whether a quote ends the text that the key stands in: `ask("password: ")`."""
    if not _AFTER_CLOSING.match(text, quote.end()):
        return False
    return text.count(quote[0], text.rfind("\n", 0, quote.start()) + 1, quote.start()) % 2 == 1


def after_sign(text: str, at: int, kind: str, *, strict: bool = False) -> Spans:
    """Hide the value after `key =` or `key:`."""
    run = _LONG_RUN.match(text, at) if kind in _PLAIN_KINDS and not strict else None
    if run is not None and looks_random(run[0]):
        return [(at, run.end(), HIDDEN_PASSWORD if kind in ("password", "pass") else HIDDEN)]
    if kind not in _PERSONAL_KINDS and not text[at : at + 1].isascii() and not _HAN_VALUE.match(text, at):
        return NOTHING
    wrapped = _WRAPPED.match(text, at) if text[at : at + 1] in _WRAP_STARTS else None
    at = wrapped.end() if wrapped else at
    quoted = _quoted(text, at)
    if quoted is not None:
        return _quoted_value(text, *quoted, kind)
    if strict:
        return NOTHING
    items = _LIST.match(text, at) if text.startswith("[", at) else None
    if items is not None:
        if kind in ("maybe", "holder") and not any(
            looks_random(v) for v in re.findall(r"[^\"',\s\\]+", items[1])
        ):
            return NOTHING
        return [(items.start(1), items.end(1), f'"{HIDDEN}"' if '"' in items[1] else f"'{HIDDEN}'")]
    if kind in ("cookie", "header"):
        return _header_value(text, at, kind)
    if kind in _DIGITS:
        hit = _DIGITS[kind].match(text, at)
        return [(hit.start(), hit.end(), HIDDEN_PASSWORD)] if hit else NOTHING
    if kind in _PERSONAL_KINDS:
        hit = _PERSONAL.get(kind, _LINE).match(text, at)
        return _masked(kind, text, at, _NEXT_KEY.split(hit[0], maxsplit=1)[0].rstrip()) if hit else NOTHING
    if kind == "phrase":
        hit = _PHRASE.match(text, at) or _UNQUOTED.match(text, at)
        if hit is None or is_placeholder(hit[0]) or hit[0].lower() in STOP_WORDS:
            return NOTHING
        return [(hit.start(), hit.end(), HIDDEN_PASSWORD)]
    return _plain_value(text, at, kind)


def _masked(kind: str, text: str, at: int, value: str) -> Spans:
    hidden = hide_as(kind, value)
    return NOTHING if hidden is None else [(at, at + len(value), hidden)]


def _quoted_value(text: str, start: int, end: int, kind: str) -> Spans:
    value = text[start:end]
    if kind == "token" and value.isalpha() and value.isupper() and len(value) <= 12:
        return NOTHING
    scheme = _SCHEME_WORD.match(text, start, end) if kind in ("header", "token", "holder") else None
    start = scheme.end() if scheme else start
    if _EMPTY.fullmatch(text, start, end) or (scheme and _STANDS_FOR.fullmatch(text, start, end)):
        return NOTHING
    hidden = hide_as(kind, value)
    return NOTHING if hidden is None else [(start, end, hidden)]


def _plain_value(text: str, at: int, kind: str) -> Spans:
    """Hide an unquoted value; code, placeholders and words that are no value stay."""
    end = _unquoted_end(text, at)
    value = text[at:end]
    if not value or (kind == "maybe" and not looks_random(value)):
        return NOTHING
    if (value[0] in "${<" and _TEMPLATE.match(text, at)) or (
        value.isidentifier() and _names_a_variable(text, value, end)
    ):
        return NOTHING
    if value.lower() in ("bearer", "basic", "token") and text[end : end + 1] == " ":
        at = end + 1
        if (quoted := _quoted(text, at)) is not None:
            return _quoted_value(text, *quoted, kind)
        end = _unquoted_end(text, at)
        value = text[at:end]
    if not value or not _is_value(value, kind):
        return NOTHING
    if value.isdecimal() and kind in ("phone", "contact", "id", "plate", "card"):
        return NOTHING
    number = value.isascii() and value.replace(".", "").isdigit()
    if number and kind in ("secret", "token", "internal", "maybe", "holder") and len(value) < 12:
        return NOTHING
    hidden = _MASKS.get(kind) or hide_as(kind, value)
    if hidden is None:
        return NOTHING
    end = _whole_end(text, at, end)
    if text[end : end + 1] and _bare_json_number(text, at, value):
        hidden = f'"{hidden}"'
    return [(at, end, hidden)]


def _names_a_variable(text: str, value: str, end: int) -> bool:
    """Whether an unquoted word is code or grammar: `token = api_key or x`, `(pw=db_password)`, `NOUN`."""
    if value.isupper() and value.isalpha() and len(value) <= 12:
        return True
    if _CODE_GOES_ON.match(text, end) is None or any(map(str.isdigit, value)):
        return False
    return "_" in value.strip("_") or _HUMP.search(value) is not None


def _bare_json_number(text: str, at: int, value: str) -> bool:
    """Whether the value is a bare number after a quoted key, so that its mask needs quotes."""
    return value.isdigit() and re.search(r"\"\s{0,4}:\s{0,8}$", text[max(0, at - 14) : at]) is not None


def _unquoted_end(text: str, at: int) -> int:
    # a value that starts in another script is a short password or no value at all
    hit = _UNQUOTED.match(text, at, at + 40 if not text[at : at + 1].isascii() else len(text))
    if hit is None:
        return at
    value = hit[0]
    if value.isalnum() and value.isascii():
        return hit.end()
    cut = _FORM_CUT.search(value)
    if cut is not None:
        value = value[: cut.start()]
    elif len(value) == LONGEST_LOOK:
        return hit.end()
    if value[:1].isascii() and not value.isascii():
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
    if value.lower().strip(".,;:!?") in STOP_WORDS or value[0] in "=&|<>" or is_placeholder(value):
        return False
    if not value.isalnum() and _CODE.fullmatch(value) and not looks_random(value):
        return False
    if not value.isascii() and _HAN_CHAR.match(value):
        return sum(c.isascii() and c.isalnum() for c in value) >= 4
    return len(value) >= 3


def _header_value(text: str, at: int, kind: str) -> Spans:
    line = _HEADER_LINE.match(text, at)
    if line is None:
        return NOTHING
    value = line[0].rstrip()
    if kind == "header" and value.split(None, 1)[0].lower() in _SCHEMES_OF_PARTS:
        end = min(line_end(text, at), at + 600)
        parts = _DIGEST.finditer(text, at, end) if text.find("=", at, end) >= 0 else ()
        return [(part.start(2), part.end(2), HIDDEN) for part in parts]
    if kind == "header" and "Credential=" not in value:
        words = value.split(None, 2)
        count = 2 if len(words) > 1 and (SCHEME.match(value) or looks_random(words[1], 8)) else 1
        hit = (_TWO_WORDS if count == 2 else _ONE_WORD).match(value)
        value = (hit[0] if hit else value).rstrip(",;)")
    if (
        not value
        or not ("=" in value or (kind == "cookie" and " " not in value) or kind == "header")
        or (kind != "cookie" and len(value) < 6)
        or not _is_value(value, kind)
    ):
        return NOTHING
    scheme = _SCHEME_WORD.match(value)
    start = at + (scheme.end() if scheme else 0)
    return NOTHING if _STANDS_FOR.match(text, start) else [(start, at + len(value), HIDDEN)]


def after_verb(text: str, at: int, kind: str, word: str) -> Spans:
    """Hide the value after `password is` or `password for ann:`: it must not be a word of the sentence."""
    if kind in _DIGITS:
        return after_sign(text, at, kind)
    if kind not in _SPOKEN:
        return NOTHING if word.isascii() else after_sign(text, at, kind)
    if _QUOTE.match(text, at):
        return after_sign(text, at, kind)
    end = _unquoted_end(text, at)
    value = text[at:end]
    # one sets a password to something, and copies a token to a place
    if word.startswith("to") and kind not in ("password", "pass") and not looks_random(value):
        return NOTHING
    if not value or not is_odd_word(value) or not _is_value(value, kind):
        return NOTHING
    return [(at, _whole_end(text, at, end), HIDDEN_PASSWORD if kind in ("password", "pass") else HIDDEN)]


def is_odd_word(value: str) -> bool:
    """Whether a word is none of a sentence: digits, inner capitals or signs in it."""
    return len(value) >= 4 and _ODD.search(value) is not None


def is_odd_argument(text: str, at: int) -> bool:
    """Whether a quoted argument is a value and no text: `setPassword("x7!q")`, not `t("password")`."""
    quoted = _quoted(text, at)
    value = text[slice(*quoted)] if quoted is not None else ""
    return is_odd_word(value) and " " not in value and not value.isupper() and not value.isidentifier()


def is_second(text: str, at: int) -> bool:
    """Whether a quoted text behind a name is its value and not the next name (`("token", "scope", "id")`)."""
    start, end = _quoted(text, at) or (at, at)
    if _IS_KEY.match(text, end) or text.startswith("-", start):
        return False
    is_name = _WORDS_ONLY.fullmatch(text, start, end) is not None and not _OPTION.search(
        text[max(0, at - 80) : at]
    )
    return not is_name or not (_LISTED.search(text[max(0, at - 80) : at]) or _LIST_GOES_ON.match(text, end))


def is_cell(text: str, at: int) -> bool:
    """Whether what follows a bar is the word of a cell, and not a type or name (`pw|py`, `Key | None`)."""
    cell = text[at : at + 4096].partition("\n")[0].partition("|")[0].strip()
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
    if line.startswith("|"):
        return " " not in cell
    return " " not in cell and any(map(str.isdigit, cell))


def after_blank(text: str, at: int, kind: str, *, is_flag: bool, han: bool) -> Spans:
    """Hide the value after a key and a blank: a flag's value, or a text that looks random."""
    if han and not text[at : at + 1].isascii():
        return NOTHING
    if not han and text[at - 1 : at] not in (" ", "\t"):
        return NOTHING
    if kind in _DIGITS:
        hit = _DIGITS[kind].match(text, at)
        if hit is None or (kind != "cvv" and count_digits(hit[0]) < 4):
            return NOTHING
        return [(hit.start(), hit.end(), HIDDEN_PASSWORD)]
    quoted = _quoted(text, at) if is_flag or _QUOTE.match(text, at) else None
    start, end = quoted or (at, _unquoted_end(text, at))
    value = text[start:end]
    if not value or is_placeholder(value) or value.startswith("-"):
        return NOTHING
    if is_flag:
        if _METAVAR.fullmatch(value) and quoted is None:
            return NOTHING
        hidden = hide_as(kind, value) if text[at - 1 : at] in " \t" else None
        return [(start, end if quoted else _whole_end(text, start, end), hidden)] if hidden else NOTHING
    if kind in ("phone", "contact", "id", "card", "plate") or kind in _PERSONAL_KINDS:
        return NOTHING
    if kind == "header":
        line = _HEADER_LINE.match(text, at)
        return _header_value(text, at, kind) if line and SCHEME.match(line[0]) else NOTHING
    if (
        looks_random(value, 6 if han else 10)
        or (quoted and kind in ("password", "pass") and is_odd_word(value))
        or (han and is_odd_word(value) and len(value) >= 6 and value.isascii())
    ):
        end = end if quoted else _whole_end(text, start, end)
        return [(start, end, HIDDEN_PASSWORD if kind in ("password", "pass") else HIDDEN)]
    return NOTHING
