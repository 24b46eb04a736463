"""Tell a text that is a failure from a text that mentions one: a part of `outcome`.

The whole text has to be the failure: one line of at most 500 characters that begins like one, a bare
traceback, or both. A log, a document, a diff, a search hit or a report is data, whatever its words.

Cost: a few comparisons of the first characters; no pattern runs on a text of more than a line.
"""

from __future__ import annotations

import errno
import html
import os
import re
from http import HTTPStatus

from agent_tools.errors import ErrorCode
from agent_tools.patterns import lazy_pattern
from agent_tools.stages.error_statuses import row_of_status
from agent_tools.stages.outcome_replies import Reply, is_failure_text
from agent_tools.stages.reported_codes import Reported, find_code, http_status
from agent_tools.stages.reported_traces import find_trace

LONGEST_LINE = 500
LONGEST_TRACEBACK = 50_000
LONGEST_MESSAGE_LINES = 8
# marks that people put before an error: cross marks, warning signs, markdown bold
_MARKS = "❌✗✘⛔🚫⚠️❗🔴*_`> \t"
# nouns, and no work that failed: "Error handling: a guide"
_FIELDS = "handling|reporting|correcting|logging|tracking|tracing|monitoring|messaging|trapping|budgeting"
_LINE = lazy_pattern(
    r"(?P<head>"
    r"(?:fatal |unexpected |internal |tool |api |http |runtime |unhandled )?(?:error|exception)"
    r"(?: \(?(?P<status>[45]\d\d)\)?)?\s*[*_`]*(?:\s*:\s*| - )[*_`]*"
    r"|error code: (?P<status2>[45]\d\d) - "  # openai and anthropic
    r"|error \d{3,5} \(\w{5}\)(?: at line \d+)?: "  # mysql
    r"|fatal: "  # git
    r"|(?:tool )?execution (?:error|failed): "
    r"|(?:psql: error|panic|uncaught \w*error): |curl: \(\d+\) "  # programs
    r"|error (?:response )?from [a-z]+(?: \(\w+\))?: "  # kubectl, docker
    r"|(?:[\u4e00-\u9fff]{0,6}(?:失败|出错了?)|[\u4e00-\u9fff]{2,6}异常|(?:发生|系统|内部)?错误|抱歉，出错了)\s*[:：]\s*"
    r"|(?:fehler|erreur|errore|erro|ошибка|エラー|오류) ?[:：] "
    r")(?P<rest>.*\S)\s*\Z",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(
    rf"error executing \S"
    rf"|error (?!(?:{_FIELDS})\b)[a-z]+ing\b[^:]{{0,200}}: ?\S"
    r"|error (?:while|when|during) [^:]{1,200}: ?\S"
    r"|error in [\w.]*[_.(][\w.()]*: ?\S"  # a function's name
    r"|failed to [a-z]+\b[^:]{0,200}: ?\S"
    r"|an? (?:unexpected |internal |unknown )?(?:error|exception) (?:has )?occurred\b"
    r"|the following (?:errors?|exceptions?) occurred\b[^:]{0,200}: ?\S",
    re.IGNORECASE,
)
_EXCEPTION = lazy_pattern(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Interrupt)(?:: ?\S.*|\(.*\))\Z"
)
_HTTP = lazy_pattern(
    r"(?:HTTP(?:/\d(?:\.\d)?)? )?(?:error )?(?P<status>[45]\d\d):? (?P<phrase>.+)\Z", re.IGNORECASE
)
# a program, what it was at, and the system's own words: `cat: a.txt: No such file or directory`
_SHELL = lazy_pattern(
    r"(?:[\w.+/-]{1,40}: ){1,2}(?:line \d+: )?(?:[^:\n]{1,200}: )?(?:\[Errno \d+\] )?(?P<last>[^:\n]{3,80})\Z"
)
_OS_ERROR = lazy_pattern(r"\[Errno \d+\] \S|(?:\S*sh: )(?:\d+: \S+: not found|command not found: \S+)\Z")
_SYSTEM_TEXTS = frozenset(os.strerror(number) for number in errno.errorcode) | {"command not found"}
# LangChain, MCP's SDKs, axios; redis-cli and apt
_OF_FRAMEWORK = lazy_pattern(
    r"\S{1,80} is not a valid tool, try one of \[|Unknown tool: \S+\Z|Tool '?[\w.-]+'? not found\b"
    r"|Invalid arguments for tool \S+: |MCP error -?\d+: |Request failed with status code [45]\d\d\Z"
    r"|Error code: [45]\d\d\Z|\(error\) [A-Z]{3,} \S|E: (?:Unable to|Could(?: not|n't)|Failed to|Package) \S"
)
# SQL engines show the line that they stumbled over, and where
_QUERY = lazy_pattern(r"(?:[A-Za-z]+ ){0,3}error: +\S.*(?:\n.*){0,6}\nLINE \d+: ", re.IGNORECASE)
# each line says that it is one of a failure: npm, and Windows, which takes two for it
_OF_PROGRAM = lazy_pattern(
    r"(?:npm (?:ERR!|error) .*(?:\n|\Z))+\Z"
    r"|'.{1,100}' is not recognized as an internal or external command,\s+operable program or batch file\.\Z"
)
# an XML document that is an error: object stores, SOAP
_XML_ERROR = lazy_pattern(
    r"(?:<\?xml[^<>]*>\s*)?(?:<(?:[\w-]+:)?(?:Envelope|Body)\b[^<>]*>\s*){0,2}"
    r"<(?:[\w-]+:)?(?:Error|ErrorResponse|Fault)\b[^<>]*>"
)
_XML_PART = lazy_pattern(r"<(?:[\w-]+:)?(Code|Message|faultstring|Text)\b[^<>]*>([^<>]+)</")
_ELEMENT = lazy_pattern(r"<((?:tool_(?:use_)?)?error)>\s*(.*\S)\s*</\1>\s*\Z", re.DOTALL)
_TRACEBACK = "Traceback (most recent call last):"
# what sandboxes put before it, on its line
_HEADER = lazy_pattern(
    r"(?:(?:code |tool |python |command |script )?(?:execution )?(?:failed|error|exception)[.:] )?"
    r"Traceback(?: \(most recent call last\))?:\Z",
    re.IGNORECASE,
)
_CAUSES = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_LAST_LINE = lazy_pattern(r"[A-Za-z_][\w.]*(?:: .*)?\Z")
_LOG_LINE = lazy_pattern(
    r"\s*(?:\[|\d{2,4}[-/:.]|(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERROR|CRITICAL|FATAL)\b|>>>|\$ )"
)
PHRASE_OF = {int(status): status.phrase.lower() for status in HTTPStatus if status >= 400}
PHRASES = {phrase: status for status, phrase in PHRASE_OF.items()}


def status_of_phrase(text: str) -> int | None:
    """Return the HTTP status whose reason phrase is the whole text, `Not Found.` -> 404."""
    return PHRASES.get(text.strip().rstrip(".!").lower()) if len(text) < 60 else None


def find_error_text(text: str) -> Reported | None:
    """Return the failure that a whole text is, None for a text that may mention one.

    Example:
        >>> find_error_text("Error: user not found").message
        'Error: user not found'
        >>> find_error_text("Errors: 0")
    """
    if text[:80].lstrip().startswith("<"):
        return _of_element(text)
    if "Traceback" in text[:LONGEST_LINE] and (reported := _of_traceback(text)) is not None:
        return reported
    if "\n" in text[:LONGEST_LINE] and (trace := find_trace(text)) is not None:
        return Reported(ErrorCode.TOOL_REPORTED_ERROR, trace)
    stripped = text.strip() if len(text) <= 2 * LONGEST_LINE else ""
    if "\n" in stripped:
        return _of_template(stripped)
    return _of_line(stripped) if 0 < len(stripped) <= LONGEST_LINE else None


def _of_template(text: str) -> Reported | None:
    """A line that is a failure, then the line of the query, or LangGraph's advice to fix it at the end."""
    if ("\nLINE " in text and _QUERY.match(text)) or _OF_PROGRAM.match(text):
        return Reported(ErrorCode.TOOL_REPORTED_ERROR, text)
    first, _, last = text.partition("\n")[0], *text.rpartition("\n")[1:]
    advised = last.strip().lower().startswith(("please fix", "please try again", "fix the errors"))
    reported = _of_line(first.strip() if first.rstrip()[-1:] != ":" else f"{first.strip()} see below")
    return Reported(ErrorCode.TOOL_REPORTED_ERROR, text) if advised and reported is not None else None


def _of_line(line: str) -> Reported | None:
    bare = line.lstrip(_MARKS)
    match = _LINE.match(bare)
    if match is not None:
        rest = match["rest"].strip("*_` ")
        number = rest if http_status(rest) is not None else None
        # "Error: 0.03" is a measurement and "Error: none" says that there is no error
        is_failure = number is not None or is_failure_text(rest)
        return _report(line, match["status"] or match["status2"] or number) if is_failure else None
    if _SENTENCE.match(bare) or _EXCEPTION.match(bare) or _OF_FRAMEWORK.match(bare):
        return _report(line, None)
    shell = _SHELL.match(bare) if ": " in bare else None
    if (shell is not None and shell["last"] in _SYSTEM_TEXTS) or _OS_ERROR.match(bare):
        return _report(line, None)
    match = _HTTP.match(bare)
    if match is not None and _is_http_failure(match["phrase"], int(match["status"])):
        return _report(line, match["status"])
    return None


def _is_http_failure(rest: str, status: int) -> bool:
    """Say whether `rest` begins with the status's reason phrase, as in `404 Client Error: Not Found`."""
    rest = re.sub(r"^(?:client|server) error:? ?", "", rest, flags=re.IGNORECASE)
    phrase = PHRASE_OF.get(status)
    after = rest[len(phrase) :] if phrase is not None and rest.lower().startswith(phrase) else None
    return after is not None and (not after or after[0] in ":.,-(;" or after.startswith(" for url"))


def _report(message: str, status: str | None) -> Reported:
    if status is None:
        return Reported(ErrorCode.TOOL_REPORTED_ERROR, message)
    row = row_of_status(int(status))
    return Reported(str(row.code), message, status, row.transient)


def _of_element(text: str) -> Reported | None:
    text = text.strip() if len(text) <= 4 * LONGEST_LINE else ""
    if (match := _ELEMENT.match(text)) is not None:
        return Reported(ErrorCode.TOOL_REPORTED_ERROR, match[2])
    if _XML_ERROR.match(text) is None:
        return None
    parts = {part[1].lower(): html.unescape(part[2]).strip() for part in _XML_PART.finditer(text)}
    said = parts.get("message") or parts.get("faultstring") or parts.get("text")
    if not said:
        return None
    code, detail, transient = find_code([Reply({"code": parts.get("code")})])
    return Reported(code, said, detail, transient)


def _of_traceback(text: str) -> Reported | None:
    """Read a text that is one traceback (with its causes), after at most one line that tells of a failure."""
    lines = text.strip("\n").rstrip().splitlines() if len(text) <= LONGEST_TRACEBACK else []
    lines = [line for line in lines if line.strip()]
    if lines and "Traceback" not in lines[0] and _of_line(lines[0].strip()) is not None:
        del lines[0]
    if lines and _HEADER.match(lines[0]):
        lines[0] = _TRACEBACK
    if not lines or _TRACEBACK not in lines[0]:
        return None
    last = _of_group(lines) if lines[0].lstrip().startswith("+ Exception Group") else _of_frames(lines)
    return None if last is None else Reported(ErrorCode.TOOL_REPORTED_ERROR, last)


def _of_group(lines: list[str]) -> str | None:
    """Return the line of an exception group, whose traceback is drawn with `|` and `+` throughout."""
    if not all(line.lstrip()[:1] in ("|", "+") for line in lines):
        return None
    return next((line.strip(" |") for line in lines if "ExceptionGroup: " in line), None)


def _of_frames(lines: list[str]) -> str | None:
    """Return the line of the last exception, None when the text tells more than the traceback."""
    headers = [number for number, line in enumerate(lines) if line == _TRACEBACK]
    if not headers or headers[0] != 0 or any(lines[number - 1] not in _CAUSES for number in headers[1:]):
        return None
    frames = headers[-1] + 1
    end = next((number for number in range(frames, len(lines)) if not lines[number][0].isspace()), None)
    if end is None or end == frames or not _LAST_LINE.match(lines[end]):
        return None
    after = lines[end + 1 :]
    # an exception's message may have more lines; a log goes on with times and levels
    if len(after) > LONGEST_MESSAGE_LINES or any(_LOG_LINE.match(line) for line in after):
        return None
    return lines[end]
