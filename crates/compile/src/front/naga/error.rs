//! Why a shader has no program.

use ctm_lane::budget::Halt;
use thiserror::Error;

/// Why a fragment shader cannot be brought into the compiler's form.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LowerError {
    /// The text has no fragment entry point of the name, or several of which none is named.
    #[error("{}", entry_point(wanted, found, others))]
    EntryPoint {
        /// The name that is asked for.
        wanted: Option<String>,
        /// Fragment entry points.
        found: Vec<String>,
        /// Names and stages of the others.
        others: Vec<(String, &'static str)>,
    },
    /// Operations on the bits of whole numbers.
    #[error(
        "the hardware has no integer bit operations, so {0} cannot be done; masks and shifts that are constants can, and arithmetic can"
    )]
    Bits(&'static str),
    /// A whole number that a binary32 number is not.
    #[error("the hardware's whole numbers are floats, which hold {0} inexactly; they are exact up to 16777216")]
    WholeNumber(i128),
    /// A type that the hardware lacks.
    #[error("the hardware has no {0}")]
    Type(&'static str),
    /// A statement, function or built-in value that the hardware lacks.
    #[error("a fragment program on this hardware cannot use {0}")]
    Unsupported(&'static str),
    /// Too many interpolated inputs.
    #[error(
        "the program needs more than {} interpolated inputs of four channels each (locations 0 to {}), also where several share one; use fewer",
        ctm_x1k::INTERPOLANTS,
        ctm_x1k::INTERPOLANTS - 1
    )]
    Inputs,
    /// A write to what cannot be written.
    #[error("`{0}` is a uniform, which programs cannot write; copy it to a variable")]
    UniformWrite(String),
    /// The text asks for more of something than there is.
    #[error("the program needs more than {limit} {what}")]
    Limit {
        /// Of what.
        what: &'static str,
        /// How much there is.
        limit: usize,
    },
    /// The budget was used up.
    #[error("compiling ended early: {0}")]
    Halted(#[from] Halt),
    /// The reader gave something that its own rules forbid.
    #[error("the library that reads the language left a form that it should not: {0}; please report it")]
    Malformed(&'static str),
}

fn entry_point(wanted: &Option<String>, found: &[String], others: &[(String, &str)]) -> String {
    match (wanted, found, others) {
        (Some(wanted), [], _) => format!("there is no fragment entry point `{wanted}`, nor any other"),
        (Some(wanted), _, _) => format!("there is no fragment entry point `{wanted}`; there is {}", found.join(", ")),
        (None, [], []) => {
            "there is no fragment entry point: write one, `@fragment fn main() -> @location(0) vec4f`".to_owned()
        }
        (None, [], [(name, stage), ..]) => format!(
            "there is no fragment entry point: `{name}` is a {stage} shader, and only fragment shaders (`@fragment fn`) run here"
        ),
        (None, _, _) => format!("there are several fragment entry points; name one of {}", found.join(", ")),
    }
}
