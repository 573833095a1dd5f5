//! Command words and their text.

use crate::common::Random;
use ctm_device::command::*;

/// The opcodes as the guide prints them, with the number of parameters; the last one is not the guide's.
const GUIDE: [(&str, u32, usize); 28] = [
    ("init_perf_counters", 0xC0010200, 1),
    ("start_perf_counters", 0xC0000300, 1),
    ("stop_perf_counters", 0xC0000400, 1),
    ("read_perf_counters", 0xC0010500, 1),
    ("set_cond_val", 0xC0000600, 1),
    ("set_domain", 0xC0030700, 4),
    ("start_program", 0xC0000800, 1),
    ("wait_for_idle", 0xC0000900, 1),
    ("set_inst_fmt", 0xC0010A00, 2),
    ("set_inp_fmt", 0xC0030B00, 4),
    ("set_out_fmt", 0xC0030C00, 4),
    ("set_cond_out_fmt", 0xC0020D00, 3),
    ("set_constf_fmt", 0xC0010E00, 2),
    ("set_consti_fmt", 0xC0010F00, 2),
    ("set_constb_fmt", 0xC0011000, 2),
    ("inv_inst_cache", 0xC0001100, 1),
    ("inv_constf_cache", 0xC0001200, 1),
    ("inv_consti_cache", 0xC0001300, 1),
    ("inv_constb_cache", 0xC0001400, 1),
    ("inv_cond_out_cache", 0xC0001500, 1),
    ("inv_inp_cache", 0xC0001600, 1),
    ("flush_out_cache", 0xC0001700, 1),
    ("flush_cond_out_cache", 0xC0001800, 1),
    ("set_out_mask", 0xC0001900, 1),
    ("set_cond_out_mask", 0xC0001A00, 1),
    ("set_cond_test", 0xC0001B00, 1),
    ("set_cond_loc", 0xC0001C00, 1),
    ("set_params", 0xC0001D00, 1),
];

#[test]
fn the_table_is_the_guides() {
    assert_eq!(COMMANDS.len(), GUIDE.len());
    for (info, (name, opcode, parameters)) in COMMANDS.iter().zip(GUIDE) {
        assert_eq!((info.name, info.opcode, info.parameters), (name, opcode, parameters));
        let words: Vec<u32> = [opcode].into_iter().chain((0..parameters as u32).map(|n| n | 0x8000_0000)).collect();
        let decoded: Vec<_> = decode(&words).collect::<Result<_, _>>().unwrap();
        assert_eq!(decoded.len(), 1);
        assert_eq!(decoded[0].1.command.info().name, name);
        assert_eq!(encode([decoded[0].1]), words);
    }
    let not_pipelined: Vec<_> = COMMANDS.iter().filter(|info| !info.pipelined).map(|info| info.name).collect();
    let expected = [
        "read_perf_counters",
        "set_inst_fmt",
        "set_inp_fmt",
        "set_out_fmt",
        "set_cond_out_fmt",
        "set_constf_fmt",
        "set_consti_fmt",
        "set_constb_fmt",
    ];
    assert_eq!(not_pipelined, expected);
}

#[test]
fn opcodes_match_as_whole_dwords() {
    for (_, opcode, _) in GUIDE {
        for bit in 0..32 {
            let word = opcode ^ 1 << bit;
            let known = GUIDE.iter().any(|(_, other, _)| *other == word) || [0xC000_0200, 0xC000_0500].contains(&word);
            let result = decode(&[word, 0, 0, 0, 0]).next().unwrap();
            assert_eq!(result.is_ok(), known, "{word:#X}");
        }
    }
}

#[test]
fn parameters_land_in_their_fields() {
    let words = [
        0xC003_0B00,
        0xFFFF_FFF5,
        0x8050_07FF,
        0xF8FC_E003 | 4 << 24 | 3 << 16 | 0x1FFC,
        0xFFFF_E040,
        0xC000_0600,
        0x3F80_0000,
        0xC000_1B00,
        0xFFFF_FFFC,
        0xC000_1C00,
        1,
    ];
    let commands: Vec<_> = decode(&words).map(|item| item.unwrap().1.command).collect();
    let input = Command::SetInpFmt {
        input: 5,
        base: 0x8050_0000,
        format: FormatCode::Float32_4,
        tiling: TilingCode::TiledInp2x2,
        pitch: 8188,
        height: 0x40,
    };
    assert_eq!(commands[0], input);
    assert_eq!(commands[1], Command::SetCondVal { value: 0x3F80_0000 });
    assert_eq!(commands[2], Command::SetCondTest { test: TestCode::GreaterOrEqual });
    assert_eq!(commands[3], Command::SetCondLoc { location: LocationCode::Pe });
    let packets: Vec<_> = decode(&words).map(|item| item.unwrap().1).collect();
    assert_eq!(packets[0].reserved, [0xFFFF_FFF0, 0x7FF, 0xF8FC_E003, 0xFFFF_E000]);
    assert_eq!(encode(packets), words, "reserved bits survive");
    assert_eq!(encode([input]), [0xC003_0B00, 5, 0x8050_0000, 0x0403_1FFC, 0x40], "encoders write them as 0");
}

#[test]
fn the_two_odd_opcodes_take_a_second_dword_that_is_no_opcode() {
    let commands = |words: &[u32]| -> Vec<(usize, Command)> {
        decode(words).map_while(Result::ok).map(|(offset, packet)| (offset, packet.command)).collect()
    };
    let init = Command::InitPerfCounters { enable: true };
    for second in [0, 7, 0xC000_1E00, 0xFFFF_FFFF] {
        let words = [0xC001_0200, 1, second, 0xC000_0800, 0];
        assert_eq!(commands(&words), [(0, init), (3, Command::StartProgram)], "{second:#X} is taken along");
        assert_eq!(encode(decode(&words).map(Result::unwrap).map(|(_, packet)| packet)), words);
    }
    for opcode in COMMANDS.iter().flat_map(|info| [info.opcode].into_iter().chain(info.consistent_opcode)) {
        let words = [0xC001_0200, 1, opcode, 0, 0, 0, 0];
        assert_eq!(decode(&words).nth(1).unwrap().unwrap().0, 2, "{opcode:#X} begins the next command");
    }
    let words = [0xC000_0500, 0x8000_0800, 7];
    assert_eq!(commands(&words), [(0, Command::ReadPerfCounters { base: 0x8000_0800 })]);
    assert_eq!(decode(&words).nth(1), Some(Err(DecodeError::UnknownOpcode { offset: 2, word: 7 })));
    assert_eq!(commands(&[0xC001_0200, 0]).len(), 1, "at the end there is nothing to take");
    assert_eq!(encode([init]), [0xC001_0200, 1]);
}

#[test]
fn a_buffer_that_ends_inside_a_command_is_an_error() {
    for (name, opcode, needed) in GUIDE {
        for found in 0..needed {
            let words: Vec<u32> = [0xC000_0800, 0, opcode].into_iter().chain((0..found).map(|_| 0)).collect();
            let error = decode(&words).nth(1).unwrap().unwrap_err();
            assert_eq!(error, DecodeError::Truncated { offset: 2, name, needed, found });
            assert_eq!(decode(&words).count(), 2);
        }
    }
}

/// Buffers with many valid commands, odd bits, and now and then garbage.
fn random_buffer(random: &mut Random) -> Vec<u32> {
    let mut next = || random.bits();
    let mut words = Vec::new();
    for _ in 0..next() % 20 {
        match next() % 16 {
            0 => words.push(next()),
            kind => {
                let info = &COMMANDS[next() as usize % COMMANDS.len()];
                let second = info.consistent_opcode.filter(|_| kind % 2 == 0);
                words.push(second.unwrap_or(info.opcode));
                let clean = kind < 8;
                words.extend((0..info.parameters).map(|i| if clean { next() & !info.reserved[i] } else { next() }));
                words.extend(info.consistent_opcode.filter(|_| kind % 3 == 0).map(|_| next()));
            }
        }
    }
    words
}

#[test]
fn text_and_words_are_inverse() {
    let mut random = Random::new(2);
    for round in 0..3000 {
        let words = random_buffer(&mut random);
        let text = print(&words);
        let parsed = parse(&text).unwrap_or_else(|problems| panic!("round {round}: {problems:#?}\n{text}"));
        assert_eq!(parsed.words, words, "round {round}:\n{text}");
    }
}

#[test]
fn random_text_is_refused_with_places_inside_it() {
    let mut random = Random::new(2);
    for _ in 0..2000 {
        let mut text = print(&random_buffer(&mut random));
        for _ in 0..3 {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places.get(random.below(places.len() + 1)).copied().unwrap_or(text.len());
            text.insert(at, random.pick(&['ß', '=', ' ', '-', 'x', '\n', '.', '9']));
        }
        for problem in parse(&text).err().unwrap_or_default() {
            assert!(text.get(problem.span.clone()).is_some_and(|part| !part.is_empty()), "{problem:?}");
        }
    }
}

#[test]
fn each_problem_is_reported_once_at_its_location() {
    let cases = [
        ("set_out_mask", "set_out_mask", "`set_out_mask` needs mask"),
        ("set_out_mask mask=16", "mask=16", "`mask` is 16, but goes to 0xF"),
        ("set_out_mask 15 mask=0", "15", "unknown parameter `15`"),
        ("set_out_mask mask=1 MASK=2", "MASK=2", "`MASK` is given twice"),
        ("set_out_mask mask=1 pitch=2", "pitch=2", "`set_out_mask` has no parameter `pitch`"),
        ("set_out_mask mask=0b1", "mask=0b1", "`0b1` is not a 32-bit number"),
        ("set_inst_fmt base=0x80000400", "base=0x80000400", "`base` is 0x80000400, but must be a multiple of 2048"),
        ("set_inst_fmt base=0 pitch=6", "pitch=6", "`pitch` is 6, but must be a multiple of 4"),
        ("set_inst_fmt base=0 pitch=8192", "pitch=8192", "`pitch` is 8192, but goes to 8188"),
        ("set_cond_test test=LOUD", "test=LOUD", "unknown test `LOUD` (such as NEVER)"),
        ("start_program reserved1=1", "reserved1=1", "`start_program` has no parameter `reserved1`"),
        (
            "set_out_mask mask=0 reserved0=3",
            "reserved0=3",
            "parameter 0 of `set_out_mask` has the reserved bits 0xFFFFFFF0",
        ),
        ("start_program extra=1", "extra=1", "`start_program` has no parameter `extra`"),
        ("init_perf_counters enable=1 opcode=3", "opcode=3", "0x00000003 is not an opcode of `init_perf_counters`"),
        (".dword", ".dword", "`.dword` needs a number"),
        (".dword 1 0x1FFFFFFFF", "0x1FFFFFFFF", "`0x1FFFFFFFF` is not a 32-bit number"),
    ];
    for (line, place, message) in cases {
        let text = format!("start_program -- ß\n{line} -- comment");
        let problems = parse(&text).unwrap_err();
        assert_eq!(problems.len(), 1, "{line}: {problems:#?}");
        assert_eq!((&text[problems[0].span.clone()], problems[0].message.as_str()), (place, message));
    }
    let help = parse("flush_cond_cache").unwrap_err()[0].help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `flush_cond_out_cache`?"));
}

#[test]
fn the_documents_examples_parse() {
    let document = include_str!("../../../docs/ctmcb.md");
    let examples: Vec<_> = document.split("```ctmcb\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 3);
    for example in &examples {
        let buffer = parse(example).unwrap_or_else(|problems| panic!("{problems:#?}\n{example}"));
        let without_comments = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.split("--").next().unwrap().trim().to_string());
            lines.filter(|line| !line.is_empty()).collect()
        };
        if !example.contains(".dword") {
            assert_eq!(without_comments(&print(&buffer.words)), without_comments(example));
        }
    }
    assert_eq!(parse(examples[0]).unwrap().words.len(), 28);
    for info in COMMANDS {
        let row = document.lines().find(|line| line.contains(&format!("`{}`", info.name)) && line.starts_with("| `"));
        let row = row.unwrap_or_else(|| panic!("{} is not documented", info.name));
        for field in info.fields {
            assert!(row.contains(&format!("`{}`", field.field.name)), "{} {}", info.name, field.field.name);
        }
    }
}
