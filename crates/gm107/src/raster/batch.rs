//! Fragments on their way through their program: what waits for a launch, and what a launch is given.

use super::Rasteriser;
use super::primitives::GRID;
use super::program::FragmentProgram;
use ctm_raster::coverage::{QUAD_PIXELS, Quad};
use ctm_raster::depth::Facing;
use ctm_raster::grid::Point;
use ctm_raster::plane::{Plane, PrimitiveSetup};
use ctm_sm50::AttributeMap;
use ctm_sm50::launch::{FRAGMENT_POSITION, Invocations, PixelInput, PixelQuad, Pixels, PrimitiveValues, StageLaunch};
use ctm_sm50::pipeline::inputs::InputPlane;
use ctm_sm50::pipeline::{DrawError, Stages};

/// Quads of a launch, about.
const BATCH_QUADS: usize = 1 << 14;
/// Inputs of all primitives of a launch, about.
const BATCH_PLANES: usize = 1 << 18;

/// What waits for a launch.
#[derive(Default)]
pub struct Pending {
    pub quads: Vec<PixelQuad>,
    /// The primitives of the quads.
    pub primitives: Vec<PendingPrimitive>,
    /// The inputs of one primitive after the other.
    pub planes: Vec<InputPlane>,
    /// The events of those quads whose pixel is watched, in the order of the quads.
    pub watched: Vec<usize>,
}

/// What is known of a primitive whose quads wait.
#[derive(Clone, Copy)]
pub struct PendingPrimitive {
    pub setup: PrimitiveSetup,
    pub depth: Plane,
    pub depth_range: [f64; 2],
    pub facing: Facing,
    pub layer: u32,
}

impl Pending {
    pub fn add(&mut self, primitive: PendingPrimitive) {
        self.primitives.push(primitive);
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let quads = self.quads.capacity() * size_of::<PixelQuad>();
        let planes = self.planes.capacity() * size_of::<InputPlane>();
        (quads + planes + self.primitives.capacity() * size_of::<PendingPrimitive>()) as u64
    }
}

impl PendingPrimitive {
    /// The depth at a place, in the bounds of the viewport.
    pub fn depth_at(&self, place: Point) -> f64 {
        let [least, greatest] = self.depth_range;
        // What is not a number is the least.
        self.depth.at(self.setup.offset(place)).max(least).min(greatest)
    }
}

impl Rasteriser<'_> {
    /// Rows of pixels that have as many quads as a launch, in an area of this width.
    pub fn rows_at_once(&self, width: u32) -> u32 {
        let quads = BATCH_QUADS as u32 / self.groups;
        2 * (quads / width.div_ceil(2).max(1)).max(1)
    }

    /// Whether enough waits for a launch.
    pub fn is_full(&self) -> bool {
        self.pending.quads.len() >= BATCH_QUADS || self.pending.planes.len() >= BATCH_PLANES
    }

    /// Adds a quad, once for each group of samples that the program runs for.
    pub fn add_quad(&mut self, quad: &Quad, primitive: u32) {
        let samples = quad.coverage.map(|coverage| self.samples_of(coverage));
        for group in 0..self.groups {
            let mask = self.group_samples(group);
            let lanes = (0..4).filter(|&lane| samples[lane] & mask != 0);
            let covered = lanes.fold(0, |bits, lane| bits | 1 << lane);
            if covered != 0 {
                let sample = group as u8;
                self.note_fragment(quad, samples, mask);
                self.pending.quads.push(PixelQuad { x: quad.x, y: quad.y, covered, primitive, samples, sample });
            }
        }
    }

    /// The samples of a group.
    pub fn group_samples(&self, group: u32) -> u8 {
        let own = (0..self.state.samples).filter(|sample| sample % self.groups == group);
        own.fold(0, |bits, sample| bits | 1 << sample)
    }

    /// Runs the program over what waits, and stores what its fragments leave.
    pub fn flush(&mut self, stages: &mut Stages) -> Result<(), DrawError> {
        if self.pending.quads.is_empty() {
            self.pending.primitives.clear();
            self.pending.planes.clear();
            self.pending.watched.clear();
            return Ok(());
        }
        let mut pending = std::mem::take(&mut self.pending);
        let covered: u32 = pending.quads.iter().map(|quad| quad.covered.count_ones()).sum();
        self.counts.draw.pixels += u64::from(covered);
        if self.tests_early {
            self.test_early(&mut pending);
            pending.quads.retain(|quad| quad.covered != 0);
        }
        let left: u32 = pending.quads.iter().map(|quad| quad.covered.count_ones()).sum();
        // Tests that are early for speed alone leave the numbers of fragments what they are.
        let counted = if self.is_forced_early { left } else { covered };
        self.counts.draw.fragments += u64::from(counted);
        self.counts.fragments += u64::from(counted);
        if left > 0 {
            match self.program.clone() {
                Some(program) => self.run(stages, &program, &pending)?,
                None => self.store_depths(&pending),
            }
        }
        let Pending { mut quads, mut primitives, mut planes, mut watched } = pending;
        quads.clear();
        primitives.clear();
        planes.clear();
        watched.clear();
        self.pending = Pending { quads, primitives, planes, watched };
        Ok(())
    }

    fn run(&mut self, stages: &mut Stages, program: &FragmentProgram, pending: &Pending) -> Result<(), DrawError> {
        let inputs = self.launch_inputs(program, pending);
        let pixels = Pixels::of_quads(pending.quads.clone(), &program.maps, inputs)?
            .with_samples(self.state.samples)
            .with_flat_colours(program.has_flat_colours);
        let invocations = Invocations { count: pixels.invocations(), columns: None };
        let launch = StageLaunch {
            pixels: Some(&pixels),
            ..StageLaunch::new(program.shader(), &self.environment, &invocations, AttributeMap::default())
        };
        stages.launch(&launch, pending.bytes())?;
        self.follow(stages, &launch, &pixels, pending);
        self.store(&pixels.result_columns(), pending);
        Ok(())
    }

    fn launch_inputs(&self, program: &FragmentProgram, pending: &Pending) -> Vec<(u32, PixelInput)> {
        let Pending { quads, primitives, planes, .. } = pending;
        let addresses = self.inputs.addresses();
        let count = addresses.len();
        let has_centroids = program.reads_centroids && self.state.is_multisampled;
        let mut inputs = Vec::with_capacity(count + 2);
        // Where each invocation looks, and where its primitive covers its pixel.
        let centres: Vec<Point> =
            quads.iter().flat_map(|quad| QUAD_PIXELS.map(|(x, y)| GRID.pixel_centre(quad.x + x, quad.y + y))).collect();
        let centroids: Vec<Point> = match has_centroids {
            true => quads.iter().flat_map(|quad| [0, 1, 2, 3].map(|lane| self.centroid(quad, lane))).collect(),
            false => Vec::new(),
        };
        for (n, address) in addresses.enumerate() {
            let of = |primitive: u32| &planes[primitive as usize * count + n];
            let mut values = PrimitiveValues::default();
            for primitive in 0..primitives.len() as u32 {
                values.slopes.push(of(primitive).slopes());
                values.provoking.push(of(primitive).provoking);
            }
            let at = |places: &[Point]| -> Vec<u32> {
                let both = places.as_chunks::<4>().0.iter().zip(quads);
                both.flat_map(|(places, quad)| {
                    let (plane, setup) = (of(quad.primitive), &primitives[quad.primitive as usize].setup);
                    places.map(|place| plane.at(setup.offset(place)))
                })
                .collect()
            };
            (values.centres, values.centroids) = (at(&centres), at(&centroids));
            inputs.push((address, PixelInput::Primitives(values)));
        }
        if has_centroids {
            inputs.extend(self.positions(&centres, &centroids, primitives.len()));
        }
        inputs
    }

    /// Where invocations are in the window, which programs can ask for at centroids as well.
    fn positions(&self, centres: &[Point], centroids: &[Point], primitives: usize) -> [(u32, PixelInput); 2] {
        [0, 1].map(|axis| {
            let pixels = |place: &Point| (if axis == 0 { place.x } else { place.y }) as f32 / GRID.per_pixel as f32;
            let of = |places: &[Point]| places.iter().map(|place| pixels(place).to_bits()).collect();
            let slope = if axis == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
            let values = PrimitiveValues {
                centres: of(centres),
                centroids: of(centroids),
                slopes: vec![slope; primitives],
                provoking: vec![0; primitives],
            };
            (FRAGMENT_POSITION + 4 * axis, PixelInput::Primitives(values))
        })
    }

    /// A place of a pixel that its primitive covers: the sample that the lane runs for; or the centre if all samples are covered or none is, else the
    /// lowest one that is.
    fn centroid(&self, quad: &PixelQuad, lane: usize) -> Point {
        let (x, y) = (quad.x + QUAD_PIXELS[lane].0, quad.y + QUAD_PIXELS[lane].1);
        let covered = quad.samples[lane];
        let sample = match self.groups {
            1 if covered == 0 || covered == self.all_samples => return GRID.pixel_centre(x, y),
            1 => covered.trailing_zeros(),
            _ => quad.sample.into(),
        };
        self.sample_place((x, y), sample)
    }

    /// Where a sample of a pixel is.
    pub fn sample_place(&self, (x, y): (u32, u32), sample: u32) -> Point {
        match self.places.get(sample as usize) {
            Some(&place) => GRID.inside(x, y, place),
            None => GRID.pixel_centre(x, y),
        }
    }
}
