//! The options of `ctm draw`.

use super::pixel_options::PixelArgs;
use super::values::{Attribute, CaptureRange, DrawOutput, Levels, StageBank};
use super::{debug, draw};
use crate::execution::{Execution, NamedFiles};
use crate::isa::sm50::options::MemoryArgs;
use crate::isa::{IsaCommand, program_files};
use crate::options::values::{FollowedLane, InputSource, NamedValue, engine, named};
use crate::options::{BudgetArgs, DRAW, GivenOptions, RunUse};
use crate::run::{Debugged, require_terminal, sampling};
use crate::{Console, Failure};
use clap::builder::TypedValueParser;
use clap::{Args, ValueHint, value_parser};
use ctm_codegen::EngineName;
use ctm_sm50::Stage;
use ctm_sm50::pipeline::{MAX_PATCH_VERTICES, Primitive, Spacing, TessDomain};
use std::path::PathBuf;

/// One of these, by its name.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &[T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> + use<T> {
    let names: Vec<_> = all.iter().map(|&one| (one, name(one))).collect();
    named(&names)
}

/// The stages of a draw before the rasteriser, by the options of their programs.
pub const STAGES: [(Stage, &str); 4] =
    [(Stage::Vertex, "vs"), (Stage::TessellationInit, "tcs"), (Stage::Tessellation, "tes"), (Stage::Geometry, "gs")];

/// `ctm draw`.
#[derive(Debug, Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  ctm draw --vs wave.sm50 --primitive triangles --vertices 36 -o positions.npy
  ctm draw --vs vert.sph.u32 --gs geom.sph.u32 --primitive points --vertices 8 \\
      --capture 0x70:4,0x80:4 --const 0=matrices.npy -o records.npy
  ctm draw --vs net.sm50 --tcs levels.sm50 --tes patch.sm50 --primitive patches \\
      --vertices 16 --patch-vertices 16 --tess-domain quads --svg patch.svg
  ctm draw --vs wave.sm50 --gs spikes.sm50 --primitive points --vertices 8 \\
      --debug gs --lane 3
  ctm draw --vs mesh.sm50 --fs lit.sm50 --primitive triangles --vertices 36 \\
      --input 0=wood.png:2d,linear,repeat --size 640x480 --depth less -o picture.png

A program is assembly text (.sm50), a header with the code after it, or two
files X.sph.u32 and X.code.u32, of which either is named.

With a fragment program (--fs), the result is the picture that it colours.
Without, it is what transform feedback captures: an array of one record for each
vertex that comes out, by the dwords that --capture lists. Strips and fans are
taken apart into separate lines and triangles."
)]
pub struct DrawArgs {
    /// What the command line gives.
    #[command(flatten)]
    pub given: GivenOptions,

    /// Vertex program
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub vs: PathBuf,
    /// Tessellation initialisation program (tessellation control in OpenGL)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tes", help_heading = "Programs")]
    pub tcs: Option<PathBuf>,
    /// Tessellation program (tessellation evaluation in OpenGL)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub tes: Option<PathBuf>,
    /// Geometry program
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub gs: Option<PathBuf>,
    /// Fragment program: what comes out of the stages before becomes a picture
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub fs: Option<PathBuf>,

    /// What the vertices are drawn as
    #[arg(long, value_name = "P", value_parser = one_of(Primitive::ALL, Primitive::name), help_heading = "Draw")]
    pub primitive: Primitive,
    /// How many vertices are drawn
    #[arg(long, value_name = "N", help_heading = "Draw")]
    pub vertices: u32,
    /// Number of the first vertex
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Draw")]
    pub first: u32,
    /// How often they are drawn
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Draw")]
    pub instances: u32,
    /// Values of an attribute of the vertices: COUNT dwords for each, 1 to 4, .npy or raw dwords; those that none gives are
    /// (0, 0, 0, 1)
    #[arg(long = "attribute", value_name = "ADDR:COUNT=FILE", help_heading = "Draw")]
    pub attributes: Vec<Attribute>,
    /// Dwords of a constant bank: .npy, or raw dwords. Of all programs, or of that of one stage: fs:0=FILE
    #[arg(long = "const", visible_alias = "bank", value_name = "[STAGE:]BANK=FILE", help_heading = "Draw")]
    pub constants: Vec<StageBank>,
    /// Texture of unit N: a file, perhaps with its kind, filter and wraps, as for 'ctm run': 0=wood.png:2d,linear,repeat
    #[arg(long = "input", value_name = "N=FILE[:WxHxC][:KIND][,FILTER][,WRAP...]", help_heading = "Draw")]
    pub inputs: Vec<NamedValue<InputSource>>,
    /// File of the next level of texture N: the first one given is level 1, the next level 2, and so on
    #[arg(long = "mip", value_name = "N=FILE[:WxHxC]", help_heading = "Draw")]
    pub mips: Vec<NamedValue<String>>,
    /// Global memory.
    #[command(flatten, next_help_heading = "Memory")]
    pub memory: MemoryArgs,
    /// How primitives become pixels.
    #[command(flatten)]
    pub pixels: PixelArgs,

    /// Vertices of a patch [default: 3]
    #[arg(
        long,
        value_name = "N",
        requires = "tes",
        value_parser = value_parser!(u32).range(1..=MAX_PATCH_VERTICES as i64),
        help_heading = "Tessellation"
    )]
    pub patch_vertices: Option<u32>,
    /// What a patch is cut into
    #[arg(
        long,
        value_name = "DOMAIN",
        default_value = "triangles",
        value_parser = one_of(TessDomain::ALL, TessDomain::name),
        requires = "tes",
        help_heading = "Tessellation"
    )]
    pub tess_domain: TessDomain,
    /// How edges are subdivided
    #[arg(
        long,
        value_name = "SPACING",
        default_value = "equal",
        value_parser = one_of(Spacing::ALL, Spacing::name),
        requires = "tes",
        help_heading = "Tessellation"
    )]
    pub tess_spacing: Spacing,
    /// Points instead of lines or triangles
    #[arg(long, requires = "tes", help_heading = "Tessellation")]
    pub point_mode: bool,
    /// Triangles go clockwise
    #[arg(long, requires = "tes", help_heading = "Tessellation")]
    pub cw: bool,
    /// Levels where no --tcs program sets them: four outer and two inner ones
    #[arg(
        long,
        value_name = "O,O,O,O,I,I",
        default_value = "1,1,1,1,1,1",
        requires = "tes",
        conflicts_with = "tcs",
        help_heading = "Tessellation"
    )]
    pub tess_levels: Levels,

    /// Dwords of each record: attribute addresses, each with a number of dwords
    #[arg(
        long,
        value_name = "ADDR:COUNT,...",
        value_delimiter = ',',
        default_value = "0x70:4",
        conflicts_with = "fs",
        help_heading = "Results"
    )]
    pub capture: Vec<CaptureRange>,
    /// Output stream of the geometry program that is captured
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        requires = "gs",
        value_parser = value_parser!(u8).range(0..=3),
        help_heading = "Results"
    )]
    pub stream: u8,
    /// Array of records x captured dwords: .npy (float32, bit for bit), or .f32. With --fs, what colour 0 or N is then: .png, .npy, .f32
    #[arg(short, long = "output", value_name = "[N=]FILE", value_hint = ValueHint::FilePath, help_heading = "Results")]
    pub outputs: Vec<DrawOutput>,
    /// Mesh of what comes out, by its position divided by w
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Results")]
    pub obj: Option<PathBuf>,
    /// Wireframe of what comes out, seen along z
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Results")]
    pub svg: Option<PathBuf>,
    /// Print what was executed as one JSON object
    #[arg(long, help_heading = "Results")]
    pub json: bool,

    /// Look at the draw step by step, forward and back, in the terminal; it begins with this stage [default: vs]
    #[arg(
        long,
        value_name = "STAGE",
        num_args = 0..=1,
        default_missing_value = "vs",
        value_parser = named(&STAGES),
        help_heading = "Debugger"
    )]
    pub debug: Option<Stage>,
    /// The invocation of the stage that is looked at first; N,LAUNCH counts in that launch of the draw [default: the first one]
    #[arg(long, value_name = "N[,LAUNCH]", requires = "debug", help_heading = "Debugger")]
    pub lane: Option<FollowedLane>,

    /// What executes the programs; all give the same bits [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine(), help_heading = "Execution")]
    pub engine: Option<EngineName>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), help_heading = "Execution")]
    pub threads: Option<u16>,
    /// Run in a process of its own that can open no file, reach no network and start no program (Linux); results are the same
    #[arg(long, help_heading = "Execution")]
    pub sandbox: bool,
    /// What the draw may use.
    #[command(flatten)]
    pub budget: BudgetArgs,
}

impl Execution for DrawArgs {
    fn is_sandboxed(&self) -> bool {
        self.sandbox
    }

    fn is_json(&self) -> bool {
        self.json
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }

    fn files(&self) -> NamedFiles {
        let mut files = NamedFiles::default();
        let programs = [Some(&self.vs), self.tcs.as_ref(), self.tes.as_ref(), self.gs.as_ref(), self.fs.as_ref()];
        files.reads.extend(programs.into_iter().flatten().flat_map(|path| program_files(path)));
        files.read(self.attributes.iter().map(|attribute| &attribute.path));
        files.read(self.constants.iter().map(|bank| &bank.file.value));
        files.add(NamedFiles::of_inputs(&self.inputs, &self.mips, sampling::file));
        files.add(self.memory.files());
        files.write([&self.obj, &self.svg].into_iter().flatten());
        files.writes.extend(self.outputs.iter().map(|output| output.path(self.fs.is_some())));
        files.write(self.pixels.depth_output.iter().map(|file| &file.path));
        files
    }
}

impl IsaCommand for DrawArgs {
    fn execute(&self, console: &mut Console) -> Result<(), Failure> {
        match self.debug {
            None => draw(self, console),
            Some(stage) => {
                self.given.require_kept(DRAW, RunUse::Screen)?;
                require_terminal()?;
                self.session(stage, console)?.show(console)
            }
        }
    }

    fn debug(&self, console: &mut Console) -> Result<Debugged, Failure> {
        self.given.require_kept(DRAW, RunUse::Editor)?;
        self.session(self.debug.unwrap_or(Stage::Vertex), console)
    }
}

impl DrawArgs {
    /// Opens a session that begins with a stage.
    fn session(&self, stage: Stage, console: &mut Console) -> Result<Debugged, Failure> {
        let mut debugged = debug::open(self, stage, console)?;
        debugged.session.set_time_limit(self.budget.time());
        Ok(debugged)
    }
}
