/* Splits what dtc_launch_write() writes, and no more: words, quotes of both kinds, continued lines; lines of comments and
 * exports in front are left out. */
#include "launch_words.h"

#include <stdlib.h>
#include <string.h>

static bool is_command(dtc_launch_target target)
{
  return target <= DTC_LAUNCH_TARGET_COLOSSALAI_RUN && target != DTC_LAUNCH_TARGET_HOSTFILE &&
         target != DTC_LAUNCH_TARGET_SBATCH && target != DTC_LAUNCH_TARGET_SBATCH_TORCHRUN;
}

/* The first line that is neither a comment nor an export. */
static const char *command_in(const char *text)
{
  while (*text == '#' || strncmp(text, "export ", 7) == 0) {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return text;
}

/* One word into `to`; gives what stands behind it. */
static const char *take_word(const char *s, char *to)
{
  char quote = 0;
  for (; *s != 0 && (quote != 0 || (*s != ' ' && *s != '\n')); s++) {
    if (quote == 0 && (*s == '\'' || *s == '"'))
      quote = *s;
    else if (*s == quote)
      quote = 0;
    else if (quote != '\'' && *s == '\\' && s[1] != 0)
      *to++ = *++s;
    else
      *to++ = *s;
  }
  *to = 0;
  return s;
}

static const char *skip_blanks(const char *s)
{
  while (*s == ' ' || *s == '\n' || (*s == '\\' && s[1] == '\n'))
    s += *s == '\\' ? 2 : 1;
  return s;
}

words words_of_command(dtc_launch_target target, const char *text)
{
  words w = {NULL, 0};
  if (!is_command(target))
    return w;
  for (const char *s = skip_blanks(command_in(text)); *s != 0; s = skip_blanks(s)) {
    char *word = grow(NULL, strlen(s) + 1);
    s = take_word(s, word);
    w.list = grow(w.list, (w.count + 1) * sizeof *w.list);
    w.list[w.count++] = word;
  }
  return w;
}

void words_free(words *w)
{
  for (size_t i = 0; i < w->count; i++)
    free(w->list[i]);
  free(w->list);
}
