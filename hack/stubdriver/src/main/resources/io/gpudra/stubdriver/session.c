#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stub.h"

static int sessions;

/* What the first of the sessions found: the GPUs by index, and how often each had fallen. */
static int found[GPUS], there;
static unsigned falls[GPUS];

static void look(Machine *m) {
  there = 0;
  for (int i = 0; i < m->gpus; i++) {
    falls[i] = m->gpu[i].falls;
    if (!m->gpu[i].absent) found[there++] = i;
  }
}

int is_lost(Machine *m, Gpu *g) { return g->lost || g->absent || falls[g - m->gpu] != g->falls; }

void *handle(int kind, Machine *m, Gpu *g, Instance *i, Compute *c) {
  uintptr_t generation = (i ? i->serial + g->generation : g->generation) & 0xffff;
  uintptr_t gpu = g - m->gpu, instance = i ? i - g->instance : 0, compute = c ? c - i->computes : 0;
  return (void *)((uintptr_t)kind << 40 | generation << 24 | gpu << 16 | instance << 8 | compute);
}

static int kind(void *handle) { return (uintptr_t)handle >> 40; }

static Gpu *gpu_of(Machine *m, void *handle) {
  Gpu *g = &m->gpu[(uintptr_t)handle >> 16 & 0xff];
  if (kind(handle) < DEVICE || kind(handle) > COMPUTE_INSTANCE || g - m->gpu >= m->gpus) return NULL;
  int live = ((uintptr_t)handle >> 24 & 0xffff) == (g->generation & 0xffff);
  return kind(handle) != DEVICE || live ? g : NULL;
}

Instance *instance_of(Machine *m, void *handle) {
  Gpu *g = gpu_of(m, handle);
  if (!g || kind(handle) == DEVICE) return NULL;
  Instance *i = &g->instance[(uintptr_t)handle >> 8 & 0xff];
  int live = ((uintptr_t)handle >> 24 & 0xffff) == ((i->serial + g->generation) & 0xffff);
  return i->used && live ? i : NULL;
}

Compute *compute_of(Machine *m, void *handle) {
  Instance *i = instance_of(m, handle);
  if (!i || kind(handle) == GPU_INSTANCE) return NULL;
  Compute *c = &i->computes[(uintptr_t)handle & 0xff];
  return c->used ? c : NULL;
}

nvmlReturn_t text(const char *from, char *to, unsigned length) {
  if (strlen(from) + 1 > length) return INSUFFICIENT_SIZE;
  strcpy(to, from);
  return SUCCESS;
}

nvmlReturn_t begin(const char *function, void *of, Machine **m, Gpu **g) {
  *m = machine_open();
  machine_lock();
  if (!*m || sessions == 0) return UNINITIALIZED;
  *g = gpu_of(*m, of);
  if (!*g) return INVALID_ARGUMENT;
  return is_lost(*m, *g) ? GPU_IS_LOST : machine_fault(*m, function, (*g)->uuid);
}

/* Who is not root tests on a machine of their own; root that has nothing of root is in a container without privileges. */
int may_administer(void) {
  struct __user_cap_header_struct of_this = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {0};
  syscall(SYS_capget, &of_this, has);
  return geteuid() != 0 || has[0].effective || has[1].effective;
}

nvmlReturn_t end(nvmlReturn_t answer) {
  machine_unlock();
  return answer;
}

/* The head of a function that is about the machine. */
#define ON_MACHINE                                                       \
  Machine *m = machine_open();                                           \
  machine_lock();                                                        \
  if (!m || sessions == 0) return end(UNINITIALIZED);                    \
  nvmlReturn_t fault = machine_fault(m, __func__, "*");                  \
  if (fault != SUCCESS) return end(fault)

/* A kernel that cannot be reached is one without the driver. */
EXPORT nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  Machine *m = machine_open();
  if (!m) return DRIVER_NOT_LOADED;
  machine_lock();
  nvmlReturn_t fault = machine_fault(m, __func__, "*");
  if (fault == SUCCESS && sessions++ == 0) look(m);
  return end(fault);
}

EXPORT nvmlShutdown(void) {
  Machine *m = machine_open();
  if (!m) return UNKNOWN;
  machine_lock();
  nvmlReturn_t answer = sessions > 0 ? SUCCESS : UNINITIALIZED;
  sessions -= sessions > 0;
  return end(answer);
}

__attribute__((visibility("default"))) const char *nvmlErrorString(nvmlReturn_t answer) {
  switch (answer) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NO_PERMISSION: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case TIMEOUT: return "Timeout";
    case GPU_IS_LOST: return "GPU is lost";
    case RESET_REQUIRED: return "GPU requires reset";
    case 18: return "Driver/library version mismatch";
    case IN_USE: return "In use by another client";
    case INSUFFICIENT_RESOURCES: return "Insufficient Resources";
    case ARGUMENT_VERSION_MISMATCH: return "Argument version mismatch";
    default: return "Unknown Error";
  }
}

EXPORT nvmlSystemGetDriverVersion(char *to, unsigned length) {
  ON_MACHINE;
  return end(text(m->driver, to, length));
}

EXPORT nvmlSystemGetCudaDriverVersion(int *version) {
  ON_MACHINE;
  *version = m->cuda;
  return end(SUCCESS);
}

/* Asks the libcuda of the process that calls, which has none. */
EXPORT nvmlSystemGetCudaDriverVersion_v2(int *version) {
  ON_MACHINE;
  *version = 0;
  return end(NOT_FOUND);
}

EXPORT nvmlDeviceGetCount_v2(unsigned *count) {
  ON_MACHINE;
  *count = there;
  return end(SUCCESS);
}

/* Through the library's own exported function, as the real one: it is bound like one of another library. */
EXPORT nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
  unsigned count;
  nvmlReturn_t counted = nvmlDeviceGetCount_v2(&count);
  if (counted != SUCCESS) return counted;
  ON_MACHINE;
  if (index >= count) return end(INVALID_ARGUMENT);
  Gpu *g = &m->gpu[found[index]];
  if (is_lost(m, g)) return end(UNKNOWN);
  *device = handle(DEVICE, m, g, 0, 0);
  return end(machine_fault(m, __func__, g->uuid));
}
