"""Colours of a proposal: the design tokens, with the consultant's colour made readable."""

from functools import cache

from core.tokens import load_tokens

_READABLE = 4.5  # contrast against white that text needs


@cache
def _tokens() -> dict[str, dict[str, str]]:
    tokens = load_tokens()
    proposal = {name: value for name, value in tokens["proposal"].items() if isinstance(value, str)}
    proposal["warn"] = tokens["color"]["light"]["warn"]
    light = tokens["chart"]["light"]
    chart = {name: value for name, value in light.items() if isinstance(value, str)}
    series = {f"series_{name}": colour for name, colour in zip("abcd", light["series"], strict=True)}
    bad = tokens["color"]["light"]["bad"]
    others = {"prompts": light["series"][1], "bad": bad, **series}  # prompts as in the chart of first token
    return {"proposal": proposal, "chart": {**chart, **others}}


#: The product's own brand, where the consultant has none.
PRIMARY: str = _tokens()["proposal"]["brand_primary"]
ACCENT: str = _tokens()["proposal"]["brand_accent"]


def colours(primary: str = "", accent: str = "") -> dict[str, str]:
    """Every colour that the template uses, by name.

    >>> colours("#FFD700")["brand"] != "#FFD700"
    True
    """
    paper, chart = _tokens()["proposal"], _tokens()["chart"]
    return {
        "brand": readable(primary or PRIMARY),
        "accent": accent or ACCENT,
        "accent_text": readable(accent or ACCENT),
        "ink": paper["ink"],
        "ink_2": paper["ink_2"],
        "ink_3": paper["ink_3"],
        "rule": paper["rule"],
        "tint": paper["tint"],
        "warn": paper["warn"],
        **{name: chart[name] for name in _DATA},
    }


_MEMORY = ("weights", "companions", "runtime", "kv", "state", "spill", "free", "load_line")
_SERIES = ("series_a", "series_b", "series_c", "series_d")
_DATA = (*_MEMORY, *_SERIES, "link", "compute", "prompts", "axis", "grid", "bad")


def readable(colour: str) -> str:
    """A colour, darkened until text in it can be read on white."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    while 1.05 / (_luminance(red, green, blue) + 0.05) < _READABLE:
        red, green, blue = (int(channel * 0.94) for channel in (red, green, blue))
    return f"#{red:02X}{green:02X}{blue:02X}"


def _luminance(*channels: int) -> float:
    """Relative luminance of an sRGB colour, as WCAG 2 defines it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in channels)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
