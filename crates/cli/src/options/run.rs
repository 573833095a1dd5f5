//! The options of `ctm run` that all instruction sets share.

use super::budget::BudgetArgs;
use super::frames::FrameArgs;
use super::values::{
    Emit, Extent, FollowedLane, FormatName, InputSource, Name, NamedValue, Numbered, Position, Vector, engine, file,
    is_word, tonemap,
};
use crate::recorder::Recorder;
use clap::{ArgGroup, Args, ValueHint, value_parser};
use ctm_array::{FileSpec, Tonemap};
use ctm_codegen::EngineName;
use ctm_lane::run::MAX_GROUP_WIDTH;
use std::path::PathBuf;
use std::rc::Rc;

/// Numbers that things are named by: inputs, outputs, constants. An instruction set may have fewer of a kind.
const NUMBERS: usize = 256;

/// The domain when nothing names one.
pub const DEFAULT_DOMAIN: Extent = Extent { width: 512, height: 512 };

/// Instructions that a group may execute when nothing says otherwise: well above what programs need, and reached within
/// seconds by one that never ends.
pub const STEP_LIMIT: u64 = 1 << 24;

/// Most runs of `--repeat`: each leaves its time behind.
const MAX_REPEAT: i64 = 1_000_000;

/// What a program runs over, and how.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Width and height of the domain: every (i, j) in it runs the program once [default: 512x512]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true, help_heading = "Domain and data")]
    pub domain: Option<Extent>,
    /// What input N reads (R700: texture resource N): a file, the memory of an output (N=@M), or values that are made for each pixel:
    /// 'uv' (0 to 1 over the domain), 'position' (of the pixel's centre), 'constant:R,G,B,A'. ':1d', ':2d', ':3d' and ':cube' after the
    /// file say that it is a texture, and which, for R700 also ':1d-array' and ':array'; ':WxHxDxC' gives its depth, and the faces of a
    /// cube are +x, -x, +y, -y, +z, -z from above. ':2d,linear,repeat' says how an X1K input is sampled: nearest or linear; repeat, mirror,
    /// clamp or border. Textures of shaders in source have their names in place of numbers
    #[arg(long = "input", value_name = "N|NAME=FILE[:WxHxC][:tiled]|uv|...", help_heading = "Domain and data")]
    pub inputs: Vec<NamedValue<InputSource>>,
    /// File of the next level of the texture that input N is: the first one given is level 1, the next level 2, and so on
    #[arg(long = "mip", value_name = "N|NAME=FILE[:WxHxC]", help_heading = "Domain and data")]
    pub mips: Vec<NamedValue<String>>,
    /// Buffer of shaders in source: a picture of the size of the domain that another shader makes before each frame. 'A=FILE.frag' makes
    /// buffer A, which '--input iChannel0=A' reads, and '--input A.iChannel0=B' gives it buffer B. Buffers run in this order; one that
    /// does not stand before its reader is as the frame before left it. R700: fetch buffer N: the values of a .npy, or the bytes of any
    /// other file. An element is a row of the array, else 16 bytes, unless 'stride=BYTES' says otherwise; 'format=NAME' is what fetches with
    /// USE_CONST_FIELDS take (32_32_FLOAT)
    #[arg(
        long = "buffer",
        value_name = "NAME=SHADER|N=FILE[,stride=BYTES][,format=NAME]",
        help_heading = "Domain and data"
    )]
    pub buffers: Vec<NamedValue<String>>,
    /// File that receives output N
    #[arg(long = "output", value_name = "N=FILE[:WxHxC]", help_heading = "Domain and data")]
    pub outputs: Vec<Numbered<FileSpec, NUMBERS>>,
    /// File that receives output 0
    #[arg(short = 'o', value_name = "FILE", value_parser = file(), value_hint = ValueHint::FilePath, help_heading = "Domain and data")]
    pub output0: Option<FileSpec>,
    /// File that receives the depth that R700 and SM50 fragment programs put out: one float32 channel; of R700, two for depth and stencil
    /// reference
    #[arg(long, value_name = "FILE[:WxHxC]", value_parser = file(), help_heading = "Domain and data")]
    pub depth_output: Option<FileSpec>,
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
    /// Row 0 is the lowest of pictures and arrays in files, as OpenGL counts [default: true for GLSL that has Shadertoy's mainImage or
    /// uses the size of the picture, as iResolution or u_resolution, else false]
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        help_heading = "Domain and data"
    )]
    pub bottom_up: Option<bool>,
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

    /// How often, with what.
    #[command(flatten)]
    pub frames: FrameArgs,
    /// How to run.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

impl RunArgs {
    /// Inputs that are called by numbers.
    pub fn numbered_inputs(&self) -> Vec<Numbered<InputSource, NUMBERS>> {
        numbered(&self.inputs)
    }

    /// Further levels of inputs that are called by numbers.
    pub fn numbered_mips(&self) -> Vec<Numbered<String, NUMBERS>> {
        numbered(&self.mips)
    }

    /// The first input, level or uniform whose name is not a number: the option with it, and the name.
    pub fn first_name(&self) -> Option<(String, &str)> {
        let inputs = self.inputs.iter().filter_map(|input| match &input.name {
            Name::Word(name) => Some((format!("--input {name}"), name.as_str())),
            Name::Number(_) => None,
        });
        let mips = self.mips.iter().filter_map(|mip| match &mip.name {
            Name::Word(name) => Some((format!("--mip {name}"), name.as_str())),
            Name::Number(_) => None,
        });
        let uniforms = self.frames.uniforms.iter().filter_map(|text| {
            let name = text.split('=').next().filter(|name| is_word(name))?;
            Some((format!("--uniform {text}"), name))
        });
        let buffers = self.buffers.iter().filter_map(|buffer| match &buffer.name {
            Name::Word(name) => Some((format!("--buffer {name}"), name.as_str())),
            Name::Number(_) => None,
        });
        inputs.chain(mips).chain(uniforms).chain(buffers).next()
    }

    /// How often the program runs.
    pub fn runs(&self) -> u32 {
        self.execution.repeat.max(self.frames.frames.unwrap_or(1)) + u32::from(self.execution.utilisation)
    }
}

/// Those that have numbers.
fn numbered<T: Clone>(named: &[NamedValue<T>]) -> Vec<Numbered<T, NUMBERS>> {
    let number = |named: &NamedValue<T>| match named.name {
        Name::Number(number) => Some(Numbered { number, value: named.value.clone() }),
        Name::Word(_) => None,
    };
    named.iter().filter_map(number).collect()
}

impl ExecutionArgs {
    /// Whether a run tells something beside its results.
    pub fn reports(&self) -> bool {
        self.stats || self.counts || self.heat.is_some() || self.recorder.is_some() || self.emit.is_some()
    }
}

/// How a program is executed, whatever its instruction set.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("reported").args(["stats", "follow", "counts"]).multiple(true))]
pub struct ExecutionArgs {
    /// What executes the program; all give the same bits [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine(), help_heading = "Execution")]
    pub engine: Option<EngineName>,
    /// Check the bytes of machine code before they run, and not only its instructions; for programs of unknown origin
    #[arg(long, help_heading = "Execution")]
    pub check_code: bool,
    /// Lanes that run in lockstep, 1 to 256
    #[arg(long, value_name = "W", value_parser = value_parser!(u16).range(1..=MAX_GROUP_WIDTH as i64), help_heading = "Execution")]
    pub group: Option<u16>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024), help_heading = "Execution")]
    pub threads: Option<u16>,
    /// Instructions that a group may execute before it is treated as an infinite loop [default: 2^24]
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
    /// Show how often each instruction executed: by groups that had a lane there, and by lanes. No machine code runs then: the interpreter
    /// counts programs of X1K and R700, the reference others
    #[arg(long, conflicts_with_all = ["emit", "repeat"], help_heading = "Execution")]
    pub counts: bool,
    /// File that receives how many instructions each lane executed: a picture from black (none) through red and yellow to white (most), or
    /// an array (.npy, .f32). Counted as by --counts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["emit", "repeat"], value_hint = ValueHint::FilePath, help_heading = "Execution")]
    pub heat: Option<PathBuf>,
    /// Run in a process of its own that can open no file, reach no network and start no program (Linux); results are the same
    #[arg(long, help_heading = "Execution")]
    pub sandbox: bool,
    /// Print what was executed, and how fast
    #[arg(long, help_heading = "Execution")]
    pub stats: bool,
    /// With --stats: tell also how many of the lanes that instructions are issued to take part in them. The reference runs the program
    /// once more to count that
    #[arg(long, requires = "stats", conflicts_with = "follow", help_heading = "Execution")]
    pub utilisation: bool,
    /// With --stats or --counts: print one JSON object; with --follow: one on each line, for each step
    #[arg(long, requires = "reported", help_heading = "Execution")]
    pub json: bool,
    /// What it may use.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// What receives results and steps, for a command that compares them.
    #[arg(skip)]
    pub recorder: Option<Rc<Recorder>>,
}
