//! The state of a group as values: registers, masks, constants.

use super::context::CodeAddress;
use super::specialisation::{
    BufferBinding, InputLayout, LAUNCH_ENTRIES, Specialisation, SurfaceBinding, TableBinding, is_unit, length_entries,
};
use super::{Dependence, Lifted, Names, NotLifted, Walked};
use crate::alu::Selector;
use crate::cf::{Cf, Qword};
use crate::fetch::Fetch;
use crate::job::{TrapKind, TrapLocation};
use crate::outline::{ClauseKind, Outline, clause_groups, fetches};
use crate::program::{GPRS, Program};
use crate::uses::Uses;
use ctm_engine::SurfaceLayout;
use ctm_lane::{
    Array, ArrayDecl, Buffer, Builder, Denorm, IntTest, QuadOrder, Surface, SurfaceDecl, Table, TableDecl, Type, Value,
    Variable,
};

/// What a frame of the stack holds; each kind uses what it needs.
#[derive(Clone, Copy)]
pub(super) struct FrameVariables {
    pub active: Variable,
    pub stays: Variable,
    pub waits: Variable,
    /// Passes left.
    pub count: Variable,
    pub al: Variable,
}

/// A register that an instruction names.
#[derive(Clone, Copy)]
pub(super) enum Register {
    /// This one.
    Fixed(u8),
    /// The same in every lane.
    Uniform(Value),
    /// One of the lane's own.
    Lanes(Value),
}

/// What a relative operand adds.
#[derive(Clone, Copy)]
pub(super) enum Index {
    /// aL.
    Uniform(Value),
    /// A component of AR.
    Lanes(Value),
}

/// Registers and masks, and the function that is made.
pub(super) struct LiftState<'a> {
    pub b: Builder,
    pub program: &'a Program,
    pub fetch_program: Option<&'a Program>,
    pub specialisation: &'a Specialisation,
    /// Lanes of the job.
    pub covered: Value,
    /// Pixels that execute.
    pub active: Variable,
    /// Pixels that have not left the innermost loop by a break. (All of them, outside loops.)
    pub stays: Variable,
    /// Pixels that wait for the end of the pass.
    pub waits: Variable,
    /// Pixels that are covered and not killed.
    pub valid: Variable,
    /// Pixels that no kill has ended.
    alive: Variable,
    pub predicate: Variable,
    /// Whole-quad mode may make pixels active that were not at the last push.
    pub widens: bool,
    /// Lanes write memory that they share.
    pub writes_shared: bool,
    /// Some kill ends pixels.
    pub ends_lanes: bool,
    frames: Vec<FrameVariables>,
    gprs: Vec<[Variable; 4]>,
    /// Registers below NUM_GPRS, if some instruction reaches registers by index.
    arrays: Option<[Array; 4]>,
    /// Scratch memory of a lane, by dword.
    pub scratch: Option<Array>,
    surfaces: Vec<SurfaceBinding>,
    tables: Vec<TableBinding>,
    buffers: Vec<BufferBinding>,
    traps: Vec<TrapKind>,
    locations: Vec<TrapLocation>,
    /// How often the code at hand runs, at most, where it is not in a loop of the program.
    pub repeats: u64,
    /// Steps of a group at most, but for loops of the program.
    steps: u64,
    /// The program has loops.
    pub has_loops: bool,
}

impl<'a> LiftState<'a> {
    /// The machine at program start.
    pub fn new(
        program: &'a Program,
        fetch_program: Option<&'a Program>,
        specialisation: &'a Specialisation,
    ) -> Walked<Self> {
        let names = Names { surfaces: Vec::new(), tables: Vec::new(), buffers: Vec::new() };
        Self::new_with_names(program, fetch_program, specialisation, &names)
    }

    /// The machine without its inputs.
    fn bare(
        program: &'a Program,
        fetch_program: Option<&'a Program>,
        specialisation: &'a Specialisation,
    ) -> Walked<Self> {
        let mut b = Builder::new();
        let programs = || [Some(program), fetch_program].into_iter().flatten();
        let covered = b.covered();
        let array = |b: &mut Builder, entries: u32| b.function.add_array(ArrayDecl { entries, ty: Type::Lane });
        let indexed = programs().any(reaches_registers_by_index);
        let arrays = indexed.then(|| std::array::from_fn(|_| array(&mut b, GPRS as u32)));
        let scratch_dwords = specialisation.scratch_elements.checked_mul(4).ok_or(NotLifted::TooLarge)?;
        if scratch_dwords > MAX_SCRATCH_DWORDS {
            return Err(NotLifted::TooLarge);
        }
        let scratch = (scratch_dwords > 0).then(|| array(&mut b, scratch_dwords.next_power_of_two()));
        let mut machine = LiftState {
            program,
            fetch_program,
            specialisation,
            covered,
            active: b.variable(Type::Mask),
            stays: b.variable(Type::Mask),
            waits: b.variable(Type::Mask),
            valid: b.variable(Type::Mask),
            alive: b.variable(Type::Mask),
            predicate: b.variable(Type::Mask),
            widens: programs().any(|program| Uses::of(program).whole_quads),
            writes_shared: false,
            ends_lanes: false,
            frames: Vec::new(),
            gprs: (0..GPRS).map(|_| std::array::from_fn(|_| b.variable(Type::Lane))).collect(),
            arrays,
            scratch,
            surfaces: Vec::new(),
            tables: Vec::new(),
            buffers: Vec::new(),
            traps: Vec::new(),
            locations: Vec::new(),
            repeats: 1,
            steps: 0,
            has_loops: false,
            b,
        };
        let all = machine.b.mask_constant(true);
        let states = [(machine.active, covered), (machine.valid, covered), (machine.stays, all), (machine.alive, all)];
        for (state, lanes) in states {
            machine.b.set(state, lanes);
        }
        Ok(machine)
    }

    /// The same, with a function that has these names from the beginning.
    pub fn new_with_names(
        program: &'a Program,
        fetch_program: Option<&'a Program>,
        specialisation: &'a Specialisation,
        names: &Names,
    ) -> Walked<Self> {
        let mut machine = Self::bare(program, fetch_program, specialisation)?;
        for (binding, decl) in &names.surfaces {
            machine.surfaces.push(*binding);
            machine.b.function.add_surface(*decl);
        }
        for (binding, decl) in &names.tables {
            machine.tables.push(*binding);
            machine.b.function.add_table(*decl);
        }
        for binding in &names.buffers {
            machine.buffers.push(*binding);
            machine.b.function.add_buffer();
        }
        machine.set_inputs();
        Ok(machine)
    }

    /// The finished function.
    pub fn done(self, dependence: Dependence) -> Lifted {
        Lifted {
            function: self.b.finish(),
            surfaces: self.surfaces,
            tables: self.tables,
            buffers: self.buffers,
            traps: self.traps,
            locations: self.locations,
            most_steps: (!self.has_loops).then_some(self.steps),
            dependence,
        }
    }

    /// The qwords of an image.
    pub fn code(&self, in_fetch_program: bool) -> &'a [Qword] {
        match in_fetch_program {
            false => &self.program.code,
            true => self.fetch_program.map_or(&[], |program| &program.code),
        }
    }

    /// Entries that the stack has.
    pub fn stack_size(&self) -> u32 {
        self.program.info.stack_size.map_or(u32::MAX, u32::from)
    }

    fn set_inputs(&mut self) {
        for (place, (&register, input)) in self.specialisation.inputs.iter().enumerate() {
            let entry = place as u32 * 4;
            let zero = self.b.constant(0);
            let value: [Value; 4] = match input {
                InputLayout::Position => {
                    let (x, y) = (self.b.pos_x(), self.b.pos_y());
                    [self.b.utof(x), self.b.utof(y), zero, zero]
                }
                InputLayout::PositionFrom => {
                    let places = [self.b.pos_x(), self.b.pos_y()];
                    let [x, y] = [0, 1].map(|axis| {
                        let (place, first) = (self.b.utof(places[axis]), self.input_entry(entry + axis as u32));
                        self.b.fadd(Denorm::Flush, place, first)
                    });
                    [x, y, zero, zero]
                }
                InputLayout::Vertex => {
                    let number = self.lane_number();
                    let [first, instance] = [0, 3].map(|channel| self.input_entry(entry + channel));
                    [self.b.iadd(first, number), zero, zero, instance]
                }
                InputLayout::Surface(surface) => {
                    let surface = self.surface(SurfaceBinding::Input(register), surface);
                    let (x, y) = (self.b.pos_x(), self.b.pos_y());
                    // Lanes that are there for their quad have the element at their position, too.
                    let all = self.b.mask_constant(true);
                    self.b.surface_load(surface, x, y, all)
                }
                InputLayout::Channels(surfaces) => std::array::from_fn(|channel| {
                    let binding = SurfaceBinding::InputChannel(register, channel);
                    let surface = self.surface(binding, &surfaces[channel]);
                    let (x, y) = (self.b.pos_x(), self.b.pos_y());
                    let all = self.b.mask_constant(true);
                    self.b.surface_load(surface, x, y, all)[0]
                }),
                InputLayout::Buffer => {
                    let buffer = self.buffer(BufferBinding::Input(register));
                    let number = self.lane_number();
                    let (first, fits) = self.item(number, 4);
                    std::array::from_fn(|channel| {
                        let channel = self.b.constant(channel as u32);
                        let dword = self.b.iadd(first, channel);
                        let address = self.byte(dword);
                        self.b.buffer_load(buffer, address, fits)
                    })
                }
                InputLayout::Value => std::array::from_fn(|channel| self.input_entry(entry + channel as u32)),
                InputLayout::Gradient { is_divided, components } => self.gradient(register, *is_divided, components),
            };
            for (channel, value) in value.into_iter().enumerate() {
                self.write(Register::Fixed(register), channel, value, None);
            }
        }
    }

    fn input_entry(&mut self, entry: u32) -> Value {
        let entries = (self.specialisation.inputs.len() as u32 * 4).next_power_of_two().max(4);
        let table = self.table(TableBinding::Inputs, entries, false);
        self.b.table_splat(table, entry)
    }

    /// The bytes of a fetch buffer; `None` if it is not bound.
    pub fn buffer_length(&mut self, alternate: bool, number: u8) -> Option<Value> {
        let [own, other] = self.specialisation.bindings.each_ref().map(|bindings| &bindings.buffers);
        let (of_stage, before) = if alternate { (other, own.len()) } else { (own, 0) };
        let entry = before + of_stage.keys().position(|&bound| bound == number)?;
        let entries = length_entries(own.len() + other.len());
        let table = self.table(TableBinding::BufferLengths, entries as u32, false);
        Some(self.b.table_splat(table, entry as u32))
    }

    /// An entry of the table of the launch.
    pub fn launch_entry(&mut self, entry: u32) -> Value {
        let table = self.table(TableBinding::Launch, LAUNCH_ENTRIES, false);
        self.b.table_splat(table, entry)
    }

    /// The lane's number: in a line its place, in an area row by row.
    pub fn lane_number(&mut self) -> Value {
        let (x, y) = (self.b.pos_x(), self.b.pos_y());
        if self.specialisation.is_line {
            let sixteen = self.b.constant(16);
            let high = self.b.shl(y, sixteen);
            return self.b.or(high, x);
        }
        let [i0, j0, columns] = [0, 1, 2].map(|entry| self.launch_entry(entry));
        let (column, row) = (self.b.isub(x, i0), self.b.isub(y, j0));
        let before = self.b.imul(row, columns);
        self.b.iadd(before, column)
    }

    /// The first dword of a lane's item, and the lanes in which its byte address has 32 bits.
    pub fn item(&mut self, number: Value, item_dwords: u32) -> (Value, Value) {
        let items = self.b.constant(item_dwords);
        let (first, high) = (self.b.imul(number, items), self.b.umul_high(number, items));
        let (zero, limit) = (self.b.constant(0), self.b.constant(1 << 30));
        let fits = self.b.icmp(IntTest::Eq, high, zero);
        let below = self.b.icmp(IntTest::Ult, first, limit);
        (first, self.b.mask_and(fits, below))
    }

    /// The byte address of a dword.
    pub fn byte(&mut self, dword: Value) -> Value {
        let two = self.b.constant(2);
        self.b.shl(dword, two)
    }

    /// A frame of the stack.
    pub fn frame(&mut self, depth: usize) -> FrameVariables {
        while self.frames.len() <= depth {
            let b = &mut self.b;
            self.frames.push(FrameVariables {
                active: b.variable(Type::Mask),
                stays: b.variable(Type::Mask),
                waits: b.variable(Type::Mask),
                count: b.variable(Type::Uniform),
                al: b.variable(Type::Uniform),
            });
        }
        self.frames[depth]
    }

    /// Of these lanes, those that have left neither the innermost loop nor its pass.
    pub fn in_pass(&mut self, lanes: Value) -> Value {
        let (stays, waits) = (self.b.get(self.stays), self.b.get(self.waits));
        let lanes = self.b.mask_and(lanes, stays);
        self.b.mask_andnot(lanes, waits)
    }

    /// Adds lanes to a mask.
    pub fn add(&mut self, mask: Variable, lanes: Value) {
        let old = self.b.get(mask);
        let new = self.b.mask_or(old, lanes);
        self.b.set(mask, new);
    }

    /// Takes lanes out of a mask.
    pub fn remove(&mut self, mask: Variable, lanes: Value) {
        let old = self.b.get(mask);
        let new = self.b.mask_andnot(old, lanes);
        self.b.set(mask, new);
    }

    /// Makes lanes invalid, and ends them if kills do.
    pub fn kill(&mut self, lanes: Value) {
        self.remove(self.valid, lanes);
        if self.specialisation.kill_stops_pixel {
            self.ends_lanes = true;
            self.remove(self.alive, lanes);
            self.remove(self.active, lanes);
        }
    }

    /// Of these lanes, those that no kill has ended.
    pub fn living(&mut self, lanes: Value) -> Value {
        if !self.specialisation.kill_stops_pixel {
            return lanes;
        }
        let alive = self.b.get(self.alive);
        self.b.mask_and(lanes, alive)
    }

    /// The lanes whose quad has one of these.
    pub fn quads_of(&mut self, lanes: Value) -> Value {
        let (one, zero) = (self.b.constant(1), self.b.constant(0));
        let mut any = self.b.select(lanes, one, zero);
        for order in [QuadOrder::HORIZONTAL, QuadOrder::VERTICAL] {
            let other = self.b.quad(order, any);
            any = self.b.or(any, other);
        }
        self.b.icmp(IntTest::Ne, any, zero)
    }

    fn location(&mut self, address: CodeAddress, slot: Option<u32>) -> u32 {
        let location = TrapLocation { pc: address.pc, slot, in_fetch_program: address.in_fetch_program };
        if self.locations.last() != Some(&location) {
            self.locations.push(location);
        }
        self.locations.len() as u32 - 1
    }

    /// Counts an instruction, or a group of a clause, for these lanes.
    pub fn steps(&mut self, address: CodeAddress, slot: Option<u32>, lanes: Value) {
        let location = self.location(address, slot);
        // Whole-quad mode lets lanes execute that are not covered.
        let lanes = if self.widens { self.b.mask_and(lanes, self.covered) } else { lanes };
        self.steps += self.repeats;
        self.b.steps(1, location, lanes);
    }

    /// The group ends with a trap; the first of these lanes is reported, or if there is none the first that is covered.
    pub fn trap(&mut self, kind: TrapKind, address: CodeAddress, slot: Option<u32>, lanes: Value) {
        let code = self.traps.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.traps.push(kind);
            self.traps.len() - 1
        });
        let (code, location) = (code as u16, self.location(address, slot));
        let (some, none) = (self.b.new_block(), self.b.new_block());
        self.b.branch_any(lanes, (some, &[]), (none, &[]));
        for (block, lanes) in [(some, lanes), (none, self.covered)] {
            self.b.seal(block);
            self.b.switch_to(block);
            self.b.trap(code, location, lanes);
        }
    }

    /// A register that is read, with what relative addressing adds; and the lanes in which there is no such register, if
    /// there may be.
    pub fn source(&mut self, gpr: u8, index: Option<Index>) -> (Register, Option<Value>) {
        self.register(gpr, index, self.program.info.can_read(gpr))
    }

    /// The same for a register that is written. Nothing reads one that discards writes, so that it may hold them.
    pub fn destination(&mut self, gpr: u8, index: Option<Index>) -> (Register, Option<Value>) {
        self.register(gpr, index, self.program.info.can_write(gpr))
    }

    /// The register with this number, or those that the index leads to; `exists` speaks of the number.
    fn register(&mut self, gpr: u8, index: Option<Index>, exists: bool) -> (Register, Option<Value>) {
        let Some(index) = index else {
            let missing = (!exists).then(|| self.b.mask_constant(true));
            return (Register::Fixed(gpr % GPRS as u8), missing);
        };
        let count = self.program.info.counted_gprs();
        if let Some(last) = count.checked_sub(1).filter(|_| self.specialisation.clamp_gpr) {
            return (Register::Lanes(self.nearest_register(gpr, index, last)), None);
        }
        let (register, lanes) = match index {
            Index::Uniform(index) => {
                let gpr = self.b.uniform_constant(gpr.into());
                let index = self.b.uniform_add(gpr, index);
                (Register::Uniform(index), self.b.splat(index))
            }
            Index::Lanes(index) => {
                let gpr = self.b.constant(gpr.into());
                let index = self.b.iadd(gpr, index);
                (Register::Lanes(index), index)
            }
        };
        let count = self.b.constant(count.into());
        (register, Some(self.b.icmp(IntTest::Uge, lanes, count)))
    }

    /// The sum of a register and an index, from 0 to the last register.
    fn nearest_register(&mut self, gpr: u8, index: Index, last: u8) -> Value {
        let index = match index {
            Index::Uniform(index) => self.b.splat(index),
            Index::Lanes(index) => index,
        };
        // Limits come first: the sum could overflow.
        let [lowest, highest] = [0, i32::from(last)].map(|end| (end - i32::from(gpr)).cast_unsigned());
        let [lowest, highest, gpr] = [lowest, highest, gpr.into()].map(|bits| self.b.constant(bits));
        let index = self.b.smax(index, lowest);
        let index = self.b.smin(index, highest);
        self.b.iadd(index, gpr)
    }

    /// The register so many after another that is there: the others of a burst are counted ones.
    pub fn register_after(&mut self, register: Register, k: u8) -> (Register, Option<Value>) {
        match register {
            Register::Fixed(gpr) => {
                let exists = k == 0 || gpr + k < self.program.info.counted_gprs();
                let missing = (!exists).then(|| self.b.mask_constant(true));
                (Register::Fixed((gpr + k) % GPRS as u8), missing)
            }
            Register::Uniform(index) => {
                let k = self.b.uniform_constant(k.into());
                let index = self.b.uniform_add(index, k);
                let (lanes, count) = (self.b.splat(index), self.b.constant(self.program.info.counted_gprs().into()));
                (Register::Uniform(index), Some(self.b.icmp(IntTest::Uge, lanes, count)))
            }
            Register::Lanes(index) => {
                let [k, count] = [k.into(), self.program.info.counted_gprs().into()].map(|bits| self.b.constant(bits));
                let index = self.b.iadd(index, k);
                (Register::Lanes(index), Some(self.b.icmp(IntTest::Uge, index, count)))
            }
        }
    }

    fn array(&self, gpr: u8, channel: usize) -> Option<Array> {
        let in_array = gpr < self.program.info.counted_gprs();
        self.arrays.filter(|_| in_array).map(|arrays| arrays[channel])
    }

    /// One channel of a register.
    pub fn read(&mut self, register: Register, channel: usize) -> Value {
        match (register, self.arrays) {
            (Register::Fixed(gpr), _) => match self.array(gpr, channel) {
                Some(array) => {
                    let index = self.b.uniform_constant(gpr.into());
                    self.b.array_read(array, index)
                }
                None => self.b.get(self.gprs[usize::from(gpr)][channel]),
            },
            (Register::Uniform(index), Some(arrays)) => self.b.array_read(arrays[channel], index),
            (Register::Lanes(index), Some(arrays)) => self.b.array_gather(arrays[channel], index),
            (_, None) => self.b.constant(0),
        }
    }

    /// Writes one channel of a register, in the lanes of the mask (`None`: in all).
    pub fn write(&mut self, register: Register, channel: usize, value: Value, lanes: Option<Value>) {
        let uniform = match (register, self.arrays) {
            (Register::Fixed(gpr), _) => match self.array(gpr, channel) {
                Some(array) => Some((array, self.b.uniform_constant(gpr.into()))),
                None => {
                    let variable = self.gprs[usize::from(gpr)][channel];
                    let value = match lanes {
                        Some(lanes) => {
                            let old = self.b.get(variable);
                            self.b.select(lanes, value, old)
                        }
                        None => value,
                    };
                    self.b.set(variable, value);
                    None
                }
            },
            (Register::Uniform(index), Some(arrays)) => Some((arrays[channel], index)),
            (Register::Lanes(index), Some(arrays)) => {
                let lanes = lanes.unwrap_or_else(|| self.b.mask_constant(true));
                self.b.array_scatter(arrays[channel], index, value, lanes);
                None
            }
            (_, None) => None,
        };
        if let Some((array, index)) = uniform {
            let lanes = lanes.unwrap_or_else(|| self.b.mask_constant(true));
            self.b.array_write(array, index, value, lanes);
        }
    }

    /// The table with this binding.
    pub fn table(&mut self, binding: TableBinding, entries: u32, finite: bool) -> Table {
        match self.tables.iter().position(|known| *known == binding) {
            Some(at) => Table(at as u16),
            None => {
                self.tables.push(binding);
                self.b.function.add_table(TableDecl { entries, finite })
            }
        }
    }

    /// The surface with this binding.
    pub fn surface(&mut self, binding: SurfaceBinding, layout: &SurfaceLayout) -> Surface {
        match self.surfaces.iter().position(|known| *known == binding) {
            Some(at) => Surface::new(at),
            None => {
                self.surfaces.push(binding);
                self.b.function.add_surface(SurfaceDecl { unit: is_unit(layout.surface.format), whole: layout.whole })
            }
        }
    }

    /// The surface of a target.
    pub fn target(&mut self, binding: SurfaceBinding) -> Surface {
        match self.surfaces.iter().position(|known| *known == binding) {
            Some(at) => Surface::new(at),
            None => {
                self.surfaces.push(binding);
                self.b.function.add_surface(SurfaceDecl::default())
            }
        }
    }

    /// The buffer with this binding.
    pub fn buffer(&mut self, binding: BufferBinding) -> Buffer {
        match self.buffers.iter().position(|known| *known == binding) {
            Some(at) => Buffer(at as u16),
            None => {
                self.buffers.push(binding);
                self.b.function.add_buffer()
            }
        }
    }
}

/// Most dwords of scratch memory that become an array.
const MAX_SCRATCH_DWORDS: u32 = 1 << 16;

/// Whether some operand of the program is a register by index.
fn reaches_registers_by_index(program: &Program) -> bool {
    let family = program.info.family;
    let outline = Outline::of(&program.code, family);
    let exports = outline.cf.iter().any(|cf| matches!(cf, Cf::Export(export) if export.fields.relative));
    exports
        || outline.clauses.keys().any(|clause| match clause.kind {
            ClauseKind::Alu => {
                let groups = clause_groups(&program.code, clause, family).unwrap_or_default();
                groups.iter().flat_map(|group| &group.slots).any(|slot| {
                    let is_register = |selector| matches!(selector, Selector::Gpr(_));
                    slot.fields.dst.relative
                        || slot.operands().any(|operand| operand.relative && is_register(operand.selector))
                })
            }
            ClauseKind::Fetch => {
                let code = clause.range(program.code.len()).map_or(&[][..], |range| &program.code[range]);
                fetches(code).any(|fetch| match fetch {
                    Fetch::Vtx(vtx) => vtx.src.relative || vtx.dst.relative && !vtx.semantic,
                    Fetch::Tex(tex) => tex.fields.src.relative || tex.fields.dst.relative,
                    Fetch::Mem(read) => read.src.relative || read.dst.relative,
                    Fetch::MemRaw(..) => false,
                })
            }
        })
}
