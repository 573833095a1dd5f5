//! Functions of GLSL that naga's reader does not have, in GLSL that it reads.

/// Names of such functions that texts call.
pub(super) const NAMES: [&str; 7] = ["modf", "matrixCompMult", "dot", "normalize", "reflect", "refract", "faceforward"];

/// Constructors of matrices from one argument, and the functions that stand for them: naga makes square matrices of
/// numbers and matrices only.
pub(super) const MATRICES: [(&str, &str); 1] = [("mat2", "ctm_mat2")];

/// The text of a function in all its forms.
pub(super) fn text(name: &str) -> String {
    let mut text = String::new();
    match name {
        "modf" => {
            for kind in ["float", "vec2", "vec3", "vec4"] {
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
        // Of scalars; those of vectors are there.
        "dot" => text += "float dot(float a, float b) { return a * b; }",
        "normalize" => text += "float normalize(float a) { return sign(a); }",
        "reflect" => text += "float reflect(float i, float n) { return i - 2.0 * n * i * n; }",
        "refract" => {
            text += "float refract(float i, float n, float eta) { return refract(vec2(i, 0.0), vec2(n, 0.0), eta).x; }";
        }
        "faceforward" => text += "float faceforward(float n, float i, float r) { return r * i < 0.0 ? n : -n; }",
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
