"""Coverage-guided fuzzing with atheris: inputs that grow from real dumps until they reach new code.

`python -m fuzz.parser`, `fuzz.protos`, `fuzz.check` and `fuzz.pages` run until they are stopped; see
docs/robustness.md. What they find is kept as a test in tests/parse/test_hostile_texts.py.
"""
