//! Functions of GLSL that naga's reader does not have, in GLSL that it reads.

/// Names of such functions that texts call.
pub(super) const NAMES: [&str; 11] = [
    "outerProduct",
    "modf",
    "matrixCompMult",
    "dot",
    "normalize",
    "reflect",
    "refract",
    "faceforward",
    "interpolateAtCentroid",
    "interpolateAtSample",
    "interpolateAtOffset",
];

/// Constructors of matrices from one argument, and the functions that stand for them: naga makes square matrices of
/// numbers and matrices only.
pub(super) const MATRICES: [(&str, &str); 2] = [("mat2", "ctm_mat2"), ("mat2x2", "ctm_mat2")];

const FLOATS: [&str; 4] = ["float", "vec2", "vec3", "vec4"];
const VECTORS: [&str; 9] = ["vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3", "uvec4"];
const MATRIX_TYPES: [&str; 9] = ["mat2", "mat2x3", "mat2x4", "mat3x2", "mat3", "mat3x4", "mat4x2", "mat4x3", "mat4"];

/// The text of a function in all its forms.
pub(super) fn text(name: &str) -> String {
    let mut text = String::new();
    match name {
        "modf" => {
            for kind in FLOATS {
                text += &format!("{kind} modf({kind} a, out {kind} b) {{ b = trunc(a); return a - b; }} ");
            }
        }
        "matrixCompMult" => {
            for columns in 2..=4 {
                for rows in 2..=4 {
                    let kind = format!("mat{columns}x{rows}");
                    let products: Vec<_> = (0..columns).map(|column| format!("a[{column}] * b[{column}]")).collect();
                    text += &format!(
                        "{kind} matrixCompMult({kind} a, {kind} b) {{ return {kind}({}); }} ",
                        products.join(", ")
                    );
                }
            }
        }
        "outerProduct" => {
            for columns in 2..=4 {
                for rows in 2..=4 {
                    let products: Vec<_> = (0..columns).map(|column| format!("a * b[{column}]")).collect();
                    text += &format!(
                        "mat{columns}x{rows} outerProduct(vec{rows} a, vec{columns} b) {{ return mat{columns}x{rows}({}); }} ",
                        products.join(", ")
                    );
                }
            }
        }
        "ctm_modulo" => {
            for (scalar, vector) in [("int", "ivec"), ("uint", "uvec")] {
                for size in 2..=4 {
                    let kind = format!("{vector}{size}");
                    text += &format!(
                        "{kind} ctm_modulo({kind} a, {scalar} b) {{ return a % {kind}(b); }} \
                         {kind} ctm_modulo({scalar} a, {kind} b) {{ return {kind}(a) % b; }} "
                    );
                }
            }
        }
        "ctm_first1" | "ctm_first2" | "ctm_first3" | "ctm_first4" => {
            let count = usize::from(name.as_bytes()[name.len() - 1] - b'0');
            let kind = FLOATS[count - 1];
            for columns in 2..=4 {
                for rows in 2..=4 {
                    let numbers: Vec<_> = (0..count).map(|n| format!("a[{}][{}]", n / rows, n % rows)).collect();
                    text +=
                        &format!("{kind} {name}(mat{columns}x{rows} a) {{ return {kind}({}); }} ", numbers.join(", "));
                }
            }
        }
        // Of scalars; those of vectors are there.
        "dot" => text += "float dot(float a, float b) { return a * b; }",
        "normalize" => text += "float normalize(float a) { return sign(a); }",
        "reflect" => text += "float reflect(float i, float n) { return i - 2.0 * n * i * n; }",
        "refract" => {
            text += "float refract(float i, float n, float eta) { return refract(vec2(i, 0.0), vec2(n, 0.0), eta).x; }";
        }
        "faceforward" => text += "float faceforward(float n, float i, float r) { return r * i < 0.0 ? n : -n; }",
        // Pixels are sampled at their centres.
        "interpolateAtCentroid" => {
            for kind in FLOATS {
                text += &format!("{kind} interpolateAtCentroid({kind} a) {{ return a; }} ");
            }
        }
        "interpolateAtSample" => {
            for kind in FLOATS {
                text += &format!("{kind} interpolateAtSample({kind} a, int sample_) {{ return a; }} ");
            }
        }
        "interpolateAtOffset" => {
            for kind in FLOATS {
                text += &format!(
                    "{kind} interpolateAtOffset({kind} a, vec2 b) {{ return a + dFdx(a) * b.x + dFdy(a) * b.y; }} "
                );
            }
        }
        "ctm_number" => {
            for kind in ["float", "int", "uint"].into_iter().chain(VECTORS).chain(MATRIX_TYPES) {
                text += &format!("{kind} ctm_number({kind} a) {{ return a; }} ");
            }
            text += "float ctm_number(bool a) { return float(a); } ";
            for size in 2..=4 {
                text += &format!("vec{size} ctm_number(bvec{size} a) {{ return vec{size}(a); }} ");
            }
        }
        "ctm_vector" => text += "vec4 ctm_vector(mat2 a) { return vec4(a[0], a[1]); }",
        "ctm_bias" => {
            text += "vec4 ctm_bias(texture1D t, sampler s, float x, float bias) { \
                return textureGrad(sampler1D(t, s), x, dFdx(x) * exp2(bias), dFdy(x) * exp2(bias)); } ";
        }
        "ctm_mat2" => {
            text += "mat2 ctm_mat2(vec4 a) { return mat2(a.x, a.y, a.z, a.w); } mat2 ctm_mat2(float a) { return mat2(a); } ";
            for matrix in ["mat2", "mat3", "mat4"] {
                text += &format!("mat2 ctm_mat2({matrix} a) {{ return mat2(a[0].xy, a[1].xy); }} ");
            }
        }
        _ => {}
    }
    text
}
