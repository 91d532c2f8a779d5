/* /proc/driver/nvidia/capabilities: a file for each instance that tells its device node. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

enum { PATH = 4352 };

/* As the driver numbers them today; /proc/driver/nvidia-caps/mig-minors tells the same. */
static u32 minor_of(const Gpu *gpu, u32 instance, int compute) {
  return 3 + 135 * gpu->minor + 9 * instance + (compute < 0 ? 0 : 1 + compute);
}

static void directory(char *path, const Gpu *gpu, u32 instance, int compute) {
  int end = snprintf(path, PATH, "%s/proc/driver/nvidia/capabilities/gpu%u/mig/gi%u", kernel_root(), gpu->minor,
                     instance);
  if (compute >= 0) snprintf(path + end, PATH - end, "/ci%d", compute);
}

void capability_add(const Gpu *gpu, u32 instance, int compute) {
  char path[PATH], access[PATH + 8];
  directory(path, gpu, instance, compute);
  mkdir(path, 0755);
  snprintf(access, sizeof access, "%s/access", path);
  FILE *file = fopen(access, "w");
  if (!file) return;
  fprintf(file, "DeviceFileMinor: %u\nDeviceFileMode: 292\nDeviceFileModify: 1\n", minor_of(gpu, instance, compute));
  fclose(file);
}

void capability_remove(const Gpu *gpu, u32 instance, int compute) {
  char path[PATH], access[PATH + 8];
  directory(path, gpu, instance, compute);
  snprintf(access, sizeof access, "%s/access", path);
  unlink(access);
  rmdir(path);
}
