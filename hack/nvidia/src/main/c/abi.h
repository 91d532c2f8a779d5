/*
 * What NVIDIA's libraries and the kernel module say to each other, as the module's public source has it
 * (open-gpu-kernel-modules: nv-ioctl.h, nvos.h, ctrl*.h): numbers and structures of the same names.
 */
#ifndef NVEMU_ABI_H
#define NVEMU_ABI_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* NV_ESC_*: the number of an ioctl. */
enum {
  ESC_RM_FREE = 0x29,
  ESC_RM_CONTROL = 0x2a,
  ESC_RM_ALLOC = 0x2b,
  ESC_RM_GET_EVENT_DATA = 0x52,
  ESC_CARD_INFO = 0xc8,
  ESC_ALLOC_OS_EVENT = 0xce,
  ESC_CHECK_VERSION = 0xd2,
  ESC_SYS_PARAMS = 0xd6
};

/* NV_OK and NV_ERR_*: what the resource manager (RM) answers. */
enum {
  OK = 0,
  ERR_GPU_IS_LOST = 0x0f,
  ERR_INSUFFICIENT_RESOURCES = 0x1a,
  ERR_INVALID_ARGUMENT = 0x1f,
  ERR_INVALID_OBJECT = 0x31,
  ERR_INVALID_PARAM_STRUCT = 0x3a,
  ERR_NOT_SUPPORTED = 0x56,
  ERR_OBJECT_NOT_FOUND = 0x57,
  ERR_OPERATING_SYSTEM = 0x59,
  ERR_STATE_IN_USE = 0x63
};

/* Classes of objects. */
enum {
  CLASS_ROOT = 0x0,
  CLASS_ROOT_CLIENT = 0x41,
  CLASS_OS_EVENT = 0x79,
  CLASS_DEVICE = 0x80,
  CLASS_SUBDEVICE = 0x2080,
  CLASS_MPS_COMPUTE = 0x900e,
  CLASS_GPU_INSTANCE = 0xc637,
  CLASS_COMPUTE_INSTANCE = 0xc638
};

typedef struct {
  u32 root, parent, old;
  u32 status;
} FreeParams; /* NVOS00 */

typedef struct {
  u32 root, parent, made, class;
  void *params;
} AllocHead; /* of NVOS21 and of NVOS64 */

typedef struct {
  AllocHead head;
  u32 size, status;
} AllocParams; /* NVOS21 */

typedef struct {
  AllocHead head;
  u64 rights;
  u32 size, flags, status;
} AllocAccessParams; /* NVOS64 */

typedef struct {
  u32 client, object, command, flags;
  void *params;
  u32 size, status;
} ControlParams; /* NVOS54 */

typedef struct {
  u32 device; /* its instance, which GPU_GET_ID_INFO tells */
} DeviceAlloc;

typedef struct {
  u64 capability; /* a file descriptor */
  u32 id;
} InstanceAlloc; /* of a GPU instance and of a compute instance */

typedef struct {
  u32 client, device, fd;
  u32 status;
} OsEvent;

typedef struct {
  u32 client, source, class, index; /* the lower half is what it listens for */
  u64 fd;
} EventAlloc;

/* As 470 has it. */
typedef struct {
  u32 unknown, client, source, class, index;
  u64 fd;
} EventAlloc470;

typedef struct {
  u32 object, index, info32;
  u16 info16; /* for an XID: 15 times the id of the GPU instance that it is of, and the id of the compute instance */
} UnixEvent;

enum { NO_GPU_INSTANCE = 15, NO_COMPUTE_INSTANCE = 8 };

typedef struct {
  UnixEvent *event;
  u32 more, status;
} EventData; /* NVOS41 */

typedef struct {
  u32 command, reply;
  char version[64];
} VersionCheck;

typedef struct {
  u8 valid;
  struct {
    u32 domain;
    u8 bus, slot, function;
    u16 vendor, device;
  } pci;
  u32 gpu_id;
  u16 interrupt;
  u64 registers, registers_size, memory, memory_size;
  u32 minor;
  u8 name[10];
} CardInfo;

#endif
