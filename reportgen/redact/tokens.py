"""Tokens that stand for what is hidden."""


class Tokens:
    """A token for each text, such as `path-3`: numbered for each kind in the order in which texts are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {}

    def of(self, kind: str, text: bytes) -> bytes:
        numbers = self._numbers.setdefault(kind, {})
        return f"{kind}-{numbers.setdefault(text, len(numbers) + 1)}".encode()
