//! error: 2 `main` is a vertex shader, and only fragment shaders
@vertex fn main() -> @builtin(position) vec4f {
  return vec4f();
}
