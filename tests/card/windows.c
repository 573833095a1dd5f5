// Windows of X through GLX: two with a back buffer, one of which is resized and drawn again, and one without.
// It draws once and then waits for its end. scripts/windows.py compares what the server shows.
//
//   cc -O1 windows.c -o windows -lX11 -lGL

#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static Display *display;

struct window {
    Window window;
    GLXContext context;
};

static struct window make(int x, int y, int width, int height, int is_double)
{
    int attributes[] = {GLX_RGBA, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, is_double ? GLX_DOUBLEBUFFER : None, None};
    XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), attributes);
    if (!visual) {
        fprintf(stderr, "windows: no visual\n");
        exit(1);
    }
    Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes set = {0};
    set.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    set.override_redirect = True;
    set.event_mask = StructureNotifyMask;
    unsigned long mask = CWColormap | CWOverrideRedirect | CWEventMask;
    struct window made;
    made.window = XCreateWindow(display, root, x, y, width, height, 0, visual->depth, InputOutput, visual->visual, mask, &set);
    made.context = glXCreateContext(display, visual, NULL, True);
    XMapWindow(display, made.window);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    return made;
}

static void draw(struct window *to, int width, int height, float red)
{
    glXMakeCurrent(display, to->window, to->context);
    glViewport(0, 0, width, height);
    glClearColor(red, 0.25f, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0);
    glVertex2f(-0.5f, -0.5f);
    glColor3f(0, 1, 0);
    glVertex2f(0.5f, -0.5f);
    glColor3f(0, 0, 1);
    glVertex2f(-0.5f, 0.5f);
    glEnd();
}

int main(void)
{
    display = XOpenDisplay(NULL);
    if (!display) {
        fprintf(stderr, "windows: no display\n");
        return 1;
    }
    struct window one = make(8, 8, 200, 150, 1), other = make(340, 16, 222, 120, 1), single = make(16, 260, 160, 180, 0);
    for (int frame = 0; frame < 5; frame++) {
        draw(&one, 200, 150, 0.125f * frame);
        glXSwapBuffers(display, one.window);
        draw(&other, 222, 120, 0.75f);
        glXSwapBuffers(display, other.window);
    }
    draw(&single, 160, 180, 1);
    glFinish();
    XResizeWindow(display, one.window, 301, 233);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != ConfigureNotify || event.xconfigure.width != 301);
    for (int frame = 0; frame < 5; frame++) {
        draw(&one, 301, 233, 0.25f * frame);
        glXSwapBuffers(display, one.window);
    }
    glFinish();
    XSync(display, False);
    for (;;)
        pause();
}
