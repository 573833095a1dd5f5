//! Programs of a real driver give the pictures of another implementation, through the command line.

use crate::common::{Folder, floats};
use ctm_codegen::EngineName;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn meta(case: &Path) -> Value {
    let text = fs::read_to_string(case.join("meta.json")).expect("meta.json can be read");
    serde_json::from_str(&text).expect("meta.json is JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The options of a run that stand for the registers and data of a case.
fn options(case: &Path, meta: &Value, input_suffix: &str) -> Vec<String> {
    let mut options = vec![
        format!("--domain={}x{}", meta["width"], meta["height"]),
        format!("--clear={}", meta["initial_output"]),
        format!("--start={}", meta["start"]),
        format!("--end={}", meta["end"]),
        format!("--consts={}", case.join("constants.f32").display()),
        format!("--flow={}", if meta["full_flow_control"] == 1 { "full" } else { "partial" }),
        format!(
            "--position={}",
            meta["position_register"].as_u64().map_or("none".into(), |register| register.to_string())
        ),
    ];
    if meta["zero_times_anything_is_zero"] == 1 {
        options.push("--zero-times-anything".into());
    }
    for texture in meta["textures"].as_array().expect("a list") {
        let file = corpus().join("textures").join(texture["file"].as_str().expect("a name"));
        let (unit, w, h) = (&texture["unit"], &texture["w"], &texture["h"]);
        options.push(format!("--input={unit}={}:{w}x{h}x4{input_suffix}", file.display()));
    }
    for (number, constant) in meta["int_constants"].as_array().expect("a list").iter().enumerate() {
        let dword = constant.as_str().and_then(|text| u32::from_str_radix(&text[2..], 16).ok()).expect("a dword");
        let [count, init, step, _] = dword.to_le_bytes();
        options.push(format!("--iconst={number}={count},{init},{}", step as i8));
    }
    assert_eq!(meta["bool_constants"], "0x00000000", "false is what boolean constants are without options");
    options.extend((0..number(&meta["outputs"])).map(|output| format!("--output={output}=out{output}.f32")));
    options
}

/// The share of pixels with a component that does not match.
fn failing_share(got: &[f32], expected: &[f32], abs: f64, rel: f64) -> f64 {
    assert_eq!(got.len(), expected.len());
    let matches = |(&got, &expected): (&f32, &f32)| {
        let (got, expected) = (f64::from(got), f64::from(expected));
        (got - expected).abs() <= abs + rel * expected.abs()
    };
    let pixels = got.chunks(4).zip(expected.chunks(4));
    let failing = pixels.filter(|(got, expected)| !got.iter().zip(*expected).all(matches)).count();
    failing as f64 / (expected.len() / 4) as f64
}

fn compare(folder: &Folder, case: &Path, meta: &Value) {
    let tolerance = |name: &str| meta["tolerance"][name].as_f64().expect("a number");
    for output in 0..number(&meta["outputs"]) {
        let expected = floats(&fs::read(case.join(format!("expected{output}.f32"))).expect("the expected picture"));
        let got = folder.read_floats(&format!("out{output}.f32"));
        let share = failing_share(&got, &expected, tolerance("abs"), tolerance("rel"));
        let tolerant = meta["tolerant_fraction"].as_f64().expect("a number");
        assert!(share <= tolerant, "{}, output {output}: {share} of the pixels fail", case.display());
    }
}

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<_> =
        fs::read_dir(corpus().join("x1k")).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    cases.sort();
    assert_eq!(cases.len(), 8);
    cases
}

#[test]
fn words_of_the_driver_give_the_expected_pictures() {
    let folder = Folder::new("corpus-words");
    for case in cases() {
        let meta = meta(&case);
        let program = case.join("program.u32").display().to_string();
        for engine in EngineName::available() {
            let run = ["run".into(), program.clone(), "--engine".into(), engine.name().into()].into_iter();
            folder.ctm_args(run.chain(options(&case, &meta, ""))).ok();
            compare(&folder, &case, &meta);
        }
    }
}

#[test]
fn dumps_of_the_driver_become_images_that_give_the_expected_pictures() {
    let folder = Folder::new("corpus-dumps");
    for case in cases() {
        let meta = meta(&case);
        let dump = case.join("dump.txt").display().to_string();
        folder.ctm_args(["import", "mesa", &dump, "-o", "program.x1k"]).ok();
        folder.ctm("asm program.x1k -o program.elf").ok();
        folder.ctm("asm program.x1k -o program.u32").ok();
        let words = fs::read(case.join("program.u32")).expect("the driver's words");
        assert_eq!(folder.read("program.u32"), words, "{}", case.display());
        folder
            .ctm_args(["run", "program.elf"].map(String::from).into_iter().chain(options(&case, &meta, ":tiled")))
            .ok();
        compare(&folder, &case, &meta);
    }
}
