/*
 * test/tools/old_store.c - a store as programs of an earlier schema version
 * left it (support/past.h):
 *
 *     old_store                    prints how many versions there are
 *     old_store TABLE              the first version that has a table
 *     old_store FROM TO VERSION    makes the file TO of the store FROM
 */
#include "support/past.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct tr_err err = {0};
    if (argc < 4) {
        size_t number = argc > 1 ? past_version_with(argv[1]) : past_versions();
        (void)printf("%zu\n", number);
        return number ? 0 : 1;
    }
    size_t version = strtoul(argv[3], NULL, 10);
    if (past_make(argv[1], argv[2], version, &err) == TR_OK)
        return 0;
    (void)fprintf(stderr, "old_store: %s\n", err.msg);
    return 1;
}
