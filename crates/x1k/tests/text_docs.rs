//! The examples of the language's documentation assemble, to the words that they name.

use ctm_x1k::text::parse;
use std::path::Path;

#[test]
fn examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/x1k-assembly.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut blocks = 0;
    let mut words = 0;
    for block in page.split("```x1k\n").skip(1) {
        let text = block.split("```").next().expect("a block");
        let assembled = parse(text).unwrap_or_else(|diagnostics| {
            let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            panic!("{text}\n{}", messages.join("\n"))
        });
        assert!(assembled.warnings.is_empty(), "{text}\n{:?}", assembled.warnings);
        let named: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("-- words: ")).collect();
        if !named.is_empty() {
            let code = assembled.program.code.iter();
            let found: Vec<String> =
                code.map(|instruction| instruction.encode().map(|word| format!("{word:08X}")).join(" ")).collect();
            assert_eq!(found, named, "{text}");
        }
        blocks += 1;
        words += named.len();
    }
    assert!(blocks >= 10 && words >= 18, "{blocks} blocks with {words} words");
}
