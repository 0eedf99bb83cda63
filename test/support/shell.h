/*
 * test/support/shell.h - what editors and people do to files, as one types it.
 */
#ifndef TR_TEST_SUPPORT_SHELL_H
#define TR_TEST_SUPPORT_SHELL_H

/* Runs a script in a folder; the test fails, and shows it, when a command in it
 * does. */
void shell_run(const char *folder, const char *script);

#endif
