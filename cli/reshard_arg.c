#include "reshard_arg.h"

#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

static const char blanks[] = " \t\r\n;";

/* The option that sets a field of dtc_shards of this name; option_count when there is none. */
static size_t find_setting(const char *name, size_t len)
{
  size_t i = 0;
  for (; i < OPT_WORDS; i++) {
    const char *known = options[i].field >> 16 == DTC_STRUCT_shards ? dtc_field_name(options[i].field) : "";
    if (strlen(known) == len && memcmp(known, name, len) == 0)
      return i;
  }
  return option_count;
}

static int unknown_word(const cli *c, option_id id, const char *word)
{
  char list[512] = "N";
  for (size_t i = 0; i < OPT_WORDS; i++) {
    if (options[i].field >> 16 == DTC_STRUCT_shards)
      list_add(c, list, sizeof list, dtc_field_name(options[i].field));
  }
  list_add(c, list, sizeof list, "tp");
  return fail(c, MSG_SIDE_WORD, options[id].name, word, list);
}

/* "scheme=zero12", "tp=2"; a number alone is the world. */
static int read_word(const cli *c, option_id id, const char *word, reshard_side *out)
{
  const char *value = strchr(word, '=');
  char shown[160];
  if (value == NULL) {
    if (!text_read_u64(word, &out->shards.world) || out->shards.world == 0)
      return unknown_word(c, id, word);
    return 0;
  }
  size_t len = (size_t)(value++ - word);
  snprintf(shown, sizeof shown, "--%s: %s", options[id].name, word);
  if (len == 2 && memcmp(word, "tp", 2) == 0)
    return text_read_u64(value, &out->tp) && out->tp != 0 ? 0 : fail(c, MSG_BAD_WORD, shown, "N");
  size_t setting = find_setting(word, len);
  if (setting == option_count)
    return unknown_word(c, id, word);
  return field_set(c, &options[setting], shown, value, &out->shards);
}

/* --from, --to: over what the options say of both. */
static int read_side(const cli *c, const args *a, option_id id, reshard_side *out)
{
  const char *s = a->value[id];
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->shards);
  out->tp = 1;
  if (s == NULL)
    return fail(c, MSG_NEEDS_SIDES);
  if (fields_set(c, a, DTC_STRUCT_shards, &out->shards) != 0)
    return EXIT_BAD_INPUT;
  for (s += strspn(s, blanks); *s != 0; s += strspn(s, blanks)) {
    char word[128];
    size_t len = strcspn(s, blanks);
    snprintf(word, sizeof word, "%.*s", (int)len, s);
    if (len >= sizeof word)
      return unknown_word(c, id, word);
    if (read_word(c, id, word, out) != 0)
      return EXIT_BAD_INPUT;
    s += len;
  }
  if (out->shards.scheme == DTC_SHARD_SCHEME_DEFAULT || out->shards.world == 0)
    return fail(c, MSG_SIDE_WORLD, options[id].name);
  if (dtc_shards_resolve(&out->shards, &out->shards, &err) != DTC_OK)
    return fail_with(c, options[id].name, &err);
  return 0;
}

static int read_form(const cli *c, const args *a, reshard_arg *out)
{
  const char *form = a->value[OPT_FORM];
  const char *bandwidth = a->value[OPT_BANDWIDTH];
  dtc_release version = 0;
  if (form != NULL && value_read(c, "form", DTC_FIELD(reshard, form), form, &out->form, &version) != 0)
    return EXIT_BAD_INPUT;
  if (bandwidth != NULL && !text_read_bytes(bandwidth, &out->bandwidth))
    return fail(c, MSG_BAD_VALUE, "bandwidth", bandwidth, options[OPT_BANDWIDTH].value);
  return 0;
}

bool reshard_boxes(const reshard_arg *r)
{
  return r->from.shards.scheme == DTC_SHARD_SCHEME_FSDP2 && r->to.shards.scheme == DTC_SHARD_SCHEME_FSDP2;
}

int reshard_arg_read(const cli *c, const args *a, reshard_arg *out)
{
  memset(out, 0, sizeof *out);
  if (read_side(c, a, OPT_FROM, &out->from) != 0 || read_side(c, a, OPT_TO, &out->to) != 0 ||
      read_form(c, a, out) != 0 || tensors_read(c, a, NULL, &out->tensors) != 0)
    return EXIT_BAD_INPUT;
  if (!reshard_boxes(out) && (out->from.tp > 1 || out->to.tp > 1))
    return fail(c, MSG_TP_NEEDS_FSDP2);
  return shards_lay(c, &out->tensors, &out->from.shards, &out->from.slots, &out->from.totals) != 0 ||
                 shards_lay(c, &out->tensors, &out->to.shards, &out->to.slots, &out->to.totals) != 0
             ? EXIT_BAD_INPUT
             : 0;
}
