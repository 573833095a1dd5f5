//! Colour buffers (RB3D): their formats, blending, and what is written for a pixel.

use super::DrawError;
use super::rectangles::RectangleTarget;
use crate::layout::MicroTile;
use crate::registers::{
    Binding, GbAaConfig, Rb3dAblend, Rb3dCblend, Rb3dCctl, Rb3dColorChannelMask, Rb3dColoroffset, Rb3dColorpitch,
    Rb3dConstantColorAr, Rb3dConstantColorGb, Rb3dRopcntl, RegisterFile, UsOutFmt,
};
use crate::surface::{Surface, SurfaceForm};
use ctm_card::history::{Colour, WriteHistory, WriteOperation};
use ctm_memory::{Arena, Format as SurfaceFormat, Space};
use ctm_num::convert::f16_to_f32;
use ctm_pipeline::{BytesTask, Colours};
use ctm_raster::blend::{BlendEquation, BlendFactor, BlendFunction, BlendState, LogicOp};
use ctm_raster::bytes::{ByteColours, Rounded};
use ctm_raster::channel::{Channel, ChannelKind, Words};
use ctm_raster::colour::{ColourOperation, ColourState};
use ctm_raster::target::TargetFormat;
use ctm_x1k::OUTPUTS;

/// Colour buffers at most.
pub const TARGETS: u32 = 4;

/// `OUT_FMT` of an output that goes nowhere.
const UNUSED: u8 = 15;

/// A colour buffer that a draw writes.
pub struct ColourTarget<'a> {
    /// Its number.
    pub number: u32,
    surface: Surface<'a>,
    state: ColourState,
    /// The program's output that goes there.
    pub output: usize,
    /// Which of its channels each channel of the buffer is.
    selects: [usize; 4],
}

impl ColourTarget<'_> {
    /// Writes the samples of a mask of a pixel.
    pub fn write(&self, x: u32, y: u32, samples: u8, output: [u32; 4]) {
        if self.state.writes_nothing() {
            return;
        }
        let source = self.source(output);
        for sample in (0..self.surface.samples()).filter(|sample| samples >> sample & 1 != 0) {
            let memory = if self.state.reads_memory() { self.surface.read(x, y, sample) } else { [0; 4] };
            self.surface.write(x, y, sample, self.state.write(source, memory));
        }
    }

    /// The channels of the buffer that an output gives.
    fn source(&self, output: [u32; 4]) -> [u32; 4] {
        self.selects.map(|select| output[select])
    }

    /// What is stored for an output, where that does not depend on what is there.
    pub fn encode(&self, output: [u32; 4]) -> Words {
        self.state.write(self.source(output), [0; 4])
    }

    /// What would be stored of a sample.
    pub fn examine(&self, (x, y): (u32, u32), sample: u32, output: [u32; 4]) -> WriteHistory {
        let before = self.surface.read(x, y, sample);
        let mut written = [false; 4];
        for (n, select) in self.selects.into_iter().enumerate() {
            written[select] |= self.state.mask() >> n & 1 != 0;
        }
        WriteHistory {
            target: self.number,
            output: self.output,
            operation: match self.state.operation() {
                ColourOperation::Copy => WriteOperation::Copy,
                ColourOperation::BlendInteger { state, .. } | ColourOperation::BlendFloat(state) => {
                    WriteOperation::Blend {
                        colour: state.colour.formula(),
                        alpha: state.alpha.formula(),
                        source: output,
                        second: None,
                    }
                }
                ColourOperation::Logic { operation, .. } => WriteOperation::Logic(operation.0),
            },
            written,
            before: self.shown(before),
            result: self.shown(self.state.write(self.source(output), before)),
            after: self.shown(before),
        }
    }

    /// What is stored of a sample now.
    pub fn stored(&self, (x, y): (u32, u32), sample: u32) -> Colour {
        self.shown(self.surface.read(x, y, sample))
    }

    /// A stored pixel as red, green, blue, alpha. Those that the buffer lacks are 0, 0, 0, 1.
    fn shown(&self, words: Words) -> Colour {
        const ONE: u32 = 0x3F80_0000;
        let mut rgba = [0, 0, 0, ONE];
        for (channel, select) in self.state.format().channels.into_iter().zip(self.selects) {
            if let Some(channel) = channel {
                rgba[select] = channel.decode(channel.extract(&words));
            }
        }
        Colour { words, rgba, is_integer: false }
    }

    /// The buffer.
    pub fn surface(&self) -> &Surface<'_> {
        &self.surface
    }

    /// Writes a pixel's only sample.
    #[inline]
    pub fn put(&self, x: u32, y: u32, words: Words) {
        self.surface.write(x, y, 0, words);
    }

    /// Whether what is stored depends on what is there.
    pub fn reads(&self) -> bool {
        self.state.reads_memory()
    }

    /// The channels of the buffer, each with the output's channel that it is.
    pub fn channels_of_outputs(&self) -> [Option<(usize, Channel)>; 4] {
        let channels = self.state.format().channels;
        std::array::from_fn(|n| channels[n].map(|channel| (self.selects[n], channel)))
    }

    /// The buffer as a surface that kernels write, of so many rows, if it can be one.
    pub fn area(&self, space: &Space, height: u32) -> Option<RectangleTarget> {
        let format = match (self.state.format(), self.selects) {
            (format, _) if *format == wide(4, 8, ChannelKind::Unorm) => SurfaceFormat::Uint8_4,
            (format, _) if *format == wide(16, 32, ChannelKind::Float32) => SurfaceFormat::Float32_4,
            (format, _) if *format == one(4, 0, 32, ChannelKind::Float32) => SurfaceFormat::Float32_1,
            _ => return None,
        };
        let surface = self.surface.area(space, height, format)?;
        Some(RectangleTarget { output: self.output, selects: self.selects, surface })
    }

    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        !self.state.writes_nothing()
    }
}

impl ctm_pipeline::ColourTarget for ColourTarget<'_> {
    fn output(&self) -> usize {
        self.output
    }

    fn second(&self) -> Option<usize> {
        None
    }

    fn keeps(&self) -> bool {
        self.reads()
    }

    fn stores_vectors(&self) -> bool {
        let is_whole = *self.state.format() == wide(16, 32, ChannelKind::Float32) && self.selects == [0, 1, 2, 3];
        is_whole && !self.reads()
    }

    fn has_bytes(&self) -> bool {
        ByteColours::of(&self.state).is_some()
    }

    #[inline(always)]
    fn with_bytes(&self, task: impl BytesTask) {
        let (Some(colours), components) = (ByteColours::of(&self.state), self.selects) else { return };
        if let Some(bytes) = colours.over() {
            task.run(Rounded { components, bytes });
        } else if let Some(bytes) = colours.copied() {
            task.run(Rounded { components, bytes });
        } else {
            task.run(Rounded { components, bytes: &colours });
        }
    }

    #[inline(always)]
    fn merged<const N: usize>(&self, colours: &Colours<N>, _: Option<&Colours<N>>, memory: &Colours<N>) -> Colours<N> {
        let [a, b, c, d] = self.selects.map(|select| &colours[select]);
        let mut new = [[0; N]; 4];
        for n in 0..N {
            let stored = self.state.write([a[n], b[n], c[n], d[n]], memory.map(|words| words[n]));
            new.iter_mut().zip(stored).for_each(|(new, word)| new[n] = word);
        }
        new
    }
}

/// Samples of a pixel.
pub fn samples(registers: &RegisterFile) -> u32 {
    let config = registers.get::<GbAaConfig>();
    if config.enable { [2, 3, 4, 6][usize::from(config.samples & 3)] } else { 1 }
}

/// The colour buffers that a draw writes.
///
/// # Errors
/// If one has a format that the card does not have.
pub fn targets<'a>(registers: &RegisterFile, memory: &'a Arena) -> Result<Vec<ColourTarget<'a>>, DrawError> {
    let multiwrites = u32::from(registers.get::<Rb3dCctl>().multiwrites);
    let mut targets = Vec::new();
    for number in 0..TARGETS {
        let (output, form) = match number <= multiwrites {
            true => (0, registers.at::<UsOutFmt>(0)),
            false => (number as usize, registers.at::<UsOutFmt>(number)),
        };
        if form.format == UNUSED || output >= OUTPUTS {
            continue;
        }
        let Some(binding) = registers.binding::<Rb3dColoroffset>(number) else { continue };
        let pitch = registers.at::<Rb3dColorpitch>(number);
        let format = BufferFormat::of(pitch.format, form)
            .ok_or(DrawError::ColourFormat { colour: pitch.format, output: form.format })?;
        let surface =
            surface(memory, binding, &pitch, u32::from(pitch.pitch) * 2, format.format.bytes, samples(registers));
        targets.push(ColourTarget {
            number,
            surface,
            state: format.state(registers, channel_mask(registers, number)),
            output,
            selects: format.selects,
        });
    }
    Ok(targets)
}

/// A buffer that registers describe.
pub(super) fn surface<'a>(
    memory: &'a Arena,
    binding: Binding,
    form: &Rb3dColorpitch,
    pitch: u32,
    bytes: u32,
    samples: u32,
) -> Surface<'a> {
    let micro_tile = MicroTile::of(form.micro_tile);
    let form = SurfaceForm { pitch, macro_tile: form.macro_tile, micro_tile, bytes, samples };
    Surface::new(memory, binding, binding.value & !31, form)
}

fn channel_mask(registers: &RegisterFile, target: u32) -> u8 {
    let masks = registers.get::<Rb3dColorChannelMask>();
    match (registers.get::<Rb3dCctl>().independent_masks, target) {
        (false, _) | (true, 0) => masks.mask_0,
        (true, 1) => masks.mask_1,
        (true, 2) => masks.mask_2,
        (true, _) => masks.mask_3,
    }
}

/// Four channels of this width, in order.
fn wide(bytes: u32, width: u32, kind: ChannelKind) -> TargetFormat {
    let channels = std::array::from_fn(|n| Some(Channel::new(n as u32 * width, width, kind)));
    TargetFormat { bytes, channels }
}

/// One channel, of this number.
fn one(bytes: u32, channel: usize, width: u32, kind: ChannelKind) -> TargetFormat {
    let mut channels = [None; 4];
    channels[channel] = Some(Channel::new(0, width, kind));
    TargetFormat { bytes, channels }
}

/// The form of a colour buffer with what its channels are.
pub(super) struct BufferFormat {
    pub(super) format: TargetFormat,
    /// Bits of a channel while it is blended; `None` if colours of this form are not blended.
    blended: Option<u32>,
    selects: [usize; 4],
    /// The channel that holds the only value of a buffer that has one.
    single: Option<usize>,
    /// Which bit of the channel mask is that of each channel.
    mask_bits: [u8; 4],
}

/// The bits of the channel mask of buffers of two channels wider than a byte: those of the same colours in the form of two bytes, whose
/// first byte is C2 and whose second is C0 (Mesa's r300 driver sets masks so; `fbo-colormask-formats` passes on cards).
const TWO_CHANNEL_MASK: [u8; 4] = [2, 0, 0, 0];

impl BufferFormat {
    /// Of a `COLORFORMAT` and an output's form.
    pub(super) fn of(colour: u8, output: UsOutFmt) -> Option<Self> {
        let codes = [output.c0, output.c1, output.c2, output.c3];
        // 0 alpha, 1 red, 2 green, 3 blue.
        let selects = codes.map(|code| [3, 0, 1, 2][usize::from(code & 3)]);
        let signed = output.signed != 0;
        let fraction = if signed { ChannelKind::Snorm } else { ChannelKind::Unorm };
        let packed = |bytes, widths: [u32; 4]| {
            let mut at = 0;
            let channels = widths.map(|width| {
                let channel = (width > 0).then(|| Channel::new(at, width, ChannelKind::Unorm));
                at += width;
                channel
            });
            TargetFormat { bytes, channels }
        };
        // The second of two channels is C2 if only that one has a select.
        let second = if codes[1] == 0 && codes[2] != 0 { 2 } else { 1 };
        let two = |bytes, width, kind| {
            let mut channels = [None; 4];
            channels[0] = Some(Channel::new(0, width, kind));
            channels[second] = Some(Channel::new(width, width, kind));
            TargetFormat { bytes, channels }
        };
        let bits = if output.format == 1 { 10 } else { 8 };
        let (format, blended, single) = match (colour, output.format) {
            (3, _) => (packed(2, [5, 5, 5, 1]), Some(bits), None),
            (4, _) => (packed(2, [5, 6, 5, 0]), Some(bits), None),
            (5, _) => (packed(4, [10, 10, 10, 2]), Some(10), None),
            (6, 19) => (one(4, 0, 32, ChannelKind::Float32), None, Some(0)),
            (6, 17) => (two(4, 16, ChannelKind::Float16), Some(16), None),
            (6, 4) => (two(4, 16, fraction), None, None),
            (6, _) if signed => (wide(4, 8, ChannelKind::Snorm), None, None),
            (6, _) => (wide(4, 8, ChannelKind::Unorm), Some(bits), None),
            (7, _) => (wide(16, 32, ChannelKind::Float32), None, None),
            (9, _) if signed => (one(1, 2, 8, ChannelKind::Snorm), None, Some(2)),
            (9, _) => (one(1, 2, 8, ChannelKind::Unorm), Some(8), Some(2)),
            (10, 18) => (wide(8, 16, ChannelKind::Float16), Some(16), None),
            (10, 20) => (two(8, 32, ChannelKind::Float32), None, None),
            (10, _) => (wide(8, 16, fraction), None, None),
            (13, 3) => (one(2, 0, 16, fraction), None, Some(0)),
            (13, 16) => (one(2, 0, 16, ChannelKind::Float16), Some(16), Some(0)),
            (13, _) => {
                let kind = fraction;
                let mut channels = [None; 4];
                (channels[2], channels[0]) = (Some(Channel::new(0, 8, kind)), Some(Channel::new(8, 8, kind)));
                (TargetFormat { bytes: 2, channels }, (!signed).then_some(8), None)
            }
            (15, _) => (packed(2, [4, 4, 4, 4]), Some(bits), None),
            _ => return None,
        };
        let is_two = matches!((colour, output.format), (6, 4 | 17) | (10, 20));
        let mask_bits = if is_two { TWO_CHANNEL_MASK } else { [0, 1, 2, 3] };
        Some(BufferFormat { format, blended, selects, single, mask_bits })
    }

    /// Whether channels are binary16 numbers.
    fn is_half(&self) -> bool {
        self.format.channels.iter().flatten().any(|channel| channel.kind() == ChannelKind::Float16)
    }

    fn is_unsigned(&self) -> bool {
        self.format.channels.iter().flatten().all(|channel| channel.kind() == ChannelKind::Unorm)
    }

    fn state(&self, registers: &RegisterFile, mask: u8) -> ColourState {
        let blend = registers.get::<Rb3dCblend>();
        let logic = registers.get::<Rb3dRopcntl>();
        let bits = self.blended.filter(|_| self.is_unsigned()).unwrap_or(8);
        let operation = if logic.enable && self.is_unsigned() {
            ColourOperation::Logic { operation: LogicOp(logic.operation), bits: self.bits_of_logic(bits) }
        } else if blend.enable && self.blended.is_some() {
            let colour = equation(blend.function, blend.source, blend.destination);
            let alpha = registers.get::<Rb3dAblend>();
            let alpha = match blend.separate_alpha {
                true => equation(alpha.function, alpha.source, alpha.destination),
                false => colour,
            };
            let state = BlendState { colour, alpha };
            if self.is_half() {
                ColourOperation::BlendFloat(state)
            } else {
                ColourOperation::BlendInteger { state, bits }
            }
        } else {
            ColourOperation::Copy
        };
        let mask = (0..4).fold(0, |bits, channel| bits | (mask >> self.mask_bits[channel] & 1) << channel);
        ColourState::new(self.format, operation, mask, self.destination_alpha(), self.constant(registers, bits))
    }

    /// Bits of a channel before its bits are combined: 16 for formats that are not blended.
    fn bits_of_logic(&self, bits: u32) -> u32 {
        if self.blended.is_some() { bits } else { 16 }
    }

    /// The channel that is the destination's alpha, if the buffer has one.
    fn destination_alpha(&self) -> Option<usize> {
        if self.format.channels[3].is_some() {
            return Some(3);
        }
        (0..3).find(|&n| self.format.channels[n].is_some() && self.selects[n] == 3)
    }

    /// The constant of blending for each channel.
    fn constant(&self, registers: &RegisterFile, bits: u32) -> [u32; 4] {
        let (first, second) = (registers.get::<Rb3dConstantColorAr>(), registers.get::<Rb3dConstantColorGb>());
        let (red, green, blue, alpha) = (first.red, second.green, second.blue, first.alpha);
        let value = |constant: u16| match self.is_half() {
            true => f16_to_f32(constant),
            false => {
                let one = (1u32 << bits) - 1;
                (2 * u32::from(constant & 0x3FF) * one + 1023) / 2046
            }
        };
        let mut constants = [blue, green, red, alpha].map(value);
        if let Some(single) = self.single {
            constants[single] = value(green);
        }
        constants
    }
}

fn equation(function: u8, source: u8, destination: u8) -> BlendEquation {
    let (function, clamp) = match function {
        0 => (BlendFunction::Add, true),
        1 => (BlendFunction::Add, false),
        2 => (BlendFunction::Subtract, true),
        3 => (BlendFunction::Subtract, false),
        4 => (BlendFunction::Min, false),
        5 => (BlendFunction::Max, false),
        6 => (BlendFunction::ReverseSubtract, true),
        _ => (BlendFunction::ReverseSubtract, false),
    };
    BlendEquation { function, source: factor(source), destination: factor(destination), clamp }
}

/// `SRCBLEND` and `DESTBLEND`: the codes of Direct3D from 1, those of OpenGL from 32 on.
fn factor(code: u8) -> BlendFactor {
    match code {
        2 | 33 => BlendFactor::One,
        3 | 34 => BlendFactor::SourceColour,
        4 | 35 => BlendFactor::OneMinusSourceColour,
        5 | 38 => BlendFactor::SourceAlpha,
        6 | 39 => BlendFactor::OneMinusSourceAlpha,
        7 | 40 => BlendFactor::DestinationAlpha,
        8 | 41 => BlendFactor::OneMinusDestinationAlpha,
        9 | 36 => BlendFactor::DestinationColour,
        10 | 37 => BlendFactor::OneMinusDestinationColour,
        11 | 42 => BlendFactor::SourceAlphaSaturate,
        43 => BlendFactor::ConstantColour,
        44 => BlendFactor::OneMinusConstantColour,
        45 => BlendFactor::ConstantAlpha,
        46 => BlendFactor::OneMinusConstantAlpha,
        _ => BlendFactor::Zero,
    }
}

/// What a colour buffer shows.
impl ColourTarget<'_> {
    /// Pixels of a row of memory.
    pub fn pitch(&self) -> u32 {
        self.surface.pitch()
    }

    /// The card address of its first pixel.
    pub fn address(&self) -> Option<u32> {
        self.surface.address(0, 0, 0)
    }

    /// Whether there is a pixel in this column and row.
    pub fn has_pixel(&self, x: u32, y: u32) -> bool {
        self.surface.contains(x, y, 0)
    }

    /// The first sample of a pixel: red, green, blue, alpha. Those that the buffer lacks are 0, 0, 0, 1.
    pub fn read(&self, x: u32, y: u32) -> [u32; 4] {
        const ONE: u32 = 0x3F80_0000;
        let words = self.surface.read(x, y, 0);
        let mut colour = [0, 0, 0, ONE];
        for (output, channel) in self.channels_of_outputs().into_iter().flatten() {
            colour[output] = channel.decode(channel.extract(&words));
        }
        colour
    }
}
