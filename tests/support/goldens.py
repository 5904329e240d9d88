"""What a case gave when somebody last looked at it: `tests/goldens/`, rewritten by `pytest --update-goldens`."""

from dataclasses import dataclass
from pathlib import Path

GOLDENS = Path(__file__).parents[1] / "goldens"


@dataclass(frozen=True)
class Goldens:
    """Compares texts with the files that hold them; where `is_updating`, writes the files instead."""

    is_updating: bool

    def check(self, name: str, text: str) -> None:
        file = GOLDENS / name
        if self.is_updating:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        assert file.exists(), f"{name} is missing: run pytest with --update-goldens and look at what it writes"
        assert text.splitlines() == file.read_bytes().decode().splitlines(), "if it is right: pytest --update-goldens"
