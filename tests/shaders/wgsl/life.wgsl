//! purpose: a step of Conway's game
//! size: 64 64
//! counterpart: life
//! texture: cells bits 64 64
@group(0) @binding(1) var cells: texture_2d<f32>;
fn cell(ij: vec2f, x: i32, y: i32) -> f32 { return textureLoad(cells, (vec2<i32>(ij) + vec2(x, y) + 64) % 64, 0).x; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var n = 0.0;
  for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) { if x != 0 || y != 0 { n += cell(ij, x, y); } } }
  let alive = cell(ij, 0, 0); let next = select(0.0, 1.0, n == 3.0 || (n == 2.0 && alive == 1.0));
  return vec4f(next, alive, n, 1.0);
}
