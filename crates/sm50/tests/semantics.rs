//! Single instructions with known results, as compute programs that set registers, predicates and flags, execute, and store
//! what came of it.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{
    Environment, Grid, Invocations, Mode, Shader, StageLaunch, StageRunner, Stop, TrapKind, Warnings,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, text};
use std::fmt::Write;

const BASE: u32 = 0x1_0000;

/// Runs a compute program in one block of `threads`; gives the memory's first words.
fn run(code: &str, threads: u32, mode: Mode) -> Result<(Vec<u32>, Warnings), Stop> {
    run_grid(code, Grid::new([1; 3], [threads, 1, 1]).unwrap(), mode)
}

/// Runs a compute program over a grid.
fn run_grid(code: &str, grid: Grid, mode: Mode) -> Result<(Vec<u32>, Warnings), Stop> {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mut memory = Space::default();
    memory.map(Arena::new(BASE, 0x4000).unwrap()).unwrap();
    let mut environment = Environment { memory: Some(&memory), mode, ..Environment::default() };
    environment.constants.set_bank(3, vec![0x1122_3344, 0x5566_7788, 0x99AA_BBCC, 0xDDEE_FF00]);
    environment.constants.set_bank(2, vec![7]);
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { local_memory: 64, ..Shader::from(&program) };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let options = RunOptions { step_limit: 10_000, ..RunOptions::default() };
    let outcome = Reference.run(&launch, &options)?;
    let mut bytes = vec![0; 0x4000];
    memory.read_bytes(BASE, &mut bytes).unwrap();
    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    Ok((words, outcome.warnings))
}

/// Runs one lane.
fn lane(code: &str) -> Vec<u32> {
    let (words, warnings) = run(code, 1, Mode::Strict).unwrap_or_else(|stop| panic!("{stop}\n{code}"));
    assert!(warnings.is_empty());
    words
}

/// The first thing that a strict run of one lane objects to. A lenient run notes it and goes on.
fn objection(code: &str) -> TrapKind {
    match run(code, 1, Mode::Strict) {
        Err(Stop::Trap(trap)) => trap.kind,
        other => panic!("{other:?}\n{code}"),
    }
}

/// The flags of a list like `Z-C-`.
fn flags(letters: &str) -> u32 {
    letters.chars().zip(0..).map(|(letter, bit)| u32::from(letter != '-') << bit).sum()
}

#[test]
fn vectors() {
    let vectors = include_str!("vectors/semantics.txt");
    let mut count = 0;
    for line in vectors.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let (mut code, mut predicates, mut condition) = (".stage none\n".to_owned(), 0, 0);
        for (name, value) in parts[1].split_whitespace().filter_map(|input| input.split_once('=')) {
            match &name[..1] {
                "R" => writeln!(code, "MOV32I {name}, 0x{value};").unwrap(),
                "P" => predicates |= u32::from(value == "1") << name[1..].parse::<u32>().unwrap(),
                _ => condition = flags(value),
            }
        }
        writeln!(code, "MOV32I R40, {predicates:#x}; R2P PR, R40, 0x7f;").unwrap();
        writeln!(code, "MOV32I R40, {condition:#x}; R2P CC, R40, 0xf;").unwrap();
        writeln!(code, "{};", parts[0]).unwrap();
        writeln!(code, "P2R R41, PR, RZ, 0x7f; P2R R42, CC, RZ, 0xf; MOV32I R43, {BASE:#x};").unwrap();
        code.push_str("STG [R43], R3; STG [R43+0x4], R41; STG [R43+0x8], R42; EXIT;\n");
        let words = lane(&code);
        for (name, value) in parts[2].split_whitespace().filter_map(|output| output.split_once('=')) {
            let (got, expected) = match &name[..1] {
                "R" => (words[0], u32::from_str_radix(value, 16).unwrap()),
                "P" => (words[1] >> name[1..].parse::<u32>().unwrap() & 1, value.parse().unwrap()),
                _ => (words[2], flags(value)),
            };
            assert_eq!(got, expected, "{line}: {name} is {got:#x}");
        }
        count += 1;
    }
    assert_eq!(count, 150);
}

/// Stores R0 to R3 of every lane.
const STORE: &str =
    "S2R R20, SR_LANEID; SHL R20, R20, 0x4; MOV32I R21, 0x10000; IADD R20, R20, R21; STG.128 [R20], R0; EXIT;";

fn stored(code: &str, threads: u32) -> Vec<[u32; 4]> {
    let (words, _) = run(&format!(".stage none\n{code}\n{STORE}"), threads, Mode::Strict).unwrap();
    words.as_chunks().0[..threads as usize].to_vec()
}

#[test]
fn doubles() {
    let double = |value: f64| value.to_bits();
    let code = |operation: &str, a: u64, b: u64| {
        let set = |n: u32, bits: u64| format!("MOV32I R{n}, {:#x}; MOV32I R{}, {:#x};", bits as u32, n + 1, bits >> 32);
        format!("{}{}{operation}; MOV R2, RZ; MOV R3, RZ;", set(4, a), set(6, b))
    };
    let result = |operation: &str, a: f64, b: f64| {
        let [low, high, ..] = stored(&code(operation, double(a), double(b)), 1)[0];
        u64::from(high) << 32 | u64::from(low)
    };
    assert_eq!(result("DADD R0, R4, -R6", 1.5, 0.1), double(1.5 - 0.1));
    assert_eq!(result("DMUL.RP R0, R4, R6", 0.1, 3.0), double((0.1f64 * 3.0).max(0.30000000000000004)));
    assert_eq!(result("DFMA R0, R4, R6, -R4", 0.1, 3.0), double(0.1f64.mul_add(3.0, -0.1)));
    assert_eq!(result("DMNMX R0, R4, |R6|, PT", 2.0, -1.0), double(1.0));
    assert_eq!(result("DADD R0, R4, -R6", f64::INFINITY, f64::INFINITY), 0x7FFF_FFFF_FFFF_FFFF);
    assert_eq!(result("F2F.F64.F32 R0, R5", f64::from_bits(0x3FC0_0000 << 32), 0.0), double(1.5));
    assert_eq!(result("I2F.F64.S32 R0, R4", f64::from_bits(0xFFFF_FFFE), 0.0), double(-2.0));
    // FTZ and SAT do nothing where a double is concerned.
    let small = f64::from_bits(0x1234);
    assert_eq!(result("F2F.FTZ.F32.F64.SAT R0, R4", f64::from(f32::from_bits(0x1_16C2)), 0.0), 0x1_16C2);
    assert_eq!(result("F2F.F32.F64.SAT R0, R4", -2.0, 0.0), u64::from((-2f32).to_bits()));
    assert_eq!(result("F2F.FTZ.F64.F64.SAT R0, -R4", small, 0.0), double(-small));
    assert_eq!(result("F2I.S32.F64 R0, R4", f64::NAN, 0.0), 0x8000_0000);
    // Of an immediate, and of a constant that is not aligned, there is the upper word alone.
    assert_eq!(result("I2F.F64.S64 R0, -0x3", 0.0, 0.0), double(-3.0 * 2f64.powi(32)));
    assert_eq!(result("I2F.F64.S64 R0, c[0x3][0x4]", 0.0, 0.0), double(f64::from(0x5566_7788) * 2f64.powi(32)));
    assert_eq!(result("DADD R0, -RZ, c[0x3][0x4]", 0.0, 0.0), 0x5566_7788 << 32);
    assert_eq!(result("F2I.S64.F64.TRUNC R0, R4", -1e15 - 0.5, 0.0), (-1_000_000_000_000_000i64) as u64);
    let [low, ..] =
        stored(&code("DSETP.LT.AND P0, PT, R4, R6, PT; @P0 MOV32I R0, 0x5", double(1.0), double(2.0)), 1)[0];
    assert_eq!(low, 5);
}

#[test]
fn special_registers_votes_and_shuffles() {
    let code = "S2R R0, SR_LANEID; S2R R1, SR_LTMASK; S2R R2, SR_TID.X; S2R R3, SR_GEMASK;";
    for (lane, words) in stored(code, 5).into_iter().enumerate() {
        let bit = 1u32 << lane;
        assert_eq!(words, [lane as u32, bit - 1, lane as u32, !(bit - 1)]);
    }
    let code = "S2R R4, SR_LANEID; ISETP.GE.AND P0, PT, R4, 0x3, PT; VOTE.ANY R0, P1, P0; VOTE.ALL P2, P0;
        P2R R1, PR, RZ, 0x7f; SHFL.BFLY P3, R2, R4, 0x1, 0x1f; SHFL.UP P4, R3, R4, 0x2, 0x0; @!P4 MOV32I R3, 0x63;";
    for (lane, words) in stored(code, 8).into_iter().enumerate() {
        let predicates = u32::from(lane >= 3) | 2;
        let up = if lane >= 2 { lane as u32 - 2 } else { 0x63 };
        assert_eq!(words, [0xF8, predicates, lane as u32 ^ 1, up], "{lane}");
    }
}

/// Every thread of 2 x 1 x 3 blocks of 4 x 5 x 2 stores, at its own place, what it is given of the launch.
#[test]
fn launch_constants_and_packed_registers() {
    let place = "MOV R20, c[0x0][0x8]; XMAD R20, R20, c[0x0] [0xc], RZ; XMAD R20, R20, c[0x0] [0x10], RZ;
        S2R R21, SR_CTAID.Z; XMAD R21, R21, c[0x0] [0x14], RZ; S2R R22, SR_CTAID.X; IADD R21, R21, R22;
        XMAD R20, R20, R21, RZ;
        S2R R21, SR_TID.Z; XMAD R21, R21, c[0x0] [0xc], RZ; S2R R22, SR_TID.Y; IADD R21, R21, R22;
        XMAD R21, R21, c[0x0] [0x8], RZ; S2R R22, SR_TID.X; IADD R21, R21, R22;
        IADD R20, R20, R21; SHL R20, R20, 0x5; MOV32I R21, 0x10000; IADD R20, R20, R21;";
    let store = "STG.128 [R20], R0; STG.128 [R20+0x10], R4; EXIT;";
    let load = "MOV R0, c[0x0][0x8]; LDC.64 R2, c[0x0][RZ+0x18]; MOV R1, c[0x0][0x14]; MOV32I R4, 0xc;
        LDC R4, c[0x0][R4]; MOV R5, c[0x0][0x20]; S2R R6, SR_NTID; S2R R7, SR_TID;";
    let grid = Grid::new([2, 1, 3], [4, 5, 2]).unwrap();
    let (words, warnings) = run_grid(&format!(".stage none\n{place}{load}{store}"), grid, Mode::Strict).unwrap();
    assert!(warnings.is_empty());
    for (thread, words) in words.as_chunks::<8>().0[..240].iter().enumerate() {
        let [x, y, z] = [thread % 4, thread / 4 % 5, thread / 20 % 2].map(|part| part as u32);
        assert_eq!(words[..6], [4, 2, 1, 3, 5, 64], "{thread}");
        assert_eq!(words[6..], [4 | 5 << 16 | 2 << 26, x | y << 16 | z << 26], "{thread}");
    }
    // Between them and the arguments there is nothing, unless the bank has it.
    assert_eq!(objection(".stage none\nMOV R0, c[0x0][0x24]; EXIT;"), TrapKind::InvalidConstAddr);
    assert_eq!(objection(".stage none\nMOV R0, c[0x0][0x4]; EXIT;"), TrapKind::InvalidConstAddr);
}

#[test]
fn moves_obey_the_mask_of_quad_lanes() {
    let words = stored("MOV32I R4, 0x7; MOV R0, R4, 0x5; MOV32I R1, 0x9, 0xa;", 4);
    assert_eq!(words, [[7, 0, 0, 0], [0, 9, 0, 0], [7, 0, 0, 0], [0, 9, 0, 0]]);
}

#[test]
fn constants_and_memories() {
    let code = "MOV32I R4, 0x4; LDC.U8 R0, c[0x3][R4+0x1]; LDC.S16 R1, c[0x3][R4+0xa]; LDC.64 R2, c[0x3][R4-0x4];";
    assert_eq!(stored(code, 1)[0], [0x77, 0xFFFF_DDEE, 0x1122_3344, 0x5566_7788]);
    let code =
        "MOV32I R4, 0x8081; STL.U8 [0x3], R4; STL.64 [0x8], R4; LDL.S8 R0, [0x3]; LDL R1, [RZ]; LDL.64 R2, [0x8];";
    assert_eq!(stored(code, 2), [[0xFFFF_FF81, 0x8100_0000, 0x8081, 0]; 2]);
    let code = "MOV32I R4, 0x11000; MOV R5, RZ; MOV32I R6, 0xfffe8123; STG.E.U16 [R4+0x6], R6; LDG.E.S16 R0, [R4+0x6];
        LDG.E R1, [R4+0x4]; LDG.U8 R2, [R4+0x7]; MOV32I R3, 0x20000; LDC.IL R3, c[0x0][R3];";
    assert_eq!(stored(code, 1)[0], [0xFFFF_8123, 0x8123_0000, 0x81, 7]);
}

#[test]
fn strict_runs_name_the_first_objection_and_lenient_runs_go_on() {
    use TrapKind::*;
    let rows: &[(&str, TrapKind, [u32; 4])] = &[
        ("MOV R0, c[0x1][0x0];", InvalidConstAddr, [0; 4]),
        ("MOV R0, c[0x3][0x10];", InvalidConstAddr, [0; 4]),
        ("MOV32I R4, 0x2; LDC R0, c[0x3][R4];", MisalignedAddr, [0x1122_3344, 0, 0, 0]),
        ("MOV32I R4, 0x3; STL [0x0], R4; LDL R0, [R4];", MisalignedAddr, [3, 0, 0, 0]),
        ("LDL R0, [0x40];", OutOfRangeAddr, [0; 4]),
        ("MOV32I R0, 0x9; LDL.128 R0, [-0x10];", OutOfRangeAddr, [0; 4]),
        ("MOV32I R0, 0x9; LDG R0, [RZ];", OutOfRangeAddr, [0; 4]),
        ("MOV32I R4, 0x10000; MOV32I R5, 0x1; LDG.E R0, [R4];", OutOfRangeAddr, [0; 4]),
        ("ALD R0, a[0x80];", IllegalSphInstrCombo, [0; 4]),
        ("AST a[0x80], R0;", IllegalSphInstrCombo, [0; 4]),
        ("KIL; MOV32I R0, 0x1;", IllegalSphInstrCombo, [1, 0, 0, 0]),
        ("MOV32I R0, 0x1; LDL.64 R1, [0x0];", MisalignedReg, [0; 4]),
        ("DADD R253, R1, R2;", MisalignedReg, [0; 4]),
        ("DADD R0, R254, R2;", OutOfRangeReg, [0; 4]),
    ];
    for &(code, kind, expected) in rows {
        let code = format!(".stage none\n{code}\n{STORE}");
        assert_eq!(objection(&code), kind, "{code}");
        let (words, warnings) = run(&code, 1, Mode::Lenient).unwrap();
        assert_eq!(words[..4], expected, "{code}");
        let (_, _, warned, _) = warnings.iter().next().unwrap();
        assert_eq!(warned, ctm_sm50::launch::WarningKind::Violation(kind), "{code}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the time of a group is over before Miri reaches the limit of steps")]
fn what_cannot_go_on_ends_both_modes() {
    use TrapKind::*;
    let rows: &[(&str, TrapKind)] = &[
        ("SYNC;", StackError),
        ("BRK;", StackError),
        ("CONT;", StackError),
        ("RET;", StackError),
        ("PBK 0x8; SYNC;", StackError),
        ("NOP;", PcOverflow),
        ("BRA 0x4000;", PcOverflow),
        ("JMP 0xc;", MisalignedPc),
        ("BRA 0x8;", StepLimit),
        ("BRA c[0x0][0x8];", Unsupported),
        ("SHL.X R0, R1, R2;", Unsupported),
        ("LOP.AND.X R0, R1, R2;", Unsupported),
        ("ISBERD.PATCH R0, [R1];", Unsupported),
        ("BAR.SCAN 0x0, RZ, PT;", Unsupported),
        ("CSETP.CSM_TA.AND P0, PT, CC, PT;", Unsupported),
        (".raw 0xffffffffffffffff;", IllegalInstrEncoding),
        ("F2F.F16.F64 R0, R2;", IllegalInstrEncoding),
        ("F2F.F64.F16 R0, R2;", IllegalInstrEncoding),
        ("F2I.S64.F16 R0, R2;", IllegalInstrEncoding),
        ("F2I.U16.F64 R0, R2;", IllegalInstrEncoding),
        ("IADD.PO.X R0, R1, R2;", IllegalInstrEncoding),
    ];
    for &(code, kind) in rows {
        for mode in [Mode::Strict, Mode::Lenient] {
            match run(&format!(".stage none\n{code}\n"), 1, mode) {
                Err(Stop::Trap(trap)) => assert_eq!(trap.kind, kind, "{code}"),
                other => panic!("{code}: {other:?}"),
            }
        }
    }
}

/// Predicates start out false.
#[test]
fn branches_that_no_lane_takes_need_no_target() {
    let code = ".stage none\n@P0 BRA c[0x0][0x8];\n@P0 JMP c[0x0][0x8];\nEXIT;\n";
    assert!(run(code, 1, Mode::Strict).is_ok());
}

#[test]
fn traps_name_instruction_and_lane() {
    let code = ".stage none\nS2R R0, SR_LANEID; ISETP.EQ.AND P0, PT, R0, 0x5, PT; NOP; @P0 MOV R1, c[0x9][0x0]; EXIT;";
    match run(code, 8, Mode::Strict) {
        Err(Stop::Trap(trap)) => assert_eq!((trap.pc, trap.warp, trap.lane), (0x28, 0, 5)),
        other => panic!("{other:?}"),
    }
}
