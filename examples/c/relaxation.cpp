/* Ping-pong relaxation: heat spreads from one edge of a plate. Each pass reads one of two tiled buffers in local memory
 * and writes the other one; all passes, with the upload and the download, are one command buffer. */
#include "amuCbufPack.h"
#include "example.h"

static const unsigned int SIZE = 64;
static const unsigned int PASSES = 100;

static const char copy[] =
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED\n"
    "  temp[1].rgba = LD tex[0].rgba temp[0].rgaa ;\n"
    "OUT TEX_SEM_WAIT src0.rgb = temp[1] :\n"
    "  out[0].rgb = exact * MAX src0.rgb src0.rgb ;\n";

/* The mean of the four neighbours. */
static const char relax[] =
    ".const c0 = -1.0, 0.0, 0.0, 0.0\n"
    ".const c1 = 1.0, 0.0, 0.0, 0.0\n"
    ".const c2 = 0.0, -1.0, 0.0, 0.0\n"
    ".const c3 = 0.0, 1.0, 0.0, 0.0\n"
    "src0.rgb = temp[0], src1.rgb = const[0] : temp[1].rg = MAD src0.rg_ src0.11_ src1.rg_ ;\n"
    "src0.rgb = temp[0], src1.rgb = const[1] : temp[2].rg = MAD src0.rg_ src0.11_ src1.rg_ ;\n"
    "src0.rgb = temp[0], src1.rgb = const[2] : temp[3].rg = MAD src0.rg_ src0.11_ src1.rg_ ;\n"
    "src0.rgb = temp[0], src1.rgb = const[3] : temp[4].rg = MAD src0.rg_ src0.11_ src1.rg_ ;\n"
    "TEX TEX_SEM_WAIT UNSCALED temp[1].rgba = LD tex[0].rgba temp[1].rgrg ;\n"
    "TEX UNSCALED temp[2].rgba = LD tex[0].rgba temp[2].rgrg ;\n"
    "TEX UNSCALED temp[3].rgba = LD tex[0].rgba temp[3].rgrg ;\n"
    "TEX TEX_SEM_ACQUIRE UNSCALED temp[4].rgba = LD tex[0].rgba temp[4].rgrg ;\n"
    "TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = temp[2] :\n"
    "  temp[1].r = MAD src0.r__ src0.1__ src1.r__ ;\n"
    "src0.rgb = temp[1], src1.rgb = temp[3] : temp[1].r = MAD src0.r__ src0.1__ src1.r__ ;\n"
    "OUT TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = temp[4] :\n"
    "  out[0].rgb = 0.25 * MAD src0.rrr src0.111 src1.rrr ;\n";

struct Buffer {
    AMuint32 address;
    unsigned int tiling;
};

/* The usual commands around a run. Only what changes from pass to pass is set. */
static void pass(AMUcbufPack &pack, const Buffer &from, const Buffer &to)
{
    const unsigned int format = AMU_CBUF_FLD_FORMAT_FLOAT32_1;
    pack.appendFlushOutCache();
    pack.appendWaitForIdle();
    pack.appendSetInpFmt(0, from.address, format, from.tiling, SIZE, SIZE);
    pack.appendSetOutFmt(0, to.address, format, to.tiling, SIZE, SIZE);
    pack.appendInvInpCache();
    pack.appendStartProgram();
}

static void set_program(AMUcbufPack &pack, AMuint32 address)
{
    pack.appendWaitForIdle();
    pack.appendSetInstFmt(address, 0, 0, 0);
    pack.appendInvInstCache();
}

/* What the device should find. */
static void relax_here(const float *from, float *to)
{
    for (unsigned int y = 1; y < SIZE - 1; y++) {
        for (unsigned int x = 1; x < SIZE - 1; x++) {
            const float *at = from + SIZE * y + x;
            const float left_right = at[-1] + at[1];
            const float three = left_right + at[-static_cast<int>(SIZE)];
            to[SIZE * y + x] = (three + at[SIZE]) * 0.25f;
        }
    }
}

int main()
{
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = open_device(&info);
    const AMuint32 copy_at = PROGRAMS;
    const AMuint32 relax_at = PROGRAMS + 0x10000;
    const char *const texts[2] = {copy, relax};
    const AMuint32 places[2] = {copy_at, relax_at};
    for (int n = 0; n < 2; n++) {
        AMUabiConstsInfo constants = load(&info, texts[n], places[n]);
        amxFree(constants.userConsts);
        amxFree(constants.litConsts);
    }

    static float plates[2][SIZE * SIZE];
    for (unsigned int x = 0; x < SIZE; x++) {
        plates[0][x] = plates[1][x] = 100.0f;
    }
    memcpy(host(&info, BUFFERS), plates[0], sizeof plates[0]);

    const AMuint32 base = info.baseAddressSYSc;
    const Buffer source = {base + BUFFERS, AMU_CBUF_FLD_TILING_LINEAR};
    const Buffer target = {base + BUFFERS + MIB, AMU_CBUF_FLD_TILING_LINEAR};
    const Buffer local[2] = {{info.baseAddressGPU, AMU_CBUF_FLD_TILING_TILED0},
                             {info.baseAddressGPU + MIB, AMU_CBUF_FLD_TILING_TILED0}};

    AMUcbufPack pack(static_cast<unsigned int *>(host(&info, COMMANDS)), MIB / 4);
    pack.appendSetConstfFmt(base + FLOATS, 0, 0, 0);
    pack.appendInvConstfCache();
    set_program(pack, base + copy_at);
    pack.appendSetDomain(0, 0, SIZE - 1, SIZE - 1);
    pass(pack, source, local[0]);
    pass(pack, source, local[1]);
    set_program(pack, base + relax_at);
    pack.appendSetDomain(1, 1, SIZE - 2, SIZE - 2);
    for (unsigned int n = 0; n < PASSES; n++) {
        pass(pack, local[n % 2], local[(n + 1) % 2]);
        relax_here(plates[n % 2], plates[(n + 1) % 2]);
    }
    set_program(pack, base + copy_at);
    pack.appendSetDomain(0, 0, SIZE - 1, SIZE - 1);
    pass(pack, local[PASSES % 2], target);
    pack.appendFlushOutCache();
    pack.appendWaitForIdle();
    run(device, &info, pack.getCommandBufferSize());

    const float *plate = static_cast<const float *>(host(&info, BUFFERS + MIB));
    const float centre = plate[SIZE * 2 + SIZE / 2];
    const bool same = memcmp(plate, plates[PASSES % 2], sizeof plates[0]) == 0;
    amCloseManagedConnection(device);
    printf("%u passes: %.3f below the hot edge, %s\n", PASSES, centre, same ? "as computed here" : "NOT as computed here");
    return same ? 0 : 1;
}
