"""Days that are over, packed into Parquet."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime

ROWS = [{"tool": f"t{n}", "tokens": n, "prompt": "text " * 50, "arguments": {"n": n}} for n in range(200)]


def test_a_packed_day_answers_as_before(write_day, run, query):
    """The rows of a day are the same from Parquet, and count once."""
    write_day("2026-01-30", *ROWS)
    sql = "select tool, tokens, arguments, ts from calls order by tokens"
    before = query(sql)

    assert run("compact").exit_code == 0

    assert query(sql) == before
    assert len(before) == len(ROWS)


def test_a_packed_day_is_smaller_and_private(write_day, run, tmp_path):
    """Parquet takes a fraction of the room and is for its owner only."""
    lines = write_day("2026-01-30", *ROWS)

    run("compact")

    packed = tmp_path / "calls" / "calls-2026-01-30.parquet"
    assert packed.stat().st_size * 5 < lines.stat().st_size
    assert stat.S_IMODE(packed.stat().st_mode) == 0o600
    assert sorted(path.suffix for path in packed.parent.iterdir()) == [".jsonl", ".parquet"]


def test_rows_written_after_the_packing_are_seen(write_day, run, query, tmp_path):
    """An archive that is older than its day's file does not hide rows."""
    path = write_day("2026-01-30", {"tool": "a"})
    run("compact")
    with path.open("ab") as file:
        file.write(b'{"event":"tool_call","tool":"b"}\n')
    import os

    newer = (tmp_path / "calls" / "calls-2026-01-30.parquet").stat().st_mtime + 5
    os.utime(path, (newer, newer))

    assert query("select tool from calls order by tool") == [["a"], ["b"]]


def test_the_day_files_go_only_when_asked_for(write_day, run, query, tmp_path):
    """With --remove the Parquet file alone holds the day."""
    path = write_day("2026-01-30", *ROWS)
    run("compact")
    assert path.exists()

    report = json.loads(run("compact", "--remove", "--json").stdout)

    assert report["is_removed"]
    assert not path.exists()
    assert query("select count(*) from calls") == [[len(ROWS)]]


def test_a_day_is_kept_when_not_all_rows_arrived(write_day, run):
    """A row that only our reader can save from a torn line is not lost."""
    torn = b'{"event":"tool_call","too{"schema":"agent_tools.call/1","event":"tool_call","tool":"saved"}'
    path = write_day("2026-01-30", {"tool": "a"}, torn)

    result = run("compact", "--remove", "--json")

    assert json.loads(result.stdout)["missing"] == 1
    assert path.exists()
    assert "kept" in result.stderr


def test_today_and_later_days_are_left_alone(write_day, run, tmp_path):
    """A day that is not over is still being written."""
    write_day(f"{datetime.now(UTC):%Y-%m-%d}", {"tool": "a"})
    write_day("2026-01-30", {"tool": "a"})
    write_day("2026-01-20", {"tool": "a"})

    run("compact", "--before", "2026-01-30")

    assert [path.name for path in (tmp_path / "calls").glob("*.parquet")] == ["calls-2026-01-20.parquet"]


def test_several_files_of_a_day_become_one(write_day, run, query, tmp_path):
    """Parts and the files of single writers are packed together."""
    write_day("2026-01-30", {"tool": "a"})
    write_day("2026-01-30.1", {"tool": "b"})
    write_day("2026-01-30.host-12", {"tool": "c"})

    run("compact", "--remove")

    assert [path.name for path in (tmp_path / "calls").iterdir()] == ["calls-2026-01-30.parquet"]
    assert query("select tool from calls order by 1") == [["a"], ["b"], ["c"]]


def test_nothing_to_pack_is_said_so(write_day, run):
    """The day that is under way stays; that is no failure and no empty log."""
    write_day("2026-01-30", *ROWS)

    result = run("compact", "--before", "2026-01-30")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "no day before 2026-01-30 is left to pack" in result.stderr
