//! Large and twisted sources of up to 64 KiB end in a program or in an error within bounded time.

use ctm_compile::front::naga::ReadError;
use ctm_compile::front::ps;
use ctm_compile::{CompileError, Language, Options, compile, compile_pixel_shader};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Longer than any of the sources may take, on a slow and busy machine with debug assertions.
const LONGEST: Duration = Duration::from_secs(60);
const BYTES: usize = 1 << 16;

/// Pieces numbered from 0, as many as fit into a source.
fn pieces(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > BYTES - 2048 {
            break;
        }
        text += &next;
    }
    text
}

fn repeat(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

fn glsl(declarations: &str, body: &str) -> String {
    format!(
        "#version 330\nuniform float a; uniform vec4 v; uniform int n; uniform sampler2D t; in vec2 uv; out vec4 o;\n{declarations}\n\
         void main() {{ float x = a; vec4 w = v; int i = n;\n{body}\n o = w + x + float(i); }}\n"
    )
}

fn loops(depth: usize, passes: usize, body: &str) -> String {
    let begin = repeat(depth, |k| format!("for (int i{k} = 0; i{k} < {passes}; i{k}++) {{"));
    format!("{begin}{body}{}", "}".repeat(depth))
}

fn glsl_sources() -> Vec<(&'static str, String)> {
    let sum = |count: usize| repeat(count, |k| format!(" + a * {k}.5"));
    let chain = |calls: usize, depth: usize| {
        let mut text = "float f0(float x) { return x * x + a; }".to_owned();
        for k in 1..depth {
            let calls = repeat(calls, |n| format!(" + f{}(x + {n}.25)", k - 1));
            write!(text, "float f{k}(float x) {{ return x{calls}; }}").expect("a string");
        }
        text
    };
    vec![
        ("sum of 10,000 terms", glsl("", &format!("x = 1.0{};", sum(10_000)))),
        ("sum of 3,900 terms", glsl("", &format!("x = 1.0{};", sum(1900)))),
        ("statements", glsl("", &pieces(|k| format!("x += uv.x * {k}.5;\n")))),
        ("statements that depend", glsl("", &pieces(|_| "x = sin(x) * x + a;\n".into()))),
        ("vector statements", glsl("", &pieces(|k| format!("w = w.yzwx * {k}.5 + v.xxyy;\n")))),
        ("fetches", glsl("", &pieces(|k| format!("w += texture(t, uv * {k}.0);\n")))),
        ("dependent fetches", glsl("", &pieces(|_| "w = texture(t, w.xy);\n".into()))),
        ("declarations", glsl("", &pieces(|k| format!("float y{k} = x * {k}.5; x += y{k};\n")))),
        ("globals", glsl(&pieces(|k| format!("float y{k};\n")), "")),
        ("uniforms", glsl(&pieces(|k| format!("uniform vec4 y{k};\n")), "")),
        ("read uniforms", {
            let declarations = repeat(1200, |k| format!("uniform vec4 y{k};\n"));
            glsl(&declarations, &repeat(1200, |k| format!("w += y{k};\n")))
        }),
        ("functions", glsl(&pieces(|k| format!("float f{k}(float x) {{ return x * {k}.5; }}\n")), "")),
        ("called functions", {
            let functions = repeat(900, |k| format!("float f{k}(float x) {{ return x * {k}.5; }}\n"));
            glsl(&functions, &repeat(900, |k| format!("x += f{k}(a);\n")))
        }),
        ("brackets", glsl("", &format!("x = {}a{};", "(".repeat(30_000), ")".repeat(30_000)))),
        ("90 brackets", glsl("", &format!("x = {}a{};", "sin(".repeat(90), ")".repeat(90)))),
        ("signs", glsl("", &format!("x = {}a;", "-".repeat(60_000)))),
        ("blocks", glsl("", &format!("{}x = 1.0;{}", "{".repeat(30_000), "}".repeat(30_000)))),
        ("choices in choices", glsl("", &format!("{}x = 1.0;{}", "if (x > a) {".repeat(95), "}".repeat(95)))),
        ("choices", glsl("", &pieces(|k| format!("if (x > {k}.5) {{ x = sin(x); }}\n")))),
        (
            "choices with two sides",
            glsl("", &pieces(|k| format!("if (uv.x > {k}.5) {{ x += sin(x); }} else {{ x *= a; }}\n"))),
        ),
        ("else if", glsl("", &pieces(|k| format!("if (x > {k}.5) {{ x += 1.0; }} else ")).replace("else \n", ""))),
        ("cases", glsl("", &format!("switch (i) {{ {} }}", pieces(|k| format!("case {k}: x += {k}.5; break;\n"))))),
        (
            "falling cases",
            glsl("", &format!("switch (i) {{ {} }}", repeat(900, |k| format!("case {k}: x += {k}.5;\n")))),
        ),
        ("conditions", glsl("", &format!("x = {}a;", repeat(1000, |k| format!("x > {k}.5 ? {k}.0 : "))))),
        ("ors", glsl("", &format!("if (x > 0.5{}) x = 2.0;", repeat(1200, |k| format!(" || a > {k}.5"))))),
        ("loops in loops of 30 passes", glsl("", &loops(4, 30, "x = sin(x) + float(i0 + i1 + i2 + i3);"))),
        ("deep loops of 30 passes", glsl("", &loops(90, 30, "x = sin(x);"))),
        ("deep loops of 2 passes", glsl("", &loops(90, 2, "x = sin(x);"))),
        ("10 deep loops of 8 passes", glsl("", &loops(10, 8, "x = sin(x) + float(i9);"))),
        (
            "16 loops whose passes are all known",
            glsl("", &format!("if (x > 2.0) {{ {} }}", loops(16, 16, "w = exp(w);"))),
        ),
        ("12 loops whose values are known", glsl("", &loops(12, 16, "i = i0 + i11; w.z = exp(w.z);"))),
        (
            "loops that are counted for long",
            glsl("", &pieces(|k| format!("for (int j = 0; j < 1000; j++) {{ if (a > {k}.0) x += 1.0; }}\n"))),
        ),
        (
            "an array that a loop carries",
            glsl("", "float y[3000]; for (int j = 0; j < n; j++) { y[j % 3000] += x; } x = y[i];"),
        ),
        ("arrays that trade places", {
            let swaps = repeat(1000, |k| format!("t = y[{k}]; y[{k}] = z[{k}]; z[{k}] = t;"));
            glsl("", &format!("float y[1000], z[1000], t; while (x < a) {{ {swaps} x += 1.0; }} x = y[i] + z[i];"))
        }),
        ("known loops in loops", glsl("", &loops(6, 30, "i += i0 * i1 + i5;"))),
        ("loops", glsl("", &pieces(|k| format!("for (int j = 0; j < 30; j++) x += sin(x * {k}.5);\n")))),
        ("loops of 1,000,000 passes", glsl("", &loops(3, 1_000_000, "x += a;"))),
        (
            "a large loop",
            glsl(
                "",
                &format!("for (int j = 0; j < 30; j++) {{ {} }}", pieces(|k| format!("x += sin({k}.5 * float(j));\n"))),
            ),
        ),
        ("endless loops", glsl("", &"while (true) { x += 1.0; if (x > a) break; }\n".repeat(900))),
        (
            "breaks",
            glsl("", &format!("while (x < a) {{ {} }}", pieces(|k| format!("x += 1.0; if (x == {k}.5) break;\n")))),
        ),
        (
            "continues",
            glsl("", &format!("while (x < a) {{ {} }}", pieces(|k| format!("x += 1.0; if (x == {k}.5) continue;\n")))),
        ),
        ("returns", {
            let body = pieces(|k| format!("if (x == {k}.5) return {k}.0;\n"));
            glsl(&format!("float f(float x) {{ {body} return 1.0; }}"), "x = f(a);")
        }),
        ("kills", glsl("", &pieces(|k| format!("if (uv.x == {k}.5) discard;\n")))),
        ("functions that call two each", glsl(&chain(2, 100), "x = f99(x);")),
        ("functions that call 40 each", glsl(&chain(40, 20), "x = f19(x);")),
        ("functions that call one each", glsl(&chain(1, 1000), "x = f999(x);")),
        ("an array", glsl("", "float y[2000]; for (int j = 0; j < 2000; j++) y[j] = float(j) * a; x = y[i];")),
        ("a larger array", glsl("", "float y[100000]; y[i] = a; x = y[i + 1];")),
        ("the largest array", glsl("", "float y[2000000000]; y[i] = a; x = y[i + 1];")),
        ("an array of arrays", glsl("", "float y[2000][2000]; y[i][i] = a; x = y[i + 1][i];")),
        (
            "an array that loops fill",
            glsl("", &format!("float y[200]; {} x = y[i];", loops(2, 14, "y[i0 * 14 + i1] += y[i] + a;"))),
        ),
        (
            "writes to an array",
            glsl("", &format!("float y[64]; {} x = y[i];", pieces(|_| "y[i] += a; i += 1;\n".into()))),
        ),
        ("structures of structures", {
            let structs = repeat(8, |k| match k {
                0 => "struct S0 { vec4 a[8]; };".to_owned(),
                _ => format!("struct S{k} {{ S{} a[8]; }};", k - 1),
            });
            glsl(&structs, "S7 s; x = s.a[0].a[0].a[0].a[0].a[0].a[0].a[0].a[i].x;")
        }),
        ("a wide structure", {
            let members = repeat(4000, |k| format!("float m{k};"));
            glsl(&format!("struct S {{ {members} }};"), "S s; s.m9 = a; S r = s; x = r.m9;")
        }),
        (
            "matrices",
            glsl("", &format!("mat4 m = mat4(v, v, v, v); {} w = m * w;", "m = m * m + mat4(a);\n".repeat(2500))),
        ),
        (
            "inverses",
            glsl("", &format!("mat4 m = mat4(v, v.yzwx, v, v); {} w = m * w;", "m = inverse(m);\n".repeat(900))),
        ),
        ("swizzles", glsl("", &format!("w = w{};", ".wxyz".repeat(12_000)))),
        ("squares", glsl("", &"x = x * x;\n".repeat(5000))),
        ("doubles", glsl("", &"x = x + x;\n".repeat(5000))),
        ("factors", glsl("", &repeat(5000, |k| format!("x = x * {k}.5 + 1.0;\n")))),
        ("powers", glsl("", &"x = pow(x, a) + pow(a, x);\n".repeat(1500))),
        ("differences", glsl("", &"x = dFdx(x) + dFdy(x) + a;\n".repeat(1500))),
        ("macros of macros", {
            let macros = repeat(40, |k| {
                if k == 0 { "#define M0 a +\n".to_owned() } else { format!("#define M{k} M{} M{}\n", k - 1, k - 1) }
            });
            glsl(&macros, "x = M39 1.0;")
        }),
        ("macros with parameters", {
            let macros = repeat(40, |k| {
                if k == 0 {
                    "#define M0(x) x + x\n".to_owned()
                } else {
                    format!("#define M{k}(x) M{}(M{}(x))\n", k - 1, k - 1)
                }
            });
            glsl(&macros, "x = M39(1.0);")
        }),
        ("macros that stand for each other", {
            let macros =
                pieces(|k| if k == 0 { "#define M0 a\n".to_owned() } else { format!("#define M{k} M{}\n", k - 1) });
            let last = macros.matches('\n').count() - 1;
            glsl(&macros, &format!("x = {};", format!("M{last} + ").repeat(50) + "1.0"))
        }),
        (
            "a macro of brackets",
            glsl(&format!("#define M {}\n", "a[b[c[".repeat(100)), &format!("x = {};", "M ".repeat(200))),
        ),
        ("a macro with many parameters", {
            let names = repeat(5000, |k| if k == 0 { "p0".to_owned() } else { format!(",p{k}") });
            glsl(&format!("#define M({names}) {}\n", repeat(5000, |k| format!("+ p{k}"))), "x = 1.0;")
        }),
        ("functions that are declared first", {
            let declarations = repeat(1500, |k| format!("float f{k}(float x);\n"));
            let functions = repeat(1500, |k| match k {
                1499 => format!("float f{k}(float x) {{ return x; }}\n"),
                _ => format!("float f{k}(float x) {{ return f{}(x); }}\n", k + 1),
            });
            glsl(&(declarations + &functions), "x = f1499(a);")
        }),
        ("globals with values", glsl(&pieces(|k| format!("float y{k} = a * {k}.5;\n")), "x = y9;")),
        ("indices with effects", glsl("", &("float y[8];".to_owned() + &"y[i++] += x;\n".repeat(2000) + "x = y[i];"))),
        ("structures of many structures", {
            let members = |of: &str| repeat(8, |k| format!("{of} m{k};"));
            let structs = repeat(12, |k| match k {
                0 => format!("struct S0 {{ {} }};", members("float")),
                _ => format!("struct S{k} {{ {} }};", members(&format!("S{}", k - 1))),
            });
            glsl(&structs, "x = 1.0;")
        }),
        ("conditions of the preprocessor", glsl(&("#if 1\n".repeat(4000) + &"#endif\n".repeat(4000)), "")),
        (
            "a condition of the preprocessor",
            glsl(&format!("#if {}1{}\n#endif", "(".repeat(30_000), ")".repeat(30_000)), ""),
        ),
        ("macros", glsl(&pieces(|k| format!("#define M{k} {k}\n")), "x = M1;")),
        ("continued lines", glsl(&"\\\n".repeat(30_000), "")),
        ("comments", glsl(&"/* */".repeat(12_000), "")),
        ("an open comment", glsl(&"/*".repeat(30_000), "")),
        ("a name", glsl(&format!("float {};", "n".repeat(60_000)), "")),
        ("a number", glsl("", &format!("x = {}.0;", "9".repeat(60_000)))),
        ("declarators", glsl(&format!("float y0{};", repeat(3000, |k| format!(", z{k} = {k}.0"))), "x = z9;")),
        ("nothing but words", "float ".repeat(10_000)),
        ("nothing but brackets", "{".repeat(60_000)),
        ("nothing but dots", ".".repeat(60_000)),
    ]
}

fn wgsl_sources() -> Vec<(&'static str, String)> {
    let shader = |declarations: &str, body: &str| {
        format!(
            "@group(0) @binding(0) var<uniform> a: vec4f;\n{declarations}\n@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {{ \
             var x = a.x; var i = i32(a.y); {body}\n return vec4f(x, f32(i), 0.0, 1.0); }}"
        )
    };
    vec![
        ("comments in comments", shader(&("/*".repeat(15_000) + &"*/".repeat(15_000)), "")),
        (
            "constants",
            shader(
                &pieces(
                    |k| if k == 0 { "const c0 = 1.0;\n".into() } else { format!("const c{k} = c{} * 1.5;\n", k - 1) },
                ),
                "",
            ),
        ),
        (
            "constants that double",
            shader(
                &repeat(64, |k| {
                    if k == 0 { "const c0 = 1.0;\n".into() } else { format!("const c{k} = c{} + c{};\n", k - 1, k - 1) }
                }),
                "x = c63;",
            ),
        ),
        (
            "aliases",
            shader(
                &pieces(|k| if k == 0 { "alias T0 = f32;\n".into() } else { format!("alias T{k} = T{};\n", k - 1) }),
                "",
            ),
        ),
        ("types in types", shader("", &format!("var y: {}f32{}; x = 1.0;", "array<".repeat(9000), ",4>".repeat(9000)))),
        ("90 types in types", shader("", &format!("var y: {}f32{}; x = 1.0;", "array<".repeat(40), ",4>".repeat(40)))),
        ("statements", shader("", &pieces(|k| format!("x += p.x * {k}.5;\n")))),
        (
            "lets",
            shader(
                "",
                &pieces(|k| if k == 0 { "let y0 = x;\n".into() } else { format!("let y{k} = sin(y{}) + x;\n", k - 1) }),
            ),
        ),
        (
            "loops in loops",
            shader(
                "",
                &format!(
                    "{}x += sin(x);{}",
                    repeat(8, |k| format!("for (var i{k} = 0; i{k} < 30; i{k}++) {{")),
                    "}".repeat(8)
                ),
            ),
        ),
        (
            "cases",
            shader(
                "",
                &format!("switch i {{ {} default: {{}} }}", pieces(|k| format!("case {k}: {{ x += {k}.5; }}\n"))),
            ),
        ),
        ("references", shader("", &format!("x = {}x;", "*&".repeat(30_000)))),
        (
            "an array constant",
            shader("", &format!("var y = array({}1.0); x = y[i];", repeat(8000, |k| format!("{}.0, ", k % 9)))),
        ),
        (
            "an array of 3,000",
            shader("", &format!("var y = array({}1.0); x = y[i];", repeat(3000, |k| format!("{}.0, ", k % 9)))),
        ),
        ("attributes", shader("", &format!("{} {{ x = 1.0; }}", "@must_use ".repeat(6000)))),
        ("overrides", shader(&pieces(|k| format!("override y{k}: f32 = 1.0;\n")), "x = y1;")),
    ]
}

fn pixel_shaders() -> Vec<(&'static str, String)> {
    let shader = |body: &str| {
        format!(
            "ps_3_0\ndcl_texcoord0 v0\ndcl_2d s0\ndef c200, 1, 2, 3, 4\ndefi i0, 255, 0, 1, 0\n{body}\nmov oC0, r0\n"
        )
    };
    vec![
        ("instructions", shader(&pieces(|_| "mad r0, r0, c1, v0\n".into()))),
        ("500 instructions", shader(&"mad r0, r0, c1, v0\n".repeat(500))),
        (
            "500 different ones",
            shader(&repeat(500, |k| format!("mad r{}, r{}.wxyz, c{}, v0\n", k % 32, (k * 7 + 1) % 32, k % 200))),
        ),
        ("500 sines", shader(&"sincos r0.xy, r0.x\n".repeat(60))),
        ("fetches", shader(&"texld r0, r0, s0\n".repeat(500))),
        ("matrices", shader(&"m4x4 r0, r0, c0\n".repeat(120))),
        ("loops in loops", shader(&("rep i0\n".repeat(4) + "add r0, r0, c1\n" + &"endrep\n".repeat(4)))),
        ("deep loops", shader(&("rep i0\n".repeat(4000) + "add r0, r0, c1\n" + &"endrep\n".repeat(4000)))),
        ("branches", shader(&("if_lt r0.x, c1.x\n".repeat(24) + "add r0, r0, c1\n" + &"endif\n".repeat(24)))),
        ("deep branches", shader(&("if_lt r0.x, c1.x\n".repeat(2500) + "add r0, r0, c1\n" + &"endif\n".repeat(2500)))),
        ("subroutines that call two each", {
            let labels = repeat(60, |k| match k {
                59 => format!("ret\nlabel l{k}\nadd r0, r0, c1\n"),
                _ => format!("ret\nlabel l{k}\ncall l{next}\ncall l{next}\n", next = k + 1),
            });
            format!("ps_3_0\ndef c1, 1, 1, 1, 1\ncall l0\nmov oC0, r0\n{labels}ret\n")
        }),
        ("definitions", shader(&pieces(|k| format!("def c{}, 1, 2, 3, 4\n", k % 224)))),
        ("modifiers", shader(&format!("mov r0, {}r0\n", "-".repeat(60_000)))),
        ("a name", shader(&"n".repeat(60_000))),
        ("lines", shader(&"\n".repeat(60_000))),
        ("mistakes", shader(&"bad\n".repeat(15_000))),
        ("swizzles", shader(&format!("mov r0, r0.{}\n", "xyzw".repeat(15_000)))),
    ]
}

/// The time that a source takes, after what comes of it.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (run(), start.elapsed())
}

#[test]
fn sources_end_soon() {
    let named = |language, sources: Vec<(&'static str, String)>| {
        sources.into_iter().map(move |(name, text)| (name, language, text))
    };
    let mut slow = Vec::new();
    for (name, language, text) in named(Language::Glsl, glsl_sources()).chain(named(Language::Wgsl, wgsl_sources())) {
        let (result, took) = timed(|| compile(&text, language, &Options::default()));
        let outcome = match result {
            Ok(compiled) => format!("{} instructions", compiled.program.code.len()),
            Err(CompileError::Read(failure)) if failure.error == ReadError::Failed => panic!("{name}: {failure}"),
            Err(error) => format!("line {}: {error}", error.line()),
        };
        println!("{took:>10.1?} {language:?} {name}: {}", &outcome[..outcome.floor_char_boundary(150)]);
        if took > LONGEST {
            slow.push((name, took));
        }
    }
    for (name, text) in pixel_shaders() {
        let (result, took) = timed(|| compile_pixel_shader(name, &text, ps::Options::default()));
        let outcome = match result {
            Ok(shader) => format!("{} instructions", shader.compiled.program.code.len()),
            Err(diagnostics) => format!("{} errors: {}", diagnostics.len(), diagnostics[0].message),
        };
        println!("{took:>10.1?} ps {name}: {}", &outcome[..outcome.floor_char_boundary(150)]);
        if took > LONGEST {
            slow.push((name, took));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
