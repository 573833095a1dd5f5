//! The options of `ctm draw` that say how primitives become pixels.

use super::options::one_of;
use super::pixels::COLOURS;
use super::values::Blending;
use crate::options::values::{Extent, FormatName, Numbered, Vector, file, float_bits, tonemap};
use clap::{Args, value_parser};
use ctm_array::{FileSpec, Tonemap};
use ctm_raster::depth::CompareFunction;
use ctm_sm50::pipeline::{Cull, FrontFace};

/// Widest lines, in pixels.
const MAX_LINE_WIDTH: i64 = 64;

/// How primitives become pixels, with a fragment program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pixels")]
pub struct PixelArgs {
    /// Width and height of the picture [default: 512x512]
    #[arg(long, value_name = "WxH", requires = "fs")]
    pub size: Option<Extent>,
    /// Element format of colour N [default: float32_4]
    #[arg(long = "output-format", value_name = "N=FORMAT", requires = "fs")]
    pub output_formats: Vec<Numbered<FormatName, COLOURS>>,
    /// What colours are before the draw: one number or r,g,b,a
    #[arg(long, value_name = "VALUE", default_value = "0", allow_hyphen_values = true, requires = "fs")]
    pub clear: Vector,
    /// Values that a PNG shows from black to white
    #[arg(long, value_name = "MIN,MAX", value_parser = tonemap, allow_hyphen_values = true, requires = "fs")]
    pub tonemap: Option<Tonemap>,
    /// Keep fragments whose depth (0 near, 1 far) compares so with the one that is there [default: keep all]
    #[arg(long, value_name = "FUNC", value_parser = one_of(&CompareFunction::ALL, compare_name), requires = "fs")]
    pub depth: Option<CompareFunction>,
    /// What depths are before the draw
    #[arg(long, value_name = "VALUE", default_value = "1", value_parser = number, requires = "fs")]
    pub clear_depth: f32,
    /// File that receives the depths: one float32 channel
    #[arg(long, value_name = "FILE[:WxHxC]", value_parser = file(), requires = "depth")]
    pub depth_output: Option<FileSpec>,
    /// Blend colours with those that are there: the factors of both, named as in OpenGL without GL_, and the equation (func_add,
    /// func_subtract, func_reverse_subtract, min, max), as in src_alpha,one_minus_src_alpha
    #[arg(long, value_name = "SRC,DST[,EQUATION]", requires = "fs")]
    pub blend: Option<Blending>,
    /// The constant of the factors constant_color and constant_alpha: one number or r,g,b,a
    #[arg(long, value_name = "VALUE", default_value = "0", allow_hyphen_values = true, requires = "blend")]
    pub blend_color: Vector,
    /// Triangles that are not drawn
    #[arg(long, value_name = "FACE", default_value = "none", value_parser = one_of(Cull::ALL, Cull::name), requires = "fs")]
    pub cull_face: Cull,
    /// Triangles that are front faces: counter-clockwise or clockwise ones
    #[arg(long, value_name = "ORDER", default_value = "ccw", value_parser = one_of(FrontFace::ALL, FrontFace::name), requires = "fs")]
    pub front_face: FrontFace,
    /// Width of lines, in pixels
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..=MAX_LINE_WIDTH), requires = "fs")]
    pub line_width: u32,
    /// Size of points to which no program gives one, in pixels
    #[arg(long, value_name = "SIZE", default_value = "1", value_parser = number, requires = "fs")]
    pub point_size: f32,
}

/// A comparison, as OpenGL names it.
fn compare_name(function: CompareFunction) -> &'static str {
    match function {
        CompareFunction::Never => "never",
        CompareFunction::Less => "less",
        CompareFunction::LessOrEqual => "lequal",
        CompareFunction::Equal => "equal",
        CompareFunction::GreaterOrEqual => "gequal",
        CompareFunction::Greater => "greater",
        CompareFunction::NotEqual => "notequal",
        CompareFunction::Always => "always",
    }
}

fn number(text: &str) -> Result<f32, String> {
    float_bits(text).map(f32::from_bits)
}
