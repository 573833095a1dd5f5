//! Fragment programs over lines of words ([`PixelLines`](crate::launch::PixelLines)): which can run so, and how functions reach the lines.

use super::machine::LiftState;
use super::pixels::PixelArea;
use super::special::stays_in_quads;
use crate::codes::{ConstantMode, IpaMode, IpaPlace};
use crate::field::{FieldId, key};
use crate::header::Interpolation;
use crate::launch::{FRONT_FACE, LineInput, Shader};
use crate::table::{Class, ConstantOp, ExchangeOp, FragmentOp, SpecialOp};
use ctm_lane::{Channels, Surface, SurfaceDecl, Value};
use std::collections::BTreeSet;

/// The special register that says which way y goes.
const Y_DIRECTION: u8 = 0x12;

/// A line that functions reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineBinding {
    /// An input, by its number.
    Input(u32),
    /// A register that is put out.
    Output(u32),
    /// What says which lanes are not killed.
    Valid,
}

/// What a program reads of primitives, in order, if it can run over lines: if it looks at nothing but these, constants, textures, and other lanes of
/// its quad, and writes nothing but its outputs. Of places other than the centre it knows centroids, which are centres in pixels of one sample.
pub fn line_inputs(shader: &Shader, is_flat: bool) -> Option<Vec<LineInput>> {
    let maps = shader.header?.pixel;
    let mut inputs = BTreeSet::new();
    for instruction in shader.code.instructions().iter() {
        match instruction.op().class() {
            Class::Fragment(FragmentOp::Ipa) => {
                if instruction.get(key::IDX) || instruction.get(key::IPA_PLACE) == IpaPlace::Offset {
                    return None;
                }
                let address = instruction.get(key::OFFSET) & 0x3fc;
                let is_read = address == FRONT_FACE || maps.interpolation(address) != Interpolation::Unused;
                let is_provoking = match instruction.get(key::IPA_MODE) {
                    IpaMode::Constant => true,
                    IpaMode::Sc => is_flat,
                    IpaMode::Pass | IpaMode::Multiply => false,
                };
                if is_read {
                    inputs.insert(LineInput { address, is_provoking });
                }
            }
            // Lanes call for these.
            Class::Constant(ConstantOp::Ldc) if instruction.get(key::CONSTANT_MODE) != ConstantMode::Plain => {
                return None;
            }
            Class::Texture(_) if !instruction.has(FieldId::HANDLE) => return None,
            Class::Special(SpecialOp::S2r | SpecialOp::Cs2r) if instruction.get(key::SPECIAL) != Y_DIRECTION => {
                return None;
            }
            Class::Exchange(ExchangeOp::Shfl) if stays_in_quads(instruction) => {}
            Class::Fragment(FragmentOp::Pixld)
            | Class::Exchange(ExchangeOp::Vote | ExchangeOp::Shfl)
            | Class::Raw
            | Class::Attribute(_)
            | Class::Global(_)
            | Class::Cache(_)
            | Class::Shared(_)
            | Class::Atomic(_)
            | Class::Surface(_)
            | Class::Video(_)
            | Class::System(_) => return None,
            Class::Fragment(FragmentOp::Fswzadd)
            | Class::Special(_)
            | Class::Move(_)
            | Class::Constant(_)
            | Class::Local(_)
            | Class::Texture(_)
            | Class::Float(_)
            | Class::Double(_)
            | Class::Compare(_)
            | Class::Integer(_)
            | Class::Bits(_)
            | Class::Convert(_)
            | Class::Flags(_)
            | Class::Flow(_)
            | Class::Order(_) => {}
        }
    }
    Some(inputs.into_iter().collect())
}

impl LiftState<'_> {
    /// The surface of a line.
    fn line(&mut self, binding: LineBinding) -> Surface {
        match self.lines.iter().position(|known| *known == binding) {
            Some(at) => Surface::new(at),
            None => {
                self.lines.push(binding);
                self.b.function.add_surface(SurfaceDecl { unit: false, whole: true })
            }
        }
    }

    /// An input of each lane.
    pub(super) fn line_input(&mut self, number: Option<u32>) -> Value {
        let Some(number) = number else { return self.b.constant(0) };
        let surface = self.line(LineBinding::Input(number));
        let (x, y) = (self.b.pos_x(), self.b.pos_y());
        // Lanes that are there for their quad have a word, too.
        let all = self.b.mask_constant(true);
        self.b.surface_load(surface, x, y, all)[0]
    }

    /// Puts out what lanes leave, if they are those of lines; whether they are. Lanes that were killed leave something, too: it does not count.
    pub(super) fn put_out_lines(&mut self, lanes: Value) -> bool {
        let Some(PixelArea::Lines { outputs, has_valid, .. }) =
            self.specialisation.pixels.as_ref().map(|all| &all.area)
        else {
            return false;
        };
        let zero = self.b.constant(0);
        let (x, y) = (self.b.pos_x(), self.b.pos_y());
        let wanted = (0..).zip(outputs).filter(|(_, is_wanted)| **is_wanted);
        for number in wanted.map(|(number, _)| number) {
            let (surface, value) = (self.line(LineBinding::Output(number)), self.output_register(number));
            self.b.surface_store(surface, Channels(1), x, y, value, zero, zero, zero, lanes);
        }
        if *has_valid {
            let (helpers, one) = (self.helpers(), self.b.constant(1));
            let (surface, value) = (self.line(LineBinding::Valid), self.b.select(helpers, zero, one));
            self.b.surface_store(surface, Channels(1), x, y, value, zero, zero, zero, lanes);
        }
        true
    }
}
