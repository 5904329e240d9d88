"""The pages of values.

`value_page.py` puts one together: `story.py` has its first sentences, `lives.py` the picture of its life, `uses.py`
when it is written and read, `neighbours.py` its place and who else holds its bytes, and `buffer.py` its buffer there.
`layout.py` has its shape in words, `about.py` what XLA says of it, `program_rows.py` its operation and source line, and
`instruction.py` the text that defines it. `value_row.py` is the row of a value that matters little, and
`templates/pages/value.html` the frame around all.
"""
