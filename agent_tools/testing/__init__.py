"""What tests of a project's own tools use."""

from agent_tools.testing.hidden import Leak, assert_hidden, find_leaks

__all__ = ["Leak", "assert_hidden", "find_leaks"]
