//! Colour targets and depth buffers, as methods describe them.

use crate::format::{DepthFormat, SurfaceFormat};
use crate::layout::{BlockLayout, Layout};
use crate::methods::{
    MultisampleMode, RtAddressHigh, RtArrayMode, RtBaseLayer, RtFormat, RtHoriz, RtLayerStride, RtTileMode, RtVert,
    ZetaAddressHigh, ZetaArrayMode, ZetaBaseLayer, ZetaEnable, ZetaFormat, ZetaHoriz, ZetaLayerStride, ZetaTileMode,
    ZetaVert,
};
use crate::state::Methods;
use crate::surface::extent;
use std::ops::Range;

/// Colour targets.
pub const TARGETS: u32 = 8;

/// Where the samples of pixels lie: log2 of how many there are beside each other, and one below the other.
pub const fn sample_shifts(samples_log2: u8) -> (u32, u32) {
    match samples_log2 {
        0 => (0, 0),
        1 => (1, 0),
        2 => (1, 1),
        _ => (2, 1),
    }
}

/// The same of draws in this state.
pub fn shifts(methods: &Methods) -> (u32, u32) {
    sample_shifts(methods.get::<MultisampleMode>().samples_log2)
}

/// A surface that is drawn to. Widths and heights are those of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where the first layer lies.
    pub address: u64,
    /// How bytes of a layer lie.
    pub layout: Layout,
    /// Samples of a row.
    pub width: u32,
    /// Rows of samples.
    pub height: u32,
    /// Layers.
    pub layers: u32,
    /// The layer that draws count from.
    pub base_layer: u32,
    /// Bytes from one layer to the next; `None` if layers are slices of the layout.
    pub layer_stride: Option<u64>,
}

impl Target {
    /// The address and the slice of a layer, counted from the first that draws have.
    pub fn layer(&self, number: u32) -> (u64, u64) {
        let number = u64::from(self.base_layer) + u64::from(number);
        match self.layer_stride {
            Some(stride) => (self.address.saturating_add(number.saturating_mul(stride)), 0),
            None => (self.address, number),
        }
    }

    /// The addresses of all layers.
    pub fn range(&self) -> Range<u64> {
        let layers = u64::from(self.base_layer) + u64::from(self.layers.max(1));
        let height = self.height.into();
        let bytes = match self.layer_stride {
            Some(stride) => (layers - 1).saturating_mul(stride).saturating_add(extent(&self.layout, height, 1)),
            None => extent(&self.layout, height, layers),
        };
        self.address..self.address.saturating_add(bytes)
    }
}

/// The addresses of everything that draws in this state have as targets.
pub fn ranges(methods: &Methods) -> impl Iterator<Item = Range<u64>> + '_ {
    let colours = (0..TARGETS).filter_map(|number| colour(methods, number));
    colours.chain(depth(methods)).map(|(target, _)| target.range())
}

/// A colour target, with the code of its format; `None` if there is none.
pub fn colour(methods: &Methods, number: u32) -> Option<(Target, u8)> {
    let address = methods.address_at::<RtAddressHigh>(number);
    let code = methods.at::<RtFormat>(number).format;
    if address == 0 || code == 0 || number >= TARGETS {
        return None;
    }
    let bytes = SurfaceFormat::of(code).map_or(4, SurfaceFormat::bytes);
    let (horiz, height) = (methods.at::<RtHoriz>(number).width, methods.at::<RtVert>(number).height);
    let tiles = methods.at::<RtTileMode>(number);
    let array = methods.at::<RtArrayMode>(number);
    let stride = 4 * u64::from(methods.at::<RtLayerStride>(number).words);
    let (layout, width) = match tiles.linear {
        true => (Layout::Linear { pitch: horiz }, horiz / bytes),
        false => {
            let row = u64::from(horiz) * u64::from(bytes);
            (Layout::Blocks(BlockLayout::new(row, height.into(), tiles.height_log2, tiles.depth_log2)), horiz)
        }
    };
    let target = Target {
        address,
        layout,
        width,
        height,
        layers: array.layers.into(),
        base_layer: methods.at::<RtBaseLayer>(number).layer.into(),
        layer_stride: (!tiles.volume).then_some(stride),
    };
    Some((target, code))
}

/// The depth buffer, with the code of its format; `None` if there is none.
pub fn depth(methods: &Methods) -> Option<(Target, u8)> {
    let address = methods.address_at::<ZetaAddressHigh>(0);
    if !methods.get::<ZetaEnable>().enable || address == 0 {
        return None;
    }
    let code = methods.get::<ZetaFormat>().format;
    let bytes = DepthFormat::of(code).map_or(4, |format| format.bytes);
    let (width, height) = (methods.get::<ZetaHoriz>().width, methods.get::<ZetaVert>().height);
    let tiles = methods.get::<ZetaTileMode>();
    let array = methods.get::<ZetaArrayMode>();
    let row = u64::from(width) * u64::from(bytes);
    let target = Target {
        address,
        layout: Layout::Blocks(BlockLayout::new(row, height.into(), tiles.height_log2, tiles.depth_log2)),
        width,
        height,
        layers: array.layers.into(),
        base_layer: methods.get::<ZetaBaseLayer>().layer.into(),
        layer_stride: (!array.volume).then_some(4 * u64::from(methods.get::<ZetaLayerStride>().words)),
    };
    Some((target, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Debian's driver writes for a target of 64x64 pixels.
    const WORDS: [u32; 9] = [0, 0x029E_0000, 0x40, 0x40, 0xD5, 0x30, 1, 0x1000, 2];

    fn methods(words: &[u32]) -> Methods {
        let mut methods = Methods::default();
        (0..).zip(words).for_each(|(n, &word)| methods.write(0x840 + 4 * n, word));
        methods
    }

    #[test]
    fn targets_have_layers() {
        let (target, code) = colour(&methods(&WORDS), 1).unwrap();
        assert_eq!((code, target.width, target.height, target.layers), (0xD5, 64, 64, 1));
        assert_eq!(target.layout, Layout::Blocks(BlockLayout::new(256, 64, 3, 0)));
        assert_eq!(target.layer(3), (0x029E_0000 + 5 * 0x4000, 0));
        assert_eq!(target.range(), 0x029E_0000..0x029E_0000 + 3 * 0x4000);
        let mut words = WORDS;
        words[5] |= 1 << 16;
        assert_eq!(colour(&methods(&words), 1).unwrap().0.layer(3), (0x029E_0000, 5));
        words[5] = 0x1000;
        let (target, _) = colour(&methods(&words), 1).unwrap();
        assert_eq!((target.layout, target.width), (Layout::Linear { pitch: 64 }, 16));
        for none in [1, 4] {
            let mut words = WORDS;
            words[none] = 0;
            assert_eq!(colour(&methods(&words), 1), None);
        }
        assert_eq!(colour(&methods(&WORDS), 0), None);
        assert_eq!(colour(&methods(&WORDS), u32::MAX), None);
    }

    #[test]
    fn depth_buffers_are_there_if_they_are_enabled() {
        let mut methods = Methods::default();
        for (method, word) in [(0xFE4, 0x0100_0000), (0xFE8, 0x14), (0xFEC, 0x10), (0x1228, 32), (0x122C, 16)] {
            methods.write(method, word);
        }
        assert_eq!(depth(&methods), None);
        methods.write(0x1538, 1);
        let (target, code) = depth(&methods).unwrap();
        assert_eq!((code, target.layout), (0x14, Layout::Blocks(BlockLayout::new(128, 16, 1, 0))));
        assert_eq!([0, 1, 2, 3].map(sample_shifts), [(0, 0), (1, 0), (1, 1), (2, 1)]);
    }
}
