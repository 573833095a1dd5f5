//! The kernels: where they run, how much work they are, and how exact pictures of them are.

use ctm_testkit::picture::Tolerance;
use ctm_testkit::project_path;
use std::path::PathBuf;

/// An instruction set for which there are kernels in machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Isa {
    /// R5xx fragment programs.
    X1k,
    /// R700 pixel shaders.
    R700,
}

impl Isa {
    /// The folder of its kernels in `benches`.
    pub const fn folder(self) -> &'static str {
        match self {
            Isa::X1k => "x1k",
            Isa::R700 => "r700",
        }
    }

    /// The driver of Mesa whose compiler made them.
    pub const fn compiler(self) -> &'static str {
        match self {
            Isa::X1k => "r300",
            Isa::R700 => "r600",
        }
    }

    /// How many times as fast as llvmpipe each kernel is to be at least, and their geometric mean, on vectors of so many lanes.
    pub const fn marks(self, lanes: usize) -> (f64, f64) {
        match (self, lanes) {
            (Isa::X1k, 16..) => (2.5, 4.5),
            (Isa::R700, 16..) => (2.0, 3.5),
            (Isa::X1k | Isa::R700, _) => (1.5, 2.5),
        }
    }

    /// How much of the speed of kernels written by hand for AVX-512 each kernel is to have at least, and their geometric mean, if there are marks.
    pub const fn marks_of_native(self, lanes: usize) -> Option<(f64, f64)> {
        match (self, lanes) {
            (Isa::X1k, 16..) => Some((0.6, 0.9)),
            (Isa::X1k | Isa::R700, _) => None,
        }
    }

    /// The share of the peak of multiply-adds that `mad` is to reach. R700 rounds a product before it is added.
    pub const fn mark_of_peak(self) -> Option<f64> {
        match self {
            Isa::X1k => Some(0.85),
            Isa::R700 => None,
        }
    }
}

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name.
    pub name: &'static str,
    /// The program: a folder of machine code for each instruction set, and a shader in GLSL.
    pub program: &'static str,
    /// Columns and rows of the picture and of its only texture, if they are not those of the program's folder.
    pub size: Option<u32>,
    /// Operations for one pixel of the picture that came out; see [`operations`](Self::operations).
    work: fn([f32; 4]) -> u32,
    /// How far our picture may be from llvmpipe's.
    pub tolerance: Tolerance,
}

/// Steps of a sine, cosine, exponential or logarithm: reduction, polynomial, reconstruction.
const FUNCTION: u32 = 12;
/// A square root and a division.
const ROOT: u32 = 2;

/// Every difference is a mistake.
const SAME: Tolerance = Tolerance { absolute: 0.0, relative: 0.0, outliers: 0.0 };
/// Roundings differ, and last bits of functions.
const CLOSE: Tolerance = Tolerance { absolute: 1e-5, relative: 1e-5, outliers: 0.0 };
/// The same after sums of many terms.
const NEAR: Tolerance = Tolerance { absolute: 1e-4, relative: 1e-4, outliers: 0.0 };

/// All kernels.
pub const KERNELS: [Kernel; 11] = [
    Kernel::new("mad", |_| 64 * 16 * 4 + 20, NEAR),
    // The first channel counts the passes but the one that leaves the loop. Near the edge of the set, passes double what
    // roundings left.
    Kernel::new(
        "mandelbrot",
        |[passes, ..]| 8 * (passes as u32 + 1).min(250),
        Tolerance { absolute: 1e-3, relative: 1e-3, outliers: 0.02 },
    ),
    Kernel::new("trig", |_| 32 * (4 * FUNCTION + ROOT + 11), CLOSE),
    // The third channel counts steps, the fourth tells whether the normal and the light had to be computed. Rays that graze
    // a ball may miss it.
    Kernel::new(
        "raymarch",
        |[_, _, steps, hit]| 12 + steps as u32 * (SCENE + 7) + hit as u32 * (4 * SCENE + 30),
        Tolerance { absolute: 1e-3, relative: 1e-3, outliers: 0.001 },
    ),
    // The noise is the fraction of sines, times 44, of numbers up to 24000, whose last bits are all that counts.
    Kernel::new(
        "noise",
        |_| 5 * (4 * (FUNCTION + 6) + 19),
        Tolerance { absolute: 0.05, relative: 0.0, outliers: 0.05 },
    ),
    Kernel::new("conv5", |_| 25 * 4 + 4, CLOSE),
    Kernel::new("copy", |_| 0, SAME),
    Kernel::new("jacobi", |_| 5 * 4, CLOSE),
    Kernel::new("sgemm", |_| 128 * 16, NEAR),
    Kernel::new("nbody", |_| 240 * (12 + ROOT), NEAR),
    Kernel { name: "copy-4096", size: Some(4096), ..Kernel::new("copy", |_| 0, SAME) },
];

/// Operations for one distance of `raymarch`.
const SCENE: u32 = 25 + 2 * (ROOT / 2);

impl Kernel {
    const fn new(name: &'static str, work: fn([f32; 4]) -> u32, tolerance: Tolerance) -> Self {
        Kernel { name, program: name, size: None, work, tolerance }
    }

    /// Operations for the whole picture: multiply-adds, and sums, products, comparisons, minima and so on that are not part of
    /// one, each of which takes a multiply-add's place in the machine. They are counted in the source, the steps of
    /// functions included; addresses, loops and conversions do not count.
    pub fn operations(&self, picture: &[[f32; 4]]) -> f64 {
        picture.iter().map(|&pixel| f64::from((self.work)(pixel))).sum()
    }

    /// The folder with its machine code; not every instruction set has every kernel.
    pub fn folder(&self, isa: Isa) -> PathBuf {
        project_path("benches").join(isa.folder()).join(self.program)
    }

    /// Its source.
    pub fn shader(&self) -> PathBuf {
        project_path("benches/glsl").join(self.program).with_extension("frag")
    }
}
