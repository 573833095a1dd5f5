//! ALU clauses: group after group, each for the pixels that run it (R700 guide chapter 4).

use super::control::Control;
use super::operation::{OpResult, modify, reduction, scalar};
use super::view::in_clause;
use super::wavefront::Wave;
use crate::alu::{Alu, Effect, Number, Operand, Selector, SpecialValue, Units};
use crate::cf::{CfAlu, Kcache};
use crate::codes::{IndexMode, KcacheMode, PredicateSelect};
use crate::group::{Group, Unit};
use crate::job::TrapKind;
use crate::legal::{GroupError, legal_group};
use ctm_follow::StepPart;
use ctm_memory::Buffer;

const ONE: u32 = 0x3F80_0000;
const SIGN: u32 = 0x8000_0000;

/// A constant-cache window of a clause.
#[derive(Clone, Copy)]
struct Window<'a> {
    bank: Option<&'a Buffer<'a>>,
    /// Constant that entry 0 is.
    first: i64,
    /// Number of entries.
    entries: u8,
}

impl<'a> Window<'a> {
    fn new(kcache: &Kcache, bank: Option<&'a Buffer<'a>>, al: i32) -> Self {
        let lines = match kcache.mode {
            // Decision R31: the index counts constants, and whole lines are locked.
            KcacheMode::LockLoopIndex => i64::from(al >> 4),
            KcacheMode::Nop | KcacheMode::Lock1 | KcacheMode::Lock2 => 0,
        };
        Window { bank, first: (i64::from(kcache.addr) + lines) * 16, entries: kcache.mode.constants() }
    }

    /// A channel of an entry; 0 outside the bank.
    fn read(&self, entry: u8, channel: usize) -> u32 {
        let dword = (self.first + i64::from(entry)) * 4 + channel as i64;
        let address = u32::try_from(dword * 4).ok();
        self.bank.zip(address).map_or(0, |(bank, address)| bank.load(address))
    }
}

/// What is the same for all pixels while a clause runs.
struct Environment<'a> {
    windows: [Window<'a>; 2],
    constants: &'a [[u32; 4]],
    al: i32,
}

/// The registers of a pixel that live as long as a clause. They are 0 at its start.
#[derive(Clone, Copy, Default)]
pub(super) struct ClauseRegisters {
    /// Address register.
    pub ar: [i32; 4],
    /// Results of the vector units in the group before.
    pub pv: [u32; 4],
    /// Result of the trans unit in the group before.
    pub ps: u32,
}

/// What a group does to a pixel. Nothing of it shows before all of it is known.
#[derive(Default)]
struct Changes {
    /// Register, channel, value.
    writes: Vec<(usize, usize, u32)>,
    clause: ClauseRegisters,
    kill: bool,
    predicate: Option<bool>,
    execute: Option<bool>,
}

/// What pixels have while a clause runs.
#[derive(Clone)]
pub(super) struct AluLanes {
    /// Whole-quad mode brings them in: they execute everything, and keep their state.
    extra: Vec<bool>,
    registers: Vec<ClauseRegisters>,
}

impl AluLanes {
    /// At the start of a clause that these pixels run.
    pub fn new(control: &Control, passing: &[bool]) -> Self {
        AluLanes {
            extra: control.pixels().map(|pixel| passing[pixel] && !control.is_active(pixel)).collect(),
            registers: vec![ClauseRegisters::default(); passing.len()],
        }
    }

    /// Those of a pixel.
    pub fn registers(&self, pixel: usize) -> Option<&ClauseRegisters> {
        self.registers.get(pixel)
    }

    /// The pixels that execute the next group, of those that pass the test of the clause's instruction.
    pub fn executing(&self, control: &Control, passing: &[bool]) -> Vec<bool> {
        control.pixels().map(|pixel| passing[pixel] && (self.extra[pixel] || control.is_active(pixel))).collect()
    }
}

impl Wave<'_, '_> {
    /// Executes a group of the clause, by its number, for the pixels that pass the test of its instruction. Says whether it is the last one.
    pub(super) fn step_alu_clause(
        &mut self,
        cf: &CfAlu,
        passing: &[bool],
        lanes: &mut AluLanes,
        number: usize,
    ) -> Result<bool, TrapKind> {
        let bindings = self.machine.bindings(cf.fields.alt_const);
        let al = self.state.control.al();
        let window = |at: usize| Window::new(&cf.fields.kcache[at], bindings.bank(cf.fields.kcache[at].bank), al);
        let environment = Environment { windows: [window(0), window(1)], constants: bindings.constants, al };
        let groups = self.alu_groups(cf)?;
        let Some(group) = groups.get(number) else { return Ok(true) };
        let executing = lanes.executing(&self.state.control, passing);
        let AluLanes { extra, registers } = lanes;
        let at = cf.fields.addr + group.start as u32;
        self.begin_slot(at, &executing)?;
        self.tell_before((at, StepPart::Clause), false, &executing, Some(registers), |registers, pixel| {
            held_back(group, registers.predicate(pixel))
        });
        let done = self.run_group(group, &environment, &executing, extra, registers);
        self.report_after(|| in_clause(&done), Some(registers));
        done?;
        Ok(number + 1 >= groups.len())
    }

    /// Executes a group for the pixels that run it.
    fn run_group(
        &mut self,
        group: &Group,
        environment: &Environment,
        executing: &[bool],
        extra: &[bool],
        clause: &mut [ClauseRegisters],
    ) -> Result<(), TrapKind> {
        if !executing.contains(&true) {
            return Ok(());
        }
        let units = legal_group(group, self.info()).map_err(TrapKind::GroupIllegal)?;
        let executing = self.state.control.pixels().filter(|&pixel| executing[pixel]);
        let changes: Vec<(usize, Changes)> = executing
            .map(|pixel| {
                let changes = self.group_of_pixel(group, &units, environment, pixel, &clause[pixel])?;
                Ok((pixel, changes))
            })
            .collect::<Result<_, TrapKind>>()?;
        for (pixel, changes) in changes {
            clause[pixel] = changes.clause;
            self.commit(pixel, extra[pixel], changes);
        }
        Ok(())
    }

    /// Executes a group for one pixel. All operands are read before anything is written.
    fn group_of_pixel(
        &self,
        group: &Group,
        units: &[Unit],
        environment: &Environment,
        pixel: usize,
        clause: &ClauseRegisters,
    ) -> Result<Changes, TrapKind> {
        let read = |slot: &Alu| -> Result<[u32; 3], TrapKind> {
            let mut args = [0; 3];
            for (arg, operand) in args.iter_mut().zip(slot.operands()) {
                *arg = self.operand(slot, &operand, group, environment, pixel, clause)?;
            }
            Ok(args)
        };
        let mut reduced = [0; 4];
        if let Some(op) = group.slots.iter().find_map(|slot| slot.op.properties().reduction()) {
            let (mut a, mut b) = ([0; 4], [0; 4]);
            for (slot, unit) in group.slots.iter().zip(units).filter(|(_, unit)| **unit != Unit::T) {
                let args = read(slot)?;
                (a[*unit as usize], b[*unit as usize]) = (args[0], args[1]);
            }
            reduced = reduction(op, a, b);
        }
        let mut changes = Changes { clause: *clause, ..Changes::default() };
        for (slot, &unit) in group.slots.iter().zip(units) {
            if !runs_with(slot, self.state.registers.predicate(pixel)) {
                continue;
            }
            let properties = slot.op.properties();
            let outcome = match properties.units {
                Units::Reduction(_) => OpResult::Value(reduced[unit as usize]),
                Units::Any | Units::Vector | Units::Trans => scalar(slot.op, self.info().family, read(slot)?)?,
            };
            let value = changes.take(slot, outcome);
            let has_modifiers = properties.result == Number::Float && properties.effect == Effect::None;
            let value = match has_modifiers {
                true => modify(value, slot.omod(), slot.fields.clamp, self.info().dx10_clamp),
                false => value,
            };
            match unit {
                Unit::T => changes.clause.ps = value,
                vector @ (Unit::X | Unit::Y | Unit::Z | Unit::W) => changes.clause.pv[vector as usize] = value,
            }
            if slot.writes() && properties.effect != Effect::Address {
                let dst = slot.fields.dst;
                let index = if dst.relative { Some(register_index(slot, environment, clause)) } else { None };
                let place = (self.state.registers.destination(dst.gpr, index)?, dst.chan as usize);
                let discarded = index.is_none() && self.info().discards(dst.gpr);
                if !discarded && changes.writes.iter().any(|&(gpr, chan, _)| (gpr, chan) == place) {
                    let collision = GroupError::WriteCollision { gpr: dst.gpr, chan: dst.chan };
                    return Err(TrapKind::GroupIllegal(collision));
                }
                changes.writes.push((place.0, place.1, value));
            }
        }
        Ok(changes)
    }

    /// A source with its modifiers.
    fn operand(
        &self,
        slot: &Alu,
        operand: &Operand,
        group: &Group,
        environment: &Environment,
        pixel: usize,
        clause: &ClauseRegisters,
    ) -> Result<u32, TrapKind> {
        let channel = operand.chan as usize;
        let value = match operand.selector {
            Selector::Gpr(gpr) => {
                let index = operand.relative.then(|| register_index(slot, environment, clause));
                self.state.registers.gpr(pixel, self.state.registers.source(gpr, index)?)[channel]
            }
            Selector::Kcache { window, entry } => {
                let locked = &environment.windows[usize::from(window & 1)];
                if entry >= locked.entries {
                    return Err(TrapKind::ConstOutOfRange { window, entry });
                }
                locked.read(entry, channel)
            }
            Selector::Constant(number) => {
                let index = if operand.relative { constant_index(slot, environment, clause) } else { 0 };
                let number = usize::try_from(i32::from(number) + index).ok().filter(|number| *number < 256);
                number.and_then(|number| environment.constants.get(number)).map_or(0, |constant| constant[channel])
            }
            Selector::Special(special) => match *special.properties() {
                SpecialValue::Constant(bits) => bits,
                SpecialValue::Undocumented => return Err(TrapKind::Unsupported(special.name())),
            },
            Selector::Literal => group.literals[channel],
            Selector::PreviousVector => clause.pv[channel],
            Selector::PreviousScalar => clause.ps,
            Selector::Reserved(sel) => return Err(TrapKind::GroupIllegal(GroupError::Selector(sel))),
        };
        let value = if operand.abs { value & !SIGN } else { value };
        Ok(if operand.negate { value ^ SIGN } else { value })
    }

    fn commit(&mut self, pixel: usize, extra: bool, changes: Changes) {
        for (gpr, channel, value) in changes.writes {
            self.state.registers.gpr_mut(pixel, gpr)[channel] = value;
        }
        if let Some(predicate) = changes.predicate {
            self.state.registers.set_predicate(pixel, predicate);
        }
        if changes.kill {
            self.state.control.kill(pixel);
        }
        if let Some(execute) = changes.execute.filter(|_| !extra) {
            self.state.control.set_executing(pixel, execute);
        }
    }
}

impl Changes {
    /// Notes what an operation does beside its result, which it gives.
    fn take(&mut self, slot: &Alu, outcome: OpResult) -> u32 {
        match outcome {
            OpResult::Value(value) => value,
            OpResult::Address(address) => {
                self.clause.ar[slot.fields.dst.chan as usize] = address;
                address.cast_unsigned()
            }
            OpResult::Predicate(predicate) => {
                if let Some(op2) = slot.op2() {
                    self.predicate = self.predicate.or(op2.update_pred.then_some(predicate.pass));
                    self.execute = self.execute.or(op2.update_execute_mask.then_some(predicate.pass));
                }
                predicate.value
            }
            OpResult::Kill(kill) => {
                self.kill |= kill;
                if kill { ONE } else { 0 }
            }
        }
    }
}

/// Whether a slot runs in a pixel with this predicate.
fn runs_with(slot: &Alu, predicate: bool) -> bool {
    match slot.fields.pred_sel {
        PredicateSelect::Off | PredicateSelect::Reserved1 => true,
        PredicateSelect::Zero => !predicate,
        PredicateSelect::One => predicate,
    }
}

/// The slots that do not run with this predicate, by their numbers in the group from 1.
fn held_back(group: &Group, predicate: bool) -> String {
    let held = group.slots.iter().enumerate().filter(|(_, slot)| !runs_with(slot, predicate));
    let numbers: Vec<String> = held.map(|(place, _)| format!("slot {}", place + 1)).collect();
    numbers.join(", ")
}

/// What relative registers add: aL, or AR.x whatever component the mode names.
fn register_index(slot: &Alu, environment: &Environment, clause: &ClauseRegisters) -> i32 {
    if slot.fields.index_mode == IndexMode::Loop { environment.al } else { clause.ar[0] }
}

/// What relative constants add.
fn constant_index(slot: &Alu, environment: &Environment, clause: &ClauseRegisters) -> i32 {
    match slot.fields.index_mode {
        IndexMode::ArX => clause.ar[0],
        IndexMode::ArY => clause.ar[1],
        IndexMode::ArZ => clause.ar[2],
        IndexMode::ArW => clause.ar[3],
        IndexMode::Loop | IndexMode::Reserved5 | IndexMode::Reserved6 | IndexMode::Reserved7 => environment.al,
    }
}
