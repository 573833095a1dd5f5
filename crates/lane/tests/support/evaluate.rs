//! Runs a function on one group, lane by lane, by the definition of each operation.
//!
//! Where an operation leaves the bits of a NaN open, the evaluator takes whatever `open_nan` says, so that two runs with
//! different choices show whether anything observes them.

use ctm_lane::{
    Block, Channels, ElementTest, ElementWrite, Function, Inst, NanBits, Op, Terminator, Type, Value, evaluate,
    evaluate_pair,
};
use std::collections::BTreeMap;

pub const LANES: usize = 8;
const WIDTH: i32 = 8;
const HEIGHT: i32 = 4;
/// Steps after which a run is given up.
const STEP_LIMIT: u64 = 4000;

/// Everything that can be seen of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// Written elements: surface, x, y, channel.
    pub surfaces: BTreeMap<(u16, i32, i32, usize), u32>,
    /// Written words: buffer, address.
    pub buffers: BTreeMap<(u16, u32), u32>,
    pub trap: Option<(u16, u32, [bool; LANES])>,
    /// Instructions of all lanes, and steps of the group.
    pub counts: (u64, u64),
    /// The run did not end.
    pub endless: bool,
}

pub struct Run<'a> {
    function: &'a Function,
    open_nan: u32,
    seed: u32,
    covered: [bool; LANES],
    values: Vec<[u32; LANES]>,
    arrays: Vec<Vec<[u32; LANES]>>,
    outcome: Evaluated,
}

/// A number that depends on all of these.
fn mix(seed: u32, parts: [u32; 3]) -> u32 {
    let mut hash = seed ^ 0x9E37_79B9;
    for part in parts {
        hash = (hash ^ part).wrapping_mul(0x85EB_CA6B);
        hash ^= hash >> 13;
    }
    hash
}

/// What memory and tables hold at first: special values often, numbers in [0, 1] where promised.
fn content(seed: u32, parts: [u32; 3], unit: bool, finite: bool) -> u32 {
    let hash = mix(seed, parts);
    if unit {
        return ((hash >> 8 & 0xFF) as f32 / 255.0).to_bits();
    }
    let special =
        [0, 0x8000_0000, 0x3F80_0000, 0xBF80_0000, 1, 0x8000_0003, 0x7F80_0000, 0xFF80_0000, 0x7FC0_1234, 0xFFFF_FFFF];
    let bits = match hash >> 28 {
        0..6 => special[(hash >> 8) as usize % if finite { 6 } else { special.len() }],
        6..12 => ((hash >> 8 & 0xFFF) as f32 / 64.0 - 32.0).to_bits(),
        _ => hash.rotate_left(16),
    };
    if finite && !f32::from_bits(bits).is_finite() { 0x4040_0000 } else { bits }
}

impl<'a> Run<'a> {
    pub fn new(function: &'a Function, seed: u32, covered: [bool; LANES], open_nan: u32) -> Self {
        let arrays = function.arrays.iter().map(|array| vec![[0; LANES]; array.entries as usize]).collect();
        let values = vec![[0; LANES]; function.value_count()];
        Self { function, open_nan, seed, covered, values, arrays, outcome: Evaluated::default() }
    }

    pub fn run(mut self) -> Evaluated {
        let mut block = Function::ENTRY;
        for _ in 0..STEP_LIMIT {
            for &inst in self.function.insts(block) {
                self.inst(inst);
            }
            match self.end(block) {
                Some(next) => block = next,
                None => return self.outcome,
            }
        }
        // How far a run came that never ends depends on the blocks.
        Evaluated { endless: true, ..Evaluated::default() }
    }

    fn value(&self, value: Value) -> [u32; LANES] {
        self.values[value.index()]
    }

    fn end(&mut self, block: Block) -> Option<Block> {
        let target = match self.function.terminator(block) {
            Terminator::Jump(target) => target,
            Terminator::If { test, a, b, then, otherwise } => {
                if test.holds(self.value(*a)[0], self.value(*b)[0]) {
                    then
                } else {
                    otherwise
                }
            }
            Terminator::Any { mask, then, otherwise } => {
                if self.value(*mask).contains(&1) {
                    then
                } else {
                    otherwise
                }
            }
            Terminator::Return => return None,
            Terminator::Trap { code, pc, mask } => {
                self.outcome.trap = Some((*code, *pc, self.value(*mask).map(|bit| bit != 0)));
                return None;
            }
        };
        let args: Vec<_> = target.args.iter().map(|&arg| self.value(arg)).collect();
        for (&param, arg) in self.function.params(target.block).iter().zip(args) {
            self.values[param.index()] = arg;
        }
        Some(target.block)
    }

    fn position(lane: usize) -> (u32, u32) {
        let (quad, k) = (lane as u32 / 4, lane as u32 % 4);
        (2 * quad + (k & 1), 2 + (k >> 1))
    }

    fn element(&self, surface: u16, x: i32, y: i32, channel: usize) -> u32 {
        let (x, y) = (x.clamp(0, WIDTH - 1), y.clamp(0, HEIGHT - 1));
        let written = self.outcome.surfaces.get(&(surface, x, y, channel)).copied();
        let place = [u32::from(surface), (x * HEIGHT + y) as u32, channel as u32];
        written.unwrap_or_else(|| content(self.seed, place, self.function.surfaces[surface as usize].unit, false))
    }

    fn store(&mut self, surface: u16, x: i32, y: i32, channel: usize, value: u32) {
        let inside = (0..WIDTH).contains(&x) && (0..HEIGHT).contains(&y);
        // Only surfaces without a promise are stored to as they are.
        let value = if self.function.surfaces[surface as usize].unit { 0x3F00_0000 } else { value };
        if inside {
            self.outcome.surfaces.insert((surface, x, y, channel), value);
        }
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let op = function.op(inst);
        let args: Vec<[u32; LANES]> = function.args(inst).iter().map(|&arg| self.value(arg)).collect();
        let results: Vec<Value> = function.results(inst).collect();
        let ty = results.first().map(|&result| function.value_type(result));
        for lane in 0..LANES {
            let row: Vec<u32> = args.iter().map(|arg| arg[lane]).collect();
            if let Some(mut bits) = evaluate(op, &row) {
                let loose = op.nan_bits() == NanBits::Loose && ty == Some(Type::Lane);
                if loose && f32::from_bits(bits).is_nan() {
                    bits = self.open_nan;
                }
                self.values[results[0].index()][lane] = bits;
                continue;
            }
            let found = match evaluate_pair(op, &row) {
                Some([low, high]) => [low, high, 0, 0],
                None => self.special(op, &args, &row, lane),
            };
            for (result, bits) in results.iter().zip(found) {
                self.values[result.index()][lane] = bits;
            }
        }
        if let Op::Steps { count, .. } = *op {
            let lanes = args[0].iter().filter(|&&bit| bit != 0).count() as u64;
            self.outcome.counts.0 += lanes * u64::from(count);
            self.outcome.counts.1 += u64::from(count);
        }
    }

    fn table(&self, table: u16, index: u32) -> u32 {
        let decl = self.function.tables[table as usize];
        content(self.seed, [77, table.into(), index & (decl.entries - 1)], false, decl.finite)
    }

    /// Operations that look at more than their operands in one lane, for that lane.
    fn special(&mut self, op: &Op, args: &[[u32; LANES]], row: &[u32], lane: usize) -> [u32; 4] {
        let one = |bits: u32| [bits, 0, 0, 0];
        let at = |k: usize| row[k].cast_signed();
        let masked = row.last() == Some(&1);
        match *op {
            Op::PosX {} => one(Self::position(lane).0),
            Op::PosY {} => one(Self::position(lane).1),
            Op::Covered {} => one(self.covered[lane].into()),
            Op::TableSplat { table, index } | Op::TableUniform { table, index } => one(self.table(table.0, index)),
            Op::TableAt { table } | Op::TableGather { table } => one(self.table(table.0, row[0])),
            Op::Ballot {} => one((0..LANES).fold(0, |all, lane| all | args[0][lane] << lane)),
            Op::Shuffle {} => one(args[0].get(row[1] as usize % 32).copied().unwrap_or(0)),
            Op::Quad { order } => one(args[0][lane / 4 * 4 + usize::from(order.0[lane % 4])]),
            Op::SurfaceLoad { surface } if masked => {
                std::array::from_fn(|channel| self.element(surface.0, at(0), at(1), channel))
            }
            Op::SurfaceLoad2x2 { surface } if masked => [(1, 0), (0, 1), (1, 1), (0, 0)]
                .map(|(dx, dy)| self.element(surface.0, at(0).saturating_add(dx), at(1).saturating_add(dy), 0)),
            Op::SurfaceStore { surface, channels: Channels(bits) } if masked => {
                for channel in (0..4).filter(|channel| bits >> channel & 1 != 0) {
                    self.store(surface.0, at(0), at(1), channel, row[2 + channel]);
                }
                [0; 4]
            }
            Op::SurfaceTest { surface, test, write } if masked => {
                let old = self.element(surface.0, at(0), at(1), 0);
                let order = f32::from_bits(row[2]).partial_cmp(&f32::from_bits(old));
                let pass = match test {
                    ElementTest::Never => false,
                    ElementTest::Lt => order.is_some_and(|order| order.is_lt()),
                    ElementTest::Le => order.is_some_and(|order| order.is_le()),
                    ElementTest::Eq => order.is_some_and(|order| order.is_eq()),
                    ElementTest::Ge => order.is_some_and(|order| order.is_ge()),
                    ElementTest::Gt => order.is_some_and(|order| order.is_gt()),
                    ElementTest::Ne => order.is_none_or(|order| order.is_ne()),
                    ElementTest::Always => true,
                };
                if pass && write == ElementWrite::Yes {
                    self.store(surface.0, at(0), at(1), 0, row[2]);
                }
                one(pass.into())
            }
            Op::BufferLoad { buffer } if masked => {
                let written = self.outcome.buffers.get(&(buffer.0, row[0])).copied();
                one(written.unwrap_or_else(|| content(self.seed, [5, buffer.0.into(), row[0]], false, false)))
            }
            Op::BufferStore { buffer } if masked => {
                self.outcome.buffers.insert((buffer.0, row[0]), row[1]);
                [0; 4]
            }
            Op::ArrayRead { array }
            | Op::ArrayGather { array }
            | Op::MaskArrayRead { array }
            | Op::UniformArrayRead { array } => {
                let entries = &self.arrays[array.index()];
                one(entries[row[0] as usize & (entries.len() - 1)][lane])
            }
            Op::ArrayWrite { array } | Op::ArrayScatter { array } if !masked => {
                let _ = array;
                [0; 4]
            }
            Op::ArrayWrite { array }
            | Op::ArrayScatter { array }
            | Op::MaskArrayWrite { array }
            | Op::UniformArrayWrite { array } => {
                let entries = &mut self.arrays[array.index()];
                let index = row[0] as usize & (entries.len() - 1);
                entries[index][lane] = row[1];
                [0; 4]
            }
            _ => [0; 4],
        }
    }
}
