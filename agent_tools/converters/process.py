"""A finished process as its output; a failed one as an error that keeps it.

In:   a CompletedProcess with its output captured.
Out:  `{stdout, stderr}` with `exit_code` in meta; type and size of an output that is no text.
Raises: ToolError for an exit code other than 0: what it printed last, and where in the code that was.
"""

from __future__ import annotations

import re
import signal
from typing import Any, NoReturn

from agent_tools.converters import Converted
from agent_tools.converters.text_encodings import decode, is_binary
from agent_tools.errors import ErrorCode, ToolError

# what a shell says when it could not start the program at all
NOT_STARTED = {126: "it is not executable", 127: "it was not found"}
# a shell adds this to the number of the signal that killed its child
SHELL_SIGNALS = 128
MAX_SCANNED_CHARS = 20_000
SNIFFED_BYTES = 8_192
# marks below a place in the code, and the frame around the exceptions of a group
_DRAWN = "^~|+- \t"
_GROUP = re.compile(r"(?:Base)?ExceptionGroup: ")
_FRAME = re.compile(r'^[ \t|]*File "(?P<file>[^"]{1,500})", line (?P<line>\d+)', re.MULTILINE)


def read_completed(process: Any) -> Converted:
    """Return `{stdout, stderr}` with the exit code in meta.

    Raises:
        ToolError: a non-zero exit code; the output is kept as the error's data.
    """
    output = {"stdout": _text(process.stdout), "stderr": _text(process.stderr)}
    shown: dict[str, Any] = {name: _binary(getattr(process, name)) or text for name, text in output.items()}
    code = process.returncode
    if code == 0:
        return Converted(shown, {"exit_code": 0})
    raise ToolError(
        f"the process {say_ending(code)}: {say_why(code, output)}",
        code=_code(code),
        retryable=False,
        recovery="fix_arguments",
        sub_code=f"signal {-code}" if code < 0 else f"exit {code}",
        data=shown,
        meta={"exit_code": code},
    )


def describe_failure(error: Any) -> Converted:
    """Return what a CalledProcessError says besides its message."""
    return Converted(None, {"exit_code": error.returncode})


def refuse_running(process: Any) -> NoReturn:
    """Refuse a process that has not ended, as far as anybody has looked.

    Raises:
        ToolError: always, and it says what to return instead.
    """
    raise ToolError(
        "the tool returned a process that was started and not waited for; it has to return its output: "
        "`process.communicate()`, or use subprocess.run(..., capture_output=True)",
        code=ErrorCode.INTERNAL,
        retryable=False,
    )


def say_ending(code: int) -> str:
    """Say how a process ended.

    Example:
        >>> say_ending(-9), say_ending(3)
        ('was killed by signal 9 (SIGKILL)', 'ended with exit code 3')
    """
    if code < 0:
        return f"was killed by signal {-code} ({_signal_name(-code)})"
    name = _signal_name(code - SHELL_SIGNALS) if code > SHELL_SIGNALS else ""
    return f"ended with exit code {code}" + (f" ({name})" if name.startswith("SIG") else "")


def say_why(code: int, output: dict[str, str]) -> str:
    """Say why a process failed: its last line, with the place for a Python traceback.

    Example:
        >>> traceback = 'Traceback (most recent call last):\\n  File "a.py", line 3, in f\\nKeyError: 7\\n'
        >>> say_why(1, {"stdout": "", "stderr": traceback})
        'KeyError: 7 (a.py, line 3)'
    """
    # what tests and linters find stands in stdout, and stderr may have been led there
    text = next((text for name in ("stderr", "stdout") if (text := output[name].strip())), "")
    text = text[-MAX_SCANNED_CHARS:]
    lines = [told for line in text.splitlines() if (told := line.strip(_DRAWN))]
    if not lines:
        return NOT_STARTED.get(code, "it printed nothing")
    # of exceptions in a group the last one is no more telling than the others
    last = next((line for line in lines if _GROUP.match(line)), lines[-1])
    frames = list(_FRAME.finditer(text))
    if not frames or ("Traceback" not in text and "Error" not in last):
        return last
    place = frames[-1]
    file = place["file"].replace("\\", "/").rpartition("/")[2]
    return f"{last} ({file}, line {place['line']})"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _code(code: int) -> ErrorCode:
    if code < 0:
        return ErrorCode.ABORTED
    return ErrorCode.FAILED_PRECONDITION if code in NOT_STARTED else ErrorCode.EXECUTION_ERROR


def _text(output: Any) -> str:
    if output is None:
        return ""
    return decode(output)[0] if isinstance(output, bytes) else str(output)


def _binary(output: Any) -> dict[str, Any] | None:
    """Return type and size of an output that is no text."""
    if isinstance(output, bytes) and is_binary(output[:SNIFFED_BYTES]):
        return {"type": "application/octet-stream", "size_bytes": len(output)}
    return None
