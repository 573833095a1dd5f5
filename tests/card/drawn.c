// Draws to a pixmap of X (glXCreatePixmap), and prints the colour that the server has of it. scripts/windows.py wants to be told that there is none.
//
//   cc -O1 drawn.c -o drawn -lX11 -lGL

#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdio.h>

int main(void)
{
    Display *display = XOpenDisplay(NULL);
    if (!display)
        return 1;
    int screen = DefaultScreen(display);
    int asked[] = {GLX_DRAWABLE_TYPE, GLX_PIXMAP_BIT, GLX_RENDER_TYPE, GLX_RGBA_BIT, GLX_RED_SIZE, 8, GLX_DOUBLEBUFFER, False, None};
    int count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(display, screen, asked, &count), config = NULL;
    for (int n = 0; n < count && !config; n++) {
        XVisualInfo *visual = glXGetVisualFromFBConfig(display, configs[n]);
        if (visual && visual->depth == 24)
            config = configs[n];
    }
    if (!config)
        return 1;
    Pixmap pixmap = XCreatePixmap(display, RootWindow(display, screen), 64, 64, 24);
    GLXPixmap drawn = glXCreatePixmap(display, config, pixmap, NULL);
    glXMakeCurrent(display, drawn, glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True));
    glClearColor(1, 0.5f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    glXWaitGL();
    XImage *image = XGetImage(display, pixmap, 0, 0, 64, 64, AllPlanes, ZPixmap);
    printf("%06lx\n", XGetPixel(image, 32, 32) & 0xffffff);
    return 0;
}
