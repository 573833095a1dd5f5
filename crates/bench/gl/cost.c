// Draws much of one thing, so that what one costs can be told (commands.h; the picture is RGBA of bytes).
//
//   cost ITEM COUNT
//
//   draws, uniforms              COUNT draws of two triangles over 8x8 pixels; a uniform changes before each
//   vertices                     COUNT vertices of triangles outside of the view
//   triangles, triangles-depth   COUNT triangles of 8 pixels, at any place; tested against depth
//   colour, depth, blend, texture, mipmaps, all, samples
//                                COUNT layers of large triangles over the picture: with colours at their vertices; tested against
//                                depth; blended; with a linear filter; with that and mipmaps; the three together; in 4 samples
//
// The picture is cleared first, so that a COUNT of 0 is what must be subtracted.
#include "client.h"

enum { SIDE = 1024, CELLS = 8, TEXTURE = 256 };

// Pixels along the sides at the right angle of a small triangle, and along a small square.
static const float LEG = 4, SQUARE = 8;
// Texels per pixel are this divided by SIDE / TEXTURE, so that mipmaps lie between two levels.
static const float REPEATS = 6;

struct item {
    const char *name;
    enum { DRAWS, VERTICES, TRIANGLES, LAYERS } geometry;
    int has_uniform, has_depth, has_blending, has_texture, has_mipmaps, samples;
};

static const struct item items[] = {
    {"draws", DRAWS},
    {"uniforms", DRAWS, .has_uniform = 1},
    {"vertices", VERTICES},
    {"triangles", TRIANGLES},
    {"triangles-depth", TRIANGLES, .has_depth = 1},
    {"colour", LAYERS},
    {"depth", LAYERS, .has_depth = 1},
    {"blend", LAYERS, .has_blending = 1},
    {"texture", LAYERS, .has_texture = 1},
    {"mipmaps", LAYERS, .has_texture = 1, .has_mipmaps = 1},
    {"all", LAYERS, .has_depth = 1, .has_blending = 1, .has_texture = 1},
    {"samples", LAYERS, .samples = 4},
};

struct vertex {
    GLfloat place[4], colour[4];
};

static const char vertex_source[] =
    "#version 120\n"
    "attribute vec4 place;\n"
    "attribute vec4 colour;\n"
    "uniform vec4 offset;\n"
    "varying vec4 shade;\n"
    "void main() { shade = colour; gl_Position = place + offset; }\n";

static const char shaded_source[] =
    "varying vec4 shade;\n"
    "void main() { gl_FragColor = shade; }\n";

static const char textured_source[] =
    "uniform sampler2D image;\n"
    "varying vec4 shade;\n"
    "void main() { gl_FragColor = shade * texture2D(image, shade.xy); }\n";

// The corners of a square's two triangles.
static const int corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};

static const struct item *item;
static struct vertex *vertices;
static int vertex_count, draw_count;
static GLint offset;

// The next of a fixed sequence of numbers from 0 to 1.
static float chance(void) {
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return (state >> 8) / 16777216.0f;
}

static void add_vertex(float x, float y, float z, float w, float red, float green) {
    vertices[vertex_count++] = (struct vertex){{x * w, y * w, z * w, w}, {red, green, 0.5f, 0.5f}};
}

static void add_square(float x, float y, float side) {
    for (int n = 0; n < 6; n++)
        add_vertex(x + side * corners[n][0], y + side * corners[n][1], 0, 1, corners[n][0], corners[n][1]);
}

// Squares of two triangles each around the whole picture, in perspective.
static void add_layer(void) {
    for (int cell = 0; cell < CELLS * CELLS; cell++)
        for (int n = 0; n < 6; n++) {
            float across = (float)(cell % CELLS + corners[n][0]) / CELLS, up = (float)(cell / CELLS + corners[n][1]) / CELLS;
            float range = item->has_texture ? REPEATS : 1;
            add_vertex(2 * across - 1, 2 * up - 1, 0.2f * up, 1 + 0.3f * across + 0.1f * up, range * across, range * up);
        }
}

static void add_triangles(int count) {
    for (int triangle = 0; triangle < count; triangle++) {
        float x = 2 * chance() - 1, y = 2 * chance() - 1, z = chance(), leg = 2 * LEG / SIDE;
        add_vertex(x, y, z, 1, 0, 0);
        add_vertex(x + leg, y, z, 1, 1, 0);
        add_vertex(x, y + leg, z, 1, 0, 1);
    }
}

static void make_geometry(int count) {
    size_t most = item->geometry == VERTICES ? count : item->geometry == TRIANGLES ? 3 * (size_t)count : 6 * CELLS * CELLS;
    vertices = memory((most + 1) * sizeof *vertices);
    draw_count = count > 0;
    switch (item->geometry) {
    case DRAWS:
        add_square(0, 0, 2 * SQUARE / SIDE);
        draw_count = count;
        break;
    case VERTICES:
        for (int n = 0; n < count; n++) add_vertex(3 + chance(), 3 + chance(), 0, 1, chance(), chance());
        break;
    case TRIANGLES:
        add_triangles(count);
        break;
    case LAYERS:
        add_layer();
        draw_count = count;
        break;
    }
}

static void make_texture(void) {
    static GLubyte texels[TEXTURE][TEXTURE][4];
    for (int y = 0; y < TEXTURE; y++)
        for (int x = 0; x < TEXTURE; x++) {
            GLubyte texel[] = {255 * chance(), 255 - x, 255 - y, 128 + (x ^ y) % 128};
            memcpy(texels[y][x], texel, sizeof texel);
        }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, item->has_mipmaps ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    if (item->has_mipmaps) glGenerateMipmap(GL_TEXTURE_2D);
}

static void make_program(void) {
    GLuint program = glCreateProgram();
    attach_shader(program, GL_VERTEX_SHADER, "", vertex_source);
    attach_shader(program, GL_FRAGMENT_SHADER, "#version 120\n", item->has_texture ? textured_source : shaded_source);
    glBindAttribLocation(program, 0, "place");
    glBindAttribLocation(program, 1, "colour");
    use_program(program);
    offset = glGetUniformLocation(program, "offset");
}

static void bind_vertices(void) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, vertex_count * sizeof *vertices, vertices, GL_STATIC_DRAW);
    const struct vertex *first = NULL;
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof *first, first->place);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof *first, first->colour);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
}

// The depth buffer is there for all, as in most programs' windows: without it drivers drop layers that others hide.
static void make_buffers(void) {
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    attach_buffer(GL_COLOR_ATTACHMENT0, GL_RGBA8, item->samples, SIDE, SIDE);
    attach_buffer(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, item->samples, SIDE, SIDE);
    glViewport(0, 0, SIDE, SIDE);
    check_target();
}

static void draw(void) {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    for (int n = 0; n < draw_count; n++) {
        if (item->has_uniform) glUniform4f(offset, (n & 255) / 1024.0f, (n >> 8) / 1024.0f, 0, 0);
        glDrawArrays(GL_TRIANGLES, 0, vertex_count);
    }
}

static void picture(void) {
    if (item->samples) fail("picture", "cannot be read in several samples");
    write_picture(SIDE, SIDE, GL_UNSIGNED_BYTE, 4);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage", "cost ITEM COUNT");
    for (size_t n = 0; n < sizeof items / sizeof *items; n++)
        if (strcmp(items[n].name, argv[1]) == 0) item = &items[n];
    if (!item) fail(argv[1], "no such item");
    make_geometry(atoi(argv[2]));
    make_context();
    make_program();
    if (item->has_texture) make_texture();
    bind_vertices();
    make_buffers();
    if (item->has_depth) {
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LEQUAL);
    }
    if (item->has_blending) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    return serve(draw, picture);
}
