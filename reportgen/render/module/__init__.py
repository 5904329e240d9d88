"""The pages of a module as a whole, which `module_pages.py` lists."""
