//! Stores whose words are made of loaded words, each by the same operations, and stores that only look like it, against a
//! plain evaluator.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_codegen::x64::Jit;
use ctm_engine::{KernelSource, SurfaceLayout};
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, assume_covered, simplify};
use ctm_memory::{Bounds, Format, Tiling};

/// Instructions that only transpositions need.
const SHUFFLES: [&str; 6] = ["vpermt2ps", "vshuff32x4", "vunpck", "vinsertf128", "vshufps", "vpermpd"];

/// Operations from the words %a0.. and %b0.. of two surfaces to what is stored, %o0...; `#` is the number of the word.
const SAME_FOR_ALL: [(&str, &str); 12] = [
    ("copy", "%o# = xor %a#, %zero"),
    ("x1k's copy", "%s# = fadd.ftz %a#, %zero\n%o# = canon_nan 0x7fffffff, %s#"),
    ("scale", "%k# = table_splat t#, 2\n%s# = fmul.ftz.zx %a#, %k#\n%o# = canon_nan 0x7fffffff, %s#"),
    ("shift", "%k# = lane 0x3f#00000\n%s# = fma %a#, %k#, %uniform\n%o# = canon_nan 0x7fc00000, %s#"),
    ("saturate", "%k# = table_splat t1, #\n%s# = fma.ftz.zz %k#, %a#, %half\n%o# = clamp01.ftz %s#"),
    ("blend", "%d# = fsub.ftz %b#, %a#\n%s# = fma.ftz.zx %d#, %uniform, %a#\n%o# = canon_nan 0x7fffffff, %s#"),
    (
        "first NaN",
        "%k# = table_splat t#, 1\n%l# = neg %k#\n%m# = fma.ftz %l#, %a#, %b#\n%n# = canon_nan 0x7fc00000, %m#\n\
         %p# = pass_nan %n#, %b#\n%q# = pass_nan %p#, %a#\n%o# = pass_nan %q#, %l#",
    ),
    (
        "negated sum",
        "%l# = neg %b#\n%m# = fsub.ftz %a#, %b#\n%n# = canon_nan 0x7fc00000, %m#\n\
         %p# = pass_nan %n#, %l#\n%o# = pass_nan %p#, %a#",
    ),
    (
        "choice",
        "%m# = fcmp.olt.ftz %a#, %b#\n%s# = select %m#, %uniform, %b#\n%t# = fmin.ftz %s#, %a#\n%o# = fmax %t#, %half",
    ),
    ("power", "%s# = abs %a#\n%t# = ex2 %s#\n%o# = canon_nan 0x7fffffff, %t#"),
    ("modes", "%s# = fadd.ftz %a#, %b#\n%t# = fadd %s#, %half\n%o# = canon_nan 0x7fffffff, %t#"),
    (
        "uniform in registers",
        "%l# = table_splat t#, 1\n%k# = fmul.ftz %l#, %uniform\n%m# = fadd.ftz %row, %half\n%s# = fma.ftz %a#, %k#, %m#\n\
         %o# = canon_nan 0x7fffffff, %s#",
    ),
];

/// The same but for some words, or with conditions that are not met; and the way it then goes.
const NOT_QUITE: [(&str, &str, bool); 18] = [
    ("another order", "%o0 = abs %a3\n%o1 = abs %a2\n%o2 = abs %a0\n%o3 = abs %a1", true),
    ("a constant word", "%o0 = abs %a0\n%o1 = abs %a1\n%o2 = abs %a2\n%o3 = abs %half", true),
    ("a constant word in front", "%o0 = neg %half\n%o1 = neg %a0\n%o2 = neg %a1\n%o3 = neg %a2", true),
    (
        "a constant word and long operations",
        "%o0 = ex2 %a0\n%o1 = ex2 %a1\n%o2 = ex2 %a2\n%o3 = lane 0x3f800000",
        false,
    ),
    (
        "a factor of all words",
        "%o0 = fmul %a0, %a3\n%o1 = fmul %a1, %a3\n%o2 = fmul %a2, %a3\n%o3 = fmul %a3, %a3",
        true,
    ),
    (
        "operands in another order",
        "%k = table_splat t1, 0\n%o0 = fma.ftz %a0, %k, %b0\n%o1 = fma.ftz %k, %a1, %b1\n%o2 = fma.ftz %a2, %k, %b2\n\
         %o3 = fma.ftz %k, %a3, %b3",
        true,
    ),
    (
        "a difference in another order",
        "%o0 = fsub %a0, %half\n%o1 = fsub %half, %a1\n%o2 = fsub %a2, %half\n%o3 = fsub %a3, %half",
        false,
    ),
    ("another operation", "%o0 = abs %a0\n%o1 = abs %a1\n%o2 = neg %a2\n%o3 = abs %a3", false),
    (
        "another attribute",
        "%o0 = fadd %a0, %half\n%o1 = fadd.ftz %a1, %half\n%o2 = fadd %a2, %half\n%o3 = fadd %a3, %half",
        false,
    ),
    ("another surface", "%o0 = abs %a0\n%o1 = abs %b1\n%o2 = abs %a2\n%o3 = abs %a3", false),
    ("other operands", "%o0 = fadd %a0, %a0\n%o1 = fadd %a1, %a0\n%o2 = fadd %a2, %a2\n%o3 = fadd %a3, %a3", false),
    (
        "one sign",
        "%s0 = neg %uniform\n%o0 = fma %a0, %s0, %b0\n%o1 = fma %a1, %half, %b1\n%o2 = fma %a2, %half, %b2\n%o3 = fma %a3, %half, %b3",
        false,
    ),
    (
        "other constants for one constant",
        "%s0 = fmul.ftz %a0, %half\n%o0 = fadd.ftz %s0, %half\n%s1 = fmul.ftz %a1, %half\n%o1 = fadd.ftz %s1, %uniform\n\
         %s2 = fmul.ftz %a2, %half\n%o2 = fadd.ftz %s2, %half\n%s3 = fmul.ftz %a3, %half\n%o3 = fadd.ftz %s3, %half",
        false,
    ),
    (
        "a constant that is a NaN",
        "%k = lane 0x7fc00001\n%o0 = fmul.zx %a0, %half\n%o1 = fmul.zx %a1, %half\n%o2 = fmul.zx %a2, %half\n%o3 = fmul.zx %a3, %k",
        false,
    ),
    (
        "a constant that is a denormal",
        "%k = lane 0x00000001\n%o0 = fmin.ftz %half, %a0\n%o1 = fmin.ftz %half, %a1\n%o2 = fmin.ftz %k, %a2\n%o3 = fmin.ftz %half, %a3",
        false,
    ),
    ("a position", "%o0 = fadd %a0, %row\n%o1 = fadd %a1, %row\n%o2 = fadd %a2, %row\n%o3 = fadd %a3, %column", false),
    (
        "watched bits",
        "%s0 = fmul.ftz.zx %a0, %b0\n%t0 = canon_nan 0x7fffffff, %s0\n%o0 = xor %t0, %half\n\
         %s1 = fmul.ftz.zx %a1, %b1\n%t1 = canon_nan 0x7fffffff, %s1\n%o1 = xor %t1, %half\n\
         %s2 = fmul.ftz.zx %a2, %b2\n%t2 = canon_nan 0x7fffffff, %s2\n%o2 = xor %t2, %half\n\
         %s3 = fmul.ftz.zx %a3, %b3\n%t3 = canon_nan 0x7fffffff, %s3\n%o3 = xor %t3, %half",
        false,
    ),
    (
        "a root for all words",
        "%r = fsqrt.ftz %a3\n%o0 = fmul %a0, %r\n%o1 = fmul %a1, %r\n%o2 = fmul %a2, %r\n%o3 = fmul %a3, %r",
        false,
    ),
];

fn function(body: &str, end: &str) -> Function {
    let text = format!(
        "surface s0 whole\nsurface s1 whole\nsurface s2 whole\nsurface s3 whole\ntable t0 4\ntable t1 4\ntable t2 4\ntable t3 4\n\
         b0:\n%x = pos_x\n%y = pos_y\n%c = covered\n%one = lane 1\n%right = iadd %x, %one\n%column = utof %x\n%row = utof %y\n\
         %zero = lane 0\n%half = lane 0x3f000000\n%uniform = table_splat t0, 3\n\
         %a0, %a1, %a2, %a3 = surface_load s0, %x, %y, %c\n%b0, %b1, %b2, %b3 = surface_load s1, %right, %y, %c\n{body}\n{end}\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

const STORE: &str = "surface_store.rgba s2, %x, %y, %o0, %o1, %o2, %o3, %c\nreturn";

/// Surfaces s0 to s3.
fn pictures(format: Format) -> Vec<Bound> {
    surfaces(&[(format, Tiling::Linear, 64, 24, Bounds::Clamp); 4])
}

/// Compares memory and counts with the evaluator's; `interleaved_stores` says what the code has to look like.
fn check(backend: &Jit, name: &str, function: &Function, surfaces: &[Bound], interleaved_stores: bool) {
    let tables: Vec<Vec<u32>> =
        [[-1.5f32, 2.0, 13.25, 0.0], [0.5, f32::NAN, -0.0, 1e-40], [1e30, 0.0, 0.25, 3.0], [1.0; 4]]
            .map(|entries| entries.map(f32::to_bits).to_vec())
            .to_vec();
    let domain = Domain { i0: 1, j0: 0, i1: 62, j1: 23 };
    for data in Data::ALL {
        let (first, second) = (space(1, data), space(1, data));
        let setup = Setup { function, surfaces, tables: &tables, domain, budget: u64::MAX };
        let found = run_code(backend, setup, &second).unwrap_or_else(|| panic!("{name} is refused"));
        assert_eq!(found, run_plain(backend.lanes(), setup, &first));
        if let Some(difference) = difference(&first, &second) {
            panic!("{name}, {data:?}: {difference}\n{function}");
        }
    }
    let space = space(1, Data::Tame);
    let layouts: Vec<_> =
        surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
    let (mut general, mut interior) = (function.clone(), function.clone());
    assume_covered(&mut interior);
    for function in [&mut general, &mut interior] {
        simplify(function);
    }
    let source = KernelSource { function: &general, interior: &interior, surfaces: &layouts, may_stop: false };
    let text = backend.disassemble(&source, &Effort::default()).unwrap();
    let interior = text.split("general:").next().unwrap();
    let shuffles = SHUFFLES.iter().any(|shuffle| interior.contains(shuffle));
    assert_eq!(shuffles, !interleaved_stores, "{name}\n{function}\n{interior}");
}

fn for_each_word(body: &str) -> String {
    (0..4).map(|word| body.replace('#', &word.to_string()) + "\n").collect()
}

#[test]
fn same_operations() {
    for backend in &backends() {
        for (name, body) in SAME_FOR_ALL {
            let function = function(&for_each_word(body), STORE);
            for format in [Format::Float32_4, Format::Float32_2] {
                check(backend, name, &function, &pictures(format), true);
            }
        }
    }
}

#[test]
fn not_quite() {
    for backend in &backends() {
        for (name, body, interleaved_stores) in NOT_QUITE {
            let words = [0, 1, 2, 3].map(|word| format!("%z{word} = canon_nan 0x7fffffff, %o{word}"));
            let function = function(&format!("{body}\n{}", words.join("\n")), &STORE.replace("%o", "%z"));
            check(backend, name, &function, &pictures(Format::Float32_4), interleaved_stores);
        }
    }
}

/// Sums with elements of which only the code finds out whether they are in rows.
#[test]
fn likely_rows() {
    let load = |offset: &str| {
        let coordinates =
            format!("%off = table_splat {offset}\n%u = fadd.ftz %column, %off\n%i = float_to_index 64, %u\n");
        let load = "%j = float_to_index 24, %row\n%h0, %h1, %h2, %h3 = surface_load s1, %i, %j, %c\n";
        let sums = for_each_word("%s# = fma.ftz.zx %a#, %uniform, %h#\n%o# = canon_nan 0x7fffffff, %s#");
        function(&(coordinates + load + &sums), STORE)
    };
    for backend in &backends() {
        // Side by side, clamped on the left, and all at the first element.
        for offset in ["t2, 1", "t0, 0", "t1, 1"] {
            check(backend, offset, &load(offset), &pictures(Format::Float32_4), false);
            check(backend, offset, &load(offset), &pictures(Format::Float32_2), false);
        }
    }
}

/// The same sums, stored in other ways.
#[test]
fn other_stores() {
    let body = for_each_word("%s# = fadd %a#, %b#\n%o# = canon_nan 0x7fffffff, %s#");
    let sum = |end: &str| function(&body, end);
    let half = "%few = fcmp.olt.ftz %row, %column\n%m = mask_and %few, %c\n";
    for backend in &backends() {
        let pictures = pictures(Format::Float32_4);
        let twice = STORE.replace("return", &STORE.replace("s2", "s3"));
        check(backend, "twice", &sum(&twice), &pictures, false);
        check(backend, "some words", &sum(&STORE.replace("rgba", "rga")), &pictures, false);
        check(backend, "some lanes", &sum(&(half.to_owned() + &STORE.replace("%c", "%m"))), &pictures, false);
        check(backend, "in place", &sum(&STORE.replace("s2", "s0")), &pictures, true);
        let far = "%far = lane 4000\n%beyond = iadd %x, %far\n";
        check(backend, "nowhere", &sum(&(far.to_owned() + &STORE.replace("%x,", "%beyond,"))), &pictures, false);
        let mut mixed = pictures.clone();
        mixed[1].0.format = Format::Float32_2;
        check(backend, "two formats", &sum(STORE), &mixed, false);
        // The same words elsewhere, in smaller elements, or only some of them.
        let copy = for_each_word("%o# = xor %a#, %zero");
        let mut mixed = pictures.clone();
        mixed[3].0.format = Format::Float32_1;
        for (what, other, interleaved_stores) in
            [("s2", "s3", false), (".rgba", ".ga", false), ("%x,", "%right,", true), ("%c", "%m", false)]
        {
            let other = STORE.replace(what, other);
            for end in [STORE.replace("return", &other), other.replace("return", STORE)] {
                let function = function(&copy, &(half.to_owned() + &end));
                check(backend, "a copy and another", &function, &mixed, interleaved_stores);
            }
        }
        // What runs again must not read what it has written.
        let scale =
            for_each_word("%s# = fmul.ftz.zx %a#, %b#\n%u# = fadd.ftz %s#, %half\n%o# = canon_nan 0x7fffffff, %u#");
        let mut shared = pictures.clone();
        shared[2].0.base = shared[0].0.base;
        check(backend, "the same memory", &function(&scale, STORE), &shared, true);
        // A row that a rule about NaNs chooses: 5, and never that of a NaN.
        let chosen = "%big = table_splat t2, 0\n%none = table_splat t2, 1\n%huge = fmul.ftz %big, %big\n\
            %no = fmul.ftz.zx %huge, %none\n%five = lane 0x40a00000\n%at = fadd.ftz %no, %five\n%row5 = float_to_index 24, %at\n";
        let end = chosen.to_owned() + &STORE.replace("%y", "%row5");
        let copied = function(&copy, &end);
        check(backend, "a chosen row", &copied, &pictures, false);
        let before = STORE.replace("return", "").replace("s2", "s1").replace("%o", "%a");
        let function = function(&format!("{before}{body}"), STORE);
        check(backend, "after another store", &function, &pictures, true);
    }
}

/// Sums over the rows of a surface, or over something else: the words go through parameters of blocks.
#[test]
fn sums_in_loops() {
    let sum = |start: &str, factors: [&str; 4], end: &str| {
        let products: Vec<String> =
            (0..4).map(|word| format!("%n{word} = fma.ftz.zx {}, %h{word}, %s{word}\n", factors[word])).collect();
        let body = format!(
            "%k = uniform 0\n%last = uniform 5\n%next = uniform 1\n%true = mask true\njump b1({start}, %k, %zero)\n\
             b1(%s0: lane, %s1: lane, %s2: lane, %s3: lane, %pass: uniform, %at: lane):\n%j = float_to_index 24, %at\n\
             %g0, %g1, %g2, %g3 = surface_load s0, %j, %y, %true\n%h0, %h1, %h2, %h3 = surface_load s1, %x, %j, %true\n{}\
             %later = fadd.ftz %at, %half\n%count = uniform_add %pass, %next\n\
             if.slt %count, %last, b1(%n0, %n1, %n2, %n3, %count, %later), b2({end})\n\
             b2(%e0: lane, %e1: lane, %e2: lane, %e3: lane):\n{}",
            products.concat(),
            for_each_word("%o# = canon_nan 0x7fffffff, %e#"),
        );
        function(&body, STORE)
    };
    let (zeros, in_order, rotated) = ("%zero, %zero, %zero, %zero", "%n0, %n1, %n2, %n3", "%n1, %n2, %n3, %n0");
    for backend in &backends() {
        let cases = [
            ("a factor for each row", zeros, ["%g1"; 4], in_order, true),
            ("a start of its own for each word", "%a0, %a1, %a2, %a3", ["%uniform"; 4], in_order, true),
            ("a factor for each word", zeros, ["%g0", "%g1", "%g2", "%g3"], in_order, true),
            ("another order at the end", zeros, ["%g1"; 4], rotated, true),
            ("a factor for each lane", zeros, ["%b1"; 4], in_order, true),
            ("a start that varies", "%a1, %a1, %a2, %a3", ["%uniform"; 4], in_order, true),
            ("a word twice", zeros, ["%g1"; 4], "%n0, %n0, %n2, %n3", false),
        ];
        for (name, start, factors, end, interleaved_stores) in cases {
            check(backend, name, &sum(start, factors, end), &pictures(Format::Float32_4), interleaved_stores);
        }
    }
}
