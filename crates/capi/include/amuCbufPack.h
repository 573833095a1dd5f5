/* A packer of CTM command buffers for C++.
 *
 * An append method writes one command. Addresses are GPU addresses, multiples of 2048; pitches are in elements, multiples
 * of 4. A method that would write past the capacity writes nothing, but the size grows nevertheless: a buffer whose size
 * exceeds its capacity is not complete and must not be submitted.
 */
#ifndef AMU_CBUF_PACK_H
#define AMU_CBUF_PACK_H

#ifndef __cplusplus
#error "amuCbufPack.h is for C++; in C, use the words of amuCbufTypes.h"
#endif

#include <string.h>

#include "amuCbufTypes.h"

class AMUcbufPack
{
public:
    /* Packs into `capacity` 32-bit words at `buffer`, from the first on. */
    AMUcbufPack(unsigned int *buffer, unsigned int capacity) : _buffer(buffer), _capacity(capacity), _size(0)
    {
    }

    /* 32-bit words so far: the size that amSubmitCommandBuffer takes. */
    unsigned int getCommandBufferSize() const
    {
        return _size;
    }

    /* Performance counters. appendReadPerfCounters writes two words to addr. */
    void appendInitPerfCounters(unsigned int enable)
    {
        put(AMU_CBUF_OP_INIT_PERF_COUNTERS, enable & 1u);
    }
    void appendStartPerfCounters()
    {
        put(AMU_CBUF_OP_START_PERF_COUNTERS, 0);
    }
    void appendStopPerfCounters()
    {
        put(AMU_CBUF_OP_STOP_PERF_COUNTERS, 0);
    }
    void appendReadPerfCounters(unsigned int addr)
    {
        put(AMU_CBUF_OP_READ_PERF_COUNTERS, addr);
    }

    /* Execution. The bounds of the domain are inclusive. */
    void appendSetDomain(unsigned int i0, unsigned int j0, unsigned int i1, unsigned int j1)
    {
        put(AMU_CBUF_OP_SET_DOMAIN, i0, j0, i1, j1);
    }
    void appendStartProgram()
    {
        put(AMU_CBUF_OP_START_PROGRAM, 0);
    }
    void appendWaitForIdle()
    {
        put(AMU_CBUF_OP_WAIT_FOR_IDLE, 0);
    }

    /* Program and constants. Format, tiling and pitch are not used here. */
    void appendSetInstFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        put(AMU_CBUF_OP_SET_INST_FMT, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch));
    }
    void appendSetConstfFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        put(AMU_CBUF_OP_SET_CONSTF_FMT, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch));
    }
    void appendSetConstiFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        put(AMU_CBUF_OP_SET_CONSTI_FMT, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch));
    }
    void appendSetConstbFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        put(AMU_CBUF_OP_SET_CONSTB_FMT, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch));
    }

    /* Buffers: inputs 0 to 15, outputs 0 to 3, the conditional output buffer. */
    void appendSetInpFmt(unsigned int index, unsigned int addr, unsigned int format, unsigned int tiling,
                         unsigned int pitch, unsigned int height)
    {
        put(AMU_CBUF_OP_SET_INP_FMT, index, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), height);
    }
    void appendSetOutFmt(unsigned int index, unsigned int addr, unsigned int format, unsigned int tiling,
                         unsigned int pitch, unsigned int height)
    {
        put(AMU_CBUF_OP_SET_OUT_FMT, index, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), height);
    }
    void appendSetCondOutFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch,
                             unsigned int height)
    {
        put(AMU_CBUF_OP_SET_COND_OUT_FMT, addr, AMU_CBUF_FORMAT_WORD(format, tiling, pitch), height);
    }

    /* Masks: bit k lets channel k of all outputs be written; 1 lets the conditional output buffer be written. */
    void appendSetOutMask(unsigned int mask)
    {
        put(AMU_CBUF_OP_SET_OUT_MASK, mask);
    }
    void appendSetCondOutMask(unsigned int mask)
    {
        put(AMU_CBUF_OP_SET_COND_OUT_MASK, mask);
    }

    /* The conditional unit: AMU_CBUF_FLD_TEST_ and AMU_CBUF_FLD_LOC_ codes, and the execution unit's value. */
    void appendSetCondTest(unsigned int test)
    {
        put(AMU_CBUF_OP_SET_COND_TEST, test);
    }
    void appendSetCondLoc(unsigned int location)
    {
        put(AMU_CBUF_OP_SET_COND_LOC, location);
    }
    void appendSetCondVal(float value)
    {
        unsigned int bits;
        memcpy(&bits, &value, sizeof bits);
        put(AMU_CBUF_OP_SET_COND_VAL, bits);
    }

    /* Caches. */
    void appendInvInstCache()
    {
        put(AMU_CBUF_OP_INV_INST_CACHE, 0);
    }
    void appendInvConstfCache()
    {
        put(AMU_CBUF_OP_INV_CONSTF_CACHE, 0);
    }
    void appendInvConstiCache()
    {
        put(AMU_CBUF_OP_INV_CONSTI_CACHE, 0);
    }
    void appendInvConstbCache()
    {
        put(AMU_CBUF_OP_INV_CONSTB_CACHE, 0);
    }
    void appendInvCondOutCache()
    {
        put(AMU_CBUF_OP_INV_COND_OUT_CACHE, 0);
    }
    void appendInvInpCache()
    {
        put(AMU_CBUF_OP_INV_INP_CACHE, 0);
    }
    void appendFlushOutCache()
    {
        put(AMU_CBUF_OP_FLUSH_OUT_CACHE, 0);
    }
    void appendFlushCondOutCache()
    {
        put(AMU_CBUF_OP_FLUSH_COND_OUT_CACHE, 0);
    }

private:
    void put(unsigned int opcode, unsigned int p0)
    {
        const unsigned int words[] = {opcode, p0};
        append(words, 2);
    }
    void put(unsigned int opcode, unsigned int p0, unsigned int p1)
    {
        const unsigned int words[] = {opcode, p0, p1};
        append(words, 3);
    }
    void put(unsigned int opcode, unsigned int p0, unsigned int p1, unsigned int p2)
    {
        const unsigned int words[] = {opcode, p0, p1, p2};
        append(words, 4);
    }
    void put(unsigned int opcode, unsigned int p0, unsigned int p1, unsigned int p2, unsigned int p3)
    {
        const unsigned int words[] = {opcode, p0, p1, p2, p3};
        append(words, 5);
    }

    void append(const unsigned int *words, unsigned int count)
    {
        if (_size <= _capacity && count <= _capacity - _size) {
            memcpy(_buffer + _size, words, count * sizeof *words);
        }
        _size += count;
    }

    unsigned int *_buffer;
    unsigned int _capacity;
    unsigned int _size;
};

#endif
