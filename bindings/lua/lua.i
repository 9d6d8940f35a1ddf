/* Typemaps for Lua 5.1 to 5.4: conversions are in convert.h. What fails leaves by lua_error(), so nothing that would
 * need freeing is ever held: buffers are C locals, or userdata when they are large. Locals that %exception or another
 * typemap reads are called _global_*, which SWIG does not rename. */
%begin %{
/* The entry of the module is in convert.h: SWIG's would add globals and a type system that nothing here needs. */
#define SWIGEXPORT static __attribute__((unused))
%}
%{
#include "lua/convert.h"
/* SWIG's own raises a string, and tells a missing argument from nil nowhere. */
#undef SWIG_check_num_args
#define SWIG_check_num_args(function, least, most)                                                                     \
  const int _global_given = lua_gettop(L);                                                                             \
  (void)_global_given;                                                                                                 \
  dtcb_check_count(L, &function[sizeof "dtc_" - 1], most);
%}
%init %{
  dtcb_open(L, swig_SwigModule.ns_methods);
%}

/* ---- status and error -------------------------------------------------------------------------------------------- */

%typemap(in, numinputs=0, noblock=1) dtc_error *err
    (dtc_error _global_err, dtcb_said _global_said = dtcb_said_nothing) {
  DTC_INIT(&_global_err);
  $1 = &_global_err;
}
%typemap(out, noblock=1) dtc_status {
  if ($1 != DTC_OK) {
    dtcb_push_error(L, &_global_err, &_global_said);
    SWIG_fail;
  }
}

/* ---- plain values ------------------------------------------------------------------------------------------------ */

%define %dtc_number(TYPE)
%typemap(in, noblock=1) TYPE {
  $1 = ($1_ltype)dtcb_u64(L, $input, "$1_name", ($1_ltype)-1);
}
%typemap(out, noblock=1) TYPE {
  dtcb_push_u64(L, $1);
  SWIG_arg++;
}
%enddef
%dtc_number(uint32_t)
%dtc_number(uint64_t)
%dtc_number(size_t)
%typemap(in, noblock=1) double {
  $1 = $input > _global_given ? 0 : dtcb_double(L, $input, "$1_name");
}
%typemap(out, noblock=1) const char * {
  if (!$1)
    dtcb_fail_index(L);
  lua_pushstring(L, $1);
  SWIG_arg++;
}
%typemap(in, numinputs=0, noblock=1) uint64_t * (uint64_t number = 0) {
  $1 = &number;
}
%typemap(in, numinputs=0, noblock=1) double * (double number = 0) {
  $1 = &number;
}
%typemap(argout) const uint64_t * "";
%typemap(argout, noblock=1) uint64_t * {
  dtcb_push_u64(L, *$1);
  SWIG_arg++;
}
%typemap(argout, noblock=1) double * {
  lua_pushnumber(L, *$1);
  SWIG_arg++;
}

%define %dtc_enum(NOUN)
%typemap(in, noblock=1) dtc_##NOUN {
  $1 = $input > _global_given ? dtcb_default(L, DTCB_ENUM_##NOUN, "$1_name")
                              : dtcb_enum(L, $input, "$1_name", UINT32_MAX, DTCB_ENUM_##NOUN);
}
%enddef

/* ---- text -------------------------------------------------------------------------------------------------------- */

%typemap(in, noblock=1) const char * {
  if (!(DTCB_NULL_$symname_$1_name && lua_isnil(L, $input))) {
    $1 = (char *)dtcb_text(L, $input, "$1_name");
    _global_said.text = $1;
    _global_said.len = strlen($1);
  }
}
%typemap(freearg) const char * "";
%define %dtc_text(ARG, LENGTH)
%typemap(in, noblock=1) (const char *ARG, size_t LENGTH) {
  $2 = 0;
  if (!(DTCB_NULL_$symname_$1_name && lua_isnil(L, $input)))
    $1 = (char *)dtcb_bytes(L, $input, "$1_name", &$2);
  _global_said.text = $1;
  _global_said.len = $2;
}
%typemap(freearg) (const char *ARG, size_t LENGTH) "";
%enddef

/* ---- output arrays and texts: called again when the first guess was too small ------------------------------------ */

%typemap(in, numinputs=0, noblock=1) (char *buf, size_t cap, size_t *len)
    (char _global_room[512], dtcb_buffer _global_buffer) {
  _global_buffer = dtcb_text_buffer;
  _global_buffer.at = &$1;
  _global_buffer.cap_at = &$2;
  _global_buffer.data = $1 = _global_room;
  _global_buffer.cap = $2 = sizeof _global_room;
  $3 = &_global_buffer.len;
}
%typemap(argout, noblock=1) (char *buf, size_t cap, size_t *len) {
  lua_pushlstring(L, _global_buffer.data, _global_buffer.len);
  SWIG_arg++;
}
%typemap(freearg) (char *buf, size_t cap, size_t *len) "";

%define %dtc_out_elements(TYPE, ARG, ROW)
%typemap(in, numinputs=0, noblock=1) (TYPE *ARG, size_t cap, size_t *count)
    (TYPE _global_room[DTCB_ROOM], dtcb_buffer _global_buffer) {
  _global_buffer = (dtcb_buffer){
      .at = &$1, .cap_at = &$2, .data = _global_room, .element = sizeof(TYPE), .cap = DTCB_ROOM, .row = ROW};
  dtcb_begin_array(&_global_buffer);
  $1 = _global_room;
  $2 = DTCB_ROOM;
  $3 = &_global_buffer.len;
}
%typemap(argout, noblock=1) (TYPE *ARG, size_t cap, size_t *count) {
  dtcb_push_array(L, &_global_buffer);
  SWIG_arg++;
}
%typemap(freearg) (TYPE *ARG, size_t cap, size_t *count) "";
%enddef
%define %dtc_out_array(NOUN, ARG)
%dtc_out_elements(dtc_##NOUN, ARG, DTCB_STRUCT_##NOUN)
%enddef
%define %dtc_out_numbers(TYPE, ARG)
%dtc_out_elements(TYPE, ARG, -1)
%enddef

/* Scratch: what the C stack holds, then as much as the library asks for. */
%typemap(in, numinputs=0, noblock=1) (uint64_t *scratch, size_t n_scratch)
    (uint64_t _global_work[DTCB_ROOM], dtcb_buffer _global_scratch) {
  _global_scratch = dtcb_scratch_buffer;
  $1 = _global_work;
  $2 = DTCB_ROOM;
  _global_scratch.at = &$1;
  _global_scratch.cap_at = &$2;
}
%typemap(argout) (uint64_t *scratch, size_t n_scratch) "";
%typemap(freearg) (uint64_t *scratch, size_t n_scratch) "";

/* A call is made again with a longer array or more scratch, until it has asked for neither: three times at most, for
 * what it asks for follows from its inputs. */
%define %dtc_grows(FUNCTION)
%exception FUNCTION {
  size_t longer;
  do {
    $action
    longer = dtcb_longer(&_global_buffer);
    if (longer != 0)
      dtcb_grow(L, &_global_buffer, longer);
  } while (longer != 0);
}
%enddef
%define %dtc_works(FUNCTION)
%exception FUNCTION {
  size_t roomier;
  do {
    $action
    roomier = dtcb_roomier(&_global_scratch, result, &_global_err);
    if (roomier != 0)
      dtcb_grow(L, &_global_scratch, roomier);
  } while (roomier != 0);
}
%enddef
%define %dtc_grows_works(FUNCTION)
%exception FUNCTION {
  size_t longer, roomier;
  do {
    $action
    longer = dtcb_longer(&_global_buffer);
    roomier = dtcb_roomier(&_global_scratch, result, &_global_err);
    if (longer != 0)
      dtcb_grow(L, &_global_buffer, longer);
    if (roomier != 0)
      dtcb_grow(L, &_global_scratch, roomier);
  } while (longer != 0 || roomier != 0);
}
%enddef

/* ---- structs ----------------------------------------------------------------------------------------------------- */

%define %dtc_in(NOUN)
%typemap(in, noblock=1) const dtc_##NOUN * (dtc_##NOUN copy) {
  if (!(DTCB_NULL_$symname_$1_name && lua_isnil(L, $input))) {
    dtcb_in_argument(L, DTCB_STRUCT_##NOUN, $input, _global_given, "$1_name", &copy);
    $1 = &copy;
  }
}
%enddef

%define %dtc_out(NOUN)
%typemap(in, numinputs=0, noblock=1) dtc_##NOUN * (dtc_##NOUN made) {
  memset(&made, 0, sizeof made);
  dtcb_set_size(DTCB_STRUCT_##NOUN, &made);
  $1 = &made;
}
%typemap(argout) const dtc_##NOUN * "";
%typemap(argout, noblock=1) dtc_##NOUN * {
  dtcb_push_struct(L, DTCB_STRUCT_##NOUN, $1);
  SWIG_arg++;
}
%enddef

%define %dtc_in_elements(TYPE, ARG, LENGTH, ROW)
%typemap(in, noblock=1) (const TYPE *ARG, size_t LENGTH) {
  $2 = 0;
  if (!(DTCB_NULL_$symname_$1_name && lua_isnil(L, $input)))
    $1 = ($1_ltype)dtcb_in_array(L, ROW, $input, "$1_name", &$2);
}
%typemap(freearg) (const TYPE *ARG, size_t LENGTH) "";
%enddef
%define %dtc_in_array(NOUN, ARG, LENGTH)
%dtc_in_elements(dtc_##NOUN, ARG, LENGTH, DTCB_STRUCT_##NOUN)
%enddef
%define %dtc_in_numbers(ARG, LENGTH)
%dtc_in_elements(uint64_t, ARG, LENGTH, -1)
%enddef
