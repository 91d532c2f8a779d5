package io.gpudra.kubeletplugin.device.nvml;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/**
 * The functions that are used, by the names that the library exports (nvidia.md 1.2). Handles are
 * pointers; a number is returned in an array of one, a text and a struct in bytes.
 */
interface NvmlLibrary extends Library {

  int nvmlInitWithFlags(int flags);

  int nvmlShutdown();

  String nvmlErrorString(int answer);

  int nvmlSystemGetDriverVersion(byte[] text, int length);

  int nvmlSystemGetCudaDriverVersion(int[] version);

  int nvmlDeviceGetCount_v2(int[] count);

  int nvmlDeviceGetHandleByIndex_v2(int index, PointerByReference device);

  int nvmlDeviceGetName(Pointer device, byte[] text, int length);

  int nvmlDeviceGetUUID(Pointer device, byte[] text, int length);

  int nvmlDeviceGetMinorNumber(Pointer device, int[] minor);

  int nvmlDeviceGetMemoryInfo(Pointer device, byte[] memory);

  int nvmlDeviceGetPciInfo_v3(Pointer device, byte[] pciInfo);

  int nvmlDeviceGetBrand(Pointer device, int[] brand);

  int nvmlDeviceGetArchitecture(Pointer device, int[] architecture);

  int nvmlDeviceGetCudaComputeCapability(Pointer device, int[] major, int[] minor);

  int nvmlDeviceGetEccMode(Pointer device, int[] current, int[] pending);

  int nvmlDeviceGetComputeMode(Pointer device, int[] mode);

  int nvmlDeviceSetComputeMode(Pointer device, int mode);

  int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetComputeRunningProcesses_v2(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetComputeRunningProcesses(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetGraphicsRunningProcesses_v3(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetGraphicsRunningProcesses_v2(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetGraphicsRunningProcesses(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetMPSComputeRunningProcesses_v3(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetMPSComputeRunningProcesses_v2(Pointer device, int[] count, byte[] infos);

  int nvmlDeviceGetCurrentClocksEventReasons(Pointer device, long[] reasons);

  int nvmlDeviceGetCurrentClocksThrottleReasons(Pointer device, long[] reasons);

  int nvmlDeviceGetGpuFabricInfoV(Pointer device, byte[] info);

  int nvmlDeviceGetGpuFabricInfo(Pointer device, byte[] info);

  int nvmlDeviceGetNvLinkState(Pointer device, int link, int[] active);

  int nvmlDeviceGetNvLinkRemotePciInfo_v2(Pointer device, int link, byte[] pciInfo);

  int nvmlDeviceGetNvLinkRemoteDeviceType(Pointer device, int link, int[] type);

  int nvmlDeviceGetMigMode(Pointer device, int[] current, int[] pending);

  int nvmlDeviceSetMigMode(Pointer device, int mode, int[] activation);

  int nvmlDeviceGetGpuInstanceProfileInfo(Pointer device, int profile, byte[] info);

  int nvmlDeviceGetGpuInstanceProfileInfoV(Pointer device, int profile, byte[] info);

  int nvmlDeviceGetGpuInstancePossiblePlacements_v2(
      Pointer device, int profileId, byte[] placements, int[] count);

  int nvmlDeviceCreateGpuInstanceWithPlacement(
      Pointer device, int profileId, byte[] placement, PointerByReference instance);

  int nvmlDeviceGetGpuInstances(Pointer device, int profileId, Pointer[] instances, int[] count);

  int nvmlGpuInstanceGetInfo(Pointer instance, byte[] info);

  int nvmlGpuInstanceDestroy(Pointer instance);

  int nvmlGpuInstanceGetComputeInstanceProfileInfo(
      Pointer instance, int profile, int engine, byte[] info);

  int nvmlGpuInstanceCreateComputeInstance(
      Pointer instance, int profileId, PointerByReference compute);

  int nvmlGpuInstanceCreateComputeInstanceWithPlacement(
      Pointer instance, int profileId, byte[] placement, PointerByReference compute);

  int nvmlGpuInstanceGetComputeInstancePossiblePlacements(
      Pointer instance, int profileId, byte[] placements, int[] count);

  int nvmlGpuInstanceGetComputeInstances(
      Pointer instance, int profileId, Pointer[] computes, int[] count);

  int nvmlComputeInstanceGetInfo_v2(Pointer compute, byte[] info);

  int nvmlComputeInstanceDestroy(Pointer compute);

  int nvmlDeviceGetMaxMigDeviceCount(Pointer device, int[] count);

  int nvmlDeviceGetMigDeviceHandleByIndex(Pointer device, int index, PointerByReference migDevice);

  int nvmlDeviceGetGpuInstanceId(Pointer migDevice, int[] id);

  int nvmlDeviceGetComputeInstanceId(Pointer migDevice, int[] id);

  int nvmlEventSetCreate(PointerByReference set);

  int nvmlEventSetFree(Pointer set);

  int nvmlDeviceGetSupportedEventTypes(Pointer device, long[] types);

  int nvmlDeviceRegisterEvents(Pointer device, long types, Pointer set);

  int nvmlEventSetWait_v2(Pointer set, byte[] event, int millis);
}
