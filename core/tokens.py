"""The design tokens: every colour, size and font of window and proposal.

People read and change `resources/tokens.toml`. The program reads `resources/tokens.json`, which `make translations`
makes of it: reading TOML would take a start longer than the whole style sheet.
"""

import json
from functools import cache
from typing import Any

from core import RESOURCES

SOURCE = RESOURCES / "tokens.toml"
COPY = RESOURCES / "tokens.json"


@cache
def load_tokens() -> dict[str, Any]:
    """All tokens by table and name."""
    tokens: dict[str, Any] = json.loads(COPY.read_text(encoding="utf-8"))
    return tokens


def as_json() -> str:
    """What the copy has to hold."""
    import tomllib

    return json.dumps(tomllib.loads(SOURCE.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the copy anew."""
    COPY.write_text(as_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
