//! error: 0 no fragment entry point
@vertex fn main() -> @builtin(position) vec4f {
  return vec4f();
}
