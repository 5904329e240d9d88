"""Compile a program that code is offered to, with the code in its place or, without it, as it is, and keep its proto.

`python -m tests.world.offered NAME FOLDER [CODE]`, with JAX, libtpu, JAX's CUDA plugin, cuDNN and the frameworks.
"""

import lzma
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.world.offers import OFFERS

GPU = Path(__file__).with_name("a100.txtpb")


def main(name: str, folder: str, code: str = "") -> None:
    with TemporaryDirectory() as dumped:
        os.environ |= {"XLA_FLAGS": f"--xla_dump_to={dumped} --xla_dump_hlo_as_proto", "KERAS_BACKEND": "jax"}
        offer = OFFERS[name]
        # Written to a file, because only then do the frames of a stack name its lines.
        path = Path(dumped, f"{name}.py")
        path.write_text(offer.with_code(code), encoding="utf-8")
        compile_source(path, offer.device)
        keep(Path(dumped), Path(folder))


def compile_source(path: Path, device: str) -> None:
    import jax
    from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding

    jax.config.update("jax_platforms", "cpu")  # because this machine need not have the device
    jax.config.update("jax_hlo_source_file_canonicalization_regex", f"{path.parent}/")
    devices = devices_of(device)
    program: dict[str, Any] = {"mesh": Mesh(devices, ("data",))}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), program)
    single = SingleDeviceSharding(devices[0])

    def placed(x: Any) -> Any:
        sharding = x.sharding if isinstance(x.sharding, NamedSharding) else single
        return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding)

    program["step"].lower(*jax.tree.map(placed, program["args"])).compile()


def devices_of(name: str) -> Any:
    from jax.experimental import topologies

    os.environ |= {"TPU_SKIP_MDS_QUERY": "1", "TPU_WORKER_HOSTNAMES": "localhost"}
    if name != "gpu":
        return topologies.get_topology_desc(platform="tpu", topology_name=name).devices
    target = GPU.read_text(encoding="utf-8")
    return topologies.get_topology_desc(
        platform="cuda", topology_name=GPU.stem, topology="1x1x1", target_config=target
    ).devices


def keep(dumped: Path, folder: Path) -> None:
    # What frameworks compile to make the arguments is for the CPU.
    for path in dumped.glob("*after_optimizations.hlo.pb"):
        if ".cpu_" not in path.name:
            folder.mkdir(parents=True, exist_ok=True)
            kept = path.name[path.name.index(".") + 1 :]
            (folder / f"module_0000.{kept}.xz").write_bytes(
                lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
