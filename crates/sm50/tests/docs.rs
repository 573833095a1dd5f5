//! The examples of the language's documentation assemble, to the words that they name.

use ctm_sm50::{Instruction, ROWS, text};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sm50-assembly.md");

fn page() -> String {
    std::fs::read_to_string(PAGE).unwrap_or_else(|error| panic!("{PAGE}: {error}"))
}

#[test]
fn examples() {
    let (mut blocks, mut words) = (0, 0);
    for block in page().split("```sm50\n").skip(1) {
        let source = block.split("```").next().expect("a block");
        let assembled = text::parse(source).unwrap_or_else(|diagnostics| panic!("{source}\n{}", diagnostics[0]));
        assert!(assembled.warnings.is_empty(), "{source}\n{:?}", assembled.warnings);
        if let Some(named) = source.lines().find_map(|line| line.strip_prefix("// words: ")) {
            let instructions = assembled.program.code.instructions().iter();
            let found: Vec<String> = instructions.map(Instruction::encode).map(|word| format!("{word:016x}")).collect();
            assert_eq!(found.join(" "), named, "{source}");
            words += found.len();
        }
        blocks += 1;
    }
    assert!(blocks >= 8 && words >= 20, "{blocks} blocks with {words} words");
}

#[test]
fn every_instruction_is_listed() {
    let page = page();
    for row in ROWS {
        assert!(page.contains(&format!("| `{}", row.name)), "{} is missing", row.name);
    }
}

/// As the page says of `MOV32I`.
#[test]
fn a_move_takes_the_bits_of_a_float() {
    let words = |text: &str| {
        let assembled = text::parse(text).unwrap_or_else(|diagnostics| panic!("{text}\n{}", diagnostics[0]));
        assembled.program.code.instructions()[0].encode()
    };
    assert_eq!(words("MOV32I R3, 0.1"), words("MOV32I R3, 0x3dcccccd"));
    assert_eq!(words("MOV32I R3, -1e3"), words("MOV32I R3, 0xc47a0000"));
    assert_eq!(words("MOV32I R3, 1"), words("MOV32I R3, 0x1"));
}
