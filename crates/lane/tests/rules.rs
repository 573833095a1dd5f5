//! Each rule of an operation: what a few instructions become, beside instructions that say the same in the simplest form.

use crate::support::evaluate::{LANES, Run};
use ctm_lane::{Function, Type, simplify, verify};
use std::collections::HashMap;

/// What all cases may use: unknown lanes, masks and uniforms, a number in [0, 1], and constants.
const GIVEN: &str = "\
x = pos_x
all = covered
a, b, c, d = surface_load s0, x, x, all
u, u2, u3, u4 = surface_load s1, x, x, all
k = fcmp.oeq a, d
m = fcmp.olt a, b
n = fcmp.olt c, d
zero = lane 0
mzero = lane 0x80000000
one = lane 0x3f800000
two = lane 0x40000000
hundred = lane 0x42c80000
tiny = lane 0x00800000
inf = lane 0x7f800000
ones = lane 0xffffffff
i1 = lane 1
i5 = lane 5
i7 = lane 7
true = mask true
false = mask false
U = table_uniform t0, 3
V = table_uniform t0, 4
u0 = uniform 0
u1 = uniform 1
um1 = uniform -1
s = splat U
";

/// A function of lines with names for values; what the last line makes is stored.
fn function(lines: &str) -> Function {
    let mut numbers: HashMap<String, String> = HashMap::new();
    let mut text = String::from(
        "surface s0\nsurface s1 unit whole\nsurface s2\ntable t0 16\ntable t1 16 finite\narray a0 4 lane\nb0:\n",
    );
    let lines: Vec<&str> = lines.split("; ").collect();
    let mut last = String::new();
    for line in GIVEN.lines().chain(lines) {
        // A name alone is what is stored.
        let (results, code) = match line.split_once(" = ") {
            Some((results, code)) => (results, code),
            None if line.contains(' ') => ("", line),
            None => {
                last = numbers[line].clone();
                continue;
            }
        };
        let code = code.split_inclusive([' ', ',']).map(|word| {
            let name = word.trim_end_matches([' ', ',']);
            word.replacen(name, numbers.get(name).map_or(name, String::as_str), usize::from(!name.is_empty()))
        });
        let code: String = code.collect();
        let mut left = Vec::new();
        for name in results.split(", ").filter(|name| !name.is_empty()) {
            last = format!("%{}", numbers.len());
            numbers.insert(name.to_owned(), last.clone());
            left.push(last.clone());
        }
        text += &if left.is_empty() { format!("{code}\n") } else { format!("{} = {code}\n", left.join(", ")) };
    }
    let parse = |text: &str| -> Function { text.parse().unwrap_or_else(|error| panic!("{error}\n{text}")) };
    let made = parse(&format!("{text}return"));
    let value = ctm_lane::Value(last[1..].parse().unwrap());
    let (next, number) = (numbers.len(), |name: &str| numbers[name].clone());
    let (result, x, all) = (last, number("x"), number("all"));
    let lane = match made.value_type(value) {
        Type::Lane => result,
        Type::Mask => {
            text += &format!("%{next} = select {result}, {}, {}\n", number("c"), number("d"));
            format!("%{next}")
        }
        Type::Uniform => {
            text += &format!("%{next} = splat {result}\n");
            format!("%{next}")
        }
    };
    // The masks have another use, so that no rule turns the comparison around that makes one.
    let [stored, k, m, n] = [1, 2, 3, 4].map(|more| format!("%{}", next + more));
    text += &format!("{stored} = canon_nan 0x7fffffff, {lane}\n");
    for (choice, mask) in [(&k, "k"), (&m, "m"), (&n, "n")] {
        text += &format!("{choice} = select {}, {x}, {}\n", number(mask), number("zero"));
    }
    let store = format!("surface_store.rgba s2, {x}, {x}, {stored}, {k}, {m}, {n}, {all}\nreturn");
    let function = parse(&format!("{text}{store}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    function
}

/// The function simplified, in which nothing that can be seen has changed.
#[track_caller]
fn simplified(lines: &str) -> String {
    let mut function = function(lines);
    let before: Vec<_> = (0..4).map(|seed| Run::new(&function, seed, [true; LANES], 0x7FC0_0000).run()).collect();
    simplify(&mut function);
    let after: Vec<_> = (0..4).map(|seed| Run::new(&function, seed, [true; LANES], 0xFFC0_0000).run()).collect();
    assert!(before == after, "{lines}\n{function}");
    function.to_string()
}

#[track_caller]
fn become_simple(cases: &[(&str, &str)]) {
    for (lines, simple) in cases {
        assert_eq!(simplified(lines), simplified(simple), "{lines}");
    }
}

/// These stay, as something tells them from what is simpler.
#[track_caller]
fn stay(cases: &[(&str, &str)]) {
    for (lines, operation) in cases {
        let text = simplified(lines);
        assert!(text.contains(&format!(" {operation} ")), "{lines} lost {operation}\n{text}");
    }
}

#[test]
fn sums_and_products() {
    become_simple(&[
        ("r = fadd a, mzero", "a"),
        ("r = fadd mzero, a", "a"),
        ("r = fadd.ftz u, mzero", "u"),
        ("r = fsub a, zero", "a"),
        ("p = neg b; r = fsub a, p", "r = fadd a, b"),
        ("p = neg b; r = fadd a, p", "r = fsub a, b"),
        ("p = neg a; r = fadd p, b", "r = fsub b, a"),
        ("r = fmul a, one", "a"),
        ("r = fmul.zx a, one", "a"),
        ("p = neg a; q = neg b; r = fmul p, q", "r = fmul a, b"),
        ("p = neg a; q = neg b; r = fma p, q, c", "r = fma a, b, c"),
        ("r = fma a, one, c", "r = fadd a, c"),
        ("r = fma one, a, c", "r = fadd a, c"),
        ("r = fma zero, zero, c", "r = fadd c, zero"),
        ("r = fma a, b, mzero", "r = fmul a, b"),
        ("r = fma a, a, zero", "r = fmul a, a"),
        ("r = fmul.zx u, u2", "r = fmul u, u2"),
        ("r = fma.zx u, u2, a", "r = fma u, u2, a"),
        ("r = fadd_rounded a, b", "r = fadd a, b"),
        ("r = fmul_rounded a, b", "r = fmul a, b"),
        ("r = fma_rounded a, b, c", "r = fma a, b, c"),
        ("r = fma b, a, c", "r = fma a, b, c"),
        ("r = fmul one, a", "a"),
    ]);
    stay(&[
        ("r = fadd.ftz a, mzero", "fadd.ftz"),
        ("r = fadd a, zero", "fadd"),
        ("r = fmul.zz a, one", "fmul.zz"),
        ("r = fma.zz a, one, c", "fma.zz"),
        ("r = fmul.zx a, b", "fmul.zx"),
        ("r = fma.zx a, b, c", "fma.zx"),
        ("r = fma a, b, zero", "fma"),
        ("r = fadd_rounded.up a, b", "fadd_rounded.up"),
    ]);
}

/// Adding +0 changes -0 only, so it goes where that cannot be, or is not seen.
#[test]
fn sums_with_zero() {
    become_simple(&[
        ("p = abs a; r = fadd p, zero", "r = abs a"),
        ("p = itof a; r = fadd p, zero", "r = itof a"),
        ("p = frc a; q = canon_nan 0x7fffffff, p; r = fadd q, zero", "r = frc a"),
        ("p = fmul a, a; r = fadd p, zero", "r = fmul a, a"),
        ("p = fadd u, one; r = fadd p, zero", "r = fadd u, one"),
        ("p = abs a; q = abs b; t = fadd p, q; r = fadd t, zero", "p = abs a; q = abs b; r = fadd p, q"),
        ("p = abs a; q = fadd p, u; r = fadd q, zero", "p = abs a; r = fadd p, u"),
        ("p = abs a; q = fadd p, two; r = fadd q, zero", "p = abs a; r = fadd p, two"),
        ("p = fadd u, zero; r = fadd p, zero", "r = fadd u, zero"),
        ("p = fadd a, zero; r = abs p", "r = abs a"),
        ("p = fadd a, zero; r = ftoi p", "r = ftoi a"),
        ("p = fadd a, zero; r = fcmp.olt p, b", "r = fcmp.olt a, b"),
        ("p = fadd a, zero; q = abs b; r = fadd p, q", "q = abs b; r = fadd a, q"),
        ("p = fadd a, zero; r = fadd p, two", "r = fadd a, two"),
        ("p = fadd a, zero; q = fmul b, b; r = fadd p, q", "q = fmul b, b; r = fadd a, q"),
        ("p = fadd a, zero; q = fadd u, one; r = fadd p, q", "q = fadd u, one; r = fadd a, q"),
        ("p = fadd a, zero; r = fma b, b, p", "r = fma b, b, a"),
        ("p = fma a, b, zero; r = abs p", "p = fmul a, b; r = abs p"),
    ]);
    stay(&[
        ("p = abs a; q = fadd p, b; r = fadd q, zero", "fadd"),
        ("p = fmul a, b; r = fadd p, zero", "fadd"),
        ("p = fadd u, u2; q = fmul p, c; r = fadd q, zero", "fadd"),
        ("p = fma a, b, zero; r = fadd p, c", "fma"),
        ("p = fma a, b, zero; r = fadd p, u", "fma"),
        ("p = fma a, b, zero; q = fmul c, d; r = fadd p, q", "fma"),
        ("p = fma a, b, zero; r = fadd p, mzero", "fma"),
        ("p = fma a, b, zero; r = fma c, d, p", "fma"),
        ("p = fma a, b, zero; r = neg p", "fma"),
        ("p = fma a, b, zero; r = select m, p, c", "fma"),
        ("p = fma a, b, zero; r = fdiv c, p", "fma"),
    ]);
}

#[test]
fn comparisons() {
    become_simple(&[
        ("p = fsub a, hundred; r = fcmp.olt p, zero", "r = fcmp.olt a, hundred"),
        ("p = fsub hundred, a; r = fcmp.oge p, mzero", "r = fcmp.oge hundred, a"),
        ("r = fcmp.olt u, zero", "false"),
        ("r = fcmp.ogt u, one", "false"),
        ("r = fcmp.oge u, zero", "true"),
        ("r = fcmp.ule u, one", "true"),
        ("r = fcmp.oeq u, two", "false"),
        ("r = fcmp.ord u, u2", "true"),
        ("r = fcmp.ogt one, a", "r = fcmp.olt a, one"),
        ("r = icmp.ule a, a", "true"),
        ("r = icmp.slt a, a", "false"),
        ("r = icmp.ult i5, a", "r = icmp.ugt a, i5"),
        ("r = icmp.eq u, two", "false"),
        ("r = icmp.ne u, two", "true"),
    ]);
    stay(&[
        ("p = fsub a, inf; r = fcmp.olt p, zero", "fsub"),
        ("p = fsub a, b; r = fcmp.olt p, zero", "fsub"),
        ("p = fsub.ftz a, tiny; r = fcmp.olt.ftz p, zero", "fsub.ftz"),
        ("p = fsub a, hundred; r = fcmp.olt p, one", "fsub"),
        ("r = fcmp.ogt u, zero", "fcmp.ogt"),
        ("r = fcmp.olt u, one", "fcmp.olt"),
        ("r = icmp.eq u, one", "icmp.eq"),
        ("r = icmp.eq u, i1", "icmp.eq"),
    ]);
}

#[test]
fn choices_and_signs() {
    become_simple(&[
        ("r = fmin a, a", "a"),
        ("r = fmax a, a", "a"),
        ("r = smin a, a", "a"),
        ("r = umax a, a", "a"),
        ("r = select m, a, a", "a"),
        ("p = mask_not m; r = select p, a, b", "r = select m, b, a"),
        ("r = select true, a, b", "a"),
        ("r = select false, a, b", "b"),
        ("p = clamp01 a; r = clamp01 p", "r = clamp01 a"),
        ("p = neg a; r = neg p", "a"),
        ("p = abs a; r = neg p", "r = nabs a"),
        ("p = nabs a; r = neg p", "r = abs a"),
        ("p = neg a; r = abs p", "r = abs a"),
        ("p = nabs a; r = abs p", "r = abs a"),
        ("p = abs a; r = nabs p", "r = nabs a"),
        ("p = table_splat t0, 3; r = quad.1032 p", "r = table_splat t0, 3"),
        ("r = quad.1032 two", "two"),
        ("p = mask_and m, n; q = select n, a, b; r = select p, q, c", "p = mask_and m, n; r = select p, a, c"),
        ("p = mask_andnot m, n; q = select n, a, b; r = select p, q, c", "p = mask_andnot m, n; r = select p, b, c"),
        ("p = mask_and m, n; q = select p, a, b; r = select n, c, q", "r = select n, c, b"),
    ]);
    stay(&[
        ("p = clamp01 a; r = clamp01.ftz p", "clamp01.ftz"),
        ("r = quad.1032 a", "quad.1032"),
        ("r = fmin a, b", "fmin"),
    ]);
}

/// Guests without masks keep the results of tests as numbers.
#[test]
fn choices_between_constants() {
    become_simple(&[
        ("p = select m, ones, zero; q = iadd a, b; r = and p, q", "q = iadd a, b; r = select m, q, zero"),
        ("p = select m, zero, ones; q = iadd a, b; r = and p, q", "q = iadd a, b; r = select m, zero, q"),
        ("p = select m, i5, i7; r = icmp.eq p, i5", "m"),
        ("p = select m, i5, i7; r = icmp.ne p, i5", "r = mask_not m"),
        ("p = select m, i5, i7; r = icmp.eq p, i1", "false"),
        ("p = select m, i5, i7; r = icmp.ne p, i1", "true"),
        ("p = select m, i1, zero; r = and p, i1", "r = select m, i1, zero"),
        ("p = select m, i1, zero; r = xor p, i1", "r = select m, zero, i1"),
    ]);
    stay(&[("p = select m, i5, i7; r = iadd p, i1", "iadd"), ("p = select m, i5, a; r = icmp.eq p, i5", "icmp.eq")]);
}

#[test]
fn integers() {
    become_simple(&[
        ("r = imul a, i1", "a"),
        ("r = and a, ones", "a"),
        ("r = imul a, zero", "zero"),
        ("r = and a, zero", "zero"),
        ("r = and a, a", "a"),
        ("r = or a, a", "a"),
        ("r = isub a, a", "zero"),
        ("r = xor a, a", "zero"),
        ("r = iadd a, zero", "a"),
        ("r = shr a, zero", "a"),
        ("r = float_to_index 1, a", "zero"),
        ("r = float_to_index 0, a", "zero"),
        ("r = uniform_mul U, u1", "U"),
        ("r = uniform_and U, um1", "U"),
        ("r = uniform_mul U, u0", "u0"),
        ("r = uniform_and U, u0", "u0"),
        ("r = uniform_and U, U", "U"),
        ("r = uniform_add U, u0", "U"),
        ("r = uniform_sub U, u0", "U"),
        ("r = iadd i1, a", "r = iadd a, i1"),
    ]);
    stay(&[
        ("r = float_to_index 2, a", "float_to_index"),
        ("r = isub a, b", "isub"),
        ("r = and a, i1", "and"),
        ("r = shl i1, a", "shl"),
    ]);
}

#[test]
fn masks() {
    become_simple(&[
        ("p = mask_not m; r = mask_not p", "m"),
        ("p = fcmp.ogt a, c; r = mask_not p", "r = fcmp.ule a, c"),
        ("p = icmp.slt a, c; r = mask_not p", "r = icmp.sge a, c"),
        ("p = mask_not n; r = mask_and m, p", "r = mask_andnot m, n"),
        ("p = mask_not m; r = mask_and p, n", "r = mask_andnot n, m"),
        ("p = mask_not n; r = mask_andnot m, p", "r = mask_and m, n"),
        ("r = mask_andnot true, m", "r = mask_not m"),
        ("r = mask_and m, m", "m"),
        ("r = mask_andnot m, m", "false"),
        ("p = mask_not m; r = mask_and m, p", "false"),
        ("p = mask_andnot m, n; r = mask_andnot m, p", "r = mask_and m, n"),
        ("p = mask_and m, n; r = mask_andnot m, p", "r = mask_andnot m, n"),
        ("p = mask_and m, n; r = mask_andnot n, p", "r = mask_andnot n, m"),
        ("p = mask_and m, n; r = mask_or m, p", "m"),
        ("p = mask_and m, n; r = mask_or p, n", "n"),
        ("p = mask_and m, n; q = mask_andnot m, n; r = mask_or p, q", "m"),
        ("p = mask_andnot n, m; q = mask_and m, n; r = mask_or p, q", "n"),
        ("r = mask_xor m, true", "r = mask_not m"),
        ("r = mask_xor m, false", "m"),
        ("r = mask_xor m, m", "false"),
        ("r = mask_select m, true, n", "r = mask_or m, n"),
        ("r = mask_select m, false, n", "r = mask_andnot n, m"),
        ("r = mask_select m, n, false", "r = mask_and m, n"),
        ("p = mask_and m, n; r = mask_select m, p, k", "r = mask_select m, n, k"),
        ("p = mask_and m, n; r = mask_select n, p, k", "r = mask_select n, m, k"),
        ("r = mask_select m, n, n", "n"),
        ("p = mask_not m; r = mask_select p, n, k", "r = mask_select m, k, n"),
    ]);
    // Two select by a mask and its complement: the comparison is there anyway.
    let twice = |test: &str| format!("p = {test} a, c; q = mask_not p; r = mask_select n, p, q");
    stay(&[(&twice("fcmp.olt"), "mask_not"), (&twice("icmp.slt"), "mask_not")]);
    stay(&[
        ("p = mask_and k, n; r = mask_andnot m, p", "mask_and"),
        ("p = mask_andnot k, n; r = mask_andnot m, p", "mask_andnot"),
        ("p = mask_and m, n; q = mask_andnot k, n; r = mask_or p, q", "mask_or"),
        ("p = mask_and k, n; r = mask_select m, p, n", "mask_and"),
    ]);
}

#[test]
fn tables_and_arrays() {
    become_simple(&[
        ("r = table_gather t0, i5", "r = table_splat t0, 5"),
        ("p = lane 21; r = table_gather t0, p", "r = table_splat t0, 5"),
        ("p = uniform 21; r = table_at t0, p", "r = table_splat t0, 5"),
        ("r = table_gather t0, s", "r = table_at t0, U"),
        ("r = array_gather a0, s", "r = array_read a0, U"),
        ("array_scatter a0, s, a, m; r = array_read a0, V", "array_write a0, U, a, m; r = array_read a0, V"),
        ("array_write a0, U, a, false; r = array_read a0, V", "r = array_read a0, V"),
        ("r = surface_test.lt s0, x, x, a, false", "false"),
        ("p, q, r, t = surface_load s0, x, x, false; r2 = iadd p, q", "zero"),
        (
            "surface_store.rb s0, x, x, a, b, c, d, all; r = fadd a, b",
            "surface_store.rb s0, x, x, a, a, c, a, all; r = fadd a, b",
        ),
        (
            "surface_store.g s0, x, x, a, b, c, d, all; r = fadd a, b",
            "surface_store.g s0, x, x, b, b, b, b, all; r = fadd a, b",
        ),
    ]);
    stay(&[
        ("r = table_gather t0, a", "table_gather"),
        ("r = array_gather a0, a", "array_gather"),
        ("surface_store.g s0, x, x, a, b, c, d, true; r = fadd a, b", "surface_store.g"),
    ]);
}

/// A mask that another one holds is all that both have, and one that it is apart from takes nothing away.
#[test]
fn masks_inside_and_beside_each_other() {
    become_simple(&[
        ("p = mask_andnot m, n; r = mask_and p, m", "r = mask_andnot m, n"),
        (
            "p = mask_and m, n; q = mask_and m, k; t = mask_or p, q; r = mask_and t, m",
            "p = mask_and m, n; q = mask_and m, k; r = mask_or p, q",
        ),
        (
            "p = mask_and m, n; q = mask_andnot m, n; t = mask_select k, q, p; r = mask_and t, m",
            "p = mask_and m, n; q = mask_andnot m, n; r = mask_select k, q, p",
        ),
        ("t = surface_test.lt s0, x, x, a, m; r = mask_and t, m", "r = surface_test.lt s0, x, x, a, m"),
        (
            "p = mask_and m, n; q = mask_and p, k; t = mask_and m, k; r = mask_and q, t",
            "p = mask_and m, n; r = mask_and p, k",
        ),
        (
            "p = mask_and m, k; q = mask_andnot p, n; t = mask_andnot m, n; r = mask_and q, t",
            "p = mask_and m, k; r = mask_andnot p, n",
        ),
        ("p = mask_and m, n; q = mask_or m, k; r = mask_and p, q", "r = mask_and m, n"),
        ("p = mask_and m, n; q = mask_or k, n; r = mask_and p, q", "r = mask_and m, n"),
        ("p = mask_andnot m, n; q = mask_not n; r = mask_and p, q", "r = mask_andnot m, n"),
        ("p = mask_andnot m, n; q = mask_and p, k; r = mask_andnot q, n", "p = mask_andnot m, n; r = mask_and p, k"),
        ("p = mask_andnot m, n; q = mask_and k, p; r = mask_andnot q, n", "p = mask_andnot m, n; r = mask_and k, p"),
        (
            "p = mask_andnot m, n; q = mask_andnot k, n; t = mask_or p, q; r = mask_andnot t, n",
            "p = mask_andnot m, n; q = mask_andnot k, n; r = mask_or p, q",
        ),
        ("p = mask_andnot m, n; q = mask_and p, k; r = mask_and q, n", "false"),
        ("p = mask_or m, n; q = mask_not p; r = mask_and q, m", "false"),
    ]);
    stay(&[
        ("p = mask_and m, n; q = mask_or p, k; r = mask_and q, m", "mask_or"),
        ("p = mask_andnot m, n; q = mask_select k, n, p; r = mask_and q, m", "mask_select"),
        ("p = mask_and m, n; q = mask_and m, k; r = mask_and p, q", "mask_and"),
        ("p = mask_andnot m, n; q = mask_or p, k; r = mask_andnot q, n", "mask_andnot"),
        ("p = mask_and m, k; q = mask_andnot n, k; t = mask_and p, n; r = mask_andnot t, q", "mask_and"),
    ]);
}

/// What only computes with an operand needs neither its NaN bits nor denormals that it flushes.
#[test]
fn operands_need_no_preparation() {
    become_simple(&[
        ("p = fadd u, u2; r = canon_nan 0x7fffffff, p", "r = fadd u, u2"),
        ("p = fadd a, b; r = pass_nan p, u", "r = fadd a, b"),
        ("p = fadd u, u2; r = pass_nan p, a", "r = fadd u, u2"),
        ("p = fadd a, b; q = canon_nan 0x7fffffff, p; r = fmul q, c", "p = fadd a, b; r = fmul p, c"),
        ("p = fadd a, b; q = pass_nan p, a; r = fmul q, c", "p = fadd a, b; r = fmul p, c"),
        ("p = fadd a, b; q = canon_nan 0x7fffffff, p; r = ftoi q", "p = fadd a, b; r = ftoi p"),
        ("p = fadd a, b; q = canon_nan 0x7fffffff, p; r = fcmp.olt q, c", "p = fadd a, b; r = fcmp.olt p, c"),
    ]);
    for operation in [
        "frc a",
        "ex2 a",
        "ln2 a",
        "sin a",
        "cos a",
        "ftoi a",
        "ftou a",
        "float_to_index 64, a",
        "float_to_coordinate a",
        "fadd.ftz a, b",
        "fsub.ftz a, b",
        "fmul.ftz a, b",
        "fdiv.ftz a, b",
        "fsqrt.ftz a",
        "fround.floor.ftz a",
        "clamp01.ftz a",
        "fcmp.olt.ftz a, b",
        "fma.ftz a, b, c",
    ] {
        let flushed = operation.replacen(" a", " p", 1).replacen(", a", ", p", 1);
        let lines = format!("p = fmul.ftz a, one; r = {flushed}");
        let simple = format!("r = {operation}");
        become_simple(&[(&lines, &simple)]);
    }
    stay(&[
        ("p = fmul.ftz a, one; r = fadd p, b", "fmul.ftz"),
        ("p = fmul.ftz.zz a, one; r = frc p", "fmul.ftz.zz"),
        ("p = fadd a, b; q = canon_nan 0x7fffffff, p; r = iadd q, c", "canon_nan"),
    ]);
}
