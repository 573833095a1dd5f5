// Records what Mesa's llvmpipe makes of patches: the domain points in their order (in point mode), and the points of each line or
// triangle, one primitive after the other.
//
//   cc -O2 record.c -o record -lEGL -lGL -lm
//   ./record > records.txt                                       all combinations, as the test reads them
//   ./record quads odd ccw 3 1 2.5 4 3 7                         one combination, point by point: four outer and two inner levels
//
// The README beside this file says what a line of records.txt holds.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAINS = 3, SPACINGS = 3, WINDINGS = 2, LEVELS = 6 };
static const char *domain_names[DOMAINS] = {"triangles", "quads", "isolines"};
static const char *spacing_names[SPACINGS] = {"equal", "odd", "even"};
static const char *spacing_words[SPACINGS] = {"equal_spacing", "fractional_odd_spacing", "fractional_even_spacing"};
static const char *winding_names[WINDINGS] = {"ccw", "cw"};

// Coordinates of all points of one draw.
static float records[1 << 18][2];

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void attach(GLuint program, GLenum stage, const char *source) {
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    GLint compiled;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) fail("shader", source);
    glAttachShader(program, shader);
}

static GLuint make_program(int domain, int spacing, int winding, int points) {
    char evaluation[512];
    snprintf(evaluation, sizeof evaluation,
             "#version 410\nlayout(%s, %s, %s%s) in;\nout vec2 place;\n"
             "void main() { place = gl_TessCoord.xy; gl_Position = vec4(0.0); }\n",
             domain_names[domain], spacing_words[spacing], winding_names[winding], points ? ", point_mode" : "");
    GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, "#version 410\nvoid main() { gl_Position = vec4(0.0); }\n");
    attach(program, GL_TESS_EVALUATION_SHADER, evaluation);
    const char *captured = "place";
    glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    GLint linked;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) fail("program", evaluation);
    return program;
}

static GLuint programs[DOMAINS][SPACINGS][WINDINGS][2], feedback_query;

static void make_context(void) {
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL)) fail("EGL", "no surfaceless display");
    eglBindAPI(EGL_OPENGL_API);
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) fail("EGL", "no OpenGL context");
    if (!strstr((const char *)glGetString(GL_RENDERER), "llvmpipe"))
        fail("renderer", "set LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe");
    GLuint buffer, vertices, framebuffer, colours;
    glGenRenderbuffers(1, &colours);
    glBindRenderbuffer(GL_RENDERBUFFER, colours);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours);
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof records, NULL, GL_STREAM_READ);
    glGenQueries(1, &feedback_query);
    glEnable(GL_RASTERIZER_DISCARD);
    glPatchParameteri(GL_PATCH_VERTICES, 1);
}

// Draws one patch; gives the number of points in `records`.
static unsigned draw(int domain, int spacing, int winding, int points, const float *levels) {
    GLuint *program = &programs[domain][spacing][winding][points];
    if (!*program) *program = make_program(domain, spacing, winding, points);
    glUseProgram(*program);
    glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, levels);
    glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, levels + 4);
    GLenum shape = points ? GL_POINTS : domain == 2 ? GL_LINES : GL_TRIANGLES;
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, feedback_query);
    glBeginTransformFeedback(shape);
    glDrawArrays(GL_PATCHES, 0, 1);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    GLuint primitives;
    glGetQueryObjectuiv(feedback_query, GL_QUERY_RESULT, &primitives);
    unsigned count = primitives * (shape == GL_POINTS ? 1 : shape == GL_LINES ? 2 : 3);
    if (count * sizeof *records >= sizeof records) fail("records", "too many");
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, count * sizeof *records, records);
    if (glGetError()) fail("OpenGL", "an error");
    return count;
}

// FNV-1a over the bytes of the coordinates, little endian.
static uint64_t digest(unsigned count) {
    uint64_t hash = 0xcbf29ce484222325;
    const unsigned char *bytes = (const unsigned char *)records;
    for (size_t n = 0; n < count * sizeof *records; n++) hash = (hash ^ bytes[n]) * 0x100000001b3;
    return hash;
}

static void line(int domain, int spacing, int winding, const float *levels) {
    printf("%s %s %s", domain_names[domain], spacing_names[spacing], winding_names[winding]);
    for (int n = 0; n < LEVELS; n++) {
        uint32_t bits;
        memcpy(&bits, &levels[n], sizeof bits);
        printf(" %08x", bits);
    }
    for (int connected = 0; connected < 2; connected++) {
        unsigned count = draw(domain, spacing, winding, !connected, levels);
        printf("  %u %016llx", count, (unsigned long long)digest(count));
    }
    printf("\n");
}

static uint32_t state = 1;

static uint32_t below(uint32_t count) {
    state = state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)state * count >> 32);
}

// A level: mostly small, sometimes whole, next to a whole one, or of any size.
static float any_level(void) {
    switch (below(8)) {
    case 0: return 1 + below(8);
    case 1: return 1 + below(64);
    case 2: return nextafterf(1 + below(12), 100);
    case 3: return nextafterf(1 + below(12), 0);
    case 4: return 1 + below(64 * 65536) / 65536.0f;
    case 5: return below(1 << 20) / 65536.0f + 0.001f;
    default: return 1 + below(10 * 65536) / 65536.0f;
    }
}

static void all(void) {
    static const float special[] = {0.0f, -1.0f, 0.3f, 64.5f, 1000.0f, INFINITY, NAN};
    for (int domain = 0; domain < DOMAINS; domain++) {
        for (int spacing = 0; spacing < SPACINGS; spacing++) {
            float levels[LEVELS];
            // All levels alike: each whole one up to 20, some beyond, and those between.
            for (int step = 2; step <= 64; step += step < 40 ? 1 : 6) {
                for (int n = 0; n < LEVELS; n++) levels[n] = step / 2.0f;
                line(domain, spacing, step & 1, levels);
            }
            for (int whole = 33; whole <= 64; whole += 5) {
                for (int n = 0; n < LEVELS; n++) levels[n] = whole;
                line(domain, spacing, whole & 1, levels);
            }
            // One level at a time beside small ones.
            for (int place = 0; place < LEVELS; place++) {
                for (size_t n = 0; n < sizeof special / sizeof *special; n++) {
                    for (int other = 0; other < LEVELS; other++) levels[other] = 1 + other % 3;
                    levels[place] = special[n];
                    line(domain, spacing, place & 1, levels);
                }
            }
            for (int n = 0; n < 60; n++) {
                for (int place = 0; place < LEVELS; place++) levels[place] = any_level();
                line(domain, spacing, n & 1, levels);
            }
        }
    }
}

static int index_of(const char *name, const char **names, int count) {
    for (int n = 0; n < count; n++)
        if (!strcmp(name, names[n])) return n;
    fail(name, "is not known");
    return 0;
}

int main(int argc, char **argv) {
    make_context();
    if (argc == 1) {
        printf("# %s\n", glGetString(GL_VERSION));
        all();
        return 0;
    }
    if (argc != 4 + LEVELS) fail(argv[0], "[DOMAIN SPACING WINDING OUTER OUTER OUTER OUTER INNER INNER]");
    int domain = index_of(argv[1], domain_names, DOMAINS), spacing = index_of(argv[2], spacing_names, SPACINGS);
    int winding = index_of(argv[3], winding_names, WINDINGS);
    float levels[LEVELS];
    for (int n = 0; n < LEVELS; n++) levels[n] = strtof(argv[4 + n], NULL);
    for (int connected = 0; connected < 2; connected++) {
        unsigned count = draw(domain, spacing, winding, !connected, levels);
        printf("%s\n", connected ? "primitives" : "points");
        for (unsigned n = 0; n < count; n++) printf("%6.0f %6.0f\n", records[n][0] * 65536, records[n][1] * 65536);
    }
}
