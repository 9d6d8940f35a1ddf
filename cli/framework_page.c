/* dtcore frameworks --markdown: the page of doc/frameworks.md. */
#include "framework_list.h"
#include "report.h"

#include <stdio.h>

/* A cell: a bar would end it. */
static void cell(const char *s)
{
  fputs("| ", stdout);
  for (; *s != 0; s++)
    fputs(*s == '|' ? "\\|" : (const char[2]){*s, 0}, stdout);
  putchar(' ');
}

static void rule(size_t columns)
{
  for (size_t i = 0; i < columns; i++)
    fputs("| --- ", stdout);
  puts("|");
}

static void print_table(const cli *c, const framework_list *l)
{
  printf("## %s\n\n", say(c, MSG_FRAMEWORKS_TABLE));
  cell("");
  for (size_t i = 0; i < l->count; i++)
    cell(dtc_traits_name(l->index[i]));
  puts("|");
  rule(l->count + 1);
  for (size_t row = 0; row < TRAITS; row++) {
    char text[TRAIT_TEXT];
    cell(say(c, traits_list[row].name));
    for (size_t i = 0; i < l->count; i++) {
      trait_text(c, &l->traits[i], &traits_list[row], text);
      cell(text);
    }
    puts("|");
  }
  printf("\n%s\n", say(c, MSG_FRAMEWORKS_LEVELS));
}

static void print_notes(const cli *c, const framework_list *l)
{
  static const msg heads[] = {MSG_FRAMEWORKS_FRAMEWORK, MSG_FRAMEWORKS_OLD, MSG_FRAMEWORKS_TRUE, MSG_FRAMEWORKS_SOURCE};
  static const dtc_note parts[] = {DTC_NOTE_ABOUT, DTC_NOTE_OLD, DTC_NOTE_TRUE, DTC_NOTE_SOURCE};
  printf("\n## %s\n\n", say(c, MSG_FRAMEWORKS_TRUE));
  for (size_t i = 0; i < 4; i++)
    cell(say(c, heads[i]));
  puts("|");
  rule(4);
  for (size_t i = 0; i < dtc_framework_note_count(); i++) {
    char text[1024];
    if (!note_is_about(c, i, l))
      continue;
    for (size_t k = 0; k < 4; k++) {
      note_text(c, i, parts[k], text, sizeof text);
      cell(*text == 0 ? say(c, MSG_FRAMEWORKS_ALL) : text);
    }
    puts("|");
  }
}

void framework_page(const cli *c, const framework_list *l)
{
  print_table(c, l);
  print_notes(c, l);
  printf("\n## %s\n\n", say(c, MSG_FRAMEWORKS_SOURCES));
  for (size_t i = 0; i < l->count; i++)
    printf("* %s: %s\n", dtc_traits_name(l->index[i]), dtc_traits_source(l->index[i]));
}
