"""A picture that is larger than memory, tile by tile to Zarr: `python examples/python/picture.py julia.zarr 32768`.

It needs `pip install './crates/python[farm]' zarr`."""

import pathlib
import sys

import ctm.farm
from distributed import Client, LocalCluster

PROGRAM = pathlib.Path(__file__).parents[1] / "julia.x1k"


def draw(path: str, side: int, tile: int = 1024) -> None:
    """Draws a picture of side x side pixels."""
    program = ctm.load(PROGRAM)
    scale = 4.0 / side
    constants = {"c0": (scale, scale, -2.0, -2.0)}
    array = ctm.farm.run_tiled(program, (side, side), tile=(tile, tile), format="UINT8_4", constants=constants)
    array.to_zarr(path)


if __name__ == "__main__":
    with LocalCluster(threads_per_worker=1) as cluster, Client(cluster):
        draw(sys.argv[1], int(sys.argv[2]))
