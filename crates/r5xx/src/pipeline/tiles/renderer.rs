//! Primitives on their way through a kernel: they are collected, by the tiles that they touch, and drawn tile by tile.

use super::components::PrimitiveSource;
use super::job::{TileJob, TileKernel};
use super::memory::{TileMemory, Worker};
use super::thread::{BoundKernel, TileThread};
use super::{Key, R5xx, TileState};
use crate::layout::SurfaceQuads;
use crate::pipeline::detiled::DetiledTextures;
use crate::pipeline::pixels::{Pixels, RasterPrimitive};
use ctm_card::DrawCounts;
use ctm_engine::Compiled;
use ctm_pipeline::{PixelCounts, Primitive, TileDraw, allows_pixels, spread};
use ctm_raster::covered::ShadingRate;
use ctm_raster::grid::Point;
use ctm_raster::tiles;
use ctm_x1k::RunError;
use std::cell::{RefCell, RefMut};
use std::sync::PoisonError;

/// Primitives that wait for their kernel.
pub struct TileRenderer<'s> {
    state: &'s TileState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, TileMemory>,
    key: Key,
    compiled: Compiled<Key, Option<TileKernel>>,
    /// Pixels around the primitives that wait.
    around: u64,
    /// What was done with pixels.
    counts: DrawCounts,
    /// What is drawn with instead of the textures, from some time on.
    in_rows: Option<DetiledKernel>,
}

/// Copies of textures, and a kernel that fetches from them.
struct DetiledKernel {
    copies: DetiledTextures,
    key: Key,
    compiled: Compiled<Key, Option<TileKernel>>,
}

impl<'s> TileRenderer<'s> {
    /// Begins, if there is a kernel.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(
        state: &'s TileState<'s>,
        pixels: &'s Pixels<'s>,
        memory: &'s RefCell<TileMemory>,
    ) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = memory.try_borrow_mut() else { return Ok(None) };
        let Some(planes) = memory.planes.first() else { return Ok(None) };
        let key = state.key(planes, None);
        let job = TileJob { state, key: &key, copies: None, planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if !compiled.run(&job, state.options)? {
            return Ok(None);
        }
        // A draw that was given up has left its own.
        memory.primitives.clear();
        let tile = memory.tile.unwrap_or_else(|| tiles::size_of(pixels.samples().count()));
        memory.tiles.begin(pixels.framebuffer(), tile);
        let (counts, around, in_rows) = (DrawCounts::default(), 0, None);
        Ok(Some(TileRenderer { state, pixels, memory, key, compiled, around, counts, in_rows }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, raster_primitive: &RasterPrimitive) -> Result<(), RunError> {
        if self.memory.primitives.are_full() {
            self.flush()?;
        }
        let area = self.pixels.area(raster_primitive.shape);
        if area.is_empty() {
            return Ok(());
        }
        self.around += u64::from(area.right - area.left) * u64::from(area.bottom - area.top);
        let TileMemory { primitives, tiles, .. } = &mut *self.memory;
        tiles.add(area, primitives.all.len() as u16);
        let depth = &raster_primitive.depth;
        let source = PrimitiveSource { inputs: raster_primitive.inputs, groups: &self.state.channels };
        let components = primitives.add_components(&source);
        primitives.all.push(Primitive {
            shape: raster_primitive.shape.clone(),
            area,
            shown: match raster_primitive.stipple {
                Some(stipple) => Some(Box::new(move |x, y| stipple.draws(x, y))),
                None => None,
            },
            origin: depth.setup.map_or(Point::default(), |setup| setup.origin()),
            depth: *depth.plane.plane(),
            range: [0.0, 1.0],
            facing: depth.facing,
            layer: 0,
            components,
        });
        Ok(())
    }

    /// What was done with pixels since this was asked for last.
    pub fn take_counts(&mut self) -> DrawCounts {
        std::mem::take(&mut self.counts)
    }

    /// Draws what waits.
    ///
    /// # Errors
    /// If the time is up.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if self.memory.tiles.touched() > 0 {
            let done = self.copy_textures().and_then(|()| self.draw_tiles());
            self.memory.primitives.clear();
            self.memory.tiles.clear();
            self.around = 0;
            let PixelCounts { covered, passed, shaded, .. } = done?;
            self.counts.add_pixels(DrawCounts { pixels: covered, fragments: shaded, passed, ..DrawCounts::default() });
        }
        Ok(())
    }

    /// Copies the textures in tiles, if what waits is worth it.
    fn copy_textures(&mut self) -> Result<(), RunError> {
        let TileRenderer { state, memory, .. } = self;
        let texels = DetiledTextures::texels(&state.textures);
        let pays = texels > 0 && self.around >= texels.saturating_mul(memory.pixels_per_texel);
        if self.in_rows.is_some() || !pays {
            return Ok(());
        }
        let Some(copies) = DetiledTextures::of(&state.textures, state.space, &mut memory.copies) else { return Ok(()) };
        let Some(planes) = memory.planes.first() else { return Ok(()) };
        let key = state.key(planes, Some(&copies));
        let job = TileJob { state, key: &key, copies: Some(&copies), planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if compiled.run(&job, state.options)? {
            self.in_rows = Some(DetiledKernel { copies, key, compiled });
        }
        Ok(())
    }

    fn draw_tiles(&mut self) -> Result<PixelCounts, RunError> {
        let TileRenderer { state, pixels, memory, key, compiled, in_rows, .. } = self;
        let kernel = &match in_rows {
            Some(DetiledKernel { copies, key, compiled }) => BoundKernel { key, compiled, copies: Some(copies) },
            None => BoundKernel { key, compiled, copies: None },
        };
        let pool = state.engine.runtime().workers();
        let pieces = (memory.tiles.touched() as u64).min(self.around.div_ceil(memory.pixels_per_thread));
        let threads = memory.reserve(pool.threads(state.options.threads, pieces));
        let TileMemory { primitives, tiles, planes, workers, places, .. } = &mut **memory;
        let mut placed = |quads: SurfaceQuads<'s>| quads.with_places(places, true);
        let depth = pixels.depth_tests(&mut placed);
        let targets = pixels.targets().iter().map(|target| (target, target.surface().quads(&mut placed)));
        let targets: Vec<_> = targets.collect();
        let uses_quads = kernel.compiled.kernels().and_then(Option::as_ref).is_none_or(|kernel| kernel.uses_quads);
        let rate = match !uses_quads && allows_pixels(&state.rules, pixels.targets().iter()) {
            true => ShadingRate::Pixels,
            false => ShadingRate::Quads,
        };
        let shown = |x, y| pixels.samples_shown(x, y);
        let draw = TileDraw::<R5xx> {
            primitives,
            tiles,
            components: state.planes,
            samples: pixels.samples(),
            shown: if pixels.shows_all() { None } else { Some(&shown) },
            depth,
            targets: &targets,
            rules: state.rules,
            rate,
        };
        let planes = &*planes;
        let begin = |number: usize, _: &Worker| Some(TileThread::new(state, kernel, planes.get(number)?));
        let work = |worker: &mut Worker, thread: &mut TileThread, tile: u32| {
            worker.counts.add(worker.tiles.draw(&draw, tile as usize, thread)?);
            Ok(())
        };
        let done = spread(Some(pool), &workers[..threads], tiles.touched() as u32, begin, work);
        let mut counts = PixelCounts::default();
        for worker in workers {
            let worker = worker.get_mut().unwrap_or_else(PoisonError::into_inner);
            counts.add(std::mem::take(&mut worker.counts));
        }
        done.map(|()| counts)
    }
}
