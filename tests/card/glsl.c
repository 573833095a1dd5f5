// Draws with the shaders of a file over a picture of 64 x 64 pixels, or runs its compute shader, through EGL without a window system. A picture is
// written as PAM; of a compute shader the words of its buffer, one a line.
//
//   cc -O1 glsl.c -o glsl -lEGL -lGL -lm
//   LIBGL_ALWAYS_SOFTWARE=1 ./glsl glsl/gather.glsl software.pam
//   ctm card run --card gm107 -- ./glsl glsl/gather.glsl card.pam
//
// Parts of a file begin with `//// vertex`, `//// fragment` or `//// compute GROUPS`. Without a vertex shader, `place` goes from 0 to 1. What shaders
// find:
//
// | where | what |
// |---|---|
// | attribute 0 | `vec2`: a grid of 8 x 8 cells over the picture, from -1 to 1 |
// | texture 0 to 9 | 2D with levels, cube, 3D, 2D array, 2D with comparison, 2D of unsigned integers, 1D, buffer, rectangle, cube array |
// | texture 10, 11 | 2D array and cube with comparison |
// | image 0, 1 | `rgba8` and `r32ui`, of the picture's size |
// | uniform block 0 | 64 `vec4` |
// | buffer 0 | 4096 words: of a compute shader the result; the first is 64 at first, others are 0 |
// | buffer 1 | 4096 words: numbers from a generator |
//
// With `//// show 0` the picture is that of image 0; with `//// samples 4` the target has four samples.

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, CELLS = 8, WORDS = 4096, MOST = 1 << 16 };

static const char usual_vertex[] =
    "#version 430\nlayout(location = 0) in vec2 corner; out vec2 place;\n"
    "void main() { gl_Position = vec4(corner, 0, 1); place = corner * 0.5 + 0.5; }";

static void fail(const char *reason)
{
    fprintf(stderr, "glsl: %s\n", reason);
    exit(1);
}

static unsigned random_word(void)
{
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

// A part of the file, without its first line; none if the file lacks it.
static char *part(const char *text, const char *name)
{
    const char *start = strstr(text, name);
    if (!start)
        return NULL;
    start = strchr(start, '\n') + 1;
    const char *end = strstr(start, "\n//// ");
    return strndup(start, end ? (size_t)(end - start + 1) : strlen(start));
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

static void link_program(GLuint program)
{
    GLint good = 0;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        char message[1000];
        glGetProgramInfoLog(program, sizeof message, NULL, message);
        fail(message);
    }
    glUseProgram(program);
}

// Smooth colours, another picture for each number.
static unsigned char *colours(int width, int height, int number)
{
    unsigned char *texels = malloc((size_t)width * height * 4);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            unsigned char *texel = texels + 4 * (y * width + x);
            texel[0] = 255 * x / (width > 1 ? width - 1 : 1);
            texel[1] = 255 * y / (height > 1 ? height - 1 : 1);
            texel[2] = 40 * number % 256;
            texel[3] = ((x / 4 + y / 4 + number) & 1) ? 255 : 96;
        }
    return texels;
}

static void texture(int unit, GLenum target, GLenum filter, GLenum wrap)
{
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(target, name);
    if (target == GL_TEXTURE_BUFFER)
        return;
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_R, wrap);
}

static void compare(GLenum target)
{
    glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static void textures(void)
{
    texture(0, GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_REPEAT);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(64, 64, 1));
    glGenerateMipmap(GL_TEXTURE_2D);
    texture(1, GL_TEXTURE_CUBE_MAP, GL_LINEAR, GL_CLAMP_TO_EDGE);
    for (int face = 0; face < 6; face++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(16, 16, face));
    texture(2, GL_TEXTURE_3D, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(8, 64, 2));
    texture(3, GL_TEXTURE_2D_ARRAY, GL_LINEAR, GL_REPEAT);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 16, 16, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(16, 64, 3));
    static float depths[16 * 16 * 4];
    for (int n = 0; n < 16 * 16 * 4; n++)
        depths[n] = (n % 16 + n / 16 % 16) / 32.0f;
    texture(4, GL_TEXTURE_2D, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 16, 16, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    compare(GL_TEXTURE_2D);
    texture(5, GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8UI, 64, 64, 0, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, colours(64, 64, 4));
    texture(6, GL_TEXTURE_1D, GL_LINEAR, GL_REPEAT);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(32, 1, 5));
    texture(7, GL_TEXTURE_BUFFER, 0, 0);
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, 64 * 64 * 4, colours(64, 64, 6), GL_STATIC_DRAW);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer);
    texture(8, GL_TEXTURE_RECTANGLE, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_RGBA8, 40, 24, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(40, 24, 7));
    texture(9, GL_TEXTURE_CUBE_MAP_ARRAY, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, GL_RGBA8, 8, 8, 12, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours(8, 96, 8));
    texture(10, GL_TEXTURE_2D_ARRAY, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT32F, 16, 16, 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    compare(GL_TEXTURE_2D_ARRAY);
    texture(11, GL_TEXTURE_CUBE_MAP, GL_LINEAR, GL_CLAMP_TO_EDGE);
    for (int face = 0; face < 6; face++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_DEPTH_COMPONENT32F, 16, 16, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    compare(GL_TEXTURE_CUBE_MAP);
}

static GLuint image(int unit, GLenum stored, GLenum format, GLenum type)
{
    GLuint name;
    unsigned char *zeros = calloc(SIDE * SIDE, 4);
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0 + 15);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, stored, SIDE, SIDE, 0, format, type, zeros);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindImageTexture(unit, name, 0, GL_FALSE, 0, GL_READ_WRITE, stored);
    free(zeros);
    return name;
}

static GLuint buffers(void)
{
    static float uniforms[64][4];
    static unsigned result[WORDS], numbers[WORDS];
    for (int n = 0; n < 256; n++)
        uniforms[n / 4][n % 4] = n % 17 / 16.0f;
    for (int n = 0; n < WORDS; n++)
        numbers[n] = random_word();
    result[0] = 64;
    GLuint names[3];
    glGenBuffers(3, names);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, names[0]);
    glBufferData(GL_UNIFORM_BUFFER, sizeof uniforms, uniforms, GL_STATIC_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, names[1]);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof result, result, GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, names[2]);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof numbers, numbers, GL_DYNAMIC_DRAW);
    return names[1];
}

static void draw_grid(void)
{
    static float corners[CELLS * CELLS * 6][2];
    int at = 0;
    for (int cell = 0; cell < CELLS * CELLS; cell++)
        for (int corner = 0; corner < 6; corner++) {
            int right = corner == 1 || corner == 2 || corner == 4, up = corner == 2 || corner == 4 || corner == 5;
            corners[at][0] = 2.0f * (cell % CELLS + right) / CELLS - 1;
            corners[at++][1] = 2.0f * (cell / CELLS + up) / CELLS - 1;
        }
    GLuint vertices, array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &vertices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, CELLS * CELLS * 6);
}

static GLuint target(int samples)
{
    GLuint frame, colour, depth;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(1, &colour);
    glBindRenderbuffer(GL_RENDERBUFFER, colour);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail("no target");
    return frame;
}

static void write_picture(const char *name)
{
    static unsigned char pixels[SIDE][SIDE][4];
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    FILE *file = fopen(name, "wb");
    if (!file)
        fail("the picture cannot be written");
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", SIDE, SIDE);
    for (int y = SIDE; y-- > 0;)
        fwrite(pixels[y], 4, SIDE, file);
    fclose(file);
}

static void run_groups(const char *text, const char *source, const char *name, GLuint buffer)
{
    GLuint program = glCreateProgram();
    attach(program, GL_COMPUTE_SHADER, source);
    link_program(program);
    int groups = atoi(strstr(text, "//// compute") + strlen("//// compute"));
    glDispatchCompute(groups, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    static unsigned words[WORDS];
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof words, words);
    FILE *file = fopen(name, "w");
    if (!file)
        fail("the words cannot be written");
    for (int n = 0; n < WORDS; n++)
        fprintf(file, "%u\n", words[n]);
    fclose(file);
}

static void run_draw(const char *text, const char *vertex, const char *fragment, const char *name, GLuint shown)
{
    const char *many = strstr(text, "//// samples");
    GLuint frame = target(many ? atoi(many + strlen("//// samples")) : 0);
    GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER, vertex);
    attach(program, GL_FRAGMENT_SHADER, fragment);
    link_program(program);
    glViewport(0, 0, SIDE, SIDE);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_grid();
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    GLuint plain = target(0);
    if (strstr(text, "//// show 0")) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, shown, 0);
    } else {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
        glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, plain);
    }
    write_picture(name);
}

int main(int count, char **words)
{
    static char text[MOST];
    if (count != 3)
        fail("glsl FILE RESULT");
    FILE *file = fopen(words[1], "r");
    if (!file)
        fail("the shaders cannot be read");
    text[fread(text, 1, MOST - 1, file)] = 0;
    fclose(file);

    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL))
        fail("no display");
    eglBindAPI(EGL_OPENGL_API);
    EGLint wanted[] = { EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE };
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        fail("no context of OpenGL 4.3");
    fprintf(stderr, "%s, %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));

    textures();
    GLuint shown = image(0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
    image(1, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT);
    GLuint buffer = buffers();
    char *compute = part(text, "//// compute"), *vertex = part(text, "//// vertex"), *fragment = part(text, "//// fragment");
    if (compute)
        run_groups(text, compute, words[2], buffer);
    else if (fragment)
        run_draw(text, vertex ? vertex : usual_vertex, fragment, words[2], shown);
    else
        fail("the file has no shaders");
    GLenum error = glGetError();
    if (error)
        fprintf(stderr, "glsl: error %x\n", error);
    return error != 0;
}
