//! Traces: recording, the file, replay.

use crate::common;

use common::Random;
use ctm_codegen::EngineName;
use ctm_device::{Client, Connection, Heap, Mismatch, Options, Pass, Trace, TraceError, replay};
use ctm_lane::budget::Limits;
use ctm_memory::{Format, Tiling};

const OPTIONS: Options = Options {
    local_bytes: 0x1000_0000,
    host_bytes: 0x1000_0000,
    engine: EngineName::Interp,
    group_width: 16,
    threads: 2,
    step_limit: 100_000,
    limits: Limits::DEFAULT,
    unfused: false,
    deterministic_clock: true,
    strict: false,
};

/// Two submissions; the host changes a constant between them. The second reads what the first wrote.
fn recorded(options: Options) -> Trace {
    let device = Connection::open_recording(options).unwrap();
    let mut client = Client::new(&device);
    let program = client.load(&common::program(common::ADD)).unwrap();
    let a = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, 64, 64).unwrap();
    let b = client.buffer(Heap::Local, Format::Float32_4, Tiling::Tiled, 64, 64).unwrap();
    let elements: Vec<[f32; 4]> = (0..64 * 64).map(|n| [n as f32, 1.0, -1.0, 0.25]).collect();
    client.write(&a, 64, &elements);
    device.write_words(program.constf, &[2f32.to_bits(); 4]).unwrap();
    client.run(&[Pass::new(program, 64, 64).input(0, a).output(0, b)]).unwrap();
    device.write_words(program.constf, &[3f32.to_bits(); 4]).unwrap();
    client.run(&[Pass::new(program, 32, 64).input(0, b).output(0, a)]).unwrap();
    device.take_trace().unwrap()
}

#[test]
fn a_trace_replays_with_any_engine_options() {
    let trace = recorded(OPTIONS);
    assert_eq!(trace.steps.len(), 2);
    let changed: usize = trace.steps.iter().flat_map(|step| &step.after).map(|patch| patch.bytes.len()).sum();
    let all = 64 * 64 * 16;
    assert!((all - 100..2 * all).contains(&changed), "{changed} bytes");
    let before: usize = trace.steps[1].before.iter().map(|patch| patch.bytes.len()).sum();
    assert!(before < 1000, "only the commands and the constant are new: {before} bytes");
    let engines = EngineName::available().map(|engine| Options { engine, ..trace.options });
    for options in engines
        .chain([Options { threads: 1, group_width: 1, ..trace.options }, Options { strict: true, ..trace.options }])
    {
        let result = replay(&trace, options).unwrap();
        assert_eq!((result.differences.as_slice(), result.submissions), (&[][..], 2), "{options:?}");
        assert_eq!((result.bytes_compared, result.reports.len()), (changed as u64, 0));
    }
    assert_eq!(recorded(Options { strict: true, ..OPTIONS }).steps, trace.steps, "strict mode records the same");
}

#[test]
fn differences_are_reported_with_their_location() {
    let trace = recorded(OPTIONS);
    let mut wrong = trace.clone();
    let patch = &mut wrong.steps[0].after[0];
    let at = patch.bytes.len() / 2;
    patch.bytes[at] ^= 0xFF;
    let expected = Mismatch::Memory {
        address: patch.address + at as u32,
        expected: patch.bytes[at],
        found: Some(patch.bytes[at] ^ 0xFF),
        bytes: 1,
    };
    let differences = replay(&wrong, wrong.options).unwrap().differences;
    assert_eq!((differences.len(), differences[0].step, &differences[0].mismatch), (1, 0, &expected));

    let mut wrong = trace.clone();
    let taken = wrong.steps[1].after.remove(0);
    let differences = replay(&wrong, wrong.options).unwrap().differences;
    let expected = Mismatch::Changed { address: taken.address, bytes: taken.bytes.len() };
    assert_eq!((differences.len(), differences[0].step, &differences[0].mismatch), (1, 1, &expected));

    let mut wrong = trace.clone();
    wrong.steps[1].fault = Some((5, 3));
    let differences = replay(&wrong, wrong.options).unwrap().differences;
    assert_eq!(differences[0].mismatch, Mismatch::Fault { expected: Some((5, 3)), found: None });
    assert_eq!(differences[0].to_string(), "submission 1: no error, the trace has error 5 (detail 3)");

    let limited = replay(&trace, Options { local_bytes: 0x800, ..trace.options }).unwrap().differences;
    assert!(limited.iter().any(|difference| matches!(difference.mismatch, Mismatch::Memory { found: None, .. })));
}

#[test]
fn the_file_keeps_everything() {
    let engine = EngineName::fastest();
    let mut trace = recorded(Options { engine, strict: true, unfused: true, step_limit: u64::MAX, ..OPTIONS });
    trace.steps[0].fault = Some((5, 77));
    let file = trace.to_bytes();
    assert_eq!(Trace::from_bytes(&file).unwrap(), trace);
    assert!(file.len() < 2 * 64 * 64 * 16 + 64 * 64 * 16 + 8000, "{} bytes", file.len());
}

/// What a device with any options records can be read.
#[test]
fn a_recorded_group_width_is_within_its_range() {
    for (width, recorded) in [(0, 1), (64, 64), (1 << 20, 256)] {
        let trace =
            Connection::open_recording(Options { group_width: width, ..OPTIONS }).unwrap().take_trace().unwrap();
        let read = Trace::from_bytes(&trace.to_bytes()).unwrap();
        assert_eq!(read.options.group_width, recorded);
    }
}

#[test]
fn damaged_files_are_refused() {
    let file = recorded(OPTIONS).to_bytes();
    assert_eq!(Trace::from_bytes(b"CTMTRAC"), Err(TraceError::Magic));
    assert_eq!(Trace::from_bytes(&[]), Err(TraceError::Magic));
    let mut version = file.clone();
    version[8] = 2;
    assert_eq!(Trace::from_bytes(&version), Err(TraceError::Version(2)));
    for length in (8..200).chain([file.len() - 1]) {
        assert!(Trace::from_bytes(&file[..length]).is_err(), "{length}");
    }
    let mut random = Random::new(3);
    for _ in 0..20 {
        let mut damaged = file.clone();
        let at = 12 + random.below(file.len() - 12);
        damaged[at] ^= 1 << random.below(8);
        assert!(matches!(Trace::from_bytes(&damaged), Err(TraceError::Checksum { .. })), "{at}");
    }
}

/// Files with a right checksum and wrong chunks: errors with their place, or traces that replay to some end.
#[test]
fn malformed_chunks_are_refused() {
    let checked = |body: &[u8]| {
        let sum = body
            .iter()
            .fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
        [body, &sum.to_le_bytes()].concat()
    };
    let chunk = |tag: &[u8; 4], content: &[u8]| [tag, &(content.len() as u32).to_le_bytes()[..], content].concat();
    let head = b"CTMTRACE\x01\0\0\0".to_vec();
    let options = chunk(b"OPTS", b"local_bytes=2048\nhost_bytes=4096\n");
    let file = |chunks: &[Vec<u8>]| checked(&[head.clone(), chunks.concat()].concat());
    let submit = chunk(b"SUBM", &[0, 0, 0, 0x80, 0, 0, 1, 0]);
    let error_at = |chunks: &[Vec<u8>]| Trace::from_bytes(&file(chunks)).unwrap_err().to_string();
    assert!(error_at(&[]).contains("byte 12"));
    assert!(error_at(&[chunk(b"WHAT", b"")]).contains("byte 12: unknown or unexpected chunk `WHAT`"));
    assert!(error_at(&[chunk(b"OPTS", b"colour=1\n")]).contains("malformed"));
    assert!(error_at(&[chunk(b"OPTS", b"threads\n")]).contains("malformed"));
    for (width, accepted) in [(0, false), (1, true), (256, true), (257, false), (u64::MAX, false)] {
        let read = Trace::from_bytes(&file(&[chunk(b"OPTS", format!("group_width={width}\n").as_bytes())]));
        match accepted {
            true => assert_eq!(read.unwrap().options.group_width as u64, width),
            false => assert_eq!(read, Err(TraceError::GroupWidth(width))),
        }
    }
    assert!(error_at(&[options.clone(), chunk(b"MEMO", b"123")]).contains("`MEMO` is malformed"));
    assert!(error_at(&[options.clone(), chunk(b"EXPE", b"123456")]).contains("unknown or unexpected chunk `EXPE`"));
    assert!(error_at(&[options.clone(), submit.clone(), chunk(b"FAUL", b"1234")]).contains("`FAUL` is malformed"));
    let mut cut = options.clone();
    cut.extend(b"MEMO\xFF\0\0\0");
    assert!(error_at(&[cut]).contains("255 bytes more"));
    let trace = Trace::from_bytes(&file(&[options, submit])).unwrap();
    assert_eq!(trace.steps[0].words, 0x1_0000);
    let result = replay(&trace, trace.options).unwrap();
    assert_eq!(result.differences.len(), 1, "zeros are not opcode: {result:?}");
}
