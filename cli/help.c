#include "cmd.h"
#include "table.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

static const char *in(const cli *c, const char *en, const char *zh)
{
  return c->lang == DTC_LANG_ZH ? zh : en;
}

/* A row of the table of options; what does not fit stands below. */
static void option_row(table *t, const char *left, const char *right, size_t room)
{
  do {
    char line[512];
    size_t n = text_fits(right, room);
    snprintf(line, sizeof line, "%.*s", (int)(n > 0 && right[n - 1] == ' ' ? n - 1 : n), right);
    table_cell(t, left);
    table_cell(t, line);
    left = "";
    right += n;
  } while (*right != 0);
}

static void option_left(const option *o, char out[64])
{
  snprintf(out, 64, o->value == NULL ? "--%s" : "--%s %s", o->name, o->value);
}

static void print_options(const cli *c, uint32_t group)
{
  size_t widest = 0;
  for (size_t i = 0; i < option_count; i++) {
    char left[64];
    option_left(&options[i], left);
    if ((options[i].groups & group) != 0 && strlen(left) > widest)
      widest = strlen(left);
  }
  table t = table_new("ll");
  table_cell(&t, "");
  table_cell(&t, "");
  for (size_t i = 0; i < option_count; i++) {
    char left[64];
    char right[1024];
    char words[768];
    const option *o = &options[i];
    if ((o->groups & group) == 0)
      continue;
    option_left(o, left);
    if (i == OPT_SOFTWARE)
      software_list(c, words, sizeof words);
    else
      value_list(c, o->field, words, sizeof words);
    snprintf(right, sizeof right, "%s%s%s", in(c, o->en, o->zh), *words == 0 ? "" : say(c, MSG_COLON), words);
    option_row(&t, left, right, TABLE_WIDTH - widest - 4);
  }
  table_print(c, &t, 2);
}

static void print_overview(const cli *c)
{
  puts(say(c, MSG_HELP_INTRO));
  putchar('\n');
  puts(say(c, MSG_HELP_COMMANDS));
  for (size_t i = 0; i < command_count; i++) {
    char left[64];
    snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].operand);
    printf("  %-24s %s\n", left, in(c, commands[i].en, commands[i].zh));
  }
  putchar('\n');
  puts(say(c, MSG_HELP_OPTIONS));
}

void help_print(const cli *c, const command *of)
{
  if (of == NULL) {
    print_overview(c);
    print_options(c, FOR_ALL);
    printf("\n%s\n%s\n", say(c, MSG_HELP_MODEL), say(c, MSG_HELP_EXIT));
    return;
  }
  printf("dtcore %s %s %s\n%s\n\n%s\n%s\n", of->name, of->operand, say(c, MSG_HELP_BRACKETS), in(c, of->en, of->zh),
         say(c, MSG_HELP_EXAMPLES), of->examples);
  if (strstr(of->operand, "MODEL") != NULL)
    printf("%s\n\n", say(c, MSG_HELP_MODEL));
  if (strstr(of->operand, "SIZE") != NULL) {
    text_wrap(say(c, MSG_HELP_SIZE), 0);
    putchar('\n');
  }
  puts(say(c, MSG_HELP_OPTIONS));
  print_options(c, FOR_ALL | of->groups);
  printf("\n%s\n", say(c, MSG_HELP_EXIT));
}
