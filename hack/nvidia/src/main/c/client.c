/* Controls of a client: which GPUs there are. */
#include <stdio.h>
#include <string.h>

#include "kernel.h"

static Gpu *by_id(Kernel *kernel, u32 id) {
  for (u32 i = 0; i < kernel->gpus; i++)
    if (gpu_id(&kernel->gpu[i]) == id) return &kernel->gpu[i];
  return NULL;
}

/* A list of ids, with one that is none after the last. */
static u32 ids(Call *call) {
  u32 *id = call->params;
  memset(id, 0xff, call->size);
  for (u32 i = 0; i < call->kernel->gpus; i++)
    if (!call->kernel->gpu[i].unbound) *id++ = gpu_id(&call->kernel->gpu[i]);
  return OK;
}

static void copy(char *to, u32 size, const char *text) {
  if (to) snprintf(to, size, "%s", text);
}

static u32 build_version(Call *call) {
  BuildVersion *version = call->params;
  copy(version->driver, version->size, call->kernel->driver);
  copy(version->version, version->size, "emulated");
  copy(version->title, version->size, "NVIDIA UNIX");
  version->size = sizeof call->kernel->driver;
  return OK;
}

static u32 pci_info(Call *call) {
  PciInfo *pci = call->params;
  Gpu *gpu = by_id(call->kernel, pci->gpu);
  if (!gpu) return ERR_INVALID_ARGUMENT;
  pci->domain = gpu->domain;
  pci->bus = gpu->bus;
  pci->slot = 0;
  return OK;
}

static u32 id_info(Call *call) {
  IdInfo *info = call->params;
  Gpu *gpu = by_id(call->kernel, info->gpu);
  if (!gpu) return ERR_INVALID_ARGUMENT;
  info->flags = info->subdevice = info->sli = 0;
  info->device = info->instance = info->board = gpu - call->kernel->gpu;
  info->numa = -1;
  return OK;
}

static u32 id_info_v2(Call *call) {
  IdInfoV2 *info = call->params;
  Gpu *gpu = by_id(call->kernel, info->gpu);
  if (!gpu) return ERR_INVALID_ARGUMENT;
  info->flags = info->subdevice = info->sli = 0;
  info->device = info->instance = info->board = gpu - call->kernel->gpu;
  info->numa = -1;
  return OK;
}

static u32 drain_state(Call *call) {
  DrainState *drain = call->params;
  drain->state = drain->flags = 0;
  return OK;
}

u32 control_client(Call *call, u32 command) {
  switch (command) {
    case GPU_GET_PROBED_IDS:
    case GPU_GET_ATTACHED_IDS: return ids(call);
    case SYSTEM_GET_BUILD_VERSION: return build_version(call);
    case GPU_GET_PCI_INFO: return pci_info(call);
    case GPU_GET_ID_INFO: return id_info(call);
    case GPU_GET_ID_INFO_V2: return id_info_v2(call);
    case GPU_QUERY_DRAIN_STATE: return drain_state(call);
    case GPU_ATTACH_IDS:
    case GPU_DETACH_IDS:
    case GPU_ASYNC_ATTACH_ID:
    case GPU_WAIT_ATTACH_ID: return OK;
    default: return ERR_NOT_SUPPORTED;
  }
}
