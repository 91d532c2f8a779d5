/*
 * The program of a driver that serves the processes of a GPU: with -f it serves until it is told to end; otherwise it
 * passes what it reads on to who serves. Writes beside itself what it serves and what it is told. Who serves has a child
 * when it is told start_server, which a real one does for its first client; a child outlives a parent that is killed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *of(const char *variable) {
  const char *value = getenv(variable);
  return value ? value : "";
}

__attribute__((format(printf, 2, 3))) static void note(const char *what, const char *words, ...) {
  char self[4096] = {0}, path[8192];
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return;
  snprintf(path, sizeof path, "%s.%s", self, what);
  FILE *file = fopen(path, "a");
  if (!file) return;
  va_list more;
  va_start(more, words);
  vfprintf(file, words, more);
  va_end(more);
  fclose(file);
}

static pid_t child;

static void start_server(int signal) {
  (void)signal;
  if (child > 0) return;
  child = fork();
  if (child) return;
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(SIGTERM, &usual, NULL);
}

static void quit(int signal) {
  (void)signal;
  if (child > 0) kill(child, SIGTERM);
  _exit(0);
}

static int serve(const char *pipe) {
  struct sigaction started = {.sa_handler = start_server}, told = {.sa_handler = quit};
  if (sigaction(SIGUSR1, &started, NULL) || sigaction(SIGTERM, &told, NULL)) return perror("sigaction"), 1;
  FILE *file = fopen(pipe, "w");
  if (!file) return perror(pipe), 1;
  fprintf(file, "%d\n", getpid());
  fclose(file);
  note("serves", "%s %s\n", of("CUDA_VISIBLE_DEVICES"), of("LD_LIBRARY_PATH"));
  FILE *shared = fopen("/dev/shm/cuda.shm", "w"); /* which its clients look for */
  if (shared) fclose(shared);
  for (;;) pause();
}

static int pass_on(const char *pipe) {
  int server;
  char command[256] = "";
  FILE *file = fopen(pipe, "r");
  if (!file || fscanf(file, "%d", &server) != 1 || kill(server, 0)) {
    puts("Cannot find MPS control daemon process");
    return 1;
  }
  if (!fgets(command, sizeof command, stdin)) return 1;
  note("told", "%s", command);
  command[strcspn(command, "\n")] = 0;
  if (!strcmp(command, "get_default_active_thread_percentage")) puts("100.0");
  if (!strcmp(command, "quit")) return kill(server, SIGTERM);
  return !strncmp(command, "start_server", strlen("start_server")) && kill(server, SIGUSR1);
}

int main(int count, char **words) {
  char pipe[4096];
  snprintf(pipe, sizeof pipe, "%s/control", of("CUDA_MPS_PIPE_DIRECTORY"));
  return count > 1 && !strcmp(words[1], "-f") ? serve(pipe) : pass_on(pipe);
}
