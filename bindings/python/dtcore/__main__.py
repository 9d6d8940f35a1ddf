"""The package as a program: python -m dtcore lint FILE..."""
import sys

from ._lint import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
