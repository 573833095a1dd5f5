//! The codes of findings.

ctm_text::finding_codes! {
    NoInstruction "SM50001" Error "word that is not an instruction";
    TargetOutside "SM50002" Error "branch that leaves the code";
    RunsOff "SM50003" Error "execution runs off the end of the code";
    NoToken "SM50004" Error "nothing to return to";
    WrongStage "SM50005" Error "access that the stage does not have";
    RegisterPastEnd "SM50006" Error "vector of registers past R254";
    MisalignedRegister "SM50007" Error "wide operand in registers that are not aligned";
    RefusedForm "SM50008" Error "form that the machine does not execute";
    StoreNotDeclared "SM50101" Warning "store of an attribute that the header does not declare";
    LoadNotDeclared "SM50102" Warning "load of an attribute that the header does not declare";
    UnalignedAddress "SM50103" Warning "attribute address that is not aligned to the access";
    NoMapBit "SM50104" Warning "attribute that no header can declare";
    Unreachable "SM50105" Warning "instructions that nothing reaches";
    HeaderFields "SM50106" Warning "header fields that do not belong together";
    GeometryHeader "SM50107" Warning "geometry header that cannot work";
    TessellationHeader "SM50108" Warning "tessellation header that cannot work";
    FlagMissing "SM50109" Warning "kind of instruction that the header does not announce";
    LocalMemory "SM50110" Warning "access beyond local memory";
    PatchWords "SM50111" Warning "patch store beyond the declared words";
    NoKill "SM50112" Warning "KIL without effect";
    OutputLost "SM50113" Warning "geometry state that never gets into R0";
    Unsupported "SM50201" Note "instruction that is not executed here";
}

#[cfg(test)]
mod tests {
    use super::FindingCode;

    #[test]
    fn pages_have_examples() {
        for code in FindingCode::ALL {
            assert!(code.explain().contains("\n## Example\n"), "{}", code.as_str());
        }
    }
}
