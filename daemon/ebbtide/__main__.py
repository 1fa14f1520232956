"""`python -m ebbtide` is `ebbtide`."""

import sys

from ebbtide.serve.cli import main

if __name__ == "__main__":
    sys.exit(main())
