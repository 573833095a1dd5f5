//! Thread blocks: shared memory, atomic accesses, barriers between warps; and lanes that work together.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{
    Environment, Grid, Invocations, Mode, Shader, StageLaunch, StageRunner, Stop, TrapKind, WarningKind,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, text};
use std::fmt::Write;

const BASE: u32 = 0x1_0000;

/// Runs compute code over blocks of so many threads, with 4096 bytes of shared memory; gives what global memory holds at the end.
fn run(code: &str, blocks: u32, threads: u32, global: &[u32]) -> Result<Vec<u32>, Stop> {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mut memory = Space::default();
    memory.map(Arena::new(BASE, 0x4000).unwrap()).unwrap();
    let bytes: Vec<u8> = global.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write_bytes(BASE, &bytes).unwrap();
    let mut environment = Environment { memory: Some(&memory), mode: Mode::Strict, ..Environment::default() };
    for (bank, words) in [(1, [0xa, 0, 0xb]), (2, [0x14, 0, 0x15]), (3, [0x1e, 0, 0x1f])] {
        environment.constants.set_bank(bank, words.to_vec());
    }
    let grid = Grid::new([blocks, 1, 1], [threads, 1, 1]).unwrap();
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { shared_memory: 4096, ..Shader::from(&program) };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    Reference.run(&launch, &RunOptions { step_limit: 10_000, ..RunOptions::default() })?;
    let mut bytes = vec![0; 0x4000];
    memory.read_bytes(BASE, &mut bytes).unwrap();
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

fn words(list: &str) -> Vec<u32> {
    list.split(',').map(|word| u32::from_str_radix(word, 16).unwrap()).collect()
}

/// Four lanes, with what they hold and what memory holds before and after, as an independent interpreter has it.
#[test]
fn lanes_that_work_together() {
    let mut count = 0;
    for line in include_str!("vectors/lanes.txt").lines() {
        let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let values = |part: &str| -> Vec<(String, Vec<u32>)> {
            let pairs = part.split_whitespace().filter_map(|pair| pair.split_once('='));
            pairs.map(|(name, list)| (name.to_owned(), words(list))).collect()
        };
        let (before, after) = (values(parts[1]), values(parts[2]));
        let mut code = ".stage none\nS2R R40, SR_LANEID;\n".to_owned();
        let mut global = Vec::new();
        for (name, list) in &before {
            match name.as_str() {
                "mem" => global = list.clone(),
                "shared" => {
                    for (n, word) in list.iter().enumerate() {
                        writeln!(code, "MOV32I R41, {word:#x}; STS [{:#x}], R41;", 4 * n).unwrap();
                    }
                }
                register => {
                    for (lane, word) in list.iter().enumerate() {
                        writeln!(code, "ISETP.EQ.AND P6, PT, R40, {lane}, PT; @P6 MOV32I {register}, {word:#x};")
                            .unwrap();
                    }
                }
            }
        }
        // Addresses of global memory count from 0 in the vectors.
        let address = parts[0].split_once('[').and_then(|(_, rest)| rest.split(['+', ']']).next()).unwrap_or("");
        if !global.is_empty() {
            writeln!(code, "IADD32I {address}, {address}, {BASE:#x};").unwrap();
        }
        writeln!(code, "ISETP.EQ.AND P6, PT, RZ, 1, PT;\n{};", parts[0]).unwrap();
        // Results go to 0x800 + 0x40 * lane, shared memory to 0x400.
        writeln!(code, "SHL R42, R40, 6; IADD32I R42, R42, {:#x};", BASE + 0x800).unwrap();
        for register in 3..9 {
            writeln!(code, "STG [R42+{:#x}], R{register};", 4 * register).unwrap();
        }
        writeln!(code, "MOV32I R43, {:#x}; LDS.64 R44, [RZ]; STG.64 [R43], R44; EXIT;", BASE + 0x400).unwrap();
        let found = run(&code, 1, 4, &global).unwrap_or_else(|stop| panic!("{line}: {stop}"));
        for (name, expected) in after {
            let got: Vec<u32> = match name.as_str() {
                "mem" => found[..expected.len()].to_vec(),
                "shared" => found[0x100..0x100 + expected.len()].to_vec(),
                register => {
                    let number: usize = register[1..].parse().unwrap();
                    (0..4).map(|lane| found[0x200 + 0x10 * lane + number]).collect()
                }
            };
            assert_eq!(got, expected, "{line}: {name}");
        }
        count += 1;
    }
    assert_eq!(count, 27);
}

/// A sum over all threads of a block, in steps with barriers, as compilers write it.
#[test]
fn a_block_adds_up() {
    let code = ".stage none
        S2R R0, SR_TID.X; S2R R1, SR_CTAID.X; SHL R2, R0, 2;
        XMAD R3, R1, 0x100, R0; STS [R2], R3;
        MOV32I R4, 0x80;
        BAR.SYNC 0x0;
        PBK done;
    next:
        ISETP.LT.U32.AND P0, PT, R0, R4, PT;
        SHL R5, R4, 2; IADD R5, R2, R5;
        @P0 LDS R6, [R5]; @P0 LDS R7, [R2]; @P0 IADD R6, R6, R7; @P0 STS [R2], R6;
        BAR.SYNC RZ, RZ;
        SHR.U32 R4, R4, 1;
        ISETP.EQ.AND P1, PT, R4, RZ, PT;
        @P1 BRK;
        BRA next;
    done:
        ISETP.NE.AND P0, PT, R0, RZ, PT;
        @P0 EXIT;
        LDS R6, [RZ]; SHL R1, R1, 2; IADD32I R1, R1, 0x10000; STG [R1], R6; EXIT;";
    let sums = run(code, 3, 256, &[]).unwrap();
    let expected: Vec<u32> = (0..3).map(|block| (block * 256..(block + 1) * 256).sum()).collect();
    assert_eq!(sums[..3], expected);
}

/// Shared memory is empty at the start of each block; every thread counts.
#[test]
fn a_histogram_in_shared_memory() {
    let code = ".stage none
        S2R R0, SR_TID.X; LOP32I.AND R1, R0, 7; SHL R1, R1, 2; MOV32I R2, 1;
        ATOMS.ADD RZ, [R1], R2;
        BAR.SYNC 0x3;
        ISETP.GT.U32.AND P0, PT, R0, 7, PT; @P0 EXIT;
        LDS R3, [R1]; IADD32I R1, R1, 0x10000; RED.ADD [R1], R3; EXIT;";
    assert_eq!(run(code, 2, 100, &[]).unwrap()[..8], [26, 26, 26, 26, 24, 24, 24, 24]);
}

#[test]
fn reductions_at_a_barrier() {
    let code = |reduction: &str, condition: &str| {
        format!(
            ".stage none
            S2R R0, SR_TID.X; ISETP.{condition}.AND P0, PT, R0, 0x46, PT;
            BAR.RED.{reduction} 0x1, P0; B2R.RESULT R1, P1; MOV R2, RZ; @P1 MOV32I R2, 1;
            SHL R3, R0, 3; IADD32I R3, R3, 0x10000; STG.64 [R3], R4; MOV R4, R1; MOV R5, R2; STG.64 [R3], R4; EXIT;"
        )
    };
    let cases = [
        ("POPC", "LT", [70, 1]),
        ("POPC", "F", [0, 0]),
        ("AND", "LT", [0, 0]),
        ("AND", "LE", [0, 0]),
        ("AND", "T", [1, 1]),
        ("OR", "EQ", [1, 1]),
        ("OR", "F", [0, 0]),
    ];
    for (reduction, condition, expected) in cases {
        let found = run(&code(reduction, condition), 1, 96, &[]).unwrap();
        assert!(found.as_chunks().0[..96].iter().all(|pair| *pair == expected), "{reduction} {condition}");
    }
}

/// The first warp waits until two others have put their words down, and does not wait for the last one.
#[test]
fn barriers_count_threads() {
    let code = ".stage none
        S2R R0, SR_TID.X; SHR.U32 R1, R0, 5; SHL R2, R1, 2;
        ISETP.EQ.AND P0, PT, R1, RZ, PT; ISETP.EQ.AND P1, PT, R1, 3, PT;
        @P1 BAR.SYNC 0x2;
        @P1 EXIT;
        @P0 BAR.SYNC 0x1, 0x60;
        @!P0 STS [R2], R0;
        @!P0 BAR.ARV 0x1, 0x60;
        @P0 LDS.64 R4, [0x8]; @P0 LDS R3, [0x4]; @P0 MOV32I R6, 0x10000; @P0 STG [R6], R3; @P0 STG [R6+4], R4; EXIT;";
    assert_eq!(run(code, 1, 128, &[]).unwrap()[..2], [63, 95]);
}

#[test]
fn warps_that_wait_for_each_other_end_the_run() {
    let code = ".stage none
        S2R R0, SR_TID.X; SHR.U32 R1, R0, 5; ISETP.EQ.AND P0, PT, R1, RZ, PT;
        @P0 BAR.SYNC 0x1;
        @!P0 BAR.SYNC 0x2;
        EXIT;";
    match run(code, 1, 64, &[]) {
        Err(Stop::Trap(trap)) => assert_eq!((trap.kind, trap.pc, trap.warp), (TrapKind::Deadlock, 0x28, 0)),
        other => panic!("{other:?}"),
    }
    // A block of one warp waits for nobody, and warps that end are not waited for.
    assert!(run(code, 1, 32, &[]).is_ok());
    assert!(
        run(
            ".stage none\nS2R R0, SR_TID.X; ISETP.GT.AND P0, PT, R0, 31, PT; @P0 EXIT; BAR.SYNC 0x0; EXIT;",
            1,
            64,
            &[]
        )
        .is_ok()
    );
}

/// Read word for word, NAK's barrier takes the count from R0.
#[test]
fn the_barrier_of_nak_is_for_all_warps() {
    let code = ".stage none
        S2R R0, SR_TID.X; STS [RZ], R0; .raw 0xf0a803800007ff00; LDS R1, [RZ];
        SHL R2, R0, 2; IADD32I R2, R2, 0x10000; STG [R2], R1; EXIT;";
    assert!(run(code, 1, 96, &[]).unwrap()[..96].iter().all(|&word| word == 95));
}

#[test]
fn what_memory_refuses() {
    let stops = [
        ("LDS R0, [0x1000];", TrapKind::OutOfRangeAddr),
        ("STS.64 [0x4], R0;", TrapKind::MisalignedAddr),
        ("MOV32I R1, 2; ATOMS.ADD R0, [R1], R2;", TrapKind::MisalignedAddr),
        ("ATOM.ADD R0, [RZ], R2;", TrapKind::OutOfRangeAddr),
        ("MOV32I R1, 0x10000; ATOM.EXCH.U128 R0, [R1], R4;", TrapKind::Unsupported),
        ("MOV32I R1, 0x10000; ATOM.CAS R0, [R1], R4, RZ;", TrapKind::IllegalInstrEncoding),
        ("ATOMS.CAST R0, [RZ], R4, R5;", TrapKind::Unsupported),
    ];
    for (code, kind) in stops {
        match run(&format!(".stage none\n{code}\nEXIT;"), 1, 1, &[]) {
            Err(Stop::Trap(trap)) => assert_eq!(trap.kind, kind, "{code}"),
            other => panic!("{code}: {other:?}"),
        }
    }
}

/// The pairs of instructions of a program that race, by address, over two blocks of two warps.
fn races(code: &str) -> Vec<(u32, u32)> {
    let program = text::parse(&format!(".stage none\nS2R R0, SR_TID.X; SHL R1, R0, 2; {code} EXIT;")).unwrap().program;
    let environment = Environment { mode: Mode::Strict, ..Environment::default() };
    let grid = Grid::new([2, 1, 1], [64, 1, 1]).unwrap();
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { shared_memory: 4096, ..Shader::from(&program) };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let report = Reference.run_for_races(&launch, &RunOptions::default()).unwrap();
    let pair = |(_, pc, kind, _)| match kind {
        WarningKind::Race { other } => Some((pc, other)),
        WarningKind::Violation(_) | WarningKind::SpecialRegister(_) | WarningKind::PatchBeyondCount => None,
    };
    report.warnings.iter().filter_map(pair).collect()
}

#[test]
fn races_are_found() {
    // Bundles have three instructions behind their control word.
    let other = "LOP.XOR R2, R1, 0x80;";
    assert_eq!(races("STS [R1], R0; LDS R3, [R1];"), [], "its own words");
    assert_eq!(races(&format!("STS [R1], R0; BAR.SYNC 0x0; {other} LDS R3, [R2];")), [], "a barrier is between them");
    // The second warp loads what the first one stored, and stores what the first one loaded.
    assert_eq!(races(&format!("{other} STS [R1], R0; LDS R3, [R2];")), [(0x28, 0x30), (0x30, 0x28)]);
    assert_eq!(races("MOV R2, RZ; STS [R2], R0;"), [(0x28, 0x28)], "two warps store");
    assert_eq!(races("MOV R2, RZ; ATOMS.ADD RZ, [R2], R0;"), [], "additions in any order");
    assert_eq!(races("MOV R2, RZ; ATOMS.ADD RZ, [R2], R0; LDS R3, [R2];"), [(0x28, 0x30), (0x30, 0x28)]);
    // Lanes of a warp have an order.
    assert_eq!(races("LOP.XOR R2, R1, 0x4; STS [R1], R0; LDS R3, [R2];"), []);
}
