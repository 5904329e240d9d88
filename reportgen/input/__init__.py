"""Turn paths into the text of each dump: search for files, interpret their names, open and decompress them."""
