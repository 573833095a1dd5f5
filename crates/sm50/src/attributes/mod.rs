//! Attribute memory: what stages store for each vertex and patch, and what of it survives to the next stage.
//!
//! Every attribute is one word at a byte address from 0x000 to 0x3ff. Vertices and patches are different spaces that share
//! the addresses. A header's maps have bits for the addresses below 0x3c0 only.
//!
//! Sources: the open "Shader Program Header" document (maps, requests to store), `clb097.h` and Mesa's nouveau and NAK
//! (addresses, names).

mod geometry;
mod records;
mod words;

pub use geometry::{Emissions, Event, Log, StaleState, State};
pub use records::{Records, Slots, View, WORDS};
pub use words::{NoMemory, Words};

use crate::header::{AttributeMap, Header};

/// Number of the primitive, or of the patch.
pub const PRIMITIVE_ID: u32 = 0x060;
/// First component of the position.
pub const POSITION: u32 = 0x070;
/// First generic attribute; each has 16 bytes.
pub const GENERIC: u32 = 0x080;
/// First coordinate of the point that a tessellation program computes.
pub const TESS_COORD_U: u32 = 0x2F0;
/// Second coordinate of the point that a tessellation program computes.
pub const TESS_COORD_V: u32 = 0x2F4;
/// Number of the instance.
pub const INSTANCE_ID: u32 = 0x2F8;
/// Number of the vertex.
pub const VERTEX_ID: u32 = 0x2FC;
/// Patch space: the four outer tessellation levels.
pub const OUTER_LEVELS: u32 = 0x000;
/// Patch space: the two inner tessellation levels.
pub const INNER_LEVELS: u32 = 0x010;

/// The stores of a program that survive: those that its header declares and that the next stage reads or the header
/// requests. `next` is the next stage before the rasteriser; whatever comes after the last one may read everything.
/// (Decision S12: the per-attribute defaults after the rule are not public, and neither are all fixed-function readers.)
pub fn surviving(header: &Header, next: Option<&Header>) -> AttributeMap {
    let Some(next) = next else { return header.omap };
    if header.store_req_start > header.store_req_end {
        return header.omap.and(&next.imap);
    }
    let reads = |address| next.imap.contains(address) || header.store_required(address);
    header.omap.iter().filter(|&address| reads(address)).collect()
}

/// The name of the attribute at a byte address in the space of vertices.
///
/// ```
/// use ctm_sm50::attributes::name;
/// assert_eq!(name(0x078), "POSITION.z");
/// assert_eq!(name(0x094), "GENERIC1.y");
/// assert_eq!(name(0x2e4), "POINT_SPRITE.t");
/// ```
pub fn name(address: u32) -> String {
    let component = |letters: [char; 4]| letters[(address / 4 % 4) as usize];
    let xyzw = component(['x', 'y', 'z', 'w']);
    let rgba = component(['r', 'g', 'b', 'a']);
    let strq = component(['s', 't', 'r', 'q']);
    match address & !3 {
        0x060 => "PRIMITIVE_ID".into(),
        0x064 => "LAYER".into(),
        0x068 => "VIEWPORT_INDEX".into(),
        0x06C => "POINT_SIZE".into(),
        0x070..=0x07C => format!("POSITION.{xyzw}"),
        0x080..=0x27C => format!("GENERIC{}.{xyzw}", (address - GENERIC) / 16),
        0x280..=0x28C => format!("FRONT_DIFFUSE.{rgba}"),
        0x290..=0x29C => format!("FRONT_SPECULAR.{rgba}"),
        0x2A0..=0x2AC => format!("BACK_DIFFUSE.{rgba}"),
        0x2B0..=0x2BC => format!("BACK_SPECULAR.{rgba}"),
        0x2C0..=0x2DC => format!("CLIP_DISTANCE{}", (address - 0x2C0) / 4),
        0x2E0 | 0x2E4 => format!("POINT_SPRITE.{strq}"),
        0x2E8 => "FOG_COORDINATE".into(),
        TESS_COORD_U => "TESS_COORD.u".into(),
        TESS_COORD_V => "TESS_COORD.v".into(),
        INSTANCE_ID => "INSTANCE_ID".into(),
        VERTEX_ID => "VERTEX_ID".into(),
        0x300..=0x39C => format!("TEXCOORD{}.{strq}", (address - 0x300) / 16),
        0x3A0 => "VIEWPORT_MASK".into(),
        0x3FC => "FRONT_FACE".into(),
        other => format!("a[{other:#05x}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Stage;

    #[test]
    fn stores_survive_where_the_next_stage_reads_or_the_header_asks() {
        let map = |addresses: &[u32]| addresses.iter().copied().collect::<AttributeMap>();
        let mut header = Header { omap: map(&[0x70, 0x80, 0x90, 0x94]), ..Header::new(Stage::Vertex) };
        let next = Header { imap: map(&[0x80, 0x98]), ..Header::new(Stage::Geometry) };
        assert_eq!(surviving(&header, Some(&next)), map(&[0x80]));
        assert_eq!(surviving(&header, None), header.omap);
        (header.store_req_start, header.store_req_end) = (0x90 / 4, 0x98 / 4);
        assert_eq!(surviving(&header, Some(&next)), map(&[0x80, 0x90, 0x94]), "0x98 is requested but not declared");
        header.stage = Stage::Geometry;
        assert_eq!(surviving(&header, Some(&next)), map(&[0x80]), "geometry programs request nothing");
    }
}
