"""`python -m arboretum`: the command line."""

from arboretum.cli import main

if __name__ == "__main__":
    main()
