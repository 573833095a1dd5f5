//! Where the pixels of a target lie, as tiles see it.

use crate::layout::Layout;
use ctm_pipeline::AddressPart;

/// Pixels of one sample, as they lie from the beginning of a layer on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetLayout {
    layout: Layout,
    /// Bytes of a pixel.
    bytes: u32,
    size: [u32; 2],
}

impl TargetLayout {
    /// So many columns and rows of pixels of so many bytes; `None` where quads do not lie alike.
    pub fn new(layout: Layout, bytes: u32, size: [u32; 2]) -> Option<Self> {
        let is_even = match layout {
            Layout::Linear { pitch } => pitch.is_multiple_of(16),
            Layout::Blocks(_) => true,
        };
        (is_even && matches!(bytes, 1 | 2 | 4 | 8 | 16)).then_some(TargetLayout { layout, bytes, size })
    }
}

impl ctm_pipeline::Layout for TargetLayout {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn size(&self) -> [u32; 2] {
        self.size
    }

    fn column(&self, x: u32) -> AddressPart {
        AddressPart { added: self.layout.column(u64::from(x) * u64::from(self.bytes)), toggled: 0 }
    }

    fn row(&self, y: u32, slice: u32) -> AddressPart {
        AddressPart { added: self.layout.row(y.into(), slice.into()), toggled: 0 }
    }

    fn offset(&self, x: u32, y: u32, slice: u32) -> u64 {
        self.column(x).with(self.row(y, slice))
    }

    fn quad(&self) -> [u64; 4] {
        let (right, below) = (self.column(1).added, self.row(1, 0).added);
        [0, right, below, right + below]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::BlockLayout;
    use ctm_pipeline::Layout as _;

    #[test]
    fn quads_lie_alike() {
        for bytes in [1, 2, 4, 8, 16] {
            let size = [50, 40];
            for layout in [
                Layout::Linear { pitch: 832 },
                Layout::Blocks(BlockLayout::new(50 * u64::from(bytes), 40, 1, 1)),
                Layout::Blocks(BlockLayout::new(50 * u64::from(bytes), 40, 4, 0)),
            ] {
                let target = TargetLayout::new(layout, bytes, size).unwrap();
                for (x, y) in (0..20).flat_map(|y| (0..25).map(move |x| (2 * x, 2 * y))) {
                    let first = target.offset(x, y, 1);
                    for (pixel, distance) in target.quad().into_iter().enumerate() {
                        let place = (x + pixel as u32 % 2, y + pixel as u32 / 2);
                        let expected = layout.offset(u64::from(place.0) * u64::from(bytes), place.1.into(), 1);
                        assert_eq!(first + distance, expected, "{layout:?} {place:?}");
                    }
                }
            }
        }
        assert!(TargetLayout::new(Layout::Linear { pitch: 36 }, 4, [9, 9]).is_none());
    }
}
