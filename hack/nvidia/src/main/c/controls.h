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
enum { DEVICE_GET_VIRTUALIZATION_MODE = 0x800289, DEVICE_GET_VGX_CAPS = 0x80028e, DEVICE_GET_BRAND_CAPS = 0x800294 };

/* Of a GPU (NV2080: its subdevice). */
enum {
  GPU_GET_INFO = 0x20800101,
  GPU_GET_INFO_V2 = 0x20800102,
  GPU_GET_NAME_STRING = 0x20800110,
  GPU_SET_COMPUTE_MODE_RULES = 0x20800130,
  GPU_QUERY_COMPUTE_MODE_RULES = 0x20800131,
  GPU_GET_GID_INFO = 0x2080014a,
  GPU_SET_PARTITIONS = 0x20800174,
  GPU_GET_PARTITIONS = 0x20800175,
  GPU_GET_PARTITION_CAPACITY = 0x20800181,
  GPU_SET_PARTITIONING_MODE = 0x20800183,
  GPU_DESCRIBE_PARTITIONS = 0x20800185,
  GPU_GET_ACTIVE_PARTITION_IDS = 0x2080018b,
  GPU_GET_COMPUTE_PROFILES = 0x208001a2,
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

enum { PROBED_GPUS = 32 };

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

enum { PARTITIONS = 8, PARTITION_IDS = 9, EXEC_PARTITIONS = 8, ENGINES = 8 };

/* Both ends belong to it. */
typedef struct {
  u64 lo, hi;
} Span;

/* NV2080_CTRL_GPU_PARTITION_FLAG: memory in two bits, compute in three, graphics in three, engines and placement. */
enum { MEMORY_FULL, MEMORY_HALF, MEMORY_QUARTER, MEMORY_EIGHTH };
enum { COMPUTE_FULL, COMPUTE_HALF, COMPUTE_MINI_HALF, COMPUTE_QUARTER, COMPUTE_MINI_QUARTER, COMPUTE_EIGHTH, COMPUTE_SIZES };
#define PARTITION(memory, compute) ((memory) | (compute) << 2)
#define PARTITION_COMPUTE(flag) ((flag) >> 2 & 7)
#define PARTITION_DEC_JPG_OFA 0x40000000u
#define PARTITION_PLACE_AT_SPAN 0x80000000u

typedef struct {
  u32 count;
  struct {
    u32 id;
    u8 uuid[16];
    u32 flag;
    u8 valid; /* 0: destroy it */
    Span placement;
  } info[PARTITIONS];
} SetPartitions;

/* As 470 has it. */
typedef struct {
  u32 count;
  struct {
    u32 id, flag;
    u8 valid;
    Span placement;
  } info[PARTITIONS];
} SetPartitions470;

typedef struct {
  u32 id, flag, gr_engines, veids, sms, copy_engines, encoders, decoders, jpegs, ofas, gpcs, virtual_gpcs, gfx_gpcs;
  u32 gpcs_per_gr[ENGINES], virtual_gpcs_per_gr[ENGINES], gfx_gpcs_per_gr[ENGINES], veids_per_gr[ENGINES];
  u64 memory;
  Span span;
  u8 valid, error;
  u64 cts_ids, gfx_cts_ids;
} PartitionInfo;

/* As 470 has it. */
typedef struct {
  u32 id, flag, gr_engines, veids, sms, copy_engines, encoders, decoders, jpegs, ofas, gpcs;
  u32 gpcs_per_gr[ENGINES], veids_per_gr[ENGINES];
  u64 memory;
  Span span;
  u8 valid, error;
} PartitionInfo470;

typedef struct {
  u32 flag, count;
  Span available[PARTITIONS];
  u32 available_count, total_count;
  Span total[PARTITIONS];
  u32 total_spans;
} PartitionCapacity;

typedef struct {
  u32 flag, grs, gfx_grs, gpcs, virtual_gpcs, gfx_gpcs, veids, sms, copy_engines, encoders, decoders, jpegs, ofas;
  u64 memory;
} PartitionDescription;

typedef struct {
  u32 count;
  PartitionDescription description[];
} DescribePartitions;

/* As 470 has it. */
typedef struct {
  u32 flag, grs, gpcs, veids, sms, copy_engines, encoders, decoders, jpegs, ofas;
  u64 memory;
} PartitionDescription470;

enum { DESCRIPTIONS_470 = 8 };

typedef struct {
  u32 count;
  PartitionDescription470 description[DESCRIPTIONS_470];
} DescribePartitions470;

typedef struct {
  u32 id[PARTITION_IDS];
  u32 count;
} ActivePartitions;

typedef struct {
  u8 size;
  u32 gfx_gpcs, gpcs, veids, sms;
} ComputeProfileInfo;

typedef struct {
  u32 gpcs, gfx_gpcs, veids, copy_engines, encoders, decoders, jpegs, ofas, shared, veid_offset, sms, start, size;
} ExecPartition;

typedef struct {
  u8 query;
  u32 flags, count;
  ExecPartition info[EXEC_PARTITIONS];
  u32 id[EXEC_PARTITIONS];
} ExecPartitionsCreate;

enum { EXEC_AT_SPAN = 2 };

/* As 470 has it: its size is told by the count of GPCs, its place is the driver's choice. */
typedef struct {
  u32 gpcs, veids, copy_engines, encoders, decoders, jpegs, ofas, shared, veid_offset;
} ExecPartition470;

typedef struct {
  u8 query;
  u32 flags, count;
  ExecPartition470 info[EXEC_PARTITIONS];
  u32 id[EXEC_PARTITIONS];
  u32 unknown[9];
} ExecPartitionsCreate470;

typedef struct {
  u32 count;
  u32 id[EXEC_PARTITIONS];
} ExecPartitionsDelete;

typedef struct {
  u32 count;
  u32 id[EXEC_PARTITIONS];
  ExecPartition info[EXEC_PARTITIONS];
} ExecPartitions;

typedef struct {
  u32 count;
  u32 id[EXEC_PARTITIONS];
  ExecPartition470 info[EXEC_PARTITIONS];
} ExecPartitions470;

typedef struct {
  u8 bytes[16];
  char text[41];
} InstanceUuid;

typedef struct {
  u32 size, count;
  Span available[EXEC_PARTITIONS];
  u32 available_count, total_count;
  Span total[EXEC_PARTITIONS];
  u32 total_spans;
} ExecPartitionCapacity;

#endif
