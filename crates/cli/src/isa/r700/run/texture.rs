//! Textures of the command line as textures of the machine.

use crate::Failure;
use crate::host::Host;
use crate::run::{Memory, TextureKind, TextureLevel, TextureSpec};
use ctm_r700::{Dimension, Texels, Texture};

fn dimension(kind: TextureKind) -> Dimension {
    match kind {
        TextureKind::D1 => Dimension::D1,
        TextureKind::D2 => Dimension::D2,
        TextureKind::D3 => Dimension::D3,
        TextureKind::D1Array => Dimension::D1Array,
        TextureKind::D2Array => Dimension::D2Array,
        TextureKind::Cube => Dimension::Cube,
    }
}

fn kind(dimension: Dimension) -> TextureKind {
    match dimension {
        Dimension::D1 => TextureKind::D1,
        Dimension::D2 => TextureKind::D2,
        Dimension::D3 => TextureKind::D3,
        Dimension::D1Array => TextureKind::D1Array,
        Dimension::D2Array => TextureKind::D2Array,
        Dimension::Cube => TextureKind::Cube,
    }
}

/// Reads a texture of one level into memory.
pub fn load(host: &dyn Host, memory: &mut Memory, text: &str) -> Result<Texture, Failure> {
    let TextureLevel { kind, size, surface } = TextureSpec::parse(text)?.load(host, memory, None)?;
    Ok(Texture { dimension: dimension(kind), size, ..Texture::flat(1, 1, surface) })
}

/// Reads the next level of a texture.
pub fn load_level(
    host: &dyn Host,
    memory: &mut Memory,
    number: u8,
    texture: &mut Texture,
    text: &str,
) -> Result<(), Failure> {
    let expected = TextureLevel {
        kind: kind(texture.dimension),
        size: texture.level_size(texture.levels()),
        surface: texture.surfaces()[0],
    };
    let level = TextureSpec::parse(text)?.load(host, memory, Some(expected.kind))?;
    level.require(&expected, text, &format!("level {} of texture {number}", texture.levels()))?;
    texture.texels = Texels::Surfaces([texture.surfaces(), &[level.surface]].concat());
    Ok(())
}
