"""Native machine code of GPUs on NumPy arrays, without a card.

Programs of three instruction sets run: "x1k" (ATI R5xx fragment programs), "r700" (ATI R600 and R700 shaders) and "sm50" (NVIDIA Maxwell
compute code). Every engine gives the same bits.

>>> import ctm, numpy as np
>>> program = ctm.assemble('''
...     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
...     OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
...         out[0].rgb = 2.0 * MAX src0.rgb src0.rgb, out[0].a = 2.0 * MAX src0.a src0.a ;
... ''', isa="x1k")
>>> result = program.run(inputs={0: np.ones((8, 8, 4), np.float32)})
>>> result[0].shape, float(result[0].sum())
((8, 8, 4), 512.0)
"""

from ctm._arrays import zeros
from ctm._counts import Counted, Counts
from ctm._diff import Difference, diff
from ctm._draw import Draw, Drawn, DrawWarning, draw
from ctm._native import AssemblyError, Error, engines
from ctm._program import Finding, Program, assemble, load, load_all
from ctm._result import Launch, Result, Stats
from ctm._run import Job, run
from ctm._texture import Texture
from ctm._trace import Access, Change, Step, Trace

__all__ = [
    "Access",
    "AssemblyError",
    "Counted",
    "Counts",
    "Change",
    "Difference",
    "Draw",
    "DrawWarning",
    "Drawn",
    "Error",
    "Finding",
    "Job",
    "Launch",
    "Program",
    "Result",
    "Stats",
    "Step",
    "Texture",
    "Trace",
    "assemble",
    "diff",
    "draw",
    "engines",
    "load",
    "load_all",
    "run",
    "zeros",
]
