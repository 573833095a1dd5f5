//! What sources mean, by hand: everything that a text says is computed, when and as often as the language says. Each body ends in a
//! value of four channels, which the function as it was read, the optimised one, and its machine code's function have to give.

mod glsl;
mod wgsl;

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

/// A name, declarations, a body, and what it gives.
type Case = (&'static str, &'static str, &'static str, [f32; 4]);

fn all(cases: &[Case], wgsl: bool, text: impl Fn(&str, &str) -> String) {
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
    all(glsl::CASES, false, |declarations, body| {
        format!(
            "#version 330\nuniform float k; uniform int n; uniform vec4 v; uniform bool yes; in vec2 uv; out vec4 c;\n{declarations}\nvoid main() {{ {body} }}\n"
        )
    });
}

#[test]
fn wgsl() {
    all(wgsl::CASES, true, |declarations, body| {
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
        "samplers in structures",
        "struct M { vec4 tint; sampler2D map; }; struct S { M m; sampler2D all[2]; }; uniform M one; uniform M two[2]; uniform S s;
        void main() { gl_FragColor = vec4(texture2D(one.map, vec2(1.0)).x, texture2D(two[1].map, vec2(1.0)).x, texture2D(s.m.map, vec2(1.0)).x, texture2D(s.all[1], vec2(1.0)).x); }",
        [10.0, 11.0, 13.0, 12.0],
    ),
    (
        "structures of samplers alone, in a loop",
        "struct M { sampler2D map; }; uniform M two[2]; void main() { vec4 c = vec4(0.0); for (int i = 0; i < 2; i++) c += texture2D(two[1 - i].map, vec2(1.0)) * float(i + 1); gl_FragColor = c; }",
        [11.0 + 20.0, 3.0, 0.0, 0.0],
    ),
    (
        "members of blocks with the block's qualifier",
        "#version 330
        uniform B { uniform vec4 v; }; out vec4 c; void main() { c = v; }",
        [1.0, 2.0, 3.0, 4.0],
    ),
    (
        "comments that go on in the next line",
        "uniform float k; // a \\\n b c d\nvoid main() { gl_FragColor = vec4(k); }",
        [3.0; 4],
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
