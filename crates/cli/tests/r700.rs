//! R700 programs through the command line: those of real compilers give the expected results on every engine.

use crate::common;

use common::{Done, Folder, floats, project};
use ctm_codegen::EngineName;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn cases() -> Vec<(PathBuf, Value)> {
    let folder = project("tests/corpus/r700");
    let mut cases: Vec<_> =
        fs::read_dir(folder).expect("the corpus").map(|case| case.expect("a case").path()).collect();
    cases.sort();
    assert_eq!(cases.len(), 6);
    let meta = |case: &PathBuf| json(&fs::read_to_string(case.join("meta.json")).expect("meta.json"));
    cases.into_iter().map(|case| (case.clone(), meta(&case))).collect()
}

/// The options of a run that stand for the registers and data of a case.
fn options(meta: &Value) -> Vec<String> {
    let position = meta["position_register"].as_u64().map_or("none".to_owned(), |register| format!("R{register}"));
    let mut options = vec![
        format!("--domain={}x{}", meta["width"], meta["height"]),
        format!("--clear={}", meta["initial_output"]),
        format!("--position={position}"),
    ];
    for texture in meta["textures"].as_array().expect("a list") {
        let file = project("tests/corpus/textures").join(texture["file"].as_str().expect("a name"));
        options.push(format!("--input={}={}:{}x{}x4", texture["resource"], file.display(), texture["w"], texture["h"]));
        options.push(format!("--sampler={}=nearest,clamp", texture["sampler"]));
    }
    options.extend((0..outputs(meta)).map(|output| format!("--output={output}=out{output}.f32")));
    options
}

fn outputs(meta: &Value) -> u64 {
    meta["outputs"].as_u64().expect("a number")
}

/// Compares what a run wrote with the pictures of a case, by its rule.
fn compare(folder: &Folder, case: &Path, meta: &Value) {
    let number = |value: &Value| value.as_f64().expect("a number");
    let (abs, rel) = (number(&meta["tolerance"]["abs"]), number(&meta["tolerance"]["rel"]));
    for output in 0..outputs(meta) {
        let expected = floats(&fs::read(case.join(format!("expected{output}.f32"))).expect("the expected picture"));
        let got = folder.read_floats(&format!("out{output}.f32"));
        assert_eq!(got.len(), expected.len());
        let matches = |(&got, &expected): (&f32, &f32)| {
            (f64::from(got) - f64::from(expected)).abs() <= abs + rel * f64::from(expected).abs()
        };
        let pixels = got.chunks(4).zip(expected.chunks(4));
        let failing = pixels.filter(|(got, expected)| !got.iter().zip(*expected).all(matches)).count();
        let share = failing as f64 / (expected.len() / 4) as f64;
        assert!(share <= number(&meta["tolerant_fraction"]), "{}, output {output}: {share}", case.display());
    }
}

/// Runs `ctm run` with these arguments on every engine; all must leave the same files.
fn on_every_engine(folder: &Folder, arguments: &[String], files: &[String]) {
    let mut first = None;
    for engine in EngineName::available() {
        let engine = [format!("--engine={}", engine.name())];
        folder.ctm_args(["run".to_owned()].iter().chain(arguments).chain(&engine)).ok();
        let got: Vec<Vec<u8>> = files.iter().map(|file| folder.read(file)).collect();
        assert!(*first.get_or_insert_with(|| got.clone()) == got, "{engine:?}: {arguments:?}");
    }
}

#[test]
fn words_of_the_driver_give_the_expected_pictures() {
    let folder = Folder::new("r700-words");
    for (case, meta) in cases() {
        let program = [case.join("program.u32").display().to_string(), "--isa=r700".to_owned()];
        let arguments: Vec<String> = program.into_iter().chain(options(&meta)).collect();
        let files: Vec<String> = (0..outputs(&meta)).map(|output| format!("out{output}.f32")).collect();
        on_every_engine(&folder, &arguments, &files);
        compare(&folder, &case, &meta);
    }
}

#[test]
fn listings_of_the_driver_become_the_same_programs() {
    let folder = Folder::new("r700-listings");
    for (case, meta) in cases() {
        let listing = case.join("listing.txt").display().to_string();
        folder.ctm_args(["import", "mesa", &listing, "-o", "program.r700"]).ok();
        folder.ctm("asm program.r700 -o program.u32").ok();
        let words = fs::read(case.join("program.u32")).expect("the driver's words");
        assert_eq!(folder.read("program.u32"), words, "{}", case.display());
        assert!(folder.ctm("check program.r700").ok().out().contains("no errors, no warnings"), "{}", case.display());
        for program in [&listing, "program.r700"] {
            let run = ["run".to_owned(), program.to_owned(), "--group=7".to_owned()];
            folder.ctm_args(run.into_iter().chain(options(&meta))).ok();
            compare(&folder, &case, &meta);
        }
    }
}

/// LLVM's object of `branches.ll`: function `loops` has two nested loops inside a branch, and neighbours differ in all three.
fn object() -> String {
    project("crates/object/tests/r700/branches.o").display().to_string()
}

#[test]
fn disassembly_of_every_form_assembles_to_the_same_words() {
    let folder = Folder::new("r700-forms");
    folder.ctm_args(["dis", &object()]).fails(2, &["3 programs", "0 loops (ps)", "2 killing (ps)", "--kernel NAME"]);
    folder.ctm_args(["dis", &object(), "--kernel", "other"]).fails(2, &["no program 'other'", "1 indexed (vs)"]);
    let by_number = folder.ctm_args(["dis", &object(), "--kernel", "1"]).ok();
    let by_name = folder.ctm_args(["dis", &object(), "--kernel", "indexed"]).ok();
    assert_eq!(by_number.out(), by_name.out());
    assert!(by_name.err().contains("MOVA_INT"), "{}", by_name.err());
    assert!(by_name.out().contains(".stage vs"), "{}", by_name.out());

    folder.write("indexed.r700", by_name.out()).ctm("asm indexed.r700 -o indexed.u32").ok();
    let commented = folder.ctm("dis indexed.u32 --isa r700 --addresses --words").ok();
    let words = folder.read("indexed.u32");
    let first = u32::from_le_bytes([words[0], words[1], words[2], words[3]]);
    assert!(commented.out().contains(&format!("; 0: {first:08X}")), "{}", commented.out());
    folder.write("again.r700", commented.out()).ctm("asm again.r700 -o again.u32").ok();
    assert_eq!(folder.read("again.u32"), words);

    let fields = folder.ctm("dis indexed.r700 --fields").ok();
    for row in ["CF_CONST", "DST_GPR", "SRC0_SEL"] {
        assert!(fields.out().contains(row), "{row}\n{}", fields.out());
    }
    let listing = json(folder.ctm("dis indexed.r700 --json").ok().out());
    assert_eq!(listing["info"]["stage"], "vs");
    let addresses: Vec<u64> =
        listing["instructions"].as_array().expect("a list").iter().filter_map(|one| one["address"].as_u64()).collect();
    assert_eq!((addresses[0], addresses.len() > 10), (0, true), "{addresses:?}");
}

/// What `ctm asm` writes holds the program information, and disassembles to the text that it was made of.
#[test]
fn objects_keep_the_text() {
    let folder = Folder::new("r700-objects");
    let text = ".stage gs\n.gprs 7\n.stack 3\n.prefer_vector 0\n.kill_enable 1\n\n00 ALU: ADDR(2) CNT(1)\n      0  \
                t: MOV              R1.x, R0.x\n01 EMIT_VERTEX\nEND_OF_PROGRAM\n";
    folder.write("points.r700", text).ctm("asm points.r700").ok();
    assert_eq!(folder.ctm("dis points.elf").ok().out(), text);
    assert!(
        folder
            .ctm("info points.elf")
            .ok()
            .out()
            .starts_with("program                points\nstage                  gs,")
    );
    folder.ctm("check points.elf").ok();
    // Without a stack size, none is made up.
    folder.write("plain.r700", "00 NOP\nEND_OF_PROGRAM\n").ctm("asm plain.r700").ok();
    assert_eq!(folder.ctm("dis plain.elf").ok().out(), "00 NOP\nEND_OF_PROGRAM\n");
}

/// Hexadecimal words are a program of any instruction set.
#[test]
fn words_in_hexadecimal() {
    let folder = Folder::new("hexadecimal");
    let text = "; colour of a position\n00000002 A0000000 | 0x00008000 0x94200688\n80000000,00000C90 // MOV\n";
    folder.write("words.txt", text).write("colour.r700", text).write("broken.txt", "00000000 80200000\nNOP\n");
    let expected = "00 ALU: ADDR(2) CNT(1)\n      0  x: MOV              R0.x, R0.x\n01 EXP_DONE: PIX0, R1.xyzw\n\
                    END_OF_PROGRAM\n";
    assert_eq!(folder.ctm("dis words.txt --isa r700").ok().out(), expected);
    assert_eq!(folder.ctm("dis colour.r700").ok().out(), expected);
    folder.ctm("dis broken.txt --isa r700").fails(1, &["broken.txt", "line 2", "eight hexadecimal digits", "`NOP`"]);

    let hexadecimal = |path: &str| {
        let dwords: Vec<String> = folder
            .read(path)
            .chunks(4)
            .map(|bytes| format!("{:08x}", u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
            .collect();
        dwords.join("\n")
    };
    folder.write("copy.x1k", "OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;\n");
    folder.ctm("asm copy.x1k -o copy.u32").ok();
    folder.write("copy.hex", hexadecimal("copy.u32"));
    assert_eq!(folder.ctm("dis copy.hex").ok().out(), folder.ctm("dis copy.u32").ok().out());
    let vertex = project("tests/corpus/sm50/v_basic");
    for half in ["sph", "code"] {
        folder.write(
            &format!("v.{half}.u32"),
            fs::read(vertex.join(format!("vert.{half}.u32"))).expect("half of a program"),
        );
    }
    folder.write("v.txt", format!("{}\n{}\n", hexadecimal("v.sph.u32"), hexadecimal("v.code.u32")));
    assert_eq!(folder.ctm("dis v.txt").ok().out(), folder.ctm("dis v.sph.u32").ok().out());
}

#[test]
fn info_lists_the_programs_of_a_file() {
    let folder = Folder::new("r700-info");
    let all = folder.ctm_args(["info", &object()]).ok();
    for part in ["0 loops", "1 indexed", "2 killing", "ps, a pixel shader", "kills pixels", "LOOP_START_DX10"] {
        assert!(all.out().contains(part), "{part}\n{}", all.out());
    }
    let one = json(folder.ctm_args(["info", &object(), "--kernel", "loops", "--json"]).ok().out());
    assert_eq!((&one["name"], &one["info"]["stack_size"]), (&Value::from("loops"), &Value::from(3)));
}

/// What function `loops` of `branches.ll` gives in x at a position, with this many passes of the outer loop.
fn loops(x: f32, y: f32, passes: i32) -> f32 {
    if x <= 1.0 {
        return x;
    }
    let mut sum = x;
    for pass in 0..passes.max(1) {
        sum += y * pass.max(1) as f32;
        sum *= 0.5;
    }
    sum
}

#[test]
fn nested_loops_and_branches_of_llvm() {
    let folder = Folder::new("r700-llvm");
    let (width, height) = (13, 11);
    // Neighbours leave the outer loop after 0 to 6 passes.
    let passes = |n: usize| n as i32 * 5 % 7;
    let trips: Vec<u8> =
        (0..width * height).flat_map(|n| [passes(n) as f32, 0.0, 0.0, 0.0]).flat_map(f32::to_le_bytes).collect();
    folder.write("trips.f32", trips);
    let line = format!(
        "{} --kernel loops --domain {width}x{height} --interp 1=trips.f32:{width}x{height}x4 --group 32 -o out.f32",
        object()
    );
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    on_every_engine(&folder, &arguments, &["out.f32".to_owned()]);
    let got = folder.read_floats("out.f32");
    for (n, got) in got.chunks(4).enumerate() {
        let (x, y) = ((n % width) as f32, (n / width) as f32);
        assert_eq!(got[0], loops(x, y, passes(n)), "({x}, {y})");
        assert_eq!(got[1], y);
    }
}

/// A shader file of the Wii U with this pixel program, twice.
fn shader_file(words: &[u8]) -> Vec<u8> {
    let big_endian = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let block = |kind: u32, data: &[u8]| {
        let header = [0x424C_4B7B, 0x20, 1, 0, kind, data.len() as u32, 0, 0];
        [big_endian(&header), data.to_vec()].concat()
    };
    let mut registers = vec![0; 0x100];
    registers[..4].copy_from_slice(&0x0000_0004u32.to_be_bytes());
    registers[0xA4..0xA8].copy_from_slice(&(words.len() as u32).to_be_bytes());
    let program = [block(6, &registers), block(7, words)].concat();
    let header = big_endian(&[0x4766_7832, 0x20, 7, 1, 2, 0, 0, 0]);
    [header, program.clone(), program, block(1, &[])].concat()
}

/// Colour (x, y, x, 1).
const POSITION: &str = "EXP_DONE: PIX0, R0.xyx1\nEND_OF_PROGRAM\n";

#[test]
fn shader_files_of_the_wii_u_run() {
    let folder = Folder::new("r700-gfd");
    folder.write("position.r700", POSITION).ctm("asm position.r700 -o position.u32").ok();
    folder.write("shaders.gsh", shader_file(&folder.read("position.u32")));
    folder.ctm("run shaders.gsh --domain 4x2 -o out.f32").fails(2, &["2 programs: 0 (ps), 1 (ps)", "--kernel"]);
    folder.ctm("run shaders.gsh --kernel 1 --domain 4x2 -o out.f32").ok();
    let expected: Vec<f32> = (0..8).flat_map(|n| [(n % 4) as f32, (n / 4) as f32, (n % 4) as f32, 1.0]).collect();
    assert_eq!(folder.read_floats("out.f32"), expected);
    folder.write("cut.gsh", &folder.read("shaders.gsh")[..80]);
    folder.ctm("run cut.gsh").fails(1, &["cut.gsh", "ends before"]);
}

#[test]
fn all_programs_of_a_file_are_checked() {
    let folder = Folder::new("r700-check");
    let unset = "ALU:\n 0 x: MOV R1.x, C3[AR.x].x LAST\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n";
    folder.write("unset.r700", unset).ctm("asm unset.r700 -o unset.u32").ok();
    folder.write("shaders.gsh", shader_file(&folder.read("unset.u32")));
    let text = folder.ctm("check shaders.gsh").ok();
    for (number, title) in [(0, "program 0 of shaders.gsh"), (1, "program 1 of shaders.gsh")] {
        assert!(text.err().contains(title), "{}", text.err());
        let findings = json(folder.ctm("check shaders.gsh --json").ok().out());
        let finding = &findings["findings"][number];
        assert_eq!((&finding["code"], &finding["program"]), (&"R700111".into(), &number.to_string().into()));
    }
    let one = json(folder.ctm("check shaders.gsh --kernel 1 --json").ok().out());
    assert_eq!((&one["warnings"], &one["findings"][0]["program"]), (&1.into(), &Value::Null));
}

/// What `ctm run` of a text prints.
fn run(folder: &Folder, text: &str, options: &str) -> Done {
    folder.write("program.r700", text).ctm(&format!("run program.r700 {options}"))
}

#[test]
fn inputs_of_every_kind() {
    let folder = Folder::new("r700-inputs");
    let texels: Vec<u8> = (0..16).flat_map(|n| (n as f32).to_le_bytes()).collect();
    folder.write("texels.f32", &texels).write("weights.f32", &texels);
    // Texture 5 between its four texels, register 1 from a file, constant 2, entry 3 of constant buffer 4, a loop that
    // counts to 3, a branch on a boolean.
    let text = "\
        TEX:\n SAMPLE R2.xyzw, R0.xyzw, t5, s6\n\
        ALU: KCACHE0(CB4:0-15)\n x: ADD R2.x, R2.x, R1.y\n y: ADD R2.y, C2.x, KC0[3].w\n z: MOV R2.z, 0.0f\n\
        LOOP_START CF_CONST(7) FAIL_JUMP_ADDR(done)\nagain:\nALU:\n z: ADD R2.z, R2.z, 1.0f\n\
        LOOP_END CF_CONST(7) PASS_JUMP_ADDR(again)\ndone:\n\
        JUMP CND(BOOL) CF_CONST(9) ADDR(end)\nALU:\n w: MOV R2.w, 5.0f\nend:\n\
        EXP_DONE: PIX0, R2.xyzw\nEND_OF_PROGRAM\n";
    let options = "--domain 1x1 --input 5=texels.f32:2x2x4 --sampler 6=linear,repeat --interp 1=weights.f32:2x2x4 \
                   --const 2=0.5 --kcache 4=texels.f32 --loop-const 7=3 -o out.f32";
    let arguments = |more: &str| {
        folder.write("program.r700", text);
        format!("program.r700 {options} {more}").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    on_every_engine(&folder, &arguments(""), &["out.f32".to_owned()]);
    // At (0, 0), which repeats, all four texels have the same weight: 6, 7, 8, 9.
    assert_eq!(folder.read_floats("out.f32"), [7.0, 15.5, 3.0, 9.0]);
    on_every_engine(&folder, &arguments("--bool-const 9=1"), &["out.f32".to_owned()]);
    assert_eq!(folder.read_floats("out.f32"), [7.0, 15.5, 3.0, 5.0]);

    run(&folder, text, "--domain 1x1 -o out.f32")
        .fails(1, &["texture resource 5", "--input 5=FILE", "constant buffer 4", "--kcache 4=FILE"]);
}

/// The bytes of numbers from 0 on.
fn counting(count: usize) -> Vec<u8> {
    (0..count).flat_map(|n| (n as f32).to_le_bytes()).collect()
}

#[test]
fn textures_of_every_kind() {
    let folder = Folder::new("r700-textures");
    let text = "TEX:\n SAMPLE R1.xyzw, R0.xyz0, t3, s0 DENORM(XYZ)\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n";
    let mut header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2, 1), }".to_owned();
    header += &" ".repeat(127 - 10 - header.len());
    let npy = [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), b"\n", &counting(12)].concat();
    folder.write("program.r700", text).write("twelve.f32", counting(12)).write("six.f32", counting(24));
    folder.write("deep.npy", npy);
    for (texture, coordinates, expected) in [
        ("twelve.f32:2x2x3x1:3d", [1.5f32, 0.5, 2.5], 9.0),
        ("twelve.f32:2x2x3x1", [1.5, 0.5, 2.5], 9.0),
        ("deep.npy", [1.5, 0.5, 2.5], 9.0),
        ("deep.npy:array", [0.5, 1.5, 1.0], 6.0),
        ("twelve.f32:2x6x1", [0.5, 4.5, 9.0], 8.0),
        ("twelve.f32:12x1x1:1d", [2.5, 9.0, 9.0], 2.0),
        ("twelve.f32:4x3x1:1d-array", [1.5, 9.0, 2.0], 9.0),
        // Coordinates on a face are 1 to 2.
        ("six.f32:2x12x1:cube:tiled", [1.75, 1.25, 4.0], 17.0),
    ] {
        let at = coordinates.into_iter().chain([0.0]).flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        folder.write("at.f32", at);
        let line =
            format!("program.r700 --domain 1x1 --position none --interp 0=at.f32:1x1x4 --input 3={texture} -o out.f32");
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        on_every_engine(&folder, &arguments, &["out.f32".to_owned()]);
        assert_eq!(folder.read_floats("out.f32")[0], expected, "{texture}");
    }
    for (texture, expected) in [
        ("twelve.f32:2x6x1:cube", "six square faces"),
        ("twelve.f32:2x6x1:3d", "how many slices"),
        ("twelve.f32:4x3x1:1d", "one row"),
        ("deep.npy:2d", "no depth"),
        ("twelve.f32:2x6x1:sphere", ":cube"),
    ] {
        folder.ctm(&format!("run program.r700 --domain 1x1 --input 3={texture} -o out.f32")).fails(1, &[expected]);
    }
}

/// Two texels to a pixel are level 1.
#[test]
fn levels_follow_the_differences_in_the_quad() {
    let folder = Folder::new("r700-levels");
    let text = "ALU:\n x: MUL_IEEE R0.x, R0.x, C0.x\n y: MUL_IEEE R0.y, R0.y, C0.x\n\
                TEX:\n SAMPLE R1.xyzw, R0.xy00, t0, s0 DENORM(XY)\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n";
    folder
        .write("program.r700", text)
        .write("large.f32", [0; 64])
        .write("small.f32", counting(4))
        .write("one.f32", counting(1));
    let levels = "--domain 2x2 --const 0=2 --input 0=large.f32:4x4x1 --mip 0=small.f32:2x2x1 --mip 0=one.f32:1x1x1 -o out.f32:2x2x1";
    for (option, expected) in [("", [0.0; 4]), ("--quad-derivatives", [0.0, 1.0, 2.0, 3.0])] {
        let line = format!("program.r700 {levels} {option}");
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        on_every_engine(&folder, &arguments, &["out.f32".to_owned()]);
        assert_eq!(folder.read_floats("out.f32"), expected, "{option}");
    }
    folder
        .ctm("run program.r700 --domain 2x2 --input 0=large.f32:4x4x1 --mip 0=one.f32:1x1x1")
        .fails(1, &["1x1x1 (2d)", "level 1 of texture 0 is 2x2x1"]);
    folder.ctm("run program.r700 --domain 2x2 --mip 0=one.f32:1x1x1").fails(1, &["--input 0=FILE"]);
}

#[test]
fn streams_rings_and_strips_go_to_files() {
    let folder = Folder::new("r700-items");
    let text = ".stage gs\nMEM_RING: WRITE(0), R0.xyzw\nEMIT_VERTEX\nCUT_VERTEX\n\
                MEM_STREAM1: WRITE(1), R0.x___\nEND_OF_PROGRAM\n";
    let outputs = "--ring-output 4=ring.f32 --stream-output 1:2=stream.f32 --strip-output 4=strips.f32";
    folder.write("program.r700", text);
    let line = format!("program.r700 --vertices 3 {outputs}");
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let files = ["ring.f32", "stream.f32", "strips.f32"].map(str::to_owned);
    on_every_engine(&folder, &arguments, &files);
    let words = |file: &str| folder.read_floats(file).into_iter().map(f32::to_bits).collect::<Vec<u32>>();
    assert_eq!(words("ring.f32"), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(words("stream.f32"), [0, 0, 0, 1, 0, 2]);
    assert_eq!(words("strips.f32"), [2, 0, 1, 0].repeat(3));

    folder.ctm("run program.r700").fails(2, &["geometry shader", "primitives", "--vertices N"]);
    folder.ctm("run program.r700 --stage es --vertices 3").fails(1, &["R700012", "EMIT_VERTEX"]);
    folder.ctm("run program.r700 --vertices 3 --stream-output 4:2=s.f32").fails(2, &["0 to 3"]);
    folder.ctm("run program.r700 --vertices 3 --ring-output 4=a.f32 --strip-output 4=a.f32").fails(2, &["a.f32"]);
    folder.write("fetch.r700", ".stage fs\nRETURN\n");
    folder.ctm("run fetch.r700").fails(2, &["fetch subroutine", "--fetch-program FILE"]);
}

#[test]
fn depth_goes_to_a_file_of_its_own() {
    let folder = Folder::new("r700-depth");
    let text = "EXP: PIX0, R0.xy01\nEXP_DONE: PIX61, R0.y___\nEND_OF_PROGRAM\n";
    run(&folder, text, "--domain 3x2 --depth-output depth.npy --output 0=colour.png").ok();
    let depth = folder.read("depth.npy");
    assert_eq!(floats(&depth[depth.len() - 24..]), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert!(folder.read("colour.png").starts_with(b"\x89PNG"));
}

#[test]
fn vertices_are_fetched_and_exported() {
    let folder = Folder::new("r700-vertices");
    let values: Vec<u8> = (0..12).flat_map(|n| (n as f32).to_le_bytes()).collect();
    folder.write("points.bin", &values).write("rows.f32", [&values[..], &values[..16]].concat());
    let text = "\
        .stage vs\nCALL_FS\nEXP_DONE: POS0, R1.xyz1\nEXP_DONE: PARAM2, R2.xyzw\nEND_OF_PROGRAM\n";
    let fetch =
        ".stage fs\nVTX:\n FETCH R1.xyz_, R0.x, b3 FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(32_32_32_FLOAT)\nRETURN\n";
    folder.write("fetch.r700", fetch).write("program.r700", text);
    let line = "program.r700 --vertices 4 --fetch-program fetch.r700 --buffer 3=points.bin,stride=12 --interp 2=rows.f32 \
                --position-output 0=clip.npy --param-output 2=colour.f32";
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    on_every_engine(&folder, &arguments, &["clip.npy".to_owned(), "colour.f32".to_owned()]);
    let clip = folder.read("clip.npy");
    assert!(String::from_utf8_lossy(&clip[..128]).contains("(4, 4, )"));
    let expected: Vec<f32> = (0..16).map(|n| if n % 4 == 3 { 1.0 } else { (n - n / 4) as f32 }).collect();
    assert_eq!(floats(&clip[clip.len() - 64..]), expected);
    assert_eq!(folder.read("colour.f32"), folder.read("rows.f32"));

    let report = run(&folder, text, "--vertices 4 --interp 2=rows.f32 --position-output 0=clip.npy").ok();
    assert!(report.err().contains("--fetch-program"), "{}", report.err());
    run(&folder, text, "--vertices 5 --interp 2=rows.f32").fails(1, &["4 rows for 5 vertices"]);
    run(&folder, text, "").fails(2, &["--vertices N"]);
    run(&folder, text, "--vertices 4 -o a.png").fails(2, &["no colours", "--position-output"]);
}

#[test]
fn statistics_and_stages_of_a_program() {
    let folder = Folder::new("r700-stages");
    folder.write("position.r700", POSITION);
    let stats = json(folder.ctm("run position.r700 --domain 8x4 --engine reference --stats --json").ok().out());
    assert_eq!((&stats["engine"], &stats["lanes"]), (&Value::from("reference"), &Value::from(32)));
    assert_eq!(stats["domain"], json("[8, 4]"));
    for stage in ["lane", "lane-opt", "lane-interior"] {
        let text = folder.ctm(&format!("run position.r700 --domain 8x8 --emit {stage}")).ok();
        assert!(text.out().contains("surface_store") || text.out().contains("store"), "{stage}: {}", text.out());
    }
    if EngineName::available().any(|engine| engine == EngineName::JitAvx2) {
        let text = folder.ctm("run position.r700 --domain 8x8 --engine jit-avx2 --emit asm").ok();
        assert!(text.out().contains("ret"), "{}", text.out());
    }
}

#[test]
fn errors_are_reported_with_their_location() {
    let folder = Folder::new("r700-failures");
    run(&folder, "EXP_DONE: PIX0, R0.xyq1\n", "").fails(1, &["program.r700:1:", "^"]);
    folder.write("texels.f32", [0; 64]);
    let unsupported = "TEX:\n GET_LERP R1.xyzw, R0.xyzw, t0, s0\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n";
    run(&folder, unsupported, "--domain 2x2 --input 0=texels.f32:2x2x4")
        .fails(3, &["GET_LERP is not supported", "program.r700:2:", "^"]);
    let checked = json(folder.ctm("check program.r700 --json").ok().out());
    let listing = json(folder.ctm("dis program.r700 --json").ok().out());
    let of = |list: &Value, key: &str, value: &str| {
        list.as_array().and_then(|list| list.iter().find(|one| one[key] == value)).cloned().expect("one")
    };
    let (finding, fetch) = (of(&checked["findings"], "code", "R700201"), of(&listing["instructions"], "form", "fetch"));
    assert_eq!((&finding["pc"], &finding["slot"], &finding["line"]), (&0.into(), &fetch["address"], &2.into()));
    assert_eq!(checked["errors"], 0);
    run(&folder, "CALL ADDR(1) CALL_COUNT(1)\nPOP POP_CNT(1)\nEND_OF_PROGRAM\n", "--domain 2x2")
        .fails(1, &["R700006", "program.r700:2:", "the stack is empty here"]);
    let beyond = "ALU:\n 0 x: MOVA_INT ____.x, -1 LAST\n 1 x: MOV R1.x, R0[AR.x].x\nEND_OF_PROGRAM\n";
    run(&folder, beyond, "--domain 2x2").fails(
        3,
        &["trap: register outside", "program.r700:", "lane (i, j) = (0, 0)", "raise the number of registers"],
    );
    let endless = "LOOP_START_DX10 FAIL_JUMP_ADDR(end)\nagain:\nNOP\nLOOP_END PASS_JUMP_ADDR(again)\nend:\nNOP EOP\n";
    run(&folder, endless, "--domain 2x2 --step-limit 1000").fails(3, &["step limit", "executed 1000", "--step-limit"]);
    run(&folder, POSITION, "--flow full").fails(2, &["an option of X1K programs"]);
    folder.write("position.x1k", common::POSITION);
    folder.ctm("run position.x1k --stage ps").fails(2, &["an option of R700 programs"]);
    for (options, expected) in [
        ("--stage fs", "[possible values: ps, vs, gs, es]"),
        ("--vertices 3", "--stage vs"),
        ("--vertices 3 --domain 2x2", "cannot be used with"),
        ("--sampler 0=cubic", "nearest or linear"),
        ("--sampler 0=linear,wrapped", "'wrapped' is neither a wrap"),
        ("--loop-const 0=4096", "0 to 4095"),
        ("--loop-const 32=1", "0 to 31"),
        ("--bool-const 0=2", "true or false"),
        ("--buffer 0=a.bin,stride=x", "the stride must be"),
        ("--buffer 0=a.bin,format=float", "unknown format 'float'"),
        ("--kcache 16=a.f32", "0 to 15"),
        ("--output 8=a.png", "0 to 7"),
        ("--input 0=@9", "@0 to @7"),
        ("--position R3 --interp 3=texels.f32:2x2x4", "r3"),
        ("--kernel 4", "no program '4'"),
    ] {
        run(&folder, POSITION, options).fails(2, &[expected]);
    }
    folder.write("wrong.o", &fs::read(object()).expect("the object")[..300]);
    folder.ctm("dis wrong.o").fails(1, &["wrong.o", "ELF"]);
    folder.write("odd.u32", [0; 6]);
    folder.ctm("dis odd.u32 --isa r700").fails(1, &["odd.u32", "dwords"]);
    folder.write("listing.txt", "80 dwords, 2 gprs, stack 1\n0000 00000000 80000000\n");
    folder.ctm("dis listing.txt").fails(1, &["listing.txt", "cut off"]);
}

/// The words of a program, as emulators leave them.
fn dumped(folder: &Folder, text: &str, name: &str, big_endian: bool) {
    folder.write("dumped.r700", text).ctm("asm dumped.r700 -o dumped.u32").ok();
    let mut words = folder.read("dumped.u32");
    if big_endian {
        words.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
    }
    folder.write(name, words);
}

#[test]
fn dumps_of_emulators_are_programs_by_their_names() {
    let folder = Folder::new("r700-dumps");
    let vertex = ".stage vs\nCALL_FS\nEXP_DONE: POS0, R1.xyz1\nEND_OF_PROGRAM\n";
    let fetch =
        ".stage fs\nVTX:\n FETCH R1.xyz_, R0.x, b3 FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(32_32_32_FLOAT)\nRETURN\n";
    let values: Vec<u8> = (0..6).flat_map(|n| (n as f32).to_le_bytes()).collect();
    folder.write("points.bin", values);
    for (program, beside, big_endian) in
        [("1a_0f_vs.bin", "1a_0f_fs.bin", false), ("vs_1a_0f.bin", "vs_1a_0f_fs.bin", true)]
    {
        dumped(&folder, vertex, program, big_endian);
        dumped(&folder, fetch, beside, big_endian);
        for options in ["", "--sandbox"] {
            let line = format!("run {program} --vertices 2 --buffer 3=points.bin,stride=12 --position-output 0=p.f32");
            let report = folder.ctm(&format!("{line} {options}")).ok();
            assert_eq!(folder.read_floats("p.f32"), [0.0, 1.0, 2.0, 1.0, 3.0, 4.0, 5.0, 1.0], "{program}");
            assert!(report.err().contains(&format!("the fetch program is '{beside}'")), "{}", report.err());
            assert_eq!(report.err().contains("words are big-endian"), big_endian, "{}", report.err());
        }
        assert!(folder.ctm(&format!("info {beside}")).ok().out().contains("stage                  fs"));
        // Another one may be given, and without any there is a warning.
        fs::rename(folder.0.join(beside), folder.0.join("other_fs.bin")).expect("a file");
        let line = format!("run {program} --vertices 2 --position-output 0=p.f32");
        assert!(folder.ctm(&line).ok().err().contains("there is none"), "{program}");
        folder.write("fetch.r700", fetch);
        folder.ctm(&format!("{line} --fetch fetch.r700 --buffer 3=points.bin,stride=12")).ok();
        assert_eq!(folder.read_floats("p.f32")[4..], [3.0, 4.0, 5.0, 1.0], "{program}");
    }
    dumped(&folder, POSITION, "1_2_ps.bin", true);
    folder.ctm("run 1_2_ps.bin --domain 2x1 -o a.npy").ok();
    dumped(&folder, POSITION, "1_2_compute.bin", false);
    assert!(folder.ctm("check 1_2_compute.bin").ok().err().contains("no stage for compute programs"));
    fs::copy(folder.0.join("1_2_compute.bin"), folder.0.join("plain.bin")).expect("a file");
    folder.ctm("info plain.bin").fails(1, &["plain.bin", "--isa r700"]);
}

#[test]
fn varyings_are_made_by_name() {
    let folder = Folder::new("r700-varyings");
    folder.write("varying.r700", ".gprs 2\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n");
    let run = |source: &str, options: &str| {
        folder.ctm(&format!("run varying.r700 --domain 2x2 --interp 1={source} -o a.f32 {options}")).ok();
        folder.read_floats("a.f32")[4..8].to_vec()
    };
    for options in ["", "--sandbox", "--engine reference"] {
        assert_eq!(run("uv", options), [0.75, 0.25, 0.0, 1.0]);
        assert_eq!(run("position", options), [1.5, 0.5, 0.0, 1.0]);
        assert_eq!(run("constant:1,2,3,4", options), [1.0, 2.0, 3.0, 4.0]);
    }
    folder.write("vertex.r700", ".stage vs\n.gprs 2\nEXP_DONE: POS0, R1.xyzw\nEND_OF_PROGRAM\n");
    folder.ctm("run vertex.r700 --vertices 2 --interp 1=constant:1,2,3,4 --position-output 0=p.f32").ok();
    assert_eq!(folder.read_floats("p.f32"), [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    folder.ctm("run vertex.r700 --vertices 2 --interp 1=uv").fails(2, &["'uv' is of pixels", "constant:R,G,B,A"]);
    folder.ctm("run vertex.r700 --vertices 4000000000 --interp 1=constant:1").fails(4, &["--memory"]);
    folder.ctm("run varying.r700 --interp 1=constant").fails(2, &["a constant has a value", "constant:1,0,0,1"]);
    folder.write("copy.x1k", fs::read(common::project("examples/copy.x1k")).expect("an example"));
    folder.ctm("run copy.x1k --domain 2x2 --input 0=uv -o a.f32").ok();
    assert_eq!(folder.read_floats("a.f32")[12..], [0.75, 0.75, 0.0, 1.0]);
    let listing = "run listing.txt --domain 2x2 --input 18=uv --input 19=constant:1,1,1,1 -o a.f32";
    folder.write("listing.txt", fs::read(common::project("tests/corpus/r700/op_dot/listing.txt")).expect("a listing"));
    folder.ctm(listing).ok();
}

/// What an emulator left: a table of what each program uses, and of what is not covered.
#[test]
fn a_folder_of_dumps() {
    let folder = Folder::new("r700-folder");
    let vertex = ".stage vs\nCALL_FS\nEXP_DONE: POS0, R1.xyz1\nEND_OF_PROGRAM\n";
    fs::create_dir(folder.0.join("dumps")).expect("a folder");
    fs::create_dir(folder.0.join("dumps/more")).expect("a folder");
    dumped(&folder, vertex, "dumps/1a_0f_vs.bin", false);
    dumped(&folder, POSITION, "dumps/2_2_ps.bin", true);
    let double = ".gprs 2\nALU:\n  x: ADD_64 R0.x, R0.x, R1.x\n  y: ADD_64 R0.y, R0.x, R1.x LAST\n";
    dumped(&folder, &format!("{double}EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n"), "dumps/3_3_ps.bin", false);
    folder.write("dumps/notes.txt", "nothing\n");
    let done = folder.ctm("info dumps").ok();
    let lines: Vec<&str> = done.out().lines().collect();
    assert_eq!(lines.len(), 5, "{}", done.out());
    for (line, parts) in lines.iter().zip([
        &["file", "stage", "uses", "not covered"][..],
        &["1a_0f_vs.bin", "vs", "a fetch program, POS0", "-"],
        &["2_2_ps.bin", "ps", "PIX0", "-"],
        &["3_3_ps.bin", "ps", "PIX0", "ADD_64"],
        &["notes.txt: "],
    ]) {
        parts.iter().for_each(|part| assert!(line.contains(part), "{part} is not in: {line}"));
    }
    assert!(done.err().contains("2_2_ps.bin") && done.err().contains("big-endian"), "{}", done.err());
    let found = json(folder.ctm("info dumps --json").ok().out());
    assert_eq!(found["files"][0]["uses"], json("[\"a fetch program\", \"POS0\"]"));
    assert_eq!(
        (&found["files"][1]["not_covered"], &found["files"][1]["info"]["info"]["stage"]),
        (&json("[]"), &"ps".into())
    );
    assert_eq!(found["no_programs"][0]["file"], "notes.txt");
    folder.ctm("info nowhere").fails(1, &["nowhere"]);
}

/// The texts of a vertex and a pixel shader as latte-assembler takes them, with comments that describe their headers.
const LATTE: [(&str, &str); 2] = [
    (
        "a.vsh",
        "; $MODE = \"UniformRegister\"\n; $SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT = 1\n; $NUM_SPI_VS_OUT_ID = 1\n\
         ; $SPI_VS_OUT_ID[0].SEMANTIC_0 = 0\n; $SPI_VS_OUT_ID[0].SEMANTIC_1 = 1\n\
         ; $UNIFORM_VARS[0].name = \"mvp\"\n; $UNIFORM_VARS[0].type = \"mat4\"\n\
         ; $ATTRIB_VARS[0].name = \"position\"\n; $ATTRIB_VARS[0].type = \"vec3\"\n; $ATTRIB_VARS[0].location = 0\n\
         ; $ATTRIB_VARS[1].name = \"uv\"\n; $ATTRIB_VARS[1].type = \"Float2\"\n; $ATTRIB_VARS[1].location = 1\n\
         00 CALL_FS NO_BARRIER\n01 ALU: ADDR(32) CNT(1)\n  0 x: MUL R1.x, R1.x, C0.x\n02 EXP_DONE: POS0, R1\n\
         03 EXP: PARAM0, R2 NO_BARRIER\n04 EXP_DONE: PARAM1, R3.xy__ NO_BARRIER\nEND_OF_PROGRAM\n",
    ),
    (
        "a.psh",
        "; $NUM_SPI_PS_INPUT_CNTL = 2\n; $SPI_PS_INPUT_CNTL[1].semantic = 1\n; $SPI_PS_INPUT_CNTL[1].default_val = 1\n\
         ; $SAMPLER_VARS[0].name= \"image\"\n; $SAMPLER_VARS[0].type= \"sampler2D\"\n; $SAMPLER_VARS[0].location = 0\n\
         00 TEX: ADDR(48) CNT(1) VALID_PIX\n 0 SAMPLE R1, R1.xy__, t0, s0\n01 EXP_DONE: PIX0, R1\nEND_OF_PROGRAM\n",
    ),
];

#[test]
fn shader_files_of_the_wii_u_are_written() {
    let folder = Folder::new("r700-gsh");
    LATTE.iter().for_each(|(name, text)| _ = folder.write(name, text));
    folder.ctm("asm a.vsh a.psh -o a.gsh").ok();
    let bytes = folder.read("a.gsh");
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    // The data of the vertex header begins after two headers of 32 bytes; places are those of GX2VertexShader.
    let field = |offset: usize| word(0x40 + offset);
    assert_eq!([field(0), field(8), field(0xC), field(0x10)], [0x104, 2, 1, 0xFFFF_0100]);
    assert_eq!([field(0x3C), field(0x40), field(0x44), field(0x48), field(0x4C)], [0xFFFF_FFFC, 2, 0, 1, 0xFF]);
    assert_eq!([field(0xC8), field(0xCC), field(0xD8)], [14, 16, 0]);
    // One uniform of type mat4, two attributes.
    let [uniforms, attributes] = [0xE8, 0x108].map(|at| (field(at) & 0xF_FFFF) as usize);
    assert_eq!([field(0xE4), field(0x104)], [1, 2]);
    assert_eq!([field(uniforms + 4), field(uniforms + 8), field(uniforms + 16)], [29, 1, u32::MAX]);
    assert_eq!([field(attributes + 4), field(attributes + 16 + 4), field(attributes + 16 + 12)], [10, 9, 1]);
    let name = 0x40 + (field(uniforms) & 0xF_FFFF) as usize;
    assert_eq!(&bytes[name..name + 4], b"mvp\0");

    // Its texts assemble to the same file again.
    for (number, name) in [(0, "b.vsh"), (1, "b.psh")] {
        folder.ctm(&format!("dis a.gsh --kernel {number} -o {name}.r700")).ok();
        folder.write(name, folder.read(&format!("{name}.r700")));
    }
    folder.ctm("asm b.vsh b.psh -o b.gsh").ok();
    assert_eq!(folder.read("b.gsh"), bytes);
    assert!(String::from_utf8(folder.read("b.vsh")).expect("text").contains("; $UNIFORM_VARS[0].TYPE = \"Matrix4x4\""));
    folder.ctm("asm a.psh -o p.gsh").ok();
    folder.ctm("check p.gsh").ok();

    for (text, words) in [
        (
            "; $NUM_SPI_PS_INPUT_CNTLS = 2",
            ["unknown register `NUM_SPI_PS_INPUT_CNTLS`", "did you mean `NUM_SPI_PS_INPUT_CNTL`"],
        ),
        ("; $SPI_PS_INPUT_CNTL[32].SEMANTIC = 2", ["has no element 32", "0 to 31"]),
        ("; $SPI_PS_INPUT_CNTL[0].SEMANTIC = 256", ["256 does not fit `SEMANTIC`", "0 to 255"]),
        ("; $SPI_PS_INPUT_CNTL[0].SEMANTICS = 2", ["no field `SEMANTICS`", "FLAT_SHADE"]),
        ("; $SAMPLER_VARS[0].TYPE = \"sampler9D\"", ["unknown type `sampler9D`", "samplerCube"]),
        ("; $MODE = \"Uniform\"", ["not a value of `MODE`", "UniformBlock"]),
        ("; $MODE", ["expected `=`", "NAME[index].MEMBER"]),
    ] {
        let line = format!("{text}\nEXP_DONE: PIX0, R1\nEND_OF_PROGRAM\n");
        folder.write("wrong.psh", line).ctm("asm wrong.psh -o wrong.gsh").fails(1, &words);
        folder.ctm("asm wrong.psh -o wrong.elf").ok();
    }
    folder.write("g.r700", ".stage gs\nNOP\nEND_OF_PROGRAM\n");
    folder.ctm("asm g.r700 -o g.gsh").fails(1, &["a geometry shader has no place", ".stage vs"]);
    folder.ctm("asm a.vsh a.psh -o a.elf").fails(2, &["holds one program", "-o FILE.gsh"]);
    folder.write("x.x1k", "OUT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;");
    folder.ctm("asm x.x1k x.x1k -o a.gsh").fails(2, &["holds one program"]);
}

#[test]
fn reads_in_the_group_that_writes_are_told() {
    let folder = Folder::new("r700-same-group");
    let text = |lines: &str| format!("ALU:\n{lines}EXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n");
    let told = |lines: &str| {
        folder.write("a.r700", text(lines));
        let done = folder.ctm("check a.r700").ok();
        format!("{}{}", done.out(), done.err())
    };
    let together = " x: MOV R1.x, 1.0f\n y: ADD R1.y, R1.x, R1.x\n";
    let report = told(together);
    assert!(report.contains("R1.x is read in the group that writes it") && report.contains("`LAST`"), "{report}");
    for apart in [
        " x: MOV R1.x, 1.0f LAST\n y: ADD R1.y, R1.x, R1.x\n",
        " 0 x: MOV R1.x, 1.0f\n 1 y: ADD R1.y, R1.x, R1.x\n",
        " 0 x: MOV R1.x, R1.y\n   y: MOV R1.y, R1.x\n",
        " x: ADD R1.x, R1.x, 1.0f\n y: MOV R1.y, 1.0f\n",
    ] {
        assert!(!told(apart).contains("in the group that writes it"), "{apart}");
    }
}

#[test]
fn loop_constants_without_a_value_are_told() {
    let folder = Folder::new("r700-loop-constants");
    folder.write("a.r700", "LOOP_START FAIL_JUMP_ADDR(done) CF_CONST(3)\nagain:\nALU:\n x: ADD R0.x, R0.x, 1.0f\nLOOP_END PASS_JUMP_ADDR(again)\ndone:\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n");
    let run =
        |options: &str| folder.ctm(&format!("run a.r700 --domain 2x1 -o out.f32 {options}")).ok().err().to_string();
    let report = run("");
    assert!(report.contains("loop constant 3, which has no value and is taken as 4095 passes"), "{report}");
    assert!(report.contains("--loop-const 3="), "{report}");
    assert!(!run("--loop-const 3=2").contains("loop constant"));
}
