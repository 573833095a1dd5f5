// Plasma: sums of sines over the picture, as colours.
//   ctm run examples/plasma.frag --uniform time=2.5 -o plasma.png
//   ctm run examples/plasma.frag --frames 50 -o plasma.apng
uniform float time;

void main() {
    vec2 p = gl_FragCoord.xy / 64.0;
    float angle = 6.2831853 * time;
    float v = sin(p.x + angle) + sin(p.y * 0.7 - angle) + sin((p.x + p.y) * 0.6 + angle);
    v += sin(length(p - vec2(4.0 + sin(angle), 4.0 + cos(angle))) * 1.5);
    gl_FragColor = vec4(0.5 + 0.5 * cos(vec3(0.0, 2.1, 4.2) + v * 1.6), 1.0);
}
