//! The options that X1K programs have for themselves.

use super::run;
use super::run::VaryingValue;
use super::shader;
use crate::execution::NamedFiles;
use crate::isa::{File, Runner};
use crate::options::RunArgs;
use crate::options::values::{Boolean, FollowedLane, Name, NamedValue, Numbered, file};
use crate::run::Debugged;
use crate::{Console, Failure};
use clap::{Args, ValueEnum, ValueHint};
use ctm_array::FileSpec;
use ctm_object::probe::Language;
use ctm_x1k::{BOOL_CONSTANTS, INT_CONSTANTS, IntConstant};
use std::path::PathBuf;
use std::str::FromStr;

/// Options of X1K programs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "X1K programs")]
pub struct X1kArgs {
    /// File that receives the conditional values (one float32 channel)
    #[arg(long, value_name = "FILE", value_parser = file(), value_hint = ValueHint::FilePath)]
    pub cond_output: Option<FileSpec>,
    /// Value of integer constant N: passes, first aL [default: 0], step of aL [default: 1]
    #[arg(long = "iconst", value_name = "N=COUNT,INIT,STEP")]
    pub ints: Vec<Numbered<Integers, INT_CONSTANTS>>,
    /// Value of boolean constant N
    #[arg(long = "bconst", value_name = "N=true|false")]
    pub bools: Vec<Numbered<Boolean, BOOL_CONSTANTS>>,
    /// What interpolated input N is, or the one of this name: 'uv' (0 to 1 over the domain), 'position' (in pixels),
    /// 'constant:R,G,B,A', or numbers at corners of the domain: one for a constant value, top left and bottom right
    /// (0,0:1,1), or top left, top right and bottom left [default: uv]
    #[arg(long = "varying", value_name = "N|NAME=uv|A:B|A:B:C|...", allow_hyphen_values = true)]
    pub varyings: Vec<NamedValue<VaryingValue>>,
    /// Further source of a GLSL shader, linked as OpenGL does it
    #[arg(long = "link", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub linked: Vec<PathBuf>,
    /// In a pixel shader in source, coordinates of lookups count texels, as CTM's clients expect, instead of going from 0 to 1
    #[arg(long)]
    pub texel_coordinates: bool,
    /// Compile a shader in source so that it calculates in the order of the text, each operation rounded, as for 'precise' variables of GLSL
    #[arg(long)]
    pub precise: bool,
    /// First instruction, in place of the program's own
    #[arg(long, value_name = "N")]
    pub start: Option<u16>,
    /// Last instruction, in place of the program's own
    #[arg(long, value_name = "N")]
    pub end: Option<u16>,
    /// Flow control, in place of the program's own: full allows loops and calls, partial does not
    #[arg(long, value_name = "KIND")]
    pub flow: Option<FlowControl>,
    /// Zero times infinity or NaN is zero
    #[arg(long)]
    pub zero_times_anything: bool,
    /// Rounding of multiply-add: once at the end (fused) or after each step
    #[arg(long, value_name = "RULE", default_value = "fused")]
    pub mad: MadRule,
    /// Before the run, run the program on the CTM device too, and record all of it for 'ctm replay'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub emit_trace: Option<PathBuf>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MadRule {
    /// One rounding
    #[default]
    Fused,
    /// A rounding after the multiplication and one after the addition
    Unfused,
}

impl X1kArgs {
    /// How shaders in source are compiled.
    ///
    /// # Errors
    /// A source to be linked cannot be read.
    pub fn compiling(&self, args: &RunArgs, console: &Console) -> Result<shader::Options, Failure> {
        Ok(shader::Options {
            linked: shader::read_linked(&self.linked, console)?,
            shading: ctm_compile::Options { precise: self.precise, ..ctm_compile::Options::default() },
            texel_coordinates: self.texel_coordinates,
            limits: args.execution.budget.limits(console.host),
        })
    }
}

impl Runner for X1kArgs {
    fn run(&self, file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
        run::run(file, args, self, console)
    }

    fn debug(
        &self,
        file: File,
        args: &RunArgs,
        lane: Option<FollowedLane>,
        shows: bool,
        console: &mut Console,
    ) -> Result<Debugged, Failure> {
        run::debug(file, args, self, lane, shows, console)
    }

    fn takes_names(&self, file: &File) -> bool {
        file.language.is_some_and(Language::is_compiled)
    }

    fn files(&self, args: &RunArgs) -> NamedFiles {
        let mut files = NamedFiles::of_inputs(&args.inputs, &args.mips, run::input_file);
        let shaders = args.buffers.iter().filter(|buffer| matches!(buffer.name, Name::Word(_)));
        files.reads.extend(shaders.map(|buffer| PathBuf::from(&buffer.value)));
        files.read(&self.linked);
        files.write(self.cond_output.iter().map(|file| &file.path).chain(&self.emit_trace));
        files
    }
}

/// An integer constant: `COUNT`, `COUNT,INIT` or `COUNT,INIT,STEP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers(pub IntConstant);

impl FromStr for Integers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn part<T: FromStr>(text: Option<&str>, absent: T, what: &str) -> Result<T, String> {
            text.map_or(Ok(absent), |text| text.trim().parse().map_err(|_| format!("{what}, not '{text}'")))
        }
        let mut parts = text.split(',');
        let constant = IntConstant {
            count: part(parts.next(), 0, "the count must be 0 to 255")?,
            init: part(parts.next(), 0, "the initial value must be 0 to 255")?,
            step: part(parts.next(), 1, "the step must be -128 to 127")?,
        };
        match parts.next() {
            None => Ok(Integers(constant)),
            Some(_) => Err("expected COUNT,INIT,STEP".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_integer_constants_may_be_left_out() {
        let constant = |count, init, step| Ok(Integers(IntConstant { count, init, step }));
        assert_eq!("7".parse(), constant(7, 0, 1));
        assert_eq!("7,3".parse(), constant(7, 3, 1));
        assert_eq!("255,255,-128".parse(), constant(255, 255, -128));
        for text in ["", "1,", "1,2,128", "-1", "1,2,3,4"] {
            assert!(text.parse::<Integers>().is_err(), "{text}");
        }
    }
}
