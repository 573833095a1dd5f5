//! The block of `set_params`: three vertices, between which interpolated inputs change evenly.
//!
//! The command came after the guide, and neither its opcode nor its block is published. What clients write into the block is known: positions
//! in pixels, `(x, y, 0, 1)`, and after each seven, in later clients eight, vectors of four floats. The rest is decided here.

use crate::fault::{MemoryClient, ParamsError, StateError};
use ctm_x1k::{INTERPOLANTS, InterpolantVertex, Interpolants, ProgramInfo};

/// Vertices of a block.
const VERTICES: usize = 3;
/// Floats of a vector.
const CHANNELS: usize = 4;
/// Floats of a vertex, in the order in which they are tried: a position and seven, or eight, vectors.
const VERTEX_SIZES: [usize; 2] = [32, 36];
/// Bytes of the longest block.
pub(crate) const BLOCK_BYTES: usize = 4 * VERTICES * VERTEX_SIZES[1];

/// Takes the block at `base` apart, for a program with this information. `bytes` are as many as memory has, [`BLOCK_BYTES`] at most.
pub(crate) fn read(base: u32, bytes: &[u8], info: &ProgramInfo) -> Result<Interpolants, StateError> {
    let floats: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let refuse = |error| StateError::Params { base, error };
    let found = VERTEX_SIZES.into_iter().find(|&size| is_rectangle(&floats, size));
    let size = found.ok_or_else(|| refuse(ParamsError::NoRectangle))?;
    let there = size / CHANNELS - 1;
    if let Some((slot, _)) = info.interpolant_registers().find(|(slot, _)| *slot >= there) {
        return Err(refuse(ParamsError::TooFew { slot, there }));
    }
    let vertex = |number: usize| {
        let vertex = &floats[number * size..][..size];
        let mut values = [[0.0; CHANNELS]; INTERPOLANTS];
        for (value, given) in values.iter_mut().zip(vertex[CHANNELS..].as_chunks().0) {
            *value = *given;
        }
        InterpolantVertex { position: [vertex[0], vertex[1]], values }
    };
    Interpolants::through(&std::array::from_fn(vertex)).map_err(|error| refuse(error.into()))
}

/// Whether a block of vertices of this size holds corners of a rectangle: the second one is in the row of the first, the third one in its column.
fn is_rectangle(floats: &[f32], size: usize) -> bool {
    if floats.len() < VERTICES * size {
        return false;
    }
    let [a, b, c] = [0, 1, 2].map(|number| &floats[number * size..][..CHANNELS]);
    let is_affine = [a, b, c].iter().all(|position| position[3] == 1.0);
    is_affine && a[1] == b[1] && a[0] == c[0] && a[0] != b[0] && a[1] != c[1]
}

/// The client that reads the block.
pub(crate) const CLIENT: MemoryClient = MemoryClient::Params;

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: usize, positions: [[f32; 4]; 3]) -> Vec<u8> {
        let mut floats = vec![0f32; VERTICES * size];
        for (number, position) in positions.into_iter().enumerate() {
            floats[number * size..][..4].copy_from_slice(&position);
            floats[number * size + size - 4..][..4].copy_from_slice(&[number as f32 * 12.0; 4]);
        }
        floats.into_iter().flat_map(f32::to_le_bytes).collect()
    }

    const CORNERS: [[f32; 4]; 3] = [[0.0, 0.0, 0.0, 1.0], [12.0, 0.0, 0.0, 1.0], [0.0, 24.0, 0.0, 1.0]];

    fn taking(slot: usize) -> ProgramInfo {
        let mut info = ProgramInfo::default();
        info.interpolants[slot] = Some(3);
        info
    }

    #[test]
    fn both_sizes_of_vertices_are_recognized() {
        for (size, last) in [(32, 6), (36, 7)] {
            let interpolants = read(0, &block(size, CORNERS), &taking(last)).unwrap();
            let plane = interpolants.planes[last][0];
            assert_eq!(plane.numbers().map(f32::from_bits), [1.0, 1.0, 1.0], "{size}");
        }
    }

    #[test]
    fn what_is_no_rectangle_is_refused() {
        let refused = |positions: [[f32; 4]; 3], slot| match read(16, &block(32, positions), &taking(slot)) {
            Err(StateError::Params { base: 16, error }) => error,
            other => panic!("{other:?}"),
        };
        let [a, b, c] = CORNERS;
        assert_eq!(refused([a, b, [0.0, 24.0, 0.0, 2.0]], 0), ParamsError::NoRectangle);
        assert_eq!(refused([a, a, c], 0), ParamsError::NoRectangle);
        assert_eq!(refused([a, [12.0, 1.0, 0.0, 1.0], c], 0), ParamsError::NoRectangle);
        assert_eq!(refused(CORNERS, 7), ParamsError::TooFew { slot: 7, there: 7 });
        assert!(matches!(refused([a, [f32::INFINITY, 0.0, 0.0, 1.0], c], 0), ParamsError::NoPlane(_)));
        assert!(read(0, &block(32, CORNERS)[..300], &taking(0)).is_err());
    }
}
