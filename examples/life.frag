// One step of the Game of Life; a cell lives where the red channel is more than a half.
//   ctm run examples/life.frag --input cells=before.png --domain 128x128 -o after.png
#version 330
uniform sampler2D cells;
out vec4 next;

int alive(ivec2 at, ivec2 size) {
    ivec2 wrapped = ivec2((at.x + size.x) % size.x, (at.y + size.y) % size.y);
    return texelFetch(cells, wrapped, 0).r > 0.5 ? 1 : 0;
}

void main() {
    ivec2 size = textureSize(cells, 0), here = ivec2(gl_FragCoord.xy);
    int around = -alive(here, size);
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            around += alive(here + ivec2(x, y), size);
    bool lives = around == 3 || around == 2 && alive(here, size) == 1;
    next = vec4(vec3(lives ? 1.0 : 0.0), 1.0);
}
