//! Every word decodes, and encodes to itself.

use ctm_r700::*;

#[test]
fn control_flow_words() {
    ctm_cases::check(4000, |u| {
        let words: Qword = u.arbitrary()?;
        assert_eq!(Cf::decode(&words).encode(), words);
        Ok(())
    });
}

/// All opcodes of all formats with all other bits set: reserved bits are kept, too.
#[test]
fn all_control_flow_opcodes() {
    for opcode in 0..128u32 {
        for rest in [0, !(0x7F << 23)] {
            let words = [rest, opcode << 23 | rest];
            assert_eq!(Cf::decode(&words).encode(), words, "{opcode:#x}");
        }
    }
}

#[test]
fn alu_words() {
    ctm_cases::check(4000, |u| {
        let words: Qword = u.arbitrary()?;
        for family in Family::ALL {
            assert_eq!(Alu::decode(&words, family).encode(family), words, "{family:?}");
        }
        Ok(())
    });
}

#[test]
fn fetch_words() {
    ctm_cases::check(4000, |u| {
        let words: FetchWords = u.arbitrary()?;
        assert_eq!(Fetch::decode(&words).encode(), words);
        Ok(())
    });
}

#[test]
fn selectors() {
    for sel in 0..512 {
        assert_eq!(Selector::decode(sel).encode(), sel);
    }
}

#[test]
fn opcodes_by_family() {
    // MOV with the opcode where each family has it.
    let mov = [0x8000_00FC, 0x4000_0C90];
    assert_eq!(Alu::decode(&mov, Family::R700).op, AluOp::Op2(Op2::Mov));
    let mov = [0x8000_00FC, 0x4000_1910];
    assert_eq!(Alu::decode(&mov, Family::R600).op, AluOp::Op2(Op2::Mov));
    assert_eq!(Op2::LshlInt.properties().units_of(Family::R600), Units::Trans);
    assert_eq!(Op2::LshlInt.properties().units_of(Family::R700), Units::Any);
}

/// Numbers of the opcode tables that an off-by-one would hit (Mesa `r600_isa.h`).
#[test]
fn opcode_numbers() {
    for (op, code) in [
        (Op2::PredSetGtPush, 0x29),
        (Op2::PredSetGtInt, 0x43),
        (Op2::KillGtInt, 0x47),
        (Op2::PredSetGePushInt, 0x4C),
        (Op2::FltToInt, 0x6B),
        (Op2::FltToUint, 0x79),
    ] {
        assert_eq!(op.code(), code, "{}", op.name());
        assert_eq!(Op2::from_code(code), Some(op));
    }
    assert_eq!((Op2::from_code(0xCC), Op3::from_code(0x1B)), (None, None));
    assert_eq!(CfOp::from_code(0x1E), None);
    assert_eq!(CfAluOp::from_code(0xC), None);
}
