//! A thread that draws quads: tests, runs of the program, colours.

use super::colour::Colours;
use super::depth::IncomingSquares;
use super::direct::{Piece, Rectangle};
use super::surface::Squares;
use super::values::Places;
use super::{Found, QUADS};
use crate::pipeline::DrawError;
use crate::pipeline::depth::DepthBuffer;
use crate::pipeline::stage::{PixelStage, Regions, ShadedPrimitive};
use crate::pipeline::targets::Target;
use ctm_engine::{Compiled, Executor, GuestJob};
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space, Words};
use ctm_r700::{Job, Region};

/// The program as an engine runs it.
type CompiledProgram = Compiled<<Job<'static> as GuestJob>::Key, <Job<'static> as GuestJob>::Kernels>;

/// Rows of pixels that one thread draws.
const BAND: u32 = 16;
/// Runs of the program from which on it is looked up before them.
const RUNS: usize = 2;
/// How many quads ahead memory is asked for.
const AHEAD: usize = 12;
/// Quads of a primitive whose places are worked out together.
const TOGETHER: usize = 16;
/// Quads that are tested or stored together, and pixels of them.
const BLOCK: usize = 8;
const PIXELS: usize = 4 * BLOCK;
/// The same of few.
const FEW: usize = 2;
const FEW_PIXELS: usize = 4 * FEW;

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
        // What it depends on is the same for all runs: it is looked up for many of them once.
        let executor = shared.executor.filter(|_| shared.found.len() > RUNS * QUADS);
        let compiled = executor.map(|executor| executor.compile(&job)).transpose()?;
        self.waiting.clear();
        let mut next = 0;
        while next < shared.found.len() {
            let (waiting, passed) = (&mut self.waiting, &mut self.passed);
            next = pulp::Arch::new().dispatch(Testing { shared, share, next, waiting, passed });
            self.shade(shared, compiled.as_ref(), &mut job)?;
        }
        Ok(())
    }

    /// Draws this share of a rectangle's pieces.
    ///
    /// # Errors
    /// The program stops.
    pub fn draw_rectangle(&mut self, shared: &Shared, rectangle: &Rectangle, share: u32) -> Result<(), DrawError> {
        let Worker { regions, waiting, passed } = self;
        let mut compiled = None;
        for piece in rectangle.pieces().skip(share as usize).step_by(shared.shares as usize) {
            let job = shared.stage.job_of_piece(regions, &piece, &rectangle.gradients, shared.space);
            let Some(job) = job else { return Ok(()) };
            let [columns, rows] = piece.size;
            let [left, top] = piece.corner;
            regions.clear_words(shared.arena, piece.pitch * rows);
            // All pieces depend on the same: the program is looked up once.
            if let (None, Some(executor)) = (&compiled, shared.executor) {
                compiled = Some(executor.compile(&job)?);
            }
            match &compiled {
                Some(compiled) => compiled.run(&job, &shared.options)?,
                None => ctm_r700::reference::run(&job, &shared.options)?,
            };
            if shared.stage.targets.iter().all(Target::stores_vectors) {
                pulp::Arch::new().dispatch(StoringVectors { shared, regions, rectangle, piece: &piece });
                continue;
            }
            for row in (0..rows).step_by(2) {
                waiting.clear();
                waiting.extend((left..left + columns).step_by(2).map(|x| {
                    let corner = (x, top + row);
                    Found { corner, primitive: 0, layer: rectangle.layer, covered: rectangle.covered(corner) }
                }));
                let regions = &regions.rows_from(row, piece.pitch);
                pulp::Arch::new().dispatch(Storing { shared, regions, waiting, passed });
            }
            waiting.clear();
        }
        Ok(())
    }

    /// Runs the program for the quads that wait, and uses what it exports.
    fn shade(&mut self, shared: &Shared, compiled: Option<&CompiledProgram>, job: &mut Job) -> Result<(), DrawError> {
        let Worker { regions, waiting, passed } = self;
        let Some(domain) = Domain::of_size(2 * waiting.len() as u32, 2) else { return Ok(()) };
        pulp::Arch::new().dispatch(Interpolation { shared, regions, waiting });
        regions.clear_outputs(shared.arena, waiting.len());
        job.lanes = domain.into();
        match (compiled, shared.executor) {
            (Some(compiled), _) => compiled.run(job, &shared.options)?,
            (None, Some(executor)) => executor.run(job, &shared.options)?,
            (None, None) => ctm_r700::reference::run(job, &shared.options)?,
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
        let mut keep = |found: &Found, covered: u8| {
            if rules.early {
                *passed += u64::from(covered.count_ones());
            }
            if rules.runs && covered != 0 {
                waiting.push(Found { covered, ..*found });
            }
            waiting.len()
        };
        let mut block = Block::default();
        let found = shared.found.iter().enumerate().skip(next).filter(|(_, found)| mine(found));
        // Code that is in two places is not a part of both.
        for next in found.map(Some).chain([None]) {
            let Some((squares, depth)) = tests else {
                if let Some((n, found)) = next
                    && keep(found, found.covered) == QUADS
                {
                    return n + 1;
                }
                continue;
            };
            let is_another = next.is_none_or(|(_, found)| !block.is_of(found.primitive));
            if block.is_full() || is_another {
                block.test(shared, (squares, depth));
                let mut waiting = 0;
                for (found, covered) in block.quads() {
                    waiting = keep(found, covered);
                }
                block.clear();
                if let Some((n, _)) = next
                    && waiting > QUADS - BLOCK
                {
                    return n;
                }
            }
            if let Some((n, found)) = next {
                if let Some(ahead) = shared.found.get(n + AHEAD) {
                    squares.prefetch(shared.place(squares, ahead));
                }
                block.push(0, *found, shared.place(squares, found), found.covered);
            }
        }
        shared.found.len()
    }
}

impl Shared<'_, '_> {
    /// Where a quad is in a surface.
    #[inline(always)]
    fn place(&self, squares: &Squares, found: &Found) -> u64 {
        squares.place(found.corner, found.layer.into())
    }
}

/// Quads that are tested or stored together: of one primitive, or such that may come in any order.
struct Block {
    count: usize,
    /// Their numbers among those that wait.
    numbers: [usize; BLOCK],
    found: [Found; BLOCK],
    /// Their places in a surface, and masks of their pixels.
    squares: [(u64, u8); BLOCK],
}

impl Default for Block {
    fn default() -> Self {
        let found = Found { corner: (0, 0), primitive: 0, layer: 0, covered: 0 };
        Block { count: 0, numbers: [0; BLOCK], found: [found; BLOCK], squares: [(0, 0); BLOCK] }
    }
}

impl Block {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.count == BLOCK
    }

    /// Whether all are of this primitive.
    #[inline(always)]
    fn is_of(&self, primitive: u32) -> bool {
        self.count == 0 || self.found[0].primitive == primitive
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a quad, if it is not full.
    #[inline(always)]
    fn push(&mut self, number: usize, found: Found, place: u64, mask: u8) {
        if let Some(square) = self.squares.get_mut(self.count) {
            *square = (place, mask);
            (self.numbers[self.count], self.found[self.count]) = (number, found);
            self.count += 1;
        }
    }

    /// Its quads, with their masks.
    #[inline(always)]
    fn quads(&self) -> impl Iterator<Item = (&Found, u8)> {
        self.found.iter().zip(self.squares.iter().map(|&(_, mask)| mask)).take(self.count)
    }

    /// Leaves the pixels in the masks that pass tests.
    #[inline(always)]
    fn test(&mut self, shared: &Shared, tests: (&Squares, &DepthBuffer)) {
        match self.count {
            0 => {}
            1..=FEW => self.test_some::<FEW_PIXELS>(shared, tests),
            _ => self.test_some::<PIXELS>(shared, tests),
        }
    }

    #[inline(always)]
    fn test_some<const N: usize>(&mut self, shared: &Shared, (squares, depth): (&Squares, &DepthBuffer)) {
        let Block { count, found, squares: tested, .. } = self;
        let ShadedPrimitive { gradients, range, front, .. } = &shared.primitives[found[0].primitive as usize];
        let depths = gradients.depths::<N>(found[..*count].iter().map(|found| found.corner));
        let incoming = IncomingSquares { depths, range: *range, references: None, front: *front };
        depth.test_squares(squares, &incoming, &mut tested[..*count]);
    }

    /// Writes colours to a target: where the words of the first one are, and of a second one.
    #[inline(always)]
    fn write(&mut self, shared: &Shared, target: &Destination, columns: usize) {
        for (square, found) in self.squares.iter_mut().zip(&self.found).take(self.count) {
            square.0 = shared.place(target.squares, found);
        }
        if let Some(words) = target.colour.filter(|_| target.is_vectors) {
            for (&(at, mask), &number) in self.squares.iter().zip(&self.numbers).take(self.count) {
                let vector = |pixel| words.four(4 * place(number, pixel, columns)).map_or([0; 4], |four| four.get());
                if !target.squares.write_vectors(at, mask, vector) {
                    let colours = exported(target.colour, number, columns);
                    target.target.write_squares(target.squares, &[(at, mask)], &colours, None);
                }
            }
            return;
        }
        match self.count {
            0 => {}
            1..=FEW => self.write_some::<FEW_PIXELS>(target, columns),
            _ => self.write_some::<PIXELS>(target, columns),
        }
    }

    #[inline(always)]
    fn write_some<const N: usize>(&self, target: &Destination, columns: usize) {
        let mut colours: [Colours<N>; 2] = [[[0; N]; 4]; 2];
        let [colour, second] = &mut colours;
        self.gather(colour, target.colour, columns);
        let second = match target.second {
            Some(words) => {
                self.gather(second, words, columns);
                Some(&*second)
            }
            None => None,
        };
        target.target.write_squares(target.squares, &self.squares[..self.count], colour, second);
    }

    /// The colours of its quads, of those that the program exports.
    #[inline(always)]
    fn gather<const N: usize>(&self, colours: &mut Colours<N>, words: Option<Words>, columns: usize) {
        for (n, &number) in self.numbers[..self.count].iter().enumerate() {
            let square = exported(words, number, columns);
            for (all, square) in colours.iter_mut().zip(square) {
                if let Some(place) = all.as_chunks_mut().0.get_mut(n) {
                    *place = square;
                }
            }
        }
    }
}

/// What the program exports for a quad; zeros if there is nothing.
#[inline(always)]
fn exported(words: Option<Words>, quad: usize, columns: usize) -> Colours<4> {
    let Some(words) = words else { return [[0; 4]; 4] };
    let pixel = |pixel| words.four(4 * place(quad, pixel, columns)).map_or([0; 4], |four| four.get());
    let [a, b, c, d] = [pixel(0), pixel(1), pixel(2), pixel(3)];
    [[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]], [a[3], b[3], c[3], d[3]]]
}

/// A target, with where the program leaves its colours.
struct Destination<'t, 'a> {
    target: &'t Target<'a>,
    squares: &'t Squares<'t>,
    colour: Option<Words<'t>>,
    second: Option<Option<Words<'t>>>,
    /// Colours are stored as they are.
    is_vectors: bool,
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
            let gradients = &shared.primitives[found.primitive as usize].gradients;
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

/// What the program exports for a piece of a rectangle, stored as it is.
struct StoringVectors<'w, 'd, 'a> {
    shared: &'w Shared<'d, 'a>,
    regions: &'w Regions,
    rectangle: &'w Rectangle,
    piece: &'w Piece,
}

impl pulp::NullaryFnOnce for StoringVectors<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let StoringVectors { shared, regions, rectangle, piece } = self;
        let ([left, top], [columns, rows]) = (piece.corner, piece.size);
        let (pitch, layer) = (piece.pitch as usize, rectangle.layer.into());
        for (target, squares) in shared.stage.targets.iter().zip(shared.targets) {
            let words = regions.output(target.output).and_then(|region| vectors(shared.arena, region));
            let Some(words) = words else { continue };
            for row in (0..rows).step_by(2) {
                let mut first = 4 * row as usize * pitch;
                for x in (left..left + columns).step_by(2) {
                    let corner = (x, top + row);
                    squares.prefetch(squares.place((x + 2 * AHEAD as u32, corner.1), layer));
                    let (place, mask) = (squares.place(corner, layer), rectangle.covered(corner));
                    let four = |at: usize| words.four(at).map_or([0; 4], |four| four.get());
                    let lower = first + 4 * pitch;
                    let [a, b, c, d] = [four(first), four(first + 4), four(lower), four(lower + 4)];
                    if !squares.write_vectors(place, mask, |pixel| [a, b, c, d][pixel % 4]) {
                        let of = |n: usize| [a[n], b[n], c[n], d[n]];
                        let colours = [of(0), of(1), of(2), of(3)];
                        target.write_squares(squares, &[(place, mask)], &colours, None);
                    }
                    first += 8;
                }
            }
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
        let words = |region: Option<Region>| region.and_then(|region| vectors(shared.arena, region));
        let output = |number: usize| words(regions.output(number));
        let valid = regions.valid.map(|region| {
            let mut words = vec![0; 4 * waiting.len()];
            shared.arena.read_words(region.base, &mut words);
            words
        });
        let (first, exports) = (output(0), words(regions.depth));
        let tests = shared.depth.zip(stage.depth.as_ref()).filter(|_| !rules.early);
        // Which pixels are drawn, first.
        let masks = |quad: usize, found: &Found| {
            let mut mask = found.covered;
            if let Some(valid) = &valid {
                let is_valid = |pixel| valid[place(quad, pixel, 2 * waiting.len())] != 0;
                mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(is_valid(pixel)) << pixel);
            }
            if let Some((function, reference)) = rules.alpha {
                let alpha = exported(first, quad, regions.columns)[3];
                let holds = |pixel: usize| function.holds(f32::from_bits(alpha[pixel]), reference);
                mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(holds(pixel)) << pixel);
            }
            mask
        };
        let targets = stage.targets.iter().zip(shared.targets).map(|(target, squares)| Destination {
            target,
            squares,
            colour: output(target.output),
            second: target.second.map(output),
            is_vectors: target.stores_vectors(),
        });
        let targets: Vec<Destination> = targets.collect();
        let keeps = stage.targets.iter().any(|target| target.keeps);
        let mut block = Block::default();
        // Code that is in two places is not a part of both.
        for next in waiting.iter().enumerate().map(Some).chain([None]) {
            let is_another = next.is_none_or(|(_, found)| keeps && !block.is_of(found.primitive));
            if block.is_full() || is_another {
                for target in &targets {
                    block.write(shared, target, regions.columns);
                }
                block.clear();
            }
            let Some((quad, found)) = next else { break };
            let mut mask = masks(quad, found);
            if let Some((squares, depth)) = tests.filter(|_| mask != 0) {
                let primitive = &shared.primitives[found.primitive as usize];
                let [depths, stencils, ..] = exported(exports, quad, regions.columns);
                let depths = match rules.exports_depth {
                    true => depths.map(f32::from_bits),
                    false => primitive.gradients.depths(std::iter::once(found.corner)),
                };
                let references = rules.exports_stencil.then(|| stencils.map(|stencil| stencil as u8));
                let incoming = IncomingSquares { depths, range: primitive.range, references, front: primitive.front };
                let mut tested = [(shared.place(squares, found), mask)];
                depth.test_squares(squares, &incoming, &mut tested);
                mask = tested[0].1;
            }
            if !rules.early {
                *passed += u64::from(mask.count_ones());
            }
            if let Some(ahead) = waiting.get(quad + AHEAD) {
                for target in &targets {
                    target.squares.prefetch(shared.place(target.squares, ahead));
                }
            }
            if mask != 0 {
                block.push(quad, *found, 0, mask);
            }
        }
    }
}
