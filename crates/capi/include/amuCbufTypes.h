/* The words of CTM command buffers, for packers in C and C++ (CTM Guide p.8-22).
 *
 * A command is its opcode and then its parameters, one 32-bit word each. Commands without parameters have one reserved
 * word, 0.
 */
#ifndef AMU_CBUF_TYPES_H
#define AMU_CBUF_TYPES_H

/* Opcodes. */
#define AMU_CBUF_OP_INIT_PERF_COUNTERS   0xC0010200u
#define AMU_CBUF_OP_START_PERF_COUNTERS  0xC0000300u
#define AMU_CBUF_OP_STOP_PERF_COUNTERS   0xC0000400u
#define AMU_CBUF_OP_READ_PERF_COUNTERS   0xC0010500u
#define AMU_CBUF_OP_SET_COND_VAL         0xC0000600u
#define AMU_CBUF_OP_SET_DOMAIN           0xC0030700u
#define AMU_CBUF_OP_START_PROGRAM        0xC0000800u
#define AMU_CBUF_OP_WAIT_FOR_IDLE        0xC0000900u
#define AMU_CBUF_OP_SET_INST_FMT         0xC0010A00u
#define AMU_CBUF_OP_SET_INP_FMT          0xC0030B00u
#define AMU_CBUF_OP_SET_OUT_FMT          0xC0030C00u
#define AMU_CBUF_OP_SET_COND_OUT_FMT     0xC0020D00u
#define AMU_CBUF_OP_SET_CONSTF_FMT       0xC0010E00u
#define AMU_CBUF_OP_SET_CONSTI_FMT       0xC0010F00u
#define AMU_CBUF_OP_SET_CONSTB_FMT       0xC0011000u
#define AMU_CBUF_OP_INV_INST_CACHE       0xC0001100u
#define AMU_CBUF_OP_INV_CONSTF_CACHE     0xC0001200u
#define AMU_CBUF_OP_INV_CONSTI_CACHE     0xC0001300u
#define AMU_CBUF_OP_INV_CONSTB_CACHE     0xC0001400u
#define AMU_CBUF_OP_INV_COND_OUT_CACHE   0xC0001500u
#define AMU_CBUF_OP_INV_INP_CACHE        0xC0001600u
#define AMU_CBUF_OP_FLUSH_OUT_CACHE      0xC0001700u
#define AMU_CBUF_OP_FLUSH_COND_OUT_CACHE 0xC0001800u
#define AMU_CBUF_OP_SET_OUT_MASK         0xC0001900u
#define AMU_CBUF_OP_SET_COND_OUT_MASK    0xC0001A00u
#define AMU_CBUF_OP_SET_COND_TEST        0xC0001B00u
#define AMU_CBUF_OP_SET_COND_LOC         0xC0001C00u
/* Not in the guide; later clients have the command, and this opcode is the device's own. */
#define AMU_CBUF_OP_SET_PARAMS           0xC0001D00u

/* How elements follow each other in memory. The 2X2 codes are for inputs of one channel, which then return four elements
 * at once. */
typedef unsigned int AMUcbufFldTiling;
#define AMU_CBUF_FLD_TILING_LINEAR         0
#define AMU_CBUF_FLD_TILING_TILED0         1
#define AMU_CBUF_FLD_TILING_LINEAR_INP_2X2 2
#define AMU_CBUF_FLD_TILING_TILED0_INP_2X2 3

/* How an element lies in memory. The device has the formats 0 to 4. Later clients name more; to start a program with one of
 * these is an error of the device (AMX_E_STATE). */
typedef unsigned int AMUcbufFldFormat;
#define AMU_CBUF_FLD_FORMAT_UINT16_1  0
#define AMU_CBUF_FLD_FORMAT_UINT8_4   1
#define AMU_CBUF_FLD_FORMAT_FLOAT32_1 2
#define AMU_CBUF_FLD_FORMAT_FLOAT32_2 3
#define AMU_CBUF_FLD_FORMAT_FLOAT32_4 4
#define AMU_CBUF_FLD_FORMAT_UINT8_1   5
#define AMU_CBUF_FLD_FORMAT_UINT8_2   6
#define AMU_CBUF_FLD_FORMAT_UINT16_2  7
#define AMU_CBUF_FLD_FORMAT_UINT16_4  8

/* The conditional test: the client's value against the buffer's. */
#define AMU_CBUF_FLD_TEST_NEVER            0
#define AMU_CBUF_FLD_TEST_LESS             1
#define AMU_CBUF_FLD_TEST_LESS_OR_EQUAL    2
#define AMU_CBUF_FLD_TEST_EQUAL            3
#define AMU_CBUF_FLD_TEST_GREATER_OR_EQUAL 4
#define AMU_CBUF_FLD_TEST_GREATER          5
#define AMU_CBUF_FLD_TEST_NOT_EQUAL        6
#define AMU_CBUF_FLD_TEST_ALWAYS           7

/* The client of the conditional unit: the processors (conditional output), or the execution unit (conditional
 * execution). */
#define AMU_CBUF_FLD_LOC_DPP 0
#define AMU_CBUF_FLD_LOC_PE  1

/* The format word of the set_*_fmt commands. The pitch is in elements, a multiple of 4. Formats that the word has no code for
 * become the last reserved one. */
#define AMU_CBUF_FORMAT_WORD(format, tiling, pitch) \
    (((unsigned int)(format) > 7u ? 7u : (unsigned int)(format)) << 24 | ((unsigned int)(tiling) & 3u) << 16 | ((unsigned int)(pitch) & 0x1FFCu))

#endif
