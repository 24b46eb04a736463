"""Hide secrets and personal data in a value, and strip what a terminal would act on.

In:     plain JSON data.
Out:    the same object when nothing had to change; else a copy that shares every part that did not change.
Raises: ToolError (REDACTION_FAILED), without any content in its message, when something goes wrong inside.
Cost:   clean data: one walk and three automata over all texts at once, about 1.5 json.dumps of it. Only
        texts that may hold something are looked at by the rules.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from agent_tools.columns import BLOCK, SCALARS, table_of
from agent_tools.errors import ErrorCode, InvalidSetting, ToolError
from agent_tools.redaction import Rule, added_rules
from agent_tools.result import Json
from agent_tools.stages.redaction_call import SECRETS_OF_CALL, forms_of, hide_literals
from agent_tools.stages.redaction_guards import LONG
from agent_tools.stages.redaction_keys import RULE_OF_KIND, classify, split_words
from agent_tools.stages.redaction_long import spans_in_long
from agent_tools.stages.redaction_masks import HIDDEN
from agent_tools.stages.redaction_own import Function, OwnRules, apply_functions
from agent_tools.stages.redaction_pieces import Stream, hide_in_lines
from agent_tools.stages.redaction_rules import DEFAULT_RULES, RULE_ALIASES, RULES
from agent_tools.stages.redaction_screen import Screen
from agent_tools.stages.redaction_spans import ANY, LED, NUMBER, ODD, Span, apply, literal_spans, merge
from agent_tools.stages.redaction_strip import odd_texts, strip
from agent_tools.stages.redaction_structures import (
    COLUMN_FIELDS,
    MANIFEST_FIELDS,
    NAME_FIELDS,
    ROW_FIELDS,
    VALUE_FIELDS,
    Hidden,
    Rebuild,
    header_of,
    is_secret_manifest,
    pair_items,
    pairs_in,
    read_json,
    tables_in,
    write_json,
)
from agent_tools.stages.redaction_text import TextRules

MIN_LITERAL = 4
"""A shorter text of `secrets` is hidden only where it is a whole value: it would mask half of every word."""

_CLEAN, _HOT, _LOOK = 0, 1, 2  # what a dict's keys say: nothing, hide, look at some fields
_REMEMBERED = 4096  # keys and key tuples remembered per redactor
_CHUNK = 4096  # texts joined at a time: the buffer stays in the processor's cache
_DEEPEST_JSON = 6  # JSON in a text in JSON ...
_PAIRED = frozenset(NAME_FIELDS), frozenset(VALUE_FIELDS)
_MANIFEST = frozenset(("kind",)), frozenset(MANIFEST_FIELDS)
_TABLED = frozenset(COLUMN_FIELDS), frozenset(ROW_FIELDS)
_TAKEN = SCALARS | {dict}
_LONGEST_JSON = 4_000_000


def make_redactor(
    rules: bool | str | Iterable[str | Rule | Function] | Function = True, *, secrets: Sequence[str] = ()
) -> Redactor:
    """Make a function that hides secrets and personal data.

    Args:
        rules: True takes the default rules, `"all"` every rule, False none (control characters still go). A
            list adds rules (`"email"`, a `Rule` of one's own), drops them (`"-phone"`), names further keys
            whose values are secret (`"customer_ref"`) and holds functions `value -> value` that run last. A
            function alone does the work instead of the rules.
        secrets: Exact texts to hide wherever they stand, also JSON-escaped, URL-encoded or in base64. One
            shorter than `MIN_LITERAL` is hidden only where it is a whole value.

    Raises:
        InvalidSetting: For rules of another type.

    Example:
        >>> redact = make_redactor()
        >>> redact({"user": "ann", "password": "hunter2", "mobile": "13800138000", "max_tokens": 5})
        {'user': 'ann', 'password': '***', 'mobile': '138****000', 'max_tokens': 5}
        >>> make_redactor(["email", "-phone"])({"note": "ann@example.org or 13800138000"})
        {'note': '***@example.org or 13800138000'}
    """
    if callable(rules):
        return Redactor(_Chosen(functions=[rules]), tuple(secrets))
    return Redactor(_chosen(rules), tuple(secrets))


@dataclass(slots=True)
class _Chosen:
    """What is on: names of built-in rules, words of further keys, rules and functions of one's own."""

    names: set[str] = field(default_factory=set)
    extra: list[tuple[str, ...]] = field(default_factory=list)
    own: dict[str, Rule] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)


def _chosen(rules: bool | str | Iterable[str | Rule | Function]) -> _Chosen:
    if rules is False or rules is None:
        return _Chosen()
    chosen = _Chosen(set(DEFAULT_RULES))
    try:
        chosen.own = added_rules()
    except InvalidSetting as problem:
        # what can't be loaded can't hide anything, so nothing is shown, and only here is said why
        warnings.warn(f"no tool shows anything: {problem}", RuntimeWarning, stacklevel=3)
        chosen.functions.append(_make_failing(problem))
    if rules is True:
        return chosen
    items = [rules] if isinstance(rules, str) else list(rules)
    for item in items:
        if isinstance(item, Rule):
            chosen.own[item.name] = item
        elif isinstance(item, str) and item.strip("- "):
            _choose(chosen, item.strip())
        elif callable(item):
            chosen.functions.append(item)
        else:
            raise InvalidSetting(
                f"redact={rules!r}: give True, False, 'all', a function or a list of rule names, key names, "
                f"rules and functions; rules: {', '.join(sorted(RULES))}"
            )
    if chosen.extra:
        chosen.names.add("extra")
    return chosen


def _choose(chosen: _Chosen, word: str) -> None:
    """Add or drop a rule by its name, or add a key."""
    is_drop = word.startswith("-")
    name = word.removeprefix("-").strip().lower()
    name = RULE_ALIASES.get(name, name)
    if name == "all":
        chosen.names = chosen.names - set(RULES) if is_drop else set(RULES)
        if is_drop:
            chosen.own = {}
    elif name in RULES:
        (chosen.names.discard if is_drop else chosen.names.add)(name)
    elif is_drop:
        if chosen.own.pop(name, None) is None:
            known = ", ".join(sorted([*RULES, *chosen.own]))
            raise InvalidSetting(f"redact: there is no rule {name!r} to drop; rules: {known}")
    else:
        chosen.extra.append(tuple(split_words(word)))


def _make_failing(problem: Exception) -> Function:
    def fail(_: Json) -> Json:
        raise problem

    return fail


# what no rule hides by its look, but for its key at most: a word, a short code, a date
is_harmless_text = re.compile(
    r"[A-Za-z]{1,15}|[A-Za-z]{0,4}[\-_#]?[0-9]{1,4}"
    r"|[12][0-9]{3}-[01][0-9]-[0-3][0-9]"
    r"(?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?(?:Z|[+-][0-2][0-9]:[0-5][0-9])?)?"
).fullmatch


class Redactor:
    """Hides secrets and personal data; made by `make_redactor`.

    Safe to call from many threads. It remembers what keys mean, never values.
    """

    __slots__ = (
        "_dict_shapes", "_extra", "_functions", "_has_own", "_hides", "_keys", "_kinds", "_literals",
        "_rules", "_screen", "_text", "_whole",
    )  # fmt: skip

    def __init__(self, chosen: _Chosen, secrets: tuple[str, ...]) -> None:
        self._rules = rules = frozenset(chosen.names)
        self._extra = extra = tuple(chosen.extra)
        self._functions = tuple(chosen.functions)
        own = OwnRules(list(chosen.own.values()))
        self._kinds: dict[str, str | None] = {}
        self._keys: dict[str, str] = {}
        self._dict_shapes: dict[Collection[Any], int] = {}
        known = [secret for secret in secrets if secret]
        self._whole = frozenset(known)
        literals = {form for secret in known if len(secret) >= MIN_LITERAL for form in forms_of(secret)}
        self._literals = tuple(sorted(literals, key=len, reverse=True))
        self._text = TextRules(rules, extra, self._literals, self._kind, own)
        self._screen = Screen(self._text)
        self._hides = bool(rules or known or own)
        self._has_own = bool(known or own or self._functions)

    # -- what users call ------------------------------------------------------------------------------

    def __call__(self, value: Json) -> Json:
        """Return the value with everything hidden, the same object when there is nothing to hide.

        Raises:
            ToolError: REDACTION_FAILED; its message holds nothing of the value.
        """
        return self._guarded(value, None)

    def report(self, value: Json) -> tuple[Json, list[str]]:
        """Return the redacted value and the paths of what was hidden, `$.rows[3].city`.

        Example:
            >>> make_redactor().report({"rows": [{"password": "hunter2"}]})
            ({'rows': [{'password': '***'}]}, ['$.rows[0].password'])
        """
        paths: list[str] = []
        return self._guarded(value, paths), paths

    def is_harmless(self, record: Mapping[str, Any]) -> bool:
        """Say quickly whether a flat object of plain data has only words, codes, dates and numbers to show.

        False means nothing. Cost: 0.2 us a field.

        Example:
            >>> redact = make_redactor()
            >>> redact({"id": 7, "city": "Rome"}) and redact.is_harmless({"id": 7, "city": "Rome"})
            True
            >>> redact.is_harmless({"id": 7, "city": "Rome, Via del Corso"})
            False
        """
        # keys that were never looked at are learned by the walk
        if self._has_own or self._dict_shapes.get(tuple(record)) != _CLEAN or SECRETS_OF_CALL.get():
            return False
        for key, item in record.items():
            kind = type(item)
            if kind is str:
                if not is_harmless_text(item):
                    return False
            elif kind is int:
                if item.bit_length() > 63:
                    return False
            elif kind is float:
                if item - item != 0.0:  # NaN and the infinities
                    return False
            elif item is not None and kind is not bool:
                return False
            if type(key) is not str:
                return False
        return True

    def passes(self, record: Mapping[str, Json], texts: list[str]) -> bool:
        """Say whether a flat object surely has nothing to hide; False where it takes a walk to know.

        Args:
            record: Plain data without containers in it.
            texts: All texts among its values.

        Example:
            >>> redact = make_redactor()
            >>> redact({"id": 7, "city": "Rome"}) and redact.passes({"id": 7, "city": "Rome"}, ["Rome"])
            True
            >>> redact.passes({"password": "hunter2"}, ["hunter2"])
            False
        """
        # keys that were never looked at are learned by the walk
        if self._dict_shapes.get(tuple(record)) != _CLEAN or self._functions or SECRETS_OF_CALL.get():
            return False
        try:
            return not texts or (self._whole.isdisjoint(texts) and not self._candidates(texts))
        except Exception:  # noqa: BLE001 - the walk meets it again, and fails closed
            return False

    def _guarded(self, value: Json, paths: list[str] | None) -> Json:
        try:
            if secrets := SECRETS_OF_CALL.get():
                # one that is a whole value is left to its key, which knows the mask
                value = hide_literals(value, secrets, paths, keep_whole=True)
            redacted: Json = self._redact(value, 0, paths)
            if secrets:
                redacted = hide_literals(redacted, secrets, paths)
            if self._functions:
                redacted = apply_functions(redacted, self._functions, paths)
        except Exception as problem:  # noqa: BLE001  # fails closed: whatever went wrong, nothing is shown
            raise _failed(problem) from None
        return redacted

    def text(self, text: str) -> str:
        """Return one text with everything hidden: an exception's message, a line of a log.

        Example:
            >>> make_redactor().text("postgresql://app:hunter2@db/orders refused")
            'postgresql://app:***@db/orders refused'
        """
        redacted = self(text)
        return redacted if isinstance(redacted, str) else json.dumps(redacted, ensure_ascii=False)

    def stream(self) -> Stream:
        """Return what hides secrets that are split over the pieces of a text; one for each stream.

        Example:
            >>> make_redactor().stream().take(["pass", "word=hun", "ter2 ok"], is_last=True)
            ['pass', 'word=***', ' ok']
        """
        return Stream(self._find)

    def _find(self, text: str, with_numbers: bool) -> list[Span]:
        """Find what to hide in a joined text; a fault shows nothing."""
        if not self._hides:
            return []
        try:
            reasons = {reason for _, reason in self._screen.candidates([text])}
            reason = next(iter(reasons), 0) & (ANY if with_numbers else ANY & ~(NUMBER | LED))
            spans = self._spans(text, reason) if reason else []
            return merge([*spans, *literal_spans(text, SECRETS_OF_CALL.get())])
        except Exception as problem:  # noqa: BLE001  # as in `_guarded`
            raise _failed(problem) from None

    def trace(self, value: Json) -> list[Hidden]:
        """Return what is hidden in a value, with what stood there: for `redaction_explain` only."""
        found: list[Hidden] = []
        self._redact(value, 0, None, found)
        return found

    def kind_of(self, key: str) -> str | None:
        """Return the kind of value that a key holds, None when its rule is off."""
        return self._kind(key)

    def text_rules(self, kind_of: Callable[[str], str | None]) -> TextRules:
        """Return the rules for texts with another look-up of keys."""
        return TextRules(self._rules, self._extra, self._literals, kind_of, self._text.own)

    @property
    def calls_functions(self) -> bool:
        """Whether functions of the project's own run, which may return anything."""
        return bool(self._functions)

    # -- one value ------------------------------------------------------------------------------------

    def _redact(
        self, value: Any, depth: int, paths: list[str] | None, trace: list[Hidden] | None = None
    ) -> Any:
        if value.__class__ is str:
            texts, hot = [value], False
        else:
            texts, hot = self._collect(value)
        changed = self._changed(texts, depth) if texts else {}
        if changed or hot:
            rebuild = Rebuild(self._kind, self._shown_key, changed, self._rescan, self._lines)
            rebuild.trace, rebuild.only_strips = trace, not self._hides
            value = rebuild.run(value)
            if paths is not None:
                paths.extend(rebuild.hidden)
        return value

    def _collect(self, value: Any) -> tuple[list[str], bool]:
        """Walk once: return all texts and whether some key, pair or table asks for hiding."""
        texts: list[str] = []
        hot = False
        shapes = self._dict_shapes
        stack = [value]
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is dict:
                shape = tuple(node)
                known = shapes.get(shape)
                if known is None:
                    known = self._learn(shape)
                if known and not hot:
                    hot = known == _HOT or self._asks(node)
                items: Iterable[Any] = node.values()
            elif kind is list:
                if len(node) > 8 and kind_is_rows(node):
                    hot = self._collect_rows(node, texts, stack) or hot
                    continue
                if not hot and node and (node[0].__class__ is str or node[0].__class__ is list):
                    hot = self._list_asks(node)
                items = node
            else:
                items = self._unusual(node, texts)
                if isinstance(node, (dict, list, tuple)):
                    hot = hot or self._asks_unusual(node, texts)
            for item in items:
                kind = item.__class__
                if kind is str:
                    texts.append(item)
                elif kind is dict or kind is list or kind not in SCALARS:
                    stack.append(item)
        return texts, hot

    def _collect_rows(self, rows: list[dict[Any, Any]], texts: list[str], stack: list[Any]) -> bool:
        """Take the texts of a list of dicts, most of it in C."""
        table = table_of(rows)
        if table is not None:
            for cells, kinds in zip(table.columns.values(), table.kinds.values(), strict=True):
                _take_cells(cells, kinds, texts, stack)
            return self._rows_ask(rows, table.columns)
        hot = False
        for at in range(0, len(rows), BLOCK):
            block = rows[at : at + BLOCK]
            # all names at once: rows of free form have as many shapes as there are rows
            hot = hot or self._rows_ask(block, chain.from_iterable(block))
            values = list(chain.from_iterable(map(dict.values, block)))
            _take_cells(values, set(map(type, values)), texts, stack)
        return hot

    def _rows_ask(self, rows: list[dict[Any, Any]], names: Iterable[Any]) -> bool:
        """Whether some key or pair of the rows, which have these names, asks for hiding."""
        shape = frozenset(names)
        known = self._dict_shapes.get(shape)
        if known is None:
            known = self._learn(shape)
        return known == _HOT or (known == _LOOK and any(map(self._asks, rows)))

    def _unusual(self, node: Any, texts: list[str]) -> Iterable[Any]:
        """Take apart what is no plain dict or list: subclasses, tuples; anything else has no texts."""
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, dict):
            return node.values()
        elif isinstance(node, (list, tuple)):
            return node
        return ()

    def _asks_unusual(self, node: Any, texts: list[str]) -> bool:
        if isinstance(node, dict):
            known = self._learn(tuple(node))
            return known == _HOT or (known == _LOOK and self._asks(node))
        return bool(node) and self._list_asks(node)

    # -- keys -----------------------------------------------------------------------------------------

    def _learn(self, shape: Collection[Any]) -> int:
        """Say what a dict's keys ask for, and remember it."""
        names = {key for key in shape if isinstance(key, str)}
        unseen = [key for key in names if key not in self._keys]
        hot = bool(unseen and self._changed(unseen, _DEEPEST_JSON))
        for key in names:
            hot = hot or self._kind(key) not in (None, "plain")
        state = _HOT if hot else _CLEAN
        if not hot and any(
            not names.isdisjoint(a) and not names.isdisjoint(b) for a, b in (_PAIRED, _TABLED, _MANIFEST)
        ):
            state = _LOOK
        if len(shape) <= 64:
            if len(self._dict_shapes) >= _REMEMBERED:
                self._dict_shapes.clear()
            self._dict_shapes[shape] = state
        return state

    def _asks(self, node: dict[Any, Any]) -> bool:
        """Whether a pair or table object names something sensitive."""
        if not self._rules:
            return False
        if is_secret_manifest(node) or any(self._is_sensitive(node[name]) for name, _ in pairs_in(node)):
            return True
        return any(self._is_sensitive(name) for _, names in tables_in(node) for name in names)

    def _list_asks(self, node: Any) -> bool:
        if not self._rules:
            return False
        if node[0].__class__ is str:
            if len(node) > 2 and not any(v.__class__ is str and v[:1] == "-" for v in node) and len(node) & 1:
                return False
            return next(iter(pair_items(node, self._kind)), None) is not None
        return header_of(node, self._kind) is not None

    def _is_sensitive(self, key: str) -> bool:
        return self._kind(key) not in (None, "plain")

    def _kind(self, key: str) -> str | None:
        """Return the kind of a key, None when its rule is off; remembered."""
        try:
            return self._kinds[key]
        except KeyError:
            pass
        kind = classify(key, self._extra) if self._rules else None
        if kind is not None and kind != "plain" and RULE_OF_KIND[kind] not in self._rules:
            kind = None
        if len(self._kinds) >= _REMEMBERED:
            self._kinds.clear()
        if len(key) <= 120:
            self._kinds[key] = kind
        return kind

    def _shown_key(self, key: str) -> str:
        """Return the key as shown: a key may itself be a secret or hold controls; remembered."""
        try:
            return self._keys[key]
        except KeyError:
            pass
        shown = self._changed([key], _DEEPEST_JSON).get(key, key)
        if len(self._keys) >= _REMEMBERED:
            self._keys.clear()
        if shown is key and len(key) <= 120:
            self._keys[key] = key
        return shown

    # -- texts ----------------------------------------------------------------------------------------

    def _candidates(self, texts: list[str]) -> Iterable[tuple[str, int]]:
        if self._hides:
            return self._screen.candidates(texts)
        return [(text, ODD) for text in odd_texts(texts)]

    def _changed(self, texts: list[str], depth: int) -> dict[str, str]:
        """Return the texts that change and what they become."""
        if self._whole and not self._whole.isdisjoint(texts):
            candidates: Iterable[tuple[str, int]] = [(text, ANY | ODD) for text in texts]
        elif len(texts) <= _CHUNK:
            candidates = self._candidates(texts)
        else:
            parts = (texts[at : at + _CHUNK] for at in range(0, len(texts), _CHUNK))
            candidates = chain.from_iterable(map(self._candidates, parts))
        changed: dict[str, str] = {}
        for text, reasons in candidates:
            if text not in changed and (shown := self._redact_text(text, depth, reasons)) != text:
                changed[text] = shown
        return changed

    def _redact_text(self, text: str, depth: int, reasons: int, *, weak: bool = True) -> str:
        if text in self._whole:
            return HIDDEN
        if reasons & ODD:
            text, reasons = strip(text), ANY
        if not self._hides:
            return text
        if depth < _DEEPEST_JSON and (redacted := self._redact_json(text, depth)) is not None:
            return redacted
        spans = self._spans(text, reasons, weak=weak)
        return apply(text, spans) if spans else text

    def _spans(self, text: str, reasons: int, *, weak: bool = True) -> list[Span]:
        if len(text) <= LONG:
            return self._text.spans(text, reasons, weak=weak)
        return spans_in_long(text, self._text, self._screen, reasons=reasons, weak=weak)

    def _lines(self, lines: list[str]) -> list[str]:
        return hide_in_lines(lines, self._find)

    def _rescan(self, text: str) -> str:
        return self._redact_text(text, _DEEPEST_JSON, ANY | ODD, weak=False)

    def _redact_json(self, text: str, depth: int) -> str | None:
        """Redact a text that is JSON by its structure; None when it is not JSON."""
        head = text.lstrip()[:1]
        if (
            head not in ("{", "[", '"')
            or not 8 <= len(text) <= _LONGEST_JSON
            or text.rstrip()[-1] not in '}]"'
        ):
            return None
        try:
            parsed = read_json(text)
        except ValueError:
            return self._redact_json_lines(text, depth) if head == "{" and "\n" in text.strip() else None
        redacted = self._redact(parsed, depth + 1, None)
        return text if redacted is parsed else write_json(redacted, text, parsed)

    def _redact_json_lines(self, text: str, depth: int) -> str | None:
        lines = text.split("\n")
        if not all(line.startswith("{") and line.rstrip().endswith("}") for line in lines if line.strip()):
            return None
        return "\n".join(self._redact_text(line, depth + 1, ANY) for line in lines)


def _take_cells(cells: list[Any], kinds: set[type], texts: list[str], stack: list[Any]) -> None:
    """Take the texts among some values, and put the containers among them on the stack."""
    if kinds == {str}:
        texts += cells
        return
    if str in kinds:
        texts += [cell for cell in cells if type(cell) is str]
    if kinds == {dict}:
        stack.append(cells)
    elif not kinds <= SCALARS:
        # dicts as rows of their own; a list of lists would be taken for a table
        stack.append([cell for cell in cells if type(cell) is dict])
        stack.extend(cell for cell in cells if type(cell) not in _TAKEN)


def kind_is_rows(node: list[Any]) -> bool:
    """Whether a list holds dicts only."""
    return node[0].__class__ is dict and node[-1].__class__ is dict and set(map(type, node)) == {dict}


def _failed(problem: Exception) -> ToolError:
    return ToolError(
        f"The result could not be checked for secrets ({type(problem).__name__}), so it is not shown.",
        code=ErrorCode.REDACTION_FAILED,
    )
