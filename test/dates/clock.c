/*
 * Preloaded into a process, it moves the clock that people read by TEST_CLOCK_AHEAD seconds. Clocks that measure time stay, so timers
 * and timeouts take as long as they do. (libfaketime shows the true time to a signal that interrupts a wait: PostgreSQL's timeouts
 * would not end.)
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead;

__attribute__((constructor)) static void read_ahead(void) {
  const char *seconds = getenv("TEST_CLOCK_AHEAD");
  if (seconds) ahead = atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int failed = syscall(SYS_gettimeofday, now, zone);
  if (!failed) now->tv_sec += ahead;
  return failed;
}

time_t time(time_t *now) {
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (now) *now = read.tv_sec;
  return read.tv_sec;
}
