//! What every virtual register can hold, from the instructions that define them.

use super::definitions::Definitions;
use super::moved_bytes;
use super::objects::{Object, Objects};
use super::value::{Int, Value};
use crate::context;
use crate::mir::{Arg, Base, Class, Condition, Edge, End, Inst, InstKind, MachineFunction, Mem, Reg};
use crate::target::{Operation, Semantics, Target};

/// Changes of a parameter after which it is taken to hold anything, so that loops end.
const MOST_CHANGES: u8 = 3;
/// Rounds over the blocks after which parameters are taken to hold anything.
const MOST_ROUNDS: usize = 64;

fn calculated(operation: Operation, a: Value, b: impl FnOnce() -> Value) -> Value {
    let by: fn(Int, Int) -> Int = match operation {
        Operation::Copy => return a,
        Operation::Add => Int::add,
        Operation::Sub => Int::sub,
        Operation::Mul => Int::mul,
        Operation::And => Int::and,
        Operation::Or => Int::or,
        Operation::Xor => Int::xor,
        Operation::ShiftLeft => |a, b| a.shift_left(b.lo.cast_unsigned() & 0xFF),
        Operation::ShiftRight => |a, b| a.shift_right(b.lo.cast_unsigned() & 0xFF),
        Operation::ShiftRightSigned => |a, b| a.shift_right_signed(b.lo.cast_unsigned() & 0xFF),
        Operation::SignedMin => Int::signed_min,
        Operation::SignedMax => Int::signed_max,
        Operation::UnsignedMin => Int::unsigned_min,
        Operation::UnsignedMax => Int::unsigned_max,
    };
    // Nothing is gained from a second operand, but where it bounds the result alone.
    let bounds_alone = matches!(
        operation,
        Operation::And | Operation::ShiftRight | Operation::SignedMin | Operation::SignedMax | Operation::UnsignedMin
    );
    if a == Value::Unknown && !bounds_alone {
        return Value::Unknown;
    }
    match (a, b()) {
        (Value::Impossible, _) | (_, Value::Impossible) => Value::Impossible,
        (a, b) => Value::known(by(a.int(), b.int())),
    }
}

/// What is known of a register in some lanes, or on one way through the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// No copy of another one.
    pub reg: Reg,
    pub bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Its integers are among these.
    In(Int),
    /// It is less, unsigned, than the number of byte addresses of this buffer that have a whole word.
    BelowWords(usize),
    /// It is the same as this register.
    Same(Reg),
}

/// What the registers of a function can hold.
pub struct Registers<'a, T: Target> {
    pub machine: &'a MachineFunction<T::Op>,
    pub objects: &'a Objects,
    pub target: T,
    pub definitions: Definitions<'a, T::Op>,
    values: Vec<Value>,
}

impl<'a, T: Target> Registers<'a, T> {
    /// Looks at a function whose registers are defined once, until nothing moves.
    pub fn new(
        machine: &'a MachineFunction<T::Op>,
        target: T,
        objects: &'a Objects,
        definitions: Definitions<'a, T::Op>,
    ) -> Self {
        let count = machine.classes.len();
        let mut registers = Self { machine, objects, target, definitions, values: vec![Value::Unknown; count] };
        for param in machine.blocks.iter().flat_map(|block| &block.params) {
            registers.values[param.index()] = Value::Never;
        }
        let mut changes = vec![0; count];
        let (mut next, mut rounds) = (Some(0), 0);
        while let Some(first) = next {
            rounds += 1;
            if rounds == MOST_ROUNDS {
                for param in machine.blocks.iter().flat_map(|block| &block.params) {
                    registers.values[param.index()] = Value::Unknown;
                }
                registers.round(0, &mut changes);
                break;
            }
            next = registers.round(first, &mut changes);
        }
        registers
    }

    /// Goes through the blocks from this one on; gives the first of them or of those before them that has to be looked at
    /// again.
    fn round(&mut self, first: usize, changes: &mut [u8]) -> Option<usize> {
        let machine = self.machine;
        let mut next: Option<usize> = None;
        for (at, block) in machine.blocks.iter().enumerate().skip(first) {
            for &(_, inst) in self.definitions.known.of_block(at) {
                if let Some(def) = inst.def {
                    self.values[def.index()] = self.result(inst, |reg| self.value(reg));
                }
            }
            for edge in block.end.edges() {
                let arrives = self.position_bound(block.insts.last(), &block.end, edge);
                for (&arg, &param) in edge.args.iter().zip(&machine.blocks[edge.block].params) {
                    let value = match (arg, arrives) {
                        (Arg::Reg(reg), Some((bounded, bound))) if reg == bounded => bound,
                        (Arg::Reg(reg), _) => self.value(reg),
                        (Arg::Mem(mem), _) => {
                            self.loaded(mem, moved_bytes(machine.classes[param.index()], mem, self.target))
                        }
                        (Arg::None | Arg::Imm(_), _) => Value::Unknown,
                    };
                    let old = self.values[param.index()];
                    let mut new = old.join(value);
                    if new != old {
                        let changed = &mut changes[param.index()];
                        *changed += 1;
                        if *changed > MOST_CHANGES {
                            new = Value::Unknown;
                        }
                        self.values[param.index()] = new;
                        if edge.block <= at {
                            next = Some(next.map_or(edge.block, |next| next.min(edge.block)));
                        }
                    }
                }
            }
        }
        next
    }

    /// What a register can hold anywhere.
    pub fn value(&self, reg: Reg) -> Value {
        self.values[reg.index()]
    }

    /// The register that this one is a copy of, or the register itself.
    pub fn origin(&self, mut reg: Reg) -> Reg {
        while let Some(Inst { kind: InstKind::Plain(_), mask: None, args: [Arg::Reg(from), ..], .. }) = self
            .definitions
            .inst(reg)
            .filter(|inst| self.target.semantics(inst) == Semantics::Integers(Operation::Copy))
        {
            reg = *from;
        }
        reg
    }

    /// What defines a register, or what it is a copy of.
    pub fn definition(&self, reg: Reg) -> Option<&'a Inst<T::Op>> {
        self.definitions.inst(self.origin(reg))
    }

    /// The general register that is in the first lane of a vector, whose others are 0.
    pub fn set_first(&self, vector: Reg) -> Option<Reg> {
        let inst = self.definition(vector)?;
        inst.args[0].reg().filter(|_| self.target.semantics(inst) == Semantics::SetFirst)
    }

    /// The next position where the code goes on with it because it lies in front of the call's end: both differ from the
    /// call's first position by whole steps, so that the distance is a step at least. Where no such position is possible,
    /// the code does not go there.
    fn position_bound(&self, last: Option<&Inst<T::Op>>, end: &End, edge: &Edge) -> Option<(Reg, Value)> {
        let End::Branch { condition: Condition::Below, then, otherwise } = end else { return None };
        let last = last?;
        let [Arg::Reg(next), Arg::Mem(mem), ..] = &last.args else { return None };
        if self.target.semantics(last) != Semantics::CompareGeneral {
            return None;
        }
        let next_int = self.value(*next).int();
        let is_bound = std::ptr::eq(edge, then)
            && then.block != otherwise.block
            && *mem == Mem::at(Base::Context, context::X_END)
            && next_int.in_step;
        let limit = Int { in_step: true, ..Int::range(0, self.objects.entry.x.1) };
        is_bound.then(|| (*next, next_int.meet(limit).map_or(Value::Never, Value::Int)))
    }

    /// What an instruction gives when registers hold `of`.
    fn result(&self, inst: &Inst<T::Op>, mut of: impl FnMut(Reg) -> Value) -> Value {
        // What masks hold is in `constraints`.
        if inst.def.is_some_and(|def| self.machine.classes[def.index()] == Class::Mask) {
            return Value::Unknown;
        }
        let mut arg = |at: usize| match inst.args[at] {
            Arg::Reg(reg) => of(reg),
            Arg::Mem(_) | Arg::Imm(_) | Arg::None => self.operand(inst, at),
        };
        if let (InstKind::Gather, Arg::Mem(mem)) = (inst.kind, inst.args[0]) {
            return self.gathered(mem, inst.mask.is_some());
        }
        let value = match self.target.semantics(inst) {
            Semantics::Step => {
                let (a, b) = (arg(0).int(), arg(1).int());
                let in_step = a.in_step && b.lo.cast_unsigned().is_multiple_of(self.objects.entry.step);
                Value::known(Int { in_step, ..a.add(b) })
            }
            Semantics::RepeatFirst => match inst.args[0].reg().and_then(|reg| self.set_first(reg)) {
                Some(from) => of(from),
                None => Value::Unknown,
            },
            Semantics::AddPointer => match (arg(0), arg(1)) {
                (Value::Int(int), Value::Pointer(object, lo, hi))
                | (Value::Pointer(object, lo, hi), Value::Int(int))
                    if int.lo >= 0 =>
                {
                    Value::Pointer(object, lo + i64::from(int.lo), hi + i64::from(int.hi))
                }
                _ => Value::Unknown,
            },
            Semantics::Address => match inst.args[0] {
                Arg::Mem(mem) => match self.address(mem, |reg| self.value(reg)) {
                    Some((object, lo, hi)) => Value::Pointer(object, lo, hi),
                    None => Value::Unknown,
                },
                Arg::Reg(_) | Arg::Imm(_) | Arg::None => Value::Unknown,
            },
            // 64 bits are a pointer, or nothing that is known.
            Semantics::LoadPointer => match arg(0) {
                pointer @ Value::Pointer(..) => pointer,
                Value::Never
                | Value::Impossible
                | Value::Unknown
                | Value::Int(_)
                | Value::Float(..)
                | Value::Words(_) => Value::Unknown,
            },
            Semantics::Load | Semantics::Repeat => arg(0),
            Semantics::Choose => {
                return match (arg(0), arg(1)) {
                    (Value::Never, _) | (_, Value::Never) => Value::Unknown,
                    (a, b) => a.join(b),
                };
            }
            Semantics::FloatMax => arg(0).float_max(arg(1)),
            Semantics::FloatMin => arg(0).float_min(arg(1)),
            Semantics::Truncate => arg(0).truncated(),
            Semantics::Within(lo, hi) => Value::Int(Int::range(lo.into(), hi.into())),
            // A mask that is a vector has all bits of a lane, or none.
            Semantics::Compare(_) => Value::Int(Int::range(-1, 0)),
            Semantics::Integers(operation) => {
                let a = arg(0);
                calculated(operation, a, || arg(1))
            }
            Semantics::Unknown
            | Semantics::AndNot
            | Semantics::Not
            | Semantics::SetFirst
            | Semantics::CompareGeneral
            | Semantics::TestEither
            | Semantics::TestCommon => Value::Unknown,
        };
        match (inst.mask, inst.zeroing) {
            (None, _) => value,
            (Some(_), true) => value.join(Value::Int(Int::constant(0))),
            (Some(_), false) => Value::Unknown,
        }
    }

    /// What a register can hold where these constraints hold. An operation that does the same in every lane is looked through.
    pub fn refined(&self, reg: Reg, constraints: &[Constraint]) -> Value {
        if constraints.is_empty() {
            return self.value(reg);
        }
        self.refined_by(reg, constraints, &mut Vec::new(), 10)
    }

    fn refined_by(&self, reg: Reg, constraints: &[Constraint], done: &mut Vec<(Reg, Value)>, depth: u32) -> Value {
        let reg = self.origin(reg);
        let known = self.value(reg);
        let mut direct = None;
        for constraint in constraints.iter().filter(|constraint| constraint.reg == reg) {
            if let Bound::In(int) = constraint.bound {
                let Some(met) = direct.unwrap_or(known.int()).meet(int) else { return Value::Impossible };
                direct = Some(met);
            }
        }
        if let Some(int) = direct {
            return Value::known(int);
        }
        let Some(inst) = self.definition(reg) else { return known };
        let is_same_in_lanes = matches!(
            self.target.semantics(inst),
            Semantics::Integers(_)
                | Semantics::Step
                | Semantics::Repeat
                | Semantics::RepeatFirst
                | Semantics::AddPointer
        );
        if depth == 0 || inst.mask.is_some() || !is_same_in_lanes {
            return known;
        }
        if let Some(&(_, value)) = done.iter().find(|(other, _)| *other == reg) {
            return value;
        }
        let again = self.result(inst, |reg| self.refined_by(reg, constraints, done, depth - 1));
        let value = match (known, again) {
            (Value::Int(known), Value::Int(again)) => known.meet(again).map_or(Value::Impossible, Value::Int),
            (_, Value::Int(_) | Value::Pointer(..) | Value::Impossible) => again,
            _ => known,
        };
        done.push((reg, value));
        value
    }

    /// Whether nothing is accessed at an address where these constraints hold, as they contradict each other.
    pub fn is_impossible(&self, mem: Mem, constraints: &[Constraint]) -> bool {
        let base = if let Base::Reg(reg) = mem.base { Some(reg) } else { None };
        let mut parts = base.into_iter().chain(mem.index);
        !constraints.is_empty() && parts.any(|reg| self.refined(reg, constraints) == Value::Impossible)
    }

    /// An operand that is read whole.
    pub fn operand(&self, inst: &Inst<T::Op>, at: usize) -> Value {
        match inst.args[at] {
            Arg::Reg(reg) => self.value(reg),
            Arg::Imm(value) => Value::Int(Int::constant(value.cast_unsigned())),
            Arg::Mem(mem) => self.loaded(mem, self.target.operand_bytes(inst, mem)),
            Arg::None => Value::Unknown,
        }
    }

    /// The object that an address lies in, and the least and the greatest offset there.
    pub fn address(&self, mem: Mem, mut of: impl FnMut(Reg) -> Value) -> Option<(Object, i64, i64)> {
        let (object, lo, hi) = match mem.base {
            Base::Pool => (Object::Pool, 0, 0),
            Base::Context => (Object::Context, 0, 0),
            Base::Reg(reg) => match of(reg) {
                Value::Pointer(object, lo, hi) => (object, lo, hi),
                Value::Never
                | Value::Impossible
                | Value::Unknown
                | Value::Int(_)
                | Value::Float(..)
                | Value::Words(_) => return None,
            },
        };
        let (mut lo, mut hi) = (lo + i64::from(mem.disp), hi + i64::from(mem.disp));
        if let Some(index) = mem.index {
            let Value::Int(int) = of(index) else { return None };
            // Lanes are signed; general registers are zero-extended.
            if int.lo < 0 && self.machine.classes[index.index()] == Class::General {
                return None;
            }
            lo += i64::from(int.lo) * i64::from(mem.scale);
            hi += i64::from(int.hi) * i64::from(mem.scale);
        }
        Some((object, lo, hi))
    }

    /// What lies in memory at an address that is known, or among constants.
    fn loaded(&self, mem: Mem, bytes: u64) -> Value {
        let (object, first) = match self.address(mem, |reg| self.value(reg)) {
            Some((object, lo, hi)) if lo == hi => (object, lo),
            Some((Object::Pool, lo, hi)) if self.counts_words(mem) => {
                return self.constants(lo, hi + bytes.cast_signed());
            }
            _ => return Value::Unknown,
        };
        let entry = self.objects.entry;
        let field = i32::try_from(first).unwrap_or(-1);
        match (object, bytes) {
            (Object::Pool, _) => self.constants(first, first + bytes.cast_signed()),
            (Object::Context, 4) if field == context::X => {
                Value::Int(Int { in_step: true, ..Int::range(entry.x.0, entry.x.1) })
            }
            (Object::Context, 4) if field == context::Y => Value::known(Int::range(entry.y.0, entry.y.1)),
            (Object::Context, 8) if field == context::POINTERS => Value::Pointer(Object::Pointers, 0, 0),
            (Object::Context, 8) if field == context::WORDS => Value::Pointer(Object::Words, 0, 0),
            (Object::Pointers, 8) if first >= 0 && first % 8 == 0 => match self.objects.pointer(first as usize / 8) {
                Some((object, at)) => Value::Pointer(object, at, at),
                None => Value::Unknown,
            },
            (Object::Words, 4) if first >= 0 && first % 4 == 0 => Value::Words(first as usize / 4),
            _ => Value::Unknown,
        }
    }

    /// Whether addresses differ by whole words.
    fn counts_words(&self, mem: Mem) -> bool {
        let is_known = match mem.base {
            Base::Pool | Base::Context => true,
            Base::Reg(base) => matches!(self.value(base), Value::Pointer(_, lo, hi) if lo == hi),
        };
        is_known && mem.scale.is_multiple_of(4)
    }

    /// What lanes have of constants at this address; lanes without a mask only, as the others become 0.
    fn gathered(&self, mem: Mem, is_masked: bool) -> Value {
        match self.address(mem, |reg| self.value(reg)) {
            Some((Object::Pool, lo, hi)) if !is_masked => self.constants(lo, hi + 4),
            _ => Value::Unknown,
        }
    }

    /// The words of the pool from one byte to another.
    fn constants(&self, first: i64, end: i64) -> Value {
        let (Ok(first), Ok(end)) = (usize::try_from(first), usize::try_from(end)) else { return Value::Unknown };
        let words = self.machine.pool.get(first / 4..end.div_ceil(4)).unwrap_or_default();
        let is_aligned = first.is_multiple_of(4) && end.is_multiple_of(4);
        match Int::of_constants(words) {
            Some(int) if is_aligned => Value::Int(int),
            _ => Value::Unknown,
        }
    }
}
