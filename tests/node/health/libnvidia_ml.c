/*
 * A stand-in for NVIDIA's management library: eight sound H100, and whatever else a file says.
 *
 * NVML_STUB names the file. Each of its lines is: GPU CALL ANSWER. The GPU is a number, or * for all and for calls that
 * are about none. The answer is a number, or ! and an error of nvmlReturn_t, or "hangs", or "crashes". Of several lines
 * that fit, the last one holds. With -DOLD_LIBRARY, functions that came later are missing.
 *
 * The functions, their arguments and errors: https://docs.nvidia.com/deploy/nvml-api/
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned int uint;
typedef unsigned long long ull;

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, ARGUMENT_VERSION_MISMATCH = 25 };
enum { LINKS = 18, FABRIC_COMPLETED = 3 };

/* Handles are indexes, plus one so that none is null. */
typedef void *device;
#define GPU(handle) ((int)(long)(handle) - 1)

/* What is told about a call on a GPU: an error, or success with the value changed where one is given. */
static int told(int gpu, const char *call, long long *value) {
  const char *name = getenv("NVML_STUB");
  FILE *file = name ? fopen(name, "r") : NULL;
  char line[200], which[20], of[100], answer[60];
  int error = SUCCESS;
  if (!file) return SUCCESS;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%19s %99s %59s", which, of, answer) != 3 || strcmp(of, call)) continue;
    if (strcmp(which, "*") && atoi(which) != gpu) continue;
    if (!strcmp(answer, "hangs")) for (;;) sleep(60);
    if (!strcmp(answer, "crashes")) abort();
    error = answer[0] == '!' ? atoi(answer + 1) : SUCCESS;
    if (answer[0] != '!') *value = atoll(answer);
  }
  fclose(file);
  return error;
}

static int number(device handle, const char *call, long long sound, ull *found, uint *narrow) {
  long long value = sound;
  int error = told(GPU(handle), call, &value);
  if (found) *found = (ull)value;
  if (narrow) *narrow = (uint)value;
  return error;
}

static int text(device handle, const char *call, const char *sound, char *found, uint length) {
  long long unused = 0;
  int error = told(GPU(handle), call, &unused);
  if (!error) snprintf(found, length, "%s", sound);
  return error;
}

int nvmlInitWithFlags(uint flags) {
  long long unused = flags;
  /* Libraries of vendors talk. */
  puts("{this is no JSON");
  fflush(stdout);
  return told(-1, "nvmlInitWithFlags", &unused);
}

const char *nvmlErrorString(int error) {
  return error == 28 ? "Gpu Not Found" : "Some Other Error";
}

int nvmlSystemGetDriverVersion(char *found, uint length) {
  return text((device)0, "nvmlSystemGetDriverVersion", "580.105.08", found, length);
}

int nvmlSystemGetNVMLVersion(char *found, uint length) {
  return text((device)0, "nvmlSystemGetNVMLVersion", "13.580.105.08", found, length);
}

int nvmlSystemGetCudaDriverVersion(int *found) { return number((device)0, "nvmlSystemGetCudaDriverVersion", 13000, NULL, (uint *)found); }

int nvmlDeviceGetCount_v2(uint *found) { return number((device)0, "nvmlDeviceGetCount_v2", 8, NULL, found); }

int nvmlDeviceGetHandleByIndex_v2(uint index, device *found) {
  *found = (device)(long)(index + 1);
  return number(*found, "nvmlDeviceGetHandleByIndex_v2", 0, NULL, NULL);
}

struct pci {
  char legacy[16];
  uint domain, bus, device, id, subsystem;
  char bus_id[32];
};

int nvmlDeviceGetPciInfo_v3(device handle, struct pci *found) {
  snprintf(found->bus_id, sizeof found->bus_id, "00000000:%02X:00.0", 0x53 + GPU(handle));
  return number(handle, "nvmlDeviceGetPciInfo_v3", 0, NULL, NULL);
}

int nvmlDeviceGetUUID(device handle, char *found, uint length) {
  char uuid[60];
  snprintf(uuid, sizeof uuid, "GPU-00000000-0000-0000-0000-00000000000%d", GPU(handle));
  return text(handle, "nvmlDeviceGetUUID", uuid, found, length);
}

int nvmlDeviceGetName(device handle, char *found, uint length) {
  return text(handle, "nvmlDeviceGetName", "NVIDIA H100 80GB HBM3", found, length);
}

int nvmlDeviceGetSerial(device handle, char *found, uint length) {
  char serial[30];
  snprintf(serial, sizeof serial, "165052300000%d", GPU(handle));
  return text(handle, "nvmlDeviceGetSerial", serial, found, length);
}

int nvmlDeviceGetEccMode(device handle, uint *current, uint *pending) {
  *pending = 1;
  return number(handle, "nvmlDeviceGetEccMode", 1, NULL, current);
}

int nvmlDeviceGetTotalEccErrors(device handle, int type, int counter, ull *found) {
  if (type != 1) return INVALID_ARGUMENT;
  return number(handle, counter ? "aggregate" : "volatile", 0, found, NULL);
}

int nvmlDeviceGetRemappedRows(device handle, uint *correctable, uint *uncorrectable, uint *pending, uint *failed) {
  int error = number(handle, "nvmlDeviceGetRemappedRows", 0, NULL, NULL);
  number(handle, "correctable", 0, NULL, correctable);
  number(handle, "uncorrectable", 0, NULL, uncorrectable);
  number(handle, "pending", 0, NULL, pending);
  number(handle, "failed", 0, NULL, failed);
  return error;
}

int nvmlDeviceGetRetiredPagesPendingStatus(device handle, uint *found) {
  (void)handle, (void)found;
  return NOT_SUPPORTED;
}

int nvmlDeviceGetMigMode(device handle, uint *current, uint *pending) {
  *pending = 0;
  return number(handle, "nvmlDeviceGetMigMode", 0, NULL, current);
}

int nvmlDeviceGetPowerUsage(device handle, uint *found) { return number(handle, "nvmlDeviceGetPowerUsage", 71500, NULL, found); }

int nvmlDeviceGetTemperature(device handle, int sensor, uint *found) {
  if (sensor) return INVALID_ARGUMENT;
  return number(handle, "nvmlDeviceGetTemperature", 34, NULL, found);
}

int nvmlDeviceGetPersistenceMode(device handle, uint *found) { return number(handle, "nvmlDeviceGetPersistenceMode", 1, NULL, found); }

int nvmlDeviceGetNvLinkState(device handle, uint link, uint *found) {
  char call[30];
  if (link >= LINKS) return INVALID_ARGUMENT;
  snprintf(call, sizeof call, "link%u", link);
  return number(handle, call, 1, NULL, found);
}

int nvmlDeviceGetNvLinkErrorCounter(device handle, uint link, int counter, ull *found) {
  static const char *const names[] = {"replays", "recoveries", "crc"};
  char call[30];
  if (link >= LINKS || counter > 2) return INVALID_ARGUMENT;
  snprintf(call, sizeof call, "%s%u", names[counter], link);
  return number(handle, call, 0, found, NULL);
}

struct fabric {
  unsigned char cluster[16];
  int status;
  uint clique, state;
};

int nvmlDeviceGetGpuFabricInfo(device handle, struct fabric *found) {
  long long status = 0;
  int error = told(GPU(handle), "fabric-status", &status);
  found->status = (int)status;
  return error ? error : number(handle, "fabric-state", FABRIC_COMPLETED, NULL, &found->state);
}

#ifdef OLD_LIBRARY
int nvmlDeviceGetCurrentClocksThrottleReasons(device handle, ull *found) { return number(handle, "clocks", 1, found, NULL); }
#else
int nvmlDeviceGetCurrentClocksEventReasons(device handle, ull *found) { return number(handle, "clocks", 1, found, NULL); }

/* Of the fields there is one: NVML_FI_DEV_GET_GPU_RECOVERY_ACTION. Each has an error of its own. */
enum { RECOVERY_ACTION = 230 };

struct field {
  uint id, scope;
  long long timestamp, latency_us;
  uint kind;
  int error;
  union { uint number; ull widest; } value;
};

int nvmlDeviceGetFieldValues(device handle, int count, struct field *fields) {
  if (count != 1 || fields->id != RECOVERY_ACTION) return INVALID_ARGUMENT;
  fields->error = number(handle, "recovery-action", 0, NULL, &fields->value.number);
  return SUCCESS;
}

/* The second version of the structure, whose number holds its size. */
struct fabric_v2 {
  uint version;
  struct fabric fabric;
  uint health;
};

int nvmlDeviceGetGpuFabricInfoV(device handle, struct fabric_v2 *found) {
  if (found->version != (sizeof *found | 2 << 24)) return ARGUMENT_VERSION_MISMATCH;
  number(handle, "fabric-health", 0, NULL, &found->health);
  return nvmlDeviceGetGpuFabricInfo(handle, &found->fabric);
}
#endif
