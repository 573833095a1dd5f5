//! Shaders in source: compiled, run by the names in them, and refused with their lines.

use crate::common;

use common::{Folder, POSITION, project};
use std::fs;

const MIX: &str = "\
#version 330
uniform sampler2D picture; uniform float scale; uniform vec3 tint; uniform bool flip; uniform int count = 3;
out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (flip) at.x = textureSize(picture, 0).x - 1 - at.x;
  color = texelFetch(picture, at, 0) * scale + vec4(tint, count);
}
";

const UV: &str = "\
#version 330
in vec2 uv; in vec2 more[2];
out vec4 color;
void main() { color = vec4(uv, more[1]); }
";

const BITS: &str = "\
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let a = i32(p.x);
  return vec4f(f32(a & i32(p.y)));
}
";

fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("mix.frag", MIX).write("position.x1k", POSITION);
    for file in ["in.npy", "in.f32"] {
        folder.ctm(&format!("run position.x1k --domain 6x2 --const 0=0 -o {file}")).ok();
    }
    folder
}

#[test]
fn shaders_run_with_the_names_of_their_sources() {
    let folder = prepared("shaders-run");
    let given = "--input picture=in.npy --uniform scale=2 --uniform tint=0.5,1,4 --uniform flip=true";
    folder.ctm(&format!("run mix.frag --domain 6x2 {given} -o out.f32")).ok();
    let (input, output) = (common::floats(&folder.read("in.f32")), folder.read_floats("out.f32"));
    for (i, pixel) in output.chunks(4).enumerate() {
        let from = &input[4 * (i / 6 * 6 + 5 - i % 6)..][..4];
        let wanted = [2.0 * from[0] + 0.5, 2.0 * from[1] + 1.0, 2.0 * from[2] + 4.0, 2.0 * from[3] + 3.0];
        assert_eq!(pixel, wanted, "pixel {i}");
    }
    folder.ctm("run mix.frag --domain 6x2 --input 0=in.npy --frames 2 --uniform scale=frame -o f%d.f32").ok();
    let frame = |name: &str| folder.read_floats(name)[4];
    assert_eq!((frame("f0.f32"), frame("f1.f32")), (0.0, input[4]));
}

/// Interpolated inputs are what their corners say, on engines, the reference and the device of a trace; else they go from 0 to 1.
#[test]
fn interpolated_inputs_have_corners() {
    let folder = prepared("shaders-varyings");
    folder.write("uv.frag", UV);
    let centre = |count: usize, at: usize| (at as f32 + 0.5) / count as f32;
    let uv = |(i, j): (usize, usize)| [centre(4, i), centre(2, j)];
    for (given, expected) in [
        ("", (|[u, v]| [u, v, 0.0, 1.0]) as fn([f32; 2]) -> [f32; 4]),
        ("--varying uv=8,0:0,4", |[u, v]| [8.0 - 8.0 * u, 4.0 * v, 0.0, 1.0]),
        ("--varying uv=position --varying more[1]=2,3", |[u, v]| [4.0 * u, 2.0 * v, 2.0, 3.0]),
        ("--varying more=1,1:3,1:1,5 --engine reference", |[u, v]| [u, v, 1.0 + 2.0 * u, 1.0 + 4.0 * v]),
    ] {
        println!("{given}");
        folder.ctm(&format!("run uv.frag --domain 4x2 {given} -o out.f32")).ok();
        for (at, pixel) in folder.read_floats("out.f32").chunks(4).enumerate() {
            let mut expected = expected(uv((at % 4, at / 4)));
            if !given.contains("more") {
                expected[2..].copy_from_slice(&uv((at % 4, at / 4)));
            }
            assert_eq!(pixel, expected, "pixel {at}");
        }
    }
    folder.ctm("run uv.frag --domain 4x2 --varying uv=8,0:0,4 -o out.f32 --emit-trace run.trace").ok();
    folder.ctm("replay run.trace").ok();
}

/// Inputs that share a slot have their own values all the same, and go from 0 to 1 in all of their channels.
#[test]
fn inputs_that_share_slots_have_their_own_values() {
    let folder = Folder::new("shaders-shared");
    let names: Vec<String> = (0..10).map(|number| format!("t{number}")).collect();
    let text = format!(
        "varying vec2 {}; void main() {{ gl_FragColor = vec4(t8, t9) + 0.0 * vec4({}, 0.0, 0.0); }}\n",
        names.join(", "),
        names.join(" + ")
    );
    folder.write("many.frag", &text);
    folder.ctm("run many.frag --domain 2x1 -o out.f32").ok();
    assert_eq!(folder.read_floats("out.f32"), [0.25, 0.5, 0.25, 0.5, 0.75, 0.5, 0.75, 0.5]);
    folder.ctm("run many.frag --domain 2x1 --varying t9=position --varying t8=7,8 -o out.f32").ok();
    assert_eq!(folder.read_floats("out.f32"), [7.0, 8.0, 0.5, 0.5, 7.0, 8.0, 1.5, 0.5]);
    folder.ctm("run many.frag --domain 2x1 --varying t9=1 --varying t9=2 -o out.f32").fails(2, &["t9 is given twice"]);
}

/// A shader may write nothing; the picture is black then, and a warning says so.
#[test]
fn a_shader_that_writes_nothing_is_a_warning() {
    let folder = Folder::new("shaders-nothing");
    folder.write("nothing.frag", "void main() {}\n");
    let done = folder.ctm("run nothing.frag --domain 1x1 -o out.f32").ok();
    assert!(done.err().contains("warning: the shader writes no output"), "{}", done.err());
    assert_eq!(folder.read_floats("out.f32"), [0.0; 4]);
}

/// Sources of one shader are linked; what is wrong with one is said with its own name and line.
#[test]
fn sources_are_linked() {
    let folder = Folder::new("shaders-linked");
    folder.write(
        "main.frag",
        "vec3 light(float x);\nvoid main()\n{\n  gl_FragColor = vec4(light(gl_FragCoord.x), 1.0);\n}\n",
    );
    folder.write("light.frag", "uniform float k;\nvec3 light(float x) { return vec3(x * k, k, x); }\n");
    folder.ctm("run main.frag --link light.frag --domain 2x1 --uniform k=2 -o out.f32").ok();
    assert_eq!(folder.read_floats("out.f32"), [1.0, 2.0, 0.5, 1.0, 3.0, 2.0, 1.5, 1.0]);
    folder.ctm("compile main.frag light.frag -o out.elf").ok();
    let listing = folder.ctm("compile main.frag light.frag --emit asm").ok();
    assert!(listing.out().contains("-- light.frag:2: vec3 light(float x)"), "{}", listing.out());
    folder.write("light.frag", "vec3 light(float x) {\n  return vec3(y);\n}\n");
    folder.ctm("compile main.frag light.frag").fails(1, &["light.frag:2", "unknown variable `y`"]);
    folder.ctm("compile main.frag").fails(1, &["main.frag:4", "light"]);
    folder.write("noise.wgsl", "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }\n");
    folder.ctm("compile noise.wgsl light.frag").fails(2, &["a further source does not apply"]);
}

/// Uniforms that are called as everybody calls them have their value, declared or not; others have what the command line says.
#[test]
fn uniforms_have_values_by_their_names() {
    let folder = Folder::new("shaders-names");
    folder.write("known.frag", "void main() { gl_FragColor = vec4(time, u_resolution, iFrame); }\n");
    folder.write(
        "member.wgsl",
        "struct View { resolution: vec2f, time: f32 }\n@group(0) @binding(0) var<uniform> view: View;\n\
        @fragment fn main() -> @location(0) vec4f { return vec4f(view.time, view.resolution, 9.0); }\n",
    );
    for (name, last) in [("known.frag", 2.0), ("member.wgsl", 9.0)] {
        let done = folder.ctm(&format!("run {name} --domain 2x3 --frames 3 --fps 2 -o %d.f32")).ok();
        assert!(!done.err().contains("warning"), "{}", done.err());
        assert_eq!(folder.read_floats("2.f32")[..4], [1.0, 2.0, 3.0, last], "{name}");
        folder
            .ctm(&format!(
                "run {name} --domain 2x3 --frames 3 --fps 2 --uniform {}=7 -o %d.f32",
                if name == "known.frag" { "time" } else { "view.time" }
            ))
            .ok();
        assert_eq!(folder.read_floats("2.f32")[..4], [7.0, 2.0, 3.0, last], "{name}");
    }
    folder.write(
        "given.frag",
        "uniform float weights[3]; uniform vec2 speed; void main() { gl_FragColor = vec4(weights[1], weights[2], speed); }\n",
    );
    let done = folder
        .ctm("run given.frag --domain 1x1 --frames 3 --uniform weights[1]=4 --uniform speed=0,-1:10,1 --uniform spead=1 -o %d.f32")
        .ok();
    for words in ["uniform 'spead' is given", "it has 'speed'", "weights[0], weights[2]; they are 0"] {
        assert!(done.err().contains(words), "{words} is not in:\n{}", done.err());
    }
    let frames = [0, 1, 2].map(|frame| folder.read_floats(&format!("{frame}.f32")));
    assert_eq!(frames, [[4.0, 0.0, 0.0, -1.0], [4.0, 0.0, 5.0, 0.0], [4.0, 0.0, 10.0, 1.0]]);
    folder
        .ctm("run given.frag --domain 1x1 --uniform weights[3]=4 -o a.f32")
        .fails(2, &["no element [3]", "[0] to [2]"]);
}

/// Rows of files begin at the top, and those of shaders that count as OpenGL does at the bottom.
#[test]
fn pictures_of_opengl_stand_upright() {
    let folder = Folder::new("shaders-upright");
    folder.write("image.frag", "void mainImage(out vec4 c, in vec2 p) { c = vec4(p.y); }\n");
    folder.write("plain.frag", "void main() { gl_FragColor = vec4(gl_FragCoord.y); }\n");
    folder.write(
        "copy.frag",
        "uniform sampler2D t; void main() { gl_FragColor = texelFetch(t, ivec2(gl_FragCoord.xy), 0) + gl_FragCoord.y; }\n",
    );
    let bytes: Vec<u8> = [10.0_f32, 20.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    folder.write("t.f32", bytes);
    for (line, rows) in [
        ("image.frag", [1.5, 0.5]),
        ("image.frag --bottom-up=false", [0.5, 1.5]),
        ("plain.frag", [0.5, 1.5]),
        ("plain.frag --bottom-up", [1.5, 0.5]),
        ("copy.frag --input t=t.f32:1x2x1", [10.5, 21.5]),
        ("copy.frag --input t=t.f32:1x2x1 --bottom-up", [11.5, 20.5]),
    ] {
        folder.ctm(&format!("run {line} --domain 1x2 -o out.f32:1x2x1")).ok();
        assert_eq!(folder.read_floats("out.f32"), rows, "{line}");
    }
    folder.ctm("run image.frag --domain 1x2 --heat heat.f32 -o out.f32").ok();
}

/// Whole coordinates are those of texels, whatever the filter.
#[test]
fn texels_that_are_fetched_are_not_filtered() {
    let folder = Folder::new("shaders-fetched");
    folder.write(
        "copy.frag",
        "uniform sampler2D t; void main() { gl_FragColor = texelFetch(t, ivec2(gl_FragCoord.xy), 0); }\n",
    );
    let bytes: Vec<u8> = [10.0_f32, 20.0, 40.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    folder.write("t.f32", bytes);
    for sampling in ["", ":2d", ":2d,linear,clamp", ":2d,linear,repeat"] {
        for engine in ["reference", "jit"] {
            let input = format!("--input t=t.f32:1x3x1{sampling} --bottom-up=false");
            folder.ctm(&format!("run copy.frag {input} --engine {engine} --domain 1x3 -o out.f32:1x3x1")).ok();
            assert_eq!(folder.read_floats("out.f32"), [10.0, 20.0, 40.0], "{sampling} {engine}");
        }
    }
}

/// Comments in another encoding do not keep a shader from running; a character outside of them is shown where it stands.
#[test]
fn shaders_may_have_comments_in_other_encodings() {
    let folder = Folder::new("shaders-latin1");
    folder.write("a.frag", b"// d\xe9grad\xe9\nvoid main() { gl_FragColor = vec4(1.0); }\n");
    folder.write("b.frag", b"void main() {\n  float \xe9t\xe9 = 1.0;\n}\n");
    folder.ctm("run a.frag --domain 1x1 -o out.f32").ok();
    folder.ctm("run b.frag --domain 1x1 -o out.f32").fails(1, &["b.frag:2:9", "unexpected character"]);
}

/// Buffers are those of this frame if they stand before their reader, else those of the frame before.
#[test]
fn buffers_feed_each_other_and_themselves() {
    let folder = Folder::new("shaders-buffers");
    let at = "ivec2(gl_FragCoord.xy), 0)";
    folder
        .write("a.frag", format!("uniform sampler2D b; void main() {{ gl_FragColor = texelFetch(b, {at} + 1.0; }}\n"));
    folder
        .write("b.frag", format!("uniform sampler2D a; void main() {{ gl_FragColor = texelFetch(a, {at} * 2.0; }}\n"));
    folder.write(
        "sum.frag",
        "uniform float scale; uniform sampler2D own; void main() { gl_FragColor = texture2D(own, gl_FragCoord.xy / vec2(3.0, 2.0)) + scale; }\n",
    );
    let channel = |number: u32| format!("texelFetch(iChannel{number}, {at}");
    let image = format!("vec4({}.x, {}.y, {}.z, time + scale)", channel(0), channel(1), channel(2));
    folder.write("image.frag", format!("uniform float scale; void main() {{ gl_FragColor = {image}; }}\n"));
    let buffers = "--buffer A=a.frag --buffer B=b.frag --buffer S=sum.frag --input A.b=B --input B.a=A --input S.own=S:2d,linear,repeat";
    let given = "--input iChannel0=A --input iChannel1=B --input iChannel2=S";
    for engine in ["reference", "interp", "jit"] {
        let line = format!(
            "run image.frag --domain 3x2 --frames 3 --fps 1 --uniform scale=1:3 {buffers} {given} --engine {engine} -o %d.f32"
        );
        let done = folder.ctm(&line).ok();
        assert!(!done.err().contains("warning"), "{}", done.err());
        let frames = [0, 1, 2].map(|frame| folder.read_floats(&format!("{frame}.f32")));
        for (frame, expected) in frames.iter().zip([[1.0, 2.0, 1.0, 1.0], [3.0, 6.0, 3.0, 3.0], [7.0, 14.0, 6.0, 5.0]])
        {
            assert!(frame.chunks(4).all(|pixel| pixel == expected), "{engine}: {frame:?}");
        }
    }
    folder.write("x.x1k", POSITION);
    for (line, words) in [
        ("run image.frag --buffer A=a.frag", &["the texture 'iChannel0'", "--input iChannel0=FILE"][..]),
        (
            &format!("run image.frag {given} {}", buffers.replace("--input A.b=B ", "")),
            &["the texture 'A.b'", "--input A.b=FILE"],
        ),
    ] {
        folder.ctm(&format!("{line} --domain 3x2 -o a.f32")).fails(1, words);
    }
    for (line, words) in [
        ("run image.frag --buffer A=a.frag --buffer A=b.frag", &["--buffer A", "a name of its own"][..]),
        ("run image.frag --buffer 0=a.frag", &["--buffer 0", "have names"]),
        ("run image.frag --buffer A=x.x1k", &["'x.x1k' is not a shader"]),
        (
            &format!("run image.frag {buffers} --input iChannel0=A:3d --input iChannel1=B --input iChannel2=S"),
            &["a buffer is a picture"],
        ),
    ] {
        folder.ctm(&format!("{line} --domain 3x2")).fails(2, words);
    }
}

/// Pixel shader text: registers are names; coordinates go from 0 to 1 unless they are to count texels.
#[test]
fn pixel_shader_text_runs() {
    let folder = prepared("shaders-ps");
    let text =
        "ps_3_0\ndef c1, 1, 0, 0, 0\ndcl_texcoord3 v2.xy\ndcl_2d s1\ntexld r0, v2, s1\nmad oC0, r0, c0, c1.x\nend\n";
    folder.write("scale.ps", text);
    let input = common::floats(&folder.read("in.f32"));
    let expected: Vec<f32> =
        input.chunks(4).flat_map(|p| [p[0] + 1.0, 2.0 * p[1] + 1.0, 3.0 * p[2] + 1.0, 4.0 * p[3] + 1.0]).collect();
    for given in [
        "--input s1=in.npy --uniform c0=1,2,3,4",
        "--input 1=in.npy --const 0=1,2,3,4 --varying v2=position --texel-coordinates",
    ] {
        let done = folder.ctm(&format!("run scale.ps --domain 6x2 {given} -o out.f32")).ok();
        assert!(!done.err().contains("no value is given"), "{}", done.err());
        assert_eq!(folder.read_floats("out.f32"), expected, "{given}");
    }
    folder.ctm("run scale.ps --domain 6x2 --input s1=in.npy --frames 2 --uniform c0=frame -o f%d.f32").ok();
    assert_eq!(folder.read_floats("f1.f32")[..2], [input[0] + 1.0, input[1] + 1.0]);
    for (stage, words) in
        [("ast", "texld r0, v2, s1"), ("interface", "uniform c0: float x4"), ("asm", "-- 5: texld r0, v2, s1")]
    {
        let done = folder.ctm(&format!("compile scale.ps --emit {stage}")).ok();
        assert!(done.out().contains(words), "{stage}\n{}", done.out());
    }
    folder.ctm("compile scale.ps --texel-coordinates -o scale.elf").ok();
    folder.ctm("run scale.elf --domain 6x2 --input 1=in.npy --const 0=1,2,3,4 --varying 3=position -o out.f32").ok();
    assert_eq!(folder.read_floats("out.f32"), expected);
}

/// Noise that hashes whole numbers has seams where sums and products are rounded in another order; what is precise has none.
#[test]
fn precise_shaders_keep_their_order() {
    const NOISE: &str = "float random(float x) { return fract(sin(x) * 1e4); }
        float noise(float p) {
            float i = floor(p), f = fract(p); f = f * f * (3. - 2. * f); float n = i * 110.0;
            return mix(random(n), random(n + 110.0), f);
        }
        void main() { gl_FragColor = vec4(noise(gl_FragCoord.x / 16.0)); }";
    let folder = Folder::new("shaders-precise");
    folder
        .write("noise.frag", NOISE)
        .write("exact.frag", format!("#version 400\nprecise out vec4 c;\n#define gl_FragColor c\n{NOISE}"));
    let largest_step = |command: &str| {
        folder.ctm(&format!("run {command} --domain 512x1 -o out.f32")).ok();
        let row: Vec<f32> = folder.read_floats("out.f32").chunks(4).map(|pixel| pixel[0]).collect();
        row.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
    };
    let [fast, option, qualified] = ["noise.frag", "noise.frag --precise", "exact.frag"].map(largest_step);
    assert!(option < 0.15 && qualified < 0.15, "{option} {qualified}");
    assert!(fast > 0.5, "the source shows no seams any more: {fast}");
    folder.write("copy.x1k", POSITION).ctm("run copy.x1k --domain 4x4 --precise -o out.f32").fails(2, &["--precise"]);
}

#[test]
fn compiling_has_limits() {
    let folder = Folder::new("shaders-limits");
    let long = "x = sin(x) * x + pow(x, 0.7);\n".repeat(3000);
    folder.write(
        "long.frag",
        format!("varying float x0; void main() {{ float x = x0; {long} gl_FragColor = vec4(x); }}"),
    );
    folder.ctm("run long.frag --domain 4x4 --timeout 0.001 -o out.f32").fails(4, &["deadline"]);
    folder.ctm("compile long.frag --timeout 0.001").fails(4, &["deadline"]);
    folder.ctm("compile long.frag --memory 1M").fails(4, &["memory"]);
    // naga breaks down over structures of so many bytes.
    let structures: String = (1..12).map(|k| format!("struct S{k} {{S{} a[8];}};\n", k - 1)).collect();
    folder
        .write("large.frag", format!("struct S0 {{float x;}};\n{structures}void main() {{gl_FragColor = vec4(1.0);}}"));
    let done = folder.ctm("compile large.frag").fails(1, &["large.frag:8", "holds more than"]);
    assert!(!done.err().contains("panicked"), "{}", done.err());
}

#[test]
fn every_stage_can_be_seen() {
    let folder = prepared("shaders-compile");
    folder.ctm("compile mix.frag").ok();
    folder.ctm("compile mix.frag -o words.u32").ok();
    for (stage, words) in [
        ("ast", "var<private> tint: vec3<f32>;"),
        ("interface", "uniform tint: float x3"),
        ("ir", "fetch"),
        ("opt", "fetch"),
        ("asm", "-- 7: color = texelFetch"),
    ] {
        let done = folder.ctm(&format!("compile mix.frag --emit {stage}")).ok();
        assert!(done.out().contains(words), "{stage}\n{}", done.out());
    }
    folder.ctm("check mix.frag").ok();
    folder.ctm("dis mix.elf").ok();
    assert!(folder.names().contains(&"words.u32".to_owned()));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let folder = prepared("shaders-refused");
    folder.write("oops.frag", "void main() {\n  gl_FragColor = vec4(oops, 1.0);\n}\n").write("bits.wgsl", BITS);
    folder.write("oops.ps", "ps_3_0\ndcl_2d s0\nmov oC0, r7\nend\n").write("uv.frag", UV);
    let run = "run mix.frag --input picture=in.npy";
    for (line, status, expected) in [
        ("run oops.frag -o a.png", 1, &["oops.frag:2", "unknown variable `oops`"][..]),
        ("compile bits.wgsl", 1, &["bits.wgsl:3", "no integer bit operations"]),
        ("run mix.frag --input pictures=in.npy -o a.npy", 2, &["no texture 'pictures'", "it has 'picture'"]),
        (&format!("{run} --uniform scale[1]=1 -o a.npy"), 2, &["no element [1]", "not an array"]),
        (&format!("{run} --uniform tint=1,2 -o a.npy"), 2, &["takes 3 numbers"]),
        (&format!("{run} --uniform count=1.5 -o a.npy"), 2, &["whole numbers"]),
        ("run mix.frag -o a.npy", 1, &["the texture 'picture'", "--input picture=FILE"]),
        ("run uv.frag --varying vu=uv -o a.npy", 2, &["no interpolated input 'vu'", "it has 'uv'"]),
        ("run uv.frag --varying uv=0,0,1:1,1,2 -o a.npy", 2, &["three corners"]),
        ("run uv.frag --varying uv=uv --varying 0=1 -o a.npy", 2, &["given twice"]),
        ("run position.x1k --varying uv=uv -o a.npy", 2, &["--varying uv", "no names"]),
        ("compile oops.ps", 1, &["oops.ps:3", "r7"]),
        ("compile oops.ps -D A=1", 2, &["--define does not apply", "GLSL has macros"]),
        ("compile oops.ps --entry a", 2, &["--entry does not apply", "entry points"]),
        ("compile bits.wgsl -D A=1", 2, &["--define does not apply", "GLSL has macros"]),
        ("compile uv.frag --texel-coordinates", 2, &["--texel-coordinates does not apply", "pixel shaders"]),
        ("run position.x1k --texel-coordinates -o a.npy", 2, &["--texel-coordinates does not apply"]),
        ("run position.x1k --input picture=in.npy -o a.npy", 2, &["--input picture", "no names"]),
        ("compile position.x1k", 1, &["assembly of X1K, not a shader in source", "ctm asm"]),
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(status, expected);
    }
}

#[test]
fn examples_compile_and_run() {
    let folder = Folder::new("shaders-examples");
    for name in ["plasma.frag", "life.frag", "blur.frag", "clouds.frag", "raymarch.wgsl"] {
        folder.write(name, fs::read(project("examples").join(name)).expect("an example"));
    }
    folder.ctm("run plasma.frag --domain 24x16 --uniform time=0.25 -o plasma.png").ok();
    folder.ctm("run life.frag --domain 24x16 --input cells=plasma.png -o life.npy").ok();
    folder.ctm("run blur.frag --domain 24x16 --input picture=plasma.png -o blur.png").ok();
    folder.ctm("run clouds.frag --domain 24x16 --uniform iTime=3 -o clouds.png").ok();
    folder.ctm("run raymarch.wgsl --domain 24x16 --uniform view.time=0.45 -o raymarch.png").ok();
}

const VOLUME: &str = "\
uniform sampler3D vol; out vec4 o;
void main() { o = texture(vol, vec3(gl_FragCoord.xy / 2.0, 0.9)) + float(textureSize(vol, 0).z); }
";

const CUBE: &str = "\
@group(0) @binding(0) var sky: texture_cube<f32>;
@group(0) @binding(1) var s: sampler;
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
  return textureSampleLevel(sky, s, vec3f(p.x - 1.0, 0.25, p.y - 1.0), 0.0) + f32(textureNumLevels(sky));
}
";

/// Volumes and cubes of sources: what is given has to be one, by name, and by number in a program that was compiled.
#[test]
fn textures_have_the_kinds_of_their_sources() {
    let folder = Folder::new("shaders-textures");
    let numbers = |count: usize| -> Vec<u8> { (0..count).flat_map(|number| (number as f32).to_le_bytes()).collect() };
    folder.write("vol.frag", VOLUME).write("sky.wgsl", CUBE).write("n.f32", numbers(24)).write("faces.f32", numbers(6));
    folder.write("eight.f32", numbers(8)).write("one.f32", numbers(1));
    folder.write("sky.ps", "ps_3_0\ndef c0, -1, 0.25, -1, 0\ndcl_cube s0\ndcl_texcoord v0.xy\nadd r0.xyz, v0.xyyy, c0\nmov r0.y, c0.y\ntexld r1, r0, s0\nmov oC0, r1\n");
    for (line, expected) in [
        ("run vol.frag --input vol=eight.f32:2x2x2x1:3d", [6.0, 7.0, 8.0, 9.0]),
        ("run vol.frag --input 0=eight.f32:2x2x2x1", [6.0, 7.0, 8.0, 9.0]),
        ("run vol.frag --input vol=eight.f32:2x2x2x1:3d --mip vol=one.f32:1x1x1x1", [6.0, 7.0, 8.0, 9.0]),
        // The corners lie at (-0.5, 0.25, -0.5) and so on; of parts of the same length the last counts: -z and +z.
        ("run sky.wgsl --input sky=n.f32:2x12x1:cube", [22.0, 21.0, 17.0, 18.0]),
        ("run sky.wgsl --input sky=n.f32:2x12x1:cube --mip sky=faces.f32:1x6x1", [23.0, 22.0, 18.0, 19.0]),
        ("run sky.ps --varying v0=position --input s0=n.f32:2x12x1:cube", [21.0, 20.0, 16.0, 17.0]),
    ] {
        for engine in ["reference", "interp", "jit"] {
            let done = folder.ctm(&format!("{line} --domain 2x2 -o out.f32:2x2x1 --engine {engine}")).ok();
            assert!(!done.err().contains("warning"), "{}", done.err());
            assert_eq!(folder.read_floats("out.f32"), expected, "{line} {engine}");
        }
    }
    folder.ctm("compile vol.frag -o vol.elf").ok();
    folder.ctm("compile sky.wgsl -o sky.elf").ok();
    folder.write("plane.frag", "uniform sampler2D p; void main() { gl_FragColor = texture2D(p, gl_FragCoord.xy); }\n");
    for (line, status, words) in [
        ("run vol.frag --input vol=n.f32:6x4x1", 2, ["'vol' has three directions", "vol=FILE:3d"]),
        ("run vol.frag --input vol=n.f32:2x12x1:cube", 2, ["'vol' has three directions", "as cube"]),
        ("run vol.frag --input vol=uv", 2, ["'vol' has three directions", "'uv'"]),
        ("run sky.wgsl --input sky=n.f32:6x4x1", 2, ["'sky' is a cube", "sky=FILE:cube"]),
        ("run sky.wgsl --input 0=n.f32:2x2x6x1:3d", 2, ["'sky' is a cube", "as 3d"]),
        ("run sky.ps --input s0=n.f32:6x4x1", 2, ["'s0' is a cube", "s0=FILE:cube"]),
        ("run sky.ps --input s0=n.f32:2x12x1:cube --texel-coordinates", 1, ["`s0` is a cube or a volume", "sky.ps:7"]),
        ("run plane.frag --input p=n.f32:2x12x1:cube", 2, ["'p' has two directions", "p=FILE:2d"]),
        ("run vol.elf --input 0=n.f32:6x4x1", 1, ["samples input 0 as a volume texture", "is a flat one"]),
        ("run sky.elf --input 0=n.f32:2x2x6x1", 1, ["samples input 0 as a cube texture", "is a volume one"]),
    ] {
        println!("ctm {line}");
        folder.ctm(&format!("{line} --domain 2x2 -o out.f32")).fails(status, &words);
    }
    let shown = folder.ctm("info sky.elf").ok();
    assert!(shown.out().contains("input 0 as a cube texture"), "{}", shown.out());
    folder.ctm("run sky.elf --input 0=n.f32:2x12x1:cube --domain 2x2 -o out.f32").ok();
}
