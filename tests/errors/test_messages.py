"""What the model reads of a failure: what failed, and nothing that it must not see."""

from __future__ import annotations

import dataclasses
import subprocess
import unicodedata
from collections.abc import Callable
from enum import Enum

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_tools import tool
from agent_tools.errors import NotFound, ToolError
from agent_tools.stages.error_codes import Failure, make_error_codes

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]


@pytest.mark.parametrize(
    ("exc", "message"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (TimeoutError(), "TimeoutError: no message given"),
        (KeyError(), "KeyError: no message given"),
        (ValueError(None), "ValueError: no message given"),
        (ValueError(" ... "), "ValueError: no message given"),
        (NotFound("No order 'A1'. Look it up by name."), "No order 'A1'. Look it up by name."),
        (NotFound(), "The tool reported NOT_FOUND and gave no message."),
        (ToolError(" "), "The tool reported a failure."),
        (FileNotFoundError(2, "No such file", "a.txt"), "FileNotFoundError: No such file: 'a.txt'"),
        (ConnectionRefusedError("127.0.0.1:9"), "ConnectionRefusedError: 127.0.0.1:9"),
        (RuntimeError("two\n\n  lines"), "RuntimeError: two lines"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_message_names_the_type_and_what_it_said(code_of: Coder, exc: Exception, message: str) -> None:
    """Never blank; a ToolError's sentence stands for itself."""
    assert code_of(exc).error.message == message


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("city", "KeyError: no key 'city'"),
        ("unit_price", "KeyError: no key 'unit_price'"),
        ("x7Kq-99-zZ", "KeyError: no such key (str)"),
        (49170000000, "KeyError: no such key (int)"),
        ("there is no customer 17", "KeyError: there is no customer 17"),
    ],
)
def test_a_missing_key_is_shown_only_where_it_is_a_name(code_of: Coder, key: object, message: str) -> None:
    """A key may be a token or a person's number."""
    assert code_of(KeyError(key)).error.message == message


@pytest.mark.parametrize("parse", [int, float, complex])
def test_a_number_that_does_not_parse_is_not_repeated(
    code_of: Coder, raised: Raised, parse: Callable[[str], object]
) -> None:
    """int() repeats what it was given, which may be a password."""
    message = code_of(raised(lambda: parse("swordfish-9"))).error.message

    assert message.startswith("ValueError: ")
    assert "swordfish" not in message


def test_a_number_with_a_dot_is_shown(code_of: Coder, raised: Raised) -> None:
    """What is nearly a number is harmless and helps."""
    assert "'12.5'" in code_of(raised(lambda: int("12.5"))).error.message


def test_an_object_whose_str_raises_still_has_a_message(code_of: Coder) -> None:
    """The type's name and a note that the text could not be read."""

    class BadError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text for you")

        __repr__ = __str__

    failure = code_of(BadError())

    assert failure.error.code == "INTERNAL"
    assert failure.error.message == "BadError: no text available (its __str__ raised)"


def test_a_page_of_markup_is_boiled_down(code_of: Coder) -> None:
    """The title and the size are left of a megabyte."""
    page = "<!DOCTYPE html><html><head><title>example.com | 502: Bad gateway</title></head><body>"
    error = RuntimeError("upstream said: " + page + "<div>x</div>" * 100_000)

    message = code_of(error).error.message

    assert message == (
        "RuntimeError: upstream said: example.com | 502: Bad gateway (HTML page) "
        f"({len(str(error)):,} characters)"
    )


def test_a_url_loses_its_credentials_and_secret_parameters(code_of: Coder) -> None:
    """Host, path and harmless parameters stay, even where the redactor is off."""
    error = ConnectionError(
        "400 for https://me:pa/ss@w0rd@api.example.com/v1?api_key=AIzaSy0&alt=json&page=2"
    )

    message = code_of(error, redact_text=str).error.message

    assert "AIzaSy0" not in message
    assert "api.example.com" in message
    assert message.endswith("/v1?api_key=***&alt=json&page=2")


@pytest.mark.parametrize(
    "text",
    [
        'worker died\nTraceback (most recent call last):\n  File "/srv/app.py", line 3, in f\n    g()\n'
        "OSError: disk gone",
        'worker died\n  File "/srv/app.py", line 3, in f\n    g()\n    ^^^\nOSError: disk gone',
    ],
)
def test_a_traceback_in_a_message_leaves_its_last_line(code_of: Coder, text: str) -> None:
    """Paths and source lines of another process are for the log."""
    assert code_of(RuntimeError(text)).error.message == "RuntimeError: worker died OSError: disk gone"


def test_long_text_ends_on_a_word(code_of: Coder) -> None:
    """300 characters, no half word, no half character."""
    words = code_of(RuntimeError("word " * 200)).error.message
    joined = code_of(RuntimeError("👩\u200d🚀" * 400)).error.message

    assert len(words) <= 300
    assert words.endswith("word…")
    assert len(joined) <= 300
    assert joined.removesuffix("…").endswith("🚀")


def test_a_secret_is_hidden_before_the_text_is_cut(code_of: Coder, secret: str) -> None:
    """A token that crosses the limit, or the look-ahead, leaves nothing behind."""
    for lead in (280, 4080):
        message = code_of(RuntimeError("x " * (lead // 2) + secret + " end")).error.message

        assert secret[:8] not in message


def test_a_redactor_that_fails_hides_the_text(code_of: Coder, secret: str) -> None:
    """The failure keeps its code, its text is withheld."""

    def broken(text: str) -> str:
        raise ToolError("broken", code="REDACTION_FAILED")

    failure = code_of(NotFound(f"no {secret}", hint=secret), redact_text=broken)

    assert failure.error.code == "NOT_FOUND"
    assert failure.error.message == "NotFound: the text is withheld, the redactor failed"
    assert failure.error.hint is None


def test_lone_surrogates_are_replaced(code_of: Coder) -> None:
    """What can't be encoded never reaches a JSON text."""
    assert code_of(RuntimeError("caf\udce9")).error.message == "RuntimeError: caf\ufffd"


def test_a_large_group_does_not_claim_a_count(code_of: Coder) -> None:
    """Only so many are looked at; how many there are is not said to be that."""
    message = code_of(ExceptionGroup("g", [ValueError(str(n)) for n in range(5000)])).error.message

    assert message.startswith("ExceptionGroup: at least 200 failed")


def test_a_group_tells_its_leaves(code_of: Coder) -> None:
    """Through groups in groups; not the sentence of the task group."""
    inner = ExceptionGroup("inner", [ConnectionRefusedError("127.0.0.1:9")])
    group = ExceptionGroup("unhandled errors in a TaskGroup", [inner, PermissionError("b")])

    message = code_of(group).error.message

    assert message == "ExceptionGroup: 2 failed: ConnectionRefusedError: 127.0.0.1:9; PermissionError: b"


def test_a_wrapper_tells_its_cause(code_of: Coder) -> None:
    """A generic wrapper alone says too little."""
    error = RuntimeError("could not load the orders.")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")

    assert code_of(error).error.message == (
        "RuntimeError: could not load the orders (from ConnectionRefusedError: Connection refused)"
    )


def test_a_validation_error_is_a_line_per_field(code_of: Coder, raised: Raised) -> None:
    """No class names, no addresses, no rejected values."""
    pydantic = pytest.importorskip("pydantic")
    job = pydantic.create_model("Job", name=(str, ...), every=(int, ...), items=(list[int], ...))

    failure = code_of(raised(lambda: job(every="soon", items=[1, "two"], password="hunter2hunter2")))

    assert failure.error.code == "INVALID_ARGUMENT"
    assert failure.error.recovery == "fix_arguments"
    assert failure.error.message.splitlines() == [
        "ValidationError: $.name: field required",
        "$.every: must be an integer",
        "$.items[1]: must be an integer",
    ]


@pytest.mark.parametrize(
    ("schema", "value", "line"),
    [
        ({"type": "integer"}, "x" * 100_000, "$: must be of type integer"),
        ({"required": ["a", "b"]}, {"a": 1}, "$: field required: b"),
        ({"properties": {"a": {"maximum": 3}}}, {"a": 4_000}, "$.a: must be at most 3"),
        ({"enum": ["x", "y"]}, "hunter3", "$: must be one of 'x', 'y'"),
        ({"additionalProperties": False}, {"hunter3": 1}, "$: has a field that is not known"),
        ({"not": {}}, "hunter3", "$: does not fit the rule 'not'"),
    ],
)
def test_a_schema_error_tells_the_rule_and_not_the_value(
    code_of: Coder, raised: Raised, schema: dict[str, object], value: object, line: str
) -> None:
    """jsonschema's own text holds the instance and the schema, up to hundreds of kilobytes."""
    jsonschema = pytest.importorskip("jsonschema")

    failure = code_of(raised(lambda: jsonschema.validate(value, schema)))

    assert failure.error.code == "INVALID_ARGUMENT"
    assert failure.error.message == f"ValidationError: {line}"


class _Wrap(Enum):
    CAUSE = "cause"
    GROUP = "group"
    NOTE = "note"


@dataclasses.dataclass
class _Failure:
    text: str
    repeats: int
    wraps: list[_Wrap]

    def build(self) -> Exception:
        error: Exception = RuntimeError(self.text * self.repeats)
        for wrap in self.wraps:
            if wrap is _Wrap.GROUP:
                error = ExceptionGroup(self.text, [error, KeyError(self.text)])
            elif wrap is _Wrap.CAUSE:
                outer = ToolError(self.text) if len(self.text) % 2 else RuntimeError(self.text)
                outer.__cause__ = error
                error = outer
            else:
                error.add_note(self.text)
        return error


PIECES = st.sampled_from(
    ["ghp_" + "Zx81" * 9, "hunter2hunter2", "Traceback (most recent call last):\n", "<html>", "<title>",
     '  File "/a.py", line 1\n', "https://u:hunter2hunter2@h/?token=", "\ud800", "\u202e", " ", "\n",
     "e\u0301", "x" * 350]
)  # fmt: skip
FAILURES = st.builds(
    _Failure,
    st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=12).map("".join),
    st.sampled_from([1, 2, 30]),
    st.lists(st.sampled_from(_Wrap), max_size=4),
)


def _tells(character: str) -> bool:
    # a letter, a digit or an emoji; the mark of an unreadable character is an emoji to Unicode
    return character.isalnum() or (unicodedata.category(character) == "So" and character != "\ufffd")


@given(FAILURES)
@example(_Failure("\ud800", 1, [_Wrap.CAUSE]))
def test_a_message_is_always_short_whole_and_clean(redact: Callable[[str], str], failure: _Failure) -> None:
    """Whatever the text, the causes and the groups: no secret, no traceback, never blank, at most 300."""
    coded = make_error_codes(
        {}, kind="query", idempotent=True, effects="one", module=None, redact_text=redact
    )(failure.build())
    message = coded.error.message

    assert 0 < len(message) <= 300
    assert any(_tells(character) for character in message)
    assert "Traceback (most recent call last)" not in message
    assert "ghp_" + "Zx81" * 9 not in message
    assert "hunter2hunter2" not in message
    message.encode()


PHRASE = "correct horse battery staple rex"
LONG = "k" * 900


def _hide_all(text: str) -> str:
    # knows secrets with blanks, and one so long that hiding it brings what follows it near
    return text.replace(LONG, "***").replace(PHRASE, "***").replace("ghp_" + "Zx81" * 9, "***")


@pytest.mark.parametrize("hidden", [PHRASE, "ghp_" + "Zx81" * 9], ids=["with blanks", "without"])
@pytest.mark.parametrize("start", ["", LONG + " ", " " * 700, "<p>" * 300, "<html><title>"], ids=len)
@pytest.mark.parametrize("filling", ["word ", "x", ".", "   ", "\n", "漢字", "<br>", '{"a":1},'], ids=repr)
def test_a_secret_at_a_cut_does_not_come_out_partly(
    code_of: Coder, hidden: str, start: str, filling: str
) -> None:
    """Wherever a text is cut, before or after it is cleaned and redacted."""
    for at in (*range(250, 320, 7), *range(960, 1040, 7), *range(4040, 4110, 7)):
        text = (start + filling * 4200)[:at] + hidden + " and so on" * 1000

        message = code_of(RuntimeError(text), redact_text=_hide_all).error.message

        assert "correct horse" not in message
        assert "rex" not in message
        assert "Zx81" not in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bad image: " + "iVBORw0K" * 9_000, "RuntimeError: bad image: (72,011 characters)"),
        ("iVBORw0K" * 9_000, "RuntimeError: a text of 72,000 characters"),
        (" " * 9_000 + "end", "RuntimeError: a text of 9,003 characters"),
        ("got\n" * 9_000, "RuntimeError: " + "got " * 65 + "got… (36,000 characters)"),
        (
            "<html><head>" + "<meta>" * 300 + "<title>502 Bad Gateway</title>" + "<br>" * 9_000,
            "RuntimeError: 502 Bad Gateway (HTML page) (37,842 characters)",
        ),
    ],
    ids=["token", "token alone", "blanks", "lines", "page"],
)
def test_what_can_be_shown_of_a_large_text_is_shown(code_of: Coder, text: str, message: str) -> None:
    """A token that was cut goes, what stands before it stays; the title of a page is looked for further."""
    assert code_of(RuntimeError(text)).error.message == message


@pytest.mark.parametrize("size", range(120, 190, 6))
def test_a_secret_in_a_long_answer_of_a_server_does_not_come_out_partly(
    code_of: Coder, secret: str, size: int
) -> None:
    """What a server says is cut so that the address stands beside it."""
    httpx = pytest.importorskip("httpx")
    request = httpx.Request("GET", "https://example.com/v1/orders")
    response = httpx.Response(400, json={"detail": "w" * size + " " + secret}, request=request)
    error = httpx.HTTPStatusError("400", request=request, response=response)

    message = code_of(error).error.message

    assert "Zx81" not in message
    assert "example.com" in message


@pytest.mark.parametrize("kept", range(1, 40, 6))
def test_a_secret_at_the_beginning_of_a_last_line_does_not_come_out_partly(
    code_of: Coder, secret: str, kept: int
) -> None:
    """Of what a process wrote the end is looked at."""
    for size in (2048, 4096):
        stderr = "begin " + secret + " tail" * 2000
        stderr = stderr[: 6 + 40 + size - kept]

        error = subprocess.CalledProcessError(1, ["x"], stderr=stderr)

        assert "Zx81" not in code_of(error).error.message


@pytest.mark.parametrize("before", ["https://x.example/?token=", "https://me:", "a&sig="])
def test_a_secret_with_blanks_in_a_url_is_hidden_whole(code_of: Coder, before: str) -> None:
    """What hides the values of a query must not hide a part of it before the redactor has seen it."""
    error = RuntimeError(f"no answer from {before}{PHRASE}@host")

    message = code_of(error, redact_text=_hide_all).error.message

    assert "battery" not in message
    assert "no answer from" in message


@pytest.mark.parametrize("long", [False, True])
def test_a_code_that_is_a_secret_is_hidden(code_of: Coder, secret: str, long: bool) -> None:
    """A code may be handed on from another service; it is redacted before it is cut."""
    text = "X_" * 30 + secret if long else secret
    error = ToolError("no", code=text, sub_code=text)

    told = code_of(error).error

    assert "Zx81" not in f"{told.code} {told.sub_code}"
    assert len(told.code) <= 64


def test_a_redactor_that_fails_hides_a_code_of_ones_own(code_of: Coder) -> None:
    """Standard codes and short ones are no secrets."""

    def broken(text: str) -> str:
        raise RuntimeError(text)

    own = code_of(ToolError("no", code="SOME_LONG_CODE_OF_OURS"), redact_text=broken).error
    known = code_of(TimeoutError(), redact_text=broken).error

    assert (own.code, known.code) == ("UNKNOWN", "DEADLINE_EXCEEDED")


def test_what_pydantic_rejected_is_left_out_of_any_text(code_of: Coder, raised: Raised) -> None:
    """It is shortened in its middle, to half a secret; raised anew or handed back as data."""
    pydantic = pytest.importorskip("pydantic")
    value = "a key " * 20 + "AKIA" + "Q7XWZ2K4M6N8P1R3"
    text = str(raised(lambda: pydantic.TypeAdapter(int).validate_python(value)))

    messages = [
        code_of(RuntimeError(f"bad answer: {text}")).error.message,
        tool(lambda: {"error": text}, name="get_answer")().error.message,
    ]

    assert "P1R3" in text
    assert all("P1R3" not in message and "valid integer" in message for message in messages)
