"""The log under several processes, forks, kills and the application's own logging."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

LINES = 20_000
WRITER = """
import sys
from agent_tools.calllog import sinks
for n in range({lines}):
    assert sinks.write({{"schema": "agent_tools.call/1", "event": "tool_call", "writer": {writer}, "n": n,
                         "prompt": "p" * {size}}})
"""
unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix")


@pytest.mark.parametrize(("lines", "size"), [(LINES, 850), (400, 30_000)])
def test_two_processes_lose_and_tear_no_line(tmp_path, start_child, read_rows, lines, size):
    """Both write to one file, and every line of both is there, whole and in its order."""
    writers = [start_child(WRITER.format(lines=lines, writer=w, size=size), tmp_path) for w in range(2)]
    assert [w.wait(120) for w in writers] == [0, 0]

    rows = read_rows(tmp_path)
    for writer in range(2):
        assert [row["n"] for row in rows if row["writer"] == writer] == list(range(lines))
    assert len(list((tmp_path / "calls").iterdir())) == 1


@unix
def test_a_kill_leaves_at_most_one_bad_line(tmp_path, start_child):
    """Later records stand on lines of their own."""
    code = WRITER.format(lines=10**9, writer=0, size=20_000)
    for _ in range(3):
        child = start_child(code, tmp_path)
        while child.poll() is None and sum(p.stat().st_size for p in tmp_path.glob("calls/*")) < 10**6:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
    after = start_child(WRITER.format(lines=3, writer=1, size=10), tmp_path)
    assert after.wait(60) == 0

    bad, rows = [], []
    (path,) = tmp_path.glob("calls/*")
    for line in path.read_bytes().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            bad.append(line)
    assert len(bad) <= 3
    assert [row["n"] for row in rows[-3:]] == [0, 1, 2]


@unix
def test_a_fork_under_busy_threads_neither_hangs_nor_loses(tmp_path, run_child, read_rows):
    """There is no lock and no thread that a child could miss."""
    code = """
import os, threading
from agent_tools.calllog import sinks
def work(writer):
    for n in range(2000):
        assert sinks.write({"writer": writer, "n": n})
threads = [threading.Thread(target=work, args=(f"thread {t}",)) for t in range(4)]
for thread in threads: thread.start()
children = []
for c in range(8):
    pid = os.fork()
    if pid == 0:
        work(f"child {c}")
        os._exit(0)
    children.append(pid)
assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 8
for thread in threads: thread.join()
"""
    flags = ("-W", "ignore::DeprecationWarning")  # 3.12 warns of forks under threads
    child = run_child(code, home=tmp_path, flags=flags)

    assert child.returncode == 0, child.stderr
    rows = read_rows(tmp_path)
    assert len({(row["writer"], row["n"]) for row in rows}) == len(rows) == 12 * 2000


@unix
def test_a_forked_child_writes_its_own_process_and_trace(tmp_path, run_child, read_rows):
    """What is the same for all rows of a process is made once, and is the parent's."""
    code = """
import os
from agent_tools import tool
@tool
def get_order(n: int) -> dict: return {"id": n}
get_order(1)
pid = os.fork()
get_order(2)
if pid == 0: os._exit(0)
assert os.waitpid(pid, 0) == (pid, 0)
print(os.getpid(), pid)
"""
    child = run_child(code, home=tmp_path)

    assert child.returncode == 0, child.stderr
    parent, forked = map(int, child.stdout.split())
    rows = read_rows(tmp_path)
    assert sorted((row["pid"], row["arguments"]["n"]) for row in rows) == sorted(
        [(parent, 1), (parent, 2), (forked, 2)]
    )
    assert len({row["trace_id"] for row in rows}) == 2


@pytest.mark.parametrize("broken_home", [False, True])
@pytest.mark.parametrize("flags", [(), ("-W", "default")], ids=["plain", "warnings"])
def test_stdout_stays_byte_for_byte_clean(tmp_path, run_child, broken_home, flags):
    """It is the protocol channel of stdio servers; a log that fails warns on stderr."""
    home = tmp_path / "home"
    state = tmp_path / "state"
    if broken_home:
        home.write_text("a file")
        state.write_text("a file, too")
    code = """
from agent_tools.calllog import sinks
for n in range(3): sinks.write({"event": "tool_call", "n": n})
print('{"jsonrpc":"2.0"}')
"""
    child = run_child(code, home=home, flags=flags, XDG_STATE_HOME=str(state))

    assert child.stdout.strip() == b'{"jsonrpc":"2.0"}'
    assert child.returncode == 0
    assert child.stderr.count(b"drops records") == broken_home


APP = """
import json, logging, sys, warnings
variant = sys.argv[1]
def snapshot():
    import structlog
    config = {name: [id(p) for p in value] if isinstance(value, list) else id(value)
              for name, value in structlog.get_config().items()}
    root = logging.getLogger()
    return [config, structlog.is_configured(), list(map(id, root.handlers)), root.level, sys.excepthook is
            sys.__excepthook__, structlog.contextvars.get_contextvars(), id(logging.getLogRecordFactory()),
            len(warnings.filters)]
def configure():
    import structlog
    structlog.configure(processors=[structlog.processors.KeyValueRenderer()],
                        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
                        logger_factory=structlog.ReturnLoggerFactory(), cache_logger_on_first_use=False)
    structlog.contextvars.bind_contextvars(request_id="r1")
if variant == "before": configure()
from agent_tools.calllog import sinks
if variant == "after": configure()
before = snapshot()
for n in range(3): assert sinks.write({"event": "tool_call", "n": n, "level": "debug"})
assert snapshot() == before
if variant != "never":
    import structlog
    assert structlog.get_logger().critical("x", a=1) == "a=1 event='x'"
"""


@pytest.mark.parametrize("variant", ["before", "after", "never"])
def test_the_applications_logging_is_neither_used_nor_changed(tmp_path, run_child, read_rows, variant):
    """Its processors, level filter, handlers and context stay; our rows keep their own schema."""
    child = run_child(APP, variant, home=tmp_path)

    assert child.returncode == 0, child.stderr
    assert child.stdout == b""
    assert read_rows(tmp_path) == [{"event": "tool_call", "n": n, "level": "debug"} for n in range(3)]


def test_a_record_is_utf_8_in_every_locale(tmp_path, run_child, read_rows):
    """No file is opened with the locale's encoding."""
    code = """
from agent_tools.calllog import sinks
assert sinks.write({"prompt": "\\U0001F4CA report \\u2192 \\u00fc \\u4e2d"})
"""
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    child = run_child(code, home=tmp_path, flags=("-W", "error"), PYTHONWARNDEFAULTENCODING="1", **locale)

    assert child.returncode == 0, child.stderr
    assert read_rows(tmp_path) == [{"prompt": "\U0001f4ca report \u2192 \u00fc \u4e2d"}]


def test_importing_the_log_imports_no_structlog(tmp_path, run_child):
    """It takes 0.1 s and comes with the first record."""
    code = "import sys; from agent_tools.calllog import sinks; assert 'structlog' not in sys.modules"

    assert run_child(code, home=tmp_path).returncode == 0


@unix
def test_a_child_that_closes_every_descriptor_still_logs(tmp_path, run_child, read_rows):
    """A daemon does that; its number may stand for another file by then."""
    code = """
import os
from agent_tools.calllog import sinks
assert sinks.write({"n": 1})
os.closerange(3, 256)
sinks._PAUSE_S = 0
results = [sinks.write({"n": n}) for n in (2, 3)]
assert results[-1], results
"""
    child = run_child(code, home=tmp_path, flags=("-W", "ignore"))

    assert child.returncode == 0, child.stderr
    assert [row["n"] for row in read_rows(tmp_path)][-1] == 3
