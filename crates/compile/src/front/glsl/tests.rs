use super::*;
use ::naga::ShaderStage;
use ::naga::front::glsl::{Frontend, Options};
use ::naga::valid::{Capabilities, ValidationFlags, Validator};

/// The text in naga's dialect, if naga takes it.
fn read(text: &str) -> Result<String, String> {
    let dialect = dialect(text, &[], &[("IJ".into(), "ctm_Pixel".into())]).map_err(|error| error.error.to_string())?;
    let module = Frontend::default()
        .parse(&Options::from(ShaderStage::Fragment), &dialect.text)
        .map_err(|error| format!("{}\n{}", error.emit_to_string(&dialect.text), dialect.text))?;
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| format!("{}\n{}", error.emit_to_string(&dialect.text), dialect.text))?;
    Ok(dialect.text)
}

#[track_caller]
fn reads(text: &str) {
    if let Err(error) = read(text) {
        panic!("{text}\n{error}");
    }
}

#[test]
fn versions_and_their_globals() {
    reads("uniform sampler2DRect tex0;\nvoid main() { gl_FragColor = texture2DRect(tex0, IJ + 0.5); }");
    reads(
        "#version 120\nvarying vec2 uv; uniform sampler2D t, u;\nvoid main() { gl_FragData[1] = texture2D(t, uv) + texture2DProj(u, vec3(uv, 1.0)) + gl_TexCoord[0]; }",
    );
    reads(
        "#version 100\n#ifdef GL_ES\nprecision mediump float;\n#endif\nvarying highp vec2 uv; uniform lowp vec4 c;\nfloat f(lowp float x, const in mediump vec2 y) { return x + y.x; }\nvoid main() { gl_FragColor = c * f(1.0, uv); }",
    );
    reads(
        "#version 300 es\nprecision highp float; layout(location = 1) out vec4 a; out vec4 b; in vec2 uv; flat in int k; uniform sampler2D t;\nvoid main() { a = texture(t, uv) + texelFetch(t, ivec2(1, k), 0); b = vec4(textureSize(t, 0), 0, 0); }",
    );
    reads(
        "#version 330 core\nin vec2 uv[2]; struct V { vec3 n; }; in V v; out vec4 c; void main() { c = vec4(uv[1], v.n.xy); }",
    );
    reads(
        "void mainImage(out vec4 c, in vec2 p) { vec2 uv = p / iResolution.xy; c = texture(iChannel0, uv) * sin(iTime + iMouse.x); }",
    );
}

#[test]
fn samplers_go_through_functions() {
    reads(
        "uniform sampler2D t; uniform samplerCube e; uniform sampler3D v;
        vec4 blur(sampler2D s, vec2 p);
        vec4 blur(sampler2D s, vec2 p) { return texture2D(s, p) + textureLod(s, p, 0.0); }
        vec4 twice(sampler2D s, sampler2D u, float t) { vec4 e = blur(s, vec2(t)); return e + blur(u, vec2(t)); }
        void main() { gl_FragColor = twice(t, t, 1.0) + textureCube(e, vec3(1.0)) + texture3D(v, vec3(0.5)); }",
    );
    reads(
        "uniform sampler2DRect r; void main() { gl_FragColor = texelFetch(r, ivec2(1, 2)) + vec4(textureSize(r), 0, 0); }",
    );
    reads("#define T(x) texture2D(tex, x)\nuniform sampler2D tex; void main() { gl_FragColor = T(vec2(1.0, 2.0)); }");
    reads("uniform sampler2DShadow s; void main() { gl_FragColor = vec4(shadow2D(s, vec3(1.0)).x); }");
}

#[test]
fn declarations_that_naga_takes_otherwise() {
    reads(
        "const float k[] = float[](1.0, 2.0, 3.0); uniform float w[3], q; void main() { float m[] = float[3](1.,2.,3.); gl_FragColor = vec4(k[1] + w[2] + m[0] + q); }",
    );
    reads(
        "void main() { const int n = 3; float a[n], b = 1.0, c[n + 1]; a[0] = b; c[3] = a[0]; float d[2][3]; d[1][2] = c[3]; gl_FragColor = vec4(d[1][2]); }",
    );
    reads(
        "uniform Light { vec3 p; float i; } light; uniform Other { mat2 m; float z[2]; }; void main() { gl_FragColor = vec4(light.p, light.i + z[1] + m[0][1]); }",
    );
    reads(
        "uniform struct S { vec2 a; float b[2]; } s[2]; struct { float q; } t; void main() { t.q = 1.0; gl_FragColor = vec4(s[1].a, s[0].b[1], t.q); }",
    );
    reads(
        "void main() { mat3 m = mat3(1.0); m[1].x = 2.0; m[2].y *= 3.0; mat2 n = mat2(gl_FragCoord); n = mat2(n); float i; float f = modf(m[1].x, i); mat2 p = matrixCompMult(n, n); gl_FragColor = vec4(p[0], f, i); }",
    );
    reads(
        "void main() { float sample = 1.0, buffer = 2.0; struct L { float x; }; L l[2]; l[1].x = sample; gl_FragColor = vec4(l[1].x + buffer); }",
    );
    reads("void main() { for (int i = 0, j = 2; i < j; i++) { vec2 a[2]; a[i].x = 1.0; gl_FragColor.x += a[0].x; } }");
}

#[test]
fn operations_that_naga_lacks() {
    reads(
        "void main() { mat3 m = mat3(1.0); m[1].xy = vec2(1.0, 2.0); int i = 1; if (m[0][0] > 0.0) m[i].zx *= 2.0; gl_FragColor = vec4(m[1], 1.0); }",
    );
    reads(
        "struct S { vec2 a[2]; float b; }; void main() { S s, t; s.b = 1.0; t = s; float k[3], l[3]; k[0] = 1.0; l = k; bool e = s == t || k != l; gl_FragColor = vec4(float(e)); }",
    );
    reads(
        "void main() { float x = gl_FragCoord.x; gl_FragColor = vec4(dot(x, 2.0), normalize(x), reflect(x, 1.0), refract(x, 1.0, 0.5)) + faceforward(x, 1.0, x) + dot(vec2(1.0), vec2(x)); }",
    );
    reads("const mat2 m = mat2(1, 2, 3, 4); const float a = m[1][0]; const float b = a * 2.0 + smoothstep(0.0, 1.0, 0.5); const int n = max(2, 3); const vec2 v[2] = vec2[2](vec2(1), vec2(2)); const vec2 w = v[1].yx; float x[n];
        void main() { const float c = mix(1.0, 2.0, 0.5); x[2] = c; gl_FragColor = vec4(b, x[2], w); }");
}

#[test]
fn places_are_the_users() {
    let text = "#define X(a) a + oops\n\nvoid main() {\n  float f = X(1.0);\n}";
    let dialect = dialect(text, &[], &[]).expect("the text can be read");
    let error =
        Frontend::default().parse(&Options::from(ShaderStage::Fragment), &dialect.text).expect_err("`oops` is unknown");
    let start = error.errors[0].meta.to_range().expect("it has a place").start;
    assert_eq!(&text[dialect.place(start as u32) as usize..][..4], "X(1.");
}

#[test]
fn errors_have_causes() {
    for (text, want) in [
        ("attribute vec2 a; void main() {}", GlslError::Attribute),
        ("uniform sampler2D t[17]; void main() {}", GlslError::SamplerArray),
        (
            "uniform sampler2D t[2]; void main() { gl_FragColor = texture2D(t, vec2(1.0)); }",
            GlslError::SamplerArrayUse("t".into()),
        ),
        (
            "uniform sampler2D t[2]; void main() { gl_FragColor = texture2D(t[2], vec2(1.0)); }",
            GlslError::SamplerIndex("t".into(), 2),
        ),
        ("struct S { mat2 m; }; struct T { vec2 m; }; void main() {}", GlslError::MatrixName("m".into())),
        ("struct S { mat2 m; }; void main() { S s; int i; s.m[i] = vec2(1.0); }", GlslError::MatrixMember("m".into())),
        (
            "uniform sampler2D t[2]; void main() { int i; gl_FragColor = texture2D(t[i++], vec2(1.0)); }",
            GlslError::SamplerIndexEffects("t".into()),
        ),
        ("uniform sampler2DArray t; void main() {}", GlslError::SamplerType("sampler2DArray".into())),
        ("void main() { ", GlslError::OpenBracket("{".into())),
        ("uniform float a", GlslError::Missing(";".into())),
        ("uniform sampler2D t; void main() { float x = sin(t); }", GlslError::SamplerUse("t".into())),
        ("float a[]; void main() {}", GlslError::ArraySize),
    ] {
        assert_eq!(dialect(text, &[], &[]).expect_err(text).error, want, "{text}");
    }
}
