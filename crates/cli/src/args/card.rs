//! The command line of `ctm card`.

use crate::options::TimeLimit;
use crate::options::values::{Pixel, engine, file};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint};
use ctm_array::FileSpec;
use ctm_cards::Model;
use ctm_codegen::EngineName;
use std::ffi::OsString;
use std::path::PathBuf;

/// `ctm card`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  ctm card run -- ./triangle
  ctm card record -o scene.ctmcard -- ./scene
  ctm card dis scene.ctmcard | less
  ctm card replay scene.ctmcard --draw 3 -o picture.png

A card in software stands behind /dev/dri/renderD128 while the program runs, and Mesa's driver draws on it: r300, r600 on rv770, or nouveau on
gm107. docs/card.md has more.")]
pub enum CardCommand {
    /// Run a program with a card
    Run(CardRunArgs),
    /// Run a program with a card, and record what its driver submits
    Record(CardRecordArgs),
    /// Say what this machine has for programs with a card, and what it lacks
    #[cfg(target_os = "linux")]
    Doctor(CardDoctorArgs),
    /// Show what a trace contains
    Info(CardTraceArgs),
    /// Print the commands of a trace, with names of registers and their fields
    Dis(CardDisArgs),
    /// Execute a trace, and write the picture that a draw leaves
    Replay(CardReplayArgs),
    /// Execute a trace, and list its draws with what they do
    Stats(CardStatsArgs),
}

impl CardCommand {
    /// Whether it prints for machines.
    pub fn is_json(&self) -> bool {
        match self {
            CardCommand::Run(_) | CardCommand::Record(_) => false,
            #[cfg(target_os = "linux")]
            CardCommand::Doctor(args) => args.json,
            CardCommand::Info(args) => args.json,
            CardCommand::Stats(args) => args.json,
            CardCommand::Dis(args) => args.trace.json,
            CardCommand::Replay(args) => args.json,
        }
    }
}

/// A program, and the card that it is to have.
#[derive(Debug, Args)]
pub struct ClientArgs {
    /// The card: rv515 (Radeon X1300), rv530 (Radeon X1600), r580 (Radeon X1900), rv770 (Radeon HD 4800) or gm107 (GeForce GTX 750 Ti)
    #[arg(long, value_name = "CARD", default_value = "r580", value_parser = card())]
    pub card: Model,
    /// What executes programs; all draw the same pictures [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub engine: Option<EngineName>,
    /// File that warnings are appended to: registers that are not known, accesses outside of buffer objects
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log: Option<PathBuf>,
    /// A program whose OpenGL is not drawn by the card is an error: exit code 1
    #[arg(long)]
    pub require: bool,
    /// Your own build of Mesa: the folder of the build, or the one that it is installed to [default: the system's Mesa]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub mesa: Option<PathBuf>,
    /// The library with the card [default: libctm_drm.so beside ctm, or in ../lib]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub library: Option<PathBuf>,
    /// The program, and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::CommandWithArguments)]
    pub program: Vec<OsString>,
}

fn card() -> impl TypedValueParser<Value = Model> {
    let names = Model::all().map(|model| model.identity().name);
    PossibleValuesParser::new(names).map(|chosen| Model::named(&chosen).expect("only these names are let through"))
}

/// `ctm card run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card run -- ./triangle
  ctm card run --card rv515 -- piglit run quick_gl results
  ctm card run --fps -- glxgears                                 in a window of X
  ctm card run --screenshot gears.png@60 -- glxgears             what its 60th frame shows
  ctm card run --mesa $HOME/mesa/build -- ./triangle             your own build of Mesa

The program takes the place of ctm: signals and exit code are its own. Linux only; programs draw in windows of X (GLX, EGL), through EGL without a
window system, or through GBM.")]
pub struct CardRunArgs {
    /// The program.
    #[command(flatten)]
    pub client: ClientArgs,
    /// File that receives a trace, as of 'ctm card record'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Print the frames per second of windows every five seconds
    #[arg(long)]
    pub fps: bool,
    /// Write a frame that a window of X shows to a PNG file: the first, or the Nth of FILE.png@N
    #[arg(long, value_name = "FILE[@N]", value_hint = ValueHint::FilePath)]
    pub screenshot: Option<PathBuf>,
}

/// `ctm card record`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card record -o scene.ctmcard -- ./scene
  ctm card info scene.ctmcard

Each submission is in the file before it is executed, so that a trace has all of them also if the program ends by a signal.
The exit code is that of the program.")]
pub struct CardRecordArgs {
    /// Where to write the trace
    #[arg(short, long, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The program.
    #[command(flatten)]
    pub client: ClientArgs,
}

/// `ctm card doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card doctor
  ctm card doctor --card rv770 --json | jq '.findings[] | select(.state != \"ok\")'

What is 'limited' some programs do without. The exit code is 1 if something is missing that all programs need.")]
pub struct CardDoctorArgs {
    /// The card: rv515 (Radeon X1300), rv530 (Radeon X1600), r580 (Radeon X1900), rv770 (Radeon HD 4800) or gm107 (GeForce GTX 750 Ti)
    #[arg(long, value_name = "CARD", default_value = "r580", value_parser = card())]
    pub card: Model,
    /// Your own build of Mesa: the folder of the build, or the one that it is installed to [default: the system's Mesa]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub mesa: Option<PathBuf>,
    /// The library with the card [default: libctm_drm.so beside ctm, or in ../lib]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub library: Option<PathBuf>,
    /// Print JSON: one object
    #[arg(long)]
    pub json: bool,
}

/// `ctm card info` and others that show all of a trace.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card info scene.ctmcard
  ctm card info scene.ctmcard --json | jq .draws")]
pub struct CardTraceArgs {
    /// Trace of a card
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// Print JSON: one object, or one on each line
    #[arg(long)]
    pub json: bool,
}

/// `ctm card dis`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card dis scene.ctmcard | less
  ctm card dis scene.ctmcard --submission 3
  ctm card dis scene.ctmcard --json | jq '.commands[].text'")]
pub struct CardDisArgs {
    /// The trace.
    #[command(flatten)]
    pub trace: CardTraceArgs,
    /// The submission that is printed, counted from 0 [default: all of them]
    #[arg(long, value_name = "N")]
    pub submission: Option<usize>,
}

/// How a trace is executed.
#[derive(Debug, Args)]
pub struct CardExecutionArgs {
    /// The last draw that is executed, counted from 0 [default: the last one of the trace]
    #[arg(long, value_name = "N")]
    pub draw: Option<usize>,
    /// The last frame that is executed, counted from 1: frames end where a program presents a window of X
    #[arg(long, value_name = "N", conflicts_with = "draw", value_parser = clap::value_parser!(u64).range(1..))]
    pub frame: Option<u64>,
    /// The card [default: that of the trace]
    #[arg(long, value_name = "CARD", value_parser = card())]
    pub card: Option<Model>,
    /// What executes programs; all draw the same pictures [default: jit where this machine can, else interp]
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub engine: Option<EngineName>,
    /// Seconds that a submission may take; one that takes longer is given up
    #[arg(long, value_name = "SECONDS|none", default_value = "60")]
    pub time_limit: TimeLimit,
}

/// A column of `ctm card stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum StatsColumn {
    /// Vertices that the draw names.
    Vertices,
    /// Primitives that they make.
    Primitives,
    /// Points, lines and triangles that are left of them.
    Drawn,
    /// Pixels that these cover.
    Pixels,
    /// Fragments that the program runs for.
    Fragments,
    /// Its instructions.
    Instructions,
    /// Samples that pass tests.
    Passed,
    /// Milliseconds.
    Ms,
}

/// `ctm card stats`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm card stats scene.ctmcard
  ctm card stats game.ctmcard --frame 60 --sort ms          the slowest draws of a frame first
  ctm card stats scene.ctmcard --json | jq .pixels

Columns: vertices that the draw names, primitives that they make, points, lines and triangles that clipping and culling leave of them
(drawn), pixels that these cover, fragments that the program runs for, its instructions for these ('-' where its flow control decides how
many), samples that pass depth and stencil tests, and milliseconds, with those of making machine code. Then the textures that the
fragment program can read, and the size and address of the colour buffer that is drawn to.

--frame N lists the draws of that frame only; the draws before it are executed, too.")]
pub struct CardStatsArgs {
    /// Trace of a card
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// How it is executed.
    #[command(flatten)]
    pub execution: CardExecutionArgs,
    /// List the draws with the largest numbers of this column first [default: in their order]
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<StatsColumn>,
    /// Print JSON: an object for each draw, then one for all
    #[arg(long)]
    pub json: bool,
}

/// `ctm card replay`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("looked_at").args(["output", "pixel"]).multiple(true), after_help = "\
Examples:
  ctm card replay scene.ctmcard
  ctm card replay scene.ctmcard --draw 3 -o picture.png
  ctm card replay scene.ctmcard --draw 3 --bottom-up -o picture.npy      OpenGL's framebuffer objects
  ctm card replay scene.ctmcard --draw 3 --pixel 40,20 --follow

A picture is what the colour buffer of the last draw holds, which for programs that read pixels is the copy that they get.

--pixel shows what draws did to a pixel, each draw to its own buffers: which primitives cover it, with their vertices, what the
program got and gave, tests, blending, and what was stored before and after. With --bottom-up it is a pixel of the picture that
-o writes, where the first row is the top.")]
pub struct CardReplayArgs {
    /// Trace of a card
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// File that receives the picture: .png, .npy or .f32
    #[arg(short, long, value_name = "FILE", value_parser = file(), value_hint = ValueHint::FilePath)]
    pub output: Option<FileSpec>,
    /// Which of the draw's colour buffers it is, 0 to 3, or 7 on rv770 and gm107
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=7))]
    pub target: u8,
    /// With -o or --pixel: the first row of memory is the bottom one, as in OpenGL's framebuffer objects
    #[arg(long, requires = "looked_at")]
    pub bottom_up: bool,
    /// Show what draws did to the pixel in column X and row Y
    #[arg(long, value_name = "X,Y")]
    pub pixel: Option<Pixel>,
    /// With --pixel: show the runs of fragment programs, instruction by instruction
    #[arg(long, requires = "pixel")]
    pub follow: bool,
    /// With --follow: show at most N steps of each run
    #[arg(long, value_name = "N", default_value = "1000", requires = "follow", value_parser = clap::value_parser!(u64).range(1..))]
    pub follow_steps: u64,
    /// How it is executed.
    #[command(flatten)]
    pub execution: CardExecutionArgs,
    /// Print JSON: one object, with --pixel after one for each draw that did something to it
    #[arg(long)]
    pub json: bool,
}
