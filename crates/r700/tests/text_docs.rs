//! The examples of the language's documentation assemble, to the words that they name, and print as equal programs.

use ctm_r700::text::{parse, print_program};
use std::path::PathBuf;

#[test]
fn examples() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/r700-assembly.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut blocks, mut words) = (0, 0);
    for block in page.split("```r700\n").skip(1) {
        let text = block.split("```").next().expect("a block");
        let assembled = parse(text).unwrap_or_else(|diagnostics| {
            let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            panic!("{text}\n{}", messages.join("\n"))
        });
        assert!(assembled.warnings.is_empty(), "{text}\n{:?}", assembled.warnings);
        let named: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("; words: ")).collect();
        if !named.is_empty() {
            let code = assembled.program.code.iter();
            let found: Vec<String> = code.map(|[low, high]| format!("{low:08X} {high:08X}")).collect();
            assert_eq!(found, named, "{text}");
        }
        assert_eq!(parse(&print_program(&assembled.program)).unwrap().program, assembled.program, "{text}");
        blocks += 1;
        words += named.len();
    }
    assert!(blocks >= 10 && words >= 18, "{blocks} blocks with {words} words");
}
