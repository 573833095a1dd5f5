"""What `Program.run` costs beside the call of the Rust library that it makes: `python benches/overhead.py`.

That call is timed inside of the package: inputs copied, the compiled program looked up and run, outputs copied. The rest, from arrays of
Python to arrays of Python, is overhead. Both are the least of many times, in microseconds."""

import pathlib
import time

import ctm
import numpy as np

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
RUNS = 3000


def measure(name: str, lanes: int, **options: object) -> None:
    program = ctm.load(EXAMPLES / name)
    whole, call = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        stats = program.run((8, lanes // 8), **options).stats
        whole.append(time.perf_counter() - start)
        call.append(stats.seconds)
    overhead = min(outer - inner for outer, inner in zip(whole, call))
    print(f"{name:16} {lanes:5} lanes: {min(whole) * 1e6:5.1f} us, the call {min(call) * 1e6:5.1f} us, overhead {overhead * 1e6:4.1f} us")


for threads in (1, 0):
    measure("mandelbrot.x1k", 64, threads=threads)
    measure("blur.x1k", 64, threads=threads, inputs={0: np.ones((8, 8, 4), np.float32)})
    measure("newton.r700", 64, threads=threads)
