/* What the example clients share: where things are in host-visible memory, and how to give up. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amDeviceManaged.h"
#include "amuABI.h"
#include "amuAsm.h"
#include "amxExtensions.h"

/* Offsets in host-visible memory, in steps of 1 MiB. Addresses that the device gets are multiples of 2048. */
#define MIB 0x100000u
#define COMMANDS (0 * MIB)
#define PROGRAMS (1 * MIB)
#define FLOATS (2 * MIB)
#define INTS (3 * MIB)
#define BOOLS (4 * MIB)
#define BUFFERS (5 * MIB)

static void fail(const char *what)
{
    char message[512];
    amxGetMessage(message, sizeof message);
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

static void print_line(const char *line)
{
    fputs(line, stderr);
}

static AMmanagedDevice open_device(AMmanagedDeviceInfo *info)
{
    AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", info);
    if (device == NULL) {
        fail("cannot open the device");
    }
    return device;
}

/* The host address of an offset in host-visible memory. */
static void *host(const AMmanagedDeviceInfo *info, AMuint32 offset)
{
    return (char *)info->baseAddressCPUc + offset;
}

#ifndef EXAMPLE_WITHOUT_ASSEMBLY
/* Assembles a program, puts its image at an offset in host-visible memory and its constants' values where the device
 * will look for them, and lists its constants. Free the lists with amxFree. */
static AMUabiConstsInfo load(const AMmanagedDeviceInfo *info, const char *text, AMuint32 offset)
{
    AMuint32 size;
    void *image;
    AMUabiConstsInfo constants;
    if (!amuAsmAssemble(text, (AMuint32)strlen(text), &size, &image, print_line)) {
        fail("cannot assemble");
    }
    memcpy(host(info, offset), image, size);
    constants = amuABIExtractConstants(image);
    amuABISetLiteralConstants(constants, host(info, FLOATS), host(info, INTS), host(info, BOOLS));
    amxFree(image);
    return constants;
}
#endif

/* Submits the command buffer of `words` words, and waits until its results are there. */
static void run(AMmanagedDevice device, const AMmanagedDeviceInfo *info, AMuint32 words)
{
    AMuint32 id = amSubmitCommandBuffer(device, info->baseAddressSYSc + COMMANDS, words);
    if (id == 0) {
        fail("cannot submit");
    }
    while (!amCommandBufferConsumed(device, id)) {
        /* A client with something else to do does it here. */
    }
    if (amxGetError(device, NULL) != AMX_NO_ERROR) {
        fail("the device found an error");
    }
}

#endif
