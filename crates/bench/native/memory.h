// The kernels that bring texels together. Channels need not be told apart: floats are taken as they lie, 16 at a time.
#pragma once
#include "picture.h"
#include "vector.h"

// Bytes of a picture that is not read back from caches.
static const size_t NOT_CACHED = (size_t)32 << 20;

static void copy(const Job &job, int y) {
    const float *from = job.textures[0].row(y);
    float *to = job.pixel(0, y);
    const int floats = 4 * job.picture.width;
    if ((size_t)4 * floats * job.picture.height < NOT_CACHED) {
        for (int at = 0; at < floats; at += 16) store_floats(to + at, load<16>(from + at));
    } else {
        for (int at = 0; at < floats; at += 16) _mm512_stream_ps(to + at, load<16>(from + at).lanes);
        _mm_sfence();
    }
}

static void jacobi(const Job &job, int y) {
    const Texture &from = job.textures[0];
    const float *row = from.row(y), *above = from.clamped_row(y - 1), *under = from.clamped_row(y + 1);
    float *to = job.pixel(0, y);
    const int last = job.picture.width - 1;
    auto relaxed = [](auto left, auto right, auto top, auto bottom, auto here) {
        return 0.25f * (left + right + top + bottom) - 0.05f * here;
    };
    for (int x : {0, last})
        for (int c = 0; c < 4; c++)
            to[4 * x + c] = relaxed(from.channel(x - 1, y, c), from.channel(x + 1, y, c), above[4 * x + c], under[4 * x + c], row[4 * x + c]);
    // The last 16 floats overlap those before them.
    for (int next = 4; next < 4 * last; next += 16) {
        const int at = std::min(next, 4 * last - 16);
        Vec<16> sum = relaxed(load<16>(row + at - 4), load<16>(row + at + 4), load<16>(above + at), load<16>(under + at), load<16>(row + at));
        store_floats(to + at, sum);
    }
}

// R rows: each row of texels is loaded once for all that it weighs in.
template <int R> void conv5(const Job &job, int y) {
    static const float weights[5] = {1, 2, 3, 2, 1};
    const Texture &from = job.textures[0];
    const int floats = 4 * job.picture.width;
    for (int row = y; row < y + R; row++)
        for (int x : {0, 1, job.picture.width - 2, job.picture.width - 1})
            for (int c = 0; c < 4; c++) {
                float sum = 0;
                for (int j = 0; j < 5; j++)
                    for (int i = 0; i < 5; i++) sum += from.channel(x + i - 2, row + j - 2, c) * (weights[i] * weights[j]);
                job.pixel(x, row)[c] = sum * (1.0f / 81);
            }
    for (int next = 8; next < floats - 8; next += 16) {
        const int at = std::min(next, floats - 8 - 16);
        Vec<16> sums[R];
        for (int row = 0; row < R; row++) sums[row] = 0.0f;
#pragma GCC unroll 16
        for (int j = 0; j < R + 4; j++) {
            const float *texels = from.clamped_row(y + j - 2) + at - 8;
#pragma GCC unroll 5
            for (int i = 0; i < 5; i++) {
                Vec<16> texel = load<16>(texels + 4 * i);
#pragma GCC unroll 8
                for (int row = 0; row < R; row++)
                    if (j - row >= 0 && j - row < 5) sums[row] = fma(texel, Vec<16>(weights[i] * weights[j - row]), sums[row]);
            }
        }
        for (int row = 0; row < R; row++) store_floats(job.pixel(0, y + row) + at, sums[row] * (1.0f / 81));
    }
}

// R rows of 64 products: each four vectors of the second factor are loaded once for all rows.
template <int R> void sgemm(const Job &job, int y) {
    const Texture &left = job.textures[0], &right = job.textures[1];
    for (int at = 0; at < 4 * job.picture.width; at += 64) {
        Vec<64> sums[R];
#pragma GCC unroll 8
        for (int row = 0; row < R; row++) sums[row] = 0.0f;
        for (int k = 0; k < right.height; k++) {
            Vec<64> factors = load<64>(right.row(k) + at);
#pragma GCC unroll 8
            for (int row = 0; row < R; row++) sums[row] = fma(Vec<64>(left.row(y + row)[k]), factors, sums[row]);
        }
#pragma GCC unroll 8
        for (int row = 0; row < R; row++) store_floats(job.pixel(0, y + row) + at, sums[row]);
    }
}
