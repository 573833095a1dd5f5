//! The registers: one table of names, addresses, fields and meanings, and what they hold.
//!
//! Sources: R5xx register tables.

pub mod codes;
mod ga;
mod rb3d;
mod rbbm;
mod sc;
mod tx;
mod us;
mod vap;
mod zb;

pub use ga::*;
pub use rb3d::*;
pub use rbbm::*;
pub use sc::*;
pub use tx::*;
pub use us::*;
pub use vap::*;
pub use zb::*;

pub use ctm_card::register::{Binding, Register, RegisterFile, RegisterMap, RegisterType, ValueFormat};
use std::sync::LazyLock;

/// Registers have byte offsets below this.
pub const END: u32 = 0x8000;

/// Every register.
pub fn map() -> &'static RegisterMap {
    static MAP: LazyLock<RegisterMap> = LazyLock::new(|| {
        let units = [rbbm::RBBM, vap::VAP, ga::GA, sc::SC, tx::TX, us::US, rb3d::RB3D, zb::ZB];
        RegisterMap::new(&units, END)
    });
    &MAP
}

/// What the registers hold after reset.
pub fn after_reset() -> RegisterFile {
    let values = [
        (VapVteCntl::ADDRESS, 0x300),
        (ScClipRule::ADDRESS, 0xFFFF),
        (ScEdgerule::ADDRESS, 0x2DA4_9525),
        (Rb3dColorChannelMask::ADDRESS, 0xF),
        (SuDepthScale::ADDRESS, 0x4B7F_FFFF),
    ];
    RegisterFile::new(END, &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_is_found_at_its_addresses_alone() {
        let mut seen = std::collections::HashMap::new();
        for &register in map().all() {
            for index in 0..register.count {
                let address = register.address + index * register.stride;
                assert_eq!(seen.insert(address, register.name), None, "{address:#x} has two registers");
                let found = map().at(address).map(|(found, number)| (found.name, number));
                assert_eq!(found, Some((register.name, index)));
                assert!(address < END && address.is_multiple_of(4));
            }
        }
        for address in [0, 0x2130, 0x4074 + 32, 0x4FD8] {
            assert!(map().at(address).is_none(), "{address:#x}");
        }
        assert_eq!(
            [0x4E2C, 0x4F00, 0x1234].map(|address| map().name(address)),
            ["RB3D_COLOROFFSET_1", "ZB_CNTL", "0x1234"]
        );
    }

    #[test]
    fn fields_are_where_the_captured_values_say() {
        let pitch = Rb3dColorpitch::decode(0x00C3_0040);
        assert_eq!((pitch.pitch * 2, pitch.macro_tile, pitch.micro_tile, pitch.format), (64, true, 1, 6));
        let size = TxFormat0::decode(0x0001_F83F);
        assert_eq!((size.width, size.height, size.last_level), (63, 63, 0));
        let format = TxFormat1::decode(0x0008_860C);
        assert_eq!([format.red, format.green, format.blue, format.alpha], [0, 1, 2, 3]);
        let draw = VapVfCntl::read(&[0x0003_0034]);
        assert_eq!(
            (draw.primitive, draw.walk, draw.count),
            (codes::PrimitiveType::Triangles, codes::PrimitiveWalk::Embedded, 3)
        );
        let interpolator = RsIp::decode(0x000C_2040);
        assert_eq!([interpolator.s, interpolator.t, interpolator.r, interpolator.q], [0, 1, 2, 3]);
    }
}
