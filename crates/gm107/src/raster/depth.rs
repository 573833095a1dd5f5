//! Depth and stencil tests.

use super::primitives::DepthUnit;
use super::target::TargetSurface;
use crate::format::DepthFormat;
use crate::methods::codes::{Comparison, StencilOperation as Code};
use crate::methods::{
    DepthBounds, DepthBoundsEn, DepthTestEnable, DepthTestFunc, DepthWriteEnable, StencilBackFuncFunc,
    StencilBackFuncMask, StencilBackFuncRef, StencilBackMask, StencilBackOpFail, StencilBackOpZfail,
    StencilBackOpZpass, StencilEnable, StencilFrontFuncFunc, StencilFrontFuncMask, StencilFrontFuncRef,
    StencilFrontMask, StencilFrontOpFail, StencilFrontOpZfail, StencilFrontOpZpass, StencilTwoSideEnable,
};
use crate::objects::Objects;
use crate::state::Methods;
use ctm_card::history::TestHistory;
use ctm_pipeline::{DepthForm, DepthPlanes, DepthTests, SurfaceQuads};
use ctm_raster::channel::Words;
use ctm_raster::depth::{
    CompareFunction, DepthNumbers, DepthState, DepthStencilResult, DepthStencilState, DepthStencilValue, Facing,
    StencilOperation, StencilState, key_of_float, test,
};
use ctm_raster::plane::nearest;

/// The function of a comparison.
pub const fn compare(code: Comparison) -> CompareFunction {
    match code {
        Comparison::Never => CompareFunction::Never,
        Comparison::Less => CompareFunction::Less,
        Comparison::Equal => CompareFunction::Equal,
        Comparison::LessEqual => CompareFunction::LessOrEqual,
        Comparison::Greater => CompareFunction::Greater,
        Comparison::NotEqual => CompareFunction::NotEqual,
        Comparison::GreaterEqual => CompareFunction::GreaterOrEqual,
        Comparison::Always => CompareFunction::Always,
    }
}

const fn operation(code: Code) -> StencilOperation {
    match code {
        Code::Keep => StencilOperation::Keep,
        Code::Zero => StencilOperation::Zero,
        Code::Replace => StencilOperation::Replace,
        Code::Increment => StencilOperation::IncrementClamp,
        Code::Decrement => StencilOperation::DecrementClamp,
        Code::Invert => StencilOperation::Invert,
        Code::IncrementWrap => StencilOperation::IncrementWrap,
        Code::DecrementWrap => StencilOperation::DecrementWrap,
    }
}

/// The tests of a draw, with the buffer that they read.
#[derive(Clone, Debug)]
pub struct DepthTest<'a> {
    surface: TargetSurface<'a>,
    format: DepthFormat,
    state: DepthStencilState,
    /// The least and the greatest stored depth.
    bounds: Option<[u32; 2]>,
}

impl<'a> DepthTest<'a> {
    /// Those of the methods; none if nothing is tested or written.
    pub fn of(methods: &Methods, objects: &'a Objects) -> Option<Self> {
        let (surface, format) = TargetSurface::depth(methods, objects)?;
        let depth = methods.get::<DepthTestEnable>().enable.then(|| DepthState {
            function: compare(methods.get::<DepthTestFunc>().func),
            write: methods.get::<DepthWriteEnable>().enable,
        });
        let has_stencil = format.stencil.is_some() && methods.get::<StencilEnable>().enable;
        let stencil = has_stencil.then(|| {
            let front = front(methods);
            [front, if methods.get::<StencilTwoSideEnable>().enable { back(methods) } else { front }]
        });
        let bounds = methods.get::<DepthBoundsEn>().enable.then(|| {
            let bound = |n: u32| stored(format, f64::from(f32::from_bits(methods.at::<DepthBounds>(n).value)));
            [bound(0), bound(1)]
        });
        let state = DepthStencilState { depth, stencil };
        (depth.is_some() || stencil.is_some() || bounds.is_some()).then_some(DepthTest {
            surface,
            format,
            state,
            bounds,
        })
    }

    /// The buffer.
    pub fn surface(&self) -> &TargetSurface<'a> {
        &self.surface
    }

    /// The same tests, with a buffer whose pixels of one sample lie there, as tiles make them; `None` if they do not.
    pub fn of_tiles<L>(&self, quads: SurfaceQuads<'a, L>) -> Option<DepthTests<'a, L>> {
        let form = form(self.format)?;
        let planes = DepthPlanes::Exact;
        let tests = DepthTests { state: self.state, form, planes, quads: vec![quads], passes_beyond: false };
        self.bounds.is_none().then_some(tests)
    }

    /// Tests a sample of a layer, and stores what changes; gives whether it passes.
    pub fn passes(&self, place: [u32; 2], layer: u32, depth: f64, facing: Facing) -> bool {
        self.tested(place, layer, depth, facing).is_some_and(|tested| tested.passed)
    }

    /// The same, and what there is to say about it, if a depth and a stencil value were compared.
    pub fn passes_noting(
        &self,
        place: [u32; 2],
        layer: u32,
        depth: f64,
        facing: Facing,
    ) -> (bool, Option<TestHistory>) {
        let Some(offset) = self.surface.offset(place, layer) else { return (false, None) };
        let before = self.stored_at(offset).1;
        let outcome = self.tested(place, layer, depth, facing);
        let history = outcome.map(|outcome| TestHistory {
            state: self.state,
            facing,
            numbers: self.format.numbers,
            before,
            incoming: stored(self.format, depth),
            outcome,
            after: self.stored_at(offset).1,
        });
        (outcome.is_some_and(|outcome| outcome.passed), history)
    }

    /// What is stored at an offset: its words, and what they mean. Floats are integers of the same order.
    fn stored_at(&self, offset: u64) -> (Words, DepthStencilValue) {
        let words = self.surface.read(offset);
        let (depth, stencil) = (self.format.depth(&words), self.format.stencil(&words).unwrap_or(0));
        let depth = match self.format.numbers {
            DepthNumbers::Fraction(_) => depth,
            DepthNumbers::OrderedFloat => key_of_float(depth),
        };
        (words, DepthStencilValue { depth, stencil })
    }

    /// Tests a sample of a layer, and stores what changes; `None` if there is none, or its depth is out of bounds.
    fn tested(&self, place: [u32; 2], layer: u32, depth: f64, facing: Facing) -> Option<DepthStencilResult> {
        let offset = self.surface.offset(place, layer)?;
        let (words, old) = self.stored_at(offset);
        if self.bounds.is_some_and(|[least, greatest]| old.depth < least || old.depth > greatest) {
            return None;
        }
        let result = test(&self.state, old, stored(self.format, depth), facing);
        let new = result.stored;
        if new != old {
            let new_depth = match self.format.numbers {
                DepthNumbers::Fraction(_) => new.depth,
                DepthNumbers::OrderedFloat => ctm_raster::depth::float_of_key(new.depth),
            };
            let (new, bits) = (self.format.words(new_depth, new.stencil), self.format.stored_bits(true, true));
            self.surface.write(offset, std::array::from_fn(|n| words[n] & !bits[n] | new[n] & bits[n]));
        }
        Some(result)
    }
}

/// A depth as it is compared: rounded, floats as integers of the same order.
fn stored(format: DepthFormat, depth: f64) -> u32 {
    match format.numbers {
        DepthNumbers::Fraction(bits) => {
            let max = u32::MAX >> (32 - bits);
            nearest(depth * f64::from(max), max)
        }
        // -0.0 is 0.0.
        DepthNumbers::OrderedFloat => key_of_float((depth as f32 + 0.0).to_bits()),
    }
}

/// How tiles see values of a format; `None` if they do not know it.
fn form(format: DepthFormat) -> Option<DepthForm> {
    Some(match (format.numbers, format.depth_shift, format.stencil) {
        (DepthNumbers::Fraction(16), 0, None) => DepthForm::Unorm16,
        (DepthNumbers::Fraction(24), 8, Some((0, 0))) => DepthForm::Stencil8Unorm24,
        (DepthNumbers::Fraction(24), 0, None) => DepthForm::Unorm24 { stencil: false },
        (DepthNumbers::Fraction(24), 0, Some((0, 24))) => DepthForm::Unorm24 { stencil: true },
        (DepthNumbers::OrderedFloat, 0, None) => DepthForm::Float { stencil: false },
        (DepthNumbers::Fraction(_) | DepthNumbers::OrderedFloat, ..) => return None,
    })
}

/// What a unit of depth offset is with the methods' depth buffer.
pub fn depth_unit(methods: &Methods, objects: &Objects) -> DepthUnit {
    match TargetSurface::depth(methods, objects).map(|(_, format)| format.numbers) {
        Some(DepthNumbers::OrderedFloat) => DepthUnit::Float,
        Some(DepthNumbers::Fraction(bits)) => DepthUnit::Fixed(f64::from(-(bits as i32)).exp2()),
        None => DepthUnit::Fixed(f64::from(-24).exp2()),
    }
}

fn front(methods: &Methods) -> StencilState {
    StencilState {
        function: compare(methods.get::<StencilFrontFuncFunc>().func),
        reference: methods.get::<StencilFrontFuncRef>().value,
        mask: methods.get::<StencilFrontFuncMask>().mask,
        write_mask: methods.get::<StencilFrontMask>().mask,
        fail: operation(methods.get::<StencilFrontOpFail>().operation),
        depth_fail: operation(methods.get::<StencilFrontOpZfail>().operation),
        pass: operation(methods.get::<StencilFrontOpZpass>().operation),
    }
}

fn back(methods: &Methods) -> StencilState {
    StencilState {
        function: compare(methods.get::<StencilBackFuncFunc>().func),
        reference: methods.get::<StencilBackFuncRef>().value,
        mask: methods.get::<StencilBackFuncMask>().mask,
        write_mask: methods.get::<StencilBackMask>().mask,
        fail: operation(methods.get::<StencilBackOpFail>().operation),
        depth_fail: operation(methods.get::<StencilBackOpZfail>().operation),
        pass: operation(methods.get::<StencilBackOpZpass>().operation),
    }
}
