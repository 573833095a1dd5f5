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
    /// Constant that differs from frame to frame: 'time' goes from 0 up to 1 and stops one frame before it, 'frame' is the
    /// number from 0. Both are floats. X1K and R700: constant N, in all channels; SM50: a dword of a bank. Uniforms of shaders in
    /// source have their names in place of numbers, and may also be numbers that stay: --uniform scale=0.5,2
    #[arg(long = "uniform", value_name = "N|BANK:ADDR|NAME=time|frame|VALUE")]
    pub uniforms: Vec<String>,
    /// Frames that an animation shows in a second [default: 25]
    #[arg(long, value_name = "N", requires = "frames", value_parser = value_parser!(u16).range(1..=1000))]
    pub fps: Option<u16>,
}

/// What a constant holds in each frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniform {
    /// The part of all frames that lies before this one.
    Time,
    /// The number of the frame.
    Frame,
}

impl FromStr for Uniform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "time" => Ok(Uniform::Time),
            "frame" => Ok(Uniform::Frame),
            _ => Err(format!("'{text}' is nothing that frames differ in; 'time' and 'frame' are")),
        }
    }
}

impl Uniform {
    /// The bits of the float in one of so many frames.
    pub fn bits(self, frame: u32, frames: u32) -> u32 {
        match self {
            Uniform::Time => (f64::from(frame) / f64::from(frames)) as f32,
            Uniform::Frame => frame as f32,
        }
        .to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stops_before_1() {
        let time = |frame, frames| f32::from_bits(Uniform::Time.bits(frame, frames));
        assert_eq!([time(0, 4), time(1, 4), time(3, 4)], [0.0, 0.25, 0.75]);
        assert!(time(MAX_FRAMES as u32 - 1, MAX_FRAMES as u32) < 1.0);
        assert_eq!(Uniform::Frame.bits(3, 4), 3.0_f32.to_bits());
    }
}
