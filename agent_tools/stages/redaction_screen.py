"""Tell quickly which texts, and which parts of a long one, may hold something to hide.

In:   many texts, or one.
Out:  those that the rules must look at, or the regions, each with the reasons.
Cost: 20 to 50 ns a byte for all rules together, linear for every input: the patterns of all rules,
      loosened to supersets, and the vocabulary of keys make some automata of the Rust regex engine that
      comes with pydantic. Substring searches take ten times as long, Python's `re` a hundred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from agent_tools.stages.redaction_cells import heading
from agent_tools.stages.redaction_guards import LONG, encodable, rust_test
from agent_tools.stages.redaction_issued import token_look
from agent_tools.stages.redaction_key_patterns import latin_keys, other_keys
from agent_tools.stages.redaction_keys import RULE_OF_KIND
from agent_tools.stages.redaction_layout import LONE_KEY, LONE_LABEL
from agent_tools.stages.redaction_numbers import LATIN_LED, LED_KINDS, OTHER_LED, number_look
from agent_tools.stages.redaction_rules import URL_SECRETS
from agent_tools.stages.redaction_spans import (
    ANY,
    BELOW,
    CELL,
    COLUMN,
    COMMAND,
    CREDENTIAL,
    EMAIL,
    ESCAPE,
    LED,
    LITERAL,
    NUMBER,
    ODD,
    OWN,
    TOKEN,
    WORD,
    Region,
)  # fmt: skip
from agent_tools.stages.redaction_strip import HIDDEN_CHARS
from agent_tools.stages.redaction_text import TextRules
from agent_tools.stages.redaction_vocabulary import PREPOSITIONS, VERBS

# ends a line, and no pattern goes on behind it: what one text ends with does not meet the next
_BETWEEN = "\n\r"
_SECRETS = frozenset(kind for kind, rule in RULE_OF_KIND.items() if rule in ("secret", "extra"))
_TOGETHER = 32  # texts tested together once something is in the whole
_BLOCK, _LINES = 1_000, 150  # characters of a long text that are tested together, and then again
_AHEAD = 256  # characters behind a block that a pattern may have to see

_CLOSE = r"(?:[\\\"'`\])}&*”」】）]|%22|quot;)*"
_FOLLOWS = (
    r"(?:[ \t]*(?:[=:：|]|[=\-]>|%3[dDaA]|[,(][ \t]*\\*[\"']|"
    r"\([^()\n]+\)[ \t]*(?:[:：=]|is|was)|[^\x00-\x7f]|"
    rf"(?i-u:{'|'.join(VERBS)})[ \t:]+[\"'`]?[!-~]*[0-9A-Z!@#$%^&*_+=\"'`]|"
    rf"(?i:{'|'.join(PREPOSITIONS)}) [^\n:：=%]+(?:[:：=%]|(?:is|was) ))|"
    r"[ \t%][ \t]*(?:(?i-u:set )?(?i-u:to)[ \t]+)?[!-~]*[0-9]|[ \t]+(?:[\"'`“]|(?i-u:bearer|basic)[ \t]))"
)


def _kinds(rules: TextRules) -> frozenset[str]:
    return frozenset(kind for kind, rule in RULE_OF_KIND.items() if rule in rules.rules)


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
# a name and its value below it, whatever the key is
_PAIR = (
    r"(?:ame|ey|ariable|eader)[\"']?[ \t]*[:=][ \t]*[\\\"']*[^\s\"',:=]+[\\\"']*[ \t]*,?[ \t]*"
    r"(?:\r?\n[+\-]?[ \t]*)?[\"'\\]*[A-Za-z]*alue[\"'\\]*[ \t]*[:=]"
)
_COLUMNS = r"(?i-u:into|copy)\s+[^\s(]+\s*\("


def _word_patterns(rules: TextRules) -> tuple[str, str]:
    """Return how words announce a value: with what goes on behind them, and as an option."""
    stems = f"(?i-u:{'|'.join(map(re.escape, rules.stems))})"
    follows = f"{stems}[A-Za-z0-9_.\\-]*{_CLOSE}{_FOLLOWS}"
    return follows, f"(?:^|[^A-Za-z0-9])-[A-Za-z0-9_.\\-]*{stems}[A-Za-z0-9_.\\-]*[ \\t]"


_ESCAPES = r"[0-9](?:%20|%2[Dd])[0-9]|%2[Bb][0-9]|\\u[0-9a-fA-F]{4}|%[57][fF]|%2[dD]|%[C-Fc-f][0-9A-Fa-f]%"
_COMMANDS = "|".join(
    [
        r"WIFI:|sqlplus|jdbc:oracle|(?i-u:user)(?:name)?[ =][^\s:]+:",
        r"(?i-u:login)[^\n]* -p",
        "(?i-u:identified|form-data|login )",
        "mysql|mariadb",
        r"(?:sshpass|redis-cli|zip|7z[ar]?|sqlcmd|isql|bcp|tsql|mosquitto_)[^\n]* -",
        r"(?:ldap[a-z]+|openssl|smbclient|htpasswd)[^\n]* -",
        r"(?:curl|wget|http)[^\n]* -(?:[uUa]|-auth)",
        r"variable +\"|-u[ =][^ \n]+ [^\n]*-p ",
        r"(?:auth\s*=\s*|Auth|auth)\([ \t]*[\"']",
        r"[0-9]{4} (?:is|as) (?:your|the) ",
        r"(?i-u:code)(?: is|:)? [0-9]{4}",
        r"[0-9]{4} to (?i-u:verify|log|sign|confirm|auth|reset|activ)",
        r"[0-9]{4}[ （(]?[^\x00-\x7f]{1,14}(?:码|碼|コード|번호)",
    ]
)


def _credential_pattern() -> str:
    return "|".join(
        [
            "PRIVATE KEY|Private-[LM]|code=[^&\\s]{10}|ticket=[^&\\s]{10}|[?&]key=[^&\\s]{12}",
            r"://[^ \n\t\"'<>]*@",
            r"(?i-u:bearer|basic)(?:[ \t]+|%20|\+)[!-~]{8}",
            *(re.escape(literal) for literal, _ in URL_SECRETS),
        ]
    )


def _other_stems(rules: TextRules) -> str:
    # as a key of several words, it may be written with underscores
    return f"(?i:{'|'.join(rules.han_stems)})".replace(" ", "[ _]")


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
        """Return the reasons that a text has."""
        if not self.test(text):
            return 0
        if len(self._reasons) == 1:
            return self._reasons[0][0]
        if not self._each:
            self._each = [(reason, rust_test(f"(?:{pattern})")) for reason, pattern in self._reasons]
        found = 0
        for reason, test in self._each:
            if not found & reason and test(text):
                found |= reason
        return found


# what a text must have, so that a group may have a hit in it: letters of other scripts, digits, a line that
# is a key alone or a tag
_SCRIPTS, _DIGITS, _LONE_KEYS = 1, 2, 4
_IS_DIGITS = r"[0-9](?:[ \-./()]{0,3}[0-9A-Z()]){3}|[0-9a-fA-F]:[0-9a-fA-F:]"
_IS_LONE_KEY = rf"<(?:[A-Za-z]|[^\x00-\x7f])|=\s*\\*[\"']|{LONE_KEY}|{LONE_LABEL}"


def _has(whole: str) -> int:
    """Say what a text, or some of joined texts, have."""
    has = 0 if whole.isascii() else _SCRIPTS
    if rust_test(_IS_DIGITS)(whole):
        has |= _DIGITS
    return has | _LONE_KEYS if rust_test(_IS_LONE_KEY)(whole) else has


def _groups(rules: TextRules) -> list[_Group]:
    """Return the patterns of the rules that are on.

    What stands together was measured: two patterns of many states in one automaton make it forget what it
    has built, and it takes 100 ns a byte instead of 3.
    """
    kinds, with_words = _kinds(rules), bool(rules.stems or rules.han_stems)
    signs = [(ODD, f"[{HIDDEN_CHARS}]|[\u200c\u200d]")]
    groups = [_Group(signs)]
    if rules.numbers or with_words:
        signs.append((ODD, "[０-９Ａ-Ｚａ-ｚ＋]"))
    if kinds:
        signs += [(BELOW, _PAIR), (COLUMN, _COLUMNS), (ESCAPE, _ESCAPES)]
    if "email" in rules.rules:
        signs.append((EMAIL, _EMAIL))
    if rules.stems:
        follows, option = _word_patterns(rules)
        signs.append((WORD, option))
        groups.append(_Group([(WORD, follows)]))
    if "secret" in rules.rules:
        signs.append((CREDENTIAL, _credential_pattern()))
        groups += [_Group([(COMMAND, _COMMANDS)]), _Group([(TOKEN, token_look())])]
    if rules.numbers:
        groups.append(_Group([(NUMBER, number_look(rules.rules))], _DIGITS))
        groups.append(_Group([(LED, latin_keys(kinds & LED_KINDS) + LATIN_LED)], _DIGITS))
        groups.append(_Group([(LED, other_keys(kinds & LED_KINDS) + OTHER_LED)], _DIGITS | _SCRIPTS))
    for some, extra in ((kinds & _SECRETS, rules.extra), (kinds - _SECRETS, ())):
        if some:
            groups.append(_Group([(BELOW, f"{latin_keys(some, extra)}(?:{_BELOW})")], _LONE_KEYS))
    if kinds:
        groups.append(_Group([(BELOW, f"{other_keys(kinds)}(?:{_BELOW})")], _LONE_KEYS | _SCRIPTS))
    if rules.han_stems:
        groups.append(_Group([(WORD | BELOW, _other_stems(rules))], _SCRIPTS))
    if rules.literals:
        groups.append(_Group([(LITERAL, "|".join(map(re.escape, rules.literals)))]))
    return groups


def _is_run(text: str) -> bool:
    """Whether a text is one run, as base64 is: its mixed letters would fill the cache of an automaton."""
    return text.isascii() and rust_test(r"^[A-Za-z0-9+/_\-]+=*$")(text)


def _groups_in_runs(rules: TextRules) -> list[_Group]:
    """Return the patterns that need no blank and no sign, so that they may hit in such a run."""
    reasons = [(TOKEN, token_look())] if "secret" in rules.rules else []
    reasons += [(NUMBER, number_look(rules.rules))] if rules.numbers else []
    reasons += [(LITERAL, "|".join(map(re.escape, rules.literals)))] if rules.literals else []
    return [_Group([reason]) for reason in reasons]


def _headings(rules: TextRules) -> list[_Group]:
    """Return the patterns of keys that name a column, for the heading of a table."""
    kinds = _kinds(rules)
    if not kinds:
        return []
    latin = _Group([(CELL, latin_keys(kinds, rules.extra) + _CELL_END)])
    other = "|".join([other_keys(kinds) + _CELL_END, *([_other_stems(rules)] if rules.han_stems else [])])
    return [latin, _Group([(CELL, other)], _SCRIPTS)]


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
        """Return the texts that may hold something, each with its reasons; a long text may hold anything."""
        self._prepare()
        more = [(text, ANY | ODD) for text in texts if len(text) > LONG]
        if more:
            texts = [text for text in texts if len(text) <= LONG]
        if self._rules.own:
            more += [(text, OWN) for text in texts if self._rules.own.may_hold(text)]
        whole = encodable(_BETWEEN.join(texts))
        has = _has(whole)
        hit = [group for group in self._groups if not group.needs & ~has and group.test(whole)]
        found = _one_by_one(texts, hit) if hit else ()
        if whole.count("\n") >= len(texts):
            more += self._tables(texts)
        return _joined(found, more) if more else found

    def regions(self, text: str) -> list[Region]:
        """Return the parts of a long text in which something may begin, in order, each with its reasons."""
        self._prepare()
        found = [(0, len(text), CELL) for _ in self._tables([text])]
        if self._rules.own and self._rules.own.may_hold(text):
            found.append((0, len(text), OWN))
        return found + self.regions_of_blocks(text)

    def regions_of_blocks(self, text: str) -> list[Region]:
        """Return the same without what has to be told from the whole text."""
        self._prepare()
        shown = encodable(text)
        found: list[Region] = []
        for start, end in _blocks(shown, 0, len(shown), _BLOCK):
            block = shown[start : end + _AHEAD]
            has = _has(block)
            groups = self._in_runs if _is_run(block) else self._groups
            hit = [group for group in groups if not group.needs & ~has and group.test(block)]
            for at, stop in _blocks(shown, start, end, _LINES) if hit else ():
                reasons = 0
                for group in hit:
                    # a pattern that stays in its line needs not see the next one
                    is_whole = not group.needs and shown[stop - 1] == "\n"
                    reasons |= group.reasons(shown[at : stop if is_whole else stop + _AHEAD])
                if reasons:
                    found.append((at, stop, reasons))
        return found

    def _prepare(self) -> None:
        if not self._groups:
            self._headings, self._in_runs = _headings(self._rules), _groups_in_runs(self._rules)
            self._groups = _groups(self._rules)

    def _tables(self, texts: list[str]) -> Iterator[tuple[str, int]]:
        """Find the texts that may be tables: their first or second line names a sensitive column."""
        lines = [(head, text) for text in texts if "\n" in text and (head := heading(text)[1])]
        if lines:
            wanted = dict(_one_by_one([head for head, _ in lines], self._headings))
            yield from ((text, CELL) for head, text in lines if head in wanted)


def _blocks(text: str, start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut a part of a text into blocks of about a size, at the ends of lines where there are some."""
    while start < stop:
        end = text.find("\n", start + size, min(start + 2 * size, stop)) + 1 or min(start + size, stop)
        yield start, end
        start = end


def _reasons(text: str, groups: list[_Group]) -> int:
    reasons, has = 0, _has(text)
    for group in groups:
        if not group.needs & ~has:
            reasons |= group.reasons(text)
    return reasons


def _one_by_one(texts: list[str], groups: list[_Group]) -> Iterator[tuple[str, int]]:
    seen: set[str] = set()
    for at in range(0, len(texts), _TOGETHER):
        some = texts[at : at + _TOGETHER]
        if len(texts) > _TOGETHER and not _reasons(encodable(_BETWEEN.join(some)), groups):
            continue
        for text in some:
            if text not in seen:
                seen.add(text)
                if reasons := _reasons(encodable(text), groups):
                    yield text, reasons
