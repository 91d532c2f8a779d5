/* Controls of a GPU: what it is and how it is set. */
#include <stdio.h>
#include <string.h>

#include "kernel.h"

static u32 gid_info(Call *call) {
  GidInfo *gid = call->params;
  gid->length = snprintf(gid->data, sizeof gid->data, "%s", call->gpu->uuid) + 1;
  return OK;
}

static u32 name_string(Call *call) {
  NameString *name = call->params;
  snprintf(name->ascii, sizeof name->ascii, "%s", model(call->gpu->model)->name);
  return OK;
}

static u32 arch_info(Call *call) {
  ArchInfo *arch = call->params;
  *arch = (ArchInfo){.architecture = model(call->gpu->model)->architecture, .revision = 0xa1};
  return OK;
}

static u32 info(Call *call, u32 count, Info *entry) {
  for (u32 i = 0; i < count; i++) {
    switch (entry[i].index) {
      case INFO_SMC_MODE: entry[i].data = call->gpu->smc; break;
      case INFO_FOR_COMPUTING: entry[i].data = 1; break;
      default: entry[i].data = 0;
    }
  }
  return OK;
}

/* In KiB. */
static u32 memory_info(Call *call) {
  InfoList *list = call->params;
  for (u32 i = 0; i < list->count; i++) {
    switch (list->entry[i].index) {
      case FB_RAM_SIZE:
      case FB_TOTAL_RAM_SIZE:
      case FB_HEAP_SIZE:
      case FB_HEAP_FREE:
      case FB_USABLE_RAM_SIZE: list->entry[i].data = model(call->gpu->model)->mib << 10; break;
      default: list->entry[i].data = 0;
    }
  }
  return OK;
}

/* While it can be cut, a GPU has no compute mode. */
static u32 compute_mode(Call *call, int set) {
  if (call->gpu->smc == SMC_ENABLED) return ERR_NOT_SUPPORTED;
  if (set) call->gpu->compute_mode = *(u32 *)call->params;
  else *(u32 *)call->params = call->gpu->compute_mode;
  return OK;
}

static u32 pci_info(Call *call) {
  BusPciInfo *pci = call->params;
  u32 device = model(call->gpu->model)->pci_device;
  *pci = (BusPciInfo){.device = device << 16 | 0x10de, .subsystem = 0x146310de, .revision = 0xa1, .external_device = device};
  return OK;
}

/* It is no virtual GPU nor has any, and is of no brand for workstations. */
static u32 none(Call *call) {
  memset(call->params, 0, call->size);
  return OK;
}

u32 control_gpu(Call *call, u32 command) {
  switch (command) {
    case DEVICE_GET_VGX_CAPS:
    case DEVICE_GET_BRAND_CAPS:
    case DEVICE_GET_VIRTUALIZATION_MODE: return none(call);
    case BUS_GET_PCI_INFO: return pci_info(call);
    case GPU_GET_GID_INFO: return gid_info(call);
    case GPU_GET_NAME_STRING: return name_string(call);
    case GPU_GET_INFO: return info(call, ((InfoPointer *)call->params)->count, ((InfoPointer *)call->params)->entry);
    case GPU_GET_INFO_V2: return info(call, *(u32 *)call->params, ((InfoList *)call->params)->entry);
    case GPU_SET_COMPUTE_MODE_RULES: return compute_mode(call, 1);
    case GPU_QUERY_COMPUTE_MODE_RULES: return compute_mode(call, 0);
    case MC_GET_ARCH_INFO: return arch_info(call);
    case FB_GET_INFO_V2: return memory_info(call);
    case TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO: return OK;
    default: return control_partitions(call, command);
  }
}
