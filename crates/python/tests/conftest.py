"""Programs that tests share."""

import ctm
import pytest

COPY = """
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
  out[0].rgb = MAD src0.rgb src1.rgb src0.000, out[0].a = MAD src0.a src1.a src0.0 ;
"""

R700_COPY = """
TEX:
 SAMPLE R1.xyzw, R0.xyxx, RID:0, SID:0 CT:UUNN
EXP_DONE: PIX0, R1.xyzw
END_OF_PROGRAM
"""

ADD = """
S2R R0, SR_TID.X; SHL R1, R0, 2; LDG R2, [R1+0x10000]; IADD R2, R2, c[0x0][0x140]; STG [R1+0x10000], R2; EXIT;
"""


@pytest.fixture(scope="session")
def copy() -> ctm.Program:
    """Gives input 0 times constant 0."""
    return ctm.assemble(COPY, isa="x1k")


@pytest.fixture(scope="session")
def add() -> ctm.Program:
    """Adds a kernel's argument to words of memory, one for each thread."""
    return ctm.assemble(ADD, isa="sm50")
