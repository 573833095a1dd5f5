//! What sources mean, by hand: everything that a text says is computed, when and as often as the language says. Each body ends in a
//! value of four channels, which the function as it was read, the optimised one, and its machine code's function have to give.

use ctm_compile::front::naga::{read_glsl, read_wgsl};
use ctm_compile::front::{Interface, Uniform};
use ctm_compile::ir::{Environment, Fetch, Function, Output, QUAD, eval, verify};
use ctm_compile::opt::optimise;

/// Uniforms `k` = 3, `n` = 2, `v` = (1, 2, 3, 4), `yes`; the input `uv` = (5, 7).
struct Given {
    constants: Vec<[f32; 4]>,
}

impl Given {
    fn new(interface: &Interface) -> Given {
        let mut given = Given { constants: vec![[0.0; 4]; 256] };
        for uniform in &interface.uniforms {
            for (number, value) in value(uniform).into_iter().enumerate() {
                let (column, row) = (number / usize::from(uniform.rows), number % usize::from(uniform.rows));
                let (register, channel) = (usize::from(uniform.place.register), usize::from(uniform.place.channel));
                given.constants[register + column][channel + row] = value;
            }
        }
        given
    }
}

/// The value of a uniform: what the test gives it by its name, else what the source gives it.
fn value(uniform: &Uniform) -> Vec<f32> {
    match uniform.name.trim_start_matches("u.") {
        "k" => vec![3.0],
        "n" => vec![2.0],
        "v" => vec![1.0, 2.0, 3.0, 4.0],
        "yes" => vec![1.0],
        _ => uniform.default.clone(),
    }
}

impl Environment for Given {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        self.constants[usize::from(register)][usize::from(channel)].to_bits()
    }
    fn boolean(&self, _: u8) -> bool {
        false
    }
    fn passes(&self, _: u8) -> u32 {
        0
    }
    fn position(&self) -> [u32; 2] {
        [4, 6]
    }
    fn varying(&self, _: u8, channel: u8) -> [u32; QUAD] {
        [[5.0f32, 7.0, 0.0, 1.0][usize::from(channel)].to_bits(); QUAD]
    }
    /// The number of the texture, from 10 on, and the first number of the lookup.
    fn fetch(&self, fetch: &Fetch, arguments: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        [[(f32::from(fetch.unit) + 10.0).to_bits(); QUAD], arguments[0], [0; QUAD], [0; QUAD]]
    }
}

fn colour(function: &Function, given: &Given) -> Result<[f32; 4], String> {
    verify(function).map_err(|error| format!("{error}\n{function}"))?;
    let outcome = eval(function, given, 1 << 20).map_err(|stop| stop.to_string())?;
    let mut colour = [f32::NAN; 4];
    for (output, bits) in function.outputs.iter().zip(&outcome.outputs) {
        if let Output::Colour { slot: 0, channel } = *output {
            colour[usize::from(channel)] = f32::from_bits(bits[0]);
        }
    }
    Ok(colour)
}

fn check(text: &str, wgsl: bool, wanted: [f32; 4]) -> Result<(), String> {
    let module = if wgsl { read_wgsl(text) } else { read_glsl(text, &[]) };
    let shader =
        module.and_then(|module| module.lower(None)).map_err(|error| format!("line {}: {error}", error.line))?;
    let given = Given::new(&shader.interface);
    for (form, function) in [("read", &shader.function), ("optimised", &optimise(&shader.function))] {
        let found = colour(function, &given)?;
        let near =
            found.iter().zip(wanted).all(|(&found, wanted)| (found - wanted).abs() <= 1e-5 * (1.0 + wanted.abs()));
        if !near {
            return Err(format!("{form}: {found:?}, not {wanted:?}"));
        }
    }
    Ok(())
}

fn all(cases: &[(&str, &str, &str, [f32; 4])], wgsl: bool, text: impl Fn(&str, &str) -> String) {
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|(name, declarations, body, wanted)| {
            let text = text(declarations, body);
            check(&text, wgsl, *wanted).err().map(|error| format!("{name}: {error}\n{declarations}\n{body}"))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), cases.len(), failed.join("\n\n"));
}

#[test]
fn glsl() {
    all(GLSL, false, |declarations, body| {
        format!(
            "#version 330\nuniform float k; uniform int n; uniform vec4 v; uniform bool yes; in vec2 uv; out vec4 c;\n{declarations}\nvoid main() {{ {body} }}\n"
        )
    });
}

/// Texts that do not say what they mean are refused, never read as something else.
#[test]
fn what_has_no_value_is_refused() {
    for (declarations, body, wanted) in [
        ("uniform float d = k * 2.0;", "c = vec4(d);", "initial value that is not a constant"),
        (
            "const vec2 a = vec2(1.0, 2.0); const float b = sqrt(a.y); uniform float d = b;",
            "c = vec4(d);",
            "initial value that is not a constant",
        ),
        ("layout(pixel_center_integer) in vec4 gl_FragCoord;", "c = gl_FragCoord;", "pixel_center_integer"),
        ("in vec2 w = vec2(1.0);", "c = vec4(w, w);", "the input `w`"),
        (
            "struct S { float a[4000]; }; struct T { S a[100]; S b[100]; S d[100]; };",
            "c = vec4(1.0);",
            "`T` holds more",
        ),
        ("float a[3000][3000];", "c = vec4(1.0);", "`a` holds more"),
        ("", "float a[2000000000]; c = vec4(1.0);", "`2000000000` is not a number of elements"),
    ] {
        let text = format!("#version 330\nuniform float k; out vec4 c;\n{declarations}\nvoid main() {{ {body} }}\n");
        let error = read_glsl(&text, &[]).and_then(|module| module.lower(None)).expect_err(&text).to_string();
        assert!(error.contains(wanted), "{text}{error}");
    }
}

/// Names, declarations, bodies, values.
const GLSL: &[(&str, &str, &str, [f32; 4])] = &[
    // Globals with values.
    ("of a uniform", "float g = k * 2.0;", "c = vec4(g);", [6.0; 4]),
    ("of an input", "vec2 g = uv - 0.5;", "c = vec4(g, 0.0, 1.0);", [4.5, 6.5, 0.0, 1.0]),
    (
        "of another global",
        "float a = k; float b = a + 1.0, d = b * a;",
        "c = vec4(a, b, d, 0.0);",
        [3.0, 4.0, 12.0, 0.0],
    ),
    (
        "of a constant and a global",
        "const float a = 2.0; float b = a * k; float d = b * a;",
        "c = vec4(a, b, d, 0.0);",
        [2.0, 6.0, 12.0, 0.0],
    ),
    ("of a function", "float f(float x) { return x * x; } float g = f(k);", "c = vec4(g);", [9.0; 4]),
    (
        "of a function that changes another global",
        "float a = 1.0; float f() { a += k; return a; } float b = f(); float d = a;",
        "c = vec4(a, b, d, 0.0);",
        [4.0, 4.0, 4.0, 0.0],
    ),
    ("of the library", "float g = sqrt(k + 1.0);", "c = vec4(g);", [2.0; 4]),
    ("a vector of scalars", "vec3 g = vec3(k, 1, n);", "c = vec4(g, 0.0);", [3.0, 1.0, 2.0, 0.0]),
    ("a vector by a whole number", "float g = 1 + n;", "c = vec4(g);", [3.0; 4]),
    ("a matrix", "mat2 g = mat2(k, 1.0, 2.0, k);", "c = vec4(g[0], g[1]);", [3.0, 1.0, 2.0, 3.0]),
    ("an array", "float g[3] = float[3](k, 1.0, v.y);", "c = vec4(g[0], g[1], g[2], g[n]);", [3.0, 1.0, 2.0, 2.0]),
    (
        "an array without a size",
        "float g[] = float[](k, 1.0, v.y);",
        "c = vec4(g[0], g[1], g[2], g[n]);",
        [3.0, 1.0, 2.0, 2.0],
    ),
    ("an array in braces", "float g[3] = { k, 1.0, v.y };", "c = vec4(g[0], g[1], g[2], g[n]);", [3.0, 1.0, 2.0, 2.0]),
    (
        "a structure",
        "struct S { float a; vec2 b; }; S g = S(k, v.zw);",
        "c = vec4(g.a, g.b, 0.0);",
        [3.0, 3.0, 4.0, 0.0],
    ),
    (
        "a structure with its variable",
        "struct S { float a; vec2 b; } g = S(k, v.zw);",
        "c = vec4(g.a, g.b, 0.0);",
        [3.0, 3.0, 4.0, 0.0],
    ),
    (
        "structures in arrays",
        "struct S { float a; vec2 b; }; S g[2] = S[2](S(k, v.zw), S(1.0, v.xy));",
        "c = vec4(g[0].a, g[1].b, g[n - 1].a);",
        [3.0, 1.0, 2.0, 1.0],
    ),
    ("a choice", "float g = k > 2.0 ? v.x : v.y;", "c = vec4(g);", [1.0; 4]),
    ("a boolean", "bool g = k > 2.0 && yes;", "c = vec4(g ? 1.0 : 2.0);", [1.0; 4]),
    ("a whole number", "int g = n * 3;", "c = vec4(float(g));", [6.0; 4]),
    ("of a constant of the library", "const float g = sqrt(4.0) + max(1.0, 2.0);", "c = vec4(g);", [4.0; 4]),
    (
        "constants in constants",
        "const vec2 a = vec2(1.0, 2.0); const float b = a.y; const vec2 d[2] = vec2[2](a, a * b); const float e = d[1].y;",
        "c = vec4(a, b, e);",
        [1.0, 2.0, 2.0, 4.0],
    ),
    (
        "a constant array, by a variable",
        "const float a[3] = float[3](4.0, 5.0, 6.0);",
        "c = vec4(a[n], a[1], a[n - 2], 0.0);",
        [6.0, 5.0, 4.0, 0.0],
    ),
    (
        "behind a function that reads it",
        "float g = k * 2.0; float f() { return g; }",
        "g += 1.0; c = vec4(f());",
        [7.0; 4],
    ),
    (
        "behind a function that is declared before",
        "float f(); float g = k * 2.0; float h = f(); float f() { return g + 1.0; }",
        "c = vec4(h);",
        [7.0; 4],
    ),
    ("without a value", "float g; vec2 h;", "c = vec4(g, h, 1.0);", [0.0, 0.0, 0.0, 1.0]),
    ("of a macro", "#define G k * 2.0\nfloat g = G;", "c = vec4(g);", [6.0; 4]),
    ("of the position", "vec2 g = gl_FragCoord.xy;", "c = vec4(g, 0.0, 1.0);", [4.5, 6.5, 0.0, 1.0]),
    (
        "that a local variable hides",
        "float g = k * 2.0;",
        "float h = g; { float g = 1.0; h += g; } c = vec4(h, g, 0.0, 0.0);",
        [7.0, 6.0, 0.0, 0.0],
    ),
    ("an output", "out vec4 d = vec4(k);", "c = d;", [3.0; 4]),
    // Values of uniforms.
    ("a default", "uniform float d = 2.5;", "c = vec4(d);", [2.5; 4]),
    (
        "defaults",
        "uniform vec2 d = vec2(1.0, 2.0); uniform mat2 m = mat2(1.0, 2.0, 3.0, 4.0); uniform float e = -1.5;",
        "c = vec4(d, m[1][0], e);",
        [1.0, 2.0, 3.0, -1.5],
    ),
    (
        "a default of a constant",
        "const float a = 2.0; uniform float d = a; uniform vec2 e = vec2(a);",
        "c = vec4(d, e, 0.0);",
        [2.0, 2.0, 2.0, 0.0],
    ),
    (
        "a default of an operation",
        "uniform float d = 1.0 / 4.0; uniform vec2 e = vec2(1.0) * 2.0;",
        "c = vec4(d, e, 0.0);",
        [0.25, 2.0, 2.0, 0.0],
    ),
    (
        "a default of an array",
        "uniform float d[3] = float[3](1.0, 2.0, 3.0);",
        "c = vec4(d[0], d[1], d[2], d[n]);",
        [1.0, 2.0, 3.0, 3.0],
    ),
    (
        "a default of a whole number",
        "uniform int d = 7; uniform bool e = true;",
        "c = vec4(float(d), e ? 1.0 : 0.0, 0.0, 0.0);",
        [7.0, 1.0, 0.0, 0.0],
    ),
    (
        "a default that is converted",
        "uniform float d = 7; uniform vec2 e = vec2(1, 2);",
        "c = vec4(d, e, 0.0);",
        [7.0, 1.0, 2.0, 0.0],
    ),
    // Operators with effects.
    (
        "and",
        "float g = 0.0; bool f() { g += 1.0; return true; }",
        "bool a = k > 5.0 && f(); bool b = k > 2.0 && f(); c = vec4(g, a ? 1.0 : 0.0, b ? 1.0 : 0.0, 0.0);",
        [1.0, 0.0, 1.0, 0.0],
    ),
    (
        "or",
        "float g = 0.0; bool f() { g += 1.0; return false; }",
        "bool a = k > 5.0 || f(); bool b = k > 2.0 || f(); c = vec4(g, a ? 1.0 : 0.0, b ? 1.0 : 0.0, 0.0);",
        [1.0, 0.0, 1.0, 0.0],
    ),
    (
        "exclusive or",
        "float g = 0.0; bool f() { g += 1.0; return false; }",
        "bool a = k > 2.0 ^^ f(); c = vec4(g, a ? 1.0 : 0.0, 0.0, 0.0);",
        [1.0, 1.0, 0.0, 0.0],
    ),
    (
        "and in a global",
        "float g = 0.0; bool f() { g += 1.0; return true; } bool a = k > 5.0 && f(); bool b = k > 2.0 && f();",
        "c = vec4(g, a ? 1.0 : 0.0, b ? 1.0 : 0.0, 0.0);",
        [1.0, 0.0, 1.0, 0.0],
    ),
    (
        "a choice of calls",
        "float g = 0.0; float f(float x) { g += x; return x; }",
        "float a = k > 5.0 ? f(10.0) : f(1.0); c = vec4(g, a, 0.0, 0.0);",
        [1.0, 1.0, 0.0, 0.0],
    ),
    (
        "a choice of assignments",
        "",
        "float a = 1.0, b = 2.0; k > 2.0 ? (a = 5.0) : (b = 6.0); c = vec4(a, b, 0.0, 0.0);",
        [5.0, 2.0, 0.0, 0.0],
    ),
    (
        "a list",
        "",
        "float a = 1.0, b = 2.0; float d = (a = 5.0, b += a, a + b); c = vec4(a, b, d, 0.0);",
        [5.0, 7.0, 12.0, 0.0],
    ),
    (
        "assignments in assignments",
        "",
        "float a, b; a = b = k; float d = (a += 1.0) * 2.0; c = vec4(a, b, d, 0.0);",
        [4.0, 3.0, 8.0, 0.0],
    ),
    (
        "increments",
        "",
        "int i = 1; int a = i++; int b = ++i; int d = i--; int e = --i; c = vec4(a, b, d, e);",
        [1.0, 3.0, 3.0, 1.0],
    ),
    (
        "increments of floats and vectors",
        "",
        "float x = 1.0; float a = x++; vec2 w = vec2(1.0, 2.0); vec2 y = w++; ++w; c = vec4(a + x, y, w.y);",
        [3.0, 1.0, 2.0, 4.0],
    ),
    (
        "increments of channels",
        "",
        "vec4 w = v; float a = w.y++; ++w.x; w.zw--; c = vec4(w.x + a, w.yzw);",
        [4.0, 3.0, 2.0, 3.0],
    ),
    (
        "increments of elements",
        "",
        "float a[3] = float[3](1.0, 2.0, 3.0); a[n]++; float b = ++a[1]; mat2 m = mat2(1.0); m[1][0]++; ++m[0].y; c = vec4(a[2], b, m[1][0], m[0][1]);",
        [4.0, 3.0, 1.0, 1.0],
    ),
    (
        "increments of members",
        "struct S { float a; ivec2 b; };",
        "S s = S(1.0, ivec2(2, 3)); s.a++; s.b.y++; --s.b.x; c = vec4(s.a, s.b, 0.0);",
        [2.0, 1.0, 4.0, 0.0],
    ),
    (
        "an increment in an index",
        "",
        "float a[4] = float[4](1.0, 2.0, 3.0, 4.0); int i = 0; float x = a[i++]; float y = a[++i]; a[i++] = 9.0; c = vec4(x, y, a[2], i);",
        [1.0, 3.0, 9.0, 3.0],
    ),
    (
        "an increment in an index that is changed",
        "",
        "float a[4] = float[4](1.0, 2.0, 3.0, 4.0); int i = 0; a[i++] += 10.0; a[i++] *= 10.0; c = vec4(a[0], a[1], a[2], i);",
        [11.0, 20.0, 3.0, 2.0],
    ),
    (
        "a call in an index that is changed",
        "int calls = 0; int f() { return calls++; }",
        "float a[4] = float[4](1.0, 2.0, 3.0, 4.0); a[f()] += 10.0; a[f()]++; vec4 w = v; w[f()] -= 1.0; c = vec4(a[0], a[1], w.z, calls);",
        [11.0, 3.0, 2.0, 3.0],
    ),
    (
        "a member of an element that is changed",
        "struct S { vec2 a[2]; };",
        "S s[2]; s[0].a[0] = vec2(1.0); s[1].a[1] = vec2(2.0, 3.0); int i = 0; s[i++].a[i - 1].y += 5.0; s[i].a[i++].xy *= 2.0; c = vec4(s[0].a[0], s[1].a[1]);",
        [1.0, 6.0, 4.0, 6.0],
    ),
    (
        "values before they change",
        "",
        "float x = 1.0; float a = x + (x = 5.0); float b = x++ + x; c = vec4(a, b, x, 0.0);",
        [6.0, 11.0, 6.0, 0.0],
    ),
    // Assignments of parts.
    ("channels that trade places", "", "vec4 w = v; w.xy = w.yx; w.zw = w.xz; c = w;", [2.0, 1.0, 2.0, 3.0]),
    ("channels of channels", "", "vec4 w = v; w.zyx.xy = vec2(9.0, 8.0); c = w;", [1.0, 8.0, 9.0, 4.0]),
    (
        "channels with an operator",
        "",
        "vec4 w = v; w.wx += vec2(10.0, 20.0); w.yz *= 2.0; c = w;",
        [21.0, 4.0, 6.0, 14.0],
    ),
    ("a channel by a variable", "", "vec4 w = v; w[n] = 9.0; w[n + 1] += 1.0; c = w;", [1.0, 2.0, 9.0, 5.0]),
    (
        "channels of elements",
        "",
        "vec3 a[2] = vec3[2](v.xyz, v.yzw); a[n - 1].zx = vec2(8.0, 9.0); a[0].yz += 1.0; c = vec4(a[0].yz, a[1].xz);",
        [3.0, 4.0, 9.0, 8.0],
    ),
    (
        "columns and rows",
        "",
        "mat3 m = mat3(0.0); m[1] = v.xyz; m[n].y = 7.0; m[0][n] = 6.0; m[1].xz = vec2(4.0, 5.0); c = vec4(m[1].x + m[1].z, m[1].y, m[2].y, m[0].z);",
        [9.0, 2.0, 7.0, 6.0],
    ),
    (
        "arrays are copied",
        "",
        "float a[2] = float[2](1.0, 2.0), b[2]; b = a; a[0] = 5.0; c = vec4(a[0], b[0], b[1], 0.0);",
        [5.0, 1.0, 2.0, 0.0],
    ),
    (
        "structures are copied",
        "struct S { float a; vec2 b; };",
        "S s = S(1.0, v.xy), t = s; s.a = 5.0; s.b.x = 6.0; c = vec4(s.a, t.a, t.b);",
        [5.0, 1.0, 1.0, 2.0],
    ),
    (
        "arrays of arrays",
        "",
        "float a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = float(10 * i + j); c = vec4(a[0][2], a[1][0], a[n - 1][n], a[0][0]);",
        [2.0, 10.0, 12.0, 0.0],
    ),
    // Calls.
    (
        "a value that nobody takes",
        "float g = 0.0; float f() { g += 1.0; return g; }",
        "f(); f(); c = vec4(g);",
        [2.0; 4],
    ),
    (
        "parameters that change",
        "void f(inout float a, out float b, in float d) { a += d; b = a; d = 100.0; }",
        "float x = 1.0, y = 50.0, z = 2.0; f(x, y, z); c = vec4(x, y, z, 0.0);",
        [3.0, 3.0, 2.0, 0.0],
    ),
    (
        "channels as parameters",
        "void f(inout vec2 a, out float b) { b = a.x; a = a.yx + 1.0; }",
        "vec4 w = v; f(w.zy, w.x); c = w;",
        [3.0, 4.0, 3.0, 4.0],
    ),
    (
        "elements as parameters",
        "void f(inout float a) { a *= 2.0; }",
        "float a[3] = float[3](1.0, 2.0, 3.0); mat2 m = mat2(5.0); f(a[n]); f(a[0]); f(m[1][1]); f(m[0].x); c = vec4(a[0], a[2], m[1][1], m[0][0]);",
        [2.0, 6.0, 10.0, 10.0],
    ),
    (
        "members as parameters",
        "struct S { float a; vec2 b; }; void f(inout float a) { a *= 2.0; } void g(inout S s) { s.a += 1.0; f(s.b.y); }",
        "S s = S(1.0, v.xy); g(s); f(s.a); c = vec4(s.a, s.b, 0.0);",
        [4.0, 1.0, 4.0, 0.0],
    ),
    (
        "arrays as parameters",
        "void f(float a[2]) { a[0] = 9.0; } void g(inout float a[2]) { a[0] = 8.0; }",
        "float a[2] = float[2](1.0, 2.0); f(a); float x = a[0]; g(a); c = vec4(x, a[0], a[1], 0.0);",
        [1.0, 8.0, 2.0, 0.0],
    ),
    (
        "a global as a parameter",
        "float g = 1.0; void f(inout float a) { a += 1.0; g = 10.0; a += 1.0; }",
        "f(g); c = vec4(g);",
        [3.0; 4],
    ),
    (
        "a parameter that is read from a global",
        "float g = 1.0; float f(float a) { g = 10.0; return a; }",
        "float x = f(g); c = vec4(x, g, 0.0, 0.0);",
        [1.0, 10.0, 0.0, 0.0],
    ),
    (
        "an index that a call changes",
        "int i = 0; void f(out float a) { i = 1; a = 5.0; }",
        "float a[2] = float[2](1.0, 2.0); f(a[i]); c = vec4(a[0], a[1], i, 0.0);",
        [5.0, 2.0, 1.0, 0.0],
    ),
    (
        "one variable twice",
        "void f(float a, inout float b) { b += 1.0; b += a; }",
        "float x = 2.0; f(x, x); c = vec4(x);",
        [5.0; 4],
    ),
    (
        "a parameter that is converted",
        "float f(float a, vec2 b) { return a + b.x; } void g(out float a) { a = 2.0; }",
        "float x; g(x); c = vec4(f(1, vec2(n)), x, 0.0, 0.0);",
        [3.0, 2.0, 0.0, 0.0],
    ),
    (
        "functions of one name",
        "float f(float a) { return a; } float f(vec2 a) { return a.y * 10.0; } float f(int a) { return float(a) * 100.0; }",
        "c = vec4(f(k), f(v.xy), f(n), 0.0);",
        [3.0, 20.0, 200.0, 0.0],
    ),
    (
        "returns",
        "float f(float x) { if (x > 2.0) { return 1.0; } else if (x > 1.0) return 2.0; for (int i = 0; i < 3; i++) { if (x * float(i) > 1.0) return float(i) + 10.0; } return 3.0; }",
        "c = vec4(f(3.0), f(1.5), f(0.75), f(0.25));",
        [1.0, 2.0, 12.0, 3.0],
    ),
    (
        "a function that calls functions",
        "float g = 1.0; float f(float x) { g *= 2.0; return x + g; } float h(float x) { return f(f(x)); }",
        "c = vec4(h(1.0), g, 0.0, 0.0);",
        [7.0, 4.0, 0.0, 0.0],
    ),
    (
        "the order of calls",
        "float g = 1.0; float f(float x) { g = g * 10.0 + x; return g; }",
        "float a = f(1.0) + f(2.0) * f(3.0); c = vec4(g, a, 0.0, 0.0);",
        [1123.0, 11.0 + 112.0 * 1123.0, 0.0, 0.0],
    ),
    // Loops and choices.
    (
        "conditions with effects",
        "",
        "int i = 0, a = 0; while (i++ < 3) a += i; int j = 5, b = 0; do { b += j; } while (--j > 2); c = vec4(i, a, j, b);",
        [4.0, 6.0, 2.0, 12.0],
    ),
    (
        "heads with lists",
        "",
        "int a = 0; for (int i = 0, j = 10; i < j; i++, j -= 2) a += j - i; c = vec4(a);",
        [22.0; 4],
    ),
    (
        "heads that lack parts",
        "",
        "int a = 0, i = 0; for (;;) { if (i >= 4) break; a += i; i++; } for (; i < 6;) i++; c = vec4(a, i, 0.0, 0.0);",
        [6.0, 6.0, 0.0, 0.0],
    ),
    (
        "continue",
        "",
        "int a = 0; for (int i = 0; i < 6; i++) { if (i == 2) continue; if (i == 5) break; a += i; } int j = 0, b = 0; while (j < 6) { j++; if (j % 2 == 0) continue; b += j; } int m = 0, d = 0; do { m++; if (m == 2) continue; d += m; } while (m < 4); c = vec4(a, b, d, 0.0);",
        [8.0, 9.0, 8.0, 0.0],
    ),
    (
        "loops in loops",
        "",
        "int a = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == i) continue; if (j > i + 1) break; a += 10 * i + j; } } c = vec4(a);",
        [64.0; 4],
    ),
    (
        "values in loops",
        "",
        "float a = 0.0; for (int i = 0; i < 3; i++) { float b = 1.0; b += float(i); a += b; float d[2] = float[2](1.0, 2.0); d[0] += 1.0; a += d[0]; } c = vec4(a);",
        [12.0; 4],
    ),
    (
        "cases",
        "",
        "vec4 r = vec4(0.0); for (int i = 0; i < 4; i++) { switch (i) { case 0: r.x += 1.0; case 1: r.x += 10.0; break; case 2: { r.y += 1.0; break; } default: r.z += 1.0; } } c = r;",
        [21.0, 1.0, 1.0, 0.0],
    ),
    (
        "a default in the middle",
        "",
        "vec4 r = vec4(0.0); for (int i = 0; i < 5; i++) { switch (i) { case 0: r.x += 1.0; break; default: r.y += 1.0; case 2: r.z += 1.0; break; case 3: r.w += 1.0; } } c = r;",
        [1.0, 2.0, 3.0, 1.0],
    ),
    (
        "breaks inside of cases",
        "",
        "float r = 0.0; for (int i = 0; i < 4; i++) { switch (i) { case 1: if (k > 2.0) break; r += 100.0; case 2: if (i == 2) continue; r += 10.0; break; default: r += 1.0; break; } r += 1000.0; } c = vec4(r);",
        [3002.0; 4],
    ),
    (
        "a selector with effects",
        "",
        "int i = 1; float r = 0.0; switch (i++) { case 1: r = 5.0; break; case 2: r = 6.0; break; } c = vec4(r, i, 0.0, 0.0);",
        [5.0, 2.0, 0.0, 0.0],
    ),
    (
        "cases that return",
        "float f(int i) { switch (i) { case 0: return 1.0; case 1: case 2: return 2.0; } return 3.0; }",
        "c = vec4(f(0), f(1), f(2), f(3));",
        [1.0, 2.0, 2.0, 3.0],
    ),
    (
        "what follows a return",
        "float g = 0.0; void f() { g += 1.0; if (k > 2.0) return; g += 10.0; }",
        "f(); c = vec4(g);",
        [1.0; 4],
    ),
    (
        "names that hide others",
        "float x = 1.0;",
        "float y = x; float x = x + 1.0; { float x = x * 10.0; y += x; } for (int x = 0; x < 2; x++) y += float(x); c = vec4(x, y, 0.0, 0.0);",
        [2.0, 22.0, 0.0, 0.0],
    ),
    // Constructors and conversions.
    (
        "matrices of matrices",
        "",
        "mat4 m = mat4(v, v * 2.0, v * 3.0, v * 4.0); mat3 a = mat3(m); mat2 b = mat2(m); mat4 d = mat4(a); c = vec4(a[2].z, b[1].y, d[3].w, d[2].w);",
        [9.0, 4.0, 1.0, 0.0],
    ),
    (
        "matrices of parts",
        "",
        "mat2 a = mat2(v.xy, 5.0, 6.0); mat3 b = mat3(k); mat2x3 d = mat2x3(v.xyz, v.yzw); c = vec4(a[1], b[1].y + b[1].x, d[1].z);",
        [5.0, 6.0, 3.0, 4.0],
    ),
    (
        "vectors of parts",
        "",
        "vec4 a = vec4(v.xy, 5, true); vec2 b = vec2(v); ivec2 d = ivec2(2.7, -2.7); c = vec4(a.z + a.w, b.y, d);",
        [6.0, 2.0, 2.0, -2.0],
    ),
    (
        "products",
        "",
        "mat2 m = mat2(1.0, 2.0, 3.0, 4.0); vec2 a = m * vec2(1.0, 10.0); vec2 b = vec2(1.0, 10.0) * m; vec2 w = vec2(1.0, 10.0); w *= m; c = vec4(a, b.x, w.y);",
        [31.0, 42.0, 21.0, 43.0],
    ),
    (
        "matrices with operators",
        "",
        "mat2 m = mat2(1.0, 2.0, 3.0, 4.0); m += 1.0; m *= 2.0; m = -m; m = m - mat2(1.0); m++; c = vec4(m[0], m[1]);",
        [-4.0, -5.0, -7.0, -10.0],
    ),
    (
        "comparisons",
        "",
        "mat2 m = mat2(1.0), o = m; bool a = m == o; o[1][0] = 1.0; bool b = m != o; c = vec4(a, b, v.xy == vec2(1.0, 2.0), v.xy != vec2(1.0, 3.0));",
        [1.0; 4],
    ),
    (
        "constants of functions",
        "",
        "const float a = 2.0; const vec2 b = vec2(a, a + 1.0); const float d[2] = float[2](a, b.y); c = vec4(a, b, d[n - 1]);",
        [2.0, 2.0, 3.0, 3.0],
    ),
    ("constants of functions of values", "", "const float a = k * 2.0; c = vec4(a);", [6.0; 4]),
    // What the language declares, declared again.
    ("a position that is declared", "in vec4 gl_FragCoord;", "c = gl_FragCoord;", [4.5, 6.5, 0.5, 1.0]),
    (
        "a position with a layout",
        "layout(origin_upper_left) in vec4 gl_FragCoord;",
        "c = gl_FragCoord;",
        [4.5, 6.5, 0.5, 1.0],
    ),
    (
        "a depth that is declared",
        "layout(depth_greater) out float gl_FragDepth;",
        "gl_FragDepth = 0.25; c = vec4(k);",
        [3.0; 4],
    ),
    // Numbers and operators.
    ("literals", "", "c = vec4(float(010), float(0x1F), 1e2, .5 + 2.f);", [8.0, 31.0, 100.0, 2.5]),
    (
        "unsigned literals",
        "",
        "uint i = 7u; c = vec4(float(i / 2u), float(i % 4u), float(0xFu), 0.0);",
        [3.0, 3.0, 15.0, 0.0],
    ),
    ("signs bind tighter", "", "c = vec4(-k * 2.0, -k - -k, !yes == false ? 1.0 : 0.0, - - k);", [-6.0, 0.0, 1.0, 3.0]),
    (
        "from left to right",
        "",
        "c = vec4(10.0 - 3.0 - 2.0, 12.0 / 3.0 * 2.0, 7 / 2 * 2, 10 - 3 + 2);",
        [5.0, 8.0, 6.0, 9.0],
    ),
    (
        "and before or",
        "",
        "bool a = true || false && false; bool b = true ^^ true && false; c = vec4(a ? 1.0 : 0.0, b ? 1.0 : 0.0, 1 + 2 * 3, (1 + 2) * 3);",
        [1.0, 1.0, 7.0, 9.0],
    ),
    (
        "choices in choices",
        "",
        "float a = k > 5.0 ? 1.0 : k > 2.0 ? 2.0 : 3.0; float b = k > 2.0 ? k > 5.0 ? 1.0 : 2.0 : 3.0; float d; float e = k > 2.0 ? d = 4.0 : 5.0; c = vec4(a, b, d, e);",
        [2.0, 2.0, 4.0, 4.0],
    ),
    ("whole quotients", "", "int m = -7; c = vec4(m / 2, m % 3, 7 / -2, m - m / 4 * 4);", [-3.0, -1.0, -3.0, -3.0]),
    (
        "conversions",
        "",
        "c = vec4(float(true), float(int(-2.7)), bool(2.0) ? 1.0 : 0.0, int(true) + int(3.9));",
        [1.0, -2.0, 1.0, 4.0],
    ),
    // Parts of values that are no variables.
    (
        "channels of calls",
        "vec3 f() { return v.xyz * 2.0; }",
        "c = vec4(f().zy, f()[0], (v + 1.0).w);",
        [6.0, 4.0, 2.0, 5.0],
    ),
    (
        "elements of constructors",
        "struct S { float a; vec2 b; };",
        "c = vec4(vec3(1.0, 2.0, 3.0)[n], float[3](4.0, 5.0, 6.0)[1], S(7.0, v.xy).a, mat2(1.0, 2.0, 3.0, 4.0)[1].y);",
        [3.0, 5.0, 7.0, 4.0],
    ),
    (
        "arrays that functions return",
        "float[3] f(float x) { return float[3](x, x + 1.0, x + 2.0); }",
        "float a[3] = f(k); c = vec4(a[0], a[2], f(1.0)[1], 0.0);",
        [3.0, 5.0, 2.0, 0.0],
    ),
    (
        "structures that functions return",
        "struct S { float a; vec2 b; }; S f(float x) { S s; s.a = x; s.b = vec2(x, 1.0); return s; }",
        "c = vec4(f(k).a, f(2.0).b, f(1.0).b.x);",
        [3.0, 2.0, 1.0, 1.0],
    ),
    (
        "arrays of arrays with values",
        "",
        "float a[2][3] = float[2][3](float[3](1.0, 2.0, 3.0), float[3](4.0, 5.0, 6.0)); c = vec4(a[0][2], a[1][0], a[n - 1][n], 0.0);",
        [3.0, 4.0, 6.0, 0.0],
    ),
    (
        "matrices of two sizes",
        "",
        "mat3x2 m = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); vec2 a = m * vec3(1.0, 10.0, 100.0); vec3 b = vec2(1.0, 10.0) * m; c = vec4(a, b.z, m[2].x);",
        [531.0, 642.0, 65.0, 5.0],
    ),
    // Ways out of main.
    (
        "a return from main",
        "",
        "c = vec4(1.0); if (k > 2.0) { c.y = 5.0; return; } c = vec4(2.0);",
        [1.0, 5.0, 1.0, 1.0],
    ),
    (
        "a return from a loop of main",
        "",
        "c = vec4(0.0); for (int i = 0; i < 5; i++) { c.x += 1.0; if (i == n) { c.y = 7.0; return; } } c = vec4(9.0);",
        [3.0, 7.0, 0.0, 0.0],
    ),
    (
        "a value before a return",
        "float g = k + 1.0; void f() { if (k > 2.0) { g *= 2.0; return; } g = 0.0; }",
        "f(); c = vec4(g); return;",
        [8.0; 4],
    ),
    (
        "cases of unsigned numbers",
        "",
        "uint i = uint(n); float r = 0.0; switch (i) { case 1u: r = 1.0; break; case 2u: r = 2.0; break; default: r = 3.0; } c = vec4(r);",
        [2.0; 4],
    ),
    (
        "a list at the head of a loop",
        "",
        "int i, j, a = 0; for (i = 0, j = 3; i < j; ++i, a += j) ; c = vec4(i, j, a, 0.0);",
        [3.0, 3.0, 9.0, 0.0],
    ),
];

#[test]
fn wgsl() {
    all(WGSL, true, |declarations, body| {
        format!(
            "struct U {{ k: f32, n: i32, v: vec4f }}\n@group(0) @binding(0) var<uniform> u: U;\n{declarations}\n@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {{ var c: vec4f; {body} return c; }}\n"
        )
    });
}

/// Names, texts without a version or with an old one, values: what older versions and other profiles have.
const OLDER: &[(&str, &str, [f32; 4])] = &[
    (
        "vectors of booleans",
        "uniform float k; void main() { bool a = k > 2.0; gl_FragColor = vec4(a) + vec4(vec3(k < 2.0), 1.0) * 4.0; }",
        [1.0, 1.0, 1.0, 5.0],
    ),
    (
        "constructors of several values with booleans",
        "uniform float k; bool f(float x) { return x > 2.0; } void main() { gl_FragColor = vec4(f(k), f(1.0), k, !f(1.0)); }",
        [1.0, 0.0, 3.0, 1.0],
    ),
    (
        "matrices of booleans",
        "uniform bool yes; void main() { mat2 m = mat2(yes); gl_FragColor = vec4(m[0], m[1]); }",
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "vectors of vectors of booleans, whole numbers of booleans",
        "uniform vec4 v; void main() { vec2 a = vec2(greaterThan(v, vec4(2.5))); ivec2 b = ivec2(v.x < 2.0); gl_FragColor = vec4(a + vec2(b), vec2(lessThan(v.xw, vec2(2.0)))); }",
        [1.0, 1.0, 1.0, 0.0],
    ),
    (
        "keywords of later versions as names",
        "#version 120
        uniform float k; struct B { float flat; }; float sample(float shared) { return shared * 2.0; }
        void main() { B smooth; smooth.flat = sample(k); float uint = 1.0, precise = 2.0, layout = 3.0, sampler = 4.0;
        gl_FragColor = vec4(smooth.flat + layout, uint, precise, sampler); }",
        [9.0, 1.0, 2.0, 4.0],
    ),
    (
        "keywords of later versions as qualifiers",
        "#version 400
        layout(location = 0) flat in int i; centroid in vec2 uv; sample in vec2 w; precise out vec4 c; uniform uint n; void main() { c = vec4(uv, uint(n), uvec2(w).y); }",
        [5.0, 7.0, 2.0, 7.0],
    ),
    (
        "what the pipeline has",
        "void main() { gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_MaxDrawBuffers, gl_DepthRange.diff + float(gl_MaxVaryingVectors)); }",
        [0.0, 1.0, 4.0, 9.0],
    ),
    (
        "matrices in structures",
        "uniform vec4 v; struct S { float f; mat2 m; vec2 t; }; struct T { S s[2]; };
        void main() { S a = S(1.0, mat2(v), v.xy); S b = a; b.m[1] = vec2(7.0, 8.0); b.m[0].y = 9.0; b.m *= 2.0;
        T t; t.s[1] = b; gl_FragColor = vec4(a.m * v.xy, t.s[1].m[0][1], (t.s[1].m)[1].x); }",
        [7.0, 10.0, 18.0, 14.0],
    ),
    (
        "matrices in structures, in arrays and uniforms",
        "uniform vec4 v; struct S { mat2 m[2]; }; void main() { S a; a.m[1] = mat2(v) + mat2(1.0); a.m[0] = a.m[1] * 2.0; vec2 r = a.m[0] * vec2(1.0, 0.0); gl_FragColor = vec4(r, a.m[1][1]); }",
        [4.0, 4.0, 3.0, 5.0],
    ),
    (
        "extensions",
        "#extension GL_OES_standard_derivatives : enable
        precision mediump float; varying vec2 uv;
        #if defined(GL_OES_standard_derivatives) && defined(GL_EXT_frag_depth) && defined(GL_EXT_shader_texture_lod)
        void main() { gl_FragColor = vec4(uv, dFdx(uv)); }
        #else
        #error no extensions
        #endif
",
        [5.0, 7.0, 0.0, 0.0],
    ),
    (
        "arrays sized by use",
        "uniform vec4 v; float a[]; void main() { a[2] = v.z; a[0] = v.w; gl_FragColor = vec4(a[0], a[1], a[2], float(a.length())); }",
        [4.0, 0.0, 3.0, 3.0],
    ),
    (
        "arrays that get their size later",
        "uniform vec4 v; float a[]; float a[4]; void main() { a[3] = v.z; gl_FragColor = vec4(a[3], a[1], 0.0, float(a.length())); }",
        [3.0, 0.0, 0.0, 4.0],
    ),
    (
        "attributes",
        "uniform int n; void main() { float s = 0.0; [[unroll]] for (int i = 0; i < 3; i++) { [[flatten]] if (i < n) s += 1.0; } gl_FragColor = vec4(s); }",
        [2.0; 4],
    ),
    (
        "interpolation at places of a pixel",
        "#version 400
        in vec2 uv; out vec4 c; void main() { c = vec4(interpolateAtCentroid(uv), interpolateAtOffset(uv, vec2(0.25)).x, interpolateAtSample(uv, 0).y); }",
        [5.0, 7.0, 5.0, 7.0],
    ),
    (
        "arrays of samplers",
        "uniform sampler2D s[3], t; const int LAST = 2; void main() { gl_FragColor = vec4(texture2D(s[0], vec2(1.0)).x, texture2D(s[LAST], vec2(1.0)).x, texture2D(t, vec2(1.0)).x, 0.0); }",
        [10.0, 11.0, 12.0, 0.0],
    ),
    (
        "arrays of samplers in loops",
        "uniform sampler2D s[3]; void main() { vec4 c = vec4(0.0); for (int i = 0; i < 3; i++) c += texture2D(s[2 - i], vec2(float(i), 1.0)) * float(i + 1); gl_FragColor = c; }",
        [12.0 + 22.0 + 30.0, 0.0 + 2.0 + 6.0, 0.0, 0.0],
    ),
    (
        "arrays of samplers by a uniform, through a function",
        "uniform int n; uniform sampler2D s[4]; vec4 f(sampler2D t, float x) { return texture2D(t, vec2(x)); } void main() { gl_FragColor = f(s[n - 1], f(s[n], 9.0).y); }",
        [11.0, 9.0, 0.0, 0.0],
    ),
    (
        "a bias of a texture with one direction",
        "#version 130
        uniform sampler1D s; in vec2 uv; void main() { gl_FragColor = texture(s, uv.x, 0.5) + texture1D(s, 1.0); }",
        [20.0, 6.0, 0.0, 0.0],
    ),
    (
        "names that everybody uses",
        "void main() { float mouse = 1.0; gl_FragColor = vec4(time, iResolution.xy, mouse) + texture2D(iChannel0, u_mouse) + iChannelResolution[1].x; }",
        [10.0, 0.0, 0.0, 1.0],
    ),
];

#[test]
fn older_glsl() {
    let failed: Vec<String> = OLDER
        .iter()
        .filter_map(|(name, text, wanted)| {
            check(text, false, *wanted).err().map(|error| format!("{name}: {error}\n{text}"))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), OLDER.len(), failed.join("\n\n"));
}

const WGSL: &[(&str, &str, &str, [f32; 4])] = &[
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
