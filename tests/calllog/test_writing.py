"""Writing to the day's file: whole lines, the right file, no failure for the caller."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path

import pytest

from agent_tools.calllog.day_files import (
    DayFiles,
    _filesystem_of,
    is_append_atomic,
    list_files,
    parse_name,
    prune,
)
from agent_tools.calllog.sinks import Sink

NOON = 1_769_860_800.0  # 2026-01-31T12:00:00Z
DAY_S = 86_400


@pytest.fixture
def clock():
    """A clock that a test sets by hand."""
    return [NOON]


@pytest.fixture
def make_files(tmp_path, clock):
    """Day files in a home of their own, under that clock."""

    def make(**limits):
        return DayFiles(lambda: tmp_path, now=lambda: clock[0], **limits)

    return make


def names(home):
    return [file.path.name for file in list_files(home / "calls")]


def test_a_record_is_one_line_of_the_days_file(tmp_path, make_files, record):
    """The file is named by the UTC day and holds the record and a line feed."""
    assert Sink(make_files()).write(record()) is True

    assert names(tmp_path) == ["calls-2026-01-31.jsonl"]
    assert (tmp_path / "calls/calls-2026-01-31.jsonl").read_bytes().count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_only_the_owner_can_read_the_log(tmp_path, make_files):
    """The folder is 0700, a file 0600."""
    make_files().append(b"{}\n")

    assert stat.S_IMODE((tmp_path / "calls").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "calls/calls-2026-01-31.jsonl").stat().st_mode) == 0o600


def test_a_new_day_opens_the_next_file(tmp_path, make_files, clock):
    """Whatever the time since the last line."""
    files = make_files()
    files.append(b"1\n")
    clock[0] += DAY_S / 2
    files.append(b"2\n")

    assert names(tmp_path) == ["calls-2026-01-31.jsonl", "calls-2026-02-01.jsonl"]


def test_a_torn_tail_is_healed_when_the_file_is_opened(tmp_path, make_files):
    """What a killed process left stays one bad line of its own."""
    (tmp_path / "calls").mkdir()
    path = tmp_path / "calls/calls-2026-01-31.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":')

    make_files().append(b"{}\n")

    assert path.read_bytes() == b'{"a":1}\n{"b":\n{}\n'


def test_a_tail_torn_by_another_process_is_healed_while_the_file_is_open(tmp_path, make_files):
    """A process that has the file open already does not go on in the half line either."""
    files = make_files()
    files.append(b"1\n")
    with (tmp_path / "calls/calls-2026-01-31.jsonl").open("ab") as other:
        other.write(b'{"half')
    files.append(b"2\n")
    files.append(b"3\n")

    assert (tmp_path / "calls/calls-2026-01-31.jsonl").read_bytes() == b'1\n{"half\n2\n3\n'


def test_a_large_day_goes_on_in_parts(tmp_path, make_files, clock):
    """Also when a process starts anew: it goes on in the last part."""
    for _ in range(4):
        files = make_files(part_bytes=6)
        for _ in range(3):
            files.append(b"1234\n")
            clock[0] += 2
    sizes = [file.path.stat().st_size for file in list_files(tmp_path / "calls")]

    assert names(tmp_path)[:2] == ["calls-2026-01-31.jsonl", "calls-2026-01-31.1.jsonl"]
    assert sizes == [10] * 6


def test_a_folder_that_is_removed_is_made_again(tmp_path, make_files, clock):
    """Deleting the log under a running process loses no later record."""
    files = make_files()
    files.append(b"1\n")
    (tmp_path / "calls/calls-2026-01-31.jsonl").unlink()
    (tmp_path / "calls").rmdir()
    clock[0] += 2
    files.append(b"2\n")

    assert (tmp_path / "calls/calls-2026-01-31.jsonl").read_bytes() == b"2\n"


def test_another_home_takes_the_next_record(tmp_path):
    """The home folder is asked for at every record."""
    homes = [tmp_path / "a", tmp_path / "b"]
    files = DayFiles(lambda: homes[0])
    files.append(b"1\n")
    homes.reverse()
    files.append(b"2\n")

    assert [len(names(home)) for home in homes] == [1, 1]


def test_old_files_go_when_the_first_record_is_written(tmp_path, make_files):
    """Fourteen days stay, today included; what is no log file is left alone."""
    folder = tmp_path / "calls"
    folder.mkdir()
    for name in ("calls-2026-01-17.jsonl", "calls-2026-01-18.jsonl", "notes.txt", "calls-old.jsonl"):
        (folder / name).write_bytes(b"{}\n")

    make_files().append(b"{}\n")

    left = sorted(path.name for path in folder.iterdir())
    assert left == ["calls-2026-01-18.jsonl", "calls-2026-01-31.jsonl", "calls-old.jsonl", "notes.txt"]


def test_the_oldest_go_while_all_together_are_too_large(tmp_path):
    """Parts of a day in their order; the file in use stays in any case."""
    order = ["calls-2026-01-30.jsonl", "calls-2026-01-30.1.jsonl", "calls-2026-01-31.jsonl"]
    for name in order:
        (tmp_path / name).write_bytes(b"x" * 10)

    gone = prune(tmp_path, "2026-01-31", keep_days=14, keep_bytes=10, keep=tmp_path / order[2])

    assert [path.name for path in gone] == order[:1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("calls-2026-01-31.jsonl", ("2026-01-31", "", 0)),
        ("calls-2026-01-31.12.jsonl", ("2026-01-31", "", 12)),
        ("calls-2026-01-31.web_1-77.jsonl", ("2026-01-31", "web_1-77", 0)),
        ("calls-2026-01-31.web_1-77.2.jsonl", ("2026-01-31", "web_1-77", 2)),
    ],
)
def test_a_file_name_says_day_writer_and_part(name, expected):
    """A file of one process has its host and pid in the name."""
    file = parse_name(Path(name))

    assert (file.day, file.writer, file.part) == expected


MOUNTS = r"""22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home/my\040files rw shared:2 master:1 - nfs4 server:/files rw
31 22 0:41 / /home rw - xfs /dev/sdb rw
32 22 0:42 / /tmp rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/home/my files/x", "nfs4"), ("/home/other", "xfs"), ("/", "ext4"), ("/homes", "ext4")],
)
def test_the_file_system_of_a_folder_is_that_of_its_nearest_mount(tmp_path, folder, kind):
    """A mount point is a whole path component and may hold blanks."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert _filesystem_of(Path(folder), mounts) == kind


@pytest.mark.skipif(os.name == "nt", reason="a file per process there")
def test_a_local_folder_is_shared_by_all_processes(tmp_path):
    """One file a day, whoever writes."""
    assert is_append_atomic(tmp_path)


def test_a_home_that_is_a_file_drops_records_and_warns_once(tmp_path, record):
    """The caller learns it by a count and one warning, never by an exception."""
    home = tmp_path / "home"
    home.write_text("not a folder")
    sink = Sink(DayFiles(lambda: home))

    with pytest.warns(RuntimeWarning, match="AGENT_TOOLS_HOME") as seen:
        results = [sink.write(record()) for _ in range(3)]

    assert results == [False] * 3
    assert (sink.dropped, len(seen)) == (3, 1)


def test_a_failing_log_stays_silent_where_warnings_are_errors(tmp_path, record):
    """The call must not fail for its log, whatever the warning filters say."""
    home = tmp_path / "home"
    home.write_text("not a folder")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Sink(DayFiles(lambda: home)).write(record()) is False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix")
def test_a_disk_that_is_full_costs_one_line(tmp_path, run_child, read_rows):
    """A short write counts as dropped, and the next record starts on a line of its own."""
    code = """
import resource, warnings
from agent_tools.calllog import sinks
warnings.simplefilter("ignore")
sinks._PAUSE_S = 0
assert sinks.write({"n": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
assert not sinks.write({"n": 2, "pad": "p" * 100})
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert sinks.write({"n": 3})
assert sinks.dropped() == 1
"""
    child = run_child(code, home=tmp_path)

    assert child.returncode == 0, child.stderr
    (path,) = (tmp_path / "calls").iterdir()
    assert path.read_bytes() == b'{"n":1}\n{"n":2,"pad"\n{"n":3}\n'
