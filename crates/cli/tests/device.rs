//! Command buffers and traces of the CTM device on the command line.

use crate::common::{Folder, POSITION};
use ctm_codegen::EngineName;
use ctm_device::command::{Command, FormatCode, TilingCode, encode};
use ctm_device::{Connection, HOST_BASE, Options, Trace};
use ctm_object::elf;
use serde_json::Value;

const BUFFER: &str = "\
-- copy
set_inp_fmt input=0 base=0x80500000 format=FLOAT32_4 tiling=LINEAR pitch=64 height=64
set_cond_val value=0.5
start_program
";

#[test]
fn command_buffers_are_text_or_words() {
    let folder = Folder::new("buffers");
    folder.write("copy.ctmcb", BUFFER).ctm("asm copy.ctmcb").ok();
    let words: [u32; 9] = [0xC003_0B00, 0, 0x8050_0000, 0x0400_0040, 64, 0xC000_0600, 0x3F00_0000, 0xC000_0800, 0];
    assert_eq!(folder.read("copy.bin"), words.map(u32::to_le_bytes).concat());
    assert_eq!(folder.ctm("asm copy.ctmcb -o -").ok().0.stdout, folder.read("copy.bin"));

    let printed = folder.ctm("dis copy.bin --isa ctm").ok();
    assert_eq!(folder.ctm("dis copy.bin").ok().out(), printed.out(), "the first dword shows what the file is");
    assert_eq!(printed.out(), BUFFER.split_once('\n').unwrap().1);
    folder.write("again.ctmcb", printed.out()).ctm("asm again.ctmcb -o again.bin").ok();
    assert_eq!(folder.read("again.bin"), folder.read("copy.bin"));
}

#[test]
fn texts_of_command_buffers_are_checked_and_listed() {
    let folder = Folder::new("device-texts");
    folder.write("copy.ctmcb", BUFFER).ctm("asm copy.ctmcb").ok();
    folder.ctm("check copy.ctmcb").ok();
    assert_eq!(folder.ctm("dis copy.ctmcb").ok().out(), folder.ctm("dis copy.bin").ok().out());
    folder
        .write("wrong.ctmcb", "set_domains 0, 0, 7, 7\n")
        .ctm("check wrong.ctmcb")
        .fails(1, &["wrong.ctmcb:1:1", "set_domain"]);
    let cut = folder.read("copy.bin")[..8].to_vec();
    folder.write("cut.bin", cut).ctm("check cut.bin --isa ctm").fails(1, &["dword 0: set_inp_fmt needs", "1 error"]);
}

#[test]
fn fields_of_command_buffers() {
    let folder = Folder::new("buffer-fields");
    folder.write("copy.ctmcb", BUFFER).ctm("asm copy.ctmcb").ok();
    let listed: Value = serde_json::from_str(folder.ctm("dis copy.bin --json").ok().out()).unwrap();
    assert_eq!((&listed["isa"], listed["commands"].as_array().unwrap().len()), (&"ctm".into(), 3));
    let first = &listed["commands"][0];
    assert_eq!((&first["name"], &first["dword"]), (&"set_inp_fmt".into(), &0.into()));
    let fields = first["fields"].as_array().unwrap();
    let format = fields.iter().find(|field| field["name"] == "format").unwrap();
    assert_eq!((&format["is"], &format["value"], &format["dword"]), (&"FLOAT32_4".into(), &4.into(), &3.into()));
    let printed = folder.ctm("dis copy.bin --fields").ok();
    for part in
        ["0: set_inp_fmt input=0", "0xc0030b00", "FLOAT32_4", "0x80500000", "5: set_cond_val", "7: start_program"]
    {
        assert!(printed.out().contains(part), "{part}\n{}", printed.out());
    }
    folder.write("wrong.bin", [0xC000_0800u32, 0, 7].map(u32::to_le_bytes).concat());
    assert!(folder.ctm("dis wrong.bin --fields").ok().out().contains("dword 2: 0x00000007 is not an opcode"));
    let listed: Value = serde_json::from_str(folder.ctm("dis wrong.bin --json").ok().out()).unwrap();
    assert_eq!(listed["commands"][1]["dword"], 2);
}

#[test]
fn wrong_command_buffers_are_reported() {
    let folder = Folder::new("wrong-buffers");
    folder.write("wrong.ctmcb", "start_program\nset_domain i0=0 j0=0 i1=5000 j1=1\nstrat_program\n");
    folder.ctm("asm wrong.ctmcb").fails(1, &["wrong.ctmcb:2:", "`i1` is 5000", "`strat_program`"]);
    assert_eq!(folder.names(), ["wrong.ctmcb"]);
    folder.write("five.bin", [0; 5]);
    folder.ctm("dis five.bin --isa ctm").fails(1, &["five.bin", "5 bytes"]);
    folder.write("copy.bin", [0xC000_0800u32, 0].map(u32::to_le_bytes).concat());
    folder.ctm("dis copy.bin --words").fails(2, &["--words"]);
    for command in ["info", "run"] {
        folder.ctm(&format!("{command} copy.bin --isa ctm")).fails(2, &["not a program", "ctm dis"]);
    }
}

#[test]
fn a_run_leaves_a_trace_that_replays() {
    let folder = Folder::new("emitted");
    let twice = "
        .const c0 = 2.0
        TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
        IF b[1];
          src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
            temp[1].rgb = MAD src0.rgb src1.rgb src0.000, temp[1].a = MAD src0.a src1.a src0.0 ;
        ENDIF;
        OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
          out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = w = MAX src0.a src0.a ;";
    folder.write("position.x1k", POSITION).write("twice.x1k", twice);
    folder.ctm("run position.x1k --domain 33x17 -o position.npy --emit-trace position.ctmtrace").ok();
    folder
        .ctm("run twice.x1k --domain 33x17 --input 0=position.npy:tiled --const 0=3 --bconst 1=true --clear 7 -o twice.f32 --cond-output w.f32 --emit-trace twice.ctmtrace")
        .ok();
    for options in ["", "--threads 3 --group 5", "--strict"] {
        for file in ["position.ctmtrace", "twice.ctmtrace"] {
            let done = folder.ctm(&format!("replay {file} {options}")).ok();
            assert!(done.out().starts_with("1 submission, ") && !done.out().contains(" 0 bytes"), "{}", done.out());
        }
    }
    for engine in EngineName::available() {
        folder.ctm(&format!("replay twice.ctmtrace --engine {}", engine.name())).ok();
    }
    // The trace has the results that the run has: 33 x 17 elements of 16 bytes, one row after the other.
    let trace = Trace::from_bytes(&folder.read("twice.ctmtrace")).unwrap();
    let results = folder.read("twice.f32");
    let row = &results[33 * 16..2 * 33 * 16];
    let found = trace.steps[0].after.iter().any(|patch| patch.bytes.windows(row.len()).any(|bytes| bytes == row));
    assert!(found && row.iter().any(|&byte| byte != 0), "the second row of the output");
}

#[test]
fn traps_are_recorded() {
    let folder = Folder::new("trapped");
    let forever = "here: FC JUMP here, when = always ; OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.000 src0.000 ;";
    folder.write("forever.x1k", forever);
    folder
        .ctm("run forever.x1k --domain 4x4 --step-limit 100 -o out.npy --emit-trace t.ctmtrace")
        .fails(3, &["step limit"]);
    assert_eq!(folder.names(), ["forever.x1k", "t.ctmtrace"]);
    folder.ctm("replay t.ctmtrace").ok();
    let mut trace = Trace::from_bytes(&folder.read("t.ctmtrace")).unwrap();
    assert_eq!(trace.steps[0].fault, Some((5, 0)));
    trace.steps[0].fault = None;
    folder.write("t.ctmtrace", trace.to_bytes());
    folder.ctm("replay t.ctmtrace").fails(1, &["submission 0: error 5 (detail 0), the trace has no error"]);
}

#[test]
fn differences_are_shown() {
    let folder = Folder::new("differences");
    folder.write("position.x1k", POSITION);
    folder.ctm("run position.x1k --domain 8x8 --const 0=1 -o out.npy --emit-trace t.ctmtrace").ok();
    let mut trace = Trace::from_bytes(&folder.read("t.ctmtrace")).unwrap();
    let patch = &mut trace.steps[0].after[0];
    patch.bytes[3] ^= 1;
    let (address, byte) = (patch.address + 3, patch.bytes[3]);
    folder.write("t.ctmtrace", trace.to_bytes());
    let mismatch = format!("submission 0: {address:#010x} is {:#04x}, the trace has {byte:#04x}", byte ^ 1);
    folder.ctm("replay t.ctmtrace").fails(1, &[&mismatch, "not the same", "t.ctmtrace"]);
}

#[test]
fn files_that_are_no_trace_are_refused() {
    let folder = Folder::new("no-traces");
    folder.write("position.x1k", POSITION);
    folder.ctm("run position.x1k --domain 8x8 -o out.npy --emit-trace whole.ctmtrace").ok();
    let whole = folder.read("whole.ctmtrace");
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("empty", "").write("half", &whole[..whole.len() / 2]).write("damaged", damaged);
    folder.ctm("replay position.x1k").fails(1, &["position.x1k", "not a trace"]);
    folder.ctm("replay empty").fails(1, &["the file is empty"]);
    folder.ctm("replay half").fails(1, &["half", "trace"]);
    folder.ctm("replay damaged").fails(1, &["the trace is damaged"]);
    folder.ctm("replay missing").fails(1, &["cannot read 'missing'"]);
    folder.ctm("run position.x1k --domain 8x8 -o out.npy --emit-trace no/where").fails(1, &["cannot write 'no/where'"]);
}

#[test]
fn strict_replays_report_which_command_is_missing() {
    let folder = Folder::new("strict");
    folder.write("position.x1k", POSITION);
    folder.ctm("asm position.x1k").ok();
    let program = elf::read(&folder.read("position.elf")).unwrap();
    let device = Connection::open_recording(Options { local_bytes: 0x1000, ..Options::default() }).unwrap();
    let (format, tiling, pitch) = (FormatCode::Float32_4, TilingCode::Linear, 16);
    let words = encode([
        Command::SetInstFmt { base: HOST_BASE + 0x1000, format, tiling, pitch },
        Command::InvInstCache,
        Command::SetConstfFmt { base: HOST_BASE + 0x2000, format, tiling, pitch },
        Command::InvConstfCache,
        Command::SetOutFmt { output: 0, base: HOST_BASE + 0x4000, format, tiling, pitch, height: 16 },
        Command::StartProgram,
    ]);
    device.write_words(HOST_BASE, &words).unwrap();
    device.memory().write_bytes(HOST_BASE + 0x1000, &elf::write(&program)).unwrap();
    device.submit(HOST_BASE, words.len() as u32).unwrap();
    folder.write("client.ctmtrace", device.take_trace().unwrap().to_bytes());
    folder.ctm("replay client.ctmtrace").ok();
    folder.ctm("replay client.ctmtrace --strict").fails(1, &["submission 0, dword", "flush_out_cache is missing"]);
}
