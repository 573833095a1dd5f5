//! Errors mean the same to all commands: what `ctm check` refuses, no command executes.

use crate::common::{Folder, project};

/// No text or words give a program with these: whoever reads them refuses them first.
const UNSPELLABLE: [&str; 3] = ["X1K001", "X1K014", "R700001"];

/// Programs of R700 with an error each, whose pages have no examples: text, or words.
const R700: [(&str, &str); 12] = [
    ("R700003", "JUMP ADDR(9)\nNOP EOP\n"),
    ("R700005", "ALU:\n  x: MUL R1.x, R0.x, 0.03f\nEXP_DONE: PIX0, R1.x001\n"),
    ("R700006", "POP POP_CNT(1)\nNOP EOP\n"),
    ("R700007", "LOOP_START_DX10 FAIL_JUMP_ADDR(3)\nPUSH ADDR(2)\nLOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)\nNOP EOP\n"),
    ("R700008", "LOOP_BREAK ADDR(1)\nNOP EOP\n"),
    ("R700009", ".stack 0\nPUSH ADDR(1)\nPOP POP_CNT(1)\nNOP EOP\n"),
    ("R700010", "NOP VALID_PIX WHOLE_QUAD EOP\n"),
    ("R700012", "CUT_VERTEX EOP\n"),
    ("R700013", "ALU:\n 0 x: DOT4 R0.x, R1.x, R1.x\nNOP EOP\n"),
    ("R700014", "ALU:\n 0 t: MUL_LIT R0.x, 1.0f, 0.5f, 1 SCL_210\nNOP EOP\n"),
    ("R700016", "ALU:\n 0 x: MOV R0.x, KC0[3].x\nNOP EOP\n"),
    ("R700017", ".gprs 2\nEXP_DONE: PIX0, R5.xyzw\nNOP EOP\n"),
];
const R700_CONSTANTS: &str = "\
ALU:
 0 x: MUL_IEEE R0.x, C1.x, C2.x VEC_012
   y: MUL_IEEE R0.y, C3.x, C4.x VEC_012
   z: MOV R0.z, C5.x VEC_012
NOP EOP
";
const R700_WORDS: [(&str, [u32; 4]); 3] = [
    ("R700002", [0, 0x1E << 23, 0, 0x8020_0000]),
    ("R700004", [9, 0xA000_0000, 0, 0x8020_0000]),
    ("R700011", [0, 0x8900_0001, 0, 0x8020_0000]),
];

/// The codes of errors, with the names of their instruction sets.
fn error_codes() -> Vec<(String, String)> {
    let list = std::fs::read_to_string(project("docs/lints.md")).expect("the list of findings");
    let row = |line: &str| {
        let (code, rest) = line.strip_prefix("| [")?.split_once("](../crates/")?;
        let (isa, rest) = rest.split_once('/')?;
        rest.contains("| error |").then(|| (code.to_owned(), isa.to_owned()))
    };
    list.lines().filter_map(row).collect()
}

/// The first program of a finding's page.
fn example(code: &str, isa: &str) -> Option<String> {
    let page = std::fs::read_to_string(project(&format!("crates/{isa}/src/check/explain/{code}.md"))).expect("a page");
    let (_, rest) = page.split_once(&format!("```{isa}\n"))?;
    // Code of no stage is compute code without the header.
    Some(rest.split_once("```")?.0.replace(".stage none\n", ""))
}

/// The file that has a program with this finding.
fn program(folder: &Folder, code: &str, isa: &str) -> String {
    let of_r700 = R700.iter().chain(&[("R700015", R700_CONSTANTS)]).find(|(of, _)| *of == code);
    if let Some((_, words)) = R700_WORDS.iter().find(|(of, _)| *of == code) {
        folder.write("p.u32", words.map(u32::to_le_bytes).concat());
        return "p.u32 --isa r700".into();
    }
    let text = of_r700.map(|(_, text)| (*text).to_owned()).or_else(|| example(code, isa));
    let name = format!("p.{isa}");
    folder.write(&name, text.unwrap_or_else(|| panic!("there is no program with {code}")));
    name
}

#[test]
fn what_check_refuses_nothing_executes() {
    let folder = Folder::new("errors");
    folder.write("good.sm50", ".stage vertex\nEXIT;\n");
    let codes = error_codes();
    assert!(codes.len() > 40, "{codes:?}");
    for (code, isa) in codes.iter().filter(|(code, _)| !UNSPELLABLE.contains(&code.as_str())) {
        let file = program(&folder, code, isa);
        folder.ctm(&format!("check {file}")).fails(1, &[code]);
        let commands = match isa.as_str() {
            "sm50" if !is_compute(&folder) => vec![
                (1, "draw --vs FILE --primitive triangles --vertices 3 -o out.npy"),
                (1, "draw --vs good.sm50 --gs FILE --primitive triangles --vertices 3 -o out.npy"),
            ],
            _ => vec![(1, "run FILE"), (2, "diff FILE")],
        };
        for (exit, command) in commands {
            let command = command.replace("FILE", &file);
            println!("{code}: ctm {command}");
            folder.ctm(&command).fails(exit, &[code]);
        }
        assert!(!folder.names().contains(&"out.npy".to_owned()), "{code}");
    }
}

/// Whether the program of the folder is compute code.
fn is_compute(folder: &Folder) -> bool {
    let text = String::from_utf8(folder.read("p.sm50")).expect("text");
    !text.contains(".stage")
}
