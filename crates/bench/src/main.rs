//! `ctm-bench`: measures ctm.
#![forbid(unsafe_code)]

use clap::builder::TypedValueParser;
use clap::{Parser, Subcommand, ValueEnum};
use ctm_bench::gl::CardModel;
use ctm_bench::kernel::{Isa, KERNELS};
use ctm_bench::peers::{Measurement, Plan};
use ctm_bench::{card, compile, debug, frames, hostile};
use ctm_bench::{grids, report, shaders, small_passes};
use ctm_codegen::EngineName;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures ctm.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Measure,
}

#[derive(Subcommand)]
enum Measure {
    /// Kernels side by side with Mesa's llvmpipe on their source, and against the limits of this machine.
    ///
    /// Exits with 1 if a picture is not that of the others, and with 2 if they cannot be measured.
    Peers(Peers),
    /// Kernels drawn by OpenGL on the card, beside runs of the same program words, and scenes of triangles beside llvmpipe.
    ///
    /// Exits with 1 if a picture is wrong, and with 2 if something cannot be measured.
    Card(Card),
    /// Frames of glmark2's scenes on the cards, beside llvmpipe, and what draws, vertices, triangles and pixels cost.
    ///
    /// Exits with 1 if a mark is missed, and with 2 if something cannot be measured.
    Frames(Frames),
    /// How long programs take from words to machine code: kernels, the corpus, and the longest programs.
    ///
    /// Exits with 1 if one of them takes longer than it should.
    Compile(Compile),
    /// How long programs that are made to take long take to become code, as they grow.
    ///
    /// Exits with 1 if one of them takes longer than it should.
    Hostile {
        /// Only shapes whose instruction set and name begin with this, such as "SM50 branches"
        #[arg(long, value_name = "NAME", default_value = "")]
        only: String,
        /// Instructions of the largest programs, about
        #[arg(long, value_name = "N", default_value_t = 1 << 16)]
        largest: usize,
    },
    /// Grids of a million threads with global memory: the engine beside the reference.
    ///
    /// Exits with 1 if the engine is slower than it should be.
    Grids(Output),
    /// What the compiler makes of shaders in source, beside Mesa's r300 compiler.
    ///
    /// Exits with 1 if a mark is missed.
    Shaders(Shaders),
    /// How long a debugger's session takes to go back, after a million steps.
    ///
    /// Exits with 1 if a step back takes longer than it should.
    Debug {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What a small run costs beside the kernel's own time: three programs in turn, 10,000 runs over 64x64.
    ///
    /// Exits with 1 if that is more than it should be.
    SmallPasses {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct Output {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a page in Markdown too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Compile {
    /// Only programs whose instruction set and name begin with this, such as "R700 mandelbrot"
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args)]
struct Shaders {
    /// Draw the sources anew by llvmpipe and by r300 on the card, and write the files of tests/shaders
    #[arg(long)]
    renew: bool,
    /// Only sources whose names begin with this
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args)]
struct Peers {
    /// The instruction set of our side
    #[arg(long, value_enum, default_value = "x1k")]
    isa: Isa,
    /// Only this kernel; may be given several times
    #[arg(long = "kernel", value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(KERNELS.map(|kernel| kernel.name)))]
    kernels: Vec<String>,
    /// The engine of our side; the fastest of this machine by default
    #[arg(long, value_name = "NAME", value_parser = engine)]
    engine: Option<EngineName>,
    /// Threads of each side; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Turns of each side
    #[arg(long, value_name = "N", default_value = "15", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Measure the kernels written by hand in C++ with AVX-512 too
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    output: Output,
}

/// The cards whose programs and scenes are measured.
fn radeon() -> impl TypedValueParser<Value = CardModel> {
    let names = clap::builder::PossibleValuesParser::new(CardModel::RADEONS.map(CardModel::name));
    names.try_map(|name| CardModel::from_str(&name, false))
}

#[derive(clap::Args)]
struct Card {
    /// Only this card; may be given several times
    #[arg(long = "card", value_name = "CARD", value_parser = radeon())]
    cards: Vec<CardModel>,
    /// Only this kernel or scene; may be given several times
    #[arg(long = "only", value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(card::names()))]
    only: Vec<String>,
    /// Threads of each side
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Turns of each side
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args)]
struct Frames {
    /// Only this card; may be given several times
    #[arg(long = "card", value_name = "CARD")]
    cards: Vec<CardModel>,
    /// Only this scene or item of the cost model; may be given several times
    #[arg(long = "only", value_name = "NAME", num_args = 1.., value_parser = clap::builder::PossibleValuesParser::new(frames::names()))]
    only: Vec<String>,
    /// Threads of each side
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Turns of each side with a scene
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    #[command(flatten)]
    output: Output,
}

fn engine(name: &str) -> Result<EngineName, String> {
    let names = || EngineName::ALL.map(EngineName::name).join(", ");
    let engine = EngineName::parse(name).ok_or_else(|| format!("engines are {}", names()))?;
    engine.executor().map(|_| engine).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Measure::Peers(peers) => measure_peers(peers),
        Measure::Card(card) => measure_card(card),
        Measure::Frames(frames) => measure_frames(frames),
        Measure::Compile(Compile { only, output }) => {
            let measurement = compile::Measurement::new(&only, |what| eprintln!("measured {what}"));
            let met = measurement.marks_are_met();
            let text =
                if output.json { format!("{:#}\n", compile::json(&measurement)) } else { compile::text(&measurement) };
            output.tell(&text, || compile::page(&measurement), met)
        }
        Measure::Grids(output) => {
            let measurement = grids::Measurement::new(|what| eprintln!("measuring {what}"));
            let text = if output.json { format!("{:#}\n", measurement.json()) } else { measurement.text() };
            output.tell(&text, || measurement.page(), measurement.marks_are_met())
        }
        Measure::Shaders(arguments) => measure_shaders(&arguments),
        Measure::Debug { json } => {
            let measured = debug::measure();
            let text = if json { format!("{:#}", measured.json()) } else { measured.text() };
            println!("{text}");
            if measured.is_quick() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Measure::Hostile { only, largest } => {
            let rows = hostile::measure(&only, largest, |row| eprint!("{}", hostile::line(row)));
            print!("{}", hostile::text(&rows));
            if rows.iter().all(hostile::Row::meets_mark) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Measure::SmallPasses { json } => {
            let measurement = small_passes::Measurement::new(|what| eprintln!("measuring {what}"));
            let text = if json { format!("{:#}\n", measurement.json()) } else { measurement.text() };
            print!("{text}");
            if measurement.marks_are_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

fn measure_peers(peers: Peers) -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let plan = Plan {
        isa: peers.isa,
        kernels: peers.kernels,
        engine: peers.engine.unwrap_or_else(EngineName::fastest),
        threads: peers.threads.map_or(cores, usize::from),
        rounds: peers.rounds.into(),
        native: peers.native,
    };
    let measurement = match Measurement::new(plan, |what| eprintln!("measuring {what}")) {
        Ok(measurement) => measurement,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let output = peers.output;
    let text = if output.json { format!("{:#}\n", report::json(&measurement)) } else { report::text(&measurement) };
    output.tell(&text, || report::page(&measurement), measurement.pictures_agree())
}

fn measure_card(arguments: Card) -> ExitCode {
    let plan = card::Plan {
        cards: arguments.cards,
        only: arguments.only,
        threads: arguments.threads.into(),
        rounds: arguments.rounds.into(),
    };
    let measurement = match card::Measurement::new(plan, |what| eprintln!("measuring {what}")) {
        Ok(measurement) => measurement,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let output = arguments.output;
    let text = if output.json { format!("{:#}\n", card::json(&measurement)) } else { card::text(&measurement) };
    output.tell(&text, || card::page(&measurement), measurement.pictures_agree())
}

fn measure_frames(arguments: Frames) -> ExitCode {
    let plan = frames::Plan {
        cards: arguments.cards,
        only: arguments.only,
        threads: arguments.threads.into(),
        rounds: arguments.rounds.into(),
    };
    let measurement = match frames::Measurement::new(plan, |what| eprintln!("measuring {what}")) {
        Ok(measurement) => measurement,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let output = arguments.output;
    let text = if output.json { format!("{:#}\n", frames::json(&measurement)) } else { frames::text(&measurement) };
    output.tell(&text, || frames::page(&measurement), measurement.marks_are_met())
}

fn measure_shaders(arguments: &Shaders) -> ExitCode {
    if arguments.renew {
        return match shaders::renew(&arguments.only, |what| eprintln!("{what}")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        };
    }
    let measurement = shaders::compare::Measurement::new(&arguments.only, |_| ());
    let met = measurement.marks().iter().all(|(_, met)| *met);
    let output = &arguments.output;
    let text = if output.json { format!("{:#}\n", shaders::json(&measurement)) } else { shaders::text(&measurement) };
    output.tell(&text, || shaders::page(&measurement), met)
}

impl Output {
    /// Prints the text, and writes the page if one is wanted.
    fn tell(&self, text: &str, page: impl FnOnce() -> String, is_good: bool) -> ExitCode {
        print!("{text}");
        if let Some(path) = &self.output
            && let Err(error) = std::fs::write(path, page())
        {
            eprintln!("error: {} cannot be written: {error}", path.display());
            return ExitCode::from(2);
        }
        if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
