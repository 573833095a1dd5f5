//! Registers for vectors: two vectors share one where no channel of it is wanted by both at a time.

use super::live;
use super::machine::{Item, Web};
use super::place::{Places, Vector};
use super::schedule::Issue;
use ctm_x1k::TEMPS;

/// The register of each vector, or `None` if there are not enough.
pub(super) fn allocate(items: &[Item<Issue>], places: &Places, webs: usize, inputs: &[Web]) -> Option<Vec<u8>> {
    let ranges = live::ranges(items, webs, inputs);
    let start = |vector: Vector| {
        let starts = places.channels(vector).iter().flatten().filter_map(|&web| ranges[web].start());
        starts.min()
    };
    let mut order: Vec<(bool, u32, Vector)> =
        (0..places.len()).filter_map(|vector| Some((places.fixed(vector).is_none(), start(vector)?, vector))).collect();
    order.sort_unstable();
    let mut registers = vec![0; places.len()];
    let mut taken: Vec<[Vec<Web>; 4]> = vec![<[Vec<Web>; 4]>::default(); TEMPS];
    for (_, _, vector) in order {
        let channels = places.channels(vector);
        let free = |register: usize| {
            (0..4).all(|channel| {
                let Some(web) = channels[channel] else { return true };
                taken[register][channel].iter().all(|&other: &Web| !ranges[other].overlaps(&ranges[web]))
            })
        };
        let register = match places.fixed(vector) {
            Some(register) => usize::from(register),
            None => (0..TEMPS).find(|&register| free(register))?,
        };
        for channel in 0..4 {
            taken[register][channel].extend(channels[channel]);
        }
        registers[vector] = register as u8;
    }
    Some(registers)
}
