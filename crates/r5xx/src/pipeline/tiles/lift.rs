//! What stands around a fragment program, as lane IR: what quads bring, tests, what is stored for them.

use super::buffer_fetch::BufferFetch;
use super::merge::{LaneDepthStencil, alpha_test, depth_test, stored_words};
use super::planes::PLANES;
use super::{Component, DEPTH, FLAGS, Flags, Key};
use crate::pipeline::rectangles::fetch_texture;
use crate::tx::BufferTexture;
use ctm_lane::{Buffer, Builder, Channels, IntTest, Rounding, SurfaceDecl, Value};
use ctm_memory::Format;
use ctm_raster::sampler::{Sampler, TextureShape};
use ctm_x1k::lift::{FetchValues, FragmentEnvironment, FragmentInputs};
use ctm_x1k::{Body, INPUTS, OUTPUTS, TexOp};
use std::cell::{Cell, RefCell};

/// The greatest depth as a number.
const MAX_DEPTH: f64 = crate::pipeline::window::MAX_DEPTH as f64;

impl Key {
    fn place(b: &mut Builder, plane: usize) -> (Value, Value) {
        let (x, y, rows) = (b.pos_x(), b.pos_y(), b.constant(2 * plane as u32));
        (x, b.iadd(y, rows))
    }

    /// Without flow control fragments that are not covered compute what the others read of them.
    fn is_straight(&self) -> bool {
        !self.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)))
    }

    /// Whether what is fetched from a texture depends on coordinates of other fragments.
    fn needs_neighbours(&self, texture: &BufferTexture, op: TexOp) -> bool {
        match op {
            TexOp::Lod | TexOp::Dxdy => false,
            TexOp::Nop | TexOp::Ld | TexOp::Texkill | TexOp::Proj | TexOp::Lodbias | TexOp::Reserved7 => {
                texture.sampler.needs_level(&texture.shape)
            }
        }
    }

    /// The words of a plane that quads bring.
    fn input(&self, b: &mut Builder, plane: usize) -> Value {
        let surface = ctm_lane::Surface::new(self.texture_layouts.len());
        let (x, y) = Key::place(b, plane);
        let all = b.mask_constant(true);
        b.surface_load(surface, x, y, all)[0]
    }

    /// Sets the words of a plane of results.
    fn output(&self, b: &mut Builder, plane: usize, word: Value) {
        let surface = ctm_lane::Surface::new(self.texture_layouts.len() + 1);
        let (x, y) = Key::place(b, plane);
        let (lanes, zero) = (b.covered(), b.constant(0));
        b.surface_store(surface, Channels(1), x, y, word, zero, zero, zero, lanes);
    }

    /// The lanes of which a flag is set.
    fn flag(b: &mut Builder, flags: Value, flag: u32) -> Value {
        let (flag, zero) = (b.constant(flag), b.constant(0));
        let bit = b.and(flags, flag);
        b.icmp(IntTest::Ne, bit, zero)
    }

    /// The lanes that pass stencil and depth tests, and the word that is to be stored.
    fn test(&self, b: &mut Builder, flags: Value, program: Option<Value>) -> (Value, Option<Value>) {
        let Some(state) = &self.depth_stencil else { return (b.mask_constant(true), None) };
        let old = self.input(b, DEPTH);
        let incoming = match program {
            Some(depth) => code_of_depth(b, depth),
            None => {
                let bits = b.constant(Flags::DEPTH);
                b.and(flags, bits)
            }
        };
        let (eight, byte) = (b.constant(8), b.constant(0xFF));
        let is_back = Key::flag(b, flags, Flags::BACK);
        let (passed, word) = if self.sixteen_bits {
            let (incoming, stencil) = (b.shr(incoming, eight), b.constant(0));
            let (passed, new) = depth_test(b, state, LaneDepthStencil { depth: old, stencil }, incoming, is_back);
            (passed, new.depth)
        } else {
            let stored = LaneDepthStencil { depth: b.shr(old, eight), stencil: b.and(old, byte) };
            let (passed, new) = depth_test(b, state, stored, incoming, is_back);
            let depth = b.shl(new.depth, eight);
            (passed, b.or(depth, new.stencil))
        };
        // Where there is no buffer, everything passes.
        let exists = Key::flag(b, flags, Flags::EXISTS);
        let missing = b.mask_not(exists);
        (b.mask_or(passed, missing), Some(word))
    }
}

/// The nearest integer to the greatest depth times a value that is clamped to [0, 1], halves up. NaN gives 0.
fn code_of_depth(b: &mut Builder, depth: Value) -> Value {
    let mut number = |value: f64| {
        let bits = value.to_bits();
        (b.constant(bits as u32), b.constant((bits >> 32) as u32))
    };
    let (scale, half) = (number(MAX_DEPTH), number(0.5));
    let [low, high] = b.ftod(depth);
    let [low, high] = b.dmul(Rounding::Even, low, high, scale.0, scale.1);
    let [low, high] = b.dadd(Rounding::Even, low, high, half.0, half.1);
    let (code, most) = (b.dtou(low, high), b.constant(MAX_DEPTH as u32));
    b.umin(code, most)
}

/// What is worked out of a fetch before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefetchedValue {
    /// The level of detail.
    Level,
    /// Red, green, blue and alpha.
    Texel,
}

/// A texture fetch whose coordinates quads bring: something is worked out before the kernel runs, as the scalar pipeline does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// What.
    pub wanted: PrefetchedValue,
    /// Number of the texture.
    pub unit: u8,
    /// The operation.
    pub op: TexOp,
    /// Coordinates are in texels.
    pub unscaled: bool,
    /// S, T, R, Q.
    pub coordinates: [Component; 4],
}

/// A program on its way to a function.
pub struct Lifting<'k> {
    key: &'k Key,
    /// What values quads bring.
    components: RefCell<Vec<(Value, Component)>>,
    prefetches: RefCell<Vec<Prefetch>>,
    /// There is a fetch that cannot be done.
    fails: Cell<bool>,
}

impl<'k> Lifting<'k> {
    /// Begins.
    pub fn new(key: &'k Key) -> Self {
        Lifting { key, components: RefCell::default(), prefetches: RefCell::default(), fails: Cell::new(false) }
    }

    /// The fetches that have to be done before the kernel runs; their texels take four planes each after those of the key. `None` if there
    /// is a fetch that cannot be done.
    pub fn prefetches(self) -> Option<Vec<Prefetch>> {
        (!self.fails.get()).then(|| self.prefetches.into_inner())
    }

    /// The first plane of what is worked out of a fetch before, if its coordinates are what quads bring.
    fn prefetch(&self, wanted: PrefetchedValue, fetch: &FetchValues) -> Option<usize> {
        let components = self.components.borrow();
        let component = |value: Value| components.iter().find(|(other, _)| *other == value).map(|(_, found)| *found);
        let [s, t, r, q] = fetch.coordinates.map(component);
        let FetchValues { unit, op, unscaled, .. } = *fetch;
        let prefetch = Prefetch { wanted, unit, op, unscaled, coordinates: [s?, t?, r?, q?] };
        let mut prefetches = self.prefetches.borrow_mut();
        let place = prefetches.iter().position(|other| *other == prefetch).unwrap_or(prefetches.len());
        let plane = self.key.planes + 4 * place;
        if op == TexOp::Dxdy || plane + 4 > PLANES {
            return None;
        }
        if place == prefetches.len() {
            prefetches.push(prefetch);
        }
        Some(plane)
    }

    /// What comes before the program where tests are the kernel's: fragments that fail run no program.
    fn test_early(&self, b: &mut Builder) {
        let flags = self.key.input(b, FLAGS);
        let covered = Key::flag(b, flags, Flags::COVERED);
        let none = b.constant(0);
        let (lanes, result) = if self.key.early {
            let (passed, word) = self.key.test(b, flags, None);
            let passed = b.mask_and(covered, passed);
            if let Some(word) = word {
                self.key.output(b, DEPTH, word);
            }
            let (tested, counted) = (b.constant(Flags::TESTED), b.constant(Flags::TESTED | Flags::COUNTED));
            let result = b.select(covered, tested, none);
            (passed, b.select(passed, counted, result))
        } else {
            (covered, none)
        };
        self.key.output(b, FLAGS, result);
        let (run, leave) = (b.new_block(), b.new_block());
        b.branch_any(lanes, (run, &[]), (leave, &[]));
        b.seal(run);
        b.seal(leave);
        b.switch_to(leave);
        b.ret();
        b.switch_to(run);
    }

    /// The pixels whose colours are to be stored, where tests are the kernel's, and the word that says what became of them.
    fn test_late(&self, b: &mut Builder, lanes: Value, alpha: Value, depth: Value) {
        let flags = self.key.input(b, FLAGS);
        let covered = Key::flag(b, flags, Flags::COVERED);
        let mut live = b.mask_and(lanes, covered);
        if let Some(test) = &self.key.alpha {
            let passed = alpha_test(b, test, alpha);
            live = b.mask_and(live, passed);
        }
        let [none, tested, counted, written] =
            [0, Flags::TESTED, Flags::TESTED | Flags::COUNTED, Flags::TESTED | Flags::COUNTED | Flags::WRITTEN]
                .map(|flags| b.constant(flags));
        let result = if self.key.early {
            let (passed, _) = self.key.test(b, flags, None);
            let passed = b.mask_and(covered, passed);
            live = b.mask_and(live, passed);
            let result = b.select(covered, tested, none);
            b.select(passed, counted, result)
        } else {
            let (passed, word) = self.key.test(b, flags, self.key.depth_from_program.then_some(depth));
            if let Some(word) = word {
                self.key.output(b, DEPTH, word);
            }
            let result = b.select(live, tested, none);
            live = b.mask_and(live, passed);
            result
        };
        let result = b.select(live, written, result);
        self.key.output(b, FLAGS, result);
    }
}

impl FragmentEnvironment for Lifting<'_> {
    fn sampled(&self, unit: u8) -> Option<(&Sampler, &TextureShape)> {
        let texture = self.key.in_buffers[usize::from(unit) % INPUTS].as_ref().filter(|_| self.key.is_straight())?;
        Some((&texture.sampler, &texture.shape))
    }

    fn prologue(&self, b: &mut Builder) -> FragmentInputs {
        for layout in &self.key.texture_layouts {
            let unit = matches!(layout.surface.format, Format::Uint8_4 | Format::Uint16_1);
            b.function.add_surface(SurfaceDecl { unit, whole: layout.whole });
        }
        for _ in [FLAGS; 2] {
            b.function.add_surface(SurfaceDecl { unit: false, whole: true });
        }
        for _ in self.key.in_buffers.iter().flatten() {
            b.function.add_buffer();
        }
        if !self.key.is_tested {
            self.test_early(b);
        }
        let mut component = |component| {
            let value = match component {
                Component::Constant(bits) => b.constant(bits),
                Component::Plane(plane) => self.key.input(b, plane),
            };
            self.components.borrow_mut().push((value, component));
            value
        };
        let presets = self.key.presets.iter();
        let temporaries = presets.map(|&(temporary, components)| (temporary, components.map(&mut component))).collect();
        FragmentInputs { temporaries }
    }

    fn texture(&self, b: &mut Builder, fetch: &FetchValues, lanes: Value) -> [Value; 4] {
        let unit = usize::from(fetch.unit) % INPUTS;
        if self.key.textures[unit].is_some() {
            return fetch_texture(b, &self.key.textures, fetch, lanes);
        }
        if let Some(texture) = &self.key.in_buffers[unit] {
            let buffer = Buffer::new(self.key.in_buffers[..unit].iter().flatten().count());
            let source = BufferFetch { texture, buffer };
            if !self.key.needs_neighbours(texture, fetch.op) || self.key.is_straight() {
                return source.fetch(b, fetch, None, lanes);
            }
            if let Some(plane) = self.prefetch(PrefetchedValue::Level, fetch) {
                let level_of_detail = self.key.input(b, plane);
                return source.fetch(b, fetch, Some(level_of_detail), lanes);
            }
        } else if let Some(plane) = self.prefetch(PrefetchedValue::Texel, fetch) {
            return [0, 1, 2, 3].map(|channel| self.key.input(b, plane + channel));
        }
        self.fails.set(true);
        [b.constant(0); 4]
    }

    fn epilogue(&self, b: &mut Builder, lanes: Value, outputs: &[[Value; 4]; OUTPUTS], depth: Value) {
        if !self.key.is_tested {
            self.test_late(b, lanes, outputs[0][3], depth);
        }
        for target in &self.key.targets {
            let source = target.selects.map(|select| outputs[target.output][select]);
            let memory: Vec<Value> = target.memory.clone().map(|plane| self.key.input(b, plane)).collect();
            let words = stored_words(b, &target.state, source, &memory);
            for (plane, word) in target.results.clone().zip(words) {
                self.key.output(b, plane, word);
            }
        }
    }
}
