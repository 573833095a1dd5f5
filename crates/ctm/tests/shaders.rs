//! Shaders in source: compiled, with the names of their source.

use ctm_gpu::debug::Position;
use ctm_gpu::object::probe::Language;
use ctm_gpu::{Array, Engine, Error, Machine, Program, Shader, ShaderOptions, Shape, load};

fn compile(text: &str, language: Language) -> Result<Shader, Error> {
    Shader::compile(text, language, &ShaderOptions::default())
}

const GLSL: &str = "
    uniform float level;
    uniform vec2 shift[2];
    uniform vec2 u_resolution;
    uniform float u_time;
    varying vec2 place;
    void main() { gl_FragColor = vec4(level * place.x + shift[1].y, place.y, u_resolution.x, u_time); }";

#[test]
fn uniforms_and_inputs_have_names() {
    let shader = compile(GLSL, Language::Glsl).unwrap();
    let pixels = shader.pixels(4, 2).uniform("level", &[8.0]).unwrap();
    let pixels = pixels.uniform("shift", &[0.0, 0.0, 0.0, 0.5]).unwrap().time(2.5);
    let mut kernel = pixels.compile(&Engine::fastest()).unwrap();
    kernel.run().unwrap();
    // Inputs go from 0 to 1 at the edges of the domain.
    assert_eq!(kernel.output(0).unwrap().to_floats()[..8], [1.5, 0.25, 4.0, 2.5, 3.5, 0.25, 4.0, 2.5]);
    kernel.set_uniform("level", &[0.0]).unwrap();
    kernel.set_time(4.0).unwrap();
    kernel.run().unwrap();
    assert_eq!(kernel.output(0).unwrap().to_floats()[..4], [0.5, 0.25, 4.0, 4.0]);

    let slot = shader.varying("place").unwrap();
    let corners = [[2.0, 8.0, 0.0, 1.0]; 3];
    let pixels = shader.pixels(2, 1).uniform("level", &[1.0]).unwrap().varying(slot, corners);
    let mut kernel = pixels.compile(&Engine::fastest()).unwrap();
    kernel.run().unwrap();
    assert_eq!(kernel.output(0).unwrap().to_floats(), [2.0, 8.0, 2.0, 0.0, 2.0, 8.0, 2.0, 0.0]);
}

#[test]
fn names_that_there_are_not_are_told() {
    let shader = compile(GLSL, Language::Glsl).unwrap();
    let told = |error: Error| error.to_string();
    let of_uniform = |name: &str, values: &[f32]| told(shader.pixels(1, 1).uniform(name, values).unwrap_err());
    assert_eq!(of_uniform("levl", &[1.0]), "the shader uses no uniform 'levl': it has 'level'");
    assert_eq!(of_uniform("shift", &[1.0; 3]), "the uniform 'shift' takes 4 numbers, or one for all, found 3");
    assert_eq!(told(shader.texture("sky").unwrap_err()), "the shader uses no texture 'sky': it uses no texture at all");
    assert!(told(shader.varying("uv").unwrap_err()).contains("it has place"));
    let plain = Program::assemble(Machine::X1k, "OUT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;");
    let pixels = ctm_gpu::Pixels::new(plain.unwrap(), 1, 1);
    assert!(matches!(pixels.clone().uniform("level", &[1.0]), Err(Error::NoNames)));
    let error = pixels.varying(0, [[0.0; 4]; 3]).compile(&Engine::fastest()).err().unwrap();
    assert_eq!(told(error), "interpolated input 0 is given, but the program takes none");
}

#[test]
fn programs_learn_the_sizes_of_their_textures() {
    let text = "#version 130\nuniform sampler2D image;
        void main() { gl_FragColor = vec4(textureSize(image, 0), texelFetch(image, ivec2(1, 0), 0).xy); }";
    let shader = compile(text, Language::Glsl).unwrap();
    let shape = Shape { width: 3, height: 1, channels: 4 };
    let image = Array::from_floats(shape, &[0.0, 0.0, 0.0, 0.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    let pixels = shader.pixels(1, 1).input(shader.texture("image").unwrap(), image);
    let mut kernel = pixels.compile(&Engine::fastest()).unwrap();
    kernel.run().unwrap();
    assert_eq!(kernel.output(0).unwrap().to_floats(), [3.0, 1.0, 5.0, 6.0]);
}

#[test]
fn other_languages_compile() {
    let wgsl = "@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f { return at; }";
    let ps = "ps_2_0\ndef c0, 1.0, 2.0, 3.0, 4.0\nmov oC0, c0\n";
    for (text, language, expected) in
        [(wgsl, Language::Wgsl, [0.5, 0.5, 0.5, 1.0]), (ps, Language::PixelShader, [1.0, 2.0, 3.0, 4.0])]
    {
        let mut kernel = compile(text, language).unwrap().pixels(1, 1).compile(&Engine::fastest()).unwrap();
        kernel.run().unwrap();
        assert_eq!(kernel.output(0).unwrap().to_floats(), expected, "{language}");
        // A file that holds it is compiled when it is loaded.
        let loaded = load(text.as_bytes(), None).unwrap().remove(0);
        assert_eq!(loaded.shader.unwrap().language, language);
    }
}

#[test]
fn errors_of_sources_have_their_place() {
    let error = compile("void main() {\n  gl_FragColor = vec4(colour, 1.0);\n}", Language::Glsl).unwrap_err();
    let Error::Source { line, .. } = error else { panic!("{error:?}") };
    assert_eq!(line, 2);
    assert!(error.to_string().starts_with("<text>:2:"), "{error}");
    let error = compile("ps_2_0\nmuv oC0, c0\n", Language::PixelShader).unwrap_err();
    assert!(matches!(&error, Error::Text(_)) && error.to_string().contains(":2:1"), "{error}");
    assert!(matches!(compile("EXIT;", Language::Sm50), Err(Error::NotCompiled { .. })));
}

#[test]
fn sources_are_linked() {
    let main = "float twice(float);\nuniform float level;\nvoid main() { gl_FragColor = vec4(twice(level)); }\n";
    let other = "#define TWO 2.0\nfloat twice(float x) {\n  return TWO * x * gl_FragCoord.x;\n}\n";
    let linked = |other: &str| ShaderOptions { linked: vec![other.to_owned()], ..ShaderOptions::default() };
    let shader = Shader::compile(main, Language::Glsl, &linked(other)).unwrap();
    let mut kernel = shader.pixels(2, 1).uniform("level", &[4.0]).unwrap().compile(&Engine::fastest()).unwrap();
    kernel.run().unwrap();
    assert_eq!(kernel.output(0).unwrap().to_floats()[3..5], [4.0, 12.0]);
    let places: Vec<_> = shader.lines.iter().map(|&line| shader.place(line)).collect();
    assert!(
        places.contains(&(1, 3)) && places.iter().all(|&(source, line)| [(0, 3), (1, 3)].contains(&(source, line))),
        "{places:?}"
    );
    let error = Shader::compile(main, Language::Glsl, &linked("float twice(float x) {\n  return y;\n}")).unwrap_err();
    assert!(error.to_string().starts_with("<linked 0>:2:"), "{error}");
    let wgsl = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";
    assert!(matches!(Shader::compile(wgsl, Language::Wgsl, &linked(other)), Err(Error::Linked { .. })));
}

/// What the variables hold is calculated here from the text.
#[test]
fn sessions_have_variables() {
    let text = "uniform float level;\nvoid main() {\n  vec2 p = gl_FragCoord.xy;\n  float sum = 0.0;\n  \
        for (int i = 0; i < 50; i++) {\n    sum = sum * 0.5 + p.x;\n    if (sum > level * p.x) break;\n  }\n  \
        gl_FragColor = vec4(sum, p, 1.0);\n}\n";
    let shader = compile(text, Language::Glsl).unwrap();
    let sums = |shader: &Shader| {
        let kernel = shader.pixels(8, 8).uniform("level", &[1.9]).unwrap().compile(&Engine::fastest()).unwrap();
        let mut session = kernel.debug((5, 3)).unwrap();
        let mut sums: Vec<f32> = Vec::new();
        let mut step = 0;
        while !session.snapshot().ended {
            for variable in session.snapshot().variables.iter().filter(|variable| variable.name == "sum") {
                sums.push(f32::from_bits(variable.values[0].bits));
            }
            step += 1;
            session.go_to(Position { step, ..session.position() }).unwrap();
        }
        sums.dedup();
        sums
    };
    assert_eq!(sums(&shader), []);
    let with = shader.with_variables().unwrap();
    assert_eq!(with.program, shader.program);
    assert_eq!(sums(&with), [0.0, 1.0, 1.5, 1.75, 1.875, 1.9375].map(|share| 5.5 * share));
    let kernel = with.pixels(8, 8).compile(&Engine::fastest()).unwrap();
    assert!(kernel.debug((8, 0)).is_err());
}
