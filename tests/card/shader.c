// Draws a rectangle over a picture of 64 x 64 pixels with a fragment shader of a file, through EGL without a window system, and writes it as PAM.
// The shader's `varying vec2 place` goes from 0 to 1; `uniform` variables are 0.
//
//   cc -O1 shader.c -o shader -lEGL -lGL
//   LIBGL_ALWAYS_SOFTWARE=1 ./shader loop.frag software.pam
//   ctm card run -- ./shader loop.frag card.pam

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, MOST = 1 << 16 };

static void fail(const char *reason)
{
    fprintf(stderr, "shader: %s\n", reason);
    exit(1);
}

static void attach(GLuint program, GLenum stage, const char *text)
{
    GLuint shader = glCreateShader(stage);
    GLint good = 0;
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char message[1000];
        glGetShaderInfoLog(shader, sizeof message, NULL, message);
        fail(message);
    }
    glAttachShader(program, shader);
}

int main(int count, char **words)
{
    static char text[MOST];
    if (count != 3)
        fail("shader FILE PICTURE");
    FILE *file = fopen(words[1], "r");
    if (!file)
        fail("the shader cannot be read");
    size_t length = fread(text, 1, MOST - 1, file);
    fclose(file);
    text[length] = 0;

    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL))
        fail("no display");
    eglBindAPI(EGL_OPENGL_API);
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        fail("no context");
    fprintf(stderr, "%s, %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));

    GLuint buffer, frame, program = glCreateProgram();
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    attach(program, GL_VERTEX_SHADER, "varying vec2 place; void main() { gl_Position = gl_Vertex; place = gl_Vertex.xy * 0.5 + 0.5; }");
    attach(program, GL_FRAGMENT_SHADER, text);
    glLinkProgram(program);
    glUseProgram(program);
    glViewport(0, 0, SIDE, SIDE);
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-1, -1, 1, 1);

    static unsigned char pixels[SIDE][SIDE][4];
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    file = fopen(words[2], "wb");
    if (!file)
        fail("the picture cannot be written");
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", SIDE, SIDE);
    for (int row = SIDE; row-- > 0;)
        fwrite(pixels[row], 1, sizeof pixels[row], file);
    fclose(file);
    return 0;
}
