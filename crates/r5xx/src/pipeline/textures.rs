//! The textures of a draw.

use crate::state::State;
use ctm_memory::Arena;
use ctm_x1k::fragments::{Fetch, QuadVector, TextureUnit};

/// The textures that fragment programs fetch from.
pub struct Textures;

impl Textures {
    /// As the registers say.
    pub fn of(_state: &State, _memory: &Arena) -> Self {
        Textures
    }
}

impl TextureUnit for Textures {
    fn fetch(&self, _fetch: &Fetch) -> QuadVector {
        [[0; 4]; 4]
    }
}
