//! ALU clauses: group after group (R700 guide chapter 4).

use super::Walked;
use super::context::CodeAddress;
use super::control::Walk;
use super::machine::{Index, Register};
use super::operation::OpResult;
use super::specialisation::{MAX_BANK_DWORDS, TableBinding};
use crate::alu::{Alu, Effect, Number, Operand, Selector, SpecialValue};
use crate::cf::{Cf, CfAlu, CfAluFields};
use crate::codes::{IndexMode, KcacheMode, PredicateSelect};
use crate::group::{Group, Unit};
use crate::job::TrapKind;
use crate::legal::{GroupError, legal_group};
use crate::outline::clause_groups;
use ctm_lane::{IntTest, Value};

/// Constants of the constant file.
const CONSTANTS: u32 = 256;

/// What lives as long as a clause. All of it is 0 at its start.
struct Clause<'a> {
    fields: &'a CfAluFields,
    address: CodeAddress,
    /// Address register.
    ar: [Value; 4],
    /// Results of the vector units in the group before.
    pv: [Value; 4],
    /// Result of the trans unit in the group before.
    ps: Value,
    al: Value,
    /// Pixels that whole-quad mode brings in: they execute everything.
    extra: Option<Value>,
}

/// What a slot of a group writes, when all of the group is known.
struct Write {
    register: Register,
    channel: usize,
    value: Value,
    lanes: Value,
}

impl Walk<'_> {
    /// Lifts a clause for the pixels that pass. True if some of them may be active no more afterwards.
    pub(super) fn alu_clause(&mut self, alu: &CfAlu, passing: Value) -> Walked<bool> {
        let (address, family) = (self.here.address, self.m.program.info.family);
        let code = self.m.code(address.in_fetch_program);
        let clause = Cf::Alu(*alu).clause(family);
        let Some(groups) = clause.and_then(|clause| clause_groups(code, &clause, family)) else {
            self.trap(TrapKind::ClauseOutOfRange, None)?;
            return Ok(false);
        };
        let zero = self.m.b.constant(0);
        let active = self.m.b.get(self.m.active);
        let extra = alu.fields.whole_quad_mode.then(|| self.m.b.mask_andnot(passing, active));
        let al = self.al();
        let mut clause = Clause { fields: &alu.fields, address, ar: [zero; 4], pv: [zero; 4], ps: zero, al, extra };
        let mut narrows = false;
        for group in &groups {
            let slot = alu.fields.addr + group.start as u32;
            let active = self.m.b.get(self.m.active);
            let executing = match clause.extra {
                Some(extra) => self.m.b.mask_or(active, extra),
                None => active,
            };
            self.m.steps(address, Some(slot), executing);
            narrows |= self.group(&mut clause, group, slot, executing)?;
            if self.m.b.is_ended() {
                break;
            }
        }
        Ok(narrows)
    }

    /// Groups with a lane of the mask trap at an instruction of a clause; the others go on.
    pub(super) fn trap_lanes(&mut self, kind: TrapKind, address: CodeAddress, slot: u32, lanes: Value) {
        self.trap_at(kind, address, Some(slot), lanes);
    }

    /// Groups with a lane of the mask trap at a control-flow instruction; the others go on.
    pub(super) fn trap_cf(&mut self, kind: TrapKind, address: CodeAddress, lanes: Value) {
        self.trap_at(kind, address, None, lanes);
    }

    fn trap_at(&mut self, kind: TrapKind, address: CodeAddress, slot: Option<u32>, lanes: Value) {
        if self.m.b.function.mask_constant(lanes) == Some(false) {
            return;
        }
        // Which of several traps of one instruction it is, the group's first lane that has one decides.
        let trap = (address, slot, kind);
        let known = self.last_trap.replace(trap);
        self.ordered |= known.is_some_and(|known| known != trap && (known.0, known.1) == (address, slot));
        let (bad, good) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(lanes, (bad, &[]), (good, &[]));
        self.m.b.seal(bad);
        self.m.b.seal(good);
        self.m.b.switch_to(bad);
        let active = self.m.b.get(self.m.active);
        self.m.trap(kind, address, slot, active);
        self.m.b.switch_to(good);
    }

    /// All operands are read before anything is written. True if the active mask may shrink.
    fn group(&mut self, clause: &mut Clause, group: &Group, at: u32, executing: Value) -> Walked<bool> {
        let info = &self.m.program.info;
        let (family, dx10_clamp) = (info.family, info.dx10_clamp);
        let units = match legal_group(group, info) {
            Ok(units) => units,
            Err(error) => {
                self.trap_lanes(TrapKind::GroupIllegal(error), clause.address, at, executing);
                return Ok(false);
            }
        };
        let reduced = self.reduce(clause, group, &units, at, executing);
        let predicate = self.m.b.get(self.m.predicate);
        let (mut ar, mut pv, mut ps) = (clause.ar, clause.pv, clause.ps);
        let (mut writes, mut killed) = (Vec::<Write>::new(), None);
        let (mut new_predicate, mut failed) = (None, None);
        for (slot, &unit) in group.slots.iter().zip(&units) {
            let (lanes, gate) = match slot.fields.pred_sel {
                PredicateSelect::Off | PredicateSelect::Reserved1 => (executing, None),
                PredicateSelect::Zero => {
                    let gate = self.m.b.mask_not(predicate);
                    (self.m.b.mask_andnot(executing, predicate), Some(gate))
                }
                PredicateSelect::One => (self.m.b.mask_and(executing, predicate), Some(predicate)),
            };
            let properties = slot.op.properties();
            let outcome = match (properties.reduction(), reduced) {
                (Some(_), Some(reduced)) => Ok(OpResult::Value(reduced[unit as usize])),
                (Some(_), None) | (None, _) => {
                    let args = self.operands(clause, group, slot, at, lanes);
                    self.m.operation(slot.op, family, args)
                }
            };
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(kind) => {
                    self.trap_lanes(kind, clause.address, at, lanes);
                    continue;
                }
            };
            let value = match outcome {
                OpResult::Value(value) => value,
                OpResult::Address(address) => {
                    let component = &mut ar[slot.fields.dst.chan as usize];
                    *component = self.gated(gate, address, *component);
                    address
                }
                OpResult::Predicate { pass, value } => {
                    if let Some(op2) = slot.op2() {
                        if op2.update_pred {
                            new_predicate = Some((lanes, pass));
                        }
                        if op2.update_execute_mask {
                            failed = Some(self.m.b.mask_andnot(lanes, pass));
                        }
                    }
                    value
                }
                OpResult::Kill(kill) => {
                    let these = self.m.b.mask_and(lanes, kill);
                    killed = Some(match killed {
                        Some(others) => self.m.b.mask_or(others, these),
                        None => these,
                    });
                    self.m.float_of_mask(kill)
                }
            };
            let has_modifiers = properties.result == Number::Float && properties.effect == Effect::None;
            let value = match has_modifiers {
                true => self.m.modify(value, slot.omod(), slot.fields.clamp, dx10_clamp),
                false => value,
            };
            match unit {
                Unit::T => ps = self.gated(gate, value, ps),
                vector @ (Unit::X | Unit::Y | Unit::Z | Unit::W) => {
                    let old = pv[vector as usize];
                    pv[vector as usize] = self.gated(gate, value, old);
                }
            }
            if slot.writes() && properties.effect != Effect::Address {
                let dst = slot.fields.dst;
                let index = dst.relative.then(|| register_index(slot, clause));
                let (register, missing) = self.m.destination(dst.gpr, index);
                if let Some(missing) = missing {
                    let lanes = self.m.b.mask_and(lanes, missing);
                    self.trap_lanes(TrapKind::GprOutOfRange, clause.address, at, lanes);
                }
                let write = Write { register, channel: dst.chan as usize, value, lanes };
                for other in writes.iter().filter(|other| other.channel == write.channel) {
                    if let Some(same) = self.collide(other, &write) {
                        let collision = GroupError::WriteCollision { gpr: dst.gpr, chan: dst.chan };
                        self.trap_lanes(TrapKind::GroupIllegal(collision), clause.address, at, same);
                    }
                }
                writes.push(write);
            }
        }
        for Write { register, channel, value, lanes } in writes {
            self.m.write(register, channel, value, Some(lanes));
        }
        (clause.ar, clause.pv, clause.ps) = (ar, pv, ps);
        if let Some((lanes, pass)) = new_predicate {
            let predicate = self.m.b.mask_select(lanes, pass, predicate);
            self.m.b.set(self.m.predicate, predicate);
        }
        if let Some(killed) = killed {
            self.m.kill(killed);
        }
        if let Some(failed) = failed {
            // Pixels that whole-quad mode brought in keep their state, which is not active.
            self.m.remove(self.m.active, failed);
        }
        if !self.m.specialisation.kill_stops_pixel {
            return Ok(failed.is_some());
        }
        if let Some(failed) = failed {
            self.m.add(self.failed, failed);
        }
        Ok(failed.is_some() || killed.is_some())
    }

    /// The lanes in which two writes of a channel go to one register, where that can be.
    fn collide(&mut self, a: &Write, b: &Write) -> Option<Value> {
        // Fixed ones differ: the group is legal.
        let index = |walk: &mut Self, register: Register| match register {
            Register::Fixed(gpr) => walk.m.b.constant(gpr.into()),
            Register::Uniform(index) => walk.m.b.splat(index),
            Register::Lanes(index) => index,
        };
        if matches!((a.register, b.register), (Register::Fixed(_), Register::Fixed(_))) {
            return None;
        }
        let (first, second) = (index(self, a.register), index(self, b.register));
        let same = self.m.b.icmp(IntTest::Eq, first, second);
        let lanes = self.m.b.mask_and(a.lanes, b.lanes);
        Some(self.m.b.mask_and(lanes, same))
    }

    /// What a unit's result is: that of the group before where the predicate keeps the slot from running. (Whoever reads it
    /// executes now, and so did before.)
    fn gated(&mut self, gate: Option<Value>, value: Value, old: Value) -> Value {
        match gate {
            Some(gate) => self.m.b.select(gate, value, old),
            None => value,
        }
    }

    /// The results of a reduction in units x, y, z, w.
    fn reduce(
        &mut self,
        clause: &Clause,
        group: &Group,
        units: &[Unit],
        at: u32,
        executing: Value,
    ) -> Option<[Value; 4]> {
        let reduction = group.slots.iter().find_map(|slot| slot.op.properties().reduction())?;
        let zero = self.m.b.constant(0);
        let (mut a, mut b) = ([zero; 4], [zero; 4]);
        for (slot, unit) in group.slots.iter().zip(units).filter(|(_, unit)| **unit != Unit::T) {
            let args = self.operands(clause, group, slot, at, executing);
            (a[*unit as usize], b[*unit as usize]) = (args[0], args[1]);
        }
        Some(self.m.reduction(reduction, a, b))
    }

    /// The sources of a slot, in the lanes that execute it; those that it lacks are 0.
    fn operands(&mut self, clause: &Clause, group: &Group, slot: &Alu, at: u32, lanes: Value) -> [Value; 3] {
        let mut args = [self.m.b.constant(0); 3];
        for (arg, operand) in args.iter_mut().zip(slot.operands()) {
            *arg = self.operand(clause, group, slot, &operand, at, lanes);
        }
        args
    }

    fn operand(
        &mut self,
        clause: &Clause,
        group: &Group,
        slot: &Alu,
        operand: &Operand,
        at: u32,
        lanes: Value,
    ) -> Value {
        let channel = operand.chan as usize;
        let value = match operand.selector {
            Selector::Gpr(gpr) => {
                let index = operand.relative.then(|| register_index(slot, clause));
                let (register, missing) = self.m.source(gpr, index);
                if let Some(missing) = missing {
                    let lanes = self.m.b.mask_and(lanes, missing);
                    self.trap_lanes(TrapKind::GprOutOfRange, clause.address, at, lanes);
                }
                self.m.read(register, channel)
            }
            Selector::Kcache { window, entry } => {
                if entry >= clause.fields.kcache[usize::from(window & 1)].mode.constants() {
                    self.trap_lanes(TrapKind::ConstOutOfRange { window, entry }, clause.address, at, lanes);
                }
                self.window(clause, window, entry, channel)
            }
            Selector::Constant(number) => self.constant(clause, slot, operand, number, channel),
            Selector::Special(special) => match *special.properties() {
                SpecialValue::Constant(bits) => self.m.b.constant(bits),
                SpecialValue::Undocumented => {
                    self.trap_lanes(TrapKind::Unsupported(special.name()), clause.address, at, lanes);
                    self.m.b.constant(0)
                }
            },
            Selector::Literal => self.literal(group, at, channel),
            Selector::PreviousVector => clause.pv[channel],
            Selector::PreviousScalar => clause.ps,
            // Legal groups have none.
            Selector::Reserved(_) => self.m.b.constant(0),
        };
        match (operand.abs, operand.negate) {
            (false, false) => value,
            (false, true) => self.m.b.neg(value),
            (true, false) => self.m.b.abs(value),
            (true, true) => self.m.b.nabs(value),
        }
    }

    /// A channel of an entry of a constant-cache window; 0 outside the bank.
    fn window(&mut self, clause: &Clause, window: u8, entry: u8, channel: usize) -> Value {
        let kcache = &clause.fields.kcache[usize::from(window & 1)];
        let alternate = clause.fields.alt_const;
        let bank = usize::from(kcache.bank);
        let Some((dwords, finite)) = self.m.specialisation.bindings[usize::from(alternate)].banks[bank] else {
            return self.m.b.constant(0);
        };
        let table = self.m.table(TableBinding::Bank { alternate, bank }, dwords, finite);
        let dword = (u32::from(kcache.addr) * 16 + u32::from(entry)) * 4 + channel as u32;
        if kcache.mode != KcacheMode::LockLoopIndex {
            return if dword < dwords { self.m.b.table_splat(table, dword) } else { self.m.b.constant(0) };
        }
        // Decision R31: the index counts constants, and whole lines of 16 are locked.
        let (al, four, line) = (self.m.b.splat(clause.al), self.m.b.constant(4), self.m.b.constant(64));
        let lines = self.m.b.sar(al, four);
        let (offset, dword) = (self.m.b.imul(lines, line), self.m.b.constant(dword));
        let index = self.m.b.iadd(dword, offset);
        self.entry_or_zero(table, index, dwords.min(MAX_BANK_DWORDS))
    }

    /// The entry of a table at the index; 0 from the limit on.
    fn entry_or_zero(&mut self, table: ctm_lane::Table, index: Value, limit: u32) -> Value {
        let (limit, zero) = (self.m.b.constant(limit), self.m.b.constant(0));
        let inside = self.m.b.icmp(IntTest::Ult, index, limit);
        let entry = self.m.b.table_gather(table, index);
        self.m.b.select(inside, entry, zero)
    }

    /// A channel of a constant of the constant file.
    fn constant(&mut self, clause: &Clause, slot: &Alu, operand: &Operand, number: u8, channel: usize) -> Value {
        let alternate = clause.fields.alt_const;
        let bindings = &self.m.specialisation.bindings[usize::from(alternate)];
        let (constants, finite) = (bindings.constants, bindings.finite[channel]);
        if !operand.relative && u16::from(number) >= constants {
            return self.m.b.constant(0);
        }
        let table = self.m.table(TableBinding::Constants { alternate, channel }, CONSTANTS, finite);
        if !operand.relative {
            return self.m.b.table_splat(table, number.into());
        }
        let index = match slot.fields.index_mode {
            IndexMode::ArX => clause.ar[0],
            IndexMode::ArY => clause.ar[1],
            IndexMode::ArZ => clause.ar[2],
            IndexMode::ArW => clause.ar[3],
            IndexMode::Loop | IndexMode::Reserved5 | IndexMode::Reserved6 | IndexMode::Reserved7 => {
                self.m.b.splat(clause.al)
            }
        };
        let number = self.m.b.constant(number.into());
        let index = self.m.b.iadd(number, index);
        self.entry_or_zero(table, index, CONSTANTS)
    }
}

/// What relative registers add: aL, or AR.x whatever component the mode names.
fn register_index(slot: &Alu, clause: &Clause) -> Index {
    if slot.fields.index_mode == IndexMode::Loop { Index::Uniform(clause.al) } else { Index::Lanes(clause.ar[0]) }
}
