/*
 * memory LIBRARY: what NVIDIA's management library alone has of a process's memory, in KiB, once it was asked for every
 * MIG device that there is. It keeps something for each of them until its session ends.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *library;

static long resident(void) {
  long pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) exit(2);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int failed(const char *what, int answer) {
  fprintf(stderr, "%s: %d\n", what, answer);
  return 1;
}

typedef int (*Init)(unsigned flags);
typedef int (*Count)(unsigned *count);
typedef int (*CountOf)(void *device, unsigned *count);
typedef int (*Device)(unsigned index, void **device);
typedef int (*MigDevice)(void *device, unsigned index, void **mig);

static int ask(void *device) {
  unsigned most = 0;
  void *mig;
  int answer = ((CountOf)dlsym(library, "nvmlDeviceGetMaxMigDeviceCount"))(device, &most);
  for (unsigned i = 0; i < most; i++) ((MigDevice)dlsym(library, "nvmlDeviceGetMigDeviceHandleByIndex"))(device, i, &mig);
  return answer;
}

int main(int count, char **arguments) {
  if (count != 2) return failed("usage: memory LIBRARY", count);
  long before = resident();
  library = dlopen(arguments[1], RTLD_LAZY);
  if (!library) return failed(dlerror(), 0);
  int answer = ((Init)dlsym(library, "nvmlInitWithFlags"))(0);
  if (answer) return failed("nvmlInitWithFlags", answer);
  unsigned gpus = 0;
  ((Count)dlsym(library, "nvmlDeviceGetCount_v2"))(&gpus);
  for (unsigned i = 0; i < gpus && !answer; i++) {
    void *device;
    answer = ((Device)dlsym(library, "nvmlDeviceGetHandleByIndex_v2"))(i, &device);
    if (!answer) answer = ask(device);
  }
  if (answer) return failed("a GPU", answer);
  printf("%ld\n", resident() - before);
  return 0;
}
