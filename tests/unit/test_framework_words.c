/* Shell text: its words, the commands and flags in it. A dialect of the test's own has a key of each kind. */
#include "lint_check.h"

#include "internal/shell.h"

/* ---- words ----------------------------------------------------------------------------------- */

static uint64_t variables[DTCI_VARIABLES * DTCI_VARIABLE_WORDS];

static dtci_shell shell_of(const char *text)
{
  dtci_shell sh;
  memset(&sh, 0, sizeof sh);
  memset(variables, 0, sizeof variables);
  sh.text = text;
  sh.end = strlen(text);
  sh.variables = variables;
  return sh;
}

/* All tokens: words as they are, those of which something is not known with a ? there, signs as signs. */
static void check_words(const char *text, const char *expected)
{
  static const char signs[][8] = {"", "", "=(", "/", ";", "(", ")", "#"};
  char got[512] = "";
  size_t len = 0;
  dtc_error e;
  DTC_INIT(&e);
  dtci_shell sh = shell_of(text);
  for (;;) {
    check_ok(dtci_shell_next(&sh, &e), &e);
    if (sh.type == DTCI_SHELL_END)
      break;
    int word = sh.type == DTCI_SHELL_WORD || sh.type == DTCI_SHELL_ARRAY;
    len += (size_t)snprintf(got + len, sizeof got - len, "%s%.*s%s", len > 0 ? " " : "", word ? (int)sh.n : 0, sh.word,
                            sh.type == DTCI_SHELL_ARRAY ? "(" : signs[sh.type]);
  }
  assert_string_equal(got, expected);
}

static void words_are_split_as_a_shell_does(void **state)
{
  (void)state;
  check_words("a  b\tc\n", "a b c /");
  check_words("a\\\nb c \\\n  d", "ab c d");
  check_words("'a b' \"c d\" e'f'\"g\"h", "a b c d efgh");
  check_words("\"a\\\"b\\n\" 'a\\b' a\\ b", "a\"b\\n a\\b a b");
  check_words("a;b && c || d & e | f", "a ; b ; c ; d ; e ; f");
  check_words("a #b c\nd#e # f", "a # / d#e #");
  check_words("(a b) { c; }", "( a b ) { c ; }");
  check_words("A=(1 2) B+=( x ) C=", "A=( 1 2 ) B+=( x ) C=");
  check_words("", "");
  check_words("\\", "");
  check_words("\\\n", "");
}

static void redirections_and_documents_are_left_out(void **state)
{
  (void)state;
  check_words("a > f b 2>&1 c &> g", "a b c");
  check_words("a >> 'x y' <in b", "a b");
  check_words("diff <(a b) <(c)", "diff");
  check_words("cat <<EOF > f\n--a don't\nEOF\nb", "cat / b");
  check_words("cat <<-'E F'\n x\n\tE F\nb", "cat / b");
  check_words("cat <<EOF\nno end", "cat /");
  check_words("cat <<< word b", "cat b");
  check_words("a 2 > f", "a 2");
}

static void expansions_are_known_or_not(void **state)
{
  (void)state;
  check_words("$A ${A} x$A-y \"$A\"", "? ? x?-y ?");
  check_words("$1 $@ \"$@\" $? $$ a$", "? ? ? ? ? a$");
  check_words("$(ls -l $(pwd)) `ls` \"$(echo \"a)\")\"", "? ? ?");
  check_words("${A:-8} ${A-9} ${A:-$B} ${#A} ${A[@]} ${A:+x}", "8 9 ? ? ? ?");
  check_words("$((2 * 3 + 4*5 - 1)) $((7/2)) $(( (1) )) $((1/0)) $((A*2))", "25 3 ? ? ?");
  check_words("$((9223372036854775807 + 1)) $((5 % 3)) $((-1))", "? 2 ?");
}

static void set(dtci_shell *sh, const char *assignment)
{
  const char *at = strstr(sh->text, assignment), *equals = strchr(at, '=');
  dtci_shell_set(sh, (size_t)(at - sh->text), (size_t)(equals - at), equals + 1, strcspn(equals + 1, " "));
}

static void variables_are_put_in(void **state)
{
  (void)state;
  dtc_error e;
  DTC_INIT(&e);
  dtci_shell sh = shell_of("N=8 M=4 $((N*$M)) ${N:-1}x$M $((${N}/M))");
  set(&sh, "N=8");
  set(&sh, "M=4");
  static const char expected[][8] = {"N=8", "M=4", "32", "8x4", "2"};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    check_ok(dtci_shell_next(&sh, &e), &e);
    assert_int_equal(sh.n, strlen(expected[i]));
    assert_int_equal(sh.sure, sh.n);
    assert_memory_equal(sh.word, expected[i], sh.n);
  }
  dtci_shell_set(&sh, 0, 1, NULL, 0);
  sh.pos = strlen("N=8 M=4 ");
  check_ok(dtci_shell_next(&sh, &e), &e);
  assert_int_equal(sh.sure, 0);
}

/* A word stands in for a variable that is not set, with a colon for an empty one too; not for one that is not known. */
static void defaults_of_variables(void **state)
{
  (void)state;
  dtc_error e;
  DTC_INIT(&e);
  dtci_shell sh = shell_of("N= M=4 ${N:-1} ${N-2}x ${M:-3} ${K:-4} ${M:-5}");
  set(&sh, "N=");
  set(&sh, "M=4");
  static const char expected[][8] = {"N=", "M=4", "1", "x", "4", "4"};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    check_ok(dtci_shell_next(&sh, &e), &e);
    assert_int_equal(sh.n, strlen(expected[i]));
    assert_int_equal(sh.sure, sh.n);
    assert_memory_equal(sh.word, expected[i], sh.n);
  }
  dtci_shell_set(&sh, strlen("N= "), 1, NULL, 0);
  check_ok(dtci_shell_next(&sh, &e), &e);
  assert_int_equal(sh.sure, 0);
}

static void a_full_table_of_variables_forgets(void **state)
{
  (void)state;
  enum { NAMES = 1024, BYTES = 4 };
  static char text[BYTES * NAMES + 24];
  dtc_error e;
  DTC_INIT(&e);
  for (size_t i = 0; i < NAMES; i++)
    snprintf(text + BYTES * i, BYTES + 1, "%c%c%c ", 'a' + (int)(i / 100), '0' + (int)(i / 10 % 10),
             '0' + (int)(i % 10));
  strcat(text, "$a00 $k23 ${k23:-7}");
  dtci_shell sh = shell_of(text);
  for (size_t i = 0; i < NAMES; i++)
    dtci_shell_set(&sh, BYTES * i, 3, "1", 1);
  sh.pos = (size_t)BYTES * NAMES;
  check_ok(dtci_shell_next(&sh, &e), &e);
  assert_int_equal(sh.sure, 1);
  check_ok(dtci_shell_next(&sh, &e), &e);
  assert_int_equal(sh.sure, 0);
  check_ok(dtci_shell_next(&sh, &e), &e);
  assert_int_equal(sh.sure, 0);
}

static void what_has_no_end_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"a 'b",  "a \"b", "a $(b",  "a ${b",      "a `b",    "a \"$(b)",
                                      "a $((", "'",     "\"\\\"", "<(a",        "\"${a\"", "`\\",
                                      "$(\\",  "${\\",  "$('",    "$(echo \"a)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dtci_shell sh = shell_of(texts[i]);
    dtc_error e;
    DTC_INIT(&e);
    dtc_status s = DTC_OK;
    for (int k = 0; k < 8 && s == DTC_OK; k++)
      s = dtci_shell_next(&sh, &e);
    assert_int_equal(s, DTC_E_PARSE);
    assert_int_equal(e.rule, DTC_RULE_LINT_QUOTE);
    assert_true(e.offset < strlen(texts[i]));
  }
}

/* ---- a dialect ------------------------------------------------------------------------------- */

enum {
  TP = DTCI_KEY_FIRST,
  LAYERS,
  LR,
  FP16,
  MODE,
  SIZES,
  MODULES,
  PATH,
  THREE,
  MANY,
  SWITCH,
  CONNECTIONS,
  OLD,
  IGNORED,
};
enum { DIALECT = 15 };
#define K(key) DTCI_KEY(DIALECT, key)

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [TP] = {"--tensor-size", .kind = DTCI_KEY_INTEGER, .flags = DTCI_HAS, .fill = {1}, .min = {1}, .max = {64}},
    [LAYERS] = {"--num-layers", .kind = DTCI_KEY_INTEGER},
    [LR] = {"--lr", .kind = DTCI_KEY_NUMBER, .max = {.d = 1}},
    [FP16] = {"--fp16", .kind = DTCI_KEY_FLAG},
    [MODE] = {"--mode", .kind = DTCI_KEY_WORD, .words = 1},
    [SIZES] = {"--sizes", .kind = DTCI_KEY_LIST, .args = DTCI_ARGS_SOME, .list = DTCI_LIST_PRODUCT},
    [MODULES] = {"--modules", .kind = DTCI_KEY_WORDS, .args = DTCI_ARGS_ANY, .words = 1},
    [PATH] = {"--path", .kind = DTCI_KEY_TEXT},
    [THREE] = {"--three", .kind = DTCI_KEY_LIST, .args = 3, .list = DTCI_LIST_SUM},
    [MANY] = {"--many", .kind = DTCI_KEY_LIST, .args = DTCI_ARGS_SOME, .list = DTCI_LIST_MOST},
    [SWITCH] = {"--switch", .kind = DTCI_KEY_SWITCH, .args = DTCI_ARGS_OPTIONAL},
    [CONNECTIONS] = {"MAX_CONNECTIONS", .kind = DTCI_KEY_INTEGER},
    [OLD] = {"--old", .kind = DTCI_KEY_GONE, .to = TP},
    [IGNORED] = {"--ignored", .kind = DTCI_KEY_IGNORED},
    {"--no-fp16", .kind = DTCI_KEY_FLAG, .to = FP16, .puts = 0},
    {"--fast", .kind = DTCI_KEY_FLAG, .to = MODE, .puts = 2},
    {"-t", .kind = DTCI_KEY_ALIAS, .to = TP},
    {"--tp_size", .kind = DTCI_KEY_ALIAS, .to = TP},
    {"--half", .kind = DTCI_KEY_ALIAS, .to = FP16},
};
static const dtci_word dialect_words[] = {{1, 0, 0, "full"}, {1, 1, 0, "part"}, {1, 2, 0, "fast"}, {1, 3, 1, "gone"}};

enum { KEYS = sizeof keys / sizeof keys[0], SLOTS = 64, FINDINGS = 32 };

typedef struct reading {
  dtci_settings s;
  dtc_status status;
  dtc_error error;
  dtc_error findings[FINDINGS];
  uint64_t arrays[7][KEYS];
  uint64_t slots[SLOTS];
} reading;

static reading *read_as(const char *text, size_t len, dtci_form form)
{
  static reading r;
  memset(&r, 0, sizeof r);
  DTC_INIT(&r.error);
  DTC_INIT(&r.findings[0]);
  r.s.dialect = (dtci_dialect){.number = DIALECT,
                               .form = form,
                               .programs = {"launch"},
                               .directive = "#JOB",
                               .prefix = "MAX_",
                               .keys = keys,
                               .keys_count = KEYS,
                               .words = dialect_words,
                               .words_count = 4,
                               .shortened = 1,
                               .dashes = 1,
                               .twice = DTC_SEVERITY_WARNING};
  r.s.nearest_left = 4;
  r.s.text = text;
  r.s.len = len;
  r.s.value = r.arrays[0];
  r.s.state = r.arrays[1];
  r.s.at = r.arrays[2];
  r.s.slot = r.slots;
  r.s.slots = SLOTS;
  r.s.variables = variables;
  r.s.out = r.findings;
  r.s.cap = FINDINGS;
  dtci_settings_open(&r.s);
  r.status = dtci_read_script(&r.s, &r.error);
  return &r;
}

/* Reads a text; its findings are "rule/key rule/key", keys by name. */
static reading *check_findings(const char *text, dtci_form form, const char *expected)
{
  reading *r = read_as(text, strlen(text), form);
  char got[512] = "";
  size_t len = 0;
  check_ok(r->status, &r->error);
  for (size_t i = 0; i < r->s.count && i < FINDINGS; i++) {
    uint32_t field = r->findings[i].field, key = field & (DTCI_KEYS_MAX - 1);
    len += (size_t)snprintf(got + len, sizeof got - len, "%s%u/%s", i > 0 ? " " : "", r->findings[i].rule,
                            field >> 16 == DTC_STRUCT_setting ? keys[key].name : "");
    assert_true(r->findings[i].offset < strlen(text));
  }
  if (strcmp(got, expected) != 0)
    fail_msg("%s\ngot %s\nexpected %s", text, got, expected);
  return r;
}

static reading *script(const char *text, const char *expected)
{
  return check_findings(text, DTCI_FORM_SCRIPT, expected);
}

static void check_value(const reading *r, uint32_t key, uint64_t value)
{
  assert_int_equal(r->s.state[key], DTCI_STATE_GIVEN);
  assert_int_equal(r->s.value[key], value);
}

static void check_state(const reading *r, uint32_t key, dtci_state state)
{
  assert_int_equal(r->s.state[key], state);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t bits(double d)
{
  uint64_t v = 0;
  memcpy(&v, &d, sizeof v);
  return v;
}

static void flags_have_values_of_their_kind(void **state)
{
  (void)state;
  reading *r = script("--tensor-size 8 --num-layers=-3 --lr 5e-1 --fp16 --mode part --path /a/b", "");
  check_value(r, TP, 8);
  check_value(r, LAYERS, (uint64_t)-3);
  check_value(r, LR, bits(0.5));
  check_value(r, FP16, 1);
  check_value(r, MODE, 1);
  check_value(r, PATH, 4);
  r = script("--num-layers -3 --lr .25 --no-fp16 --fast -t 4", "");
  check_value(r, LAYERS, (uint64_t)-3);
  check_value(r, LR, bits(0.25));
  check_value(r, FP16, 0);
  check_value(r, MODE, 2);
  check_value(r, TP, 4);
  r = script("-t8", "");
  check_value(r, TP, 8);
  r = script("--half --tp-size 2", "");
  check_value(r, FP16, 1);
  check_value(r, TP, 2);
  r = script("--tensor_size 16 --num-l 2", "");
  check_value(r, TP, 16);
  check_value(r, LAYERS, 2);
  r = script("--fp16", "");
  check_state(r, TP, DTCI_STATE_DEFAULT);
  assert_int_equal(r->s.value[TP], 1);
  check_state(r, LAYERS, DTCI_STATE_NONE);
}

static void lists_have_as_many_values_as_they_take(void **state)
{
  (void)state;
  reading *r = script("--sizes 2 3 4 --modules full fast --three 1 2 3 --many 4 9 7", "");
  check_value(r, SIZES, 24);
  check_value(r, MODULES, 5);
  check_value(r, THREE, 6);
  check_value(r, MANY, 9);
  script("--sizes --fp16", "408/--sizes");
  script("--three 1 2", "408/--three");
  script("--three 1 2 3 4", "409/--three");
  script("--modules", "");
  script("--num-layers", "408/--num-layers");
  script("--num-layers --fp16", "408/--num-layers");
  r = script("--switch --fp16", "");
  check_value(r, SWITCH, 1);
  r = script("--switch false --fp16", "");
  check_value(r, SWITCH, 0);
  r = script("--sizes 9223372036854775807 4", "");
  check_state(r, SIZES, DTCI_STATE_UNKNOWN);
}

static void wrong_values_are_found(void **state)
{
  (void)state;
  reading *r =
      script("--tensor-size 65 --num-layers 3.5 --lr 2 --mode none --fp16=1", "403/--tensor-size 402/--num-layers "
                                                                              "403/--lr 404/--mode 402/--fp16");
  check_state(r, TP, DTCI_STATE_UNKNOWN);
  check_state(r, LAYERS, DTCI_STATE_UNKNOWN);
  assert_int_equal(r->findings[0].got, 65);
  assert_int_equal(r->findings[0].min, 1);
  assert_int_equal(r->findings[0].max, 64);
  assert_int_equal(r->findings[0].lower, 64);
  assert_int_equal(r->findings[0].upper, DTC_NONE);
  assert_int_equal(r->findings[0].severity, DTC_SEVERITY_ERROR);
  r = script("--tensor-size 0", "403/--tensor-size");
  assert_int_equal(r->findings[0].upper, 1);
  script("--mode gone --lr nan --switch perhaps", "404/--mode 403/--lr 402/--switch");
  script("--num-layers 99999999999999999999", "402/--num-layers");
  script("--modules full none", "404/--modules");
  script("--sizes 2 x", "402/--sizes");
}

static void names_are_found(void **state)
{
  (void)state;
  reading *r = script("--fp16 --num-layer 3", "");
  check_value(r, LAYERS, 3);
  r = script("--numb-layers 3 4 --fp16", "400/");
  assert_int_equal(r->findings[0].other & (DTCI_KEYS_MAX - 1), LAYERS);
  check_value(r, FP16, 1);
  script("--unheard=4 --fp16", "400/");
  script("--old 4 5 --ignored x --fp16", "406/--old 407/--ignored");
  r = script("--old 4", "406/--old");
  assert_int_equal(r->findings[0].other & (DTCI_KEYS_MAX - 1), TP);
  r = script("--fp16 --num-layers 2 --num-layers 3", "405/--num-layers");
  assert_int_equal(r->findings[0].severity, DTC_SEVERITY_WARNING);
  assert_int_equal(r->findings[0].offset, 22);
  check_value(r, LAYERS, 3);
  script("--tensor-size 1 -t 1", "405/--tensor-size");
  script("--fp16 true", "409/--fp16");
  script("--fp16 a b", "409/--fp16");
  script("-- --fp16", "");
}

/* ---- scripts --------------------------------------------------------------------------------- */

static void a_script_s_own_command_is_read(void **state)
{
  (void)state;
  reading *r = script("mkdir -p x --verbose\n"
                      "torchrun --nproc_per_node 8 --tensor-size 2 train.py --num-layers 4 --unheard\n",
                      "400/");
  check_value(r, LAYERS, 4);
  check_value(r, TP, 2);
  r = script("python -u -m my.train --num-layers 4 2>&1 | tee --append log", "");
  check_value(r, LAYERS, 4);
  r = script("python -m torch.distributed.run --nnodes 2 a.py --num-layers 4", "");
  check_value(r, LAYERS, 4);
  r = script("cd x; CUDA=1 python ${DIR}/train.py \\\n  --num-layers 4 \\\n  --fp16 \"$@\" > log\n", "");
  check_value(r, LAYERS, 4);
  check_value(r, FP16, 1);
  r = script("train.py --num-layers 4 $EXTRA --fp16 ${ARGS[@]}", "");
  check_value(r, FP16, 1);
  r = script("echo --num-layers 4", "");
  check_state(r, LAYERS, DTCI_STATE_NONE);
  r = script("if [ -n \"$X\" ]; then\n echo\nfi\n[[ -z x && -n y ]] && true\ntrain.py --num-layers 2", "");
  check_value(r, LAYERS, 2);
}

static void flags_in_arrays_and_strings_are_read(void **state)
{
  (void)state;
  reading *r = script("N=24\nARGS=(\n  --num-layers $N # comment\n  --fp16\n)\nGPUS=(0 1 2)\nLAUNCH=(--other 3)\n"
                      "torchrun ${LAUNCH[@]} train.py ${ARGS[@]}\n",
                      "");
  check_value(r, LAYERS, 24);
  check_value(r, FP16, 1);
  r = script("ARGS=\"\n  --num-layers 8 \\\n  --mode full\n\"\nARGS+=\" --fp16\"\ntrain.py $ARGS", "");
  check_value(r, LAYERS, 8);
  check_value(r, MODE, 0);
  check_value(r, FP16, 1);
  r = script("declare -a ARGS=(\n  --num-layers 9\n  --fp16\n)\nexport -n X\n", "");
  check_value(r, LAYERS, 9);
  assert_int_equal(read_as("ARGS=(--fp16", 12, DTCI_FORM_SCRIPT)->status, DTC_E_PARSE);
  script("ARGS='--num-layers 8 --unheard'", "400/");
  script("ARGS=\"--num-layers 8 # --fp16\"", "411/");
  script("X='a # b'", "");
  r = script("CMD=\"torchrun --other 1 train.py --num-layers 8 --path '$X'\"\neval $CMD", "");
  check_value(r, LAYERS, 8);
}

static void variables_give_values(void **state)
{
  (void)state;
  reading *r = script("export N=4\nM=$((N * 8))\ntrain.py --tensor-size ${N} --num-layers $M --path $HOME/x", "");
  check_value(r, TP, 4);
  check_value(r, LAYERS, 32);
  check_state(r, PATH, DTCI_STATE_UNKNOWN);
  r = script("N=${1:-16}\ntrain.py --tensor-size $N --num-layers $2 --lr=$3", "");
  check_value(r, TP, 16);
  check_state(r, LAYERS, DTCI_STATE_UNKNOWN);
  check_state(r, LR, DTCI_STATE_UNKNOWN);
  r = script("if true; then N=4; FLAGS=\"--fp16\"; else N=8; fi\ntrain.py --tensor-size $N $FLAGS", "");
  check_state(r, TP, DTCI_STATE_UNKNOWN);
  check_state(r, FP16, DTCI_STATE_UNKNOWN);
  r = script("export MAX_CONNECTIONS=1\ntrain.py --fp16", "");
  check_value(r, CONNECTIONS, 1);
  r = script("MAX_CONNECTIONS=$X train.py", "");
  check_state(r, CONNECTIONS, DTCI_STATE_UNKNOWN);
  script("MAX_CONNECTION=1 train.py", "401/");
  script("MAX_CONNECTIONS = 1", "412/MAX_CONNECTIONS");
  r = script("mpirun -x MAX_CONNECTIONS=8 train.py", "");
  check_value(r, CONNECTIONS, 8);
}

static void a_command_that_is_cut_is_found(void **state)
{
  (void)state;
  reading *r = script("train.py --fp16 \\\n  # --mode full \\\n  --num-layers 4 \\\n  --unheard\n", "410/--num-layers");
  check_state(r, LAYERS, DTCI_STATE_NONE);
  check_value(r, FP16, 1);
  script("train.py --fp16 \\ \n  --num-layers 4\n", "410/--num-layers");
  script("train.py --fp16 \\\r\n  --num-layers 4\n", "410/--num-layers");
  script("train.py --fp16\n--num-layers 4\n", "410/--num-layers");
  script("export -n X\ntrain.py --fp16\n--num-layers 4\n", "410/--num-layers");
  script("train.py --fp16\n--else 4\n", "");
  r = script("--fp16\n--num-layers 4\n", "");
  check_value(r, LAYERS, 4);
  script("--fp16 \\\n --mode full\n--num-layers 4\n", "410/--num-layers");
  script("train.py --fp16 # done\n", "");
  script("case $1 in\n --num-layers) shift;;\nesac\ntrain.py --fp16", "");
}

static void launchers_end_at_the_first_other_word(void **state)
{
  (void)state;
  reading *r = check_findings("/usr/bin/launch --num-layers 4 --unheard=3 -t8 script --tensor-size 99\n",
                              DTCI_FORM_LAUNCHER, "400/");
  check_value(r, LAYERS, 4);
  check_value(r, TP, 8);
  r = check_findings("#JOB --num-layers=4 # --fp16\n#JOB --tensor-size 2\n# JOB --fp16\nlaunch --fp16 x --fp16",
                     DTCI_FORM_LAUNCHER, "");
  check_value(r, LAYERS, 4);
  check_value(r, TP, 2);
  check_value(r, FP16, 1);
  r = check_findings("train.py --num-layers 4", DTCI_FORM_LAUNCHER, "");
  check_state(r, LAYERS, DTCI_STATE_NONE);
  r = check_findings("--num-layers 4 train.py --tensor-size 4", DTCI_FORM_LAUNCHER, "");
  check_value(r, LAYERS, 4);
  check_state(r, TP, DTCI_STATE_DEFAULT);
}

static void environments_are_assignments_alone(void **state)
{
  (void)state;
  reading *r =
      check_findings("export MAX_CONNECTIONS=4\ntrain.py --num-layers x\nMAX_OTHER=1\n", DTCI_FORM_ENVIRONMENT, "401/");
  check_value(r, CONNECTIONS, 4);
  check_state(r, LAYERS, DTCI_STATE_NONE);
  r = check_findings("MAX_CONNECTIONS=\"4\"\nMAX_CONNECTIONS='5'", DTCI_FORM_ENVIRONMENT, "405/MAX_CONNECTIONS");
  check_value(r, CONNECTIONS, 5);
}

/* ---- hostile text ---------------------------------------------------------------------------- */

static void hostile_text_ends_soon(void **state)
{
  (void)state;
  static const char *const parts[] = {"(",
                                      "\"",
                                      "'",
                                      "$(",
                                      "${",
                                      "`",
                                      "\\\n",
                                      "--fp16 ",
                                      "--x ",
                                      "A=(",
                                      "$A",
                                      "#",
                                      "<<E\n",
                                      "if ",
                                      ";",
                                      "|",
                                      "--num-layers=",
                                      "A=$A$A$A ",
                                      "A=\"--fp16 $A\" ",
                                      "[[ ",
                                      "\n"};
  enum { SIZE = 1 << 20 };
  char *text = malloc(SIZE);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t n = strlen(parts[i]);
    for (size_t k = 0; k + n <= SIZE; k += n)
      memcpy(text + k, parts[i], n);
    reading *r = read_as(text, SIZE / n * n, DTCI_FORM_SCRIPT);
    assert_true(r->status == DTC_OK || r->status == DTC_E_PARSE);
  }
  memset(text, 'a', SIZE);
  assert_int_equal(read_as(text, SIZE, DTCI_FORM_SCRIPT)->status, DTC_OK);
  text[77] = 1;
  reading *r = read_as(text, SIZE, DTCI_FORM_SCRIPT);
  assert_int_equal(r->status, DTC_E_PARSE);
  assert_int_equal(r->error.rule, DTC_RULE_LINT_BYTES);
  assert_int_equal(r->error.offset, 77);
  free(text);
}

static void random_text_gives_a_status(void **state)
{
  (void)state;
  static const char *const parts[] = {
      " ",      "\n",           "\\\n", "\"", "'",  "$",       "{", "}",        "(", ")",       "A",      "=",
      "--fp16", "--num-layers", "4",    "#",  "<",  ">",       "&", "train.py", "|", ";",       "[[",     "]]",
      "if",     "fi",           "$((",  "))", ":-", "--three", "@", "+",        "`", "--sizes", "export", "\\"};
  uint64_t seed = 7;
  for (int round = 0; round < 20000; round++) {
    char text[256];
    size_t n = 0;
    for (uint64_t k = check_random(&seed, 40); k > 0; k--) {
      const char *part = parts[check_random(&seed, sizeof parts / sizeof parts[0])];
      memcpy(text + n, part, strlen(part));
      n += strlen(part);
    }
    char *exact = malloc(n + !n);
    memcpy(exact, text, n);
    reading *r = read_as(exact, n, (dtci_form)(1 + check_random(&seed, 3)));
    assert_true(r->status == DTC_OK || r->status == DTC_E_PARSE);
    free(exact);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_split_as_a_shell_does),
      cmocka_unit_test(redirections_and_documents_are_left_out),
      cmocka_unit_test(expansions_are_known_or_not),
      cmocka_unit_test(variables_are_put_in),
      cmocka_unit_test(defaults_of_variables),
      cmocka_unit_test(a_full_table_of_variables_forgets),
      cmocka_unit_test(what_has_no_end_is_refused),
      cmocka_unit_test(flags_have_values_of_their_kind),
      cmocka_unit_test(lists_have_as_many_values_as_they_take),
      cmocka_unit_test(wrong_values_are_found),
      cmocka_unit_test(names_are_found),
      cmocka_unit_test(a_script_s_own_command_is_read),
      cmocka_unit_test(flags_in_arrays_and_strings_are_read),
      cmocka_unit_test(variables_give_values),
      cmocka_unit_test(a_command_that_is_cut_is_found),
      cmocka_unit_test(launchers_end_at_the_first_other_word),
      cmocka_unit_test(environments_are_assignments_alone),
      cmocka_unit_test(hostile_text_ends_soon),
      cmocka_unit_test(random_text_gives_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
