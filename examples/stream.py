"""A tool that yields its rows: they go to the store as they come, so there may be any number of them.

Run it: `python examples/stream.py`. The source below becomes slow in its middle; the rows that came before
the deadline are there all the same, with the error, and the model can read on in them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from agent_tools import read_result, tool


@tool(max_tokens=300, timeout_s=0.5)
def list_readings(sensor: str) -> Iterator[dict[str, Any]]:
    """List what a sensor has measured.

    Args:
        sensor: Its name.
    """
    for n in range(50_000):
        if n == 5_000:
            time.sleep(2)  # the network, say
        yield {"sensor": sensor, "minute": n, "celsius": 91.5 if n == 4321 else 20 + n % 4 / 10}


if __name__ == "__main__":
    readings = list_readings("roof")
    print(readings.to_prompt())
    print(read_result(readings.meta["result_id"], where={"celsius": [">", 50]}).to_prompt())
