/* What EmulatedKernel, the Java class, calls: it makes machines and does what no library of a driver does. */
#include <stdio.h>
#include <string.h>

#include "kernel.h"

/* A machine without GPUs and without a version of the module in this process's root; 0 when it was made. */
EXPORT int nvemuMake(void) {
  Kernel *kernel = kernel_make();
  if (kernel) kernel_release();
  return kernel ? 0 : -1;
}

/* A module of another version is loaded. */
EXPORT int nvemuDriver(const char *driver) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  snprintf(kernel->driver, sizeof kernel->driver, "%s", driver);
  kernel_release();
  return 0;
}

/* One more GPU; its minor number, or -1 when there is no such model or no room. */
EXPORT int nvemuAdd(const char *key, const char *uuid, u32 domain, u32 bus) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  int minor = -1, kind = model_of(key);
  if (kind >= 0 && kernel->gpus < GPUS) {
    Gpu *gpu = &kernel->gpu[minor = kernel->gpus++];
    *gpu = (Gpu){.model = kind, .minor = minor, .domain = domain, .bus = bus, .smc = SMC_DISABLED};
    snprintf(gpu->uuid, sizeof gpu->uuid, "%s", uuid);
  }
  kernel_release();
  return minor;
}

static int instances(const Gpu *gpu) {
  int count = 0;
  for (int i = 0; i < PARTITIONS; i++) {
    count += gpu->instance[i].used;
    for (int c = 0; c < EXEC_PARTITIONS; c++) count += gpu->instance[i].used && gpu->instance[i].compute[c].used;
  }
  return count;
}

/* GPU instances and compute instances that the kernel has. */
EXPORT int nvemuInstances(void) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  int count = 0;
  for (u32 i = 0; i < kernel->gpus; i++) count += instances(&kernel->gpu[i]);
  kernel_release();
  return count;
}

static int set(Gpu *gpu, const char *what, int value) {
  if (!strcmp(what, "mig")) gpu->smc = value ? SMC_ENABLED : SMC_DISABLED;
  else if (!strcmp(what, "lost")) gpu->lost = value;
  else if (!strcmp(what, "unbound")) gpu->unbound = value;
  else if (!strcmp(what, "fabric")) gpu->fabric = value;
  else if (!strcmp(what, "computing")) gpu->computing = value;
  else if (!strcmp(what, "drawing")) gpu->drawing = value;
  else if (!strcmp(what, "served")) gpu->served = value;
  else return -1;
  return 0;
}

/* Something of a GPU that no library sets, see kernel.h: its MIG mode as after a reset, or the number of a process. */
EXPORT int nvemuSet(const char *uuid, const char *what, int value) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  Gpu *gpu = kernel_gpu(kernel, uuid);
  int answer = gpu ? set(gpu, what, value) : -1;
  kernel_release();
  return answer;
}

/*
 * The GPU tells something: a number of controls.h, what goes with it, such as the number of an XID, and in which GPU
 * instance and compute instance it was; -1 for none.
 */
EXPORT int nvemuTell(const char *uuid, u32 index, u32 data, int instance, int compute) {
  Kernel *kernel = kernel_acquire();
  if (!kernel) return -1;
  Gpu *gpu = kernel_gpu(kernel, uuid);
  u16 instances = (instance < 0 ? NO_GPU_INSTANCE : instance) * 15 + (compute < 0 ? NO_COMPUTE_INSTANCE : compute);
  if (gpu) event_happens(kernel, gpu - kernel->gpu, index, (Told){.data = data, .instances = instances});
  kernel_release();
  return gpu ? 0 : -1;
}
