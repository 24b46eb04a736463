"""`python -m agent_tools` is the command `agent-tools`."""

from agent_tools.cli.main import main

if __name__ == "__main__":
    main()
