//! Colour targets: what is written of what pixel programs export.

use super::DrawError;
use super::blending::Blending;
use crate::format;
use crate::layout::{Layout, SurfaceQuads, sample_quads};
use crate::registers::codes::{NumberType, SpecialOp};
use crate::registers::{
    CbColorBase, CbColorControl, CbColorInfo, CbColorSize, CbColorView, CbShaderMask, CbTargetMask, PaScAaConfig,
    RegisterFile, RegisterType,
};
use ctm_card::history::{Colour, WriteHistory, WriteOperation};
use ctm_card::{ObjectBytes, Picture};
use ctm_memory::{Arena, BASE_ALIGNMENT, Format, Tiling};
use ctm_pipeline::{BytesTask, Colours, Layers};
use ctm_r700::VectorForm;
use ctm_raster::blend::LogicOp;
use ctm_raster::channel::Words;
use ctm_raster::float_bytes::FloatBytes;
use ctm_raster::pixel::{ComponentNumbers, PixelFormat};
use std::ops::Range;

/// Targets that there are.
pub const TARGETS: u32 = 8;
/// Truth table of a copy.
const COPY: u8 = 0xCC;
/// `TILE_MODE` of targets with several samples.
const SAMPLES: u8 = 2;

/// A sample of a pixel in a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplePlace {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
    /// The layer, from the first of those that are drawn to.
    pub layer: u32,
    /// The sample.
    pub sample: u32,
}

/// The card addresses of layers of a surface that begins with these bytes.
pub fn addresses(bytes: &ObjectBytes, layout: &Layout, layers: Layers) -> Range<u64> {
    let slice = layout.slice_bytes();
    let [begin, end] = [layers.first, layers.last.max(layers.first) + 1].map(|layer| u64::from(layer) * slice);
    let first = bytes.address(0, 0).map_or(0, u64::from);
    first + begin.min(bytes.size())..first + end.min(bytes.size())
}

/// Columns and rows of a surface of memory: coordinates beyond are others.
const MOST: u32 = 1 << 12;

/// Vectors from an address on, of so many columns and rows, as a surface of memory, if they can be one.
pub fn vector_surface(base: u32, form: VectorForm, [pitch, height]: [u32; 2]) -> Option<ctm_memory::Surface> {
    let format = match form {
        VectorForm::Dwords => Format::Float32_4,
        VectorForm::Bytes => Format::Uint8_4,
        // Surfaces have no format whose other numbers are 0.
        VectorForm::Scalar => return None,
    };
    let tiling = Tiling::Linear;
    let is_one = (1..=MOST).contains(&pitch)
        && (1..=MOST).contains(&height)
        && pitch.is_multiple_of(ctm_memory::Surface::pitch_granule(tiling, format))
        && base.is_multiple_of(BASE_ALIGNMENT);
    is_one.then_some(ctm_memory::Surface { base, pitch, height, tiling, superfine: false, format })
}

/// A target as a surface of pixels.
pub struct TargetSurface<'a> {
    /// What a pixel is.
    pub format: PixelFormat,
    layout: Layout,
    bytes: ObjectBytes<'a>,
    layers: Layers,
}

impl<'a> TargetSurface<'a> {
    /// Target `number`, if there is one.
    pub fn of(registers: &RegisterFile, memory: &'a Arena, number: u32) -> Result<Option<Self>, DrawError> {
        let info = registers.at::<CbColorInfo>(number);
        let (Some(binding), true) = (registers.binding::<CbColorBase>(number), info.format != 0) else {
            return Ok(None);
        };
        let not_known = || DrawError::Target { number, format: info.format, numbers: info.number_type };
        let format = format::target(info.format, info.number_type, info.comp_swap).ok_or_else(not_known)?;
        let size = registers.at::<CbColorSize>(number);
        let pitch = (u32::from(size.pitch_tile_max) + 1) * 8;
        let rows = (size.slice_tile_max + 1) * 64 / pitch;
        let layout = Layout::new(info.array_mode, pitch, rows, format.bytes).ok_or_else(not_known)?;
        let samples = if info.tile_mode == SAMPLES { samples(registers) } else { 1 };
        let offset = u32::try_from(u64::from(binding.value) << 8).unwrap_or(u32::MAX);
        let view = registers.at::<CbColorView>(number);
        Ok(Some(TargetSurface {
            format,
            layout: layout.with_samples(samples),
            bytes: ObjectBytes::new(memory, binding.object, offset),
            layers: Layers { first: view.slice_start.into(), last: view.slice_max.into() },
        }))
    }

    /// The same with so many samples.
    pub fn with_samples(self, samples: u32) -> Self {
        TargetSurface { layout: self.layout.with_samples(samples), ..self }
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        [self.layout.pitch(), self.layout.rows()]
    }

    /// Its quads of pixels.
    pub fn surface_quads(&self) -> SurfaceQuads<'a> {
        SurfaceQuads::new(self.layout, self.bytes, self.layers)
    }

    /// The quads of each of its samples, with places as `placed` gives them.
    pub fn sample_quads(&self, placed: impl Fn(SurfaceQuads<'a>) -> SurfaceQuads<'a>) -> Vec<SurfaceQuads<'a>> {
        sample_quads(self.layout, self.bytes, self.layers, placed)
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.layout.samples()
    }

    /// A layer as a surface of vectors that programs store themselves, if it can be one.
    pub fn vectors(&self, layer: u32) -> Option<ctm_memory::Surface> {
        let [columns, rows] = self.size();
        let offset = u64::from(self.layers.slice(layer)) * self.layout.slice_bytes();
        let bytes = u32::try_from(self.layout.slice_bytes()).ok()?;
        let base = self.bytes.address(offset, bytes)?;
        let form = VectorForm::Dwords;
        vector_surface(base, form, [columns, rows])
            .filter(|_| self.layout.is_linear() && self.layout.bytes() == form.bytes())
    }

    /// The card addresses of what is drawn to.
    pub fn addresses(&self) -> Range<u64> {
        addresses(&self.bytes, &self.layout, self.layers)
    }

    fn offset(&self, SamplePlace { x, y, layer, sample }: SamplePlace) -> u64 {
        self.layout.sample_offset(x, y, self.layers.slice(layer), sample)
    }

    /// The card address of a sample, if there is one.
    pub fn address(&self, place: SamplePlace) -> Option<u32> {
        let [columns, rows] = self.size();
        let is_inside = place.x < columns && place.y < rows;
        self.bytes.address(self.offset(place), self.layout.bytes()).filter(|_| is_inside)
    }

    /// What is stored; of a pixel with fewer samples the last one.
    pub fn read(&self, place: SamplePlace) -> Words {
        let sample = place.sample.min(self.samples() - 1);
        self.bytes.read(self.offset(SamplePlace { sample, ..place }), self.layout.bytes())
    }

    /// Stores it, if there is such a sample.
    pub fn write(&self, place: SamplePlace, words: Words) {
        if place.sample < self.samples() {
            self.bytes.write(self.offset(place), self.layout.bytes(), words);
        }
    }
}

/// Samples of pixels.
pub fn samples(registers: &RegisterFile) -> u32 {
    1 << registers.get::<PaScAaConfig>().msaa_num_samples
}

/// What happens to a colour between the program and memory.
pub enum TargetOperation {
    /// It is stored.
    Copy,
    /// It is blended with what is there.
    Blend(Blending),
    /// Its bits are combined with those that are there.
    Logic(LogicOp),
}

/// A target that a program draws to.
pub struct ColourTarget<'a> {
    /// Its number.
    number: u32,
    /// Which export goes there.
    pub output: usize,
    /// The one that is the second colour of blending, if that takes one.
    pub second: Option<usize>,
    /// Where it lies.
    pub surface: TargetSurface<'a>,
    /// Stored bits that are written.
    pub written: Words,
    /// What is stored depends on what is there.
    pub keeps: bool,
    /// What happens to colours.
    pub operation: TargetOperation,
}

impl<'a> ColourTarget<'a> {
    /// Target `number`, if there is one that is written to.
    pub fn of(registers: &RegisterFile, memory: &'a Arena, number: u32) -> Result<Option<Self>, DrawError> {
        let mask_of = |address: u32| (registers.value(address) >> (4 * number) & 0xF) as u8;
        let mask = mask_of(CbTargetMask::ADDRESS) & mask_of(CbShaderMask::ADDRESS);
        let control = registers.get::<CbColorControl>();
        if control.special_op != SpecialOp::Normal || mask == 0 {
            return Ok(None);
        }
        let Some(surface) = TargetSurface::of(registers, memory, number)? else { return Ok(None) };
        let info = registers.at::<CbColorInfo>(number);
        let is_integer = surface.format.is_integer();
        let blends = control.target_blend_enable >> number & 1 != 0 && !info.blend_bypass && !is_integer;
        let operation = match (blends, control.rop3) {
            (true, _) => TargetOperation::Blend(Blending::of(registers, number, control.per_mrt_blend, &info)?),
            (false, COPY) => TargetOperation::Copy,
            (false, _) if info.number_type == NumberType::Float => TargetOperation::Copy,
            (false, rop) => TargetOperation::Logic(LogicOp(rop & 0xF)),
        };
        let takes_second = matches!(&operation, TargetOperation::Blend(blending) if blending.takes_second());
        let output = if control.multiwrite_enable { 0 } else { number as usize };
        let written = surface.format.stored_bits(mask);
        let keeps = written != surface.format.stored_bits(0xF) || !matches!(operation, TargetOperation::Copy);
        Ok(Some(ColourTarget { number, output, second: takes_second.then_some(1), surface, written, keeps, operation }))
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.surface.size()
    }

    /// The target as a surface.
    pub fn surface(&self) -> &TargetSurface<'a> {
        &self.surface
    }

    /// What is stored.
    pub fn stored(&self, place: SamplePlace) -> Colour {
        self.shown(self.surface.read(place))
    }

    fn shown(&self, words: Words) -> Colour {
        let format = &self.surface.format;
        Colour { words, rgba: format.decode(&words), is_integer: format.is_integer() }
    }

    /// What writing a colour would do.
    pub fn history(&self, place: SamplePlace, colour: [u32; 4], second: [u32; 4]) -> WriteHistory {
        let format = &self.surface.format;
        let before = self.surface.read(place);
        WriteHistory {
            target: self.number,
            output: self.output,
            operation: match &self.operation {
                TargetOperation::Copy => WriteOperation::Copy,
                TargetOperation::Blend(blending) => {
                    let [of_colour, of_alpha] = blending.formulas();
                    let second = self.second.map(|_| second);
                    WriteOperation::Blend { colour: of_colour, alpha: of_alpha, source: colour, second }
                }
                TargetOperation::Logic(operation) => WriteOperation::Logic(operation.0),
            },
            written: std::array::from_fn(|n| {
                let of_channel = format.stored_bits(1 << n);
                of_channel.iter().zip(self.written).any(|(bits, written)| bits & written != 0)
            }),
            before: self.shown(before),
            result: self.shown(self.merged(colour, second, before)),
            after: self.shown(before),
        }
    }

    /// Writes a colour, for which blending may take a second one, to samples of a pixel. What does not depend on what is there is the same for
    /// all of them.
    pub fn write(&self, at: SamplePlace, samples: impl Iterator<Item = u32>, colour: [u32; 4], second: [u32; 4]) {
        let same = (!self.keeps).then(|| self.merged(colour, second, [0; 4]));
        for sample in samples {
            let place = SamplePlace { sample, ..at };
            self.surface.write(place, same.unwrap_or_else(|| self.merged(colour, second, self.surface.read(place))));
        }
    }

    /// What is stored where a colour is written to what memory holds.
    fn merged(&self, colour: [u32; 4], second: [u32; 4], memory: Words) -> Words {
        let format = &self.surface.format;
        let new = match &self.operation {
            TargetOperation::Copy => format.encode(colour),
            TargetOperation::Blend(blending) => format.encode(blending.apply(colour, second, format.decode(&memory))),
            TargetOperation::Logic(operation) => {
                let source = format.encode(colour);
                std::array::from_fn(|n| operation.apply(source[n], memory[n]))
            }
        };
        std::array::from_fn(|n| new[n] & self.written[n] | memory[n] & !self.written[n])
    }
}

impl ColourTarget<'_> {
    /// How colours are stored for eight pixels at a time, if pixels are bytes of a word.
    fn bytes(&self) -> Option<FloatBytes> {
        let blend = match &self.operation {
            TargetOperation::Copy => None,
            TargetOperation::Blend(blending) => Some(blending.of_fractions()?),
            TargetOperation::Logic(_) => return None,
        };
        FloatBytes::of(&self.surface.format, blend, self.written[0])
    }
}

impl ctm_pipeline::ColourTarget for ColourTarget<'_> {
    fn output(&self) -> usize {
        self.output
    }

    fn second(&self) -> Option<usize> {
        self.second
    }

    fn keeps(&self) -> bool {
        self.keeps
    }

    fn stores_vectors(&self) -> bool {
        !self.keeps && matches!(self.operation, TargetOperation::Copy) && self.surface.format.keeps_bits()
    }

    fn has_bytes(&self) -> bool {
        self.bytes().is_some()
    }

    #[inline(always)]
    fn with_bytes(&self, task: impl BytesTask) {
        let Some(bytes) = self.bytes() else { return };
        if let Some(over) = bytes.over() {
            task.run(over);
        } else if let Some(copied) = bytes.copied() {
            task.run(copied);
        } else {
            task.run(&bytes);
        }
    }

    /// As [`write`](ColourTarget::write) does it pixel by pixel.
    #[inline(always)]
    fn merged<const N: usize>(
        &self,
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
        memory: &Colours<N>,
    ) -> Colours<N> {
        let format = &self.surface.format;
        let mut new = match &self.operation {
            TargetOperation::Copy => format.encode_each(colours),
            TargetOperation::Blend(blending) => {
                format.encode_each(&blending.apply_each(colours, second, &format.decode_each(memory)))
            }
            TargetOperation::Logic(operation) => {
                let mut bits = format.encode_each(colours);
                let words = bits.as_flattened_mut().iter_mut().zip(memory.as_flattened());
                words.for_each(|(bits, memory)| *bits = operation.apply(*bits, *memory));
                bits
            }
        };
        if self.keeps {
            for ((new, memory), written) in new.iter_mut().zip(memory).zip(self.written) {
                new.iter_mut().zip(memory).for_each(|(new, memory)| *new = *new & written | memory & !written);
            }
        }
        new
    }
}

/// What a target holds, of the part inside of the window's scissor: the first samples of pixels. Integers are shown as numbers.
pub fn picture(
    registers: &RegisterFile,
    memory: &Arena,
    number: u32,
    [width, height]: [u32; 2],
) -> Result<Option<Picture>, DrawError> {
    if number >= TARGETS {
        return Ok(None);
    }
    let Some(target) = TargetSurface::of(registers, memory, number)? else { return Ok(None) };
    let [columns, rows] = target.size();
    let (width, height) = (width.min(columns), height.min(rows));
    let shown = |place: SamplePlace| {
        let values = target.format.decode(&target.read(place));
        std::array::from_fn(|n| match target.format.parts[n].map(|part| part.numbers()) {
            Some(ComponentNumbers::Uint) => (values[n] as f32).to_bits(),
            Some(ComponentNumbers::Sint) => (values[n] as i32 as f32).to_bits(),
            Some(ComponentNumbers::Plain | ComponentNumbers::Srgb | ComponentNumbers::Float) | None => values[n],
        })
    };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| SamplePlace { x, y, ..SamplePlace::default() }));
    let pixels = places.map(shown).collect();
    Ok((width > 0 && height > 0).then_some(Picture { width, height, pixels }))
}

impl std::fmt::Display for FormatName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:#x} with {}", self.0, self.1.name())
    }
}

/// A format in words.
pub struct FormatName(pub u8, pub NumberType);
