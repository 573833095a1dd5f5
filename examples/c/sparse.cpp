/* Conditional execution: updates only the elements that a conditional buffer selects. The program reads constants of all
 * three kinds, which the client sets by name, and one that travels with the program. */
#include "amuCbufPack.h"
#include "example.h"

static const unsigned int SIZE = 64;

/* i0 times: value = value * c0 + c1; then, if b0, value = -value. */
static const char program[] =
    ".const c1 = 0.5\n"
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED\n"
    "  temp[1].rgba = LD tex[0].rgba temp[0].rgaa ;\n"
    "TEX_SEM_WAIT src0.rgb = temp[1] : temp[2].r = exact * MAX src0.r__ src0.r__ ;\n"
    "REP i[0];\n"
    "  src0.rgb = temp[2], src1.rgb = const[0], src2.rgb = const[1] :\n"
    "    temp[2].r = MAD src0.r__ src1.r__ src2.r__ ;\n"
    "ENDREP;\n"
    "IF b[0];\n"
    "  src0.rgb = temp[2] : temp[2].r = exact * MAX -src0.r__ -src0.r__ ;\n"
    "ENDIF;\n"
    "OUT TEX_SEM_WAIT src0.rgb = temp[2] :\n"
    "  out[0].rgb = exact * MAX src0.rrr src0.rrr ;\n";

/* Where the device looks for the constant with this name: `stride` bytes for each of its kind. */
static void *constant(const AMUabiConstsInfo &constants, const char *name, void *base, unsigned int stride)
{
    for (unsigned int n = 0; n < constants.userConstsCount; n++) {
        if (strcmp(constants.userConsts[n].name.str, name) == 0) {
            return static_cast<char *>(base) + stride * constants.userConsts[n].addr;
        }
    }
    fprintf(stderr, "the program reads no %s\n", name);
    exit(1);
}

int main()
{
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = open_device(&info);
    AMUabiConstsInfo constants = load(&info, program, PROGRAMS);

    const float factor[4] = {2.0f, 2.0f, 2.0f, 2.0f};
    const unsigned char passes[4] = {3, 0, 0, 0};
    memcpy(constant(constants, "c0", host(&info, FLOATS), 16), factor, sizeof factor);
    memcpy(constant(constants, "i0", host(&info, INTS), 4), passes, sizeof passes);
    *static_cast<unsigned char *>(constant(constants, "b0", host(&info, BOOLS), 4)) = 1;
    amxFree(constants.userConsts);
    amxFree(constants.litConsts);

    float *before = static_cast<float *>(host(&info, BUFFERS));
    float *after = static_cast<float *>(host(&info, BUFFERS + MIB));
    float *selected = static_cast<float *>(host(&info, BUFFERS + 2 * MIB));
    for (unsigned int n = 0; n < SIZE * SIZE; n++) {
        before[n] = after[n] = static_cast<float>(n);
        selected[n] = n % 7 == 0 ? 1.0f : 0.0f;
    }

    const AMuint32 base = info.baseAddressSYSc;
    const unsigned int format = AMU_CBUF_FLD_FORMAT_FLOAT32_1;
    const unsigned int linear = AMU_CBUF_FLD_TILING_LINEAR;
    AMUcbufPack pack(static_cast<unsigned int *>(host(&info, COMMANDS)), MIB / 4);
    pack.appendFlushOutCache();
    pack.appendFlushCondOutCache();
    pack.appendSetInpFmt(0, base + BUFFERS, format, linear, SIZE, SIZE);
    pack.appendSetOutFmt(0, base + BUFFERS + MIB, format, linear, SIZE, SIZE);
    pack.appendSetCondOutFmt(base + BUFFERS + 2 * MIB, format, linear, SIZE, SIZE);
    pack.appendInvInpCache();
    pack.appendInvCondOutCache();
    pack.appendSetInstFmt(base + PROGRAMS, 0, 0, 0);
    pack.appendInvInstCache();
    pack.appendSetConstfFmt(base + FLOATS, 0, 0, 0);
    pack.appendInvConstfCache();
    pack.appendSetConstiFmt(base + INTS, 0, 0, 0);
    pack.appendInvConstiCache();
    pack.appendSetConstbFmt(base + BOOLS, 0, 0, 0);
    pack.appendInvConstbCache();
    pack.appendSetCondLoc(AMU_CBUF_FLD_LOC_PE);
    pack.appendSetCondTest(AMU_CBUF_FLD_TEST_EQUAL);
    pack.appendSetCondVal(1.0f);
    pack.appendSetCondOutMask(0);
    pack.appendSetDomain(0, 0, SIZE - 1, SIZE - 1);
    pack.appendStartProgram();
    pack.appendFlushOutCache();
    pack.appendFlushCondOutCache();
    pack.appendWaitForIdle();
    run(device, &info, pack.getCommandBufferSize());

    unsigned int updated = 0;
    unsigned int wrong = 0;
    for (unsigned int n = 0; n < SIZE * SIZE; n++) {
        float expected = before[n];
        if (n % 7 == 0) {
            expected = -(((before[n] * 2.0f + 0.5f) * 2.0f + 0.5f) * 2.0f + 0.5f);
            updated++;
        }
        wrong += after[n] != expected;
    }
    amCloseManagedConnection(device);
    printf("%u of %u elements updated, %u wrong\n", updated, SIZE * SIZE, wrong);
    return wrong == 0 ? 0 : 1;
}
