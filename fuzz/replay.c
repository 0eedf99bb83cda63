/*
 * fuzz/replay.c - runs a fuzz target over stored inputs, without libFuzzer.
 *
 *     build/debug/replay/json [-v] fuzz/corpus/json...
 *
 * An argument is a file or a folder of files. The sanitizers end the program
 * at the first fault; it then says which input it was at. -v names every one.
 */
#include "base/compiler.h"

#include <dirent.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *current = "exit"; /* the input, while one runs */
static bool verbose;

static void put(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

/* Nothing but write: it runs in a signal handler, or over a broken heap. */
static void name_current(void)
{
    put("\nreplay: failed at ");
    put(current);
    put("\n");
}

/* The handler is reset before it runs, so that raising again ends us. */
static void on_signal(int number)
{
    name_current();
    (void)raise(number);
}

/* Exactly `size` bytes from the heap: reading past them is a fault. */
static bool run_bytes(FILE *file, size_t size)
{
    uint8_t *bytes = calloc(size ? size : 1, 1);
    bool complete = bytes && fread(bytes, 1, size, file) == size;
    if (complete)
        (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return complete;
}

static bool run_file(const char *path)
{
    struct stat about;
    current = path;
    if (verbose)
        (void)fprintf(stderr, "%s\n", path);
    FILE *file = fopen(path, "rb");
    bool done = file && fstat(fileno(file), &about) == 0 &&
                run_bytes(file, (size_t)about.st_size);
    if (!done)
        (void)fprintf(stderr, "replay: cannot read %s\n", path);
    if (file)
        (void)fclose(file);
    current = "exit";
    return done;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool run_folder(const char *path, size_t *count)
{
    struct dirent **entries = NULL;
    int total = scandir(path, &entries, is_visible, alphasort);
    bool done = total > 0;
    if (!done)
        (void)fprintf(stderr, "replay: no inputs in %s\n", path);
    for (int i = 0; i < total; i++) {
        char file[4096];
        (void)snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        done = run_file(file) && done;
        free(entries[i]);
    }
    free(entries);
    *count += total > 0 ? (size_t)total : 0;
    return done;
}

static bool run_argument(const char *path, size_t *count)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        (void)fprintf(stderr, "replay: there is no %s\n", path);
        return false;
    }
    if (S_ISDIR(about.st_mode))
        return run_folder(path, count);
    ++*count;
    return run_file(path);
}

int main(int argc, char **argv)
{
    size_t count = 0;
    bool done = true;
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = (int)SA_RESETHAND};

    (void)sigaction(SIGABRT, &action, NULL);
    __sanitizer_set_death_callback(name_current);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = true;
        else
            done = run_argument(argv[i], &count) && done;
    }
    if (!done || count == 0) {
        (void)fprintf(stderr, "replay: not every input could be run\n");
        return EXIT_FAILURE;
    }
    (void)printf("%zu passed, 0 failed\n", count);
    return EXIT_SUCCESS;
}
