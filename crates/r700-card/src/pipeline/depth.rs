//! The depth buffer: tests of depth and stencil values. Coarse depth is not kept.

use super::DrawError;
use super::targets::{SamplePlace, addresses, samples};
use crate::layout::{Layout, SurfaceQuads, sample_quads};
use crate::registers::codes::{DepthFormat, Function, StencilOp};
use crate::registers::{
    DbDepthBase, DbDepthControl, DbDepthInfo, DbDepthSize, DbDepthView, DbStencilrefmask, DbStencilrefmaskBf,
    PaSuPolyOffsetBackOffset, PaSuPolyOffsetBackScale, PaSuPolyOffsetClamp, PaSuPolyOffsetDbFmtCntl,
    PaSuPolyOffsetFrontOffset, PaSuPolyOffsetFrontScale, RegisterFile,
};
use ctm_card::history::TestHistory;
use ctm_card::{DepthPicture, ObjectBytes};
use ctm_memory::Arena;
use ctm_pipeline::{DepthForm, DepthPlanes, DepthTests, Layers, with_reference};
use ctm_raster::channel::Words;
use ctm_raster::depth::{
    CompareFunction, DepthState, DepthStencilFill, DepthStencilState, DepthStencilValue, Facing, StencilOperation,
    StencilState, test,
};
use std::ops::Range;

/// The depth buffer as a surface.
pub struct DepthSurface<'a> {
    /// What is stored of a sample.
    pub format: DepthForm,
    layout: Layout,
    bytes: ObjectBytes<'a>,
    layers: Layers,
}

/// The depth buffer of a draw, and its tests.
pub struct DepthBuffer<'a> {
    /// The tests.
    pub state: DepthStencilState,
    /// What they test against.
    pub surface: DepthSurface<'a>,
}

/// What of a fragment is tested.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    /// Its depth.
    pub depth: f32,
    /// What depths are clamped to.
    pub range: [f32; 2],
    /// The stencil value that the program exports.
    pub reference: Option<u8>,
    /// Its primitive is seen from the front.
    pub front: bool,
}

/// How far polygons of one side are moved in depth.
#[derive(Clone, Copy, Debug)]
pub struct DepthOffset {
    /// Factor of the slope.
    scale: f32,
    /// Steps of the buffer's depth.
    steps: f32,
    /// The farthest; 0 is any.
    clamp: f32,
    format: PaSuPolyOffsetDbFmtCntl,
}

impl DepthOffset {
    /// Of the front faces, or of the back ones.
    pub fn of(registers: &RegisterFile, front: bool) -> Self {
        let (scale, steps) = match front {
            true => (registers.float::<PaSuPolyOffsetFrontScale>(), registers.float::<PaSuPolyOffsetFrontOffset>()),
            false => (registers.float::<PaSuPolyOffsetBackScale>(), registers.float::<PaSuPolyOffsetBackOffset>()),
        };
        let clamp = registers.float::<PaSuPolyOffsetClamp>();
        DepthOffset { scale: scale / 16.0, steps, clamp, format: registers.get() }
    }

    /// How far a polygon is moved whose depth changes at most by `slope` from pixel to pixel, and is at most `greatest`.
    pub fn distance(&self, slope: f64, greatest: f32) -> f64 {
        let bits = i32::from(self.format.poly_offset_neg_num_db_bits.cast_signed());
        let step = match self.format.poly_offset_db_is_float_fmt {
            false => 2f64.powi(bits),
            true => 2f64.powi((greatest.to_bits() >> 23 & 0xFF) as i32 - 127 + bits),
        };
        let distance = f64::from(self.scale) * slope + f64::from(self.steps) * step;
        match self.clamp {
            clamp if clamp > 0.0 => distance.min(clamp.into()),
            clamp if clamp < 0.0 => distance.max(clamp.into()),
            _ => distance,
        }
    }
}

impl DepthBuffer<'_> {
    /// Whether all pixels pass on either side, what is stored does not depend on what was, and pixels are words.
    pub fn passes_all(&self) -> bool {
        let fills = |facing| self.state.fill(0, facing).is_some();
        self.surface.format.bytes() == 4 && fills(Facing::Front) && fills(Facing::Back)
    }

    /// What becomes of words where all pixels [pass](Self::passes_all) with this depth: the bits of a word, and which of them are replaced.
    pub fn filled(&self, depth: f32, [least, most]: [f32; 2], facing: Facing) -> Option<(u32, u32)> {
        let form = self.surface.format;
        let DepthStencilFill { depth, stencil, stencil_bits } =
            self.state.fill(form.key(depth.max(least).min(most)), facing)?;
        let depth_bits = match (depth, form) {
            (None, _) => 0,
            (Some(_), DepthForm::Float { .. }) => u32::MAX,
            (Some(_), DepthForm::Unorm16 | DepthForm::Unorm24 { .. } | DepthForm::Stencil8Unorm24) => 0xFF_FFFF,
        };
        let stencil_bits = match form {
            DepthForm::Unorm24 { stencil: true } => u32::from(stencil_bits) << 24,
            DepthForm::Unorm24 { stencil: false }
            | DepthForm::Stencil8Unorm24
            | DepthForm::Unorm16
            | DepthForm::Float { .. } => 0,
        };
        let [word, ..] = form.store(DepthStencilValue { depth: depth.unwrap_or_default(), stencil });
        Some((word, depth_bits | stencil_bits))
    }
}

impl<'a> DepthSurface<'a> {
    /// The one that the registers name, if they name one.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Result<Option<Self>, DrawError> {
        let info = registers.get::<DbDepthInfo>();
        let format = match info.format {
            DepthFormat::None => return Ok(None),
            DepthFormat::Unorm16 => DepthForm::Unorm16,
            DepthFormat::UnormX24 => DepthForm::Unorm24 { stencil: false },
            DepthFormat::Unorm24Stencil8 => DepthForm::Unorm24 { stencil: true },
            DepthFormat::Float32 => DepthForm::Float { stencil: false },
            DepthFormat::Float32Stencil8 => DepthForm::Float { stencil: true },
            DepthFormat::FloatX24 | DepthFormat::Float24Stencil8 => {
                return Err(DrawError::NotYet { what: "a depth buffer of 24 bits, floating," });
            }
        };
        let Some(binding) = registers.binding::<DbDepthBase>(0) else { return Ok(None) };
        let size = registers.get::<DbDepthSize>();
        let pitch = (u32::from(size.pitch_tile_max) + 1) * 8;
        let rows = (size.slice_tile_max + 1) * 64 / pitch;
        let layout = Layout::new(info.array_mode, pitch, rows, format.bytes())
            .ok_or(DrawError::NotYet { what: "a depth buffer of this order" })?
            .with_samples(samples(registers));
        let offset = u32::try_from(u64::from(binding.value) << 8).unwrap_or(u32::MAX);
        let bytes = ObjectBytes::new(memory, binding.object, offset);
        let view = registers.get::<DbDepthView>();
        let layers = Layers { first: view.slice_start.into(), last: view.slice_max.into() };
        Ok(Some(DepthSurface { format, layout, bytes, layers }))
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        [self.layout.pitch(), self.layout.rows()]
    }

    /// The quads of each of its samples, with places as `placed` gives them.
    pub fn sample_quads(&self, placed: impl Fn(SurfaceQuads<'a>) -> SurfaceQuads<'a>) -> Vec<SurfaceQuads<'a>> {
        sample_quads(self.layout, self.bytes, self.layers, placed)
    }

    /// The card addresses of what is drawn to.
    pub fn addresses(&self) -> Range<u64> {
        addresses(&self.bytes, &self.layout, self.layers)
    }

    /// Bytes of a sample.
    pub fn sample_bytes(&self) -> u32 {
        self.layout.bytes()
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.layout.samples()
    }

    fn offset(&self, SamplePlace { x, y, layer, sample }: SamplePlace) -> u64 {
        self.layout.sample_offset(x, y, self.layers.slice(layer), sample)
    }

    /// What is stored.
    pub fn read(&self, place: SamplePlace) -> Words {
        self.bytes.read(self.offset(place), self.layout.bytes())
    }
}

/// What the bound depth buffer holds, of the part inside of the window's scissor, whether draws test with it or not.
pub fn picture(
    registers: &RegisterFile,
    memory: &Arena,
    [width, height]: [u32; 2],
) -> Result<Option<DepthPicture>, DrawError> {
    let Some(surface) = DepthSurface::of(registers, memory)? else { return Ok(None) };
    let [pitch, rows] = surface.size();
    let width = width.min(pitch);
    let place = |x, y| SamplePlace { x, y, layer: 0, sample: 0 };
    let is_there = |y| {
        let last = surface.offset(place(width.saturating_sub(1), y));
        surface.bytes.address(last, surface.layout.bytes()).is_some()
    };
    let height = (0..height.min(rows)).take_while(|&y| is_there(y)).count() as u32;
    let read = |(x, y)| surface.format.load(surface.read(place(x, y)));
    let stored: Vec<DepthStencilValue> = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(read).collect();
    let depths = stored.iter().map(|&stored| surface.format.depth(stored)).collect();
    let stencils = surface.format.has_stencil().then(|| stored.iter().map(|stored| stored.stencil).collect());
    Ok((width > 0 && height > 0).then_some(DepthPicture { width, height, depths, stencils }))
}

impl<'a> DepthBuffer<'a> {
    /// The depth buffer, if there is one and something is tested.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Result<Option<Self>, DrawError> {
        let Some(surface) = DepthSurface::of(registers, memory)? else { return Ok(None) };
        let state = state(registers, surface.format.has_stencil());
        Ok((state != DepthStencilState::default()).then_some(DepthBuffer { state, surface }))
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.surface.size()
    }

    /// What is stored of a sample.
    pub fn stored(&self, place: SamplePlace) -> DepthStencilValue {
        self.surface.format.load(self.surface.read(place))
    }

    /// Tests a sample, and stores what that leaves; whether it passes.
    pub fn test(&self, place: SamplePlace, incoming: &Incoming) -> bool {
        let TestHistory { before, outcome, .. } = self.history(place, incoming);
        if outcome.stored != before {
            let DepthSurface { format, layout, bytes, .. } = &self.surface;
            bytes.write(self.surface.offset(place), layout.bytes(), format.store(outcome.stored));
        }
        outcome.passed
    }

    /// The tests, with these quads of the buffer's samples.
    pub fn tests(&self, quads: Vec<SurfaceQuads<'a>>) -> DepthTests<'a, Layout> {
        let DepthBuffer { state, surface } = self;
        DepthTests { state: *state, form: surface.format, planes: DepthPlanes::Numbers, quads, passes_beyond: false }
    }

    /// What the tests of a sample do.
    pub fn history(&self, place: SamplePlace, incoming: &Incoming) -> TestHistory {
        let format = &self.surface.format;
        let before = self.stored(place);
        let Incoming { depth, range: [least, most], reference, front } = *incoming;
        let state = with_reference(self.state, reference);
        let incoming = format.key(depth.max(least).min(most));
        let facing = if front { Facing::Front } else { Facing::Back };
        let outcome = test(&state, before, incoming, facing);
        TestHistory { state, facing, numbers: format.numbers(), before, incoming, outcome, after: before }
    }
}

fn state(registers: &RegisterFile, has_stencil: bool) -> DepthStencilState {
    let control = registers.get::<DbDepthControl>();
    let depth = DepthState { function: function(control.zfunc), write: control.z_write_enable };
    let (masks, back_masks) = (registers.get::<DbStencilrefmask>(), registers.get::<DbStencilrefmaskBf>());
    let front = StencilState {
        function: function(control.stencilfunc),
        reference: masks.stencilref,
        mask: masks.stencilmask,
        write_mask: masks.stencilwritemask,
        fail: operation(control.stencilfail),
        depth_fail: operation(control.stencilzfail),
        pass: operation(control.stencilzpass),
    };
    let back = StencilState {
        function: function(control.stencilfunc_bf),
        reference: back_masks.stencilref_bf,
        mask: back_masks.stencilmask_bf,
        write_mask: back_masks.stencilwritemask_bf,
        fail: operation(control.stencilfail_bf),
        depth_fail: operation(control.stencilzfail_bf),
        pass: operation(control.stencilzpass_bf),
    };
    let stencil = [front, if control.backface_enable { back } else { front }];
    DepthStencilState {
        depth: control.z_enable.then_some(depth),
        stencil: (control.stencil_enable && has_stencil).then_some(stencil),
    }
}

/// A comparison of incoming with stored values.
pub fn function(code: Function) -> CompareFunction {
    match code {
        Function::Never => CompareFunction::Never,
        Function::Less => CompareFunction::Less,
        Function::Equal => CompareFunction::Equal,
        Function::LessEqual => CompareFunction::LessOrEqual,
        Function::Greater => CompareFunction::Greater,
        Function::NotEqual => CompareFunction::NotEqual,
        Function::GreaterEqual => CompareFunction::GreaterOrEqual,
        Function::Always => CompareFunction::Always,
    }
}

fn operation(code: StencilOp) -> StencilOperation {
    match code {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_steps_and_slopes() {
        let mut registers = crate::registers::after_reset();
        let mut write = |address: u32, value: f32| registers.write(address, value.to_bits());
        write(0x2_8E00, 32.0);
        write(0x2_8E04, 3.0);
        registers.write(0x2_8DF8, 0xE8);
        let distance = |registers: &RegisterFile| DepthOffset::of(registers, true).distance(0.25, 0.5);
        assert_eq!(distance(&registers), 0.5 + 3.0 / f64::from(1 << 24));
        registers.write(0x2_8DF8, 0x1E9);
        assert_eq!(distance(&registers), 0.5 + 3.0 / f64::from(1 << 24), "0.5 has exponent -1");
        registers.write(0x2_8DFC, 0.125f32.to_bits());
        assert_eq!((distance(&registers), DepthOffset::of(&registers, false).distance(1.0, 1.0)), (0.125, 0.0));
    }
}
