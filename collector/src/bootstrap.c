/* SPDX-License-Identifier: Apache-2.0
 *
 * libmoescope.so: the door. LD_PRELOAD puts it into every process of a job, shells and compilers included, so it is C,
 * needs libc and libdl of 2012 only, and does nothing but set two variables and remember the time. The collector
 * proper, libmoescope_core.so beside it, is loaded at the first annotation, NVTX range or CUDA initialisation; a
 * process that has none of them is never touched again.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/src/core_entry.h"

/* Newer glibc gives these a newer version; a preloaded object that asks for it keeps an older job from starting. */
#if defined(__x86_64__)
#define OLD_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLD_GLIBC "GLIBC_2.17"
#else
#error "libmoescope.so: which glibc version is the oldest of this architecture?"
#endif
__asm__(".symver dlopen,dlopen@" OLD_GLIBC);
__asm__(".symver dlsym,dlsym@" OLD_GLIBC);
__asm__(".symver dladdr,dladdr@" OLD_GLIBC);
__asm__(".symver dlerror,dlerror@" OLD_GLIBC);

#define PUBLIC __attribute__((visibility("default")))
#define LONGEST_PATH 4096

static int64_t image_start_ns;
static char own_path[LONGEST_PATH]; /* empty: unknown */
static const moescope_core_t* core; /* set once loaded */
static int complained;
static void (*real_exit)(int);
/* This thread is in dlopen: a signal handler that annotates meanwhile must not go there too. */
static __thread int loading __attribute__((tls_model("initial-exec")));

static size_t append(char* to, size_t at, const char* text) {
  const size_t length = strlen(text);
  if (at + length + 1 > LONGEST_PATH) return at;
  memcpy(to + at, text, length + 1);
  return at + length;
}

static size_t append_number(char* to, size_t at, int64_t value) {
  char digits[24];
  size_t i = sizeof digits;
  digits[--i] = 0;
  do {
    digits[--i] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0 && i > 0);
  return append(to, at, digits + i);
}

static int is_set(const char* name) {
  const char* value = getenv(name);
  return value != NULL && value[0] != 0;
}

/* Absolute: a relative path names nothing after a chdir. */
static void remember_path(const char* path) {
  size_t at = 0;
  if (path[0] != '/') {
    if (getcwd(own_path, sizeof own_path) == NULL) return;
    at = append(own_path, strlen(own_path), "/");
  }
  append(own_path, at, path);
}

/* LD_PRELOAD without `moescope record`: say once, here, where this process and its children record to. */
static void choose_run(void) {
  static const char* const job_ids[] = {"MOESCOPE_RUN_ID", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE",
                                        "OMPI_MCA_ess_base_jobid"};
  const char* id = NULL;
  char own_id[64], directory[LONGEST_PATH];
  struct timespec wall = {0, 0};
  size_t at, i;
  if (is_set("MOESCOPE_OUT") || getcwd(directory, sizeof directory) == NULL) return;
  for (i = 0; i < sizeof job_ids / sizeof job_ids[0] && id == NULL; ++i)
    if (is_set(job_ids[i])) id = getenv(job_ids[i]);
  if (id == NULL) {
    clock_gettime(CLOCK_REALTIME, &wall);
    at = append_number(own_id, 0, wall.tv_sec);
    at = append(own_id, at, "-");
    append_number(own_id, at, getpid());
    setenv("MOESCOPE_RUN_ID", own_id, 1);
    id = own_id;
  }
  at = append(directory, strlen(directory), "/moescope-run-");
  append(directory, at, id);
  setenv("MOESCOPE_OUT", directory, 1);
}

/* The one moment where setenv is safe: no other thread is there yet to be reading the environment. */
__attribute__((constructor)) static void loaded(void) {
  struct timespec now = {0, 0};
  Dl_info info;
  clock_gettime(CLOCK_MONOTONIC, &now);
  image_start_ns = now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
  memset(&info, 0, sizeof info);
  if (dladdr((void*)&image_start_ns, &info) != 0 && info.dli_fname != NULL) remember_path(info.dli_fname);
  *(void**)&real_exit = dlsym(RTLD_NEXT, "_exit");
  if (own_path[0] != '/') return;
  if (!is_set("NVTX_INJECTION64_PATH")) setenv("NVTX_INJECTION64_PATH", own_path, 1);
  if (!is_set("CUDA_INJECTION64_PATH")) setenv("CUDA_INJECTION64_PATH", own_path, 1);
  choose_run();
}

static void complain(const char* why) {
  char line[LONGEST_PATH];
  size_t at;
  const char* log = getenv("MOESCOPE_LOG");
  if (__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED) != 0) return;
  if (log != NULL && strcmp(log, "quiet") == 0) return;
  at = append(line, 0, "moescope: process ");
  at = append_number(line, at, getpid());
  at = append(line, at, " is not recorded: ");
  at = append(line, at, why != NULL ? why : "libmoescope_core.so does not match libmoescope.so");
  at = append(line, at, "\n");
  if (write(STDERR_FILENO, line, at) < 0) return;
}

/* Loads the core, once. Threads that come at the same time each go through dlopen, which does the work once and gives
 * all of them the same: waiting for one of them here could wait for a thread that waits for the loader's lock. */
static const moescope_core_t* load(void) {
  const moescope_core_t* loaded_core = NULL;
  char path[LONGEST_PATH];
  char* slash;
  void* library;
  union {
    void* object;
    moescope_core_entry_fn function;
  } entry;
  append(path, 0, own_path);
  slash = own_path[0] != 0 ? strrchr(path, '/') : NULL;
  append(path, slash != NULL ? (size_t)(slash - path) + 1 : 0, "libmoescope_core.so");
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    complain(dlerror());
    return NULL;
  }
  entry.object = dlsym(library, MOESCOPE_CORE_ENTRY);
  if (entry.object != NULL) loaded_core = entry.function(MOESCOPE_CORE_ABI, image_start_ns);
  if (loaded_core == NULL) {
    complain(NULL);
    return NULL;
  }
  __atomic_store_n(&core, loaded_core, __ATOMIC_RELEASE);
  return loaded_core;
}

static const moescope_core_t* load_core(void) {
  const moescope_core_t* loaded_core = __atomic_load_n(&core, __ATOMIC_ACQUIRE);
  if (loaded_core != NULL || loading || __atomic_load_n(&complained, __ATOMIC_RELAXED) != 0) return loaded_core;
  loading = 1;
  loaded_core = load();
  loading = 0;
  return loaded_core;
}

PUBLIC const void* moescope_api(uint32_t abi) {
  const moescope_core_t* c = load_core();
  return c != NULL ? c->api(abi) : NULL;
}

PUBLIC int InitializeInjectionNvtx2(void* export_table) {
  const moescope_core_t* c = load_core();
  /* Not preloaded but loaded by NVTX alone: annotations find us by name only from the global scope. */
  if (own_path[0] != 0) (void)dlopen(own_path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  return c != NULL ? c->nvtx(export_table) : 0;
}

/* What NVTX was before version 3 is not spoken: refused, such a library's ranges do nothing. */
PUBLIC int InitializeInjectionNvtx(void* export_table) {
  (void)export_table;
  return 0;
}

PUBLIC int InitializeInjectionNvtxExtension(void* module_info) {
  const moescope_core_t* c = load_core();
  return c != NULL ? c->nvtx_extension(module_info) : 0;
}

PUBLIC int InitializeInjection(void) {
  const moescope_core_t* c = load_core();
  return c != NULL ? c->cuda() : 1;
}

static void finish(const char* kind) {
  const moescope_core_t* c = __atomic_load_n(&core, __ATOMIC_ACQUIRE);
  if (c != NULL) c->finish(kind);
}

__attribute__((destructor)) static void leaving(void) {
  finish("exit");
}

/* Python's os._exit and its multiprocessing workers end here, past every destructor. */
PUBLIC __attribute__((noreturn)) void _exit(int status) {
  finish("_exit");
  if (real_exit != NULL) real_exit(status);
  for (;;) syscall(SYS_exit_group, status);
}

PUBLIC __attribute__((noreturn)) void _Exit(int status) {
  _exit(status);
}
