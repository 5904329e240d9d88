"""The pages of values.

To understand one, read these ten files: `value_page.py` puts it together; `about.py` has the rows about the value, and
`buffer.py` the one about the buffer that it is part of; `instruction.py` the text that defines it; `neighbours.py` who
else holds its bytes; `layout.py` its shape in words and `drawings/layout_drawing.py` as a picture; `value_row.py` the
row of a value that matters little; `html/links.py` the links; and `templates/pages/value.html` the frame around it.
"""
