"""What the fuzzers have in common: the dumps they begin with, and the limits that an input may not break."""

import sys
from collections.abc import Callable
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / ".fuzz"
_WORDS = Path(__file__).with_name("words.dict")
_OPTIONS = (
    "-max_len=20000",
    "-timeout=2",  # seconds for one input; a dump of 20 KB takes about 10 ms, some more where coverage is counted
    "-rss_limit_mb=500",
    "-use_value_profile=1",
    f"-dict={_WORDS}",
    "-print_final_stats=1",
)

Target = Callable[[bytes], object]


def fuzz(name: str, target: Target) -> None:
    """Try inputs until one fails. Further arguments are libFuzzer's, such as -max_total_time=600 or an input's file."""
    corpus = CORPUS / name
    arguments = sys.argv[1:]
    files = [argument for argument in arguments if not argument.startswith("-")]
    if not files:
        from fuzz.corpus import write_corpus

        write_corpus(corpus)
        (CORPUS / "failures").mkdir(exist_ok=True)
        arguments = [*arguments, f"-artifact_prefix={CORPUS / 'failures'}/", str(corpus)]
    atheris.Setup([sys.argv[0], *_OPTIONS, *arguments], target)
    atheris.Fuzz()
