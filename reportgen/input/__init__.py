"""Turn paths into the texts of dumps: search for files, interpret their names, open and decompress them."""
