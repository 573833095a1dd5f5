//! A target that belongs to no host: four lanes, masks in vectors, few registers, and no memory operands but those of loads and
//! stores. Allocation, order, interleaving, emission and the check of its bytes do not need another one.

use crate::allocate::{Location, Registers, allocate};
use crate::check::{Cause, Checked, Content, Decoded, Decoding, Jump, Locations, State, check_locations, first_of};
use crate::code_piece::Allocated;
use crate::context::Context;
use crate::emit::{Emitter, Encoding, MoveOperand, Unencodable, emit};
use crate::interleave::{Neighbours, interleaved};
use crate::mir::{self, Arg, Base, Class, Condition, Mem, Opcode, Reg};
use crate::scheduling::in_chains;
use crate::select::{Mode, Selected};
use crate::target::{Operation, Semantics, Target};
use ctm_engine::SurfaceLayout;
use ctm_lane::effort::Effort;
use ctm_lane::{Axis, Function};

#[derive(Clone, Copy, Debug)]
struct Mock;

type Inst = mir::Inst<Op>;
type InstKind = mir::InstKind<Op>;
type MachineFunction = mir::MachineFunction<Op>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Move,
    Add,
    Multiply,
    Or,
    Less,
    Repeat,
    Test,
    Step,
    CompareGeneral,
    Load,
    Store,
    Reload,
    Spill,
    Jump,
    Return,
}

impl Op {
    const ALL: [Self; 15] = [
        Self::Move,
        Self::Add,
        Self::Multiply,
        Self::Or,
        Self::Less,
        Self::Repeat,
        Self::Test,
        Self::Step,
        Self::CompareGeneral,
        Self::Load,
        Self::Store,
        Self::Reload,
        Self::Spill,
        Self::Jump,
        Self::Return,
    ];
}

impl Opcode for Op {
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| format!("{op:?}") == name)
    }
}

/// An instruction, which is as many bytes as it has fields: registers are numbered through all classes, as in [`State`].
#[derive(Clone, Copy, Debug)]
struct Word {
    start: usize,
    op: Op,
    condition: Option<Condition>,
    /// The definition, then operands; `NONE` where there is none.
    registers: [u8; 3],
    immediate: i32,
}

const NONE: u8 = u8::MAX;
const BYTES: usize = 9;
const CONDITIONS: [Condition; 4] = [Condition::Equal, Condition::NotEqual, Condition::Below, Condition::AboveEqual];

impl Decoded for Word {
    fn start(&self) -> usize {
        self.start
    }

    fn jump(&self) -> Option<Jump> {
        (self.op == Op::Jump).then_some(Jump { condition: self.condition, to: self.immediate as usize })
    }
}

fn number(class: Class, register: u8) -> u8 {
    first_of(class) as u8 + register
}

impl Emitter<'_, Mock> {
    fn put(&mut self, op: Op, registers: [u8; 3], immediate: i32) {
        let op = Op::ALL.iter().position(|&known| known == op).unwrap();
        self.bytes.extend([op as u8, NONE]);
        self.bytes.extend(registers);
        self.bytes.extend(immediate.to_le_bytes());
    }

    /// The register of an operand; what lies in the frame goes to a scratch register first.
    fn operand(&mut self, reg: Reg, scratch: usize) -> u8 {
        let class = self.class(reg);
        let register = match self.move_operand(reg) {
            MoveOperand::Register(register) => register,
            from => {
                let scratch = self.scratch(class, scratch);
                Mock::copy(self, class, MoveOperand::Register(scratch), from).unwrap();
                scratch
            }
        };
        number(class, register)
    }
}

/// The address of the constants or of the context: the latter lies 2^16 bytes after the former.
fn address(mem: Mem) -> i32 {
    match mem.base {
        Base::Pool => mem.disp,
        Base::Context => mem.disp + (1 << 16),
        Base::Reg(_) => panic!("an address in a register"),
    }
}

impl Target for Mock {
    type Op = Op;

    const STEP: Op = Op::Step;
    const FLOAT_MODE: u32 = 0;
    const INVALID: u32 = 0;

    fn width(self) -> f32 {
        2.0
    }

    fn name(self) -> &'static str {
        "mock"
    }

    fn lanes(self) -> u32 {
        4
    }

    fn mask_class(self) -> Class {
        Class::Vector
    }

    fn registers(self, _: bool) -> Registers {
        Registers { vector: &[3, 4, 5, 6], mask: &[], general: &[2, 3] }
    }

    fn scratch(self) -> Registers {
        Registers { vector: &[0, 1, 2], mask: &[], general: &[0, 1] }
    }

    fn or_masks(self) -> Op {
        Op::Or
    }

    fn load_constant(self, _: &Inst, _: Mem) -> Option<Op> {
        None
    }

    fn load_vector(self, _: &Inst, _: Mem) -> Option<Op> {
        None
    }

    fn prefetch(self, _: &Inst) -> Option<Op> {
        None
    }

    fn merge_lane_tests(self, _: &mut MachineFunction) {}

    fn copy_vector(self) -> Op {
        Op::Move
    }

    fn copy_mask(self) -> Op {
        Op::Move
    }

    fn lanes_times(self, _: &mut MachineFunction, _: &[(Reg, u32)], _: Reg) -> Vec<Inst> {
        Vec::new()
    }

    fn select(self, _: &Function, _: &[SurfaceLayout], _: Mode) -> Option<Selected<Op>> {
        None
    }

    fn prepare_inactive_lanes(self, _: &mut Function, _: &Effort) {}

    fn raises_idly(self) -> bool {
        true
    }

    fn latency(self, _: &Inst) -> u32 {
        1
    }

    fn semantics(self, inst: &Inst) -> Semantics {
        let (InstKind::Plain(op) | InstKind::Tied(op)) = inst.kind else { return Semantics::Unknown };
        match op {
            Op::Move => Semantics::Integers(Operation::Copy),
            Op::Add => Semantics::Integers(Operation::Add),
            Op::Multiply => Semantics::Integers(Operation::Mul),
            Op::Or => Semantics::Integers(Operation::Or),
            Op::Less => Semantics::Compare(Condition::Less),
            Op::Repeat => Semantics::Repeat,
            Op::Test => Semantics::TestEither,
            Op::Step => Semantics::Step,
            Op::CompareGeneral => Semantics::CompareGeneral,
            Op::Load => Semantics::Load,
            Op::Store | Op::Reload | Op::Spill | Op::Jump | Op::Return => Semantics::Unknown,
        }
    }

    fn only_reads(_: Op) -> bool {
        false
    }

    fn operand_bytes(self, _: &Inst, _: Mem) -> u64 {
        16
    }

    fn disassemble(_: &[u8], _: usize) -> String {
        String::new()
    }

    #[allow(unsafe_code, reason = "as the trait has it")]
    unsafe fn call(_: *const u8, _: *mut Context) {
        unreachable!("there is no such machine");
    }

    fn finish_stores() {}

    fn poll() -> *const () {
        std::ptr::null()
    }
}

impl Encoding for Mock {
    type Encoder = ();

    fn prologue(_: &mut Emitter<Self>) -> Result<(), Unencodable> {
        Ok(())
    }

    fn epilogue(emitter: &mut Emitter<Self>) -> Result<(), Unencodable> {
        emitter.put(Op::Return, [NONE; 3], 0);
        Ok(())
    }

    fn inst(emitter: &mut Emitter<Self>, inst: &Inst) -> Result<(), Unencodable> {
        let (InstKind::Plain(op) | InstKind::Tied(op)) = inst.kind else { return Err(Unencodable) };
        let (mut registers, mut immediate, mut count) = ([NONE; 3], 0, 1);
        for arg in inst.args {
            match arg {
                Arg::Reg(reg) => {
                    registers[count] = emitter.operand(reg, count - 1);
                    count += 1;
                }
                Arg::Mem(mem) => immediate = address(mem),
                Arg::Imm(value) => immediate = value,
                Arg::None => {}
            }
        }
        let Some(def) = inst.def else {
            emitter.put(op, registers, immediate);
            return Ok(());
        };
        let class = emitter.class(def);
        let (register, slot) = emitter.definition(def);
        registers[0] = number(class, register);
        emitter.put(op, registers, immediate);
        match slot {
            Some(slot) => Self::copy(emitter, class, MoveOperand::Slot(slot), MoveOperand::Register(register)),
            None => Ok(()),
        }
    }

    fn copy(emitter: &mut Emitter<Self>, class: Class, to: MoveOperand, from: MoveOperand) -> Result<(), Unencodable> {
        match (to, from) {
            _ if to == from => {}
            (MoveOperand::Register(to), MoveOperand::Register(from)) => {
                emitter.put(Op::Move, [number(class, to), number(class, from), NONE], 0);
            }
            (MoveOperand::Register(to), MoveOperand::Slot(slot)) => {
                emitter.put(Op::Reload, [number(class, to), NONE, NONE], emitter.slot_offset(class, slot));
            }
            (MoveOperand::Register(to), MoveOperand::Memory(mem)) => {
                emitter.put(Op::Load, [number(class, to), NONE, NONE], address(mem));
            }
            (MoveOperand::Slot(slot), MoveOperand::Register(from)) => {
                emitter.put(Op::Spill, [NONE, number(class, from), NONE], emitter.slot_offset(class, slot));
            }
            (MoveOperand::Slot(_), _) => {
                let scratch = MoveOperand::Register(emitter.scratch(class, 1));
                Self::copy(emitter, class, scratch, from)?;
                Self::copy(emitter, class, to, scratch)?;
            }
            (MoveOperand::Memory(_), _) => return Err(Unencodable),
        }
        Ok(())
    }

    fn jump(emitter: &mut Emitter<Self>, condition: Option<Condition>) -> Result<(), Unencodable> {
        emitter.put(Op::Jump, [NONE; 3], 0);
        let at = emitter.bytes.len() - BYTES + 1;
        if let Some(condition) = condition {
            let number = CONDITIONS.iter().position(|&known| known == condition).ok_or(Unencodable)?;
            emitter.bytes[at] = number as u8;
        }
        Ok(())
    }

    fn link(bytes: &mut [u8], end: usize, to: usize) {
        bytes[end - 4..end].copy_from_slice(&(to as u32).to_le_bytes());
    }

    fn poll_stub(_: &mut Emitter<Self>) -> Result<(), Unencodable> {
        Err(Unencodable)
    }

    fn poll_call(_: &mut Emitter<Self>) -> Result<(), Unencodable> {
        Err(Unencodable)
    }
}

impl Decoding for Mock {
    type Decoded = Word;

    fn decode(bytes: &[u8], offset: usize) -> Vec<Word> {
        let word = |(at, bytes): (usize, &[u8])| Word {
            start: offset + at * BYTES,
            op: Op::ALL[usize::from(bytes[0])],
            condition: CONDITIONS.get(usize::from(bytes[1])).copied(),
            registers: [bytes[2], bytes[3], bytes[4]],
            immediate: i32::from_le_bytes([bytes[5], bytes[6], bytes[7], bytes[8]]),
        };
        bytes.chunks(BYTES).enumerate().map(word).collect()
    }

    fn check_inst(locations: &Locations<Self>, state: &mut State, inst: &Inst, code: &[Word]) -> Checked<()> {
        let (InstKind::Plain(op) | InstKind::Tied(op)) = inst.kind else { return Err(Cause::WrongBytes) };
        let mut is_done = false;
        for one in code {
            if one.op != op || is_done {
                Self::check_copy(locations, state, one, &[])?;
                continue;
            }
            let mut registers = one.registers[1..].iter();
            for arg in inst.args {
                let is_right = match arg {
                    Arg::Reg(reg) => {
                        registers.next().is_some_and(|&at| state.registers[usize::from(at)] == Content::Reg(reg))
                    }
                    Arg::Mem(mem) => one.immediate == address(mem),
                    Arg::Imm(value) => one.immediate == value,
                    Arg::None => true,
                };
                if !is_right {
                    return Err(Cause::WrongRegister);
                }
            }
            if let Some(def) = inst.def {
                state.registers[usize::from(one.registers[0])] = Content::Reg(def);
            }
            is_done = true;
        }
        if is_done { Ok(()) } else { Err(Cause::WrongBytes) }
    }

    fn check_copy(locations: &Locations<Self>, state: &mut State, one: &Word, args: &[Arg]) -> Checked<()> {
        let [to, from, _] = one.registers.map(usize::from);
        let slot = || {
            let general = first_of(Class::General);
            let bytes = if to.min(from) < general { 16 } else { 8 };
            locations.frame.slot(one.immediate.into(), bytes).ok_or(Cause::OutsideFrame)
        };
        match one.op {
            Op::Move => state.registers[to] = state.registers[from],
            Op::Reload => state.registers[to] = state.slot(slot()?),
            Op::Spill => {
                let slot = slot()?;
                state.frame[slot] = state.registers[from];
            }
            Op::Load => {
                let is_it = |arg: &Arg| matches!(*arg, Arg::Mem(mem) if address(mem) == one.immediate);
                let number = args.iter().position(is_it).ok_or(Cause::WrongBytes)?;
                state.registers[to] = Content::Memory(number as u32);
            }
            Op::Add
            | Op::Multiply
            | Op::Or
            | Op::Less
            | Op::Repeat
            | Op::Test
            | Op::Step
            | Op::CompareGeneral
            | Op::Store
            | Op::Jump
            | Op::Return => return Err(Cause::WrongBytes),
        }
        Ok(())
    }
}

/// A loop over groups, with a loop inside that waits for itself, and more values than registers.
const LOOP: &str = "pool 0x1 0x2 0x3 0x4
b0:
  g0 = Load [context]
  jump b1(g0)
b1(g1) depth 1:
  v2 = Repeat g1
  v3 = Load [pool]
  v4 = Add v2, v3
  v5 = Multiply v4, v3
  v6 = Add v5, v2
  v7 = Multiply v6, v4
  v8 = Add v7, v5
  jump b2(v8, [pool])
b2(v9, v10) depth 2:
  v11 = Multiply v9, v8
  v12 = Add v11, v7
  v13 = Multiply v12, v6
  v14 = Add v13, v5
  v15 = Less v14, v10
  Test v15, v15
  if NotEqual b2(v10, v14) else b3
b3 depth 1:
  Store [context + 16], v14
  jump b4
b4 depth 1:
  g16 = tied Step g1, 4
  CompareGeneral g16, [context + 4]
  if Below b1(g16) else b5
b5:
  exit
";

fn machine() -> MachineFunction {
    let machine: MachineFunction = LOOP.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.to_string(), LOOP, "text is read as it is written");
    machine
}

fn check(Allocated { machine, allocation }: &Allocated<Op>) -> Result<(), Cause> {
    let emitted = emit(machine, allocation, Mock).unwrap();
    check_locations(machine, allocation, Mock, &emitted).map_err(|fault| fault.cause)
}

#[test]
fn registers_are_where_they_are_used() {
    let [two, three, four] = [2, 3, 4].map(|groups| {
        let neighbours = Neighbours { axis: Axis::X, groups, apart: 4 };
        let all = interleaved(&machine(), Mock, neighbours).expect("branches look at masks");
        let ors = all.to_string().matches(" = Or ").count();
        assert_eq!(ors, groups as usize - 1, "branches look at all groups\n{all}");
        all
    });
    for machine in
        [machine(), in_chains(&machine()), in_chains(&two), two, in_chains(&three), three, in_chains(&four), four]
    {
        let allocated = Allocated::new(machine, Mock, &Effort::default()).unwrap();
        assert!(allocated.allocation.slots[0] > 0, "registers are few");
        assert_eq!(check(&allocated), Ok(()), "{}", allocated.machine);
    }
}

/// Registers that share a location though both live are found out, one pair after the other.
#[test]
fn shared_locations_are_refused() {
    let machine = machine();
    let allocation = allocate(&machine, &Mock.registers(false));
    let (mut refused, mut shared) = (0, 0);
    for (a, b) in (2..16).flat_map(|a| (2..a).map(move |b| (a, b))) {
        let mut allocation = allocation.clone();
        let is_other =
            allocation.locations[a] != allocation.locations[b] && allocation.locations[a] != Location::Nowhere;
        if !is_other || allocation.locations[b] == Location::Nowhere {
            continue;
        }
        allocation.locations[a] = allocation.locations[b];
        shared += 1;
        refused += usize::from(check(&Allocated { machine: machine.clone(), allocation }).is_err());
    }
    assert!(refused * 2 > shared, "{refused} of {shared} are refused");
}
