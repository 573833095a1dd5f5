//! Arrays in memory that programs access.

use crate::Error;
use ctm_array::{Array, Shape};
use ctm_memory::{Arena, Format, Space, Surface, Tiling};
use std::sync::Arc;

/// An array that lies in memory as programs access it, so that they read it where it is, and nobody copies what they have written: made to
/// be an input, or the output of a kernel. Clones share the memory.
#[derive(Clone, Debug)]
pub struct Mapped {
    arena: Arc<Arena>,
    surface: Surface,
    width: usize,
}

impl Mapped {
    /// An array of zeros.
    ///
    /// # Errors
    /// The sides are none, or larger than surfaces are, or there is no memory.
    pub fn zeros(width: usize, height: usize, format: Format) -> Result<Self, Error> {
        let surface = ctm_array::surface(width, height, format, Tiling::Linear)?;
        let mut space = Space::default();
        let base = space.append(surface.bytes())?;
        let surface = Surface { base, ..surface };
        Ok(Mapped { arena: Arc::clone(&space.arenas()[0]), surface, width })
    }

    /// A surface in a space, with so many columns that are values.
    pub(crate) fn of(space: &Space, surface: Surface, width: usize) -> Option<Self> {
        let arena = space.arenas().iter().find(|arena| arena.base() == surface.base)?;
        Some(Mapped { arena: Arc::clone(arena), surface, width })
    }

    /// Maps it in a space.
    pub(crate) fn place(&self, space: &mut Space) -> Result<Surface, Error> {
        Ok(Surface { base: space.append_shared(&self.arena)?, ..self.surface })
    }

    /// Width, height and channels.
    pub fn shape(&self) -> Shape {
        Shape { width: self.width, height: self.surface.height as usize, channels: self.format().channels() }
    }

    /// What an element is.
    pub fn format(&self) -> Format {
        self.surface.format
    }

    /// Elements from one row to the next: at least the width.
    pub fn pitch(&self) -> usize {
        self.surface.pitch as usize
    }

    /// Host address of the first element. Values are little-endian; those of an element lie together, and those of a row. The memory lives
    /// as long as this or a clone of it; the user of the pointer must prevent races with runs.
    pub fn as_ptr(&self) -> *mut u8 {
        self.arena.as_ptr()
    }

    /// A copy of it.
    ///
    /// # Errors
    /// There is no memory.
    pub fn to_array(&self) -> Result<Array, Error> {
        let mut space = Space::default();
        let surface = self.place(&mut space)?;
        Ok(ctm_array::download(&space, surface, self.width, self.surface.height as usize)?)
    }
}
