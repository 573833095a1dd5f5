//! The methods of the classes that streams write to: one table for each class, of names, addresses, fields and meanings. State is read
//! through it, and listings, checks and documentation come from it.
//!
//! Sources: Mesa's nouveau driver (`nvc0_3d.xml.h` and its relatives, from envytools' rnndb), and what it writes.

pub mod codes;
mod common;
mod compute;
mod control;
mod copy;
mod pixels;
mod programs;
mod raster;
mod targets;
mod two_d;
mod vertices;

pub use common::*;
pub use compute::*;
pub use control::*;
pub use copy::*;
pub use pixels::*;
pub use programs::*;
pub use raster::*;
pub use targets::*;
pub use two_d::*;
pub use vertices::*;

pub use ctm_card::register::{Register, RegisterMap, RegisterType, ValueFormat};

use std::sync::LazyLock;

/// Methods have byte offsets below this.
pub const END: u32 = 0x8000;
/// The first call of a macro.
pub const MACROS: u32 = 0x3800;

/// A class of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Draws.
    ThreeD,
    /// Launches of programs.
    Compute,
    /// Inline uploads.
    Upload,
    /// Blits.
    TwoD,
    /// Copies.
    Copy,
    /// What the driver's kernel executes.
    Software,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 6] =
        [Class::ThreeD, Class::Compute, Class::Upload, Class::TwoD, Class::Copy, Class::Software];

    /// Its number (NVIDIA's class headers).
    pub const fn number(self) -> u16 {
        match self {
            Class::ThreeD => 0xB097,
            Class::Compute => 0xB0C0,
            Class::Upload => 0xA140,
            Class::TwoD => 0x902D,
            Class::Copy => 0xB0B5,
            Class::Software => 0x906E,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::ThreeD => "3D",
            Class::Compute => "compute",
            Class::Upload => "upload",
            Class::TwoD => "2D",
            Class::Copy => "copy",
            Class::Software => "software",
        }
    }

    /// The class that a subchannel has for the driver.
    pub const fn of_subchannel(subchannel: u32) -> Option<Class> {
        match subchannel {
            0 => Some(Class::ThreeD),
            1 => Some(Class::Compute),
            2 => Some(Class::Upload),
            3 => Some(Class::TwoD),
            4 => Some(Class::Copy),
            7 => Some(Class::Software),
            _ => None,
        }
    }

    /// Whether it has inline uploads.
    pub const fn has_uploads(self) -> bool {
        match self {
            Class::ThreeD | Class::Compute | Class::Upload => true,
            Class::TwoD | Class::Copy | Class::Software => false,
        }
    }

    /// Its methods.
    pub fn map(self) -> &'static RegisterMap {
        static MAPS: LazyLock<[RegisterMap; 6]> = LazyLock::new(|| Class::ALL.map(Class::table));
        &MAPS[self as usize]
    }

    fn table(self) -> RegisterMap {
        let common = common::COMMON;
        match self {
            Class::ThreeD => RegisterMap::new(
                &[
                    common,
                    common::UPLOAD,
                    control::CONTROL,
                    vertices::VERTICES,
                    programs::PROGRAMS,
                    raster::RASTER,
                    pixels::PIXELS,
                    targets::TARGETS,
                ],
                END,
            ),
            Class::Compute => RegisterMap::new(&[common, common::UPLOAD, compute::COMPUTE], END),
            Class::Upload => RegisterMap::new(&[common, common::UPLOAD], END),
            Class::TwoD => RegisterMap::new(&[common, two_d::TWO_D], END),
            Class::Copy => RegisterMap::new(&[common, copy::COPY], END),
            Class::Software => RegisterMap::new(&[common], END),
        }
    }
}

/// What methods of the 3D class hold after reset, where that is not 0 (decision D309).
pub fn after_reset() -> Vec<(u32, u32)> {
    let mut held = vec![(ColorMaskCommon::ADDRESS, 1), (Edgeflag::ADDRESS, 1)];
    held.extend(row::<MsaaMask>().map(|method| (method, 0xFFFF)));
    held.extend(row::<ColorMask>().map(|method| (method, 0x1111)));
    held
}

/// The byte offsets of methods in a row.
pub fn row<R: RegisterType>() -> impl Iterator<Item = u32> {
    (0..R::COUNT).map(|index| R::ADDRESS + index * R::STRIDE)
}

#[cfg(test)]
mod tests {
    use super::codes::{BlendFactor, Comparison, PrimitiveType, StencilOperation};
    use super::*;
    use ctm_bits::FieldValue;

    #[test]
    fn every_method_is_found_at_its_addresses_alone() {
        for class in Class::ALL {
            let mut seen = std::collections::HashMap::new();
            for &method in class.map().all() {
                for index in 0..method.count {
                    let address = method.address + index * method.stride;
                    let name = class.name();
                    assert_eq!(seen.insert(address, method.name), None, "{name} {address:#x} has two methods");
                    let found = class.map().at(address).map(|(found, number)| (found.name, number));
                    assert_eq!(found, Some((method.name, index)));
                    assert!(address < END && address.is_multiple_of(4));
                }
            }
        }
    }

    #[test]
    fn subchannels_have_their_classes() {
        let numbers = [0, 1, 2, 3, 4, 7].map(|subchannel| Class::of_subchannel(subchannel).map(Class::number));
        assert_eq!(numbers, [0xB097, 0xB0C0, 0xA140, 0x902D, 0xB0B5, 0x906E].map(Some));
        assert_eq!([5, 6, 8].map(Class::of_subchannel), [None; 3]);
    }

    /// Values of Debian's driver, for a triangle in a buffer of 64x64 pixels.
    #[test]
    fn fields_are_where_the_captured_values_say() {
        let map = Class::ThreeD.map();
        let names = [0x0810, 0x1A08, 0x3878, 0x2410 + 0x80, 0x1C08 + 0x10, 0x7000].map(|address| map.name(address));
        assert_eq!(
            names,
            ["RT_FORMAT_0", "COLOR_MASK_2", "MACRO_15", "CB_BIND_4", "VERTEX_ARRAY_START_LOW_1", "0x7000"]
        );
        let tiles = RtTileMode::decode(0x30);
        assert_eq!((tiles.height_log2, tiles.depth_log2, tiles.linear, tiles.volume), (3, 0, false, false));
        let control = RtControl::decode(0x0FAC_6881);
        assert_eq!((control.count, control.map0, control.map1, control.map7), (1, 0, 1, 7));
        let attribute = VertexAttribFormat::decode(0x3820_0001);
        assert_eq!((attribute.buffer, attribute.size, attribute.kind, attribute.offset), (1, 1, 7, 0));
        let array = VertexArrayFetch::decode(0x1010);
        assert_eq!((array.stride, array.enable), (16, true));
        let begin = VertexBeginGl::decode(0x0400_0004);
        assert_eq!(
            (begin.primitive, begin.instance_next, begin.instance_cont),
            (PrimitiveType::Triangles, true, false)
        );
        let query = QueryGet::decode(0x0580_5042);
        assert_eq!((query.mode, query.stream, query.unit, query.report, query.short), (2, 2, 5, 11, false));
        let copy = CopyExec::decode(0x706);
        assert_eq!((copy.src_linear, copy.dst_linear, copy.multi_line, copy.swizzle), (false, true, true, true));
        let clear = ClearBuffers::decode(0x3C | 3 << 6 | 5 << 10);
        assert_eq!((clear.z, clear.r, clear.a, clear.rt, clear.layer), (false, true, true, 3, 5));
        assert_eq!(map.text(0x1604, 4), "POINT_COORD_REPLACE = 0x00000004 (UPPER_LEFT 1)");
    }

    #[test]
    fn codes_of_words_are_those_of_both_interfaces() {
        assert_eq!(
            [0x203, 4, 0].map(Comparison::from_raw),
            [Comparison::LessEqual, Comparison::LessEqual, Comparison::Never]
        );
        assert_eq!(
            [0, 0x8507, 99].map(StencilOperation::from_raw),
            [StencilOperation::Zero, StencilOperation::IncrementWrap, StencilOperation::Keep]
        );
        assert_eq!(BlendFactor::SourceAlphaSaturate.to_raw(), 0x4308);
        for &factor in BlendFactor::ALL {
            assert_eq!(BlendFactor::from_raw(factor.to_raw()), factor);
            assert_eq!(BlendFactor::spell_raw(factor.to_raw()), Some(factor.name()));
        }
    }

    #[test]
    fn every_word_that_is_not_zero_after_reset_is_a_method() {
        for (method, _) in after_reset() {
            assert!(Class::ThreeD.map().at(method).is_some(), "{method:#x}");
        }
    }
}
