"""The folder that `reportgen run` puts first on the program's PYTHONPATH; it holds only `sitecustomize`."""
