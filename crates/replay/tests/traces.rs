//! Traces, looked through and executed up to their draws.

use ctm_card::history::{PixelEvent, PixelWatch};
use ctm_card::trace::TraceReader;
use ctm_cards::{Card, CardOptions};
use ctm_codegen::EngineName;
use ctm_device::{Client, Connection, Heap, Options, Pass};
use ctm_engine::{Engine, Executor};
use ctm_memory::{Arena, Format, Tiling};
use ctm_replay::card::{Execution, Page, Player, Survey, lines};
use ctm_replay::device::{self, DeviceTrace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Output 0 = input 0 + constant 0.
const ADD: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
      out[0].rgb = MAD src0.rgb src0.111 src1.rgb, out[0].a = MAD src0.a src0.1 src1.a ;";

fn scenes() -> Vec<PathBuf> {
    scenes_in("../../tests/card")
}

fn scenes_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ctmcard")).collect();
    scenes.sort();
    scenes
}

fn execute(bytes: &[u8], memory: Arena, watch: Option<PixelWatch>, last: Option<usize>) -> Execution {
    let model = Survey::of(bytes).unwrap().model.unwrap();
    let executor = Some(Executor::Engine(Engine::interpreter()));
    let card = Card::new(model, CardOptions { executor, threads: 1, watch, ..CardOptions::default() });
    Execution::of(TraceReader::new(bytes).unwrap(), card, Arc::new(memory), last).unwrap()
}

#[test]
fn the_memory_between_the_objects_is_enough() {
    for scene in scenes() {
        let bytes = std::fs::read(&scene).unwrap();
        let survey = Survey::of(&bytes).unwrap();
        assert!(survey.damage.is_none() && survey.submissions > 0 && !survey.draws.is_empty(), "{scene:?}");
        assert!(survey.memory().1 < 64 << 20, "{scene:?}: {:?}", survey.memory());
        for last in [0, survey.draws.len() - 1] {
            let all = execute(&bytes, Arena::new(0x1000, 0xFFFF_F000).unwrap(), None, Some(last));
            let some = execute(&bytes, survey.arena().unwrap(), None, Some(last));
            assert_eq!((some.draws, &some.warnings), (last + 1, &all.warnings), "{scene:?}");
            let shown = |run: &Execution| run.card.picture(&run.memory, 0).unwrap().map(|picture| picture.pixels);
            assert_eq!(shown(&some), shown(&all), "{scene:?}, draw {last}");
        }
    }
}

/// What can be seen after a draw.
fn seen(card: &Card, memory: &Arena, warnings: &[String]) -> String {
    let mut seen = format!("{warnings:?}");
    for number in 0..card.model().colour_buffers() {
        seen += &format!("{:?}", card.picture(memory, number));
    }
    seen + &format!("{:?}", card.depth_picture(memory))
}

#[test]
fn players_go_to_any_draw_in_any_order() {
    let others = ["../../tests/card/rv770", "../../tests/card/gm107"].into_iter().flat_map(scenes_in);
    let mut steps = 0;
    for scene in scenes().into_iter().chain(others) {
        let bytes = std::fs::read(&scene).unwrap();
        let survey = Survey::of(&bytes).unwrap();
        let draws = survey.draws.len();
        if draws == 0 {
            // Macros make them.
            continue;
        }
        let executor = Some(Executor::Engine(Engine::interpreter()));
        let card = Card::new(survey.model.unwrap(), CardOptions { executor, threads: 1, ..CardOptions::default() });
        let records = TraceReader::new(&bytes[..]).unwrap().collect::<Result<_, _>>().unwrap();
        // Every few draws have a checkpoint, so that most ways lead over one.
        let mut player = Player::new(records, card, Arc::new(survey.arena().unwrap())).with_interval(Duration::ZERO);
        let mut expected: BTreeMap<usize, String> = BTreeMap::new();
        let order = [draws - 1, 0, draws / 2, draws / 2 + 1, draws / 3, draws - 1, draws / 2, 0, 1, draws + 5];
        for draw in order {
            let last = draw.min(draws - 1);
            let expected = expected.entry(last).or_insert_with(|| {
                let run = execute(&bytes, survey.arena().unwrap(), None, Some(last));
                seen(&run.card, &run.memory, &run.warnings)
            });
            player.go(last);
            assert!(seen(player.card(), player.memory(), player.warnings()) == *expected, "{scene:?}, draw {last}");
            steps += 1;
        }
    }
    assert!(steps > 50);
}

#[test]
fn a_pixel_has_a_history() {
    let scene = scenes().into_iter().find(|scene| scene.ends_with("triangles.ctmcard")).unwrap();
    let bytes = std::fs::read(scene).unwrap();
    let survey = Survey::of(&bytes).unwrap();
    let mut texts = Vec::new();
    let side = (0..8).flat_map(|y| (0..8).map(move |x| (16 * x + 3, 16 * y + 3)));
    for (x, y) in side {
        let run = execute(&bytes, survey.arena().unwrap(), Some(PixelWatch { x, y, steps: 10 }), None);
        for draw in &run.history {
            let page = Page { draw, run: None };
            assert!(page.title().starts_with(&format!("draw {} (submission {}", draw.number, draw.submission)));
            assert!(draw.number < survey.draws.len());
            texts.push(page.text());
        }
    }
    assert!(texts.iter().any(|text| text.contains("drawn as a triangle") && text.contains("the program gives out[0]")));
}

/// On the card whose programs run on the engine: what the reference gives for the pixel is what the draw stored, and the last colour is that of
/// the picture.
#[test]
fn histories_end_with_the_picture() {
    let mut stages = BTreeSet::new();
    for scene in scenes_in("../../tests/card/rv770") {
        let bytes = std::fs::read(&scene).unwrap();
        let survey = Survey::of(&bytes).unwrap();
        for (x, y) in [(3, 3), (40, 20), (48, 40), (70, 33)] {
            let run = execute(&bytes, survey.arena().unwrap(), Some(PixelWatch { x, y, steps: 40 }), None);
            let (mut last, mut stored) = (None, BTreeMap::new());
            for (draw, event) in
                run.history.iter().flat_map(|draw| draw.history.events.iter().map(move |event| (draw, event)))
            {
                let PixelEvent::Fragment(fragment) = event else { continue };
                let vertices = fragment.primitive.vertices.iter().filter_map(|vertex| vertex.run.as_ref());
                let pixel = fragment.program.iter().filter_map(|program| program.run.as_ref());
                let runs = fragment.primitive.programs.iter().chain(vertices).chain(pixel);
                stages.extend(runs.filter(|run| !run.steps.is_empty()).map(|run| run.listing.stage));
                for sample in &fragment.samples {
                    if let Some(tests) = &sample.tests {
                        assert_eq!(tests.after, tests.outcome.stored, "{scene:?} ({x}, {y})");
                    }
                    for write in &sample.writes {
                        assert_eq!(write.after, write.result, "{scene:?} ({x}, {y})");
                        let target = draw.history.targets.iter().find(|target| target.number == write.target).unwrap();
                        let before = stored.insert((target.address.unwrap(), sample.number), write.after);
                        assert!(
                            before.is_none_or(|before| before == write.before),
                            "{scene:?} ({x}, {y}): a write is missing"
                        );
                        last = Some(write.after.rgba);
                    }
                }
            }
            let picture = run.card.picture(&run.memory, 0).unwrap().unwrap();
            let shown = picture.pixels[(y * picture.width + x) as usize];
            assert_eq!(last, Some(shown), "{scene:?} ({x}, {y})");
            assert_eq!(
                run.history.last().map(|draw| draw.number),
                Some(run.draws - 1),
                "the picture is read by a draw"
            );
        }
    }
    assert_eq!(Vec::from_iter(stages), ["copy", "export", "geometry", "pixel", "vertex"]);
}

/// The same on the card whose programs have five stages. What clears and copies write is not in histories, so pixels may change between draws.
#[test]
fn histories_go_through_all_stages() {
    let (mut stages, mut writes) = (BTreeSet::new(), 0);
    for scene in scenes_in("../../tests/card/gm107") {
        let bytes = std::fs::read(&scene).unwrap();
        let survey = Survey::of(&bytes).unwrap();
        for (x, y) in [(3, 3), (40, 20), (48, 40)] {
            let run = execute(&bytes, survey.arena().unwrap(), Some(PixelWatch { x, y, steps: 40 }), None);
            for draw in &run.history {
                let mut stored = BTreeMap::new();
                for event in &draw.history.events {
                    let PixelEvent::Fragment(fragment) = event else { continue };
                    let primitive = &fragment.primitive;
                    let vertices = primitive.vertices.iter().filter_map(|vertex| vertex.run.as_ref());
                    let pixel = fragment.program.iter().filter_map(|program| program.run.as_ref());
                    let runs = primitive.programs.iter().chain(vertices).chain(pixel);
                    stages.extend(runs.filter(|run| !run.steps.is_empty()).map(|run| run.listing.stage));
                    for sample in &fragment.samples {
                        if let Some(tests) = &sample.tests {
                            assert_eq!(tests.after, tests.outcome.stored, "{scene:?} ({x}, {y})");
                        }
                        for write in &sample.writes {
                            assert_eq!(write.after, write.result, "{scene:?} ({x}, {y})");
                            let before = stored.insert((write.target, sample.number), write.after);
                            assert!(before.is_none_or(|before| before == write.before), "{scene:?} ({x}, {y})");
                            writes += 1;
                        }
                    }
                }
            }
            let unwatched = execute(&bytes, survey.arena().unwrap(), None, None);
            let shown = |run: &Execution| seen(&run.card, &run.memory, &run.warnings);
            assert!(shown(&run) == shown(&unwatched), "{scene:?} ({x}, {y}): watching changes the picture");
        }
    }
    assert_eq!(Vec::from_iter(stages), ["geometry", "pixel", "tess_init", "tessellation", "vertex"]);
    assert!(writes > 50, "{writes} writes");
}

#[test]
fn commands_are_explained() {
    let scene = &scenes()[0];
    let bytes = std::fs::read(scene).unwrap();
    let survey = Survey::of(&bytes).unwrap();
    let record = TraceReader::new(&*bytes).unwrap().next().unwrap().unwrap();
    let lines = lines(survey.model.unwrap(), &record.submission(), &survey.arena().unwrap());
    let explained = lines.iter().filter(|line| !line.meaning.is_empty()).count();
    assert!(explained * 10 > lines.len() * 9, "{explained} of {}", lines.len());
}

/// Two starts of a program in two submissions. The second reads what the first wrote.
fn recorded() -> Vec<u8> {
    let options = Options { engine: EngineName::Interp, deterministic_clock: true, threads: 1, ..Options::default() };
    let device = Connection::open_recording(options).unwrap();
    let mut client = Client::new(&device);
    let program = ctm_x1k::text::parse(ADD).unwrap().program;
    let program = client.load(&program).unwrap();
    let [a, b] =
        [Heap::Host, Heap::Local].map(|heap| client.buffer(heap, Format::Float32_4, Tiling::Linear, 16, 8).unwrap());
    client.write(&a, 16, &[[0.25f32; 4]; 128]);
    device.write_words(program.constf, &[0.5f32.to_bits(); 4]).unwrap();
    client.run(&[Pass::new(program, 16, 8).input(0, a).output(0, b)]).unwrap();
    client.run(&[Pass::new(program, 16, 8).input(0, b).output(0, a)]).unwrap();
    device.take_trace().unwrap().to_bytes()
}

#[test]
fn a_device_stops_at_each_start() {
    let trace = DeviceTrace::read(&recorded()).unwrap();
    assert_eq!(trace.starts().len(), 2);
    let bytes: u32 = trace.memory().iter().map(|(_, bytes)| bytes).sum();
    assert!(bytes < 1 << 20, "{bytes} bytes of the 768 MiB that the device had");
    for (last, value) in [(Some(0), 0.75f32), (Some(1), 1.25), (None, 1.25)] {
        let run = trace.execute(trace.options(), last).unwrap();
        assert_eq!(run.warnings, [""; 0]);
        let surfaces = run.surfaces();
        let output = surfaces.iter().find(|bound| bound.name == "output 0").unwrap();
        assert_eq!((output.width, output.height), (16, 8));
        let array = run.picture(output).unwrap();
        assert!(array.to_floats().iter().all(|&found| found == value), "{last:?}");
    }
    let lines = device::lines(&trace.buffers()[0]);
    let start = lines.iter().find(|line| line.text == "start_program").unwrap();
    assert!(start.meaning.contains("current program") && start.dword == trace.starts()[0].dword);
}

#[test]
fn results_that_differ_are_told() {
    let mut trace = ctm_device::Trace::from_bytes(&recorded()).unwrap();
    trace.steps[1].after[0].bytes[0] ^= 1;
    let run = DeviceTrace::read(&trace.to_bytes()).unwrap().execute(trace.options, None).unwrap();
    assert!(run.warnings[0].starts_with("submission 1: 1 of "), "{:?}", run.warnings);
    assert_eq!(run.warnings.len(), 1);
}

#[test]
fn damaged_files_end_in_errors_or_what_can_be_read() {
    let device = recorded();
    let card = std::fs::read(&scenes()[0]).unwrap();
    let mut seed = 7u32;
    for round in 0..600 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (mut card, mut device) = (card.clone(), device.clone());
        let at = seed as usize;
        let (c, d) = (at % card.len(), at % device.len());
        if round % 3 == 0 {
            card.truncate(c);
            device.truncate(d);
        } else {
            card[c] ^= 1 << (seed >> 29);
            device[d] ^= 1 << (seed >> 29);
        }
        let damaged = card;
        if let Ok(survey) = Survey::of(&damaged)
            && survey.memory().1 < 64 << 20
            && survey.model.is_some()
        {
            let records = TraceReader::new(&damaged[..]).unwrap().map_while(Result::ok).map(Ok);
            let memory = Arc::new(survey.arena().unwrap());
            let card = Card::new(survey.model.unwrap(), CardOptions::default());
            let run = Execution::of(records, card, memory, survey.draws.len().checked_sub(1)).unwrap();
            assert_eq!(run.draws, survey.draws.len());
            let records = TraceReader::new(&damaged[..]).unwrap().map_while(Result::ok).collect();
            let card = Card::new(survey.model.unwrap(), CardOptions::default());
            let mut player = Player::new(records, card, Arc::new(survey.arena().unwrap()));
            if round % 4 == 0
                && let Some(last) = run.draws.checked_sub(1)
            {
                player.go(last);
                let expected = seen(&run.card, &run.memory, &run.warnings);
                assert!(seen(player.card(), player.memory(), player.warnings()) == expected, "round {round}");
                player.go(last / 2);
                player.go(usize::MAX);
            }
        }
        assert!(DeviceTrace::read(&device).is_err(), "the checksum is wrong");
    }
}
