// What the programs that draw by OpenGL have in common: a context without a window, programs, time, and the commands of commands.h.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include "../commands.h"

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

// A renderbuffer of the target that is bound; 0 samples are one without multisampling.
static void attach_buffer(GLenum attachment, GLenum format, int samples, int width, int height) {
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
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

static void (*draw_scene)(void);

// Every draw is waited for: drivers may drop what a later opaque draw covers.
static void draw_and_wait(void) {
    draw_scene();
    glFinish();
}

// Names the driver, and obeys commands until there are none.
static int serve(void (*draw)(void), void (*picture)(void)) {
    printf("%s, OpenGL %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));
    fflush(stdout);
    draw_scene = draw;
    obey(draw_and_wait, picture);
    return glGetError() == GL_NO_ERROR ? 0 : 1;
}
