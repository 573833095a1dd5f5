// Draws a scene of 10,000 triangles, as often as it is told to (commands.h; the picture is RGBA of bytes).
//
//   scene NAME WIDTH HEIGHT
//
//   mesh     two sheets that intersect, of triangles in a grid: textured, blended, tested against depth
//   random   triangles of any shape at any place: the same
//   gouraud  small triangles at any place, with colours at their vertices: tested against depth
#include "client.h"
#include <math.h>

enum { TRIANGLES = 10000, LAYERS = 2, CELLS = 50, TEXTURE = 256 };

// Pixels along a side of the square in which the corners of a triangle lie.
static const float RANDOM_SIDE = 64, GOURAUD_SIDE = 24;

struct vertex {
    GLfloat place[3], texture[2];
    GLubyte colour[4];
};

static const char vertex_source[] =
    "#version 120\n"
    "attribute vec3 place;\n"
    "attribute vec2 texture;\n"
    "attribute vec4 colour;\n"
    "varying vec2 st;\n"
    "varying vec4 shade;\n"
    "void main() { st = texture; shade = colour; gl_Position = vec4(place, 1.0); }\n";

static const char textured_source[] =
    "uniform sampler2D image;\n"
    "varying vec2 st;\n"
    "varying vec4 shade;\n"
    "void main() { gl_FragColor = shade * texture2D(image, st); }\n";

static const char shaded_source[] =
    "varying vec4 shade;\n"
    "void main() { gl_FragColor = shade; }\n";

static struct vertex vertices[3 * TRIANGLES];
static GLushort elements[3 * TRIANGLES];
static int vertex_count, element_count, width, height;

// The next of a fixed sequence of numbers from 0 to 1.
static float chance(void) {
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return (state >> 8) / 16777216.0f;
}

static void add_vertex(float x, float y, float z, float s, float t, float alpha) {
    vertices[vertex_count++] = (struct vertex){
        {x, y, z}, {s, t}, {55 + 200 * chance(), 55 + 200 * chance(), 55 + 200 * chance(), 255 * alpha}};
}

// Sheets of squares, each cut into two triangles.
static void make_mesh(void) {
    for (int layer = 0; layer < LAYERS; layer++) {
        int first = vertex_count;
        for (int row = 0; row <= CELLS; row++)
            for (int column = 0; column <= CELLS; column++) {
                float x = 2.0f * column / CELLS - 1, y = 2.0f * row / CELLS - 1;
                float z = 0.3f * sinf(5 * x + 2 * layer) * cosf(4 * y + layer) - 0.2f * layer;
                add_vertex(x, y, z, 4 * x + layer, 4 * y, layer == 0 ? 1 : 0.6f);
            }
        for (int row = 0; row < CELLS; row++)
            for (int column = 0; column < CELLS; column++) {
                int corner = first + row * (CELLS + 1) + column, above = corner + CELLS + 1;
                int square[] = {corner, corner + 1, above, above, corner + 1, above + 1};
                for (int n = 0; n < 6; n++) elements[element_count++] = square[n];
            }
    }
}

// Triangles with corners in squares of this side, anywhere.
static void make_triangles(float side) {
    for (int triangle = 0; triangle < TRIANGLES; triangle++) {
        float x = 2 * chance() - 1, y = 2 * chance() - 1, z = 1.8f * chance() - 0.9f;
        for (int corner = 0; corner < 3; corner++) {
            float across = chance() - 0.5f, down = chance() - 0.5f;
            add_vertex(x + 2 * side * across / width, y + 2 * side * down / height, z + 0.1f * chance(), across * 2, down * 2,
                       0.3f + 0.7f * chance());
            elements[element_count++] = vertex_count - 1;
        }
    }
}

static void make_texture(void) {
    static GLubyte texels[TEXTURE][TEXTURE][4];
    for (int y = 0; y < TEXTURE; y++)
        for (int x = 0; x < TEXTURE; x++) {
            GLubyte square = (x / 32 + y / 32) % 2 ? 255 : 120;
            GLubyte texel[] = {square, 255 - x / 2, 255 - y / 2, 160 + (x ^ y) % 96};
            memcpy(texels[y][x], texel, 4);
        }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void make_program(const char *fragment_source) {
    static const char *const attributes[] = {"place", "texture", "colour"};
    GLuint program = glCreateProgram();
    attach_shader(program, GL_VERTEX_SHADER, "", vertex_source);
    attach_shader(program, GL_FRAGMENT_SHADER, "#version 120\n", fragment_source);
    for (int n = 0; n < 3; n++) glBindAttribLocation(program, n, attributes[n]);
    use_program(program);
}

static void bind_vertices(void) {
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, vertex_count * sizeof *vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, element_count * sizeof *elements, elements, GL_STATIC_DRAW);
    const struct vertex *first = NULL;
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof *first, first->place);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof *first, first->texture);
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof *first, first->colour);
    for (int n = 0; n < 3; n++) glEnableVertexAttribArray(n);
}

static void draw(void) {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDrawElements(GL_TRIANGLES, element_count, GL_UNSIGNED_SHORT, NULL);
}

static void picture(void) {
    write_picture(width, height, GL_UNSIGNED_BYTE, 4);
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage", "scene mesh|random|gouraud WIDTH HEIGHT");
    const char *name = argv[1];
    width = atoi(argv[2]), height = atoi(argv[3]);
    int is_textured = strcmp(name, "gouraud") != 0;
    if (strcmp(name, "mesh") == 0) make_mesh();
    else if (strcmp(name, "random") == 0) make_triangles(RANDOM_SIDE);
    else if (strcmp(name, "gouraud") == 0) make_triangles(GOURAUD_SIDE);
    else fail(name, "no such scene; scenes are mesh, random, gouraud");
    make_context();
    make_program(is_textured ? textured_source : shaded_source);
    if (is_textured) {
        make_texture();
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    bind_vertices();
    make_target(GL_RGBA8, width, height);
    attach_buffer(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, 0, width, height);
    glEnable(GL_DEPTH_TEST);
    check_target();
    glClearColor(0.1f, 0.2f, 0.3f, 1);
    return serve(draw, picture);
}
