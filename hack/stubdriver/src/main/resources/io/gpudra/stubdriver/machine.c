#define _GNU_SOURCE
#include "machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static Machine *mapped;

static void beside(char *path, size_t length, const char *name) {
  Dl_info here;
  dladdr((void *)machine_open, &here);
  const char *end = strrchr(here.dli_fname, '/');
  snprintf(path, length, "%.*s/%s", end ? (int)(end - here.dli_fname) : 1, end ? here.dli_fname : ".", name);
}

static void read_gpu(Machine *m, const char *line) {
  Gpu *g = &m->gpu[m->gpus++];
  sscanf(line, "gpu %63s %u %31s %llu %u %u %u.%u %d %d %d %63[^\n]", g->uuid, &g->minor, g->bus, &g->mib, &g->brand,
         &g->architecture, &g->major_cc, &g->minor_cc, &g->ecc, &g->mig, &g->needs_reset, g->name);
  g->pending = g->mig;
}

static void read_profile(Machine *m, const char *line) {
  Gpu *g = &m->gpu[m->gpus - 1];
  Profile *p = &g->profile[g->profiles++];
  char starts[64];
  sscanf(line, "profile %d %u %u %u %u %u %llu %63s %63s", &p->number, &p->id, &p->slices, &p->size, &p->most, &p->told,
         &p->mib, starts, p->name);
  for (char *at = strtok(starts, ","); at; at = strtok(NULL, ",")) p->start[p->starts++] = atoi(at);
}

/* Links are of pairs, or of a GPU and the switches. */
static void read_link(Machine *m, const char *line) {
  int of, peer, count;
  if (sscanf(line, "link %d %d %d", &of, &peer, &count) != 3) return;
  for (Gpu *g = &m->gpu[of]; count > 0; count--) {
    g->link[g->links].switched = peer < 0;
    g->link[g->links++].peer = peer;
  }
}

static void read_all(Machine *m) {
  char path[4096], line[512];
  beside(path, sizeof path, "machine.conf");
  FILE *conf = fopen(path, "r");
  if (!conf) return;
  while (fgets(line, sizeof line, conf)) {
    if (!strncmp(line, "gpu ", 4) && m->gpus < GPUS) read_gpu(m, line);
    if (!strncmp(line, "profile ", 8)) read_profile(m, line);
    if (!strncmp(line, "link ", 5)) read_link(m, line);
    sscanf(line, "driver %79s", m->driver);
    sscanf(line, "cuda %d", &m->cuda);
  }
  fclose(conf);
}

/* Only Ampere remembers its MIG mode (nvidia.md 2.3). */
void machine_boot(Machine *m) {
  enum { AMPERE = 7 };
  Machine before = *m;
  memset(m, 0, sizeof *m);
  read_all(m);
  m->made = before.made;
  m->happened = before.happened;
  for (int i = 0; i < m->gpus && i < before.gpus; i++) {
    m->gpu[i].generation = before.gpu[i].generation + 1;
    m->gpu[i].falls = before.gpu[i].falls + 1;
    if (m->gpu[i].architecture == AMPERE) m->gpu[i].mig = m->gpu[i].pending = before.gpu[i].pending;
  }
}

Machine *machine_open(void) {
  pthread_mutex_lock(&threads);
  if (!mapped) {
    char path[4096];
    beside(path, sizeof path, "machine.state");
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) {
      flock(file, LOCK_EX);
      struct stat there;
      fstat(file, &there);
      int fresh = there.st_size == 0;
      if (fresh && ftruncate(file, sizeof(Machine))) fresh = 0;
      void *at = mmap(NULL, sizeof(Machine), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (at != MAP_FAILED) {
        mapped = at;
        if (fresh) read_all(mapped);
      }
      flock(file, LOCK_UN);
    }
  }
  pthread_mutex_unlock(&threads);
  return mapped;
}

void machine_lock(void) {
  pthread_mutex_lock(&threads);
  flock(file, LOCK_EX);
}

void machine_unlock(void) {
  flock(file, LOCK_UN);
  pthread_mutex_unlock(&threads);
}

nvmlReturn_t machine_fault(Machine *m, const char *function, const char *uuid) {
  char path[4096], line[256], name[128], of[64], what[16];
  int number, answer = SUCCESS;
  beside(path, sizeof path, "faults.conf");
  FILE *faults = fopen(path, "r");
  if (!faults) return SUCCESS;
  for (int i = 0; i < FAULTS && answer == SUCCESS && fgets(line, sizeof line, faults); i++) {
    if (sscanf(line, "%127s %63s %15s %d", name, of, what, &number) != 4) continue;
    if (strcmp(name, function) || (strcmp(of, "*") && strcmp(of, uuid))) continue;
    if (!strcmp(what, "delay")) {
      usleep(number * 1000);
    } else if (m->failed[i] < number) {
      m->failed[i]++;
      answer = atoi(what);
    }
  }
  fclose(faults);
  return answer;
}
