// A pixmap that X has drawn, as a texture of a window (GLX_EXT_texture_from_pixmap): on the left as it was when it was bound first, on the right
// as X has drawn it since, bound again. It draws once and then waits for its end. scripts/windows.py compares what the server shows.
//
//   cc -O1 pixmap.c -o pixmap -lX11 -lGL

#include <GL/gl.h>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 101, HEIGHT = 77 };

static Display *display;

static void fail(const char *reason)
{
    fprintf(stderr, "pixmap: %s\n", reason);
    exit(1);
}

static void fill(Pixmap pixmap, GC context, unsigned long colour, int x, int y, int width, int height)
{
    XSetForeground(display, context, colour);
    XFillRectangle(display, pixmap, context, x, y, width, height);
}

static void rectangle(float left, float right)
{
    glBegin(GL_QUADS);
    glTexCoord2f(0, 1), glVertex2f(left, -0.8f);
    glTexCoord2f(1, 1), glVertex2f(right, -0.8f);
    glTexCoord2f(1, 0), glVertex2f(right, 0.8f);
    glTexCoord2f(0, 0), glVertex2f(left, 0.8f);
    glEnd();
}

int main(void)
{
    display = XOpenDisplay(NULL);
    if (!display)
        fail("no display");
    int screen = DefaultScreen(display);
    if (!strstr(glXQueryExtensionsString(display, screen), "GLX_EXT_texture_from_pixmap"))
        fail("no GLX_EXT_texture_from_pixmap");
    int asked[] = {GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PIXMAP_BIT, GLX_BIND_TO_TEXTURE_RGB_EXT, True, GLX_BIND_TO_TEXTURE_TARGETS_EXT,
                   GLX_TEXTURE_2D_BIT_EXT, GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 0, None};
    int count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(display, screen, asked, &count), config = NULL;
    XVisualInfo *visual = NULL;
    for (int n = 0; n < count && !config; n++) {
        visual = glXGetVisualFromFBConfig(display, configs[n]);
        if (visual && visual->depth == 24)
            config = configs[n];
    }
    if (!config)
        fail("no configuration of 24 bits");

    Window root = RootWindow(display, screen);
    XSetWindowAttributes set = {0};
    set.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    set.override_redirect = True;
    set.event_mask = StructureNotifyMask;
    Window window = XCreateWindow(display, root, 20, 20, 400, 200, 0, visual->depth, InputOutput, visual->visual,
                                  CWColormap | CWOverrideRedirect | CWEventMask, &set);
    XMapWindow(display, window);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    GLXContext context = glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(display, window, context);

    Pixmap pixmap = XCreatePixmap(display, root, WIDTH, HEIGHT, 24);
    GC pen = XCreateGC(display, pixmap, 0, NULL);
    fill(pixmap, pen, 0xC02010, 0, 0, WIDTH, HEIGHT);
    fill(pixmap, pen, 0x2040E0, 10, 5, 40, 30);
    int kind[] = {GLX_TEXTURE_TARGET_EXT, GLX_TEXTURE_2D_EXT, GLX_TEXTURE_FORMAT_EXT, GLX_TEXTURE_FORMAT_RGB_EXT, None};
    GLXPixmap bound = glXCreatePixmap(display, config, pixmap, kind);
    PFNGLXBINDTEXIMAGEEXTPROC bind = (PFNGLXBINDTEXIMAGEEXTPROC)glXGetProcAddress((const GLubyte *)"glXBindTexImageEXT");
    PFNGLXRELEASETEXIMAGEEXTPROC release = (PFNGLXRELEASETEXIMAGEEXTPROC)glXGetProcAddress((const GLubyte *)"glXReleaseTexImageEXT");

    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glEnable(GL_TEXTURE_2D);
    glClearColor(0.25f, 0.25f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);

    bind(display, bound, GLX_FRONT_LEFT_EXT, NULL);
    rectangle(-0.9f, -0.1f);
    glFinish();
    release(display, bound, GLX_FRONT_LEFT_EXT);
    fill(pixmap, pen, 0x20B040, 50, 35, 51, 42);
    bind(display, bound, GLX_FRONT_LEFT_EXT, NULL);
    rectangle(0.1f, 0.9f);
    glXSwapBuffers(display, window);
    glFinish();
    XFlush(display);
    for (;;)
        pause();
}
