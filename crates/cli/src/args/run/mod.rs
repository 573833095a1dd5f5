//! The options of `ctm run`: those of all instruction sets here, the others in a module for each.

mod r700;
mod sm50;
mod x1k;

pub use r700::{BufferFile, ItemsFile, LoopValue, R700Args, SamplerValue, StageName, StreamFile};
pub use sm50::{GlobalFile, GlobalOutput, Sizes, Sm50Args};
pub use x1k::{FlowControl, MadRule, X1kArgs};

use super::ProgramArgs;
use super::budget::BudgetArgs;
use super::values::{Emit, Extent, FollowedLane, FormatName, InputSource, Numbered, Position, Vector, engine, tonemap};
use clap::{ArgGroup, Args, ValueHint, value_parser};
use ctm_array::{FileSpec, Tonemap};
use ctm_codegen::EngineName;
use ctm_lane::run::MAX_GROUP_WIDTH;
use std::path::PathBuf;

/// Numbers that things are named by: inputs, outputs, constants. An instruction set may have fewer of a kind.
const NUMBERS: usize = 256;

/// The domain when nothing names one.
pub const DEFAULT_DOMAIN: Extent = Extent { width: 512, height: 512 };

/// Instructions that a group may execute when nothing says otherwise: well above what programs need, and reached within
/// seconds by one that never ends.
pub const STEP_LIMIT: u64 = 1 << 24;

/// Most runs of `--repeat`: each leaves its time behind.
const MAX_REPEAT: i64 = 1_000_000;

/// `ctm run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm run mandelbrot.x1k -o mandelbrot.png
  ctm run blur.elf --domain 640x480 --input 0=photo.png -o blurred.png
  ctm run step.x1k --domain 64x64 --input 0=a.npy --output 0=b.npy --output 1=c.npy
  ctm run count.x1k --domain 1x512 --input 0=photo.png --input 1=@0 -o bins.npy:64x512x1
  ctm run program.u32 --domain 64x64 --consts c.f32 --zero-times-anything -o out.f32
  ctm run mandelbrot.x1k --domain 2048x2048 --repeat 9 --stats
  ctm run mandelbrot.x1k --emit asm | less
  ctm run mandelbrot.x1k --follow 256,200 | less -S
  ctm run shader.u32 --isa r700 --domain 640x480 --input 18=photo.png -o out.png
  ctm run fog.r700 --domain 640x480 --input 3=volume.npy:3d --sampler 3=linear -o out.png
  ctm run kernel.o --kernel blend --interp 1=weights.npy -o out.npy
  ctm run kernels.cubin --kernel scale --block 64 --bank 0=arguments.u32 \\
      --global 0x10000=in.npy --global-output 0x10000:128=out.npy
  ctm run scene.r700 --stage vs --vertices 36 --buffer 0=cube.npy --position-output 0=clip.npy

Files:
  .npy   array of float32, uint8 or uint16, H x W or H x W x C
  .f32   little-endian float32 and nothing else; an input needs its shape,
         as in FILE.f32:640x480x4 (width, height, channels)
  .png   picture; float outputs are clamped to 0..1, or to the range that
         --tonemap gives
An output is as large as the domain and has 4 float32 channels, unless a shape
after its name or --output-format says otherwise (uint16_1, uint8_4, float32_1,
float32_2, float32_4). ':tiled' after a name lays the surface out in tiles in
the memory of the device; results do not depend on it. A fetch buffer may also be a file of any bytes.")]
pub struct RunArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Width and height of the domain: every (i, j) in it runs the program once [default: 512x512]
    #[arg(long, value_name = "WxH", help_heading = "Domain and data")]
    pub domain: Option<Extent>,
    /// What input N reads (R700: texture resource N): a file, or the memory of an output (N=@M). ':1d', ':1d-array', ':array',
    /// ':3d' and ':cube' after the file of an R700 texture say what it is, and ':WxHxDxC' its depth
    #[arg(long = "input", value_name = "N=FILE[:WxHxC][:tiled]", help_heading = "Domain and data")]
    pub inputs: Vec<Numbered<InputSource, NUMBERS>>,
    /// File that receives output N
    #[arg(long = "output", value_name = "N=FILE[:WxHxC]", help_heading = "Domain and data")]
    pub outputs: Vec<Numbered<FileSpec, NUMBERS>>,
    /// File that receives output 0
    #[arg(short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Domain and data")]
    pub output0: Option<FileSpec>,
    /// Element format of output N [default: float32_4]
    #[arg(long = "output-format", value_name = "N=FORMAT", help_heading = "Domain and data")]
    pub output_formats: Vec<Numbered<FormatName, NUMBERS>>,
    /// What outputs hold before the run: one number or r,g,b,a
    #[arg(
        long,
        value_name = "VALUE",
        default_value = "0",
        allow_hyphen_values = true,
        help_heading = "Domain and data"
    )]
    pub clear: Vector,
    /// Values that a PNG shows from black to white
    #[arg(long, value_name = "MIN,MAX", value_parser = tonemap, allow_hyphen_values = true, help_heading = "Domain and data")]
    pub tonemap: Option<Tonemap>,
    /// Register that receives the position: (i, j, 0, 0) as floats, or for vertices (number, 0, 0, 0) as integers [default:
    /// what an X1K program says, else r0]
    #[arg(long, value_name = "rN|none", help_heading = "Domain and data")]
    pub position: Option<Position>,

    /// Value of float constant N: one number or r,g,b,a
    #[arg(long = "const", value_name = "N=R,G,B,A", help_heading = "Constants")]
    pub floats: Vec<Numbered<Vector, NUMBERS>>,
    /// File with float constants from c0 on: N x 4 float32, .npy or .f32
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Constants")]
    pub consts: Option<PathBuf>,

    /// Options of X1K programs; none if none is given.
    #[command(flatten)]
    pub x1k: Option<X1kArgs>,
    /// Options of R700 programs; none if none is given.
    #[command(flatten)]
    pub r700: Option<R700Args>,
    /// Options of SM50 compute code; none if none is given.
    #[command(flatten)]
    pub sm50: Option<Sm50Args>,
    /// How to run.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

/// How a program is executed, whatever its instruction set.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("told").args(["stats", "follow"]).multiple(true))]
pub struct ExecutionArgs {
    /// What executes the program; all give the same bits [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine(), help_heading = "Execution")]
    pub engine: Option<EngineName>,
    /// Check the bytes of machine code before they run, and not only its instructions; for programs of unknown origin
    #[arg(long, help_heading = "Execution")]
    pub check_code: bool,
    /// Lanes that run in step, 1 to 256
    #[arg(long, value_name = "W", value_parser = value_parser!(u16).range(1..=MAX_GROUP_WIDTH as i64), help_heading = "Execution")]
    pub group: Option<u16>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), help_heading = "Execution")]
    pub threads: Option<u16>,
    /// Instructions that a group may execute before it counts as endless [default: 2^24]
    #[arg(long, value_name = "N", default_value_t = STEP_LIMIT, hide_default_value = true, help_heading = "Execution")]
    pub step_limit: u64,
    /// Run N times and report the median time
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..=MAX_REPEAT), help_heading = "Execution")]
    pub repeat: u32,
    /// Do not run the program, but show what the engine makes of it: lane (lane IR, as lifted), lane-opt (simplified, for any
    /// group of lanes), lane-interior (for groups wholly inside the domain) or asm (machine code of both)
    #[arg(long, value_name = "STAGE[=FILE]", conflicts_with_all = ["emit_trace", "stats"], help_heading = "Execution")]
    pub emit: Option<Emit>,
    /// Show what one lane goes through, instruction by instruction: the lane at column I and row J, or vertex, primitive or
    /// thread N. The reference executes the program then
    #[arg(long, value_name = "I,J|N", conflicts_with_all = ["emit", "repeat"], help_heading = "Execution")]
    pub follow: Option<FollowedLane>,
    /// With --follow: show at most N steps
    #[arg(
        long,
        value_name = "N",
        default_value = "1000",
        requires = "follow",
        value_parser = value_parser!(u64).range(1..),
        help_heading = "Execution"
    )]
    pub follow_steps: u64,
    /// Run in a process of its own that can open no file, reach no network and start no program (Linux); results are the same
    #[arg(long, help_heading = "Execution")]
    pub sandbox: bool,
    /// Print what was executed, and how fast
    #[arg(long, help_heading = "Execution")]
    pub stats: bool,
    /// With --stats: print one JSON object; with --follow: one on each line, for each step
    #[arg(long, requires = "told", help_heading = "Execution")]
    pub json: bool,
    /// What it may use.
    #[command(flatten)]
    pub budget: BudgetArgs,
}
