"""Letters that options go by."""


def letter(number: int) -> str:
    """The letter of an option: A to Z, then AA.

    >>> letter(0), letter(11), letter(26)
    ('A', 'L', 'AA')
    """
    first, rest = divmod(number, 26)
    return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + rest)
