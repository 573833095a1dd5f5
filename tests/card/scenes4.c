/* Draws a scene of what OpenGL 4.3 has beyond scenes.c, and writes its picture as that does.
 *
 *   cc -O1 scenes4.c -o scenes4 -lEGL -lGL -lm
 *   ctm card record --card gm107 -o dome.ctmcard -- ./scenes4 dome dome.pam
 */
#include "scene.h"

/* A stage of a program. */
struct stage {
    GLenum kind;
    const char *text;
};

/* A program of these stages, which transform feedback records this output of, in use. */
static GLuint use_stages(const struct stage *stages, int count, const char *recorded) {
    GLuint program = glCreateProgram();
    for (int n = 0; n < count; n++) glAttachShader(program, shader(stages[n].kind, stages[n].text));
    if (recorded) glTransformFeedbackVaryings(program, 1, &recorded, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    GLint good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        char message[1000];
        glGetProgramInfoLog(program, sizeof message, NULL, message);
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    glUseProgram(program);
    return program;
}

static GLuint use(const char *vertex, const char *fragment) {
    return use_stages((struct stage[]){{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}}, 2, NULL);
}

static GLuint compute(const char *text) {
    return use_stages(&(struct stage){GL_COMPUTE_SHADER, text}, 1, NULL);
}

/* A buffer with this content, bound to a target. */
static GLuint buffer(GLenum target, size_t bytes, const void *content) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, bytes, content, GL_STATIC_DRAW);
    return name;
}

/* Vertex arrays of which the first has floats of a buffer. */
static void vertices(int components, size_t bytes, const void *content) {
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    if (!components) return;
    buffer(GL_ARRAY_BUFFER, bytes, content);
    glVertexAttribPointer(0, components, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
}

/* A triangle that covers everything, of three vertices without attributes. */
static const char COVER[] =
    "#version 430\n"
    "out vec2 place;"
    "void main() { place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0; gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0); }";

static void cover(const char *fragment) {
    use(COVER, fragment);
    vertices(0, 0, NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Patches of four vertices that become a dome, the finer the nearer, lit by its slope; then their edges as lines, of other levels. */
static void dome(void) {
    enum { SIDE = 3 };
    static float corners[SIDE * SIDE][4][2];
    for (int n = 0; n < SIDE * SIDE; n++)
        for (int corner = 0; corner < 4; corner++) {
            corners[n][corner][0] = -1 + 2.0f / SIDE * (n % SIDE + (corner & 1));
            corners[n][corner][1] = -1 + 2.0f / SIDE * (n / SIDE + (corner >> 1));
        }
    vertices(2, sizeof corners, corners);
    const char *vertex = "#version 430\nlayout(location = 0) in vec2 at; out vec2 ground; void main() { ground = at; }";
    const char *control =
        "#version 430\n"
        "layout(vertices = 4) out; in vec2 ground[]; out vec2 corner[]; uniform float most;"
        "float level(vec2 a, vec2 b) { return clamp(most * (1.2 - 0.5 * length(a + b)), 1.0, most); }"
        "void main() {"
        "  corner[gl_InvocationID] = ground[gl_InvocationID];"
        "  gl_TessLevelOuter[0] = level(ground[0], ground[2]); gl_TessLevelOuter[1] = level(ground[0], ground[1]);"
        "  gl_TessLevelOuter[2] = level(ground[1], ground[3]); gl_TessLevelOuter[3] = level(ground[2], ground[3]);"
        "  gl_TessLevelInner[0] = level(ground[0], ground[3]); gl_TessLevelInner[1] = level(ground[1], ground[2]);"
        "}";
    const char *evaluation =
        "#version 430\n"
        "layout(quads, fractional_odd_spacing, ccw) in; in vec2 corner[]; out vec3 slope;"
        "void main() {"
        "  vec2 at = mix(mix(corner[0], corner[1], gl_TessCoord.x), mix(corner[2], corner[3], gl_TessCoord.x), gl_TessCoord.y);"
        "  float height = exp2(-3.0 * dot(at, at));"
        "  slope = vec3(at * height * 4.0, 1.0);"
        "  gl_Position = vec4(at.x * 0.9, at.y * 0.5 + height * 0.7 - 0.3, at.y * 0.5, 1.0);"
        "}";
    const char *filled = "#version 430\nin vec3 slope; out vec4 colour;"
                         "void main() { colour = vec4(vec3(0.2, 0.5, 0.8) * max(dot(normalize(slope), vec3(0.5, 0.5, 0.7)), 0.1), 1.0); }";
    const char *edges = "#version 430\nin vec3 slope; out vec4 colour; void main() { colour = vec4(1.0, 0.9, 0.4, 1.0); }";
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glEnable(GL_DEPTH_TEST);
    for (int pass = 0; pass < 2; pass++) {
        GLuint program = use_stages(
            (struct stage[]){{GL_VERTEX_SHADER, vertex}, {GL_TESS_CONTROL_SHADER, control},
                             {GL_TESS_EVALUATION_SHADER, evaluation}, {GL_FRAGMENT_SHADER, pass ? edges : filled}},
            4, NULL);
        glUniform1f(glGetUniformLocation(program, "most"), pass ? 3 : 9);
        if (pass) glPolygonMode(GL_FRONT_AND_BACK, GL_LINE), glDepthFunc(GL_ALWAYS);
        glDrawArrays(GL_PATCHES, 0, 4 * SIDE * SIDE);
    }
}

/* Rings that a compute shader writes to an image, blurs in shared memory, and counts; the fragments show the count as a bar. */
static void rings(void) {
    GLuint textures[2];
    glGenTextures(2, textures);
    for (int n = 0; n < 2; n++) {
        glBindTexture(GL_TEXTURE_2D, textures[n]);
        glTexStorage2D(GL_TEXTURE_2D, 1, n ? GL_RGBA8 : GL_R32F, 64, 64);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glBindImageTexture(n, textures[n], 0, GL_FALSE, 0, GL_READ_WRITE, n ? GL_RGBA8 : GL_R32F);
    }
    static const GLuint zero[4];
    GLuint counts = buffer(GL_SHADER_STORAGE_BUFFER, sizeof zero, zero);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, counts);
    compute("#version 430\n"
            "layout(local_size_x = 8, local_size_y = 4) in; layout(r32f, binding = 0) uniform image2D heights;"
            "void main() {"
            "  vec2 at = vec2(gl_GlobalInvocationID.xy) - 31.5;"
            "  imageStore(heights, ivec2(gl_GlobalInvocationID.xy), vec4(fract(length(at) / 8.0)));"
            "}");
    glDispatchCompute(8, 16, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    compute("#version 430\n"
            "layout(local_size_x = 64) in; layout(r32f, binding = 0) uniform image2D heights;"
            "layout(rgba8, binding = 1) uniform writeonly image2D colours;"
            "layout(std430, binding = 0) buffer Counts { uint count[4]; };"
            "shared float row[64];"
            "void main() {"
            "  ivec2 at = ivec2(gl_LocalInvocationID.x, gl_WorkGroupID.x);"
            "  row[at.x] = imageLoad(heights, at).x;"
            "  barrier();"
            "  float mean = (row[max(at.x - 1, 0)] + 2.0 * row[at.x] + row[min(at.x + 1, 63)]) * 0.25;"
            "  atomicAdd(count[min(uint(mean * 4.0), 3u)], 1u);"
            "  imageStore(colours, at, vec4(mean, row[at.x], 1.0 - mean, 1.0));"
            "}");
    glDispatchCompute(64, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    cover("#version 430\n"
          "in vec2 place; out vec4 colour; layout(binding = 0) uniform sampler2D colours;"
          "layout(std430, binding = 0) buffer Counts { uint count[4]; };"
          "void main() {"
          "  colour = texture(colours, place);"
          "  uint bar = uint(place.x * 4.0);"
          "  if (place.y * 2048.0 < float(count[bar]) * 0.25) colour = vec4(bar & 1u, bar >> 1, 1.0, 1.0);"
          "}");
}

/* Points that transform feedback records from a geometry shader, which drops some of them; drawn as many as were recorded, and once more with the
 * count that a query has. */
static void sparks(void) {
    GLuint recorded, query, feedback;
    vertices(0, 0, NULL);
    recorded = buffer(GL_ARRAY_BUFFER, 4096, NULL);
    glGenQueries(1, &query);
    glGenTransformFeedbacks(1, &feedback);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, recorded);
    use_stages(
        (struct stage[]){
            {GL_VERTEX_SHADER, "#version 430\nout float number; void main() { number = float(gl_VertexID); }"},
            {GL_GEOMETRY_SHADER,
             "#version 430\n"
             "layout(points) in; layout(points, max_vertices = 2) out; in float number[]; out vec4 spark;"
             "void main() {"
             "  int n = int(number[0]);"
             "  for (int k = 0; k < n % 3; k++) {"
             "    float angle = float(n) * 2.4, far = 0.09 * sqrt(float(n)) * (k == 0 ? 1.0 : 0.8);"
             "    spark = vec4(far * cos(angle), far * sin(angle), float(k), float(n));"
             "    EmitVertex(); EndPrimitive();"
             "  }"
             "}"}},
        2, "spark");
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 40);
    glPauseTransformFeedback();
    glResumeTransformFeedback();
    glDrawArrays(GL_POINTS, 40, 60);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);

    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    GLuint program = use("#version 430\n"
                         "layout(location = 0) in vec4 spark; uniform vec2 by; out vec3 tint;"
                         "void main() {"
                         "  gl_Position = vec4(spark.xy + by, 0.0, 1.0); gl_PointSize = 2.0 + spark.z;"
                         "  tint = vec3(1.0 - spark.w / 100.0, 0.3 + 0.5 * spark.z, spark.w / 100.0);"
                         "}",
                         "#version 430\nin vec3 tint; out vec4 colour; void main() { colour = vec4(tint, 1.0); }");
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDrawTransformFeedback(GL_POINTS, feedback);
    GLuint count = 0;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
    glUniform2f(glGetUniformLocation(program, "by"), 0.02f, -0.04f);
    glEnable(GL_BLEND), glBlendFunc(GL_ONE, GL_ONE), glBlendEquation(GL_FUNC_REVERSE_SUBTRACT);
    glDrawArrays(GL_POINTS, 0, count);
}

/* Draws whose numbers lie in buffers, two of which a compute shader writes: arrays and elements, with instances, base vertices and draw numbers. */
static void indirect(void) {
    static const float corners[][2] = {{-0.1f, -0.1f}, {0.1f, -0.1f}, {0, 0.12f}, {-0.1f, 0.1f}, {0.1f, 0.1f}, {0, -0.12f}};
    static const GLushort elements[] = {0, 1, 2, 2, 1, 0};
    static const GLuint draws[] = {3, 4, 0, 0, 3, 3, 3, 4};
    static const float offsets[][2] = {{-0.8f, 0}, {-0.5f, 0.2f}, {-0.2f, 0}, {0.1f, 0.2f}, {0.4f, 0}, {0.7f, 0.2f}, {0.8f, 0}, {0.85f, -0.1f}};
    vertices(2, sizeof corners, corners);
    buffer(GL_ARRAY_BUFFER, sizeof offsets, offsets);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glVertexAttribDivisor(1, 1);
    glEnableVertexAttribArray(1);
    buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof elements, elements);
    GLuint made = buffer(GL_SHADER_STORAGE_BUFFER, 64, NULL);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, made);
    compute("#version 430\n"
            "layout(local_size_x = 2) in; layout(std430, binding = 0) buffer Draws { uint draw[]; };"
            "void main() {"
            "  uint n = gl_LocalInvocationIndex * 5u;"
            "  draw[n] = 3u; draw[n + 1u] = 2u + gl_LocalInvocationIndex; draw[n + 2u] = 3u * gl_LocalInvocationIndex;"
            "  draw[n + 3u] = 3u; draw[n + 4u] = 2u * gl_LocalInvocationIndex;"
            "}");
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    GLuint program = use("#version 430\n"
                         "#extension GL_ARB_shader_draw_parameters : require\n"
                         "layout(location = 0) in vec2 at; layout(location = 1) in vec2 offset; uniform float row; out vec3 tint;"
                         "void main() {"
                         "  gl_Position = vec4(at + offset + vec2(0.0, row), 0.0, 1.0);"
                         "  tint = vec3(float(gl_DrawIDARB), 0.3 * float(gl_InstanceID), 0.2 + 0.2 * float(gl_BaseInstanceARB));"
                         "}",
                         "#version 430\nin vec3 tint; out vec4 colour; void main() { colour = vec4(tint, 1.0); }");
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer(GL_DRAW_INDIRECT_BUFFER, sizeof draws, draws));
    glUniform1f(glGetUniformLocation(program, "row"), 0.5f);
    glMultiDrawArraysIndirect(GL_TRIANGLES, NULL, 2, 0);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, made);
    glUniform1f(glGetUniformLocation(program, "row"), -0.5f);
    glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, NULL, 2, 0);
}

/* Layers of a texture that a geometry shader draws to at once, each with a viewport of its own, then seen as an array, as a cube, by gathering,
 * and with comparison. */
static void layers(void) {
    GLuint textures[3], frame;
    GLint before;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
    glGenTextures(3, textures);
    glBindTexture(GL_TEXTURE_2D_ARRAY, textures[0]);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 3, GL_RGBA8, 32, 32, 6);
    glBindTexture(GL_TEXTURE_2D_ARRAY, textures[1]);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_DEPTH_COMPONENT24, 32, 32, 6);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, textures[0], 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, textures[1], 0);
    glClearColor(0.4f, 0.4f, 0.4f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int n = 0; n < 6; n++) glViewportIndexedf(n, 2 * n, n, 32 - 3 * n, 32 - 2 * n);
    vertices(0, 0, NULL);
    glEnable(GL_DEPTH_TEST);
    use_stages(
        (struct stage[]){
            {GL_VERTEX_SHADER, "#version 430\nout vec2 at; void main() { at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 1.6 - 0.8; }"},
            {GL_GEOMETRY_SHADER,
             "#version 430\n"
             "layout(triangles, invocations = 6) in; layout(triangle_strip, max_vertices = 3) out; in vec2 at[]; out vec3 tint;"
             "void main() {"
             "  for (int n = 0; n < 3; n++) {"
             "    gl_Layer = gl_InvocationID; gl_ViewportIndex = gl_InvocationID;"
             "    gl_Position = vec4(at[n], 0.1 * float(gl_InvocationID) * at[n].x, 1.0);"
             "    tint = vec3(n == 0, n == 1, n == 2) * (0.4 + 0.1 * float(gl_InvocationID));"
             "    EmitVertex();"
             "  }"
             "}"},
            {GL_FRAGMENT_SHADER, "#version 430\nin vec3 tint; out vec4 colour; void main() { colour = vec4(tint, 1.0); }"}},
        3, NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_DEPTH_TEST);
    glBindTexture(GL_TEXTURE_2D_ARRAY, textures[0]);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    glTextureView(textures[2], GL_TEXTURE_CUBE_MAP, textures[0], GL_RGBA8, 0, 3, 0, 6);
    glBindFramebuffer(GL_FRAMEBUFFER, before);
    glViewport(0, 0, WIDTH, HEIGHT);
    glActiveTexture(GL_TEXTURE1), glBindTexture(GL_TEXTURE_2D_ARRAY, textures[1]);
    glActiveTexture(GL_TEXTURE2), glBindTexture(GL_TEXTURE_CUBE_MAP, textures[2]);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    cover("#version 430\n"
          "in vec2 place; out vec4 colour; layout(binding = 0) uniform sampler2DArray flat_;"
          "layout(binding = 1) uniform sampler2DArrayShadow depths; layout(binding = 2) uniform samplerCube cube;"
          "void main() {"
          "  vec2 at = fract(place * vec2(3.0, 2.0)); int cell = int(place.x * 3.0) + 3 * int(place.y * 2.0);"
          "  if (cell == 0) colour = texture(flat_, vec3(at, 1.0));"
          "  else if (cell == 1) colour = textureLod(flat_, vec3(at, 4.0), 1.5);"
          "  else if (cell == 2) colour = textureGather(flat_, vec3(at, 5.0), 1);"
          "  else if (cell == 3) colour = vec4(texture(depths, vec4(at, 3.0, 0.51)));"
          "  else if (cell == 4) colour = textureLod(cube, vec3(at * 2.0 - 1.0, 1.0 - 1.8 * at.x), 0.4);"
          "  else colour = texelFetch(flat_, ivec3(at * 16.0, 2), 1);"
          "}");
}

/* Colours of several targets with formats, masks and blending of their own, one of them of integers; drawn where queries let it. */
static void targets(void) {
    static const GLenum formats[] = {GL_RGBA16F, GL_RG8, GL_RGBA32UI, GL_RGB10_A2, GL_R11F_G11F_B10F};
    static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3, GL_COLOR_ATTACHMENT4};
    enum { COUNT = 5 };
    GLuint textures[COUNT], frame, queries[2];
    GLint before;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
    glGenTextures(COUNT, textures);
    glGenQueries(2, queries);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    for (int n = 0; n < COUNT; n++) {
        glActiveTexture(GL_TEXTURE0 + n);
        glBindTexture(GL_TEXTURE_2D, textures[n]);
        glTexStorage2D(GL_TEXTURE_2D, 1, formats[n], 48, 32);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glFramebufferTexture(GL_FRAMEBUFFER, buffers[n], textures[n], 0);
    }
    glDrawBuffers(COUNT, buffers);
    for (int n = 0; n < COUNT; n++) {
        if (n == 2) glClearBufferuiv(GL_COLOR, n, (GLuint[]){7, 8, 9, 10});
        else glClearBufferfv(GL_COLOR, n, (float[]){0.1f * n, 0.2f, 0.3f, 1});
    }
    glColorMaski(3, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    glEnablei(GL_BLEND, 0), glBlendFunci(0, GL_SRC_ALPHA, GL_ONE), glEnablei(GL_BLEND, 4), glBlendEquationi(4, GL_MAX);
    glViewport(0, 0, 48, 32);
    static const float corners[][2] = {{-0.9f, -0.9f}, {0.9f, -0.6f}, {0, 0.9f}};
    vertices(2, sizeof corners, corners);
    const char *vertex = "#version 430\nlayout(location = 0) in vec2 at; out vec2 place; void main() { place = at; gl_Position = vec4(at, 0.0, 1.0); }";
    use(vertex,
        "#version 430\n"
        "in vec2 place; layout(location = 0) out vec4 a; layout(location = 1) out vec2 b; layout(location = 2) out uvec4 c;"
        "layout(location = 3) out vec4 d; layout(location = 4) out vec3 e;"
        "void main() {"
        "  a = vec4(place, 0.5, 0.5); b = abs(place); c = uvec4(gl_FragCoord.xy, gl_PrimitiveID, 77);"
        "  d = vec4(1.0 - place, 0.2, 0.7); e = vec3(place.x * 2.0, 0.25, place.y);"
        "}");
    glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[0]);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[1]);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glBindFramebuffer(GL_FRAMEBUFFER, before);
    glViewport(0, 0, WIDTH, HEIGHT);
    glDisable(GL_BLEND);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    const char *show =
        "#version 430\n"
        "in vec2 place; out vec4 colour; layout(binding = 0) uniform sampler2D a; layout(binding = 1) uniform sampler2D b;"
        "layout(binding = 2) uniform usampler2D c; layout(binding = 3) uniform sampler2D d; layout(binding = 4) uniform sampler2D e;"
        "void main() {"
        "  vec2 at = fract(place * vec2(3.0, 2.0)); int cell = int(place.x * 3.0) + 3 * int(place.y * 2.0);"
        "  if (cell == 0) colour = texture(a, at); else if (cell == 1) colour = texture(b, at);"
        "  else if (cell == 2) colour = vec4(texture(c, at)) / 48.0; else if (cell == 3) colour = texture(d, at);"
        "  else if (cell == 4) colour = texture(e, at); else discard;"
        "}";
    glBeginConditionalRender(queries[0], GL_QUERY_WAIT);
    cover(show);
    glEndConditionalRender();
    glBeginConditionalRender(queries[1], GL_QUERY_WAIT);
    cover("#version 430\nout vec4 colour; void main() { colour = vec4(1.0, 0.0, 1.0, 1.0); }");
    glEndConditionalRender();
}

/* Numbers of 64 bits, of integers and of bits; functions of each kind, and constants from a block and from an array that is indexed. */
static void numbers(void) {
    static const float block[16] = {1, 2, 3, 4, 0.5f, 0.25f, 0.125f, 1, 10, 20, 30, 40, 7, 6, 5, 4};
    GLuint uniforms = buffer(GL_UNIFORM_BUFFER, sizeof block, block);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, uniforms);
    cover("#version 430\n"
          "in vec2 place; out vec4 colour; layout(std140, binding = 0) uniform Block { vec4 numbers[4]; };"
          "double root(double x) { double y = 1.0LF; for (int n = 0; n < 7; n++) y = (y + x / y) * 0.5LF; return y; }"
          "void main() {"
          "  ivec2 at = ivec2(gl_FragCoord.xy); uint mixed = uint(at.x * 73 + at.y * 151);"
          "  int row = at.y / 16;"
          "  if (row == 0) { double d = root(double(place.x) + 2.0LF); colour = vec4(float(fract(d * 1.0e6LF)), float(d) * 0.5, float(d * d - 2.0LF), 1.0); }"
          "  else if (row == 1) {"
          "    uint high, low; umulExtended(mixed * 2654435761u, 40503u, high, low);"
          "    colour = vec4(float(bitCount(mixed)) / 16.0, float(findMSB(mixed + 1u)) / 16.0, float(high & 255u) / 255.0, 1.0);"
          "  } else if (row == 2) {"
          "    uint folded = bitfieldReverse(mixed) >> 20; int signed_ = bitfieldExtract(int(mixed), 2, 6);"
          "    colour = vec4(float(folded & 255u) / 255.0, float(signed_ + 32) / 64.0, float(int(mixed) / 7 % 11) / 11.0, 1.0);"
          "  } else {"
          "    vec4 chosen = numbers[at.x / 24];"
          "    colour = vec4(sin(chosen.x * place.x), exp2(-chosen.y), inversesqrt(chosen.z) * place.x, 1.0);"
          "    colour.rgb += unpackHalf2x16(packHalf2x16(vec2(place.x, 0.1))).yxy * 0.2;"
          "  }"
          "}");
}

/* Hills whose heights a compute shader makes, cut as finely as they are near, with a light on each facet: all stages that there are. */
static void terrain(void) {
    enum { SIDE = 4, HEIGHTS = 64 };
    GLuint heights;
    glGenTextures(1, &heights);
    glBindTexture(GL_TEXTURE_2D, heights);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32F, HEIGHTS, HEIGHTS);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindImageTexture(0, heights, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
    compute("#version 430\n"
            "layout(local_size_x = 8, local_size_y = 8) in; layout(r32f, binding = 0) writeonly uniform image2D heights;"
            "float lattice(ivec2 at) {"
            "  uint n = uint(at.x) * 1597334677u ^ uint(at.y) * 3812015801u;"
            "  n = (n ^ n >> 15) * 2246822519u;"
            "  return float((n ^ n >> 13) >> 8) / 16777216.0;"
            "}"
            "float noise(vec2 at) {"
            "  ivec2 cell = ivec2(at); vec2 t = fract(at);"
            "  t = t * t * (3.0 - 2.0 * t);"
            "  return mix(mix(lattice(cell), lattice(cell + ivec2(1, 0)), t.x), mix(lattice(cell + ivec2(0, 1)), lattice(cell + 1), t.x), t.y);"
            "}"
            "void main() {"
            "  vec2 at = vec2(gl_GlobalInvocationID.xy) / 64.0;"
            "  float height = 0.0;"
            "  for (int octave = 0; octave < 3; octave++) height += noise(at * exp2(float(octave + 2))) * exp2(float(-octave - 1));"
            "  imageStore(heights, ivec2(gl_GlobalInvocationID.xy), vec4(height));"
            "}");
    glDispatchCompute(HEIGHTS / 8, HEIGHTS / 8, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);

    static float corners[SIDE * SIDE][4][2];
    for (int n = 0; n < SIDE * SIDE; n++)
        for (int corner = 0; corner < 4; corner++) {
            corners[n][corner][0] = (n % SIDE + (corner & 1)) / (float)SIDE;
            corners[n][corner][1] = (n / SIDE + (corner >> 1)) / (float)SIDE;
        }
    vertices(2, sizeof corners, corners);
    const struct stage stages[] = {
        {GL_VERTEX_SHADER,
         "#version 430\nlayout(location = 0) in vec2 at; out vec2 ground; void main() { ground = at; }"},
        {GL_TESS_CONTROL_SHADER,
         "#version 430\n"
         "layout(vertices = 4) out; in vec2 ground[]; out vec2 corner[];"
         "float level(vec2 a, vec2 b) { return 8.0 - 3.0 * (a.y + b.y); }"
         "void main() {"
         "  corner[gl_InvocationID] = ground[gl_InvocationID];"
         "  gl_TessLevelOuter[0] = level(ground[0], ground[2]); gl_TessLevelOuter[1] = level(ground[0], ground[1]);"
         "  gl_TessLevelOuter[2] = level(ground[1], ground[3]); gl_TessLevelOuter[3] = level(ground[2], ground[3]);"
         "  gl_TessLevelInner[0] = gl_TessLevelInner[1] = level(ground[0], ground[3]);"
         "}"},
        {GL_TESS_EVALUATION_SHADER,
         "#version 430\n"
         "layout(quads, equal_spacing, ccw) in; in vec2 corner[]; out vec3 point; uniform sampler2D heights;"
         "void main() {"
         "  vec2 at = mix(mix(corner[0], corner[1], gl_TessCoord.x), mix(corner[2], corner[3], gl_TessCoord.x), gl_TessCoord.y);"
         "  point = vec3(at.x * 2.4 - 1.2, textureLod(heights, at, 0.0).x * 0.9, at.y * 2.4 - 1.2);"
         "  vec3 seen = point - vec3(0.0, 1.15, -1.9);"
         "  vec2 turned = vec2(0.9 * seen.y + 0.44 * seen.z, 0.9 * seen.z - 0.44 * seen.y);"
         "  gl_Position = vec4(1.3 * seen.x, 1.95 * turned.x, 1.07 * turned.y - 0.41, turned.y);"
         "}"},
        {GL_GEOMETRY_SHADER,
         "#version 430\n"
         "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;"
         "in vec3 point[]; out float height; flat out float light;"
         "void main() {"
         "  vec3 facet = normalize(cross(point[1] - point[0], point[2] - point[0]));"
         "  for (int n = 0; n < 3; n++) {"
         "    gl_Position = gl_in[n].gl_Position; height = point[n].y;"
         "    light = 0.25 + 0.75 * max(abs(facet.y) * 0.6 + facet.x * sign(facet.y) * 0.8, 0.0);"
         "    EmitVertex();"
         "  }"
         "}"},
        {GL_FRAGMENT_SHADER,
         "#version 430\n"
         "in float height; flat in float light; out vec4 colour;"
         "void main() {"
         "  vec3 ground = mix(vec3(0.15, 0.45, 0.2), vec3(0.55, 0.45, 0.35), smoothstep(0.3, 0.5, height));"
         "  colour = vec4(mix(ground, vec3(0.95), smoothstep(0.55, 0.65, height)) * light, 1.0);"
         "}"},
    };
    use_stages(stages, 5, NULL);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glEnable(GL_DEPTH_TEST);
    glDrawArrays(GL_PATCHES, 0, 4 * SIDE * SIDE);
}

static const struct scene SCENES[] = {
    {"dome", dome, 43},     {"rings", rings, 43},     {"sparks", sparks, 43},   {"indirect", indirect, 43},
    {"layers", layers, 43}, {"targets", targets, 43}, {"numbers", numbers, 43}, {"terrain", terrain, 43},
};

int main(int count, char **arguments) {
    return run(count, arguments, SCENES, sizeof SCENES / sizeof *SCENES);
}
