// A picture, blurred by a Gaussian of 7x7 texels.
//   ctm run examples/blur.frag --input picture=photo.png --domain 512x512 -o blurred.png
uniform sampler2DRect picture;
const float weights[4] = float[](0.2707, 0.2167, 0.1113, 0.0366);

void main() {
    vec3 sum = vec3(0.0);
    for (int y = -3; y <= 3; y++)
        for (int x = -3; x <= 3; x++)
            sum += weights[abs(x)] * weights[abs(y)] * texture2DRect(picture, gl_FragCoord.xy + vec2(x, y)).rgb;
    gl_FragColor = vec4(sum, 1.0);
}
