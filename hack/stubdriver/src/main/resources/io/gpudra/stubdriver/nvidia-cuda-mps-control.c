/*
 * The program of a driver that serves the processes of a GPU: with -f it serves until it is told to end; otherwise it
 * passes what it reads on to who serves. Writes beside itself what it serves and what it is told. Who serves has a child
 * when it is told start_server, which a real one does for its first client; a child outlives a parent that is killed.
 * As a real one it knows devices by their places only, and passes over in silence what it does not take. Called
 * nvidia-cuda-mps-server it is such a child.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICES = 16, WORD = 64, LINE = 256 };

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

/* Connected to who serves, or waiting to be; -1 where that is impossible. */
static int at_pipe(int (*how)(int, const struct sockaddr *, socklen_t)) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path, sizeof name.sun_path, "%s/control", of("CUDA_MPS_PIPE_DIRECTORY"));
  int pipe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  return pipe < 0 || how(pipe, (struct sockaddr *)&name, sizeof name) ? -1 : pipe;
}

static pid_t child;

static void start_server(void) {
  if (child > 0) return;
  child = fork();
  if (child) return;
  for (int inherited = 3; inherited < 16; inherited++) close(inherited);
  for (;;) pause();
}

/* Whether all that served ended as it should. */
static int end_server(void) {
  int status = 0;
  if (child > 0 && !kill(child, SIGTERM)) waitpid(child, &status, 0);
  return child > 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static double percentage = 100;
static char limits[DEVICES][WORD];

/* The place of a device, or -1. */
static int place(const char *word) {
  char *rest;
  long ordinal = strtol(word, &rest, 10);
  return *word && !*rest && ordinal >= 0 && ordinal < DEVICES ? (int)ordinal : -1;
}

/* What is said about a command. */
static void answer(const char *line, char *says, size_t most) {
  char verb[LINE] = "", first[LINE] = "", second[LINE] = "";
  sscanf(line, "%255s %255s %255s", verb, first, second);
  int device = place(first);
  if (strstr(verb, "_default_active_thread_percentage")) {
    double wanted = atof(first);
    if (*verb == 's' && wanted > 0 && wanted <= 100) percentage = wanted;
    snprintf(says, most, "%.1f\n", percentage);
  } else if (!strcmp(verb, "set_default_device_pinned_mem_limit")) {
    if (device >= 0) snprintf(limits[device], WORD, "%.*s", WORD - 1, second);
  } else if (!strcmp(verb, "get_default_device_pinned_mem_limit")) {
    if (device >= 0 && *limits[device]) snprintf(says, most, "%s\n", limits[device]);
  } else if (!strcmp(verb, "start_server")) {
    start_server();
  } else if (!strcmp(verb, "get_server_list")) {
    if (child > 0) snprintf(says, most, "%d\n", child);
  } else {
    snprintf(says, most, "Unknown command \"%s\"\n", line);
  }
}

static int serve(void) {
  int pipe = at_pipe(bind);
  if (pipe < 0 || listen(pipe, 8)) return perror("control"), 1;
  note("serves", "%s %s\n", of("CUDA_VISIBLE_DEVICES"), of("LD_LIBRARY_PATH"));
  FILE *shared = fopen("/dev/shm/cuda.shm", "w"); /* which its clients look for */
  if (shared) fclose(shared);
  for (;;) {
    char line[LINE] = "", reply[LINE * 2] = "";
    int asks = accept(pipe, NULL, NULL);
    if (asks < 0) return perror("accept"), 1;
    int quits = recv(asks, line, sizeof line - 1, 0) > 0 && !strcmp(line, "quit");
    *reply = quits ? (char)end_server() : 0;
    if (!quits) answer(line, reply + 1, sizeof reply - 1);
    send(asks, reply, 1 + strlen(reply + 1), MSG_NOSIGNAL);
    close(asks);
    if (quits) return *reply;
  }
}

/* Ends as who serves says. */
static int pass_on(void) {
  char command[LINE] = "", reply[LINE * 2] = "";
  int pipe = at_pipe(connect);
  if (pipe < 0) return puts("Cannot find MPS control daemon process"), 1;
  if (!fgets(command, sizeof command, stdin)) return 1;
  note("told", "%s", command);
  command[strcspn(command, "\n")] = 0;
  if (send(pipe, command, strlen(command), MSG_NOSIGNAL) < 0 || recv(pipe, reply, sizeof reply - 1, 0) < 1) return 1;
  fputs(reply + 1, stdout);
  return *reply;
}

int main(int count, char **words) {
  if (strstr(words[0], "nvidia-cuda-mps-server")) for (;;) pause();
  return count > 1 && !strcmp(words[1], "-f") ? serve() : pass_on();
}
