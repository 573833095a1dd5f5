// Sphere tracing: two balls that flow together over a plane, with one light. `uv` goes from 0 to 1 over the domain.
//   ctm run examples/raymarch.wgsl --uniform view.time=0.45 -o raymarch.png
struct View { time: f32 }
@group(0) @binding(0) var<uniform> view: View;

fn scene(p: vec3f) -> f32 {
    let around = 6.2831853 * view.time;
    let a = length(p - vec3f(0.0, 0.6, 3.0)) - 0.8;
    let b = length(p - vec3f(0.9 * cos(around), 0.4, 3.0 + 0.9 * sin(around))) - 0.5;
    let h = clamp(0.5 + 0.5 * (b - a) / 0.3, 0.0, 1.0);
    return min(mix(b, a, h) - 0.3 * h * (1.0 - h), p.y + 0.4);
}

@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    let origin = vec3f(0.0, 0.6, -1.0);
    let ray = normalize(vec3f(2.0 * uv.x - 1.0, 1.0 - 2.0 * uv.y, 1.3));
    var t = 0.0;
    var hit = false;
    for (var step = 0; step < 64; step++) {
        let distance = scene(origin + ray * t);
        if distance < 0.002 { hit = true; break; }
        t += distance;
        if t > 20.0 { break; }
    }
    if !hit { return vec4f(0.4, 0.6, 0.9, 1.0) * (1.0 - 0.5 * ray.y); }
    let p = origin + ray * t;
    let e = vec2f(0.002, 0.0);
    let slope = vec3f(scene(p + e.xyy), scene(p + e.yxy), scene(p + e.yyx)) - scene(p);
    let light = max(dot(normalize(slope), normalize(vec3f(0.6, 0.9, -0.5))), 0.0);
    return vec4f(vec3f(1.0, 0.8, 0.6) * (0.15 + 0.85 * light), 1.0);
}
