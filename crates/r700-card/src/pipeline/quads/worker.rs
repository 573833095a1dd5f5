//! A thread that draws quads: tests, runs of the program, colours.

use super::colour::Colours;
use super::depth::IncomingSquare;
use super::surface::Squares;
use super::values::Places;
use super::{Found, QUADS};
use crate::pipeline::DrawError;
use crate::pipeline::stage::{PixelStage, Regions, ShadedPrimitive};
use ctm_engine::Executor;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space, Words};
use ctm_r700::{Job, Region};

/// Rows of pixels that one thread draws.
const BAND: u32 = 16;
/// How many quads ahead memory is asked for.
const AHEAD: usize = 12;
/// Quads of a primitive whose places are worked out together.
const TOGETHER: usize = 16;

/// What threads have in common.
pub struct Shared<'d, 'a> {
    pub stage: &'d PixelStage<'a>,
    /// The depth buffer.
    pub depth: Option<&'d Squares<'d>>,
    /// The targets.
    pub targets: &'d [Squares<'d>],
    pub primitives: &'d [ShadedPrimitive],
    pub found: &'d [Found],
    /// What runs the program, if not the reference.
    pub executor: Option<&'d Executor>,
    /// How it runs in one thread.
    pub options: RunOptions<'static>,
    /// What it works on.
    pub arena: &'d Arena,
    pub space: &'d Space,
    /// In how many parts bands of rows are drawn.
    pub shares: u32,
}

/// A thread.
pub struct Worker {
    /// Where its program works.
    regions: Regions,
    /// Quads that passed early tests.
    waiting: Vec<Found>,
    /// Samples that passed tests.
    pub passed: u64,
}

impl Worker {
    /// One that works there.
    pub fn new(regions: Regions) -> Self {
        Worker { regions, waiting: Vec::new(), passed: 0 }
    }

    /// Draws the quads of this share, in their order.
    ///
    /// # Errors
    /// The program stops.
    pub fn draw(&mut self, shared: &Shared, share: u32) -> Result<(), DrawError> {
        let Some(mut job) = shared.stage.job(&self.regions, QUADS, shared.space) else { return Ok(()) };
        self.waiting.clear();
        let mut next = 0;
        while next < shared.found.len() {
            let (waiting, passed) = (&mut self.waiting, &mut self.passed);
            next = pulp::Arch::new().dispatch(Testing { shared, share, next, waiting, passed });
            self.shade(shared, &mut job)?;
        }
        Ok(())
    }

    /// Runs the program for the quads that wait, and uses what it exports.
    fn shade(&mut self, shared: &Shared, job: &mut Job) -> Result<(), DrawError> {
        let Worker { regions, waiting, passed } = self;
        let Some(domain) = Domain::of_size(2 * waiting.len() as u32, 2) else { return Ok(()) };
        pulp::Arch::new().dispatch(Interpolation { shared, regions, waiting });
        regions.clear_outputs(shared.arena, waiting.len());
        job.lanes = domain.into();
        match shared.executor {
            Some(executor) => executor.run(job, &shared.options)?,
            None => ctm_r700::reference::run(job, &shared.options)?,
        };
        pulp::Arch::new().dispatch(Storing { shared, regions, waiting, passed });
        waiting.clear();
        Ok(())
    }
}

/// Early tests, from quad `next` on, until enough quads wait; gives the quad behind.
struct Testing<'w, 'd, 'a> {
    shared: &'w Shared<'d, 'a>,
    share: u32,
    next: usize,
    waiting: &'w mut Vec<Found>,
    passed: &'w mut u64,
}

impl pulp::NullaryFnOnce for Testing<'_, '_, '_> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let Testing { shared, share, next, waiting, passed } = self;
        let rules = &shared.stage.rules;
        let tests = shared.depth.zip(shared.stage.depth.as_ref()).filter(|_| rules.early);
        let mine = |found: &Found| shared.shares == 1 || found.corner.1 / BAND % shared.shares == share;
        for (n, found) in shared.found.iter().enumerate().skip(next).filter(|(_, found)| mine(found)) {
            let mut covered = found.covered;
            if let Some((squares, depth)) = tests {
                if let Some(ahead) = shared.found.get(n + AHEAD) {
                    squares.prefetch(squares.place(ahead.corner, shared.primitives[ahead.primitive].layer));
                }
                let primitive = &shared.primitives[found.primitive];
                let incoming = primitive.incoming(found.corner, None, None);
                covered = depth.test_square(squares, squares.place(found.corner, primitive.layer), &incoming, covered);
            }
            if rules.early {
                *passed += u64::from(covered.count_ones());
            }
            if rules.runs && covered != 0 {
                waiting.push(Found { covered, ..*found });
                if waiting.len() == QUADS {
                    return n + 1;
                }
            }
        }
        shared.found.len()
    }
}

impl ShadedPrimitive {
    /// What is tested of a quad, with what the program exports for it.
    #[inline(always)]
    fn incoming(&self, corner: (u32, u32), depths: Option<[f32; 4]>, references: Option<[u8; 4]>) -> IncomingSquare {
        let depths = match depths {
            Some(depths) => depths,
            None => self.gradients.depths(corner),
        };
        IncomingSquare { depths, range: self.range, references, front: self.front }
    }
}

/// What the program gets for quads.
struct Interpolation<'w, 'd, 'a> {
    shared: &'w Shared<'d, 'a>,
    regions: &'w Regions,
    waiting: &'w [Found],
}

impl pulp::NullaryFnOnce for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Interpolation { shared, regions, waiting } = self;
        let mut first = 0;
        while let Some(found) = waiting.get(first) {
            let rest = &waiting[first..waiting.len().min(first + TOGETHER)];
            let count = rest.iter().take_while(|other| other.primitive == found.primitive).count();
            let gradients = &shared.primitives[found.primitive].gradients;
            let mut places = [Places::default(); TOGETHER];
            places.iter_mut().zip(&rest[..count]).for_each(|(places, quad)| *places = gradients.places(quad.corner));
            for (number, &region) in regions.inputs.iter().enumerate() {
                let Some(words) = vectors(shared.arena, region) else { continue };
                let quads = rest[..count].iter().zip(&places).map(|(quad, places)| (quad.corner, places, quad.covered));
                gradients.values_at(number, &shared.stage.samples, quads, |n, vectors| {
                    for (pixel, vector) in vectors.iter().enumerate() {
                        if let Some(four) = words.four(4 * place(first + n, pixel, regions.columns)) {
                            four.set(*vector);
                        }
                    }
                });
            }
            first += count;
        }
    }
}

/// The words of a region.
#[inline(always)]
fn vectors(arena: &Arena, region: Region) -> Option<Words<'_>> {
    arena.shared_words(region.base, region.length as usize / 4)
}

/// Where a pixel of a quad is among vectors with so many columns.
#[inline(always)]
fn place(quad: usize, pixel: usize, columns: usize) -> usize {
    pixel / 2 * columns + 2 * quad + pixel % 2
}

/// What becomes of what the program exports.
struct Storing<'w, 'd, 'a> {
    shared: &'w Shared<'d, 'a>,
    regions: &'w Regions,
    waiting: &'w [Found],
    passed: &'w mut u64,
}

impl pulp::NullaryFnOnce for Storing<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Storing { shared, regions, waiting, passed } = self;
        let (stage, rules) = (shared.stage, &shared.stage.rules);
        let exported = |region: Option<Region>| region.and_then(|region| vectors(shared.arena, region));
        let output = |number: usize| exported(regions.output(number));
        let colours = |words: Option<Words>, quad: usize| -> Colours {
            let Some(words) = words else { return [[0; 4]; 4] };
            let pixel = |pixel| words.four(4 * place(quad, pixel, regions.columns)).map_or([0; 4], |four| four.get());
            let [a, b, c, d] = [pixel(0), pixel(1), pixel(2), pixel(3)];
            [[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]], [a[3], b[3], c[3], d[3]]]
        };
        let valid = regions.valid.map(|region| {
            let mut words = vec![0; 4 * waiting.len()];
            shared.arena.read_words(region.base, &mut words);
            words
        });
        let (first, exports) = (output(0), exported(regions.depth));
        let tests = shared.depth.zip(stage.depth.as_ref()).filter(|_| !rules.early);
        // Which pixels are drawn, first.
        let masks = |quad: usize, found: &Found| {
            let mut mask = found.covered;
            if let Some(valid) = &valid {
                let is_valid = |pixel| valid[place(quad, pixel, 2 * waiting.len())] != 0;
                mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(is_valid(pixel)) << pixel);
            }
            if let Some((function, reference)) = rules.alpha {
                let alpha = colours(first, quad)[3];
                let holds = |pixel: usize| function.holds(f32::from_bits(alpha[pixel]), reference);
                mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(holds(pixel)) << pixel);
            }
            mask
        };
        let targets = stage.targets.iter().zip(shared.targets);
        let targets: Vec<_> = targets
            .map(|(target, squares)| (target, squares, output(target.output), target.second.map(output)))
            .collect();
        for (quad, found) in waiting.iter().enumerate() {
            let mut mask = masks(quad, found);
            let primitive = &shared.primitives[found.primitive];
            if let Some((squares, depth)) = tests.filter(|_| mask != 0) {
                let [depths, stencils, ..] = colours(exports, quad);
                let depths = rules.exports_depth.then(|| depths.map(f32::from_bits));
                let references = rules.exports_stencil.then(|| stencils.map(|stencil| stencil as u8));
                let incoming = primitive.incoming(found.corner, depths, references);
                mask = depth.test_square(squares, squares.place(found.corner, primitive.layer), &incoming, mask);
            }
            if !rules.early {
                *passed += u64::from(mask.count_ones());
            }
            if mask == 0 {
                continue;
            }
            for (target, squares, colour, second) in &targets {
                if let Some(ahead) = waiting.get(quad + AHEAD) {
                    squares.prefetch(squares.place(ahead.corner, shared.primitives[ahead.primitive].layer));
                }
                let place = squares.place(found.corner, primitive.layer);
                let second = second.map_or([[0; 4]; 4], |second| colours(second, quad));
                target.write_square(squares, place, &colours(*colour, quad), &second, mask);
            }
        }
    }
}
