/* X1K assembly text to CTM program images and back. The language is described in docs/x1k-assembly.md. */
#ifndef AMU_ASM_H
#define AMU_ASM_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a line of text, with its end of line. */
typedef void (*AMUlogFunction)(const char *message);

/* Assembles `length` bytes of text. 1 if that is done: *binary is an image of *size bytes, to be freed with amxFree.
 * 0 if not; *size and *binary are then as before. `log`, if it is not NULL, is told each error and warning. */
AMuint32 amuAsmAssemble(const char *source, AMuint32 length, AMuint32 *size, void **binary, AMUlogFunction log);

/* Tells `log` the assembly text of the program image at `binary`, line by line. */
void amuAsmDisassemble(const void *binary, AMUlogFunction log);

#ifdef __cplusplus
}
#endif

#endif
