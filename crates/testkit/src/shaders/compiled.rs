//! The machine code of shaders.

use super::{Environment, Language, Shader};
use ctm_compile::front::{Interface, UniformKind, UniformPlace};
use ctm_compile::{CompileError, Compiled, Options};
use ctm_x1k::Job;
use std::collections::BTreeMap;

/// The macro that the sources have for the position of the pixel, counted from 0.
const POSITION: (&str, &str) = ("IJ", "vec2(ctm_Pixel)");

/// Compiles a shader.
///
/// # Errors
/// What is wrong with it, or why it does not fit.
pub fn compile(shader: &Shader) -> Result<Compiled, CompileError> {
    let language = match shader.language {
        Language::Glsl => ctm_compile::Language::Glsl,
        Language::Wgsl => ctm_compile::Language::Wgsl,
    };
    let defines = vec![(POSITION.0.to_owned(), POSITION.1.to_owned())];
    ctm_compile::compile(&shader.text, language, &Options { defines, ..Options::default() })
}

/// A run of a shader's program in an environment of the same shader.
///
/// # Errors
/// If the shader's file has no values for a uniform.
pub fn job<'a>(compiled: &'a Compiled, shader: &Shader, environment: &'a Environment) -> Result<Job<'a>, String> {
    let constants = Constants::of(shader, &compiled.interface)?;
    let mut job = environment.job(&compiled.program, |input| texture_of(shader, &compiled.interface, input));
    for (&register, values) in &constants.0 {
        job.constants.floats[usize::from(register)] = values.map(f32::to_bits);
    }
    Ok(job)
}

/// The values of a shader's uniforms in float constants, by register.
#[derive(Debug, Default)]
pub struct Constants(pub BTreeMap<u8, [f32; 4]>);

impl Constants {
    /// Puts them where a program expects them.
    ///
    /// # Errors
    /// The name of one that the shader's file has no values for, or not the right number.
    pub fn of(shader: &Shader, interface: &Interface) -> Result<Self, String> {
        let mut constants = Constants::default();
        for uniform in &interface.uniforms {
            let values = shader.uniforms.iter().find(|(name, _)| *name == uniform.name).map(|(_, values)| values);
            let values = values.ok_or_else(|| format!("no values for the uniform {}", uniform.name))?;
            let UniformPlace { register, channel } = uniform.place;
            for (number, column) in values.chunks(usize::from(uniform.rows)).enumerate() {
                let register = constants.0.entry(register + number as u8).or_default();
                for (row, &value) in column.iter().enumerate() {
                    let is_true = uniform.kind == UniformKind::Bool && value != 0.0;
                    register[usize::from(channel) + row] = if is_true { 1.0 } else { value };
                }
            }
        }
        for texture in &interface.textures {
            if let Some((register, channel)) = texture.levels {
                constants.0.entry(register).or_default()[usize::from(channel)] = 1.0;
            }
            let Some((register, channel)) = texture.size else { continue };
            let found = shader.textures.iter().find(|known| known.name == texture.name);
            let found = found.ok_or_else(|| format!("no texture {}", texture.name))?;
            let register = constants.0.entry(register).or_default();
            for (place, side) in register[usize::from(channel)..].iter_mut().zip([found.width, found.height]) {
                *place = side as f32;
            }
        }
        Ok(constants)
    }
}

/// The place among a shader's textures of what a program reads as input `unit`.
pub fn texture_of(shader: &Shader, interface: &Interface, unit: usize) -> Option<usize> {
    let texture = interface.textures.iter().find(|texture| usize::from(texture.unit) == unit)?;
    shader.textures.iter().position(|known| known.name == texture.name)
}
