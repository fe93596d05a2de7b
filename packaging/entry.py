"""Where the frozen program starts: what `python -m desktop` does in the checkout."""

from desktop.__main__ import main

if __name__ == "__main__":
    raise SystemExit(main())
