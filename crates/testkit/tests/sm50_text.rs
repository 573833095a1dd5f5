//! Random instructions of every form print and read back, in programs with random control bits and headers.

use ctm_sm50::{Code, Control, Header, Instruction, Program, ROWS, Stage, text};
use ctm_testkit::random::Random;
use ctm_testkit::sm50::generate::instruction_of;

#[test]
fn every_form_comes_back() {
    let mut random = Random::new(50);
    for row in ROWS {
        for &pattern in row.patterns {
            let slots = (0..24).map(|_| (instruction_of(&mut random, row, pattern), Control(random.bits())));
            let slots: Vec<(Instruction, Control)> = slots.collect();
            let stage = random.pick(&[Stage::Vertex, Stage::TessellationInit, Stage::Tessellation, Stage::Geometry]);
            let mut words = Header::new(stage).encode();
            words[random.below(Header::DWORDS)] ^= 1 << random.below(32);
            let header = (!random.one_in(4)).then(|| Header::decode(&words));
            let program = Program {
                header,
                code: Code::new(slots[..1 + random.below(24)].iter().copied()),
                constants: Vec::new(),
            };
            let printed = text::print_program(&program);
            let read = text::parse(&printed).unwrap_or_else(|diagnostics| panic!("{}\n{printed}", diagnostics[0]));
            assert_eq!(read.program, program, "{printed}");
        }
    }
}

#[test]
fn most_instructions_have_text() {
    // Only words with bits that mean nothing are spelled as words.
    let mut random = Random::new(51);
    let (mut as_text, mut all) = (0, 0);
    for row in ROWS {
        for &pattern in row.patterns {
            let instruction = instruction_of(&mut random, row, pattern);
            let program =
                Program { header: None, code: Code::new([(instruction, Control::NEUTRAL)]), constants: Vec::new() };
            as_text += usize::from(!text::print_program(&program).contains(".raw"));
            all += 1;
        }
    }
    assert!(as_text * 2 > all, "{as_text} of {all}");
}
