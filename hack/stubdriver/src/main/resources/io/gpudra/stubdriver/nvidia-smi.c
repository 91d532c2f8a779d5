/*
 * The program of a driver that sets the length of turns: nvidia-smi compute-policy -i UUID --set-timeslice=N, and what
 * else it is told of a GPU it does not understand. Works on the machine of the library that lies in its driver.
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

int main(int count, char **words) {
  void *from = library();
  if (!from) return fail(dlerror());
  int (*set)(const char *, const char *, int) = (int (*)(const char *, const char *, int))dlsym(from, "stubSet");
  int (*fault)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(from, "stubFault");
  if (count != 6 || strcmp(words[1], "compute-policy") || strcmp(words[2], "-i") || strcmp(words[4], "--set-timeslice"))
    return fail("Invalid combination of input arguments.");
  int answer = fault("nvidia-smi", words[3]);
  if (answer) return printf("Failed to set the compute policy of %s\n", words[3]), answer;
  return set(words[3], "time_slice", atoi(words[5])) ? fail("No devices were found") : 0;
}
