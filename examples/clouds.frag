// A shader as Shadertoy has them.
//   ctm run examples/clouds.frag --uniform iTime=3 -o clouds.png
float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 437.585); }

float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = 6.0 * fragCoord / iResolution.y + vec2(0.3 * iTime, 0.0);
    float sum = 0.0, size = 0.5;
    for (int i = 0; i < 5; i++) {
        sum += size * noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p;
        size *= 0.5;
    }
    fragColor = vec4(mix(vec3(0.2, 0.4, 0.8), vec3(1.0), smoothstep(0.3, 0.8, sum)), 1.0);
}
