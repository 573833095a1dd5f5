//! The examples that the page offers.

use crate::language::Language;
use serde::Serialize;

/// An example, with what it wants to be run with.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Example {
    /// Its name in menus and links.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// What it is written in.
    pub language: Language,
    /// Its text.
    pub text: &'static str,
    /// The constants or uniforms that the time goes into: `c0`, or a name.
    pub time: &'static str,
    /// Columns and rows of its picture.
    pub size: [u32; 2],
    /// What its inputs hold, if not squares.
    pub pattern: &'static str,
    /// Settings of a draw or of a launch, as JSON.
    pub settings: &'static str,
}

macro_rules! text {
    ($($file:literal),+) => { concat!($(include_str!(concat!("../../../examples/", $file))),+) };
}

const fn example(name: &'static str, title: &'static str, language: Language, text: &'static str) -> Example {
    Example { name, title, language, text, time: "", size: [256, 256], pattern: "", settings: "" }
}

/// All of them, in the order of the menu.
pub const EXAMPLES: &[Example] = &[
    Example { time: "time", ..example("plasma-glsl", "Plasma, in GLSL", Language::Glsl, text!("plasma.frag")) },
    Example {
        time: "view.time",
        size: [512, 512],
        ..example("raymarch-wgsl", "Two balls, sphere traced, in WGSL", Language::Wgsl, text!("raymarch.wgsl"))
    },
    Example {
        time: "iTime",
        ..example("clouds-glsl", "Clouds, in Shadertoy's GLSL", Language::Glsl, text!("clouds.frag"))
    },
    Example { size: [512, 512], ..example("mandelbrot", "Mandelbrot's set", Language::X1k, text!("mandelbrot.x1k")) },
    Example { size: [512, 512], ..example("julia", "A Julia set", Language::X1k, text!("julia.x1k")) },
    Example {
        time: "c0",
        size: [512, 512],
        ..example("plasma", "Plasma, in machine code", Language::X1k, text!("plasma.x1k"))
    },
    Example { pattern: "checker", ..example("blur", "A blur over an input", Language::X1k, text!("blur.x1k")) },
    Example {
        size: [128, 128],
        pattern: "cells",
        ..example("life", "Game of Life, one step", Language::X1k, text!("life.x1k"))
    },
    Example { size: [512, 512], ..example("newton", "Newton's method, on R700", Language::R700, text!("newton.r700")) },
    Example {
        settings: r#"{"primitive":"patches","vertices":4,"patch_vertices":4,"domain":"quads"}"#,
        ..example(
            "ripple",
            "A tessellated sheet, through four stages of SM50",
            Language::Sm50,
            text!("ripple/vertex.sm50", "ripple/control.sm50", "ripple/evaluation.sm50", "ripple/geometry.sm50"),
        )
    },
    Example {
        settings: r#"{"blocks":[1,1,1],"threads":[24,1,1],"address":65536,"words":24}"#,
        ..example("collatz", "Collatz's rule, in threads of SM50", Language::Sm50, text!("collatz.sm50"))
    },
];
