"""A finished process as its output; a failed one as an error that keeps it."""

from __future__ import annotations

import subprocess
from typing import Any

from agent_tools.converters import Converted
from agent_tools.errors import ErrorCode, ToolError

# what a shell says when it could not start the program at all
NOT_STARTED = {126: "it is not executable", 127: "it was not found"}


def read_completed(process: subprocess.CompletedProcess[Any]) -> Converted:
    """Return `{stdout, stderr}` with the exit code in meta.

    Raises:
        ToolError: a non-zero exit code; the output is kept as the error's data.
    """
    output = {"stdout": _text(process.stdout), "stderr": _text(process.stderr)}
    code = process.returncode
    if code == 0:
        return Converted(output, {"exit_code": 0})
    last = next((line for line in reversed(output["stderr"].splitlines()) if line.strip()), "")
    ending = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    why = last.strip() or NOT_STARTED.get(code, "it printed nothing to stderr")
    raise ToolError(
        f"the process {ending}: {why}",
        code=_code(code),
        recovery="fix_arguments",
        sub_code=f"signal {-code}" if code < 0 else f"exit {code}",
        data=output,
    )


def _code(code: int) -> ErrorCode:
    if code < 0:
        return ErrorCode.ABORTED
    return ErrorCode.FAILED_PRECONDITION if code in NOT_STARTED else ErrorCode.EXECUTION_ERROR


def _text(output: Any) -> str:
    if output is None:
        return ""
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else str(output)
