/*
 * Parameters of the controls of MIG. The resource manager calls a GPU instance a partition, and a compute instance an
 * execution partition. Of what changed since driver 470 there is that driver's form too, which its size tells.
 */
#ifndef NVEMU_MIG_H
#define NVEMU_MIG_H

#include "abi.h"

enum { PARTITIONS = 8, PARTITION_IDS = 9, EXEC_PARTITIONS = 8, ENGINES = 8 };

/* Both ends belong to it. */
typedef struct {
  u64 lo, hi;
} Span;

/* NV2080_CTRL_GPU_PARTITION_FLAG: memory in two bits, compute in three, graphics in three, engines and placement. */
enum { MEMORY_FULL, MEMORY_HALF, MEMORY_QUARTER, MEMORY_EIGHTH };
enum {
  COMPUTE_FULL,
  COMPUTE_HALF,
  COMPUTE_MINI_HALF,
  COMPUTE_QUARTER,
  COMPUTE_MINI_QUARTER,
  COMPUTE_EIGHTH,
  COMPUTE_SIZES
};
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
