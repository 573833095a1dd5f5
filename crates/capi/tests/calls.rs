//! The functions of the managed connection and its extensions, called as a client calls them.
#![allow(non_snake_case)]

mod common;

use common::{Device, NO_INFO, POSITION, assemble, c_path, message, options};
use ctm::*;
use ctm_codegen::EngineName;
use ctm_device::command::{Command, FormatCode, Packet, TilingCode};
use ctm_device::{Trace, replay};
use std::collections::HashSet;
use std::ffi::CStr;
use std::ptr;
use std::sync::Mutex;

const COMMANDS: u32 = 0;
const PROGRAM: u32 = 0x1_0000;
const FLOATS: u32 = 0x2_0000;
const OUTPUT: u32 = 0x3_0000;

/// What makes [`POSITION`] run over 16 by 16 elements, with this constant.
fn position_pass(device: &Device, constant: f32, output: u32) -> Vec<Command> {
    device.write(FLOATS, &[constant.to_bits(), 0, 0, 0]);
    let (format, tiling, pitch) = (FormatCode::default(), TilingCode::default(), 0);
    let mut commands = device.program(PROGRAM, POSITION).to_vec();
    commands.extend([
        Command::SetConstfFmt { base: device.at(FLOATS), format, tiling, pitch },
        Command::InvConstfCache,
        device.output(output),
        Command::SetDomain { i0: 0, j0: 0, i1: 15, j1: 15 },
        Command::StartProgram,
        Command::FlushOutCache,
    ]);
    commands
}

fn position_row(constant: f32) -> Vec<u32> {
    (0..16).map(|i| (i as f32 + constant).to_bits()).collect()
}

#[test]
fn a_device_is_opened_by_its_names_and_described() {
    for name in [ptr::null(), c"".as_ptr(), c"/dev/pcie0".as_ptr()] {
        let mut info = NO_INFO;
        // SAFETY: name and info are as the function wants them.
        let device = unsafe { amOpenManagedConnection(name, &mut info) };
        assert!(!device.is_null());
        assert_eq!([info.baseAddressGPU, info.arenaSizeGPU], [0x1000_0000, 0x2000_0000]);
        assert_eq!([info.baseAddressSYSc, info.arenaSizeSYSc], [0x8000_0000, 0x1000_0000]);
        assert_eq!([info.baseAddressGPUb, info.arenaSizeGPUb], [0; 2]);
        assert_eq!([info.baseAddressSYS, info.arenaSizeSYS], [info.baseAddressSYSc, info.arenaSizeSYSc]);
        assert_eq!([info.reserved0, info.reserved1], [0; 2]);
        assert!(info.baseAddressCPU == info.baseAddressCPUc && info.baseAddressCPUc.addr().is_multiple_of(2048));
        assert_eq!(amxLocalPointer(device, 0x8000_0010), info.baseAddressCPUc.wrapping_byte_add(16));
        // SAFETY: the last word of host-visible memory.
        assert_eq!(unsafe { info.baseAddressCPUc.byte_add(0x1000_0000 - 4).cast::<u32>().read() }, 0);
        amCloseManagedConnection(device);
    }
}

#[test]
fn what_cannot_be_opened_gives_null_and_a_message() {
    let mut info = NO_INFO;
    let mut open = |name: &CStr, change: fn(&mut AMXoptions)| {
        let mut options = options();
        change(&mut options);
        // SAFETY: all pointers are to living values.
        let device = unsafe { amxOpenManagedConnection(name.as_ptr(), &mut info, &options) };
        assert!(device.is_null());
        message()
    };
    assert!(open(c"/dev/pcie1", |_| {}).contains("/dev/pcie1"));
    assert!(open(c"", |options| options.size -= 4).contains("size 40, expected 44"));
    assert!(open(c"", |options| options.localBytes = 0xF000_0000).contains("local memory"));
    assert!(open(c"", |options| options.hostBytes = 0x4000_0800).contains("host-visible memory"));
    assert!(open(c"", |options| options.hostBytes = 100).contains("multiples of 2048"));
    assert!(open(c"", |options| options.engine = 99).contains("AMXoptions.engine is 99"));
    // SAFETY: NULL is an error that the function tells.
    assert!(unsafe { amOpenManagedConnection(ptr::null(), ptr::null_mut()) }.is_null());
    assert_eq!(message(), "info is NULL");
}

#[test]
fn results_are_there_when_a_buffer_is_consumed() {
    for engine in std::iter::once(0).chain(EngineName::available().map(|engine| engine as u32)) {
        let device = Device::with(&AMXoptions { engine, ..options() });
        let local = device.info.baseAddressGPU;
        for output in [device.at(OUTPUT), local] {
            let id = device.submit(COMMANDS, position_pass(&device, 0.5, output));
            device.wait(id);
            assert_eq!(device.read(output + 64 * 15, 16), position_row(0.5), "engine {engine}");
            assert_eq!(device.error(), None);
        }
    }
}

#[test]
fn buffers_run_in_order_and_ids_are_unique() {
    let device = Device::open();
    let output = device.at(OUTPUT);
    let mut ids = HashSet::new();
    let mut commands = position_pass(&device, 0.0, output);
    commands.truncate(5);
    device.wait(device.submit(COMMANDS, commands));
    // Each run overwrites a part of what the one before it has written.
    for n in 0..12u16 {
        let domain = Command::SetDomain { i0: n, j0: 0, i1: 15, j1: 0 };
        let masked = Command::SetOutMask { mask: u8::from(n % 2 == 0) };
        let id = device.submit(0x100 * u32::from(n + 1), [masked, domain, Command::StartProgram]);
        assert!(id != 0 && ids.insert(id));
    }
    let last = device.submit(0x8000, [Command::WaitForIdle]);
    amxWaitCommandBuffer(device.handle, last);
    assert!(ids.iter().all(|&id| amCommandBufferConsumed(device.handle, id) == 1), "all before the last one are done");
    assert_eq!(device.read(output, 16), position_row(0.0));
    assert_eq!(device.error(), None);
}

#[test]
fn errors_are_sticky_and_tell_their_place() {
    let device = Device::open();
    let id = device.submit(COMMANDS, [Command::WaitForIdle, Command::StartProgram]);
    device.wait(id);
    device.write(COMMANDS, &[0xC000_0900, 0, 0x1234_5678, 0]);
    device.wait(amSubmitCommandBuffer(device.handle, device.at(COMMANDS), 4));
    let (code, detail, text) = device.error().unwrap();
    assert_eq!((code, detail), (3, 2), "the first error stays");
    assert!(text.contains("E_PROGRAM") && text.contains("set_inst_fmt"), "{text}");
    assert_eq!(device.error(), None, "taken");

    device.wait(amSubmitCommandBuffer(device.handle, device.at(COMMANDS), 4));
    assert_eq!(device.error().map(|(code, detail, _)| (code, detail)), Some((1, 2)));

    let mut commands = position_pass(&device, 0.0, device.at(0x10_0000 - 0x800));
    device.wait(device.submit(COMMANDS, commands.drain(..)));
    assert_eq!(device.error(), None, "the arena ends where the buffer ends: 16 rows of 64 bytes fit");
    let mut commands = position_pass(&device, 0.0, device.info.baseAddressGPU - 0x800);
    device.wait(device.submit(COMMANDS, commands.drain(..)));
    assert_eq!(device.error().map(|(code, ..)| code), Some(2));
    device.wait(device.submit(
        COMMANDS,
        [Command::SetInpFmt {
            input: 0,
            base: device.at(0),
            format: FormatCode::Reserved7,
            tiling: TilingCode::Linear,
            pitch: 16,
            height: 16,
        }],
    ));
    let copy = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = LD tex[1].rgba temp[0].rgaa ;
        OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    let mut commands = device.program(PROGRAM, copy).to_vec();
    commands.push(Command::StartProgram);
    device.wait(device.submit(COMMANDS, commands));
    assert_eq!(device.error().map(|(code, detail, _)| (code, detail)), Some((4, 5)));
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { amxGetError(device.handle, ptr::null_mut()) }, 0);
}

/// `set_out_fmt` with an address and a layout, word by word.
#[test]
fn addresses_are_not_rounded() {
    let device = Device::open();
    let output = device.output(device.at(OUTPUT));
    let mut words = Packet::from(output).words();
    words[2] += 0x7FC;
    device.write(COMMANDS, &words);
    device.wait(amSubmitCommandBuffer(device.handle, device.at(COMMANDS), words.len() as u32));
    let (code, detail, text) = device.error().expect("an error");
    assert_eq!((code, detail), (2, 0), "{text}");
    let address = format!("{:#010x}", device.at(OUTPUT) + 0x7FC);
    for part in ["E_ADDR: buffer ", "dword 0: base is", &address, "not a multiple of 2048"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn places_are_named_once() {
    let device = Device::open();
    device.write(COMMANDS, &[0xC000_0900, 0, 0x1234_5678]);
    device.wait(amSubmitCommandBuffer(device.handle, device.at(COMMANDS), 3));
    let (_, _, text) = device.error().expect("an error");
    assert!(text.starts_with("E_OPCODE: buffer 1, dword 2: 0x12345678 is not an opcode"), "{text}");
}

#[test]
fn the_step_limit_traps() {
    let forever = "here: FC JUMP here, when = always ; OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.000 src0.000 ;";
    let device = Device::with(&AMXoptions { stepLimit: 1000, threads: 1, ..options() });
    let mut commands = device.program(PROGRAM, forever).to_vec();
    commands.extend([device.output(device.at(OUTPUT)), Command::StartProgram]);
    device.wait(device.submit(COMMANDS, commands));
    let (code, detail, text) = device.error().unwrap();
    assert_eq!((code, detail), (5, 0), "{text}");
    assert!(text.contains("step limit"), "{text}");
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    // Immediate writes, so that the infinite loop is really run.
    let forever = "there: OUT : umrt[same_idx].rgb = MAX src0.000 src0.000, umrt[same_idx].a = MAX src0.0 src0.0 ;
                   FC JUMP there, when = always ; OUT TEX_SEM_WAIT : ;";
    let device = Device::open();
    for (limit, value) in [(AMX_LIMIT_RUN_TIME, 0.1), (AMX_LIMIT_GROUP_TIME, 0.1), (AMX_LIMIT_INSTRUCTIONS, 1e5)] {
        assert_eq!(amxSetLimit(device.handle, limit, value), 1);
        let mut commands = device.program(PROGRAM, forever).to_vec();
        commands.extend([device.output(device.at(OUTPUT)), Command::StartProgram]);
        device.wait(device.submit(COMMANDS, commands));
        let (code, _, text) = device.error().unwrap();
        assert_eq!(code, 7, "{text}");
        assert_eq!(amxSetLimit(device.handle, limit, 0.0), 1);
    }
    for (limit, value) in [(0, 1.0), (5, 1.0), (AMX_LIMIT_RUN_TIME, -1.0), (AMX_LIMIT_MEMORY, f64::NAN)] {
        assert_eq!(amxSetLimit(device.handle, limit, value), 0, "{limit} {value}");
        assert!(message().contains("AMX_LIMIT"), "{}", message());
    }
}

#[test]
fn bad_submissions_are_refused() {
    let device = Device::open();
    let submit = |address, words| {
        assert_eq!(amSubmitCommandBuffer(device.handle, address, words), 0, "{address:#x} {words}");
        message()
    };
    assert!(submit(device.at(0), 0).contains("0 words"));
    assert!(submit(device.at(2), 1).contains("multiple of 4"));
    for (address, words) in [
        (0, 1),
        (device.info.baseAddressGPU, 1),
        (device.at(device.info.arenaSizeSYSc - 4), 2),
        (device.at(0), device.info.arenaSizeSYSc / 4 + 1),
        (device.at(0), 0x4000_0001),
        (u32::MAX - 3, 1),
    ] {
        assert!(submit(address, words).contains("not in host-visible memory"), "{address:#x} {words}");
    }
    let last = device.at(device.info.arenaSizeSYSc - 8);
    device.write(device.info.arenaSizeSYSc - 8, &[0xC000_0900, 0]);
    device.wait(amSubmitCommandBuffer(device.handle, last, 2));
    assert_eq!(device.error(), None);
}

#[test]
fn closed_and_foreign_handles_are_recognized() {
    let closed = Device::open().handle;
    let misread = Device::open();
    let mut on_the_stack = 0u64;
    let foreign: [AMmanagedDevice; 5] = [
        ptr::null_mut(),
        closed,
        ptr::without_provenance_mut(misread.handle.addr() + 2),
        ptr::without_provenance_mut(1),
        ptr::from_mut(&mut on_the_stack).cast(),
    ];
    for handle in foreign {
        amCloseManagedConnection(handle);
        assert_eq!(amSubmitCommandBuffer(handle, 0x8000_0000, 2), 0);
        assert!(message().contains("not an open device"), "{}", message());
        assert_eq!(amCommandBufferConsumed(handle, 1), 1, "nobody waits forever");
        amxWaitCommandBuffer(handle, 1);
        assert!(amxLocalPointer(handle, 0x8000_0000).is_null());
        // SAFETY: the pointers are NULL or to living values, as the functions allow.
        unsafe {
            assert_eq!(amxGetError(handle, ptr::null_mut()), 0);
            assert_eq!(amxGetReport(handle, ptr::null_mut(), 0), 0);
            assert_eq!(amxWriteTrace(handle, c"never-written".as_ptr()), 0);
        }
    }
    assert_eq!(amCommandBufferConsumed(misread.handle, 77), 1, "never submitted");
    assert_eq!(amCommandBufferConsumed(misread.handle, 0), 1);
    amxWaitCommandBuffer(misread.handle, 77);
    assert!(amxLocalPointer(misread.handle, 0x8010_0000).is_null() && message().contains("0x80100000"));
    // SAFETY: the pointers are NULL, as the functions allow.
    unsafe {
        amxDefaultOptions(ptr::null_mut());
        amxFree(ptr::null_mut());
        assert_eq!(amxWriteTrace(misread.handle, ptr::null()), 0);
        assert_eq!(message(), "path is NULL");
        assert_eq!(amxWriteTrace(misread.handle, c"never-written".as_ptr()), 0);
        assert!(message().contains("does not record"));
    }
}

#[test]
fn handles_are_never_used_again() {
    let mut handles = HashSet::new();
    for _ in 0..20 {
        assert!(handles.insert(Device::open().handle));
    }
}

#[test]
fn messages_belong_to_threads_and_are_cut_to_fit() {
    assert_eq!(amSubmitCommandBuffer(ptr::null_mut(), 0, 0), 0);
    std::thread::spawn(|| assert_eq!(message(), "")).join().unwrap();
    let all = message();
    for size in 0..all.len() + 2 {
        let mut text = vec![0x55u8; all.len() + 2];
        // SAFETY: the buffer has more bytes.
        let needed = unsafe { amxGetMessage(text.as_mut_ptr().cast(), size as u32) };
        assert_eq!(needed as usize, all.len() + 1);
        let written = size.min(all.len() + 1);
        assert!(text[written..].iter().all(|&byte| byte == 0x55), "nothing after the buffer");
        if let Some(length) = written.checked_sub(1) {
            assert_eq!(text[..written], [&all.as_bytes()[..length], &[0]].concat());
        }
    }
}

#[test]
fn a_recording_device_writes_its_trace() {
    let device = Device::with(&AMXoptions { record: 1, ..options() });
    let commands = position_pass(&device, 1.0, device.at(OUTPUT));
    let path = std::env::temp_dir().join(format!("ctm-capi-{}.ctmtrace", std::process::id()));
    let ids: Vec<u32> = (0..50).map(|_| device.submit(COMMANDS, commands.iter().copied())).collect();
    assert!(!ids.contains(&0));
    // SAFETY: the path is a text.
    assert_eq!(unsafe { amxWriteTrace(device.handle, c_path(&path).as_ptr()) }, 1, "{}", message());
    drop(device);
    let trace = Trace::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(trace.steps.len(), 50);
    assert!(replay(&trace, trace.options).unwrap().differences.is_empty());
}

#[test]
fn devices_are_independent() {
    let devices: Vec<Device> = (0..4).map(|_| Device::open()).collect();
    std::thread::scope(|scope| {
        for (n, device) in devices.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..20 {
                    let constant = (100 * n + round) as f32;
                    let commands = position_pass(device, constant, device.at(OUTPUT));
                    device.wait(device.submit(COMMANDS, commands));
                    assert_eq!(device.read(device.at(OUTPUT), 16), position_row(constant));
                }
                assert_eq!(device.error(), None);
            });
        }
    });
}

#[test]
fn one_device_serves_many_threads() {
    let device = Device::open();
    let ids = Mutex::new(HashSet::new());
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let (device, ids) = (&device, &ids);
            scope.spawn(move || {
                for _ in 0..200 {
                    let id =
                        device.submit(0x1000 * thread, [Command::SetOutMask { mask: 0xF }, Command::FlushOutCache]);
                    assert!(id != 0 && ids.lock().unwrap().insert(id));
                    device.wait(id);
                }
            });
        }
    });
    assert_eq!(ids.into_inner().unwrap().len(), 800);
}

#[test]
fn closing_while_others_submit() {
    for _ in 0..20 {
        let device = Device::open();
        device.write(COMMANDS, &[0xC000_0900, 0]);
        let address = device.at(COMMANDS);
        let handle = device.handle.addr();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    let handle = ptr::without_provenance_mut(handle);
                    let mut submitted = 0;
                    loop {
                        let id = amSubmitCommandBuffer(handle, address, 2);
                        if id == 0 {
                            assert!(message().contains("not an open device"));
                            return submitted;
                        }
                        submitted += 1;
                        amxWaitCommandBuffer(handle, id);
                    }
                });
            }
            scope.spawn(move || drop(device));
        });
    }
}

#[test]
fn strict_mode_reports_what_is_missing() {
    let device = Device::with(&AMXoptions { strict: 1, ..options() });
    let commands = position_pass(&device, 1.0, device.at(OUTPUT));
    device.wait(device.submit(COMMANDS, commands.iter().copied()));
    assert_eq!(device.report(), None);
    // Another constant, but its cache is not invalidated.
    device.write(FLOATS, &[5.0f32.to_bits()]);
    let stale: Vec<_> = commands.iter().copied().filter(|command| *command != Command::InvConstfCache).collect();
    device.wait(device.submit(COMMANDS, stale));
    assert_eq!(device.read(device.at(OUTPUT), 16), position_row(1.0), "the cache still had the old one");
    // SAFETY: no buffer at all, or one that is too small.
    let needed = unsafe { amxGetReport(device.handle, ptr::null_mut(), 0) };
    let mut small = [0; 8];
    // SAFETY: the buffer has 8 bytes.
    assert_eq!(unsafe { amxGetReport(device.handle, small.as_mut_ptr(), 8) }, needed);
    let report = device.report().expect("a report that did not fit stays");
    assert_eq!(report.len() as u32 + 1, needed);
    assert!(report.contains("inv_constf_cache"), "{report}");
    assert_eq!(device.report(), None);
}

#[test]
fn texts_are_assembled_and_what_is_wrong_is_told() {
    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    extern "C" fn log(line: *const std::ffi::c_char) {
        // SAFETY: the library gives a text.
        LINES.lock().unwrap().push(unsafe { CStr::from_ptr(line) }.to_str().unwrap().to_owned());
    }
    let image = assemble(POSITION).unwrap();
    // SAFETY: the image is all there.
    unsafe { amuAsmDisassemble(image.as_ptr().cast(), Some(log)) };
    let text = std::mem::take(&mut *LINES.lock().unwrap()).concat();
    assert_eq!(assemble(&text).unwrap(), image);

    let wrong = "OUT : out[0].rgb = MAXX src0.rgb src0.rgb ;\nfoo";
    let (mut size, mut binary) = (0, ptr::null_mut());
    // SAFETY: all pointers are to living values.
    let done = unsafe { amuAsmAssemble(wrong.as_ptr().cast(), wrong.len() as u32, &mut size, &mut binary, Some(log)) };
    let lines = std::mem::take(&mut *LINES.lock().unwrap());
    assert!(done == 0 && binary.is_null());
    assert!(lines[0].starts_with("1:20: error: ") && lines[0].ends_with('\n'), "{lines:?}");
    assert!(message().contains(lines[0].trim_end()), "{}", message());
    assert!(assemble("OUT\u{e4}").is_err());

    let not_an_image = [0x41u8; 64];
    // SAFETY: NULL and 64 bytes are allowed, as are NULL functions and pointers.
    unsafe {
        amuAsmDisassemble(not_an_image.as_ptr().cast(), Some(log));
        amuAsmDisassemble(ptr::null(), Some(log));
        amuAsmDisassemble(image.as_ptr().cast(), None);
        assert_eq!(amuAsmAssemble(ptr::null(), 5, &mut size, &mut binary, None), 0);
        assert_eq!(amuAsmAssemble(c"".as_ptr(), 0, ptr::null_mut(), &mut binary, None), 0);
        assert_eq!(amuAsmAssemble(c"".as_ptr(), 0, &mut size, ptr::null_mut(), None), 0);
        assert_eq!(amuAsmAssemble(c"\xFF".as_ptr(), 1, &mut size, &mut binary, None), 0);
    }
    assert_eq!(message(), "source is not UTF-8 text");
    let lines = LINES.lock().unwrap();
    assert!(lines.len() == 2 && lines[0].starts_with("error: ") && lines[1] == "error: binary is NULL\n", "{lines:?}");
}

#[test]
fn constants_of_an_image_are_listed_and_set() {
    let image = assemble(
        ".const c1 = 1.0, -2.0, 0x7FC00001, 4.0
        .int i3 = 5, 6, -7
        .bool b2 = true
        .bool b3 = false
        REP i[3]; REP i[4]; ENDREP; ENDREP;
        IF b[2]; ELSE; ENDIF;
        IF b[3]; ELSE; ENDIF;
        IF b[31]; ELSE; ENDIF;
        OUT TEX_SEM_WAIT src0.rgb = const[1], src1.rgb = const[200] : out[0].rgb = MAX src0.rgb src1.rgb ;",
    )
    .unwrap();
    // SAFETY: the image is all there.
    let info = unsafe { amuABIExtractConstants(image.as_ptr().cast()) };
    // SAFETY: the list is as long as it says.
    let users = unsafe { std::slice::from_raw_parts(info.userConsts, info.userConstsCount as usize) };
    let users: Vec<_> = users
        .iter()
        .map(|user| {
            // SAFETY: a name ends with a NUL.
            let name = unsafe { CStr::from_ptr(user.name.str.as_ptr()) }.to_str().unwrap();
            (name, user.r#type, user.addr)
        })
        .collect();
    assert_eq!(users, [("c200", AMU_ABI_FLOAT32, 200), ("i4", AMU_ABI_INT32, 4), ("b31", AMU_ABI_BOOL32, 31)]);
    assert_eq!(info.litConstsCount, 4);

    let (mut floats, mut ints, mut bools) = ([9u32; 12], [0x0909_0909u32; 5], [0x0909_0909u32; 5]);
    // SAFETY: the lists are there, and the arrays hold the constants that have values.
    unsafe {
        let [f, i, b] = [floats.as_mut_ptr(), ints.as_mut_ptr(), bools.as_mut_ptr()].map(|array| array.cast());
        amuABISetLiteralConstants(info, ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        amuABISetLiteralConstants(info, f, i, b);
    }
    let expected = [1.0f32.to_bits(), (-2.0f32).to_bits(), 0x7FC0_0001, 4.0f32.to_bits()];
    assert_eq!(floats, [[9; 4], expected, [9; 4]].concat()[..]);
    assert_eq!(ints[3..], [u32::from_le_bytes([5, 6, 249, 0]), 0x0909_0909]);
    assert_eq!(bools, [0x0909_0909, 0x0909_0909, 0x0909_0901, 0x0909_0900, 0x0909_0909]);
    // SAFETY: the lists come from the library.
    unsafe {
        amxFree(info.userConsts.cast());
        amxFree(info.litConsts.cast());
    }

    let mut too_long = image.clone();
    too_long[28..32].copy_from_slice(&0xFFFF_0000u32.to_le_bytes());
    for bytes in [vec![0x7Fu8; 52], too_long] {
        // SAFETY: 52 bytes are there; an image that claims to be longer than images are is not read.
        let info = unsafe { amuABIExtractConstants(bytes.as_ptr().cast()) };
        assert!(info.userConsts.is_null() && info.litConsts.is_null());
        assert_eq!([info.userConstsCount, info.litConstsCount], [0; 2]);
        // SAFETY: empty lists are allowed.
        unsafe { amuABISetLiteralConstants(info, ptr::null_mut(), ptr::null_mut(), ptr::null_mut()) };
    }
    // SAFETY: NULL is an error that the function tells.
    assert_eq!(unsafe { amuABIExtractConstants(ptr::null()) }.litConstsCount, 0);
    assert_eq!(message(), "binary is NULL");
}

static COMPILED: Mutex<Vec<String>> = Mutex::new(Vec::new());

extern "C" fn log_compiled(line: *const std::ffi::c_char) {
    // SAFETY: the library gives a text with a NUL.
    COMPILED.lock().unwrap().push(unsafe { CStr::from_ptr(line) }.to_string_lossy().into_owned());
}

/// Compiles a text, with a list of macros; gives what the compiler gave, and the image.
fn compile(text: &CStr, macros: &[AMUcompMacro], entry: &CStr) -> (u32, u32, *mut std::ffi::c_void) {
    let (mut size, mut binary) = (77, ptr::null_mut());
    let length = text.to_bytes().len() as u32;
    // SAFETY: everything is as the function wants it.
    let done = unsafe {
        amuCompCompile(
            amuCompOpenCompiler(),
            text.as_ptr(),
            length,
            macros.as_ptr(),
            ptr::null(),
            entry.as_ptr(),
            &mut size,
            &mut binary,
            Some(log_compiled),
        )
    };
    (done, size, binary)
}

const PS3: [AMUcompMacro; 2] = [
    AMUcompMacro { name: c"AMU_LANG_PS3".as_ptr(), value: c"1".as_ptr() },
    AMUcompMacro { name: ptr::null(), value: ptr::null() },
];

#[test]
fn texts_of_pixel_shaders_are_compiled_and_what_is_wrong_is_told() {
    let text =
        c"ps_3_0\ndef c7, 0.1, 0, 0, 0.1\ndcl_2d s0\ndcl_texcoord1 v0.xy\ntexld r0, v0, s0\nmad oC0, r0, c7.x, c5\n";
    let (done, size, binary) = compile(text, &PS3, c"main");
    assert!(done == 1 && size > 100, "{}", message());
    // SAFETY: the image is one.
    let constants = unsafe { amuABIExtractConstants(binary) };
    assert_eq!((constants.userConstsCount, constants.litConstsCount), (1, 1));
    // SAFETY: the lists have an entry each.
    let (user, literal) = unsafe { (*constants.userConsts, *constants.litConsts) };
    assert_eq!((user.addr, user.r#type), (5, AMU_ABI_FLOAT32));
    assert_eq!((literal.addr, literal.r#type), (7, AMU_ABI_FLOAT32));
    // Without constants of a kind its pointer is not looked at: clients pass what was never set.
    let (mut floats, nowhere) = ([0f32; 32], ptr::without_provenance_mut(8));
    // SAFETY: constants 5 and 7 lie in the array, and there are no others.
    unsafe { amuABISetLiteralConstants(constants, floats.as_mut_ptr().cast(), nowhere, nowhere) };
    assert_eq!((floats[28], floats[20]), (0.1, 0.0));
    // SAFETY: the library gave them.
    unsafe {
        amxFree(binary);
        amxFree(constants.userConsts.cast());
        amxFree(constants.litConsts.cast());
    }

    COMPILED.lock().unwrap().clear();
    let (done, size, binary) = compile(c"ps_3_0\nmovv oC0, c0\n", &PS3, c"main");
    assert_eq!((done, size, binary.is_null()), (0, 77, true));
    assert_eq!(*COMPILED.lock().unwrap(), ["2:1: error: unknown instruction `movv` (did you mean `mov`?)\n"]);
    for (macros, entry, why) in
        [(&PS3[1..], c"main", "the definitions name no language"), (&PS3[..], c"other", "unknown entry \"other\"")]
    {
        assert_eq!(compile(c"ps_3_0\nmov oC0, c0\n", macros, entry).0, 0);
        assert!(message().starts_with(why), "{}", message());
    }
}

/// What the log was told. Other tests of the process are told to it as well.
static TOLD: Mutex<Vec<(AMuint32, String, usize)>> = Mutex::new(Vec::new());

unsafe extern "C" fn log(kind: AMuint32, text: *const std::ffi::c_char, user: *mut std::ffi::c_void) {
    // SAFETY: the library gives a text that ends with a NUL.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    TOLD.lock().unwrap().push((kind, text, user.addr()));
}

#[test]
fn the_log_is_told_errors_and_calls_that_fail() {
    let user = ptr::without_provenance_mut(77);
    // SAFETY: the function can be called from any thread, and does not look at `user`.
    unsafe { amxSetLog(Some(log), user) };
    // SAFETY: the name is a text, and the NULL is an error that the function tells.
    assert!(unsafe { amOpenManagedConnection(c"/dev/pcie4711".as_ptr(), ptr::null_mut()) }.is_null());
    let device = Device::open();
    device.write(COMMANDS, &[0x5EED_0001, 0]);
    let id = amSubmitCommandBuffer(device.handle, device.at(COMMANDS), 2);
    amxWaitCommandBuffer(device.handle, id);
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { amxGetError(device.handle, ptr::null_mut()) }, 1);
    let fault = message();
    // SAFETY: NULL ends it.
    unsafe { amxSetLog(None, ptr::null_mut()) };
    let told = TOLD.lock().unwrap();
    assert!(told.contains(&(AMX_LOG_ERROR, fault, 77)), "{told:?}");
    assert!(told.contains(&(AMX_LOG_CALL, "info is NULL".to_owned(), 77)), "{told:?}");
}
