/* Lua values to and from the structs of the C library, by the field tables. Lua 5.1 to 5.4.
 *
 * Numbers: an integer is what Lua calls one, or a float that is integral and at most 2^53, up to which doubles hold
 * every integer. Results above what an integer holds (2^63 - 1; in Lua 5.1 2^53) become the nearest float. The float
 * 2^64 stands for UINT64_MAX both ways (dtcore.NONE).
 * Errors: a conversion that fails does not return. */
#ifndef DTCB_LUA_CONVERT_H
#define DTCB_LUA_CONVERT_H

#include "common.h"
#include "lua/names.h"

#define DTCB_EXACT 9007199254740992.0     /* 2^53 */
#define DTCB_ABOVE 18446744073709551616.0 /* 2^64 */
#if LUA_VERSION_NUM < 502
#define lua_rawlen lua_objlen
#endif
/* The largest integer, for messages. */
#if LUA_VERSION_NUM < 503
#define DTCB_MOST "9007199254740992"
#else
#define DTCB_MOST "9223372036854775807"
#endif
_Static_assert(sizeof(lua_Number) == sizeof(double), "numbers of Lua are doubles");

enum {
  DTCB_NAME = 32,         /* longest name that is looked for, with its NUL */
  DTCB_ELEMENTS = 1 << 20 /* longest input array */
};

/* ---- what the module keeps in the registry, out of the reach of scripts ------------------------------------------ */

/* Indices of the module's table: metatable of errors; per struct {field name = 1 + its index, [1 + its index] = name};
 * per enum {name = value, [value] = name}. */
enum { DTCB_KEEP_ERROR = 1, DTCB_KEEP_STRUCT, DTCB_KEEP_ENUM = DTCB_KEEP_STRUCT + DTCB_STRUCTS };

static const char dtcb_key; /* its address is the key */

static void dtcb_push_kept(lua_State *L, int index)
{
  lua_pushlightuserdata(L, (void *)(uintptr_t)&dtcb_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_rawgeti(L, -1, index);
  lua_remove(L, -2);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* What the binding itself refuses, in English and Chinese; %s in the same order in both. */
static const char *const dtcb_says[][2] = {
    {"%s: expected %s, got %s", "%s：应为 %s，得到 %s"},
    {"%s = %s: must be an integer in 0 to %s", "%s = %s：必须是 0 到 %s 之间的整数"},
    {"%s: unknown name \"%s\"; the nearest is \"%s\"", "%s：未知的名称 \"%s\"；最接近的是 \"%s\""},
    {"%s: holds a NUL character%s%s", "%s：含有 NUL 字符%s%s"},
    {"%s: at most %s arguments, got %s", "%s：最多 %s 个参数，得到 %s 个"},
    {"%s = %s: out of range%s", "%s = %s：超出范围%s"},
    {"%s: must be an array of at most %s tables%s", "%s：必须是最多 %s 个表的数组%s"},
    {"%s: must be an array of at most %s integers%s", "%s：必须是最多 %s 个整数的数组%s"},
};
enum {
  DTCB_SAYS_TYPE,
  DTCB_SAYS_NUMBER,
  DTCB_SAYS_UNKNOWN,
  DTCB_SAYS_NUL,
  DTCB_SAYS_COUNT,
  DTCB_SAYS_INDEX,
  DTCB_SAYS_ARRAY,
  DTCB_SAYS_NUMBERS
};

/* Raises an error of the binding itself. got: stack index of the value found, or 0. a, b: what the text says. */
static int dtcb_fail(lua_State *L, int says, const char *code, int got, const char *field, const char *a, const char *b)
{
  lua_createtable(L, 0, 8);
  lua_pushstring(L, code);
  lua_setfield(L, -2, "code");
  lua_pushliteral(L, "error");
  lua_setfield(L, -2, "severity");
  lua_pushstring(L, field);
  lua_setfield(L, -2, "field");
  if (got != 0) {
    lua_pushvalue(L, got);
    lua_setfield(L, -2, "got");
  }
  if (says == DTCB_SAYS_UNKNOWN) {
    lua_pushstring(L, b);
    lua_setfield(L, -2, "nearest");
  }
  lua_pushfstring(L, dtcb_says[says][0], field, a, b);
  lua_setfield(L, -2, "text");
  lua_pushfstring(L, dtcb_says[says][1], field, a, b);
  lua_setfield(L, -2, "zh");
  dtcb_push_kept(L, DTCB_KEEP_ERROR);
  lua_setmetatable(L, -2);
  return lua_error(L);
}

static int dtcb_fail_type(lua_State *L, int at, const char *name, const char *wanted)
{
  return dtcb_fail(L, DTCB_SAYS_TYPE, "type", 0, name, wanted, luaL_typename(L, at));
}

/* The value at `at` as a string on top of the stack; lua_tostring() would change the value itself. */
static const char *dtcb_shown(lua_State *L, int at)
{
  lua_pushvalue(L, at);
  const char *text = lua_tostring(L, -1);
  return text ? text : luaL_typename(L, at);
}

/* Argument 1 of a function that names an element by its index. */
static int dtcb_fail_index(lua_State *L)
{
  return dtcb_fail(L, DTCB_SAYS_INDEX, "range", 1, "index", dtcb_shown(L, 1), "");
}

/* Least number of inserted, deleted or changed characters; words are cut to DTCB_NAME - 1. */
static int dtcb_distance(const char *a, const char *b)
{
  int row[DTCB_NAME];
  for (int j = 0; j < DTCB_NAME; j++)
    row[j] = j;
  for (int i = 1; i < DTCB_NAME && a[i - 1]; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j < DTCB_NAME && b[j - 1]; j++) {
      int best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      best = best < row[j] + 1 ? best : row[j] + 1;
      row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
    }
  }
  size_t length = strlen(b);
  return row[length < DTCB_NAME ? length : DTCB_NAME - 1];
}

/* Raises that the value at `at` is none of the string keys of the table on top, and names the nearest: of equally near
 * ones that with the same first letter, then the first by alphabet. */
static int dtcb_fail_unknown(lua_State *L, int at, const char *name)
{
  const char *word = dtcb_shown(L, at);
  const char *best = "";
  int least = 0;
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pop(L, 1);
    const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    int distance = key ? 2 * dtcb_distance(word, key) + (word[0] != key[0]) : 0;
    if (key && (!*best || distance < least || (distance == least && strcmp(key, best) < 0))) {
      best = key;
      least = distance;
    }
  }
  return dtcb_fail(L, DTCB_SAYS_UNKNOWN, "unknown", at, name, word, best);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void dtcb_push_u64(lua_State *L, uint64_t v)
{
#if LUA_VERSION_NUM >= 503
  if (v <= INT64_MAX)
    lua_pushinteger(L, (lua_Integer)v);
  else
#endif
    lua_pushnumber(L, (lua_Number)v);
}

static uint64_t dtcb_u64(lua_State *L, int at, const char *name, uint64_t max)
{
  if (lua_type(L, at) != LUA_TNUMBER)
    dtcb_fail_type(L, at, name, "integer");
  lua_Number number = lua_tonumber(L, at);
  lua_Number most = max == UINT64_MAX ? DTCB_EXACT : (lua_Number)max;
#if LUA_VERSION_NUM >= 503
  if (lua_isinteger(L, at)) {
    lua_Integer integer = lua_tointeger(L, at);
    if (integer >= 0 && (uint64_t)integer <= max)
      return (uint64_t)integer;
    number = -1;
  }
#endif
  if (number == DTCB_ABOVE && max == UINT64_MAX)
    return UINT64_MAX;
  if (number >= 0 && number <= most && (lua_Number)(uint64_t)number == number)
    return (uint64_t)number;
  const char *shown = dtcb_shown(L, at);
  dtcb_push_u64(L, max);
  dtcb_fail(L, DTCB_SAYS_NUMBER, "range", at, name, shown, max == UINT64_MAX ? DTCB_MOST : dtcb_shown(L, -1));
  return 0;
}

/* As it is: NaN and infinities are for the C library to judge. */
static double dtcb_double(lua_State *L, int at, const char *name)
{
  if (lua_type(L, at) != LUA_TNUMBER)
    dtcb_fail_type(L, at, name, "number");
  return lua_tonumber(L, at);
}

/* A name of the enum, or a number up to max, which the C library judges. */
static uint32_t dtcb_enum(lua_State *L, int at, const char *name, uint64_t max, int id)
{
  if (lua_type(L, at) == LUA_TNUMBER)
    return (uint32_t)dtcb_u64(L, at, name, max);
  if (lua_type(L, at) != LUA_TSTRING)
    dtcb_fail_type(L, at, name, "name or number");
  dtcb_push_kept(L, DTCB_KEEP_ENUM + id);
  lua_pushvalue(L, at);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    dtcb_fail_unknown(L, at, name);
  }
  uint32_t value = (uint32_t)lua_tonumber(L, -1);
  lua_pop(L, 2);
  return value;
}

/* 0, for an argument that was not given; refused when it means nothing. */
static uint32_t dtcb_default(lua_State *L, int id, const char *name)
{
  dtcb_push_kept(L, DTCB_KEEP_ENUM + id);
  lua_rawgeti(L, -1, 0);
  if (lua_isnil(L, -1))
    dtcb_fail(L, DTCB_SAYS_TYPE, "type", 0, name, "name or number", "no value");
  lua_pop(L, 2);
  return 0;
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

/* Writes the value on top of the stack to a field. */
static void dtcb_read(lua_State *L, const dtcb_field *f, void *data)
{
  int at = lua_gettop(L);
  uint64_t bits = 0;
  double number = 0;
  switch (f->type) {
  case DTCB_ENUM:
    bits = dtcb_enum(L, at, f->name, dtcb_most(f), f->enum_id);
    break;
  case DTCB_BOOL:
    if (!lua_isboolean(L, at))
      dtcb_fail_type(L, at, f->name, "boolean or nil");
    bits = lua_toboolean(L, at) ? DTC_BOOL_ON : DTC_BOOL_OFF;
    break;
  case DTCB_F64:
    number = dtcb_double(L, at, f->name);
    memcpy(&bits, &number, sizeof bits);
    break;
  default:
    bits = dtcb_u64(L, at, f->name, dtcb_most(f));
  }
  dtcb_store(f, bits, data);
}

/* Reads the table at `at` into a struct that holds defaults. Fields that it has from a metatable's __index count. */
static void dtcb_in(lua_State *L, int row, int at, const char *name, void *out)
{
  const dtcb_struct *s = &dtcb_structs[row];
  if (!lua_istable(L, at))
    dtcb_fail_type(L, at, name, "table");
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  dtcb_push_kept(L, DTCB_KEEP_STRUCT + row);
  for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_rawget(L, -4);
    int known = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (known == 0) {
      lua_pop(L, 1);
      lua_insert(L, -2);
      dtcb_fail_unknown(L, lua_gettop(L) - 1, name);
    }
    dtcb_read(L, dtcb_field_at(row, known - 1), out);
  }
  lua_pop(L, 1);
  if (!luaL_getmetafield(L, at, "__index"))
    return;
  for (int i = 0; i < s->count; i++) {
    lua_getfield(L, at, dtcb_field_at(row, i)->name);
    if (!lua_isnil(L, -1))
      dtcb_read(L, dtcb_field_at(row, i), out);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Argument `at` of `given`. A plan that is not given has every field at its default; nil may be a misspelt variable,
 * and is refused. */
static void dtcb_in_argument(lua_State *L, int row, int at, int given, const char *name, void *out)
{
  memset(out, 0, dtcb_structs[row].size);
  dtcb_set_size(row, out);
  if (row != DTCB_STRUCT_plan || at <= given)
    dtcb_in(L, row, at, name, out);
}

/* Raises unless the table at `at` is an array of n values of a type, tables or numbers, and nothing else. */
static void dtcb_check_array(lua_State *L, int at, const char *name, size_t n, int type)
{
  size_t found = 0;
  int good = n <= DTCB_ELEMENTS;
  for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
    good = good && lua_type(L, -2) == LUA_TNUMBER && lua_type(L, -1) == type;
    found++;
  }
  if (!good || found != n)
    dtcb_fail(L, type == LUA_TTABLE ? DTCB_SAYS_ARRAY : DTCB_SAYS_NUMBERS, "type", 0, name, "2^20", "");
}

/* An array of tables as structs, or with row -1 of integers as uint64_t, in memory of Lua's on top of the stack. */
static void *dtcb_in_array(lua_State *L, int row, int at, const char *name, size_t *n)
{
  if (!lua_istable(L, at))
    dtcb_fail_type(L, at, name, "table");
  size_t size = row < 0 ? sizeof(uint64_t) : dtcb_structs[row].size;
  *n = lua_rawlen(L, at);
  dtcb_check_array(L, at, name, *n, row < 0 ? LUA_TNUMBER : LUA_TTABLE);
  char *data = lua_newuserdata(L, (*n + 1) * size);
  memset(data, 0, (*n + 1) * size);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, at, (int)(i + 1));
    if (row < 0) {
      ((uint64_t *)(void *)data)[i] = dtcb_u64(L, lua_gettop(L), name, UINT64_MAX);
    } else {
      dtcb_set_size(row, data + i * size);
      dtcb_in(L, row, lua_gettop(L), name, data + i * size);
    }
    lua_pop(L, 1);
  }
  return data;
}

/* The name of a value, or the number when it has none. */
static void dtcb_push_enum(lua_State *L, int id, uint32_t value)
{
  dtcb_push_kept(L, DTCB_KEEP_ENUM + id);
  if (value <= INT32_MAX)
    lua_rawgeti(L, -1, (int)value);
  else
    lua_pushnil(L);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    dtcb_push_u64(L, value);
  }
  lua_remove(L, -2);
}

/* {name = true} for the values whose bit is set. */
static void dtcb_push_mask(lua_State *L, int id, uint32_t mask)
{
  lua_newtable(L);
  for (uint32_t n = 0; mask >> n != 0; n++)
    if (mask >> n & 1) {
      dtcb_push_enum(L, id, n);
      lua_pushboolean(L, 1);
      lua_rawset(L, -3);
    }
}

/* The value of a field: nil for a switch at its default, and for what has no value. */
static void dtcb_push_field(lua_State *L, const dtcb_field *f, const void *data)
{
  uint64_t bits = dtcb_load(f, data);
  if ((f->type == DTCB_OPTIONAL && bits == DTC_NONE) || (f->type == DTCB_BOOL && bits == DTC_BOOL_DEFAULT))
    lua_pushnil(L);
  else if (f->type == DTCB_BOOL)
    lua_pushboolean(L, bits == DTC_BOOL_ON);
  else if (f->type == DTCB_F64)
    lua_pushnumber(L, dtcb_f64(bits));
  else if (f->type == DTCB_ENUM)
    dtcb_push_enum(L, f->enum_id, (uint32_t)bits);
  else if (f->type == DTCB_MASK)
    dtcb_push_mask(L, f->enum_id, (uint32_t)bits);
  else
    dtcb_push_u64(L, bits);
}

static void dtcb_push_error(lua_State *L, const dtc_error *e, const dtcb_said *said);

static void dtcb_push_struct(lua_State *L, int row, const void *data)
{
  const dtcb_struct *s = &dtcb_structs[row];
  if (row == DTCB_STRUCT_error) {
    dtcb_push_error(L, data, &dtcb_said_nothing);
    return;
  }
  dtcb_push_kept(L, DTCB_KEEP_STRUCT + row);
  lua_createtable(L, 0, s->count);
  for (int i = 0; i < s->count; i++) {
    lua_rawgeti(L, -2, i + 1); /* the name, which the C string would have to be hashed for */
    dtcb_push_field(L, dtcb_field_at(row, i), data);
    lua_rawset(L, -3);
  }
  lua_remove(L, -2);
}

/* ---- errors of the C library ------------------------------------------------------------------------------------- */

/* A number in the words of the field it belongs to: float for a double, nil for DTC_NONE. */
static void dtcb_push_number(lua_State *L, uint32_t field, uint64_t bits)
{
  const dtcb_field *f = bits == DTC_NONE ? NULL : dtcb_field_of(field);
  if (bits == DTC_NONE)
    lua_pushnil(L);
  else if (f && f->type == DTCB_F64)
    lua_pushnumber(L, dtcb_f64(bits));
  else
    dtcb_push_u64(L, bits);
}

static void dtcb_push_field_name(lua_State *L, uint32_t id)
{
  if (id == 0)
    lua_pushnil(L);
  else
    lua_pushstring(L, dtc_field_name(id));
}

static void dtcb_push_error_field(lua_State *L, const dtc_error *e, const dtcb_field *f)
{
  switch (f->offset) {
  case offsetof(dtc_error, field):
    dtcb_push_field_name(L, e->field);
    break;
  case offsetof(dtc_error, other):
    dtcb_push_field_name(L, e->other);
    break;
  case offsetof(dtc_error, other_got):
    dtcb_push_number(L, e->other, e->other_got);
    break;
  case offsetof(dtc_error, offset):
    dtcb_push_number(L, 0, e->offset);
    break;
  default:
    if (f->size == 8)
      dtcb_push_number(L, e->field, dtcb_load(f, e));
    else
      dtcb_push_field(L, f, e);
  }
}

/* An error or a finding: its numbers, and its line in both languages, with the word of what was said that it is about. */
static void dtcb_push_error(lua_State *L, const dtc_error *e, const dtcb_said *said)
{
  char word[DTCB_WORD];
  char line[DTCB_LINE];
  int has_word = dtcb_word_of(e, said, word);
  int count = dtcb_structs[DTCB_STRUCT_error].count;
  lua_createtable(L, 0, count + 2);
  for (int i = 0; i < count; i++) {
    const dtcb_field *f = dtcb_field_at(DTCB_STRUCT_error, i);
    dtcb_push_error_field(L, e, f);
    lua_setfield(L, -2, f->offset == offsetof(dtc_error, status) ? "code" : f->name);
  }
  dtcb_line(e, DTC_LANG_EN, has_word ? word : NULL, line);
  lua_pushstring(L, line);
  lua_setfield(L, -2, "text");
  dtcb_line(e, DTC_LANG_ZH, has_word ? word : NULL, line);
  lua_pushstring(L, line);
  lua_setfield(L, -2, "zh");
  dtcb_push_kept(L, DTCB_KEEP_ERROR);
  lua_setmetatable(L, -2);
}

/* ---- arguments and results of the wrappers ----------------------------------------------------------------------- */

/* Refuses too many arguments, and makes those that were not given nil. */
static void dtcb_check_count(lua_State *L, const char *function, int most)
{
  int given = lua_gettop(L);
  if (given > most) {
    for (size_t i = 0; i < sizeof dtcb_renamed / sizeof dtcb_renamed[0]; i++)
      function = strcmp(function, dtcb_renamed[i][0]) == 0 ? dtcb_renamed[i][1] : function;
    lua_pushinteger(L, most);
    lua_pushinteger(L, given);
    dtcb_fail(L, DTCB_SAYS_COUNT, "type", 0, function, dtcb_shown(L, given + 1), dtcb_shown(L, given + 2));
  }
  lua_settop(L, most);
}

static const char *dtcb_bytes(lua_State *L, int at, const char *name, size_t *len)
{
  if (lua_type(L, at) != LUA_TSTRING)
    dtcb_fail_type(L, at, name, "string");
  return lua_tolstring(L, at, len);
}

static const char *dtcb_text(lua_State *L, int at, const char *name)
{
  size_t len = 0;
  const char *text = dtcb_bytes(L, at, name, &len);
  if (strlen(text) != len)
    dtcb_fail(L, DTCB_SAYS_NUL, "range", 0, name, "", "");
  return text;
}

/* Says the stride of an array of structs. */
static void dtcb_begin_array(dtcb_buffer *b)
{
  if (b->row >= 0)
    dtcb_set_size(b->row, b->data);
}

/* Makes room for all elements, whose number a table of Lua can have. The memory stays on the stack, below the results. */
static void dtcb_grow(lua_State *L, dtcb_buffer *b, size_t cap)
{
  if (cap > INT32_MAX) {
    dtcb_push_u64(L, cap);
    dtcb_fail(L, DTCB_SAYS_INDEX, "range", lua_gettop(L), "out", dtcb_shown(L, lua_gettop(L)), "");
  }
  b->cap = cap;
  b->data = lua_newuserdata(L, b->cap * b->element);
  dtcb_begin_array(b);
  dtcb_give(b);
}

static void dtcb_push_array(lua_State *L, const dtcb_buffer *b)
{
  lua_createtable(L, (int)b->len, 0);
  for (size_t i = 0; i < b->len; i++) {
    if (b->row < 0)
      dtcb_push_u64(L, dtcb_number_at(b, i));
    else
      dtcb_push_struct(L, b->row, (const char *)b->data + i * b->element);
    lua_rawseti(L, -2, (int)(i + 1));
  }
}

/* ---- functions that are no plain wrapper ------------------------------------------------------------------------- */

/* Pushes the line of the value at `at`: of an error in a language, of anything else what it is. */
static void dtcb_push_text(lua_State *L, int at, const char *key)
{
  if (lua_istable(L, at)) {
    lua_pushstring(L, key);
    lua_rawget(L, at);
  } else {
    lua_pushvalue(L, at);
  }
  if (!lua_tostring(L, -1)) {
    lua_pop(L, 1);
    lua_pushfstring(L, "(%s)", luaL_typename(L, at));
  }
}

/* text(err, lang): the line of an error or a finding in "en" or "zh". Takes any err, so that handlers may call it. */
static int dtcb_error_text(lua_State *L)
{
  int given = lua_gettop(L);
  const char *lang = given < 2 || lua_isnil(L, 2) ? "en" : dtcb_text(L, 2, "lang");
  dtcb_check_count(L, "text", 2);
  if (strcmp(lang, "en") != 0 && strcmp(lang, "zh") != 0)
    dtcb_fail(L, DTCB_SAYS_TYPE, "unknown", 2, "lang", "\"en\", \"zh\"", lang);
  dtcb_push_text(L, 1, strcmp(lang, "zh") == 0 ? "zh" : "text");
  return 1;
}

static int dtcb_error_tostring(lua_State *L)
{
  lua_settop(L, 1);
  dtcb_push_text(L, 1, "text");
  return 1;
}

static int dtcb_error_concat(lua_State *L)
{
  lua_settop(L, 2);
  dtcb_push_text(L, 1, "text");
  dtcb_push_text(L, 2, "text");
  lua_concat(L, 2);
  return 1;
}

static int dtcb_names(lua_State *L, const char *function, size_t (*count)(void), const char *(*name)(size_t))
{
  dtcb_check_count(L, function, 0);
  lua_createtable(L, (int)count(), 0);
  for (size_t i = 0; i < count(); i++) {
    lua_pushstring(L, name(i));
    lua_rawseti(L, -2, (int)(i + 1));
  }
  return 1;
}

static int dtcb_model_names(lua_State *L)
{
  return dtcb_names(L, "model_names", dtc_model_count, dtc_model_name);
}

static int dtcb_gpu_names(lua_State *L)
{
  return dtcb_names(L, "gpu_names", dtc_gpu_count, dtc_gpu_name);
}

static int dtcb_cluster_names(lua_State *L)
{
  return dtcb_names(L, "cluster_names", dtc_cluster_count, dtc_cluster_name);
}

static int dtcb_nccl_names(lua_State *L)
{
  return dtcb_names(L, "nccl_names", dtc_nccl_count, dtc_nccl_name);
}

static int dtcb_software_names(lua_State *L)
{
  return dtcb_names(L, "software_names", dtc_software_count, dtc_software_name);
}

/* field_id("plan", "tp"): DTC_FIELD(plan, tp). */
static int dtcb_field_id(lua_State *L)
{
  dtcb_check_count(L, "field_id", 2);
  const char *noun = dtcb_text(L, 1, "struct");
  dtcb_text(L, 2, "field");
  int row = 0;
  while (row < DTCB_STRUCTS && strcmp(dtcb_structs[row].name + strlen("dtc_"), noun) != 0)
    row++;
  if (row == DTCB_STRUCTS)
    dtcb_fail(L, DTCB_SAYS_TYPE, "unknown", 1, "struct", "the name of a struct", noun);
  dtcb_push_kept(L, DTCB_KEEP_STRUCT + row);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  int known = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (known == 0)
    dtcb_fail_unknown(L, 2, noun);
  dtcb_push_u64(L, dtcb_structs[row].number << 16 | dtcb_field_at(row, known - 1)->offset);
  return 1;
}

static int _wrap_plan_format(lua_State *L);
static int _wrap_plan_parse(lua_State *L);

/* plan_format(plan, model_name): what may be left out comes last. */
static int dtcb_plan_format(lua_State *L)
{
  dtcb_check_count(L, "plan_format", 2);
  lua_insert(L, 1);
  return _wrap_plan_format(L);
}

/* plan_parse(text): the plan, and the model or nil. */
static int dtcb_plan_parse(lua_State *L)
{
  _wrap_plan_parse(L);
  lua_insert(L, -2);
  lua_getfield(L, -1, "layers");
  int named = lua_tonumber(L, -1) > 0;
  lua_pop(L, 1);
  if (!named) {
    lua_pop(L, 1);
    lua_pushnil(L);
  }
  return 2;
}

/* What plan_verdict() weighs. */
typedef struct dtcb_case {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_memory memory;
} dtcb_case;

static void dtcb_raise(lua_State *L, dtc_status status, const dtc_error *err, const dtcb_said *said)
{
  if (status != DTC_OK) {
    dtcb_push_error(L, err, said);
    lua_error(L);
  }
}

/* Reads the arguments; whether there is a model, in the third or in the text. */
static int dtcb_read_case(lua_State *L, int given, dtcb_case *out, dtc_error *err)
{
  dtcb_said said = dtcb_said_nothing;
  said.text = dtcb_bytes(L, 1, "text", &said.len);
  dtcb_in_argument(L, DTCB_STRUCT_cluster, 2, given, "cluster", &out->cluster);
  DTC_INIT(&out->model);
  DTC_INIT(&out->plan);
  dtcb_raise(L, dtc_plan_parse(said.text, said.len, &out->model, &out->plan, err), err, &said);
  if (!lua_isnil(L, 3)) {
    said.text = dtcb_text(L, 3, "model");
    said.len = strlen(said.text);
    dtcb_raise(L, dtc_model_find(said.text, &out->model, err), err, &said);
  }
  return out->model.layers != 0;
}

static void dtcb_add_u64(lua_State *L, const char *name, uint64_t value)
{
  dtcb_push_u64(L, value);
  lua_setfield(L, -2, name);
}

static void dtcb_add_memory(lua_State *L, const dtc_memory *m)
{
  dtcb_add_u64(L, "device", m->device);
  dtcb_add_u64(L, "capacity", m->capacity);
  dtcb_add_u64(L, "stage", m->stage);
  lua_pushboolean(L, m->fits == DTC_BOOL_ON);
  lua_setfield(L, -2, "fits");
  dtcb_push_enum(L, DTCB_ENUM_memory_item, m->largest);
  lua_setfield(L, -2, "largest");
}

/* plan_verdict(text, cluster, model): what a scheduler asks of a plan's text, in one call that makes one small table: the
 * degrees tp, cp, pp, dp, and what memory() says of the worst GPU: device, capacity, fits, stage, largest. A model that is
 * named counts for more than the text's; without any the degrees are those of the text, and nothing else is said. Raises what
 * plan_parse(), model_find() and plan_resolve() raise. Memory that cannot be told is left out. */
static int dtcb_plan_verdict(lua_State *L)
{
  dtcb_case c;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&c.memory);
  int given = lua_gettop(L);
  dtcb_check_count(L, "plan_verdict", 3);
  int has_model = dtcb_read_case(L, given, &c, &err);
  if (has_model)
    dtcb_raise(L, dtc_plan_resolve(&c.model, &c.cluster, &c.plan, &c.plan, &err), &err, &dtcb_said_nothing);
  lua_createtable(L, 0, 9);
  dtcb_add_u64(L, "tp", c.plan.tp);
  dtcb_add_u64(L, "cp", c.plan.cp);
  dtcb_add_u64(L, "pp", c.plan.pp);
  dtcb_add_u64(L, "dp", c.plan.dp);
  if (has_model && dtc_memory_estimate(&c.model, &c.cluster, &c.plan, NULL, 0, &c.memory, NULL) == DTC_OK)
    dtcb_add_memory(L, &c.memory);
  return 1;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static const luaL_Reg dtcb_functions[] = {
    {"text", dtcb_error_text},
    {"field_id", dtcb_field_id},
    {"model_names", dtcb_model_names},
    {"gpu_names", dtcb_gpu_names},
    {"cluster_names", dtcb_cluster_names},
    {"nccl_names", dtcb_nccl_names},
    {"software_names", dtcb_software_names},
    {"plan_format", dtcb_plan_format},
    {"plan_parse", dtcb_plan_parse},
    {"plan_verdict", dtcb_plan_verdict},
    {NULL, NULL},
};

/* {name = value, [value] = name} of an enum. */
static void dtcb_push_names(lua_State *L, int id)
{
  lua_newtable(L);
  for (int i = 0; i < DTCB_WORDS; i++) {
    if (dtcb_words[i].enum_id != id)
      continue;
    lua_pushinteger(L, dtcb_words[i].value);
    lua_setfield(L, -2, dtcb_words[i].word);
    lua_pushstring(L, dtcb_words[i].word);
    lua_rawseti(L, -2, dtcb_words[i].value);
  }
}

/* Fills the module's table in the registry. */
static void dtcb_keep(lua_State *L)
{
  lua_pushlightuserdata(L, (void *)(uintptr_t)&dtcb_key);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, dtcb_error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, dtcb_error_concat);
  lua_setfield(L, -2, "__concat");
  lua_rawseti(L, -2, DTCB_KEEP_ERROR);
  for (int i = 0; i < DTCB_STRUCTS; i++) {
    lua_newtable(L);
    for (int j = 0; j < dtcb_structs[i].count; j++) {
      lua_pushinteger(L, j + 1);
      lua_setfield(L, -2, dtcb_field_at(i, j)->name);
      lua_pushstring(L, dtcb_field_at(i, j)->name);
      lua_rawseti(L, -2, j + 1);
    }
    lua_rawseti(L, -2, DTCB_KEEP_STRUCT + i);
  }
  for (int i = 0; i < DTCB_ENUMS; i++) {
    dtcb_push_names(L, i);
    lua_rawseti(L, -2, DTCB_KEEP_ENUM + i);
  }
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* fields.plan = {"framework", ...}, enums.sharding = {ddp = 1, [1] = "ddp", ...}, and the numbers that have a name. */
static void dtcb_add_constants(lua_State *L)
{
  lua_newtable(L);
  for (int i = 0; i < DTCB_STRUCTS; i++) {
    lua_newtable(L);
    for (int j = 0; j < dtcb_structs[i].count; j++) {
      lua_pushstring(L, dtcb_field_at(i, j)->name);
      lua_rawseti(L, -2, j + 1);
    }
    lua_setfield(L, -2, dtcb_structs[i].name + strlen("dtc_"));
  }
  lua_setfield(L, -2, "fields");
  lua_newtable(L);
  for (int i = 0; i < DTCB_ENUMS; i++) {
    dtcb_push_names(L, i);
    lua_setfield(L, -2, dtcb_enums[i] + strlen("dtc_"));
  }
  lua_setfield(L, -2, "enums");
  for (size_t i = 0; i < sizeof dtcb_limits / sizeof dtcb_limits[0]; i++) {
    dtcb_push_u64(L, dtcb_limits[i].value);
    lua_setfield(L, -2, dtcb_limits[i].name);
  }
}

static void dtcb_add(lua_State *L, const luaL_Reg *functions)
{
  for (; functions->name; functions++) {
    lua_pushcfunction(L, functions->func);
    lua_setfield(L, -2, functions->name);
  }
}

/* Pushes the module: a plain table. */
static void dtcb_open(lua_State *L, const luaL_Reg *wrappers)
{
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  dtcb_keep(L);
  lua_newtable(L);
  dtcb_add(L, wrappers);
  dtcb_add(L, dtcb_functions);
  dtcb_add_constants(L);
  for (size_t i = 0; i < sizeof dtcb_renamed / sizeof dtcb_renamed[0]; i++) {
    lua_getfield(L, -1, dtcb_renamed[i][0]);
    lua_setfield(L, -2, dtcb_renamed[i][1]);
    lua_pushnil(L);
    lua_setfield(L, -2, dtcb_renamed[i][0]);
  }
  lua_getfield(L, -1, "model_params");
  lua_setfield(L, -2, "params");
}

void SWIG_init_user(lua_State *L); /* SWIG's, holds the %init block of lua.i */

__attribute__((visibility("default"))) int luaopen_dtcore(lua_State *L);
int luaopen_dtcore(lua_State *L)
{
  SWIG_init_user(L);
  return 1;
}

#endif
