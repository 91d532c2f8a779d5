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

static u32 pci_info(Call *call) {
  BusPciInfo *pci = call->params;
  u32 device = model(call->gpu->model)->pci_device;
  *pci = (BusPciInfo){
      .device = device << 16 | 0x10de, .subsystem = 0x146310de, .revision = 0xa1, .external_device = device};
  return OK;
}

/* It is no virtual GPU nor has any, and is of no brand for workstations. */
static u32 none(Call *call) {
  memset(call->params, 0, call->size);
  return OK;
}

/* Every object of the information ROM is of some version. */
static u32 inforom(Call *call) {
  InforomVersion *version = call->params;
  version->version = 2;
  version->subversion = 1;
  return OK;
}

static u32 ecc(Call *call) {
  EccConfiguration *ecc = call->params;
  ecc->current = ecc->standard = 1;
  return OK;
}

static u32 ecc_status(Call *call) {
  EccUnit *unit = call->params;
  u32 count = (call->size - ECC_STATUS_TAIL) / sizeof *unit;
  memset(unit, 0, call->size);
  for (u32 i = 0; i < count; i++) unit[i] = (EccUnit){.enabled = 1, .scrubbed = 1, .supported = 1};
  return OK;
}

static u32 fabric(Call *call) {
  FabricProbe *probe = call->params;
  if (!call->gpu->fabric) return ERR_NOT_SUPPORTED;
  memset(probe, 0, call->size);
  probe->state = call->gpu->fabric;
  return OK;
}

u32 control_gpu(Call *call, u32 command) {
  switch (command) {
    case DEVICE_GET_VGX_CAPS:
    case DEVICE_GET_BRAND_CAPS:
    case DEVICE_GET_VIRTUALIZATION_MODE: return none(call);
    case GPU_GET_INFOROM_OBJECT_VERSION: return inforom(call);
    case GPU_QUERY_INFOROM_ECC_SUPPORT: return OK;
    case GPU_QUERY_ECC_STATUS: return ecc_status(call);
    case GPU_QUERY_ECC_CONFIGURATION: return ecc(call);
    case GPU_GET_FABRIC_PROBE_INFO: return fabric(call);
    case BUS_GET_PCI_INFO: return pci_info(call);
    case GPU_GET_GID_INFO: return gid_info(call);
    case GPU_GET_NAME_STRING: return name_string(call);
    case GPU_GET_INFO: return info(call, ((InfoPointer *)call->params)->count, ((InfoPointer *)call->params)->entry);
    case GPU_GET_INFO_V2: return info(call, *(u32 *)call->params, ((InfoList *)call->params)->entry);
    case MC_GET_ARCH_INFO: return arch_info(call);
    case FB_GET_INFO_V2: return memory_info(call);
    case EVENT_SET_NOTIFICATION: return event_set(call->kernel, call->gpu - call->kernel->gpu, call->params);
    case TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO: return OK;
    default: return control_use(call, command);
  }
}
