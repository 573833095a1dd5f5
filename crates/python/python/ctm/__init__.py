"""Native machine code of GPUs on NumPy arrays, without a card.

Programs of four instruction sets run: "x1k" (ATI R5xx fragment programs), "r700" (ATI R600 and R700 shaders), "sm50" (NVIDIA Maxwell
compute code and pipelines) and "pvs" (ATI R5xx vertex programs). Shaders in GLSL, WGSL and Direct3D 9 text compile to "x1k". Every engine
gives the same bits. `ctm.card` replays traces of graphics cards, `ctm.farm` runs jobs on a Dask cluster.

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
from ctm._instruction import Instruction, Operation, explain
from ctm._names import ShaderTexture, Uniform, Varying
from ctm._native import AssemblyError, CompileError, Error, __version__, engines
from ctm._program import Finding, Program, assemble, compile, load, load_all
from ctm._result import Launch, Result, Stats
from ctm._run import Job, run
from ctm._texture import Texture
from ctm._trace import Access, Change, Step, Trace
from ctm._vertices import Transformed

__all__ = [
    "Access",
    "AssemblyError",
    "Change",
    "CompileError",
    "Counted",
    "Counts",
    "Difference",
    "Draw",
    "DrawWarning",
    "Drawn",
    "Error",
    "Finding",
    "Instruction",
    "Job",
    "Launch",
    "Operation",
    "Program",
    "Result",
    "ShaderTexture",
    "Stats",
    "Step",
    "Texture",
    "Trace",
    "Transformed",
    "Uniform",
    "Varying",
    "__version__",
    "assemble",
    "compile",
    "diff",
    "draw",
    "engines",
    "explain",
    "load",
    "load_all",
    "run",
    "zeros",
]
