//! Reads what the folders of corpus and bench programs have in common: textures, a domain, and pictures that another
//! implementation made.

use ctm_lane::domain::Domain;
use serde_json::Value;
use std::path::Path;

/// An input: RGBA floats.
#[derive(Debug)]
pub struct Texture {
    /// Number of the input, or of the texture resource where the machine has resources.
    pub unit: usize,
    /// Name of the file with the data.
    pub file: String,
    /// Elements in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// The pictures that a program must give.
#[derive(Debug)]
pub struct Expected {
    name: String,
    /// Per output, four channels per position, row by row; none where they are not known.
    outputs: Vec<Vec<f32>>,
    tolerance: (f32, f32),
    tolerant_fraction: f64,
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The dwords of a little-endian file.
pub(crate) fn dwords(path: &Path) -> Vec<u32> {
    bytes(path).as_chunks().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect()
}

/// The floats of a little-endian file.
pub fn floats(path: &Path) -> Vec<f32> {
    dwords(path).into_iter().map(f32::from_bits).collect()
}

pub(crate) fn dword(text: &Value) -> u32 {
    let text = text.as_str().expect("a dword as text");
    u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("a dword")
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

pub(crate) fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("a number of 32 bits")
}

fn float(value: &Value) -> f32 {
    value.as_f64().unwrap_or(0.0) as f32
}

/// The description of a folder.
pub(crate) fn meta(folder: &Path) -> Value {
    serde_json::from_slice(&bytes(&folder.join("meta.json"))).expect("meta.json")
}

/// Where a program runs.
pub(crate) fn domain(meta: &Value) -> Domain {
    let bound = |name: &str| number(&meta["domain"][name]);
    Domain { i0: bound("i0"), j0: bound("j0"), i1: bound("i1"), j1: bound("j1") }
}

/// What outputs hold before the run.
pub(crate) fn initial_output(meta: &Value) -> u32 {
    float(&meta["initial_output"]).to_bits()
}

/// The inputs that a program reads.
pub(crate) fn textures(meta: &Value) -> Vec<Texture> {
    let texture = |texture: &Value| Texture {
        unit: number(texture.get("resource").unwrap_or(&texture["unit"])) as usize,
        file: texture["file"].as_str().expect("file").to_owned(),
        width: number(&texture["w"]),
        height: number(&texture["h"]),
    };
    list(&meta["textures"]).iter().map(texture).collect()
}

/// The channels of element n of a picture.
pub(crate) fn pixel(data: &[f32], n: usize) -> [f32; 4] {
    data[n * 4..][..4].try_into().expect("four channels")
}

impl Expected {
    /// Reads the pictures of a folder, and how close a result has to be.
    pub(crate) fn load(folder: &Path, meta: &Value) -> Self {
        let paths = (0..number(&meta["outputs"])).map(|output| folder.join(format!("expected{output}.f32")));
        Expected {
            name: meta["name"].as_str().expect("name").to_owned(),
            outputs: paths.filter(|path| path.exists()).map(|path| floats(&path)).collect(),
            tolerance: (float(&meta["tolerance"]["abs"]), float(&meta["tolerance"]["rel"])),
            tolerant_fraction: meta["tolerant_fraction"].as_f64().unwrap_or(0.0),
        }
    }

    /// True if no picture is known.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Compares results with the pictures, and says what is wrong. `read` gives element (i, j) of an output that there is.
    pub fn compare(&self, domain: Domain, read: impl Fn(usize, u32, u32) -> Option<[u32; 4]>) -> Result<(), String> {
        for (output, expected) in self.outputs.iter().enumerate() {
            let Domain { i0, j0, i1, j1 } = domain;
            let mut failures = Vec::new();
            for (n, (j, i)) in (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (j, i))).enumerate() {
                let Some(got) = read(output, i, j) else {
                    return Err(format!("{}: output {output} is never written", self.name));
                };
                let (got, wanted) = (got.map(f32::from_bits), pixel(expected, n));
                if !got.iter().zip(&wanted).all(|(&got, &wanted)| self.matches(got, wanted)) {
                    failures.push(format!("output {output} at ({i}, {j}): {got:?} instead of {wanted:?}"));
                }
            }
            if failures.len() as f64 > self.tolerant_fraction * domain.lanes() as f64 {
                return Err(format!("{}: {} positions are wrong, first {}", self.name, failures.len(), failures[0]));
            }
        }
        Ok(())
    }

    fn matches(&self, got: f32, wanted: f32) -> bool {
        let (absolute, relative) = self.tolerance;
        (got - wanted).abs() <= absolute + relative * wanted.abs()
    }
}
