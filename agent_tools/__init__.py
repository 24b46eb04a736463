"""Agent tools whose results can be trusted."""
