//! What global names of a source mean that naga's module does not say: GLSL's uniforms, varyings and outputs are
//! plain private globals in the text that naga reads.

use std::collections::HashMap;

/// What a global variable of a module stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A uniform; nothing may write it.
    Uniform {
        /// Whether the text gives it a value, which the module lacks if it is not constant.
        given: bool,
    },
    /// An interpolated input.
    Varying,
    /// A colour output from this location on; an array takes one location per element.
    Output(u32),
    /// The index of the pixel, as two whole numbers.
    Pixel,
    /// A texture whose coordinates are in texels.
    Rectangle,
}

/// Roles by the names of globals.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    roles: HashMap<String, Role>,
}

impl Roles {
    /// Gives a global its role.
    pub(crate) fn set(&mut self, name: &str, role: Role) {
        self.roles.insert(name.to_owned(), role);
    }

    /// The role of a global, if it has one.
    pub fn get(&self, name: &str) -> Option<Role> {
        self.roles.get(name).copied()
    }
}
