"""Reading back: in order, past every kind of bad line, in logs of any size."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.calllog.app_context import read_app_context
from agent_tools.calllog.following import Follower
from agent_tools.calllog.lookup import _bisect, _search, find_call, read_trace
from agent_tools.calllog.reader import LINE_BYTES, Skipped, find_files, find_lines, read_chunks, read_records

BAD = {
    "torn": b'{"event":"tool_call","too',
    "array": b"[1,2]",
    "text": b'"str"',
    "null": b"null",
    "foreign": b'{"event":"other_app"}',
    "no event": b'{"tool":5,"status":null,"duration_ms":"fast"}',
    "list as event": b'{"event":["tool_call"]}',
    "NULs": b"\x00\x00",
    "long number": b'{"event":"tool_call","a":' + b"9" * 5000 + b"}",
    "not UTF-8": b"\xff\xfe{",
    "deep": b"[" * 5000,
}


@pytest.fixture
def write_log(tmp_path):
    """Write lines to a log file of a home folder as they are."""

    def write(*lines, name="calls-2026-01-31.jsonl", end=b"\n"):
        (tmp_path / "calls").mkdir(exist_ok=True)
        with (tmp_path / "calls" / name).open("ab") as file:
            file.write(b"\n".join(lines) + end)
        return find_files(tmp_path)

    return write


@pytest.fixture
def line(record):
    return lambda **given: json.dumps(record(**given), separators=(",", ":")).encode()


def ids(rows):
    return [row["call_id"] for row in rows]


@pytest.mark.parametrize("order", ["oldest", "newest"])
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_line_costs_itself_only(write_log, line, bad, order):
    """It is counted with its line number; the records around it are read."""
    files = write_log(line(call_id="a"), line(call_id="b"), bad, line(call_id="c"))
    skipped = Skipped()

    rows = list(read_records(files, order=order, skipped=skipped))

    assert sorted(ids(rows)) == ["a", "b", "c"]
    assert skipped.n == 1
    assert "calls-2026-01-31.jsonl:3" in skipped.describe()


@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_bad_lines_are_found_beside_a_search_for_an_id(write_log, line, order):
    """A search does not parse every line, and still tells of those that are not whole."""
    files = write_log(line(call_id="a"), *BAD.values(), line(call_id="b"))
    skipped = Skipped()

    rows = list(read_records(files, order=order, needles=["b"], skipped=skipped))

    assert "b" in ids(rows)
    assert skipped.n == len(BAD)


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n", b"\n\n\n"], ids=repr)
def test_the_end_of_the_file_may_look_any_way(write_log, line, end):
    """With or without the last line break, with CRLF, with blank lines."""
    skipped = Skipped()

    rows = read_records(write_log(line(call_id="a") + b"\r", line(call_id="b"), end=end), skipped=skipped)

    assert (ids(rows), skipped.n) == (["a", "b"], 0)


def test_a_byte_order_mark_is_no_fault(write_log, line):
    """An editor on Windows puts one at the start of a file."""
    assert ids(read_records(write_log(b"\xef\xbb\xbf" + line()))) == ["c_1"]


def test_a_record_behind_a_torn_one_on_the_same_line_is_saved(write_log, line):
    """A process that had the file open when another was killed went on in its half line."""
    skipped = Skipped()
    files = write_log(b'{"schema":"agent_tools.call/1","event":"tool_c' + line(call_id="b"))

    assert ids(read_records(files, skipped=skipped)) == ["b"]
    assert skipped.broken == 1


def test_a_text_with_unicode_line_breaks_is_one_line(write_log, record):
    """Other writers of JSON lines leave U+2028 as it is."""
    raw = json.dumps(record(prompt="a\u2028b\x85c"), ensure_ascii=False).encode()

    assert [row["prompt"] for row in read_records(write_log(raw))] == ["a\u2028b\x85c"]


def test_a_giant_line_is_passed_over(write_log, line):
    """It is counted once and never held in memory, in both directions."""
    files = write_log(line(call_id="a"), b"x" * (3 * LINE_BYTES), line(call_id="b"))

    for order, expected in (("oldest", ["a", "b"]), ("newest", ["b", "a"])):
        skipped = Skipped()
        assert ids(read_records(files, order=order, skipped=skipped)) == expected
        assert skipped.n == 1


@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), min_size=1),
    st.booleans(),
    st.integers(1, 50),
)
def test_chunks_put_together_are_the_file(tmp_path_factory, lines, has_end, size):
    """In both directions, whatever the lines, and each chunk begins where a line does."""
    path = tmp_path_factory.mktemp("log") / "calls.jsonl"
    whole = b"\n".join(lines) + b"\n" * has_end
    path.write_bytes(whole)
    forward = list(read_chunks(path, chunk_bytes=size))
    backward = list(read_chunks(path, order="newest", chunk_bytes=size))

    assert b"".join(chunk for _, chunk in forward) == whole
    assert b"".join(chunk for _, chunk in reversed(backward)) == whole
    for at, chunk in forward + backward:
        assert whole[at : at + len(chunk)] == chunk
        assert at == 0 or whole[at - 1 : at] == b"\n"


def test_days_and_parts_are_read_in_order(write_log, line):
    """Part 10 comes after part 2, whatever the alphabet says."""
    for name in ("30.10", "31", "30", "30.2"):
        files = write_log(line(call_id=name), name=f"calls-2026-01-{name}.jsonl")

    assert ids(read_records(files)) == ["30", "30.2", "30.10", "31"]
    assert ids(read_records(files, order="newest")) == ["31", "30.10", "30.2", "30"]


def test_files_of_several_processes_are_merged_by_time(write_log, line):
    """Where each process has a file of its own, the day still reads as one."""
    for n, writer in enumerate(["web-1", "web-2", "web-1", "web-2"]):
        files = write_log(
            line(call_id=str(n), ts=f"2026-01-31T12:00:0{n}"), name=f"calls-2026-01-31.{writer}.jsonl"
        )

    assert ids(read_records(files)) == ["0", "1", "2", "3"]
    assert ids(read_records(files, order="newest")) == ["3", "2", "1", "0"]


def test_a_file_that_is_gone_is_no_failure(write_log, line):
    """The retention of a running process may delete it meanwhile."""
    files = write_log(line())
    files[0].path.unlink()

    assert list(read_records(files)) == []
    assert not find_call(files, "c_1")


@pytest.mark.parametrize("needle", ["c_2", 'q"uote', "ümlaut", "back\\slash", "a/b"])
def test_a_needle_never_hides_a_record(write_log, record, needle):
    """However the writer spelt its characters."""
    lines = [json.dumps(record(call_id=needle), ensure_ascii=escaped).encode() for escaped in (True, False)]

    rows = read_records(write_log(*lines, b"{}"), needles=[needle], keep=lambda row: row["call_id"] == needle)

    assert len(list(rows)) == 2


@pytest.fixture
def large_log(write_log, line):
    """Two days of 3,000 calls each; every hundredth was slow and ended 50 calls later."""
    for day in range(2):
        order = sorted(range(3_000), key=lambda n: n + (50 if n % 100 == 7 else 0))
        lines = [
            line(call_id=f"c_{day * 3_000 + n:08d}", trace_id=f"{n // 10:032x}", seq=n % 10, pad="p" * 500)
            for n in order
        ]
        files = write_log(*lines, name=f"calls-2026-01-3{day}.jsonl")
    return files


@pytest.mark.parametrize("n", [0, 1, 7, 107, 1_500, 2_999, 3_000, 3_007, 4_444, 5_999])
def test_an_own_id_is_found_by_bisection(large_log, n):
    """In the file that holds it and in no other, slow calls included."""
    found = [_bisect(file.path, f"c_{n:08d}") for file in large_log]

    assert [len(each.calls) for each in found] == [n < 3_000, n >= 3_000]


@pytest.mark.parametrize("call_id", ["c_0", "c_00009999", "zzz", 'a"b', ""])
def test_an_unknown_id_is_not_found(large_log, call_id):
    """By bisection and by search alike."""
    assert not any(_bisect(file.path, call_id) for file in large_log)
    assert not find_call(large_log, call_id)


def test_a_models_id_is_found_though_it_does_not_sort(write_log, line, large_log):
    """Model ids do not mislead the bisection either."""
    files = write_log(
        *[line(call_id=f"call_{n}", call_id_source="model", pad="p" * 900) for n in range(300)],
        *[line(call_id=f"c_{n:08d}") for n in range(6_000, 6_500)],
        name="calls-2026-01-31.jsonl",
    )

    assert len(find_call(files, "call_77").calls) == 1
    assert len(list(_search(files, "call_id", "call_77"))) == 1
    assert len(find_call(files, "c_00006400").calls) == 1


def test_a_call_is_shown_with_its_start_and_its_views(write_log, line):
    """They are rows of their own with the same id."""
    files = write_log(line(event="tool_start"), line(), line(event="tool_view", prompt_view="answer"))

    found = find_call(files, "c_1")

    assert [len(found.starts), len(found.calls), len(found.views)] == [1, 1, 1]


def test_a_trace_is_found_in_every_file(large_log):
    """All its rows, by time."""
    assert len(read_trace(large_log, f"{5:032x}")) == 20
    assert len(list(_search(large_log, "trace_id", f"{5:032x}"))) == 20


@pytest.mark.parametrize("size", [40, 64, 1_000])
def test_a_search_finds_lines_across_the_edges_of_its_buffer(write_log, size):
    """Each line once, whole, wherever the buffer ends."""
    lines = [b"%d" % n + b"x" * (n % 29) + b'"id"' * (n % 3 == 0) for n in range(200)]
    (file,) = write_log(*lines, end=b"")

    assert list(find_lines(file.path, b'"id"', buffer_bytes=size)) == [
        line for line in lines if b'"id"' in line
    ]


def test_following_gives_each_line_once_when_it_is_whole(write_log, line, tmp_path):
    """A partial last line waits; new files and files cut short are noticed."""
    write_log(line(call_id="old"))
    follower = Follower(lambda: find_files(tmp_path))
    follower.skip_to_end()
    half = line(call_id="new")

    seen = []
    for piece, end in ((half[:20], b""), (half[20:], b""), (b"", b"\n"), (b"", b"")):
        write_log(piece, end=end)
        seen.append(ids(follower.read_new()))
    write_log(line(call_id="part"), name="calls-2026-01-31.1.jsonl")
    seen.append(ids(follower.read_new()))
    (tmp_path / "calls/calls-2026-01-31.jsonl").write_bytes(line(call_id="anew") + b"\n")
    seen.append(ids(follower.read_new()))

    assert seen == [[], [], ["new"], [], ["part"], ["anew"]]


def test_the_applications_context_is_read_and_left_alone():
    """A copy of what it bound to structlog."""
    import structlog

    with structlog.contextvars.bound_contextvars(request_id="r1"):
        read_app_context().clear()
        assert read_app_context() == {"request_id": "r1"}
    assert read_app_context() == {}
