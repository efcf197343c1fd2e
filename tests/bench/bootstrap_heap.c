/* Counts a process's heap for the bootstrap benchmark: LD_PRELOADed into ranks that are inspected, not
 * timed. It counts what malloc really provided, so that the numbers are the same for every caller. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static atomic_long now, peak;

long bootstrap_heap_now(void) { return now; }

/* The maximum since the last call. */
long bootstrap_heap_peak(void) {
  const long most = peak;
  peak = now;
  return most;
}

static void *count(void *memory) {
  const long bytes = (now += memory ? (long)malloc_usable_size(memory) : 0);
  long most = peak;
  while (bytes > most && !atomic_compare_exchange_weak(&peak, &most, bytes)) {
  }
  return memory;
}

static void discount(void *memory) { now -= memory ? (long)malloc_usable_size(memory) : 0; }

void *malloc(size_t size) { return count(__libc_malloc(size)); }
void *calloc(size_t many, size_t size) { return count(__libc_calloc(many, size)); }
void *memalign(size_t alignment, size_t size) { return count(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *realloc(void *old, size_t size) {
  const long before = old ? (long)malloc_usable_size(old) : 0;
  void *const memory = __libc_realloc(old, size);
  if (!memory && size > 0) return NULL; /* the old block still exists */
  now -= before;
  return count(memory);
}

void free(void *memory) {
  discount(memory);
  __libc_free(memory);
}
