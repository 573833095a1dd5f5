//! The processor execution unit, the conditional unit and the memory controller, seen through command buffers.

use crate::common::*;
use ctm_device::command::{Command, FormatCode, LocationCode, TestCode, TilingCode};
use ctm_device::{Cause, ErrorCode, Fault, HOST_BASE, LOCAL_BASE, MemoryClient, Options, ProgramError, StateError};

const FLOAT1: FormatCode = FormatCode::Float32_1;
const FLOAT4: FormatCode = FormatCode::Float32_4;
const START: Command = Command::StartProgram;

#[test]
fn state_after_reset() {
    let mut rig = Rig::new();
    rig.load(POSITION);
    rig.write(OUTPUT, &[9.0; 32]);
    rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), START]).unwrap();
    assert_eq!(rig.floats(OUTPUT, 3), [0.0, 9.0, 9.0], "the domain is the one pair (0, 0)");
    let state = rig.processor.state();
    assert_eq!((state.out_mask, state.conditional.needs_buffer()), (0xF, false));
}

#[test]
fn an_empty_domain_asks_for_nothing() {
    let mut rig = Rig::new();
    for (i0, j0, i1, j1) in [(1, 0, 0, 5), (0, 1, 5, 0)] {
        rig.run(&[Command::SetDomain { i0, j0, i1, j1 }, START]).unwrap();
    }
    let fault = rig.run(&[domain(1, 1), START]).unwrap_err();
    assert_eq!(fault.cause, Cause::Program(ProgramError::NoneSet));
}

#[test]
fn the_domain_is_inclusive() {
    let mut rig = Rig::new();
    rig.load(POSITION);
    rig.write(OUTPUT, &[9.0; 16 * 8]);
    let domain = Command::SetDomain { i0: 2, j0: 1, i1: 4, j1: 2 };
    rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), domain, START]).unwrap();
    for (at, value) in rig.floats(OUTPUT, 16 * 8).into_iter().enumerate() {
        let (i, j) = (at % 16, at / 16);
        let inside = (2..=4).contains(&i) && (1..=2).contains(&j);
        assert_eq!(value, if inside { i as f32 } else { 9.0 }, "({i}, {j})");
    }
}

#[test]
fn state_is_captured_at_the_start_and_programs_follow_each_other() {
    let mut rig = Rig::new();
    rig.load(ADD);
    rig.write(CONSTF, &[1.0; 4]);
    rig.write(CONSTF + 0x800, &[10.0; 4]);
    let next = OUTPUT + 0x1_0000;
    rig.run(&[
        SET_IMAGE,
        set_constf(CONSTF),
        input(0, INPUT, FLOAT4),
        output(0, OUTPUT, FLOAT4),
        domain(16, 8),
        START,
        // These follow without a wait, and the second program reads what the first one writes.
        set_constf(CONSTF + 0x800),
        input(0, OUTPUT, FLOAT4),
        output(0, next, FLOAT4),
        domain(8, 8),
        START,
    ])
    .unwrap();
    assert_eq!(rig.floats(OUTPUT, 16 * 8 * 4), [1.0; 16 * 8 * 4]);
    let second = rig.floats(next, 16 * 8 * 4);
    for (at, value) in second.into_iter().enumerate() {
        assert_eq!(value, if at / 4 % 16 < 8 { 11.0 } else { 0.0 });
    }
}

#[test]
fn masks_keep_channels_of_every_output() {
    let mut rig = Rig::new();
    rig.load(
        "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
         OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
           out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;
         OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
           out[3].rgb = MAX src0.rgb src0.rgb, out[3].a = MAX src0.a src0.a ;",
    );
    rig.write(INPUT, &[1.0, 2.0, 3.0, 4.0]);
    let other = OUTPUT + 0x800;
    rig.run(&[SET_IMAGE, input(0, INPUT, FLOAT4), output(0, OUTPUT, FLOAT4), output(3, other, FLOAT4)]).unwrap();
    for mask in 0..16u8 {
        rig.write(OUTPUT, &[9.0; 4]);
        rig.write(other, &[8.0; 4]);
        rig.run(&[Command::SetOutMask { mask }, START, START]).unwrap();
        for channel in 0..4 {
            let on = mask >> channel & 1 != 0;
            let expected = |old: f32| if on { channel as f32 + 1.0 } else { old };
            assert_eq!(rig.floats(OUTPUT, 4)[channel], expected(9.0), "mask {mask:#x} channel {channel}");
            assert_eq!(rig.floats(other, 4)[channel], expected(8.0), "mask {mask:#x} channel {channel}");
        }
    }
}

#[test]
fn the_conditional_mask_stops_writes() {
    for mask in [false, true] {
        let mut rig = Rig::new();
        rig.load(POSITION);
        rig.write(COND, &[1.0; 16]);
        rig.run(&[
            SET_IMAGE,
            output(0, OUTPUT, FLOAT1),
            cond_out(COND, FLOAT1),
            Command::SetCondVal { value: 7f32.to_bits() },
            Command::SetCondTest { test: TestCode::Greater },
            Command::SetCondLoc { location: LocationCode::Pe },
            Command::SetCondOutMask { mask },
            domain(4, 1),
            START,
        ])
        .unwrap();
        assert_eq!(rig.floats(COND, 5), [[1.0; 5], [7.0, 7.0, 7.0, 7.0, 1.0]][usize::from(mask)]);
    }
}

/// Conditional execution and output with every test: which lanes write, and what the conditional buffer holds then.
#[test]
fn tests_locations_masks_and_formats() {
    // The buffer holds 0, 0.25, 0.5, ... ; values are chosen so that all formats hold them well apart.
    let buffer_value = |i: usize| i as f32 / 4.0;
    for format in [FLOAT1, FormatCode::Uint16_1] {
        for (code, test) in TestCode::ALL.into_iter().enumerate() {
            for location in LocationCode::ALL {
                for write in [false, true] {
                    let mut rig = Rig::new();
                    rig.load(POSITION_AND_VALUE);
                    rig.write(OUTPUT, &[9.0; 16]);
                    for i in 0..4 {
                        let value = buffer_value(i);
                        let memory = rig.processor.memory();
                        match format {
                            FLOAT1 => memory.write_bytes(COND + 4 * i as u32, &value.to_le_bytes()),
                            _ => {
                                memory.write_bytes(COND + 2 * i as u32, &((value * 65535.0 + 0.5) as u16).to_le_bytes())
                            }
                        }
                        .unwrap();
                    }
                    rig.run(&[
                        SET_IMAGE,
                        output(0, OUTPUT, FLOAT1),
                        cond_out(COND, format),
                        Command::SetCondVal { value: 0.5f32.to_bits() },
                        Command::SetCondTest { test },
                        Command::SetCondLoc { location },
                        Command::SetCondOutMask { mask: write },
                        domain(4, 1),
                        START,
                    ])
                    .unwrap();
                    for i in 0..4 {
                        // With PE the value is the command's; with DPP the program's, which is i (1 at most, clamped,
                        // where the format is a fraction).
                        let value = match (location, format) {
                            (LocationCode::Pe, _) => 0.5,
                            (LocationCode::Dpp, FLOAT1) => i as f32,
                            _ => (i as f32).min(1.0),
                        };
                        let b = buffer_value(i);
                        let passes =
                            [false, value < b, value <= b, value == b, value >= b, value > b, value != b, true][code];
                        let place = format!("{format:?} {test:?} {location:?} write {write} lane {i}");
                        let written = rig.floats(OUTPUT, 16)[i];
                        assert_eq!(written, if passes { i as f32 } else { 9.0 }, "{place}");
                        let stored = match format {
                            FLOAT1 => rig.floats(COND, 16)[i],
                            _ => ((rig.words(COND, 8)[i / 2] >> (16 * (i % 2))) as u16) as f32 / 65535.0,
                        };
                        let expected = if passes && write { value } else { b };
                        assert!((stored - expected).abs() < 1e-4, "{place}: {stored} for {expected}");
                    }
                }
            }
        }
    }
}

#[test]
fn without_a_value_of_its_own_the_program_has_the_commands() {
    let mut rig = Rig::new();
    rig.load(POSITION);
    rig.write(COND, &[1.0, 2.0, 3.0]);
    rig.run(&[
        SET_IMAGE,
        output(0, OUTPUT, FLOAT1),
        cond_out(COND, FLOAT1),
        Command::SetCondVal { value: 2f32.to_bits() },
        Command::SetCondTest { test: TestCode::Less },
        Command::SetCondOutMask { mask: true },
        domain(3, 1),
        START,
    ])
    .unwrap();
    assert_eq!(rig.floats(COND, 3), [1.0, 2.0, 2.0]);
    assert_eq!(rig.floats(OUTPUT, 3), [0.0, 0.0, 2.0]);
}

#[test]
fn constants_of_all_three_kinds_come_from_memory() {
    let mut rig = Rig::new();
    for (set, dword, source, expected) in [
        (set_consti(CONSTI), 0xFFFF_FF07, COUNT, 7.0),
        (set_consti(CONSTI), 0xFFFF_FF00, COUNT, 0.0),
        (set_constb(CONSTB), 0x0000_0001, CHOOSE, 1.0),
        (set_constb(CONSTB), 0x0000_0080, CHOOSE, 1.0),
        (set_constb(CONSTB), 0xFFFF_FF00, CHOOSE, 0.0),
    ] {
        rig.load(source);
        for address in [CONSTI, CONSTB] {
            rig.processor.memory().write_bytes(address, &u32::to_le_bytes(dword)).unwrap();
        }
        rig.run(&[SET_IMAGE, set, output(0, OUTPUT, FLOAT1), domain(1, 1), START]).unwrap();
        assert_eq!(rig.floats(OUTPUT, 1), [expected], "{dword:#x}");
    }
    rig.load(ADD);
    let values: Vec<f32> = (0..1024).map(|n| n as f32).collect();
    rig.write(CONSTF, &values);
    rig.run(&[SET_IMAGE, set_constf(CONSTF), input(0, INPUT, FLOAT4), output(0, OUTPUT, FLOAT4), START]).unwrap();
    assert_eq!(rig.floats(OUTPUT, 4), [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn tiled_and_superfine_inputs() {
    let mut rig = Rig::new();
    rig.load(COPY);
    let inp =
        |tiling, pitch, height| Command::SetInpFmt { input: 0, base: INPUT, format: FLOAT1, tiling, pitch, height };
    let values: Vec<f32> = (0..32 * 16).map(|n| n as f32).collect();
    rig.write(INPUT, &values);
    let set = [SET_IMAGE, output(0, OUTPUT, FLOAT4), domain(16, 8)];
    rig.run(&[&set[..], &[inp(TilingCode::LinearInp2x2, 16, 8), START]].concat()).unwrap();
    let element = |x: usize, y: usize| (x.min(15) + 16 * y.min(7)) as f32;
    for (at, found) in rig.floats(OUTPUT, 16 * 8 * 4).chunks(4).enumerate() {
        let (x, y) = (at % 16, at / 16);
        assert_eq!(found, [element(x + 1, y), element(x, y + 1), element(x + 1, y + 1), element(x, y)], "({x}, {y})");
    }
    rig.run(&[inp(TilingCode::Tiled, 32, 16), START]).unwrap();
    for (at, found) in rig.floats(OUTPUT, 16 * 8 * 4).chunks(4).enumerate() {
        let (x, y) = (at % 16, at / 16);
        let word = ctm_memory::tiled_address(x as u32, y as u32, 32, 0, 4) / 4;
        assert_eq!(found, [word as f32, 1.0, 1.0, 1.0], "({x}, {y})");
    }
}

#[test]
fn uncached_writes_go_where_the_program_says() {
    let mut rig = Rig::new();
    rig.load(SCATTER);
    rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), domain(8, 12), START]).unwrap();
    for (at, found) in rig.floats(OUTPUT, 16 * 12).into_iter().enumerate() {
        let (x, y) = (at % 16, at / 16);
        let inside = x < 12 && y < 8;
        assert_eq!(found, if inside { (y + 64 * x) as f32 } else { 0.0 }, "({x}, {y})");
    }
    // Rows from 8 on and columns from 16 on are outside of the buffer.
    rig.write(OUTPUT, &[0.0; 16 * 12]);
    rig.run(&[domain(12, 20), START]).unwrap();
    let found = rig.floats(OUTPUT, 16 * 12);
    assert!(found[16 * 8..].iter().all(|&value| value == 0.0));
    assert_eq!((found[15], found[16]), (64.0 * 15.0, 1.0));
    // Uncached writes have one channel, whose mask counts.
    rig.write(OUTPUT, &[5.0; 16]);
    rig.run(&[Command::SetOutMask { mask: 0xE }, START]).unwrap();
    assert_eq!(rig.floats(OUTPUT, 16), [5.0; 16]);
}

fn code(result: Result<(), Fault>) -> (ErrorCode, usize) {
    let fault = result.unwrap_err();
    assert!(fault.to_string().contains(fault.code().name()));
    (fault.code(), fault.offset)
}

#[test]
fn opcode_errors_drop_the_rest() {
    let mut rig = Rig::new();
    let set = [0xC000_1900, 3, 0xC000_1E00, 0, 0xC000_1900, 5];
    assert_eq!(code(rig.execute(1, &set)), (ErrorCode::Opcode, 2));
    assert_eq!(rig.processor.state().out_mask, 3);
    assert_eq!(code(rig.execute(1, &[0xC000_1900, 1, 0xC003_0700, 0, 0, 0])), (ErrorCode::Opcode, 2));
    assert_eq!(rig.processor.state().out_mask, 1);
}

#[test]
fn other_errors_drop_one_command_and_the_first_is_reported() {
    let mut rig = Rig::new();
    rig.load(POSITION);
    let commands = [START, SET_IMAGE, START, output(0, OUTPUT, FLOAT1), domain(2, 1), START];
    let fault = rig.run(&commands).unwrap_err();
    assert_eq!((fault.code(), fault.offset, fault.detail(), fault.buffer), (ErrorCode::Program, 0, 0, 1));
    assert_eq!(rig.floats(OUTPUT, 2), [0.0, 1.0], "the last command was executed");
}

#[test]
fn program_errors() {
    let mut rig = Rig::new();
    assert_eq!(code(rig.run(&[SET_IMAGE, START])), (ErrorCode::Program, 3), "zeros are not image");
    assert_eq!(code(rig.run(&[set_image(0x4000_0000), START])), (ErrorCode::Address, 3));
    rig.load(POSITION);
    let mut image = vec![0; 256];
    rig.processor.memory().read_bytes(IMAGE, &mut image).unwrap();
    image[18] = 3; // another machine
    rig.processor.memory().write_bytes(IMAGE, &image).unwrap();
    let fault = rig.run(&[SET_IMAGE, START]).unwrap_err();
    assert!(matches!(fault.cause, Cause::Program(ProgramError::Refused { address: IMAGE, .. })), "{fault}");
    assert!(fault.to_string().contains("e_machine"), "{fault}");
    // The image at the end of memory is cut off.
    let end = HOST_BASE + ARENA_BYTES - 0x800;
    image[18] = 122;
    image[28..32].copy_from_slice(&0x7C0u32.to_le_bytes());
    rig.processor.memory().write_bytes(end, &image).unwrap();
    assert_eq!(code(rig.run(&[set_image(end), START])), (ErrorCode::Program, 3));
}

#[test]
fn state_errors() {
    let mut rig = Rig::new();
    let cause = |rig: &mut Rig, commands: &[Command]| rig.run(commands).unwrap_err().cause;
    rig.load(ADD);
    let no_constants = cause(&mut rig, &[SET_IMAGE, START]);
    assert_eq!(no_constants, Cause::State(StateError::NoConstants(MemoryClient::ConstF)));
    rig.run(&[set_constf(CONSTF)]).unwrap();
    assert!(cause(&mut rig, &[START]).to_string().contains("input 0"));
    let reserved = input(0, INPUT, FormatCode::Reserved6);
    let expected = StateError::ReservedFormat { client: MemoryClient::Input(0), format: FormatCode::Reserved6 };
    assert_eq!(cause(&mut rig, &[reserved, START]), Cause::State(expected));
    rig.run(&[input(0, INPUT, FLOAT4)]).unwrap();
    assert!(cause(&mut rig, &[START]).to_string().contains("output 0"));
    let reserved = output(0, INPUT, FormatCode::Reserved5);
    let expected = StateError::ReservedFormat { client: MemoryClient::Output(0), format: FormatCode::Reserved5 };
    assert_eq!(cause(&mut rig, &[reserved, START]), Cause::State(expected));
    rig.run(&[output(0, OUTPUT, FLOAT4), START]).unwrap();
    for (set, text) in [
        (Command::SetCondTest { test: TestCode::Less }, "no buffer"),
        (Command::SetCondOutMask { mask: true }, "no buffer"),
        (cond_out(COND, FormatCode::Reserved7), "RESERVED7"),
        (cond_out(COND, FLOAT4), "FLOAT32_1"),
    ] {
        let cause = cause(&mut rig, &[set, START]);
        assert!(cause.code() == ErrorCode::State && cause.to_string().contains(text), "{cause}");
    }
    for (source, client, set) in
        [(COUNT, MemoryClient::ConstI, set_consti(CONSTI)), (CHOOSE, MemoryClient::ConstB, set_constb(CONSTB))]
    {
        rig.load(source);
        let always = Command::SetCondTest { test: TestCode::Always };
        let missing = cause(&mut rig, &[Command::SetCondOutMask { mask: false }, always, START]);
        assert_eq!(missing, Cause::State(StateError::NoConstants(client)));
        rig.run(&[set, START]).unwrap();
    }
    rig.load(SCATTER);
    assert!(cause(&mut rig, &[START]).to_string().contains("UMRT"));
}

#[test]
fn address_errors_read_zero_and_write_nothing() {
    let mut rig = Rig::new();
    rig.load(COPY);
    rig.write(OUTPUT, &[9.0; 64]);
    // The last rows of the input are beyond the memory.
    let base = HOST_BASE + ARENA_BYTES - 0x800;
    rig.write(base, &[3.0; 0x200]);
    let wide = Command::SetInpFmt { input: 0, base, format: FLOAT4, tiling: TilingCode::Linear, pitch: 32, height: 8 };
    let fault = rig.run(&[SET_IMAGE, wide, output(0, OUTPUT, FLOAT4), domain(16, 8), START]).unwrap_err();
    assert_eq!(fault.cause, Cause::Address { client: MemoryClient::Input(0), base });
    let found = rig.floats(OUTPUT, 8 * 16 * 4);
    assert!(
        found[..4 * 16 * 4].iter().all(|&value| value == 3.0) && found[4 * 16 * 4..].iter().all(|&value| value == 0.0)
    );
    let fault = rig.run(&[input(0, INPUT, FLOAT4), output(0, 0x3000_0000, FLOAT4), START]).unwrap_err();
    assert_eq!(fault.cause, Cause::Address { client: MemoryClient::Output(0), base: 0x3000_0000 });
    rig.load(ADD);
    let fault = rig.run(&[set_constf(0x7000_0000), output(0, OUTPUT, FLOAT4), START]).unwrap_err();
    assert_eq!(fault.cause, Cause::Address { client: MemoryClient::ConstF, base: 0x7000_0000 });
    assert_eq!(rig.floats(OUTPUT, 4), [0.0; 4], "constants outside of memory are 0, and the program runs");
    let last = HOST_BASE + ARENA_BYTES - 0x800;
    rig.run(&[set_constf(last), START]).unwrap();
}

#[test]
fn traps_name_the_instruction() {
    let mut rig = Rig::new();
    rig.load(ENDLESS);
    rig.write(OUTPUT, &[9.0; 16]);
    let fault = rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), domain(16, 1), START]).unwrap_err();
    assert_eq!(fault.code(), ErrorCode::Trap);
    assert!(fault.detail() <= 1, "{fault}");
    assert_eq!(rig.floats(OUTPUT, 16), [9.0; 16], "lanes that trap write nothing");
}

#[test]
fn programs_are_read_when_they_start() {
    let mut rig = Rig::new();
    rig.load(POSITION);
    rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), domain(2, 1), START]).unwrap();
    rig.load(CHOOSE);
    rig.run(&[set_constb(CONSTB), Command::InvInstCache, START]).unwrap();
    assert_eq!(rig.floats(OUTPUT, 2), [0.0, 0.0], "another image at the same address");
}

#[test]
fn performance_counters() {
    let options = Options { deterministic_clock: true, threads: 1, ..Options::default() };
    let counters = |commands: &[Command]| {
        let mut rig = Rig::with(options);
        rig.load(POSITION);
        rig.write(CONSTF, &[f32::NAN; 4]);
        rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT1), domain(4, 2)]).unwrap();
        rig.run(commands).unwrap();
        rig.words(CONSTF, 2)
    };
    let init = Command::InitPerfCounters { enable: true };
    let (start, stop, read) =
        (Command::StartPerfCounters, Command::StopPerfCounters, Command::ReadPerfCounters { base: CONSTF });
    let untouched = vec![f32::NAN.to_bits(); 2];
    assert_eq!(counters(&[start, START, stop, read]), untouched, "they are disabled after reset");
    assert_eq!(counters(&[init, START, read]), [0, 0], "they do not run before they are started");
    assert_eq!(counters(&[init, start, START, stop, START, read]), [8, 8], "8 lanes executed one instruction each");
    assert_eq!(counters(&[init, start, START, START, read]), [16, 16], "reading does not stop them");
    assert_eq!(counters(&[init, start, START, start, stop, read]), [0, 0], "starting zeroes them");
    assert_eq!(counters(&[init, start, START, init, read]), [0, 0]);
    let disable = Command::InitPerfCounters { enable: false };
    assert_eq!(counters(&[init, start, START, disable, read]), untouched);
    let mut rig = Rig::with(options);
    let fault = rig.run(&[init, Command::ReadPerfCounters { base: 0x4000_0000 }]).unwrap_err();
    assert_eq!(fault.cause, Cause::Address { client: MemoryClient::Counters, base: 0x4000_0000 });
}

#[test]
fn the_real_clock_counts_time() {
    let mut rig = Rig::with(Options { deterministic_clock: false, ..Options::default() });
    rig.load(POSITION);
    rig.run(&[SET_IMAGE, output(0, LOCAL_BASE, FLOAT1), domain(16, 8)]).unwrap();
    let init = Command::InitPerfCounters { enable: true };
    rig.run(&[init, Command::StartPerfCounters, START, START, Command::ReadPerfCounters { base: CONSTF }]).unwrap();
    let counters = rig.words(CONSTF, 2);
    assert!(0 < counters[1] && counters[1] <= counters[0], "{counters:?}");
}

#[test]
fn an_input_that_the_notes_do_not_name_is_reported_when_it_leaves_memory() {
    let mut rig = Rig::new();
    rig.load(&format!(".inputs 5\n{COPY}"));
    let (near, far) = (input(5, INPUT, FLOAT4), input(0, 0x6000_0000, FLOAT4));
    let fault = rig.run(&[SET_IMAGE, near, far, output(0, OUTPUT, FLOAT4), domain(1, 1), START]).unwrap_err();
    assert_eq!(fault.cause, Cause::Address { client: MemoryClient::Input(0), base: 0x6000_0000 });
}
