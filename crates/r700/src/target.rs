//! What exports write to (Mesa `r600_shader.c`; decaf-emu's export units).

use crate::codes::ExportType;
use std::fmt;

/// Number of colour targets.
pub const COLOURS: usize = 8;
/// Number of position targets: POS0 is the position, POS1 the misc vector, POS2 and POS3 clip distances.
pub const POSITIONS: usize = 4;
/// Number of parameter targets.
pub const PARAMETERS: usize = 32;
/// Number of stream-out buffers.
pub const STREAMS: usize = 4;
/// ARRAY_BASE of the first colour target with fog.
const FIRST_FOG_COLOUR: u16 = 16;
/// ARRAY_BASE of computed depth.
const DEPTH: u16 = 61;
/// ARRAY_BASE of `POS0`.
pub(crate) const FIRST_POSITION: u16 = 60;

/// Where a register goes that is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExportTarget {
    /// A colour, less than [`COLOURS`].
    Colour(usize),
    /// Computed depth and stencil reference.
    Depth,
    /// A position vector, less than [`POSITIONS`].
    Position(usize),
    /// A parameter, less than [`PARAMETERS`].
    Parameter(usize),
}

impl fmt::Display for ExportTarget {
    /// The name in assembly; that of computed depth is what it is.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ExportTarget::Colour(number) => write!(f, "PIX{number}"),
            ExportTarget::Depth => write!(f, "DEPTH"),
            ExportTarget::Position(number) => write!(f, "POS{number}"),
            ExportTarget::Parameter(number) => write!(f, "PARAM{number}"),
        }
    }
}

impl ExportTarget {
    /// What an export with this ARRAY_BASE writes with its first register; the next ones follow. Colours with fog are colours:
    /// the fog is the fixed function's, the colour is written as it is.
    ///
    /// # Errors
    /// What the export is called, for numbers that name nothing.
    pub fn new(kind: ExportType, array_base: u16) -> Result<Self, &'static str> {
        let number = usize::from(array_base);
        let among = |first: u16, count: usize| number.checked_sub(first.into()).filter(|&number| number < count);
        let (target, kind) = match kind {
            ExportType::Pixel if array_base == DEPTH => (Some(ExportTarget::Depth), ""),
            ExportType::Pixel => {
                let colour = among(0, COLOURS).or_else(|| among(FIRST_FOG_COLOUR, COLOURS));
                (colour.map(ExportTarget::Colour), "an export to this pixel target")
            }
            ExportType::Position => {
                (among(FIRST_POSITION, POSITIONS).map(ExportTarget::Position), "an export to this position target")
            }
            ExportType::Parameter => {
                (among(0, PARAMETERS).map(ExportTarget::Parameter), "an export to this parameter target")
            }
            ExportType::Reserved3 => (None, "an export of the reserved type"),
        };
        target.ok_or(kind)
    }

    /// ARRAY_BASE of an export to it.
    pub const fn array_base(self) -> u16 {
        match self {
            ExportTarget::Colour(number) | ExportTarget::Parameter(number) => number as u16,
            ExportTarget::Depth => DEPTH,
            ExportTarget::Position(number) => FIRST_POSITION + number as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_targets() {
        use ExportType::*;
        for (kind, base, target) in [
            (Pixel, 7, Some(ExportTarget::Colour(7))),
            (Pixel, 8, None),
            (Pixel, 16, Some(ExportTarget::Colour(0))),
            (Pixel, 23, Some(ExportTarget::Colour(7))),
            (Pixel, 24, None),
            (Pixel, 60, None),
            (Pixel, 61, Some(ExportTarget::Depth)),
            (Position, 0, None),
            (Position, 60, Some(ExportTarget::Position(0))),
            (Position, 63, Some(ExportTarget::Position(3))),
            (Position, 64, None),
            (Parameter, 31, Some(ExportTarget::Parameter(31))),
            (Parameter, 32, None),
            (Reserved3, 0, None),
        ] {
            let found = ExportTarget::new(kind, base).ok();
            assert_eq!(found, target, "{kind:?} {base}");
            let is_fog = kind == Pixel && (16..60).contains(&base);
            assert!(found.is_none_or(|target| is_fog || target.array_base() == base), "{kind:?} {base}");
        }
    }
}
