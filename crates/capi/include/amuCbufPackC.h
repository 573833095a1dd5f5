/* A packer of CTM command buffers for C: C89 where the compiler knows inline functions, C99, and C++.
 *
 * A function writes one command, and returns 1. Addresses are GPU addresses, multiples of 2048; pitches are in elements,
 * multiples of 4. A command that would go past the capacity is not written, and its function returns 0; but the size grows
 * nevertheless: a buffer whose size exceeds its capacity is not complete and must not be submitted.
 */
#ifndef AMU_CBUF_PACK_C_H
#define AMU_CBUF_PACK_C_H

#include <string.h>

#include "amuCbufTypes.h"

#if defined(__cplusplus) || defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define AMU_CBUF_INLINE static inline
#else
#define AMU_CBUF_INLINE static __inline
#endif

/* Where a buffer is packed. */
typedef struct AMUcbufPacker
{
    unsigned int *words;   /* The first word. */
    unsigned int capacity; /* Words that there is memory for. */
    unsigned int size;     /* Words so far: the size that amSubmitCommandBuffer takes. */
} AMUcbufPacker;

/* A packer into `capacity` 32-bit words at `words`, from the first on. */
AMU_CBUF_INLINE AMUcbufPacker amuCbufPacker(unsigned int *words, unsigned int capacity)
{
    AMUcbufPacker packer;
    packer.words = words;
    packer.capacity = capacity;
    packer.size = 0;
    return packer;
}

/* Whether everything so far was written. */
AMU_CBUF_INLINE int amuCbufIsComplete(const AMUcbufPacker *packer)
{
    return packer->size <= packer->capacity;
}

/* Appends an opcode and the first `count` of four parameters. */
AMU_CBUF_INLINE int amuCbufAppend(AMUcbufPacker *packer, unsigned int opcode, unsigned int count, unsigned int p0,
                                  unsigned int p1, unsigned int p2, unsigned int p3)
{
    unsigned int words[5], all = count + 1;
    int fits = packer->size <= packer->capacity && all <= packer->capacity - packer->size;
    words[0] = opcode;
    words[1] = p0;
    words[2] = p1;
    words[3] = p2;
    words[4] = p3;
    if (fits) {
        memcpy(packer->words + packer->size, words, all * sizeof *words);
    }
    /* Never a small number again. */
    packer->size = packer->size > 0xFFFFFFFFu - all ? 0xFFFFFFFFu : packer->size + all;
    return fits;
}

/* Performance counters. amuCbufAppendReadPerfCounters writes two words to addr. */
AMU_CBUF_INLINE int amuCbufAppendInitPerfCounters(AMUcbufPacker *packer, unsigned int enable)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INIT_PERF_COUNTERS, 1, enable & 1u, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendStartPerfCounters(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_START_PERF_COUNTERS, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendStopPerfCounters(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_STOP_PERF_COUNTERS, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendReadPerfCounters(AMUcbufPacker *packer, unsigned int addr)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_READ_PERF_COUNTERS, 1, addr, 0, 0, 0);
}

/* Execution. The bounds of the domain are inclusive. */
AMU_CBUF_INLINE int amuCbufAppendSetDomain(AMUcbufPacker *packer, unsigned int i0, unsigned int j0, unsigned int i1,
                                           unsigned int j1)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_DOMAIN, 4, i0, j0, i1, j1);
}
AMU_CBUF_INLINE int amuCbufAppendStartProgram(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_START_PROGRAM, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendWaitForIdle(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_WAIT_FOR_IDLE, 1, 0, 0, 0, 0);
}

/* Interpolated inputs: three vertices of 32 floats at addr, a multiple of 4. Each is a position in pixels, (x, y, 0, 1), and seven
 * vectors; vertices of 36 floats have eight. The second vertex is in the row of the first, the third one in its column. */
AMU_CBUF_INLINE int amuCbufAppendSetParams(AMUcbufPacker *packer, unsigned int addr)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_PARAMS, 1, addr, 0, 0, 0);
}

/* Program and constants. Format, tiling and pitch are not used here. */
AMU_CBUF_INLINE int amuCbufAppendSetInstFmt(AMUcbufPacker *packer, unsigned int addr, unsigned int format,
                                            unsigned int tiling, unsigned int pitch)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_INST_FMT, 2, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), 0,
                         0);
}
AMU_CBUF_INLINE int amuCbufAppendSetConstfFmt(AMUcbufPacker *packer, unsigned int addr, unsigned int format,
                                              unsigned int tiling, unsigned int pitch)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_CONSTF_FMT, 2, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), 0,
                         0);
}
AMU_CBUF_INLINE int amuCbufAppendSetConstiFmt(AMUcbufPacker *packer, unsigned int addr, unsigned int format,
                                              unsigned int tiling, unsigned int pitch)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_CONSTI_FMT, 2, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), 0,
                         0);
}
AMU_CBUF_INLINE int amuCbufAppendSetConstbFmt(AMUcbufPacker *packer, unsigned int addr, unsigned int format,
                                              unsigned int tiling, unsigned int pitch)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_CONSTB_FMT, 2, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), 0,
                         0);
}

/* Buffers: inputs 0 to 15, outputs 0 to 3, the conditional output buffer. */
AMU_CBUF_INLINE int amuCbufAppendSetInpFmt(AMUcbufPacker *packer, unsigned int index, unsigned int addr,
                                           unsigned int format, unsigned int tiling, unsigned int pitch,
                                           unsigned int height)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_INP_FMT, 4, index, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch),
                         height);
}
AMU_CBUF_INLINE int amuCbufAppendSetOutFmt(AMUcbufPacker *packer, unsigned int index, unsigned int addr,
                                           unsigned int format, unsigned int tiling, unsigned int pitch,
                                           unsigned int height)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_OUT_FMT, 4, index, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch),
                         height);
}
AMU_CBUF_INLINE int amuCbufAppendSetCondOutFmt(AMUcbufPacker *packer, unsigned int addr, unsigned int format,
                                               unsigned int tiling, unsigned int pitch, unsigned int height)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_COND_OUT_FMT, 3, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch),
                         height, 0);
}

/* Masks: bit k lets channel k of all outputs be written; 1 lets the conditional output buffer be written. */
AMU_CBUF_INLINE int amuCbufAppendSetOutMask(AMUcbufPacker *packer, unsigned int mask)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_OUT_MASK, 1, mask, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendSetCondOutMask(AMUcbufPacker *packer, unsigned int mask)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_COND_OUT_MASK, 1, mask, 0, 0, 0);
}

/* The conditional unit: AMU_CBUF_FLD_TEST_ and AMU_CBUF_FLD_LOC_ codes, and the execution unit's value. */
AMU_CBUF_INLINE int amuCbufAppendSetCondTest(AMUcbufPacker *packer, unsigned int test)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_COND_TEST, 1, test, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendSetCondLoc(AMUcbufPacker *packer, unsigned int location)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_COND_LOC, 1, location, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendSetCondVal(AMUcbufPacker *packer, float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    return amuCbufAppend(packer, AMU_CBUF_OP_SET_COND_VAL, 1, bits, 0, 0, 0);
}

/* Caches. */
AMU_CBUF_INLINE int amuCbufAppendInvInstCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_INST_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendInvConstfCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_CONSTF_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendInvConstiCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_CONSTI_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendInvConstbCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_CONSTB_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendInvCondOutCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_COND_OUT_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendInvInpCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_INV_INP_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendFlushOutCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_FLUSH_OUT_CACHE, 1, 0, 0, 0, 0);
}
AMU_CBUF_INLINE int amuCbufAppendFlushCondOutCache(AMUcbufPacker *packer)
{
    return amuCbufAppend(packer, AMU_CBUF_OP_FLUSH_COND_OUT_CACHE, 1, 0, 0, 0, 0);
}

#endif
