//! Numbers of lanes in masks.

use super::isa::VectorIsa;
use super::{Inst, InstKind, MachineFunction};
use crate::mir::{Arg, Class, Reg};
use iced_x86::Code;

/// Instructions that make a register the sum of all numbers of lanes in masks, each of them times a constant.
pub fn lanes_times(isa: VectorIsa, machine: &mut MachineFunction, masks: &[(Reg, u32)], sum: Reg) -> Vec<Inst> {
    let bits_of = match isa {
        VectorIsa::Avx512 => Code::VEX_Kmovw_r32_kr,
        VectorIsa::Avx2 => Code::VEX_Vmovmskps_r32_ymm,
    };
    let mut insts = Vec::new();
    let mut define = |kind: InstKind, def: Reg, args: &[Arg]| {
        insts.push(Inst { effect: false, ..Inst::new(kind, Some(def), args) });
        Arg::Reg(def)
    };
    let mut so_far = None;
    for (at, &(mask, times)) in masks.iter().enumerate() {
        let mut general = || machine.reg(Class::General);
        let bits = define(InstKind::Plain(bits_of), general(), &[Arg::Reg(mask)]);
        let lanes = define(InstKind::Plain(Code::Popcnt_r32_rm32), general(), &[bits]);
        let is_last = at + 1 == masks.len();
        let times = Arg::Imm(times.cast_signed());
        let part = if is_last && so_far.is_none() { sum } else { general() };
        let part = define(InstKind::Plain(Code::Imul_r32_rm32_imm32), part, &[lanes, times]);
        so_far = Some(match so_far {
            Some(before) => {
                let both = if is_last { sum } else { general() };
                define(InstKind::Tied(Code::Add_r64_rm64), both, &[before, part])
            }
            None => part,
        });
    }
    insts
}
