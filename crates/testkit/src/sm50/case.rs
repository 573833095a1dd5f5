//! Corpus cases: pipelines that a real driver compiled, with the records that transform feedback gave on another
//! implementation.

use crate::expected::{dword, dwords, list, meta, number};
use crate::sm50::draft::Draft;
use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Shader, StageRunner};
use ctm_sm50::pipeline::{Capture, Draw, Drawn, Primitive, Spacing, TessDomain, Tessellation};
use ctm_sm50::{Code, Header, Program, Stage};
use serde_json::Value;
use std::path::Path;

/// Names of the stages in files, in the order of the pipeline.
const STAGES: [(&str, Stage); 4] = [
    ("vert", Stage::Vertex),
    ("tesc", Stage::TessellationInit),
    ("tese", Stage::Tessellation),
    ("geom", Stage::Geometry),
];

/// Vertices of a draw with changed programs: those of several primitives of every kind.
const MOST_VERTICES: u32 = 12;

/// A pipeline with its expected records.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    programs: Vec<(Stage, Program)>,
    primitive: Primitive,
    patch_vertices: u32,
    first: u32,
    vertices: u32,
    instances: u32,
    tessellator: Tessellation,
    capture: Vec<Capture>,
    /// Of each word of a record, whether it is a float.
    floats: Vec<bool>,
    expected: Vec<u32>,
    tolerance: (f32, f32),
}

fn program(folder: &Path, stage: &str) -> Option<Program> {
    let code = folder.join(format!("{stage}.code.u32"));
    if !code.exists() {
        return None;
    }
    let words: [u32; Header::DWORDS] = dwords(&folder.join(format!("{stage}.sph.u32"))).try_into().expect("a header");
    let bytes: Vec<u8> = dwords(&code).into_iter().flat_map(u32::to_le_bytes).collect();
    Some(Program {
        header: Some(Header::decode(&words)),
        code: Code::from_bytes(&bytes).expect("code"),
        constants: Vec::new(),
    })
}

fn tessellator(layout: &str) -> Tessellation {
    let has = |word: &str| layout.split(", ").any(|part| part == word);
    Tessellation {
        domain: match () {
            () if has("quads") => TessDomain::Quads,
            () if has("isolines") => TessDomain::Isolines,
            () => TessDomain::Triangles,
        },
        spacing: match () {
            () if has("fractional_odd_spacing") => Spacing::FractionalOdd,
            () if has("fractional_even_spacing") => Spacing::FractionalEven,
            () => Spacing::Equal,
        },
        point_mode: has("point_mode"),
        clockwise: has("cw"),
    }
}

impl Case {
    /// Reads the case in a folder.
    pub fn load(folder: &Path) -> Self {
        let meta = meta(folder);
        let draw = &meta["draw"];
        let primitive = draw["primitive"].as_str().expect("primitive");
        let layout = list(&meta["transform_feedback"]["layout"]);
        let words = |entry: &Value| number(&entry["components"]);
        let capture = |entry: &Value| Capture { address: dword(&entry["address"]), words: words(entry) };
        let is_float = |entry: &Value| vec![entry["type"] == "float"; words(entry) as usize];
        let float = |value: &Value| value.as_f64().expect("a number") as f32;
        Case {
            name: meta["name"].as_str().expect("name").to_owned(),
            programs: STAGES.iter().filter_map(|&(name, stage)| Some((stage, program(folder, name)?))).collect(),
            primitive: *Primitive::ALL.iter().find(|known| known.name() == primitive).expect("a primitive"),
            patch_vertices: number(&draw["patch_vertices"]),
            first: number(&draw["first"]),
            vertices: number(&draw["vertices"]),
            instances: number(&draw["instances"]),
            tessellator: tessellator(meta["glsl_layouts"]["tese"]["in"].as_str().unwrap_or("")),
            capture: layout.iter().map(capture).collect(),
            floats: layout.iter().flat_map(is_float).collect(),
            expected: dwords(&folder.join("expected.f32")),
            tolerance: (float(&meta["tolerance"]["abs"]), float(&meta["tolerance"]["rel"])),
        }
    }

    /// The programs, in the order of the pipeline.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().map(|(_, program)| program)
    }

    fn draw(&self) -> Draw<'_> {
        let shader =
            |wanted| self.programs.iter().find(|(stage, _)| *stage == wanted).map(|(_, program)| program.into());
        let vertex: Shader = shader(Stage::Vertex).expect("a vertex program");
        Draw {
            tess_init: shader(Stage::TessellationInit),
            tessellation: shader(Stage::Tessellation),
            geometry: shader(Stage::Geometry),
            primitive: self.primitive,
            patch_vertices: self.patch_vertices,
            first: self.first,
            instances: self.instances,
            tessellator: self.tessellator,
            capture: &self.capture,
            ..Draw::new(vertex, self.vertices)
        }
    }

    /// Runs the case, and says what is wrong with the records.
    pub fn check(&self, executor: &dyn StageRunner) -> Result<(), String> {
        self.compare(&self.run(executor)?.words)
    }

    /// A draw of a few vertices with other code.
    pub fn changed(&self, mut change: impl FnMut(&Code) -> Code) -> Draft {
        let changed = |program: &Program| Program { code: change(&program.code), ..program.clone() };
        Draft {
            primitive: self.primitive,
            patch_vertices: self.patch_vertices,
            first: self.first,
            instances: self.instances,
            tessellator: self.tessellator,
            capture: self.capture.clone(),
            ..Draft::new(self.programs().map(changed).collect(), self.vertices.min(MOST_VERTICES))
        }
    }

    fn run(&self, executor: &dyn StageRunner) -> Result<Drawn, String> {
        let options: RunOptions = Draw::options();
        let drawn = self.draw().run(executor, &options).map_err(|error| format!("{}: {error}", self.name))?;
        if let Some((stage, pc, kind, _)) = drawn.report.warnings.iter().next() {
            return Err(format!("{}: {kind} at {pc:#x} of {}", self.name, stage.name()));
        }
        Ok(drawn)
    }

    fn compare(&self, words: &[u32]) -> Result<(), String> {
        if words.len() != self.expected.len() {
            return Err(format!("{}: {} words instead of {}", self.name, words.len(), self.expected.len()));
        }
        for (n, (&got, &wanted)) in words.iter().zip(&self.expected).enumerate() {
            let (record, word) = (n / self.floats.len(), n % self.floats.len());
            let matches = if self.floats[word] {
                let (got, wanted) = (f32::from_bits(got), f32::from_bits(wanted));
                (got - wanted).abs() <= self.tolerance.0 + self.tolerance.1 * wanted.abs()
            } else {
                got == wanted
            };
            if !matches {
                let shown = |bits: u32| format!("{bits:#x} ({:e})", f32::from_bits(bits));
                let (got, wanted) = (shown(got), shown(wanted));
                return Err(format!("{}: word {word} of record {record} is {got} instead of {wanted}", self.name));
            }
        }
        Ok(())
    }
}
