//! What each pass does to small functions, as text: compared with the files in `passes`, one for each test.

use super::isa::VectorIsa;
use super::select::select;
use crate::allocate::{Allocation, Location, Registers, allocate};
use crate::code_piece::Allocated;
use crate::mir::{Reg, Text};
use crate::select::{Mode, Selected};
use crate::target::Target;
use crate::x64::MachineFunction;
use crate::{
    constants, counts, interleave, recurrence_latency, scheduling, share_spill_loads, split_loop_carried, split_masks,
};
use ctm_engine::SurfaceLayout;
use ctm_lane::{Axis, Function, assume_covered, simplify};
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling};
use std::fmt::Write;
use std::path::Path;

/// Compares with the file of this name.
pub(super) fn assert_text(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/x64/passes").join(format!("{name}.txt"));
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} should be, if this is right:\n{text}", path.display());
}

/// The lines of both texts: ` ` in both, `-` before, `+` after.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // The longest common rest of the lines from each location on.
    let mut common = vec![vec![0; after.len() + 1]; before.len() + 1];
    for a in (0..before.len()).rev() {
        for b in (0..after.len()).rev() {
            common[a][b] =
                if before[a] == after[b] { common[a + 1][b + 1] + 1 } else { common[a + 1][b].max(common[a][b + 1]) };
        }
    }
    let (mut a, mut b, mut text) = (0, 0, String::new());
    while a < before.len() || b < after.len() {
        let (mark, line) = if a < before.len() && b < after.len() && before[a] == after[b] {
            (a, b) = (a + 1, b + 1);
            (' ', before[a - 1])
        } else if b == after.len() || a < before.len() && common[a + 1][b] >= common[a][b + 1] {
            a += 1;
            ('-', before[a - 1])
        } else {
            b += 1;
            ('+', after[b - 1])
        };
        writeln!(text, "{mark}{line}").unwrap();
    }
    text
}

pub(super) fn machine(text: &str) -> MachineFunction {
    let machine: MachineFunction = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.to_string(), text, "text is read as it is written");
    machine
}

/// What selection makes of a function with one surface of this kind.
fn selected(
    text: &str,
    isa: VectorIsa,
    speculates: bool,
    (format, tiling, bounds): (Format, Tiling, Bounds),
) -> MachineFunction {
    const BASE: u32 = 0x1000;
    let mut function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assume_covered(&mut function);
    simplify(&mut function);
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x1_0000).unwrap()).unwrap();
    let surface = Surface { base: BASE, pitch: 64, height: 64, tiling, superfine: false, format };
    let layouts = [SurfaceLayout::of(&space, &surface, bounds)];
    let mode = Mode { quads: false, interior: true, speculates, may_stop: false, explicit: false };
    let Selected { machine, speculates: has_rules_left_out, .. } = select(&function, &layouts, isa, mode).unwrap();
    assert_eq!(has_rules_left_out, speculates);
    let parsed: MachineFunction = machine.to_string().parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(parsed.to_string(), machine.to_string());
    machine
}

/// Numbers row by row.
const ROWS: (Format, Tiling, Bounds) = (Format::Float32_1, Tiling::Linear, Bounds::Drop);

const SQUARE: &str = "surface s0 whole\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = utof %0\n%4 = fmul.ftz %3, %3\n\
    surface_store.r s0, %0, %1, %4, %4, %4, %4, %2\nreturn\n";

#[test]
fn selection() {
    for isa in VectorIsa::ALL {
        assert_text(&format!("selection-{}", isa.name()), &selected(SQUARE, isa, false, ROWS).to_string());
    }
}

/// A row of a surface in tiles that begins anywhere becomes the group's row: places are looked up, and what the rows below need is
/// prefetched.
#[test]
fn tiles() {
    let text = "surface s0 whole\ntable t0 4\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = utof %0\n%4 = table_splat t0, 0\n\
        %5 = fadd.ftz %3, %4\n%6 = float_to_index 64, %5\n%7, %8, %9, %10 = surface_load s0, %6, %1, %2\n\
        surface_store.rgba s0, %0, %1, %7, %8, %9, %10, %2\nreturn\n";
    let machine = selected(text, VectorIsa::Avx512, false, (Format::Float32_4, Tiling::Tiled, Bounds::Clamp));
    assert_text("tiles", &machine.to_string());
}

/// Zero times infinity is zero, and the bits of the product are seen: exact code, and code that leaves the rule to the invalid
/// flag.
#[test]
fn speculation() {
    let text = "surface s0 whole\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = itof %0\n%4 = lane 0x40a00000\n\
        %5 = fsub.ftz %3, %4\n%6 = lane 0x7f800000\n%7 = fadd.ftz %3, %6\n%8 = fmul.ftz.zx %5, %7\n%9 = iadd %8, %0\n\
        surface_store.r s0, %0, %1, %9, %9, %9, %9, %2\nreturn\n";
    for isa in VectorIsa::ALL {
        let [exact, speculating] = [false, true].map(|speculates| selected(text, isa, speculates, ROWS).to_string());
        assert_text(&format!("speculation-{}", isa.name()), &difference(&exact, &speculating));
    }
}

/// One constant is read four times and once more far away, another one three times; other instructions read no memory.
#[test]
fn constants_in_registers() {
    let code = |others: usize| {
        let mut text = "pool 0x3f800000 0x40000000\nb0:\n  v0 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]\n".to_owned();
        let reads = ["each [pool]", "each [pool + 4]"].map(str::to_owned);
        let near = [0, 1, 0, 1, 0, 0, 1].map(|at| reads[at].clone());
        let all = near.into_iter().chain(vec!["v0".to_owned(); others]).chain([reads[0].clone()]);
        for (at, operand) in all.enumerate() {
            writeln!(text, "  v{} = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v{at}, {operand}", at + 1).unwrap();
        }
        writeln!(text, "  EVEX_Vmovups_zmmm512_k1z_zmm [context], v{}\n  exit", others + 8).unwrap();
        machine(&text)
    };
    let before = code(9);
    let mut after = before.clone();
    assert!(constants::load_constants(&mut after, VectorIsa::Avx512) > 0.0);
    assert_text("constants", &difference(&before.to_string(), &after.to_string()));
    assert_eq!(constants::load_constants(&mut code(12), VectorIsa::Avx512), 0.0, "most instructions read no memory");
    assert_eq!(constants::load_constants(&mut code(9), VectorIsa::Avx2), 0.0, "instructions read whole vectors");
}

/// An instruction that reads a whole vector of constants can have it in a register; one that reads a word of it cannot.
#[test]
fn constants_in_registers_are_whole_vectors() {
    for (reads, loads) in [("VEX_Vaddps_ymm_ymm_ymmm256 v0, [pool]", 1.0), ("VEX_Vmovd_xmm_rm32 [pool]", 0.0)] {
        let mut text = "pool 0x3f800000\nb0:\n  v0 = VEX_Vmovups_ymm_ymmm256 [context]\n".to_owned();
        for number in 1..=4 {
            writeln!(text, "  v{number} = {reads}").unwrap();
        }
        text += "  exit\n";
        assert_eq!(constants::load_constants(&mut machine(&text), VectorIsa::Avx2), loads, "{reads}");
    }
}

/// Six channels of four numbers each, calculated side by side as guests do: where registers are few, one channel comes after the other, and its
/// constants have registers meanwhile.
#[test]
fn channels_follow_each_other() {
    const CHANNELS: usize = 6;
    const NUMBERS: usize = 4 * CHANNELS;
    // Shorter code lies in the midst of branches.
    const STEPS: usize = 12;
    let mut text = format!("pool{}\nb0:\n", " 0x3f800000".repeat(CHANNELS * 16));
    for number in 0..NUMBERS {
        writeln!(text, "  v{number} = VEX_Vmovups_ymm_ymmm256 [context + {}]", number * 32 + 32).unwrap();
    }
    for step in 0..STEPS {
        for channel in 0..CHANNELS {
            for number in 0..4 {
                let at = NUMBERS * (step + 1) + 4 * channel + number;
                writeln!(
                    text,
                    "  v{at} = VEX_Vmulps_ymm_ymm_ymmm256 v{}, [pool + {}]",
                    at - NUMBERS,
                    channel * 64 + 64
                )
                .unwrap();
            }
        }
    }
    for number in 0..NUMBERS {
        let at = NUMBERS * STEPS + number;
        writeln!(text, "  VEX_Vmovups_ymmm256_ymm [context + {}], v{at}", number * 32 + 2048).unwrap();
    }
    text += "  exit\n";
    let before = machine(&text);
    let allocation = allocate(&before, &VectorIsa::Avx2.registers(false));
    let after = Allocated::new(before, VectorIsa::Avx2, &ctm_lane::effort::Effort::default()).unwrap();
    let share = after.allocation.accesses() / allocation.accesses();
    assert!(share < 0.6, "{share} of {} accesses:\n{}", allocation.accesses(), after.machine);
    let products =
        after.machine.to_string().lines().filter(|line| line.contains("mulps") && line.contains("pool")).count();
    assert_eq!(products, 0, "{}", after.machine);
}

/// Seven masks, each used at once and again far away: more than there are registers.
#[test]
fn split_masks() {
    let mut text = "b0:\n  v0 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]\n".to_owned();
    for mask in 1..=7 {
        writeln!(text, "  k{mask} = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v0, v0, {mask}").unwrap();
    }
    for pair in 1..=7 {
        writeln!(text, "  k{} = VEX_Kandw_kr_kr_kr k{pair}, k{pair}", pair + 7).unwrap();
    }
    for number in 15..=64 {
        writeln!(text, "  v{number} = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 v0, v0").unwrap();
    }
    for mask in 1..=7 {
        writeln!(text, "  VEX_Kortestw_kr_kr k{mask}, k{mask}").unwrap();
    }
    text += "  exit\n";
    assert_text("split-masks", &splits(&text, VectorIsa::Avx512));
}

/// Fifteen masks in vectors, each chosen by at once and again far away: more than there are registers.
#[test]
fn split_masks_in_vectors() {
    const MASKS: usize = 15;
    let mut text = "b0:\n  v0 = VEX_Vmovups_ymm_ymmm256 [context]\n".to_owned();
    for mask in 1..=MASKS {
        writeln!(text, "  v{mask} = VEX_Vpcmpgtd_ymm_ymm_ymmm256 v0, v0").unwrap();
    }
    for mask in 1..=MASKS {
        writeln!(text, "  v{} = VEX_Vblendvps_ymm_ymm_ymmm256_ymm v0, v0, mask v{mask}", mask + MASKS).unwrap();
    }
    for number in 2 * MASKS + 1..=80 {
        writeln!(text, "  v{number} = VEX_Vpaddd_ymm_ymm_ymmm256 v0, v0").unwrap();
    }
    for mask in 1..=MASKS {
        writeln!(text, "  v{} = VEX_Vblendvps_ymm_ymm_ymmm256_ymm v0, v0, mask v{mask}", mask + 80).unwrap();
    }
    text += "  exit\n";
    assert_text("split-masks-in-vectors", &splits(&text, VectorIsa::Avx2));
}

/// A loop carries a value that a pass reads at once and much later, one that it reads at once, and one that it reads much later.
#[test]
fn split_loop_carried() {
    const ADD: &str = "VEX_Vpaddd_ymm_ymm_ymmm256";
    let mut text =
        "b0:\n  v0 = VEX_Vmovups_ymm_ymmm256 [context]\n  jump b1(v0, v0, v0)\nb1(v1, v2, v3) depth 1:\n".to_owned();
    writeln!(text, "  v4 = {ADD} v1, v2").unwrap();
    for number in 5..=54 {
        writeln!(text, "  v{number} = {ADD} v0, v0").unwrap();
    }
    writeln!(text, "  v55 = {ADD} v1, v3\n  VEX_Vptest_ymm_ymmm256 v55, v55").unwrap();
    text += "  if NotEqual b1(v4, v55, v1) else b2\nb2:\n  exit\n";
    let mut after = machine(&text);
    assert!(split_loop_carried::split_loop_carried(&mut after, VectorIsa::Avx2));
    assert_text("split-loop-carried", &changed(&text, &after.to_string()));
}

/// Two vectors that lie in the frame: both are made and used at once; much later, one is used twice, the other one once.
#[test]
fn share_spill_loads() {
    const ADD: &str = "VEX_Vpaddd_ymm_ymm_ymmm256";
    let mut text =
        "b0:\n  v0 = VEX_Vmovups_ymm_ymmm256 [context]\n  v1 = VEX_Vmovups_ymm_ymmm256 [context + 32]\n".to_owned();
    writeln!(text, "  v2 = {ADD} v0, v1").unwrap();
    for number in 3..=30 {
        writeln!(text, "  v{number} = {ADD} v{}, v{}", number - 1, number - 1).unwrap();
    }
    for (number, again) in [(31, 0), (32, 1), (33, 0)] {
        writeln!(text, "  v{number} = {ADD} v{}, v{again}", number - 1).unwrap();
    }
    text += "  VEX_Vmovups_ymmm256_ymm [context], v33\n  exit\n";
    let before = machine(&text);
    let allocation = allocate(&before, &Registers { vector: &[0], mask: &[], general: &[] });
    let mut after = before;
    assert!(share_spill_loads::share_spill_loads(&mut after, &allocation, VectorIsa::Avx2));
    assert_text("share-spill-loads", &changed(&text, &after.to_string()));
}

/// The lines that splitting changes.
fn splits(text: &str, isa: VectorIsa) -> String {
    let mut after = machine(text);
    split_masks::split_masks(&mut after, isa);
    changed(text, &after.to_string())
}

/// The lines that differ.
fn changed(before: &str, after: &str) -> String {
    let difference = difference(before, after);
    difference.lines().filter(|line| !line.starts_with(' ')).map(|line| format!("{line}\n")).collect()
}

const LOOP: &str = "b0:
  g0 = Mov_r32_rm32 [context]
  jump b1(g0)
b1(g1) depth 1:
  v2 = EVEX_Vpbroadcastd_zmm_k1z_r32 g1
  v3 = EVEX_Vbroadcastss_zmm_k1z_xmmm32 [context + 8]
  jump b2(v2)
b2(v4) depth 2:
  v5 = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 v4, v3
  v6 = EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 v5, v3
  v11 = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 v6, v5
  v12 = EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 v11, v6
  v13 = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 v12, v11
  v7 = EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 v13, v12
  k8 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v7, v2, 1
  VEX_Kortestw_kr_kr k8, k8
  if NotEqual b2(v7) else b3
b3 depth 1:
  g9 = Mov_r64_rm64 [context + 120]
  EVEX_Vmovups_zmmm512_k1z_zmm [g9 + g1*4], v7
  jump b4
b4 depth 1:
  g10 = tied Add_rm32_imm32 g1, 16
  Cmp_r32_rm32 g10, [context + 4]
  if Below b1(g10) else b5
b5:
  exit
";

/// A loop that counts twice for a mask from outside of it, and once for one of its own: the former is calculated in front of it.
#[test]
fn counts() {
    for (isa, compare, test) in [
        (VectorIsa::Avx512, "k2 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8", "VEX_Kortestw_kr_kr k6, k6"),
        (VectorIsa::Avx2, "v2 = VEX_Vpcmpgtd_ymm_ymm_ymmm256", "VEX_Vptest_ymm_ymmm256 v6, v6"),
    ] {
        let outer = compare.split(' ').next().unwrap();
        let inner = outer.replace('2', "6");
        let again = compare.replace(outer, &inner);
        let text = format!(
            "b0:\n  v0 = {} [context]\n  {compare} v0, v0{}\n  jump b1(v0)\nb1(v3) depth 1:\n  count 3 {outer}\n  \
             v4 = {} v3, v0\n  count 5 {outer}\n  {again} v4, v0{}\n  count 7 {inner}\n  {test}\n  if NotEqual b1(v4) else b2\nb2:\n  \
             count 9 {outer}\n  exit\n",
            if isa == VectorIsa::Avx512 { "EVEX_Vmovups_zmm_k1z_zmmm512" } else { "VEX_Vmovups_ymm_ymmm256" },
            if isa == VectorIsa::Avx512 { ", 1" } else { "" },
            if isa == VectorIsa::Avx512 { "EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32" } else { "VEX_Vpaddd_ymm_ymm_ymmm256" },
            if isa == VectorIsa::Avx512 { ", 1" } else { "" },
        );
        let mut after: MachineFunction = text.parse().unwrap_or_else(|error| panic!("{error}"));
        counts::count_in_front(&mut after, isa);
        assert_text(&format!("counts-{}", isa.name()), &difference(&text, &after.to_string()));
        let twice = after.to_string();
        counts::count_in_front(&mut after, isa);
        assert_eq!(after.to_string(), twice);
    }
}

/// Each pass of the loop waits for two sums of four cycles and a quotient of eighteen of the pass before it; what comes of a counter does not wait.
#[test]
fn chains() {
    let text = "b0:
  v0 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]
  jump b1(v0, v0, v0)
b1(v1, v2, v3) depth 1:
  v4 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v1, v0
  v5 = EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er v4, v0
  v6 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v5, v2
  v7 = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 v3, v0
  v8 = EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er v7
  v9 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v8, v6
  k10 = EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 v9, v0, 1
  VEX_Kortestw_kr_kr k10, k10
  if NotEqual b1(v6, v9, v7) else b2
b2:
  exit
";
    // From the first parameter and back, as from the second one by way of the first, in two passes: the longer of the two counts.
    let cycles = recurrence_latency::waiting(&machine(text), VectorIsa::Avx512) / 8.0;
    assert!((26.0..27.0).contains(&cycles), "{cycles}");
}

#[test]
fn interleaving() {
    let before = machine(LOOP);
    assert!(interleave::is_worth(&before), "the loop waits for itself");
    let after = interleave::interleaved(
        &before,
        VectorIsa::Avx512,
        interleave::Neighbours { axis: Axis::X, groups: 2, apart: 16 },
    )
    .expect("branches look at masks");
    assert_text("interleaving", &difference(LOOP, &after.to_string()));
}

/// Three channels side by side, with a product of the first one that is read at its end.
const CHANNELS: &str = "b0:
  g0 = Mov_r64_rm64 [context + 120]
  v1 = EVEX_Vbroadcastss_zmm_k1z_xmmm32 [g0]
  v2 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]
  v3 = EVEX_Vmovups_zmm_k1z_zmmm512 [context + 64]
  v4 = EVEX_Vmovups_zmm_k1z_zmmm512 [context + 128]
  v5 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v2, v2
  v6 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v3, v3
  v7 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v4, v4
  v8 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v5, v5
  v9 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v5, v1
  v10 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v6, v1
  v11 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v7, v1
  v12 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v9, v9
  v13 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v12, v8
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 192], v13
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 256], v10
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 320], v11
  exit
";

/// Two channels take turns, and the third follows; what is loaded comes when it is read, and so does the product.
#[test]
fn scheduling() {
    assert_text("scheduling", &difference(CHANNELS, &scheduling::in_chains(&machine(CHANNELS)).to_string()));
}

/// What an address is made of may come early with what is loaded from there; who reads it besides is not forgotten.
#[test]
fn scheduling_of_addresses() {
    let text = "b0:
  v0 = EVEX_Vmovups_zmm_k1z_zmmm512 [context]
  v1 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v0, v0
  v2 = EVEX_Vmovups_zmm_k1z_zmmm512 [context + 64]
  v3 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v2, v2
  v4 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v3, v3
  g5 = EVEX_Vmovd_rm32_xmm v4
  v6 = EVEX_Vmovups_zmm_k1z_zmmm512 [g5]
  v7 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v1, v6
  v8 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v4, v4
  v9 = EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er v0, v0
  jump b1(v7, v8, v9)
b1(v10, v11, v12):
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 128], v10
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 192], v11
  EVEX_Vmovups_zmmm512_k1z_zmm [context + 256], v12
  exit
";
    assert_text("addresses", &difference(text, &scheduling::in_chains(&machine(text)).to_string()));
}

/// What is loaded comes when it is read, if that is somewhere else.
#[test]
fn late_loads() {
    let late = scheduling::late(&machine(CHANNELS)).expect("nothing is read at once");
    assert_text("late-loads", &difference(CHANNELS, &late.to_string()));
    assert!(scheduling::late(&late).is_none(), "everything is read at once");
}

/// Where allocation puts the registers of the loop, of which there are few.
#[test]
fn allocation() {
    let machine = machine(LOOP);
    let registers = Registers { vector: &[0, 1], mask: &[1], general: &[3, 5] };
    let Allocation { locations, slots, .. } = allocate(&machine, &registers);
    let mut text = String::new();
    for (number, location) in (0..).zip(locations) {
        let location = match location {
            Location::Register(register) => format!("register {register}"),
            Location::Slot(slot) => format!("slot {slot}"),
            Location::Nowhere => "nowhere".to_owned(),
        };
        writeln!(text, "{}: {location}", Text(&machine, Reg::new(number))).unwrap();
    }
    writeln!(text, "slots of vectors, masks, general registers: {slots:?}").unwrap();
    assert_text("allocation", &text);
}
