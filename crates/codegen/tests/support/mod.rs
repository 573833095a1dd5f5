//! What the tests of the machine code share: memory with special values, and a plain evaluator of functions on a group.
#![allow(dead_code, reason = "each test uses a part")]

use ctm_codegen::x64::Jit;
use ctm_engine::{Backend, Bindings, CodeCounts, KernelSource, SurfaceLayout};
use ctm_lane::budget::{Budget, Meter, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::{
    Block, ElementTest, ElementWrite, Function, Inst, Op, Terminator, Value, assume_covered, evaluate, evaluate_pair,
    simplify,
};
use ctm_memory::{Arena, Bounds, Buffer, Format, Space, Surface, View};
use ctm_num::{convert, flushed};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Mutex;

/// The backends that this host can run.
pub fn backends() -> Vec<Jit> {
    let all: Vec<Jit> = [Jit::avx512(), Jit::avx2()].into_iter().flatten().collect();
    if all.is_empty() {
        eprintln!("skipped: this host has neither AVX-512 nor AVX2");
    }
    all
}

const BASE: u32 = 0x1000_0000;
const SIZE: u32 = 0x10_0000;

/// A number that depends on all of these.
pub fn mix(seed: u32, parts: [u32; 2]) -> u32 {
    let mut hash = seed ^ 0x9E37_79B9;
    for part in parts {
        hash = (hash ^ part).wrapping_mul(0x85EB_CA6B);
        hash ^= hash >> 13;
    }
    hash.wrapping_mul(0xC2B2_AE35) ^ hash >> 16
}

pub const SPECIALS: [u32; 24] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    1,
    0x8000_0003,
    0x007F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_1234,
    0xFFFF_FFFF,
    0x7F80_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x3F00_0000,
    0x3E80_0000,
    0x4B00_0000,
    0xCB40_0001,
    0x4F00_0000,
    0xCF00_0000,
    0x3F7F_FFFF,
];

/// What memory is full of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Data {
    /// Numbers of all kinds.
    Wild,
    /// Finite numbers.
    Tame,
    /// Ordinary numbers, and one element of special ones in each row of 64 elements of four words: alone in its strip.
    Sparse,
}

impl Data {
    pub const ALL: [Self; 3] = [Self::Wild, Self::Tame, Self::Sparse];
}

/// Bits that stress float rules; `tame` leaves out infinities and NaNs.
pub fn content(seed: u32, at: u32, data: Data) -> u32 {
    let hash = mix(seed, [at, 7]);
    if data == Data::Sparse {
        let (row, pixel) = (at / 256 % 64, at / 4 % 64);
        return match pixel == mix(seed, [row, 99]) % 64 {
            true => SPECIALS[(hash >> 8) as usize % SPECIALS.len()],
            false => ((hash >> 8 & 0xFFF) as f32 / 64.0 - 31.99).to_bits(),
        };
    }
    let bits = match hash >> 28 {
        0..5 => SPECIALS[(hash >> 8) as usize % SPECIALS.len()],
        5..13 => ((hash >> 8 & 0xFFF) as f32 / 64.0 - 32.0).to_bits(),
        _ => hash.rotate_left(13),
    };
    if data == Data::Tame && !f32::from_bits(bits).is_finite() { 0x4040_0000 } else { bits }
}

/// A surface and its bounds rule.
pub type Bound = (Surface, Bounds);

/// Surfaces one after the other.
pub fn surfaces(kinds: &[(Format, ctm_memory::Tiling, u32, u32, Bounds)]) -> Vec<Bound> {
    let mut base = BASE;
    let mut all = Vec::new();
    for &(format, tiling, pitch, height, bounds) in kinds {
        let surface = Surface { base, pitch, height, tiling, superfine: false, format };
        let room = Surface { height: height.max(64), ..surface }.bytes() as u32;
        base += room.next_multiple_of(4096);
        assert!(base <= BASE + SIZE);
        all.push((surface, bounds));
    }
    all
}

/// Memory of a test, which a later one fills again: mapping it anew takes longer than most tests.
pub struct Memory(Option<Space>);

static SPARE: Mutex<Vec<Space>> = Mutex::new(Vec::new());

impl Deref for Memory {
    type Target = Space;

    fn deref(&self) -> &Space {
        self.0.as_ref().expect("it goes when it is dropped")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        SPARE.lock().unwrap().extend(self.0.take());
    }
}

/// Memory full of `content`, which is made once for each seed.
pub fn space(seed: u32, data: Data) -> Memory {
    static CONTENTS: Mutex<BTreeMap<(u32, Data), Vec<u8>>> = Mutex::new(BTreeMap::new());
    let spare = SPARE.lock().unwrap().pop();
    let space = spare.unwrap_or_else(|| {
        let mut space = Space::default();
        space.map(Arena::new(BASE, SIZE).unwrap()).unwrap();
        space
    });
    let mut contents = CONTENTS.lock().unwrap();
    let bytes = contents
        .entry((seed, data))
        .or_insert_with(|| (0..SIZE / 4).flat_map(|word| content(seed, word, data).to_le_bytes()).collect());
    space.write_bytes(BASE, bytes).unwrap();
    Memory(Some(space))
}

/// The first word of memory that is not as expected.
pub fn difference(expected: &Space, found: &Space) -> Option<String> {
    const PART: u32 = 4096;
    let part = |space: &Space, at: u32| {
        let mut bytes = [0; PART as usize];
        space.read_bytes(BASE + at, &mut bytes).unwrap();
        bytes
    };
    (0..SIZE).step_by(PART as usize).find_map(|at| {
        let (expected, found) = (part(expected, at), part(found, at));
        let words = expected.as_chunks::<4>().0.iter().zip(found.as_chunks::<4>().0);
        let (place, (a, b)) = words.enumerate().find(|(_, (a, b))| a != b)?;
        let (a, b) = (u32::from_le_bytes(*a), u32::from_le_bytes(*b));
        Some(format!("word {:#x}: {a:#010x} expected, {b:#010x} found", at as usize / 4 + place))
    })
}

pub fn views<'a>(space: &'a Space, surfaces: &[Bound]) -> Vec<View<'a>> {
    surfaces.iter().map(|&(surface, bounds)| View::new(space, surface, bounds)).collect()
}

pub fn has_quads(function: &Function) -> bool {
    function
        .blocks()
        .any(|block| function.insts(block).iter().any(|&inst| matches!(function.op(inst), Op::Quad { .. })))
}

/// Buffers after all surfaces, of different lengths; of most, neither the start nor the length is a multiple of four.
fn buffers(space: &Space, count: u16) -> Vec<Buffer<'_>> {
    let lengths = [1022, 61, 4].into_iter().cycle();
    let buffer = |(number, length): (u32, u32)| Buffer::new(space, BASE + 0xF_0001 + 0x1000 * number, length).unwrap();
    (0..count.into()).zip(lengths).map(buffer).collect()
}

fn may_trap(function: &Function) -> bool {
    function.blocks().any(|block| matches!(function.terminator(block), Terminator::Trap { .. }))
}

/// What runs: a function for a domain, in groups that may execute `budget` steps each.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub function: &'a Function,
    pub surfaces: &'a [Bound],
    pub tables: &'a [Vec<u32>],
    pub domain: Domain,
    pub budget: u64,
}

/// Runs the function with the backend on a copy of the memory: the instructions executed, or none if a group stopped.
/// `None` if the backend refuses the function.
pub fn run_code(backend: &dyn Backend, setup: Setup, space: &Space) -> Option<Option<u64>> {
    let Setup { function, surfaces, tables, domain, budget } = setup;
    let mut simplified = function.clone();
    simplify(&mut simplified);
    let mut interior = function.clone();
    assume_covered(&mut interior);
    simplify(&mut interior);
    let layouts: Vec<_> = surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(space, surface, *bounds)).collect();
    let may_stop = may_trap(function) || budget != u64::MAX;
    let unproven = || {
        let CodeCounts { explicit, refused, .. } = backend.code_counts();
        explicit + refused
    };
    let before = unproven();
    let source = KernelSource { function: &simplified, interior: &interior, surfaces: &layouts, may_stop };
    let code = backend.compile(&source, &Effort::default());
    let code = code.ok().filter(|code| code.complete());
    assert_eq!(unproven(), before, "code was not shown to be safe as it was made first\n{function}");
    let code = code?;
    let bindings = Bindings {
        surfaces: views(space, surfaces),
        tables: tables.to_vec(),
        buffers: buffers(space, function.buffers),
    };
    // What is found does not depend on the load of the machine.
    let untimed = Budget { group_time: None, ..Budget::default() };
    let meter = Meter::new(untimed, None);
    let mut bound = code.bind(&bindings).ok()?;
    Some(bound.run(domain, budget, &mut Poller::new(&meter)).ok().map(|outcome| outcome.instructions))
}

/// Runs the function by the evaluator, in groups of rows or of quads; `None` if a group stopped.
pub fn run_plain(lanes: u32, setup: Setup, space: &Space) -> Option<u64> {
    let Setup { function, surfaces, tables, domain, budget } = setup;
    let views = views(space, surfaces);
    let quads = has_quads(function);
    let align = |at: u32| if quads { at & !1 } else { at };
    let (width, height) = if quads { (lanes / 2, 2) } else { (lanes, 1) };
    let mut instructions = 0;
    for y in (align(domain.j0)..=domain.j1).step_by(height) {
        for x in (domain.i0 & !(width - 1)..=domain.i1).step_by(width as usize) {
            let position = |lane: u32| {
                if quads { (x + lane / 4 * 2 + lane % 2, y + lane / 2 % 2) } else { (x + lane, y) }
            };
            let row = vec![0; lanes as usize];
            let mut group = Group {
                function,
                views: &views,
                tables,
                positions: (0..lanes).map(position).collect(),
                domain,
                values: vec![row.clone(); function.value_count()],
                arrays: function.arrays.iter().map(|array| vec![row.clone(); array.entries as usize]).collect(),
                buffers: buffers(space, function.buffers),
                instructions: 0,
                steps: 0,
            };
            let ends = group.run();
            if !ends || group.steps > budget {
                return None;
            }
            instructions += group.instructions;
        }
    }
    Some(instructions)
}

struct Group<'a> {
    function: &'a Function,
    views: &'a [View<'a>],
    tables: &'a [Vec<u32>],
    positions: Vec<(u32, u32)>,
    domain: Domain,
    values: Vec<Vec<u32>>,
    arrays: Vec<Vec<Vec<u32>>>,
    buffers: Vec<Buffer<'a>>,
    instructions: u64,
    steps: u64,
}

impl Group<'_> {
    fn value(&self, value: Value) -> Vec<u32> {
        self.values[value.index()].clone()
    }

    /// Whether the group comes to its end, not to a trap.
    fn run(&mut self) -> bool {
        let mut block = Function::ENTRY;
        loop {
            for &inst in self.function.insts(block) {
                self.inst(inst);
            }
            match self.end(block) {
                Some(next) => block = next,
                None => return matches!(self.function.terminator(block), Terminator::Return),
            }
        }
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
            Terminator::Return | Terminator::Trap { .. } => return None,
        };
        let args: Vec<_> = target.args.iter().map(|&arg| self.value(arg)).collect();
        for (&param, arg) in self.function.params(target.block).iter().zip(args) {
            self.values[param.index()] = arg;
        }
        Some(target.block)
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let op = function.op(inst);
        let args: Vec<Vec<u32>> = function.args(inst).iter().map(|&arg| self.value(arg)).collect();
        let results: Vec<Value> = function.results(inst).collect();
        for lane in 0..self.positions.len() {
            let row: Vec<u32> = args.iter().map(|arg| arg[lane]).collect();
            let found = match (evaluate(op, &row), evaluate_pair(op, &row)) {
                (Some(bits), _) => [bits, 0, 0, 0],
                (_, Some([low, high])) => [low, high, 0, 0],
                _ => self.special(op, &args, &row, lane),
            };
            for (result, bits) in results.iter().zip(found) {
                self.values[result.index()][lane] = bits;
            }
        }
        if let Op::Steps { count, .. } = *op {
            self.instructions += args[0].iter().filter(|&&bit| bit != 0).count() as u64 * u64::from(count);
            self.steps += u64::from(count);
        }
    }

    fn special(&mut self, op: &Op, args: &[Vec<u32>], row: &[u32], lane: usize) -> [u32; 4] {
        let one = |bits: u32| [bits, 0, 0, 0];
        let at = |k: usize| i64::from(row[k].cast_signed());
        let masked = row.last() == Some(&1);
        let (x, y) = self.positions[lane];
        let entry = |table: ctm_lane::Table, index: u32| {
            let entries = &self.tables[table.index()];
            entries[index as usize & (entries.len() - 1)]
        };
        match *op {
            Op::PosX {} => one(x),
            Op::PosY {} => one(y),
            Op::Covered {} => {
                let domain = self.domain;
                one(((domain.i0..=domain.i1).contains(&x) && (domain.j0..=domain.j1).contains(&y)).into())
            }
            Op::TableSplat { table, index } | Op::TableUniform { table, index } => one(entry(table, index)),
            Op::TableAt { table } | Op::TableGather { table } => one(entry(table, row[0])),
            Op::Quad { order } => one(args[0][lane / 4 * 4 + usize::from(order.0[lane % 4])]),
            Op::SurfaceLoad { surface } if masked => self.views[surface.index()].load(at(0), at(1)),
            Op::SurfaceLoad2x2 { surface } if masked => {
                let view = &self.views[surface.index()];
                let next = |a: i64| (a + 1).min(i64::from(i32::MAX));
                [(next(at(0)), at(1)), (at(0), next(at(1))), (next(at(0)), next(at(1))), (at(0), at(1))]
                    .map(|(x, y)| view.load(x, y)[0])
            }
            Op::SurfaceStore { surface, channels } if masked => {
                self.views[surface.index()].store(at(0), at(1), [row[2], row[3], row[4], row[5]], channels.0);
                [0; 4]
            }
            Op::SurfaceTest { surface, test, write } if masked => {
                one(request(&self.views[surface.index()], (at(0), at(1)), row[2], test, write).into())
            }
            Op::BufferLoad { buffer } if masked => one(self.buffers[buffer.index()].load(row[0])),
            Op::BufferStore { buffer } if masked => {
                self.buffers[buffer.index()].store(row[0], row[1]);
                [0; 4]
            }
            Op::ArrayRead { array }
            | Op::ArrayGather { array }
            | Op::MaskArrayRead { array }
            | Op::UniformArrayRead { array } => {
                let entries = &self.arrays[array.index()];
                one(entries[row[0] as usize & (entries.len() - 1)][lane])
            }
            Op::ArrayWrite { array } | Op::ArrayScatter { array } if masked => self.write(array, row, lane),
            Op::MaskArrayWrite { array } | Op::UniformArrayWrite { array } => self.write(array, row, lane),
            _ => [0; 4],
        }
    }

    fn write(&mut self, array: ctm_lane::Array, row: &[u32], lane: usize) -> [u32; 4] {
        let entries = &mut self.arrays[array.index()];
        let index = row[0] as usize & (entries.len() - 1);
        entries[index][lane] = row[1];
        [0; 4]
    }
}

/// A request to a conditional unit.
fn request(view: &View, (x, y): (i64, i64), value: u32, test: ElementTest, write: ElementWrite) -> bool {
    let stored = view.load_raw(x, y)[0];
    let (new, order) = match view.surface().format {
        Format::Uint16_1 => {
            let new = u32::from(convert::f32_to_unorm16(value));
            (new, Some(new.cmp(&stored)))
        }
        Format::Uint8_4 => {
            let new = convert::f32_to_unorm24(value);
            (new, Some(new.cmp(&(stored & 0xFF_FFFF))))
        }
        _ => {
            let order = if flushed::less(value, stored) {
                Some(Ordering::Less)
            } else if flushed::less(stored, value) {
                Some(Ordering::Greater)
            } else {
                flushed::equal(value, stored).then_some(Ordering::Equal)
            };
            (value, order)
        }
    };
    let passes = match test {
        ElementTest::Never => false,
        ElementTest::Lt => order == Some(Ordering::Less),
        ElementTest::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        ElementTest::Eq => order == Some(Ordering::Equal),
        ElementTest::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        ElementTest::Gt => order == Some(Ordering::Greater),
        ElementTest::Ne => order != Some(Ordering::Equal),
        ElementTest::Always => true,
    };
    if passes && write == ElementWrite::Yes {
        view.store_raw(x, y, [new, 0, 0, 0]);
    }
    passes
}
