//! The options of runs that make a sequence of frames.

use clap::{Args, value_parser};
use std::str::FromStr;

/// Most frames: as many files, or pictures in memory.
const MAX_FRAMES: i64 = 100_000;

/// A run for each frame of a sequence.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Frames")]
pub struct FrameArgs {
    /// Run the program once for each of N frames. Outputs are then animations (out.apng), or files with the number of the frame in
    /// the name (frame-%04d.png)
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u32).range(1..=MAX_FRAMES),
        conflicts_with_all = ["repeat", "stats", "follow", "emit", "emit_trace"]
    )]
    pub frames: Option<u32>,
    /// Constant that differs from frame to frame: 'time' is the seconds since the first frame, 'frame' the number from 0, and A:B goes
    /// from A in the first frame to B in the last. All are floats. X1K and R700: constant N, in all channels; SM50: a dword of a bank.
    /// Uniforms of shaders in source have their names in place of numbers, and may also be numbers that stay: --uniform scale=0.5,2
    #[arg(long = "uniform", value_name = "N|BANK:ADDR|NAME=time|frame|A:B|VALUE", allow_hyphen_values = true)]
    pub uniforms: Vec<String>,
    /// Frames in a second, for times and for animations [default: 25]
    #[arg(long, value_name = "N", requires = "frames", value_parser = value_parser!(u16).range(1..=1000))]
    pub fps: Option<u16>,
}

/// What a constant holds in each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uniform {
    /// Seconds since the first frame.
    Time,
    /// The number of the frame.
    Frame,
    /// From one number in the first frame to another one in the last.
    Range(f32, f32),
}

impl FromStr for Uniform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = || {
            let (from, to) = text.split_once(':')?;
            let number = |text: &str| text.trim().parse().ok().filter(|number: &f32| number.is_finite());
            Some(Uniform::Range(number(from)?, number(to)?))
        };
        match text {
            "time" => Ok(Uniform::Time),
            "frame" => Ok(Uniform::Frame),
            _ => range().ok_or_else(|| {
                format!("'{text}' does not differ from frame to frame: expected time, frame, or numbers as in 0:10")
            }),
        }
    }
}

impl Uniform {
    /// Whether a text says that something differs from frame to frame.
    pub fn varies(text: &str) -> bool {
        matches!(text, "time" | "frame") || text.contains(':')
    }
}
