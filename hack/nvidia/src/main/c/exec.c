/* Controls of a GPU instance: its compute instances, which the resource manager calls execution partitions. */
#include <stdio.h>
#include <string.h>

#include "kernel.h"

static const Model *of(Call *call) { return model(call->gpu->model); }

/* In slots. */
static int length(Call *call) {
  return slots(of(call), PARTITION_COMPUTE(of(call)->profile[call->instance->profile].flag));
}

static int is_free(Call *call, u32 compute, int start) {
  int end = start + slots(of(call), compute);
  for (int i = 0; i < EXEC_PARTITIONS; i++) {
    ComputeInstance *there = &call->instance->compute[i];
    if (there->used && start < there->start + slots(of(call), there->size) && there->start < end) return 0;
  }
  return 1;
}

/* From one place to the next of a size. */
static int step(Call *call, u32 compute) { return of(call)->aligned ? slots(of(call), compute) : 1; }

static u32 capacity(Call *call) {
  ExecPartitionCapacity *answer = call->params;
  u32 compute = answer->size;
  if (!has_compute(of(call), compute)) return ERR_INVALID_ARGUMENT;
  answer->count = answer->total_spans = 0;
  for (int start = 0; start + slots(of(call), compute) <= length(call); start += step(call, compute)) {
    Span span = {.lo = start, .hi = start + slots(of(call), compute) - 1};
    answer->total[answer->total_spans++] = span;
    if (is_free(call, compute, start)) answer->available[answer->count++] = span;
  }
  answer->available_count = answer->count;
  answer->total_count = answer->total_spans;
  return OK;
}

static int first_free(Call *call, u32 compute) {
  int start = 0, end = length(call) - slots(of(call), compute);
  while (start <= end && !is_free(call, compute, start)) start += step(call, compute);
  return start;
}

static void make(Call *call, u32 compute, int start, u32 *id) {
  ComputeInstance *made = call->instance->compute;
  while (made->used) made++;
  *id = made - call->instance->compute;
  *made = (ComputeInstance){.used = 1, .size = compute, .start = start};
  snprintf(made->uuid, sizeof made->uuid, "MIG-%08x-0000-5000-8000-%.12s", ++call->kernel->made,
           call->gpu->uuid + strlen(call->gpu->uuid) - 12);
  capability_add(call->gpu, call->instance->id, *id);
}

/* Without an id it is only asked for. */
static u32 make_at(Call *call, u32 compute, int start, u32 *id) {
  if (start % step(call, compute)) return ERR_INVALID_ARGUMENT;
  if (start + slots(of(call), compute) > length(call)) return ERR_INSUFFICIENT_RESOURCES;
  if (!is_free(call, compute, start)) return ERR_STATE_IN_USE;
  if (id) make(call, compute, start, id);
  return OK;
}

static u32 size_of(Call *call, u32 gpcs) {
  for (u32 compute = 0; compute < COMPUTE_SIZES; compute++)
    if (has_compute(of(call), compute) && of(call)->gpcs[compute] == gpcs) return compute;
  return COMPUTE_SIZES;
}

static u32 create_470(Call *call) {
  ExecPartitionsCreate470 *wanted = call->params;
  u32 compute = size_of(call, wanted->info[0].gpcs);
  if (wanted->count != 1 || compute == COMPUTE_SIZES) return ERR_INVALID_ARGUMENT;
  return make_at(call, compute, first_free(call, compute), wanted->query ? NULL : wanted->id);
}

static u32 create(Call *call) {
  if (call->size == sizeof(ExecPartitionsCreate470)) return create_470(call);
  ExecPartitionsCreate *wanted = call->params;
  u32 compute = wanted->info[0].size;
  if (wanted->count != 1 || !has_compute(of(call), compute)) return ERR_INVALID_ARGUMENT;
  int start = wanted->flags & EXEC_AT_SPAN ? (int)wanted->info[0].start : first_free(call, compute);
  return make_at(call, compute, start, wanted->query ? NULL : wanted->id);
}

static u32 delete(Call *call) {
  ExecPartitionsDelete *wanted = call->params;
  for (u32 i = 0; i < wanted->count && i < EXEC_PARTITIONS; i++)
    if (wanted->id[i] >= EXEC_PARTITIONS || !call->instance->compute[wanted->id[i]].used) return ERR_OBJECT_NOT_FOUND;
  for (u32 i = 0; i < wanted->count && i < EXEC_PARTITIONS; i++) {
    call->instance->compute[wanted->id[i]].used = 0;
    capability_remove(call->gpu, call->instance->id, wanted->id[i]);
  }
  return OK;
}

static ExecPartition tell(Call *call, const ComputeInstance *there) {
  u32 gpcs = of(call)->gpcs[there->size];
  return (ExecPartition){
      .gpcs = gpcs,
      .veids = 8 * slots(of(call), there->size),
      .copy_engines = gpcs,
      .shared = 0x1f, /* all kinds of engines */
      .sms = of(call)->sms[there->size],
      .start = there->start,
      .size = there->size};
}

static u32 get(Call *call) {
  ExecPartitions *all = call->params;
  ExecPartitions470 *old = call->size == sizeof *old ? call->params : NULL;
  all->count = 0;
  for (u32 i = 0; i < EXEC_PARTITIONS; i++) {
    if (!call->instance->compute[i].used) continue;
    ExecPartition e = tell(call, &call->instance->compute[i]);
    all->id[all->count] = i;
    if (old) old->info[all->count] = (ExecPartition470){e.gpcs, e.veids, e.copy_engines, 0, 0, 0, 0, e.shared, 0};
    else all->info[all->count] = e;
    all->count++;
  }
  return OK;
}

/* Room for a UUID is whatever the driver's version has. */
static u32 active(Call *call) {
  u32 *count = call->params, *id = count + 1;
  u32 room = (call->size - (1 + EXEC_PARTITIONS) * sizeof *id) / EXEC_PARTITIONS;
  char *uuid = (char *)(id + EXEC_PARTITIONS);
  *count = 0;
  for (u32 i = 0; i < EXEC_PARTITIONS; i++) {
    if (!call->instance->compute[i].used) continue;
    snprintf(uuid + room * *count, room, "%s", call->instance->compute[i].uuid);
    id[(*count)++] = i;
  }
  return OK;
}

u32 control_instance(Call *call, u32 command) {
  switch (command) {
    case EXEC_PARTITIONS_GET_PROFILE_CAPACITY: return capacity(call);
    case EXEC_PARTITIONS_CREATE: return create(call);
    case EXEC_PARTITIONS_DELETE: return delete(call);
    case EXEC_PARTITIONS_GET: return get(call);
    case EXEC_PARTITIONS_GET_ACTIVE_IDS: return active(call);
    default: return ERR_NOT_SUPPORTED;
  }
}

u32 control_compute(Call *call, u32 command) {
  if (command != EXEC_PARTITION_GET_UUID) return ERR_NOT_SUPPORTED;
  InstanceUuid *uuid = call->params;
  memset(uuid, 0, sizeof *uuid);
  snprintf(uuid->text, sizeof uuid->text, "%s", call->compute->uuid);
  return OK;
}
