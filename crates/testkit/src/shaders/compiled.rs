//! The machine code of shaders.

use super::function::{Constants, read, texture_of};
use super::{Environment, Shader};
use ctm_compile::backend::{Binding, generate};
use ctm_compile::front::naga::Interface;
use ctm_x1k::{Job, Program};

/// A program with what surrounds it.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Where its uniforms and textures are.
    pub interface: Interface,
    /// The values of the uniforms.
    constants: Constants,
}

/// Compiles a shader.
///
/// # Errors
/// What is wrong with it, or why it does not fit.
pub fn compile(shader: &Shader) -> Result<Compiled, String> {
    let read = read(shader).map_err(|error| error.to_string())?;
    let constants = Constants::of(shader, &read.interface)?;
    let float_constants = constants.floats.keys().last().map_or(0, |&last| usize::from(last) + 1);
    let binding = Binding { float_constants, ..Binding::default() };
    let generated = generate(&read.function, &binding).map_err(|unfit| format!("line {}: {unfit}", unfit.line()))?;
    Ok(Compiled { program: generated.program, interface: read.interface, constants })
}

impl Compiled {
    /// A run in an environment of the same shader.
    pub fn job<'a>(&'a self, shader: &Shader, environment: &'a Environment) -> Job<'a> {
        let mut job = environment.job(&self.program, |input| texture_of(shader, &self.interface, input));
        for (&register, values) in &self.constants.floats {
            job.constants.floats[usize::from(register)] = values.map(f32::to_bits);
        }
        for (&index, &value) in &self.constants.booleans {
            job.constants.bools[usize::from(index)] = value;
        }
        job
    }
}
