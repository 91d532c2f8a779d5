#define _GNU_SOURCE
#include "kernel.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
static char root[4096];
static int file = -1;
static Kernel *mapped;

static void forget(void) {
  if (mapped) munmap(mapped, sizeof *mapped);
  if (file >= 0) close(file);
  mapped = NULL;
  file = -1;
}

/* From now on this process runs on the machine of that root; on none when it is empty. */
EXPORT void nvemuRoot(const char *directory) {
  pthread_mutex_lock(&threads);
  forget();
  snprintf(root, sizeof root, "%s", directory);
  pthread_mutex_unlock(&threads);
}

__attribute__((constructor)) static void begin(void) {
  const char *directory = getenv("NVEMU_ROOT");
  if (directory) nvemuRoot(directory);
}

const char *kernel_root(void) { return *root ? root : NULL; }

static Kernel *map(int flags) {
  char path[sizeof root + 32];
  snprintf(path, sizeof path, "%s/nvemu.state", root);
  file = open(path, O_RDWR | O_CLOEXEC | flags, 0644);
  if (file < 0 || ftruncate(file, sizeof(Kernel))) return NULL;
  void *at = mmap(NULL, sizeof(Kernel), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? NULL : at;
}

Kernel *kernel_acquire(void) {
  pthread_mutex_lock(&threads);
  if (*root && !mapped) mapped = map(0);
  if (mapped) {
    flock(file, LOCK_EX);
  } else {
    pthread_mutex_unlock(&threads);
  }
  return mapped;
}

void kernel_release(void) {
  flock(file, LOCK_UN);
  pthread_mutex_unlock(&threads);
}

Gpu *kernel_gpu(Kernel *kernel, const char *uuid) {
  for (u32 i = 0; i < kernel->gpus; i++)
    if (!strcmp(kernel->gpu[i].uuid, uuid)) return &kernel->gpu[i];
  return NULL;
}

Kernel *kernel_make(void) {
  pthread_mutex_lock(&threads);
  forget();
  mapped = map(O_CREAT | O_TRUNC);
  pthread_mutex_unlock(&threads);
  return kernel_acquire();
}

u32 gpu_id(const Gpu *gpu) { return gpu->domain << 16 | gpu->bus << 8; }

int gpu_is_cut(const Gpu *gpu) { return gpu->smc == SMC_ENABLED || gpu->smc == SMC_DISABLE_PENDING; }
