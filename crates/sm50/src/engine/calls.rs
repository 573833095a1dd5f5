//! Calls of lanes: single instructions that functions do not have, done by the rules of the reference.

use super::resuming::LaneMemory;
use crate::attributes::Words;
use crate::footprint::AccessKind;
use crate::launch::{StageLaunch, WARP};
use crate::lift::{BITS, CALLS, Call, ENDED, FIRST_REGISTER, FLAGS, HELPER_BIT, PREDICATES, RESUME, ResumePlan};
use crate::reference::Callee;
use ctm_num::sm50::Flags;
use std::ops::Range;

/// Lanes of a warp, as a length.
const LANES: usize = WARP as usize;

/// What is needed to do what lanes call for.
pub(super) struct Caller<'a> {
    pub plan: &'a ResumePlan,
    pub kinds: &'a [AccessKind],
    pub launch: &'a StageLaunch<'a>,
    pub memory: &'a LaneMemory,
    /// What lanes access of global memory.
    pub log: &'a Words,
}

impl Caller<'_> {
    /// Does what these lanes call for, if they do; whether some did. `None` if something was wrong with that.
    pub fn serve(&self, callee: &mut Callee, invocations: &Range<u32>) -> Option<bool> {
        let mut places = vec![0; invocations.len()];
        self.memory.state.read(RESUME * places.len() as u32, &mut places);
        let mut calls = false;
        for (number, warp) in (0..).zip(places.chunks_mut(LANES)) {
            if warp.iter().any(|&place| is_call(place)) {
                self.serve_warp(callee, invocations, number, warp)?;
                calls = true;
            }
        }
        if calls {
            self.memory.state.write(RESUME * places.len() as u32, &places);
        }
        Some(calls)
    }

    /// Does what the lanes of a warp call for, and says where they go on.
    fn serve_warp(&self, callee: &mut Callee, invocations: &Range<u32>, warp: u32, places: &mut [u32]) -> Option<()> {
        let row = |column: u32| column * invocations.len() as u32 + warp * WARP;
        let lanes = places.len();
        let mut bits = [0; LANES];
        self.memory.state.read(row(BITS), &mut bits[..lanes]);
        let first = invocations.start + warp * WARP;
        callee.go(first / WARP, gathered(&bits, HELPER_BIT));
        for n in 0..PREDICATES {
            callee.predicates()[n as usize] = gathered(&bits, n);
        }
        for (flags, bits) in callee.flags().iter_mut().zip(bits) {
            let [zero, sign, carry, overflow] = [0, 1, 2, 3].map(|n| bits >> (PREDICATES + n) & 1 != 0);
            *flags = Flags { zero, sign, carry, overflow };
        }
        for (column, &register) in (FIRST_REGISTER..).zip(&self.plan.registers) {
            self.memory.state.read(row(column), &mut callee.register(register)[..lanes]);
        }
        while let Some(&place) = places.iter().find(|&&place| is_call(place)) {
            let (_, call) = self.plan.calls.iter().find(|(after, _)| *after == place & !CALLS)?;
            let mut called = 0;
            for (lane, at) in places.iter_mut().enumerate().filter(|(_, at)| **at == place) {
                called |= 1 << lane;
                *at &= !CALLS;
            }
            self.execute(callee, call, called, first)?;
        }
        for (n, bits) in bits.iter_mut().enumerate() {
            let flags = callee.flags()[n];
            let flags = [flags.zero, flags.sign, flags.carry, flags.overflow];
            let of_predicates = (0..PREDICATES).map(|number| callee.predicates()[number as usize] >> n & 1);
            let all = of_predicates.chain(flags.map(u32::from)).zip(0..).fold(0, |all, (bit, at)| all | bit << at);
            *bits = *bits & !((1 << (PREDICATES + FLAGS)) - 1) | all;
        }
        self.memory.state.write(row(BITS), &bits[..lanes]);
        for (column, &register) in (FIRST_REGISTER..).zip(&self.plan.registers) {
            self.memory.state.write(row(column), &callee.register(register)[..lanes]);
        }
        Some(())
    }

    /// Executes an instruction in lanes of a warp, and notes what they access.
    fn execute(&self, callee: &mut Callee, call: &Call, lanes: u32, first: u32) -> Option<()> {
        let Some(footprint) = call.footprint else { return callee.execute(call.instruction, lanes).then_some(()) };
        let kind = *self.kinds.get(footprint)?;
        for lane in (0..WARP).filter(|lane| lanes >> lane & 1 != 0) {
            let Some((address, bytes)) = callee.access((call.instruction, call.is_once), lane, kind)? else { continue };
            let column = 2 * footprint as u32 * self.launch.invocations.count + first + lane;
            let last = address.saturating_add(bytes - 1);
            for (dword, byte) in [(column, !address), (column + self.launch.invocations.count, last)] {
                let log = self.log.buffer();
                log.store(4 * dword, log.load(4 * dword).max(byte));
            }
        }
        Some(())
    }
}

/// Whether a lane calls that goes on at a place.
fn is_call(place: u32) -> bool {
    place != ENDED && place & CALLS != 0
}

/// The lanes that have a bit.
fn gathered(bits: &[u32; LANES], bit: u32) -> u32 {
    bits.iter().enumerate().fold(0, |mask, (lane, bits)| mask | (bits >> bit & 1) << lane)
}
