"""One entry for everything: what a tool returns, raises, is asked, keeps and logs, through the public API."""

from __future__ import annotations

import copy
import json
import pickle
import types
from pathlib import Path
from typing import Annotated, Any

import pytest

from agent_tools import Batch, ToolError, ToolResult, read_result, tool
from agent_tools.audiences import Secret

KEY = "AI" + "zaSy0123456789abcdefghijklmnopqrstuvw"
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
WORD = "hunter2hunter2"
URL = f"https://api.example.com/v1/m:gen?key={KEY}&alt=json&page=2"


def everything(result: ToolResult[Any], home: Path) -> str:
    """Return all that leaves the process: views in every form, repr, pickle, the files of log and store."""
    views = [result.to_prompt(view) + json.dumps(result.to_dict(view)) for view in ("plan", "answer", "card")]
    files = [repr(path.read_bytes()) for path in home.rglob("*") if path.is_file()]
    return "\n".join(
        [*views, repr(result), repr(pickle.dumps(result)), json.dumps(result.to_views()), *files]
    )


def has_piece(text: str, secret: str, size: int = 8) -> bool:
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def fail(error: Exception) -> Any:
    raise error


def fail_chained() -> Any:
    try:
        fail(ConnectionError(f"400 Bad Request for url: {URL}"))
    except ConnectionError as error:
        error.add_note(f"asked {URL}")
        raise RuntimeError("wrapper") from error


MAKERS: dict[str, Any] = {
    "a message": lambda: fail(ConnectionError(f"400 Bad Request for url: {URL}")),
    "a chain with a note": fail_chained,
    "a group": lambda: fail(ExceptionGroup("both", [ValueError(URL), KeyError(URL)])),
    "a coded error": lambda: fail(ToolError(URL, code="OWN_CODE", hint=URL, data={"url": URL})),
    "a failure by hand": lambda: ToolResult.fail("OWN_CODE", URL, hint=URL, data=[URL], source=URL),
    "meta": lambda: ToolResult.ok(
        {"n": 1}, source=URL, warnings=[URL], own={"deep": [URL]}, summary=f"see {URL}"
    ),
    "a cursor": lambda: {"items": [1], "next_cursor": URL},
    "an error as data": lambda: {"error": {"code": "BAD", "message": URL}},
    "a batch": lambda: Batch.run(lambda item: fail(ValueError(f"{item} {URL}")), [URL, "b"]),
    "rows that are cut": lambda: [{"n": n, "url": URL} for n in range(400)],
    "a long text": lambda: "\n".join([f"line {n} {URL}" for n in range(900)]),
    "a stream": lambda: ({"n": n, "url": URL} for n in range(3000)),
    "a broken stream": lambda: (fail(ValueError(URL)) if n == 5 else {"n": n} for n in range(9)),
    "a key": lambda: {URL: {URL: 1}},
    "bytes": lambda: {"body": URL.encode()},
    "an exception as data": lambda: {"problem": ValueError(URL)},
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("format_", ["auto", "csv", "text"])
def test_a_key_in_a_url_leaves_by_no_way(make: Any, format_: str, home: Path) -> None:
    """The key goes from every way out; the rest of the URL stays readable where it is shown."""

    def find_models(url: str, headers: Any = None) -> Any:
        return make()

    result = tool(find_models, format=format_, max_tokens=300)(URL, headers={"X-Api-Key": KEY})

    text = everything(result, home)
    assert not has_piece(text, KEY)
    assert "alt=json&page=2" in text
    assert "[REDACTED]" in text


def test_headers_and_environments_of_arguments(home: Path, read_log: Any) -> None:
    """Values go, names stay; the function gets the real ones and the caller's objects stay as they are."""
    arguments = {
        "url": "https://u:p4ssw0rd99@example.com/x",
        "headers": {
            "Authorization": "Bearer abc.def-ghi_jkl~mno", "authorization": "Basic dXNlcjpwYXNz",
            "Cookie": "sid=0123456789abcdef", "Accept": "*/*",
        },
        "auth": ("user", WORD),
        "env": {"OPENAI_API_KEY": "sk-" + "proj-abcdefghijklmnopqrstuvwx", "HOME": "/root"},
    }  # fmt: skip
    got: list[Any] = []
    before = copy.deepcopy(arguments)

    def fetch(url: str, headers: dict, auth: tuple = (), env: dict | None = None) -> dict:
        got.append((url, headers, auth, env))
        return {"sent": headers}

    result = tool(fetch)(**arguments)

    text = everything(result, home)
    assert not [
        part
        for part in ("p4ssw0rd99", "abc.def", "dXNlcjpw", "0123456789abcdef", WORD, "proj-")
        if part in text
    ]
    assert result.data["sent"]["Accept"] == "*/*"
    assert got == [tuple(before.values())]
    assert arguments == before
    shown = read_log()[0]["arguments"]
    assert shown["env"] == {"OPENAI_API_KEY": "[REDACTED]", "HOME": "/root"}
    assert shown["url"] == "https://u:***@example.com/x"
    assert shown["auth"] == ["user", "***"]


@pytest.mark.parametrize("offset", range(0, 900, 53))
@pytest.mark.parametrize("max_tokens", [64, 100, 300])
def test_a_cut_never_shows_a_part_of_a_secret(offset: int, max_tokens: int, home: Path) -> None:
    """Text and rows are redacted as a whole before they are cut; pages come from what is redacted."""
    text = "x " * offset + TOKEN + " tail " * 2_000
    rows = [{"i": n, "v": "y" * 20} for n in range(offset)] + [{"v": "prefix " + TOKEN}]

    for value in (text, rows):
        result = tool(lambda value=value: value, name="find_it", max_tokens=max_tokens)()
        assert not has_piece(everything(result, home), TOKEN)
        if (result_id := result.meta.get("result_id")) is not None:
            pages = [read_result(result_id, offset=at, limit=3) for at in (0, offset, max(offset - 1, 0))]
            assert not any(has_piece(page.to_prompt(), TOKEN) for page in pages)


def test_the_tools_own_objects_stay_as_they_are() -> None:
    """Results, exceptions and read-only mappings; a second call finds the real values."""
    config = {
        "db": {"password": WORD, "host": "h"},
        "list": [{"token": "tok_" + "abcdefghijklmnop"}],
        "none": {},
    }
    frozen, error = types.MappingProxyType({"password": WORD, "a": 1}), ValueError(f"bad password={WORD}")
    before = copy.deepcopy(config)

    shown = [tool(lambda v=v: v, name="get_config", log=False)() for v in (config, frozen)]
    failed = tool(lambda: fail(error), name="get_config", log=False)()

    assert config == before
    assert error.args == (f"bad password={WORD}",)
    assert shown[0].data["db"] == {"password": "***", "host": "h"}
    assert shown[0].data["none"] == {}
    assert shown[1].data == {"password": "***", "a": 1}
    assert shown[0].value is config
    assert WORD not in failed.error.message


def test_secrets_that_are_escaped_or_nested(home: Path) -> None:
    """JSON in JSON, prose, PEM with and without real newlines, pairs, headers; JSON stays JSON."""
    literal, slack = 'p"ss\\w0rd-9921-long', "xoxb-" + "123456789012-abcdefABCDEF"
    pem = "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIB" * 40 + "\n-----END " + "PRIVATE KEY-----"
    value = {
        "inner": json.dumps({"password": literal, "n": 1}),
        "twice": json.dumps(json.dumps({"api_key": "sk-" + "abcdefghijklmnopqrstuvwx"})),
        "prose": f"Incorrect API key {slack} provided; {literal}",
        "pem": pem,
        "pem1": pem.replace("\n", "\\n") + "\nName Server: NS1",
        "pairs": [["password", literal], {"name": "SECRET_KEY", "value": "abcd-efgh-ijkl-mnop"}],
        "hdr": "Set-Cookie: sid=0123456789abcdef; Path=/",
    }

    result = tool(lambda: value, name="get_all", secrets=[literal])()

    text = everything(result, home).replace("\\", "")
    leaked = [
        s
        for s in ("9921-long", "abcdefghijklmnopq", slack, "MIIBMIIB", "abcd-efgh", "0123456789abcdef")
        if s in text
    ]
    assert leaked == []
    assert json.loads(result.data["inner"])["n"] == 1
    assert "Name Server: NS1" in result.data["pem1"]


@pytest.mark.parametrize("policy", ["shape", "none"])
@pytest.mark.parametrize("limit", [5, 500])
def test_a_log_without_values(policy: str, limit: int, home: Path, read_log: Any) -> None:
    """Shapes or nothing, in messages and tracebacks, too; the model still gets the message."""

    @tool(log_arguments=policy)
    def find_person(doc_number: str, limit: int, filters: dict) -> dict:
        if limit > 100:
            raise ValueError(f"limit too high for {doc_number}")
        return {"found": True}

    result = find_person("000-111-222", limit, {"city": "Exampleville"})

    log = str(read_log(None))
    assert "000-111-222" not in log
    assert "Exampleville" not in log
    if limit > 100:
        assert "000-111-222" in result.error.message
    if policy == "shape":
        assert read_log()[0]["arguments"] == {
            "doc_number": "str(11)", "limit": "int", "filters": {"city": "str(12)"},
        }  # fmt: skip


def echo(password: str, note: Annotated[str, Secret], *, how: str) -> Any:
    said = f"user ann: {password} and {note} are wrong"
    if how == "raise":
        raise ValueError(said)
    return {"said": said, "url": f"https://h/{password}/x"} if how == "return" else iter([said] * 3)


@pytest.mark.parametrize("how", ["raise", "return", "stream"])
def test_secret_arguments_do_not_come_back(how: str, home: Path) -> None:
    """What is hidden in a call's arguments is hidden in what it says, too, without any word around it."""
    result = tool(echo)(WORD, "blue horse 41", how=how)

    text = everything(result, home)
    assert WORD not in text
    assert "blue horse 41" not in text
    assert "are wrong" in text


def test_short_or_plain_words_of_arguments_do_not_hide_the_result() -> None:
    """A password `admin` must not take every `admin` out of what a tool says."""
    result = tool(lambda password: {"role": "admin", "user": "admin"}, name="login", kind="query")("admin")

    assert result.data == {"role": "admin", "user": "admin"}
