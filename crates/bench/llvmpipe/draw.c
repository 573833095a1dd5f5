// Runs a fragment shader over a picture with Mesa's llvmpipe, as often as it is told to.
//
//   draw SHADER WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...
//
// Standard input holds the textures' texels (RGBA float32, row by row, in order), then commands, one on a line:
//   draw N     draws N times; answers with seconds
//   picture    answers with the texels of the picture (RGBA float32, row by row)
// Before all answers comes one line that names the driver. The shader is GLSL 1.20 without its #version line; the macro IJ is
// the position of the pixel, counted from 0, and tex0, tex1... are rectangle textures. Everything is float32 and linear.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char vertex_source[] =
    "#version 120\n"
    "attribute vec2 corner;\n"
    "void main() { gl_Position = vec4(corner, 0.0, 1.0); }\n";

static const char fragment_prologue[] =
    "#version 120\n"
    "#extension GL_ARB_texture_rectangle : enable\n"
    "#define IJ (gl_FragCoord.xy - 0.5)\n";

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    char *text = calloc(1, 1 << 16);
    if (fread(text, 1, (1 << 16) - 1, file) == 0) fail(path, "is empty");
    fclose(file);
    return text;
}

static void attach(GLuint program, GLenum stage, const char *prologue, const char *source) {
    const char *parts[] = {prologue, source};
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 2, parts, NULL);
    glCompileShader(shader);
    GLint compiled;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        char log[4096];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fail("shader", log);
    }
    glAttachShader(program, shader);
}

static void make_context(void) {
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL)) fail("EGL", "no surfaceless display");
    eglBindAPI(EGL_OPENGL_API);
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) fail("EGL", "no OpenGL context");
}

static void make_program(const char *path, int textures) {
    GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, "", vertex_source);
    attach(program, GL_FRAGMENT_SHADER, fragment_prologue, read_text(path));
    glBindAttribLocation(program, 0, "corner");
    glLinkProgram(program);
    GLint linked;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) fail(path, "does not link");
    glUseProgram(program);
    for (int unit = 0; unit < textures; unit++) {
        char name[16];
        snprintf(name, sizeof name, "tex%d", unit);
        glUniform1i(glGetUniformLocation(program, name), unit);
    }
}

static void read_texture(int unit, int width, int height) {
    size_t texels = (size_t)width * height;
    float *data = malloc(texels * 16);
    if (!data || fread(data, 16, texels, stdin) != texels) fail("texture", "not enough data");
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

static void make_target(int width, int height) {
    GLuint texture, framebuffer;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE15);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("float target", "not supported");
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE);
    glViewport(0, 0, width, height);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// Every draw is waited for: llvmpipe drops what a later opaque draw of the same scene covers.
static void draw(int times) {
    double start = now();
    for (int n = 0; n < times; n++) {
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFinish();
    }
    printf("%.9f\n", now() - start);
}

static void write_picture(int width, int height) {
    size_t texels = (size_t)width * height;
    float *data = malloc(texels * 16);
    if (!data) fail("picture", "no memory");
    glReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, data);
    fwrite(data, 16, texels, stdout);
    free(data);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc % 2 != 0) fail("usage", "draw SHADER WIDTH HEIGHT [TEXTURE_WIDTH TEXTURE_HEIGHT]...");
    int width = atoi(argv[2]), height = atoi(argv[3]), textures = (argc - 4) / 2;
    make_context();
    make_program(argv[1], textures);
    for (int unit = 0; unit < textures; unit++) read_texture(unit, atoi(argv[4 + 2 * unit]), atoi(argv[5 + 2 * unit]));
    make_target(width, height);
    static const float corners[] = {-1, -1, 3, -1, -1, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    printf("%s, OpenGL %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));
    fflush(stdout);
    char line[64];
    int times;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "draw %d", &times) == 1) draw(times);
        else if (strcmp(line, "picture\n") == 0) write_picture(width, height);
        else fail("unknown command", line);
        fflush(stdout);
    }
    return glGetError() == GL_NO_ERROR ? 0 : 1;
}
