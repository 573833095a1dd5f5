/* What this device has beyond the CTM interface: options, errors, reports, traces. */
#ifndef AMX_EXTENSIONS_H
#define AMX_EXTENSIONS_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of amxGetError. */
#define AMX_NO_ERROR 0
#define AMX_E_OPCODE 1  /* a word is not an opcode, or a buffer ends inside a command; its rest was dropped */
#define AMX_E_ADDR 2    /* an access outside the device's memory: reads gave 0, writes were dropped */
#define AMX_E_PROGRAM 3 /* start_program without a program, or with an ill-formed one */
#define AMX_E_STATE 4   /* start_program without state that the program needs */
#define AMX_E_TRAP 5    /* a lane did what the machine cannot do, or ran too long */
#define AMX_E_INTERNAL 6 /* a bug of the device; it executes nothing more, and all its buffers count as consumed */
#define AMX_E_LIMIT 7    /* a program would use more than amxSetLimit allows; the device goes on */

/* What executes programs. All give the same results. */
#define AMX_ENGINE_FASTEST 0   /* the fastest that the host has */
#define AMX_ENGINE_REFERENCE 1 /* the specification's own algorithm: slow */
#define AMX_ENGINE_INTERP 2    /* an interpreter, on any host */
#define AMX_ENGINE_JIT 3       /* machine code, of the best form that the host has */
#define AMX_ENGINE_JIT_AVX2 4  /* machine code for x86-64 with AVX2 */
#define AMX_ENGINE_JIT_AVX512 5 /* machine code for x86-64 with AVX-512 */

typedef struct AMXoptions {
    AMuint32 size;               /* sizeof(AMXoptions) */
    AMuint32 localBytes;         /* bytes of local memory, a multiple of 2048 */
    AMuint32 hostBytes;          /* bytes of host-visible memory, a multiple of 2048, at most 0x40000000 */
    AMuint32 threads;            /* worker threads of one run; 0: one per core */
    AMuint32 groupWidth;         /* lanes of a group */
    AMuint32 stepLimit;          /* instructions of a group before it traps; 0: the default, 2^32 */
    AMuint32 unfused;            /* not 0: multiply-add, dot products and BIAS round twice */
    AMuint32 deterministicClock; /* not 0: performance counters count instructions instead of time */
    AMuint32 strict;             /* not 0: missing cache and wait commands show, see amxGetReport */
    AMuint32 record;             /* not 0: the device records, see amxWriteTrace */
    AMuint32 engine;             /* AMX_ENGINE_... */
} AMXoptions;

/* Fills options with what amOpenManagedConnection uses. */
void amxDefaultOptions(AMXoptions *options);

/* Opens a device as amOpenManagedConnection does, with options; NULL: the defaults. */
AMmanagedDevice amxOpenManagedConnection(const char *name, AMmanagedDeviceInfo *info, const AMXoptions *options);

/* What each start of a program may use. */
#define AMX_LIMIT_INSTRUCTIONS 1 /* instructions, summed over all lanes; at first none */
#define AMX_LIMIT_RUN_TIME 2     /* seconds; at first none */
#define AMX_LIMIT_GROUP_TIME 3   /* seconds of a single group of lanes; at first 5 */
#define AMX_LIMIT_MEMORY 4       /* bytes besides the device's memory; at first 2^32 */

/* Sets a limit from the next command buffer on; 0: none. A program that would use more ends with AMX_E_LIMIT.
 * 1 if that is done, 0 if not. */
AMuint32 amxSetLimit(AMmanagedDevice dev, AMuint32 limit, double value);

/* Takes the device's sticky error: the code of the first error since the last call. *detail (which may be NULL) becomes
 * the program counter for AMX_E_TRAP, else the offset of the offending command in its buffer, in words. */
AMuint32 amxGetError(AMmanagedDevice dev, AMuint32 *detail);

/* Copies the text of this thread's last failure, or of the error that it last took with amxGetError: as much as fits
 * into `size` bytes, with a NUL. Returns the bytes that all of it needs. */
AMuint32 amxGetMessage(char *text, AMuint32 size);

/* Copies the text of the oldest report of strict mode that was not taken before, and takes it if it fits into `size`
 * bytes. Returns the bytes that it needs; 0 if there is no report. */
AMuint32 amxGetReport(AMmanagedDevice dev, char *text, AMuint32 size);

/* What the function of amxSetLog is told. */
#define AMX_LOG_ERROR 1  /* an error of a device; amxGetError gives the first one */
#define AMX_LOG_REPORT 2 /* a report of strict mode */
#define AMX_LOG_CALL 3   /* a call that failed */

typedef void (*AMXlogFunction)(AMuint32 kind, const char *text, void *user);

/* Has a function told of every error and report of all devices, and of every call that fails; NULL ends that. Any thread may
 * call it, that of a device among them: it must not wait for the device. The environment variable CTM_LOG=1 prints the same
 * texts to standard error. */
void amxSetLog(AMXlogFunction function, void *user);

/* The host address of a GPU address, local memory included; NULL if nothing is there. Valid until the device is closed. */
void *amxLocalPointer(AMmanagedDevice dev, AMuint32 gpuAddr);

/* Waits until a buffer is consumed. */
void amxWaitCommandBuffer(AMmanagedDevice dev, AMuint32 buf);

/* Waits for everything submitted so far, and writes what a recording device has executed to a file, for `ctm replay`.
 * 1 if that is done, 0 if not. */
AMuint32 amxWriteTrace(AMmanagedDevice dev, const char *path);

/* Frees what amuAsmAssemble and amuABIExtractConstants have made. NULL is ignored. */
void amxFree(void *block);

#ifdef __cplusplus
}
#endif

#endif
