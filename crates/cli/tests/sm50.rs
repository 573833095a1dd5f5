//! SM50 through the command line: pipelines that a real driver compiled, files in all their forms, and what is wrong with
//! them.

use crate::common::{Folder, project};
use ctm_codegen::EngineName;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn case(name: &str) -> PathBuf {
    project("tests/corpus/sm50").join(name)
}

/// The dwords of a `.npy` file, and the lengths of its rows and columns.
fn npy(folder: &Folder, name: &str) -> (Vec<u32>, [usize; 2]) {
    let bytes = folder.read(name);
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..10 + length].to_vec()).expect("a header");
    assert!(header.contains("'<f4'") && header.contains("'fortran_order': False"), "{header}");
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).expect("a shape").0;
    let axes: Vec<usize> = shape.split(',').filter_map(|axis| axis.trim().parse().ok()).collect();
    let words = bytes[10 + length..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    (words, axes.try_into().expect("two axes"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The command line that draws a case.
fn command(folder: &Path, meta: &Value) -> Vec<String> {
    let mut line = vec!["draw".to_string()];
    for (option, stage) in [("--vs", "vert"), ("--tcs", "tesc"), ("--tes", "tese"), ("--gs", "geom")] {
        let file = folder.join(format!("{stage}.sph.u32"));
        if file.exists() {
            line.extend([option.into(), file.display().to_string()]);
        }
    }
    let draw = &meta["draw"];
    line.push(format!("--primitive={}", draw["primitive"].as_str().expect("a name")));
    for name in ["vertices", "first", "instances"] {
        line.push(format!("--{name}={}", draw[name]));
    }
    if draw["primitive"] == "patches" {
        line.push(format!("--patch-vertices={}", draw["patch_vertices"]));
        let layout = meta["glsl_layouts"]["tese"]["in"].as_str().expect("a layout");
        let words: Vec<&str> = layout.split(", ").collect();
        assert!(words.contains(&"equal_spacing"));
        line.push(format!("--tess-domain={}", words[0]));
        line.extend(words.contains(&"point_mode").then(|| "--point-mode".into()));
    }
    let capture = list(&meta["transform_feedback"]["layout"]).iter();
    let capture: Vec<String> = capture
        .map(|entry| format!("{}:{}", entry["address"].as_str().expect("an address"), entry["components"]))
        .collect();
    line.push(format!("--capture={}", capture.join(",")));
    line
}

/// Whether nothing is said, or in one note what runs stages that machine code does not run.
fn is_note_of_slower_stages(errors: &str) -> bool {
    let is_note = errors.starts_with("note: the ") && errors.contains(" program: ");
    let is_one =
        errors.matches("note").count() == 1 && errors.ends_with("help: results are the same, but take longer\n");
    errors.is_empty() || is_note && is_one
}

/// Compares records in order.
fn compare(name: &str, meta: &Value, got: &[u32], expected: &[u32]) {
    assert_eq!(got.len(), expected.len(), "{name}");
    let layout = list(&meta["transform_feedback"]["layout"]);
    let is_float: Vec<bool> =
        layout.iter().flat_map(|entry| vec![entry["type"] == "float"; number(&entry["components"])]).collect();
    let tolerance = |name: &str| meta["tolerance"][name].as_f64().expect("a number") as f32;
    let (abs, rel) = (tolerance("abs"), tolerance("rel"));
    let records = got.chunks(is_float.len()).zip(expected.chunks(is_float.len()));
    for (number, (got, wanted)) in records.enumerate() {
        let matches = (0..is_float.len()).all(|word| {
            let (a, b) = (f32::from_bits(got[word]), f32::from_bits(wanted[word]));
            if is_float[word] { (a - b).abs() <= abs + rel * b.abs() } else { got[word] == wanted[word] }
        });
        assert!(matches, "{name}: record {number} is {got:x?} instead of {wanted:x?}");
    }
}

#[test]
fn corpus_on_every_engine() {
    let folder = Folder::new("sm50-corpus");
    let names = ["v_basic", "v_loop", "t_quads", "t_patchout", "g_strip2"];
    let there = fs::read_dir(case("")).expect("the corpus").count();
    assert_eq!(there, names.len());
    for name in names {
        let meta = fs::read_to_string(case(name).join("meta.json")).expect("meta.json");
        let meta: Value = serde_json::from_str(&meta).expect("JSON");
        let expected = fs::read(case(name).join("expected.f32")).expect("records");
        let expected: Vec<u32> = expected.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let mut first = None;
        for engine in EngineName::available() {
            let run = [format!("--engine={}", engine.name()), "--strict".into(), "-o=out.npy".into()];
            let done = folder.ctm_args(command(&case(name), &meta).into_iter().chain(run)).ok();
            assert!(is_note_of_slower_stages(done.err()), "{name}: {}", done.err());
            let (got, [records, words]) = npy(&folder, "out.npy");
            let feedback = &meta["transform_feedback"];
            assert_eq!((records, words), (number(&feedback["records"]), number(&feedback["dwords_per_record"])));
            compare(name, &meta, &got, &expected);
            assert_eq!(first.get_or_insert_with(|| got.clone()), &got, "{name} on {}", engine.name());
        }
    }
}

/// Writes the programs of a real pipeline, header and code in one file each, and the data that they are fed.
fn write_pipeline(folder: &Folder) {
    let text = include_str!("../../sm50/tests/vectors/pipeline.txt");
    let sections = text.split("# ").filter(|section| !section.is_empty());
    for (section, name) in sections.zip(["vs", "tcs", "tes", "gs"]) {
        let (header, code) = section.split_once("code (").expect("header and code");
        let dword = |word| u32::from_str_radix(word, 16).ok();
        let header = header.split_whitespace().filter(|word| word.len() == 8).filter_map(dword);
        let code = code.lines().skip(1).flat_map(str::split_whitespace);
        let code = code.map(|word| u64::from_str_radix(word, 16).expect("a word"));
        let bytes: Vec<u8> = header.flat_map(u32::to_le_bytes).chain(code.flat_map(u64::to_le_bytes)).collect();
        folder.write(&format!("{name}.sph"), bytes);
    }
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    folder.write("scale.f32", floats(&[2.0, 3.0, 4.0, 5.0]));
    folder.write("positions.f32", floats(&[1.0, 2.0, 3.0, 1.0, 4.0, 5.0, 6.0, 1.0, -7.0, 8.0, 0.5, 1.0]));
    folder.write("colours.f32", floats(&[10.0, 20.0, 30.0, 40.0, 1.0, 2.0, 3.0, 4.0, 0.25, 0.5, 0.75, 1.0]));
}

const FED: &str = "--vertices 3 --const 0=scale.f32 --attribute 0x80:4=positions.f32 --attribute 0x90:4=colours.f32 \
                   --capture 0x70:4,0x80:4 --strict";

#[test]
fn a_real_pipeline() {
    let folder = Folder::new("sm50-pipeline");
    write_pipeline(&folder);
    for engine in EngineName::available() {
        let draw = format!("draw --engine {} {FED}", engine.name());
        folder.ctm(&format!("{draw} --vs vs.sph --primitive points -o vertices.npy")).ok();
        let (words, shape) = npy(&folder, "vertices.npy");
        assert_eq!(shape, [3, 8]);
        let vertices: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
        assert_eq!(vertices[..8], [2.0, 6.0, 12.0, 5.0, 12.0, 23.0, 34.0, 45.0]);

        let whole = "--vs vs.sph --tcs tcs.sph --tes tes.sph --gs gs.sph --primitive patches --patch-vertices 3";
        let done = folder.ctm(&format!("{draw} {whole} -o all.npy --obj all.obj --svg all.svg")).ok();
        let (words, [records, _]) = npy(&folder, "all.npy");
        assert_eq!(done.out(), format!("{} triangles: {records} records of 8 dwords\n", records / 3));
        for record in words.as_chunks::<8>().0 {
            assert_eq!(record[4..], [36.0f32, 69.0, 102.0, 135.0].map(f32::to_bits));
        }
        // Levels 2, 3, 4 around a triangle of inner level 5.
        let mesh = String::from_utf8(folder.read("all.obj")).expect("text");
        let count = |letter| mesh.lines().filter(|line| line.starts_with(letter)).count();
        assert_eq!(count('f'), records / 3);
        assert_eq!(count('v') + count('f'), mesh.lines().count());
        assert!(count('v') < records / 2, "corners are shared: {} of {records}", count('v'));
    }
}

#[test]
fn the_example_draws_the_picture_that_is_shown() {
    let folder = Folder::new("sm50-ripple");
    let file = |name: &str| project("examples/ripple").join(name).display().to_string();
    let [vs, tcs, tes, gs] = ["vertex.sm50", "control.sm50", "evaluation.sm50", "geometry.sm50"].map(file);
    let programs = ["draw", "--vs", &vs, "--tcs", &tcs, "--tes", &tes, "--gs", &gs];
    let state =
        ["--primitive=patches", "--vertices=4", "--patch-vertices=4", "--tess-domain=quads", "--svg=ripple.svg"];
    for program in [&vs, &tcs, &tes, &gs] {
        folder.ctm_args(["check", program]).ok();
    }
    for engine in EngineName::available() {
        let engine = format!("--engine={}", engine.name());
        let done = folder.ctm_args(programs.into_iter().chain(state).chain([engine.as_str()])).ok();
        assert_eq!(done.out(), "800 triangles: 2400 records of 4 dwords\n");
        assert!(is_note_of_slower_stages(done.err()), "{}", done.err());
        let shown = fs::read(project("docs/images/ripple.svg")).expect("a picture");
        assert!(folder.read("ripple.svg") == shown, "ripple.svg is not what docs/images shows");
    }
}

/// A triangle over the lower left half of the window, and its corners from -1 to 1.
const CORNERS: &str = "\
.stage vertex
ALD R0, a[0x2fc];
LOP32I.AND R1, R0, 0x1;
LOP32I.AND R2, R0, 0x2;
I2F.F32.S32 R4, R1;
I2F.F32.S32 R5, R2;
FADD R4, R4, R4;
FADD R4, R4, -1;
FADD R5, R5, -1;
MOV R6, RZ;
MOV32I R7, 1.0;
AST.128 a[0x70], R4;
AST.64 a[0x80], R4;
EXIT;
";
/// Red by the column, green and alpha 1/2.
const COLOURS: &str = "\
.stage pixel
IPA.PASS R0, a[0x80], RZ;
MOV32I R1, 0.5;
MOV R2, RZ;
MOV R3, R1;
EXIT;
";

/// The floats of a raw file.
fn raw(folder: &Folder, name: &str) -> Vec<f32> {
    folder.read(name).as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect()
}

#[test]
fn draws_become_pictures() {
    let folder = Folder::new("sm50-pictures");
    folder.write("v.sm50", CORNERS).write("f.sm50", COLOURS);
    let draw = "draw --vs v.sm50 --fs f.sm50 --primitive triangles --vertices 3 --size 4x4 --strict";
    for engine in EngineName::available() {
        let more = "--clear 1 --depth less --depth-output depth.f32 -o out.f32 --svg out.svg";
        let done = folder.ctm(&format!("{draw} --engine {} {more}", engine.name())).ok();
        assert_eq!(done.out(), "1 triangle: 6 fragments, of which 6 passed the depth test\n");
        let (colours, depths) = (raw(&folder, "out.f32"), raw(&folder, "depth.f32"));
        for (n, colour) in colours.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (n % 4, n / 4);
            let covered = ([x as f32 / 2.0 - 0.75, 0.5, 0.0, 0.5], 0.5);
            assert_eq!((*colour, depths[n]), if x < y { covered } else { ([1.0; 4], 1.0) }, "{x}, {y}");
        }
        assert!(folder.read("out.svg").starts_with(b"<svg"));
    }
    // Half of what is there, and half of the colour; what is behind is not drawn.
    folder.ctm(&format!("{draw} --blend src_alpha,one_minus_src_alpha --clear 1 -o out.f32")).ok();
    assert_eq!(raw(&folder, "out.f32")[16..20], [0.5 - 0.375, 0.75, 0.5, 0.75]);
    for more in ["--cull-face front", "--cull-face back --front-face cw", "--depth greater --clear-depth 0.75"] {
        let done = folder.ctm(&format!("{draw} {more} --output-format 0=uint8_4 -o out.png --json")).ok();
        let drawn: Value = serde_json::from_str(done.out()).expect("JSON");
        assert_eq!((&drawn["fragments_stored"], &drawn["records"]), (&0.into(), &3.into()), "{more}");
    }
    // Constants of all stages, and of one.
    folder.write("half.f32", 0.5f32.to_le_bytes()).write("one.f32", 1.0f32.to_le_bytes());
    folder.write("c.sm50", COLOURS.replace("MOV32I R1, 0.5", "MOV R1, c[0x3][0x0]"));
    for (constants, green) in [("--const 3=half.f32", 0.5), ("--const 3=half.f32 --const fs:3=one.f32", 1.0)] {
        folder.ctm(&format!("{} {constants} -o out.f32", draw.replace("f.sm50", "c.sm50"))).ok();
        assert_eq!(raw(&folder, "out.f32")[17], green);
    }
    // Lines and points.
    let lines = draw.replace("--primitive triangles", "--primitive line_loop --line-width 2");
    assert!(folder.ctm(&format!("{lines} -o out.npy")).ok().out().starts_with("3 lines: "));
    let points = draw.replace("--primitive triangles", "--primitive points --point-size 2");
    let done = folder.ctm(&format!("{points} -o out.npy")).ok();
    assert_eq!(
        done.out(),
        "3 points: 3 fragments, of which 3 passed the depth test\n",
        "a quarter of each is in the window"
    );
    // Without MRT_ENABLE, all targets get the first colour; with it, each has its own.
    folder.write("all.sm50", COLOURS.replace(".stage pixel", ".stage pixel\n.mrt_enable no"));
    let own = COLOURS.replace("EXIT", "MOV32I R4, 1.0; EXIT");
    folder.write("own.sm50", own.replace(".stage pixel", ".stage pixel\n.omap_targets 0xf0f"));
    for (program, third) in [("all.sm50", [-0.75, 0.5, 0.0, 0.5]), ("own.sm50", [1.0, 0.0, 0.0, 0.0])] {
        let line = draw.replace("f.sm50", program);
        folder.ctm(&format!("{line} -o out.f32 -o 2=third.f32")).ok();
        assert_eq!(raw(&folder, "out.f32")[16..20], [-0.75, 0.5, 0.0, 0.5], "{program}");
        assert_eq!(raw(&folder, "third.f32")[16..20], third, "{program}");
    }
}

#[test]
fn pictures_that_cannot_be() {
    let folder = Folder::new("sm50-no-pictures");
    folder.write("v.sm50", CORNERS).write("f.sm50", COLOURS).write("one.f32", 1.0f32.to_le_bytes());
    let without = "draw --vs v.sm50 --primitive triangles --vertices 3";
    let draw = format!("{without} --fs f.sm50");
    for (line, code, expected) in [
        (format!("{without} --size 4x4"), 2, &["--fs"][..]),
        (format!("{without} --fs v.sm50"), 1, &["v.sm50", "pixel", "vertex"]),
        (format!("{without} -o 1=out.npy"), 2, &["one output", "--fs FILE"]),
        (format!("{draw} --depth-output out.npy"), 2, &["--depth"]),
        (format!("{draw} --depth nearer"), 2, &["nearer", "lequal"]),
        (format!("{draw} --blend one"), 2, &["SRC,DST"]),
        (format!("{draw} --blend one,half"), 2, &["unknown factor 'half'", "one_minus_src_alpha"]),
        (format!("{draw} --blend one,one,sum"), 2, &["unknown equation 'sum'", "func_add"]),
        (format!("{draw} --capture 0x70:4"), 2, &["--capture", "--fs"]),
        (format!("{draw} -o 3=out.npy"), 2, &["does not put out colour 3", "'ctm info'"]),
        (format!("{draw} -o 8=out.npy"), 2, &["output 8", "0 to 7"]),
        (format!("{draw} -o out.npy -o 0=out2.npy"), 2, &["output 0 is given twice"]),
        (format!("{draw} -o out.obj"), 2, &["out.obj", "unknown type"]),
        (format!("{draw} --size 9000x9000"), 2, &["9000x9000", "4096"]),
        (format!("{draw} --input 0=uv"), 2, &["texture", "file"]),
        (format!("{draw} --debug"), 2, &["does not take --fs"]),
        (format!("{draw} --const gs:0=one.f32"), 2, &["stage geometry", "no program"]),
        (format!("{draw} --const ps:0=one.f32"), 2, &["unknown stage 'ps'", "vs, tcs, tes, gs, fs"]),
        (format!("{draw} --const fs:0=one.f32 --const fs:0=one.f32"), 2, &["bank 0 is given twice"]),
    ] {
        folder.ctm(&line).fails(code, expected);
    }
    assert_eq!(folder.names(), ["f.sm50", "one.f32", "v.sm50"]);
}

const VERTEX: &str = "\
.stage vertex
ALD R0, a[0x2fc];
AST a[0x70], R0;
EXIT;
";

#[test]
fn a_program_in_all_its_forms() {
    let folder = Folder::new("sm50-forms");
    folder.write("v.sm50", VERTEX);
    folder.ctm("asm v.sm50").ok();
    folder.ctm("asm v.sm50 -o w.sph.u32").ok();
    folder.ctm("asm --isa sm50 v.sm50 -o renamed.bin").ok();
    let text = folder.ctm("dis v.sph").ok();
    assert!(text.out().starts_with(".stage vertex\n"), "{}", text.out());
    for name in ["w.sph.u32", "w.code.u32", "renamed.bin", "v.sm50"] {
        assert_eq!(folder.ctm(&format!("dis {name}")).ok().out(), text.out(), "{name}");
    }
    assert_eq!(folder.read("v.sph"), [folder.read("w.sph.u32"), folder.read("w.code.u32")].concat());
    folder.write("again.sm50", text.out());
    folder.ctm("asm again.sm50").ok();
    assert_eq!(folder.read("again.sph"), folder.read("v.sph"));

    // Without its header, the code is compute code; its name shows that it is of this instruction set.
    folder.write("alone.code.u32", folder.read("w.code.u32")).write("code.bin", folder.read("w.code.u32"));
    for line in ["dis alone.code.u32", "dis code.bin --isa sm50"] {
        let code = folder.ctm(line).ok();
        assert!(!code.out().contains(".stage") && code.out().contains("AST a[0x70], R0;"), "{}", code.out());
    }
    folder.write("text.txt", VERTEX);
    assert!(folder.ctm("info text.txt --isa sm50").ok().out().starts_with("stage                         vertex\n"));
    folder.ctm("check alone.code.u32").fails(1, &["SM50005", "disassembly of alone.code.u32", "ALD R0"]);
}

#[test]
fn what_machines_read() {
    let folder = Folder::new("sm50-json");
    folder.write("v.sm50", VERTEX);
    let json = |line: &str| -> Value { serde_json::from_str(folder.ctm(line).ok().out()).expect("JSON") };
    let listing = json("dis v.sm50 --json");
    assert_eq!(listing["header"]["shader_type"], "vertex");
    let store = &listing["instructions"][1];
    assert_eq!(
        (&store["address"], &store["name"], &store["text"]),
        (&16.into(), &"AST".into(), &"AST a[0x70], R0".into())
    );
    let fields = list(&store["fields"]);
    let offset = fields.iter().find(|field| field["name"] == "OFFSET").expect("an offset");
    assert_eq!((&offset["bits"], &offset["value"]), (&"30:20".into(), &0x70.into()));
    let info = json("info v.sm50 --json");
    assert_eq!((&info["header"]["imap"], &info["header"]["omap"]), (&vec![0x2fc].into(), &vec![0x70].into()));
    assert_eq!(info["mix"]["EXIT"], 1);
    let drawn = json("draw --vs v.sm50 --primitive lines --vertices 5 --instances 2 --json");
    assert_eq!((&drawn["shape"], &drawn["records"], &drawn["lanes"]), (&"line".into(), &8.into(), &8.into()));

    folder.write("lost.sm50", ".stage vertex\n.omap none\nAST a[0x80], RZ;\nEXIT;\n");
    let checked = json("check lost.sm50 --json");
    let finding = &checked["findings"][0];
    assert_eq!((&checked["warnings"], &finding["code"], &finding["line"]), (&1.into(), &"SM50101".into(), &3.into()));
    assert!(folder.ctm("explain sm50101").ok().out().starts_with("# SM50101"));
}

#[test]
fn kernels_of_a_cubin() {
    let folder = Folder::new("sm50-cubin");
    fs::copy(project("crates/object/tests/sm50/kernels.cubin"), folder.0.join("k.cubin")).expect("a cubin");
    assert!(folder.ctm("dis k.cubin --kernel scale").ok().out().contains("DFMA"));
    folder.ctm("dis k.cubin").fails(2, &["k.cubin", "2 programs: 0 sum, 1 scale", "--kernel NAME"]);
    assert!(folder.ctm("check k.cubin").ok().out().contains("no errors"), "all kernels at once");
    folder.ctm("info k.cubin --kernel scales").fails(2, &["no program 'scales'", "0 sum, 1 scale"]);
    let all = folder.ctm("info k.cubin").ok();
    assert!(all.out().contains("0 sum") && all.out().contains("1 scale"), "{}", all.out());
}

#[test]
fn warnings_and_traps_show_the_instruction() {
    let folder = Folder::new("sm50-traps");
    folder.write("v.sm50", ".stage vertex\nMOV R0, c[0x0][0x10];\nAST a[0x70], R0;\nEXIT;\n");
    let lenient = folder.ctm("draw --vs v.sm50 --primitive points --vertices 40 -o out.npy").ok();
    for part in ["warning", "InvalidConstAddr", "v.sm50:2:1", "40 times", "--const BANK=FILE"] {
        assert!(lenient.err().contains(part), "{part}: {}", lenient.err());
    }
    folder.ctm("draw --vs v.sm50 --primitive points --vertices 40 --strict -o strict.npy").fails(
        3,
        &[
            "trap: InvalidConstAddr",
            "v.sm50:2:1",
            "0x0008 of the vertex program",
            "lane 0 of warp 0",
            "--const BANK=FILE",
        ],
    );
    assert_eq!(folder.names(), ["out.npy", "v.sm50"], "a trap leaves no file behind");
    folder.write("endless.sm50", ".stage vertex\nloop: BRA loop;\n");
    folder
        .ctm("draw --vs endless.sm50 --primitive points --vertices 1 --engine reference --group-timeout none")
        .fails(3, &["StepLimit", "endless.sm50:2:7"]);
}

#[test]
fn draws_that_cannot_be() {
    let folder = Folder::new("sm50-errors");
    folder
        .write("v.sm50", VERTEX)
        .write("bare.sm50", "EXIT;\n")
        .write("broken.sm50", ".stage vertex\nASD a[0x70], R0;\n");
    folder.write("g.sm50", ".stage geometry\n.threads_per_input_primitive 1\nOUT.EMIT R0, RZ, RZ;\nEXIT;\n");
    folder.write("short.sph", [0x61, 0x04, 0x02, 0x00]).write("lone.sph.u32", [0; 80]).write("odd.f32", [0; 6]);
    folder.write("ten.f32", [0; 40]).write("big.f32", vec![0; 0x10004]);
    let v = "draw --vs v.sm50 --primitive triangles --vertices 3";
    for (line, code, expected) in [
        ("draw --vs bare.sm50 --primitive points --vertices 1", 1, &["bare.sm50", "stage none", ".stage"][..]),
        ("draw --vs g.sm50 --primitive points --vertices 1", 1, &["g.sm50", "geometry", "vertex"]),
        ("draw --vs broken.sm50 --primitive points --vertices 1", 1, &["broken.sm50:2:1", "ASD", "AST"]),
        ("draw --vs short.sph --primitive points --vertices 1", 1, &["short.sph", "80 bytes", "4"]),
        ("draw --vs lone.sph.u32 --primitive points --vertices 1", 1, &["lone.code.u32", "no such file"]),
        ("draw --vs v.sm50 --primitive squares --vertices 1", 2, &["squares", "triangle_strip"]),
        ("draw --vs v.sm50 --primitive patches --vertices 3", 2, &["tessellation evaluation", "--tes FILE"]),
        (&format!("{v} --gs g.sm50"), 1, &["g.sm50", "emits up to 0 vertices", "1 to 1024"]),
        (&format!("{v} --tcs v.sm50"), 2, &["--tes"]),
        (&format!("{v} --cw"), 2, &["--tes"]),
        (&format!("{v} --capture 0x71:1"), 2, &["0x71:1", "multiples of 4"]),
        (&format!("{v} --capture 0x3fc:2"), 2, &["end at 0x400"]),
        (&format!("{v} --capture 0x70"), 2, &["ADDR:COUNT"]),
        (&format!("{v} --const 32=ten.f32"), 2, &["0 to 31"]),
        (&format!("{v} --const 0=odd.f32"), 1, &["odd.f32", "6 bytes", "dwords"]),
        (&format!("{v} --const 0=big.f32"), 1, &["big.f32", "16385", "16384"]),
        (&format!("{v} --const 0=ten.f32 --const 0=ten.f32"), 2, &["bank 0", "twice"]),
        (&format!("{v} --attribute 0x80:4=ten.f32"), 1, &["ten.f32", "10 dwords", "rows of 4"]),
        (&format!("{v} --attribute 0x80:5=ten.f32"), 2, &["1 to 4"]),
        (&format!("{v} --attribute 0x80:2=ten.f32 --attribute 0x84:1=ten.f32"), 2, &["0x84", "twice"]),
        (&format!("{v} --tess-levels 1,2"), 2, &["4 outer and 2 inner"]),
        (&format!("{v} -o out.png"), 2, &["out.png", ".npy or .f32"]),
        (&format!("{v} --svg no/out.svg"), 1, &["no/out.svg", "folder"]),
    ] {
        folder.ctm(line).fails(code, expected);
    }
    let folder_holds = folder.names();
    assert!(!folder_holds.iter().any(|name| name.starts_with("out")), "{folder_holds:?}");
}

#[test]
fn compute_code() {
    let folder = Folder::new("sm50-compute");
    fs::copy(project("crates/object/tests/sm50/kernels.cubin"), folder.0.join("k.cubin")).expect("a cubin");
    // Arguments of CUDA kernels begin at 0x140 of bank 0: here an address and a factor.
    let factor = 0.5f64.to_bits();
    let arguments = [vec![0; 0x50], vec![0x1_0000, 0, factor as u32, (factor >> 32) as u32]].concat();
    folder.write("arguments.u32", arguments.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    folder.write("in.f32", (0..40).flat_map(|n| f64::from(n).to_le_bytes()).collect::<Vec<_>>());
    let run = "run k.cubin --kernel scale --bank 0=arguments.u32 --global 0x10000=in.f32 --strict";
    let keep = "--global-output 0x10000:80=out.npy --stats";
    for engine in ["reference", "interp", "jit"] {
        let done = folder.ctm(&format!("{run} --grid 1 --block 20,2 {keep} --engine {engine}")).ok();
        for part in ["40 threads in 2 warps", &format!("engine          {engine}")] {
            assert!(done.out().contains(part), "{}", done.out());
        }
        // Threads (x, 0) and (x, 1) have the same x, and make x + x / 2 of its value: in one warp at once, in two in turn.
        let (words, shape) = npy(&folder, "out.npy");
        assert_eq!(shape, [1, 80]);
        let value = |n: usize| f64::from_bits(u64::from(words[2 * n]) | u64::from(words[2 * n + 1]) << 32);
        for n in 0..40 {
            let factor = match n {
                0..12 => 1.5,
                12..20 => 2.25,
                _ => 1.0,
            };
            assert_eq!(value(n), factor * n as f64, "value {n} by {engine}");
        }
    }

    // Block and grid stand in bank 0 without a file, and a file that says something else is refused.
    folder.write(
        "sizes.sm50",
        "MOV32I R0, 0x10000; MOV R4, c[0x0][0x8]; MOV R5, c[0x0][0xc]; MOV R6, c[0x0][0x14]; MOV R7, c[0x0][0x20];\n\
         STG.128 [R0], R4; EXIT;\n",
    );
    let sizes = "run sizes.sm50 --strict --grid 3 --block 4,2 --local-memory 32 --global-output 0x10000:4=sizes.npy";
    folder.ctm(sizes).ok();
    assert_eq!(npy(&folder, "sizes.npy").0, [4, 2, 3, 32]);
    folder.write("other.u32", [0u32, 0, 4, 2, 1, 5].into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    folder
        .ctm(&format!("{sizes} --bank 0=other.u32"))
        .fails(2, &["constant bank 0", "0x14", "0x5", "grid size along x, 0x3", "zero in the file", "--grid"]);

    folder.write("v.sm50", VERTEX).write("wide.sm50", "LDG R0, [R1+0x4000];\nEXIT;\n");
    for (line, code, expected) in [
        ("run v.sm50", 2, &["stage vertex", "ctm draw"][..]),
        ("run wide.sm50", 3, &["OutOfRangeAddr", "wide.sm50:1:1"]),
        (&format!("{run} --domain 4x4"), 2, &["--domain", "--grid"]),
        (&format!("{run} --const 0=1"), 2, &["--const", "--bank"]),
        (&format!("{run} --emit asm"), 2, &["--emit", "not shown"]),
        (&format!("{run} --flow full"), 2, &["an option of X1K programs"]),
        (&format!("{run} --block 32,33"), 2, &["1024"]),
        (&format!("{run} --global-output 0x10001:4=out.npy"), 2, &["multiple of 4"]),
        (&format!("{run} --global-output 0x10000:4=out.jpg"), 2, &["out.jpg"]),
        (&format!("{run} --global-output 0x10000:4:f64=out.npy"), 2, &["unknown type 'f64'", "f32, i32 or u32"]),
        (&format!("{run} --global-output 0x10000:4x0=out.png"), 2, &["ADDR:SIZE"]),
        (&format!("{run} --global 0=in.f32"), 1, &["0x0", "lowest 2 KiB"]),
    ] {
        let line = if code == 3 { format!("{line} --strict") } else { line.to_string() };
        folder.ctm(&line).fails(code, expected);
    }
}

/// A fragment program over a domain: interpolated inputs, a texture, killed pixels, colours.
#[test]
fn fragments_run_over_a_domain() {
    let folder = Folder::new("sm50_fragments");
    folder.write(
        "look.sm50",
        ".stage pixel\n\
         IPA.PASS R4, a[0x80], RZ; IPA.PASS R5, a[0x84], RZ; IPA.CONSTANT R6, a[0x90], RZ;\n\
         FSETP.LT.AND P0, PT, R5, R6, PT;\n@P0 KIL;\nTEX R0, R4, 0x9, 2D, 0xf; EXIT;\n",
    );
    let texels: Vec<f32> = (0..4 * 2 * 4).map(|n| n as f32).collect();
    folder.write("look.f32", texels.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    let run = "run look.sm50 --strict --domain 4x2 --attribute 0x80=uv --input 1=look.f32:4x2x4:2d,nearest --clear 7 -o out.f32";
    for engine in EngineName::available().map(EngineName::name) {
        folder.ctm(&format!("{run} --attribute 0x90=constant:0,0,0,0 --engine {engine}")).ok();
        assert_eq!(folder.read_floats("out.f32"), texels, "{engine}");
    }
    // The upper row is killed, and keeps what was there.
    folder.ctm(&format!("{run} --attribute 0x90=constant:0.5,0,0,0")).ok();
    assert_eq!(folder.read_floats("out.f32"), [vec![7.0; 16], texels[16..].to_vec()].concat());
    // Depth and sample mask come after the colours.
    folder.write(
        "depth.sm50",
        ".stage pixel\n.omap_sample_mask yes\n.omap_depth yes\n\
         IPA.PASS R5, a[0x70], RZ; MOV32I R0, 1.0; MOV32I R4, 6; FMUL32I R5, R5, 0.25; EXIT;\n",
    );
    let depth = "run depth.sm50 --strict --domain 2x1 --mask-output mask.f32 --depth-output depth.f32";
    for engine in EngineName::available() {
        folder.ctm(&format!("{depth} -o out.f32 --engine {}", engine.name())).ok();
        assert_eq!(folder.read_floats("out.f32")[..4], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            (folder.read_floats("mask.f32"), folder.read_floats("depth.f32")),
            (vec![6.0; 2], vec![0.125, 0.375])
        );
    }
    // What no machine code runs.
    folder
        .write("count.sm50", ".stage pixel\nMOV32I R1, 0x10000; RED.ADD.F32.FTZ.RN [R1], R1; MOV32I R0, 1.0; EXIT;\n");
    let count = "run count.sm50 --domain 4x2 --global 0x10000=look.f32 --attribute 0xa0=uv --engine interp -o out.f32";
    let said = folder.ctm(count).ok();
    let (fallback, idle) = ("the reference runs the pixel program", "attribute 0xa0 (GENERIC2.x) is given");
    assert!(said.err().contains(fallback) && said.err().contains(idle), "{}", said.err());
    let asked = folder.ctm(&format!("{run} --engine reference")).ok();
    assert!(!asked.err().contains(fallback), "{}", asked.err());
    let followed = folder.ctm(&format!("{run} --attribute 0x90=constant:0,0,0,0 --follow 2,1")).ok();
    let followed = followed.out();
    assert!(followed.contains("TEX R0, R4, 0x9, 2D, 0xf"), "{followed}");
    for (more, expected) in [
        ("--grid 2", &["--grid", "--domain"][..]),
        ("--counts", &["--counts", "not counted"]),
        ("--output 3=x.f32", &["colour 3", "ctm info"]),
        ("--depth-output x.f32", &["does not put out a depth", "ctm info"]),
        ("--mask-output x.f32", &["does not put out a sample mask", "ctm info"]),
        ("--attribute 0x82=uv", &["multiple of 4"]),
        ("--input 2=@0", &["input 2", "a file"]),
        ("--input tex=look.f32", &["tex", "numbers"]),
        ("--mip 4=look.f32:4x2x4", &["--mip 4", "--input 4"]),
    ] {
        folder.ctm(&format!("{run} {more}")).fails(2, expected);
    }
}

/// A program calls routines that lie beside it, as those of Mesa's nouveau do for integer division.
#[test]
fn programs_call_libraries() {
    let folder = Folder::new("sm50_library");
    folder.write("triple.sm50", "NOP; NOP; NOP; SHL R1, R0, 1; IADD R0, R0, R1; RET;\n");
    folder.write("main.sm50", "S2R R0, SR_TID.X; SHL R4, R0, 2; JCAL 0x720; STG [R4+0x10000], R0; EXIT;\n");
    let run = "run main.sm50 --strict --block 4 --global-output 0x10000:4:u32=out.npy";
    for engine in EngineName::available().map(EngineName::name) {
        folder.ctm(&format!("{run} --origin 0x400 --library 0x700=triple.sm50 --engine {engine}")).ok();
        let bytes = folder.read("out.npy");
        let found: Vec<u32> =
            bytes[bytes.len() - 16..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        assert_eq!(found, [0, 3, 6, 9], "{engine}");
    }
    folder.ctm(&format!("{run} --origin 0x400")).fails(1, &["JCAL at 0x418", "0x720", "--library"]);
    folder.ctm(&format!("{run} --library 0x20=triple.sm50")).fails(1, &["0x20 overlaps"]);
}

/// Compute code and fragments load and store texels, and find images and textures as the driver describes them.
#[test]
fn images_lie_in_global_memory() {
    let folder = Folder::new("sm50_images");
    // Each thread halves a texel of one image into another; the size comes from the image.
    folder.write(
        "half.sm50",
        "S2R R0, SR_TID.X; MOV R1, RZ; MOV R8, c[0x7][0xa0]; MOV R9, c[0x7][0xa4];\n\
         SULD.D.1D.IGN R2, [R0], R8; SHR.U32 R3, R2, 1; SUST.D.1D.IGN [R0], R3, R9; EXIT;\n",
    );
    let words: Vec<u8> = (0..8u32).flat_map(|n| (10 * n).to_le_bytes()).collect();
    folder.write("in.u32", &words);
    let line = "run half.sm50 --strict --block 8 --image 0=0x10000:8:r32ui --image 1=0x20000:6:r32ui \
                --global 0x10000=in.u32 --global-output 0x20000:8:u32=out.npy";
    folder.ctm(line).ok();
    let bytes = folder.read("out.npy");
    let found: Vec<u32> =
        bytes[bytes.len() - 32..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    assert_eq!(found, [0, 5, 10, 15, 20, 25, 0, 0]);

    // Compute code samples textures, too.
    let texels: Vec<u8> = (0..2 * 4).flat_map(|n| (n as f32).to_le_bytes()).collect();
    folder.write("look.f32", &texels);
    folder.write(
        "look.sm50",
        "S2R R4, SR_TID.X; MOV R5, RZ; TLD.LZ R0, R4, 0x8, 2D, 0xf; SHL R6, R4, 2; STG [R6+0x10000], R1; EXIT;\n",
    );
    let line = "run look.sm50 --strict --block 2 --input 0=look.f32:2x1x4:2d,nearest --global-output 0x10000:2=out.f32";
    folder.ctm(line).ok();
    assert_eq!(folder.read_floats("out.f32"), [1.0, 5.0]);

    for (more, expected) in [
        ("--image 0=0x10000:8:r32ui --image 0=0x10000:8:r32ui", &["image 0", "twice"][..]),
        ("--image 0=0x10001:8:r32ui", &["0x10001", "multiple of"]),
        ("--image 0=0x10100:8:rgb8", &["rgb8", "rgba8"]),
        ("--image 0=0x10100:8x8:rgba8:3d", &["3d", "3 numbers"]),
        ("--image 9=0x10100:8:rgba8", &["0 to 7"]),
        ("--image 0=0xffffff00:16384x16384:rgba8", &["beyond"]),
    ] {
        folder.ctm(&format!("run half.sm50 --block 8 {more}")).fails(2, expected);
    }
}

/// Warps of a block wait for each other, and share memory, on every engine.
#[test]
fn blocks_share_memory() {
    let folder = Folder::new("sm50_blocks");
    folder.write(
        "turn.sm50",
        "S2R R0, SR_TID.X; SHL R1, R0, 2; STS [R1], R0; BAR.SYNC 0x0;\n\
         LOP32I.XOR R2, R1, 0xfc; LDS R3, [R2]; IADD32I R1, R1, 0x10000; STG [R1], R3; EXIT;\n",
    );
    for engine in EngineName::available().map(EngineName::name) {
        let line = "run turn.sm50 --strict --block 64 --shared-memory 256 --global-output 0x10000:64:u32=out.npy";
        folder.ctm(&format!("{line} --engine {engine}")).ok();
        let bytes = folder.read("out.npy");
        let words: Vec<u32> =
            bytes[bytes.len() - 256..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        assert_eq!(words, (0..64).rev().collect::<Vec<u32>>(), "{engine}");
    }
    let quiet = folder.ctm("run turn.sm50 --races --block 64 --shared-memory 256 --stats").ok();
    assert!(!quiet.err().contains("races"), "{}", quiet.err());
    folder.write(
        "race.sm50",
        "S2R R0, SR_TID.X; SHL R1, R0, 2; STS [R1], R0;\nLOP32I.XOR R2, R1, 0xfc; LDS R3, [R2]; EXIT;\n",
    );
    let warned = folder.ctm("run race.sm50 --races --block 64 --shared-memory 256 --stats").ok();
    for expected in ["races with the instruction at 0x0018", "race.sm50:2:", "put a BAR.SYNC between them"] {
        assert!(warned.err().contains(expected), "{expected}: {}", warned.err());
    }
    folder.write("stuck.sm50", "S2R R0, SR_TID.X; SHR.U32 R0, R0, 5; ISETP.EQ.AND P0, PT, R0, 1, PT;\n@P0 BAR.SYNC 0x1;\n@!P0 BAR.SYNC 0x2;\nEXIT;\n");
    folder.ctm("run stuck.sm50 --block 64").fails(3, &["Deadlock", "stuck.sm50:3:1", "same barriers"]);
}
