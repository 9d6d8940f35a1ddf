/* The library without a C library: this file holds all that it may ask for. It is linked with the objects under
 * -nostdlib -static; the program says by its exit status whether a few calls gave what they must. x86-64 and aarch64,
 * Linux. */
#include <dtcore.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  unsigned char *t = to;
  const unsigned char *f = from;
  while (n-- > 0)
    *t++ = *f++;
  return to;
}

void *memmove(void *to, const void *from, size_t n)
{
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t <= f)
    return memcpy(to, from, n);
  while (n-- > 0)
    t[n] = f[n];
  return to;
}

void *memset(void *to, int value, size_t n)
{
  unsigned char *t = to;
  while (n-- > 0)
    *t++ = (unsigned char)value;
  return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
  const unsigned char *x = a;
  const unsigned char *y = b;
  for (; n > 0; n--, x++, y++)
    if (*x != *y)
      return *x < *y ? -1 : 1;
  return 0;
}

int bcmp(const void *a, const void *b, size_t n);
int bcmp(const void *a, const void *b, size_t n)
{
  return memcmp(a, b, n);
}

size_t strlen(const char *s)
{
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

double sqrt(double x);
double sqrt(double x)
{
#if defined(__x86_64__)
  __asm__("sqrtsd %0, %0" : "+x"(x));
#else
  __asm__("fsqrt %d0, %d0" : "+w"(x));
#endif
  return x;
}

/* Number of the first step that went wrong, else 0. */
static int use(void)
{
  static const char text[] = "dtcore: model=llama-3-70b megatron tp=8 pp=4 dp=16 sp mbs=1 gbs=1024 seq=4096";
  char line[256];
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_memory memory;
  dtc_error err;
  double flops = 0;
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&memory);
  DTC_INIT(&err);
  if (dtc_plan_parse(text, sizeof text - 1, &model, &plan, &err) != DTC_OK || plan.tp != 8)
    return 1;
  if (dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 2;
  if (dtc_memory_estimate(&model, &cluster, &plan, NULL, 0, &memory, &err) != DTC_OK || memory.device == 0)
    return 3;
  if (dtc_model_flops(&model, 4096, DTC_FLOPS_MEGATRON, &flops, &err) != DTC_OK || !(flops > 1e11))
    return 4;
  plan.tp = 7;
  if (dtc_plan_resolve(&model, &cluster, &plan, &plan, &err) == DTC_OK ||
      dtc_error_format(&err, DTC_LANG_ZH, line, sizeof line) == 0)
    return 5;
  return 0;
}

static _Noreturn void leave(long status)
{
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(60L), "D"(status) : "rcx", "r11", "memory");
#else
  register long number __asm__("x8") = 93;
  register long first __asm__("x0") = status;
  __asm__ volatile("svc 0" : : "r"(number), "r"(first) : "memory");
#endif
  for (;;) {
  }
}

/* The kernel jumps here with the stack aligned to 16 bytes, where a called function expects it 8 off. */
void _start(void);
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
void _start(void)
{
  leave(use());
}
