//! Programs over fragments: what stands around them is the card's, and comes as operations.

use super::{Lifted, NotLifted, Specialisation, independent};
use crate::codes::TexOp;
use crate::conditional::{CondLocation, CondTest};
use crate::instruction::{Body, Instruction};
use crate::program::{INPUTS, OUTPUTS, Program};
use ctm_lane::effort::Effort;
use ctm_lane::{Builder, Value};
use ctm_raster::sampler::{Sampler, TextureShape};
use std::collections::BTreeMap;

/// What the fragments of a group bring at program start.
#[derive(Default)]
pub struct FragmentInputs {
    /// Temporaries that are filled, with their channels. Of several values of one temporary the last one stays.
    pub temporaries: Vec<(u8, [Value; 4])>,
}

/// What a texture instruction asks for, as [`Fetch`](crate::fragments::Fetch) has it.
pub struct FetchValues {
    /// Number of the texture.
    pub unit: u8,
    /// The operation: one that fetches.
    pub op: TexOp,
    /// Coordinates are in texels.
    pub unscaled: bool,
    /// S, T, R, Q.
    pub coordinates: [Value; 4],
    /// Derivatives in x, for DXDY.
    pub dx: [Value; 4],
    /// Derivatives in y, for DXDY.
    pub dy: [Value; 4],
}

/// What a card does before, after and for the texture instructions of a fragment program.
///
/// Tables that it declares come after those of the program ([`TABLES`](super::TABLES)). All lanes of the domain run the program, those that
/// are not covered too, so that there are no masks where all of a group are in the domain; only what is written heeds coverage. The domain
/// has whole quads.
pub trait FragmentEnvironment {
    /// Coverage and interpolation. Groups without a covered lane may end.
    fn prologue(&self, b: &mut Builder) -> FragmentInputs;
    /// How a texture is sampled whose levels of detail come from the coordinates of quads.
    fn sampled(&self, _unit: u8) -> Option<(&Sampler, &TextureShape)> {
        None
    }
    /// Red, green, blue and alpha of a texture, in these lanes.
    fn texture(&self, b: &mut Builder, fetch: &FetchValues, lanes: Value) -> [Value; 4];
    /// What becomes of outputs A to D, and of W, in these lanes: those that were not killed, as far as they are covered.
    fn epilogue(&self, b: &mut Builder, lanes: Value, outputs: &[[Value; 4]; OUTPUTS], depth: Value);
}

/// Lifts a program that runs over fragments, in its group-independent form. `finite` says per channel that no constant is an infinity or a
/// NaN.
///
/// # Errors
/// If the program is not structured, or if it has flow control and reads other fragments of its quad: what those do that are not covered
/// depends on the others then.
pub fn lift_fragments(
    program: &Program,
    finite: [bool; 4],
    environment: &dyn FragmentEnvironment,
    effort: &Effort,
) -> Result<Lifted, NotLifted> {
    let specialisation = Specialisation {
        inputs: [None; INPUTS],
        samplers: BTreeMap::new(),
        outputs: [false; OUTPUTS],
        out_mask: 0,
        test: CondTest::Always,
        location: CondLocation::Dpp,
        write: false,
        has_origin: false,
        unfused: false,
        finite,
    };
    let lifted = independent::lift(program, &specialisation, Some(environment), effort)?;
    let flow = |instruction: &Instruction| matches!(instruction.body, Body::Flow(_));
    match program.code.iter().position(flow) {
        Some(at) if lifted.uses_quads => Err(NotLifted::Unstructured(at)),
        _ => Ok(lifted),
    }
}
