#include <stdio.h>
#include <string.h>

#include "stub.h"

EXPORT nvmlDeviceGetName(nvmlDevice_t device, char *to, unsigned length) {
  ON(device);
  return end(text(g->name, to, length));
}

/* Of a MIG device, too. */
EXPORT nvmlDeviceGetUUID(nvmlDevice_t device, char *to, unsigned length) {
  ON(device);
  Compute *c = compute_of(m, device);
  return end(text(c ? c->uuid : g->uuid, to, length));
}

EXPORT nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor) {
  ON(device);
  *minor = g->minor;
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  ON(device);
  memory->total = g->mib << 20;
  memory->used = 0;
  memory->free = memory->total;
  return end(SUCCESS);
}

/* NVML has eight digits for the domain, the kernel four. */
static void place(const char *bus, nvmlPciInfo_t *pci) {
  memset(pci, 0, sizeof *pci);
  sscanf(bus, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
  snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff,
           pci->device & 0xff);
  snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
}

EXPORT nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  ON(device);
  place(g->bus, pci);
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetBrand(nvmlDevice_t device, int *brand) {
  ON(device);
  *brand = g->brand;
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned *architecture) {
  ON(device);
  *architecture = g->architecture;
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  ON(device);
  *major = g->major_cc;
  *minor = g->minor_cc;
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetEccMode(nvmlDevice_t device, int *current, int *pending) {
  ON(device);
  *current = *pending = g->ecc;
  return end(g->ecc < 0 ? NOT_SUPPORTED : SUCCESS);
}

EXPORT nvmlDeviceGetComputeMode(nvmlDevice_t device, int *mode) {
  ON(device);
  *mode = g->compute_mode;
  return end(g->mig > 0 ? NOT_SUPPORTED : SUCCESS);
}

EXPORT nvmlDeviceSetComputeMode(nvmlDevice_t device, int mode) {
  ON_TO_ADMINISTER(device);
  if (g->mig > 0) return end(NOT_SUPPORTED);
  g->compute_mode = mode;
  return end(SUCCESS);
}

/* The first has the number that was set, the others follow it. */
static nvmlReturn_t processes(Gpu *g, int process, unsigned *count) {
  unsigned room = *count;
  *count = process ? 1 + g->more : 0;
  return *count > room ? INSUFFICIENT_SIZE : SUCCESS;
}

/* Of 535.43 to 535.86, under the name of what is smaller before and after. */
typedef struct {
  nvmlProcessInfo_t info;
  unsigned long long usedGpuCcProtectedMemory;
} nvmlProcessInfo_535_t;

#define PROCESSES(function, type, kind)                                \
  EXPORT function(nvmlDevice_t device, unsigned *count, type *infos) { \
    ON(device);                                                        \
    nvmlReturn_t answer = processes(g, g->kind, count);                  \
    for (unsigned i = 0; answer == SUCCESS && i < *count; i++) {        \
      memset(&infos[i], 0, sizeof infos[i]);                           \
      *(unsigned *)&infos[i] = g->kind + i;                            \
    }                                                                  \
    return end(answer);                                                \
  }

PROCESSES(nvmlDeviceGetComputeRunningProcesses, nvmlProcessInfo_v1_t, process)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t, graphics)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, nvmlProcessInfo_t, process)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_t, graphics)
#if ERA >= 470
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlProcessInfo_t, served)
#endif
#if ERA == 535
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, nvmlProcessInfo_535_t, process)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_535_t, graphics)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_535_t, served)
#elif ERA >= 510
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, nvmlProcessInfo_t, process)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t, graphics)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t, served)
#endif

static nvmlReturn_t clocks(Gpu *g, unsigned long long *reasons) {
  *reasons = g->hot ? 0x40 : 0x1;
  return SUCCESS;
}

EXPORT nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
  ON(device);
  return end(clocks(g, reasons));
}

/* The same under another name. */
#if ERA >= 535
EXPORT nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons) {
  ON(device);
  return end(clocks(g, reasons));
}
#endif

#if ERA >= 525
EXPORT nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *info) {
  ON(device);
  info->state = g->fabric;
  info->status = 0;
  return end(SUCCESS);
}
#endif

#if ERA >= 550
EXPORT nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfo_v2_t *info) {
  ON(device);
  if (info->version != (sizeof *info | 2 << 24)) return end(ARGUMENT_VERSION_MISMATCH);
  info->state = g->fabric;
  info->status = 0;
  return end(SUCCESS);
}
#endif

EXPORT nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, int *active) {
  ON(device);
  if (g->links == 0 || link == (unsigned)g->dark - 1) return end(NOT_SUPPORTED);
  *active = link < (unsigned)g->links && g->mig <= 0;
  return end(link < LINKS ? SUCCESS : INVALID_ARGUMENT);
}

EXPORT nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci) {
  ON(device);
  if (link >= (unsigned)g->links) return end(INVALID_ARGUMENT);
  place(g->link[link].switched ? "0000:c4:00.0" : m->gpu[g->link[link].peer].bus, pci);
  return end(SUCCESS);
}

#if ERA >= 470
EXPORT nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link, int *type) {
  ON(device);
  if (link >= (unsigned)g->links) return end(INVALID_ARGUMENT);
  *type = g->link[link].switched ? 2 : 0;
  return end(SUCCESS);
}
#endif

/* What of a GPU is known by name. */
static int *named(Gpu *g, const char *what) {
  if (!strcmp(what, "lost")) return &g->lost;
  if (!strcmp(what, "in_use")) return &g->in_use;
  if (!strcmp(what, "hot")) return &g->hot;
  if (!strcmp(what, "fabric")) return &g->fabric;
  if (!strcmp(what, "absent")) return &g->absent;
  if (!strcmp(what, "needs_reset")) return &g->needs_reset;
  if (!strcmp(what, "mig")) return &g->mig;
  if (!strcmp(what, "pending")) return &g->pending;
  if (!strcmp(what, "process")) return &g->process;
  if (!strcmp(what, "more_processes")) return &g->more;
  if (!strcmp(what, "dark_link")) return &g->dark;
  if (!strcmp(what, "graphics")) return &g->graphics;
  if (!strcmp(what, "served")) return &g->served;
  if (!strcmp(what, "generation")) return (int *)&g->generation;
  if (!strcmp(what, "compute_mode")) return &g->compute_mode;
  if (!strcmp(what, "time_slice")) return &g->time_slice;
  if (!strcmp(what, "compute_profile")) return (int *)&g->instance[0].computes[0].id;
  return NULL;
}

static Gpu *find(Machine *m, const char *uuid) {
  for (int i = 0; i < m->gpus; i++)
    if (!strcmp(m->gpu[i].uuid, uuid)) return &m->gpu[i];
  return NULL;
}

static int *value_of(Machine *m, const char *uuid, const char *what) {
  Gpu *g = find(m, uuid);
  if (!strcmp(what, "waits")) return &m->waits;
  return g ? named(g, what) : NULL;
}

/* For programs and tests: changes what no function of NVML changes; -1 when there is no such thing. */
__attribute__((visibility("default"))) int stubSet(const char *uuid, const char *what, int value) {
  Machine *m = machine_open();
  machine_lock();
  int *at = value_of(m, uuid, what);
  if (at && *at != value && (!strcmp(what, "lost") || !strcmp(what, "absent"))) find(m, uuid)->falls++;
  if (at) *at = value;
  machine_unlock();
  return at ? 0 : -1;
}

/* For tests: what no function of NVML that we use tells; -1 when there is no such thing. */
__attribute__((visibility("default"))) int stubGet(const char *uuid, const char *what) {
  Machine *m = machine_open();
  machine_lock();
  int *at = value_of(m, uuid, what), value = at ? *at : -1;
  machine_unlock();
  return value;
}

/* For programs: what goes wrong with what they do. */
__attribute__((visibility("default"))) int stubFault(const char *program, const char *uuid) {
  Machine *m = machine_open();
  machine_lock();
  int answer = may_administer() ? machine_fault(m, program, uuid) : NO_PERMISSION;
  machine_unlock();
  return answer;
}

/* For tests: counts what goes wrong anew. */
__attribute__((visibility("default"))) int stubForget(void) {
  Machine *m = machine_open();
  machine_lock();
  memset(m->failed, 0, sizeof m->failed);
  machine_unlock();
  return 0;
}

/* For tests: the machine boots. */
__attribute__((visibility("default"))) int stubBoot(void) {
  Machine *m = machine_open();
  machine_lock();
  machine_boot(m);
  machine_unlock();
  return 0;
}

/* The size of a struct, or the first byte of a field of it, as this compiler lays it out. */
#define FIELD(type, field)                                                         \
  if (!strcmp(of, #type) && !strcmp(name, #field)) return __builtin_offsetof(type, field)
#define SIZE(type) \
  if (!strcmp(of, #type) && !*name) return sizeof(type)

__attribute__((visibility("default"))) int stubLayout(const char *of, const char *name) {
  SIZE(nvmlMemory_t);
  FIELD(nvmlMemory_t, total);
  SIZE(nvmlPciInfo_t);
  FIELD(nvmlPciInfo_t, busId);
  SIZE(nvmlGpuInstancePlacement_t);
  FIELD(nvmlGpuInstancePlacement_t, start);
  FIELD(nvmlGpuInstancePlacement_t, size);
  SIZE(nvmlGpuInstanceProfileInfo_t);
  FIELD(nvmlGpuInstanceProfileInfo_t, id);
  FIELD(nvmlGpuInstanceProfileInfo_t, sliceCount);
  FIELD(nvmlGpuInstanceProfileInfo_t, instanceCount);
  FIELD(nvmlGpuInstanceProfileInfo_t, memorySizeMB);
  SIZE(nvmlGpuInstanceProfileInfo_v2_t);
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, name);
  SIZE(nvmlGpuInstanceInfo_t);
  FIELD(nvmlGpuInstanceInfo_t, id);
  FIELD(nvmlGpuInstanceInfo_t, placement);
  SIZE(nvmlComputeInstanceProfileInfo_t);
  FIELD(nvmlComputeInstanceProfileInfo_t, id);
  FIELD(nvmlComputeInstanceProfileInfo_t, sliceCount);
  FIELD(nvmlComputeInstanceProfileInfo_t, multiprocessorCount);
  SIZE(nvmlComputeInstanceInfo_t);
  FIELD(nvmlComputeInstanceInfo_t, id);
  FIELD(nvmlComputeInstanceInfo_t, placement);
  SIZE(nvmlProcessInfo_v1_t);
  FIELD(nvmlProcessInfo_v1_t, pid);
  SIZE(nvmlProcessInfo_t);
  FIELD(nvmlProcessInfo_t, pid);
  SIZE(nvmlGpuFabricInfo_t);
  FIELD(nvmlGpuFabricInfo_t, status);
  FIELD(nvmlGpuFabricInfo_t, state);
  SIZE(nvmlGpuFabricInfo_v2_t);
  FIELD(nvmlGpuFabricInfo_v2_t, status);
  FIELD(nvmlGpuFabricInfo_v2_t, state);
  SIZE(nvmlEventData_t);
  FIELD(nvmlEventData_t, device);
  FIELD(nvmlEventData_t, eventType);
  FIELD(nvmlEventData_t, eventData);
  FIELD(nvmlEventData_t, gpuInstanceId);
  FIELD(nvmlEventData_t, computeInstanceId);
  return -1;
}
