"""Runs programs that a driver compiled on the workers of a cluster, on every engine, and compares what they give with the pictures of another
implementation: `python examples/python/regressions.py [HOST...]`.

Without hosts the workers are on this machine; with hosts, a scheduler runs on the first and a worker on each of the others, by ssh. It needs
`pip install './crates/python[farm]'`, on hosts as well."""

import json
import pathlib
import sys
from collections.abc import Iterator

import ctm
import ctm.farm
import numpy as np
from distributed import Client, LocalCluster, SSHCluster

CORPUS = pathlib.Path(__file__).parents[2] / "tests/corpus"


class Case:
    """A program with its inputs and with what it should give."""

    def __init__(self, folder: pathlib.Path) -> None:
        about = json.loads((folder / "meta.json").read_text())
        self.name = folder.name
        self.tolerance = about["tolerance"]
        self.expected = np.fromfile(folder / "expected0.f32", np.float32).reshape(about["height"], about["width"], 4)
        # Elements that the program does not write are 0 here.
        self.expected[self.expected == about["initial_output"]] = 0
        textures = {each["unit"]: (each["file"], (each["h"], each["w"], 4)) for each in about["textures"]}
        inputs = {unit: np.fromfile(CORPUS / "textures" / file, np.float32).reshape(shape) for unit, (file, shape) in textures.items()}
        values = np.fromfile(folder / "constants.f32", np.float32).reshape(-1, 4)
        constants = {number: (float(x), float(y), float(z), float(w)) for number, (x, y, z, w) in enumerate(values)}
        program = ctm.load(folder / "dump.txt")
        self.job = ctm.Job(program, (about["width"], about["height"]), inputs, constants)

    def differs(self, result: ctm.Result) -> bool:
        """Whether a result is not the expected picture."""
        return not np.allclose(result[0], self.expected, self.tolerance["rel"], self.tolerance["abs"], equal_nan=True)


def cases() -> list[Case]:
    """All programs of the corpus that one job runs."""
    return [Case(folder) for folder in sorted((CORPUS / "x1k").iterdir())]


def regressions(client: Client) -> Iterator[str]:
    """What is wrong, in words, as it is found."""
    todo = [(case, engine) for case in cases() for engine in ctm.engines()]
    jobs = (ctm.Job(case.job.program, case.job.domain, case.job.inputs, case.job.constants, engine=engine) for case, engine in todo)
    for outcome in ctm.farm.run_many(client, jobs):
        case, engine = todo[outcome.index]
        if outcome.error is not None:
            yield f"{case.name} on {engine}: {outcome.error}"
        elif outcome.result is not None and case.differs(outcome.result):
            yield f"{case.name} on {engine}: another picture"


if __name__ == "__main__":
    hosts = sys.argv[1:]
    with SSHCluster(hosts) if hosts else LocalCluster(threads_per_worker=1) as cluster, Client(cluster) as client:
        found = list(regressions(client))
    print("\n".join(found) or "everything is as expected")
    sys.exit(bool(found))
