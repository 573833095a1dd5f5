//! What GLSL and WGSL mean: small shaders with results worked out by hand, and errors with their lines.

use ctm_compile::front::naga::{ReadError, ReadFailure, Shader, read_glsl, read_wgsl};
use ctm_compile::front::{TextureKind, UniformPlace};
use ctm_compile::ir::{Environment, Fetch, QUAD, eval, verify};
use ctm_compile::opt::{UnrolledLoop, optimise};
use ctm_compile::{CompileError, Language, Options, compile};

/// Invocations lie at (4, 6) and on; constant c is (c, c + 0.25, c + 0.5, c + 0.75); a texel is its coordinates.
struct Fixed;

impl Environment for Fixed {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        (f32::from(register) + f32::from(channel) / 4.0).to_bits()
    }
    fn boolean(&self, _: u8) -> bool {
        unreachable!("the languages have no boolean constants")
    }
    fn passes(&self, _: u8) -> u32 {
        0
    }
    fn position(&self) -> [u32; 2] {
        [4, 6]
    }
    fn varying(&self, slot: u8, channel: u8) -> [u32; QUAD] {
        std::array::from_fn(|lane| (f32::from(slot) + f32::from(channel) / 8.0 + lane as f32 * 100.0).to_bits())
    }
    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        let arg = |i: usize| args.get(i).copied().unwrap_or([0; QUAD]);
        let unit = f32::from(fetch.unit) + if fetch.scaled { 0.5 } else { 0.0 };
        [arg(0), arg(1), arg(2), [unit.to_bits(); QUAD]]
    }
}

fn outputs(shader: &Shader) -> Vec<[f32; QUAD]> {
    assert_eq!(verify(&shader.function), Ok(()), "{}", shader.function);
    let outcome = eval(&shader.function, &Fixed, 100_000).expect("it ends");
    let better = optimise(&shader.function);
    assert_eq!(verify(&better), Ok(()), "{better}");
    let again = eval(&better, &Fixed, 100_000).expect("it ends");
    assert_eq!(again.killed, outcome.killed);
    for (&before, &after) in outcome.outputs.iter().flatten().zip(again.outputs.iter().flatten()) {
        let (before, after) = (f32::from_bits(before), f32::from_bits(after));
        let near = (before - after).abs() <= 1e-5 * (1.0 + before.abs())
            || before == after
            || before.is_nan() && after.is_nan();
        assert!(near, "{before} became {after}; before:\n{}\nafter:\n{better}", shader.function);
    }
    outcome.outputs.iter().map(|output| output.map(f32::from_bits)).collect()
}

fn glsl(text: &str) -> Shader {
    read_glsl(text, &[])
        .and_then(|module| module.lower(None))
        .unwrap_or_else(|error| panic!("line {}: {error}\n{text}", error.line))
}

fn wgsl(text: &str) -> Shader {
    read_wgsl(text)
        .and_then(|module| module.lower(None))
        .unwrap_or_else(|error| panic!("line {}: {error}\n{text}", error.line))
}

/// The first output of statements in GLSL, for the first invocation.
#[track_caller]
fn gives(declarations: &str, statements: &str, expected: [f32; 4]) {
    let shader = glsl(&format!(
        "{declarations}\nvoid main() {{ vec4 r = vec4(0.0); float x = gl_FragCoord.x - 0.5; {statements} gl_FragColor = r; }}"
    ));
    let outputs = outputs(&shader);
    for (channel, (output, expected)) in outputs.iter().zip(expected).enumerate() {
        assert!(
            (output[0] - expected).abs() <= 2e-6 * (1.0 + expected.abs()),
            "channel {channel}: {} not {expected}\n{statements}",
            output[0]
        );
    }
}

fn error(text: &str) -> ReadFailure {
    read_glsl(text, &[]).and_then(|module| module.lower(None)).expect_err(text)
}

#[test]
fn positions_are_centres_of_pixels() {
    let shader = glsl("void main() { gl_FragColor = gl_FragCoord; }");
    assert_eq!(outputs(&shader), [[4.5, 5.5, 4.5, 5.5], [6.5, 6.5, 7.5, 7.5], [0.5; 4], [1.0; 4]]);
    let shader = wgsl("@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec2f { return p.xy - 0.5; }");
    assert_eq!(outputs(&shader), [[4.0, 5.0, 4.0, 5.0], [6.0, 6.0, 7.0, 7.0]]);
}

#[test]
fn statements_go_where_they_should() {
    let first = "float f(float a) { for (int i = 0; i < 10; i++) { if (float(i) > a) return float(i); if (i == 7) break; } return -1.0; }";
    gives(first, "r = vec4(f(2.5), f(6.5), f(100.0), f(x));", [3.0, 7.0, -1.0, 5.0]);
    gives(
        "",
        "for (int i = 0; i < 10; ++i) { if (i == 2) continue; if (i > int(x)) break; r.x += float(i); } r.y = 1.0;",
        [8.0, 1.0, 0.0, 0.0],
    );
    gives(
        "",
        "int i = 0; while (true) { i++; if (i < 3) continue; if (i >= 5) break; r.x += 1.0; } do { r.y += 1.0; i--; } while (i > 0);",
        [2.0, 5.0, 0.0, 0.0],
    );
    let nested = "float g(float a) { if (a > 3.0) { if (a > 5.0) return 1.0; a += 1.0; } else { return 2.0; } for (;;) { for (;;) { if (a > 4.5) return a; a += 1.0; } } }";
    gives(nested, "r = vec4(g(6.0), g(1.0), g(x), g(3.2));", [1.0, 2.0, 5.0, 5.2]);
    let switches = "float h(int i) { float s = 0.0; switch (i) { case 0: s += 1.0; case 1: s += 2.0; break; case 2: case 3: return 9.0; default: s += 4.0; } return s; }";
    gives(switches, "r = vec4(h(0), h(1), h(int(x) - 1), h(int(x)));", [3.0, 2.0, 9.0, 4.0]);
    gives(
        "",
        "for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 2: break; default: r.x += 1.0; } r.y += 1.0; }",
        [2.0, 3.0, 0.0, 0.0],
    );
}

#[test]
fn sides_of_logical_operators_are_calculated_where_they_decide() {
    // `f(n, answer)` notes its number in n and answers.
    let noting = "int n = 0; bool f(int digit, bool answer) { n = n * 10 + digit; return answer; }
        bool g(out float b) { b = 5.0; return true; } bool yes() { return gl_FragCoord.x > 0.0; } bool no() { return !yes(); }";
    let noted = |statements: &str, expected: [f32; 4]| gives(noting, statements, expected);
    noted("r.x = f(1, no()) && f(2, yes()) ? 1.0 : 2.0; r.y = float(n);", [2.0, 1.0, 0.0, 0.0]);
    noted("r.x = f(1, yes()) || f(2, yes()) ? 1.0 : 2.0; r.y = float(n);", [1.0, 1.0, 0.0, 0.0]);
    noted("if (f(1, yes()) && f(2, no()) && f(3, yes())) r.x = 1.0; r.y = float(n);", [0.0, 12.0, 0.0, 0.0]);
    noted(
        "if (f(1, no()) && f(2, no()) || f(3, yes()) && f(4, yes())) r.x = 1.0; r.y = float(n);",
        [1.0, 134.0, 0.0, 0.0],
    );
    noted(
        "bool a = f(1, yes()) ^^ f(2, no()) || f(3, yes()), b = !(no() || f(4, no())); r = vec4(a, b, n, 0);",
        [1.0, 1.0, 124.0, 0.0],
    );
    noted("int i = 0; while (i < 3 && f(i, yes())) i++; r.x = float(n); r.y = float(i);", [12.0, 3.0, 0.0, 0.0]);
    noted(
        "int i = 0; do { i++; } while (i < 3 && f(i, i < 2)); r.x = float(n); r.y = float(i);",
        [12.0, 2.0, 0.0, 0.0],
    );
    noted(
        "int k = 0; for (int i = 4; i > 0 && f(i, i > 2); i--) k += i; r.x = float(n); r.y = float(k);",
        [432.0, 7.0, 0.0, 0.0],
    );
    noted(
        "r.x = no() ? f(1, yes()) ? 1.0 : 2.0 : yes() && f(2, yes()) ? 3.0 : 4.0; r.y = float(n);",
        [3.0, 2.0, 0.0, 0.0],
    );
    noted("float b = 1.0; bool a = no() && g(b); r.x = b; a = yes() && g(b); r.y = b;", [1.0, 5.0, 0.0, 0.0]);
    noted("int i = 0; bool a = no() && i++ > 0, b = yes() || (i = 7) > 0; r = vec4(i, a, b, 0);", [0.0, 0.0, 1.0, 0.0]);
    noted("if (yes()) no() && f(1, yes()); else yes() && f(2, yes()); r.x = float(n);", [0.0; 4]);
    noted("float a[2] = float[2](yes() || f(1, no()) ? 1.0 : 2.0, 3.0); r.xy = vec2(a[0], n);", [1.0, 0.0, 0.0, 0.0]);
    let ends =
        "bool f(bool a) { if (a) discard; return true; } bool g(float a) { return a > 0.0 && f(a > 5.0) || a > 1.0; }";
    let shader = glsl(&format!("{ends} void main() {{ gl_FragColor = vec4(float(g(gl_FragCoord.x - 4.5))); }}"));
    assert_eq!(eval(&shader.function, &Fixed, 1000).expect("it ends").killed, [false; 4]);
    let shader = wgsl(
        "var<private> n: f32; fn f() -> bool { n += 1.0; return true; }
        @fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec2f {
            let a = p.x < 5.0 && f(); let b = p.x < 5.0 || f(); return vec2f(n, f32(a && b)); }",
    );
    assert_eq!(outputs(&shader), [[1.0; 4], [1.0, 0.0, 1.0, 0.0]]);
}

#[test]
fn what_a_lane_discards_it_alone_discards() {
    let shader = glsl("void main() { if (gl_FragCoord.x > 5.0) discard; gl_FragColor = vec4(1.0); }");
    let outcome = eval(&shader.function, &Fixed, 1000).expect("it ends");
    assert_eq!(outcome.killed, [false, true, false, true]);
}

#[test]
fn whole_numbers_are_divided_exactly() {
    let quotients = "ivec4 n = ivec4(3355443, 41, -41, -7) * int(x); ivec4 d = ivec4(3, 41, 41, -3); ivec4 q = n / d;";
    gives("", &format!("{quotients} r = vec4(q);"), [4473924.0, 4.0, -4.0, 9.0]);
    gives("", &format!("{quotients} r = vec4(n - q * d);"), [0.0, 0.0, 0.0, -1.0]);
    gives(
        "#version 130",
        "ivec4 n = ivec4(3355443, 41, -41, -7) * int(x); r = vec4(n % ivec4(9));",
        [0.0, 2.0, -2.0, -1.0],
    );
}

/// Functions may be written in any order after their declarations.
#[test]
fn functions_may_be_declared_first() {
    let declared = "float g(float x); float f(in vec2 x), unused; uniform float k; struct S { float a; }; float f(float);
        float g(float x) { return f(x) + f(vec2(x)); } const float c = 2.0; float f(vec2 x) { S s = S(x.x); return s.a * c; }
        uniform sampler2D t; vec4 h(sampler2D t, vec2 x); float f(float x) { return h(t, vec2(x)).x + k; }
        vec4 h(sampler2D t, vec2 x) { return texture2D(t, x); }";
    let declared = declared.replace(", unused", "");
    gives(&declared, "r.x = g(3.0);", [9.0, 0.0, 0.0, 0.0]);
}

#[test]
fn aggregates_are_scalars() {
    gives(
        "",
        "float a[4]; for (int i = 0; i < 4; i++) a[i] = float(i * i); int k = int(x) - 2; r.x = a[k]; a[k] = 7.0; r.y = a[2] + a[3]; vec4 v = vec4(1, 2, 3, 4); v[k] = 9.0; r.zw = v.zw;",
        [4.0, 16.0, 9.0, 4.0],
    );
    gives(
        "struct S { vec4 a[2]; float b; }; void f(inout S s, out float c) { s.a[1].y += 2.0; c = s.b; }",
        "S s[2]; s[1] = S(vec4[2](vec4(1), vec4(2, 3, 0, 0)), 5.0); f(s[int(x) - 3], r.z); r.xy = s[1].a[1].xy;",
        [2.0, 5.0, 5.0, 0.0],
    );
    gives(
        "",
        "mat3 m = mat3(1.0); m[1].x = 2.0; m[2] = vec3(3, 4, 5); vec3 v = m * vec3(1, 2, 3); r.xyz = v; r.w = (vec3(1, 2, 3) * m).y;",
        [14.0, 14.0, 15.0, 4.0],
    );
    gives(
        "",
        "mat2 m = mat2(1, 2, 3, 4); mat2 n = inverse(m) * m; r = vec4(n[0], n[1].y, determinant(transpose(m)));",
        [1.0, 0.0, 1.0, -2.0],
    );
    gives(
        "const float k[] = float[](1.0, 2.0, 4.0, 8.0); const vec2 d[2] = vec2[2](vec2(1, 2), vec2(3, 4));",
        "for (int i = 0; i < 4; i++) r.x += k[i]; r.yz = d[int(x) - 3];",
        [15.0, 3.0, 4.0, 0.0],
    );
    gives("float g[2]; void add() { g[1] += 1.0; }", "g[1] = x; add(); add(); r.x = g[1];", [6.0, 0.0, 0.0, 0.0]);
}

#[test]
fn whole_numbers_are_whole() {
    gives("", "int a = int(x) + 3; r = vec4(a / 2, -a / 2, a % 4, -a % 4);", [3.0, -3.0, 3.0, -3.0]);
    gives("", "int a = int(x) * 3; r = vec4(a << 2, a >> 2, a & 7, (a ^ 5) | 16);", [48.0, 3.0, 4.0, 25.0]);
    gives("", "r = vec4(int(-2.7), int(2.7), ~int(x), float(x > 3.0));", [-2.0, 2.0, -5.0, 1.0]);
    gives(
        "",
        "int a = 16777215 - 4 + int(x); r = vec4(a / 3, a % 3, a / 7, a % 4096);",
        [5592405.0, 0.0, 2396745.0, 4095.0],
    );
}

#[test]
fn functions_are_accurate() {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
    gives("", "r = vec4(sin(1.0 + x), cos(x), tan(x), atan(x));", [5f32.sin(), 4f32.cos(), 4f32.tan(), 4f32.atan()]);
    gives(
        "",
        "r = vec4(asin(x / 8.0), acos(-x / 8.0), atan(-x, -1.0), atan(0.0, x));",
        [0.5f32.asin(), (-0.5f32).acos(), (-4f32).atan2(-1.0), 0.0],
    );
    gives("", "r = vec4(exp(x), log(x), pow(x, 2.5), pow(-x, 2.0));", [4f32.exp(), 4f32.ln(), 32.0, 16.0]);
    gives(
        "",
        "r = vec4(sinh(1.0), cosh(1.0), tanh(x), asinh(-x));",
        [1f32.sinh(), 1f32.cosh(), 4f32.tanh(), (-4f32).asinh()],
    );
    gives(
        "",
        "r = vec4(acosh(x), atanh(0.5), sqrt(0.0 * x), inversesqrt(x));",
        [4f32.acosh(), 0.5f32.atanh(), 0.0, 0.5],
    );
    gives("", "r = vec4(round(x + 0.5), roundEven(x - 0.5), trunc(-x - 0.7), ceil(x + 0.1));", [4.0, 4.0, -4.0, 5.0]);
    gives("", "r = vec4(sign(-x), mod(-x, 3.0), fract(-x / 3.0), mix(x, 8.0, 0.25));", [-1.0, 2.0, 2.0 / 3.0, 5.0]);
    gives(
        "",
        "r = vec4(smoothstep(0.0, 8.0, x), step(x, 3.0), step(x, 4.0), clamp(x, 0.0, 1.0));",
        [0.5, 0.0, 1.0, 1.0],
    );
    gives(
        "",
        "vec3 i = normalize(vec3(x, -3, 0)); r.xyz = refract(i, vec3(0, 1, 0), 0.5); r.w = length(reflect(i, vec3(0, 1, 0)) - vec3(0.8, 0.6, 0));",
        [0.4, -(1f32 - 0.16).sqrt(), 0.0, 0.0],
    );
    gives(
        "",
        "float i; r.x = modf(-x - 0.25, i); r.y = i; r.z = faceforward(vec2(x), vec2(1), vec2(1)).x; r.w = ldexp(x, 3);",
        [-0.25, -4.0, -4.0, 32.0],
    );
    gives(
        "",
        "r = vec4(cross(vec3(1, 2, 3), vec3(x, 5, 6)), distance(vec2(1, 2), vec2(x, 6)));",
        [-3.0, 6.0, -3.0, 5.0],
    );
    gives(
        "",
        "float n = log(-x), i = 1.0 / (x - 4.0); r = vec4(isnan(n), isinf(i), isnan(i), isinf(x));",
        [1.0, 1.0, 0.0, 0.0],
    );
    gives(
        "",
        "r.xy = vec2(atan(1.0, 0.0 * x), atan(0.0 * x, 0.0 * x)); r.z = atan(x, x);",
        [FRAC_PI_2, 0.0, FRAC_PI_4, 0.0],
    );
    gives(
        "",
        "r.xy = vec2(dFdx(gl_FragCoord.x * 3.0), dFdy(gl_FragCoord.y * 2.0)); r.z = fwidth(x + gl_FragCoord.y);",
        [3.0, 2.0, 2.0, 0.0],
    );
}

#[test]
fn uniforms_have_names_and_places() {
    let shader = glsl(
        "uniform vec3 a; uniform float b, unused; uniform mat2 m; uniform bool p, q; uniform struct L { vec2 d; float e; } l[2];
        uniform vec4 w[3]; uniform float t = 2.5; varying vec2 uv; varying float vs[2];
        void main() { int i = int(gl_FragCoord.x) - 3; gl_FragData[0] = vec4(a, b); gl_FragData[1] = vec4(m * a.xy, p, q);
            gl_FragData[2] = vec4(l[i].d, l[i].e, w[i].y); gl_FragData[3] = vec4(uv, vs[i], t); }",
    );
    let names: Vec<_> = shader.interface.uniforms.iter().map(|uniform| uniform.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "m", "p", "q", "l[0].d", "l[0].e", "l[1].d", "l[1].e", "w", "t"]);
    let place =
        |name: &str| shader.interface.uniforms.iter().find(|uniform| uniform.name == name).map(|uniform| uniform.place);
    assert_eq!(place("a"), Some(UniformPlace { register: 0, channel: 0 }));
    assert_eq!(place("b"), Some(UniformPlace { register: 0, channel: 3 }), "scalars fill what vectors leave");
    assert_eq!(place("q"), Some(UniformPlace { register: 3, channel: 1 }));
    let [light, w] = ["l[1].d", "w"].map(|name| place(name).expect("it is a uniform").register);
    assert_eq!(shader.interface.uniforms[10].default, [2.5]);
    let first: Vec<f32> = outputs(&shader).iter().map(|output| output[0]).collect();
    let light = f32::from(light);
    assert_eq!(first[..8], [0.0, 0.25, 0.5, 0.75, 0.5, 0.5625 + 0.25 - 0.25, 1.0, 1.0]);
    assert_eq!(first[8..12], [light, light + 0.25, light + 1.0, f32::from(w) + 1.25]);
    assert_eq!(first[12..15], [0.0, 0.125, 2.0]);
    let varyings: Vec<_> =
        shader.interface.varyings.iter().map(|varying| (varying.name.as_str(), varying.slot, varying.slots)).collect();
    assert_eq!(varyings, [("uv", 0, 1), ("vs", 1, 2)]);
}

/// `gl_TexCoord` takes as many inputs as are used of it; there are eight in all.
#[test]
fn interpolated_inputs_have_slots() {
    let slots = |text: &str| -> Vec<(String, u8, u8)> {
        let varyings = glsl(text).interface.varyings;
        varyings.into_iter().map(|varying| (varying.name, varying.slot, varying.slots)).collect()
    };
    let old = "varying vec3 n; void main() { gl_FragColor = gl_TexCoord[1] + gl_TexCoord[0] + n.xyzz; }";
    assert_eq!(slots(old), [("gl_TexCoord".to_owned(), 0, 2), ("n".to_owned(), 2, 1)]);
    let calculated = "void main() { gl_FragColor = gl_TexCoord[int(gl_FragCoord.x)]; }";
    assert_eq!(slots(calculated), [("gl_TexCoord".to_owned(), 0, 8)]);
    let many = error("varying vec4 a[8];\nvarying vec4 b;\nvoid main() { gl_FragColor = a[7] + b; }");
    assert_eq!(many.line, 2);
    assert!(many.to_string().contains("more than 8 interpolated inputs"), "{many}");
}

/// What naga made of a text can be looked at.
#[test]
fn modules_can_be_printed() {
    let text = "uniform float k; void main() { gl_FragColor = vec4(k * gl_FragCoord.x); }";
    let printed = read_glsl(text, &[]).and_then(|module| module.to_wgsl()).unwrap();
    assert!(printed.contains("var<private> k: f32;") && printed.contains("@fragment"), "{printed}");
    let text = "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f { return p * 2.0; }";
    assert!(read_wgsl(text).and_then(|module| module.to_wgsl()).unwrap().contains("* 2f"));
}

#[test]
fn textures_have_units_and_coordinates() {
    let shader = glsl(
        "#version 330\nuniform sampler2D a; uniform sampler2DRect b; uniform sampler3D c; out vec4 o[4];
        vec4 at(sampler2D s, vec2 p) { return texture(s, p * 2.0); }
        void main() { o[0] = at(a, vec2(1.0, 2.0)); o[1] = texture(b, gl_FragCoord.xy); o[2] = texelFetch(a, ivec2(3, 4), 0); o[3] = texture(c, vec3(1, 2, 3)); }",
    );
    let first: Vec<f32> = outputs(&shader).iter().map(|output| output[0]).collect();
    assert_eq!(first, [2.0, 4.0, 0.0, 0.5, 4.5, 6.5, 0.0, 1.0, 3.5, 4.5, 0.0, 0.0, 1.0, 2.0, 3.0, 2.5]);
    let kinds: Vec<_> = shader.interface.textures.iter().map(|texture| (texture.name.as_str(), texture.kind)).collect();
    assert_eq!(kinds, [("a", TextureKind::Plane), ("b", TextureKind::Rectangle), ("c", TextureKind::Volume)]);
    let shader = wgsl(
        "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; struct U { k: f32, m: mat3x3f }
        @group(0) @binding(2) var<uniform> u: U; struct I { @location(2) uv: vec2f, @builtin(position) p: vec4f }
        struct O { @location(0) a: vec4f, @location(1) b: vec3f }
        @fragment fn main(i: I) -> O { let d = textureDimensions(t); return O(textureSampleLevel(t, s, i.uv, 1.0) + textureLoad(t, vec2i(1, 2), 0), u.m * vec3f(f32(d.x), u.k, 0.0)); }",
    );
    assert_eq!(shader.interface.textures[0].size, Some((0, 1)));
    let first: Vec<f32> = outputs(&shader).iter().map(|output| output[0]).collect();
    assert_eq!(first[..4], [3.5, 4.625, 1.0, 0.5]);
}

#[test]
fn errors_name_lines() {
    let cases = [
        (
            "void main() {\n\n  int a = int(gl_FragCoord.x), b = int(gl_FragCoord.y);\n  gl_FragColor = vec4(a & b); }",
            4,
            "bit operations",
        ),
        ("uniform float u;\nvoid main() {\n u = 1.0; gl_FragColor = vec4(u); }", 1, "uniform"),
        ("void main() {\n  gl_FragColor = vec4(oops);\n}", 2, "oops"),
        ("void main() {\n  float a = 1.0\n  gl_FragColor = vec4(a);\n}", 3, "expected `,` or `;`"),
        ("#define A(x) x\n#if 1\nvoid main() { gl_FragColor = vec4(A(1.0, 2.0)); }\n#endif", 3, "arguments"),
        ("void main() {\n int a = 16777217;\n gl_FragColor = vec4(a); }", 2, "inexactly"),
        ("uniform float a[2000];\nvoid main() { gl_FragColor = vec4(a[1]); }", 1, "constants"),
        ("float f() { return vec2(1.0); }\nvoid main() { gl_FragColor = vec4(f()); }", 1, "return"),
    ];
    for (text, line, words) in cases {
        let error = error(text);
        assert_eq!(error.line, line, "{text}\n{error}");
        assert!(error.to_string().contains(words), "{text}\n{error}");
    }
    let deep = format!("void main() {{ gl_FragColor = vec4({}1.0{}); }}", "(".repeat(1000), ")".repeat(1000));
    assert!(matches!(error(&deep).error, ReadError::Limit { .. }));
    let doubling: String =
        (0..40).map(|i| format!("float f{}(float a) {{ return f{i}(a) + f{i}(a * 2.0); }}\n", i + 1)).collect();
    let text = format!(
        "float f0(float a) {{ return sin(a); }}\n{doubling}void main() {{ gl_FragColor = vec4(f40(gl_FragCoord.x)); }}"
    );
    assert!(matches!(error(&text).error, ReadError::Lower(_)));
}

#[test]
fn kernels_of_the_benches_lower() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/glsl");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the benches have GLSL") {
        let path = entry.expect("the folder can be read").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let defines = [("IJ".to_owned(), "ctm_Pixel".to_owned())];
        let shader = read_glsl(&text, &defines)
            .and_then(|module| module.lower(None))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(verify(&shader.function), Ok(()));
        count += 1;
    }
    assert!(count >= 10);
}

#[test]
fn continue_in_do_loops_goes_to_the_condition() {
    // Invocations have columns 4 and 5.
    let shader = glsl(
        "#version 330\nout vec4 o; void main() { int column = int(gl_FragCoord.x), i = 0, odd = 0, inner = 0;
         do { i++; if (i % 2 == 0) continue; odd++; } while (i < column);
         int j = 0; do { j++; int k = 0; do { k++; if (k == 2) { continue; } inner++; } while (k < 3); if (j == 1) continue; inner += 10; } while (++j < 4);
         int n = 0; do { if (n == 3) break; n++; } while (true);
         o = vec4(odd, i, inner, n); }",
    );
    assert_eq!(outputs(&shader), [[2.0, 3.0, 2.0, 3.0], [4.0, 5.0, 4.0, 5.0], [14.0; QUAD], [3.0; QUAD]]);
}

#[test]
fn samplers_of_structures_have_the_names_of_the_text() {
    let text = "struct M { sampler2D map; }; struct S { M m[2]; }; uniform M one; uniform S s;
        void main() { gl_FragColor = texture2D(one.map, vec2(0.0)) + texture2D(s.m[1].map, vec2(0.0)); }";
    let shader = read_glsl(text, &[]).and_then(|module| module.lower(None)).unwrap();
    let names: Vec<&str> = shader.interface.textures.iter().map(|texture| texture.name.as_str()).collect();
    assert_eq!(names, ["one.map", "s.m[1].map"]);
    for (text, wanted) in [
        (
            "struct M { sampler2D map; }; vec4 f(M m) { return texture2D(m.map, vec2(0.0)); } uniform M one; void main() { gl_FragColor = f(one); }",
            "the sampler `map` of a structure",
        ),
        (
            "struct M { sampler2D map[2]; }; uniform M m[2]; void main() { gl_FragColor = texture2D(m[0].map[1], vec2(0.0)); }",
            "`m.map` is in an array of arrays",
        ),
    ] {
        let error = read_glsl(text, &[]).expect_err(text).to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn inputs_share_slots_where_there_are_too_few() {
    let shader = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("uv{number}")).collect();
        let text = format!(
            "varying vec2 {}; void main() {{ gl_FragColor = vec4({}, 0.0, 1.0); }}",
            names.join(", "),
            names.join(" + ")
        );
        read_glsl(&text, &[]).and_then(|module| module.lower(None))
    };
    let places = |count| -> Vec<(u8, u8)> {
        shader(count).unwrap().interface.varyings.iter().map(|varying| (varying.slot, varying.channel)).collect()
    };
    assert_eq!(places(8), (0..8).map(|slot| (slot, 0)).collect::<Vec<_>>());
    assert_eq!(places(16), (0..16).map(|number| (number / 2, number % 2 * 2)).collect::<Vec<_>>());
    assert!(shader(17).unwrap_err().to_string().contains("more than 8 interpolated inputs"));
}

#[test]
fn a_shader_may_write_nothing() {
    for (text, language) in [
        ("void main() { discard; }", ctm_compile::Language::Glsl),
        ("@fragment fn main() { discard; }", ctm_compile::Language::Wgsl),
    ] {
        let compiled = ctm_compile::compile(text, language, &ctm_compile::Options::default()).unwrap();
        assert_eq!(compiled.warnings, [ctm_compile::Warning::NoOutput]);
        assert_eq!(compiled.interface.outputs.len(), 1);
    }
}

/// Sources of one shader have macros of their own, and share what stands outside of functions.
#[test]
fn sources_are_linked() {
    let read = |sources: &[&str]| {
        let mut starts = Vec::new();
        let mut text = String::new();
        for source in sources {
            if !text.is_empty() {
                text.push('\n');
                starts.push(text.len());
            }
            text += source;
        }
        ctm_compile::front::naga::read_glsl_sources(&text, &starts, &[]).and_then(|module| module.lower(None))
    };
    let main = "#version 330\n#define N 2.0\nstruct S { float a; }; uniform S s; uniform float k; const float c = 4.0; uniform sampler2D t;
        float f(float x);\nout vec4 o;\nvoid main() { o = vec4(f(N) * k, s.a, c, texture(t, vec2(0.0)).x); }";
    let other = "#version 120\n#define N 3.0\nstruct S { float a; }; uniform S s; uniform float k; const float c = 4.0; uniform sampler2D t;
        float f(float x) { return x * N + k + s.a + c + texture2D(t, vec2(0.0)).x; }";
    let linked = read(&[main, other]).unwrap();
    let names: Vec<&str> = linked.interface.uniforms.iter().map(|uniform| uniform.name.as_str()).collect();
    assert_eq!((names, linked.interface.textures.len()), (vec!["s.a", "k"], 1));
    assert!(read(&[other, main]).is_ok(), "their order does not matter");
    let failure = read(&[main, "float f(float x) {\n  return y;\n}"]).unwrap_err();
    assert_eq!(failure.line, 8, "{failure}");
    for (source, wanted) in [
        ("uniform vec2 k; float f(float x) { return x; }", "`k` is declared in another way"),
        ("const float c = 5.0; float f(float x) { return x; }", "`c` is declared in another way"),
        ("struct S { float b; }; float f(float x) { return x; }", "`S` is declared in another way"),
        ("uniform samplerCube t; float f(float x) { return x; }", "`t` is declared in another way"),
    ] {
        let error = read(&[main, source]).unwrap_err().to_string();
        assert!(error.contains(wanted), "{source}: {error}");
    }
}

/// What is too long names what stands in it more than once: functions with their calls, loops with their lines and passes. Indices that are
/// calculated take more than passes of their own here, so the loops are unrolled all the same.
#[test]
fn what_is_too_long_is_named() {
    let mut text = String::from(
        "uniform vec4 v;\nfloat f(float x) {\n  float a[4]; float b[4];\n  for (int i = 0; i < 4; i++) {\n    \
         a[i] = sin(x + float(i)); b[3 - i] = a[i] * x;\n    x += a[i] * b[i] - b[3 - i];\n    a[3 - i] = x * b[i]; b[i] = a[3 - i] + x;\n  }\n  \
         return a[0] + b[1] * a[2] + b[3] * a[1];\n}\nvoid main() {\n  vec4 c = v;\n",
    );
    for call in 0..40 {
        text +=
            &format!("  c.{} += f(c.{} * {call}.5);\n", ["x", "y", "z", "w"][call % 4], ["y", "x", "w", "z"][call % 4]);
    }
    text += "  gl_FragColor = c;\n}\n";
    let error = compile(&text, Language::Glsl, &Options::default()).unwrap_err();
    let CompileError::Unfit { inlined, unrolled, .. } = &error else { panic!("{error:?}") };
    assert!(inlined.iter().any(|one| one.name == "f" && one.times == 40), "{inlined:?}");
    assert_eq!(unrolled[..], [UnrolledLoop { line: 4, passes: 4, places: 40 }]);
    let message = error.to_string();
    for part in ["`f` 40 times (", "; loops are unrolled: that of line 4 has 4 passes in 40 places"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // Loops that stay are none of them.
    let long = "uniform vec4 v; float g(float x) { for (int i = 0; i < 100; i++) x = sin(x) * cos(x); return x; }\nvoid main() { vec4 c = v; ";
    let calls: String =
        (0..60).map(|call| format!("c.x += g(c.y * {call}.5); c.y += pow(c.x, 1.{call}) * c.z; ")).collect();
    let error =
        compile(&format!("{long}{calls} gl_FragColor = c; }}"), Language::Glsl, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("`g` 60 times") && !error.to_string().contains("loops are"), "{error}");
}
