/* Two passes in one command buffer, packed by amuCbufPackC.h: a gradient into tiles, and twice that into rows. C89. */
#include "amuCbufPackC.h"
#include "example.h"

#define SIZE 64u
#define WORDS 256u

/* The lane's column and row. */
static const char gradient[] =
    "OUT TEX_SEM_WAIT\n"
    "src0.rgb = temp[0] :\n"
    "  out[0].rgb = MAX src0.rgb src0.rgb ;\n";

/* Twice what input 0 holds. */
static const char twice[] =
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED\n"
    "  temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;\n"
    "OUT TEX_SEM_WAIT\n"
    "src0.rgb = temp[1] :\n"
    "  out[0].rgb = 2.0 * MAX src0.rgb src0.rgb ;\n";

static void load_program(const AMmanagedDeviceInfo *info, const char *text, AMuint32 offset)
{
    AMUabiConstsInfo constants = load(info, text, offset);
    amxFree(constants.userConsts);
    amxFree(constants.litConsts);
}

/* A pass of the program at an offset in host-visible memory. */
static void pack_pass(AMUcbufPacker *packer, AMuint32 program)
{
    amuCbufAppendSetInstFmt(packer, program, 0, 0, 0);
    amuCbufAppendInvInstCache(packer);
    amuCbufAppendSetDomain(packer, 0, 0, SIZE - 1, SIZE - 1);
    amuCbufAppendStartProgram(packer);
    amuCbufAppendFlushOutCache(packer);
    amuCbufAppendWaitForIdle(packer);
}

int main(void)
{
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = open_device(&info);
    AMuint32 programs = info.baseAddressSYSc + PROGRAMS, rows = info.baseAddressSYSc + BUFFERS;
    AMuint32 tiles = info.baseAddressGPU;
    const float *numbers = (const float *)host(&info, BUFFERS);
    AMUcbufPacker packer = amuCbufPacker((unsigned int *)host(&info, COMMANDS), WORDS);
    AMuint32 x, y, wrong = 0;

    load_program(&info, gradient, PROGRAMS);
    load_program(&info, twice, PROGRAMS + MIB / 2);

    amuCbufAppendSetOutFmt(&packer, 0, tiles, AMU_CBUF_FLD_FORMAT_FLOAT32_2, AMU_CBUF_FLD_TILING_TILED0, SIZE, SIZE);
    pack_pass(&packer, programs);
    amuCbufAppendSetInpFmt(&packer, 0, tiles, AMU_CBUF_FLD_FORMAT_FLOAT32_2, AMU_CBUF_FLD_TILING_TILED0, SIZE, SIZE);
    amuCbufAppendSetOutFmt(&packer, 0, rows, AMU_CBUF_FLD_FORMAT_FLOAT32_2, AMU_CBUF_FLD_TILING_LINEAR, SIZE, SIZE);
    amuCbufAppendInvInpCache(&packer);
    pack_pass(&packer, programs + MIB / 2);
    if (!amuCbufIsComplete(&packer)) {
        fprintf(stderr, "the command buffer needs %u words, and has %u\n", packer.size, packer.capacity);
        return 1;
    }
    run(device, &info, packer.size);

    for (y = 0; y < SIZE; y++) {
        for (x = 0; x < SIZE; x++) {
            const float *element = numbers + 2 * (SIZE * y + x);
            wrong += element[0] != (float)(2 * x) || element[1] != (float)(2 * y);
        }
    }
    amCloseManagedConnection(device);
    printf("%u words, %u x %u elements: %u wrong\n", packer.size, SIZE, SIZE, wrong);
    return wrong == 0 ? 0 : 1;
}
