"""Tell quickly which texts may hold something to hide.

In:   many texts.
Out:  those that the rules must look at, each with the reasons.
Cost: 6 ns a byte for all rules together, linear for every input: the patterns of all rules, loosened to
      supersets, make three automata of the Rust regex engine that comes with pydantic. The same as substring
      searches takes ten times as long, in Python's `re` a hundred times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from agent_tools.stages.redaction_guards import encodable, loosened, loosened_number, rust_test
from agent_tools.stages.redaction_rules import NUMBERS, TOKENS, URL_SECRETS
from agent_tools.stages.redaction_spans import EMAIL, LITERAL, NUMBER, OWN, TOKEN, WORD
from agent_tools.stages.redaction_strip import HIDDEN_CHARS
from agent_tools.stages.redaction_text import TextRules
from agent_tools.stages.redaction_vocabulary import HAN_STEMS, PREPOSITIONS, VERBS

ODD = 32
"""One more reason: hidden characters, or full-width ones that the patterns read as ASCII."""

# ends a line, and no pattern goes on behind it: what one text ends with does not meet the next
_BETWEEN = "\n\r"
_GROUP = 32  # texts tested together once something is in the whole

_CLOSE = r"(?:[\\\"'`\])}&”」】）]|%22|quot;)*[ \t]*"
_FOLLOWS = (
    r"(?:[=:：>|,;\t<(*]|->|%3[dDaA]|[^\x00-\x7f]|[\"'`]|"
    rf"(?i-u:{'|'.join(VERBS)})[ \t:]+[\"'`]?[!-~]*[0-9A-Z!@#$%^&*_+=\"'`]|"
    rf"(?i-u:{'|'.join(filter(str.isascii, PREPOSITIONS))}) [^\n:=]+(?:[:=]|(?:is|was) )|"
    r"(?:(?i-u:set )?(?i-u:to)[ \t]+)?[!-~]*[0-9]|(?i-u:bearer|basic)[ \t])"
)
_LEADS = (
    "phone|mobil|tel|cell|fax|fon|handy|movil|celular|msisdn|whats|contact|call|recipient|subscri|dial|sms|line|"
    "card|account|acct|acc|konto|cuenta|iban|bban|clabe|cc|pan|bank|"
    "ssn|passp|pasap|licen|plate|vehicle|car|dl|identi|national|social|resident|citizen|personal|tax|cpf|cnpj|rg|aadha|"
    "nino|ni|nric|fin|hkid|rrn|dni|nie|nif|curp|rfc|bsn|pesel|nhs|medicare|insurance|health|permit|doc|cert|gov|voter|"
    "ktp|nik|tin|itin|id[ _.\\-]?(?:card|no|num|code)|document"
)
_HAN_LEADS = (
    "[ーバ机機话話机真式系叫件证証證照车車牌卡账帳户戶险險保税號号码碼番携帯帯旅免전휴연계카주여차番号]"
)
_HAN_SECRETS = (
    "码|碼|口令|钥|鑰|鍵|匙|令牌|权杖|權杖|凭|憑|助记|"
    "パスワ|비밀|암호|トークン|토큰|認証|인증|暗証|シーク|확인|[Пп]ароль|ПАРОЛЬ|[Тт]окен|暗号|暗號|"
    "[Mm]ật khẩu|كلمة المرور|كلمة السر|पासवर्ड|รหัสผ่าน|סיסמה|[Κκ]ωδικός"
)


def _number_pattern(rules: frozenset[str]) -> str:
    parts = []
    for number in NUMBERS:
        if number.rule in rules:
            parts.append(loosened_number(number.pattern))
    parts.append(r"[0-9](?:%20|%2[Dd])[0-9]|%2[Bb][0-9]")
    digits = r"[A-Za-z0-9_.\- ]*[^0-9A-Za-z\n]*(?i-u:is |no\.? ?)?[+(A-Z]*[0-9](?:[ \-./]?[0-9A-Z()]){4}"
    parts.append(f"(?i-u:{_LEADS}){digits}")
    parts.append(
        _HAN_LEADS
        + r"[^\x00-\x40\x5b-\x7f]{0,4}[\x20-\x7f：为是為]{0,4}[+(A-Z]*[0-9](?:[ \-./]?[0-9A-Z()]){4}"
    )
    return "|".join(parts)


# words of secrets that end a line: their values may stand below
_BELOW = "credential"


def _word_pattern(rules: TextRules) -> str:
    stems = "|".join(re.escape(stem) for stem in rules.stems if stem.isascii())
    below = stems + "|" + _BELOW
    parts = [f"(?i-u:{stems})[A-Za-z0-9_.\\-]*{_CLOSE}{_FOLLOWS}"] if stems else []
    if stems:
        parts.append(f"(?:^|[^A-Za-z0-9])-[A-Za-z0-9_.\\-]*(?i-u:{stems})[A-Za-z0-9_.\\-]*[ \\t]")
    if "secret" in rules.rules:
        parts += [
            _HAN_SECRETS,
            r"\\u[0-9a-fA-F]{4}|%[57][fF]|%2[dD]|%[C-Fc-f][0-9A-Fa-f]%",  # escapes may spell a key
            rf"(?i-u:{below})[A-Za-z0-9_.\-]*[\"']?[ \t]*:?[ \t]*[|>]?[+\-0-9]*[ \t*]*\r?\n[ \t+\-]*[!-~]",
            r"(?i-u:insert|replace) +(?i-u:into)|(?i-u:copy) [^\n(]*\(",
            r"WIFI:|sqlplus|jdbc:oracle|(?i-u:user)[ =][^\s:]+:",
            r"(?i-u:login)[^\n]* -p",
            "(?i-u:identified|form-data|login )",
            "mysql|mariadb",
            r"(?:sshpass|redis-cli|zip|7z[ar]?|sqlcmd|isql|bcp|tsql|mosquitto_)[^\n]* -",
            r"(?:ldap[a-z]+|openssl|smbclient|htpasswd)[^\n]* -",
            r"(?:curl|wget|http)[^\n]* -[uUa]",
            r"variable +\"|-u[ =][^ \n]+ [^\n]*-p ",
        ]
    han = [stem for stem in rules.han_stems if "secret" not in rules.rules or stem not in HAN_STEMS]
    return "|".join([*parts, *map(re.escape, han)])


def _token_pattern() -> str:
    tokens = "|".join(loosened(token.pattern) for token in TOKENS)
    return "|".join(
        [
            rf"(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{{2}}|\\[nrt])(?:{tokens})",
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


def _reasons(rules: TextRules) -> list[tuple[int, str]]:
    """Return the patterns of the rules that are on, each with its reason."""
    found = [(ODD, f"[{HIDDEN_CHARS}]|[\u200c\u200d]")]
    if rules.numbers or rules.stems:
        found.append((ODD, "[０-９Ａ-Ｚａ-ｚ＋]"))
    if rules.numbers:
        found.append((NUMBER, _number_pattern(rules.rules)))
    if rules.stems or rules.han_stems:
        found.append((WORD, _word_pattern(rules)))
    if "secret" in rules.rules:
        found.append((TOKEN, _token_pattern()))
    if "email" in rules.rules:
        found.append((EMAIL, _EMAIL))
    if rules.literals:
        found.append((LITERAL, "|".join(map(re.escape, rules.literals))))
    return found


# Patterns that share an automaton. All in one would have too many states to keep: 600 ns a byte instead of 6.
_TOGETHER = (ODD | NUMBER | EMAIL, WORD, TOKEN, LITERAL)


class Screen:
    """The tests that clean data passes; compiled (5 ms) when first used."""

    __slots__ = ("_each", "_rules", "_tests")

    def __init__(self, rules: TextRules) -> None:
        self._rules = rules
        self._tests: list[Callable[[str], bool]] = []
        self._each: list[tuple[int, Callable[[str], bool]]] = []

    def _compile(self) -> list[Callable[[str], bool]]:
        reasons = _reasons(self._rules)
        self._each = [(reason, rust_test(pattern)) for reason, pattern in reasons]
        groups = ([pattern for reason, pattern in reasons if reason & together] for together in _TOGETHER)
        self._tests = [
            rust_test("|".join(f"(?:{pattern})" for pattern in group)) for group in groups if group
        ]
        return self._tests

    def candidates(self, texts: list[str]) -> Iterable[tuple[str, int]]:
        """Return the texts that may hold something, each with its reasons."""
        tests = self._tests or self._compile()
        whole = encodable(_BETWEEN.join(texts))
        hit = [test for test in tests if test(whole)]
        found = self._sorted_out(texts, hit) if hit else ()
        return self._with_own(texts, found) if self._rules.own else found

    def _with_own(self, texts: list[str], found: Iterable[tuple[str, int]]) -> Iterable[tuple[str, int]]:
        reasons = dict(found)
        for text in texts:
            if self._rules.own.may_hold(text):
                reasons[text] = reasons.get(text, 0) | OWN
        return reasons.items()

    def _sorted_out(self, texts: list[str], tests: list[Callable[[str], bool]]) -> Iterable[tuple[str, int]]:
        seen: set[str] = set()
        for at in range(0, len(texts), _GROUP):
            group = texts[at : at + _GROUP]
            if len(texts) > _GROUP:
                whole = encodable(_BETWEEN.join(group))
                if not any(test(whole) for test in tests):
                    continue
            for text in group:
                if text in seen:
                    continue
                seen.add(text)
                shown = encodable(text)
                reasons = 0
                for reason, test in self._each:
                    if test(shown):
                        reasons |= reason
                if reasons:
                    yield text, reasons
