"""Returned paths and open files: text in any encoding, binary, folders, what is too large to hold."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
import tracemalloc
from pathlib import Path

import pytest

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_path_to_a_text_is_read(call, tmp_path):
    """The text with its path and its lines; the code keeps the path."""
    path = _write(tmp_path / "notes.txt", b"one\ntwo\nthree")

    result = call(lambda: path)

    assert result.data == "one\ntwo\nthree"
    assert result.meta["file_path"] == str(path)
    assert (result.meta["total_lines"], result.meta["returned_lines"]) == (3, 3)
    assert result.value == path


def test_a_path_inside_data_is_its_text(call, tmp_path):
    """Only the result itself is opened: a list of paths is a list of names, and so is a glob."""
    _write(tmp_path / "a.txt", b"hush")

    shown = [
        call(lambda f=f: f()).data for f in (lambda: [tmp_path / "a.txt"], lambda: tmp_path.glob("*.txt"))
    ]

    assert shown == [[str(tmp_path / "a.txt")]] * 2
    assert call(lambda: {"saved": tmp_path / "b.txt"}).data == {"saved": str(tmp_path / "b.txt")}


def test_a_path_as_text_stays_text(call, tmp_path):
    """A function that returns a str means the str."""
    assert call(lambda: str(tmp_path)).data == str(tmp_path)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_text_in_any_encoding_is_read(call, tmp_path, encoding):
    """By its mark, by its zeros, as UTF-8, else as latin-1; a guess is said in the warnings."""
    text = "“café”\n" if encoding == "cp1252" else "Zürich, café\nRoma\n"
    path = _write(tmp_path / "a.txt", text.encode(encoding))

    result = call(lambda: path)

    assert (result.data, result.meta["total_lines"]) == (text, text.count("\n"))
    guessed = encoding in ("latin-1", "cp1252", "utf-16-le", "utf-16-be")
    assert ("warnings" in result.meta) == guessed
    assert not guessed or encoding in result.meta["warnings"][0]


def test_a_binary_file_is_its_type_and_size(call, tmp_path):
    """No bytes in the result."""
    path = _write(tmp_path / "a.png", b"\x89PNG\r\n\x1a\n\x00\x00" * 9)

    assert call(lambda: path).data == {"type": "image/png", "size_bytes": 90}


def test_a_packed_file_is_named_by_its_packing(call, tmp_path):
    """What is inside is not read."""
    path = _write(tmp_path / "a.csv.gz", b"\x1f\x8b\x08\x00\x00")

    assert call(lambda: path).data["type"] == "application/gzip"


def test_text_without_other_letters_is_read_from_wide_bytes(call, tmp_path):
    """Zero bytes are valid UTF-8, so that alone does not tell."""
    path = _write(tmp_path / "a.txt", "Roma\nBari\n".encode("utf-16-le"))

    result = call(lambda: path)

    assert (result.data, result.meta["total_lines"]) == ("Roma\nBari\n", 2)


def test_an_empty_file_and_an_empty_folder_are_empty(call, tmp_path):
    """Nothing in it is no failure."""
    (tmp_path / "folder").mkdir()

    assert call(lambda: _write(tmp_path / "a.txt", b"")).status == "empty"
    assert call(lambda: tmp_path / "folder").status == "empty"


def test_a_folder_is_its_entries(call, tmp_path):
    """Names, kinds and sizes, sorted; links are not followed."""
    (tmp_path / "b").mkdir()
    _write(tmp_path / "a.txt", b"12345")
    (tmp_path / "c").symlink_to("nowhere")

    assert [tuple(entry.values()) for entry in call(lambda: tmp_path).data if entry["name"] != "home"] == [
        ("a.txt", "file", 5),
        ("b", "folder", None),
        ("c", "link", None),
    ]


def test_a_missing_file_is_not_found(call, tmp_path):
    """Its own code, with the path."""
    error = call(lambda: tmp_path / "nope.txt").error

    assert (error.code, error.sub_code) == ("NOT_FOUND", "ENOENT")
    assert "nope.txt" in error.message


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_told_apart(call, tmp_path):
    """Not missing, but not for this user."""
    path = _write(tmp_path / "a.txt", b"x")
    path.chmod(0)

    assert call(lambda: path).error.code == "PERMISSION_DENIED"


def test_what_the_system_forbids_is_told_apart(call):
    """A file that not even root may read."""
    path = Path("/proc/sys/vm/drop_caches")
    try:
        path.read_bytes()
    except PermissionError:
        assert call(lambda: path).error.code == "PERMISSION_DENIED"
    except OSError as error:
        pytest.skip(f"no such file here: {error}")
    else:
        pytest.skip("this system lets everybody read it")


def test_a_device_is_never_read(call):
    """/dev/zero has no end."""
    assert call(lambda: Path("/dev/zero")).error.code == "FAILED_PRECONDITION"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_large_file_is_shown_in_places_with_line_numbers(call, tmp_path, encoding):
    """The start, the end and some places between; every line is under its own number."""
    path = tmp_path / "big.log"
    path.write_text("".join(f"line {n}\n" for n in range(1, 900_001)), encoding=encoding)

    result = call(lambda: path, max_tokens=None)

    assert (result.status, result.meta["total_lines"]) == ("partial", 900_000)
    assert result.meta["returned_lines"] == sum(piece["text"].count("\n") for piece in result.data)
    for piece in result.data:
        first, last = map(int, piece["lines"].split("-"))
        lines = piece["text"].splitlines()
        assert lines[0] == f"line {first}"
        assert lines[-1] == f"line {last}"
    assert result.data[0]["lines"].startswith("1-")
    assert result.data[-1]["lines"].endswith("-900000")


def test_a_huge_file_is_never_held(call, tmp_path):
    """Lines are counted in one pass, a block at a time."""
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        file.write(b"first line\n" * 1000)
        file.truncate(400_000_000)  # a hole: it takes no space
        file.seek(0, io.SEEK_END)
        file.write(b"\nlast line\n")
    tracemalloc.start()

    meta = call(lambda: path).meta

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert meta["total_lines"] == 1002
    assert peak < 100_000_000


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_read_and_closed(call, tmp_path, mode):
    """From where it stands; code gets the text, since the file is closed."""
    path = _write(tmp_path / "a.txt", b"one\ntwo\n")
    handle = path.open(mode)

    result = call(lambda: handle)

    assert result.data == result.value == "one\ntwo\n"
    assert handle.closed
    assert result.meta["file_path"] == str(path)


def test_an_open_file_of_the_wrong_encoding_is_read(call, tmp_path):
    """Opened as UTF-8, written as latin-1."""
    path = _write(tmp_path / "a.txt", "café".encode("latin-1"))

    assert call(lambda: path.open(encoding="utf-8")).data == "café"


def test_a_large_open_file_is_read_up_to_a_limit(call, tmp_path):
    """Bounded, and said so."""
    path = _write(tmp_path / "a.txt", b"0123456789\n" * 500_000)

    result = call(lambda: path.open())

    assert result.status == "partial"
    assert "there is more" in result.meta["warnings"][0]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.open("w"), "opened for writing"),
        (lambda path: _closed(path.open()), "closed"),
        (lambda path: _closed(io.StringIO("x")), "closed"),
    ],
    ids=["writing", "closed", "closed buffer"],
)
def test_a_file_that_cannot_be_read_says_what_to_return(call, tmp_path, make, says):
    """A mistake of the tool, and how to mend it."""
    error = call(lambda: make(_write(tmp_path / "a.txt", b"x"))).error

    assert error.code == "INTERNAL"
    assert says in error.message
    assert "has to return" in error.message


def _closed(handle):
    handle.close()
    return handle


def test_a_buffer_in_memory_stays_as_it_is(call):
    """Text or bytes from where it stands; it is not moved and not closed."""
    for buffer in (io.StringIO("one"), io.BytesIO(b"one")):
        assert call(lambda b=buffer: b).data == "one"
        assert buffer.tell() == 0
        assert not buffer.closed


def test_packed_and_temporary_files_are_read(call, tmp_path):
    """They are open files, too."""
    with gzip.open(tmp_path / "a.gz", "wb") as file:
        file.write(b"packed")

    def temporary():
        file = tempfile.NamedTemporaryFile("w+")  # noqa: SIM115 - the library closes it
        file.write("for now")
        file.seek(0)
        return file

    packed = gzip.open(tmp_path / "a.gz")  # noqa: SIM115 - as above

    assert call(lambda: packed).data == "packed"
    assert call(temporary).data == "for now"


def test_the_lines_of_a_file_that_is_cut_are_counted_anew(call, tmp_path):
    """`returned_lines` is what is shown; the prompt names the total alone."""
    path = tmp_path / "log.txt"
    path.write_text("".join(f"line {n} of a log\n" for n in range(1, 401)))

    result = call(lambda: path, max_tokens=300)

    assert (result.status, result.meta["total_lines"]) == ("partial", 400)
    assert result.meta["returned_lines"] == result.meta["returned"] < 400
    assert "returned_lines" not in result.to_prompt()
