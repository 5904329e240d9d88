"""The views of values.

`value_views.py` puts one together: `story.py` has its first sentences and its uses, `about.py` what XLA says of it and
who else holds its bytes, `layout.py` its shape in words. `templates/parts/own_views.html` is the frame around all.
"""
