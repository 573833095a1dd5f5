// What a kernel works on: pixels and texels are four floats, row after row.
#pragma once
#include <algorithm>
#include <cstddef>

struct Texture {
    float *texels;
    int width, height;

    const float *row(int y) const { return texels + (size_t)4 * width * y; }
    // The row at the edge instead of one outside.
    const float *clamped_row(int y) const { return row(std::clamp(y, 0, height - 1)); }
    float channel(int x, int y, int channel) const { return clamped_row(y)[4 * std::clamp(x, 0, width - 1) + channel]; }
};

struct Job {
    Texture textures[2];
    Texture picture;

    float *pixel(int x, int y) const { return picture.texels + 4 * ((size_t)picture.width * y + x); }
};
