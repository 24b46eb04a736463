"""Native results of other libraries as plain data, a file per family."""
