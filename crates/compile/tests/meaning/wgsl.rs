//! Bodies of WGSL.

use super::Case;

/// What they mean.
pub const CASES: &[Case] = &[
    (
        "private variables",
        "const a = 2.0; var<private> g: f32 = a * 3.0 + 1.0; var<private> h = vec2f(a, 1.0) * 2.0; var<private> i = array<f32, 2>(a, 5.0); var<private> j: f32;",
        "c = vec4f(g, h.x, i[u.n - 1], j);",
        [7.0, 4.0, 5.0, 0.0],
    ),
    (
        "private structures",
        "struct S { a: f32, b: vec2f } const d = S(1.0, vec2f(2.0, 3.0)); var<private> g = d; var<private> h: S = S(4.0, d.b.yx);",
        "c = vec4f(g.a, g.b.y, h.a, h.b.x);",
        [1.0, 3.0, 4.0, 3.0],
    ),
    (
        "private matrices",
        "var<private> g = mat2x2f(1.0, 2.0, 3.0, 4.0); const m = mat2x2f(vec2f(5.0, 6.0), vec2f(7.0, 8.0));",
        "c = vec4f(g[1].x, m[0].y, m[1]);",
        [3.0, 6.0, 7.0, 8.0],
    ),
    (
        "constants of the library",
        "const a = sqrt(4.0) + max(1.0, 2.0); const b = vec3f(1.0, 2.0, 3.0).zy; const d = select(1.0, 2.0, a > 3.0); const e = i32(2.7) + 3 % 2;",
        "c = vec4f(a, b.y, d, f32(e));",
        [4.0, 2.0, 2.0, 3.0],
    ),
    (
        "overrides",
        "override a: f32 = 2.0; override b = 5;",
        "c = vec4f(a, f32(b), a * 2.0, 0.0);",
        [2.0, 5.0, 4.0, 0.0],
    ),
    (
        "and, or",
        "var<private> g = 0.0; fn f(x: bool) -> bool { g += 1.0; return x; }",
        "let a = u.k > 5.0 && f(true); let b = u.k > 2.0 && f(true); let d = u.k > 2.0 || f(true); c = vec4f(g, select(0.0, 1.0, a), select(0.0, 1.0, b), select(0.0, 1.0, d));",
        [1.0, 0.0, 1.0, 1.0],
    ),
    (
        "indices with effects",
        "var<private> calls = 0; fn f() -> i32 { calls += 1; return calls - 1; }",
        "var a = array<f32, 4>(1.0, 2.0, 3.0, 4.0); a[f()] += 10.0; a[f()] = 5.0; var i = array<i32, 2>(0, 0); i[f() - 2]++; c = vec4f(a[0], a[1], f32(calls), f32(i[0]));",
        [11.0, 5.0, 3.0, 1.0],
    ),
    (
        "values that nobody takes",
        "var<private> g = 0.0; fn f() -> f32 { g += 1.0; return g; }",
        "_ = f(); f(); c = vec4f(g);",
        [2.0; 4],
    ),
    (
        "pointers",
        "fn f(p: ptr<function, f32>, q: ptr<private, f32>) { *p += 1.0; *q = *p; } var<private> g = 0.0;",
        "var x = 1.0; f(&x, &g); var a = array<f32, 2>(1.0, 2.0); var i = 0; let p = &a[i]; i = 1; *p = 7.0; c = vec4f(x, g, a[0], a[1]);",
        [2.0, 2.0, 7.0, 2.0],
    ),
    (
        "values before they change",
        "var<private> g = 1.0; fn f() -> f32 { g = 5.0; return 10.0; }",
        "let a = g + f(); var x = 1.0; let y = x; x = 2.0; c = vec4f(a, g, y, x);",
        [11.0, 5.0, 1.0, 2.0],
    ),
    (
        "loops",
        "",
        "var a = 0; var i = 0; loop { if i == 2 { continue; } if i > 4 { break; } a += i; continuing { i++; break if i > 6; } } for (var j = 0; j < 3; j++) { var b = 1; b += j; a += b; } while a < 20 { a += 3; } c = vec4f(f32(a), f32(i), 0.0, 0.0);",
        [20.0, 5.0, 0.0, 0.0],
    ),
    (
        "cases",
        "fn f(i: i32) -> f32 { switch i { case 0, 1 { return 1.0; } case 2 { if u.k > 2.0 { break; } return 2.0; } default { return 4.0; } } return 3.0; }",
        "c = vec4f(f(0), f(1), f(2), f(3));",
        [1.0, 1.0, 3.0, 4.0],
    ),
    (
        "parts",
        "struct S { a: array<vec2f, 2>, b: f32 }",
        "var s: S; s.a[u.n - 1].y = 4.0; s.a[0] = vec2f(1.0, 2.0); s.b += 3.0; var t = s; t.b = 9.0; var m: mat2x2f; m[1].x = 8.0; c = vec4f(s.a[1].y, s.a[0].y, s.b + t.b, m[1][0]);",
        [4.0, 2.0, 12.0, 8.0],
    ),
];
