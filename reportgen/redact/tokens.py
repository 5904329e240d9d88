"""Tokens that replace what is hidden."""


class Tokens:
    """Give each text a token such as `path-3`, numbered per kind in the order in which the texts are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {}

    def of(self, kind: str, text: bytes) -> bytes:
        """Return the token of a text, a new one if it has none yet."""
        numbers = self._numbers.setdefault(kind, {})
        return f"{kind}-{numbers.setdefault(text, len(numbers) + 1)}".encode()
