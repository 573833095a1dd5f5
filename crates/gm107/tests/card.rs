//! The card as programs use it: streams, macros, reports, and what is no stream.

use crate::common::*;
use ctm_card::{Card as _, Object, Submission};
use ctm_gm107::{draws, listing};
use ctm_memory::Arena;
use std::sync::Arc;
use std::time::Duration;

const FENCE: u32 = 0x1000_F010;
const SHORT: u32 = 0x1000_0000;

#[test]
fn drivers_know_the_card() {
    let identity = card().identity();
    assert_eq!((identity.name, identity.device, identity.driver), ("gm107", 0x1380, "nouveau"));
}

#[test]
fn classes_are_bound_and_methods_kept() {
    let (memory, mut card) = (memory(), card());
    let commands = Commands::default()
        .packet(1, 0, 0, &[0xB097])
        .packet(1, 1, 0, &[0xB0C0])
        .packet(1, 2, 0, &[0xA140])
        .packet(1, 3, 0, &[0x902D])
        .packet(1, 4, 0, &[0xB0B5])
        .packet(1, 7, 0, &[0x906E])
        .write(0x1608, &[0, 0x122_0000])
        .packet(1, 1, 0x2B4, &[5])
        .immediate(0x1A04, 0x1001)
        .write(0x114C, &[3])
        .write(0x1150, &[1, 2, 3, 4]);
    assert_eq!(execute(&mut card, &memory, &[&commands]), [""; 0]);
    let state = card.state();
    assert_eq!((state.three_d.address(0x1608), state.compute.word(0x2B4)), (0x122_0000, 5));
    assert_eq!((state.three_d.word(0x1A04), state.three_d.word(0x1A08)), (0x1001, 0x1111));
    assert_eq!((state.attributes[3], state.attributes[4]), ([1, 2, 3, 4], [0, 0, 0, 1.0f32.to_bits()]));
    let wrong = Commands::default().packet(1, 3, 0, &[0xB097]).write(0x3300, &[1, 2]).write(0x3300, &[3]);
    let warnings = execute(&mut card, &memory, &[&wrong]);
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}

#[test]
fn packets_go_on_in_the_next_push() {
    let (memory, mut card) = (memory(), card());
    // A sum of 64 bits, whose operands come from another push; and an upload whose data does.
    let sum = [0x0000_0200, 0x0000_0300, 0x0000_0400, 0x0740_0021, 0x0000_CD40, 0x0003_16C0, 0x0000_0010];
    let mut first = Commands::default().macro_code(7, 40, &sum);
    first.0.push(1 << 29 | 4 << 16 | ((0x3800 + 8 * 7) / 4));
    first.0.push(u32::MAX);
    let mut second = Commands(vec![1, 2, 3]);
    second = second.packet(1, 2, 0x188, &[0, DATA.address]).packet(1, 2, 0x180, &[6, 1]);
    second.0.push(5 << 29 | 3 << 16 | 2 << 13 | (0x1B0 / 4));
    second.0.push(0x1001);
    let third = Commands(vec![0x0403_0201, 0x0807_0605, 0]);
    assert_eq!(execute(&mut card, &memory, &[&first, &second, &third]), [""; 0]);
    assert_eq!((card.state().three_d.word(0x3400), card.state().three_d.word(0x3404)), (1, 5));
    assert_eq!((stored(&memory, 0), stored(&memory, 4)), (0x0403_0201, 0x0000_0605));
}

#[test]
fn pushes_are_read_when_commands_have_written_them() {
    let (memory, mut card) = (memory(), card());
    let target = PUSHES.address + 0x2_0000;
    let first = Commands::default().upload(target, &Commands::default().write(0x3400, &[77]).0);
    let mut words = place(&memory, &[&first]);
    words.extend([target, 8]);
    card.submit(&memory, &Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] }).unwrap();
    assert_eq!(card.state().three_d.word(0x3400), 77);
}

#[test]
fn the_last_fence_is_held_back_and_other_reports_are_not() {
    let (memory, mut card) = (memory(), card());
    let commands = Commands::default()
        .report(DATA.address, 1, FENCE)
        .report(DATA.address + 0x40, 5, SHORT)
        .report(DATA.address + 0x80, 6, FENCE)
        .report(DATA.address, 2, FENCE);
    execute(&mut card, &memory, &[&commands]);
    let fence = || stored(&memory, 0);
    assert_eq!((fence(), stored(&memory, 0x40), stored(&memory, 0x80)), (0, 5, 6));
    card.release(&memory);
    assert_eq!(fence(), 2);
    execute(&mut card, &memory, &[&Commands::default().report(DATA.address, 3, FENCE)]);
    execute(&mut card, &memory, &[&Commands::default()]);
    assert_eq!(fence(), 3, "before the next submission");
    // A push that lies over the fence: its first word is a filler, the second one the fence's value.
    memory.write_u32(DATA.address, 0);
    let mut words = place(&memory, &[&Commands::default().report(DATA.address, 4, FENCE)]);
    words.extend([DATA.address, 4]);
    let error = card.submit(&memory, &Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] });
    assert_eq!((error, fence()), (Ok(()), 4));
    assert!(card.take_warnings()[0].contains("0x00000004"), "what the push held when it was read");
}

#[test]
fn what_is_no_stream_is_dropped_but_its_fence() {
    let (memory, mut card) = (memory(), card());
    let mut commands = Commands::default().report(DATA.address, 1, FENCE).write(0x3400, &[5]);
    commands.0.extend([0xFFFF_0674, 0x007E_003C]);
    let commands = commands.write(0x3400, &[6]).report(DATA.address, 9, FENCE);
    let warnings = execute(&mut card, &memory, &[&commands]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(card.state().three_d.word(0x3400), 5);
    card.release(&memory);
    assert_eq!(stored(&memory, 0), 9);
    assert_eq!(execute(&mut card, &memory, &[&Commands::default().write(0x3400, &[7])]), [""; 0]);
    assert_eq!(card.state().three_d.word(0x3400), 7);
}

#[test]
fn endless_macros_end_and_so_do_those_that_leave_their_code() {
    for (code, expected) in
        [(&[0x0000_0027u32, 0][..], "does not end"), (&[0x0000_0011], "leaves the code"), (&[6], "not an instruction")]
    {
        let (memory, mut card) = (memory(), card());
        let commands = Commands::default().macro_code(0, 0, code).immediate(0x3800, 1).write(0x3400, &[6]).report(
            DATA.address,
            3,
            FENCE,
        );
        let warnings = execute(&mut card, &memory, &[&commands]);
        assert!(warnings.len() == 1 && warnings[0].contains(expected), "{warnings:?}");
        assert_eq!(card.state().three_d.word(0x3400), 0);
        card.release(&memory);
        assert_eq!(stored(&memory, 0), 3);
    }
}

#[test]
fn submissions_that_take_too_long_are_given_up() {
    let memory = memory();
    let mut card = card().with_time_limit(Duration::from_millis(50));
    let words = place(&memory, &[&Commands::default().macro_code(0, 0, &[0x0000_0027, 0]).immediate(0x3800, 1)]);
    let done = card.submit(&memory, &Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] });
    assert!(done.is_err_and(|error| error.message.contains("time limit")));
}

#[test]
fn conditions_drop_what_is_conditional() {
    let (memory, mut card) = (memory(), card());
    let (result, target) = (DATA.address + 0x100, DATA.address + 0x1000);
    let clear = |colour: u32| clear_commands(target, colour);
    let condition = |mode: u32| Commands::default().write(0x1550, &[0, result, mode]);
    execute(&mut card, &memory, &[&condition(2), &clear(0x3F80_0000)]);
    assert_eq!(stored(&memory, 0x1000), 0);
    memory.write_u32(result, 1);
    execute(&mut card, &memory, &[&clear(0x3F80_0000)]);
    assert_eq!(stored(&memory, 0x1000), 0, "it is looked at when it is set");
    execute(&mut card, &memory, &[&condition(2), &clear(0x3F80_0000)]);
    assert_eq!(stored(&memory, 0x1000), 0xFF);
    execute(&mut card, &memory, &[&condition(0), &clear(0)]);
    execute(&mut card, &memory, &[&condition(1)]);
    assert_eq!(stored(&memory, 0x1000), 0xFF);
}

/// Clears red of a target of 64x64 pixels of four bytes, up to the 40th column and the 20th row.
pub fn clear_commands(target: u32, red: u32) -> Commands {
    Commands::default()
        .write(0xFF4, &[40 << 16, 20 << 16])
        .write(0x800, &[0, target, 64, 64, 0xD5, 0x30, 1, 0, 0])
        .write(0xD80, &[red, 0, 0, 0])
        .immediate(0x19D0, 1 << 2)
}

#[test]
fn targets_are_cleared_and_copied_to_rows() {
    let (memory, mut card) = (memory(), card());
    let (target, rows) = (DATA.address, DATA.address + 0x1_0000);
    let copy = Commands::default()
        .packet(1, 4, 0x708, &[0x0330_3210])
        .packet(1, 4, 0x728, &[0x1030, 64, 64, 1, 0, 0])
        .packet(1, 4, 0x400, &[0, target, 0, rows, 0, 256, 64, 64])
        .packet(1, 4, 0x300, &[0x706]);
    memory.write_bytes(target, &[0x11; 0x4000]);
    assert_eq!(execute(&mut card, &memory, &[&clear_commands(target, 0x3F80_0000), &copy]), [""; 0]);
    for (x, y) in [(0, 0), (39, 19), (17, 9), (40, 0), (0, 20), (63, 63)] {
        let expected = if x < 40 && y < 20 { 0x1111_11FF } else { 0x1111_1111 };
        assert_eq!(stored(&memory, 0x1_0000 + 256 * y + 4 * x), expected, "{x} {y}");
    }
}

#[test]
fn wild_targets_take_no_time() {
    let (memory, mut card) = (memory(), card());
    let clear = Commands::default().write(0xFF4, &[0xFFFF_0000, 0xFFFF_0000]).write(0xD80, &[5, 6, 7, 8]);
    let mut pushes = vec![clear];
    for format in [0xC0, 0xD5, 0xF3] {
        for [low, high] in [[DATA.address, 0], [0x1234_5678, 0x7FFD], [0xFFFF_FFF0, 0]] {
            let target = [high, low, 0x7FFD_0000, 0xFFFF_FFFF, format, 0x40, 0x3DFF, 0x10, 0];
            let mut clear = Commands::default().write(0x800, &target);
            (0..40).for_each(|layer| clear.0.push(4 << 29 | (0x3C | (layer % 2)) << 16 | (0x19D0 / 4)));
            pushes.push(clear);
        }
    }
    pushes.iter().for_each(|push| _ = execute(&mut card, &memory, &[push]));
    assert_eq!(memory.read_u32(DATA.address + DATA.size), Some(0));
    assert_eq!(memory.read_u32(DATA.address - 4), Some(0));
}

#[test]
fn constants_are_written_and_bound() {
    let (memory, mut card) = (memory(), card());
    let commands = Commands::default()
        .write(0x2380, &[0x200, 0, DATA.address, 0x1A0])
        .packet(3, 0, 0x2390, &[1, 2])
        .write(0x2394, &[3])
        .write(0x2410 + 4 * 0x20, &[15 << 4 | 1])
        .write(0x2410, &[1])
        .write(0x2410, &[0])
        .write(0x390 + 0x20, &[0x30]);
    assert_eq!(execute(&mut card, &memory, &[&commands]), [""; 0]);
    assert_eq!([0x1A0, 0x1A4, 0x1A8].map(|offset| stored(&memory, offset)), [1, 2, 3]);
    let state = card.state();
    let bound = state.constants[4][15];
    assert_eq!((bound.address, bound.size, state.constants[0][0].size), (DATA.address.into(), 0x200, 0));
    assert_eq!(state.feedback, [0, 0x30, 0, 0]);
}

#[test]
fn submissions_go_on_where_they_were_left() {
    let whole = Commands::default()
        .write(0x3400, &[1, 2])
        .report(DATA.address + 0x10, 3, 0x0000_5002)
        .report(DATA.address, 4, FENCE)
        .write(0x3404, &[9]);
    let run = |cuts: &[usize]| {
        let (memory, mut card) = (memory(), card());
        let words = place(&memory, &[&whole]);
        let mut done = 0;
        for &end in cuts {
            let part = ctm_gm107::pushes::cut(&words, end);
            let submission = Submission { words: &part, objects: &[PUSHES, DATA], untouched: &[] };
            let saved = card.save();
            card.resume(&memory, &submission, done).unwrap();
            card.restore(&saved);
            card.resume(&memory, &submission, done).unwrap();
            done = end;
        }
        card.release(&memory);
        (card.state().clone(), [0, 0x10, 0x14, 0x18].map(|offset| stored(&memory, offset)))
    };
    let length = whole.0.len();
    assert!(run(&[3, 8, length]) == run(&[length]));
    assert_eq!(run(&[length]).1, [4, 3, 0, 8]);
}

#[test]
fn streams_have_listings_and_draws() {
    let memory = memory();
    let begin = Commands::default().write(0x1618, &[4]).write(0xD74, &[2, 6]);
    let mut commands = begin.immediate(0x1614, 0).macro_code(1, 0, &[0x0740_0021]).immediate(0x3808, 3);
    commands = commands.packet(1, 4, 0x300, &[0x706]).upload(DATA.address, &[1, 2, 3]);
    commands = commands.write(0x1618, &[5]).packet(3, 0, 0x15F0, &[1, 2]).write(0x17DC, &[0, 7]).write(0x1614, &[0]);
    commands.0.push(0xFFFF_0674);
    let words = place(&memory, &[&commands]);
    let submission = Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] };
    let lines = listing(&submission, &memory);
    let text: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(text[0], "3D VERTEX_BEGIN_GL = 0x00000004 (PRIMITIVE triangles)");
    assert!(text.contains(&"macro    0  r0 = address = 0x1d00"), "{text:#?}");
    assert!(
        text.contains(&"3D macro 1: 00000003") && text.contains(&"upload UPLOAD_DATA: 00000001 00000002 00000003"),
        "{text:#?}"
    );
    assert!(
        text.contains(&"copy EXEC = 0x00000706 (COPY_MODE 2, FLUSH 1, DST_LINEAR 1, MULTI_LINE 1, SWIZZLE 1)"),
        "{text:#?}"
    );
    assert_eq!(text.last(), Some(&"error: 0xffff0674 is not the header of a packet"));
    assert!(draws(&submission, &memory).is_err());
    let words = ctm_gm107::pushes::cut(&words, commands.0.len() - 1);
    let draws = draws(&Submission { words: &words, ..submission }, &memory).unwrap();
    let found: Vec<_> = draws.iter().map(|draw| (draw.at, draw.end, draw.primitive, draw.vertices)).collect();
    assert_eq!(found, [(0, 6, "triangles", 6), (commands.0.len() - 11, commands.0.len() - 1, "triangle strip", 11)]);
}

/// Anything at all: headers that are mostly headers, with data that is mostly small or an address.
#[test]
fn no_stream_harms() {
    ctm_cases::check_sized(120, ctm_cases::usual_size, |u| {
        let memory: Arc<Arena> = memory();
        let mut card = card().with_time_limit(Duration::from_millis(50));
        let mut commands = Vec::new();
        while !u.is_empty() && commands.len() < 4000 {
            let count = u.int_in_range(0..=9)?;
            let kind = *u.choose(&[1, 1, 1, 3, 4, 5, 5, 7])?;
            let method: u32 = match u.int_in_range(0..=5)? {
                0 => u.int_in_range(0..=0x1FFF)?,
                1 => {
                    *u.choose(&[0x19D0, 0x1614, 0x1618, 0x1B0C, 0x3800, 0x3808, 0x118, 0x120, 0x1B0, 0x1B4, 0x1558])?
                        / 4
                }
                2 => *u.choose(&[0x300, 0x8DC, 0x2BC, 0x26C, 0x200, 0x230, 0x400, 0x408, 0x418, 0x8B0, 0x88C])? / 4,
                _ => {
                    *u.choose(&[0x800, 0xFE0, 0x1228, 0xFF4, 0x17C8, 0xD74, 0x1C00, 0x1160, 0x1608, 0x2004, 0x2380])?
                        / 4
                }
            };
            let subchannel: u32 = u.int_in_range(0..=7)?;
            commands.push(kind << 29 | count << 16 | subchannel << 13 | method);
            for _ in 0..count {
                commands.push(match u.int_in_range(0..=3)? {
                    0 => u.arbitrary()?,
                    1 => 0,
                    2 => u.int_in_range(0..=0xFF)?,
                    _ => DATA.address + 4 * u.int_in_range(0..=0x3FFFu32)?,
                });
            }
        }
        let words = place(&memory, &[&Commands(commands)]);
        let submission = Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] };
        _ = listing(&submission, &memory);
        _ = draws(&submission, &memory);
        _ = card.submit(&memory, &submission);
        card.release(&memory);
        assert_eq!(memory.read_u32(DATA.address + DATA.size), Some(0));
        Ok(())
    });
}

#[test]
fn channels_have_their_own_state() {
    let (memory, mut card) = (memory(), card());
    let mut words = place(&memory, &[&Commands::default().write(0x3400, &[5])]);
    let objects: [Object; 2] = [PUSHES, DATA];
    card.submit(&memory, &Submission { words: &words, objects: &objects, untouched: &[] }).unwrap();
    words[0] = 2;
    words.truncate(1);
    card.submit(&memory, &Submission { words: &words, objects: &objects, untouched: &[] }).unwrap();
    assert_eq!(card.state().three_d.word(0x3400), 0);
    words[0] = 1;
    card.submit(&memory, &Submission { words: &words, objects: &objects, untouched: &[] }).unwrap();
    assert_eq!(card.state().three_d.word(0x3400), 5);
    card.close_channel(1);
    assert_eq!(card.state().three_d.word(0x3400), 0);
}
