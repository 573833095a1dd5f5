/* Pixel shader text to CTM program images.
 *
 * The text is Direct3D 9 assembly of pixel shaders, versions 2.0 to 3.0. docs/ps-assembly.md says what of it the device has.
 */
#ifndef AMU_COMP_H
#define AMU_COMP_H

#include "amDeviceManaged.h"
#include "amuAsm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The handle of a compiler. It points to nothing; every process has one, which is never closed. */
typedef struct AMUcompCompilerRec *AMUcompCompiler;

/* A macro: name and value. A list of them ends with two zeros. */
typedef struct AMUcompMacro {
    const char *name;
    const char *value;
} AMUcompMacro;

/* The compiler. NULL on failure. */
AMUcompCompiler amuCompOpenCompiler(void);

/* Compiles `length` bytes of text. 1 if that is done: *binary is an image of *size bytes, to be freed with amxFree. 0 if not; *size
 * and *binary are then as before. `log`, if it is not NULL, is told each error and warning.
 *
 * `definitions` says the language: it defines AMU_LANG_PS3 as "1". `reserved` is NULL, `entry` "main" or NULL. */
AMuint32 amuCompCompile(AMUcompCompiler compiler, const char *source, AMuint32 length, const AMUcompMacro *definitions,
                        const void *reserved, const char *entry, AMuint32 *size, void **binary, AMUlogFunction log);

#ifdef __cplusplus
}
#endif

#endif
