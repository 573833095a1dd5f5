//! From a function to a piece of code that is known to be safe: selection, the passes over machine instructions, allocation,
//! encoding and checks, in this order.

use crate::allocate::{Allocation, allocate};
use crate::check::{Calls, Decoding, Fault, Objects, check_accesses, check_locations};
use crate::code_checks::{CodeChecks, timed};
use crate::commute_spilled::commute_spilled;
use crate::constants::load_constants;
use crate::counts::count_in_front;
use crate::emit::{Emitted, emit};
use crate::groups::Groups;
use crate::interleave::{Neighbours, interleaved, is_branching, is_in_step, is_worth, shares_columns};
use crate::interleave_cost::InterleaveCost;
use crate::memory::Executable;
use crate::mir::{MachineFunction, Opcode};
use crate::prefetch::prefetch_stores;
use crate::recurrence_latency::waiting;
use crate::scheduling::{in_chains, late};
use crate::select::{Mode, Selected, Window};
use crate::share_rows::{reads_rows, share_rows};
use crate::share_spill_loads::share_spill_loads;
use crate::split_loop_carried::split_loop_carried;
use crate::split_masks::split_masks;
use crate::target::Target;
use ctm_engine::{Refusal, SurfaceLayout};
use ctm_lane::effort::{CutShort, Effort};
use ctm_lane::{Axis, Function};
use std::sync::atomic::Ordering::Relaxed;

/// Groups that run before the invalid flag is looked at, at most, and the bytes of code that they run through, about.
const STRIP: u32 = 64;
/// The same of code with loops, which takes long to run again, where lanes that nobody looks at may raise the flag.
const STRIP_OF_LOOPS: u32 = 4;
const STRIP_BYTES: usize = 1 << 17;

/// How much more than a pass over a function selection and checks are.
const CODE: usize = 8;

/// A piece of machine code.
pub(crate) struct CodePiece {
    pub code: Executable,
    pub end: usize,
    pub window: Window,
    /// What it may be called for.
    pub entry: Calls,
    /// The invalid flag says whether results may be wrong.
    pub speculates: bool,
    pub groups: Groups,
    /// Groups that run before it is looked at: what was wrong with one of them runs again for all of them.
    pub strip: u32,
    /// A group may take long.
    pub has_loops: bool,
    /// What could not be shown of code that relies on what is known of values, if this code does not.
    pub fault: Option<Fault>,
}

/// Machine instructions that may become a piece of code.
pub(crate) struct Draft<T: Decoding> {
    target: T,
    pub allocated: Allocated<T::Op>,
    window: Window,
    speculates: bool,
    pub groups: Groups,
    pub objects: Objects,
}

impl<T: Decoding> Draft<T> {
    /// Instructions that take as many groups at a time as are best, of the numbers that divide these.
    pub fn new(
        function: &Function,
        layouts: &[SurfaceLayout],
        target: T,
        (mode, all): (Mode, Groups),
        effort: &Effort,
    ) -> Result<Self, Refusal> {
        effort.has_memory_for(CODE * function.value_count());
        effort.check()?;
        effort.spend(CODE * function.size());
        effort.check()?;
        let selected = target.select(function, layouts, mode);
        let Selected { machine, window, speculates } = selected.ok_or(Refusal::Unsupported)?;
        // The entries of arrays have room for one group.
        let all = if function.arrays.is_empty() { all } else { Groups::ONE };
        let size = if mode.quads { (target.lanes() / 2, 2) } else { (target.lanes(), 1) };
        let (mut allocated, groups) = Allocated::interleaved(machine, target, (size, all), effort)?;
        commute_spilled(&mut allocated.machine, &allocated.allocation.locations);
        prefetch_stores(&mut allocated.machine, &allocated.allocation, target);
        let (width, height) = size;
        let step = (width * groups.columns, height * groups.rows);
        let entry = Calls::new(window.x, window.y, step);
        let objects = Objects::new(function, layouts, target.bytes(), entry);
        Ok(Self { target, allocated, window, speculates, groups, objects })
    }

    /// The code, once it is shown that no access leaves its object, or what could not be shown.
    ///
    /// # Errors
    /// If there is no code for another reason.
    pub fn checked(&self, checks: &CodeChecks, effort: &Effort) -> Result<Result<CodePiece, Fault>, Refusal> {
        let &Self { target, allocated: Allocated { ref machine, ref allocation }, ref objects, .. } = self;
        effort.spend(CODE * machine.size());
        effort.check()?;
        let inside = timed(&checks.access_time, || check_accesses(machine, &allocation.live, target, objects));
        if let Err(fault) = inside {
            return Ok(Err(fault));
        }
        let emitted = emit(machine, allocation, target)?;
        if checks.bytes
            && let Err(fault) = timed(&checks.byte_time, || check_locations(machine, allocation, target, &emitted))
        {
            return Ok(Err(fault));
        }
        self.unit(emitted).map(Ok).ok_or(Refusal::NoMemory)
    }

    /// The code, if it is known to be these instructions, and that they are safe; `None` if the host refuses it.
    pub fn unit(&self, emitted: Emitted) -> Option<CodePiece> {
        let &Self { target, allocated: Allocated { ref machine, .. }, window, speculates, groups, ref objects, .. } =
            self;
        let code = Executable::new(emitted)?;
        let end = code.bytes().len();
        let has_loops = machine.blocks.iter().any(|block| block.depth > 1);
        let longest = if has_loops && target.raises_idly() { STRIP_OF_LOOPS } else { STRIP };
        let strip = (STRIP_BYTES / (end - code.entry()).max(1)).clamp(1, longest as usize) as u32;
        let (entry, strip) = (objects.entry, strip * groups.columns);
        Some(CodePiece { code, end, window, entry, speculates, groups, strip, has_loops, fault: None })
    }
}

impl CodePiece {
    /// Code that takes as many groups at a time as are best, of the numbers that divide these.
    pub fn new<T: Decoding>(
        function: &Function,
        layouts: &[SurfaceLayout],
        target: T,
        (mode, all): (Mode, Groups),
        checks: &CodeChecks,
        effort: &Effort,
    ) -> Result<Self, Refusal> {
        let made = |mode| Draft::new(function, layouts, target, (mode, all), effort)?.checked(checks, effort);
        let (unit, count) = match made(mode)? {
            Ok(unit) => (Ok(unit), &checks.proven),
            Err(fault) => {
                checks.note(fault);
                match made(Mode { explicit: true, ..mode }) {
                    Ok(Ok(unit)) => (Ok(Self { fault: Some(fault), ..unit }), &checks.explicit),
                    Err(cut @ Refusal::CutShort(_)) => return Err(cut),
                    Ok(Err(_)) | Err(_) => (Err(Refusal::Unproven), &checks.refused),
                }
            }
        };
        count.fetch_add(1, Relaxed);
        if let Ok(unit) = &unit {
            checks.interleaved.fetch_add((unit.groups != Groups::ONE).into(), Relaxed);
            checks.speculating.fetch_add(unit.speculates.into(), Relaxed);
        }
        unit
    }

    /// Whether it may be called for all that the other one may be called for.
    pub fn covers(&self, other: &Self) -> bool {
        let has = |own: (i64, i64), other: (i64, i64)| own.0 <= other.0 && other.1 <= own.1;
        has(self.window.x, other.window.x) && has(self.window.y, other.window.y)
    }
}

/// Passes over a function that find an order for it, about.
const ORDERS: usize = 8;

/// A function whose registers have locations.
pub(crate) struct Allocated<O> {
    pub machine: MachineFunction<O>,
    pub allocation: Allocation,
}

/// How many more accesses to the frame for each instruction a second group may take, and where the code branches all the time: then groups do more
/// in vain.
const SPARE: f32 = 0.5;
const SPARE_BRANCHING: f32 = 0.25;
/// Vector registers below which only code in which few values live at a time has some for constants.
const FEW_REGISTERS: usize = 16;
/// Share of the accesses to memory below which code is better in an order of its own, and with constants in registers where those are few: chains of
/// instructions wait longer then.
const ORDER_PAYS: f32 = 0.875;
const CONSTANTS_PAY: f32 = 0.67;
/// The same of chains, by the accesses where only what can wait has changed its place: with few registers or many.
const FEW_CHAINS_PAY: f32 = 1.4;
const CHAINS_PAY: f32 = 0.92;
/// The same for copies of what loops carry, and of what lies in the frame, and where only what can wait changes its place.
const SPLITS_PAY: f32 = 0.98;
/// Rounds in which what lies in the frame gets copies: those of the first round take the registers of what is read less often, which may be read
/// again and again all the same.
const SHARINGS: usize = 2;

/// Share of the accesses to memory below which groups one below the other are taken together.
const ROWS_PAY: f32 = 0.9;

impl<O: Opcode> Allocated<O> {
    /// For as many groups at a time as the function does well with, each of so many columns and rows, of the numbers that divide these.
    fn interleaved<T: Target<Op = O>>(
        machine: MachineFunction<O>,
        target: T,
        ((width, height), all): ((u32, u32), Groups),
        effort: &Effort,
    ) -> Result<(Self, Groups), CutShort> {
        if all.rows > 1 && height == 1 && reads_rows(&machine) {
            return Self::of_rows(machine, target, all, effort);
        }
        if all == Groups::ONE || !is_worth(&machine) {
            return Ok((Self::new(machine, target, effort)?, Groups::ONE));
        }
        // What groups share need not be done twice.
        let axis = if all.rows > 1 && height == 1 && shares_columns(&machine) { Axis::Y } else { Axis::X };
        let apart = if axis == Axis::X { width } else { height };
        let has_loops = machine.blocks.iter().any(|block| block.depth > 1);
        let waiting = has_loops.then(|| waiting(&machine, target));
        let spare = if is_branching(&machine) { SPARE_BRANCHING } else { SPARE };
        let in_step = is_in_step(&machine, axis).then(|| machine.executed());
        let cost = InterleaveCost { width: target.width(), waiting, spare, in_step };
        let counts: &[u32] = if axis == Axis::X && has_loops { &[2, 4, 3] } else { &[2, 4] };
        // The code for so many groups; that for one is made when it is asked for.
        let (mut allocated, mut groups) = (None, Groups::ONE);
        for more in counts.iter().map(|&count| Groups::along(axis, count)).filter(|more| more.divides(all)) {
            if more.count() < groups.count() {
                break;
            }
            let leaves_time = allocated.as_ref().is_none_or(|Self { allocation, .. }| cost.leaves_time(allocation));
            if let (Axis::X, Some(Self { allocation, .. })) = (axis, &allocated)
                && !leaves_time
                && !cost.shares(allocation, groups)
            {
                break;
            }
            let neighbours = Neighbours { axis, groups: more.count(), apart };
            let Some(mut machines) = interleaved(&machine, target, neighbours) else { break };
            target.merge_lane_tests(&mut machines);
            let other = Self::new(machines, target, effort)?;
            // Then it does not matter how often code for one group accesses the frame.
            let fits_anyway = groups == Groups::ONE && cost.fits(&other.allocation, 0.0);
            if !fits_anyway {
                let fewer = match &mut allocated {
                    Some(fewer) => fewer,
                    none => none.insert(Self::new(machine.clone(), target, effort)?),
                };
                if !cost.is_better((&other.allocation, more), (&fewer.allocation, groups)) {
                    if groups == Groups::ONE || !leaves_time {
                        break;
                    }
                    continue;
                }
            }
            (allocated, groups) = (Some(other), more);
        }
        match allocated {
            Some(allocated) => Ok((allocated, groups)),
            None => Ok((Self::new(machine, target, effort)?, groups)),
        }
    }

    /// For as many groups one below the other as share what they read of the rows around them.
    fn of_rows<T: Target<Op = O>>(
        machine: MachineFunction<O>,
        target: T,
        all: Groups,
        effort: &Effort,
    ) -> Result<(Self, Groups), CutShort> {
        let (mut allocated, mut groups) = (Self::new(machine.clone(), target, effort)?, Groups::ONE);
        for more in [2, 4].map(|rows| Groups::along(Axis::Y, rows)).into_iter().filter(|more| more.divides(all)) {
            let neighbours = Neighbours { axis: Axis::Y, groups: more.rows, apart: 1 };
            let Some(mut all) = interleaved(&machine, target, neighbours) else { break };
            share_rows(&mut all, target);
            let other = Self::new(all, target, effort)?;
            if other.allocation.accesses() > ROWS_PAY * 2.0 * allocated.allocation.accesses() {
                break;
            }
            (allocated, groups) = (other, more);
        }
        Ok((allocated, groups))
    }

    /// In an order in which the function does well with the registers that there are.
    ///
    /// # Errors
    /// If the effort is over first.
    pub fn new<T: Target<Op = O>>(
        mut machine: MachineFunction<O>,
        target: T,
        effort: &Effort,
    ) -> Result<Self, CutShort> {
        // For each block what is live there.
        let bits = machine.blocks.len() * machine.classes.len() / 64;
        let steps = ORDERS * machine.size() + bits;
        effort.has_memory_for(bits / 16 + machine.classes.len());
        effort.affords(steps);
        effort.check()?;
        effort.spend(steps);
        count_in_front(&mut machine, target);
        split_masks(&mut machine, target);
        // In the guest's order, values need the registers that constants would take where there are few.
        let has_few = target.registers(machine.counts_steps).vector.len() < FEW_REGISTERS;
        let loads = if has_few { 0.0 } else { load_constants(&mut machine, target) };
        let in_guest_order = Self::of(machine, target, loads);
        // Where code branches all the time, blocks leave little to put in order.
        if !in_guest_order.allocation.has_register_pressure() || is_branching(&in_guest_order.machine) {
            return Ok(in_guest_order);
        }
        let mut in_chains = Self::of(in_chains(&in_guest_order.machine), target, loads);
        if has_few {
            let mut machine = in_chains.machine.clone();
            let loads = load_constants(&mut machine, target);
            if loads > 0.0 {
                in_chains = in_chains.or_if_below(CONSTANTS_PAY, Self::of(machine, target, loads));
            }
        }
        let chains_pay = in_chains.allocation.accesses() < ORDER_PAYS * in_guest_order.allocation.accesses();
        let mut best = in_guest_order;
        if let Some(machine) = late(&best.machine) {
            best = best.or_if_below(SPLITS_PAY, Self::of(machine, target, loads));
        }
        if chains_pay {
            best = best.or_if_below(if has_few { FEW_CHAINS_PAY } else { CHAINS_PAY }, in_chains);
        }
        let mut split = best.machine.clone();
        if split_loop_carried(&mut split, target) {
            best = best.or_if_below(SPLITS_PAY, Self::of(split, target, loads));
        }
        for _ in 0..SHARINGS {
            effort.spend(best.machine.size());
            effort.check()?;
            let mut shared = best.machine.clone();
            if !share_spill_loads(&mut shared, &best.allocation, target) {
                break;
            }
            let shared = Self::of(shared, target, loads);
            if shared.allocation.accesses() >= SPLITS_PAY * best.allocation.accesses() {
                break;
            }
            best = shared;
        }
        Ok(best)
    }

    /// With locations for the registers. What loads constants takes work from the instructions that would read them from memory, each for
    /// itself.
    fn of<T: Target<Op = O>>(machine: MachineFunction<O>, target: T, loads: f32) -> Self {
        let allocation = allocate(&machine, &target.registers(machine.counts_steps));
        Self { machine, allocation: Allocation { executed: allocation.executed - loads, ..allocation } }
    }

    /// The other one, if it accesses memory less than this share as often.
    fn or_if_below(self, share: f32, other: Self) -> Self {
        if other.allocation.accesses() < share * self.allocation.accesses() { other } else { self }
    }
}
