//! Where tests come before the program, none of its lanes looks at another one, and colours are stored as bytes, it runs for the pixels that are drawn
//! and no others: one behind the other, in the order of blocks, those of a block's upper row before those of the lower one. What it gets and
//! leaves lies in lines, one for each component.

use super::general::{PIXELS as SQUARE_PIXELS, squares_of};
use super::interpolation::{at_block, divided, quad_of};
use super::primitives::Components;
use super::surface::{Block, Blocks, Launch, Squares};
use super::worker::{CompiledProgram, Share, Shared};
use super::{LINE_MARGIN, PIXELS};
use crate::pipeline::DrawError;
use crate::pipeline::inputs::{Gradients, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::{Lines, PixelStage};
use crate::pipeline::targets::Target;
use ctm_lane::domain::Domain;
use ctm_memory::{Access, Arena, ByVector, InPairs, Row};
use ctm_r700::Region;
use ctm_raster::float_bytes::WriteFloats;
use ctm_raster::quads::BlockPlaces;
use ctm_raster::simd::{Eight, Simd, TOGETHER, Task, dispatch};

/// Whether draws can be drawn so, if their programs allow it.
pub fn is_possible(stage: &PixelStage) -> bool {
    let are_bytes = |target: &Target| target.second.is_none() && target.bytes().is_some();
    stage.rules.early && stage.rules.runs && stage.targets.iter().all(are_bytes)
}

/// Whether a program allows it.
pub fn is_by_pixels(compiled: &CompiledProgram) -> bool {
    compiled.kernels().is_some_and(|kernels| kernels.as_ref().is_ok_and(|kernels| kernels.is_by_lanes()))
}

/// Runs the program for the pixels of a launch, and stores what it exports.
///
/// # Errors
/// The program stops.
pub fn shade(share: &mut Share, lines: &Lines, launch: Launch) -> Result<(), DrawError> {
    let shared = share.shared;
    let Some(domain) = Domain::of_size(launch.count as u32, 1) else { return Ok(()) };
    match ByVector::new() {
        Some(access) => dispatch(Interpolation { shared, lines, launch, access }),
        None => dispatch(Interpolation { shared, lines, launch, access: InPairs }),
    }
    lines.clear_outputs(shared.arena, launch.count);
    share.job.lanes = domain.into();
    share.run()?;
    match ByVector::new() {
        Some(access) => dispatch(Storing { shared, lines, launch, access }),
        None => dispatch(Storing { shared, lines, launch, access: InPairs }),
    }
    Ok(())
}

/// A line of words.
type Line<'t> = ctm_memory::Line<'t, { PIXELS + LINE_MARGIN }>;

fn line_of(arena: &Arena, line: Region) -> Option<Line<'_>> {
    arena.shared_words(line.base, line.length as usize / 4)?.line()
}

/// Eight words of a line from one on; zeros if not all of them are there.
#[inline(always)]
fn get_eight(line: &Line, first: usize, access: impl Access) -> Eight {
    match line.eight(first) {
        Some(words) => words.get(access),
        None => [0; TOGETHER],
    }
}

/// Sets these.
#[inline(always)]
fn set_eight(line: &Line, first: usize, words: Eight, access: impl Access) {
    if let Some(fours) = line.eight(first) {
        fours.set(words, access);
    }
}

/// Where the pixels of both rows of a block begin in lines, of which the first one is this.
#[inline(always)]
fn places_of(block: &Block, first: usize) -> [usize; 2] {
    [first, first + block.drawn[0].count_ones() as usize]
}

/// What the program gets: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'd, 'a, A> {
    shared: &'t Shared<'d, 'a>,
    lines: &'t Lines,
    launch: Launch<'t>,
    /// How memory is accessed.
    access: A,
}

impl<A: Access> Task for Interpolation<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Interpolation { shared, lines, launch, access } = self;
        // Those that the program reads, by register and component.
        let kernels = shared.compiled.as_ref().and_then(|compiled| compiled.kernels()?.as_ref().ok());
        let mut read = Vec::new();
        for (number, (register, lines)) in shared.stage.inputs.registers().zip(&lines.inputs).enumerate() {
            for (component, line) in lines.iter().enumerate() {
                if kernels.is_none_or(|kernels| kernels.reads_channel(register, component))
                    && let Some(line) = line_of(shared.arena, *line)
                {
                    read.push((number, component, line));
                }
            }
        }
        let all = shared.planes();
        for (first, block) in launch.places_from(0) {
            let Some(primitive) = shared.primitive(block) else { continue };
            let places = BlockPlaces::new(simd, GRID, primitive.origin, (block.x, block.y));
            let [first, second] = places_of(block, first);
            let [above, below] = block.drawn;
            let (above, below) = (simd.pack(above), simd.pack(below));
            // Words behind those that are drawn are given again, for the next ones.
            match primitive.components {
                Components::Planes(start) => {
                    let planes = shared.primitives.planes.get(start..start + all).unwrap_or_default();
                    for (number, component, line) in &read {
                        let Some(plane) = planes.get(4 * number + component) else { continue };
                        let [upper, lower] = places.normal_attribute(plane);
                        set_eight(line, first, simd.array(simd.permuted(upper, above)), access);
                        set_eight(line, second, simd.array(simd.permuted(lower, below)), access);
                    }
                }
                Components::Gradients(number) => {
                    let Some(gradients) = shared.primitives.gradients.get(number) else { continue };
                    let with_perspective = divided(&places, gradients);
                    let mut of_register: Option<(usize, [[Eight; 4]; 2])> = None;
                    for &(number, component, ref line) in &read {
                        let Some(value) = gradients.values.get(number) else { continue };
                        let [upper, lower] = match of_register {
                            Some((known, rows)) if known == number => rows,
                            _ => match at_block(simd, value, &places, &with_perspective) {
                                Some(rows) => {
                                    let mut words = [[[0; TOGETHER]; 4]; 2];
                                    for (words, row) in words.iter_mut().zip(rows) {
                                        for (words, component) in words.iter_mut().zip(row) {
                                            *words = simd.array(component);
                                        }
                                    }
                                    words
                                }
                                None => pixel_by_pixel(shared, gradients, value, block),
                            },
                        };
                        of_register = Some((number, [upper, lower]));
                        let (upper, lower) = (simd.words(&upper[component]), simd.words(&lower[component]));
                        set_eight(line, first, simd.array(simd.permuted(upper, above)), access);
                        set_eight(line, second, simd.array(simd.permuted(lower, below)), access);
                    }
                }
            }
        }
    }
}

/// The components of a value in both rows of a block.
fn pixel_by_pixel(shared: &Shared, gradients: &Gradients, value: &Value, block: &Block) -> [[Eight; 4]; 2] {
    let mut rows = [[[0; TOGETHER]; 4]; 2];
    for quad in 0..block.len() {
        let vectors = gradients.vectors(value, &quad_of(block, quad), &shared.stage.samples);
        for (pixel, vector) in vectors.into_iter().enumerate() {
            let column = 2 * (block.first() + quad) + pixel % 2;
            for (words, word) in rows[pixel / 2].iter_mut().zip(vector) {
                words[column % TOGETHER] = word;
            }
        }
    }
    rows
}

/// What it exports is stored: a task that is faster on hosts with wide vectors.
struct Storing<'t, 'd, 'a, A> {
    shared: &'t Shared<'d, 'a>,
    lines: &'t Lines,
    launch: Launch<'t>,
    /// How memory is accessed.
    access: A,
}

impl<A: Access> Task for Storing<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Storing { shared, lines, launch, access } = self;
        let targets = &shared.stage.targets;
        for (number, (target, squares)) in targets.iter().zip(shared.targets).enumerate() {
            let Some((bytes, colour)) = target.bytes().zip(lines.output(target.output)) else { continue };
            let [Some(a), Some(b), Some(c), Some(d), Some(e)] = colour.map(|line| line_of(shared.arena, line)) else {
                continue;
            };
            let lines = [a, b, c, d, e];
            let destination = Destination { shared, squares, blocks: shared.blocks_of(squares), lines, launch };
            // What becomes of colours lies in their place, unless another target has them too.
            let is_last = targets[number + 1..].iter().all(|other| other.output != target.output);
            // The most common ones have loops of their own.
            if let Some(over) = bytes.over().filter(|_| is_last) {
                destination.store(simd, over, access);
            } else if let Some(copied) = bytes.copied().filter(|_| is_last) {
                destination.store(simd, copied, access);
            } else {
                destination.store(simd, &bytes, access);
            }
        }
    }
}

/// A target, with the lines of its colours.
struct Destination<'t, 'd, 'a> {
    shared: &'t Shared<'d, 'a>,
    squares: &'t Squares<'t>,
    blocks: Option<Blocks<'t>>,
    lines: [Line<'t>; 5],
    launch: Launch<'t>,
}

impl Destination<'_, '_, '_> {
    #[inline(always)]
    fn store<const N: usize>(&self, simd: impl Simd, colours: impl WriteFloats<N>, access: impl Access) {
        let Destination { shared, squares, blocks, lines, launch } = self;
        let components = colours.components().map(|component| lines[component % 4]);
        for first in (0..launch.count).step_by(TOGETHER) {
            let [a, b, c, d] = &components;
            let (a, b) = (simd.words(&get_eight(a, first, access)), simd.words(&get_eight(b, first, access)));
            let (c, d) = (simd.words(&get_eight(c, first, access)), simd.words(&get_eight(d, first, access)));
            let alpha = simd.words(&get_eight(&lines[3], first, access));
            let prepared = colours.prepared(simd, [a, b, c, d], alpha);
            for (line, words) in lines.iter().zip(prepared) {
                set_eight(line, first, simd.array(words), access);
            }
        }
        for (first, block) in launch.places_from(0) {
            let [first, second] = places_of(block, first);
            let [above, below] = block.drawn;
            let lanes = [simd.spread(above), simd.spread(below)];
            let rows = match blocks {
                Some(blocks) => blocks.rows(block),
                None => squares.rows((block.x, block.y), shared.primitive(block).map_or(0, |of| of.layer)),
            };
            match rows {
                Some([upper, lower]) => {
                    self.write_row(simd, colours, upper, (first, lanes[0]), above, access);
                    self.write_row(simd, colours, lower, (second, lanes[1]), below, access);
                }
                None => {
                    let mut rows = self.read_squares(block);
                    for (row, (first, lanes)) in rows.iter_mut().zip([(first, lanes[0]), (second, lanes[1])]) {
                        *row = simd.array(self.new_row(simd, colours, simd.words(row), (first, lanes), 0xFF, access));
                    }
                    self.write_squares(block, &rows);
                }
            }
        }
    }

    #[inline(always)]
    fn write_row<S: Simd, const N: usize>(
        &self,
        simd: S,
        colours: impl WriteFloats<N>,
        row: impl Row,
        place: (usize, S::Lanes),
        drawn: u8,
        access: impl Access,
    ) {
        if drawn != 0 {
            let memory = simd.words(&row.get(access));
            row.set(simd.array(self.new_row(simd, colours, memory, place, drawn, access)), access);
        }
    }

    /// A row with its pixels that are drawn, whose words begin at a place of the lines.
    #[inline(always)]
    fn new_row<S: Simd, const N: usize>(
        &self,
        simd: S,
        colours: impl WriteFloats<N>,
        memory: S::Words,
        (first, lanes): (usize, S::Lanes),
        drawn: u8,
        access: impl Access,
    ) -> S::Words {
        let mut prepared = [memory; N];
        for (words, line) in prepared.iter_mut().zip(&self.lines) {
            *words = simd.permuted(simd.words(&get_eight(line, first, access)), lanes);
        }
        colours.write(simd, prepared, memory, simd.chosen(drawn))
    }

    /// The pixels of both rows of a block; 0 where there are none.
    #[cold]
    fn read_squares(&self, block: &Block) -> [Eight; 2] {
        let mut memory = [[0; SQUARE_PIXELS]; 4];
        for (n, (place, _)) in self.squares_of(block).into_iter().enumerate().take(block.len()) {
            self.squares.read(place, n, &mut memory);
        }
        let mut rows = [[0; TOGETHER]; 2];
        for (n, square) in memory[0].as_chunks::<4>().0.iter().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter_mut().zip(square.as_chunks::<2>().0) {
                row[column..column + 2].copy_from_slice(pixels);
            }
        }
        rows
    }

    /// Writes those that are drawn, where they are there.
    #[cold]
    fn write_squares(&self, block: &Block, rows: &[Eight; 2]) {
        let mut words = [[0; SQUARE_PIXELS]; 4];
        for (n, square) in words[0].as_chunks_mut::<4>().0.iter_mut().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter().zip(square.as_chunks_mut::<2>().0) {
                pixels.copy_from_slice(&row[column..column + 2]);
            }
        }
        for (n, (place, mask)) in self.squares_of(block).into_iter().enumerate().take(block.len()) {
            self.squares.write(place, n, &words, mask);
        }
    }

    fn squares_of(&self, block: &Block) -> [(u64, u8); ctm_raster::quads::BLOCK] {
        let layer = self.shared.primitive(block).map_or(0, |primitive| primitive.layer);
        squares_of(block, block.drawn, |corner| self.squares.place(corner, layer))
    }
}
