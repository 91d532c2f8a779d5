/*
 * The program of a driver that loads its modules: nvidia-modprobe -u -c 0 makes the device nodes of unified memory, and
 * what else it is told it does not understand.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int node(const char *file) {
  enum { MEMORY = 1, FULL = 7 };
  if (!mknod(file, S_IFCHR | 0666, makedev(MEMORY, FULL)) || !symlink("/dev/full", file)) return 0;
  return printf("%s: %s\n", file, strerror(errno)), 1;
}

int main(int count, char **words) {
  if (count != 4 || strcmp(words[1], "-u") || strcmp(words[2], "-c") || strcmp(words[3], "0"))
    return puts("unrecognized option"), 1;
  return node("/dev/nvidia-uvm") || node("/dev/nvidia-uvm-tools");
}
