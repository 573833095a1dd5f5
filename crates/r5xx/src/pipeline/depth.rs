//! Depth and stencil (ZB).

use super::targets::samples;
use super::window::MAX_DEPTH;
use crate::layout::{Layout, MicroTile, SurfaceQuads};
use crate::registers::codes::{StencilOp, ZFunction};
use crate::registers::{
    RegisterFile, ZbBwCntl, ZbCntl, ZbDepthclearvalue, ZbDepthoffset, ZbDepthpitch, ZbFormat, ZbStencilrefmask,
    ZbStencilrefmaskBf, ZbZstencilcntl,
};
use crate::surface::{Surface, SurfaceForm};
use ctm_card::history::TestHistory;
use ctm_memory::Arena;
use ctm_pipeline::{DepthForm, DepthPlanes, DepthTests};
use ctm_raster::channel::Words;
use ctm_raster::depth::{
    CompareFunction, DepthNumbers, DepthState, DepthStencilFill, DepthStencilState, DepthStencilValue, Facing,
    StencilOperation, StencilState, test,
};
use ctm_raster::grid::Rect;

/// The tests of a draw, and the buffer that they are made with.
pub struct DepthUnit<'a> {
    state: DepthStencilState,
    surface: Option<Surface<'a>>,
    sixteen_bits: bool,
}

impl<'a> DepthUnit<'a> {
    /// As the registers say.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Self {
        let (control, functions) = (registers.get::<ZbCntl>(), registers.get::<ZbZstencilcntl>());
        let sixteen_bits = registers.get::<ZbFormat>().format != 2;
        let depth =
            control.depth.then(|| DepthState { function: function(functions.depth), write: control.depth_write });
        let front = registers.get::<ZbStencilrefmask>();
        let own = registers.get::<ZbStencilrefmaskBf>();
        let (reference, mask, write_mask) = match control.two_references {
            true => (own.reference, own.mask, own.write_mask),
            false => (front.reference, front.mask, front.write_mask),
        };
        let front = StencilState {
            function: function(functions.front),
            reference: front.reference,
            mask: front.mask,
            write_mask: front.write_mask,
            fail: operation(functions.front_fail),
            depth_fail: operation(functions.front_depth_fail),
            pass: operation(functions.front_pass),
        };
        let back = match control.two_sided {
            true => StencilState {
                function: function(functions.back),
                fail: operation(functions.back_fail),
                depth_fail: operation(functions.back_depth_fail),
                pass: operation(functions.back_pass),
                ..front
            },
            false => front,
        };
        let back = StencilState { reference, mask, write_mask, ..back };
        // There is no stencil in buffers of 16 bits.
        let stencil = (control.stencil && !sixteen_bits).then_some([front, back]);
        let tests = depth.is_some() || stencil.is_some();
        DepthUnit {
            state: DepthStencilState { depth, stencil },
            surface: if tests { surface(registers, memory, samples(registers)) } else { None },
            sixteen_bits,
        }
    }

    /// The buffer that is bound, whether there are tests or not; for whoever looks at it.
    pub fn bound(registers: &RegisterFile, memory: &'a Arena) -> Option<Self> {
        let surface = surface(registers, memory, samples(registers))?;
        Some(DepthUnit { surface: Some(surface), ..Self::of(registers, memory) })
    }

    /// Depth, from 0 to 1, and stencil value of the first sample of a pixel, if there is such a pixel.
    pub fn held(&self, x: u32, y: u32) -> Option<(f32, u8)> {
        let DepthStencilValue { depth, stencil } = self.stored(self.buffer(x, y, 0)?, x, y, 0);
        let most = if self.sixteen_bits { 0xFFFF } else { MAX_DEPTH };
        Some(((f64::from(depth) / f64::from(most)) as f32, stencil))
    }

    /// Whether every sample passes, and nothing is written.
    pub fn is_off(&self) -> bool {
        self.surface.is_none()
    }

    /// The tests and the buffer as tiles see them, with places as `placed` gives them, if anything is tested.
    pub fn tests(&self, placed: impl FnOnce(SurfaceQuads<'a>) -> SurfaceQuads<'a>) -> Option<DepthTests<'a, Layout>> {
        Some(DepthTests {
            state: self.state,
            form: if self.sixteen_bits { DepthForm::Unorm16 } else { DepthForm::Stencil8Unorm24 },
            planes: DepthPlanes::Steps24,
            quads: self.surface.as_ref()?.quads(placed),
            passes_beyond: true,
        })
    }

    /// The buffer, if anything is tested.
    pub fn surface(&self) -> Option<&Surface<'a>> {
        self.surface.as_ref()
    }

    /// Whether the buffer holds depths of 16 bits, and no stencil.
    pub fn has_sixteen_bits(&self) -> bool {
        self.sixteen_bits
    }

    /// Tests the samples of a mask of a pixel, updates the buffer, and gives those that pass. `depth` gives the depth of each, of 24 bits.
    pub fn test(&self, x: u32, y: u32, mask: u8, facing: Facing, depth: impl Fn(u32) -> u32) -> u8 {
        let mut passed = 0;
        for sample in (0..u8::BITS).filter(|sample| mask >> sample & 1 != 0) {
            let Some(surface) = self.buffer(x, y, sample) else {
                passed |= 1 << sample;
                continue;
            };
            let stored = self.stored(surface, x, y, sample);
            let outcome = test(&self.state, stored, self.incoming(depth(sample)), facing);
            if outcome.stored != stored {
                let DepthStencilValue { depth, stencil } = outcome.stored;
                let word = if self.sixteen_bits { depth } else { depth << 8 | u32::from(stencil) };
                surface.write(x, y, sample, [word, 0, 0, 0]);
            }
            passed |= u8::from(outcome.passed) << sample;
        }
        passed
    }

    /// What is stored for all pixels of a primitive of this depth, which all pass, if both are so. Pixels have one sample.
    pub fn fill(&self, depth: u32, facing: Facing) -> Option<DepthFill<'_>> {
        let Some(surface) = &self.surface else { return Some(DepthFill { surface: None, word: 0, bits: 0 }) };
        let DepthStencilFill { depth, stencil, stencil_bits } = self.state.fill(self.incoming(depth), facing)?;
        let depth_bits = if depth.is_some() { u32::MAX } else { 0 };
        let (word, bits) = match self.sixteen_bits {
            true => (depth.unwrap_or_default(), depth_bits & 0xFFFF),
            false => (depth.unwrap_or_default() << 8 | u32::from(stencil), depth_bits << 8 | u32::from(stencil_bits)),
        };
        Some(DepthFill { surface: Some(surface), word, bits })
    }

    /// The buffer, if it has this sample of a pixel.
    fn buffer(&self, x: u32, y: u32, sample: u32) -> Option<&Surface<'a>> {
        self.surface.as_ref().filter(|surface| surface.contains(x, y, sample))
    }

    #[inline]
    fn stored(&self, surface: &Surface, x: u32, y: u32, sample: u32) -> DepthStencilValue {
        let word = surface.read(x, y, sample)[0];
        match self.sixteen_bits {
            true => DepthStencilValue { depth: word, stencil: 0 },
            false => DepthStencilValue { depth: word >> 8, stencil: word as u8 },
        }
    }

    /// A depth of 24 bits in units of the buffer.
    #[inline]
    fn incoming(&self, depth: u32) -> u32 {
        if self.sixteen_bits { depth >> 8 } else { depth.min(MAX_DEPTH) }
    }

    /// What the tests of a sample would do, if there are some.
    pub fn examine(&self, (x, y): (u32, u32), sample: u32, facing: Facing, depth: u32) -> Option<TestHistory> {
        let before = self.stored(self.buffer(x, y, sample)?, x, y, sample);
        let incoming = self.incoming(depth);
        let outcome = test(&self.state, before, incoming, facing);
        let numbers = DepthNumbers::Fraction(if self.sixteen_bits { 16 } else { 24 });
        Some(TestHistory { state: self.state, facing, numbers, before, incoming, outcome, after: before })
    }

    /// Sets what is stored now.
    pub fn complete(&self, (x, y): (u32, u32), sample: u32, history: &mut TestHistory) {
        if let Some(surface) = self.buffer(x, y, sample) {
            history.after = self.stored(surface, x, y, sample);
        }
    }
}

/// What is stored for all pixels of a primitive alike.
pub struct DepthFill<'s> {
    surface: Option<&'s Surface<'s>>,
    word: u32,
    /// The bits that are stored.
    bits: u32,
}

impl DepthFill<'_> {
    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.surface.is_none() || self.bits == 0
    }

    /// Stores it for a rectangle of pixels.
    pub fn rectangle(&self, area: Rect) {
        if let Some(surface) = self.surface.filter(|_| self.bits != 0) {
            surface.fill_rectangle(area, self.word, self.bits);
        }
    }

    /// Stores it for a pixel.
    pub fn pixel(&self, x: u32, y: u32) {
        let area = Rect { left: x, top: y, right: x + 1, bottom: y + 1 };
        self.rectangle(area);
    }
}

fn surface<'a>(registers: &RegisterFile, memory: &'a Arena, samples: u32) -> Option<Surface<'a>> {
    let binding = registers.binding::<ZbDepthoffset>(0)?;
    let form = registers.get::<ZbDepthpitch>();
    let bytes = if registers.get::<ZbFormat>().format == 2 { 4 } else { 2 };
    let form = SurfaceForm {
        pitch: u32::from(form.pitch) * 4,
        macro_tile: form.macro_tile,
        micro_tile: MicroTile::of(form.micro_tile),
        bytes,
        samples,
    };
    Some(Surface::new(memory, binding, binding.value & !31, form))
}

/// The depth unit as a second writer of colour: each covered pixel gets one value.
pub struct ColourClear<'a> {
    surface: Surface<'a>,
    value: u32,
}

impl<'a> ColourClear<'a> {
    /// If it is set to clear.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Option<Self> {
        let clears = registers.get::<ZbBwCntl>().clears_colour;
        let value = registers.get::<ZbDepthclearvalue>().value;
        clears.then(|| surface(registers, memory, 1)).flatten().map(|surface| ColourClear { surface, value })
    }

    /// Clears a rectangle of pixels.
    pub fn rectangle(&self, area: Rect) {
        self.surface.fill_rectangle(area, self.value, u32::MAX);
    }

    /// What it writes, and where.
    pub fn examine(&self) -> (&Surface<'_>, Words) {
        (&self.surface, [self.value, 0, 0, 0])
    }

    /// Clears a pixel.
    pub fn pixel(&self, x: u32, y: u32) {
        self.surface.write(x, y, 0, [self.value, 0, 0, 0]);
    }
}

fn function(function: ZFunction) -> CompareFunction {
    match function {
        ZFunction::Never => CompareFunction::Never,
        ZFunction::Less => CompareFunction::Less,
        ZFunction::LessEqual => CompareFunction::LessOrEqual,
        ZFunction::Equal => CompareFunction::Equal,
        ZFunction::GreaterEqual => CompareFunction::GreaterOrEqual,
        ZFunction::Greater => CompareFunction::Greater,
        ZFunction::NotEqual => CompareFunction::NotEqual,
        ZFunction::Always => CompareFunction::Always,
    }
}

fn operation(operation: StencilOp) -> StencilOperation {
    match operation {
        StencilOp::Keep => StencilOperation::Keep,
        StencilOp::Zero => StencilOperation::Zero,
        StencilOp::Replace => StencilOperation::Replace,
        StencilOp::IncrementClamp => StencilOperation::IncrementClamp,
        StencilOp::DecrementClamp => StencilOperation::DecrementClamp,
        StencilOp::Invert => StencilOperation::Invert,
        StencilOp::IncrementWrap => StencilOperation::IncrementWrap,
        StencilOp::DecrementWrap => StencilOperation::DecrementWrap,
    }
}
