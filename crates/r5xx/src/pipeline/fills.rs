//! Draws that fill with one value, or move texels as they are: their pixels need no arithmetic. Such are clears, uploads and what is read
//! back.

use super::depth::DepthFill;
use super::pixels::{Pixels, RasterPrimitive};
use super::shading::{OutputChannel, PassThrough, Shading};
use super::targets::ColourTarget;
use crate::layout::{AddressPart, CONTIGUOUS_COLUMNS};
use crate::surface::Surface;
use crate::tx::{ChannelSource, Texture, Textures};
use ctm_raster::channel::{Channel, ChannelKind, Words};
use ctm_raster::grid::Rect;
use ctm_raster::sampler::{Scale, TextureKind};
use ctm_x1k::TexOp;

/// Fractions of so many bits are the same after they were a binary32 number.
const EXACT_BITS: u32 = 16;

/// Pixels of a primitive, made without arithmetic.
pub struct PrimitiveFill<'s> {
    colour: Option<(&'s ColourTarget<'s>, FillSource<'s>)>,
    depth: DepthFill<'s>,
}

enum FillSource<'s> {
    Value(Words),
    Texels(TexelCopy<'s>),
}

/// Texels of one level and layer that become pixels.
struct TexelCopy<'s> {
    texture: &'s Texture<'s>,
    level: u32,
    layer: u32,
    /// The columns of texels for the columns of pixels from `area.left` on, and the rows for those from `area.top` on.
    columns: Vec<u32>,
    rows: Vec<u32>,
    area: Rect,
    moves: ChannelMoves,
}

/// How the bits of a texel become those of a pixel.
enum ChannelMoves {
    /// These stay where they are, the others are 0.
    InPlace(Words),
    /// Each channel for itself.
    Channels([Option<(ChannelSource, Channel)>; 4]),
}

impl ChannelMoves {
    fn of(moves: [Option<(ChannelSource, Channel)>; 4]) -> Self {
        let mut kept = [0; 4];
        for (stored, to) in moves.iter().flatten() {
            if *stored != ChannelSource::Bits(*to) {
                return ChannelMoves::Channels(moves);
            }
            to.insert(&mut kept, u32::MAX);
        }
        ChannelMoves::InPlace(kept)
    }

    #[inline]
    fn apply(&self, texel: Words) -> Words {
        match self {
            ChannelMoves::InPlace(kept) => std::array::from_fn(|n| texel[n] & kept[n]),
            ChannelMoves::Channels(moves) => {
                let mut words = [0; 4];
                for (stored, to) in moves.iter().flatten() {
                    match stored {
                        ChannelSource::Bits(from) => to.insert(&mut words, from.extract(&texel)),
                        ChannelSource::Zero => {}
                        ChannelSource::One => to.insert(&mut words, u32::MAX),
                    }
                }
                words
            }
        }
    }
}

impl<'s> PrimitiveFill<'s> {
    /// How a primitive is drawn so, if it can be: where pixels have several samples, these are the same.
    pub fn of(pixels: &'s Pixels, shading: &Shading<'s, '_>, primitive: &RasterPrimitive) -> Option<Self> {
        let are_many = pixels.samples().are_many();
        if are_many && pixels.rectangle(primitive).is_none() {
            return None;
        }
        let (target, pass_through, textures) = match (pixels.fill_targets()?, shading) {
            // What the program gives goes nowhere.
            (None, _) => return Some(PrimitiveFill { colour: None, depth: pixels.depth_fill(primitive)? }),
            (Some(target), Shading::PassThrough(pass_through, textures)) => (target, pass_through, textures),
            (Some(_), Shading::Program(_)) => return None,
        };
        let depth = pixels.depth_fill(primitive)?;
        let from = match pass_through.constant(primitive.inputs) {
            // What is filled at once.
            _ if are_many && !target.surface().is_small() => return None,
            Some(output) => FillSource::Value(target.encode(output)),
            None if are_many => return None,
            None => FillSource::Texels(TexelCopy::of(
                target,
                pass_through,
                textures,
                primitive,
                pixels.area(primitive.shape),
            )?),
        };
        Some(PrimitiveFill { colour: Some((target, from)), depth })
    }

    /// Draws a rectangle at once, if its pixels are small; `None` if not, and nothing is drawn.
    pub fn rectangle(&self, area: Rect) -> Option<()> {
        if let Some((target, from)) = &self.colour {
            let surface = target.surface();
            match from {
                FillSource::Value(words) => surface.fill_rectangle(area, words[0], u32::MAX)?,
                FillSource::Texels(copying) => copying.rectangle(surface, area)?,
            }
        }
        self.depth.rectangle(area);
        Some(())
    }

    /// Draws some pixels, of which all texels are read before one is written, as programs do.
    pub fn pixels<const N: usize>(&self, pixels: [(u32, u32); N], are_drawn: [bool; N]) {
        let drawn = || pixels.into_iter().zip(are_drawn).enumerate().filter(|(_, (_, is_drawn))| *is_drawn);
        if let Some((target, from)) = &self.colour {
            let mut words = [[0; 4]; N];
            for (n, ((x, y), _)) in drawn() {
                words[n] = match from {
                    FillSource::Value(value) => *value,
                    FillSource::Texels(copying) => copying.pixel(x, y),
                };
            }
            drawn().for_each(|(n, ((x, y), _))| target.put(x, y, words[n]));
        }
        drawn().for_each(|(_, ((x, y), _))| self.depth.pixel(x, y));
    }
}

impl<'s> TexelCopy<'s> {
    fn of(
        target: &ColourTarget,
        pass_through: &PassThrough,
        textures: &'s Textures,
        primitive: &RasterPrimitive,
        area: Rect,
    ) -> Option<Self> {
        let (lookup, outputs) = pass_through.texel()?;
        let texture = textures.unit(lookup.unit)?;
        let input = lookup.input.filter(|_| lookup.op == TexOp::Ld)?;
        let (sampler, shape) = (texture.sampler(), texture.shape());
        let level = sampler.point_level(shape)?;
        let scale = if lookup.unscaled { Scale::Texels } else { Scale::Texture };
        let moves = target.channels_of_outputs().map(|channel| match channel {
            None => Some(None),
            Some((output, to)) => {
                let stored = match outputs[output] {
                    OutputChannel::Channel(channel) => texture.stored(channel)?,
                    OutputChannel::Zero => ChannelSource::Zero,
                    OutputChannel::One => ChannelSource::One,
                };
                let exact = match stored {
                    ChannelSource::Bits(from) => from.width() == to.width() && to.width() <= EXACT_BITS,
                    ChannelSource::Zero | ChannelSource::One => true,
                };
                (exact && to.kind() == ChannelKind::Unorm).then_some(Some((stored, to)))
            }
        });
        let [Some(first), Some(second), Some(third), Some(fourth)] = moves else { return None };
        let nearest = |direction: usize, coordinate: u32| sampler.nearest(shape, level, direction, coordinate, scale);
        let layer = match shape.kind {
            TextureKind::Flat => 0,
            TextureKind::Volume => {
                let [left, right] =
                    [area.left, area.right].map(|x| primitive.inputs.of_column(input, lookup.order[2], x));
                let [top, bottom] = [area.top, area.bottom].map(|y| primitive.inputs.of_row(input, lookup.order[2], y));
                // The same everywhere.
                nearest(2, left.filter(|_| left == right && top == bottom && left == top)?)?
            }
            TextureKind::Cube => return None,
        };
        let column = |x| nearest(0, primitive.inputs.of_column(input, lookup.order[0], x)?);
        let row = |y| nearest(1, primitive.inputs.of_row(input, lookup.order[1], y)?);
        Some(TexelCopy {
            texture,
            level,
            layer,
            columns: (area.left..area.right).map(column).collect::<Option<_>>()?,
            rows: (area.top..area.bottom).map(row).collect::<Option<_>>()?,
            area,
            moves: ChannelMoves::of([first, second, third, fourth]),
        })
    }

    fn rectangle(&self, surface: &Surface, area: Rect) -> Option<()> {
        let (level, bytes) = self.texture.level(self.level);
        let texture = self.texture.bytes();
        // Texels that are overwritten meanwhile are read quad by quad, as programs do.
        if bytes > 4 || texture.overlaps(surface.bytes()) {
            return None;
        }
        let columns = &self.columns[(area.left - self.area.left) as usize..];
        let parts: Vec<AddressPart> = columns.iter().map(|&column| level.layout().column(column)).collect();
        let together = |columns: &[u32]| match *columns {
            [a, b, c, d, ..] => {
                bytes == 4 && a.is_multiple_of(CONTIGUOUS_COLUMNS) && [b, c, d] == [a + 1, a + 2, a + 3]
            }
            _ => false,
        };
        let together: Vec<bool> = (0..columns.len()).map(|n| together(&columns[n..])).collect();
        let rows = &self.rows[(area.top - self.area.top) as usize..];
        let layer = level.layer_offset(self.layer);
        surface.write_rectangle(area, |row, pixels| {
            let row = level.layout().row(rows[row]);
            let word = |texel: u32| self.moves.apply([texel, 0, 0, 0])[0];
            let mut n = 0;
            while n < pixels.len() {
                let offset = layer + u64::from(parts[n].with(row));
                match &mut pixels[n..] {
                    [a, b, c, d, ..] if together[n] && texture.address(offset, 4 * CONTIGUOUS_COLUMNS).is_some() => {
                        let texels = texture.read(offset, 4 * CONTIGUOUS_COLUMNS);
                        [*a, *b, *c, *d] = [word(texels[0]), word(texels[1]), word(texels[2]), word(texels[3])];
                        n += CONTIGUOUS_COLUMNS as usize;
                    }
                    rest => {
                        rest[0] = word(texture.read_word(offset, bytes));
                        n += 1;
                    }
                }
            }
        })
    }

    #[inline]
    fn pixel(&self, x: u32, y: u32) -> Words {
        let (column, row) = (self.columns[(x - self.area.left) as usize], self.rows[(y - self.area.top) as usize]);
        self.moves.apply(self.texture.words(self.level, self.layer, column, row))
    }
}

#[cfg(test)]
mod tests {
    use crate::pipeline::{DrawContext, DrawStep, draw};
    use crate::ports::Cursor;
    use crate::registers::VapVfCntl;
    use crate::state::State;
    use crate::stream::{Draw, VertexSource};
    use ctm_card::Object;
    use ctm_cases::{Result, Unstructured};
    use ctm_memory::Arena;
    use std::sync::Arc;

    const BASE: u32 = 0x10_0000;
    const TEXTURE: Object = Object { address: BASE + 0x1000, size: 0x8000 };
    const TARGET: Object = Object { address: BASE + 0x1_0000, size: 0x8000 };
    /// The depth buffer, without the last rows.
    const DEPTHS: Object = Object { address: BASE + 0x1_8000, size: 0xC00 };
    /// `FG_ALPHA_FUNC` of a test that always passes: what has an alpha test is not drawn directly.
    const ALWAYS: u32 = 7 << 8 | 1 << 11 | 1 << 12;

    const FETCH: &str = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = LD tex[0].rgba temp[0].rgba ;\n";
    const OUT: &str = "OUT TEX_SEM_WAIT src0.a = SOURCE , src0.rgb = SOURCE :\n\
        out[0].rgb = MAD src0.rgb src0.111 src0.000 , out[0].a = MAD src0.a src0.1 src0.0 ;\n";

    /// The registers of a point that a program colours which fetches texture 0, or gives constant 0.
    fn state(u: &mut Unstructured, fetches: bool) -> Result<State> {
        let mut state = State::default();
        let text = match fetches {
            true => FETCH.to_owned() + &OUT.replace("SOURCE", "temp[0]"),
            false => OUT.replace("SOURCE", "const[0]"),
        };
        let program = ctm_x1k::text::parse(&text).unwrap().program;
        let mut cursor = Cursor::at(0);
        for word in program.code.iter().flat_map(|instruction| instruction.encode()) {
            cursor.put(&mut state.fragment_code, word);
        }
        let mut cursor = Cursor::at(0);
        for value in [0.25f32, 0.5, 0.75, 1.0] {
            cursor.put(&mut state.fragment_constants, value.to_bits());
        }
        let mut corner = || Ok(*u.choose(&[0.0f32, 1.0, 0.5, 2.0, -0.75])?);
        let corners = [corner()?, corner()?, corner()?, corner()?].map(f32::to_bits);
        let half = [u.int_in_range(0..=140)?, u.int_in_range(0..=140)?];
        let format1 =
            *u.choose(&[0x0008_860C, 0x0012_0A00, 0x0012_4000, 0x0010_8A03, 0x0000_A60A, 0x0000_AA0B, 0x0008_860D])?;
        let gamma = if u.ratio(1, 4)? { 1 << 21 } else { 0 };
        let (wrap_s, wrap_t) = (u.int_in_range(0..=7)?, u.int_in_range(0..=7)?);
        let filter = if u.ratio(1, 4)? { 2 } else { 1 };
        let (width, height): (u32, u32) = (u.int_in_range(0..=20)?, u.int_in_range(0..=20)?);
        // Colour and output format, and which of the program's channels are stored.
        let (colour, output) = *u.choose(&[
            (6, 0x3900),
            (6, 0x1B00),
            (9, 0x1000),
            (9, 0),
            (13, 0x1200),
            (15, 0x3900),
            (4, 0x3900),
            (5, 0x3901),
        ])?;
        let tiling = u.int_in_range(0..=3)?;
        // Depth and stencil tests that pass always, as a rule, and store what does not depend on what was stored.
        let control = if u.ratio(1, 2)? { u.int_in_range(0..=7)? } else { 0 };
        let functions = u.int_in_range(0..=2)?.max(1) << 9 | 7 << 3 | 7;
        let functions = if u.ratio(1, 8)? { u.arbitrary::<u32>()? & 0x7FFF } else { functions };
        let stencil = u.arbitrary::<u32>()? & 0xFF_FFFF;
        let (depth_format, depth_tiling) = (*u.choose(&[0, 2])?, u.int_in_range(0..=3)?);
        let mask = if u.ratio(1, 4)? { 0 } else { 0xF };
        let clip = u.int_in_range(0..=20)? | u.int_in_range(0..=20)? << 13;
        for (address, value) in [
            (0x2140, 1 << 8),
            (0x221C, 1 << 16),
            (0x2090, 1),
            (0x20B4, 4),
            (0x2150, 0x2003),
            (0x21E0, 0xF688),
            (0x4008, 0x0002_0001),
            (0x4200, corners[0]),
            (0x4204, corners[1]),
            (0x4208, corners[2]),
            (0x420C, corners[3]),
            (0x421C, half[0] << 16 | half[1]),
            (0x4300, 2),
            (0x4074, 0x00FF_E040),
            (0x4320, 0x10),
            (0x43E4, 31 | 31 << 13),
            (0x43B0, clip),
            (0x43B4, 31 | 31 << 13),
            (0x43D0, 0xAAAA),
            (0x43E8, 0xFF_FFFF),
            (0x4104, 1),
            (0x4400, wrap_s | wrap_t << 3 | filter << 9 | filter << 11),
            (0x4440, 1 << 3),
            (0x4480, width | height << 11),
            (0x44C0, format1 | gamma),
            (0x45C0, 0x8040_20FF),
            (0x4600, 2),
            (0x4630, if fetches { 1 << 16 } else { 0 }),
            (0x4634, if fetches { 1 << 16 } else { 0 }),
            (0x46A4, output),
            (0x46A8, 15),
            (0x46AC, 15),
            (0x46B0, 15),
            (0x4E00, 1 << 14),
            (0x4E0C, mask),
            (0x4E38, 32 | tiling << 16 | colour << 21),
            (0x4F00, control),
            (0x4F04, functions),
            (0x4F08, stencil),
            (0x4F10, depth_format),
            (0x4F24, 32 | depth_tiling << 16),
        ] {
            state.registers.write(address, value);
        }
        state.registers.bind(0x4540, 0, TEXTURE);
        state.registers.bind(0x4E28, 0, TARGET);
        state.registers.bind(0x4F20, 0, DEPTHS);
        Ok(state)
    }

    /// The bytes of the target and the depth buffer, and the number of pixels, after a point was drawn.
    fn drawn(state: &State, place: [f32; 3], alpha: u32) -> (Vec<u8>, u32) {
        let memory = Arc::new(Arena::new(BASE, 0x2_0000).unwrap());
        (0..TEXTURE.size / 4).for_each(|n| _ = memory.write_u32(TEXTURE.address + 4 * n, n.wrapping_mul(0x9E37_79B9)));
        let mut state = state.clone();
        state.registers.write(0x4BD4, alpha);
        let words = DEPTHS.size / 4;
        (0..words).for_each(|n| _ = memory.write_u32(DEPTHS.address + 4 * n, n.wrapping_mul(0x0123_4567)));
        let vertex = [place[0], place[1], place[2], 1.0].map(f32::to_bits);
        let control = VapVfCntl::read(&[1 << 16 | 3 << 4 | 1]);
        draw(
            &mut state,
            &memory,
            &DrawContext::default(),
            &[DrawStep { changes: &[], draw: &Draw { at: 0, control, vertices: VertexSource::Embedded(&vertex) } }],
        )
        .unwrap();
        let mut bytes = vec![0; (TARGET.size + DEPTHS.size) as usize];
        assert!(memory.read_bytes(TARGET.address, &mut bytes));
        (bytes, state.passed)
    }

    #[test]
    fn pixels_are_those_that_the_program_gives() {
        let mut filled = 0;
        ctm_cases::check(5000, |u| {
            let fetches = u.ratio(3, 4)?;
            let state = state(u, fetches)?;
            let mut coordinate = || u.int_in_range(0..=400).map(|place| place as f32 / 12.0);
            let place = [coordinate()?, coordinate()?, u.int_in_range(0..=8)? as f32 / 8.0];
            let direct = drawn(&state, place, 0);
            assert_eq!(direct, drawn(&state, place, ALWAYS));
            filled += usize::from(direct.0[..TARGET.size as usize].iter().any(|&byte| byte != 0));
            Ok(())
        });
        assert!(filled > 10, "{filled} draws had an effect");
    }
}
