// What the programs that draw by OpenGL have in common: a context without a window, programs, time, commands.
//
// They read commands from standard input, one on a line, and answer on standard output:
//   draw N     draws N times, waits for each, and answers with seconds
//   picture    answers with the picture, row by row
// Before all answers comes one line that names the driver.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void *memory(size_t bytes) {
    void *data = malloc(bytes);
    if (!data) fail("memory", "there is not enough");
    return data;
}

static void make_context(void) {
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL)) fail("EGL", "no surfaceless display");
    eglBindAPI(EGL_OPENGL_API);
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) fail("EGL", "no OpenGL context");
}

static void attach_shader(GLuint program, GLenum stage, const char *prologue, const char *source) {
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

static void use_program(GLuint program) {
    glLinkProgram(program);
    GLint linked;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[4096];
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        fail("program", log);
    }
    glUseProgram(program);
}

// A framebuffer object with a colour buffer of this format; units below 15 keep their textures.
static void make_target(GLenum format, int width, int height) {
    GLuint texture, framebuffer;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE15);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, width, height);
}

static void check_target(void) {
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail("framebuffer", "not supported");
}

static void write_picture(int width, int height, GLenum type, size_t pixel_bytes) {
    size_t pixels = (size_t)width * height;
    void *data = memory(pixels * pixel_bytes);
    glReadPixels(0, 0, width, height, GL_RGBA, type, data);
    fwrite(data, pixel_bytes, pixels, stdout);
    free(data);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// Obeys commands until there are none. Every draw is waited for: drivers may drop what a later opaque draw covers.
static int obey(void (*draw)(void), void (*picture)(void)) {
    printf("%s, OpenGL %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));
    fflush(stdout);
    char line[64];
    int times;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "draw %d", &times) == 1) {
            double start = now();
            for (int n = 0; n < times; n++) {
                draw();
                glFinish();
            }
            printf("%.9f\n", now() - start);
        } else if (strcmp(line, "picture\n") == 0) {
            picture();
        } else {
            fail("unknown command", line);
        }
        fflush(stdout);
    }
    return glGetError() == GL_NO_ERROR ? 0 : 1;
}
