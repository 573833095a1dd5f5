//! What stands around a fragment program, as lane IR: what quads bring, texture fetches, what the program gives.

use super::buffer_fetch::BufferFetch;
use super::planes::PLANES;
use super::{Component, Key};
use crate::pipeline::rectangles::fetch_texture;
use crate::tx::BufferTexture;
use ctm_lane::{Buffer, Builder, Channels, SurfaceDecl, Value};
use ctm_memory::Format;
use ctm_raster::sampler::{Sampler, TextureShape};
use ctm_x1k::lift::{FetchValues, FragmentEnvironment, FragmentInputs};
use ctm_x1k::{Body, INPUTS, OUTPUTS, TexOp};
use std::cell::{Cell, RefCell};

impl Key {
    fn place(b: &mut Builder, plane: usize) -> (Value, Value) {
        let (x, y, rows) = (b.pos_x(), b.pos_y(), b.constant(2 * plane as u32));
        (x, b.iadd(y, rows))
    }

    /// Without flow control fragments that are not covered compute what the others read of them.
    fn is_straight(&self) -> bool {
        !self.program.program.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)))
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
        // Planes that are read, and planes that are written.
        for _ in 0..2 {
            b.function.add_surface(SurfaceDecl { unit: false, whole: true });
        }
        for _ in self.key.in_buffers.iter().flatten() {
            b.function.add_buffer();
        }
        // Where no fragment is left, the program ends.
        if let Some(plane) = self.key.results.valid {
            let zero = b.constant(0);
            self.key.output(b, plane, zero);
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
        let results = &self.key.results;
        for (output, first) in outputs.iter().zip(results.outputs) {
            for (plane, value) in first.into_iter().flat_map(|first| (first..).zip(output)) {
                self.key.output(b, plane, *value);
            }
        }
        if let Some(plane) = results.depth {
            self.key.output(b, plane, depth);
        }
        if let Some(plane) = results.valid {
            let (one, zero) = (b.constant(1), b.constant(0));
            let valid = b.select(lanes, one, zero);
            self.key.output(b, plane, valid);
        }
    }
}
