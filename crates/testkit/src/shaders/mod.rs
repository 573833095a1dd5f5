//! Shaders in source, with what they are drawn with and what comes of them: the suite of `tests/shaders`, and the sources of the
//! kernels in `benches/glsl`.
//!
//! A source begins with lines that say what it is and needs:
//!
//! | line | what |
//! |---|---|
//! | `//! purpose: TEXT` | what it is about |
//! | `//! size: COLUMNS ROWS` | of the picture |
//! | `//! texture: NAME DATA COLUMNS ROWS` | a texture with [data](crate::texels::data), nearest, clamped to its edge; in the order of units |
//! | `//! uniform: NAME VALUE...` | values of a uniform; matrices column by column, elements of arrays one after the other |
//! | `//! outputs: COUNT` | colours that it gives, if not 1 |
//! | `//! tolerance: DISTANCE [SHARE]` | how far a channel may be from what is wanted, absolute and relative, and the share of pixels that may be further; else [`Shader::CLOSE`] |
//! | `//! counterpart: NAME` | in WGSL: the GLSL source that gives the same picture |
//! | `//! r300: no` | Mesa's r300 driver does not draw it |
//!
//! In GLSL, which is of version 1.20 without another `#version`, the macro `IJ` is the position of the pixel, counted from 0.
//! Pixels that are discarded stay [`BACKGROUND`].

pub mod compiled;
mod environment;
pub mod function;
mod header;

pub use environment::Environment;
pub use header::HeaderError;

use crate::picture::Tolerance;
use crate::project_path;
use std::path::{Path, PathBuf};

/// All channels of pixels that nothing is written to.
pub const BACKGROUND: f32 = 0.25;

/// Columns and rows of a picture of which all pixels are kept; of a larger one so many are.
const KEPT: u32 = 16;

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The OpenGL Shading Language.
    Glsl,
    /// The WebGPU Shading Language.
    Wgsl,
}

impl Language {
    /// The ending of files.
    const fn ending(self) -> &'static str {
        match self {
            Language::Glsl => "frag",
            Language::Wgsl => "wgsl",
        }
    }
}

/// A texture that a shader reads: RGBA floats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The name of its sampler in GLSL, of the texture in WGSL.
    pub name: String,
    /// The name of its [data](crate::texels::data).
    pub data: String,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Texture {
    /// Its texels, row by row.
    pub fn texels(&self) -> Vec<f32> {
        crate::texels::data(&self.data, self.width, self.height)
    }
}

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The name of the file, without its ending.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// What the file holds.
    pub text: String,
    /// What it is about.
    pub purpose: String,
    /// Columns and rows of the picture.
    pub size: (u32, u32),
    /// What it reads.
    pub textures: Vec<Texture>,
    /// Values of uniforms, by their names.
    pub uniforms: Vec<(String, Vec<f32>)>,
    /// Colours that it gives.
    pub outputs: u32,
    /// How far its picture may be from what is wanted.
    pub tolerance: Tolerance,
    /// The name of the GLSL source with the same picture.
    pub counterpart: Option<String>,
    /// Whether Mesa's r300 driver draws it.
    pub r300: bool,
}

impl Shader {
    /// The tolerance of sources that do not name one: roundings differ, and last bits of functions.
    pub const CLOSE: Tolerance = Tolerance { absolute: 2e-5, relative: 2e-5, outliers: 0.0 };

    /// The suite's shaders in a language, by name.
    ///
    /// # Panics
    /// If a file cannot be read, or its lines make no sense.
    pub fn suite(language: Language) -> Vec<Self> {
        let folder = match language {
            Language::Glsl => "glsl",
            Language::Wgsl => "wgsl",
        };
        Self::folder(&folder_of_suite().join(folder), language)
    }

    /// The sources of the kernels of `benches`.
    ///
    /// # Panics
    /// If a file cannot be read, or its lines make no sense.
    pub fn kernels() -> Vec<Self> {
        Self::folder(&project_path("benches/glsl"), Language::Glsl)
    }

    fn folder(folder: &Path, language: Language) -> Vec<Self> {
        let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let paths = files.map(|file| file.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending == language.ending())).collect();
        paths.sort();
        paths.iter().map(|path| Self::load(path, language)).collect()
    }

    fn load(path: &Path, language: Language) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(path, language, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The file with the kept pixels of its picture.
    pub fn expected_path(&self) -> PathBuf {
        let name = self.counterpart.as_ref().unwrap_or(&self.name);
        folder_of_suite().join("expected").join(name).with_extension("npy")
    }

    /// The kept pixels of all outputs, as the file has them.
    ///
    /// # Errors
    /// What the matter with the file is.
    pub fn expected(&self) -> Result<Vec<[f32; 4]>, String> {
        let path = self.expected_path();
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let array = ctm_array::read_npy(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        let wanted = self.places().len() * self.outputs as usize;
        let pixels: Vec<_> = array.to_floats().as_chunks().0.to_vec();
        match array.shape.channels == 4 && pixels.len() == wanted {
            true => Ok(pixels),
            false => Err(format!("{}: {} is not {wanted} pixels", path.display(), array.shape)),
        }
    }

    /// The bytes of the file with these kept pixels.
    ///
    /// # Errors
    /// There are none.
    pub fn expected_file(&self, pixels: &[[f32; 4]]) -> Result<Vec<u8>, ctm_array::ContentError> {
        let [columns, _] = self.kept();
        let shape = ctm_array::Shape { width: columns as usize, height: pixels.len() / columns as usize, channels: 4 };
        let array = ctm_array::Array::from_floats(shape, pixels.as_flattened())?;
        ctm_array::encode(ctm_array::FileKind::Npy, &array, &ctm_array::WriteOptions::default())
    }

    fn kept(&self) -> [u32; 2] {
        [self.size.0.min(KEPT), self.size.1.min(KEPT)]
    }

    /// The places of the pixels that are kept: all of small pictures, and of large ones as many at odd and at even columns and rows.
    pub fn places(&self) -> Vec<(u32, u32)> {
        let [columns, rows] = self.kept();
        let place = |number: u32, kept: u32, side: u32| {
            let step = side / kept;
            number * step + (number * 7 + number / 2) % step
        };
        let row = |j: u32| (0..columns).map(move |i| (place(i, columns, self.size.0), place(j, rows, self.size.1)));
        (0..rows).flat_map(row).collect()
    }

    /// Compares whole pictures, one for each output, with the kept pixels of what is wanted, and says what is wrong.
    ///
    /// # Errors
    /// A sentence about the difference.
    pub fn compare(&self, pictures: &[Vec<[f32; 4]>]) -> Result<(), String> {
        let (got, wanted) = (self.keep(pictures), self.expected()?);
        let comparison = self.tolerance.compare(&got, &wanted);
        let Some((at, got, wanted)) = comparison.first.filter(|_| !comparison.passes) else { return Ok(()) };
        let places = self.places();
        let (output, (i, j)) = (at / places.len(), places[at % places.len()]);
        let (wrong, pixels) = (comparison.wrong, comparison.pixels);
        Err(format!(
            "{wrong} of {pixels} pixels are wrong; the first is ({i}, {j}) of output {output}: {got:?}, not {wanted:?}"
        ))
    }

    /// The kept pixels of whole pictures, one for each output.
    pub fn keep(&self, pictures: &[Vec<[f32; 4]>]) -> Vec<[f32; 4]> {
        let places = self.places();
        let pixel = |picture: &[[f32; 4]], (i, j): (u32, u32)| picture[(j * self.size.0 + i) as usize];
        pictures.iter().flat_map(|picture| places.iter().map(move |&place| pixel(picture, place))).collect()
    }
}

/// The suite's folder.
pub fn folder_of_suite() -> PathBuf {
    project_path("tests/shaders")
}
