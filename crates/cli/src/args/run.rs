//! The options of `ctm run`.

use super::ProgramArgs;
use super::values::{
    Boolean, Emit, Extent, FormatName, InputSource, Integers, Numbered, Position, Vector, engine, tonemap,
};
use crate::files::{FileSpec, Tonemap};
use clap::{Args, ValueEnum, ValueHint, value_parser};
use ctm_engine::EngineName;
use ctm_x1k::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, MAX_GROUP_WIDTH, OUTPUTS};
use std::path::PathBuf;

/// The domain when nothing names one.
pub const DEFAULT_DOMAIN: Extent = Extent { width: 512, height: 512 };

/// Instructions that a group may execute when nothing says otherwise: well above what programs need, and reached within
/// seconds by one that never ends.
pub const STEP_LIMIT: u64 = 1 << 24;

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

Files:
  .npy   array of float32, uint8 or uint16, H x W or H x W x C
  .f32   little-endian float32 and nothing else; an input needs its shape,
         as in FILE.f32:640x480x4 (width, height, channels)
  .png   picture; float outputs are clamped to 0..1, or to the range that
         --tonemap gives
An output is as large as the domain and has 4 float32 channels, unless a shape
after its name or --output-format says otherwise (uint16_1, uint8_4, float32_1,
float32_2, float32_4). ':tiled' after a name lays the surface out in tiles in
the memory of the device; results do not depend on it.")]
pub struct RunArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Width and height of the domain: every (i, j) in it runs the program once [default: 512x512]
    #[arg(long, value_name = "WxH", help_heading = "Domain and data")]
    pub domain: Option<Extent>,
    /// What input N reads: a file, or the memory of an output (N=@M)
    #[arg(long = "input", value_name = "N=FILE[:WxHxC][:tiled]", help_heading = "Domain and data")]
    pub inputs: Vec<Numbered<InputSource, INPUTS>>,
    /// File that receives output N
    #[arg(long = "output", value_name = "N=FILE[:WxHxC]", help_heading = "Domain and data")]
    pub outputs: Vec<Numbered<FileSpec, OUTPUTS>>,
    /// File that receives output 0
    #[arg(short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Domain and data")]
    pub output0: Option<FileSpec>,
    /// Element format of output N [default: float32_4]
    #[arg(long = "output-format", value_name = "N=FORMAT", help_heading = "Domain and data")]
    pub output_formats: Vec<Numbered<FormatName, OUTPUTS>>,
    /// File that receives the conditional values (one float32 channel)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Domain and data")]
    pub cond_output: Option<FileSpec>,
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

    /// Value of float constant N: one number or r,g,b,a
    #[arg(long = "const", value_name = "N=R,G,B,A", help_heading = "Constants")]
    pub floats: Vec<Numbered<Vector, FLOAT_CONSTANTS>>,
    /// File with float constants from c0 on: N x 4 float32, .npy or .f32
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Constants")]
    pub consts: Option<PathBuf>,
    /// Value of integer constant N: passes, first aL [default: 0], step of aL [default: 1]
    #[arg(long = "iconst", value_name = "N=COUNT,INIT,STEP", help_heading = "Constants")]
    pub ints: Vec<Numbered<Integers, INT_CONSTANTS>>,
    /// Value of boolean constant N
    #[arg(long = "bconst", value_name = "N=true|false", help_heading = "Constants")]
    pub bools: Vec<Numbered<Boolean, BOOL_CONSTANTS>>,

    /// First instruction
    #[arg(long, value_name = "N", help_heading = "Program information (in place of the program's own)")]
    pub start: Option<u16>,
    /// Last instruction
    #[arg(long, value_name = "N", help_heading = "Program information (in place of the program's own)")]
    pub end: Option<u16>,
    /// Register that receives the position (i, j, 0, 0)
    #[arg(long, value_name = "rN|none", help_heading = "Program information (in place of the program's own)")]
    pub position: Option<Position>,
    /// Flow control: full has loops and calls, partial has not
    #[arg(long, value_name = "KIND", help_heading = "Program information (in place of the program's own)")]
    pub flow: Option<FlowControl>,
    /// Zero times infinity or NaN is zero
    #[arg(long, help_heading = "Program information (in place of the program's own)")]
    pub zero_times_anything: bool,

    /// What executes the program; all give the same bits [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine(), help_heading = "Execution")]
    pub engine: Option<EngineName>,
    /// Lanes that run in step, 1 to 256
    #[arg(long, value_name = "W", value_parser = value_parser!(u16).range(1..=MAX_GROUP_WIDTH as i64), help_heading = "Execution")]
    pub group: Option<u16>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), help_heading = "Execution")]
    pub threads: Option<u16>,
    /// Rounding of multiply-add: once at the end (fused) or after each step
    #[arg(long, value_name = "RULE", default_value = "fused", help_heading = "Execution")]
    pub mad: MadRule,
    /// Instructions that a group may execute before it counts as endless [default: 2^24]
    #[arg(long, value_name = "N", default_value_t = STEP_LIMIT, hide_default_value = true, help_heading = "Execution")]
    pub step_limit: u64,
    /// Run N times and report the median time
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..), help_heading = "Execution")]
    pub repeat: u32,
    /// Before the run, run the program on the CTM device too, and record all of it for 'ctm replay'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Execution")]
    pub emit_trace: Option<PathBuf>,
    /// Do not run the program, but show what the engine makes of it: lane (lane IR, as lifted), lane-opt (simplified, for any
    /// group of lanes), lane-interior (for groups wholly inside the domain) or asm (machine code of both)
    #[arg(long, value_name = "STAGE[=FILE]", conflicts_with_all = ["emit_trace", "stats"], help_heading = "Execution")]
    pub emit: Option<Emit>,
    /// Print what was executed, and how fast
    #[arg(long, help_heading = "Execution")]
    pub stats: bool,
    /// With --stats: print one JSON object
    #[arg(long, requires = "stats", help_heading = "Execution")]
    pub json: bool,
}

/// `--flow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlowControl {
    /// Loops, calls, 32 levels of branches
    Full,
    /// Branches only, 6 levels
    Partial,
}

/// `--mad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MadRule {
    /// One rounding
    Fused,
    /// A rounding after the multiplication and one after the addition
    Unfused,
}
