/* The CTM managed connection: a device, its memory, and its queue of command buffers.
 *
 * Names and order of the CTM distribution (CTM Guide p.51-52). Every function may be called from any thread. The manual
 * is docs/c-interface.md.
 */
#ifndef AM_DEVICE_MANAGED_H
#define AM_DEVICE_MANAGED_H

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

#if UINT_MAX == 0xFFFFFFFF
typedef unsigned int AMuint32;
#elif ULONG_MAX == 0xFFFFFFFF
typedef unsigned long AMuint32;
#else
#error "no type of 32 bits"
#endif

/* The handle of an open device. It points to nothing, and no two devices of a process have the same. NULL: no device. */
typedef struct AMmanagedDeviceRec *AMmanagedDevice;

/* Where the device's memory is. Sizes are in bytes; an arena of size 0 is not there. */
typedef struct AMmanagedDeviceInfo {
    AMuint32 baseAddressGPU;  /* local memory */
    AMuint32 arenaSizeGPU;
    AMuint32 baseAddressGPUb; /* second local memory: not there */
    AMuint32 arenaSizeGPUb;
    AMuint32 baseAddressSYS; /* uncached host-visible memory: the same as the cached one */
    AMuint32 arenaSizeSYS;
    void *baseAddressCPU;     /* its host address, valid until the device is closed */
    AMuint32 baseAddressSYSc; /* cached host-visible memory */
    AMuint32 arenaSizeSYSc;
    void *baseAddressCPUc; /* its host address: the same */
    AMuint32 reserved0;    /* 0 */
    AMuint32 reserved1;    /* 0 */
} AMmanagedDeviceInfo;

/* Opens a device of its own, all memory zero, and fills *info. name: "/dev/pcie0", "" or NULL.
 * NULL on failure; amxGetMessage tells why. */
AMmanagedDevice amOpenManagedConnection(const char *name, AMmanagedDeviceInfo *info);

/* Waits until everything submitted is done, and releases the device and its memory. NULL is ignored. */
void amCloseManagedConnection(AMmanagedDevice dev);

/* Queues the command buffer of `size` 32-bit words at GPU address `addr`, in host-visible memory, and returns at once.
 * The buffer's id, never 0; or 0 if the buffer is not taken. Buffers run in the order in which they were submitted. */
AMuint32 amSubmitCommandBuffer(AMmanagedDevice dev, AMuint32 addr, AMuint32 size);

/* 1 if the buffer was executed and all that it did is in memory, 0 if not yet. 1 for what is not an id or not a device. */
AMuint32 amCommandBufferConsumed(AMmanagedDevice dev, AMuint32 buf);

#ifdef __cplusplus
}
#endif

#endif
