//! The samples of a target in memory.

use crate::format::{DepthFormat, SurfaceFormat};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::state::Methods;
use crate::targets::{self, Target};
use crate::tiles::TargetLayout;
use ctm_card::ObjectBytes;
use ctm_pipeline::{Layers, SurfaceQuads};
use ctm_raster::channel::Words;
use std::ops::Range;

/// A surface that is drawn to.
#[derive(Clone, Debug)]
pub struct TargetSurface<'a> {
    bytes: ObjectBytes<'a>,
    target: Target,
    /// Bytes of a sample.
    element: u32,
}

impl<'a> TargetSurface<'a> {
    /// Colour target `number`, with its format; none if there is none.
    pub fn colour(methods: &Methods, objects: &'a Objects, number: u32) -> Option<(Self, &'static SurfaceFormat)> {
        let (target, code) = targets::colour(methods, number)?;
        let format = SurfaceFormat::of(code)?;
        Some((Self::of(target, format.bytes(), objects)?, format))
    }

    /// The depth buffer, with its format; none if there is none.
    pub fn depth(methods: &Methods, objects: &'a Objects) -> Option<(Self, DepthFormat)> {
        let (target, code) = targets::depth(methods)?;
        let format = DepthFormat::of(code)?;
        Some((Self::of(target, format.bytes, objects)?, format))
    }

    fn of(target: Target, element: u32, objects: &'a Objects) -> Option<Self> {
        let bytes = objects.bytes(target.address);
        (bytes.size() != 0).then_some(TargetSurface { bytes, target, element })
    }

    /// Samples across and down.
    pub fn size(&self) -> [u32; 2] {
        [self.target.width, self.target.height]
    }

    /// Where a sample of a layer is, if it is in the surface.
    #[inline]
    pub fn offset(&self, [x, y]: [u32; 2], layer: u32) -> Option<u64> {
        let Target { address, layout, width, height, layers, base_layer, .. } = &self.target;
        let last = base_layer.saturating_add((*layers).max(1));
        if x >= *width || y >= *height || base_layer.saturating_add(layer) >= last {
            return None;
        }
        let (start, slice) = self.target.layer(layer);
        let column = u64::from(x) * u64::from(self.element);
        let inside = match layout {
            Layout::Linear { .. } => layout.offset(column, y.into(), 0),
            Layout::Blocks(_) => layout.offset(column, y.into(), slice),
        };
        Some((start - address).saturating_add(inside))
    }

    /// The addresses of all layers.
    pub fn addresses(&self) -> Range<u64> {
        self.target.range()
    }

    /// The pixels of a layer, of one sample, as tiles see them; `None` if there is no such layer, or it does not lie as tiles want it.
    pub fn quads(&self, layer: u32) -> Option<SurfaceQuads<'a, TargetLayout>> {
        let target = &self.target;
        if layer >= target.layers.max(1) {
            return None;
        }
        let (start, slice) = target.layer(layer);
        let slice = match target.layout {
            Layout::Linear { .. } => 0,
            Layout::Blocks(_) => u32::try_from(slice).ok()?,
        };
        let layout = TargetLayout::new(target.layout, self.element, self.size())?;
        let bytes = self.bytes.from(start - target.address);
        Some(SurfaceQuads::new(layout, bytes, Layers { first: slice, last: slice }))
    }

    /// Its address in the card.
    pub fn address(&self, place: [u32; 2], layer: u32) -> Option<u64> {
        Some(self.target.address.saturating_add(self.offset(place, layer)?))
    }

    /// The sample there; zeros outside of the object.
    #[inline]
    pub fn read(&self, offset: u64) -> Words {
        self.bytes.read(offset, self.element)
    }

    /// Stores a sample.
    #[inline]
    pub fn write(&self, offset: u64, words: Words) {
        self.bytes.write(offset, self.element, words);
    }
}
