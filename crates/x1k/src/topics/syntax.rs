//! Statements, flags, items, modifiers and directives: what a text says beside operations, registers and fields.

/// Kind, name, meaning, source.
pub(super) const SYNTAX: &[(&str, &str, &str, &str)] = &[
    // Forms
    (
        "form",
        "TEX",
        "Begins a texture instruction: `TEX [flags] temp[d].mask = OP tex[n].swizzle temp[s].swizzle ;`.",
        "CTM Guide p.32-33",
    ),
    (
        "form",
        "FC",
        "Begins a raw flow-control instruction: `FC OP target, items ;`. IF, LOOP and the other statements are easier to write.",
        "CTM Guide p.34-40",
    ),
    (
        "form",
        "RAW",
        "Gives the six dwords of an instruction: `RAW 0x... 0x... 0x... 0x... 0x... 0x... ;`.",
        "assembly language",
    ),
    // Flags
    (
        "flag",
        "ALU",
        "Marks an arithmetic instruction that writes temporaries and predicates. It is optional: what is not marked OUT is ALU.",
        "CTM Guide p.23",
    ),
    (
        "flag",
        "OUT",
        "Marks an arithmetic instruction that may write output registers. The last instruction of a program must be one.",
        "CTM Guide p.23, 30",
    ),
    (
        "flag",
        "NOP",
        "Inserts one idle slot after the instruction. Hardware needs it where the next one takes the result into a presubtract or derivative.",
        "CTM Guide p.23",
    ),
    (
        "flag",
        "PRED",
        "Gates the writes of the instruction by predicate bits: `PRED(rrrr)`, `PRED(!rgba)`, or for each unit `PRED(rgb = rrrr, a = !aaaa)`.",
        "CTM Guide p.31",
    ),
    // Statements
    (
        "statement",
        "IF",
        "`IF condition ;` executes the statements up to ELSE or ENDIF for the lanes where the condition holds. The condition is made of `alu`, `pred.r`, `b[n]`, `!`, `&`, `^`, `|`. It is a JUMP with branch operations.",
        "CTM Guide p.36, 39",
    ),
    (
        "statement",
        "ELSE",
        "`ELSE ;` begins the statements of an IF for the lanes where its condition does not hold.",
        "CTM Guide p.36, 39",
    ),
    ("statement", "ENDIF", "`ENDIF ;` ends an IF: its lanes are together again.", "CTM Guide p.36, 39"),
    (
        "statement",
        "BREAK",
        "`BREAK ;` or `BREAK IF condition ;` takes lanes out of the innermost loop until it ends.",
        "CTM Guide p.38-40",
    ),
    (
        "statement",
        "CALL",
        "`CALL label ;` or `CALL label IF condition ;` executes a subroutine up to its RETURN. Calls nest four deep.",
        "CTM Guide p.36, 40",
    ),
    ("statement", "RETURN", "`RETURN ;` or `RETURN IF condition ;` ends a subroutine.", "CTM Guide p.36, 40"),
    // Items of FC instructions
    (
        "item of flow control",
        "when",
        "`when = condition`: the lanes that want to jump. Its truth table is JUMP_FUNC.",
        "CTM Guide p.36",
    ),
    (
        "item of flow control",
        "any",
        "The instruction jumps if one active lane wants to, instead of all: JUMP_ANY.",
        "CTM Guide p.36",
    ),
    (
        "item of flow control",
        "stay",
        "`stay = none`, `decr` or `incr`: what happens to the branch counters of lanes that do not want to jump (B_OP0).",
        "CTM Guide p.36-37",
    ),
    (
        "item of flow control",
        "jump",
        "`jump = none`, `decr` or `incr`: what happens to the branch counters of lanes that want to jump (B_OP1).",
        "CTM Guide p.36-37",
    ),
    (
        "item of flow control",
        "pop_count",
        "`pop_count = n`: by how much `decr` lowers branch counters (B_POP_CNT).",
        "CTM Guide p.36-37",
    ),
    (
        "item of flow control",
        "address",
        "`address = none`, `pop` or `push`: what happens to the address stack where the instruction jumps (A_OP).",
        "CTM Guide p.36",
    ),
    (
        "item of flow control",
        "else",
        "First, lanes that wait at the innermost level change places with those that are active (B_ELSE).",
        "CTM Guide p.36-37",
    ),
    (
        "item of flow control",
        "global",
        "The target is not relative to the program's code offset (JUMP_GLOBAL).",
        "R5xx register tables",
    ),
    // Conditions
    (
        "condition",
        "alu",
        "In a condition: the ALU result, which an instruction before sets by `result[test] =`.",
        "CTM Guide p.36",
    ),
    ("condition", "bool", "In a condition: the boolean constant that the item `b[n]` names.", "CTM Guide p.36"),
    ("condition", "always", "The condition that holds for every lane.", "CTM Guide p.36"),
    ("condition", "never", "The condition that holds for no lane.", "CTM Guide p.36"),
    // Modifiers
    (
        "modifier",
        "clamp",
        "Before an operation: the result is limited to [0, 1]; NaN becomes 0. The output modifier is applied before.",
        "CTM Guide p.27",
    ),
    (
        "modifier",
        "exact",
        "`exact * OP`: the output modifier that leaves every bit of the result, denormals and NaN payloads included. It goes with MIN, MAX, CND and CMP.",
        "CTM Guide p.27; R5xx register tables",
    ),
    (
        "modifier",
        "none",
        "In place of a write mask: no channel is written. In place of the numbers of a directive: none.",
        "assembly language",
    ),
    // Kinds of immediate writes
    ("immediate write", "same_idx", "`umrt[same_idx]`: every lane writes at its own position.", "CTM Guide p.32"),
    (
        "immediate write",
        "same_idx_tex_sem_acquire",
        "As same_idx, and the instruction acquires the texture semaphore.",
        "CTM Guide p.32",
    ),
    (
        "immediate write",
        "per_processor_idx",
        "`umrt[per_processor_idx]`: the position belongs to the processor that executes the lane.",
        "CTM Guide p.32",
    ),
    (
        "immediate write",
        "per_processor_idx_tex_sem_acquire",
        "As per_processor_idx, and the instruction acquires the texture semaphore.",
        "CTM Guide p.32",
    ),
    // Directives
    (
        "directive",
        ".const",
        "`.const c4 = 1.0, 0.5, 0.0, 1.0` gives a float constant its four values; one value stands for all four.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".int",
        "`.int i0 = count` or `count, first, step` gives an integer constant: passes of a loop, first value and step of aL.",
        "docs/x1k-assembly.md",
    ),
    ("directive", ".bool", "`.bool b0 = true` or `false` gives a boolean constant its value.", "docs/x1k-assembly.md"),
    (
        "directive",
        ".start",
        "`.start label` names the first instruction that is executed; by default the first of the text.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".end",
        "`.end label` names the last instruction; by default the last of the text.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".code_offset",
        "`.code_offset n` says where in code memory the program begins, which jump targets are relative to.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".flow",
        "`.flow partial` or `full`: full flow control has loops, calls and 32 levels of branches, partial only 6 levels of branches.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".zero_times_anything",
        "`.zero_times_anything yes`: 0 times infinity or NaN is 0.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".cond_value",
        "`.cond_value program` or `environment`: where the conditional value comes from.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".write_mode",
        "`.write_mode cached` or `umrt`: outputs are written when lanes end, or immediately by `umrt`.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".position",
        "`.position temp[n]` or `none`: the temporary that holds the lane's position at the start.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".interpolant",
        "`.interpolant n = temp[m]`: the temporary that holds interpolated input n at the start.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".texture",
        "`.texture n = flat`, `volume` or `cube`: input n is sampled as a texture of this kind.",
        "docs/x1k-assembly.md",
    ),
    ("directive", ".temps", "`.temps n`: the number of temporaries that the program declares.", "docs/x1k-assembly.md"),
    (
        "directive",
        ".early_exit",
        "`.early_exit yes`: the program may end at an instruction with LAST.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".inputs",
        "`.inputs 0, 1` or `none`: the inputs that the program declares. By default those that its code names.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".outputs",
        "`.outputs 0` or `none`: the outputs that the program declares. By default those that its code names.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".float_constants",
        "The float constants that the program declares. By default those that its code names.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".int_constants",
        "The integer constants that the program declares. By default those that its code names.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".bool_constants",
        "The boolean constants that the program declares. By default those that its code names.",
        "docs/x1k-assembly.md",
    ),
    (
        "directive",
        ".cond_output",
        "`.cond_output yes`: the program declares a conditional output.",
        "docs/x1k-assembly.md",
    ),
    // Kinds of textures
    ("kind of texture", "flat", "In `.texture`: an image with coordinates S and T.", "docs/x1k-assembly.md"),
    ("kind of texture", "volume", "In `.texture`: a volume with coordinates S, T and R.", "docs/x1k-assembly.md"),
    (
        "kind of texture",
        "cube",
        "In `.texture`: six square faces; the coordinates are a direction.",
        "docs/x1k-assembly.md",
    ),
];
