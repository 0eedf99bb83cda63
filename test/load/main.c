/*
 * load SCENARIO PORT PID COUNT SEED [memory]: drives a server that listens on
 * a loopback port. Says what is wrong, and exits 1. With `memory`, what the
 * server holds must come back to where it was.
 */
#include "load/mcp.h"

#include <signal.h>

static const struct {
    const char *name;
    load_scenario_fn *run;
} scenarios[] = {
    {"abort", load_abort},   {"listen", load_listen},     {"mixed", load_mixed},
    {"resume", load_resume}, {"sessions", load_sessions}, {"slow", load_slow},
    {"stop", load_stop},
};

static bool read_args(int argc, char **argv, struct load_args *out)
{
    int64_t values[4];
    if (argc < 6)
        return false;
    for (int i = 0; i < 4; i++) {
        if (!tr_str_to_i64(tr_str_from(argv[2 + i]), &values[i]) ||
            values[i] < 0)
            return false;
    }
    *out = (struct load_args){
        .port = (unsigned)values[0],
        .pid = (int)values[1],
        .count = (size_t)values[2],
        .seed = (uint64_t)values[3],
        .check_memory = argc == 7 && strcmp(argv[6], "memory") == 0,
    };
    return true;
}

static int run(load_scenario_fn *scenario, const struct load_args *args)
{
    struct load load;
    if (!load_init(&load, args->port, args->seed))
        return 2;
    if (!load_judge_open(&load))
        (void)fprintf(stderr, "no schemas in TRAILS_SUITES: what the server "
                              "says is not checked\n");
    scenario(&load, args);
    if (load.fault)
        (void)printf("%s\n", load.fault);
    load_done(&load);
    load_judge_close(&load);
    return load.fault ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct load_args args;
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc > 1 && i < TR_LEN(scenarios); i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0 &&
            read_args(argc, argv, &args))
            return run(scenarios[i].run, &args);
    }
    (void)fprintf(stderr,
                  "usage: load SCENARIO PORT PID COUNT SEED [memory]\n");
    return 2;
}
