/*
 * bench/stages.c - what the stages cost that a call does not need: so many
 * instructions, counted one by one in the optimised code.
 *
 * Which stages a call needs is asked once, in tr_call_stages_of; one that is
 * not in the set is not walked past later, it is not there. So what those that
 * are not needed cost is what that function executes, all of it. A child runs
 * it one instruction at a time, and we count.
 */
#include "access/authority.h"
#include "bench.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "runtime/env.h"
#include "runtime/stage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Policies, the idempotency argument, idempotency, preconditions, budgets. */
#define OPTIONAL 5
#define AT_MOST  10

/* Calls that need none of them, and ask differently much to find out. */
static const struct tr_cap plain = {0};
static const struct tr_access_authority somebody = {.is_authenticated = true};
static const struct tr_call_env store = {0};

static const struct {
    const char *name;
    struct tr_call call;
} rows[] = {
    {"stages: not needed, no store", {.cap = &plain}},
    {"stages: not needed, owner", {.cap = &plain, .env = &store}},
    {"stages: not needed, caller",
     {.cap = &plain, .env = &store, .authority = &somebody}},
};

#if defined(__x86_64__)

/* One instruction further; false when the child is not there any more, or has
 * come to a fault, at which it would stay for ever. */
static bool step(pid_t pid, struct user_regs_struct *regs)
{
    int status;
    return ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0 &&
           waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
           WSTOPSIG(status) == SIGTRAP &&
           ptrace(PTRACE_GETREGS, pid, NULL, regs) == 0;
}

/* From the entry of the function up to where it returns to. */
static long count_steps(pid_t pid, uintptr_t function)
{
    struct user_regs_struct regs = {0};
    long count = 0;
    while (regs.rip != function) {
        if (!step(pid, &regs))
            return -1;
    }
    uintptr_t back = (uintptr_t)ptrace(PTRACE_PEEKDATA, pid, regs.rsp, NULL);
    while (regs.rip != back) {
        if (!step(pid, &regs))
            return -1;
        count++;
    }
    return count;
}

static void run_child(const struct tr_call *call)
{
    static unsigned (*volatile ask)(const struct tr_call *call) =
        tr_call_stages_of;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    (void)raise(SIGSTOP);
    (void)ask(call);
    _exit(0);
}

static long count_instructions(const struct tr_call *call)
{
    int status;
    long count = -1;
    pid_t pid = fork();
    if (pid == 0)
        run_child(call);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    if (!WIFSTOPPED(status))
        return -1; /* it may not be traced, and has ended */
    count = count_steps(pid, (uintptr_t)tr_call_stages_of);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
    return count;
}

#else

static long count_instructions(const struct tr_call *call)
{
    (void)call;
    return -1;
}

#endif

/* An app that has nothing, and so no budgets. */
static const struct tr_cap_snapshot *make_snapshot(void)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    if (tr_cap_builder_create(NULL, &builder, NULL) != TR_OK ||
        tr_cap_registry_build(builder, &snapshot, NULL) != TR_OK)
        abort();
    tr_cap_builder_free(builder);
    return snapshot;
}

bool tr_bench_stages(const char *only)
{
    bool met = true;
    const struct tr_cap_snapshot *snapshot = make_snapshot();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (!strstr(rows[i].name, only))
            continue;
        struct tr_call call = rows[i].call;
        call.snapshot = snapshot;
        long count = count_instructions(&call);
        if (count < 0) {
            (void)printf("%s: instructions cannot be counted here\n",
                         rows[i].name);
            continue;
        }
        met = tr_bench_report_most(rows[i].name, "instr. each",
                                   (double)count / OPTIONAL, AT_MOST) &&
              met;
    }
    tr_cap_snapshot_unpin(snapshot);
    return met;
}
