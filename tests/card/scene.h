/* What programs of scenes have in common: a context of EGL without a window system, a framebuffer of 96 x 64 pixels, and a file with its picture,
 * binary PAM. */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 64 };

static GLuint shader(GLenum stage, const char *text) {
    GLuint made = glCreateShader(stage);
    GLint good = 0;
    glShaderSource(made, 1, &text, NULL);
    glCompileShader(made);
    glGetShaderiv(made, GL_COMPILE_STATUS, &good);
    if (!good) {
        char message[1000];
        glGetShaderInfoLog(made, sizeof message, NULL, message);
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    return made;
}

/* A scene: its name, what draws it, and the version of OpenGL that it asks for, in core contexts: major * 10 + minor; 0 is any. */
struct scene {
    const char *name;
    void (*draw)(void);
    int version;
};

static int run(int count, char **arguments, const struct scene *scenes, size_t number) {
    const struct scene *scene = NULL;
    for (size_t n = 0; count == 3 && n < number; n++)
        if (!strcmp(arguments[1], scenes[n].name)) scene = &scenes[n];
    if (!scene) {
        fprintf(stderr, "usage: %s SCENE FILE.pam\n", arguments[0]);
        return 2;
    }
    const EGLint core[] = {
        EGL_CONTEXT_MAJOR_VERSION, scene->version / 10, EGL_CONTEXT_MINOR_VERSION, scene->version % 10,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
    };
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) return 1;
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, scene->version ? core : NULL);
    if (!context) {
        fprintf(stderr, "the driver has no context for this scene\n");
        return 1;
    }
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return 1;

    GLuint names[2], frame;
    glGenRenderbuffers(2, names);
    glBindRenderbuffer(GL_RENDERBUFFER, names[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
    glBindRenderbuffer(GL_RENDERBUFFER, names[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, names[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, names[1]);
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0.1, 0.15, 0.2, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    scene->draw();

    static unsigned char pixels[HEIGHT][WIDTH][4];
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    FILE *file = fopen(arguments[2], "wb");
    if (glGetError() != GL_NO_ERROR || !file) return 1;
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", WIDTH, HEIGHT);
    for (int y = HEIGHT; y-- > 0;) fwrite(pixels[y], 4, WIDTH, file);
    return fclose(file) != 0;
}
