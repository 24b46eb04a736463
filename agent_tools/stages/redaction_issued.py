"""Find secrets by their look: issued tokens, private keys, credentials in URLs and command lines.

In:   a text.
Out:  spans `(start, end, mask)`.
Cost: linear; a pattern runs only when its literal is in the text.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from functools import cache

from agent_tools.stages.redaction_announced import hide_as, is_odd_word
from agent_tools.stages.redaction_guards import loosened
from agent_tools.stages.redaction_keys import RULE_OF_KIND, classify
from agent_tools.stages.redaction_masks import HIDDEN, HIDDEN_PASSWORD
from agent_tools.stages.redaction_rules import TOKENS, URL_SECRETS
from agent_tools.stages.redaction_spans import REACH, Span, hits_in
from agent_tools.stages.redaction_values import is_placeholder, looks_random

_BOUND = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\[nrt]))"
_PLAIN_TOKENS = re.compile(_BOUND + "(?:" + "|".join(t.pattern for t in TOKENS if not t.random) + ")")
_RANDOM_TOKENS = re.compile(_BOUND + "(?:" + "|".join(t.pattern for t in TOKENS if t.random) + ")")
# no token is shorter or has a blank in it: on prose, five times as fast as trying each pattern at each place
_RUN = re.compile(r"\S{15,}")
_SCHEMES = re.compile(
    r"(?i:(?<![A-Za-z0-9])(?:bearer|basic)(?:[ \t]{1,4}|%20|\+))(?![A-Za-z]{1,20}(?:[ \t.,]|$))"
    r"(?![A-Za-z][A-Za-z_\-.]{0,40}=[A-Za-z0-9\"'])"  # the next name and its value: `plan=basic users_max=20`
    r"([A-Za-z0-9_\-.~+/]{8,4096}={0,2})"
)
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# A key without its end line: only lines that can be its body go, not the text that follows.
_PEM_BODY = re.compile(
    r"(?:(?:\\{1,8}[nr]|\s)+(?:[A-Za-z0-9+/=]{20,}|[A-Z][A-Za-z\-]{3,20}: [^\s\\]{1,80}))*"
    r"(?:(?:\\{1,8}[nr]|\s)+(?:[A-Za-z0-9+/]{1,64}={1,2}|[A-Za-z0-9+/]{1,64}\Z))?"
)
_LONGEST_PEM, _LONGEST_BLOCK, _LONGEST_SCHEME = 20_000, 2_000, 31
_URL_SECRETS = [(literal, re.compile(pattern)) for literal, pattern in URL_SECRETS]
_SCHEME_END = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,30}$")
_AUTHORITY = re.compile(r"://([^\s/?#\"'<>]{0,512})")
_SLASH_PASSWORD = re.compile(
    r"[^\s:@\"'<>]{0,100}:[^\s\"'<>]{1,200}@(?=[A-Za-z0-9.\-\[\]]{1,200}(?::\d{1,5})?(?:/|$|[\s\"']))"
)
_OTP_BEFORE = re.compile(
    r"(?<![0-9A-Za-z])(\d{4,8})(?: (?:is|as) (?:your|the) [^.\n]{0,40}(?:code|OTP|PIN|password)|"
    r" to (?:verify|log ?in|sign ?in|confirm|authenticate|reset|activate)\b|"
    r"(?:\s?[（(]|是|为)[^。，\n0-9]{0,12}(?:验证码|校验码|动态码|動態碼|驗證碼|认证码|認証コード)|"
    r"(?:は|이|가|은)[^。\n0-9]{0,12}(?:認証コード|確認コード|인증번호))"
)
_OTP_AFTER = re.compile(
    r"(?i:\b(?:your|use|enter)(?: [a-z0-9]{2,16}){0,2} code(?: is|:)? )(\d{4,8})(?![0-9A-Za-z])"
)
_MYSQL_P = re.compile(r"(?<=\s-p)['\"]?(\S{3,128})")
_MYSQL = re.compile(r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b")
_CURL_U = re.compile(
    r"\s(?:-u|--(?:proxy-)?user[ =]|-U|-a|--auth[ =])\s{0,3}['\"]?[^\s:'\"]{1,100}:([^\s'\"]{1,256})"
)
_LOGIN_P = re.compile(r"\blogin\b[^\n|;&]{0,120}?\s-p\s{0,3}['\"]?([^\s'\"]{2,128})")
_WIFI = re.compile(r"WIFI:[^\n]{0,120}?;?P:([^;\n]{1,128});")
_ORACLE = re.compile(r"(?:jdbc:oracle:\w{1,8}:|sqlplus(?: -\w+){0,3} )[\w$#]{1,40}/([^@\s\"']{1,100})@")
_OAUTH_CODE = re.compile(
    r"(?:(?<=[?&# \"'])(?:code|ticket)|(?<=[?&])key(?=[^&\s]{20}))=([^&\s\"'<>#]{10,2048})"
)
_PUTTY = re.compile(
    r"Private-(?:Lines: \d{1,4}\r?\n((?:[A-Za-z0-9+/=]{1,80}\r?\n){1,200})|MAC: ([0-9a-f]{16,128}))"
)
# programs that take a password behind a short option
_SHORT_FLAG = re.compile(
    r"\b(?:(?:sshpass|redis-cli)\b[^\n|;&]{0,120}?\s-[pa]|(?:un)?zip\b[^\n|;&]{0,120}?\s-P|"
    r"7z[ar]?\b[^\n|;&]{0,120}?\s-p(?=\S)|"
    r"(?:sqlcmd|isql|bcp|tsql|mosquitto_[a-z]{2,4})\b[^\n|;&]{0,120}?\s-P|"
    r"ldap[a-z]{3,10}\b[^\n|;&]{0,120}?\s-w|openssl\s(?:enc|aes)[^\n|;&]{0,120}?\s-k|"
    r"smbclient\b[^\n|;&]{0,120}?\s-U\s{0,3}['\"]?[^\s%'\"]{1,80}%|"
    r"htpasswd\s-\w{0,6}b\w{0,6}(?:\s-\w{1,4}){0,3}\s\S{1,200}\s\S{1,80}\s)"
    r"\s{0,3}['\"]?([^\s'\"]{2,128})"
)
_BASIC_AUTH = re.compile(
    r"(?:\bauth\s?=\s?|BasicAuth|DigestAuth|basic_auth)\("
    r"\s{0,4}[\"'][^\"'\n]{1,100}[\"']\s?,\s{0,4}[\"']([^\"'\n]{1,200})[\"']"
)
# a user and a password of whatever program; a port (`-u 1000 -p 8080:80`) and a group id are none
_USER_AND_PASSWORD = re.compile(
    r"\s(?:-u[ =]\S{1,80}(?:\s\S{1,80}){0,3}?\s-p\s{1,3}['\"]?|--user(?:name)?[ =]['\"]?[^\s:'\"]{1,80}:)"
    r"(?![\d:./\-])([^\s'\"]{4,128})"
)
_TERRAFORM = re.compile(
    r"\bvariable\s+\"([\w\-]{1,80})\"\s*\{[^{}]{0,400}?\bdefault\s*=\s*\"([^\"\n]{1,200})\""
)
_IDENTIFIED = re.compile(
    r"(?i)\bidentified (?:with \w+ )?(?:by|as)\s{0,3}(?:password\s{0,3})?"
    r"(?:'([^']{1,200})'|\"([^\"]{1,200})\"|(?=[^\s;]{0,80}\d)([^\s;,'\"]{4,200}))"
)
_NETRC = re.compile(r"(?i)\blogin\s+\S{1,100}\s+password\s+(\S{1,200})")
_MULTIPART = re.compile(
    r"(?i)name=\"([\w.\-\[\]]{1,60})\"\r?\n(?:[^\r\n]{1,200}\r?\n){0,3}\r?\n([^\r\n]{1,400})"
)


# what must be in a text, in lower case, so that a pattern may hit: a word of each row
_COMMANDS: tuple[tuple[tuple[tuple[str, ...], ...], re.Pattern[str]], ...] = (
    (((" -u", " -a", "user", "--auth"), ("curl", "wget", "http")), _CURL_U),
    ((("login",), (" -p",)), _LOGIN_P),
    ((("wifi:",),), _WIFI),
    ((("jdbc:oracle", "sqlplus"),), _ORACLE),
    (((" -",), ("sshpass", "redis-cli", "ldap", "openssl", "smbclient", "htpasswd")), _SHORT_FLAG),
    (((" -p",), ("zip", "7z", "sqlcmd", "isql", "bcp", "tsql", "mosquitto_")), _SHORT_FLAG),
    (((" -p", " --user"),), _USER_AND_PASSWORD),
    ((("uth",), ("(",)), _BASIC_AUTH),
    ((("identified",),), _IDENTIFIED),
    ((("login ",),), _NETRC),
    ((("code", "otp", "pin", "password", " to ", "码", "碼", "コード", "번호"),), _OTP_BEFORE),
    ((("code",),), _OTP_AFTER),
)  # fmt: skip


@cache
def token_look() -> str:
    """Return a pattern of the Rust engine that hits wherever a token stands."""
    tokens = "|".join(loosened(token.pattern) for token in TOKENS)
    return rf"(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{{2}}|\\[nrt])(?:{tokens})"


def token_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Find issued tokens."""
    for run in hits_in(_RUN, text, start, end):
        for hit in _PLAIN_TOKENS.finditer(text, run.start(), run.end()):
            yield hit.start(), hit.end(), HIDDEN
        for hit in _RANDOM_TOKENS.finditer(text, run.start(), run.end()):
            if _is_mixed(hit[0]):
                yield hit.start(), hit.end(), HIDDEN


def scheme_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Find what follows `Bearer` or `Basic`."""
    lower = text[start:end].lower()
    if "bearer" in lower or "basic" in lower:
        for hit in hits_in(_SCHEMES, text, start, end):
            if re.search(r"[^A-Za-z]", hit[1]) or len(hit[1]) >= 20 or re.search(r"[a-z][A-Z]", hit[1]):
                yield hit.start(1), hit.end(1), HIDDEN


def _is_mixed(token: str) -> bool:
    """Whether what follows a prefix is generated: a name in words (`sk-learn-random-forest`) is not."""
    rest = re.split(r"[_\-]", token, maxsplit=1)[-1]
    changes = len(re.findall(r"[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z]", rest))
    return (
        looks_random(rest, 14)
        or looks_random(rest.rpartition("-")[2], 14)
        or (changes >= 6 and changes * 4 >= len(rest))
    )


def name_of_token(token: str) -> str | None:
    """Return who issues a token; None when it is known by the word before it only.

    Example:
        >>> name_of_token("gh" + "p_" + "A1b2C3d4E5" * 3)
        'github'
    """
    return next((row.name for row in TOKENS if re.match(row.pattern, token)), None)


def pem_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Find private keys; one without its end does not swallow the text after it."""
    for begin in hits_in(_PEM, text, start, end):
        following = text.find("-----BEGIN", begin.end(), begin.end() + _LONGEST_PEM)
        limit = begin.end() + _LONGEST_PEM
        close = _PEM_END.search(text, begin.end(), min(following, limit) if following >= 0 else limit)
        if close is not None:
            at = close.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            at = body.end() if body else begin.end()
        yield begin.start(), at, HIDDEN
    for hit in hits_in(_PUTTY, text, start, end, _LONGEST_PEM):
        group = 1 if hit[1] is not None else 2
        yield hit.start(group), hit.start(group) + len(hit[group].rstrip()), HIDDEN


def url_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Find credentials before the host of a URL, and URLs that are a secret."""
    window = text[start : end + REACH]
    if "://" in window and "@" in window:
        for hit in hits_in(_AUTHORITY, text, start, end):
            yield from _userinfo(text, hit)
    if "code=" in window or "ticket=" in window or "key=" in window:
        for hit in hits_in(_OAUTH_CODE, text, start, end):
            if looks_random(urllib.parse.unquote(hit[1]), 10) or hit[1].startswith(("4/0A", "4%2F0A")):
                yield hit.start(1), hit.end(1), HIDDEN
    for literal, pattern in _URL_SECRETS:
        if literal in window:
            for hit in hits_in(pattern, text, start, end):
                yield hit.start(1), hit.end(1), HIDDEN


def _userinfo(text: str, hit: re.Match[str]) -> Iterator[Span]:
    """Hide the password before the host, and a user name that is itself a token."""
    scheme = _SCHEME_END.search(text, max(hit.start() - _LONGEST_SCHEME, 0), hit.start())
    if scheme is None:
        return
    start = hit.start(1)
    user_info = hit[1].rpartition("@")[0]
    if not scheme[0].lower().startswith("http"):  # passwords of databases are often written raw, with / and @
        raw = _SLASH_PASSWORD.match(text, start, start + 400)
        if raw is not None and not re.match(r"[^:]*:\d{1,5}/", raw[0]):
            user_info = raw[0][:-1]
    user, _, password = user_info.partition(":")
    if password and not is_placeholder(password):
        yield start + len(user) + 1, start + len(user_info), HIDDEN_PASSWORD
    if looks_random(user, 20):
        yield start, start + len(user), HIDDEN


def command_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Hide passwords in command lines and statements that name them in their own way."""
    # the program may stand in a line before its options
    lower = text[max(start - REACH, 0) : end + REACH].lower()
    if " -p" in lower and _MYSQL.search(lower):
        for hit in hits_in(_MYSQL_P, text, start, end + REACH):
            yield hit.start(1), hit.end(1), HIDDEN_PASSWORD
    for needs, pattern in _COMMANDS:
        if all(any(word in lower for word in words) for words in needs):
            for hit in hits_in(pattern, text, start, end):
                if pattern is not _USER_AND_PASSWORD or is_odd_word(hit[1]):
                    yield hit.start(hit.lastindex or 1), hit.end(hit.lastindex or 1), HIDDEN_PASSWORD
    for word, pattern in (("variable", _TERRAFORM), ("form-data", _MULTIPART)):
        if word in lower:
            for hit in hits_in(pattern, text, start, end, _LONGEST_BLOCK):
                yield from _named(hit)


def _named(hit: re.Match[str]) -> Iterator[Span]:
    """Hide a value (group 2) whose name (group 1) is that of a secret."""
    kind = classify(hit[1])
    if kind is not None and kind != "plain" and RULE_OF_KIND[kind] == "secret":
        yield hit.start(2), hit.end(2), hide_as(kind, hit[2]) or hit[2]
