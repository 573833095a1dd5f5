//! Random programs for grids of threads with global memory: threads that keep to themselves, and some that meet.

use crate::random::Random;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::Grid;
use ctm_sm50::stores::StoreRanges;

/// Where the arenas begin.
const ARENAS: [u32; 3] = [0x1_0000, 0x2_0000, 0x4_0000];
/// Bytes of each.
const BYTES: u32 = 0x4000;
const WORDS: u32 = BYTES / 4;

/// In front of each program: R0 becomes the thread's number in the launch, R1 to R7 other numbers of it.
pub(super) const START: &str = ".stage none
    S2R R1, SR_TID.X; S2R R2, SR_TID.Y; S2R R3, SR_TID.Z; S2R R4, SR_CTAID.X; S2R R5, SR_CTAID.Y; S2R R6, SR_CTAID.Z;
    IMAD R7, R6, c[0x0][0x18], R5; IMAD R7, R7, c[0x0][0x14], R4;
    IMAD R0, R3, c[0x0][0xc], R2; IMAD R0, R0, c[0x0][0x8], R1;
    MOV R8, c[0x0][0x8]; IMUL R8, R8, c[0x0][0xc]; IMUL R8, R8, c[0x0][0x10]; IMAD R0, R7, R8, R0; S2R R7, SR_TID; ";

/// Global memory, full of small numbers.
///
/// # Panics
/// The host has no memory for it.
pub fn memory(random: &mut Random) -> Space {
    let mut memory = Space::default();
    for base in ARENAS {
        memory.map(Arena::new(base, BYTES).expect("memory")).expect("arenas that do not meet");
        let words: Vec<u8> = (0..WORDS).flat_map(|_| (random.bits() & 0x3FF).to_le_bytes()).collect();
        memory.write_bytes(base, &words).expect("mapped memory");
    }
    memory
}

/// A few blocks of a few threads.
///
/// # Panics
/// Never: all of these sizes make grids.
pub fn grid(random: &mut Random) -> Grid {
    let mut size = |most: usize| 1 + random.below(most) as u32;
    Grid::new([size(5), size(3), size(2)], [size(40), size(3), size(2)]).expect("a grid")
}

/// An instruction that makes R9 the address of a word, of which threads have each their own, mostly.
fn address(random: &mut Random, bytes: u32) -> String {
    let base = ARENAS[random.below(3)] + 16 * random.below(4) as u32;
    let shift = bytes.trailing_zeros() + random.below(2) as u32;
    match random.below(12) {
        // Neighbours, others at random, all the same one, what other threads wrote.
        0 => format!("LOP.XOR R9, R0, 0x1; SHL R9, R9, {shift:#x}; IADD32I R9, R9, {base:#x};"),
        1 => format!("LOP.AND R9, R10, 0x3c; IADD32I R9, R9, {base:#x};"),
        2 => format!("MOV32I R9, {base:#x};"),
        // Backwards.
        3 => format!("IADD R9, -R0, 0x1ff; SHL R9, R9, {shift:#x}; IADD32I R9, R9, {base:#x};"),
        // Perhaps outside, or misaligned.
        4 if random.one_in(3) => format!("SHL R9, R0, 0x6; IADD32I R9, R9, {base:#x};"),
        4 if random.one_in(3) => format!("SHL R9, R0, 0x1; IADD32I R9, R9, {base:#x};"),
        _ => format!("SHL R9, R0, {shift:#x}; IADD32I R9, R9, {base:#x};"),
    }
}

/// A program that loads and stores by addresses of several kinds, some of them in a loop.
pub fn kernel(random: &mut Random) -> String {
    let mut code = START.to_owned();
    let loops = random.one_in(3);
    if loops {
        code += "MOV32I R20, 0x0; SSY end;\nagain: ";
    }
    for _ in 0..1 + random.below(4) {
        let guard = random.pick(&["", "", "", "@P0 ", "@!P0 "]);
        let (size, bytes) = random.pick(&[("", 4), ("", 4), (".64", 8), (".128", 16), (".U8", 4), (".S16", 4)]);
        let narrow = bytes == 4 && !size.is_empty();
        let stores = random.one_in(2);
        let size = if stores && narrow { "" } else { size };
        code += &address(random, bytes);
        let offset = random.pick(&["", "+0x10", "+0x40", "-0x10"]);
        let (register, wide) = random.pick(&[("R9", ""), ("R24", ".E")]);
        if !wide.is_empty() {
            code += "MOV R24, R9; MOV32I R25, 0x0; ";
        }
        let space = random.pick(&["", "G"]);
        code += &match stores {
            true => format!("{guard}ST{space}{wide}{size} [{register}{offset}], R12;"),
            false => format!("{guard}LD{space}{wide}{size} R12, [{register}{offset}]; IADD R10, R12, R10;"),
        };
        code += "IADD R12, R12, R1; ISETP.LT.AND P0, PT, R12, 0x180, PT;";
        if random.one_in(3) {
            code += "LOP.XOR R13, R12, R7; IADD R14, R13, R4; IADD R15, R14, R10;";
        }
    }
    if loops {
        code += "IADD R20, R20, 0x1; ISETP.LT.AND P1, PT, R20, 0x3, PT; @P1 BRA again; SYNC;\nend: ";
    }
    code + "EXIT;"
}

/// A program that changes words in atomic ways: mostly without a look at what they held, by one operation.
pub fn atomic_kernel(random: &mut Random) -> String {
    let mut code = START.to_owned() + "MOV R12, R0; ISETP.LT.AND P0, PT, R1, 0x5, PT;\n";
    let loops = random.one_in(3);
    if loops {
        code += "MOV32I R20, 0x0; SSY end;\nagain: ";
    }
    let usual = random.pick(&["ADD", "MIN", "MAX", "AND", "OR", "XOR", "MIN.S32", "MAX.S32", "ADD.S32"]);
    let looks = random.one_in(3);
    for number in 0..1 + random.below(4) {
        let guard = random.pick(&["", "", "", "@P0 ", "@!P0 "]);
        let op = if random.one_in(6) { random.pick(&["ADD", "MAX", "INC", "DEC.S32", "XOR"]) } else { usual };
        let base = ARENAS[random.below(3)];
        let place = match random.below(4) {
            0 => format!("MOV32I R9, {base:#x};"),
            1 => format!("LOP.AND R9, R0, 0x7; SHL R9, R9, 0x2; IADD32I R9, R9, {base:#x};"),
            2 => format!("LOP.AND R9, R12, 0x1c; IADD32I R9, R9, {base:#x};"),
            _ => address(random, 4),
        };
        let diverges = random.one_in(4);
        if diverges {
            code += &format!("SSY D{number}; {guard}SYNC; ");
        }
        code += &match random.below(8) {
            0 if looks => format!("{place} {guard}ATOM.EXCH R13, [R9], R12; IADD R12, R12, R13;"),
            1 if looks => format!("{place} {guard}ATOM.CAS R13, [R9], R4, R5; IADD R12, R12, R13;"),
            2 | 3 if looks => format!("{place} {guard}ATOM.{op} R13, [R9], R12; IADD R12, R12, R13;"),
            4 => format!("{} {guard}LDG R13, [R9]; IADD R12, R12, R13;", address(random, 4)),
            5 => format!("{} {guard}STG [R9], R12;", address(random, 4)),
            6 => format!("{place} MOV R24, R9; MOV32I R25, 0x0; {guard}RED.E.{op} [R24], R12;"),
            _ => format!("{place} {guard}RED.{op} [R9], R12;"),
        };
        if diverges {
            code += &format!("SYNC;\nD{number}: ");
        }
        code += "IADD R12, R12, R1;\n";
    }
    if loops {
        code += "IADD R20, R20, 0x1; ISETP.LT.AND P1, PT, R20, 0x3, PT; @P1 BRA again; SYNC;\nend: ";
    }
    code + "EXIT;"
}

/// Where the programs of a launch store, or where somebody says that they do.
pub fn stores(random: &mut Random) -> Option<StoreRanges> {
    let ranges = |count: usize| ARENAS[..count].iter().map(|&base| base.into()..u64::from(base + BYTES));
    random.one_in(2).then(|| StoreRanges::new(ranges(if random.one_in(2) { 3 } else { random.below(3) })))
}

/// Bytes of shared memory of the blocks of [`block_kernel`].
pub const SHARED: u32 = 0x400;

/// A program whose threads share memory, change it in atomic ways, and wait for each other; sometimes some of them wait for ever.
pub fn block_kernel(random: &mut Random) -> String {
    let mut code = START.to_owned() + "SHL R11, R1, 0x2; MOV R12, R0; ";
    let loops = random.one_in(3);
    if loops {
        code += "MOV32I R20, 0x0; SSY end;\nagain: ";
    }
    for _ in 0..2 + random.below(5) {
        let guard = random.pick(&["", "", "", "@P0 ", "@!P0 "]);
        let op = random.pick(&["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"]);
        let ty = random.pick(&["", "", ".S32"]);
        let offset = random.pick(&["", "+0x4", "+0x80"]);
        let barrier = random.pick(&["0x0", "0x0", "0x0", "0x5", "RZ, RZ", "0x1, 0x20"]);
        code += &match random.below(10) {
            0 | 1 => format!("{guard}STS [R11{offset}], R12;"),
            2 => format!("{guard}LDS R12, [R11{offset}];"),
            3 => format!("LOP.XOR R9, R11, 0x4; {guard}LDS.U16 R13, [R9{offset}]; IADD R12, R12, R13;"),
            4 => format!("LOP.AND R9, R12, 0x3c; {guard}ATOMS.{op}{ty} R13, [R9], R12; IADD R12, R12, R13;"),
            5 => format!("LOP.AND R9, R12, 0x38; {guard}ATOMS.CAS R13, [R9], R4, R5;"),
            6 => format!("{} {guard}ATOM.{op}{ty} R13, [R9], R12; IADD R12, R12, R13;", address(random, 4)),
            7 => {
                // What is exchanged has a result.
                let op = if op == "EXCH" { "XOR" } else { op };
                format!("{} {guard}RED.{op}{ty} [R9], R12;", address(random, 4))
            }
            8 => format!("{guard}BAR.SYNC {barrier};"),
            _ => {
                let reduction = random.pick(&["POPC", "AND", "OR"]);
                format!("BAR.RED.{reduction} 0x2, P0; B2R.RESULT R13, P1; @P1 IADD R12, R12, R13;")
            }
        };
        code += "IADD R12, R12, R1; ISETP.LT.AND P0, PT, R12, 0x180, PT;\n";
    }
    if loops {
        code += "IADD R20, R20, 0x1; ISETP.LT.AND P1, PT, R20, 0x3, PT; @P1 BRA again; SYNC;\nend: ";
    }
    code + "SHL R9, R0, 0x2; IADD32I R9, R9, 0x40000; ST [R9], R12; EXIT;"
}

/// A program whose threads keep to the rules of shared memory, mostly: between barriers, none accesses what another one writes, but by additions
/// and the like.
pub fn phase_kernel(random: &mut Random) -> String {
    let mut phases = Phases { random, code: START.to_owned() + "SHL R11, R1, 0x2; MOV R12, R0;\n", labels: 0 };
    for _ in 0..2 + phases.random.below(4) {
        phases.statement(0);
    }
    phases.code + "SHL R9, R0, 0x2; IADD32I R9, R9, 0x40000; ST [R9], R12; EXIT;"
}

struct Phases<'r> {
    random: &'r mut Random,
    code: String,
    labels: u32,
}

impl Phases<'_> {
    fn wait(&mut self) -> &'static str {
        if self.random.one_in(12) { "" } else { "BAR.SYNC 0x0;" }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let guard = self.random.pick(&["", "", "", "@P0 "]);
        let (wait, before) = (self.wait(), self.wait());
        let other = self.random.pick(&["0x4", "0x8", "0x40", "0x80"]);
        self.labels += 1;
        let label = self.labels;
        let text = match self.random.below(13) {
            0 | 1 => format!(
                "{before} STS [R11], R12; {wait} LOP.XOR R9, R11, {other}; {guard}LDS R13, [R9]; IADD R12, R12, R13; {before}"
            ),
            2 => format!("{before} STS.U8 [R11+0x200], R12; {wait} LDS R13, [R11+0x200]; IADD R12, R12, R13;"),
            3 => format!(
                "SHL R9, R1, 0x3; LOP.AND R9, R9, 0x1f8; {before} {guard}STS.64 [R9], R4; {wait} LDS.64 R14, [R9]; IADD R12, R12, R15;"
            ),
            4 | 5 => {
                let op = self.random.pick(&["ADD", "MIN", "MAX", "AND", "OR", "XOR", "ADD.S32", "MIN.S32", "MAX.S32"]);
                format!(
                    "{before} LOP.AND R9, R12, 0x3c; {guard}ATOMS.{op} RZ, [R9+0x300], R12; {wait} LDS R13, [R9+0x300]; IADD R12, R12, R13; {before}"
                )
            }
            6 => "BAR.SYNC 0x0;".into(),
            7 => "ISETP.LT.AND P0, PT, R12, 0x180, PT;".into(),
            8 => format!(
                "SHL R9, R0, 0x2; IADD32I R9, R9, {:#x}; {guard}LD R13, [R9]; IADD R12, R12, R13; {guard}ST [R9], R12;",
                ARENAS[self.random.below(2)]
            ),
            9 if self.random.one_in(4) => format!("{}EXIT;", self.random.pick(&["@P0 ", "@!P0 "])),
            10 if depth < 2 => {
                self.code += &format!("SSY B{label}; @P0 SYNC;\n");
                self.statements(depth + 1);
                format!("SYNC;\nB{label}:")
            }
            11 if depth < 2 => {
                let counter = 20 + depth;
                let (enter, leave) = self.random.pick(&[(true, "SYNC;"), (false, "")]);
                let enter = if enter { format!("SSY E{label};") } else { String::new() };
                self.code += &format!("MOV32I R{counter}, 0x0; {enter}\nL{label}:\n");
                self.statements(depth + 1);
                let most = self.random.pick(&["0x3", "0x3", "0x3", "R3", "0x28"]);
                format!(
                    "IADD R{counter}, R{counter}, 0x1; ISETP.LT.AND P1, PT, R{counter}, {most}, PT; @P1 BRA L{label}; {leave}\nE{label}:"
                )
            }
            _ => "IADD R12, R12, R1; XMAD R12, R12, 0x5, R4;".into(),
        };
        self.code += &text;
        self.code.push('\n');
    }
}
