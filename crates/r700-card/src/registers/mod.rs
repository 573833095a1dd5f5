//! The registers: one table of names, addresses, fields and meanings.
//!
//! Sources: Mesa's r600 driver (`r600d.h`), and what it writes. The words of resources are in [`crate::resources`].

mod cb;
pub mod codes;
mod db;
mod pa;
mod rbbm;
mod spi;
mod sq;
mod sx;
mod tx;
mod vgt;

pub use cb::*;
pub use db::*;
pub use pa::*;
pub use rbbm::*;
pub use spi::*;
pub use sq::*;
pub use sx::*;
pub use tx::*;
pub use vgt::*;

pub use ctm_card::register::{Binding, Register, RegisterFile, RegisterGroup, RegisterMap, RegisterType, ValueFormat};

use std::ops::Range;
use std::sync::LazyLock;

/// Registers have byte offsets below this.
pub const END: u32 = 0x4_0000;

/// Every register, but for the words of resources.
pub fn map() -> &'static RegisterMap {
    static MAP: LazyLock<RegisterMap> = LazyLock::new(|| {
        let units = [rbbm::RBBM, vgt::VGT, sq::SQ, pa::PA, spi::SPI, sx::SX, db::DB, cb::CB, tx::TX];
        RegisterMap::new(&units, END)
    });
    &MAP
}

/// Byte offset of the words of resources, one resource after the other.
pub const RESOURCES: u32 = 0x3_8000;
/// Words of a resource.
pub const RESOURCE_WORDS: usize = 7;
/// Resources of vertex programs, by their numbers.
pub const VERTEX_RESOURCES: Range<u32> = 160..336;
/// Those of pixel programs.
pub const PIXEL_RESOURCES: Range<u32> = 0..160;

/// The [group](RegisterFile::changes) of registers that say where vertex programs read: programs set them for most draws.
pub const VERTEX_BUFFERS: usize = 0;
/// All other registers.
pub const OTHERS: usize = 1;

const GROUPS: [RegisterGroup; 1] = [&[
    row::<SqAluConstBufferSizeVs>(),
    row::<SqAluConstCacheVs>(),
    resource(VERTEX_RESOURCES.start)..resource(VERTEX_RESOURCES.end),
]];

/// Byte offset of a resource's first word.
const fn resource(number: u32) -> u32 {
    RESOURCES + number * 4 * RESOURCE_WORDS as u32
}

/// Byte offsets of registers in a row.
const fn row<R: RegisterType>() -> Range<u32> {
    R::ADDRESS..R::ADDRESS + R::COUNT * R::STRIDE
}

/// What the registers hold after reset: zeros. Drivers set all of them in each stream.
pub fn after_reset() -> RegisterFile {
    RegisterFile::new(END, &[]).with_groups(&GROUPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use codes::{ArrayMode, NumberType, PolygonMode};

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
        for address in [0, 0x8000, 0x2_8008, 0x3_8000, 0x4_0000] {
            assert!(map().at(address).is_none(), "{address:#x}");
        }
        let names = [0x2_8044, 0x2_817C, 0x2_8814, 0x2_8614, 0x1234].map(|address| map().name(address));
        assert_eq!(
            names,
            ["CB_COLOR1_BASE", "SQ_ALU_CONST_BUFFER_SIZE_PS_15", "PA_SU_SC_MODE_CNTL", "SPI_VS_OUT_ID_0", "0x1234"]
        );
    }

    /// Values of Debian's driver, for a triangle in a buffer of 64x64 pixels.
    #[test]
    fn fields_are_where_the_captured_values_say() {
        let info = CbColorInfo::decode(0x0910_0468);
        assert_eq!((info.format, info.array_mode, info.number_type), (0x1A, ArrayMode::Tiled2d, NumberType::Unorm));
        assert!(info.blend_clamp && info.simple_float && info.source_format);
        let size = CbColorSize::decode(0x0000_FC07);
        assert_eq!(((size.pitch_tile_max + 1) * 8, size.slice_tile_max + 1), (64, 64));
        let window = PaScWindowScissorBr::decode(0x0040_0040);
        assert_eq!((window.br_x, window.br_y), (64, 64));
        let mode = PaSuScModeCntl::decode(0x0008_0244);
        assert_eq!((mode.face, mode.provoking_vtx_last, mode.cull_back), (true, true, false));
        assert_eq!([mode.polymode_front_ptype, mode.polymode_back_ptype], [PolygonMode::Filled; 2]);
        let program = SqPgmResourcesVs::decode(0x0020_0103);
        assert_eq!((program.num_gprs, program.stack_size, program.dx10_clamp), (3, 1, true));
        assert_eq!(SpiPsInControl0::decode(0x1000_0001).num_interp, 1);
        assert_eq!(map().text(0x2_843C, 0x4200_0000), "PA_CL_VPORT_XSCALE_0 = 0x42000000 (32)");
        assert_eq!(map().text(0x8958, 17), "VGT_PRIMITIVE_TYPE = 0x00000011 (PRIM_TYPE rectangles)");
    }
}
