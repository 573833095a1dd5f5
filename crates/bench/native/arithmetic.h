// The kernels that calculate. Each makes a row, N pixels at a time.
#pragma once
#include "functions.h"
#include "picture.h"

template <int N> struct Vec4 {
    Vec<N> x, y, z, w;
};
template <int N> INLINE Vec4<N> operator+(Vec4<N> a, Vec4<N> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
template <int N> INLINE Vec4<N> operator*(Vec4<N> a, float b) {
    return {a.x * b, a.y * b, a.z * b, a.w * b};
}
template <int N> INLINE Vec4<N> fma(Vec4<N> a, Vec4<N> b, Vec4<N> c) {
    return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y), fma(a.z, b.z, c.z), fma(a.w, b.w, c.w)};
}

template <int N> void mad(const Job &job, int y) {
    const Vec4<N> m = {.99f, .98f, .97f, .96f}, n = {.01f, .02f, .03f, .04f};
    for (int x = 0; x < job.picture.width; x += N) {
        Vec4<N> a = {count_from<N>(x) * 0.001f, Vec<N>(y * 0.001f), 1.0f, 0.5f};
        Vec4<N> b = {a.w, a.z, a.y, a.x}, c = Vec4<N>{a.y, a.x, a.w, a.z} * 0.5f, d = b * 0.25f;
        for (int k = 0; k < 64; k++) {
            a = fma(a, m, n), b = fma(b, m, a), c = fma(c, m, b), d = fma(d, m, c);
            a = fma(a, m, d), b = fma(b, m, n), c = fma(c, m, n), d = fma(d, m, n);
            a = fma(a, m, b), b = fma(b, m, c), c = fma(c, m, d), d = fma(d, m, a);
            a = fma(a, m, n), b = fma(b, m, n), c = fma(c, m, n), d = fma(d, m, n);
        }
        Vec4<N> sum = a + b + c + d;
        store(job.pixel(x, y), sum.x, sum.y, sum.z, sum.w);
    }
}

template <int N> void mandelbrot(const Job &job, int y) {
    const Vec<N> cy = y * (2.5f / 1024) - 1.25f;
    for (int x = 0; x < job.picture.width; x += N) {
        const Vec<N> cx = fma(count_from<N>(x), Vec<N>(3.0f / 1024), Vec<N>(-2.2f));
        Vec<N> zx = 0.0f, zy = 0.0f;
        // Of the pixels that have left the loop: what they left it with.
        Vec<N> passes = 250.0f, left_x = 0.0f, left_y = 0.0f;
        Mask<N> inside = zx < 1.0f;
        for (int pass = 0; pass < 250; pass++) {
            Vec<N> next = fma(zx, zx, fnma(zy, zy, cx));
            zy = fma(zx + zx, zy, cy);
            zx = next;
            Mask<N> leaves = inside & (fma(zx, zx, zy * zy) > 4.0f);
            if (__builtin_expect(any(leaves), 0)) {
                passes = choose(leaves, Vec<N>((float)pass), passes);
                left_x = choose(leaves, zx, left_x);
                left_y = choose(leaves, zy, left_y);
                inside = without(inside, leaves);
                if (!any(inside)) break;
            }
        }
        store(job.pixel(x, y), passes, choose(inside, zx, left_x), choose(inside, zy, left_y), Vec<N>(1.0f));
    }
}

template <int N> void trig(const Job &job, int y) {
    for (int x = 0; x < job.picture.width; x += N) {
        Vec<N> px = count_from<N>(x) * 0.01f, py = y * 0.01f, s = 0.0f;
        for (int k = 0; k < 32; k++) {
            Vec<N> waves = fma(sine(px + (float)k), cosine(py - (float)k), exp2(0.0f - magnitude(s)));
            s = s + fma(log2(fma(s, s, Vec<N>(1.0f))), inverse_root(px + 1.0f), waves);
            Vec<N> next = py + 0.37f;
            py = px + 0.37f;
            px = next;
        }
        store(job.pixel(x, y), s, px, py, Vec<N>(1.0f));
    }
}

template <int N> INLINE Vec<N> hash(Vec<N> x, Vec<N> y) {
    Vec<N> number = sine(fma(x, Vec<N>(12.9898f), y * 78.233f)) * 43.7585f;
    return number - below(number);
}

template <int N> INLINE Vec<N> mix(Vec<N> a, Vec<N> b, Vec<N> share) {
    return fma(share, b - a, a);
}

template <int N> INLINE Vec<N> eased(Vec<N> share) {
    return share * share * fnma(share, Vec<N>(2.0f), Vec<N>(3.0f));
}

template <int N> INLINE Vec<N> value_noise(Vec<N> x, Vec<N> y) {
    Vec<N> left = below(x), top = below(y), across = eased(x - left), down = eased(y - top);
    Vec<N> right = left + 1.0f, bottom = top + 1.0f;
    Vec<N> above = mix(hash(left, top), hash(right, top), across);
    Vec<N> under = mix(hash(left, bottom), hash(right, bottom), across);
    return mix(above, under, down);
}

template <int N> void noise(const Job &job, int y) {
    for (int x = 0; x < job.picture.width; x += N) {
        Vec<N> px = count_from<N>(x) * 0.02f, py = y * 0.02f, s = 0.0f;
        float weight = 0.5f;
        for (int k = 0; k < 5; k++) {
            s = fma(Vec<N>(weight), value_noise(px, py), s);
            px = fma(px, Vec<N>(2.03f), Vec<N>(17.0f));
            py = fma(py, Vec<N>(2.03f), Vec<N>(17.0f));
            weight *= 0.5f;
        }
        store(job.pixel(x, y), s, s * s, 1.0f - s, Vec<N>(1.0f));
    }
}

template <int N> struct Vec3 {
    Vec<N> x, y, z;
};

template <int N> INLINE Vec<N> dot(Vec3<N> a, Vec3<N> b) {
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

template <int N> INLINE Vec<N> length(Vec3<N> a) {
    return root(dot(a, a));
}

template <int N> INLINE Vec3<N> normalized(Vec3<N> a) {
    Vec<N> scale = inverse_root(dot(a, a));
    return {a.x * scale, a.y * scale, a.z * scale};
}

// The distance of a point from two blended balls over a plane.
template <int N> INLINE Vec<N> distance(Vec3<N> p) {
    Vec<N> a = length(Vec3<N>{p.x, p.y - 0.6f, p.z - 3.0f}) - 0.8f;
    Vec<N> b = length(Vec3<N>{p.x - 0.9f, p.y - 0.4f, p.z - 2.4f}) - 0.5f;
    Vec<N> share = smaller(greater(fma(b - a, Vec<N>(0.5f / 0.3f), Vec<N>(0.5f)), 0.0f), 1.0f);
    Vec<N> balls = fnma(0.3f * share, 1.0f - share, mix(b, a, share));
    return smaller(balls, p.y + 0.4f);
}

template <int N> void raymarch(const Job &job, int y) {
    for (int x = 0; x < job.picture.width; x += N) {
        Vec<N> across = (count_from<N>(x) - 512.0f) * (1.0f / 512);
        Vec3<N> d = normalized(Vec3<N>{across, (y - 512.0f) / 512, 1.3f});
        auto point = [&](Vec<N> t) { return Vec3<N>{d.x * t, fma(d.y, t, Vec<N>(0.5f)), fma(d.z, t, Vec<N>(-1.0f))}; };
        Vec<N> t = 0.0f, steps = 0.0f;
        Mask<N> goes_on = t < 1.0f, hit = t > 1.0f;
        for (int k = 0; k < 64 && any(goes_on); k++) {
            Vec<N> s = distance(point(t));
            steps = choose(goes_on, steps + 1.0f, steps);
            Mask<N> hits = goes_on & (s < 0.001f);
            hit = hit | hits;
            goes_on = without(goes_on, hits);
            t = choose(goes_on, t + s, t);
            goes_on = without(goes_on, t > 20.0f);
        }
        Vec<N> light = 0.0f;
        if (any(hit)) {
            const float length = __builtin_sqrtf(0.6f * 0.6f + 0.9f * 0.9f + 0.5f * 0.5f), e = 0.002f;
            Vec3<N> p = point(t);
            Vec<N> here = distance(p);
            Vec3<N> slope = {distance(Vec3<N>{p.x + e, p.y, p.z}) - here, distance(Vec3<N>{p.x, p.y + e, p.z}) - here,
                             distance(Vec3<N>{p.x, p.y, p.z + e}) - here};
            Vec3<N> to_light = {0.6f / length, 0.9f / length, -0.5f / length};
            Vec<N> facing = greater(dot(normalized(slope), to_light), 0.0f);
            light = choose(hit, fma(facing, Vec<N>(0.85f), Vec<N>(0.15f)), light);
        }
        store(job.pixel(x, y), light, t, steps, choose(hit, Vec<N>(1.0f), Vec<N>(0.0f)));
    }
}

// Roots and divisions by the body's distance; the bodies are the texels of one row.
template <int N> void nbody(const Job &job, int y) {
    for (int x = 0; x < job.picture.width; x += N) {
        float place[4][N];
        for (int lane = 0; lane < N; lane++)
            for (int c = 0; c < 4; c++) place[c][lane] = job.textures[0].row(y)[4 * (x + lane) + c];
        Vec<N> px = load<N>(place[0]), py = load<N>(place[1]), pz = load<N>(place[2]);
        Vec<N> ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (int k = 0; k < 240; k++) {
            const float *body = job.textures[1].row(0) + 4 * k;
            Vec3<N> d = {body[0] - px, body[1] - py, body[2] - pz};
            Vec<N> inverse = inverse_root(dot(d, d) + 0.01f);
            Vec<N> pull = body[3] * inverse * (inverse * inverse);
            ax = fma(d.x, pull, ax);
            ay = fma(d.y, pull, ay);
            az = fma(d.z, pull, az);
        }
        store(job.pixel(x, y), ax, ay, az, load<N>(place[3]));
    }
}
