/* The constants that a CTM program image wants. */
#ifndef AMU_ABI_H
#define AMU_ABI_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum AMUabiDataType {
    AMU_ABI_FLOAT32 = 0, /* four floats */
    AMU_ABI_INT32 = 1,   /* passes, first aL, step of aL, and one that is not used: a byte each */
    AMU_ABI_BOOL32 = 2   /* 0 or 1 */
} AMUabiDataType;

typedef struct AMUabiName {
    char str[32];
} AMUabiName;

/* A constant that the program reads and the client must set. */
typedef struct AMUabiUserConst {
    AMUabiName name; /* the kind's letter c, i or b, and the number: "c0" */
    AMUabiDataType type;
    AMuint32 addr; /* the number */
} AMUabiUserConst;

/* A constant whose value travels with the program. */
typedef struct AMUabiLiteralConst {
    AMUabiDataType type;
    AMuint32 addr; /* the number */
    union AMUabiConstValue {
        float float32[4];
        AMuint32 int32[4];
        AMuint32 bool32[4]; /* the first one counts */
    } value;
} AMUabiLiteralConst;

/* The constants of an image. Both lists are to be freed with amxFree. */
typedef struct AMUabiConstsInfo {
    AMUabiUserConst *userConsts;
    AMuint32 userConstsCount;
    AMUabiLiteralConst *litConsts;
    AMuint32 litConstsCount;
} AMUabiConstsInfo;

/* Lists the constants of the program image at `binary`; empty lists if there is none, and amxGetMessage tells why. The
 * image's own headers say how long it is. */
AMUabiConstsInfo amuABIExtractConstants(const void *binary);

/* Writes the values that travel with a program to where the device reads constants: 16 bytes for each float constant, 4
 * for each integer constant, 1 of 4 for each boolean constant. A kind whose pointer is NULL is left out. */
void amuABISetLiteralConstants(AMUabiConstsInfo info, void *floats, void *ints, void *bools);

#ifdef __cplusplus
}
#endif

#endif
