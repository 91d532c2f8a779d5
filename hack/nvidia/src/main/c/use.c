/* Controls of a GPU: which processes use it, and in which mode. */
#include <string.h>

#include "kernel.h"

/* While it can be cut, a GPU has no compute mode. */
static u32 compute_mode(Call *call, int set) {
  if (gpu_is_cut(call->gpu)) return ERR_NOT_SUPPORTED;
  if (set) call->gpu->compute_mode = *(u32 *)call->params;
  else *(u32 *)call->params = call->gpu->compute_mode;
  return OK;
}

/* Those of objects that tell what a process does. */
static u32 classes(Call *call, u32 *class) {
  if (class) {
    class[0] = model(call->gpu->model)->compute_class;
    class[1] = model(call->gpu->model)->graphics_class;
  }
  *(u32 *)call->params = 2;
  return OK;
}

static u32 process_of(Call *call, u32 class) {
  if (class == model(call->gpu->model)->compute_class) return call->gpu->computing;
  if (class == model(call->gpu->model)->graphics_class) return call->gpu->drawing;
  return class == CLASS_MPS_COMPUTE ? call->gpu->served : 0;
}

static u32 pids(Call *call) {
  Pids *pids = call->params;
  u32 pid = pids->type == PIDS_OF_CLASS ? process_of(call, pids->id) : 0;
  pids->count = pid != 0;
  pids->pid[0] = pid;
  return OK;
}

/* Entries are of the length of the driver; each ends with the instances that the process is in. */
static u32 pid_info(Call *call) {
  u32 count = *(u32 *)call->params, stride = (call->size - sizeof(u64)) / PID_INFOS;
  for (u32 i = 0; i < count && i < PID_INFOS; i++) {
    u8 *entry = (u8 *)call->params + sizeof(u64) + i * stride;
    PidInfo *info = (PidInfo *)entry;
    info->result = OK;
    info->memory = 1 << 20;
    memset(&info->memory + 1, 0, stride - sizeof *info);
    memset(entry + stride - sizeof(u64), 0xff, sizeof(u64));
  }
  return OK;
}

u32 control_use(Call *call, u32 command) {
  switch (command) {
    case DEVICE_GET_CLASSLIST: return classes(call, ((ClassPointer *)call->params)->class);
    case DEVICE_GET_CLASSLIST_V2: return classes(call, ((ClassList *)call->params)->class);
    case GPU_GET_PIDS: return pids(call);
    case GPU_GET_PID_INFO: return pid_info(call);
    case GPU_SET_COMPUTE_MODE_RULES: return compute_mode(call, 1);
    case GPU_QUERY_COMPUTE_MODE_RULES: return compute_mode(call, 0);
    default: return control_partitions(call, command);
  }
}
