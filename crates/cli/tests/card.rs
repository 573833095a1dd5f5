//! `ctm card`: programs with a card, and traces.

use crate::common::{Folder, project};
use ctm_card::trace::TraceWriter;
use ctm_card::{Object, Submission};
use ctm_memory::Arena;
use ctm_r5xx::Model;
use serde_json::{Value, json};

/// A register write, a draw of a triangle with positions of two dwords, and one of 70,000 vertices from arrays.
const DRAWS: [u32; 14] = [
    0x0000_10C1,
    0x0000_0123,
    0xC006_3500,
    0x0003_0034,
    0,
    0,
    0,
    0,
    0,
    0,
    0x0000_0822,
    70_000,
    0xC000_3400,
    0x0000_4024,
];

/// A trace of two submissions, of which the second is wrong if so wished.
fn trace(second: &[u32]) -> Vec<u8> {
    let mut file = Vec::new();
    let memory = Arena::new(0x1000, 0x4000).expect("memory");
    let objects = [Object { address: 0x2000, size: 0x1800 }];
    let mut writer = TraceWriter::new(&mut file, &Model::Rv515.identity()).expect("a header");
    assert!(memory.write_u32(0x2004, 7));
    for words in [&DRAWS[..], second] {
        writer.record(&memory, &Submission { words, objects: &objects, untouched: &[] }).expect("a record");
    }
    file
}

#[test]
fn traces_are_shown() {
    let folder = Folder::new("card-trace");
    folder.write("scene.ctmcard", trace(&[0x8000_0000]));
    let info = folder.ctm("card info scene.ctmcard").ok();
    for line in ["card                 rv515 (PCI 1002:7140)", "submissions          2", "draws                2"] {
        assert!(info.out().contains(line), "{}", info.out());
    }
    let stats = folder.ctm("card stats scene.ctmcard").ok();
    let rows: Vec<Vec<_>> = stats.out().lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((&rows[1][..5], rows[1].last()), (&["0", "0", "2", "triangles", "3"][..], Some(&"packet")));
    assert_eq!((&rows[2][..5], rows[2].last()), (&["1", "0", "12", "triangles", "70000"][..], Some(&"arrays")));
    let dis = folder.ctm("card dis scene.ctmcard").ok();
    for line in [
        "submission 0: 14 words, 1 object, 1 page written by the driver",
        "  object 0: 6144 bytes at 0x00002000",
        "     1  RS_INST_COUNT = 0x00000123",
        "submission 1: 1 word,",
    ] {
        assert!(dis.out().contains(line), "{line}: {}", dis.out());
    }
    let second = folder.ctm("card dis scene.ctmcard --submission 1").ok();
    assert!(second.out().starts_with("submission 1:") && dis.out().ends_with(second.out()));
    folder.ctm("card dis scene.ctmcard --submission 2").fails(2, &["2 submissions, and no number 2", "from 0"]);
}

#[test]
fn traces_are_json() {
    let folder = Folder::new("card-json");
    folder.write("scene.ctmcard", trace(&[0x4000_0000]));
    let lines = |line: &str| -> Vec<Value> {
        folder.ctm(line).out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let info = &lines("card info scene.ctmcard --json")[0];
    assert_eq!((&info["card"], &info["rejected"], &info["written"]), (&json!("rv515"), &json!(1), &json!(4096)));
    let dis = lines("card dis scene.ctmcard --json");
    assert_eq!(dis[0]["objects"], json!([{ "address": 0x2000, "size": 0x1800 }]));
    assert_eq!((&dis[1]["submission"], &dis[1]["words"]), (&json!(1), &json!(1)));
    let draws = lines("card stats scene.ctmcard --json");
    assert_eq!(draws.len(), 3);
    let mut expected = json!({
        "draw": 1, "submission": 0, "dword": 12, "primitive": "triangles", "vertices": 70_000, "from": "arrays",
    });
    for name in [
        "primitives",
        "drawn",
        "pixels",
        "fragments",
        "instructions",
        "passed",
        "run_seconds",
        "slow",
        "textures",
        "target",
    ] {
        expected[name] = draws[1][name].clone();
    }
    assert_eq!(draws[1], expected);
}

/// What the draws of a scene do: the numbers are the same on every engine.
#[test]
fn draws_are_counted() {
    let folder = Folder::new("card-stats");
    let scene = project("tests/card/depth.ctmcard").display().to_string();
    for engine in ["reference", "interp"] {
        let done = folder.ctm(&format!("card stats {scene} --engine {engine} --json")).ok();
        let lines: Vec<Value> = done.out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let names = ["vertices", "primitives", "drawn", "pixels", "fragments", "instructions", "passed"];
        let of = |line: &Value| names.map(|name| line[name].as_u64());
        let counts: Vec<_> = lines.iter().map(of).collect();
        assert_eq!(counts[0], [1, 1, 1, 6144, 6144, 6144, 6144].map(Some), "a clear");
        let floor = counts[1];
        assert_eq!(floor[..3], [4, 1, 2].map(Some), "a quad is two triangles");
        assert_eq!(floor[3..], [floor[3]; 4], "all of the pixels pass");
        let hidden = counts[4];
        assert!(hidden[6] < hidden[3], "behind another triangle: {hidden:?}");
        assert_eq!(counts.len(), 7);
        for n in 0..names.len() {
            let sum: Option<u64> = counts[..6].iter().map(|counts| counts[n]).sum();
            assert_eq!(counts[6][n], sum, "{}", names[n]);
        }
        assert_eq!(lines[6]["draws"], 6);
    }
    let few = folder.ctm(&format!("card stats {scene} --draw 1")).ok();
    assert_eq!(few.out().lines().count(), 4, "{}", few.out());
}

/// Frames end where a program presented a window.
#[test]
fn frames_are_listed_and_replayed() {
    let folder = Folder::new("card-frames");
    let scene = std::fs::read(project("tests/card/depth.ctmcard")).expect("a trace");
    let (header, record) = scene.split_at(32);
    let mark = &b"FRAM"[..];
    folder.write("frames.ctmcard", [header, record, mark, mark, record, mark, record].concat());
    let info = folder.ctm("card info frames.ctmcard").ok();
    assert!(info.out().contains("frames presented     3\n"), "{}", info.out());
    let draws = |options: &str| -> Vec<Value> {
        let done = folder.ctm(&format!("card stats frames.ctmcard --engine interp --json {options}")).ok();
        let mut lines: Vec<Value> = done.out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.pop().expect("all")["draws"], json!(lines.len()));
        lines
    };
    let numbers = |options: &str| draws(options).iter().map(|draw| draw["draw"].as_u64()).collect::<Option<Vec<_>>>();
    assert_eq!(numbers("--frame 1"), Some((0..6).collect()));
    assert_eq!(numbers("--frame 3"), Some((6..12).collect()));
    assert_eq!(numbers("").map(|all| all.len()), Some(18));
    let floor = &draws("--frame 3")[1];
    let size = ["width", "height"].map(|name| floor["target"][name].as_u64());
    assert_eq!((size, &floor["textures"]), ([Some(96), Some(64)], &json!(0)));
    let sorted: Vec<_> = draws("--frame 1 --sort pixels").iter().map(|draw| draw["pixels"].as_u64()).collect();
    assert!(sorted.is_sorted_by(|one, next| one >= next) && sorted[0] > sorted[5], "{sorted:?}");

    let replayed = folder.ctm("card replay frames.ctmcard --frame 3 --engine interp").ok();
    assert!(replayed.out().starts_with("2 submissions with 12 draws"), "{}", replayed.out());
    folder.ctm("card stats frames.ctmcard --frame 2").fails(2, &["frame 2 has no draws"]);
    folder.ctm("card stats frames.ctmcard --frame 4").fails(2, &["3 frames, and no number 4", "from 1"]);
    folder.ctm("card replay frames.ctmcard --frame 1 --draw 1").fails(2, &["cannot be used with"]);
    let scene = project("tests/card/depth.ctmcard").display().to_string();
    folder.ctm(&format!("card replay {scene} --frame 1")).fails(2, &["no frames", "record' marks them"]);
}

/// The pictures of `tests/card`, which the driver's own copies were.
#[test]
fn traces_are_replayed() {
    let folder = Folder::new("card-replay");
    let pixels = |bytes: &[u8]| ctm_array::read_png(bytes).expect("a picture");
    for scene in ["depth", "wave"] {
        let file = |ending: &str| project(&format!("tests/card/{scene}.{ending}")).display().to_string();
        let expected = pixels(&std::fs::read(file("png")).expect("a picture"));
        for engine in ["reference", "interp"] {
            let line = format!("card replay {} --bottom-up --engine {engine} -o all.png", file("ctmcard"));
            let done = folder.ctm(&line).ok();
            assert!(done.out().ends_with("the last draw's buffer: 96x64 pixels\n"), "{}", done.out());
            assert!(pixels(&folder.read("all.png")) == expected, "{scene}");
        }

        // The last draw copies what is there before it, so that the driver can read it.
        let last = folder.ctm(&format!("card stats {}", file("ctmcard"))).ok().out().lines().count() - 2;
        let before = format!("card replay {} --bottom-up --draw {} -o before.png", file("ctmcard"), last - 1);
        folder.ctm(&before).ok();
        assert!(pixels(&folder.read("before.png")) == expected, "{scene}");
        folder.ctm(&format!("card replay {} --bottom-up --draw 0 -o clear.png", file("ctmcard"))).ok();
        assert!(pixels(&folder.read("clear.png")) != expected, "{scene}");
        let beyond = format!("card replay {} --draw {}", file("ctmcard"), last + 1);
        folder.ctm(&beyond).fails(2, &["and no number", "from 0"]);
        folder.ctm(&format!("card replay {} --target 1 -o a.png", file("ctmcard"))).fails(1, &["colour buffer 1"]);
        folder.ctm(&format!("card replay {} -o a.txt", file("ctmcard"))).fails(2, &["a.txt"]);
    }
    folder.write("wrong.ctmcard", trace(&[0x4000_0000]));
    let done = folder.ctm("card replay wrong.ctmcard").ok();
    assert!(done.err().contains("warning: submission 1 is rejected: command word 0"), "{}", done.err());
    folder.ctm("card replay wrong.ctmcard --strict").fails(1, &["submission 1 is rejected"]);
}

/// A trace of the card of the R700 family: programs lie in its objects, and what it cannot do is said.
#[test]
fn traces_of_another_family_are_shown_and_replayed() {
    let folder = Folder::new("card-rv770");
    let file = |ending: &str| project(&format!("tests/card/rv770/depth.{ending}")).display().to_string();
    let scene = file("ctmcard");
    let info = folder.ctm(&format!("card info {scene}")).ok();
    for line in ["card                 rv770 (PCI 1002:9440)", "of them rejected     0", "draws                7"] {
        assert!(info.out().contains(line), "{}", info.out());
    }
    let dis = folder.ctm(&format!("card dis {scene} --submission 1")).ok();
    for line in [
        "VGT_PRIMITIVE_TYPE = 0x00000004 (PRIM_TYPE triangles)",
        "VS   0  CALL_FS",
        "FS   1  RETURN",
        "resource 320: buffer",
    ] {
        assert!(dis.out().contains(line), "{line}: {}", dis.out());
    }
    let stats = folder.ctm(&format!("card stats {scene} --json")).ok();
    let lines: Vec<Value> = stats.out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[0]["primitive"], &lines[7]["draws"]), (&json!("points"), &json!(7)));
    assert_eq!(
        (&lines[6]["primitive"], &lines[6]["pixels"]),
        (&json!("rectangles"), &json!(6144)),
        "the copy that is read"
    );
    folder.ctm(&format!("card replay {scene} --bottom-up -o all.png")).ok();
    let pixels = |bytes: &[u8]| ctm_array::read_png(bytes).expect("a picture");
    assert!(pixels(&folder.read("all.png")) == pixels(&std::fs::read(file("png")).expect("a picture")));
    let history = folder.ctm(&format!("card replay {scene} --pixel 40,20 --follow")).ok();
    for line in [
        "pixel (40, 20): 4 of 7 draws covered it\n",
        "drawn as a triangle: (14.398, 0) depth 0.200000 1/w 1; (81.602, 0) depth 0.950000 1/w 1; (48, 64)",
        "vertex 2 in a group of 1 lane: starts with R0.x = 2 0x2",
        "fs:0      1/1  VTX: ADDR(2) CNT(2)\n",
        "    stencil test: 0x01 equal 0x01: passes\n",
        "    depth test: 0x7bb8f1 (0.483291) less 0xffffff (1.000000): passes\n",
        "pixel (40, 20) in a group of 4 lanes: starts with R0.yw = 1, 1",
        "    colour buffer 0: 0xff333333 (0.2, 0.2, 0.2, 1) -> 0xff00ff00 (0, 1, 0, 1)\n",
    ] {
        assert!(history.out().contains(line), "{line}: {}", history.out());
    }
    let outside = folder.ctm(&format!("card replay {scene} --pixel 40,64")).ok();
    let none = "pixel (40, 64): none of 7 draws covered it; the last draw's buffer has 96x64 pixels\n";
    assert_eq!(outside.out().lines().next(), none.lines().next());
    let far = folder.ctm(&format!("card replay {scene} --pixel 8191,8191")).ok();
    assert!(far.out().starts_with("pixel (8191, 8191): none of 7 draws covered it"), "{}", far.out());
    folder.ctm(&format!("card replay {scene} --pixel 8192,0")).fails(2, &["each 0 to 8191"]);
    folder.ctm(&format!("card replay {scene} --draw 7 --pixel 1,1")).fails(2, &["7 draws", "no number 7"]);
    folder.ctm(&format!("card replay {scene} --card r580")).fails(1, &["the trace is of rv770", "r580"]);
}

/// A trace of the card whose commands lie in its objects: they are counted, listed and executed up to any draw.
#[test]
fn traces_of_commands_in_memory_are_shown_and_replayed() {
    let folder = Folder::new("card-gm107");
    let file = |ending: &str| project(&format!("tests/card/gm107/depth.{ending}")).display().to_string();
    let scene = file("ctmcard");
    let info = folder.ctm(&format!("card info {scene}")).ok();
    for line in ["card                 gm107 (PCI 10de:1380)", "command words        1997", "draws                4"] {
        assert!(info.out().contains(line), "{}", info.out());
    }
    let dis = folder.ctm(&format!("card dis {scene} --submission 1")).ok();
    assert!(dis.out().starts_with("submission 1: 524 words, 7 objects, 1 page"), "{}", dis.out());
    for line in ["3D RT_ADDRESS_LOW_0 = 0x013a0000", "upload UPLOAD_EXEC = 0x00001001 (LINEAR 1)"] {
        assert!(dis.out().contains(line), "{line}: {}", dis.out());
    }
    let stats = folder.ctm(&format!("card stats {scene} --json")).ok();
    let lines: Vec<Value> = stats.out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[2]["primitive"], &lines[4]["draws"]), (&json!("triangles"), &json!(4)));
    assert_eq!((&lines[2]["submission"], &lines[2]["dword"]), (&json!(4), &json!(11)));
    let picture = |options: &str| {
        folder.ctm(&format!("card replay {scene} --bottom-up -o all.png {options}")).ok();
        ctm_array::read_png(&folder.read("all.png")).expect("a picture")
    };
    let expected = ctm_array::read_png(&std::fs::read(file("png")).expect("a picture")).expect("a picture");
    assert!(picture("") == expected && picture("--draw 3") == expected && picture("--draw 2") != expected);
    assert!(picture("--engine reference") == expected);
    folder.ctm(&format!("card replay {scene} --draw 4")).fails(2, &["4 draws", "no number 4"]);
    folder.ctm(&format!("card replay {scene} --card rv770")).fails(1, &["the trace is of gm107", "rv770"]);
}

/// The pixel's history: the clear, the floor with its stencil value, the triangle in front; another triangle fails the test.
#[test]
fn pixels_have_a_history() {
    let folder = Folder::new("card-pixel");
    let scene = project("tests/card/depth.ctmcard").display().to_string();
    let done = folder.ctm(&format!("card replay {scene} --draw 3 --pixel 40,20 --follow")).ok();
    for line in [
        "pixel (40, 20): 3 of 4 draws covered it\n",
        "draw 3 (submission 0, dword 602); in colour buffer 0 it is at 0x00004780\n  primitive 0\n",
        "vertex 0 (element 0): position (-0.7, -1, -0.6, 1); texture 0 (0, 1, 0, 1)\n",
        "drawn as a triangle: (14.417, 0) depth 0x333332 (0.200000) 1/w 1; (81.583, 0)",
        "stencil test: 0x01 equal 0x01: passes\n",
        "depth test: 0x7bb5f6 (0.483245) less 0xffffff (1.000000): passes\n",
        "stored: depth 0xffffff (1.000000) -> 0x7bb5f6 (0.483245)\n",
        "fragment (40, 20) in a group of 4 lanes",
        "the program gives out[0] (0, 1, 0, 1), in 1 instruction\n",
        "colour buffer 0: 0xff333333 (0.2, 0.2, 0.2, 1) -> 0xff00ff00 (0, 1, 0, 1)\n",
    ] {
        assert!(done.out().contains(line), "{line}: {}", done.out());
    }
    let brief = folder.ctm(&format!("card replay {scene} --draw 3 --pixel 40,20")).ok();
    assert!(!brief.out().contains("in a group of") && brief.out().lines().count() < done.out().lines().count());
    // The picture has 64 rows.
    let upside = folder.ctm(&format!("card replay {scene} --draw 3 --pixel 40,43 --bottom-up")).ok();
    let history =
        |text: &str| text.split("\n\n").filter(|part| part.starts_with("draw ")).collect::<Vec<_>>().join("\n");
    assert_eq!(history(upside.out()), history(brief.out()));

    let lines = |line: &str| -> Vec<Value> {
        folder.ctm(line).out().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let draws = lines(&format!("card replay {scene} --draw 3 --pixel 40,20 --json"));
    assert_eq!(draws.len(), 4);
    let fragment = &draws[2]["events"][0]["fragment"];
    assert_eq!(fragment["program"]["outputs"][0]["values"], json!([0.0, 1.0, 0.0, 1.0]));
    assert_eq!(fragment["samples"][0]["tests"]["after"], json!({ "depth": 0x7b_b5f6, "stencil": 1 }));

    let outside = folder.ctm(&format!("card replay {scene} --pixel 200,1")).ok();
    assert!(outside.out().starts_with("pixel (200, 1): none of 6 draws covered it"), "{}", outside.out());
    folder.ctm(&format!("card replay {scene} --pixel 1,64 --bottom-up")).fails(2, &["1,64", "64 rows"]);
    folder.ctm(&format!("card replay {scene} --pixel 1")).fails(2, &["--pixel", "40,20"]);
    folder.ctm(&format!("card replay {scene} --follow")).fails(2, &["--pixel"]);
}

#[test]
fn submissions_have_a_time_limit() {
    let folder = Folder::new("card-time");
    let scene = project("tests/card/wave.ctmcard").display().to_string();
    let done = folder.ctm(&format!("card replay {scene} --time-limit 0.000001")).ok();
    assert!(
        done.err().contains("warning: submission 0 is rejected") && done.err().contains("time limit"),
        "{}",
        done.err()
    );
    folder.ctm(&format!("card replay {scene} --time-limit none")).ok();
    folder.ctm(&format!("card replay {scene} --time-limit 1e18")).ok();
}

#[test]
fn damaged_traces_are_refused() {
    let folder = Folder::new("card-damage");
    let whole = trace(&[0x4000_0000]);
    folder.write("scene.ctmcard", &whole).write("short.ctmcard", &whole[..whole.len() - 2]);
    folder.write("other.ctmcard", "text").write("empty.ctmcard", "");
    for command in ["info", "dis", "replay", "stats"] {
        let fails = |file: &str, expected: &str| {
            folder.ctm(&format!("card {command} {file}")).fails(1, &[file, expected]);
        };
        fails("short.ctmcard", &format!("the trace ends at byte {}, in ", whole.len() - 2));
        fails("other.ctmcard", "not a trace of a card");
        fails("empty.ctmcard", "the file is empty");
        fails("nowhere.ctmcard", "no such file");
    }
    folder.ctm("card stats scene.ctmcard").fails(1, &["submission 1, dword 0"]);
}

#[cfg(target_os = "linux")]
mod programs {
    use super::*;

    /// What the loader of programs refuses, and goes on without.
    fn folder(name: &str) -> Folder {
        let folder = Folder::new(name);
        folder.write("library.so", "");
        folder
    }

    #[test]
    fn they_get_the_card() {
        let folder = folder("card-run");
        let script = "echo $CTM_CARD; basename $LD_PRELOAD; echo $CTM_CARD_TRACE; echo $CTM_CARD_LOG; echo $CTM_CARD_ENGINE; echo $1; exit 7";
        let options =
            ["card", "run", "--library", "library.so", "--card", "rv515", "--log", "log", "--engine", "interp"];
        let done =
            folder.ctm_args(options.iter().chain(&["--trace", "t.ctmcard", "--", "sh", "-c", script, "sh", "-x"]));
        assert_eq!(done.0.status.code(), Some(7), "{}", done.err());
        let whole = |name: &str| folder.0.join(name).display().to_string();
        let expected = ["rv515", "library.so", &whole("t.ctmcard"), &whole("log"), "interp", "-x"];
        assert_eq!(done.out().lines().collect::<Vec<_>>(), expected);
        assert!(!done.err().contains("error: "), "{}", done.err());
        folder.ctm("card run --library library.so sh -c true").ok();
    }

    #[test]
    fn what_is_missing_is_said() {
        let folder = folder("card-missing");
        folder.ctm("card run --library nowhere.so -- true").fails(1, &["'nowhere.so'", "cargo build", "--library"]);
        folder.ctm("card run --library library.so -- ./nowhere").fails(1, &["'./nowhere'", "no such file"]);
        folder.ctm("card run --card r600 -- true").fails(2, &["r600", "rv515", "r580"]);
        folder.ctm("card run").fails(2, &["PROGRAM"]);
        folder.ctm("card record -o t.png --library library.so -- true").fails(2, &["t.png", ".ctmcard"]);
        folder.ctm("card record -o no/t.ctmcard --library library.so -- true").fails(1, &["no/t.ctmcard"]);
        let done = folder.ctm("card record -o t.ctmcard --library library.so -- true").ok();
        assert!(done.err().contains("'t.ctmcard' has no trace: the program did not open the card"), "{}", done.err());
        let killed = ["card", "record", "-o", "t.ctmcard", "--library", "library.so", "--", "sh", "-c", "kill -9 $$"];
        folder.ctm_args(killed).fails(1, &["'sh' ended by a signal", "9"]);
    }
}

#[test]
#[cfg(unix)]
fn the_doctor_says_what_is_in_the_way() {
    let folder = Folder::new("card-doctor");
    let ask = |variables: &[(&str, &str)]| {
        let mut command = folder.command(["card", "doctor"]);
        command.env_remove("WAYLAND_DISPLAY").env("DISPLAY", ":9999").envs(variables.iter().copied());
        let done = command.output().expect("ctm starts");
        (done.status.code(), String::from_utf8(done.stdout).expect("text"))
    };
    let (code, text) = ask(&[("LIBGL_ALWAYS_SOFTWARE", "1"), ("WAYLAND_DISPLAY", "wayland-0")]);
    assert_eq!(code, Some(1), "{text}");
    for line in [
        "missing  environment  LIBGL_ALWAYS_SOFTWARE is set",
        "-> unset LIBGL_ALWAYS_SOFTWARE",
        "limited  Wayland      wayland-0",
        "limited  X            :9999: no server",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let (_, text) = ask(&[("LIBGL_ALWAYS_SOFTWARE", "0")]);
    assert!(text.contains("ok       environment") && text.contains("ok       Wayland"), "{text}");
}

/// A log has constants with four decimals at most; a trace of the same run has them as they were.
#[test]
fn constants_of_logs_come_from_traces() {
    let folder = Folder::new("card-constants");
    let clear = "OUT TEX_SEM_WAIT src0.rgb = const[0], src0.a = const[0] : \
         out[0].rgb = MAD src0.rgb src0.111 src0.000, out[0].a = MAD src0.a src0.1 src0.0 ;\n";
    folder.write("clear.x1k", clear).ctm("asm clear.x1k -o clear.u32").ok();
    let names = ["0:CMN_INST", "1:RGB_ADDR", "2:ALPHA_ADDR", "3 RGB_INST:", "4 ALPHA_INST:", "5 RGBA_INST:"];
    let words = folder.read("clear.u32");
    let lines = words.as_chunks::<4>().0.iter().zip(names).enumerate().map(|(number, (word, name))| {
        let address = if number == 0 { "0" } else { "" };
        format!("{address}\t{name} 0x{:08x}:\n", u32::from_le_bytes(*word))
    });
    let log: String = ["R500 Fragment Program:\n--------\n".to_owned()].into_iter().chain(lines).collect();
    folder.write("log.txt", log);
    let trace = project("tests/card/texture.ctmcard").display().to_string();
    folder.ctm(&format!("import mesa log.txt --constants {trace} -o clear2.x1k")).ok();
    let text = String::from_utf8(folder.read("clear2.x1k")).expect("text");
    assert!(text.contains("-- Constants are those of draw 0 of") && text.contains(".const c0 = "), "{text}");
    folder.ctm("run clear2.x1k --domain 1x1 -o colour.f32").ok();
    assert_eq!(folder.read_floats("colour.f32"), [0.1, 0.15, 0.2, 1.0]);

    let other = project("tests/card/rv770/blend.ctmcard").display().to_string();
    folder
        .ctm(&format!("import mesa log.txt --constants {other} -o x.x1k"))
        .fails(1, &["no fragment constants of this kind"]);
    folder.write(
        "none.txt",
        folder.read("log.txt").iter().map(|&byte| if byte == b'8' { b'9' } else { byte }).collect::<Vec<_>>(),
    );
    folder
        .ctm(&format!("import mesa none.txt --constants {trace} -o x.x1k"))
        .fails(1, &["draws of the trace has this program"]);
}
