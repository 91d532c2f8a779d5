/* Controls of a GPU: its GPU instances, which the resource manager calls partitions. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static const Model *of(Call *call) { return model(call->gpu->model); }

static int is_known(Call *call, const Profile *p) { return p->since <= atoi(call->kernel->driver); }

/* 470 does not know COMPUTE_MINI_QUARTER: what comes after it is one less. */
static u32 to_470(u32 flag) { return PARTITION_COMPUTE(flag) == COMPUTE_EIGHTH ? flag - (1 << 2) : flag; }

static u32 told(Call *call, u32 flag) { return atoi(call->kernel->driver) < 525 ? to_470(flag) : flag; }

static const Profile *profile(Call *call, u32 flag) {
  for (int i = 0; i < of(call)->profiles; i++) {
    const Profile *p = &of(call)->profile[i];
    if (is_known(call, p) && told(call, p->flag) == (flag & ~PARTITION_PLACE_AT_SPAN)) return p;
  }
  return NULL;
}

static const Profile *kind(Call *call, const GpuInstance *instance) { return &of(call)->profile[instance->profile]; }

/* Engines of which there is one set go to one instance. */
static int is_free(Call *call, const Profile *wanted, int start) {
  for (int i = 0; i < PARTITIONS; i++) {
    const GpuInstance *there = &call->gpu->instance[i];
    if (!there->used) continue;
    const Profile *other = kind(call, there);
    if (start < there->start + other->size && there->start < start + wanted->size) return 0;
    if (wanted->flag & other->flag & PARTITION_DEC_JPG_OFA) return 0;
  }
  return 1;
}

static int has_instances(const Gpu *gpu) {
  for (int i = 0; i < PARTITIONS; i++)
    if (gpu->instance[i].used) return 1;
  return 0;
}

/* While a process uses the GPU, another mode only waits for a reset, and is given up by asking for the one that is. */
static u32 set_mode(Call *call) {
  int wanted = (*(u32 *)call->params & 3) != 0, cut = gpu_is_cut(call->gpu);
  if (has_instances(call->gpu)) return ERR_STATE_IN_USE;
  int waits = wanted != cut && call->gpu->computing;
  if (waits) call->gpu->smc = wanted ? SMC_ENABLE_PENDING : SMC_DISABLE_PENDING;
  else call->gpu->smc = wanted ? SMC_ENABLED : SMC_DISABLED;
  return OK;
}

static PartitionDescription description(Call *call, const Profile *p) {
  u32 compute = PARTITION_COMPUTE(p->flag), gpcs = of(call)->gpcs[compute];
  return (PartitionDescription){
      .flag = told(call, p->flag),
      .grs = gpcs,
      .gpcs = gpcs,
      .virtual_gpcs = gpcs,
      .veids = 8 * slots(of(call), compute),
      .sms = of(call)->sms[compute],
      .copy_engines = p->copy_engines,
      .decoders = p->decoders,
      .jpegs = p->jpegs,
      .ofas = p->ofas,
      .memory = p->mib << 20};
}

static u32 describe_470(Call *call) {
  DescribePartitions470 *all = call->params;
  all->count = 0;
  for (int i = 0; i < of(call)->profiles && all->count < DESCRIPTIONS_470; i++) {
    if (!is_known(call, &of(call)->profile[i])) continue;
    PartitionDescription d = description(call, &of(call)->profile[i]);
    all->description[all->count++] = (PartitionDescription470){
        d.flag, d.grs, d.gpcs, d.veids, d.sms, d.copy_engines, d.encoders, d.decoders, d.jpegs, d.ofas, d.memory};
  }
  return OK;
}

static u32 describe(Call *call) {
  if (call->size == sizeof(DescribePartitions470)) return describe_470(call);
  DescribePartitions *all = call->params;
  all->count = 0;
  for (int i = 0; i < of(call)->profiles; i++) {
    const Profile *p = &of(call)->profile[i];
    if (is_known(call, p)) all->description[all->count++] = description(call, p);
  }
  return OK;
}

static u32 capacity(Call *call) {
  PartitionCapacity *answer = call->params;
  const Profile *p = profile(call, answer->flag);
  if (!p) return ERR_INVALID_ARGUMENT;
  answer->count = 0;
  for (int i = 0; i < p->starts; i++) {
    Span span = {.lo = p->start[i], .hi = p->start[i] + p->size - 1};
    answer->total[i] = span;
    if (is_free(call, p, p->start[i])) answer->available[answer->count++] = span;
  }
  answer->available_count = answer->count;
  answer->total_spans = p->starts;
  answer->total_count = p->flag & PARTITION_DEC_JPG_OFA ? 1 : p->starts;
  if (answer->count > answer->total_count) answer->count = answer->total_count;
  return OK;
}

static GpuInstance *find(Call *call, u32 id) {
  for (int i = 0; i < PARTITIONS; i++)
    if (call->gpu->instance[i].used && call->gpu->instance[i].id == id) return &call->gpu->instance[i];
  return NULL;
}

static u32 destroy(Call *call, u32 id) {
  GpuInstance *instance = find(call, id);
  if (!instance) return ERR_OBJECT_NOT_FOUND;
  for (int c = 0; c < EXEC_PARTITIONS; c++)
    if (instance->compute[c].used) return ERR_STATE_IN_USE;
  instance->used = 0;
  capability_remove(call->gpu, id, -1);
  return OK;
}

/* The whole is 0, halves are 1 and 2, quarters 3 to 6, eighths 7 and on, whatever of the multiprocessors they have. */
static u32 id_of(const Profile *p, int start) { return 8 / p->size - 1 + start / p->size; }

static int start_of(Call *call, const Profile *p, int at_span, Span where) {
  for (int i = 0; i < p->starts; i++) {
    if (at_span && (p->start[i] != (int)where.lo || where.hi - where.lo + 1 != (u64)p->size)) continue;
    if (at_span || is_free(call, p, p->start[i])) return p->start[i];
  }
  return -1;
}

static u32 create(Call *call, u32 flag, Span where, u32 *id) {
  const Profile *p = profile(call, flag);
  int at_span = (flag & PARTITION_PLACE_AT_SPAN) != 0;
  int start = p ? start_of(call, p, at_span, where) : -1;
  if (start < 0) return p && !at_span ? ERR_INSUFFICIENT_RESOURCES : ERR_INVALID_ARGUMENT;
  if (!is_free(call, p, start)) return ERR_INSUFFICIENT_RESOURCES;
  GpuInstance *made = call->gpu->instance;
  while (made->used) made++;
  *made = (GpuInstance){.used = 1, .profile = p - of(call)->profile, .start = start, .id = id_of(p, start)};
  *id = made->id;
  capability_add(call->gpu, made->id, -1);
  return OK;
}

/* One at a time, as the library asks. */
static u32 set(Call *call) {
  SetPartitions *all = call->params;
  SetPartitions470 *old = call->size == sizeof *old ? call->params : NULL;
  if (!gpu_is_cut(call->gpu)) return ERR_NOT_SUPPORTED;
  if (all->count != 1) return ERR_INVALID_ARGUMENT;
  u32 *id = old ? &old->info[0].id : &all->info[0].id;
  if (old ? !old->info[0].valid : !all->info[0].valid) return destroy(call, *id);
  return old ? create(call, old->info[0].flag, old->info[0].placement, id)
             : create(call, all->info[0].flag, all->info[0].placement, id);
}

static PartitionInfo tell(Call *call, const GpuInstance *one) {
  const Profile *p = kind(call, one);
  u32 compute = PARTITION_COMPUTE(p->flag), gpcs = of(call)->gpcs[compute];
  return (PartitionInfo){
      .id = one->id,
      .flag = told(call, p->flag),
      .gr_engines = gpcs,
      .veids = 8 * slots(of(call), compute),
      .sms = of(call)->sms[compute],
      .copy_engines = p->copy_engines,
      .decoders = p->decoders,
      .jpegs = p->jpegs,
      .ofas = p->ofas,
      .gpcs = gpcs,
      .virtual_gpcs = gpcs,
      .memory = p->mib << 20,
      .span = {.lo = one->start, .hi = one->start + p->size - 1},
      .valid = 1};
}

static PartitionInfo470 before(PartitionInfo i) {
  return (PartitionInfo470){
      .id = i.id,
      .flag = i.flag,
      .gr_engines = i.gr_engines,
      .veids = i.veids,
      .sms = i.sms,
      .copy_engines = i.copy_engines,
      .decoders = i.decoders,
      .jpegs = i.jpegs,
      .ofas = i.ofas,
      .gpcs = i.gpcs,
      .memory = i.memory,
      .span = i.span,
      .valid = i.valid};
}

/* Later drivers have longer entries, of the same head. A client that does not ask for all hears of its own. */
static u32 get(Call *call) {
  u32 stride = (call->size - 8) / PARTITIONS, count = 0;
  int all = ((u8 *)call->params)[stride * PARTITIONS + 4] || !call->instance;
  for (int i = 0; i < PARTITIONS; i++) {
    if (!call->gpu->instance[i].used || (!all && call->instance != &call->gpu->instance[i])) continue;
    PartitionInfo info = tell(call, &call->gpu->instance[i]);
    u8 *entry = (u8 *)call->params + stride * count++;
    memset(entry, 0, stride);
    if (stride == sizeof(PartitionInfo470)) *(PartitionInfo470 *)entry = before(info);
    else memcpy(entry, &info, stride < sizeof info ? stride : sizeof info);
  }
  *(u32 *)((u8 *)call->params + stride * PARTITIONS) = count;
  return OK;
}

static u32 active(Call *call) {
  ActivePartitions *ids = call->params;
  ids->count = 0;
  for (int i = 0; i < PARTITIONS; i++)
    if (call->gpu->instance[i].used) ids->id[ids->count++] = call->gpu->instance[i].id;
  return OK;
}

/* The smaller of two sizes of one slice has the fewer multiprocessors; it is offered in its own kind only. */
static int is_offered(Call *call, u32 compute) {
  const Model *m = of(call);
  if (!has_compute(m, compute)) return 0;
  if (!call->instance) return 1;
  u32 whole = PARTITION_COMPUTE(kind(call, call->instance)->flag);
  return m->sms[compute] <= m->sms[whole] && (compute != COMPUTE_MINI_QUARTER || whole == COMPUTE_MINI_QUARTER);
}

/* Later drivers have the flag of a GPU instance before the count. */
static u32 compute_profiles(Call *call) {
  u32 *count = call->params;
  u32 head = call->size % sizeof(ComputeProfileInfo);
  if (head == 2 * sizeof *count) count++;
  ComputeProfileInfo *at = (ComputeProfileInfo *)((u8 *)call->params + head);
  memset(at, 0, call->size - head);
  *count = 0;
  for (u32 compute = 0; compute < COMPUTE_SIZES; compute++) {
    if (!is_offered(call, compute)) continue;
    at[(*count)++] = (ComputeProfileInfo){
        .size = compute,
        .gpcs = of(call)->gpcs[compute],
        .veids = 8 * slots(of(call), compute),
        .sms = of(call)->sms[compute]};
  }
  return OK;
}

u32 control_partitions(Call *call, u32 command) {
  switch (command) {
    case GPU_SET_PARTITIONING_MODE: return set_mode(call);
    case GPU_DESCRIBE_PARTITIONS: return describe(call);
    case GPU_GET_PARTITION_CAPACITY: return capacity(call);
    case GPU_SET_PARTITIONS: return set(call);
    case GPU_GET_PARTITIONS: return get(call);
    case GPU_GET_ACTIVE_PARTITION_IDS: return active(call);
    case GPU_GET_COMPUTE_PROFILES: return compute_profiles(call);
    default: return ERR_NOT_SUPPORTED;
  }
}
