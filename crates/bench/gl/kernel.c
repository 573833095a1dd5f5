// Runs a fragment shader over a picture, as often as it is told to (commands.h; the picture is RGBA float32).
//
//   kernel SHADER position|varying WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...
//
// Standard input holds the textures' texels (RGBA float32, row by row, in order) in front of the commands. The shader is GLSL
// 1.20 without its #version line; the macro IJ is the position of the pixel, counted from 0, by gl_FragCoord or by a varying, and
// tex0, tex1... are rectangle textures. Everything is float32 and linear.
#include "client.h"

static const char vertex_source[] =
    "#version 120\n"
    "attribute vec2 corner;\n"
    "uniform vec2 size;\n"
    "varying vec2 ij;\n"
    "void main() { ij = (corner * 0.5 + 0.5) * size - 0.5; gl_Position = vec4(corner, 0.0, 1.0); }\n";

static const char position_prologue[] =
    "#version 120\n"
    "#extension GL_ARB_texture_rectangle : enable\n"
    "#define IJ (gl_FragCoord.xy - 0.5)\n";

static const char varying_prologue[] =
    "#version 120\n"
    "#extension GL_ARB_texture_rectangle : enable\n"
    "varying vec2 ij;\n"
    "#define IJ ij\n";

static int width, height;

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    char *text = calloc(1, 1 << 16);
    if (fread(text, 1, (1 << 16) - 1, file) == 0) fail(path, "is empty");
    fclose(file);
    return text;
}

static void make_program(const char *path, const char *prologue, int textures) {
    GLuint program = glCreateProgram();
    attach_shader(program, GL_VERTEX_SHADER, "", vertex_source);
    attach_shader(program, GL_FRAGMENT_SHADER, prologue, read_text(path));
    glBindAttribLocation(program, 0, "corner");
    use_program(program);
    glUniform2f(glGetUniformLocation(program, "size"), width, height);
    for (int unit = 0; unit < textures; unit++) {
        char name[16];
        snprintf(name, sizeof name, "tex%d", unit);
        glUniform1i(glGetUniformLocation(program, name), unit);
    }
}

static void read_texture(int unit, int width, int height) {
    size_t texels = (size_t)width * height;
    float *data = memory(texels * 16);
    if (fread(data, 16, texels, stdin) != texels) fail("texture", "not enough data");
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_RECTANGLE, texture);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_RGBA32F, width, height, 0, GL_RGBA, GL_FLOAT, data);
    free(data);
}

static void draw(void) {
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void picture(void) {
    write_picture(width, height, GL_FLOAT, 16);
}

int main(int argc, char **argv) {
    if (argc < 5 || argc % 2 == 0) fail("usage", "kernel SHADER position|varying WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...");
    const char *prologue = strcmp(argv[2], "varying") == 0 ? varying_prologue : position_prologue;
    int textures = (argc - 5) / 2;
    width = atoi(argv[3]), height = atoi(argv[4]);
    make_context();
    make_program(argv[1], prologue, textures);
    for (int unit = 0; unit < textures; unit++) read_texture(unit, atoi(argv[5 + 2 * unit]), atoi(argv[6 + 2 * unit]));
    make_target(GL_RGBA32F, width, height);
    check_target();
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE);
    static const float corners[] = {-1, -1, 3, -1, -1, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    return serve(draw, picture);
}
