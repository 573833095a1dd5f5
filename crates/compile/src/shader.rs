//! GLSL and WGSL to programs.

use crate::backend::{Binding, Unfit, generate_optimised};
use crate::compiled::{Compiled, Language, Options};
use crate::front::Interface;
use crate::front::naga::{Inlined, LowerError, ReadError, ReadFailure, read_glsl_sources, read_wgsl};
use crate::opt::{UnrolledLoop, optimise_listing, shorten_within};
use ctm_lane::budget::{Budget, Halt, Meter};
use std::collections::BTreeSet;
use thiserror::Error;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompileError {
    /// Something is wrong with it, or the hardware cannot do it.
    #[error(transparent)]
    Read(#[from] ReadFailure),
    /// It does not fit the machine. Functions stand in it wherever they are called.
    #[error("{unfit}{}{}", listed(inlined), listed_loops(unrolled))]
    Unfit {
        /// Why.
        unfit: Unfit,
        /// The functions that it consists of, if it is too large.
        inlined: Vec<Inlined>,
        /// The loops that are unrolled in it, if it is too large.
        unrolled: Vec<UnrolledLoop>,
    },
    /// The budget was used up.
    #[error("compiling ended early: {0}")]
    Halted(#[from] Halt),
}

impl CompileError {
    /// That the budget was used up, if it is that.
    pub const fn halt(&self) -> Option<Halt> {
        match self {
            CompileError::Halted(halt) => Some(*halt),
            CompileError::Read(ReadFailure { error: ReadError::Lower(LowerError::Halted(halt)), .. }) => Some(*halt),
            CompileError::Read(_) | CompileError::Unfit { .. } => None,
        }
    }

    /// The line of the text, from 1; 0 if it is about all of it.
    pub fn line(&self) -> u32 {
        match self {
            CompileError::Read(failure) => failure.line,
            CompileError::Unfit { unfit, .. } => unfit.line(),
            CompileError::Halted(_) => 0,
        }
    }

    /// The column of the line, from 1; 0 if it is about all of the line.
    pub fn column(&self) -> u32 {
        match self {
            CompileError::Read(failure) => failure.column,
            CompileError::Unfit { .. } | CompileError::Halted(_) => 0,
        }
    }
}

/// Most functions, and most loops, that an error lists.
const LISTED: usize = 3;

/// The functions that take most of a program that is too long.
fn listed(inlined: &[Inlined]) -> String {
    let total: usize = inlined.iter().map(|function| function.operations).max().unwrap_or(0).max(1);
    // The entry point calls the text's `main`, and some functions are not the user's.
    let is_users = |function: &&Inlined| function.name != "main" && !function.name.starts_with("ctm_");
    let mut many: Vec<&Inlined> = inlined.iter().filter(is_users).filter(|function| function.times > 1).collect();
    many.sort_by_key(|function| std::cmp::Reverse(function.operations));
    let part = |function: &&Inlined| {
        let percent = 100 * function.operations / total;
        format!("`{}` {} times ({percent} %)", function.name, function.times)
    };
    let most: Vec<String> = many.iter().take(LISTED).map(part).collect();
    if most.is_empty() {
        return String::new();
    }
    format!("; functions stand in it wherever they are called: {}, with what they call", most.join(", "))
}

/// The loops that stand in a program that is too long more than once, those that do most often first.
fn listed_loops(unrolled: &[UnrolledLoop]) -> String {
    let mut loops: Vec<&UnrolledLoop> = unrolled.iter().filter(|one| one.line > 0).collect();
    loops.sort_by_key(|one| std::cmp::Reverse(one.passes as usize * one.places));
    let part = |one: &&UnrolledLoop| match one.places {
        1 => format!("line {} has {} passes", one.line, one.passes),
        places => format!("line {} has {} passes in {places} places", one.line, one.passes),
    };
    let most: Vec<String> = loops.iter().take(LISTED).map(part).collect();
    if most.is_empty() { String::new() } else { format!("; loops are unrolled: that of {}", most.join(", that of ")) }
}

/// The register that holds the position when a program starts; interpolated inputs follow it.
const POSITION: u8 = 0;

/// Compiles a fragment shader.
///
/// # Errors
/// What is wrong with the text, or why its program does not fit the machine.
///
/// ```
/// use ctm_compile::{Language, Options, compile};
/// let text = "uniform float time; void main() { gl_FragColor = vec4(sin(time) * gl_FragCoord.xy, 0.0, 1.0); }";
/// let compiled = compile(text, Language::Glsl, &Options::default()).unwrap();
/// assert_eq!(compiled.interface.uniforms[0].name, "time");
/// assert!(compiled.program.code.len() < 6);
/// ```
pub fn compile(text: &str, language: Language, options: &Options) -> Result<Compiled, CompileError> {
    compile_within(text, language, options, &Meter::new(Budget::default(), None))
}

/// Compiles a fragment shader within a budget of time and memory, or until somebody cancels it.
///
/// # Errors
/// As of [`compile`], or that the budget is used up.
pub fn compile_within(
    text: &str,
    language: Language,
    options: &Options,
    meter: &Meter<'_>,
) -> Result<Compiled, CompileError> {
    meter.check()?;
    let module = match language {
        Language::Glsl => read_glsl_sources(text, &options.sources, &options.defines)?,
        Language::Wgsl => read_wgsl(text)?,
    };
    meter.check()?;
    let mut shader = module.named(options.variables).lower_within(options.entry.as_deref(), meter)?;
    shader.function.is_exact |= options.precise;
    let binding = Binding { parts: shader.parts, ..binding(&shader.interface) };
    let (mut optimised, mut unrolled) = optimise_listing(&shader.function, meter)?;
    let mut generated = generate_optimised(&optimised, &binding);
    if let Err(unfit @ (Unfit::Instructions { .. } | Unfit::Temporaries)) = generated {
        let shorter = shorten_within(&shader.function, meter)?;
        if shorter != optimised {
            let rolled = generate_optimised(&shorter, &binding);
            // Indices that are calculated may take more than passes of their own.
            if rolled.as_ref().err().is_none_or(|&other| !is_longer(other, unfit)) {
                (generated, optimised, unrolled) = (rolled, shorter, Vec::new());
            }
        }
    }
    let generated = generated.map_err(|unfit| {
        let is_size = matches!(unfit, Unfit::Instructions { .. } | Unfit::Temporaries | Unfit::Constants { .. });
        let (inlined, unrolled) = if is_size { (shader.inlined, unrolled) } else { Default::default() };
        CompileError::Unfit { unfit, inlined, unrolled }
    })?;
    let mut program = generated.program;
    for &(slot, register) in &binding.varyings {
        program.info.interpolants[usize::from(slot)] = Some(register);
    }
    shader.interface.require_textures(&mut program.info);
    Ok(Compiled {
        program,
        lines: generated.lines,
        interface: shader.interface,
        variables: generated.variables,
        warnings: shader.warnings,
        read: shader.function,
        optimised,
    })
}

/// Whether a program takes more instructions than another one, and both take too many.
fn is_longer(one: Unfit, other: Unfit) -> bool {
    let (Unfit::Instructions { found: one, .. }, Unfit::Instructions { found: other, .. }) = (one, other) else {
        return false;
    };
    one > other
}

/// Where the machine code of a shader finds what its interface says.
fn binding(interface: &Interface) -> Binding {
    let uniforms = interface.uniforms.iter().map(|uniform| {
        usize::from(uniform.place.register) + usize::from(uniform.columns) * uniform.elements.unwrap_or(1) as usize
    });
    let places = interface.textures.iter().flat_map(|texture| texture.size.into_iter().chain(texture.levels));
    let sizes = places.map(|(register, _)| usize::from(register) + 1);
    // Inputs may share slots.
    let slots: BTreeSet<u8> =
        interface.varyings.iter().flat_map(|varying| varying.slot..varying.slot + varying.slots).collect();
    Binding {
        float_constants: uniforms.chain(sizes).max().unwrap_or(0),
        varyings: slots.into_iter().zip(POSITION + 1..).collect(),
        position: POSITION,
        ..Binding::default()
    }
}
