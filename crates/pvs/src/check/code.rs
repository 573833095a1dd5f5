//! The codes of findings.

ctm_text::finding_codes! {
    CodeSize "PVS001" Error "too few or too many instructions";
    AddressRange "PVS002" Error "execution leaves the code";
    ReservedOperation "PVS003" Error "unknown operation";
    DualMath "PVS004" Error "second operation in an instruction";
    ReservedRegister "PVS005" Error "unknown kind of register";
    TwoAddresses "PVS101" Warning "two constants or two inputs in one instruction";
    RegisterRange "PVS102" Warning "register out of range";
    NeverWritten "PVS103" Warning "temporary that nothing writes";
    NoPredicate "PVS104" Warning "predicate that nothing sets";
    NoEffect "PVS105" Warning "instruction that writes nothing";
    NeverActs "PVS106" Warning "flow-control entry that never acts";
    EmptyLoop "PVS107" Warning "loop with a count of 0";
    Position "PVS201" Note "no position";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of a page has the finding, the one that is called fixed has it not.
    #[test]
    fn examples_show_what_they_are_about() {
        for code in FindingCode::ALL {
            let mut fixed = 0;
            for part in code.explain().split("```pvs").skip(1) {
                let (kind, rest) = part.split_once('\n').expect("a line");
                let (text, _) = rest.split_once("```").expect("an end");
                let program = crate::text::parse(text).unwrap_or_else(|errors| panic!("{code:?}: {errors:?}")).program;
                let found = crate::check::check(&program).iter().any(|finding| finding.code == *code);
                assert_eq!(found, kind.trim() != "fixed", "{code:?}: {text}");
                fixed += usize::from(kind.trim() == "fixed");
            }
            assert!(fixed > 0, "{code:?} has no example that is right");
        }
    }
}
