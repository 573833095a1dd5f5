//! Connections: the copy program of the guide's command buffers end to end, ids, order, several threads and devices.

use crate::common;

use common::Random;
use ctm_codegen::EngineName;
use ctm_device::command::{Command, encode};
use ctm_device::{
    Client, ClientError, Connection, ErrorCode, HOST_BASE, Heap, LOCAL_BASE, OpenError, Options, Pass, SubmitError,
    command,
};
use ctm_lane::budget::Limits;
use ctm_memory::{Format, Surface, Tiling, linear_address, tiled_address};
use ctm_object::{elf, raw};
use ctm_x1k::{CondLocation, CondTest, Conditional, Program};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SMALL: Options = Options {
    local_bytes: 0x10_0000,
    host_bytes: 0x100_0000,
    engine: EngineName::Interp,
    group_width: 64,
    threads: 1,
    step_limit: 100_000,
    limits: Limits::DEFAULT,
    unfused: false,
    deterministic_clock: false,
    strict: false,
};

/// The copy program as words, and the 28 words that run it.
#[test]
fn the_copy_program_word_by_word() {
    const CODE: [u32; 12] = [
        0x0000_7807,
        0x0A40_0000,
        0xE401_E400,
        0,
        0,
        0, //
        0x0007_8005,
        0x0802_0001,
        0x0802_0001,
        0x1C44_0220,
        0x1C60_C003,
        0x2049_0005,
    ];
    const BUFFER: [u32; 28] = [
        0xC001_0A00,
        0x8010_0000,
        0, //
        0xC003_0B00,
        0,
        0x8050_0000,
        0x0400_0040,
        0x40, //
        0xC003_0C00,
        0,
        0x1000_0000,
        0x0401_0040,
        0x40, //
        0xC000_1600,
        0, //
        0xC000_1100,
        0, //
        0xC003_0700,
        0,
        0,
        0x3F,
        0x3F, //
        0xC000_0800,
        0, //
        0xC000_1700,
        0, //
        0xC000_0900,
        0,
    ];
    for strict in [false, true] {
        let device = Connection::open(Options { strict, ..SMALL }).unwrap();
        let code: Vec<u8> = CODE.into_iter().flat_map(u32::to_le_bytes).collect();
        let program = Program::from_code(raw::read_words(&code).unwrap());
        device.memory().write_bytes(0x8010_0000, &elf::write(&program)).unwrap();
        let mut random = Random::new(1);
        let elements: Vec<u32> = (0..4 * 64 * 64).map(|_| random.bits()).collect();
        device.write_words(0x8050_0000, &elements).unwrap();
        device.write_words(HOST_BASE, &BUFFER).unwrap();
        let id = device.submit(HOST_BASE, BUFFER.len() as u32).unwrap();
        device.wait(id);
        assert_eq!(device.take_fault(), None);
        assert_eq!(device.take_reports(), []);
        for (x, y) in (0..64 * 64).map(|n| (n % 64, n / 64)) {
            let from = linear_address(x, y, 64, 0x8050_0000, 16);
            assert_eq!(from, 0x8050_0000 + 16 * (64 * y + x));
            let to = tiled_address(x, y, 64, 0x1000_0000, 16);
            assert_eq!(device.read_words(to, 4).unwrap(), device.read_words(from, 4).unwrap(), "({x}, {y})");
        }
    }
}

#[test]
fn bad_submissions_are_refused() {
    let device = Connection::open(SMALL).unwrap();
    let end = HOST_BASE + SMALL.host_bytes;
    assert_eq!(device.submit(HOST_BASE, 0), Err(SubmitError::Empty));
    assert_eq!(device.submit(HOST_BASE + 2, 1), Err(SubmitError::Misaligned(HOST_BASE + 2)));
    for (address, words) in
        [(LOCAL_BASE, 2), (0, 2), (end, 1), (end - 4, 2), (HOST_BASE, 0x4000_0001), (HOST_BASE, u32::MAX)]
    {
        assert_eq!(device.submit(address, words), Err(SubmitError::Outside { address, words }));
    }
    assert!(device.submit(end - 8, 2).is_ok());
}

#[test]
fn reads_outside_of_memory_take_none_of_the_hosts() {
    let device = Connection::open(SMALL).unwrap();
    for count in [SMALL.host_bytes as usize / 4 + 1, usize::MAX / 4, usize::MAX] {
        let error = device.read_words(HOST_BASE, count).unwrap_err();
        assert_eq!((error.address, error.length), (HOST_BASE, count.saturating_mul(4)));
    }
}

#[test]
fn bad_memory_sizes_are_refused() {
    let open = |local_bytes, host_bytes| Connection::open(Options { local_bytes, host_bytes, ..SMALL }).unwrap_err();
    assert_eq!(open(0x7000_0800, 0x800), OpenError::LocalBytes(0x7000_0800));
    assert_eq!(open(0x800, 0x4000_0800), OpenError::HostBytes(0x4000_0800));
    assert!(matches!(open(0x800, 0), OpenError::Arena(_)));
    assert!(matches!(open(0x801, 0x800), OpenError::Arena(_)));
    let most = Options { local_bytes: 0x7000_0000, host_bytes: 0x4000_0000, ..SMALL };
    Connection::open(most).unwrap();
}

#[test]
fn ids_are_unique_and_unknown_ids_are_consumed() {
    let device = Connection::open(SMALL).unwrap();
    device.write_words(HOST_BASE, &encode([Command::WaitForIdle])).unwrap();
    assert!([0, 1, 2, u32::MAX].into_iter().all(|id| device.consumed(id)));
    let ids: Vec<_> = (0..1000).map(|_| device.submit(HOST_BASE, 2).unwrap()).collect();
    let mut numbers: Vec<_> = ids.iter().map(|id| id.get()).collect();
    assert!(!numbers.contains(&0));
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 1000);
    device.wait(ids[999]);
    assert!(numbers.iter().all(|&id| device.consumed(id)), "buffers are consumed in order");
}

#[test]
fn a_running_buffer_is_not_consumed_and_closing_waits_for_it() {
    let device = Connection::open(Options { step_limit: u64::MAX, ..SMALL }).unwrap();
    let memory = device.memory().clone();
    let mut client = Client::new(&device);
    let waiting = client.load(&common::program(common::WAIT_FOR_HOST)).unwrap();
    let position = client.load(&common::program(common::POSITION)).unwrap();
    let [flag, echo, output] =
        [(); 3].map(|()| client.buffer(Heap::Host, Format::Float32_1, Tiling::Linear, 64, 1).unwrap());
    let first = Pass::new(waiting, 1, 1).input(0, flag).output(0, echo);
    let second = Pass::new(position, 64, 1).output(0, output);
    let submit = |address, pass: &Pass| {
        let words = encode(pass.commands());
        device.write_words(address, &words).unwrap();
        device.submit(address, words.len() as u32).unwrap()
    };
    let ids = [submit(HOST_BASE, &first), submit(HOST_BASE + 0x800, &second)];
    assert!(ids.iter().all(|id| !device.consumed(id.get())), "the program waits for the host");
    assert!(device.consumed(ids[1].get() + 1) && device.consumed(u32::MAX));
    client.write(&flag, 1, &[[2.5; 4]]);
    drop(device);
    let read = |address| {
        let mut bytes = [0; 4];
        memory.read_bytes(address, &mut bytes).unwrap();
        f32::from_le_bytes(bytes)
    };
    assert_eq!(read(echo.base), 2.5);
    assert_eq!(read(output.base + 4 * 63), 63.0, "what was queued ran before the device closed");
}

#[test]
fn faults_are_sticky_until_taken() {
    let device = Connection::open(SMALL).unwrap();
    device.write_words(HOST_BASE, &[0xC000_1900, 1, 7]).unwrap();
    device.write_words(HOST_BASE + 64, &encode([Command::WaitForIdle, Command::StartProgram])).unwrap();
    let first = device.submit(HOST_BASE, 3).unwrap();
    let second = device.submit(HOST_BASE + 64, 4).unwrap();
    device.wait(second);
    let fault = device.take_fault().unwrap();
    assert_eq!((fault.code(), fault.detail(), fault.buffer), (ErrorCode::Opcode, 2, first.get()));
    assert_eq!(device.take_fault(), None);
    device.wait(device.submit(HOST_BASE + 64, 4).unwrap());
    let fault = device.take_fault().unwrap();
    assert_eq!((fault.code(), fault.detail()), (ErrorCode::Program, 2));
}

/// Every buffer appends its own number after the last one, by a program that adds: out[n] = in[n - 1] * 1 + c, so one
/// that is lost or out of place changes all that follow.
#[test]
fn thousands_of_submissions_from_several_threads() {
    const THREADS: u32 = 4;
    const EACH: u32 = 1500;
    let device = Connection::open(SMALL).unwrap();
    let mut client = Client::new(&device);
    // cell = cell * 0.5 + c0: the order of the submissions can be told from the result.
    let program = client
        .load(&common::program(
            "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
             OUT TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = const[0] :
               out[0].rgb = MAD src0.rgb src0.hhh src1.rgb, out[0].a = MAX src0.0 src0.0 ;",
        ))
        .unwrap();
    let cell = client.buffer(Heap::Local, Format::Float32_4, Tiling::Linear, 4, 1).unwrap();
    let pass = Pass::new(program, 1, 1).input(0, cell).output(0, cell);
    // A command buffer and a constant for each of 8 values.
    let buffers: Vec<(u32, u32)> = (0..8)
        .map(|value| {
            let constants = client.allocate(Heap::Host, 4096).unwrap();
            device.write_words(constants, &[(value as f32).to_bits(); 4]).unwrap();
            let mut commands = pass.commands();
            for command in &mut commands {
                if let Command::SetConstfFmt { base, .. } = command {
                    *base = constants;
                }
            }
            let words = encode(commands);
            let address = client.allocate(Heap::Host, 4 * words.len() as u64).unwrap();
            device.write_words(address, &words).unwrap();
            (address, words.len() as u32)
        })
        .collect();
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (device, order, buffers) = (&device, &order, &buffers);
            scope.spawn(move || {
                let mut random = Random::new(thread.into());
                for n in 0..EACH {
                    let value = random.below(8);
                    let (address, words) = buffers[value];
                    // Within the lock, so that the test knows the order.
                    let mut order = order.lock().unwrap();
                    let id = device.submit(address, words).unwrap();
                    order.push((id.get(), value));
                    drop(order);
                    if n % 97 == 0 {
                        device.wait(id);
                        assert!(device.consumed(id.get()));
                    }
                }
            });
        }
    });
    device.wait_all();
    assert_eq!(device.take_fault(), None);
    let order = order.into_inner().unwrap();
    assert_eq!(order.len() as u32, THREADS * EACH);
    assert!(order.windows(2).all(|pair| pair[0].0 < pair[1].0), "ids count up in the order of submission");
    let expected = order.iter().fold(0f32, |cell, &(_, value)| cell * 0.5 + value as f32);
    assert_eq!(client.read(&cell, 1, 1)[0][0], expected);
}

#[test]
fn a_client_gets_an_error_when_memory_or_commands_do_not_fit() {
    let device = Connection::open(SMALL).unwrap();
    let mut client = Client::new(&device);
    let all = client.allocate(Heap::Local, SMALL.local_bytes.into()).unwrap();
    assert_eq!(all, LOCAL_BASE);
    assert_eq!(client.allocate(Heap::Local, 1), Err(ClientError::Full { bytes: 1 }));
    let huge = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, 4096, 4096);
    assert_eq!(huge, Err(ClientError::Full { bytes: 4096 * 4096 * 16 }));
    let program = client.load(&common::program(common::POSITION)).unwrap();
    let error = client.run(&vec![Pass::new(program, 1, 1); 2000]).unwrap_err();
    assert!(matches!(error, ClientError::TooManyPasses { passes: 2000 }), "{error}");
    let error = client.run(&[Pass::new(program, 1, 1)]).unwrap_err();
    assert!(error.to_string().contains("output 0"), "{error}");
}

#[test]
fn devices_are_independent() {
    let devices: Vec<_> = (0..3).map(|_| Connection::open(SMALL).unwrap()).collect();
    std::thread::scope(|scope| {
        for (n, device) in devices.iter().enumerate() {
            scope.spawn(move || {
                let mut client = Client::new(device);
                let program = client.load(&common::program(common::ADD)).unwrap();
                device.write_words(program.constf, &[(n as f32).to_bits(); 4]).unwrap();
                let surface = client.buffer(Heap::Local, Format::Float32_4, Tiling::Tiled, 16, 16).unwrap();
                let pass = Pass::new(program, 16, 16).input(0, surface).output(0, surface);
                for _ in 0..20 {
                    client.run(std::slice::from_ref(&pass)).unwrap();
                }
                assert_eq!(client.read(&surface, 16, 16), vec![[20.0 * n as f32; 4]; 256]);
            });
        }
    });
}

#[test]
fn the_host_may_touch_memory_at_any_time() {
    let device = Connection::open(Options { threads: 2, ..SMALL }).unwrap();
    let mut client = Client::new(&device);
    let program = client.load(&common::program(common::COPY)).unwrap();
    let from = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, 64, 64).unwrap();
    let to = client.buffer(Heap::Host, Format::Float32_4, Tiling::Tiled, 64, 64).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut value = 1.0;
            while !done.load(Ordering::Relaxed) {
                client.write(&from, 64, &[[value; 4]; 64 * 64]);
                value += 1.0;
            }
        });
        for _ in 0..30 {
            client.run(&[Pass::new(program, 64, 64).input(0, from).output(0, to)]).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(client.read(&to, 64, 64).iter().flatten().all(|value| value.fract() == 0.0 && *value >= 0.0));
}

/// Sparse update through the conditional unit: only where the buffer holds a mark does the program run.
#[test]
fn a_sparse_update_with_the_client() {
    let device = Connection::open(Options { strict: true, ..SMALL }).unwrap();
    let mut client = Client::new(&device);
    let program = client.load(&common::program(common::POSITION)).unwrap();
    let marks = client.buffer(Heap::Host, Format::Float32_1, Tiling::Linear, 64, 64).unwrap();
    let output = client.buffer(Heap::Local, Format::Float32_2, Tiling::Tiled, 64, 64).unwrap();
    let marked = |x: usize, y: usize| (x * y) % 7 == 3;
    let elements: Vec<[f32; 4]> =
        (0..64 * 64).map(|n| if marked(n % 64, n / 64) { [1.0; 4] } else { [0.0; 4] }).collect();
    client.write(&marks, 64, &elements);
    let conditional = Conditional {
        test: CondTest::Equal,
        location: CondLocation::Pe,
        write: false,
        surface: Some(Surface { ..marks }),
        pe_value: 1f32.to_bits(),
    };
    client.run(&[Pass::new(program, 64, 64).output(0, output).conditional(conditional)]).unwrap();
    for (n, element) in client.read(&output, 64, 64).into_iter().enumerate() {
        let (x, y) = (n % 64, n / 64);
        let expected = if marked(x, y) { [x as f32, y as f32] } else { [0.0; 2] };
        assert_eq!(element[..2], expected, "({x}, {y})");
    }
    assert_eq!(device.take_reports(), []);
    assert!(command::print(&encode(Pass::new(program, 1, 1).commands())).contains("set_cond_test test=ALWAYS"));
}

/// A program that waits for ever is ended, and the device goes on with the next.
#[test]
fn a_program_that_never_ends_is_an_error_and_the_device_goes_on() {
    for engine in EngineName::available() {
        let device = Connection::open(Options { step_limit: u64::MAX, engine, ..SMALL }).unwrap();
        let mut client = Client::new(&device);
        let waiting = client.load(&common::program(common::WAIT_FOR_HOST)).unwrap();
        let position = client.load(&common::program(common::POSITION)).unwrap();
        let [flag, echo, output] =
            [(); 3].map(|()| client.buffer(Heap::Host, Format::Float32_1, Tiling::Linear, 64, 1).unwrap());
        let time = Some(Duration::from_millis(100));
        let instructions = Limits { instructions: 1 << 20, ..Limits::DEFAULT };
        for (limits, expected) in [
            (Limits { run_time: time, ..Limits::DEFAULT }, "deadline"),
            (Limits { group_time: time, ..Limits::DEFAULT }, "0.1 s"),
            (instructions, "more instructions"),
        ] {
            device.set_limits(limits);
            let start = Instant::now();
            let error = client.run(&[Pass::new(waiting, 1, 1).input(0, flag).output(0, echo)]).unwrap_err();
            let ClientError::Device(fault) = error else { panic!("{engine:?}: {error}") };
            assert_eq!(fault.code(), ErrorCode::Limit, "{engine:?}: {fault}");
            assert!(fault.to_string().contains(expected), "{engine:?}: {fault}");
            assert!(start.elapsed() < Duration::from_secs(60), "{engine:?}: {:?}", start.elapsed());
            device.set_limits(Limits::DEFAULT);
            client.run(&[Pass::new(position, 64, 1).output(0, output)]).unwrap();
        }
    }
}
