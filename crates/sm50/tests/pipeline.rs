//! A real pipeline, program by program: vertex, tessellation control, tessellation evaluation and geometry programs that
//! Mesa's nouveau compiled, on inputs whose results are exact.

use ctm_lane::run::RunOptions;
use ctm_sm50::attributes::{Emissions, Event, Records, Slots, Words, surviving};
use ctm_sm50::launch::{
    Column, Constants, Environment, Invocations, Mode, Primitives, Shader, StageLaunch, StageRunner,
};
use ctm_sm50::pipeline::{Capture, Draw, Levels, Primitive, Shape, TessDomain, Tessellation, VertexArray};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, Code, Header, Program};
use std::sync::Mutex;

/// The programs: vertex, tessellation control, tessellation evaluation, geometry.
fn programs() -> [Program; 4] {
    let text = include_str!("vectors/pipeline.txt");
    let sections: Vec<&str> = text.split("# ").filter(|section| !section.is_empty()).collect();
    std::array::from_fn(|n| {
        let (header, code) = sections[n].split_once("code (").unwrap();
        let header: Vec<u32> =
            header.split_whitespace().filter_map(|word| u32::from_str_radix(word, 16).ok()).collect();
        let words =
            code.lines().skip(1).flat_map(str::split_whitespace).map(|word| u64::from_str_radix(word, 16).unwrap());
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        Program {
            header: Some(Header::decode(&header.try_into().unwrap())),
            code: Code::from_bytes(&bytes).unwrap(),
            constants: Vec::new(),
        }
    })
}

fn environment() -> Environment<'static> {
    let mut environment = Environment { mode: Mode::Strict, ..Environment::default() };
    environment.constants.set_bank(0, [2.0f32, 3.0, 4.0, 5.0].map(f32::to_bits).to_vec());
    environment
}

/// Two attributes of three vertices: position and colour.
fn arrays() -> Vec<VertexArray> {
    let array = |address, values: [[f32; 4]; 3]| VertexArray {
        address,
        components: 4,
        values: values.as_flattened().iter().map(|value| value.to_bits()).collect(),
    };
    vec![
        array(0x80, [[1.0, 2.0, 3.0, 1.0], [4.0, 5.0, 6.0, 1.0], [-7.0, 8.0, 0.5, 1.0]]),
        array(0x90, [[10.0, 20.0, 30.0, 40.0], [1.0, 2.0, 3.0, 4.0], [0.25, 0.5, 0.75, 1.0]]),
    ]
}

fn capture() -> [Capture; 2] {
    [Capture { address: 0x70, words: 4 }, Capture { address: 0x80, words: 4 }]
}

fn floats(words: &[u32]) -> Vec<[f32; 8]> {
    words.as_chunks::<8>().0.iter().map(|record| record.map(f32::from_bits)).collect()
}

const VERTICES: [[f32; 8]; 3] = [
    [2.0, 6.0, 12.0, 5.0, 12.0, 23.0, 34.0, 45.0],
    [8.0, 15.0, 24.0, 5.0, 3.0, 5.0, 7.0, 9.0],
    [-14.0, 24.0, 2.0, 5.0, 2.25, 3.5, 4.75, 6.0],
];
const POINTS: [[f32; 8]; 3] = [
    [2.0, 6.0, 12.0, 5.0, 36.0, 69.0, 102.0, 135.0],
    [8.0, 15.0, 24.0, 5.0, 36.0, 69.0, 102.0, 135.0],
    [-0.5, 12.75, 12.5, 5.0, 36.0, 69.0, 102.0, 135.0],
];

#[test]
fn real_programs_have_no_findings() {
    for program in programs() {
        let findings = ctm_sm50::check::check(&program);
        assert!(findings.is_empty(), "{findings:#?}");
    }
}

#[test]
fn vertices_and_domain_points() {
    let programs = programs();
    let [vertex, tess_init, tessellation, _] = programs.each_ref().map(Shader::from);
    let (arrays, capture) = (arrays(), capture());
    let draw = Draw { arrays: &arrays, capture: &capture, environment: environment(), ..Draw::new(vertex, 3) };
    let drawn = draw.run(&Reference, &Draw::options()).unwrap();
    assert_eq!((drawn.shape, drawn.records, floats(&drawn.words)), (Shape::Point, 3, VERTICES.to_vec()));

    let points = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.25]];
    let draw = Draw {
        tess_init: Some(tess_init),
        tessellation: Some(tessellation),
        primitive: Primitive::Patches,
        domain_points: Some(&points),
        ..draw
    };
    let drawn = draw.run(&Reference, &Draw::options()).unwrap();
    assert_eq!(floats(&drawn.words), POINTS);
    assert!(drawn.report.warnings.is_empty());
}

/// Banks of a stage hide those that all stages have.
#[test]
fn stages_have_banks_of_their_own() {
    let programs = programs();
    let vertex = Shader::from(&programs[0]);
    let (arrays, capture) = (arrays(), capture());
    let mut own = Constants::default();
    own.set_bank(0, [4.0f32, 3.0, 4.0, 5.0].map(f32::to_bits).to_vec());
    let draw = |vertex| {
        let draw = Draw { arrays: &arrays, capture: &capture, environment: environment(), ..Draw::new(vertex, 3) };
        floats(&draw.run(&Reference, &Draw::options()).unwrap().words)[0][0]
    };
    assert_eq!([draw(vertex), draw(Shader { banks: Some(&own), ..vertex })], [2.0, 4.0]);
}

#[test]
fn progress_counts_primitives() {
    let programs = programs();
    let [vertex, tess_init, tessellation, geometry] = programs.each_ref().map(Shader::from);
    let (arrays, reports) = (arrays(), Mutex::new(Vec::new()));
    let report = |done, total| reports.lock().unwrap().push((done, total));
    let options = RunOptions { progress: Some(&report), ..Draw::options() };
    let draw = Draw { arrays: &arrays, instances: 2, environment: environment(), ..Draw::new(vertex, 3) };
    draw.run(&Reference, &options).unwrap();
    assert_eq!(std::mem::take(&mut *reports.lock().unwrap()), [(3, 6), (6, 6)]);
    let draw = Draw {
        tess_init: Some(tess_init),
        tessellation: Some(tessellation),
        geometry: Some(geometry),
        primitive: Primitive::Patches,
        ..draw
    };
    draw.run(&Reference, &options).unwrap();
    assert_eq!(*reports.lock().unwrap(), [(1, 2), (2, 2)]);
}

/// Invocations of one primitive with this many lanes.
fn lanes(count: u32, handles: u32) -> Invocations {
    let mut columns = vec![0; (Column::COUNT * count) as usize];
    for lane in 0..count {
        columns[(Column::Handles as u32 * count + lane) as usize] = handles;
        columns[(Column::Invocation as u32 * count + lane) as usize] = lane;
    }
    Invocations { count, columns: Some(Words::of(&columns).unwrap()) }
}

fn triangle() -> Primitives {
    Primitives { vertices: 3, indices: Words::of(&[0, 1, 2]).unwrap(), ids: Words::of(&[0]).unwrap() }
}

fn records(map: AttributeMap, values: &[[f32; 8]]) -> Records {
    let records = Records::new(Slots::of(&map), values.len() as u32).unwrap();
    for (record, values) in values.iter().enumerate() {
        for (word, value) in values.iter().enumerate() {
            records.view().set(record as u32, 0x70 + 4 * word as u32, value.to_bits());
        }
    }
    records
}

#[test]
fn patch_records() {
    let programs = programs();
    let [_, init, tessellation, _] = &programs;
    let (header, next) = (init.header.unwrap(), tessellation.header.unwrap());
    let survivors = surviving(&header, Some(&next));
    let (environment, invocations, primitives) = (environment(), lanes(3, 3), triangle());
    let inputs = records(header.imap, &VERTICES);
    let outputs = Records::new(Slots::of(&survivors), 3).unwrap();
    let patches = Records::new(Slots::all(), 1).unwrap();
    let launch = StageLaunch {
        inputs: Some(&inputs),
        primitives: Some(&primitives),
        patches: Some(&patches),
        outputs: Some(&outputs),
        ..StageLaunch::new(init.into(), &environment, &invocations, survivors)
    };
    Reference.run(&launch, &Draw::options()).unwrap();
    let patch = [2.0, 3.0, 4.0, 0.0, 5.0, 0.0, 0.0, 0.0, 3.0f32];
    for (word, value) in patch.into_iter().enumerate() {
        assert_eq!(patches.view().get(0, 4 * word as u32), value.to_bits(), "word {word}");
    }
    for (lane, values) in VERTICES.iter().enumerate() {
        let got: Vec<f32> =
            (0..8).map(|word| f32::from_bits(outputs.view().get(lane as u32, 0x70 + 4 * word))).collect();
        assert_eq!(got, values);
    }
}

#[test]
fn geometry_events_and_vertices() {
    let programs = programs();
    let header = programs[3].header.unwrap();
    let survivors = surviving(&header, None);
    let (environment, invocations, primitives) = (environment(), lanes(1, 3), triangle());
    let inputs = records(header.imap, &POINTS);
    let outputs = Records::new(Slots::of(&survivors), 3).unwrap();
    let emissions = Emissions::new(1, 3).unwrap();
    let launch = StageLaunch {
        inputs: Some(&inputs),
        primitives: Some(&primitives),
        outputs: Some(&outputs),
        emissions: Some(&emissions),
        ..StageLaunch::new((&programs[3]).into(), &environment, &invocations, survivors)
    };
    Reference.run(&launch, &Draw::options()).unwrap();
    let emit = |vertex| Event::Emit { stream: 0, vertex };
    assert_eq!(emissions.events(0).collect::<Vec<_>>(), [emit(0), emit(1), emit(2), Event::Cut { stream: 0 }]);
    for (slot, values) in POINTS.iter().enumerate() {
        let got: Vec<f32> =
            (0..8).map(|word| f32::from_bits(outputs.view().get(slot as u32, 0x70 + 4 * word))).collect();
        assert_eq!(got, values);
    }
}

/// The whole pipeline with the tessellator: levels 2, 3, 4 and 5, a triangle strip for each triangle.
#[test]
#[cfg_attr(miri, ignore = "hundreds of vertices, too many for Miri")]
fn everything_together() {
    let programs = programs();
    let [vertex, tess_init, tessellation, geometry] = programs.each_ref().map(Shader::from);
    let (arrays, capture) = (arrays(), capture());
    let draw = Draw {
        tess_init: Some(tess_init),
        tessellation: Some(tessellation),
        geometry: Some(geometry),
        primitive: Primitive::Patches,
        arrays: &arrays,
        capture: &capture,
        environment: environment(),
        ..Draw::new(vertex, 3)
    };
    let drawn = draw.run(&Reference, &Draw::options()).unwrap();
    let levels = Levels { outer: [2.0, 3.0, 4.0, 0.0], inner: [5.0, 0.0] };
    let state = Tessellation { domain: TessDomain::Triangles, ..Tessellation::default() };
    let mesh = ctm_sm50::pipeline::tessellate(&state, &levels);
    assert_eq!((drawn.shape, drawn.records), (Shape::Triangle, mesh.indices.len() as u64));
    for (record, &point) in floats(&drawn.words).iter().zip(&mesh.indices) {
        let [u, v] = mesh.points[point as usize];
        let w = 1.0 - u - v;
        for axis in 0..4 {
            let exact = u * VERTICES[0][axis] + v * VERTICES[1][axis] + w * VERTICES[2][axis];
            assert!((record[axis] - exact).abs() < 1e-4);
        }
        assert_eq!(record[4..], [36.0, 69.0, 102.0, 135.0]);
    }
    // Two instances are the same twice.
    let twice = Draw { instances: 2, ..draw }.run(&Reference, &Draw::options()).unwrap();
    assert_eq!(twice.words, drawn.words.repeat(2));
}
