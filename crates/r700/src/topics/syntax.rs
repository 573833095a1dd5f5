//! Properties, operands and directives: what a text says beside operations, registers and fields.

const CF: &str = "property of control flow";
const FETCH: &str = "property of a fetch";
const ALU: &str = "property of an ALU line";
const OPERAND: &str = "operand";
const DIRECTIVE: &str = "directive";
const FORMAT: &str = "property of a format";

/// Kind, name, meaning.
pub(super) const SYNTAX: &[(&str, &str, &str)] = &[
    // Control flow
    (
        CF,
        "ADDR",
        "`ADDR(n)` or `ADDR(label)`: where a jump, branch or call goes, or where a clause lies, in qwords. Clauses get it by themselves.",
    ),
    (CF, "FAIL_JUMP_ADDR", "Another name of ADDR, for LOOP_START: where control goes if there is no pass."),
    (CF, "PASS_JUMP_ADDR", "Another name of ADDR, for LOOP_END: the beginning of the loop's body."),
    (
        CF,
        "CNT",
        "`CNT(n)`: the length of a clause, in qwords of ALU clauses, in instructions of fetch clauses. By default it is counted.",
    ),
    (CF, "POP_CNT", "`POP_CNT(n)`: how many masks the instruction pops off the stack."),
    (CF, "CF_CONST", "`CF_CONST(n)`: the loop constant of a loop, or the boolean constant of a condition."),
    (
        CF,
        "CND",
        "`CND(ACTIVE)`, `FALSE`, `BOOL` or `NOT_BOOL`: which pixels pass the instruction's condition: the active ones, none, or those for which a boolean constant is set or not.",
    ),
    (CF, "CALL_COUNT", "`CALL_COUNT(n)`: what a call adds to the depth of calls."),
    (
        CF,
        "KCACHE0",
        "`KCACHE0(CB0:0-15)`: constants of a constant buffer that the clause reads as KC0[n]. A window begins at a multiple of 16 and holds 16 or 32 constants; with `AL+` on both bounds the loop index moves it.",
    ),
    (
        CF,
        "KCACHE1",
        "`KCACHE1(CB0:16-47)`: the second window of constants, which the clause reads as KC1[n]. See KCACHE0.",
    ),
    (CF, "BURSTCNT", "`BURSTCNT(n)`: registers that an export or memory instruction moves, less one."),
    (CF, "ELEM_SIZE", "`ELEM_SIZE(n)`: dwords of an element, less one."),
    (CF, "ARRAY_SIZE", "`ARRAY_SIZE(n)`: elements of the array that a memory instruction addresses, less one."),
    (CF, "INDEX_GPR", "`INDEX_GPR(n)`: the register that a write adds to its address."),
    (CF, "VALID_PIX", "The instruction executes for real pixels only, not for helper lanes."),
    (
        CF,
        "WHOLE_QUAD",
        "The instruction executes for all pixels of a quad in which one is active, helper lanes included: derivatives of its results are right.",
    ),
    (CF, "WHOLE_QUAD_MODE", "Another name of WHOLE_QUAD."),
    (CF, "NO_BARRIER", "The instruction does not wait for those before it (BARRIER = 0). It changes no result here."),
    (CF, "ALT_CONST", "Constants or resources of the other stage are read: of the vertex stage in a pixel shader."),
    (CF, "USES_WATERFALL", "The name that ALT_CONST has on R600."),
    (CF, "EOP", "The program ends with this instruction."),
    (
        CF,
        "RAW",
        "`RAW(dword, ...)`: the words of the instruction as they are. They replace all that is spelled before, and must be of the same operation.",
    ),
    (CF, "END_OF_PROGRAM", "On a line of its own at the end: the last control-flow instruction gets EOP."),
    (
        CF,
        "WRITE",
        "`WRITE(base)` or `WRITE(base + Rn)`: a memory instruction writes at this array base, with a register as index.",
    ),
    (CF, "WRITE_ACK", "As WRITE, and the write is acknowledged, which WAIT_ACK waits for. R700 only."),
    (CF, "READ", "`READ(base)`: a memory instruction reads. R600 only."),
    // Fetches
    (FETCH, "LOD", "`LOD(x)`: what is added to the level of detail, from -8 to 7.875 in steps of 1/8."),
    (
        FETCH,
        "DENORM",
        "`DENORM(XY)`: these coordinates are in texels. Without it coordinates go from 0 to 1 (COORD_TYPE).",
    ),
    (FETCH, "XOFFSET", "`XOFFSET(x)`: texels that are added to the first coordinate, from -8 to 7.5 in steps of 1/2."),
    (FETCH, "YOFFSET", "`YOFFSET(y)`: texels that are added to the second coordinate, from -8 to 7.5 in steps of 1/2."),
    (FETCH, "ZOFFSET", "`ZOFFSET(z)`: texels that are added to the third coordinate, from -8 to 7.5 in steps of 1/2."),
    (FETCH, "BC_FRAC_MODE", "A bit for block-compressed formats. It changes no result here."),
    (
        FETCH,
        "FETCH_TYPE",
        "`FETCH_TYPE(VERTEX_DATA)`, `INSTANCE_DATA` or `NO_INDEX_OFFSET`: what is added to the index of a vertex fetch.",
    ),
    (
        FETCH,
        "FORMAT",
        "`FORMAT(32_32_32_32_FLOAT SCALED SIGNED NO_ZERO)`: the data format of an element, and how its numbers are read.",
    ),
    (FETCH, "USE_CONST_FIELDS", "The format comes from the resource, not from the instruction."),
    (FETCH, "MEGA", "`MEGA(n)`: a fetch of n bytes, 1 to 64, which MINI fetches share."),
    (FETCH, "MINI", "`MINI(n)`: a fetch out of the bytes that the MEGA fetch before it read."),
    (FETCH, "OFFSET", "`OFFSET(n)`: bytes from the beginning of the element."),
    (FETCH, "ENDIAN_SWAP", "`ENDIAN_SWAP(8IN16)` or `8IN32`: bytes are exchanged in each 16 or 32 bits."),
    (FETCH, "CONST_BUF_NO_STRIDE", "The index counts bytes of a constant buffer: its stride is ignored."),
    (FETCH, "ARRAY_BASE", "`ARRAY_BASE(n)`: where the array of a memory read begins."),
    (FETCH, "UNCACHED", "A memory read bypasses the cache. It changes no result here."),
    (FETCH, "INDEXED", "A memory read adds its index to the array base."),
    (FETCH, "SEL_Y", "`SEL_Y(c)`: the channel of the second index of a memory read."),
    (FETCH, "LDS_REQ", "A field of memory reads, for local data share."),
    (FETCH, "COALESCED_READ", "A field of memory reads, for coalescing."),
    (FORMAT, "UNSIGNED", "In FORMAT: numbers have no sign."),
    (FORMAT, "SIGNED", "In FORMAT: numbers have a sign."),
    (
        FORMAT,
        "ZERO_CLAMP_MINUS_ONE",
        "In FORMAT: of normalized numbers with sign, the two lowest are -1, so that 0 is exact.",
    ),
    (
        FORMAT,
        "NO_ZERO",
        "In FORMAT: normalized numbers with sign are spread evenly over [-1, 1], so that none is exactly 0.",
    ),
    // ALU
    (ALU, "CLAMP", "The result is limited to [0, 1]."),
    (ALU, "VEC_012", "Bank swizzle of a vector unit: its sources are read in cycles 0, 1 and 2."),
    (ALU, "VEC_021", "Bank swizzle of a vector unit: its sources are read in cycles 0, 2 and 1."),
    (ALU, "VEC_120", "Bank swizzle of a vector unit: its sources are read in cycles 1, 2 and 0."),
    (ALU, "VEC_102", "Bank swizzle of a vector unit: its sources are read in cycles 1, 0 and 2."),
    (ALU, "VEC_201", "Bank swizzle of a vector unit: its sources are read in cycles 2, 0 and 1."),
    (ALU, "VEC_210", "Bank swizzle of a vector unit: its sources are read in cycles 2, 1 and 0."),
    (ALU, "SCL_210", "Bank swizzle of the trans unit: its sources are read in cycles 2, 1 and 0."),
    (ALU, "SCL_122", "Bank swizzle of the trans unit: its sources are read in cycles 1, 2 and 2."),
    (ALU, "SCL_212", "Bank swizzle of the trans unit: its sources are read in cycles 2, 1 and 2."),
    (ALU, "SCL_221", "Bank swizzle of the trans unit: its sources are read in cycles 2, 2 and 1."),
    (ALU, "PRED_SEL_ZERO", "The instruction executes for pixels whose predicate is 0 only."),
    (ALU, "PRED_SEL_ONE", "The instruction executes for pixels whose predicate is 1 only."),
    (ALU, "PRED_SEL_RESERVED", "The code of PRED_SEL that is reserved. Groups with it cannot be issued."),
    (
        ALU,
        "UPDATE_EXEC_MASK",
        "The result of a PRED_SET operation becomes the execute mask: pixels for which it does not hold are inactive until a POP or ELSE.",
    ),
    (
        ALU,
        "UPDATE_PRED",
        "The result of a PRED_SET operation becomes the predicate, which PRED_SEL_ZERO and PRED_SEL_ONE test up to the end of the clause.",
    ),
    (ALU, "FOG_MERGE", "A bit of R600 that merges fog. It changes no result here."),
    (ALU, "DST", "`DST(R5)`: the destination register in the words of an instruction that writes none."),
    (
        ALU,
        "LAST",
        "The group ends with this instruction. The assembler sets it; it is written where groups end elsewhere.",
    ),
    // Operands
    (OPERAND, "SEM", "`SEM[n].xyzw`: the destination of SEMANTIC, the register that vertex semantic n goes to."),
    (OPERAND, "CBn", "Constant buffer n, 0 to 15, in KCACHE0 and KCACHE1."),
    (OPERAND, "tn", "Texture resource n of a texture fetch."),
    (OPERAND, "sn", "Sampler n of a texture fetch."),
    (OPERAND, "bn", "Buffer resource n of a vertex fetch."),
    (OPERAND, "____", "In place of a destination: no register is written."),
    (OPERAND, "PIX", "`PIX0` to `PIX7` in an export: a colour of a pixel; `PIX61` is depth."),
    (OPERAND, "POS", "`POS0` in an export: the position of a vertex; `POS1` to `POS3` are its point size and others."),
    (
        OPERAND,
        "PARAM",
        "`PARAM0` to `PARAM31` in an export: a parameter of a vertex, which is interpolated for pixels.",
    ),
    // Directives
    (
        DIRECTIVE,
        ".family",
        "`.family r600` or `r700`: how instructions are encoded. It stands before the first instruction.",
    ),
    (
        DIRECTIVE,
        ".stage",
        "`.stage ps`, `vs`, `gs`, `es`, `fs` or `dc`: pixel, vertex, geometry or export shader, fetch subroutine, copy shader.",
    ),
    (DIRECTIVE, ".gprs", "`.gprs n`: registers that the program has (NUM_GPRS). By default those that it names."),
    (
        DIRECTIVE,
        ".stack",
        "`.stack n`: stack entries that the program has (STACK_SIZE). By default those that it needs.",
    ),
    (
        DIRECTIVE,
        ".prefer_vector",
        "`.prefer_vector 1`: operations that fit both a vector unit and the trans unit go to the vector unit.",
    ),
    (DIRECTIVE, ".dx10_clamp", "`.dx10_clamp 1`: CLAMP turns NaN into 0."),
    (DIRECTIVE, ".kill_enable", "`.kill_enable 1`: the KILL operations work."),
    (DIRECTIVE, ".qword", "`.qword address, value`: a qword of the image that no instruction covers."),
    (DIRECTIVE, ".size", "`.size n`: the length of the image in qwords, zeros at its end included."),
];
