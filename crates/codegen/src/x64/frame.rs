//! What lies in the frame, on text.

use super::MachineFunction;
use super::isa::VectorIsa;
use super::passes::{assert_text, difference, machine};
use crate::allocate::{Allocation, Location, Registers, allocate};
use crate::commute_spilled::commute_spilled;
use crate::mir::Arg;
use crate::target::Target;
use std::fmt::Write;

/// Numbers that each pass of a loop hands on, of which each is read before the next one is there; meanwhile there is another number.
const CARRIED: usize = 6;

fn carried() -> String {
    let all = |first: usize| (first..first + CARRIED).map(|number| format!("v{number}")).collect::<Vec<_>>().join(", ");
    let mut text = "b0:
  g0 = Mov_r32_rm32 [context]
  v1 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]
"
    .to_owned();
    for number in 10..10 + CARRIED {
        writeln!(text, "  v{number} = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v1, v1").unwrap();
    }
    writeln!(text, "  jump b1({}, g0)\nb1({}, g2) depth 1:", all(10), all(20)).unwrap();
    for number in 0..CARRIED {
        writeln!(text, "  v{} = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v{}, v1, commutes", 30 + number, 20 + number)
            .unwrap();
    }
    for number in 0..CARRIED {
        writeln!(text, "  v{} = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v1, v{}", 40 + number, 30 + number).unwrap();
    }
    for number in 0..CARRIED {
        let (to, from) = (50 + number, 40 + number);
        writeln!(text, "  v{to} = EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er v{from}, v1").unwrap();
        writeln!(text, "  v{} = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v{to}, v{to}, commutes", 60 + number).unwrap();
    }
    writeln!(text, "  g3 = tied Add_rm32_imm32 g2, -1\n  Cmp_rm32_imm32 g3, 0").unwrap();
    writeln!(text, "  if NotEqual b1({}, g3) else b2\nb2:", all(60)).unwrap();
    for number in 40..40 + CARRIED {
        writeln!(text, "  EVEX_Vmovups_zmmm512_k1z_zmm [context], v{number}").unwrap();
    }
    text + "  exit\n"
}

fn allocated(text: &str) -> (MachineFunction, Allocation) {
    let machine = machine(text);
    let allocation = allocate(&machine, &Registers { vector: &[0, 1, 2], ..VectorIsa::Avx512.registers(false) });
    (machine, allocation)
}

/// What a pass hands on lies where it was, though others come to the frame meanwhile.
#[test]
fn slots_go_around_loops() {
    let (machine, Allocation { locations, slots, .. }) = allocated(&carried());
    let latch = machine.blocks[1].end.edges().find(|edge| edge.block == 1).unwrap();
    let location = |arg: &Arg| arg.reg().map(|reg| locations[reg.index()]);
    let pairs = latch.args.iter().zip(&machine.blocks[1].params);
    let moves: Vec<_> = pairs.map(|(arg, param)| (location(arg), location(&Arg::Reg(*param)))).collect();
    let is_slot = |place: Option<Location>| matches!(place, Some(Location::Slot(_)));
    let in_slots = moves.iter().filter(|(from, to)| is_slot(*from) && is_slot(*to));
    assert!(in_slots.clone().count() >= 2, "{moves:?}");
    assert!(in_slots.clone().all(|(from, to)| from == to), "{slots:?} slots: {moves:?}");
    // What is read after the loop lies somewhere else.
    let kept = machine.blocks[2].insts.iter().map(|inst| location(&inst.args[1])).filter(|place| is_slot(*place));
    let kept: Vec<Option<Location>> = kept.collect();
    assert!(
        kept.len() >= 2 && kept.iter().all(|kept| moves.iter().all(|(from, _)| from != kept)),
        "{kept:?}, {moves:?}"
    );
}

/// Operands in the frame come last, where the order does not matter.
#[test]
fn operands_in_the_frame_come_last() {
    let text = carried();
    let (mut machine, Allocation { locations, .. }) = allocated(&text);
    commute_spilled(&mut machine, &locations);
    assert_text("commuted", &difference(&text, &machine.to_string()));
}
