//! What is `precise` or `invariant` is calculated in the order of the text, each operation rounded.

use ctm_compile::front::ps;
use ctm_compile::ir::{Environment, Fetch, Function, QUAD, eval};
use ctm_compile::{Compiled, Language, Options, compile, compile_pixel_shader};

/// The input of all channels.
const INPUT: f32 = 5.3;

struct Given;

impl Environment for Given {
    fn uniform(&self, _: u8, _: u8) -> u32 {
        0
    }
    fn boolean(&self, _: u8) -> bool {
        false
    }
    fn passes(&self, _: u8) -> u32 {
        0
    }
    fn position(&self) -> [u32; 2] {
        [0, 0]
    }
    fn varying(&self, _: u8, _: u8) -> [u32; QUAD] {
        [INPUT.to_bits(); QUAD]
    }
    fn fetch(&self, _: &Fetch, _: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        [[0; QUAD]; 4]
    }
}

fn colour(function: &Function) -> Vec<f32> {
    let outcome = eval(function, &Given, 1000).expect("it ends");
    outcome.outputs.iter().map(|lanes| f32::from_bits(lanes[0])).collect()
}

fn glsl(text: &str, precise: bool) -> Compiled {
    let options = Options { precise, ..Options::default() };
    compile(text, Language::Glsl, &options).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Sums and products that passes write otherwise.
const BODY: &str = "float a = ((x + 0.1) + 0.2) * 3.3, b = (x * 0.7) * 1.9 + 0.3, d = x * 0.7 + x * 0.3;
    c = vec4(a, b, d, (x + 100.0) * 7.7);";

fn wanted() -> [f32; 4] {
    let x = INPUT;
    [((x + 0.1) + 0.2) * 3.3, (x * 0.7) * 1.9 + 0.3, x * 0.7 + x * 0.3, (x + 100.0) * 7.7]
}

#[test]
fn what_asks_for_it_keeps_its_order() {
    for (head, main, precise) in [
        ("#version 330\nin float x; out vec4 c;", "", true),
        ("#version 400\nin float x; precise out vec4 c;", "", false),
        ("#version 400\nin float x; out vec4 c;", "precise float y = x;", false),
        ("#version 400\nin float x; out vec4 c; precise c;", "", false),
        ("#version 330\nin float x; invariant out vec4 c;", "", false),
        ("#version 330\n#pragma STDGL invariant(all)\nin float x; out vec4 c;", "", false),
        ("#version 120\nvarying float x; invariant gl_FragColor;\n#define c gl_FragColor", "", false),
    ] {
        let compiled = glsl(&format!("{head}\nvoid main() {{ {main} {BODY} }}"), precise);
        assert!(compiled.optimised.is_exact, "{head} {main}");
        assert_eq!(colour(&compiled.read), wanted(), "{head} {main}\n{}", compiled.read);
        assert_eq!(colour(&compiled.optimised), wanted(), "{head} {main}\n{}", compiled.optimised);
    }
}

#[test]
fn what_does_not_ask_is_fast() {
    for head in [
        "#version 330\nin float x; out vec4 c;",
        "#version 330\ninvariant in float x; out vec4 c;",
        "#version 120\ninvariant varying float x;\n#define c gl_FragColor",
        "#version 330\nin float x; out vec4 c; float precise = 1.0;",
    ] {
        let compiled = glsl(&format!("{head}\nvoid main() {{ {BODY} }}"), false);
        let precise = glsl(&format!("{head}\nvoid main() {{ {BODY} }}"), true);
        assert!(!compiled.optimised.is_exact, "{head}");
        assert!(compiled.program.code.len() < precise.program.code.len(), "{head}\n{}", compiled.optimised);
    }
}

/// Noise that hashes whole numbers: both ways to the next cell give the same number.
#[test]
fn cells_of_noise_meet() {
    let text = "#version 330\nin float x; out vec4 c; float random(float x) { return fract(sin(x) * 1e4); }
        void main() { float i = floor(x); float n = i * 110.0; c = vec4(random(n + 110.0), random((i + 1.0) * 110.0), 0.0, 1.0); }";
    let colour = colour(&glsl(text, true).optimised);
    assert_eq!(colour[0], colour[1]);
}

#[test]
fn pixel_shaders_too() {
    let text = "ps_3_0\ndcl_texcoord0 v0\ndef c0, 0.1, 0.2, 3.3, 0.3\nadd r0, v0.x, c0.x\nadd r0, r0, c0.y\nmul r0, r0, c0.z\nmov oC0, r0\n";
    let options = ps::Options { precise: true, ..ps::Options::default() };
    let shader = compile_pixel_shader("text", text, options).expect("it is a shader").compiled;
    assert!(shader.optimised.is_exact);
    assert_eq!(colour(&shader.optimised), [wanted()[0]; 4], "{}", shader.optimised);
}
