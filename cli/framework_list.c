#include "framework_list.h"
#include "report.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

#define LEVELS                                                                                                         \
  {                                                                                                                    \
    MSG_LEVEL_UNKNOWN, MSG_LEVEL_NO, MSG_LEVEL_PARTLY, MSG_LEVEL_YES                                                   \
  }
#define ROW(member, name, ...)                                                                                         \
  {                                                                                                                    \
#member, name, offsetof(dtc_traits, member), __VA_ARGS__                                                           \
  }

const trait traits_list[TRAITS] = {
    ROW(dp, MSG_TRAIT_DP, LEVELS),
    ROW(zero1, MSG_TRAIT_ZERO1, LEVELS),
    ROW(zero2, MSG_TRAIT_ZERO2, LEVELS),
    ROW(zero3, MSG_TRAIT_ZERO3, LEVELS),
    ROW(tp, MSG_TRAIT_TP, LEVELS),
    ROW(sp, MSG_TRAIT_SP, LEVELS),
    ROW(cp, MSG_TRAIT_CP, LEVELS),
    ROW(ep, MSG_TRAIT_EP, LEVELS),
    ROW(pp, MSG_TRAIT_PP, LEVELS),
    ROW(moe, MSG_TRAIT_MOE, LEVELS),
    ROW(offload_optimizer, MSG_TRAIT_OFFLOAD_OPTIMIZER, LEVELS),
    ROW(offload_params, MSG_TRAIT_OFFLOAD_PARAMS, LEVELS),
    ROW(offload_nvme, MSG_TRAIT_OFFLOAD_NVME, LEVELS),
    ROW(fp8, MSG_TRAIT_FP8, LEVELS),
    ROW(fp4, MSG_TRAIT_FP4, LEVELS),
    ROW(amd, MSG_TRAIT_AMD, LEVELS),
    ROW(ascend, MSG_TRAIT_ASCEND, LEVELS),
    ROW(elastic, MSG_TRAIT_ELASTIC, LEVELS),
    ROW(reshard, MSG_TRAIT_RESHARD, LEVELS),
    ROW(one_file, MSG_TRAIT_ONE_FILE, LEVELS),
    ROW(code, MSG_TRAIT_CODE, {MSG_LEVEL_UNKNOWN, MSG_CODE_FILE, MSG_CODE_WRAPPER, MSG_CODE_SCRIPT, MSG_CODE_MODEL}),
    ROW(work, MSG_TRAIT_WORK, {MSG_LEVEL_UNKNOWN, MSG_EFFORT_LITTLE, MSG_EFFORT_SOME, MSG_EFFORT_MUCH}),
    ROW(upkeep, MSG_TRAIT_UPKEEP, {MSG_LEVEL_UNKNOWN, MSG_UPKEEP_ACTIVE, MSG_UPKEEP_SLOW, MSG_UPKEEP_STALLED}),
    ROW(version, MSG_TRAIT_VERSION, {0}),
    ROW(changed, MSG_TRAIT_CHANGED, {0}),
    ROW(seen, MSG_TRAIT_SEEN, {0}),
};

uint32_t trait_value(const dtc_traits *t, const trait *row)
{
  uint32_t v = 0;
  memcpy(&v, (const unsigned char *)t + row->offset, sizeof v);
  return v;
}

/* 2.15.0, 0.19.8 */
static void release_text(uint32_t v, char out[TRAIT_TEXT])
{
  if (v % 1000 != 0)
    snprintf(out, TRAIT_TEXT, "%u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
  else
    snprintf(out, TRAIT_TEXT, "%u.%u", v / 1000000, v / 1000 % 1000);
}

void trait_text(const cli *c, const dtc_traits *t, const trait *row, char out[TRAIT_TEXT])
{
  uint32_t v = trait_value(t, row);
  if (row->words[0] != 0)
    snprintf(out, TRAIT_TEXT, "%s", v < 5 && row->words[v] != 0 ? say(c, row->words[v]) : "?");
  else if (v == 0)
    snprintf(out, TRAIT_TEXT, "?");
  else if (row->name == MSG_TRAIT_VERSION)
    release_text(v, out);
  else
    snprintf(out, TRAIT_TEXT, "%04u-%02u-%02u", v / 10000, v / 100 % 100, v % 100);
}

void framework_add(framework_list *l, size_t index)
{
  dtc_traits *t = &l->traits[l->count];
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; l->count < FRAMEWORKS_MOST && f <= DTC_FRAMEWORK_TORCHTITAN; f++)
    for (dtc_sharding s = DTC_SHARDING_DEFAULT; s <= DTC_SHARDING_FSDP; s++) {
      DTC_INIT(t);
      if (dtc_framework_traits(f, s, t, NULL) != DTC_OK || t->index != index)
        continue;
      l->index[l->count++] = index;
      return;
    }
}

void note_text(const cli *c, size_t index, dtc_note part, char *out, size_t cap)
{
  *out = 0;
  if (dtc_framework_note(index, part, c->lang, out, cap, NULL, NULL) != DTC_OK)
    *out = 0;
}

bool note_is_about(const cli *c, size_t index, const framework_list *l)
{
  char about[64];
  note_text(c, index, DTC_NOTE_ABOUT, about, sizeof about);
  for (size_t i = 0; i < l->count; i++)
    if (strcmp(about, dtc_traits_name(l->index[i])) == 0)
      return true;
  return *about == 0;
}

void note_print(const cli *c, size_t index)
{
  char about[64], old[512], told[1024], source[512], line[2400];
  note_text(c, index, DTC_NOTE_ABOUT, about, sizeof about);
  note_text(c, index, DTC_NOTE_OLD, old, sizeof old);
  note_text(c, index, DTC_NOTE_TRUE, told, sizeof told);
  note_text(c, index, DTC_NOTE_SOURCE, source, sizeof source);
  write_line(c, line, sizeof line, MSG_FRAMEWORKS_NOTE, *about == 0 ? say(c, MSG_FRAMEWORKS_ALL) : about, old, told,
             source);
  text_wrap(line, 2);
}
