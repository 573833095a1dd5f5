//! Instructions taken apart.

use ctm_gpu::{Instruction, Machine, Program};
use std::path::Path;

fn instructions(machine: Machine, text: &str) -> Vec<Instruction> {
    Program::assemble(machine, text).unwrap().instructions()
}

fn operations(instruction: &Instruction) -> Vec<(&str, Vec<&str>)> {
    let operations = instruction.operations.iter();
    operations.map(|one| (one.name.as_str(), one.operands.iter().map(String::as_str).collect())).collect()
}

#[test]
fn x1k_has_two_units() {
    let text = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[3].rgba temp[0].rgrg ;
        src0.rgb = temp[0], src1.rgb = const[4], src0.a = temp[1] : temp[2].rg = MAD src0.rg0 src1.rg0 src1.ba0, temp[2].a = RCP src0.a ;
        OUT src0.rgb = temp[2] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    let found = instructions(Machine::X1k, text);
    assert_eq!(found.iter().map(|one| one.address).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(operations(&found[0]), [("LD", vec!["temp[1].rgba", "tex[3].rgba", "temp[0].rgrg"])]);
    assert_eq!(found[0].reads, ["temp[0].r", "temp[0].g", "tex[3]"]);
    assert_eq!(found[0].writes, ["temp[1].r", "temp[1].g", "temp[1].b", "temp[1].a"]);
    let [mad, rcp] = &operations(&found[1])[..] else { panic!("{:?}", found[1]) };
    assert_eq!((mad.0, rcp), ("MAD", &("RCP", vec!["temp[2].a", "src0.a"])));
    assert!(
        found[1].reads.iter().any(|read| read == "const[4].b")
            && !found[1].reads.iter().any(|read| read == "const[4].a")
    );
    assert_eq!(found[1].writes, ["temp[2].r", "temp[2].g", "temp[2].a"]);
    assert_eq!(found[2].writes, ["out[0].r", "out[0].g", "out[0].b"]);
    assert!(found.iter().all(|one| one.words.len() == 6));
}

#[test]
fn r700_has_slots() {
    let text = "TEX:\n SAMPLE R1.xyzw, R0.xyxx, t2, s0\nALU:\n x: MUL R2.x, R1.y, C7.z\n t: RECIP_IEEE R2.w, |R1.x| LAST\nEXP_DONE: PIX0, R2.xyzw\nEND_OF_PROGRAM\n";
    let found = instructions(Machine::R700, text);
    let of = |name: &str| {
        found.iter().find(|one| one.operations[0].name == name).unwrap_or_else(|| panic!("{name}: {found:#?}"))
    };
    assert_eq!(operations(of("SAMPLE"))[0].1[..2], ["R1.xyzw", "R0.xyxx"]);
    assert_eq!(of("SAMPLE").reads, ["R0.x", "R0.y", "texture 2"]);
    assert_eq!(of("SAMPLE").writes, ["R1.x", "R1.y", "R1.z", "R1.w"]);
    assert_eq!(operations(of("MUL")), [("MUL", vec!["R2.x", "R1.y", "C7.z"])]);
    assert_eq!(
        (&of("MUL").reads[..], &of("MUL").writes[..]),
        (&["R1.y".to_owned(), "C7.z".into()][..], &["R2.x".to_owned(), "PV.x".into()][..])
    );
    assert_eq!(of("RECIP_IEEE").writes, ["R2.w", "PS"]);
    assert_eq!(of("EXP_DONE").reads, ["R2.x", "R2.y", "R2.z", "R2.w"]);
    assert_eq!(of("EXP_DONE").writes, ["PIX0"]);
}

#[test]
fn sm50_has_pairs_and_predicates() {
    let text = "@!P1 LDG.64 R4, [R2+0x10]; DADD R6, R4, c[0x2][0x8]; FSETP.LT.AND P0, PT, R1, 2, P2; STG [R2], R6; IADD.X R1, R2, R3; S2R R0, SR_TID.X; EXIT;";
    let found = instructions(Machine::Sm50, text);
    let both = |at: usize| (found[at].reads.join(" "), found[at].writes.join(" "));
    let pair = |reads: &str, writes: &str| (reads.to_owned(), writes.to_owned());
    assert_eq!(both(0), pair("P1 R2", "R4 R5"));
    assert_eq!(operations(&found[0]), [("LDG", vec!["R4", "[R2+0x10]"])]);
    assert_eq!(both(1), pair("R4 R5 c[0x2][0x8]", "R6 R7"));
    assert_eq!(both(2), pair("R1 P2", "P0"));
    assert_eq!(both(3), pair("R2 R6", ""));
    assert_eq!(both(4), pair("R2 R3 CC", "R1"));
    assert_eq!(both(5), pair("SR_TID.X", "R0"));
    assert_eq!((found[6].operations[0].name.as_str(), both(6)), ("EXIT", pair("", "")));
    assert_eq!(found[1].address, 16);
}

#[test]
fn pvs_has_components() {
    let found = instructions(
        Machine::Pvs,
        "temp[0].xy = VE_MUL input[1].xyz1 const[2].-w-w-w-w ;\nout[0].xyzw = VE_ADD temp[0] temp[0] ;",
    );
    assert_eq!(found[0].operations[0].name, "VE_MUL");
    assert_eq!(found[0].reads, ["input[1].x", "input[1].y", "input[1].z", "const[2].w"]);
    assert_eq!(found[0].writes, ["temp[0].x", "temp[0].y"]);
}

/// Every instruction of the examples has an operation that the reference has a page about, and its words.
#[test]
fn operations_have_pages() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let mut count = 0;
    for name in ["mandelbrot.x1k", "blur.x1k", "newton.r700", "collatz.sm50", "ripple/vertex.sm50", "transform.pvs"] {
        let program = Program::open(folder.join(name)).unwrap();
        for instruction in program.instructions() {
            assert!(!instruction.operations.is_empty() && !instruction.words.is_empty(), "{name}: {instruction:?}");
            for operation in &instruction.operations {
                let page = ctm_gpu::explain(&operation.name, Some(program.machine()));
                assert!(page.is_some(), "{name}: {operation:?} of {}", instruction.text);
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}
