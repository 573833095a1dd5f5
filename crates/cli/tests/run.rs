//! `ctm run`: data in, data out.

use crate::common;

use common::{Folder, POSITION, floats};
use ctm_codegen::EngineName;
use ctm_lane::Function;
use serde_json::Value;

/// Writes input 0 times c0, except where its red is negative; keeps there what the output held.
const SCALE: &str = "\
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgba ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = TEXKILL tex[0].rgba temp[1].rrrr ;
OUT TEX_SEM_WAIT
  src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
  out[0].rgb = MAD src0.rgb src1.rgb src0.000,
  out[0].a = MAD src0.a src1.a src0.0 ;
";

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The bytes of a `.npy` file of little-endian values.
fn npy(kind: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    header += &" ".repeat(64 - (header.len() + 11) % 64);
    header.push('\n');
    [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), values].concat()
}

/// The values of a `.npy` file, and its header.
fn values_of_npy(file: &[u8]) -> (String, &[u8]) {
    let start = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    (String::from_utf8_lossy(&file[10..start]).into_owned(), &file[start..])
}

#[test]
fn a_picture_in_one_go() {
    let folder = Folder::new("one-go");
    folder.write("position.x1k", POSITION);
    let report = folder.ctm("run position.x1k --const 0=0,0,0,0 --tonemap 0,511 -o out.png").ok();
    assert!(report.err().contains("the domain is 512x512"), "{}", report.err());
    let picture = folder.read("out.png");
    assert_eq!(
        (&picture[..8], &picture[16..24]),
        (b"\x89PNG\r\n\x1a\n".as_slice(), [0, 0, 2, 0, 0, 0, 2, 0].as_slice())
    );
    assert_eq!(folder.names(), ["out.png", "position.x1k"]);
}

#[test]
fn constants_from_every_side() {
    let folder = Folder::new("constants");
    folder.write("position.x1k", format!(".const c0 = 1.0, 1.0, 1.0, 1.0\n{POSITION}"));
    let run = |options: &str| {
        folder.ctm(&format!("run position.x1k --domain 3x2 -o out.f32 {options}")).ok();
        folder.read_floats("out.f32")[4 * 5..].to_vec()
    };
    assert_eq!(run(""), [3.0, 2.0, 3.0, 2.0]);
    folder.write("c.f32", bytes(&[10.0, 20.0, 30.0, 40.0, 9.0, 9.0, 9.0, 9.0]));
    assert_eq!(run("--consts c.f32"), [12.0, 21.0, 32.0, 41.0]);
    folder.write("c.npy", npy("<f4", "1, 4", &bytes(&[10.0, 20.0, 30.0, 40.0])));
    assert_eq!(run("--consts c.npy"), [12.0, 21.0, 32.0, 41.0]);
    assert_eq!(run("--consts c.f32 --const 0=-1,0x1p-1,1e1,inf"), [1.0, 1.5, 12.0, f32::INFINITY]);
    folder.write("c.png", [0; 16]);
    folder.ctm("run position.x1k --domain 3x2 --consts c.png -o out.f32").fails(1, &["c.png", "is a picture"]);
}

const LOOP: &str = "\
FC ALU_WAIT JUMP after, when = b[3], stay = none, jump = none ;
LOOP i[2];
  src0.rgb = temp[0], src1.rgb = temp[1 + aL] : temp[3].r = MAD src0.1__ src0.1__ src1.0__ ;
  src0.rgb = temp[2] : temp[2].r = MAD src0.1__ src0.1__ src0.r__ ;
ENDLOOP;
after:
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.r00 src0.r00 ;
";

#[test]
fn integer_and_boolean_constants() {
    let folder = Folder::new("loop-constants");
    folder.write("loop.x1k", LOOP);
    let run = |options: &str| {
        let done = folder.ctm(&format!("run loop.x1k --domain 1x1 -o out.f32 {options}")).ok();
        (folder.read_floats("out.f32")[0], done.err().to_string())
    };
    assert_eq!(run("--iconst 2=7,0,1 --bconst 3=false"), (7.0, String::new()));
    assert_eq!(run("--iconst 2=7 --bconst 3=true"), (0.0, String::new()));
    let (value, report) = run("");
    assert_eq!(value, 0.0);
    assert!(
        report.contains("reads i2") && report.contains("--iconst 2=") && report.contains("--bconst 3="),
        "{report}"
    );
}

#[test]
fn inputs_of_every_kind_and_what_outputs_held_before() {
    let folder = Folder::new("kinds");
    folder.write("scale.x1k", SCALE);
    let run = |options: &str| {
        folder.ctm(&format!("run scale.x1k --domain 2x1 --const 0=2 --clear 7,8,9,10 -o out.f32 {options}")).ok();
        folder.read_floats("out.f32")
    };
    folder.write("in.f32", bytes(&[1.0, 2.0, 3.0, 4.0, -1.0, 2.0, 3.0, 4.0]));
    assert_eq!(run("--input 0=in.f32:2x1x4"), [2.0, 4.0, 6.0, 8.0, 7.0, 8.0, 9.0, 10.0]);
    assert_eq!(run("--input 0=in.f32:2x1x4:tiled"), [2.0, 4.0, 6.0, 8.0, 7.0, 8.0, 9.0, 10.0]);
    folder.write("in.npy", npy("<f4", "1, 2", &bytes(&[0.5, 1.5])));
    assert_eq!(run("--input 0=in.npy"), [1.0, 2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 2.0]);
    folder.write("in.npy", npy("|u1", "1, 2, 4", &[255, 0, 255, 0, 51, 255, 0, 255]));
    assert_eq!(run("--input 0=in.npy"), [2.0, 0.0, 2.0, 0.0, 0.4, 2.0, 0.0, 2.0]);
    folder.write("in.npy", npy("<u2", "1, 2", &[255, 255, 0x33, 0x33]));
    assert_eq!(run("--input 0=in.npy"), [2.0, 2.0, 2.0, 2.0, 0.4, 2.0, 2.0, 2.0]);
}

#[test]
fn pictures_pass_through_unchanged() {
    let folder = Folder::new("pictures");
    folder.write("position.x1k", POSITION).write("scale.x1k", SCALE);
    folder.ctm("run position.x1k --domain 20x10 --const 0=0 --tonemap 0,19 -o first.png").ok();
    folder.ctm("run scale.x1k --domain 20x10 --const 0=1 --input 0=first.png -o second.png").ok();
    assert_eq!(folder.read("first.png"), folder.read("second.png"));
}

#[test]
fn outputs_of_every_format() {
    let folder = Folder::new("formats");
    folder.write("position.x1k", POSITION);
    for (format, kind, shape, expected) in [
        ("float32_4", "<f4", "1, 3, 4, )", bytes(&[0.25, 0.5, 0.0, 1.0])),
        ("float32_2", "<f4", "1, 3, 2, )", bytes(&[0.25, 0.5])),
        ("FLOAT32_1", "<f4", "(1, 3, )", bytes(&[0.25])),
        ("uint8_4", "|u1", "1, 3, 4, )", vec![64, 128, 0, 255]),
        ("uint16_1", "<u2", "(1, 3, )", vec![0, 64]),
    ] {
        folder
            .ctm(&format!(
                "run position.x1k --domain 3x1 --const 0=0.25,0.5,0,0 --output 0=out.npy --output-format 0={format}"
            ))
            .ok();
        let file = folder.read("out.npy");
        let (header, values) = values_of_npy(&file);
        assert!(header.contains(kind) && header.contains(shape), "{format}: {header}");
        assert_eq!(&values[..expected.len()], expected, "{format}");
    }
    let done = folder.ctm("run position.x1k --domain 3x1 --const 0=0 --clear 5 -o out.npy:2x2x1").ok();
    assert!(done.err().contains("output 0 (2x2) is smaller than the domain (3x1)"), "{}", done.err());
    let file = folder.read("out.npy");
    let (header, values) = values_of_npy(&file);
    assert!(header.contains("(2, 2, )"), "{header}");
    assert_eq!(floats(values), [0.0, 1.0, 5.0, 5.0]);
}

const COND: &str = "\
OUT TEX_SEM_WAIT
  src0.rgb = temp[0], src0.a = temp[0] :
  out[0].rgb = MAX src0.rgb src0.rgb,
  w = MAX src0.g src0.g ;
";

#[test]
fn conditional_values_get_a_file_of_their_own() {
    let folder = Folder::new("conditional");
    folder.write("cond.x1k", COND);
    folder.ctm("run cond.x1k --domain 2x3 --cond-output w.f32 -o out.f32").ok();
    assert_eq!(folder.read_floats("w.f32"), [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    folder.write("position.x1k", POSITION);
    let report = folder.ctm("run position.x1k --domain 2x1 --const 0=0 --cond-output w.npy").ok();
    assert!(report.err().contains("no conditional value"), "{}", report.err());
}

const COUNT: &str = "\
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].r = LD tex[0].rgba temp[2].rgba ;
OUT TEX_SEM_WAIT src0.rgb = temp[1] :
  umrt[per_processor_idx_tex_sem_acquire].rgb = MAD src0.r00 src0.1__ src0.100,
  umrt[per_processor_idx_tex_sem_acquire].a = MAX src0.0 src0.0 ;
OUT TEX_SEM_WAIT : ;
";

#[test]
fn an_input_reads_what_an_output_holds() {
    let folder = Folder::new("read-back");
    folder.write("count.x1k", COUNT);
    folder.ctm("run count.x1k --domain 1x1 --input 0=@0 --clear 41 --output 0=out.f32:1x1x1").ok();
    assert_eq!(folder.read_floats("out.f32"), [42.0]);
}

/// Adds 1 to element (5, 0) of output 0, and writes the sum to (0, 0) as well.
const COUNT_BESIDE: &str = "\
TEX_SEM_WAIT src0.rgb = const(5.0, 0.0, 0.0, 0.0) : temp[2].r = MAX src0.rgb src0.rgb ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].r = LD tex[0].rgba temp[2].rgba ;
TEX_SEM_WAIT src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;
OUT src0.rgb = temp[1], src1.rgb = temp[2] :
  umrt[per_processor_idx].rgb = MAD src0.r00 src0.111 src1.0r0, umrt[per_processor_idx].a = MAD src0.0 src0.0 src0.0 ;
OUT TEX_SEM_WAIT src0.rgb = temp[1] :
  umrt[per_processor_idx].rgb = MAD src0.r00 src0.111 src0.000, umrt[per_processor_idx].a = MAD src0.0 src0.0 src0.0 ;
";

/// The surface of one element has a pitch of eight.
#[test]
fn every_repetition_starts_from_the_same_memory() {
    let folder = Folder::new("repeat");
    folder.write("count.x1k", COUNT_BESIDE);
    folder.ctm("run count.x1k --domain 1x1 --input 0=@0 --clear 41 --output 0=out.f32 --repeat 3").ok();
    assert_eq!(folder.read_floats("out.f32"), [42.0]);
}

#[test]
fn scaled_lookups_in_widened_surfaces_are_reported() {
    let folder = Folder::new("widened");
    let look_up =
        |flags: &str| format!("TEX {flags} temp[1].rgba = LD tex[0].rgba temp[0].rgba ;\nOUT TEX_SEM_WAIT : ;");
    folder.write("scaled.x1k", look_up("")).write("elements.x1k", look_up("UNSCALED")).write("in.f32", [0; 160]);
    let report = |program: &str, shape: &str| {
        folder.ctm(&format!("run {program} --domain 1x1 --input 0=in.f32:{shape} --stats")).ok().err().to_string()
    };
    assert!(report("scaled.x1k", "5x8x1").contains("scale their coordinates by 8"));
    assert_eq!(report("scaled.x1k", "8x5x1"), "");
    assert_eq!(report("elements.x1k", "5x8x1"), "");
}

#[test]
fn results_depend_on_neither_groups_nor_threads() {
    let folder = Folder::new("determinism");
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus");
    let run = |options: &str| {
        let program = format!(
            "{case}/x1k/cf_loop_dyn/program.u32 --iconst 0=255,0,0 --consts {case}/x1k/cf_loop_dyn/constants.f32"
        );
        let data = format!("--domain 61x33 --input 0={case}/textures/rnd64.f32:64x64x4 -o out.f32");
        folder.ctm(&format!("run {program} {data} {options}")).ok();
        folder.read("out.f32")
    };
    let first = run("--group 1 --threads 1");
    for options in ["", "--group 4", "--group 16 --threads 2", "--group 48 --threads 3", "--group 256 --threads 1"] {
        assert!(run(options) == first, "{options}");
    }
    assert!(run("--mad unfused") != first, "rounding twice shows");
}

#[test]
fn program_information_of_the_command_line_wins() {
    let folder = Folder::new("overrides");
    let twice = format!("{POSITION}{POSITION}").replacen("src1.a ;", "src0.0 ;", 1);
    folder.write("twice.x1k", twice);
    let run = |options: &str| {
        folder.ctm(&format!("run twice.x1k --domain 2x1 --const 0=0,0,0,6 -o out.f32 {options}")).ok();
        folder.read_floats("out.f32")[4..].to_vec()
    };
    assert_eq!(run(""), [1.0, 0.0, 1.0, 7.0]);
    assert_eq!(run("--end 0"), [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(run("--start 1"), [1.0, 0.0, 1.0, 7.0]);
    assert_eq!(run("--position r9"), [0.0, 0.0, 0.0, 7.0]);
    assert_eq!(run("--position none"), [0.0, 0.0, 0.0, 7.0]);

    let product =
        "OUT TEX_SEM_WAIT src0.rgb = temp[0], src1.rgb = const[0] : out[0].rgb = MAD src0.rgb src1.rgb src0.000 ;\n";
    folder.write("product.x1k", product);
    let run = |options: &str| {
        folder.ctm(&format!("run product.x1k --domain 1x1 --const 0=inf -o out.f32 {options}")).ok();
        folder.read_floats("out.f32")[0]
    };
    assert!(run("").is_nan());
    assert_eq!(run("--zero-times-anything"), 0.0);

    folder.write("loop.x1k", LOOP);
    folder.ctm("run loop.x1k --domain 1x1 --iconst 2=2 --flow partial").fails(1, &["X1K011"]);
}

#[test]
fn statistics_for_people_and_machines() {
    let folder = Folder::new("stats");
    folder.write("position.x1k", format!("{POSITION}{POSITION}"));
    let report = folder.ctm("run position.x1k --domain 10x6 --const 0=0 --stats --repeat 4 --engine reference").ok();
    for part in ["60 lanes", "120, 2.0 per lane", "reference", "median of 4 runs"] {
        assert!(report.out().contains(part), "{part}\n{}", report.out());
    }
    let report = folder
        .ctm("run position.x1k --domain 10x6 --const 0=0 --stats --json --threads 2 --group 8 --engine interp")
        .ok();
    let stats: Value = serde_json::from_str(report.out()).expect("one JSON object");
    assert_eq!((&stats["lanes"], &stats["instructions"]), (&60.into(), &120.into()));
    assert_eq!((&stats["engine"], &stats["threads"], &stats["group_width"]), (&"interp".into(), &2.into(), &8.into()));
    assert!(stats["run_seconds"].as_f64().expect("a number") > 0.0 && stats["compile_seconds"].is_number());
    assert_eq!(stats["code_checks"]["proven"], 0, "nothing is compiled");
    if EngineName::fastest() == EngineName::Jit {
        let report = folder.ctm("run position.x1k --domain 10x6 --const 0=0 --stats").ok();
        assert!(report.out().contains("2 proven, 0 with explicit bounds, 0 refused"), "{}", report.out());
        let report = folder.ctm("run position.x1k --domain 10x6 --const 0=0 --stats --json").ok();
        let checks = &serde_json::from_str::<Value>(report.out()).expect("one JSON object")["code_checks"];
        let counts = ["proven", "explicit", "refused"].map(|name| checks[name].as_u64());
        assert_eq!(counts, [Some(2), Some(0), Some(0)]);
        assert!(checks["seconds"].as_f64().expect("a number") > 0.0);
    }
}

#[test]
fn files_that_exist_are_replaced_or_kept_as_a_whole() {
    let folder = Folder::new("replace");
    folder.write("position.x1k", POSITION).write("out.f32", "old").write("kept.f32", "old");
    folder.ctm("run position.x1k --domain 1x1 --const 0=0 -o out.f32").ok();
    assert_eq!(folder.read_floats("out.f32"), [0.0, 0.0, 0.0, 1.0]);
    folder.write("endless.x1k", "FC JUMP 0, when = always ;\nOUT TEX_SEM_WAIT : ;\n");
    folder.ctm("run endless.x1k -o kept.f32").fails(3, &["trap"]);
    assert_eq!(folder.read("kept.f32"), b"old");
    assert_eq!(folder.names(), ["endless.x1k", "kept.f32", "out.f32", "position.x1k"]);
}

/// What the engines make of a program can be seen, at every stage; lane IR reads back as itself.
#[test]
fn stages_of_a_program() {
    let folder = Folder::new("stages");
    folder.write("position.x1k", POSITION);
    let run = |options: &str| folder.ctm(&format!("run position.x1k --domain 64x64 --const 0=1 {options}"));
    for engine in EngineName::available().map(EngineName::name) {
        let stages = ["lane", "lane-opt", "lane-interior"].map(|stage| {
            let text = run(&format!("--engine {engine} --emit {stage}")).ok().out().to_string();
            let function: Function = text.parse().unwrap_or_else(|error| panic!("{stage}: {error:?}\n{text}"));
            assert_eq!(function.to_string(), text, "{stage}");
            text
        });
        let [lifted, general, interior] = &stages;
        assert!(lifted.lines().count() > general.lines().count(), "{lifted}\n{general}");
        assert!(general.contains("covered") && !interior.contains("covered"), "{general}\n{interior}");
        assert_eq!(folder.names(), ["position.x1k"], "nothing runs");
    }
    for engine in ["reference", "interp"] {
        run(&format!("--engine {engine} --emit asm")).fails(2, &["no machine code", "--engine jit"]);
    }
    run("--emit asm --stats").fails(2, &["--stats"]);
    run("--emit tokens").fails(2, &["lane-interior"]);
    if EngineName::fastest() == EngineName::Jit {
        run("--emit asm=code.s").ok();
        let code = String::from_utf8(folder.read("code.s")).unwrap();
        assert!(["interior:", "general:", "vmov", " ret"].iter().all(|part| code.contains(part)), "{code}");
        folder.write("endless.x1k", "FC JUMP 0, when = always ;\nOUT TEX_SEM_WAIT : ;\n");
        folder.ctm("run endless.x1k --emit asm").fails(1, &["interpreted"]);
    }
}

#[test]
fn outputs_go_to_different_files() {
    let folder = Folder::new("same-file");
    folder.write("position.x1k", POSITION);
    std::fs::create_dir(folder.0.join("sub")).unwrap();
    for files in [
        "-o a.npy --cond-output a.npy",
        "-o a.npy --cond-output ./a.npy",
        "-o sub/../a.npy --cond-output a.npy",
        "-o a.npy --emit-trace ./a.npy",
    ] {
        let report = ["more than one output", "a file of its own"];
        folder.ctm(&format!("run position.x1k --domain 4x4 --const 0=0 {files}")).fails(2, &report);
    }
    folder.ctm("run position.x1k --domain 4x4 --const 0=0 -o a.npy --cond-output sub/a.npy").ok();
}

/// A group issues its instructions to all of its lanes, whatever executes them.
#[test]
fn utilisation_is_that_of_groups() {
    let folder = Folder::new("utilisation");
    // 8 threads of 32 execute two more instructions, of which the second ends them; the others wait at SYNC.
    let branch = "S2R R0, SR_TID.X;\nISETP.GE.AND P0, PT, R0, 0x8, PT;\n@P0 EXIT;\nMOV R1, R0;\nEXIT;\n";
    folder.write("branch.sm50", branch);
    let stats = |line: &str| -> Value {
        let line = format!("run {line} --stats --utilisation --json");
        serde_json::from_str(folder.ctm(&line).ok().out()).expect("one object")
    };
    let counts = |value: &Value| [value["instructions"].as_u64(), value["issued"].as_u64()];
    let branch = stats("branch.sm50 --block 32");
    assert_eq!(counts(&branch), [Some(3 * 32 + 2 * 8), Some(5 * 32)]);
    assert_eq!(branch["utilisation"], 112.0 / 160.0);
    for example in ["mandelbrot.x1k", "newton.r700"] {
        let line = format!("{} --domain 190x120", common::project("examples").join(example).display());
        let expected = stats(&line);
        let [Some(instructions), Some(issued)] = counts(&expected) else { panic!("{expected}") };
        assert!(instructions < issued && issued < 64 * instructions, "{expected}");
        for engine in EngineName::available() {
            let found = stats(&format!("{line} --engine {}", engine.name()));
            assert_eq!(counts(&found), counts(&expected), "{example} on {}", engine.name());
        }
        let narrow = stats(&format!("{line} --group 4"));
        assert!(narrow["utilisation"].as_f64() > expected["utilisation"].as_f64(), "{example}: {narrow} {expected}");
        let text = folder.ctm(&format!("run {line} --stats --utilisation")).ok();
        assert!(text.out().contains("\nutilisation     "), "{}", text.out());
        let without = folder.ctm(&format!("run {line} --stats --json")).ok();
        assert!(without.out().contains("\"utilisation\":null"), "{}", without.out());
    }
}

/// A texel for s from 0.25 on in steps of 0.25, in the middle of the second direction.
const SAMPLED: &str = "\
.const c0 = 0.25, 0, 0, 0
.const c1 = 0.25, 0.5, 0, 0
src0.rgb = temp[0], src1.rgb = const[0], src2.rgb = const[1] : temp[0].rgb = MAD src0.rgb src1.rgb src2.rgb ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LD tex[0].rgba temp[0].rgba ;
OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;
";

#[test]
fn inputs_are_sampled_as_textures() {
    let folder = Folder::new("run-sampled");
    folder.write("sampled.x1k", SAMPLED).write("two.f32", bytes(&[0.0, 1.0]));
    for (sampler, expected) in [
        (":2d", [0.0, 1.0, 1.0, 1.0]),
        (":2d,nearest,repeat", [0.0, 1.0, 1.0, 0.0]),
        (":2d,linear", [0.0, 0.5, 1.0, 1.0]),
        (":2d,linear,repeat", [0.0, 0.5, 1.0, 0.5]),
        (":2d,linear,mirror,clamp", [0.0, 0.5, 1.0, 1.0]),
        (":2d,linear,border", [0.0, 0.5, 1.0, 0.5]),
    ] {
        for engine in ["reference", "interp", "jit"] {
            let line = format!(
                "run sampled.x1k --domain 4x1 --input 0=two.f32:2x1x1{sampler} -o out.f32:4x1x1 --engine {engine}"
            );
            let done = folder.ctm(&line).ok();
            assert!(!done.err().contains("warning"), "{}", done.err());
            assert_eq!(folder.read("out.f32"), bytes(&expected), "{sampler} {engine}");
        }
    }
    let run = |rest: &str| folder.ctm(&format!("run sampled.x1k --domain 4x1 --input 0=two.f32:2x1x1:2d{rest}"));
    run(",cubic -o out.f32").fails(1, &["two.f32", "'cubic'", "2d,linear,repeat"]);
    let shown = run(" --emit lane").ok();
    assert!(shown.out().contains("surface_load"), "{}", shown.out());
    run(" --emit-trace out.ctmtrace").fails(2, &["no samplers"]);
    run(",linear -o out.npy --sandbox").ok();
    let followed = run(",linear -o out.npy --follow 1,0").ok();
    assert!(followed.out().contains("reads tex[0] at (0.5, 0.5, 0, 0):"), "{}", followed.out());
}

/// The element of level q at the direction or place (s, t, r) = (0.25, 0.5, 0.25) * (1, 1, row).
const DEEP: &str = "\
.const c0 = 0, 0, 0.5, 0
.const c1 = 0.25, 0.5, 0.25, 0
src0.rgb = temp[0], src1.rgb = const[0], src2.rgb = const[1] : temp[1].rgb = MAD src0.rrg src1.rgb src2.rgb, temp[1].a = MAX src0.r src0.r ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[2].rgba = LOD tex[0].rgba temp[1].rgba ;
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;
";

/// Volumes and cubes with levels: the first column has level 0, the second level 1.
#[test]
fn inputs_are_volumes_and_cubes_with_levels() {
    let folder = Folder::new("run-deep");
    let numbers = |count: usize| bytes(&(0..count).map(|number| number as f32).collect::<Vec<_>>());
    folder.write("deep.x1k", DEEP).write("volume.f32", numbers(8)).write("cube.f32", numbers(24));
    folder
        .write("faces.f32", numbers(6))
        .write("five.f32", numbers(20))
        .write("one.f32", numbers(1))
        .write("two.f32", numbers(2));
    let run = |rest: &str| folder.ctm(&format!("run deep.x1k --domain 2x2 -o out.f32:2x2x1 {rest}"));
    for (inputs, expected) in [
        // 2x2 elements in each slice: column 0, row 1 of slices 0 and 1; the next level has the one element 0.
        ("--input 0=volume.f32:2x2x2x1", [2.0, 2.0, 6.0, 6.0]),
        ("--input 0=volume.f32:2x2x2x1:3d --mip 0=one.f32:1x1x1x1", [2.0, 0.0, 6.0, 0.0]),
        // (0.25, 0.5, 0.25) points to +y, (0.25, 0.5, 0.75) to +z: faces 2 and 4.
        ("--input 0=cube.f32:2x12x1:cube", [11.0, 11.0, 16.0 + 1.0, 16.0 + 1.0]),
        ("--input 0=cube.f32:2x2x6x1:cube --mip 0=faces.f32:1x6x1", [11.0, 2.0, 16.0 + 1.0, 4.0]),
        (
            "--input 0=cube.f32:2x2x6x1:cube,linear,clamp --mip 0=faces.f32:1x6x1:cube",
            [11.0, 2.0, 16.0 + 213.0 / 256.0, 4.0],
        ),
    ] {
        for engine in ["reference", "interp", "jit"] {
            run(&format!("{inputs} --engine {engine}")).ok();
            assert_eq!(folder.read_floats("out.f32"), expected, "{inputs} {engine}");
        }
    }
    for (line, status, words) in [
        ("--input 0=volume.f32:2x4x1:3d", 1, ["'3d' needs to know how many slices", "FILE:WxHxDxC"]),
        ("--input 0=five.f32:2x10x1:cube", 1, ["not 6 slices of the same height", "2 columns and 10 rows"]),
        ("--input 0=five.f32:2x2x5x1:cube", 1, ["six square faces", "not 5"]),
        ("--input 0=volume.f32:2x2x2x1:array", 1, ["arrays of textures", "3d or cube"]),
        (
            "--input 0=volume.f32:2x2x2x1 --mip 0=two.f32:2x1x1x1",
            1,
            ["level 1 of input 0 is 1x1x1 (3d)", "half the sides"],
        ),
        ("--input 0=volume.f32:2x4x1 --mip 1=one.f32:1x1x1", 2, ["input 1 has a further level", "--input 1=FILE"]),
        ("--input 0=uv --mip 0=one.f32:1x1x1", 2, ["input 0 has a further level", "not a file"]),
        ("--input 0=volume.f32:2x2x2x1:3d,clamp,clamp,clamp,clamp", 1, ["4 wraps are too many", "three directions"]),
    ] {
        run(line).fails(status, &words);
    }
    run("--input 0=cube.f32:2x2x6x1:cube,linear --mip 0=faces.f32:1x6x1:cube --sandbox").ok();
}
