/* Copies a linear buffer in host-visible memory to a tiled one in local memory, and back to another place. C89. */
#include "amuCbufTypes.h"
#include "example.h"

#define SIZE 64u
#define BYTES (16 * SIZE * SIZE)

/* One fetch at the lane's own position, one output. */
static const char program[] =
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED\n"
    "  temp[1].rgba = LD tex[0].rgba temp[0].rgaa ;\n"
    "OUT TEX_SEM_WAIT\n"
    "src0.rgb = temp[1], src0.a = temp[1] :\n"
    "  out[0].rgb = exact * MAX src0.rgb src0.rgb src0.000,\n"
    "  out[0].a = exact * MAX src0.a src0.a src0.0 ;\n";

static AMuint32 *commands;
static AMuint32 count;

static void put(AMuint32 word)
{
    commands[count++] = word;
}

static void put_command(AMuint32 opcode)
{
    put(opcode);
    put(0);
}

/* A buffer of SIZE by SIZE elements of four floats. */
static void put_format(AMuint32 opcode, AMuint32 address, AMuint32 tiling)
{
    put(opcode);
    put(0);
    put(address);
    put(AMU_CBUF_FORMAT_WORD(AMU_CBUF_FLD_FORMAT_FLOAT32_4, tiling, SIZE));
    put(SIZE);
}

static void put_copy(AMuint32 from, AMuint32 from_tiling, AMuint32 to, AMuint32 to_tiling)
{
    put_command(AMU_CBUF_OP_FLUSH_OUT_CACHE);
    put_format(AMU_CBUF_OP_SET_INP_FMT, from, from_tiling);
    put_format(AMU_CBUF_OP_SET_OUT_FMT, to, to_tiling);
    put_command(AMU_CBUF_OP_INV_INP_CACHE);
    put_command(AMU_CBUF_OP_START_PROGRAM);
    put_command(AMU_CBUF_OP_FLUSH_OUT_CACHE);
    put_command(AMU_CBUF_OP_WAIT_FOR_IDLE);
}

int main(void)
{
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = open_device(&info);
    AMUabiConstsInfo constants = load(&info, program, PROGRAMS);
    AMuint32 source = info.baseAddressSYSc + BUFFERS;
    AMuint32 target = source + MIB;
    float *numbers = (float *)host(&info, BUFFERS);
    AMuint32 n;
    int same;

    amxFree(constants.userConsts);
    amxFree(constants.litConsts);
    for (n = 0; n < 4 * SIZE * SIZE; n++) {
        numbers[n] = (float)n;
    }

    commands = (AMuint32 *)host(&info, COMMANDS);
    put(AMU_CBUF_OP_SET_INST_FMT);
    put(info.baseAddressSYSc + PROGRAMS);
    put(0);
    put_command(AMU_CBUF_OP_INV_INST_CACHE);
    put(AMU_CBUF_OP_SET_DOMAIN);
    put(0);
    put(0);
    put(SIZE - 1);
    put(SIZE - 1);
    put_copy(source, AMU_CBUF_FLD_TILING_LINEAR, info.baseAddressGPU, AMU_CBUF_FLD_TILING_TILED0);
    put_copy(info.baseAddressGPU, AMU_CBUF_FLD_TILING_TILED0, target, AMU_CBUF_FLD_TILING_LINEAR);
    run(device, &info, count);

    same = memcmp(host(&info, BUFFERS), host(&info, BUFFERS + MIB), BYTES) == 0;
    amCloseManagedConnection(device);
    printf("%u x %u elements to tiles and back: %s\n", SIZE, SIZE, same ? "the same" : "NOT the same");
    return same ? 0 : 1;
}
