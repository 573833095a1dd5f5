// The kernels of benches/glsl, written by hand for processors with AVX-512: C++ in place of the shader, several registers of
// pixels at a time, as many as the kernel is fastest with.
//
//   kernels KERNEL THREADS WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...
//
// Standard input holds the texels in front of the commands (commands.h); the picture is RGBA float32.
#include "../commands.h"
#include "arithmetic.h"
#include "memory.h"
#include "workers.h"

struct Kernel {
    const char *name;
    // The columns and rows of pictures are multiples of these. `make` makes so many rows.
    int columns, rows;
    void (*make)(const Job &, int y);
};

static const Kernel KERNELS[] = {
    {"mad", 16, 1, mad<16>},
    {"mandelbrot", 64, 1, mandelbrot<64>},
    {"trig", 64, 1, trig<64>},
    {"raymarch", 64, 1, raymarch<64>},
    {"noise", 64, 1, noise<64>},
    {"conv5", 8, 4, conv5<4>},
    {"copy", 4, 1, copy},
    {"jacobi", 8, 1, jacobi},
    {"sgemm", 16, 4, sgemm<4>},
    {"nbody", 64, 1, nbody<64>},
};

#ifdef __clang__
static const char COMPILER[] = __VERSION__;
#else
static const char COMPILER[] = "GCC " __VERSION__;
#endif

// About so many pieces of work for each thread, so that all are busy until the end.
static const int PIECES = 16;

static const Kernel *kernel;
static Job job;
static Workers *workers;

static void draw() {
    workers->work();
}

static void picture() {
    fwrite(job.picture.texels, 16, (size_t)job.picture.width * job.picture.height, stdout);
}

static Texture make_texture(const char *width, const char *height) {
    Texture texture = {nullptr, atoi(width), atoi(height)};
    if (texture.width <= 0 || texture.height <= 0) fail("usage", "sizes are numbers from 1 on");
    size_t bytes = (size_t)16 * texture.width * texture.height;
    void *texels = nullptr;
    if (posix_memalign(&texels, 4096, bytes) != 0) fail("memory", "there is not enough");
    memset(texels, 0, bytes);
    texture.texels = (float *)texels;
    return texture;
}

int main(int argc, char **argv) {
    if (argc < 5 || argc > 9 || argc % 2 == 0) fail("usage", "kernels KERNEL THREADS WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...");
    for (const Kernel &known : KERNELS)
        if (strcmp(known.name, argv[1]) == 0) kernel = &known;
    if (!kernel) fail(argv[1], "there is no such kernel");
    job.picture = make_texture(argv[3], argv[4]);
    if (job.picture.width % kernel->columns != 0 || job.picture.height % kernel->rows != 0) fail(kernel->name, "is not made in this size");
    for (int at = 5; at < argc; at += 2) {
        Texture &texture = job.textures[at / 2 - 2];
        texture = make_texture(argv[at], argv[at + 1]);
        size_t texels = (size_t)texture.width * texture.height;
        if (fread(texture.texels, 16, texels, stdin) != texels) fail("texture", "not enough data");
    }
    const int threads = std::max(atoi(argv[2]), 1), steps = job.picture.height / kernel->rows;
    const int piece = std::max(steps / (threads * PIECES), 1);
    Workers all(threads, steps, piece, [](int step) { kernel->make(job, step * kernel->rows); });
    workers = &all;
    puts(COMPILER);
    fflush(stdout);
    obey(draw, picture);
    return 0;
}
