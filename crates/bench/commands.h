// What the programs that are measured have in common: they read commands from standard input, one on a line, and answer on
// standard output:
//   draw N     draws N times, waits for each, and answers with seconds by the clock and of processor time
//   picture    answers with the picture, row by row
// Before all answers comes one line that names who draws. C, and C++ too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// Obeys commands until there are none. `draw` returns when the picture is finished.
static void obey(void (*draw)(void), void (*picture)(void)) {
    char line[64];
    int times;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "draw %d", &times) == 1) {
            double start = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
            for (int n = 0; n < times; n++) draw();
            printf("%.9f %.9f\n", seconds_of(CLOCK_MONOTONIC) - start, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor);
        } else if (strcmp(line, "picture\n") == 0) {
            picture();
        } else {
            fail("unknown command", line);
        }
        fflush(stdout);
    }
}
