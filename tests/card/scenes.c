/* Draws a scene through EGL without a window system, and writes its picture: 96 x 64 pixels, binary PAM.
 *
 *   cc -O1 scenes.c -o scenes -lEGL -lGL -lm
 *   ctm card record -o blend.ctmcard -- ./scenes blend blend.pam
 *
 * `grass` has a geometry shader, and asks for OpenGL 3.3.
 */
#include "scene.h"

/* A program of a vertex, a geometry (unless there is none) and a fragment shader, in use. */
static GLuint use_all(const char *vertex, const char *geometry, const char *fragment) {
    GLuint program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, vertex));
    if (geometry) glAttachShader(program, shader(GL_GEOMETRY_SHADER, geometry));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, fragment));
    glLinkProgram(program);
    glUseProgram(program);
    return program;
}

static GLuint use(const char *vertex, const char *fragment) {
    return use_all(vertex, NULL, fragment);
}

static const char COLOURED_VERTEX[] =
    "varying vec4 colour;"
    "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; colour = gl_Color; }";
static const char COLOURED[] = "varying vec4 colour; void main() { gl_FragColor = colour; }";
static const char TEXTURED_VERTEX[] =
    "varying vec2 place; void main() { gl_Position = gl_Vertex; place = gl_MultiTexCoord0.xy; }";

static void rectangle(float left, float bottom, float right, float top, float depth) {
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0), glVertex3f(left, bottom, depth);
    glTexCoord2f(1, 0), glVertex3f(right, bottom, depth);
    glTexCoord2f(1, 1), glVertex3f(right, top, depth);
    glTexCoord2f(0, 1), glVertex3f(left, top, depth);
    glEnd();
}

/* Triangles with interpolated colours, one of them clipped. */
static void triangles(void) {
    use(COLOURED_VERTEX, COLOURED);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0), glVertex2f(-0.9, -0.8);
    glColor3f(0, 1, 0), glVertex2f(0.5, -0.6);
    glColor3f(0, 0, 1), glVertex2f(-0.2, 0.9);
    glColor3f(1, 1, 0), glVertex4f(0.2, 0.1, 0, 1);
    glColor3f(0, 1, 1), glVertex4f(2.5, 0.4, 0, 2);
    glColor3f(1, 0, 1), glVertex4f(0.9, 3.0, 0, 1.5);
    glEnd();
}

/* A texture with its smaller levels, filtered, on a surface that goes into the distance. */
static void texture(void) {
    static unsigned char texels[32][32][4];
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            int light = (x / 4 + y / 4) % 2;
            unsigned char texel[4] = {light ? 250 : 20, 8 * x, 8 * y, 255};
            memcpy(texels[y][x], texel, 4);
        }
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    use(TEXTURED_VERTEX,
        "uniform sampler2D image; varying vec2 place; void main() { gl_FragColor = texture2D(image, 3.0 * place); }");
    glBegin(GL_TRIANGLE_FAN);
    glTexCoord2f(0, 0), glVertex4f(-1, -1, 0, 1);
    glTexCoord2f(1, 0), glVertex4f(1, -1, 0, 1);
    glTexCoord2f(1, 1), glVertex4f(3, 5, 0, 6);
    glTexCoord2f(0, 1), glVertex4f(-3, 5, 0, 6);
    glEnd();
}

/* Bars of a texture whose texels change between the draws: by the program, in part, and by a copy of what was drawn. Textures of two rows
 * are linear, so that the program writes where the card reads. */
static void uploads(void) {
    static unsigned char texels[2][8][4];
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    use(TEXTURED_VERTEX,
        "uniform sampler2D image; varying vec2 place; void main() { gl_FragColor = texture2D(image, place); }");
    for (int bar = 0; bar < 4; bar++) {
        for (int x = 0; x < 8; x++) {
            unsigned char texel[4] = {32 * x, 60 * bar, 255 - 32 * x, 255};
            memcpy(texels[0][x], texel, 4), memcpy(texels[1][7 - x], texel, 4);
        }
        if (bar == 0) glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        if (bar == 1) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 2, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        if (bar == 2) glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 3, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        if (bar == 3) glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 32, 8, 4, 1);
        float left = -1 + bar * 0.5f, right = left + 0.5f;
        glBegin(GL_TRIANGLE_FAN);
        glTexCoord2f(0, 0), glVertex4f(left, -1, 0, 1);
        glTexCoord2f(1, 0), glVertex4f(right, -1, 0, 1);
        glTexCoord2f(1, 1), glVertex4f(right, 1, 0, 1);
        glTexCoord2f(0, 1), glVertex4f(left, 1, 0, 1);
        glEnd();
        glFinish();
    }
}

/* Rectangles that hide each other by depth, through a hole in the stencil buffer. */
static void depth(void) {
    use(COLOURED_VERTEX, COLOURED);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glColor3f(0.2, 0.2, 0.2);
    rectangle(-0.8, -0.8, 0.8, 0.8, 1);
    glStencilFunc(GL_EQUAL, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glEnable(GL_DEPTH_TEST);
    glColor3f(1, 0, 0);
    rectangle(-1, -0.3, 1, 0.3, 0.2);
    glBegin(GL_TRIANGLES);
    glColor3f(0, 1, 0);
    glVertex3f(-0.7, -1, -0.6), glVertex3f(0.7, -1, 0.9), glVertex3f(0, 1, 0.1);
    glEnd();
    glColor3f(0, 0, 1);
    rectangle(-0.1, -1, 0.2, 1, 0.4);
}

/* Translucent discs, made by discarding what is outside of them. */
static void blend(void) {
    GLuint program = use(TEXTURED_VERTEX,
        "uniform vec4 colour; varying vec2 place;"
        "void main() { float away = length(place - 0.5); if (away > 0.5) discard; gl_FragColor = colour * (1.0 - away); }");
    GLint colour = glGetUniformLocation(program, "colour");
    glEnable(GL_BLEND);
    for (int n = 0; n < 7; n++) {
        float angle = n * 0.9f, x = 0.5f * cosf(angle), y = 0.4f * sinf(angle);
        glBlendFunc(n % 2 ? GL_SRC_ALPHA : GL_ONE, n % 3 ? GL_ONE_MINUS_SRC_ALPHA : GL_ONE);
        glUniform4f(colour, n % 2, 0.3f * (n % 4), 1 - 0.1f * n, 0.8f);
        rectangle(x - 0.4f, y - 0.5f, x + 0.4f, y + 0.5f, 0);
    }
}

/* Points and lines of several widths. */
static void lines(void) {
    use(COLOURED_VERTEX, COLOURED);
    for (int n = 0; n < 12; n++) {
        float angle = n * 0.55f;
        glLineWidth(1 + n % 4);
        glColor3f(n % 2, 0.5f, 1 - n / 12.0f);
        glBegin(GL_LINES);
        glVertex2f(0.1f * cosf(angle), 0.1f * sinf(angle)), glVertex2f(0.9f * cosf(angle), 0.9f * sinf(angle));
        glEnd();
        glPointSize(2 + n);
        glBegin(GL_POINTS);
        glVertex2f(-0.95f + n * 0.17f, -0.9f);
        glEnd();
    }
}

/* A vertex program with a loop, from arrays with indices in a buffer. */
static void wave(void) {
    enum { STEPS = 24 };
    float vertices[2 * STEPS][2];
    unsigned short indices[2 * STEPS];
    GLuint buffers[2];
    for (int n = 0; n < 2 * STEPS; n++) {
        vertices[n][0] = -1 + 2.0f * (n / 2) / (STEPS - 1);
        vertices[n][1] = n % 2;
        indices[n] = n;
    }
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    GLuint program = use(
        "uniform int count; varying vec3 light;"
        "void main() {"
        "  float y = 0.0;"
        "  for (int n = 1; n <= count; n++) y += sin(3.0 * float(n) * gl_Vertex.x) / float(n);"
        "  gl_Position = vec4(gl_Vertex.x, gl_Vertex.y > 0.5 ? 0.5 * y : -1.0, 0.0, 1.0);"
        "  light = vec3(gl_Vertex.y, 0.5 + 0.5 * y, 1.0 - gl_Vertex.y);"
        "}",
        "varying vec3 light; void main() { gl_FragColor = vec4(light * light, 1.0); }");
    glUniform1i(glGetUniformLocation(program, "count"), 4);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDrawElements(GL_TRIANGLE_STRIP, 2 * STEPS, GL_UNSIGNED_SHORT, NULL);
}

/* Tiles that have the direction from the middle one as colour, whose angle the vertex program works out: in a row and a column of them
 * one of the coordinates is 0. The fragment program is a chain of multiply-adds, whose results nobody but the next one reads. */
static void angles(void) {
    use("varying vec4 colour;"
        "void main() {"
        "  float angle = atan(gl_MultiTexCoord0.y, gl_MultiTexCoord0.x);"
        "  colour = vec4(0.5 + angle / 6.2831853, 0.5 + 0.5 * cos(angle), 0.5 + 0.5 * sin(angle), 1.0);"
        "  gl_Position = gl_Vertex;"
        "}",
        "varying vec4 colour;"
        "void main() {"
        "  vec3 light = colour.rgb;"
        "  gl_FragColor = vec4(light * (light * (light * 0.4 + 0.3) + 0.3), 1.0);"
        "}");
    glBegin(GL_QUADS);
    for (int x = -6; x < 6; x++)
        for (int y = -4; y < 4; y++) {
            if (x == 0 && y == 0) continue;
            glTexCoord2f(x, y);
            glVertex2f(x / 6.0f, y / 4.0f), glVertex2f((x + 1) / 6.0f, y / 4.0f);
            glVertex2f((x + 1) / 6.0f, (y + 1) / 4.0f), glVertex2f(x / 6.0f, (y + 1) / 4.0f);
        }
    glEnd();
}

/* Grass: for each point a geometry shader makes a blade, bent by the wind, of a loop's strip of triangles. */
static void grass(void) {
    enum { BLADES = 72 };
    static float roots[BLADES][3];
    for (int n = 0; n < BLADES; n++) {
        /* Where they stand, from back to front, and how they lean: numbers without order. */
        roots[n][0] = -1 + 2 * fmodf(n * 0.618034f, 1);
        roots[n][1] = -0.1f - 0.9f * n / BLADES;
        roots[n][2] = sinf(n * 2.4f);
    }
    GLuint array, buffer;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof roots, roots, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    use_all(
        "#version 330\n"
        "layout(location = 0) in vec3 root; out float lean;"
        "void main() { gl_Position = vec4(root.xy, 0.0, 1.0); lean = root.z; }",
        "#version 330\n"
        "layout(points) in; layout(triangle_strip, max_vertices = 11) out;"
        "in float lean[]; out float height;"
        "void main() {"
        "  vec2 root = gl_in[0].gl_Position.xy;"
        "  float size = 0.9 - 0.5 * root.y;"
        "  for (int n = 0; n <= 10; n++) {"
        "    height = float(n / 2) / 5.0;"
        "    float side = n == 10 ? 0.0 : float(n % 2) - 0.5;"
        "    float bend = (0.25 + 0.2 * lean[0]) * height * height;"
        "    gl_Position = vec4(root + size * vec2(bend + 0.11 * side * (1.0 - height), 0.8 * height), 0.0, 1.0);"
        "    EmitVertex();"
        "  }"
        "}",
        "#version 330\n"
        "in float height; out vec4 colour;"
        "void main() { colour = vec4(mix(vec3(0.02, 0.15, 0.05), vec3(0.6, 0.9, 0.2), height), 1.0); }");
    glDrawArrays(GL_POINTS, 0, BLADES);
}

/* Thin triangles around a centre, of pixels with four samples: with depth tests, blending and a mask of samples by alpha. They become the
 * averages of their samples. */
static void samples(void) {
    GLint frame;
    GLuint names[2], own;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &frame);
    glGenRenderbuffers(2, names);
    glGenFramebuffers(1, &own);
    glBindFramebuffer(GL_FRAMEBUFFER, own);
    for (int n = 0; n < 2; n++) {
        glBindRenderbuffer(GL_RENDERBUFFER, names[n]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, n ? GL_DEPTH24_STENCIL8 : GL_RGBA8, WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, n ? GL_DEPTH_STENCIL_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                  GL_RENDERBUFFER, names[n]);
    }
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    use(COLOURED_VERTEX, COLOURED);
    glEnable(GL_DEPTH_TEST);
    for (int n = 0; n < 24; n++) {
        float angle = n * 0.2618f, next = angle + 0.13f, depth = 0.03f * (n % 7);
        if (n == 8) glEnable(GL_BLEND), glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        if (n == 16) glDisable(GL_BLEND), glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        glBegin(GL_TRIANGLES);
        glColor4f(n % 3 * 0.5f, 1 - n / 24.0f, n % 2, 0.5f);
        glVertex3f(0.9f * cosf(angle), 0.9f * sinf(angle), depth), glVertex3f(0.9f * cosf(next), 0.9f * sinf(next), 0);
        glVertex3f(-0.4f * cosf(angle), -0.4f * sinf(angle), -depth);
        glEnd();
    }
    glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame);
    glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
}

/* Leaves of two forms in two buffers, each drawn with constants of its own for the vertex program: nothing but vertices changes between draws. */
static void leaves(void) {
    static const float forms[2][9][2] = {
        {{0, 0}, {0.5f, 0.3f}, {1, 0}, {0, 0}, {1, 0}, {0.5f, -0.3f}, {0, 0.02f}, {1, 0}, {1.3f, 0.02f}},
        {{0, 0}, {0.7f, 0.2f}, {0.6f, 0}, {0, 0}, {0.6f, 0}, {0.7f, -0.2f}, {0.6f, 0.2f}, {0.9f, 0}, {0.6f, -0.2f}},
    };
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    for (int n = 0; n < 2; n++) {
        glBindBuffer(GL_ARRAY_BUFFER, buffers[n]);
        glBufferData(GL_ARRAY_BUFFER, sizeof forms[n], forms[n], GL_STATIC_DRAW);
    }
    GLuint program = use(
        "uniform vec4 turn; uniform vec3 shade; varying vec3 colour;"
        "void main() {"
        "  vec2 at = gl_Vertex.x * turn.xy + gl_Vertex.y * vec2(-turn.y, turn.x);"
        "  gl_Position = vec4(turn.zw + at * vec2(0.3, 0.45), 0.0, 1.0);"
        "  colour = shade * (0.6 + 0.4 * gl_Vertex.x);"
        "}",
        "varying vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }");
    GLint turn = glGetUniformLocation(program, "turn"), shade = glGetUniformLocation(program, "shade");
    glEnableClientState(GL_VERTEX_ARRAY);
    for (int n = 0; n < 36; n++) {
        float angle = n * 2.4f, away = 0.13f * sqrtf(n);
        if (n % 8 == 0) {
            glBindBuffer(GL_ARRAY_BUFFER, buffers[n / 8 % 2]);
            glVertexPointer(2, GL_FLOAT, 0, NULL);
        }
        glUniform4f(turn, cosf(angle), sinf(angle), away * cosf(angle), away * sinf(angle));
        glUniform3f(shade, 0.3f + 0.018f * n, 0.8f - 0.008f * n, 0.2f);
        glDrawArrays(GL_TRIANGLES, n % 3 ? 0 : 3, n % 3 ? 9 : 6);
    }
}

static const struct scene SCENES[] = {
    {"triangles", triangles, 0}, {"texture", texture, 0}, {"depth", depth, 0}, {"blend", blend, 0},
    {"uploads", uploads, 0},     {"samples", samples, 0},
    {"lines", lines, 0},         {"wave", wave, 0},       {"angles", angles, 0}, {"grass", grass, 33},
    {"leaves", leaves, 0},
};

int main(int count, char **arguments) {
    return run(count, arguments, SCENES, sizeof SCENES / sizeof *SCENES);
}
