/* Streams and kernels, as stream languages of 2006 ran them: kernels are texts of pixel shaders, streams are tiled buffers in local
 * memory, and texture coordinates, interpolated over the domain, say which element a kernel reads. */
#include <vector>

#include "amuCbufPack.h"
#include "amuComp.h"
#define EXAMPLE_WITHOUT_ASSEMBLY
#include "example.h"

/* The params block: three vertices of a position and seven texture coordinates. */
static const unsigned int VERTEX_FLOATS = 32;
static const AMuint32 PARAMS = BOOLS;
/* Lookups floor their coordinates: this keeps them inside of the element. */
static const float INSIDE = 0.05f;

static const char copy[] = "ps_3_0\ndcl vPos.xy\ndcl_2d s0\ntexld r0, vPos, s0\nmov oC0, r0\nend\n";

static const char sum[] =
    "// c = a + k b\n"
    "ps_3_0\n"
    "dcl_texcoord0 v0.xy\n"
    "dcl_texcoord1 v1.xy\n"
    "dcl_2d s0\n"
    "dcl_2d s1\n"
    "texld r0, v0, s0\n"
    "texld r1, v1, s1\n"
    "mad oC0, r1, c0.x, r0\n";

static const char gather[] =
    "// The element of s1 that the element of s0 numbers.\r\n"
    "ps_3_0\r\n"
    "def c1, 0.5, 0, 0, 0\r\n"
    "dcl_texcoord0 v0.xy\r\n"
    "dcl_2d s0\r\n"
    "dcl_2d s1\r\n"
    "texld r0, v0, s0\r\n"
    "add r1.x, r0.x, c1.x\r\n"
    "mov r1.yzw, c1.y\r\n"
    "texldl r2, r1, s1\r\n"
    "mov oC0, r2\r\n";

static const char iterator[] = "ps_3_0\ndcl_texcoord2 v0.x\nmov oC0, v0.x\n";

static const char replication[] = "ps_3_0\ndcl_texcoord0 v0.xy\ndcl_2d s0\ntexld r0, v0, s0\nmov oC0, r0\n";

static const char outputs[] =
    "// The passes until the sum of powers of two is larger than the element, and the sum.\n"
    "ps_3_0\n"
    "def c1, 0, 1, 2, 0\n"
    "defi i0, 20, 0, 0, 0\n"
    "dcl_texcoord0 v0.xy\n"
    "dcl_2d s0\n"
    "texld r0, v0, s0\n"
    "mov r1, c1.xyxx /* passes, power, sum */\n"
    "rep i0\n"
    "    add r1.z, r1.z, r1.y\n"
    "    add r1.x, r1.x, c1.y\n"
    "    break_gt r1.z, r0.x\n"
    "    mul r1.y, r1.y, c1.z\n"
    "endrep\n"
    "mov oC0, r1.x\n"
    "mov oC1, r1.z\n";

/* The device, with the command buffer that is being packed. */
struct Device {
    AMmanagedDeviceInfo info;
    AMmanagedDevice device;
    AMuint32 next;
    AMUcbufPack pack;

    Device() : device(open_device(&info)), next(info.baseAddressGPU), pack(commands(), MIB / 4)
    {
    }
    ~Device()
    {
        amCloseManagedConnection(device);
    }
    unsigned int *commands() const
    {
        return static_cast<unsigned int *>(host(&info, COMMANDS));
    }
    /* Offsets lie in uncached memory for some clients and in cached memory for others: both are the same. */
    AMuint32 address(AMuint32 offset) const
    {
        return info.baseAddressSYS + offset;
    }
};

/* A buffer in local memory. Rows are as long as tiles want them. */
struct Stream {
    unsigned int width, height, channels, pitch, rows;
    AMUcbufFldFormat format;
    AMuint32 address;

    Stream(Device &on, unsigned int width_, unsigned int height_, unsigned int channels_)
        : width(width_), height(height_), channels(channels_), pitch((width_ + 31) & ~31u), rows((height_ + 15) & ~15u),
          format(channels_ == 1 ? AMU_CBUF_FLD_FORMAT_FLOAT32_1 : AMU_CBUF_FLD_FORMAT_FLOAT32_4), address(on.next)
    {
        on.next += (4 * channels * pitch * rows + 8191) & ~2047u;
    }
};

struct Kernel {
    void *image;
    AMuint32 size;
    AMUabiConstsInfo constants;

    explicit Kernel(const char *text)
    {
        const AMUcompMacro language[] = {{"AMU_LANG_PS3", "1"}, {0, 0}};
        const AMUcompCompiler compiler = amuCompOpenCompiler();
        if (!amuCompCompile(compiler, text, static_cast<AMuint32>(strlen(text)), language, NULL, "main", &size, &image,
                            print_line)) {
            fail("cannot compile");
        }
        constants = amuABIExtractConstants(image);
    }
    ~Kernel()
    {
        amxFree(image);
        amxFree(constants.userConsts);
        amxFree(constants.litConsts);
    }
};

static void bind(Device &on, const Kernel &kernel)
{
    amuABISetLiteralConstants(kernel.constants, host(&on.info, FLOATS), host(&on.info, INTS), NULL);
    memcpy(host(&on.info, PROGRAMS), kernel.image, kernel.size);
    on.pack.appendSetInstFmt(on.address(PROGRAMS), 0, 0, 0);
    on.pack.appendInvInstCache();
}

/* The values of a texture coordinate at the corner of the domain, and what is added to the ends of its first row and column. */
static void interpolate(Device &on, unsigned int number, float x, float y, float along_row, float along_column)
{
    const float values[3][4] = {{x, y, 0, 1}, {x + along_row, y, 0, 1}, {x, y + along_column, 0, 1}};
    for (unsigned int vertex = 0; vertex < 3; vertex++) {
        float *params = static_cast<float *>(host(&on.info, PARAMS)) + VERTEX_FLOATS * vertex;
        memcpy(params + 4 * (number + 1), values[vertex], sizeof values[vertex]);
    }
}

/* Input `number` is a stream; its texture coordinate goes over all elements, however many the output has. */
static void input(Device &on, unsigned int number, const Stream &stream, const Stream &output)
{
    const float width = static_cast<float>(stream.width), height = static_cast<float>(stream.height);
    interpolate(on, number, INSIDE - 0.5f * width / output.width, INSIDE - 0.5f * height / output.height, width,
                height);
    on.pack.appendSetInpFmt(number, stream.address, stream.format, AMU_CBUF_FLD_TILING_TILED0, stream.pitch,
                            stream.rows);
    on.pack.appendInvInpCache();
}

static void output(Device &on, unsigned int number, const Stream &stream)
{
    on.pack.appendSetOutFmt(number, stream.address, stream.format, AMU_CBUF_FLD_TILING_TILED0, stream.pitch,
                            stream.rows);
}

static void draw(Device &on, unsigned int width, unsigned int height)
{
    const float corners[3][4] = {
        {0, 0, 0, 1}, {static_cast<float>(width), 0, 0, 1}, {0, static_cast<float>(height), 0, 1}};
    for (unsigned int vertex = 0; vertex < 3; vertex++) {
        float *params = static_cast<float *>(host(&on.info, PARAMS)) + VERTEX_FLOATS * vertex;
        memcpy(params, corners[vertex], sizeof corners[vertex]);
    }
    on.pack.appendInvCondOutCache();
    on.pack.appendSetConstfFmt(on.address(FLOATS), 0, 0, 0);
    on.pack.appendInvConstfCache();
    on.pack.appendSetConstiFmt(on.address(INTS), 0, 0, 0);
    on.pack.appendInvConstiCache();
    on.pack.appendSetDomain(0, 0, width - 1, height - 1);
    on.pack.appendSetParams(on.address(PARAMS));
    on.pack.appendStartProgram();
    on.pack.appendFlushOutCache();
    run(on.device, &on.info, on.pack.getCommandBufferSize());
    on.pack = AMUcbufPack(on.commands(), MIB / 4);
}

/* Copies a stream to or from the linear buffer in host-visible memory. */
static void transfer(Device &on, const Kernel &copier, const Stream &stream, bool up)
{
    const AMuint32 from = up ? on.address(BUFFERS) : stream.address, to = up ? stream.address : on.address(BUFFERS);
    const AMUcbufFldTiling linear = AMU_CBUF_FLD_TILING_LINEAR, tiled = AMU_CBUF_FLD_TILING_TILED0;
    bind(on, copier);
    on.pack.appendSetInpFmt(0, from, stream.format, up ? linear : tiled, stream.pitch, stream.rows);
    on.pack.appendSetOutFmt(0, to, stream.format, up ? tiled : linear, stream.pitch, stream.rows);
    on.pack.appendInvInpCache();
    draw(on, stream.width, stream.height);
}

static float *element(Device &on, const Stream &stream, unsigned int x, unsigned int y)
{
    return static_cast<float *>(host(&on.info, BUFFERS)) + stream.channels * (stream.pitch * y + x);
}

static void upload(Device &on, const Kernel &copier, const Stream &stream, const std::vector<float> &values)
{
    for (unsigned int y = 0; y < stream.height; y++) {
        const float *row = &values[stream.channels * stream.width * y];
        memcpy(element(on, stream, 0, y), row, sizeof *row * stream.channels * stream.width);
    }
    transfer(on, copier, stream, true);
}

static unsigned int wrong = 0;

static void expect(const char *what, float found, float expected)
{
    if (found != expected) {
        fprintf(stderr, "%s: %g, expected %g\n", what, found, expected);
        wrong++;
    }
}

int main()
{
    Device on;
    const unsigned int width = 40, height = 12, count = width * height;
    const Kernel copier(copy), adder(sum), gatherer(gather), counter(iterator), repeater(replication), splitter(outputs);
    Stream a(on, width, height, 4), b(on, width, height, 4), c(on, width, height, 4);
    Stream index(on, width, height, 1), table(on, 100, 1, 1), one(on, width, height, 1), two(on, width, height, 1);
    Stream few(on, 10, 4, 1);
    std::vector<float> vectors(4 * count), numbers(count), entries(100), coarse(40);
    unsigned int n, x, y;

    for (n = 0; n < 4 * count; n++) {
        vectors[n] = static_cast<float>(n % 97);
    }
    for (n = 0; n < count; n++) {
        numbers[n] = static_cast<float>(n * 7 % 100);
    }
    for (n = 0; n < 100; n++) {
        entries[n] = 1000.0f - static_cast<float>(n);
    }
    for (n = 0; n < 40; n++) {
        coarse[n] = static_cast<float>(n);
    }
    upload(on, copier, a, vectors);
    upload(on, copier, b, vectors);
    upload(on, copier, c, std::vector<float>(4 * count, -1.0f));
    upload(on, copier, index, numbers);
    upload(on, copier, table, entries);
    upload(on, copier, few, coarse);

    /* Sum; only red and blue are written. */
    bind(on, adder);
    static_cast<float *>(host(&on.info, FLOATS))[0] = 0.5f;
    input(on, 0, a, c);
    input(on, 1, b, c);
    output(on, 0, c);
    on.pack.appendSetOutMask(5);
    draw(on, width, height);
    on.pack.appendSetOutMask(15);
    transfer(on, copier, c, false);
    for (n = 0; n < 4 * count; n++) {
        const float *found = element(on, c, n / 4 % width, n / 4 / width) + n % 4;
        expect("sum", *found, n % 2 == 0 ? vectors[n] + 0.5f * vectors[n] : -1.0f);
    }

    /* Gather. */
    bind(on, gatherer);
    input(on, 0, index, one);
    input(on, 1, table, one);
    output(on, 0, one);
    draw(on, width, height);
    transfer(on, copier, one, false);
    for (n = 0; n < count; n++) {
        expect("gather", *element(on, one, n % width, n / width), 1000.0f - numbers[n]);
    }

    /* Iterator: 10, 12, 14 and so on along each row. */
    bind(on, counter);
    interpolate(on, 2, 9.0f, 0.0f, 2.0f * width, 0.0f);
    output(on, 0, one);
    draw(on, width, height);
    transfer(on, copier, one, false);
    for (n = 0; n < count; n++) {
        expect("iterator", *element(on, one, n % width, n / width), 10.0f + 2.0f * (n % width));
    }

    /* Replication: each element four times in its row, three times in its column. */
    bind(on, repeater);
    input(on, 0, few, one);
    output(on, 0, one);
    draw(on, width, height);
    transfer(on, copier, one, false);
    for (y = 0; y < height; y++) {
        for (x = 0; x < width; x++) {
            expect("replication", *element(on, one, x, y), coarse[y / 3 * 10 + x / 4]);
        }
    }

    /* Two outputs of a loop. */
    bind(on, splitter);
    input(on, 0, index, one);
    output(on, 0, one);
    output(on, 1, two);
    draw(on, width, height);
    for (unsigned int which = 0; which < 2; which++) {
        transfer(on, copier, which == 0 ? one : two, false);
        for (n = 0; n < count; n++) {
            unsigned int passes = 1, total = 1;
            while (static_cast<float>(total) <= numbers[n]) {
                total += 1u << passes++;
            }
            expect("outputs", *element(on, one, n % width, n / width), static_cast<float>(which == 0 ? passes : total));
        }
    }

    printf("6 kernels over %u elements: %u wrong\n", count, wrong);
    return wrong == 0 ? 0 : 1;
}
