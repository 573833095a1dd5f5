// Draws to a surface of GBM on the card's node, without a window system, and reads the buffer that a display would show through gbm_bo_map; a
// buffer that the program has written the same way is a texture of it. With `software` it draws the same scene with Mesa's software renderer.
//
//   cc -O1 gbm.c -o gbm -lgbm -lEGL -lGL
//   ctm card run -- ./gbm card.pam
//   ./gbm software.pam software

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <fcntl.h>
#include <gbm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120, HEIGHT = 90, SIDE = 32 };

static void fail(const char *reason)
{
    fprintf(stderr, "gbm: %s\n", reason);
    exit(1);
}

// The texture: squares of 4 x 4 pixels, red, green and blue.
static uint32_t texel(int x, int y)
{
    return 0xFF000000u | (x / 4 * 36 & 255) << 16 | (y / 4 * 36 & 255) << 8 | ((x / 4 ^ y / 4) & 1 ? 200 : 40);
}

static void draw(void)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0.125f, 0.25f, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0), glVertex2f(-0.8f, -0.8f);
    glTexCoord2f(1, 0), glVertex2f(0.8f, -0.8f);
    glTexCoord2f(1, 1), glVertex2f(0.8f, 0.2f);
    glTexCoord2f(0, 1), glVertex2f(-0.8f, 0.2f);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    // On whole pixels, where all renderers draw the same ones.
    glBegin(GL_QUADS);
    glColor3f(1, 0, 0.25f), glVertex2f(-0.5f, 0.4f);
    glColor3f(0, 1, 0.25f), glVertex2f(0.5f, 0.4f);
    glColor3f(0, 1, 0.75f), glVertex2f(0.5f, 0.8f);
    glColor3f(1, 0, 0.75f), glVertex2f(-0.5f, 0.8f);
    glEnd();
}

// A picture whose rows go down, of words that are blue, green, red and alpha.
static void write_picture(const char *path, const char *rows, ptrdiff_t stride)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fail("the picture cannot be written");
    fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n", WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const unsigned char *pixel = (const unsigned char *)rows + y * stride + 4 * x;
            fputc(pixel[2], file), fputc(pixel[1], file), fputc(pixel[0], file);
        }
    fclose(file);
}

static EGLContext context(EGLDisplay display, EGLConfig config)
{
    eglBindAPI(EGL_OPENGL_API);
    EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    if (made == EGL_NO_CONTEXT)
        fail("no context");
    return made;
}

static void software(const char *path)
{
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL))
        fail("no display without a window system");
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context(display, EGL_NO_CONFIG_KHR));
    GLuint buffer, frame, texture;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    uint32_t texels[SIDE * SIDE];
    for (int n = 0; n < SIDE * SIDE; n++)
        texels[n] = texel(n % SIDE, n / SIDE);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, texels);
    draw();
    static char rows[4 * WIDTH * HEIGHT];
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, rows);
    write_picture(path, rows + 4 * WIDTH * (HEIGHT - 1), -4 * WIDTH);
}

// A texture that is a buffer of GBM, whose pixels the program has written there.
static void make_texture(EGLDisplay display, struct gbm_device *device)
{
    struct gbm_bo *buffer = gbm_bo_create(device, SIDE, SIDE, GBM_FORMAT_ARGB8888, GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR);
    if (!buffer)
        fail("no buffer");
    uint32_t stride;
    void *mapping = NULL;
    char *rows = gbm_bo_map(buffer, 0, 0, SIDE, SIDE, GBM_BO_TRANSFER_WRITE, &stride, &mapping);
    if (!rows)
        fail("the buffer cannot be mapped");
    for (int n = 0; n < SIDE * SIDE; n++) {
        uint32_t value = texel(n % SIDE, n / SIDE);
        memcpy(rows + n / SIDE * stride + 4 * (n % SIDE), &value, 4);
    }
    gbm_bo_unmap(buffer, mapping);
    int descriptor = gbm_bo_get_fd(buffer);
    EGLAttrib described[] = {EGL_WIDTH, SIDE, EGL_HEIGHT, SIDE, EGL_LINUX_DRM_FOURCC_EXT, GBM_FORMAT_ARGB8888, EGL_DMA_BUF_PLANE0_FD_EXT, descriptor,
                             EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0, EGL_DMA_BUF_PLANE0_PITCH_EXT, gbm_bo_get_stride(buffer), EGL_NONE};
    EGLImage image = eglCreateImage(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, described);
    if (image == EGL_NO_IMAGE)
        fail("no image of the buffer");
    void (*target)(GLenum, void *) = (void (*)(GLenum, void *))eglGetProcAddress("glEGLImageTargetTexture2DOES");
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    target(GL_TEXTURE_2D, image);
}

static void card(const char *path)
{
    int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct gbm_device *device = node < 0 ? NULL : gbm_create_device(node);
    if (!device)
        fail("no card");
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL);
    if (!eglInitialize(display, NULL, NULL))
        fail("no display of GBM");
    int asked[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig configs[100], config = NULL;
    EGLint count = 0;
    eglChooseConfig(display, asked, configs, 100, &count);
    for (int n = 0; n < count && !config; n++) {
        EGLint format = 0;
        eglGetConfigAttrib(display, configs[n], EGL_NATIVE_VISUAL_ID, &format);
        if (format == GBM_FORMAT_XRGB8888)
            config = configs[n];
    }
    if (!config)
        fail("no configuration of XRGB8888");
    struct gbm_surface *target = gbm_surface_create(device, WIDTH, HEIGHT, GBM_FORMAT_XRGB8888, GBM_BO_USE_RENDERING);
    EGLSurface surface = eglCreatePlatformWindowSurface(display, config, target, NULL);
    if (!eglMakeCurrent(display, surface, surface, context(display, config)))
        fail("the surface cannot be drawn to");
    make_texture(display, device);
    // The second frame is in another buffer.
    for (int frame = 0; frame < 2; frame++) {
        draw();
        eglSwapBuffers(display, surface);
        struct gbm_bo *shown = gbm_surface_lock_front_buffer(target);
        if (!shown)
            fail("no buffer to show");
        uint32_t stride;
        void *mapping = NULL;
        char *rows = gbm_bo_map(shown, 0, 0, WIDTH, HEIGHT, GBM_BO_TRANSFER_READ, &stride, &mapping);
        if (!rows)
            fail("the shown buffer cannot be mapped");
        if (frame == 1)
            write_picture(path, rows, stride);
        gbm_bo_unmap(shown, mapping);
    }
}

int main(int count, char **words)
{
    if (count < 2)
        fail("gbm PICTURE [software]");
    if (count > 2)
        software(words[1]);
    else
        card(words[1]);
    return 0;
}
