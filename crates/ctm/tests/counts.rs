//! How often instructions execute, by programs whose counts can be told from their texts.

use ctm_gpu::{Counts, Engine, EngineName, Error, Kernel, Limits, Machine, Pixels, Program, Threads};

/// Lanes from column 2 on go into the branch, and then all make three passes.
const X1K: &str = "\
.int i0 = 3
src0.rgb = temp[0], src1.rgb = 2.0 : result[ge] = MAD src0.r00 src0.1__ -src1.r00 ;
IF alu;
  src0.rgb = temp[0] : temp[1].r = MAX src0.r__ src0.r__ ;
ENDIF;
LOOP i[0];
  src0.rgb = temp[2] : temp[2].r = MAD src0.1__ src0.1__ src0.r__ ;
ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.r00 src0.r00 ;
";

/// Column 0 stays out of the branch, in which column 1 is killed.
const R700: &str = "\
.gprs 4
.stack 3
ALU_PUSH_BEFORE:
  x: PRED_SETGT ____, R0.x, 0.5f UPDATE_EXEC_MASK
JUMP POP_CNT(1) ADDR(over)
ALU_POP_AFTER:
  x: ADD R1.x, R0.x, 10.0f
  y: MOV R1.y, R0.y LAST
  x: KILLE ____, R0.x, 1.0f LAST
over:
EXP_DONE: PIX0, R1.xyz1
END_OF_PROGRAM
";

/// Threads 0 and 1 of each block skip an instruction, and exit by themselves.
const SM50: &str = "\
S2R R0, SR_TID.X;
ISETP.LT.AND P0, PT, R0, 0x2, PT;
@P0 IADD R1, R0, 0x1;
@P0 BRA done;
MOV R1, RZ;
done: EXIT;
";

fn kernel(machine: Machine, text: &str, size: (u32, u32), engine: &Engine) -> Kernel {
    Pixels::new(Program::assemble(machine, text).unwrap(), size.0, size.1).compile(engine).unwrap()
}

/// The counts of all instructions, as executions and lanes.
fn counts(counts: &Counts) -> Vec<(u64, u64)> {
    counts.instructions.iter().map(|counted| (counted.count.executions, counted.count.lanes)).collect()
}

#[test]
fn branches_and_loops_of_x1k() {
    for name in EngineName::available() {
        let mut kernel = kernel(Machine::X1k, X1K, (4, 2), &Engine::named(name).unwrap());
        let (stats, found) = kernel.count().unwrap();
        let expected = [(1, 8), (1, 8), (1, 4), (1, 4), (1, 8), (3, 24), (3, 24), (1, 8)];
        assert_eq!(counts(&found), expected);
        assert_eq!(found.lanes, [10, 10, 12, 12, 10, 10, 12, 12]);
        assert_eq!(stats, kernel.run().unwrap());
        assert_eq!(stats.instructions, found.lanes.iter().sum());
        assert!(found.instructions[2].text.contains("temp[1].r = MAX"));
        assert_eq!(kernel.output(0).unwrap().to_floats()[..4], [3.0, 0.0, 0.0, 0.0], "it runs as always");
    }
}

/// A group has half of two rows, so that every other one has no lane in the branch.
#[test]
fn groups_without_a_lane_there_do_not_count() {
    let text = X1K.replace("= 2.0", "= 60.0");
    let (stats, found) = kernel(Machine::X1k, &text, (64, 8), &Engine::fastest()).count().unwrap();
    assert_eq!(stats.groups, 8);
    assert_eq!(counts(&found), [(8, 512), (8, 512), (4, 32), (4, 32), (8, 512), (24, 1536), (24, 1536), (8, 512)]);
}

#[test]
fn clauses_and_kills_of_r700() {
    let counted = |name| kernel(Machine::R700, R700, (4, 2), &Engine::named(name).unwrap()).count().unwrap();
    let (stats, found) = counted(EngineName::Reference);
    for name in EngineName::available() {
        assert_eq!(counted(name), (stats, found.clone()));
    }
    let texts: Vec<_> = found.instructions.iter().map(|counted| counted.text.split_whitespace().next()).collect();
    let expected = ["ALU_PUSH_BEFORE:", "x:", "JUMP", "ALU_POP_AFTER:", "x:", "x:", "EXP_DONE:"];
    assert_eq!(texts, expected.map(Some));
    assert_eq!(found.instructions[4].text.lines().count(), 2, "a group has a line for each slot");
    let in_clause: Vec<_> = found.instructions.iter().map(|counted| counted.place.in_clause).collect();
    assert_eq!(in_clause, [false, true, false, false, true, true, false]);
    assert_eq!(counts(&found), [(1, 8), (1, 8), (1, 6), (1, 6), (1, 6), (1, 6), (1, 8)]);
    assert_eq!(found.lanes, [3, 7, 7, 7, 3, 7, 7, 7]);
    assert_eq!(stats.instructions, found.lanes.iter().sum());
}

#[test]
fn predicates_and_paths_of_sm50() {
    let program = Program::assemble(Machine::Sm50, SM50).unwrap();
    let mut threads = Threads::new(program, [2, 1, 1], [3, 1, 1]).unwrap();
    let (report, found) = threads.count(&Engine::fastest()).unwrap();
    // The two ways of each warp come to EXIT one after the other.
    assert_eq!(counts(&found)[..6], [(2, 6), (2, 6), (2, 4), (2, 4), (2, 2), (4, 6)]);
    assert_eq!(found.lanes, [5, 5, 4, 5, 5, 4]);
    assert_eq!(report.stats.lanes, 6);
    assert_eq!(found.instructions[3].place.at.pc, 0x28, "control words have addresses, too");
    assert!(found.instructions[3].text.starts_with("@P0 BRA"));
}

#[test]
fn counts_of_lanes_are_memory() {
    let limits = Limits { memory: 8 * 1000, ..Limits::DEFAULT };
    let engine = Engine::fastest().with_limits(limits);
    assert!(kernel(Machine::X1k, X1K, (100, 10), &engine).count().is_ok());
    let refused = kernel(Machine::X1k, X1K, (1001, 1), &engine).count();
    assert!(matches!(refused, Err(Error::Halted(_))), "{refused:?}");
}
