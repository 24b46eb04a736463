"""A tool that runs Python code in a process of its own, with a limit on time and memory.

Run it: `python examples/run_python.py`. Unix only (it sets resource limits). This bounds mistakes; it is no
sandbox: the code may read files and use the network as its user may.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from agent_tools import tool

TIME_S = 5
MEMORY_BYTES = 1_000_000_000


def set_limits() -> None:
    """Bound the child before it starts: memory, processor time, size of files."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_S, TIME_S + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, 10_000_000))


@tool(kind="action", max_tokens=800)
def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code and return what it prints.

    Args:
        code: A whole script; print what you want to see.
    """
    return subprocess.run(
        # isolated: no user site-packages, no environment, not this folder
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        timeout=TIME_S,
        stdin=subprocess.DEVNULL,
        preexec_fn=set_limits,
        env={},
        check=False,
    )


if __name__ == "__main__":
    for code in (
        "print(sum(range(10)))",
        "prices = {'tea': 2}\nprint('looking')\nprint(prices['coffee'])",
        "print('almost'",
        "x = 'a' * 10**10",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    ):
        print(run_python(code).to_prompt())
