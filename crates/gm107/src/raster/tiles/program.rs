//! The fragment program of tiles: the lines that it works on, and how a thread runs it.

use crate::raster::fragments::Outputs;
use crate::tiles::LineMemory;
use ctm_lane::budget::Halt;
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_pipeline::{ComponentLines, Lines, TileProgram, WORDS};
use ctm_raster::covered::ShadingRate;
use ctm_sm50::engine::BoundLines;
use ctm_sm50::launch::{LineInput, PixelLines, Stop};

/// The lines of a program, by numbers that each thread counts from its own first one.
#[derive(Debug, Default)]
pub struct LinePlan {
    inputs: Vec<(LineInput, u32)>,
    /// Of each register that it puts out and somebody wants.
    outputs: Vec<Option<u32>>,
    valid: Option<u32>,
    /// Colours that somebody wants.
    colours: Vec<usize>,
    depth: Option<u32>,
    count: u32,
}

/// The lines of a thread, as addresses.
pub struct ThreadLines {
    inputs: Vec<(LineInput, u32)>,
    outputs: Vec<Option<u32>>,
    valid: Option<u32>,
}

impl LinePlan {
    /// For a program that reads these inputs and puts out so many registers, of which these colours are wanted, and the depth if that counts.
    pub fn new(
        inputs: &[LineInput],
        (registers, outputs): (u32, &Outputs),
        colours: Vec<usize>,
        (wants_depth, kills): (bool, bool),
    ) -> Self {
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        let inputs = inputs.iter().map(|&input| (input, next())).collect();
        let depth = outputs.depth.filter(|_| wants_depth);
        let is_wanted = |register: u32| colours.contains(&(register as usize / 4)) || depth == Some(register);
        let outputs: Vec<Option<u32>> = (0..registers).map(|register| is_wanted(register).then(&mut next)).collect();
        let valid = kills.then(&mut next);
        LinePlan { inputs, outputs, valid, colours, depth, count }
    }

    /// Lines of a thread.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The lines of a thread.
    pub fn of_thread(&self, thread: usize) -> ThreadLines {
        let address = |line: u32| LineMemory::address(thread as u32 * self.count + line);
        ThreadLines {
            inputs: self.inputs.iter().map(|&(input, line)| (input, address(line))).collect(),
            outputs: self.outputs.iter().map(|line| line.map(address)).collect(),
            valid: self.valid.map(address),
        }
    }

    /// The same as tiles see them.
    pub fn lines<'m>(&self, own: &ThreadLines, arena: &'m Arena) -> Lines<'m> {
        let of = |address: u32| ComponentLines::of(arena, address);
        let register = |register: u32| of((*own.outputs.get(register as usize)?)?);
        let colour = |&number: &usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|component| register(4 * number as u32 + component));
            Some((number, [a?, b?, c?, d?]))
        };
        Lines {
            inputs: own.inputs.iter().map(|&(_, address)| of(address)).collect(),
            colours: self.colours.iter().filter_map(colour).collect(),
            depth: self.depth.and_then(register),
            stencil: None,
            mask: None,
            valid: own.valid.and_then(of),
        }
    }
}

impl ThreadLines {
    /// The same as programs see them.
    pub fn pixel_lines<'m>(&'m self, memory: &'m LineMemory, is_flat: bool) -> PixelLines<'m> {
        let ThreadLines { inputs, outputs, valid } = self;
        PixelLines { memory: memory.space(), pitch: WORDS as u32, inputs, outputs, valid: *valid, is_flat }
    }
}

/// The program of a thread, if there is one.
pub struct ThreadProgram<'s> {
    /// It, bound to the lines.
    pub bound: Option<BoundLines<'s>>,
    /// The lines.
    pub lines: Lines<'s>,
    /// How it runs.
    pub options: RunOptions<'static>,
}

impl TileProgram for ThreadProgram<'_> {
    type Error = Stop;

    fn check(&self) -> Result<(), Stop> {
        match self.options.budget.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Halt::Deadline.into()),
            _ => Ok(()),
        }
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }

    fn run(&mut self, rate: ShadingRate, count: usize) -> Result<(), Stop> {
        let lanes = match rate {
            ShadingRate::Quads => [2 * count as u32, 2],
            ShadingRate::Pixels => [count as u32, 1],
        };
        self.bound.as_mut().map_or(Ok(()), |bound| bound.run(lanes, &self.options))
    }
}
