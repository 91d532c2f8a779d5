/* NV0000_CTRL_CMD_*, NV0080_*, NV2080_* and NVC637_*: what is asked of the objects of RM, and with what parameters. */
#ifndef NVEMU_CONTROLS_H
#define NVEMU_CONTROLS_H

#include "abi.h"

/* Of a client. */
enum {
  SYSTEM_GET_BUILD_VERSION = 0x101,
  GPU_GET_ATTACHED_IDS = 0x201,
  GPU_GET_ID_INFO = 0x202,
  GPU_GET_ID_INFO_V2 = 0x205,
  GPU_GET_PROBED_IDS = 0x214,
  GPU_ATTACH_IDS = 0x215,
  GPU_DETACH_IDS = 0x216,
  GPU_GET_PCI_INFO = 0x21b,
  GPU_QUERY_DRAIN_STATE = 0x279,
  GPU_ASYNC_ATTACH_ID = 0x289,
  GPU_WAIT_ATTACH_ID = 0x290,
  CLIENT_GET_HANDLE_INFO = 0xd02
};

/* Of a device. */
enum {
  DEVICE_GET_CLASSLIST = 0x800201,
  DEVICE_GET_VIRTUALIZATION_MODE = 0x800289,
  DEVICE_GET_VGX_CAPS = 0x80028e,
  DEVICE_GET_CLASSLIST_V2 = 0x800292,
  DEVICE_GET_BRAND_CAPS = 0x800294
};

/* Of a GPU (NV2080: its subdevice). */
enum {
  GPU_GET_INFO = 0x20800101,
  GPU_GET_INFO_V2 = 0x20800102,
  GPU_GET_NAME_STRING = 0x20800110,
  GPU_SET_COMPUTE_MODE_RULES = 0x20800130,
  GPU_QUERY_COMPUTE_MODE_RULES = 0x20800131,
  GPU_QUERY_ECC_STATUS = 0x2080012f,
  GPU_QUERY_ECC_CONFIGURATION = 0x20800133,
  GPU_GET_GID_INFO = 0x2080014a,
  GPU_GET_INFOROM_OBJECT_VERSION = 0x2080014b,
  GPU_QUERY_INFOROM_ECC_SUPPORT = 0x20800157,
  GPU_SET_PARTITIONS = 0x20800174,
  GPU_GET_PARTITIONS = 0x20800175,
  GPU_GET_PARTITION_CAPACITY = 0x20800181,
  GPU_SET_PARTITIONING_MODE = 0x20800183,
  GPU_DESCRIBE_PARTITIONS = 0x20800185,
  GPU_GET_ACTIVE_PARTITION_IDS = 0x2080018b,
  GPU_GET_PIDS = 0x2080018d,
  GPU_GET_PID_INFO = 0x2080018e,
  GPU_GET_COMPUTE_PROFILES = 0x208001a2,
  GPU_GET_FABRIC_PROBE_INFO = 0x208001a3,
  EVENT_SET_NOTIFICATION = 0x20800301,
  TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO = 0x20800406,
  FB_GET_INFO_V2 = 0x20801303,
  MC_GET_ARCH_INFO = 0x20801701,
  BUS_GET_PCI_INFO = 0x20801801
};

/* Of a compute instance. */
enum { EXEC_PARTITION_GET_UUID = 0xc6380101 };

/* Of a GPU instance. */
enum {
  EXEC_PARTITIONS_CREATE = 0xc6370101,
  EXEC_PARTITIONS_DELETE = 0xc6370102,
  EXEC_PARTITIONS_GET = 0xc6370103,
  EXEC_PARTITIONS_GET_ACTIVE_IDS = 0xc6370104,
  EXEC_PARTITIONS_GET_PROFILE_CAPACITY = 0xc63701a9
};

typedef struct {
  u32 size;
  char *driver, *version, *title;
  u32 change, official_change;
} BuildVersion;

typedef struct {
  u32 gpu, flags, device, subdevice;
  char *name; /* not written */
  u32 sli, board, instance;
  int numa;
} IdInfo;

typedef struct {
  u32 gpu, flags, device, subdevice, sli, board, instance;
  int numa;
} IdInfoV2;

typedef struct {
  u32 gpu, domain;
  u16 bus, slot;
} PciInfo;

typedef struct {
  u32 gpu, state, flags;
} DrainState;

typedef struct {
  u32 object, index;
  u32 result;
} HandleInfo;

enum { HANDLE_PARENT = 1, HANDLE_CLASS = 2 };

typedef struct {
  u32 index, data;
} Info;

/* Of GPU_GET_INFO. */
typedef struct {
  u32 count;
  Info *entry;
} InfoPointer;

/* Of GPU_GET_INFO_V2 and FB_GET_INFO_V2. */
typedef struct {
  u32 count;
  Info entry[];
} InfoList;

/* The first is not in the public source; without it the library takes a GPU for a GeForce. */
enum { INFO_FOR_COMPUTING = 0x11, INFO_SMC_MODE = 0x2a };
enum { SMC_UNSUPPORTED, SMC_ENABLED, SMC_DISABLED, SMC_ENABLE_PENDING, SMC_DISABLE_PENDING };
enum { FB_RAM_SIZE = 7, FB_TOTAL_RAM_SIZE = 8, FB_HEAP_SIZE = 9, FB_HEAP_FREE = 0x16, FB_USABLE_RAM_SIZE = 0x20 };

typedef struct {
  u32 flags;
  char ascii[64];
} NameString;

typedef struct {
  u32 count;
  u32 *class; /* NULL: only the count is asked for */
} ClassPointer;

typedef struct {
  u32 count, class[];
} ClassList;

typedef struct {
  char object[3];
  u8 version, subversion;
} InforomVersion;

typedef struct {
  u32 current, standard;
} EccConfiguration;

/* Of each unit that has memory; how many there are depends on the driver. */
typedef struct {
  u8 enabled, scrubbed, supported;
  u64 double_bit, double_bit_ever, single_bit, single_bit_ever;
} EccUnit;

enum { ECC_STATUS_TAIL = 24 };

typedef struct {
  u8 state; /* 1: not started, 2: in progress, 3: completed with that status */
  u32 status;
  u8 cluster[16];
  u16 partition;
  u64 caps;
  u32 clique;
} FabricProbe;

enum { PIDS_OF_CLASS = 0 };

typedef struct {
  u32 type, id, count, pid[];
} Pids;

enum { PID_INFOS = 200 };

/* The head of an entry of GPU_GET_PID_INFO. */
typedef struct {
  u32 pid, index, result;
  u64 memory;
} PidInfo;

typedef struct {
  u32 index, flags, length;
  char data[256];
} GidInfo;

typedef struct {
  u32 architecture, implementation, revision;
  u8 subrevision;
} ArchInfo;

typedef struct {
  u32 device, subsystem, revision, external_device; /* the vendor is in the lower half of the first two */
} BusPciInfo;

typedef struct {
  u32 event, action; /* 0: none any more */
} EventNotification;

enum { NOTIFY_RC_ERROR = 0x25, NOTIFY_ECC_DBE = 0x70 };

#endif
