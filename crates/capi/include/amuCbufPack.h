/* A packer of CTM command buffers for C++; amuCbufPackC.h has the same for C.
 *
 * An append method writes one command. Addresses are GPU addresses, multiples of 2048; pitches are in elements, multiples
 * of 4. A method that would write past the capacity writes nothing, but the size grows nevertheless: a buffer whose size
 * exceeds its capacity is not complete and must not be submitted.
 */
#ifndef AMU_CBUF_PACK_H
#define AMU_CBUF_PACK_H

#ifndef __cplusplus
#error "amuCbufPack.h is for C++; amuCbufPackC.h is for C"
#endif

#include "amuCbufPackC.h"

class AMUcbufPack
{
public:
    /* Packs into `capacity` 32-bit words at `buffer`, from the first on. */
    AMUcbufPack(unsigned int *buffer, unsigned int capacity) : _packer(amuCbufPacker(buffer, capacity))
    {
    }

    /* 32-bit words so far: the size that amSubmitCommandBuffer takes. */
    unsigned int getCommandBufferSize() const
    {
        return _packer.size;
    }

    /* Performance counters. appendReadPerfCounters writes two words to addr. */
    void appendInitPerfCounters(unsigned int enable)
    {
        amuCbufAppendInitPerfCounters(&_packer, enable);
    }
    void appendStartPerfCounters()
    {
        amuCbufAppendStartPerfCounters(&_packer);
    }
    void appendStopPerfCounters()
    {
        amuCbufAppendStopPerfCounters(&_packer);
    }
    void appendReadPerfCounters(unsigned int addr)
    {
        amuCbufAppendReadPerfCounters(&_packer, addr);
    }

    /* Execution. The bounds of the domain are inclusive. */
    void appendSetDomain(unsigned int i0, unsigned int j0, unsigned int i1, unsigned int j1)
    {
        amuCbufAppendSetDomain(&_packer, i0, j0, i1, j1);
    }
    void appendStartProgram()
    {
        amuCbufAppendStartProgram(&_packer);
    }
    void appendWaitForIdle()
    {
        amuCbufAppendWaitForIdle(&_packer);
    }

    /* Interpolated inputs: three vertices of 32 or 36 floats at addr, a multiple of 4 (amuCbufPackC.h). */
    void appendSetParams(unsigned int addr)
    {
        amuCbufAppendSetParams(&_packer, addr);
    }

    /* Program and constants. Format, tiling and pitch are not used here. */
    void appendSetInstFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        amuCbufAppendSetInstFmt(&_packer, addr, format, tiling, pitch);
    }
    void appendSetConstfFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        amuCbufAppendSetConstfFmt(&_packer, addr, format, tiling, pitch);
    }
    void appendSetConstiFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        amuCbufAppendSetConstiFmt(&_packer, addr, format, tiling, pitch);
    }
    void appendSetConstbFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch)
    {
        amuCbufAppendSetConstbFmt(&_packer, addr, format, tiling, pitch);
    }

    /* Buffers: inputs 0 to 15, outputs 0 to 3, the conditional output buffer. */
    void appendSetInpFmt(unsigned int index, unsigned int addr, unsigned int format, unsigned int tiling,
                         unsigned int pitch, unsigned int height)
    {
        amuCbufAppendSetInpFmt(&_packer, index, addr, format, tiling, pitch, height);
    }
    void appendSetOutFmt(unsigned int index, unsigned int addr, unsigned int format, unsigned int tiling,
                         unsigned int pitch, unsigned int height)
    {
        amuCbufAppendSetOutFmt(&_packer, index, addr, format, tiling, pitch, height);
    }
    void appendSetCondOutFmt(unsigned int addr, unsigned int format, unsigned int tiling, unsigned int pitch,
                             unsigned int height)
    {
        amuCbufAppendSetCondOutFmt(&_packer, addr, format, tiling, pitch, height);
    }

    /* Masks: bit k lets channel k of all outputs be written; 1 lets the conditional output buffer be written. */
    void appendSetOutMask(unsigned int mask)
    {
        amuCbufAppendSetOutMask(&_packer, mask);
    }
    void appendSetCondOutMask(unsigned int mask)
    {
        amuCbufAppendSetCondOutMask(&_packer, mask);
    }

    /* The conditional unit: AMU_CBUF_FLD_TEST_ and AMU_CBUF_FLD_LOC_ codes, and the execution unit's value. */
    void appendSetCondTest(unsigned int test)
    {
        amuCbufAppendSetCondTest(&_packer, test);
    }
    void appendSetCondLoc(unsigned int location)
    {
        amuCbufAppendSetCondLoc(&_packer, location);
    }
    void appendSetCondVal(float value)
    {
        amuCbufAppendSetCondVal(&_packer, value);
    }

    /* Caches. */
    void appendInvInstCache()
    {
        amuCbufAppendInvInstCache(&_packer);
    }
    void appendInvConstfCache()
    {
        amuCbufAppendInvConstfCache(&_packer);
    }
    void appendInvConstiCache()
    {
        amuCbufAppendInvConstiCache(&_packer);
    }
    void appendInvConstbCache()
    {
        amuCbufAppendInvConstbCache(&_packer);
    }
    void appendInvCondOutCache()
    {
        amuCbufAppendInvCondOutCache(&_packer);
    }
    void appendInvInpCache()
    {
        amuCbufAppendInvInpCache(&_packer);
    }
    void appendFlushOutCache()
    {
        amuCbufAppendFlushOutCache(&_packer);
    }
    void appendFlushCondOutCache()
    {
        amuCbufAppendFlushCondOutCache(&_packer);
    }

private:
    AMUcbufPacker _packer;
};

#endif
