//! What is noted of the pixel that is watched, where it happens.

use super::Rasteriser;
use super::batch::Pending;
use super::cover::CoverRules;
use super::primitives::{Face, GRID, WindowCorner};
use super::target::TargetSurface;
use crate::history::vectors;
use crate::objects::Objects;
use crate::state::Methods;
use crate::targets::{TARGETS, shifts};
use ctm_card::history::{
    CoverageRejection, FragmentHistory, PrimitiveHistory, ProgramHistory, ProgramRun, TargetHistory, Vector,
    WindowVertex,
};
use ctm_lane::run::RunOptions;
use ctm_raster::coverage::{ConvexPolygon, EdgeRule, Quad, quads};
use ctm_raster::depth::Facing;
use ctm_raster::grid::Rect;
use ctm_sm50::launch::{FRAGMENT_POSITION, PixelPlace, PixelQuad, Pixels, StageLaunch};
use ctm_sm50::pipeline::Stages;
use ctm_sm50::reference::Reference;

/// The targets that a draw in this state writes, with where a pixel is in them.
pub fn targets_at(methods: &Methods, objects: &Objects, (x, y): (u32, u32)) -> Vec<TargetHistory> {
    let (across, down) = shifts(methods);
    let target = |number| {
        let (surface, _) = TargetSurface::colour(methods, objects, number)?;
        let address = surface.address([x << across, y << down], 0);
        Some(TargetHistory { number, address: address.and_then(|address| u32::try_from(address).ok()) })
    };
    (0..TARGETS).filter_map(target).collect()
}

/// A shape, as far as it is known from its corners; corners that repeat the first one are none.
pub fn shape_history(face: Face, corners: &[&WindowCorner]) -> PrimitiveHistory {
    let pixels = |at: i64| at as f64 / GRID.per_pixel as f64;
    let vertex = |corner: &WindowCorner| WindowVertex {
        x: pixels(corner.place.x),
        y: pixels(corner.place.y),
        depth: corner.depth as f32,
        bits: None,
        reciprocal: (corner.reciprocal as f32).to_bits(),
    };
    let (first, others) = corners.split_at(corners.len().min(1));
    let others = others.iter().filter(|corner| !std::ptr::eq(**corner, first[0]));
    let window = first.iter().chain(others).map(|corner| vertex(corner)).collect();
    let facing = Some(if face.is_front { Facing::Front } else { Facing::Back });
    PrimitiveHistory { window, facing, ..PrimitiveHistory::default() }
}

impl Rasteriser<'_> {
    /// Whether a lane of a quad is the pixel that is watched.
    pub fn is_watched(&self, quad: &PixelQuad, lane: usize) -> bool {
        self.probe.is_some_and(|probe| probe.lane_of((quad.x, quad.y)) == Some(lane))
    }

    /// Completes a fragment.
    pub fn amend(&self, event: usize, amend: impl FnOnce(&mut FragmentHistory)) {
        if let Some(probe) = self.probe {
            probe.amend(event, amend);
        }
    }

    /// Says of the events from this one on what their primitive is, which has this number and these records of vertices.
    pub fn name_primitive(&self, stages: &Stages, from: usize, (number, records): (u32, &[u32])) {
        if let (Some(probe), Some(origins)) = (self.probe, &stages.origins)
            && probe.events() > from
        {
            probe.name_primitive(from, (number, records), origins, stages.options);
        }
    }

    /// Notes a polygon whose side is not drawn, if it covers the pixel.
    pub fn note_culled(&self, face: Face, corners: &[WindowCorner]) {
        let Some(probe) = self.probe else { return };
        let (x, y) = probe.pixel();
        let places: Vec<_> = corners.iter().map(|corner| corner.place).collect();
        let Some(polygon) = ConvexPolygon::new(&places, EdgeRule::TOP_LEFT) else { return };
        let area = self.state.viewport(face.viewport).area.intersection(self.bounds);
        if area.contains(x, y) && self.covered(&polygon).is_some() {
            probe.begin_shape(shape_history(face, &corners.iter().collect::<Vec<_>>()));
            probe.push_culled();
        }
    }

    /// Notes a shape that covers the pixel, and does not draw it.
    pub fn note_hidden(&self, polygon: &ConvexPolygon, area: &Rect, rules: &CoverRules) {
        let Some((probe, quad)) = self.probe.and_then(|probe| Some((probe, self.covered(polygon)?))) else { return };
        let (x, y) = probe.pixel();
        let hidden = match () {
            () if !area.contains(x, y) => CoverageRejection::Scissor,
            () if self.kept(quad, rules).is_some() => return,
            () if self.state.rectangles.is_some() => CoverageRejection::ClipRule,
            () if rules.polygon_stipple.is_some() || rules.line_stipple.is_some() => CoverageRejection::Stipple,
            // It is outside of a round point.
            () => return,
        };
        let samples = probe.lane_of((quad.x, quad.y)).map_or(0, |lane| self.samples_of(quad.coverage[lane]));
        probe.push_fragment(samples, 0, Some(hidden), self.tests_early);
    }

    /// What of the pixel a polygon covers: a quad where nothing else is covered.
    fn covered(&self, polygon: &ConvexPolygon) -> Option<Quad> {
        let (x, y) = self.probe?.pixel();
        let mut found = None;
        let pixel = Rect { left: x, top: y, right: x.checked_add(1)?, bottom: y.checked_add(1)? };
        quads(GRID, polygon, &pixel, &self.places, |quad| found = Some(quad));
        found
    }

    /// Notes that these samples of the pixel are covered, of which those of a group are drawn to, if it is in this quad.
    pub fn note_fragment(&mut self, quad: &Quad, samples: [u8; 4], group: u8) {
        let Some(probe) = self.probe else { return };
        let Some(lane) = probe.lane_of((quad.x, quad.y)) else { return };
        let covered = samples[lane] & group;
        if covered != 0 {
            let visible = covered & self.fragment_state.mask();
            let hidden = (visible != covered).then_some(CoverageRejection::Screendoor);
            self.pending.watched.push(probe.push_fragment(covered, visible, hidden, self.tests_early));
        }
    }

    /// Runs the program of a launch once more for the pixel, and notes what it goes through.
    pub fn follow(&self, stages: &Stages, launch: &StageLaunch, pixels: &Pixels, pending: &Pending) {
        let Some(probe) = self.probe else { return };
        let lane = |quad: &PixelQuad| probe.lane_of((quad.x, quad.y)).filter(|lane| quad.covered >> lane & 1 != 0);
        let watched = pending.quads.iter().zip((0..).step_by(4)).filter_map(|(quad, n)| Some(n + lane(quad)? as u32));
        let (x, y) = probe.pixel();
        // A program that stores to memory runs only once.
        let stores = launch.shader.header.is_some_and(|header| header.does_global_store);
        let options = RunOptions { progress: None, counts: None, ..*stages.options };
        for (invocation, &event) in watched.zip(&pending.watched) {
            let results = pixels.result_columns();
            let run = (!stores).then(|| {
                probe.follow(&launch.shader, format!("pixel ({x}, {y})"), |observer| {
                    // Where it stops, its draw has stopped as well.
                    _ = Reference.follow(launch, &options, invocation, observer);
                })
            });
            let killed = !results.has(invocation);
            let register = |n: u32| results.register(invocation, n);
            let program = self.program_history(pixels, invocation, run.flatten(), killed, register);
            probe.amend(event, |fragment| fragment.program = Some(program));
        }
    }

    fn program_history(
        &self,
        pixels: &Pixels,
        invocation: u32,
        run: Option<ProgramRun>,
        killed: bool,
        register: impl Fn(u32) -> u32,
    ) -> ProgramHistory {
        // Pixels know their place themselves.
        let addresses = [FRAGMENT_POSITION, FRAGMENT_POSITION + 4].into_iter().chain(self.inputs.addresses());
        let input = |address| (address, pixels.input(address, invocation, PixelPlace::Centre));
        let colour = |(target, first): (usize, Option<u32>)| {
            let first = first.filter(|_| !killed && self.targets[target].is_some())?;
            Some(Vector::words(format!("RT{target}"), [0, 1, 2, 3].map(|component| register(first + component))))
        };
        let depth = self.outputs.depth().filter(|_| !killed).map(&register);
        let depths = depth.map(|depth| Vector::new("DEPTH", [depth, 0, 0, 0]));
        ProgramHistory {
            inputs: vectors(addresses.map(input)),
            constants: Vec::new(),
            run,
            trap: None,
            killed,
            outputs: self.outputs.colours().filter_map(colour).chain(depths).collect(),
            depth: depth.unwrap_or(0),
        }
    }

    /// The samples of a pixel whose places for coverage are covered as these bits say.
    pub fn samples_of(&self, coverage: u8) -> u8 {
        match self.state.is_multisampled {
            true => coverage,
            // Samples that are not covered by themselves are covered together.
            false if coverage & 1 != 0 => self.all_samples,
            false => 0,
        }
    }
}
