//! Loops whose passes wait for each other.
//!
//! What a pass begins with, the pass before has to have calculated. Processors begin with instructions as soon as their operands are there, so
//! that a pass takes at least the time of the longest chain of instructions from what it begins with to what the next one begins with; more groups
//! side by side fill the time.

use crate::counts::{innermost, loops};
use crate::mir::{Edge, MachineFunction, Reg};
use crate::target::Target;

/// Passes that a chain may go through before it comes back to where it started.
const MOST_PASSES: usize = 4;
/// What a pass begins with, at most, for its chains to be looked at: they are as many as the square of that.
const MOST_PARAMS: usize = 256;

/// Cycles that code takes at least, as its loops' passes wait for each other, by the estimate of how often blocks execute that
/// [`Allocation::executed`](crate::allocate::Allocation) goes by.
pub fn waiting<T: Target>(machine: &MachineFunction<T::Op>, target: T) -> f32 {
    let loops = loops(machine);
    let innermost = innermost(&loops).filter(|one| machine.blocks[one.head].params.len() <= MOST_PARAMS);
    let mut ready = vec![None; machine.classes.len()];
    let mut of =
        |head: usize, end: usize| pass(machine, target, (head, end), &mut ready) * machine.blocks[head].frequency();
    innermost.map(|one| of(one.head, one.end)).sum()
}

/// Cycles of a pass of a loop. `ready` has nothing of any register, before and after.
fn pass<T: Target>(
    machine: &MachineFunction<T::Op>,
    target: T,
    (head, end): (usize, usize),
    ready: &mut [Option<u32>],
) -> f32 {
    let params = &machine.blocks[head].params;
    let latencies: Vec<Vec<u32>> = machine.blocks[head..=end]
        .iter()
        .map(|block| block.insts.iter().map(|inst| target.latency(inst)).collect())
        .collect();
    let chains: Vec<Vec<Option<u32>>> =
        params.iter().map(|&from| chains(machine, &latencies, (head, from), ready)).collect();
    // The longest ways through so many passes; one that ends where it started goes on and on.
    let mut ways = chains.clone();
    let mut longest: f32 = 0.0;
    for passes in 1..=MOST_PASSES {
        let around = (0..params.len()).filter_map(|at| ways[at][at]).max().unwrap_or(0);
        longest = longest.max(around as f32 / passes as f32);
        let step = |from: &Vec<Option<u32>>, to: usize| {
            let by = from.iter().zip(&chains).filter_map(|(way, chain)| Some((*way)? + chain[to]?));
            by.max()
        };
        ways = ways.iter().map(|from| (0..params.len()).map(|to| step(from, to)).collect()).collect();
    }
    longest
}

/// For each parameter of the loop's head, the longest chain from one of them to what the next pass has for it.
fn chains<O>(
    machine: &MachineFunction<O>,
    latencies: &[Vec<u32>],
    (head, from): (usize, Reg),
    ready: &mut [Option<u32>],
) -> Vec<Option<u32>> {
    let body = head..head + latencies.len();
    let mut next: Vec<Option<u32>> = vec![None; machine.blocks[head].params.len()];
    ready[from.index()] = Some(0);
    for (at, latencies) in body.clone().zip(latencies) {
        let block = &machine.blocks[at];
        for (inst, latency) in block.insts.iter().zip(latencies) {
            let mut waits = None;
            inst.for_each_use(|reg| waits = waits.max(ready[reg.index()]));
            if let (Some(def), Some(waits)) = (inst.def, waits) {
                ready[def.index()] = Some(waits + latency);
            }
        }
        for Edge { block, args } in block.end.edges() {
            for (number, (arg, param)) in args.iter().zip(&machine.blocks[*block].params).enumerate() {
                let waits = arg.reg().and_then(|reg| ready[reg.index()]);
                if *block == head {
                    next[number] = next[number].max(waits);
                } else if body.contains(block) {
                    ready[param.index()] = ready[param.index()].max(waits);
                }
            }
        }
    }
    for block in &machine.blocks[body] {
        let defs = block.params.iter().copied().chain(block.insts.iter().filter_map(|inst| inst.def));
        defs.for_each(|def| ready[def.index()] = None);
    }
    next
}
