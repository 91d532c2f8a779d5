#include <stdio.h>
#include <string.h>

#include "stub.h"

/* Up to then nothing is told of profiles while the mode is off, and there is no doubled 1g before 525. */
enum { TOLD_WITHOUT_MODE = 550, DOUBLED = 9, DOUBLED_SINCE = 525 };

/* NVML knows no kind of instance with a number from here on. */
enum { NUMBERS = 18, COMPUTE_NUMBERS = 8, MOST_DEVICES = 7 };

static Profile *of(Gpu *g, Instance *i) { return &g->profile[i->profile]; }

EXPORT nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
  ON(device);
  *current = g->mig;
  *pending = g->pending;
  return end(g->mig < 0 ? NOT_SUPPORTED : SUCCESS);
}

static int cut(Gpu *g) {
  for (int i = 0; i < INSTANCES; i++)
    if (g->instance[i].used) return 1;
  return 0;
}

EXPORT nvmlDeviceSetMigMode(nvmlDevice_t device, unsigned mode, nvmlReturn_t *activation) {
  ON_TO_ADMINISTER(device);
  if (g->mig < 0) return end(NOT_SUPPORTED);
  if (mode > 1) return end(INVALID_ARGUMENT);
  *activation = SUCCESS;
  if (g->mig == (int)mode && g->pending == (int)mode) return end(SUCCESS);
  if (cut(g) || g->in_use) {
    g->pending = mode;
    *activation = IN_USE;
  } else if (g->needs_reset) {
    g->pending = mode;
    *activation = RESET_REQUIRED;
  } else {
    g->mig = g->pending = mode;
    g->generation++;
  }
  return end(SUCCESS);
}

static Profile *numbered(Gpu *g, unsigned number) {
  for (int i = 0; i < g->profiles; i++)
    if (g->profile[i].number == (int)number) return &g->profile[i];
  return NULL;
}

EXPORT nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned number, nvmlGpuInstanceProfileInfo_t *info) {
  ON(device);
  if (number >= NUMBERS) return end(INVALID_ARGUMENT);
  int told = g->mig > 0 || (g->mig == 0 && ERA >= TOLD_WITHOUT_MODE);
  Profile *p = told && (number != DOUBLED || ERA >= DOUBLED_SINCE) ? numbered(g, number) : NULL;
  if (!p) return end(NOT_SUPPORTED);
  memset(info, 0, sizeof *info);
  info->id = p->id;
  info->sliceCount = p->slices;
  info->instanceCount = p->told;
  info->memorySizeMB = p->mib;
  return end(SUCCESS);
}

#if ERA >= 510
EXPORT nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned number,
                                            nvmlGpuInstanceProfileInfo_v2_t *info) {
  ON(device);
  if (info->version != (sizeof *info | 2u << 24)) return end(ARGUMENT_VERSION_MISMATCH);
  if (number >= NUMBERS) return end(INVALID_ARGUMENT);
  Profile *p = g->mig < 1 ? NULL : numbered(g, number);
  if (!p) return end(NOT_SUPPORTED);
  info->id = p->id;
  info->sliceCount = p->slices;
  info->instanceCount = p->told;
  info->memorySizeMB = p->mib;
  snprintf(info->name, sizeof info->name, "MIG %s", p->name);
  return end(SUCCESS);
}
#endif

/* Before, instances were not placed. */
#if ERA >= 470
static Profile *profile(Gpu *g, unsigned id) {
  for (int i = 0; i < g->profiles; i++)
    if (g->profile[i].id == id) return &g->profile[i];
  return NULL;
}

EXPORT nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned id,
                                                     nvmlGpuInstancePlacement_t *places, unsigned *count) {
  ON_TO_ADMINISTER(device);
  Profile *p = profile(g, id);
  if (!p) return end(g->mig < 0 ? NOT_SUPPORTED : INVALID_ARGUMENT);
  if (places && *count < (unsigned)p->starts) return end(INSUFFICIENT_SIZE);
  for (int i = 0; places && i < p->starts; i++)
    places[i] = (nvmlGpuInstancePlacement_t){.start = p->start[i], .size = p->size};
  *count = p->starts;
  return end(SUCCESS);
}

/* Whether an instance of the profile fits beside those that are there (nvidia.md 2.3). */
static int fits(Gpu *g, Profile *p, unsigned start) {
  unsigned slices = p->slices, same = 1, whole = 0;
  for (int i = 0; i < g->profiles; i++)
    if (g->profile[i].slices > whole) whole = g->profile[i].slices;
  for (int i = 0; i < INSTANCES; i++) {
    Instance *there = &g->instance[i];
    if (!there->used) continue;
    Profile *other = of(g, there);
    slices += other->slices;
    same += other == p;
    if (start < there->start + other->size && there->start < start + p->size) return 0;
    if (strchr(p->name, '+') && strchr(other->name, '+')) return 0;
  }
  return slices <= whole && same <= p->most;
}

/* Numbers of instances are handed out in no order that means anything. */
static const unsigned ORDER[INSTANCES] = {9, 2, 11, 5, 1, 13, 7, 3, 12, 6, 8, 10, 4, 14};

static unsigned free_number(Gpu *g) {
  for (int n = 0; n < INSTANCES; n++) {
    int taken = 0;
    for (int i = 0; i < INSTANCES; i++) taken |= g->instance[i].used && g->instance[i].number == ORDER[n];
    if (!taken) return ORDER[n];
  }
  return 0;
}

EXPORT nvmlDeviceCreateGpuInstanceWithPlacement(nvmlDevice_t device, unsigned id,
                                                const nvmlGpuInstancePlacement_t *where, nvmlGpuInstance_t *made) {
  ON_TO_ADMINISTER(device);
  Profile *p = profile(g, id);
  if (g->mig < 1) return end(NOT_SUPPORTED);
  int known = 0;
  for (int i = 0; p && i < p->starts; i++) known |= p->start[i] == (int)where->start && p->size == where->size;
  if (!known) return end(INVALID_ARGUMENT);
  if (!fits(g, p, where->start)) return end(INSUFFICIENT_RESOURCES);
  Instance *i = g->instance;
  while (i->used) i++;
  *i = (Instance){
      .used = 1, .number = free_number(g), .serial = ++m->made, .profile = p - g->profile, .start = where->start};
  *made = handle(GPU_INSTANCE, m, g, i, 0);
  return end(SUCCESS);
}
#endif

EXPORT nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned id, nvmlGpuInstance_t *found, unsigned *count) {
  ON(device);
  if (g->mig < 1) return end(NOT_SUPPORTED);
  *count = 0;
  for (int i = 0; i < INSTANCES; i++)
    if (g->instance[i].used && of(g, &g->instance[i])->id == id)
      found[(*count)++] = handle(GPU_INSTANCE, m, g, &g->instance[i], 0);
  return end(SUCCESS);
}

EXPORT nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info) {
  ON(instance);
  Instance *i = instance_of(m, instance);
  if (!i) return end(INVALID_ARGUMENT);
  info->device = handle(DEVICE, m, g, 0, 0);
  info->id = i->number;
  info->profileId = of(g, i)->id;
  info->placement = (nvmlGpuInstancePlacement_t){.start = i->start, .size = of(g, i)->size};
  return end(SUCCESS);
}

EXPORT nvmlGpuInstanceDestroy(nvmlGpuInstance_t instance) {
  ON_TO_ADMINISTER(instance);
  Instance *i = instance_of(m, instance);
  if (!i) return end(INVALID_ARGUMENT);
  for (int c = 0; c < COMPUTES; c++)
    if (i->computes[c].used) return end(IN_USE);
  i->used = 0;
  return end(SUCCESS);
}

/*
 * Compute instances have as many slices as their number says. Later architectures have two kinds of one slice, of which
 * the later has more multiprocessors; they align compute instances, and count their place in slots of the smallest.
 */
static const unsigned SLICES[COMPUTE_NUMBERS] = {1, 2, 3, 4, 7, 8, 6, 1};
static const unsigned SLOTS[COMPUTE_NUMBERS] = {1, 2, 4, 4, 8, 8, 8, 2};

static int aligned(Gpu *g) { return g->architecture >= 9; }

static unsigned slots(Gpu *g, unsigned number) { return aligned(g) ? SLOTS[number] : SLICES[number]; }

/* All that a GPU instance has. */
static unsigned room(Gpu *g, Instance *i) { return aligned(g) ? of(g, i)->size : of(g, i)->slices; }

static nvmlReturn_t compute_profile(Gpu *g, Instance *i, unsigned number, nvmlComputeInstanceProfileInfo_t *info) {
  if (number >= COMPUTE_NUMBERS) return INVALID_ARGUMENT;
  Profile *p = of(g, i);
  if (SLICES[number] > p->slices || (number == 7 && (!aligned(g) || p->size < 2))) return NOT_SUPPORTED;
  memset(info, 0, sizeof *info);
  info->id = number;
  info->sliceCount = SLICES[number];
  info->instanceCount = p->slices / SLICES[number];
  info->multiprocessorCount = number == 7 ? 26 : 16 * SLICES[number];
  return SUCCESS;
}

/* Serials of the GPU instances of which this process asked for profiles: from 535 on others list no compute instance. */
static unsigned asked[GPUS][INSTANCES];

static unsigned *asked_of(Machine *m, Gpu *g, Instance *i) { return &asked[g - m->gpu][i - g->instance]; }

EXPORT nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance, unsigned number, unsigned engine,
                                                    nvmlComputeInstanceProfileInfo_t *info) {
  ON(instance);
  Instance *i = instance_of(m, instance);
  if (!i || engine != 0) return end(INVALID_ARGUMENT);
  *asked_of(m, g, i) = i->serial;
  return end(compute_profile(g, i, number, info));
}

static nvmlReturn_t make(Machine *m, Gpu *g, Instance *i, unsigned id, int start, nvmlComputeInstance_t *made) {
  nvmlComputeInstanceProfileInfo_t kind;
  nvmlReturn_t known = compute_profile(g, i, id, &kind);
  if (known != SUCCESS) return known;
  unsigned taken = 0, slices = kind.sliceCount;
  for (int c = 0; c < COMPUTES; c++) {
    if (!i->computes[c].used) continue;
    for (unsigned s = 0; s < i->computes[c].size; s++) taken |= 1u << (i->computes[c].start + s);
    slices += SLICES[i->computes[c].id];
  }
  unsigned size = slots(g, id), all = (1u << size) - 1, first = 0, step = aligned(g) ? size : 1;
  while (start < 0 && first + size <= room(g, i) && taken & all << first) first += step;
  if (start >= 0) first = start;
  if (first % step) return INVALID_ARGUMENT;
  if (slices > of(g, i)->slices || first + size > room(g, i) || taken & all << first) return INSUFFICIENT_RESOURCES;
  Compute *c = i->computes;
  while (c->used) c++;
  *c = (Compute){.used = 1, .number = c - i->computes, .id = id, .start = first, .size = size};
  snprintf(c->uuid, sizeof c->uuid, "MIG-%08x-0000-4000-8000-%.12s", ++m->made, g->uuid + strlen(g->uuid) - 12);
  *made = handle(COMPUTE_INSTANCE, m, g, i, c);
  return SUCCESS;
}

EXPORT nvmlGpuInstanceCreateComputeInstance(nvmlGpuInstance_t instance, unsigned id, nvmlComputeInstance_t *made) {
  ON_TO_ADMINISTER(instance);
  Instance *i = instance_of(m, instance);
  return end(i ? make(m, g, i, id, -1, made) : INVALID_ARGUMENT);
}

#if ERA >= 525
EXPORT nvmlGpuInstanceGetComputeInstancePossiblePlacements(nvmlGpuInstance_t instance, unsigned id,
                                                           nvmlGpuInstancePlacement_t *places, unsigned *count) {
  ON(instance);
  Instance *i = instance_of(m, instance);
  nvmlComputeInstanceProfileInfo_t kind;
  if (!i || compute_profile(g, i, id, &kind) != SUCCESS) return end(INVALID_ARGUMENT);
  unsigned size = slots(g, id), known = 0;
  for (unsigned start = 0; start + size <= room(g, i); start += aligned(g) ? size : 1)
    if (places && known < *count) places[known++] = (nvmlGpuInstancePlacement_t){.start = start, .size = size};
  *count = known;
  return end(SUCCESS);
}

EXPORT nvmlGpuInstanceCreateComputeInstanceWithPlacement(nvmlGpuInstance_t instance, unsigned id,
                                                         const nvmlGpuInstancePlacement_t *where,
                                                         nvmlComputeInstance_t *made) {
  ON_TO_ADMINISTER(instance);
  Instance *i = instance_of(m, instance);
  return end(i ? make(m, g, i, id, where->start, made) : INVALID_ARGUMENT);
}
#endif

EXPORT nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t instance, unsigned id, nvmlComputeInstance_t *found,
                                          unsigned *count) {
  ON(instance);
  Instance *i = instance_of(m, instance);
  if (!i) return end(INVALID_ARGUMENT);
  *count = 0;
  if (ERA >= 535 && *asked_of(m, g, i) != i->serial) return end(SUCCESS);
  for (int c = 0; c < COMPUTES; c++)
    if (i->computes[c].used && i->computes[c].id == id)
      found[(*count)++] = handle(COMPUTE_INSTANCE, m, g, i, &i->computes[c]);
  return end(SUCCESS);
}

EXPORT nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t compute, nvmlComputeInstanceInfo_t *info) {
  ON(compute);
  Compute *c = compute_of(m, compute);
  if (!c) return end(INVALID_ARGUMENT);
  Instance *i = instance_of(m, compute);
  info->device = handle(DEVICE, m, g, 0, 0);
  info->gpuInstance = handle(GPU_INSTANCE, m, g, i, 0);
  info->id = c->number;
  info->profileId = c->id;
  info->placement = (nvmlGpuInstancePlacement_t){.start = c->start, .size = c->size};
  return end(SUCCESS);
}

EXPORT nvmlComputeInstanceDestroy(nvmlComputeInstance_t compute) {
  ON_TO_ADMINISTER(compute);
  Compute *c = compute_of(m, compute);
  if (!c) return end(INVALID_ARGUMENT);
  c->used = 0;
  return end(SUCCESS);
}

EXPORT nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
  ON(device);
  *count = g->mig > 0 ? MOST_DEVICES : 0;
  return end(SUCCESS);
}

static unsigned devices(Gpu *g) {
  unsigned count = 0;
  for (int i = 0; i < INSTANCES; i++)
    for (int c = 0; c < COMPUTES; c++) count += g->instance[i].used && g->instance[i].computes[c].used;
  return count;
}

/* Indices have gaps: every other one is left out as long as there is room. */
EXPORT nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *found) {
  ON(device);
  unsigned at = 0, room = MOST_DEVICES - devices(g);
  for (int i = 0; i < INSTANCES; i++)
    for (int c = 0; c < COMPUTES; c++) {
      if (!g->instance[i].used || !g->instance[i].computes[c].used) continue;
      unsigned gaps = at + 1 < room ? at + 1 : room;
      if (at++ + gaps != index) continue;
      *found = handle(MIG_DEVICE, m, g, &g->instance[i], &g->instance[i].computes[c]);
      return end(SUCCESS);
    }
  return end(NOT_FOUND);
}

EXPORT nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned *number) {
  ON(device);
  Instance *i = instance_of(m, device);
  if (i) *number = i->number;
  return end(i ? SUCCESS : INVALID_ARGUMENT);
}

EXPORT nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned *number) {
  ON(device);
  Compute *c = compute_of(m, device);
  if (c) *number = c->number;
  return end(c ? SUCCESS : INVALID_ARGUMENT);
}
