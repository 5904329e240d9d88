"""The folder that `reportgen run` puts first on PYTHONPATH of the program; it holds nothing but `sitecustomize`."""
