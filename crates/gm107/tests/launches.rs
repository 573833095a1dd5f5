//! Launches of compute programs, on the reference and on the engines.

use crate::common::*;
use ctm_card::Card as _;
use ctm_engine::{Engine, Executor};
use ctm_gm107::{Card, Model};
use ctm_memory::Arena;
use ctm_sm50::text;
use std::sync::Arc;

/// Where programs lie, by offset of the data.
const CODE: u32 = 0x1000;
const DESCRIPTION: u32 = 0x2000;
const UNIFORMS: u32 = 0x3000;
const DRIVER: u32 = 0x4000;
/// A storage buffer, in a piece of memory of its own.
const BUFFER: u32 = 0x4_0000;

/// Puts a program and its description into memory: blocks of threads, its uniforms and the driver's constants.
fn put(memory: &Arena, code: &str, blocks: [u32; 3], threads: [u32; 3]) {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let at = |offset: u32| DATA.address + offset;
    memory.write_bytes(at(CODE + 0x80), &program.code.to_bytes());
    memory.write_words(at(UNIFORMS), &[at(BUFFER), 0, 10, 20, 30, 40]);
    memory.write_words(at(DRIVER + 0x2A0), &[at(BUFFER), 0, 0x1_0000, 0]);
    let mut words = [0; 64];
    words[8] = 0x80;
    words[12] = blocks[0];
    words[13] = blocks[1] | blocks[2] << 16;
    words[17] = 0x400;
    words[18] = threads[0] << 16;
    words[19] = threads[1] | threads[2] << 16;
    words[20] = 1 | 1 << 7;
    (words[29], words[30]) = (at(UNIFORMS), 0x100 << 15);
    (words[43], words[44]) = (at(DRIVER), 0x800 << 15);
    memory.write_words(at(DESCRIPTION), &words);
}

fn launch() -> Commands {
    Commands::default()
        .packet(1, 1, 0x1608, &[0, DATA.address + CODE])
        .packet(1, 1, 0x2B4, &[(DATA.address + DESCRIPTION) >> 8])
        .packet(1, 1, 0x2BC, &[3])
}

/// What a storage buffer holds after a launch, on every engine.
fn buffer(code: &str, blocks: [u32; 3], threads: [u32; 3]) -> Vec<u32> {
    let run = |executor: Executor| {
        let memory = Arc::new(Arena::new(FIRST, 0xC000_0000 - FIRST).expect("memory"));
        let mut card = Card::new(Model::Gm107).with_executor(executor);
        put(&memory, code, blocks, threads);
        assert_eq!(execute(&mut card, &memory, &[&launch()]), [""; 0]);
        let mut words = vec![0; 0x4000];
        memory.read_words(DATA.address + BUFFER, &mut words);
        words
    };
    let expected = run(Executor::Reference);
    assert_eq!(run(Executor::Engine(Engine::interpreter())), expected, "{code}");
    expected
}

const START: &str = ".stage none
    S2R R1, SR_TID.X; S2R R2, SR_CTAID.X; SHL R0, R2, 0x6; IADD R0, R0, R1; SHL R4, R0, 0x2; IADD R4, R4, c[0x0][0x0]; MOV R5, c[0x0][0x4];\n";

#[test]
fn threads_store_their_numbers() {
    let words = buffer(&format!("{START} IADD R6, R0, c[0x0][0x8]; ST.E [R4], R6; EXIT;"), [3, 1, 1], [64, 1, 1]);
    assert_eq!(words[..192], (10..202).collect::<Vec<_>>());
    assert_eq!(words[192..200], [0; 8]);
}

/// The third word of bank 0 is the program's, and no size of a block.
#[test]
fn blocks_of_few_threads_have_no_others() {
    let words = buffer(&format!("{START} MOV R6, c[0x0][0x8]; ST.E [R4], R6; EXIT;"), [1, 1, 1], [5, 1, 1]);
    assert_eq!(words[..8], [10, 10, 10, 10, 10, 0, 0, 0]);
}

#[test]
fn threads_count_together() {
    let count =
        "MOV R8, c[0x0][0x0]; MOV R9, R5; MOV32I R6, 0x3; RED.E.ADD [R8+0x8000], R6; RED.E.MAX [R8+0x8004], R0; EXIT;";
    let words = buffer(&format!("{START} {count}"), [9, 1, 1], [64, 1, 1]);
    assert_eq!((words[0x2000], words[0x2001]), (3 * 9 * 64, 9 * 64 - 1));
    // Each thread has the number of those before it.
    let ticket =
        "MOV R8, c[0x0][0x0]; MOV R9, R5; MOV32I R6, 0x1; ATOM.E.ADD R7, [R8+0x8000], R6; ST.E [R4], R7; EXIT;";
    let words = buffer(&format!("{START} {ticket}"), [4, 1, 1], [64, 1, 1]);
    assert_eq!(words[..256], (0..256).collect::<Vec<_>>());
}

#[test]
fn blocks_share_memory() {
    let code =
        "SHL R10, R1, 0x2; STS [R10], R0; BAR.SYNC 0x0; LOP.XOR R10, R10, 0xfc; LDS R6, [R10]; ST.E [R4], R6; EXIT;";
    let words = buffer(&format!("{START} {code}"), [2, 1, 1], [64, 1, 1]);
    let expected: Vec<u32> = (0..128).map(|n| n / 64 * 64 + 63 - n % 64).collect();
    assert_eq!(words[..128], expected);
}

#[test]
fn empty_launches_and_launches_of_nothing_are_dropped() {
    let (memory, mut card) = (memory(), card());
    put(&memory, ".stage none\n EXIT;", [0, 1, 1], [64, 1, 1]);
    assert_eq!(execute(&mut card, &memory, &[&launch()]), [""; 0]);
    put(&memory, ".stage none\n EXIT;", [1, 1, 1], [1024, 2, 1]);
    assert_eq!(execute(&mut card, &memory, &[&launch()]).len(), 1);
    let nowhere = Commands::default().packet(1, 1, 0x1608, &[7, 0]);
    put(&memory, ".stage none\n EXIT;", [1, 1, 1], [4, 1, 1]);
    let again = Commands::default().packet(1, 1, 0x2BC, &[3]);
    assert_eq!(execute(&mut card, &memory, &[&nowhere, &again]).len(), 1);
    card.release(&memory);
}
