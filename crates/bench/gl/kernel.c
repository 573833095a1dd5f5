// Runs a fragment shader over a picture, as often as it is told to (commands.h; the picture is RGBA float32, outputs one behind the other).
//
//   kernel SHADER position|varying WIDTH HEIGHT OUTPUTS [texture NAME WIDTH HEIGHT | uniform NAME VALUE...]...
//
// Standard input holds the textures' texels (RGBA float32, row by row, in order) in front of the commands. The shader is GLSL,
// of version 1.20 unless it has a #version line; the macro IJ is the position of the pixel, counted from 0, by gl_FragCoord or by a
// varying. Textures are rectangles or have two dimensions, as the samplers of their names have. Everything is float32, nearest, and
// clamped to the edge. Pixels that nothing is written to are BACKGROUND.
#include "client.h"

static const float BACKGROUND = 0.25f;

static const char vertex_source[] =
    "#version 120\n"
    "attribute vec2 corner;\n"
    "uniform vec2 ctm_size;\n"
    "varying vec2 ctm_ij;\n"
    "void main() { ctm_ij = (corner * 0.5 + 0.5) * ctm_size - 0.5; gl_Position = vec4(corner, 0.0, 1.0); }\n";

static const char position_prologue[] =
    "#extension GL_ARB_texture_rectangle : enable\n"
    "#define IJ (gl_FragCoord.xy - 0.5)\n";

static const char varying_prologue[] =
    "#extension GL_ARB_texture_rectangle : enable\n"
    "varying vec2 ctm_ij;\n"
    "#define IJ ctm_ij\n";

static GLuint program;
static int width, height, outputs, units;

// A shader's text, with the prologue behind its line of the version.
static char *read_shader(const char *path, const char *prologue) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    char *text = memory(1 << 16);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    if (length == 0) fail(path, "is empty");
    text[length] = 0;
    fclose(file);
    char *version = strstr(text, "#version"), *rest = version ? strchr(version, '\n') : NULL;
    if (version && !rest) fail(path, "ends behind #version");
    char *whole = memory(length + strlen(prologue) + 64);
    if (rest) sprintf(whole, "%.*s\n%s%s", (int)(rest - text), text, prologue, rest + 1);
    else sprintf(whole, "#version 120\n%s%s", prologue, text);
    free(text);
    return whole;
}

static void make_program(const char *path, const char *prologue) {
    program = glCreateProgram();
    attach_shader(program, GL_VERTEX_SHADER, "", vertex_source);
    char *shader = read_shader(path, prologue);
    attach_shader(program, GL_FRAGMENT_SHADER, "", shader);
    free(shader);
    glBindAttribLocation(program, 0, "corner");
    use_program(program);
    glUniform2f(glGetUniformLocation(program, "ctm_size"), width, height);
}

// The type of the uniform of this name, or of its elements if it is an array, whose number is `count`; 0 if the program does not use it.
static GLenum uniform_type(const char *name, int *count) {
    GLint uniforms;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &uniforms);
    for (int n = 0; n < uniforms; n++) {
        char active[128];
        GLenum type;
        glGetActiveUniform(program, n, sizeof active, NULL, count, &type, active);
        size_t length = strlen(active);
        if (length > 3 && strcmp(active + length - 3, "[0]") == 0 && strlen(name) == length - 3) active[length - 3] = 0;
        if (strcmp(active, name) == 0) return type;
    }
    return 0;
}

static void set_uniform(const char *name, int values, char **texts) {
    GLfloat floats[256];
    GLint integers[256];
    if (values > 256) fail(name, "has too many values");
    for (int n = 0; n < values; n++) floats[n] = strtof(texts[n], NULL), integers[n] = (GLint)floats[n];
    int count, at = glGetUniformLocation(program, name), size = 1;
    GLenum type = uniform_type(name, &count);
    switch (type) {
        case 0: return;
#define TYPE(SIZE, ...) size = SIZE; if (values <= count * size) glUniform##__VA_ARGS__; break
        case GL_FLOAT: TYPE(1, 1fv(at, values, floats));
        case GL_FLOAT_VEC2: TYPE(2, 2fv(at, values / 2, floats));
        case GL_FLOAT_VEC3: TYPE(3, 3fv(at, values / 3, floats));
        case GL_FLOAT_VEC4: TYPE(4, 4fv(at, values / 4, floats));
        case GL_INT: case GL_BOOL: TYPE(1, 1iv(at, values, integers));
        case GL_INT_VEC2: case GL_BOOL_VEC2: TYPE(2, 2iv(at, values / 2, integers));
        case GL_INT_VEC3: case GL_BOOL_VEC3: TYPE(3, 3iv(at, values / 3, integers));
        case GL_INT_VEC4: case GL_BOOL_VEC4: TYPE(4, 4iv(at, values / 4, integers));
        case GL_FLOAT_MAT2: TYPE(4, Matrix2fv(at, values / 4, GL_FALSE, floats));
        case GL_FLOAT_MAT3: TYPE(9, Matrix3fv(at, values / 9, GL_FALSE, floats));
        case GL_FLOAT_MAT4: TYPE(16, Matrix4fv(at, values / 16, GL_FALSE, floats));
        case GL_FLOAT_MAT2x3: TYPE(6, Matrix2x3fv(at, values / 6, GL_FALSE, floats));
        case GL_FLOAT_MAT3x2: TYPE(6, Matrix3x2fv(at, values / 6, GL_FALSE, floats));
        case GL_FLOAT_MAT2x4: TYPE(8, Matrix2x4fv(at, values / 8, GL_FALSE, floats));
        case GL_FLOAT_MAT4x2: TYPE(8, Matrix4x2fv(at, values / 8, GL_FALSE, floats));
        case GL_FLOAT_MAT3x4: TYPE(12, Matrix3x4fv(at, values / 12, GL_FALSE, floats));
        case GL_FLOAT_MAT4x3: TYPE(12, Matrix4x3fv(at, values / 12, GL_FALSE, floats));
#undef TYPE
        default: fail(name, "is a uniform of a type that cannot be set");
    }
    if (values == 0 || values % size || values > count * size) fail(name, "has a wrong number of values");
}

static void read_texture(const char *name, int width, int height) {
    size_t texels = (size_t)width * height;
    float *data = memory(texels * 16);
    if (fread(data, 16, texels, stdin) != texels) fail(name, "not enough data");
    int count;
    GLenum target = uniform_type(name, &count) == GL_SAMPLER_2D ? GL_TEXTURE_2D : GL_TEXTURE_RECTANGLE;
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + units);
    glBindTexture(target, texture);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(target, 0, GL_RGBA32F, width, height, 0, GL_RGBA, GL_FLOAT, data);
    free(data);
    glUniform1i(glGetUniformLocation(program, name), units++);
}

// Arguments behind those that all shaders have: textures and uniforms.
static void bind(int count, char **words) {
    for (int at = 0; at < count;) {
        if (strcmp(words[at], "texture") == 0 && at + 3 < count) {
            read_texture(words[at + 1], atoi(words[at + 2]), atoi(words[at + 3]));
            at += 4;
        } else if (strcmp(words[at], "uniform") == 0 && at + 1 < count) {
            int end = at + 2;
            while (end < count && strcmp(words[end], "texture") != 0 && strcmp(words[end], "uniform") != 0) end++;
            set_uniform(words[at + 1], end - at - 2, words + at + 2);
            at = end;
        } else {
            fail(words[at], "is neither texture nor uniform");
        }
    }
}

// Further colour buffers beside the one that make_target made.
static void add_targets(void) {
    GLenum buffers[4];
    for (int output = 0; output < outputs; output++) {
        buffers[output] = GL_COLOR_ATTACHMENT0 + output;
        if (output == 0) continue;
        GLuint texture;
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[output], GL_TEXTURE_2D, texture, 0);
    }
    glDrawBuffers(outputs, buffers);
}

static void draw(void) {
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void picture(void) {
    for (int output = 0; output < outputs; output++) {
        glReadBuffer(GL_COLOR_ATTACHMENT0 + output);
        write_picture(width, height, GL_FLOAT, 16);
    }
}

int main(int argc, char **argv) {
    if (argc < 6) fail("usage", "kernel SHADER position|varying WIDTH HEIGHT OUTPUTS [texture NAME WIDTH HEIGHT | uniform NAME VALUE...]...");
    const char *prologue = strcmp(argv[2], "varying") == 0 ? varying_prologue : position_prologue;
    width = atoi(argv[3]), height = atoi(argv[4]), outputs = atoi(argv[5]);
    if (outputs < 1 || outputs > 4) fail(argv[5], "is not a number of outputs");
    make_context();
    make_program(argv[1], prologue);
    bind(argc - 6, argv + 6);
    make_target(GL_RGBA32F, width, height);
    add_targets();
    check_target();
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE);
    glClearColor(BACKGROUND, BACKGROUND, BACKGROUND, BACKGROUND);
    glClear(GL_COLOR_BUFFER_BIT);
    static const float corners[] = {-1, -1, 3, -1, -1, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    return serve(draw, picture);
}
