/*
 * The program of a driver that sets the length of turns: nvidia-smi compute-policy -i UUID --set-timeslice N. For tests on
 * nodes, nvidia-smi stub-xid -i UUID -n N has a GPU tell an XID. What else it is told it does not understand. Works on the
 * machine of the library that lies in its driver.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *library(void) {
  char path[4096] = {0}, beside[8192];
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return NULL;
  snprintf(beside, sizeof beside, "%s/../lib64/libnvidia-ml.so.1", dirname(path));
  return dlopen(beside, RTLD_NOW);
}

static int fail(const char *why) {
  printf("%s\n", why);
  return 1;
}

static int set_turns(void *from, const char *uuid, int length) {
  int (*set)(const char *, const char *, int) = (int (*)(const char *, const char *, int))dlsym(from, "stubSet");
  int (*fault)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(from, "stubFault");
  int answer = fault("nvidia-smi", uuid);
  if (answer) return printf("Failed to set the compute policy of %s\n", uuid), answer;
  return set(uuid, "time_slice", length) ? fail("No devices were found") : 0;
}

static int tell_xid(void *from, const char *uuid, int number) {
  enum { XID = 8, NO_INSTANCE = -1 };
  int (*tell)(const char *, int, int, int) = (int (*)(const char *, int, int, int))dlsym(from, "stubTell");
  return tell(uuid, XID, number, NO_INSTANCE);
}

static int is(char **words, const char *command, const char *option) {
  return !strcmp(words[1], command) && !strcmp(words[2], "-i") && !strcmp(words[4], option);
}

int main(int count, char **words) {
  void *from = library();
  if (!from) return fail(dlerror());
  if (count == 6 && is(words, "compute-policy", "--set-timeslice")) return set_turns(from, words[3], atoi(words[5]));
  if (count == 6 && is(words, "stub-xid", "-n")) return tell_xid(from, words[3], atoi(words[5]));
  return fail("Invalid combination of input arguments.");
}
