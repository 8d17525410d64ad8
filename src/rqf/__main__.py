"""`python -m rqf`: the command line."""

from rqf.cli import main

if __name__ == "__main__":
    main()
