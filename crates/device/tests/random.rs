//! Random command sequences: whatever the words are, execution ends without a panic, and memory is the same for every
//! number of threads, strict or not recorded or not.

use crate::common::*;
use ctm_device::command::{COMMANDS, print};
use ctm_device::{HOST_BASE, LOCAL_BASE, Options};

/// Commands that often do something: programs and buffers in their places, small domains, and odd values now and then.
fn words(random: &mut Random) -> Vec<u32> {
    let mut words = Vec::new();
    for _ in 0..random.below(40) {
        let any = random.below(COMMANDS.len());
        // Half of the time one of those that make programs run.
        let info = &COMMANDS[random.pick(&[any, any, any, 5, 6, 8, 9, 10])];
        words.push(info.opcode);
        for parameter in 0..info.parameters {
            let mut word = random.bits();
            for row in info.fields.iter().filter(|row| row.field.word == parameter) {
                let base = match info.name {
                    "set_inst_fmt" => IMAGE + 0x1000 * random.below(9) as u32,
                    "set_constf_fmt" | "set_consti_fmt" | "set_constb_fmt" => CONSTF + 0x800 * random.below(4) as u32,
                    _ => random.pick(&[INPUT, OUTPUT, COND]) + 0x800 * random.below(24) as u32,
                };
                let value = match row.field.name {
                    _ if random.below(60) == 0 => continue,
                    "base" => base,
                    "i0" | "j0" => random.below(4) as u32,
                    "i1" | "j1" => random.below(24) as u32,
                    "pitch" => 4 * random.below(12) as u32,
                    "height" => random.below(40) as u32,
                    "input" => random.below(3) as u32,
                    "output" => random.below(2) as u32,
                    "format" => random.below(5) as u32,
                    _ => continue,
                };
                word = ctm_bits::insert(word, row.field.hi, row.field.lo, value >> row.shift);
                // Bits below an address are an error.
                if row.field.name == "base" && random.below(60) > 0 {
                    word &= !((1 << row.shift) - 1);
                }
            }
            words.push(word);
        }
    }
    words
}

fn rig(options: Options) -> Rig {
    let rig = Rig::with(Options { step_limit: 3000, deterministic_clock: true, ..options });
    let sources = [COPY, POSITION, POSITION_AND_VALUE, ADD, COUNT, CHOOSE, SCATTER, ENDLESS];
    for (n, source) in sources.iter().enumerate() {
        rig.load_at(IMAGE + 0x1000 * n as u32, source);
    }
    let values: Vec<f32> = (0..0x1000).map(|n| (n % 23) as f32 / 4.0 - 1.0).collect();
    for address in [CONSTF, INPUT, COND] {
        rig.write(address, &values);
    }
    rig
}

fn memory(rig: &Rig) -> Vec<u32> {
    [LOCAL_BASE, HOST_BASE].into_iter().flat_map(|base| rig.words(base, ARENA_BYTES as usize / 4)).collect()
}

#[test]
fn memory_does_not_depend_on_threads() {
    let options = |threads, strict| Options { threads, strict, group_width: 16, ..Options::default() };
    let mut random = Random::new(5);
    let mut outcomes = std::collections::BTreeMap::new();
    for round in 0..60 {
        let mut rigs =
            [(1, false), (2, false), (1, true), (2, true)].map(|(threads, strict)| rig(options(threads, strict)));
        for buffer in 0..4 {
            let words = words(&mut random);
            let [a, b, c, d] = rigs.each_mut().map(|rig| rig.execute(buffer, &words));
            assert_eq!(a, b, "round {round}\n{}", print(&words));
            assert_eq!(c, d, "round {round}, strict\n{}", print(&words));
            *outcomes.entry(a.err().map(|fault| fault.code().name())).or_insert(0) += 1;
        }
        let [a, b, c, d] = rigs.each_ref().map(memory);
        assert!(a == b, "round {round}");
        assert!(c == d, "round {round}, strict");
    }
    // The generator reaches every kind of outcome.
    assert!(outcomes.len() >= 5, "{outcomes:?}");
}

/// A program that moves a buffer down over itself reads what other lanes write; lanes run in one order all the same.
#[test]
fn overlapping_buffers_are_worked_through_in_order() {
    use ctm_device::command::{Command, FormatCode, TilingCode};
    const ROWS: usize = 200;
    const SHIFT: u32 = 16 * 1024;
    let (format, tiling, pitch, height) = (FormatCode::Float32_1, TilingCode::Linear, 256, 216);
    for round in 0..20 {
        let mut rig = rig(Options { threads: 2, ..Options::default() });
        let values: Vec<f32> = (0..256 * height).map(|n| n as f32).collect();
        rig.write(OUTPUT, &values);
        rig.run(&[
            SET_IMAGE,
            Command::SetInpFmt { input: 0, base: OUTPUT + SHIFT, format, tiling, pitch, height: 200 },
            Command::SetOutFmt { output: 0, base: OUTPUT, format, tiling, pitch, height },
            domain(256, ROWS as u16),
            Command::StartProgram,
        ])
        .unwrap();
        assert!(rig.floats(OUTPUT, 256 * ROWS) == values[SHIFT as usize / 4..][..256 * ROWS], "round {round}");
    }
}

/// A program that moves each row to the next one: whether a lane sees the row that another one of its quad writes is the machine's affair.
#[test]
fn overlapping_buffers_do_not_depend_on_the_width_of_groups() {
    use ctm_device::command::{Command, FormatCode, TilingCode};
    const ROW: u32 = 2048;
    let (format, tiling, pitch, height) = (FormatCode::Float32_1, TilingCode::Linear, 512, 100);
    let moved = |group_width, threads| {
        let mut rig = rig(Options { group_width, threads, ..Options::default() });
        let values: Vec<f32> = (0..512 * height).map(|n| n as f32).collect();
        rig.write(OUTPUT, &values);
        rig.run(&[
            SET_IMAGE,
            Command::SetInpFmt { input: 0, base: OUTPUT, format, tiling, pitch, height },
            Command::SetOutFmt { output: 0, base: OUTPUT + ROW, format, tiling, pitch, height: height - 1 },
            domain(256, height - 1),
            Command::StartProgram,
        ])
        .unwrap();
        rig.floats(OUTPUT, 512 * height as usize)
    };
    let expected = moved(48, 1);
    assert!(expected[512..768] != expected[1024..1280], "rows of a quad are read before they are written");
    for (group_width, threads) in [(1, 1), (64, 2), (7, 2)] {
        assert!(moved(group_width, threads) == expected, "width {group_width}, {threads} threads");
    }
}

#[test]
fn any_words_end() {
    let mut random = Random::new(6);
    let mut rig = rig(Options { threads: 1, strict: true, ..Options::default() });
    for buffer in 0..400 {
        let mut words = words(&mut random);
        for _ in 0..random.below(4) {
            let at = random.below(words.len() + 1);
            match random.below(2) {
                0 => words.insert(at, random.bits()),
                _ => words.truncate(at),
            }
        }
        // Programs are damaged as well.
        if random.below(4) == 0 {
            let address = IMAGE + random.below(0x8000) as u32;
            rig.processor.memory().write_bytes(address, &[random.bits() as u8]).unwrap();
        }
        let _ = rig.execute(buffer, &words);
    }
}
