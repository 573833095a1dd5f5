//! Strict mode: every cache and wait command that a client leaves out is found, and correct clients get no reports.

use crate::common::*;
use ctm_device::command::{Command, FormatCode, LocationCode, TestCode, parse};
use ctm_device::{LOCAL_BASE, Report};

const FLOAT4: FormatCode = FormatCode::Float32_4;
const A: u32 = LOCAL_BASE;
const B: u32 = LOCAL_BASE + 0x1_0000;

/// A correct client: two passes of output = input + constant, back and forth between two buffers, that also write the
/// conditional buffer and then run where it says; integer and boolean constants change between the two submissions.
fn submissions() -> [Vec<Command>; 2] {
    let pass = |from: u32, to: u32| {
        vec![
            input(0, from, FLOAT4),
            output(0, to, FLOAT4),
            Command::InvInpCache,
            Command::InvCondOutCache,
            Command::StartProgram,
            Command::FlushOutCache,
            Command::FlushCondOutCache,
            Command::WaitForIdle,
        ]
    };
    let setup = [
        SET_IMAGE,
        Command::InvInstCache,
        set_constf(CONSTF),
        Command::InvConstfCache,
        set_consti(CONSTI),
        Command::InvConstiCache,
        set_constb(CONSTB),
        Command::InvConstbCache,
        cond_out(COND, FormatCode::Float32_1),
        Command::SetCondVal { value: 2f32.to_bits() },
        Command::SetCondTest { test: TestCode::GreaterOrEqual },
        Command::SetCondLoc { location: LocationCode::Pe },
        Command::SetCondOutMask { mask: true },
        domain(16, 8),
    ];
    let submission = || [setup.to_vec(), pass(A, B), pass(B, A)].concat();
    [submission(), submission()]
}

/// The program of the client: out = in + c0, i0 times, if b0.
const PROGRAM: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    IF b[0] ;
      REP i[0] ;
        src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
          temp[1].rgb = MAD src0.rgb src0.111 src1.rgb, temp[1].a = MAD src0.a src0.1 src1.a ;
      ENDREP ;
    ENDIF ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
      out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;";

/// Plays the client with one command of one submission left out; what strict mode finds, and the result.
fn play(strict: bool, omitted: Option<(usize, usize)>) -> (Vec<Report>, Vec<f32>) {
    let mut rig = if strict { Rig::strict() } else { Rig::new() };
    for (n, mut commands) in submissions().into_iter().enumerate() {
        // Between submissions the host changes all that it may change.
        rig.load(&if n == 0 { PROGRAM.to_string() } else { PROGRAM.replace("const[0]", "const[1]") });
        rig.write(CONSTF, &[n as f32 + 1.0; 8]);
        rig.processor.memory().write_bytes(CONSTI, &[n as u8 + 2, 0, 0, 0]).unwrap();
        rig.processor.memory().write_bytes(CONSTB, &[1 - n as u8, 0, 0, 0]).unwrap();
        rig.write(A, &[5.0 + n as f32; 16 * 8 * 4]);
        rig.write(COND, &[n as f32 / 2.0 + 1.0; 16 * 8]);
        if let Some((submission, command)) = omitted
            && submission == n
        {
            commands.remove(command);
        }
        // Whatever the caches do, programs start.
        let result = rig.run(&commands);
        assert!(result.is_ok() || omitted.is_some(), "{result:?}");
    }
    let memory = rig.floats(A, 4).into_iter().chain(rig.floats(B, 4)).chain(rig.floats(COND, 1)).collect();
    (rig.take_reports(), memory)
}

#[test]
fn a_correct_client_gets_no_reports_and_the_same_results() {
    let (reports, strict) = play(true, None);
    assert_eq!(reports, []);
    let (_, coherent) = play(false, None);
    assert_eq!(strict, coherent);
    // The second time b0 is false, so both passes copy.
    assert_eq!(strict, [6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 2.0]);
}

/// Each cache and wait command of the client, left out: what is reported, in which submission. Where nothing is, the
/// command was not needed.
#[test]
fn each_omission_is_found() {
    let commands = &submissions()[0];
    let mut found = Vec::new();
    for submission in 0..2 {
        for (at, command) in commands.iter().enumerate() {
            let name = command.info().name;
            if !(name.starts_with("inv_") || name.starts_with("flush_") || name == "wait_for_idle") {
                continue;
            }
            let reports = play(true, Some((submission, at))).0;
            for report in &reports {
                let allowed = [name, "flush_out_cache", "flush_cond_out_cache"];
                assert!(allowed.contains(&report.missing), "{name} at {at} of {submission}: {report}");
            }
            let hit = reports.iter().any(|report| report.missing == name);
            let pass = usize::from(at > 21);
            found.push((submission, pass, name, hit));
        }
    }
    let missed: Vec<_> = found.iter().filter(|(.., hit)| !hit).map(|&(s, pass, name, _)| (s, pass, name)).collect();
    // A flush just before wait_for_idle is not needed, and a wait at the end of the buffer is not either. The conditional
    // buffer changes in the cache that reads it, so the second pass need not invalidate; the first must.
    let not_needed = [
        (0, 0, "flush_out_cache"),
        (0, 0, "flush_cond_out_cache"),
        (0, 1, "inv_cond_out_cache"),
        (0, 1, "flush_out_cache"),
        (0, 1, "flush_cond_out_cache"),
        (0, 1, "wait_for_idle"),
        (1, 0, "flush_out_cache"),
        (1, 0, "flush_cond_out_cache"),
        (1, 1, "inv_cond_out_cache"),
        (1, 1, "flush_out_cache"),
        (1, 1, "flush_cond_out_cache"),
        (1, 1, "wait_for_idle"),
    ];
    assert_eq!(missed, not_needed);
}

/// Runs a text on a strict device; the reports as (dword, missing command).
fn reports(rig: &mut Rig, text: &str) -> Vec<(usize, &'static str)> {
    let words = parse(text).unwrap_or_else(|problems| panic!("{problems:#?}")).words;
    let _ = rig.execute(1, &words);
    rig.take_reports().iter().map(|report| (report.offset, report.missing)).collect()
}

const SETUP: &str = "
    set_inst_fmt base=0x80010000
    inv_inst_cache
    set_inp_fmt input=0 base=0x80040000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8
    set_out_fmt output=0 base=0x10000000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8
    inv_inp_cache
    set_domain i0=0 j0=0 i1=15 j1=7
    start_program
";

#[test]
fn outputs_stay_back_until_they_are_flushed() {
    let mut rig = Rig::strict();
    rig.load(COPY);
    rig.write(INPUT, &[4.0; 512]);
    // 24 dwords, then the start of the second program, which reads what the first one has not flushed.
    let second = "
        wait_for_idle
        start_program
        set_inp_fmt input=0 base=0x10000000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8
        set_out_fmt output=0 base=0x10010000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8
        inv_inp_cache
        start_program
        flush_out_cache";
    rig.write(A, &[1.0; 512]);
    assert_eq!(reports(&mut rig, &format!("{SETUP}{second}")), [(28, "wait_for_idle")]);
    assert_eq!(rig.floats(B, 512), [4.0; 512], "the wait that was missing was made");

    let mut rig = Rig::strict();
    rig.load(COPY);
    rig.write(INPUT, &[4.0; 512]);
    rig.write(A, &[1.0; 512]);
    let set_both = "
        set_inp_fmt input=1 base=0x10000000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8
        set_out_fmt output=1 base=0x10010000 format=FLOAT32_4 tiling=LINEAR pitch=16 height=8";
    // The first program writes output 0; the second is another image that reads input 1 = output 0 of the first. No
    // format is set between the two, so nothing waits.
    rig.load(&both_ways());
    let found = reports(&mut rig, &format!("{set_both}{SETUP}inv_inp_cache\nstart_program\nflush_out_cache"));
    assert_eq!(found, [(36, "flush_out_cache")]);
    assert_eq!(rig.floats(B, 512), [1.0; 512], "the second program saw the old bytes");
    let found = reports(&mut rig, &format!("{set_both}{SETUP}flush_out_cache\nstart_program\nflush_out_cache"));
    assert_eq!(found, [], "nothing changed");
    rig.write(INPUT, &[6.0; 512]);
    let found = reports(&mut rig, &format!("{set_both}{SETUP}flush_out_cache\nstart_program\nflush_out_cache"));
    assert_eq!(found, [(36, "inv_inp_cache")]);
    assert_eq!(rig.floats(B, 512), [4.0; 512]);
    rig.write(INPUT, &[7.0; 512]);
    let found =
        reports(&mut rig, &format!("{set_both}{SETUP}flush_out_cache\ninv_inp_cache\nstart_program\nflush_out_cache"));
    assert_eq!(found, []);
    assert_eq!(rig.floats(B, 512), [7.0; 512]);
}

/// Output 0 = input 0, output 1 = input 1.
fn both_ways() -> String {
    COPY.to_string() + &COPY.replace("tex[0]", "tex[1]").replace("out[0]", "out[1]")
}

#[test]
fn a_buffer_that_ends_without_a_flush_is_reported_and_is_in_memory() {
    let mut rig = Rig::strict();
    rig.load(COPY);
    rig.write(INPUT, &[4.0; 512]);
    assert_eq!(reports(&mut rig, SETUP), [(24, "flush_out_cache")]);
    assert_eq!(rig.floats(OUTPUT, 512), [4.0; 512]);
    assert_eq!(reports(&mut rig, &format!("{SETUP}wait_for_idle")), []);
}

#[test]
fn caches_are_cold_at_first() {
    for left_out in ["inv_inst_cache", "inv_inp_cache"] {
        let mut rig = Rig::strict();
        rig.load(COPY);
        rig.write(INPUT, &[4.0; 512]);
        let without = SETUP.replace(left_out, "inv_cond_out_cache");
        assert_eq!(reports(&mut rig, &format!("{without}wait_for_idle")), [(22, left_out)]);
        assert_eq!(rig.floats(OUTPUT, 512), [0.0; 512], "memory was zero when the device was opened");
        assert_eq!(reports(&mut rig, &format!("{SETUP}flush_out_cache")), []);
        assert_eq!(rig.floats(OUTPUT, 512), [4.0; 512]);
    }
}

#[test]
fn the_conditional_cache_sees_its_own_writes_and_no_others() {
    let mut rig = Rig::strict();
    rig.load(POSITION);
    let setup = "
        set_inst_fmt base=0x80010000
        inv_inst_cache
        set_out_fmt output=0 base=0x10000000 format=FLOAT32_1 tiling=LINEAR pitch=16 height=8
        set_cond_out_fmt base=0x10040000 format=FLOAT32_1 tiling=LINEAR pitch=16 height=8
        set_domain i0=0 j0=0 i1=15 j1=7
        set_cond_loc location=PE
        set_cond_out_mask mask=1
        set_cond_val value=3
        set_cond_test test=GREATER
        inv_cond_out_cache
        start_program
    ";
    // The second program's test fails: 3 is not greater than what the first one wrote.
    let twice = format!("{setup}set_out_mask mask=0\nstart_program\nflush_out_cache\nflush_cond_out_cache");
    assert_eq!(reports(&mut rig, &twice), []);
    assert_eq!(rig.floats(COND, 128), [3.0; 128]);
    assert_eq!(reports(&mut rig, &format!("{setup}flush_out_cache")), []);
    rig.write(COND, &[1.0; 128]);
    let stale = setup.replace("inv_cond_out_cache", "set_out_mask mask=0xF");
    assert_eq!(reports(&mut rig, &format!("{stale}wait_for_idle")), [(29, "inv_cond_out_cache")]);
    assert_eq!(rig.floats(COND, 128), [1.0; 128], "the cache had 3, so no test passed");
    rig.write(COND, &[1.0; 128]);
    let lost = format!("{setup}inv_cond_out_cache\nwait_for_idle");
    assert_eq!(reports(&mut rig, &lost), [(31, "flush_cond_out_cache")]);
    assert_eq!(rig.floats(COND, 128), [3.0; 128]);
}

#[test]
fn uncached_writes_need_no_flush_but_later_reads_an_invalidation() {
    let mut rig = Rig::strict();
    rig.load(SCATTER);
    rig.load_at(IMAGE + 0x1000, COPY);
    let scatter = "
        set_inst_fmt base=0x80010000
        inv_inst_cache
        set_inp_fmt input=0 base=0x10000000 format=FLOAT32_1 tiling=LINEAR pitch=16 height=8
        set_out_fmt output=0 base=0x10000000 format=FLOAT32_1 tiling=LINEAR pitch=16 height=8
        inv_inp_cache
        set_domain i0=0 j0=0 i1=7 j1=7
        start_program
        wait_for_idle
        set_inst_fmt base=0x80011000
        set_out_fmt output=0 base=0x10010000 format=FLOAT32_1 tiling=LINEAR pitch=16 height=8
    ";
    let found = reports(&mut rig, &format!("{scatter}start_program\nwait_for_idle"));
    assert_eq!(found, [(34, "inv_inp_cache")]);
    assert_eq!(rig.floats(B, 128), [0.0; 128]);
    assert_eq!(reports(&mut rig, &format!("{scatter}inv_inp_cache\nstart_program\nflush_out_cache")), []);
    assert_eq!(rig.floats(B + 64, 3), [1.0, 65.0, 129.0]);
}

#[test]
fn outputs_without_a_bound_are_as_high_as_the_domain() {
    let mut rig = Rig::strict();
    rig.load(POSITION);
    let text = SETUP.replace(
        "FLOAT32_4 tiling=LINEAR pitch=16 height=8\n    inv",
        "FLOAT32_1 tiling=LINEAR pitch=16 height=0\n    inv",
    );
    assert_eq!(reports(&mut rig, &format!("{text}flush_out_cache")), []);
    assert_eq!(rig.floats(OUTPUT + 64 * 7, 16), (0..16).map(|i| i as f32).collect::<Vec<_>>());
}

#[test]
fn counters_change_memory_behind_the_caches() {
    let mut rig = Rig::strict();
    rig.load(COPY);
    let read = "init_perf_counters enable=1\nstart_perf_counters\nread_perf_counters base=0x80040000\nstart_program";
    // The counters replace these bytes at the beginning of the input, after the cache was invalidated.
    rig.write(INPUT, &[f32::NAN; 2]);
    let text = SETUP.replace("start_program", read);
    assert_eq!(reports(&mut rig, &format!("{text}\nflush_out_cache")), [(28, "inv_inp_cache")]);
    assert!(rig.floats(OUTPUT, 1)[0].is_nan(), "the program saw the old bytes");
}

#[test]
fn a_report_names_location_cause_and_remedy() {
    let mut rig = Rig::strict();
    rig.load(COPY);
    rig.write(INPUT, &[4.0; 512]);
    let words = parse(&SETUP.replace("inv_inp_cache", "flush_out_cache")).unwrap().words;
    rig.execute(7, &words).unwrap();
    let report = &rig.take_reports()[0];
    assert_eq!(
        report.to_string(),
        "buffer 7, dword 22: inv_inp_cache is missing: memory of input 0 changed at 0x80040002, but its cache still has \
         the old bytes (insert inv_inp_cache between the change and this command)"
    );
}

/// Random passes of a correct client: strict mode has nothing to say, and memory is as without it.
#[test]
fn random_correct_clients_get_no_reports() {
    use ctm_device::{LoadedProgram, Pass};
    use ctm_memory::{Format, Surface, Tiling};
    use ctm_x1k::{CondLocation, CondTest, Conditional};

    let mut random = Random::new(9);
    let mut rigs = [Rig::strict(), Rig::new()];
    let sources = [COPY, POSITION, POSITION_AND_VALUE, ADD, COUNT, CHOOSE, SCATTER];
    for rig in &rigs {
        for (n, source) in sources.iter().enumerate() {
            rig.load_at(IMAGE + 0x1000 * n as u32, source);
        }
    }
    for round in 0..300 {
        let mut bases: Vec<u32> = (0..6).map(|n| LOCAL_BASE + 0x4000 * n).chain([INPUT, INPUT + 0x4000]).collect();
        let mut surface = |random: &mut Random, formats: &[Format]| Surface {
            base: bases.swap_remove(random.below(bases.len())),
            pitch: 32,
            height: 16 + random.below(16) as u32,
            tiling: random.pick(&[Tiling::Linear, Tiling::Tiled]),
            superfine: false,
            format: random.pick(formats),
        };
        let n = random.below(sources.len());
        let output_formats: &[Format] = if sources[n] == SCATTER { &[Format::Float32_1] } else { &Format::ALL };
        let conditional = Conditional {
            test: random.pick(&CondTest::ALL),
            location: random.pick(&[CondLocation::Dpp, CondLocation::Pe]),
            write: random.below(2) == 0,
            surface: Some(surface(&mut random, &[Format::Float32_1, Format::Uint16_1, Format::Uint8_4])),
            pe_value: (random.below(9) as f32 / 4.0).to_bits(),
        };
        let program =
            LoadedProgram { image: IMAGE + 0x1000 * n as u32, constf: CONSTF, consti: CONSTI, constb: CONSTB };
        let pass = Pass::new(program, 1 + random.below(40) as u32, 1 + random.below(40) as u32)
            .input(0, surface(&mut random, &Format::ALL))
            .output(0, surface(&mut random, output_formats))
            .out_mask(random.below(16) as u8)
            .conditional(conditional);
        // The host changes a constant or an input now and then.
        let (address, value) = (random.pick(&[CONSTF, CONSTI, CONSTB, INPUT]), random.below(5) as f32);
        for rig in &mut rigs {
            rig.write(address, &[value; 8]);
            rig.run(&pass.commands()).unwrap();
        }
        assert_eq!(rigs[0].take_reports(), [], "round {round}: {pass:?}");
    }
    let memory = |rig: &Rig| rig.words(LOCAL_BASE, ARENA_BYTES as usize / 4);
    assert!(memory(&rigs[0]) == memory(&rigs[1]));
    assert!(memory(&rigs[0]).iter().filter(|&&word| word != 0).count() > 1000);
}
