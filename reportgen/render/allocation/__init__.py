"""The pages of an allocation.

`allocation_page.py` has what they show, `usage.py` its bytes over time, the template the words.
"""
