//! Pages of what several machines have in common: what a word means in general, and what each machine makes of it.

use super::Topic;

/// Name, meaning, what each machine makes of it, where to read on.
type Page = (&'static str, &'static str, &'static [&'static str], &'static str);

const PAGES: &[Page] = &[
    (
        "lane",
        "One execution of a program: a pixel, a vertex, a thread. A GPU executes many lanes at once, in groups that share one program counter.",
        &["`ctm run --follow X,Y` prints the steps of one lane"],
        "docs/glossary.md",
    ),
    (
        "group",
        "Lanes that execute together, instruction by instruction: AMD's wavefront, NVIDIA's warp. Where lanes of a group take different branches, the group \
         executes both sides, each for its lanes only.",
        &[
            "X1K: 48 lanes in hardware; any number here, results do not depend on it",
            "R700: a wavefront of 64 lanes, of 32 or 16 on smaller chips",
            "SM50: a warp of 32 lanes",
            "R700 also calls the ALU instructions that issue together a group: see ALU group",
        ],
        "docs/glossary.md",
    ),
    ("wavefront", "AMD's name for a group of lanes that execute together. See group.", &[], "docs/glossary.md"),
    ("warp", "NVIDIA's name for a group of 32 lanes that execute together. See group.", &[], "docs/glossary.md"),
    (
        "quad",
        "A block of 2x2 lanes. Derivatives are differences between the lanes of a quad, and texture units choose the level of detail by them.",
        &[
            "X1K: MDH and MDV read the neighbours in the quad",
            "R700: GET_GRADIENTS_H, GET_GRADIENTS_V and samples without a given level read the quad",
            "SM50: SHFL moves values between lanes of the warp",
            "lanes outside of the domain that complete a quad are helper lanes",
        ],
        "docs/glossary.md",
    ),
    (
        "helper lane",
        "A lane that runs only so that its quad is complete for derivatives. It writes no output, and is not counted.",
        &["R700: WHOLE_QUAD makes instructions execute for helper lanes too, VALID_PIX for real pixels only"],
        "docs/glossary.md",
    ),
    (
        "mask",
        "The set of lanes that execute an instruction: the active lanes. Branches take lanes out of the mask and put them back. A write mask is another thing: the \
         channels of a register that an instruction writes.",
        &[
            "X1K: a counter for each lane says at which nesting level it waits",
            "R700: PRED_SET operations with UPDATE_EXEC_MASK take lanes out of the mask, POP brings them back",
            "SM50: divergent branches split the mask; SSY and SYNC join it",
        ],
        "docs/glossary.md",
    ),
    (
        "write mask",
        "The channels of a destination that an instruction writes; the others keep their value.",
        &[
            "X1K: `temp[1].rg`, `none` for no channel",
            "R700: `R1.x` for one ALU instruction, `R1.xy__` for fetches, `____` for none",
            "PVS: `temp[1].xy`, `_` for none",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/pvs-assembly.md",
    ),
    (
        "divergence",
        "Lanes of one group go different ways at a branch. The group executes every way that one of its lanes takes, so divergence costs time.",
        &["`ctm run --stats --utilisation` shows its cost, `ctm run --counts` where it happens"],
        "docs/glossary.md",
    ),
    (
        "branch stack",
        "What a machine remembers of the branches around an instruction, so that the lanes that wait come back at the right place.",
        &[
            "X1K: a branch counter for each lane instead of a stack, of 6 levels with partial and 32 with full flow control; B_OP0 and B_OP1 change it",
            "R700: a stack of masks for each group: PUSH and ALU_PUSH_BEFORE put the mask on it, POP takes it off; STACK_SIZE reserves it",
            "SM50: a stack of tokens for each warp: SSY, PBK, PCNT and calls push, SYNC, BRK, CONT and RET pop",
            "`ctm debug` shows it at every step",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/sm50-assembly.md",
    ),
    (
        "address stack",
        "The return addresses of calls.",
        &[
            "X1K: 4 entries, changed by A_OP",
            "R700: calls share the stack with branches",
            "SM50: CAL and PRET push, RET pops",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/sm50-assembly.md",
    ),
    (
        "loop stack",
        "What a machine remembers of the loops around an instruction: passes that are left, and the loop index.",
        &["X1K: 4 entries", "R700: LOOP_START pushes the loop, LOOP_END steps it", "PVS: 4 nested loops"],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/pvs-assembly.md",
    ),
    (
        "loop index",
        "A counter that a loop sets and steps, and that instructions add to register or constant numbers: aL on X1K and PVS, AL on R700.",
        &[],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/pvs-assembly.md",
    ),
    (
        "predicate",
        "A bit of each lane that a comparison sets and that decides whether later instructions take effect in the lane.",
        &[
            "X1K: four bits, one for each channel: `pred[test].mask =` sets them, `PRED(...)` uses them",
            "R700: one bit, valid inside of its clause: UPDATE_PRED sets it, PRED_SEL_ZERO and PRED_SEL_ONE use it",
            "SM50: seven bits, P0 to P6: `@P0` and `@!P0` in front of an instruction",
            "PVS: one bit: `(p)` and `(!p)` in front of an instruction",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/sm50-assembly.md",
    ),
    (
        "condition code",
        "Four bits of each lane that an instruction with `.CC` sets on SM50: zero, sign, carry and overflow. Branches and CSET test it.",
        &[],
        "docs/sm50-assembly.md",
    ),
    (
        "swizzle",
        "Which channel of a source each channel of an operand takes: `.xxyy` reads x twice and y twice. A constant 0 or 1 can stand in place of a channel.",
        &[
            "X1K: `r`, `g`, `b`, `a`, `0`, `h` (one half), `1` and `_` (unused)",
            "R700: each ALU instruction reads one channel of each source; fetches and exports have swizzles of `x`, `y`, `z`, `w`, `0`, `1` and `_`",
            "PVS: `x`, `y`, `z`, `w`, `0`, `1` and `_`, each with a sign or without",
            "SM50 has no vectors; halves and bytes are chosen by `.H0`, `.H1`, `.B1` to `.B3`",
            "a bank swizzle is another thing: the cycles in which R700 reads operands",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/pvs-assembly.md",
    ),
    (
        "bank swizzle",
        "The cycles in which the three register operands of an R700 ALU instruction are read: VEC_012 to VEC_210 for vector units, SCL_210 to SCL_221 for the trans \
         unit. The register file reads one register of each channel in a cycle, so operands of a group must not collide.",
        &[
            "the assembler chooses swizzles where a text gives none",
            "R700014 reports groups whose operands cannot be read",
        ],
        "docs/r700-assembly.md",
    ),
    (
        "clause",
        "A run of instructions of one kind that a control-flow instruction of R700 starts: ALU groups, texture fetches, or vertex fetches. Temporary results such as PV, \
         PS, AR and the predicate live inside of one clause.",
        &["`ALU:`, `TEX:` and `VTX:` begin a clause, which stands below the instruction in the text"],
        "docs/r700-assembly.md",
    ),
    (
        "ALU group",
        "Up to five ALU instructions of R700 that issue together: one for each vector unit x, y, z and w, and one for the trans unit t. All read their operands before \
         any writes its result.",
        &["R700013 reports groups that cannot be issued"],
        "docs/r700-assembly.md",
    ),
    (
        "constant cache",
        "How ALU clauses of R700 read constant buffers: KCACHE0 and KCACHE1 each lock a window of 16 or 32 constants for the clause, which instructions read as \
         KC0[n] and KC1[n].",
        &["R700016 reports constants outside of the windows"],
        "docs/r700-assembly.md",
    ),
    (
        "kill",
        "Ends a lane without output: the pixel is discarded.",
        &[
            "X1K: TEXKILL kills where a coordinate is negative",
            "R700: KILL operations compare two values",
            "SM50: KIL, where the program header declares it",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/sm50-assembly.md",
    ),
    (
        "derivative",
        "How fast a value changes from pixel to pixel along x or y: the difference between neighbours in a quad.",
        &[
            "X1K: MDH, MDV",
            "R700: GET_GRADIENTS_H, GET_GRADIENTS_V",
            "X1K201 and R700204 note instructions that read neighbours",
        ],
        "docs/x1k-assembly.md, docs/r700-assembly.md",
    ),
    (
        "semaphore",
        "Orders fetches and arithmetic on X1K. A fetch with TEX_SEM_ACQUIRE holds the texture semaphore until it and all earlier ones have delivered their values; an \
         instruction with TEX_SEM_WAIT waits for it.",
        &["X1K102 reports a fetched register that is read without waiting", "X1K103 reports an acquire without a wait"],
        "docs/x1k-assembly.md",
    ),
    (
        "scoreboard",
        "Orders instructions of variable latency on SM50. Control bits name up to six barriers that an instruction sets when it has read or written its registers, and the \
         barriers that it waits for.",
        &["ctm keeps the bits and executes in order, so they change no result"],
        "docs/sm50-assembly.md",
    ),
    (
        "control word",
        "The first of each four words of SM50 code: stall counts, yield flags and scoreboard barriers of the three instructions after it.",
        &[],
        "docs/sm50-assembly.md",
    ),
    (
        "denormal",
        "A binary32 number with a magnitude below 2^-126, also called subnormal. Most GPU operations read denormals as zeros and flush denormal results to zeros.",
        &[
            "X1K, R700 and PVS flush operands and results of arithmetic; moves keep all bits where they are marked so",
            "SM50 keeps denormals, unless an instruction has `.FTZ`",
        ],
        "docs/accuracy.md",
    ),
    (
        "NaN",
        "Not a number: what operations such as 0/0 or infinity minus infinity give. Comparisons with a NaN are false, but for \"not equal\".",
        &["X1K, PVS and SM50 give the standard NaN 0x7FFFFFFF for NaNs that they compute"],
        "docs/accuracy.md",
    ),
    (
        "rounding",
        "Results are rounded to the nearest binary32 number, ties to even, unless an instruction says otherwise. A fused multiply-add rounds once, an unfused one \
         after the product and after the sum.",
        &["X1K: MAD rounds once", "R700: MULADD rounds twice", "SM50: FFMA rounds once"],
        "docs/accuracy.md",
    ),
    (
        "ulp",
        "Unit in the last place: the distance between two neighbouring floating-point numbers. Errors of functions such as SIN are given in it.",
        &[],
        "docs/accuracy.md",
    ),
    (
        "clamp",
        "Limits a result to [0, 1]; a NaN becomes 0. Also called saturation.",
        &["X1K: `clamp` before the operation", "R700: CLAMP after the operands", "SM50: `.SAT`", "PVS: `.SAT`"],
        "docs/x1k-assembly.md, docs/r700-assembly.md, docs/sm50-assembly.md",
    ),
    (
        "output modifier",
        "A factor that the hardware multiplies a result by without an instruction of its own: 2, 4, 8, or one half, one quarter, one eighth.",
        &["X1K: `2 * MAD ...`; `exact *` leaves the result bit for bit", "R700: `*2`, `*4`, `/2` after the operation"],
        "docs/x1k-assembly.md, docs/r700-assembly.md",
    ),
    (
        "presubtract",
        "A sum or difference of sources that X1K calculates before an operation reads it: `srcp`.",
        &["X1K104 reports a presubtract of a value that was just written"],
        "docs/x1k-assembly.md",
    ),
    (
        "inline constant",
        "A number that an instruction encodes in place of a register: on X1K an exponent of 4 bits and a mantissa of 3, on R700 0, 1, 0.5, -1 and others.",
        &[],
        "docs/x1k-assembly.md, docs/r700-assembly.md",
    ),
    (
        "attribute store",
        "The memory through which the stages of an SM50 pipeline hand vertices on: each stage writes attributes of a vertex or patch with AST, and the next one reads \
         them with ALD. The header's input and output maps declare the addresses.",
        &["SM50101 and SM50102 report attributes that the header does not declare"],
        "docs/sm50-assembly.md",
    ),
    (
        "attribute",
        "A value of a vertex, such as its position, colour or texture coordinates. It goes into the vertex program, and from stage to stage.",
        &["SM50: addressed by bytes: a[0x70] is the position", "PVS: input[n]"],
        "docs/sm50-assembly.md, docs/pvs-assembly.md",
    ),
    (
        "program header",
        "80 bytes before the code of an SM50 graphics program: its stage, the attributes that it reads and writes, and what else hardware must know before it runs.",
        &["directives such as `.stage` and `.omap` make it"],
        "docs/sm50-assembly.md",
    ),
    (
        "export",
        "How an R700 program hands on its results: a pixel's colour (PIX), a vertex's position (POS) or parameters (PARAM), or memory.",
        &["the last export of each kind is an EXP_DONE"],
        "docs/r700-assembly.md",
    ),
    (
        "interpolated input",
        "A value that varies linearly over a primitive: its values at the corners are mixed for each pixel. Also called a varying.",
        &["`ctm run --varying` gives the values at the corners of the domain"],
        "docs/x1k-assembly.md, docs/shaders.md",
    ),
    (
        "immediate write",
        "A write of X1K that reaches memory when the instruction executes, not when the lane ends: `umrt[...]`.",
        &[],
        "docs/x1k-assembly.md",
    ),
    (
        "conditional value",
        "A number of each X1K lane, `w`, that the conditional unit compares with a buffer: outputs of the lane are kept where the test passes.",
        &[],
        "docs/x1k-assembly.md",
    ),
    (
        "domain",
        "The rectangle of positions that a program runs for, one lane for each: `--domain WxH`.",
        &[],
        "docs/glossary.md",
    ),
    (
        "tiling",
        "The order in which elements of a surface lie in memory: row after row (linear), or in small blocks that are near each other (tiled).",
        &["file names with `:tiled` ask for it"],
        "docs/device.md",
    ),
    (
        "pitch",
        "The distance between the beginnings of two rows of a surface, in elements. It can be larger than the width.",
        &[],
        "docs/device.md",
    ),
    (
        "trap",
        "An error of the executed program at an instruction: a stack overflow, an access outside of memory, the step limit. The run ends with exit code 3.",
        &["the message names the instruction and the lane"],
        "docs/tour.md",
    ),
    (
        "step limit",
        "The number of instructions that a group may execute before its run ends as a trap, so that an infinite loop ends: `--step-limit`.",
        &[],
        "docs/tour.md",
    ),
    (
        "engine",
        "What executes a program: the scalar reference, the interpreter, or machine code that is made for the host's processor (the JIT). All give the same bits.",
        &["`--engine reference`, `--engine interp`, `--engine jit`"],
        "docs/tour.md",
    ),
    (
        "reference",
        "The engine that executes decoded instructions one by one, as plain scalar code. It is the slowest, and what all others are tested against.",
        &[],
        "ARCHITECTURE.md",
    ),
    (
        "interpreter",
        "The engine that executes lane IR over rows of lanes. It runs on every host.",
        &[],
        "ARCHITECTURE.md",
    ),
    ("JIT", "The engine that compiles programs to x86-64 code with AVX2 or AVX-512.", &[], "ARCHITECTURE.md"),
    (
        "lane IR",
        "The intermediate language that all instruction sets are translated to: operations over all lanes of a group, with masks for divergence.",
        &["`ctm run PROGRAM --emit lane` prints it"],
        "docs/lane-ir.md",
    ),
    (
        "transform feedback",
        "Vertices that the stages before the rasteriser made are written to memory: `ctm draw --capture`. Direct3D calls it stream output.",
        &[],
        "docs/sm50-assembly.md",
    ),
    (
        "patch",
        "A primitive of 1 to 32 control points, which tessellation turns into triangles or lines.",
        &["SM50: `--primitive patches`, with a tessellation evaluation program"],
        "docs/sm50-assembly.md",
    ),
];

/// The page of each concept.
pub fn concepts() -> Vec<Topic> {
    let page = |&(name, meaning, rules, source): &Page| Topic {
        name: name.to_owned(),
        kind: "concept",
        meaning: meaning.to_owned(),
        rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
        source: source.to_owned(),
        ..Topic::default()
    };
    PAGES.iter().map(page).collect()
}
