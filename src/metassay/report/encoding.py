"""Text for terminals that cannot show all of Unicode."""

from __future__ import annotations

_PLAIN = dict.fromkeys("–—−─·", "-") | dict.fromkeys("“”", '"')
_PLAIN |= {"×": "x", "≤": "<=", "≥": ">=", "…": "...", "∞": "inf", "±": "+/-", "→": "->", "’": "'"}
_PLAIN |= {"†": "+", "α": "alpha", "ρ": "rho", "τ": "tau", "├": "|", "┤": "|", "●": "o"}


def fit(text: str, encoding: str) -> str:
    r"""Return `text` with characters that `encoding` lacks in their nearest plain form, or as their code.

    Examples
    --------
    >>> fit("16 × 100 – naïve", "ascii")
    '16 x 100 - na\\xefve'
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_fit_one(c, encoding) for c in text)
    except LookupError:
        return fit(text, "ascii")
    return text


def _fit_one(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        plain = _PLAIN.get(character)
        return plain or character.encode("ascii", "backslashreplace").decode("ascii")
    return character
