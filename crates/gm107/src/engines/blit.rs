//! The 2D engine: rectangles from one surface to another, with other formats and sizes.

use super::{Late, Patience};
use crate::format::{DepthFormat, Numbers, SurfaceFormat};
use crate::layout::{BlockLayout, Layout};
use crate::methods::codes::BlitOperation;
use crate::methods::{
    Beta4, BlitControl, BlitDstH, BlitDstW, BlitDstX, BlitDstY, BlitDuDxFract, BlitDvDyFract, BlitSrcXFract,
    BlitSrcYFract, ClipEnable, ClipH, ClipW, ClipX, ClipY, DstAddressHigh, DstFormat, DstHeight, DstLayer, DstLinear,
    DstPitch, DstTileMode, DstWidth, Operation, PatternColor, RegisterType, Rop, SrcAddressHigh, SrcFormat, SrcHeight,
    SrcLayer, SrcLinear, SrcPitch, SrcTileMode, SrcWidth,
};
use crate::objects::Objects;
use crate::state::Methods;
use crate::surface::{Area, Plane, extent, pixel, set_pixel};
use ctm_raster::channel::Words;
use std::ops::Range;
use thiserror::Error;

/// Pixels of a row that are made together.
const CHUNK: u64 = 4096;
/// Columns of the source for each pixel, up to which a row of it is read at once.
const DENSE: u64 = 8;

/// Why a blit is not done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BlitError {
    /// A format that there is not.
    #[error("surfaces of format {0:#04x} are not known")]
    Format(u8),
    /// An operation that is not done.
    #[error("the operation \"{}\" is not supported", .0.name())]
    Operation(BlitOperation),
    /// The time is up.
    #[error("it takes too long")]
    Late,
}

impl From<Late> for BlitError {
    fn from(Late: Late) -> Self {
        BlitError::Late
    }
}

/// A surface of a blit.
struct Side<'a> {
    plane: Plane<'a>,
    /// The format of its colours; depth has none, and is moved as it is.
    colours: Option<&'static SurfaceFormat>,
    code: u8,
    /// Bytes of a pixel.
    bytes: u64,
    width: u64,
    height: u64,
    z: u64,
}

/// How a blit is done.
struct Blit<'a> {
    source: Side<'a>,
    destination: Side<'a>,
    operation: BlitOperation,
    rop: u8,
    pattern: u32,
    /// What red, green, blue and alpha are multiplied by, in 255ths.
    factors: [u8; 4],
    bilinear: bool,
}

/// Blits what the methods say. Gives the addresses that it may have written.
///
/// # Errors
/// If that is not done, or the time is up.
pub fn blit(methods: &Methods, objects: &Objects, patience: &mut Patience) -> Result<Range<u64>, BlitError> {
    let beta = methods.get::<Beta4>();
    let control = methods.get::<BlitControl>();
    let operation = methods.get::<Operation>().operation;
    match operation {
        BlitOperation::Copy
        | BlitOperation::CopyAnd
        | BlitOperation::Rop
        | BlitOperation::RopAnd
        | BlitOperation::CopyPremultiplied => {}
        BlitOperation::BlendAnd | BlitOperation::BlendPremultiplied => return Err(BlitError::Operation(operation)),
    }
    let blit = Blit {
        source: source(methods, objects)?,
        destination: destination(methods, objects)?,
        operation,
        rop: methods.get::<Rop>().rop,
        pattern: methods.word_at::<PatternColor>(1),
        factors: [beta.r, beta.g, beta.b, beta.a],
        bilinear: control.bilinear,
    };
    let fixed =
        |fraction: u32| (i64::from(methods.word(fraction + 4).cast_signed()) << 32) + i64::from(methods.word(fraction));
    let corner = if blit.bilinear && control.origin_corner { 1 << 31 } else { 0 };
    let [x, y, w, h] = [BlitDstX::ADDRESS, BlitDstY::ADDRESS, BlitDstW::ADDRESS, BlitDstH::ADDRESS]
        .map(|method| i64::from(methods.word(method).cast_signed()));
    let steps = [BlitDuDxFract::ADDRESS, BlitDvDyFract::ADDRESS].map(fixed);
    let starts = [BlitSrcXFract::ADDRESS, BlitSrcYFract::ADDRESS].map(|method| fixed(method).wrapping_sub(corner));
    let (columns, rows) = clipped(methods, &blit.destination, [x..x.saturating_add(w), y..y.saturating_add(h)]);
    let at = |axis: usize, place: u64, first: i64| {
        starts[axis].wrapping_add((place as i64).wrapping_sub(first).wrapping_mul(steps[axis]))
    };
    for row in rows {
        let v = at(1, row, y);
        for first in columns.clone().step_by(CHUNK as usize) {
            let end = columns.end.min(first + CHUNK);
            let places: Vec<i64> = (first..end).map(|column| at(0, column, x)).collect();
            blit.row(first, row, &places, v);
            patience.row()?;
        }
    }
    let (to, address) = (&blit.destination, methods.address_at::<DstAddressHigh>(0));
    Ok(address..address.saturating_add(extent(to.plane.layout(), to.height, to.z.saturating_add(1))))
}

/// The part of a rectangle that lies in the destination and its clip, and that can lie in memory.
fn clipped(methods: &Methods, to: &Side, [columns, rows]: [Range<i64>; 2]) -> (Range<u64>, Range<u64>) {
    let clip = |range: Range<i64>, size: u64, clip: [u32; 2]| {
        let [first, count] = clip.map(u64::from);
        let (mut start, mut end) = (range.start.max(0) as u64, (range.end.max(0) as u64).min(size));
        if methods.get::<ClipEnable>().enable {
            (start, end) = (start.max(first), end.min(first + count));
        }
        start..end.max(start)
    };
    let word = |method: u32| methods.word(method);
    let columns = clip(columns, to.width, [word(ClipX::ADDRESS), word(ClipW::ADDRESS)]);
    let rows = clip(rows, to.height, [word(ClipY::ADDRESS), word(ClipH::ADDRESS)]);
    let area = Area { columns: columns.start * to.bytes..columns.end * to.bytes, rows, slice: to.z };
    let reached = to.plane.reachable(&area);
    (columns.start..reached.columns.end.div_ceil(to.bytes).min(columns.end), reached.rows)
}

impl Blit<'_> {
    /// Makes pixels of a row from this one on, of which these are the columns in the source, in 2^-32.
    fn row(&self, first: u64, row: u64, columns: &[i64], v: i64) {
        let to = &self.destination;
        let is_exact = self.source.code == to.code && !(self.bilinear && self.source.is_filtered());
        let bytes = to.bytes as usize;
        let mut pixels = vec![0; columns.len() * bytes];
        if matches!(self.operation, BlitOperation::Rop | BlitOperation::RopAnd) {
            to.plane.read_row(first * to.bytes, row, to.z, &mut pixels);
        }
        let texels = Texels::new(&self.source, columns, v);
        for (pixel_bytes, &u) in pixels.chunks_exact_mut(bytes).zip(columns) {
            let words = match (is_exact, self.operation == BlitOperation::CopyPremultiplied) {
                (true, false) => texels.nearest(u),
                (true, true) | (false, _) => self.converted(&texels, u),
            };
            let words = match self.operation {
                BlitOperation::Rop | BlitOperation::RopAnd => self.combined(words, pixel(pixel_bytes)),
                BlitOperation::Copy
                | BlitOperation::CopyAnd
                | BlitOperation::CopyPremultiplied
                | BlitOperation::BlendAnd
                | BlitOperation::BlendPremultiplied => words,
            };
            set_pixel(pixel_bytes, words);
        }
        to.plane.write_row(first * to.bytes, row, to.z, &pixels);
    }

    /// A pixel of another format, or of several texels.
    fn converted(&self, texels: &Texels, u: i64) -> Words {
        let (Some(from), Some(to)) = (self.source.colours, self.destination.colours) else { return texels.nearest(u) };
        let mut values = match self.bilinear && self.source.is_filtered() {
            true => texels.filtered(u, from),
            false => colour(from, &texels.nearest(u)),
        };
        if self.operation == BlitOperation::CopyPremultiplied && !from.is_integer() {
            for (value, factor) in values.iter_mut().zip(self.factors) {
                *value = (f32::from_bits(*value) * (f32::from(factor) / 255.0)).to_bits();
            }
        }
        to.encode(if from.is_integer() == to.is_integer() { values } else { numbers(values, from) })
    }

    /// Bits of pattern, source and destination, combined.
    fn combined(&self, source: Words, destination: Words) -> Words {
        let combine = |source: u32, destination: u32| {
            let term = |number: u32| {
                let operand = |bit: u32, bits: u32| if number >> bit & 1 != 0 { bits } else { !bits };
                let is_set = self.rop >> number & 1 != 0;
                if is_set { operand(2, self.pattern) & operand(1, source) & operand(0, destination) } else { 0 }
            };
            (0..8).fold(0, |bits, number| bits | term(number))
        };
        std::array::from_fn(|n| combine(source[n], destination[n]))
    }
}

/// The colour of a texel: one component counts as luminance (decision D317).
fn colour(format: &SurfaceFormat, words: &Words) -> [u32; 4] {
    let [r, g, b, a] = format.decode(words);
    let has = format.pixel.parts.each_ref().map(|part| part.is_some());
    if has == [true, false, false, false] { [r, r, r, a] } else { [r, g, b, a] }
}

/// Integers as binary32, or binary32 as integers.
fn numbers(values: [u32; 4], from: &SurfaceFormat) -> [u32; 4] {
    values.map(|value| match from.numbers {
        Numbers::Uint => (value as f32).to_bits(),
        Numbers::Sint => (value.cast_signed() as f32).to_bits(),
        Numbers::Float | Numbers::Unorm | Numbers::Snorm | Numbers::Srgb => f32::from_bits(value) as u32,
    })
}

impl Side<'_> {
    /// Whether several texels can be one.
    fn is_filtered(&self) -> bool {
        self.colours.is_some_and(|colours| !colours.is_integer())
    }
}

/// The texels that pixels of a row can be of.
struct Texels<'s> {
    side: &'s Side<'s>,
    /// Rows, the second of which is for filters alone, and the share of that.
    rows: [u64; 2],
    share: f64,
    /// The parts of these rows from the first column on, if they are worth reading at once.
    bytes: Option<[Vec<u8>; 2]>,
    first: u64,
}

/// A place in 2^-32 as a texel's, clamped.
fn clamped(place: i64, size: u64) -> u64 {
    u64::try_from(place).unwrap_or_default().min(size.saturating_sub(1))
}

/// The two texels that a place lies between, and the second one's share.
fn pair(place: i64, size: u64) -> ([u64; 2], f64) {
    let whole = place >> 32;
    let share = f64::from(place as u32) / 4_294_967_296.0;
    ([clamped(whole, size), clamped(whole.saturating_add(1), size)], share)
}

impl<'s> Texels<'s> {
    fn new(side: &'s Side<'s>, columns: &[i64], v: i64) -> Self {
        let (rows, share) = pair(v, side.height);
        let ends =
            [columns.first(), columns.last()].map(|place| pair(place.copied().unwrap_or_default(), side.width).0);
        let (first, last) = (ends[0][0].min(ends[1][0]), ends[0][1].max(ends[1][1]));
        let count = last - first + 1;
        let bytes = (count <= DENSE * columns.len() as u64 + DENSE).then(|| {
            rows.map(|row| {
                let mut bytes = vec![0; (count * side.bytes) as usize];
                side.plane.read_row(first * side.bytes, row, side.z, &mut bytes);
                bytes
            })
        });
        Texels { side, rows, share, bytes, first }
    }

    fn texel(&self, row: usize, column: u64) -> Words {
        let length = self.side.bytes as usize;
        if let Some(rows) = &self.bytes {
            let start = (column.saturating_sub(self.first) * self.side.bytes) as usize;
            return rows[row].get(start..start + length).map(pixel).unwrap_or_default();
        }
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..length];
        self.side.plane.read_row(column * self.side.bytes, self.rows[row], self.side.z, bytes);
        pixel(bytes)
    }

    fn nearest(&self, u: i64) -> Words {
        self.texel(0, clamped(u >> 32, self.side.width))
    }

    /// The mean of four texels.
    fn filtered(&self, u: i64, format: &SurfaceFormat) -> [u32; 4] {
        let (columns, share) = pair(u, self.side.width);
        let texels = [0, 1].map(|row| columns.map(|column| colour(format, &self.texel(row, column))));
        std::array::from_fn(|n| {
            let number = |row: usize, column: usize| f64::from(f32::from_bits(texels[row][column][n]));
            let mean = |row| number(row, 0) * (1.0 - share) + number(row, 1) * share;
            ((mean(0) * (1.0 - self.share) + mean(1) * self.share) as f32).to_bits()
        })
    }
}

/// What a surface is besides its place.
struct Form {
    code: u8,
    pitch: u32,
    linear: bool,
    tiles: [u8; 2],
    size: [u32; 2],
    layer: u32,
}

fn side(objects: &Objects, address: u64, form: Form) -> Result<Side<'_>, BlitError> {
    let Form { code, pitch, linear, tiles: [height_log2, depth_log2], size: [width, height], layer } = form;
    let colours = SurfaceFormat::of(code);
    let depth = DepthFormat::of(code).map(|format| format.bytes);
    let bytes = colours.map(SurfaceFormat::bytes).or(depth).ok_or(BlitError::Format(code))?;
    let (layout, z) = match linear {
        true => (Layout::Linear { pitch }, 0),
        false => {
            let row = u64::from(width) * u64::from(bytes);
            (Layout::Blocks(BlockLayout::new(row, height.into(), height_log2, depth_log2)), layer.into())
        }
    };
    let plane = Plane::new(objects, address, layout);
    Ok(Side { plane, colours, code, bytes: bytes.into(), width: width.into(), height: height.into(), z })
}

fn source<'a>(methods: &Methods, objects: &'a Objects) -> Result<Side<'a>, BlitError> {
    let tiles = methods.get::<SrcTileMode>();
    let form = Form {
        code: methods.get::<SrcFormat>().format,
        pitch: methods.get::<SrcPitch>().bytes,
        linear: methods.get::<SrcLinear>().linear,
        tiles: [tiles.height_log2, tiles.depth_log2],
        size: [methods.get::<SrcWidth>().width, methods.get::<SrcHeight>().height],
        layer: methods.get::<SrcLayer>().layer,
    };
    side(objects, methods.address_at::<SrcAddressHigh>(0), form)
}

fn destination<'a>(methods: &Methods, objects: &'a Objects) -> Result<Side<'a>, BlitError> {
    let tiles = methods.get::<DstTileMode>();
    let form = Form {
        code: methods.get::<DstFormat>().format,
        pitch: methods.get::<DstPitch>().bytes,
        linear: methods.get::<DstLinear>().linear,
        tiles: [tiles.height_log2, tiles.depth_log2],
        size: [methods.get::<DstWidth>().width, methods.get::<DstHeight>().height],
        layer: methods.get::<DstLayer>().layer,
    };
    side(objects, methods.address_at::<DstAddressHigh>(0), form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_lane::run::RunOptions;
    use ctm_memory::Arena;
    use std::sync::Arc;

    const FROM: u32 = 0x10_0000;
    const TO: u32 = 0x11_0000;
    const ONE: (u32, u32) = (0, 1);

    /// Blits a linear source of rows of 64 bytes to a linear destination, of rows of 64 bytes as well.
    struct Case {
        formats: [u32; 2],
        size: [u32; 2],
        /// Fraction and whole part of steps and of the first place.
        steps: [(u32, u32); 2],
        start: [(u32, u32); 2],
        more: &'static [(u32, u32)],
    }

    impl Case {
        const PLAIN: Case = Case { formats: [0xD5; 2], size: [4, 2], steps: [ONE; 2], start: [(0, 0); 2], more: &[] };

        fn run(&self, texels: &[&[u32]]) -> (Result<(), BlitError>, Vec<Vec<u32>>) {
            let memory = Arc::new(Arena::new(FROM, 0x10_0000).unwrap());
            let objects = Objects::new(&memory, &[Object { address: FROM, size: 0x2_0000 }]);
            for (y, row) in (0..).zip(texels) {
                memory.write_words(FROM + 64 * y, row);
                memory.write_words(TO + 64 * y, &[0x1111_1111; 16]);
            }
            let [width, height] = self.size;
            let mut methods = Methods::default();
            let words = [
                (0x200, self.formats[1]),
                (0x204, 1),
                (0x214, 64),
                (0x218, width),
                (0x21C, height),
                (0x224, TO),
                (0x230, self.formats[0]),
                (0x234, 1),
                (0x244, 64),
                (0x248, texels[0].len() as u32),
                (0x24C, texels.len() as u32),
                (0x254, FROM),
                (0x2AC, 3),
                (0x8B8, width),
                (0x8BC, height),
            ];
            words.iter().for_each(|&(method, word)| methods.write(method, word));
            let pairs =
                [(0x8C0, self.steps[0]), (0x8C8, self.steps[1]), (0x8D0, self.start[0]), (0x8D8, self.start[1])];
            for (method, (fraction, whole)) in pairs {
                methods.write(method, fraction);
                methods.write(method + 4, whole);
            }
            self.more.iter().for_each(|&(method, word)| methods.write(method, word));
            let done = blit(&methods, &objects, &mut Patience::new(&RunOptions::default())).map(|_| ());
            let row = |y| (0..width).map(|x| memory.read_u32(TO + 64 * y + 4 * x).unwrap()).collect();
            (done, (0..height).map(row).collect())
        }
    }

    #[test]
    fn texels_are_moved_mirrored_and_clipped() {
        let texels: [&[u32]; 2] = [&[1, 2, 3, 4], &[5, 6, 7, 8]];
        assert_eq!(Case::PLAIN.run(&texels), (Ok(()), vec![vec![1, 2, 3, 4], vec![5, 6, 7, 8]]));
        let mirrored = Case { steps: [(0, u32::MAX), ONE], start: [(0x8000_0000, 3), (0, 0)], ..Case::PLAIN };
        assert_eq!(mirrored.run(&texels).1, [[4, 3, 2, 1], [8, 7, 6, 5]]);
        let beyond = Case { start: [(0, 2), (0, 1)], ..Case::PLAIN };
        assert_eq!(beyond.run(&texels).1, [[7, 8, 8, 8], [7, 8, 8, 8]]);
        let clipped = Case { more: &[(0x280, 1), (0x284, 1), (0x288, 2), (0x28C, 9), (0x290, 1)], ..Case::PLAIN };
        assert_eq!(clipped.run(&texels).1, [vec![0x1111_1111; 4], vec![0x1111_1111, 6, 7, 0x1111_1111]]);
    }

    #[test]
    fn four_texels_are_averaged() {
        // As the driver resolves four samples: two texels for each pixel, half a sample added.
        let texels: [&[u32]; 2] = [&[0, 100, 8, 8], &[40, 20, 0, 0]];
        let resolve = Case {
            formats: [0xF3, 0xF3],
            size: [1, 1],
            steps: [(0, 2); 2],
            start: [(0, 1); 2],
            more: &[(0x88C, 0x11), (0x248, 2)],
        };
        let bytes: Vec<Vec<u32>> = texels.iter().map(|row| vec![row[0] | row[1] << 8]).collect();
        let bytes: Vec<&[u32]> = bytes.iter().map(Vec::as_slice).collect();
        assert_eq!(resolve.run(&bytes).1, [[0x1111_1128]]);
    }

    #[test]
    fn formats_are_converted() {
        let texels: [&[u32]; 1] = [&[0x4080_00FF]];
        let size = [1, 1];
        let case = Case { formats: [0xD5, 0xCF], size, ..Case::PLAIN };
        assert_eq!(case.run(&texels).1, [[0x40FF_0080]]);
        let luminance = Case { formats: [0xF3, 0xD5], size, ..Case::PLAIN };
        assert_eq!(luminance.run(&texels).1, [[0xFFFF_FFFF]]);
        let red = Case { formats: [0xF3, 0xD5], size, more: &[(0x2AC, 5), (0x2A8, 0xFFFF_0000)], ..Case::PLAIN };
        assert_eq!(red.run(&texels).1, [[0xFF00_00FF]]);
        let alpha = Case { formats: [0xF7, 0xD5], size, ..Case::PLAIN };
        assert_eq!(alpha.run(&texels).1, [[0xFF00_0000]]);
        let bits = Case { size, more: &[(0x2AC, 4), (0x2A0, 0xCA), (0x2F4, 0xFF)], ..Case::PLAIN };
        assert_eq!(bits.run(&texels).1, [[0x1111_11FF]]);
    }

    #[test]
    fn what_is_not_done_is_refused() {
        let texels: [&[u32]; 1] = [&[1]];
        let size = [1, 1];
        let unknown = Case { formats: [0xD5, 0xFE], size, ..Case::PLAIN };
        assert_eq!(unknown.run(&texels).0, Err(BlitError::Format(0xFE)));
        let blending = Case { size, more: &[(0x2AC, 2)], ..Case::PLAIN };
        assert_eq!(blending.run(&texels).0, Err(BlitError::Operation(BlitOperation::BlendAnd)));
    }
}
