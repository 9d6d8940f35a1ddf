/* Compares what a handler answers with the judged columns of its row, and counts. */
#include "golden.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { JUDGED_MAX = 32 };

struct golden {
  const csv *file;
  const char *path;
  int kept;
  size_t column[JUDGED_MAX]; /* judged columns, as columns of the file */
  size_t columns;
  /* of the row */
  size_t row;
  const char *way;
  int answered[JUDGED_MAX];
  int wrong[JUDGED_MAX];
  int failed;
};

/* ---- words of judged.csv ---- */

/* The next word of a list between spaces; returns its length, 0 at the end. */
static size_t next_word(const char **list)
{
  *list += strspn(*list, " ");
  return strcspn(*list, " ");
}

/* Is the row to be skipped: does one of the words COLUMN=VALUE hold? */
static int is_skipped(const csv *file, size_t row, const char *skip)
{
  for (size_t len; (len = next_word(&skip)) > 0; skip += len) {
    size_t name = strcspn(skip, "=");
    size_t column = csv_column(file, skip, name < len ? name : len);
    if (name >= len || column == file->columns)
      continue;
    const char *cell = csv_cell(file, row, column);
    if (strlen(cell) == len - name - 1 && memcmp(cell, skip + name + 1, len - name - 1) == 0)
      return 1;
  }
  return 0;
}

/* Finds the judged columns in the file; returns 0 when one is missing. */
static int find_columns(golden *g, const char *list)
{
  for (size_t len; (len = next_word(&list)) > 0; list += len) {
    size_t column = csv_column(g->file, list, len);
    if (column == g->file->columns || g->columns == JUDGED_MAX) {
      fprintf(stderr, "%s: judged.csv names the column %.*s, which is not there\n", g->path, (int)len, list);
      return 0;
    }
    g->column[g->columns++] = column;
  }
  return g->columns > 0;
}

/* ---- answers ---- */

static const char *expected(const golden *g, size_t i)
{
  return csv_cell(g->file, g->row, g->column[i]);
}

const char *golden_cell(const golden *g, const char *column)
{
  size_t i = csv_column(g->file, column, strlen(column));
  return i < g->file->columns ? csv_cell(g->file, g->row, i) : "";
}

static const char *home_folder = ".";

void golden_set_home(const char *home)
{
  home_folder = home;
}

const char *golden_home(void)
{
  return home_folder;
}

const char *golden_path(const golden *g)
{
  return g->path;
}

int golden_is(const golden *g, const char *column, const char *value)
{
  return strcmp(golden_cell(g, column), value) == 0;
}

uint64_t golden_number(const golden *g, const char *column)
{
  return strtoull(golden_cell(g, column), NULL, 10);
}

int golden_is_kept(const golden *g)
{
  return g->kept;
}

void golden_way(golden *g, const char *way)
{
  g->way = way;
}

/* Adds one wrong column to the row's line. Long texts are cut. */
static void wrong(golden *g, size_t i, const char *got)
{
  enum { SHOWN = 200 };
  const char *want = expected(g, i);
  if (g->wrong[i])
    return;
  if (!g->failed)
    printf("%s row %zu (%s):", g->path, g->row + 1, csv_cell(g->file, g->row, 0));
  printf("%s column %s: expected %.*s%s, got %.*s%s", g->failed ? ";" : "", g->file->cells[g->column[i]], SHOWN, want,
         strlen(want) > SHOWN ? "..." : "", SHOWN, got, strlen(got) > SHOWN ? "..." : "");
  if (g->way != NULL)
    printf(" (%s)", g->way);
  g->wrong[i] = 1;
  g->failed = 1;
}

/* The judged column of this name, when the row expects something there; g->columns otherwise. */
static size_t asked(golden *g, const char *column)
{
  for (size_t i = 0; i < g->columns; i++) {
    if (strcmp(g->file->cells[g->column[i]], column) == 0 && *expected(g, i) != 0) {
      g->answered[i] = 1;
      return i;
    }
  }
  return g->columns;
}

void golden_text(golden *g, const char *column, const char *value)
{
  size_t i = asked(g, column);
  if (i < g->columns && strcmp(expected(g, i), value) != 0)
    wrong(g, i, value);
}

void golden_u64(golden *g, const char *column, uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  golden_text(g, column, text);
}

void golden_f64(golden *g, const char *column, double value, double tolerance)
{
  size_t i = asked(g, column);
  if (i == g->columns)
    return;
  char *end, text[40];
  double want = strtod(expected(g, i), &end);
  snprintf(text, sizeof text, "%.17g", value);
  if (*end != 0 || !(value == want || fabs(value - want) <= tolerance * fabs(want)))
    wrong(g, i, text);
}

void golden_refused(golden *g, const char *why)
{
  for (size_t i = 0; i < g->columns; i++) {
    if (*expected(g, i) != 0) {
      g->answered[i] = 1;
      wrong(g, i, why);
    }
  }
}

void golden_not_refused(golden *g)
{
  wrong(g, 0, "no refusal");
}

int golden_ok(golden *g, dtc_status status, const dtc_error *err)
{
  char text[256];
  if (status == DTC_OK)
    return 1;
  dtc_error_format(err, DTC_LANG_EN, text, sizeof text);
  golden_refused(g, text);
  return 0;
}

/* ---- the file ---- */

static void judge_row(golden *g, const golden_kind *kind, golden_sums *sums)
{
  memset(g->answered, 0, sizeof g->answered);
  memset(g->wrong, 0, sizeof g->wrong);
  g->failed = 0;
  g->way = NULL;
  kind->run(g);
  g->way = NULL;
  for (size_t i = 0; i < g->columns; i++) {
    if (*expected(g, i) != 0 && !g->answered[i])
      wrong(g, i, "no answer");
  }
  if (g->failed) {
    printf("\n");
    sums->failed++;
  } else {
    sums->passed++;
  }
}

int golden_judge(const csv *file, const char *path, const golden_kind *kind, const csv *judged, size_t line, int kept,
                 golden_sums *sums)
{
  golden g = {.file = file, .path = path, .kept = kept};
  size_t columns = csv_column(judged, "judged", 6), skip = csv_column(judged, "skip", 4);
  if (columns == judged->columns || skip == judged->columns || !find_columns(&g, csv_cell(judged, line, columns)))
    return 0;
  uint64_t unanswered = 0;
  for (g.row = 0; g.row < file->rows; g.row++) {
    if (is_skipped(file, g.row, csv_cell(judged, line, skip)))
      continue;
    if (kind != NULL)
      judge_row(&g, kind, sums);
    else
      unanswered++;
  }
  if (unanswered > 0)
    printf("%s: this version has no answer for this kind of file, %" PRIu64 " rows failed\n", path, unanswered);
  sums->failed += unanswered;
  return 1;
}
