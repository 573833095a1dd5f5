use super::*;
use crate::text;

fn program(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|errors| panic!("{source}\n{errors:?}")).program
}

/// The blocks of a page that are marked `sm50` and `sm50 fixed`.
fn blocks<'a>(page: &'a str, mark: &str) -> Vec<&'a str> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(&format!("{mark}\n"))).collect()
}

#[test]
fn pages_show_programs_with_the_finding_and_without() {
    let mut failures = Vec::new();
    for &code in FindingCode::ALL {
        let (wrong, fixed) = (blocks(code.explain(), "sm50"), blocks(code.explain(), "sm50 fixed"));
        assert_eq!((wrong.len(), fixed.len()), (1, 1), "{}", code.as_str());
        let found = |source| check(&program(source)).iter().map(|finding| finding.code).collect::<Vec<_>>();
        if found(wrong[0]) != [code] || !found(fixed[0]).is_empty() {
            failures.push(format!("{}: {:?}, then {:?}", code.as_str(), found(wrong[0]), found(fixed[0])));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn findings_say_where_and_what() {
    let source = ".stage vertex\n.omap 0x70\nAST.64 a[0x70], R2;\nEXIT;\n";
    let [finding] = check(&program(source)).try_into().unwrap();
    assert_eq!((finding.index, finding.severity), (Some(0), Severity::Warning));
    assert_eq!(finding.message, "the header does not declare POSITION.y (0x074) as output: the store vanishes");
}

#[test]
fn branches_to_registers_reach_everything() {
    let source = ".stage none\nMOV32I R0, 0x20;\nBRX R0;\nMOV R1, R2;\nEXIT;\n";
    assert!(check(&program(source)).is_empty());
}
