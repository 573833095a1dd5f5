//! The page's questions, asked without a browser.

use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_web::compute::LaunchSettings;
use ctm_web::examples::EXAMPLES;
use ctm_web::pipeline::DrawSettings;
use ctm_web::problem::Severity;
use ctm_web::scene::{InputContent, Scene};
use ctm_web::source::ProgramKind;
use ctm_web::trail::SourceVariable;
use ctm_web::workbench::PassText;
use ctm_web::{Language, Workbench};
use std::collections::BTreeMap;

fn workbench() -> Workbench {
    Workbench::new(Executor::Engine(Engine::interpreter()))
}

fn scene(side: u32) -> Scene {
    Scene { width: side, height: side, ..Scene::default() }
}

#[test]
fn examples_run_on_all_engines_to_the_same_bits() {
    let fastest = EngineName::fastest().executor().unwrap();
    for (interpreted, mut workbench) in [(true, workbench()), (false, Workbench::new(fastest))] {
        for example in EXAMPLES {
            let examined = workbench.examine(example.language, example.text);
            assert!(examined.runs, "{}: {:?}", example.name, examined.problems);
            assert!(!examined.listing.is_empty() && examined.listing.iter().all(|one| !one.text.is_empty()));
            let is_linked = examined.listing.iter().filter(|listed| listed.line > 0).count();
            assert!(2 * is_linked > examined.listing.len(), "{}: {is_linked} lines", example.name);
            match examined.kind {
                ProgramKind::Picture => {
                    let picture = workbench.paint(scene(32)).unwrap();
                    assert_eq!(picture.len(), 32 * 32 * 4);
                    assert!(picture.iter().any(|&value| value != picture[0]), "{} is empty", example.name);
                    let hash = workbench.hash().unwrap();
                    let mut reference = Workbench::new(Executor::Reference);
                    reference.examine(example.language, example.text);
                    reference.paint(scene(32)).unwrap();
                    assert_eq!(hash, reference.hash().unwrap(), "{}", example.name);
                }
                ProgramKind::Compute => {
                    let settings: LaunchSettings = serde_json::from_str(example.settings).unwrap();
                    assert_eq!(workbench.launch(&settings).unwrap()[..7], [0, 1, 7, 2, 5, 8, 16]);
                }
                ProgramKind::Pipeline if interpreted => {
                    let settings: DrawSettings = serde_json::from_str(example.settings).unwrap();
                    assert_eq!(workbench.draw(&settings).unwrap().indices.len(), 3 * 800);
                }
                ProgramKind::Pipeline => {}
            }
        }
    }
}

#[test]
fn parts_make_the_picture() {
    for example in EXAMPLES {
        let mut workbench = workbench();
        if workbench.examine(example.language, example.text).kind != ProgramKind::Picture {
            continue;
        }
        for (side, parts) in [(40, 1), (64, 2), (99, 3), (24, 5), (7, 2)] {
            let whole = workbench.paint(scene(side)).unwrap();
            let mut rows = Vec::new();
            for part in (0..parts).map(|part| workbench.paint_part(scene(side), part, parts).unwrap()) {
                let width = 4 * side as usize;
                let of_whole =
                    part.rows.iter().flat_map(|band| &whole[band.start as usize * width..band.end as usize * width]);
                assert!(part.shown.bytes.iter().eq(of_whole), "{}: {:?} of {side}", example.name, part.rows);
                rows.extend(part.rows.into_iter().flatten());
            }
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..side));
        }
    }
}

/// Whether alpha is left out is said for each part, since others may have some.
#[test]
fn parts_say_whether_alpha_is_left_out() {
    let mut workbench = workbench();
    // One of the eight bands of two parts.
    let text = "void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, abs(gl_FragCoord.y - 12.0) < 4.0 ? 0.5 : 0.0); }";
    assert!(workbench.examine(Language::Glsl, text).runs);
    let alphas = |bytes: &[u8]| bytes.chunks(4).map(|pixel| pixel[3]).collect::<Vec<_>>();
    let parts = [0, 1].map(|part| workbench.paint_part(scene(64), part, 2).unwrap());
    let (opaque, other): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.shown.is_opaque);
    let ([opaque], [other]) = (&opaque[..], &other[..]) else { panic!("{parts:?}") };
    assert_eq!(alphas(&opaque.shown.bytes), [255; 32 * 64]);
    let count = |value| alphas(&other.shown.bytes).into_iter().filter(|&alpha| alpha == value).count();
    assert_eq!((count(128), count(0)), (8 * 64, 24 * 64));
    assert_eq!(
        workbench.paint_part(scene(40), 2, 2).unwrap_err().to_string(),
        "part 2 is out of range: the picture has 2 parts, counted from 0"
    );
}

#[test]
fn counts_and_trails_agree() {
    let mut workbench = workbench();
    for name in ["mandelbrot", "julia", "newton"] {
        let example = EXAMPLES.iter().find(|example| example.name == name).unwrap();
        let examined = workbench.examine(example.language, example.text);
        workbench.paint(scene(24)).unwrap();
        let counted = workbench.count().unwrap();
        let total: u64 = counted.instructions.iter().map(|executed| executed.lanes).sum();
        assert_eq!(total, counted.lanes.iter().map(|&count| u64::from(count)).sum::<u64>());
        assert_eq!(counted.instructions.len(), examined.listing.len());
        for (x, y) in [(0, 0), (11, 12), (23, 23)] {
            let timeline = workbench.follow(x, y).unwrap();
            let executed = timeline.steps.iter().filter(|step| step.executes && !step.closes).count();
            assert_eq!(executed as u32, counted.lanes[(y * 24 + x) as usize], "{name} ({x}, {y})");
            // Of all lanes of the group, the followed one is where its trail says.
            for (number, step) in (1..).zip(&timeline.steps).step_by(7).filter(|(_, step)| !step.closes) {
                let lanes = workbench.group(number).unwrap().lanes;
                assert_eq!(lanes.len(), 64);
                let own = lanes.iter().find(|lane| (lane.i, lane.j) == (x, y)).unwrap();
                assert_eq!(own.executes, step.executes, "{name} ({x}, {y}), step {number}");
                let active = lanes.iter().filter(|lane| lane.runs && lane.standing == "active").count();
                assert_eq!(active as u32, step.active);
            }
        }
    }
}

#[test]
fn all_stages_of_a_pipeline_are_followed() {
    let mut workbench = workbench();
    let example = EXAMPLES.iter().find(|example| example.name == "ripple").unwrap();
    let examined = workbench.examine(example.language, example.text);
    let settings = serde_json::from_str(example.settings).unwrap();
    let launches = workbench.launches(&settings).unwrap();
    let mut stages: Vec<_> = launches.iter().map(|launch| launch.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    assert_eq!(stages, [0, 1, 2, 3]);
    for (number, launch) in launches.iter().enumerate().take(8) {
        let invocation = launch.invocations - 1;
        let timeline = workbench.follow_invocation(&settings, number, invocation).unwrap();
        assert!(!timeline.steps.is_empty() && timeline.trap.is_none(), "launch {number}");
        for (number, step) in (1..).zip(&timeline.steps) {
            assert_eq!(examined.listing[step.at.unwrap()].stage, launch.stage);
            let lanes = workbench.group(number).unwrap().lanes;
            let own = lanes.iter().find(|lane| lane.i == invocation).unwrap();
            assert_eq!(own.executes, step.executes, "launch {launch:?}, step {number}");
        }
        let beyond = workbench.follow_invocation(&settings, number, launch.invocations).unwrap_err();
        assert!(beyond.to_string().contains("the last one is"), "{beyond}");
    }
    let none = workbench.follow_invocation(&settings, launches.len(), 0).unwrap_err();
    assert!(none.to_string().contains("has no launch"), "{none}");
}

#[test]
fn threads_have_the_lanes_of_their_warp() {
    let mut workbench = workbench();
    let example = EXAMPLES.iter().find(|example| example.name == "collatz").unwrap();
    workbench.examine(example.language, example.text);
    let settings = serde_json::from_str(example.settings).unwrap();
    let timeline = workbench.follow_thread(&settings, 6).unwrap();
    for (number, step) in (1..).zip(&timeline.steps) {
        let lanes = workbench.group(number).unwrap().lanes;
        let own = lanes.iter().find(|lane| lane.i == 6).unwrap();
        assert_eq!(own.executes, step.executes, "step {number}");
        let active = lanes.iter().filter(|lane| lane.runs && lane.standing == "active").count();
        assert_eq!(active as u32, step.active, "step {number}");
    }
}

#[test]
fn moments_go_both_ways() {
    let mut workbench = workbench();
    let text = "src0.rgb = temp[0] : temp[1].rg = MAX src0.gr0 src0.gr0 ;
                OUT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    assert!(workbench.examine(Language::X1k, text).runs);
    workbench.paint(scene(16)).unwrap();
    let timeline = workbench.follow(5, 9).unwrap();
    assert_eq!((timeline.steps.len(), timeline.lanes), (2, 64));
    assert_eq!(timeline.steps[0].writes, ["temp[1].rg"]);
    let mut channel = |step: usize, register: &str, channel: usize| {
        let moment = workbench.moment(step).unwrap();
        let register = moment.registers.into_iter().find(|one| one.name == register)?;
        let channel = &register.channels[channel];
        Some((f32::from_bits(channel.bits), channel.writer, channel.changed))
    };
    assert_eq!(channel(0, "temp[1]", 0), None);
    assert_eq!(channel(1, "temp[1]", 0), Some((9.0, 1, true)));
    assert_eq!(channel(2, "temp[1]", 1), Some((5.0, 1, false)));
    assert_eq!(channel(0, "temp[0]", 1), Some((9.0, 0, false)), "what the lane starts with");
}

/// Two shaders of buffers that read each other, and one that reads itself. The picture has what they hold, and the frame, in its bytes.
fn buffered() -> (Workbench, Scene) {
    let fetch = |name: &str| format!("texelFetch({name}, ivec2(gl_FragCoord.xy), 0)");
    let shader = |samplers: &str, value: &str| {
        format!("uniform sampler2D {samplers}; void main() {{ gl_FragColor = vec4({value}); }}")
    };
    let text = |buffer: Option<&str>, text: String| PassText { buffer: buffer.map(str::to_owned), text };
    let texts = vec![
        text(Some("A"), shader("b", &format!("{} + 1.0", fetch("b")))),
        text(Some("B"), shader("a", &format!("{} * 2.0", fetch("a")))),
        text(Some("S"), shader("own", &format!("{} + vec4(time)", fetch("own")))),
        text(
            None,
            shader(
                "a, b, s",
                &format!("vec4({}.x, {}.y, {}.z, float(iFrame) + 5.0) / 255.0", fetch("a"), fetch("b"), fetch("s")),
            ),
        ),
    ];
    let mut workbench = workbench();
    let examined = workbench.examine_all(Language::Glsl, texts);
    assert!(examined.iter().all(|one| one.runs), "{examined:?}");
    let read = |names: &[&str]| {
        let content = |name: &&str| InputContent::Buffer { buffer: (*name).to_owned() };
        (0..).zip(names.iter().map(content)).collect()
    };
    let buffers = vec![read(&["B"]), read(&["A"]), read(&["S"])];
    (workbench, Scene { inputs: read(&["A", "B", "S"]), buffers, seconds: 1.0, ..scene(16) })
}

#[test]
fn buffers_feed_each_other_and_themselves() {
    let (mut workbench, scene) = buffered();
    let pixels = [[1, 2, 1, 5], [3, 6, 2, 6], [7, 14, 3, 7]];
    for pixel in pixels {
        let painted = workbench.paint(scene.clone()).unwrap();
        assert!(painted.chunks(4).all(|found| found == pixel), "{pixel:?}: {:?}", &painted[..4]);
    }
    // What is looked at after a picture is the frame that it was.
    let counted = workbench.count().unwrap();
    assert_eq!(counted.lanes.len(), 256);
    let timeline = workbench.follow(3, 4).unwrap();
    let last = workbench.moment(timeline.steps.len()).unwrap();
    let written = last.accesses.iter().filter(|access| access.write).flat_map(|access| &access.bits);
    let written: Vec<f32> = written.map(|&bits| (f32::from_bits(bits) * 255.0).round()).collect();
    assert_eq!(written, [7.0, 14.0, 3.0, 7.0]);
    // A buffer in place of the picture is the next frame, of which bytes show 0 to 1.
    let shown = Scene { shown: Some(2), ..scene.clone() };
    assert_eq!(workbench.paint(shown).unwrap()[..4], [255; 4]);
    assert_eq!(workbench.paint(scene.clone()).unwrap()[..4], [31, 62, 5, 9]);
    // Time that goes back, another size and another text begin again.
    let earlier = Scene { seconds: 0.5, ..scene.clone() };
    assert_eq!(workbench.paint(earlier.clone()).unwrap()[..4], [1, 2, 1, 5]);
    assert_eq!(workbench.paint(Scene { width: 24, ..earlier.clone() }).unwrap()[..4], [1, 2, 1, 5]);
    assert_eq!(workbench.paint(Scene { width: 24, ..earlier }).unwrap()[..4], [3, 6, 1, 6]);
}

#[test]
fn buffers_that_are_wrong_are_named() {
    let (mut workbench, mut scene) = buffered();
    scene.buffers[1] = BTreeMap::from([(0, InputContent::Buffer { buffer: "C".to_owned() })]);
    assert!(workbench.paint(scene.clone()).unwrap_err().to_string().contains("the buffer 'C', which does not exist"));
    let text = |buffer: Option<&str>, text: &str| PassText { buffer: buffer.map(str::to_owned), text: text.to_owned() };
    let picture = "void main() { gl_FragColor = vec4(1.0); }";
    let examined = workbench.examine_all(Language::Glsl, vec![text(Some("A"), "void main() {"), text(None, picture)]);
    assert_eq!(examined.iter().map(|one| one.runs).collect::<Vec<_>>(), [false, true]);
    assert_eq!(
        workbench.paint(scene.clone()).unwrap_err().to_string(),
        "the text of the buffer A has errors: correct them first"
    );
    let endless = "void main() { float a = 0.0; while (a < 1.0) a *= 0.5; gl_FragColor = vec4(a); }";
    workbench.examine_all(Language::Glsl, vec![text(Some("A"), endless), text(None, picture)]);
    let error = workbench.paint(scene).unwrap_err().to_string();
    assert!(error.starts_with("the buffer A: "), "{error}");
}

/// What variables hold is calculated here from the text.
#[test]
fn variables_of_shaders_are_followed() {
    let text = "uniform float time;
void main() {
    vec2 p = gl_FragCoord.xy;
    float sum = 0.0;
    for (int i = 0; i < 50; i++) {
        sum = sum * 0.5 + p.x;
        if (sum > 1.9 * p.x) break;
    }
    gl_FragColor = vec4(sum, p.y, time, 1.0);
}";
    let mut workbench = workbench();
    assert!(workbench.examine(Language::Glsl, text).runs);
    workbench.paint(Scene { seconds: 0.25, ..scene(16) }).unwrap();
    let timeline = workbench.follow(5, 9).unwrap();
    let held = |workbench: &mut Workbench, step: usize| {
        let variables = workbench.moment(step).unwrap().variables.unwrap();
        let value = |variable: &SourceVariable| {
            let values = variable.values.iter().filter(|value| value.kind != "absent");
            let values: Vec<f32> = values.map(|value| f32::from_bits(value.bits)).collect();
            (variable.name.clone(), values)
        };
        variables.iter().map(value).collect::<BTreeMap<_, _>>()
    };
    // sum is x, 1.5 x, 1.75 x, 1.875 x, 1.9375 x.
    let mut sums: Vec<f32> = Vec::new();
    for step in 0..timeline.steps.len() {
        let held = held(&mut workbench, step);
        assert_eq!(held["time"], [0.25]);
        sums.extend(held.get("sum").into_iter().flatten());
    }
    sums.dedup();
    assert_eq!(sums, [0.0, 1.0, 1.5, 1.75, 1.875, 1.9375].map(|share| 5.5 * share));
    assert!(held(&mut workbench, timeline.steps.len()).is_empty(), "in front of the end is no instruction");
    workbench.examine(Language::X1k, "OUT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;");
    workbench.paint(scene(16)).unwrap();
    workbench.follow(5, 9).unwrap();
    assert!(workbench.moment(0).unwrap().variables.is_none());
}

#[test]
fn problems_are_where_they_are() {
    let mut workbench = workbench();
    for (language, text, wrong) in [
        (Language::X1k, "src0.rgb = temp[0] : temp[1].rgb = MAXX src0.rgb src0.rgb ;", "MAXX"),
        (Language::R700, "ALU:\n  x: MOWV R1.x, R0.x\nEND_OF_PROGRAM\n", "MOWV"),
        (Language::Sm50, "EXIT;\nMOWV R0, R1;\n", "MOWV"),
        (Language::Glsl, "void main() {\n  gl_FragColor = vec4(nothing);\n}\n", "nothing"),
        (Language::Wgsl, "@fragment fn main() -> @location(0) vec4f {\n  return vec4f(nothing);\n}\n", "nothing"),
    ] {
        let examined = workbench.examine(language, text);
        let problem = &examined.problems[0];
        assert_eq!(problem.severity, Severity::Error);
        assert_eq!(&text[problem.from..problem.to], wrong, "{problem:?}");
        assert!(!examined.runs && workbench.paint(scene(8)).is_err());
    }
}

#[test]
fn stages_are_texts() {
    let mut workbench = workbench();
    let example = &EXAMPLES[0];
    workbench.examine(example.language, example.text);
    workbench.paint(scene(8)).unwrap();
    let names: Vec<_> =
        workbench.stages().unwrap().into_iter().map(|stage| (stage.name, stage.text.len() > 100)).collect();
    let expected =
        ["Shader, as it was read", "Shader, optimised", "Machine code", "Lane IR, lifted", "Lane IR, simplified"];
    assert_eq!(names, expected.map(|name| (name, true)));
}

#[test]
fn files_become_texts() {
    let words =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/x1k/cf_nest3/dump.txt")).unwrap();
    let opened = Workbench::open("dump.txt", &words).unwrap();
    assert_eq!(opened.language, Language::X1k);
    assert!(workbench().examine(opened.language, &opened.text).runs);
    assert!(Workbench::open("picture.gif", b"GIF89a").is_err());
    assert_eq!(Workbench::open("a.wgsl", b"fn").unwrap().language, Language::Wgsl);
}
