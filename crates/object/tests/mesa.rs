//! Logs of Mesa's r300 driver: every program of the corpus comes out word for word.

use ctm_object::mesa::{self, MesaError};
use ctm_object::raw;
use ctm_x1k::{IntConstant, Program, text};
use std::path::PathBuf;

const CASES: [&str; 8] =
    ["cf_discard", "cf_loop_dyn", "cf_nest3", "k_jacobi", "op_mad", "op_select", "op_sincos", "pre_sub"];

fn case(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/x1k").join(name)
}

fn log(name: &str) -> String {
    std::fs::read_to_string(case(name).join("dump.txt")).unwrap()
}

fn words(name: &str) -> Vec<u8> {
    std::fs::read(case(name).join("program.u32")).unwrap()
}

fn assemble(text: &str) -> Program {
    text::parse(text).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].message)).program
}

#[test]
fn the_words_of_the_corpus() {
    for name in CASES.into_iter().take(if cfg!(miri) { 2 } else { usize::MAX }) {
        let text = mesa::import(&log(name)).unwrap();
        let program = assemble(&text);
        assert_eq!(raw::write_words(&program.code), words(name), "{name}");
        let info = program.info;
        assert!(info.zero_times_anything, "{name}");
        assert_eq!((info.start, info.end, info.position), (0, program.code.len() as u16 - 1, Some(0)), "{name}");
        let loops = name == "cf_loop_dyn";
        assert_eq!(info.full_flow_control, loops, "{name}");
        let passes = IntConstant { count: 255, init: 0, step: 0 };
        assert_eq!(program.constants.ints, if loops { [(0, passes)].into() } else { [].into() }, "{name}");
    }
}

#[test]
fn the_listing_goes_along() {
    let text = mesa::import(&log("cf_discard")).unwrap();
    assert!(text.contains("--      CMP temp[1].x, src0.0__, src0.1__, src0.x__\n"), "{text}");
    assert!(text.contains("--   7: KIL temp[1];\n"), "{text}");
    assert!(!text.contains("machine code"), "{text}");
}

#[test]
fn noise_line_ends_and_several_programs() {
    let noise = "r300: DRM version: 2.50.0\nINFO: x: 0x1\n\n";
    let both = format!("{noise}{}{noise}{}\ndone\n", log("op_mad"), log("cf_discard")).replace('\n', "\r\n");
    let log_of_both = mesa::Log::of(&both, mesa::Keep::None);
    let sizes = ["op_mad", "cf_discard"].map(|name| words(name).len() / 24);
    assert_eq!(log_of_both.entries().iter().map(|entry| entry.size).collect::<Vec<_>>(), sizes);
    assert_eq!(log_of_both.entries()[1].stage, Some("fragment"));
    assert_eq!(mesa::import(&both).unwrap(), mesa::import(&log("cf_discard")).unwrap());
    assert_eq!(mesa::import_nth(&both, 0).unwrap(), mesa::import(&log("op_mad")).unwrap());
    assert_eq!(mesa::import_nth(&both, 2), Err(MesaError::NoSuchProgram { index: 2, count: 2 }));
}

#[test]
fn rounded_constants_become_comments() {
    let constant = "CONST[0] = {     0.3333     1.0000     0.0000     0.0000 }";
    let text = mesa::import(&format!("{constant}\n{}", log("op_mad"))).unwrap();
    assert!(text.contains(&format!("--   {constant}\n")), "{text}");
    assert!(assemble(&text).constants.floats.is_empty());
}

#[test]
fn damaged_logs() {
    assert_eq!(mesa::import("nothing here"), Err(MesaError::NoProgram));
    let log = log("op_mad");
    let broken = |from: &str, to: &str| {
        assert!(log.contains(from));
        mesa::import(&log.replacen(from, to, 1)).unwrap_err()
    };
    let line_of = |part: &str| log.lines().position(|line| line.contains(part)).unwrap() + 1;

    let error = broken("\t2:ALPHA_ADDR 0x", "\t2:ALPHA_ADDR 0y");
    assert!(matches!(error, MesaError::Unexpected { line, .. } if line == line_of("2:ALPHA_ADDR")), "{error}");
    let error = broken("\n1\t0:CMN_INST", "\n2\t0:CMN_INST");
    assert!(error.to_string().contains("CMN_INST of instruction 1"), "{error}");
    let error = broken("\t2:ALPHA_ADDR", "\t1:RGB_ADDR");
    assert!(error.to_string().contains("one each of CMN_INST, RGB_ADDR, ALPHA_ADDR"), "{error}");

    // Cut off in the middle of the last instruction.
    let cut = &log[..log.rfind("\t4 ALPHA_INST").unwrap()];
    let error = mesa::import(cut).unwrap_err();
    let expected = MesaError::MissingDword {
        line: log.lines().count() - log[log.rfind("0:CMN_INST").unwrap()..].lines().count() + 1,
        instruction: words("op_mad").len() / 24 - 1,
        dword: 4,
        name: "ALPHA_INST",
    };
    assert_eq!(error, expected);
    let heading = &log[..log.find("0\t0:CMN").unwrap()];
    assert!(matches!(mesa::import(heading), Err(MesaError::Empty { .. })));
}

#[test]
fn any_text_gives_a_program_or_an_error() {
    let log = log("cf_loop_dyn");
    ctm_cases::check(2000, |u| {
        let mut bytes = log.clone().into_bytes();
        for _ in 0..u.int_in_range(1..=6)? {
            let at = u.choose_index(bytes.len())?;
            bytes[at] = *u.choose(b"\t\n\r :0x9fCMN_\xE2\x82\xAC")?;
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(text) = mesa::import(&text) {
            assert!(text::parse(&text).is_ok());
        }
        Ok(())
    });
}

const VERTEX: &str = "\
r300: Initial vertex program
Final vertex program code:
 0: op: 0x00f02203 dst: 1o op: VE_ADD
 src0: 0x00d10021 reg: 1i swiz: X/ Y/ Z/ W
 src1: 0x01248021 reg: 1i swiz: 0/ 0/ 0/ 0
 src2: 0x01248021 reg: 1i swiz: 0/ 0/ 0/ 0
1: op: 0x00f00203 dst: 0o op: VE_ADD
 src0: 0x00d10001 reg: 0i swiz: X/ Y/ Z/ W
 src1: 0x01248001 reg: 0i swiz: 0/ 0/ 0/ 0
 src2: 0x01248001 reg: 0i swiz: 0/ 0/ 0/ 0
Flow Control Ops: 0x00000002
LOOP: uw-> 0x00000001 lw-> 0x00080001
Before = 1 First = 0 Last = 1
r300: something else
";

#[test]
fn vertex_programs() {
    let text = mesa::import(VERTEX).unwrap();
    let program = ctm_pvs::text::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}")).program;
    let dwords: Vec<u32> = program.words().flatten().collect();
    assert_eq!(dwords[..5], [0x00f0_2203, 0x00d1_0021, 0x0124_8021, 0x0124_8021, 0x00f0_0203]);
    let flow = program.flow[0];
    assert_eq!((flow.op, flow.act, flow.count_or_target), (ctm_pvs::FlowOp::Loop, 1, 8));
    assert_eq!((flow.last, flow.resume, flow.step), (1, 0, 1));

    assert_eq!(mesa::driver(VERTEX), Some(mesa::Driver::R300Vertex));
    let both = format!("{VERTEX}{}{VERTEX}", log("op_mad"));
    assert_eq!(mesa::driver(&both), Some(mesa::Driver::R300));
    let stages = |entry: &mesa::Entry| entry.stage.unwrap();
    let found = mesa::Log::of(&both, mesa::Keep::Last);
    assert_eq!(found.entries().iter().map(stages).collect::<Vec<_>>(), ["vertex", "fragment", "vertex"]);
    assert_eq!(found.only().unwrap().0, 1, "fragment programs count more");
    assert_eq!(mesa::import_nth(&both, 2).unwrap(), text);
}

#[test]
fn sizes_and_ends_of_vertex_programs() {
    let size = |text: &str| mesa::Log::of(text, mesa::Keep::None).entries()[0].size;
    assert_eq!(size(VERTEX), 2);
    // Empty lines do not end a program, other lines do.
    let spaced = VERTEX.replacen("1: op:", "\n1: op:", 1);
    assert_eq!(mesa::import(&spaced).unwrap(), mesa::import(VERTEX).unwrap());
    let ended = VERTEX.replacen("1: op:", "the end\n1: op:", 1);
    assert_eq!(size(&ended), 1);

    // As much flow control as there is room for.
    let entries = |count: usize| {
        let text = VERTEX.replace("LOOP: uw-> 0x00000001", &"JSR: uw-> 0x00050001 lw-> 0x00080001\n".repeat(count));
        let text = mesa::import(&text).unwrap();
        ctm_pvs::text::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}")).program.flow
    };
    let most = entries(ctm_pvs::FLOW_ENTRIES);
    assert!(most.iter().all(|entry| (entry.op, entry.resume, entry.step) == (ctm_pvs::FlowOp::Call, 5, 0)));
    assert_eq!(entries(ctm_pvs::FLOW_ENTRIES + 1), most);

    let instructions = |count: usize| {
        let one =
            |number: usize| format!("{number}: op: 0x00f00203\nsrc0: 0x00d10001\nsrc1: 0x01248001\nsrc2: 0x01248001\n");
        format!("Final vertex program code:\n{}", (0..count).map(one).collect::<String>())
    };
    let most = ctm_pvs::MAX_INSTRUCTIONS;
    assert!(mesa::import(&instructions(most)).is_ok());
    assert_eq!(mesa::import(&instructions(most + 1)), Err(MesaError::TooLong { line: 4 * most + 2 }));
}

/// Lines of dwords have a place of four digits; without a heading a program has more than one dword.
#[test]
fn listings_of_r600_without_a_heading() {
    let code = "0000 0000203C 94000B08  EXPORT_DONE\n0002 00000000 80200000 NOP EOP\n";
    let log = |text: &str| mesa::Log::of(text, mesa::Keep::None);
    assert_eq!(log(code).entries()[0].size, 4);
    for other in ["0000 00000000\n", "00 0000203C 94000B08\n", "000A 0000203C 94000B08\n", "0002 0000203C 94000B08\n"] {
        assert_eq!(log(other).entries(), [], "{other}");
    }
    // The code shows the stage, if it is there.
    let stage = |dwords: usize| log(&format!("{dwords} dwords, 1 gprs, stack 1\n{code}")).entries()[0].stage;
    assert_eq!((stage(4), stage(5), stage(40)), (Some("vs"), Some("vs"), None));
    // A write to scratch memory has no target, though it has the bits of one.
    let writes = "0000 00002000 92000000  MEM_SCRATCH\n0002 00000000 80200000 NOP EOP\n";
    assert_eq!(log(&format!("4 dwords, 1 gprs, stack 1\n{writes}")).entries()[0].stage, Some("ps"));
    assert_eq!(mesa::import_nth("nothing", 0), Err(MesaError::NoProgram));
}

#[test]
fn damaged_vertex_programs() {
    let error = |from: &str, to: &str| mesa::import(&VERTEX.replacen(from, to, 1)).unwrap_err();
    let cut = error(" src2: 0x01248001 reg: 0i swiz: 0/ 0/ 0/ 0\n", "");
    assert_eq!(cut, MesaError::MissingDword { line: 7, instruction: 1, dword: 3, name: "src2" });
    let gap = error("1: op:", "2: op:").to_string();
    assert!(gap.contains("line 7: expected `op` of instruction 1"), "{gap}");
    let empty = mesa::import("Final vertex program code:\nFlow Control Ops: 0x00000000\n");
    assert_eq!(empty, Err(MesaError::Empty { line: 1 }));
}

/// The lines of a log that is longer than memory go through the reader one by one.
#[test]
fn long_logs_are_read_as_they_come() {
    let (noise, program) = ("INFO: nothing of interest\n".repeat(1000), log("op_mad"));
    let (mut kept, mut reader) = (mesa::Log::new(mesa::Keep::Number(15)), mesa::Reader::default());
    for _ in 0..20 {
        noise.lines().chain(program.lines()).for_each(|line| reader.line(line, &mut |program| kept.add(program)));
    }
    reader.finish(&mut |program| kept.add(program));
    assert_eq!((kept.entries().len(), kept.programs().len()), (20, 1));
    assert_eq!(kept.only().unwrap().1.import(), mesa::import(&program));
}
