//! purpose: functions that change global variables
//! size: 16 16
//! counterpart: fn_globals
var<private> total: f32 = 1.0; var<private> place: vec2f;
fn move_by(by: vec2f) { place += by; total += by.x * by.y; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  place = ij; move_by(vec2f(1.0, 2.0)); move_by(ij / 16.0);
  if ij.x > 8.0 { move_by(vec2f(-3.0)); }
  return vec4f(place, total, 1.0);
}
