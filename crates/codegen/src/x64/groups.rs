//! Passes over the instructions of code for several groups, on text.

use super::isa::VectorIsa;
use super::merge_lane_tests;
use super::passes::{assert_text, difference, machine};
use crate::allocate::{Allocation, Location, allocate};
use crate::interleave::{Neighbours, interleaved, is_in_step};
use crate::prefetch::prefetch_stores;
use crate::share_rows::{reads_rows, share_rows};
use crate::target::Target;
use ctm_lane::Axis;
use std::fmt::Write;

/// A loop of two groups that is left as soon as a lane of any of them has a number above one. After it, lanes that leave are counted.
const LEAVES: &str = "pool 0x3f800000
b0:
  v0 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]
  k1 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v0, v0, 1
  k2 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v0, v0, 2
  jump b1(v0, v0)
b1(v3, v4) depth 1:
  v5 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v3, v0
  v6 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v4, v0
  v7 = fma v5, v5, v0
  v8 = fma v6, v6, v0
  k9 = EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae v7, each [pool], 30, mask k1
  k10 = EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae v8, each [pool], 30, mask k2
  k11 = VEX_Korw_kr_kr_kr k9, k10
  VEX_Kortestw_kr_kr k11, k11
  if NotEqual b2(k10, v5) else b1(v5, v6)
b2(k12, v13):
  v14 = EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 v0, v13, mask k1
  k15 = VEX_Kandnw_kr_kr_kr k9, k1
  k16 = VEX_Kandnw_kr_kr_kr k12, k2
  count 3 k9
  count 5 k2
  v17 = EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 v0, v14, mask k15
  v18 = EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 v0, v17, mask k16
  EVEX_Vmovups_zmmm512_k1z_zmm [context], v18
  exit
";

#[test]
fn groups_test_together() {
    let mut after = machine(LEAVES);
    merge_lane_tests::merge_lane_tests(&mut after);
    assert_text("merge-lane-tests", &difference(LEAVES, &after.to_string()));
    // 0 is less than one, and would leave; a number that is wanted elsewhere cannot be 0 outside; a test may be for NaNs.
    for (from, to) in [
        (", 30, mask", ", 17, mask"),
        ("else b1(v5, v6)", "else b1(v7, v6)"),
        (", 30, mask", ", 14, mask"),
        ("each [pool], 30, mask k1", "each [pool], 29, mask k1"),
    ] {
        let text = LEAVES.replace(from, to);
        let mut after = machine(&text);
        merge_lane_tests::merge_lane_tests(&mut after);
        assert_eq!(after.to_string(), machine(&text).to_string(), "{from} becomes {to}");
    }
}

/// A filter over three rows, of two vectors each.
const FILTER: &str = "b0:
  g0 = Mov_r32_rm32 [context + 8]
  g1 = Mov_r64_rm64 [context + 120]
  g2 = Imul_r32_rm32_imm32 g0, 4096
  g3 = tied Add_r64_rm64 g2, g1
  g4 = Mov_r64_rm64 [context + 128]
  g5 = Imul_r32_rm32_imm32 g0, 4096
  g6 = tied Add_r64_rm64 g5, g4
  g7 = Mov_r32_rm32 [context]
  jump b1(g7)
b1(g8) depth 1:
  v9 = EVEX_Vmovups_zmm_k1z_zmmm512 [g3 + g8*4 - 4096]
  v10 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v9, [g3 + g8*4 - 4092]
  v11 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v10, [g3 + g8*4]
  v12 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v11, [g3 + g8*4 + 4]
  v13 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v12, [g3 + g8*4 + 4096]
  v14 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v13, [g3 + g8*4 + 4100]
  EVEX_Vmovups_zmmm512_k1z_zmm [g6 + g8*4], v14
  g15 = tied Add_rm32_imm32 g8, 16
  Cmp_r32_rm32 g15, [context + 4]
  if Below b1(g15) else b2
b2:
  exit
";

#[test]
fn filters_share_rows() {
    let before = machine(FILTER);
    assert!(reads_rows(&before));
    let mut after = interleaved(&before, VectorIsa::Avx512, Neighbours { axis: Axis::Y, groups: 2, apart: 1 }).unwrap();
    share_rows(&mut after, VectorIsa::Avx512);
    assert_text("rows", &difference(FILTER, &after.to_string()));
    // What comes after a change of the floating-point mode stays there, and so does what comes before it.
    let changed = FILTER.replace("  v11 =", "  Ldmxcsr_m32 [context + 12]\n  v11 =");
    let neighbours = Neighbours { axis: Axis::Y, groups: 2, apart: 1 };
    let mut after = interleaved(&machine(&changed), VectorIsa::Avx512, neighbours).unwrap();
    share_rows(&mut after, VectorIsa::Avx512);
    let text = after.to_string();
    let sides: Vec<usize> = text.split("Ldmxcsr").map(|side| side.matches("Vaddps").count()).collect();
    assert_eq!(sides, [2, 8], "{text}");
    // One row is shared with nobody.
    assert!(!reads_rows(&machine(&FILTER.replace("4096]", "64]").replace("4092]", "60]").replace("4100]", "68]"))));
}

/// Forty numbers that live from the start of a group to its end, and so many machine registers for them.
fn prefetches(registers: usize, depth: u32) -> (String, String) {
    let mut text = "b0:
  g0 = Mov_r64_rm64 [context + 120]
  g1 = Mov_r32_rm32 [context]
  jump b1(g1)
b1(g2) depth 1:
  g3 = tied Add_rm32_imm32 g2, 16
"
    .to_owned();
    for number in 4..44 {
        writeln!(text, "  v{number} = EVEX_Vpbroadcastd_zmm_k1z_r32 g2").unwrap();
    }
    writeln!(text, "  jump b2(v4)\nb2(v44) depth {depth}:").unwrap();
    for number in 45..84 {
        writeln!(text, "  v{number} = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v{}, v{}", number - 1, number - 40)
            .unwrap();
    }
    text += "  EVEX_Vmovups_zmmm512_k1z_zmm [g0 + g3*4 + 16], v83
  EVEX_Vmovups_zmmm512_k1z_zmm [g0 + g3*4 + 96], v83
  EVEX_Vmovups_zmmm512_k1z_zmm [g0 + g3*4 + 112], v83
  EVEX_Vmovntps_m512_zmm [g0 + g3*4 + 256], v83
  exit
";
    let mut after = machine(&text);
    let few: &'static [u8] =
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28];
    let allocation = allocate(
        &after,
        &crate::allocate::Registers { vector: &few[..registers], ..VectorIsa::Avx512.registers(false) },
    );
    let Allocation { locations, .. } = &allocation;
    let spilled = locations.iter().filter(|location| matches!(location, Location::Slot(_))).count();
    prefetch_stores(&mut after, &allocation, VectorIsa::Avx512);
    (difference(&text, &after.to_string()), format!("{spilled} in the frame"))
}

#[test]
fn lines_are_asked_for_early() {
    let (difference, spilled) = prefetches(8, 1);
    let early =
        "   g3 = tied Add_rm32_imm32 g2, 16\n+  Prefetchw_m8 [g0 + g3*4]\n+  Prefetchw_m8 [g0 + g3*4 + 64]\n   v4 =";
    assert!(difference.contains(early), "{spilled}: {difference}");
    for (registers, depth) in [(29, 1), (8, 2)] {
        let (difference, spilled) = prefetches(registers, depth);
        assert!(!difference.contains("\n+"), "{spilled}: {difference}");
    }
}

/// A loop of eight passes, for one group after the other.
const PASSES: &str = "b0:
  g0 = Mov_r32_rm32 [context]
  jump b1(g0)
b1(g1) depth 1:
  v2 = EVEX_Vpbroadcastd_zmm_k1z_r32 g1
  g3 = Mov_r32_rm32 [context + 8]
  jump b2(v2, g3)
b2(v4, g5) depth 2:
  v6 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v4, v2
  k7 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v6, v2, 1
  g8 = tied Add_rm32_imm32 g5, -1
  Cmp_rm32_imm32 g8, 0
  if NotEqual b2(v6, g8) else b3
b3 depth 1:
  g9 = tied Add_rm32_imm32 g1, 16
  Cmp_r32_rm32 g9, [context + 4]
  if Below b1(g9) else b4
b4:
  exit
";

/// Groups go through a loop together if no branch depends on where they are.
#[test]
fn groups_are_in_step() {
    let is_in_step = |text: &str| is_in_step(&machine(text), Axis::X);
    assert!(is_in_step(PASSES));
    let sum = "  v6 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v4, v2\n";
    let long = (100..700).map(|number| sum.replace("v6", &format!("v{number}"))).collect::<String>() + sum;
    for (why, text) in [
        ("lanes are asked", PASSES.replace("Cmp_rm32_imm32 g8, 0", "VEX_Kortestw_kr_kr k7, k7")),
        ("there is no loop", PASSES.replace("depth 2", "depth 1")),
        ("it is long", PASSES.replace(sum, &long)),
    ] {
        assert!(!is_in_step(&text), "{why}");
    }
}
