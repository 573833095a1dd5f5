//! The state of lanes as values.

use super::block::Block;
use super::fragment::Fragments;
use super::global::Footprint;
use super::lines::LineBinding;
use super::resume::Resume;
use super::specialisation::{BufferBinding, LAUNCH_ENTRIES, LaunchEntry, Specialisation, TableBinding};
use super::{Lifted, NotLifted, Walked};
use crate::codes::BarrierOp;
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::{Column, NO_INVOCATION};
use crate::program::Code;
use crate::refused::refusal;
use crate::table::{AtomicOp, AttributeOp, Class, ConstantOp, ExchangeOp, OrderOp, SpecialOp, SystemOp};
use ctm_lane::{Array, ArrayDecl, Buffer, Builder, IntTest, Table, TableDecl, Type, Value, Variable};
use std::collections::BTreeSet;

/// Most dwords of local memory that become an array.
const MAX_LOCAL_DWORDS: u32 = 1 << 16;

/// The same of functions that lanes come back to.
const MAX_KEPT_DWORDS: u32 = 1 << 10;

fn uses_local(code: &Code) -> bool {
    code.instructions().iter().any(|instruction| matches!(instruction.op().class(), Class::Local(_)))
}

/// What a geometry program has put out.
pub(super) struct Output {
    /// The state that the last OUT gave.
    pub state: Variable,
    /// Events that the log has.
    pub count: Variable,
    /// For each stream the lanes with vertices that no cut has ended.
    pub open: [Variable; 4],
}

/// The state of lanes, and the function that is made.
pub(super) struct LiftState<'a> {
    pub b: Builder,
    pub code: &'a Code,
    pub specialisation: &'a Specialisation,
    /// Lanes that have an invocation.
    pub live: Value,
    /// Numbers of the lanes in the launch.
    pub number: Value,
    /// Lanes for which the instruction executes.
    pub taken: Value,
    pub registers: Vec<Variable>,
    pub predicates: [Variable; 7],
    /// Z, S, C, O.
    pub flags: [Variable; 4],
    /// Local memory, by dword, of functions that nobody comes back to.
    pub local: Option<Array>,
    pub output: Output,
    pub fragments: Option<Fragments>,
    /// What lanes keep while they are not in the function, of functions that they come back to.
    pub resume: Option<Resume>,
    pub block: Option<Block>,
    /// Registers that instructions write.
    pub written: BTreeSet<u8>,
    /// Lanes read the registers of other lanes of their quad.
    pub uses_quads: bool,
    /// Lanes read what others write, or several write one place.
    pub depends: bool,
    /// The order in which lanes do so is not that of operations.
    pub disordered: bool,
    /// Lanes read what the launch writes.
    pub reads_back: bool,
    /// What lanes accessed of global memory.
    pub footprints: Vec<Footprint>,
    /// They see what others did to it in atomic ways.
    pub is_sequential: bool,
    /// What surfaces are.
    pub lines: Vec<LineBinding>,
    tables: Vec<TableBinding>,
    buffers: Vec<BufferBinding>,
}

impl<'a> LiftState<'a> {
    /// The machine at the start of the program, or of a function that lanes come back to.
    pub fn new(code: &'a Code, specialisation: &'a Specialisation, resumes: bool) -> Walked<Self> {
        let mut b = Builder::new();
        let dwords = if uses_local(code) { specialisation.local_memory.div_ceil(4) } else { 0 };
        if dwords > if resumes { MAX_KEPT_DWORDS } else { MAX_LOCAL_DWORDS } {
            return Err(NotLifted::TooLarge);
        }
        let array = ArrayDecl { entries: dwords.next_power_of_two(), ty: Type::Lane };
        let local = (dwords > 0 && !resumes).then(|| b.function.add_array(array));
        let (live, x) = (b.covered(), b.pos_x());
        let number = if specialisation.pixels.is_some() {
            // That of a pixel is calculated below.
            x
        } else if specialisation.is_long && !resumes {
            let (y, sixteen) = (b.pos_y(), b.constant(16));
            let high = b.shl(y, sixteen);
            b.or(high, x)
        } else {
            x
        };
        let mut masks = || b.variable(Type::Mask);
        let (predicates, flags) = (std::array::from_fn(|_| masks()), std::array::from_fn(|_| masks()));
        let open = std::array::from_fn(|_| masks());
        let mut machine = LiftState {
            code,
            specialisation,
            live,
            number,
            taken: live,
            registers: (0..255).map(|_| b.variable(Type::Lane)).collect(),
            predicates,
            flags,
            local,
            output: Output { state: b.variable(Type::Lane), count: b.variable(Type::Lane), open },
            fragments: None,
            resume: None,
            block: None,
            written: BTreeSet::new(),
            uses_quads: false,
            depends: false,
            disordered: false,
            reads_back: false,
            footprints: Vec::new(),
            is_sequential: false,
            lines: Vec::new(),
            tables: Vec::new(),
            buffers: Vec::new(),
            b,
        };
        if resumes && specialisation.pixels.is_none() {
            let first = machine.launch_entry(LaunchEntry::FirstOfCall);
            machine.number = machine.b.iadd(first, x);
        }
        if specialisation.has_columns {
            let primitive = machine.column(Column::Primitive);
            let none = machine.b.constant(NO_INVOCATION);
            let some = machine.b.icmp(IntTest::Ne, primitive, none);
            machine.live = machine.b.mask_and(live, some);
        }
        if specialisation.has_grid {
            let (thread, _) = machine.thread_and_block();
            let threads = machine.launch_entry(LaunchEntry::BlockThreads);
            let some = machine.b.icmp(IntTest::Ult, thread, threads);
            machine.live = machine.b.mask_and(live, some);
        }
        if let Some(pixels) = &specialisation.pixels {
            machine.place_fragments(&pixels.area, resumes);
        }
        machine.taken = machine.live;
        Ok(machine)
    }

    /// The finished function.
    pub fn done(self) -> Lifted {
        Lifted {
            function: self.b.finish(),
            tables: self.tables,
            buffers: self.buffers,
            lines: self.lines,
            is_independent: !self.depends,
            footprints: self.footprints.iter().map(|footprint| footprint.kind).collect(),
            is_sequential: self.is_sequential,
            reads_back: self.reads_back,
            resumes: None,
        }
    }

    /// Whether instructions access local memory.
    pub fn uses_local(&self) -> bool {
        uses_local(self.code)
    }

    /// Executes an instruction in the lanes of `taken`; what it does to control flow is the graph's affair.
    pub fn execute(&mut self, instruction: &Instruction) -> Walked<()> {
        if refusal(instruction).is_some() {
            self.trap();
            return Ok(());
        }
        match instruction.op().class() {
            Class::Raw => self.trap(),
            Class::Attribute(op) => match op {
                AttributeOp::Ast => self.store_attributes(instruction),
                AttributeOp::Ald => self.load_attributes(instruction),
                AttributeOp::Al2p => self.attribute_address(instruction),
                AttributeOp::Isberd => self.vertex_handle(instruction),
                AttributeOp::Out => self.emit(instruction),
            },
            Class::Special(SpecialOp::S2r | SpecialOp::Cs2r) => self.special_register(instruction),
            Class::Move(op) => self.choose(op, instruction),
            Class::Constant(ConstantOp::Ldc) => self.load_constant(instruction),
            Class::Local(op) => self.local_memory(op, instruction),
            Class::Global(op) => self.global_memory(op, instruction)?,
            // There are no caches.
            Class::Cache(_) => {}
            Class::System(op) => match op {
                SystemOp::Ide | SystemOp::Stp => {}
                SystemOp::Lepc
                | SystemOp::B2r
                | SystemOp::R2b
                | SystemOp::Getcrsptr
                | SystemOp::Getlmembase
                | SystemOp::Setcrsptr
                | SystemOp::Setlmembase
                | SystemOp::Rtt
                | SystemOp::Bpt => self.trap(),
            },
            Class::Shared(op) => self.shared_memory(op, instruction)?,
            Class::Atomic(op @ (AtomicOp::Atoms | AtomicOp::AtomsCas)) => self.shared_atomic(op, instruction)?,
            Class::Atomic(op @ (AtomicOp::Atom | AtomicOp::AtomCas | AtomicOp::Red)) => {
                self.global_atomic(op, instruction)?
            }
            Class::Fragment(op) => self.fragment(op, instruction),
            Class::Texture(op) => self.texture(op, instruction)?,
            Class::Surface(_) => return Err(NotLifted::Image),
            Class::Video(_) => self.trap(),
            Class::Float(op) => self.float(op, instruction),
            Class::Double(op) => self.double(op, instruction),
            Class::Compare(op) => self.compare(op, instruction),
            Class::Integer(op) => self.integer(op, instruction),
            Class::Bits(op) => self.bitwise(op, instruction),
            Class::Convert(op) => self.convert(op, instruction),
            Class::Flags(op) => self.transfer_flags(op, instruction),
            Class::Exchange(op) => match op {
                ExchangeOp::Vote => self.vote(instruction),
                ExchangeOp::Shfl => self.shuffle(instruction),
            },
            Class::Flow(_) => {}
            Class::Order(op) => match op {
                OrderOp::Nop | OrderOp::VoteVtg | OrderOp::Depbar | OrderOp::Membar => {}
                OrderOp::Bar if instruction.get(key::BARRIER_OP) != BarrierOp::Scan => {}
                OrderOp::Bar => self.trap(),
            },
        }
        Ok(())
    }

    /// The launch is one for the reference if some of these lanes come here.
    pub fn trap_in(&mut self, lanes: Value) {
        let (trap, next) = (self.b.new_block(), self.b.new_block());
        self.b.branch_any(lanes, (trap, &[]), (next, &[]));
        self.b.seal(trap);
        self.b.switch_to(trap);
        self.b.trap(0, 0, lanes);
        self.b.seal(next);
        self.b.switch_to(next);
    }

    /// The launch is one for the reference if the instruction executes for some lane.
    pub fn trap(&mut self) {
        self.trap_in(self.taken);
    }

    /// The launch is one for the reference if the instruction executes for one of these lanes.
    pub fn trap_where(&mut self, lanes: Value) {
        let lanes = self.b.mask_and(self.taken, lanes);
        self.trap_in(lanes);
    }

    /// The table with this binding.
    pub fn table(&mut self, binding: TableBinding, entries: u32) -> Table {
        match self.tables.iter().position(|known| *known == binding) {
            Some(at) => Table(at as u16),
            None => {
                self.tables.push(binding);
                self.b.function.add_table(TableDecl { entries, finite: false })
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

    /// A number of the launch.
    pub fn launch_entry(&mut self, entry: LaunchEntry) -> Value {
        let table = self.table(TableBinding::StageLaunch, LAUNCH_ENTRIES);
        self.b.table_splat(table, entry.index())
    }

    /// The byte address of a dword.
    pub fn byte(&mut self, dword: Value) -> Value {
        let two = self.b.constant(2);
        self.b.shl(dword, two)
    }

    /// The lanes' words of a column; 0 if there are none.
    pub fn column(&mut self, column: Column) -> Value {
        self.column_of(column, self.number)
    }

    /// The words that other invocations have in a column.
    pub fn column_of(&mut self, column: Column, invocation: Value) -> Value {
        if !self.specialisation.has_columns {
            return self.b.constant(0);
        }
        let (buffer, count) = (self.buffer(BufferBinding::Columns), self.launch_entry(LaunchEntry::Invocations));
        let column = self.b.constant(column as u32);
        let first = self.b.imul(count, column);
        let dword = self.b.iadd(first, invocation);
        let address = self.byte(dword);
        self.b.buffer_load(buffer, address, self.live)
    }
}
