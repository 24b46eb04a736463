"""Tell quickly which texts may hold something to hide.

In:   many texts.
Out:  those that the rules must look at, each with the reasons.
Cost: 7 ns a byte for all rules together, 12 in texts of many lines, linear for every input: the patterns of
      all rules, loosened to supersets, and the vocabulary of keys make a few automata of the Rust regex
      engine that comes with pydantic. Substring searches take ten times as long, Python's `re` a hundred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from agent_tools.stages.redaction_cells import heading
from agent_tools.stages.redaction_guards import LONG, encodable, rust_test
from agent_tools.stages.redaction_issued import token_look
from agent_tools.stages.redaction_key_patterns import latin_keys, other_keys
from agent_tools.stages.redaction_keys import RULE_OF_KIND
from agent_tools.stages.redaction_numbers import LATIN_LED, LED_KINDS, OTHER_LED, number_look
from agent_tools.stages.redaction_rules import URL_SECRETS
from agent_tools.stages.redaction_spans import EMAIL, LITERAL, NUMBER, OWN, TOKEN, WORD
from agent_tools.stages.redaction_strip import HIDDEN_CHARS
from agent_tools.stages.redaction_text import TextRules
from agent_tools.stages.redaction_vocabulary import PREPOSITIONS, VERBS

ODD = 32
"""One more reason: hidden characters, or full-width ones that the patterns read as ASCII."""

TABLE = NUMBER | WORD | EMAIL
"""The reasons of a text that may be a table."""

# ends a line, and no pattern goes on behind it: what one text ends with does not meet the next
_BETWEEN = "\n\r"
_SECRETS = frozenset(kind for kind, rule in RULE_OF_KIND.items() if rule in ("secret", "extra"))
_TOGETHER = 32  # texts tested together once something is in the whole

_CLOSE = r"(?:[\\\"'`\])}&”」】）]|%22|quot;)*[ \t]*"
_FOLLOWS = (
    r"(?:[=:：>|,;\t<(*]|->|%3[dDaA]|[^\x00-\x7f]|[\"'`]|"
    rf"(?i-u:{'|'.join(VERBS)})[ \t:]+[\"'`]?[!-~]*[0-9A-Z!@#$%^&*_+=\"'`]|"
    rf"(?i:{'|'.join(PREPOSITIONS)}) [^\n:：=%]+(?:[:：=%]|(?:is|was) )|"
    r"[ \t%](?:(?i-u:set )?(?i-u:to)[ \t]+)?[!-~]*[0-9]|(?i-u:bearer|basic)[ \t])"
)


def _kinds(rules: TextRules) -> frozenset[str]:
    return frozenset(kind for kind, rule in RULE_OF_KIND.items() if rule in rules.rules)


def _number_pattern(rules: TextRules) -> str:
    led = latin_keys(_kinds(rules) & LED_KINDS) + LATIN_LED
    return "|".join([number_look(rules.rules), r"[0-9](?:%20|%2[Dd])[0-9]|%2[Bb][0-9]", led])


# How a text goes on whose value stands below a key, or in or behind a tag. All of it is bounded: with
# `[^\n]*` in it, an automaton has twice as many states.
_BELOW = "|".join(
    [
        r"[\"']?[ \t]*:[ \t]*(?:[|>][+\-0-9]*)?[ \t*]*\r?\n[ \t+\-]*[^\s]",
        r"[ \t]*[:：]?[ \t*]*\r?\n[ \t]*[^\s]{6}",
        r"\s*=\s*\\*[\"']|\\*[\"'](?:\s*/?>|\s+[A-Za-z\-:]+\s*=)|>|\s*[:：]?\s*</",
    ]
)
# how a cell ends that names a column
_CELL_END = r"[ \"'`*()（）\[\]]*(?:[,;\t|]|\r?\n|$)"
# a name and its value, and SQL that names its columns once: looked at whatever the keys are
_STRUCTURES = "|".join(
    [
        r"(?:ame|ey|ariable|eader)[\"']?[ \t]*[:=][ \t]*[\\\"']*[^\s\"',:=]+[\\\"']*[ \t]*,?[ \t]*"
        r"(?:\r?\n[+\-]?[ \t]*)?[\"'\\]*[A-Za-z]*alue[\"'\\]*[ \t]*[:=]",
        r"(?i-u:into|copy)\s+[^\s(]+\s*\(",
    ]
)


def _word_pattern(rules: TextRules) -> str:
    stems = "|".join(re.escape(stem) for stem in rules.stems if stem.isascii())
    parts = [f"(?i-u:{stems})[A-Za-z0-9_.\\-]*{_CLOSE}{_FOLLOWS}"] if stems else []
    if stems:
        parts.append(f"(?:^|[^A-Za-z0-9])-[A-Za-z0-9_.\\-]*(?i-u:{stems})[A-Za-z0-9_.\\-]*[ \\t]")
    if "secret" in rules.rules:
        parts += [
            r"\\u[0-9a-fA-F]{4}|%[57][fF]|%2[dD]|%[C-Fc-f][0-9A-Fa-f]%",  # escapes may spell a key
            r"WIFI:|sqlplus|jdbc:oracle|(?i-u:user)[ =][^\s:]+:",
            r"(?i-u:login)[^\n]* -p",
            "(?i-u:identified|form-data|login )",
            "mysql|mariadb",
            r"(?:sshpass|redis-cli|zip|7z[ar]?|sqlcmd|isql|bcp|tsql|mosquitto_)[^\n]* -",
            r"(?:ldap[a-z]+|openssl|smbclient|htpasswd)[^\n]* -",
            r"(?:curl|wget|http)[^\n]* -[uUa]",
            r"variable +\"|-u[ =][^ \n]+ [^\n]*-p ",
        ]
    if rules.han_stems:
        # as a key of several words, it may be written with underscores
        parts.append(f"(?i:{'|'.join(rules.han_stems)})".replace(" ", "[ _]"))
    return "|".join(parts)


def _token_pattern() -> str:
    return "|".join(
        [
            token_look(),
            "PRIVATE KEY|Private-[LM]|code=[^&\\s]{10}|ticket=[^&\\s]{10}|[?&]key=[^&\\s]{12}",
            r"://[^ \n\t\"'<>]*@",
            r"(?i-u:bearer|basic)(?:[ \t]+|%20|\+)[!-~]{8}",
            r"[0-9]{4} (?:is|as) (?:your|the) ",
            r"(?i-u:code)(?: is|:)? [0-9]{4}",
            r"[0-9]{4} to (?i-u:verify|log|sign|confirm|auth|reset|activ)",
            r"[0-9]{4}[ （(]?[^\x00-\x7f]{1,14}(?:码|碼|コード|번호)",
            *(re.escape(literal) for literal, _ in URL_SECRETS),
        ]
    )


_EMAIL = r"[A-Za-z0-9._%+\-!#$&*/=?^`{|}~]@[A-Za-z0-9]|[\[(<{] ?(?:at|@|AT|At) ?[\])>}]"


class _Group:
    """Patterns that share an automaton, compiled when a text first asks for them.

    Args:
        reasons: Reason to pattern.
        needs: What a text must have, told in a fraction of the time.

    Attributes:
        test: Whether a text, or one of some joined texts, has a hit.
    """

    __slots__ = ("_each", "_reasons", "needs", "test")

    def __init__(self, reasons: list[tuple[int, str]], needs: int = 0) -> None:
        self._reasons = reasons
        self._each: list[tuple[int, Callable[[str], bool]]] = []
        self.needs = needs
        self.test: Callable[[str], bool] = self._first_test

    def _first_test(self, whole: str) -> bool:
        self.test = rust_test("|".join(f"(?:{pattern})" for _, pattern in self._reasons))
        return self.test(whole)

    def reasons(self, text: str) -> int:
        """Return the reasons that a text has, after `test`."""
        if not self._each:
            self._each = [(reason, rust_test(f"(?:{pattern})")) for reason, pattern in self._reasons]
        found = 0
        for reason, test in self._each:
            if not found & reason and test(text):
                found |= reason
        return found


# what a text must have, so that a group may have a hit in it
_LINES, _SCRIPTS = 1, 2


def _has(whole: str, count: int) -> int:
    """Say whether some of so many joined texts have lines or tags, and letters of other scripts."""
    # no value stands below its key or in a tag without
    lines = ">" in whole or (whole.count("\n") >= count if count > 1 else "\n" in whole)
    return (_LINES if lines else 0) | (0 if whole.isascii() else _SCRIPTS)


def _hits(whole: str, has: int, groups: list[_Group]) -> list[_Group]:
    """Return the groups that have a hit in a text, or in some of joined texts."""
    return [group for group in groups if not group.needs & ~has and group.test(whole)]


def _groups(rules: TextRules) -> list[_Group]:
    """Return the patterns of the rules that are on.

    All in one automaton would have too many states to keep: 600 ns a byte instead of 6.
    """
    numbers, kinds = [(ODD, f"[{HIDDEN_CHARS}]|[\u200c\u200d]")], _kinds(rules)
    groups = [_Group(numbers)]
    if rules.numbers or rules.stems:
        numbers.append((ODD, "[０-９Ａ-Ｚａ-ｚ＋]"))
    if rules.numbers:
        numbers.append((NUMBER, _number_pattern(rules)))
    if "email" in rules.rules:
        numbers.append((EMAIL, _EMAIL))
    words = [_word_pattern(rules)] if rules.stems or rules.han_stems else []
    if kinds:
        groups.append(_Group([(WORD, "|".join([*words, _STRUCTURES]))]))
    if "secret" in rules.rules:
        groups.append(_Group([(TOKEN, _token_pattern())]))
    for some, extra in ((kinds & _SECRETS, rules.extra), (kinds - _SECRETS, ())):
        if some:
            groups.append(_Group([(WORD, f"{latin_keys(some, extra)}(?:{_BELOW})")], _LINES))
    if kinds:
        led = other_keys(kinds & LED_KINDS) + OTHER_LED
        below = f"{other_keys(kinds)}(?:{_BELOW})"
        groups.append(_Group([(NUMBER, led), (WORD, below)], _SCRIPTS))
    if rules.literals:
        groups.append(_Group([(LITERAL, "|".join(map(re.escape, rules.literals)))]))
    return groups


def _is_run(text: str) -> bool:
    """Whether a text is one run, as base64 is: its mixed letters would fill the cache of an automaton."""
    return text.isascii() and rust_test(r"^[A-Za-z0-9+/_\-]+=*$")(text)


def _groups_in_runs(rules: TextRules) -> list[_Group]:
    """Return the patterns that need no blank and no sign, so that they may hit in such a run."""
    reasons = [(TOKEN, _token_pattern())] if "secret" in rules.rules else []
    reasons += [(NUMBER, number_look(rules.rules))] if rules.numbers else []
    reasons += [(LITERAL, "|".join(map(re.escape, rules.literals)))] if rules.literals else []
    return [_Group([reason]) for reason in reasons]


def _headings(rules: TextRules) -> list[_Group]:
    """Return the patterns of keys that name a column, for the heading of a table."""
    kinds = _kinds(rules)
    if not kinds:
        return []
    latin = _Group([(TABLE, latin_keys(kinds, rules.extra) + _CELL_END)])
    return [latin, _Group([(TABLE, other_keys(kinds) + _CELL_END)], _SCRIPTS)]


def _joined(found: Iterable[tuple[str, int]], more: Iterable[tuple[str, int]]) -> Iterable[tuple[str, int]]:
    reasons = dict(found)
    for text, reason in more:
        reasons[text] = reasons.get(text, 0) | reason
    return reasons.items()


class Screen:
    """The tests that clean data passes; compiled when first used: 25 ms, 20 more with lines."""

    __slots__ = ("_groups", "_headings", "_in_runs", "_rules")

    def __init__(self, rules: TextRules) -> None:
        self._rules = rules
        self._groups: list[_Group] = []
        self._headings: list[_Group] = []
        self._in_runs: list[_Group] = []

    def candidates(self, texts: list[str]) -> Iterable[tuple[str, int]]:
        """Return the texts that may hold something, each with its reasons."""
        if not self._groups:
            self._headings, self._groups = _headings(self._rules), _groups(self._rules)
            self._in_runs = _groups_in_runs(self._rules)
        more = [(text, OWN) for text in texts if self._rules.own.may_hold(text)] if self._rules.own else []
        if runs := [text for text in texts if len(text) > LONG and _is_run(text)]:
            more += _one_by_one(runs, self._in_runs)
            texts = [text for text in texts if text not in runs]
        whole = encodable(_BETWEEN.join(texts))
        has = _has(whole, len(texts))
        hit = _hits(whole, has, self._groups)
        found = _one_by_one(texts, hit) if hit else ()
        if has & _LINES:
            more += self._tables(texts)
        return _joined(found, more) if more else found

    def _tables(self, texts: list[str]) -> Iterator[tuple[str, int]]:
        """Find the texts that may be tables: their first or second line names a sensitive column."""
        lines = [(head, text) for text in texts if "\n" in text and (head := heading(text)[1])]
        whole = encodable(_BETWEEN.join(head for head, _ in lines))
        if lines and (hit := _hits(whole, _has(whole, 1), self._headings)):
            wanted = dict(_one_by_one([head for head, _ in lines], hit))
            yield from ((text, TABLE) for head, text in lines if head in wanted)


def _one_by_one(texts: list[str], groups: list[_Group]) -> Iterator[tuple[str, int]]:
    seen: set[str] = set()
    for at in range(0, len(texts), _TOGETHER):
        some = texts[at : at + _TOGETHER]
        if len(texts) > _TOGETHER:
            whole = encodable(_BETWEEN.join(some))
            if not _hits(whole, _has(whole, len(some)), groups):
                continue
        for text in some:
            if text in seen:
                continue
            seen.add(text)
            shown = encodable(text)
            reasons = 0
            for group in groups:
                reasons |= group.reasons(shown)
            if reasons:
                yield text, reasons
