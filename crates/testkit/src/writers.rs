//! The fuzz target of what writes containers, see [`crate::targets`].

use crate::random::Random;
use ctm_object::{elf, r700, raw, sm50};
use ctm_x1k::{INSTRUCTION_BYTES, IntConstant, check};

/// Whatever program the bytes stand for, every container that is written of it reads back as the same program. The first
/// byte chooses the machine.
pub fn object_writers(bytes: &[u8]) {
    let Some((&machine, bytes)) = bytes.split_first() else { return };
    match machine % 3 {
        0 => x1k(bytes),
        1 => r700(bytes),
        _ => sm50(bytes),
    }
}

/// The first dwords choose information and constants, the others are code.
fn x1k(bytes: &[u8]) {
    let Some((choices, bytes)) = bytes.split_at_checked(32) else { return };
    let mut random = Random::from_bytes(choices);
    let words = &bytes[..bytes.len() / INSTRUCTION_BYTES * INSTRUCTION_BYTES];
    let Ok(code) = raw::read_words(words) else { return };
    assert_eq!(raw::write_words(&code), words);
    let mut info = ctm_x1k::ProgramInfo {
        start: random.below(code.len()) as u16,
        end: random.below(code.len()) as u16,
        full_flow_control: random.one_in(2),
        zero_times_anything: random.one_in(2),
        write_mode: random.pick(&[ctm_x1k::WriteMode::Cached, ctm_x1k::WriteMode::Umrt]),
        position: random.one_in(2).then(|| random.below(128) as u8),
        interpolants: std::array::from_fn(|_| random.one_in(4).then(|| random.below(128) as u8)),
        textures: std::array::from_fn(|_| random.one_in(8).then(|| random.pick(&ctm_x1k::TEXTURE_KINDS).1)),
        temps: random.below(128) as u8,
        early_exit: random.one_in(2),
        ..ctm_x1k::ProgramInfo::default()
    };
    let references = ctm_x1k::References::of(&code, &info);
    info.cond_value_from_program = references.cond_output;
    let mut program = ctm_x1k::Program { code, info, references, ..ctm_x1k::Program::default() };
    for _ in 0..random.below(6) {
        let number = random.below(32) as u8;
        let constant = IntConstant { count: random.bits() as u8, init: random.bits() as u8, step: random.bits() as i8 };
        program.constants.ints.insert(number, constant);
        program.constants.bools.insert(number, random.one_in(2));
        program.constants.floats.insert(random.bits() as u8, std::array::from_fn(|_| random.bits()));
    }
    let read = elf::read(&elf::write(&program));
    if check::legal(&program).is_ok() {
        assert_eq!(read.as_ref(), Ok(&program));
    }
}

/// The first dwords choose information, the others are code.
fn r700(bytes: &[u8]) {
    let Some((choices, bytes)) = bytes.split_at_checked(16) else { return };
    let mut random = Random::from_bytes(choices);
    let Ok(mut program) = r700::read_words(&bytes[..bytes.len() / 4 * 4]) else { return };
    program.info = ctm_r700::ProgramInfo {
        family: random.pick(&ctm_r700::Family::ALL),
        stage: random.pick(ctm_r700::Stage::ALL),
        num_gprs: random.below(129) as u8,
        stack_size: random.one_in(2).then(|| random.bits() as u8),
        dx10_clamp: random.one_in(2),
        prefer_vector: random.one_in(2),
        kill_enable: random.one_in(2),
    };
    let words = r700::write_words(&program);
    assert_eq!(r700::read_words(&words).map(|read| read.code), Ok(program.code.clone()));
    let name = random.pick(&["", "main", "a b", "\u{e4}\u{2603}", "___"]);
    let loaded = r700::load(&r700::write_object(&program, name)).unwrap_or_else(|error| panic!("{error}: {program:?}"));
    let [loaded] = &loaded[..] else { panic!("{} programs", loaded.len()) };
    assert_eq!((loaded.name.as_deref(), &loaded.program, loaded.repaired), (Some(name), &program, 0));
}

/// Without the first byte's lowest bit, the first dwords are a header.
fn sm50(bytes: &[u8]) {
    let Some((&has_header, bytes)) = bytes.split_first() else { return };
    let mut words = [0; ctm_sm50::Header::DWORDS];
    let mut code = bytes;
    if has_header & 1 == 0 {
        let Some((header, rest)) = bytes.split_at_checked(4 * words.len()) else { return };
        words.iter_mut().zip(header.as_chunks().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        code = rest;
    }
    let Ok(code) = ctm_sm50::Code::from_bytes(&code[..code.len() / 8 * 8]) else { return };
    let header = (has_header & 1 == 0).then(|| ctm_sm50::Header::decode(&words));
    let program = ctm_sm50::Program { header, code, constants: Vec::new() };
    let written = sm50::write(&program);
    let read = if program.header.is_some() { sm50::read_program(&written) } else { sm50::read_code(&written) };
    // A header is distinguished from code by its version and kind.
    if program.header.is_none() || sm50::begins_with_header(&written) {
        assert_eq!(read.as_ref().ok(), Some(&program), "{read:?}");
    }
}
