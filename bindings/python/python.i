/* Typemaps for Python: conversions are in convert.h, loops over rows in batch.h. Locals that %exception or another
 * typemap reads are called _global_*, which SWIG does not rename. */
%begin %{
#define SWIG_PYTHON_STRICT_BYTE_CHAR
%}
%{
#include <errno.h> /* SWIG 4.3 needs it and does not say so */
#include "python/batch.h"
%}
%init %{
  PyModule_AddFunctions(m, dtcb_methods); /* when it fails, the import does: the exception is set */
%}

/* ---- status and error -------------------------------------------------------------------------------------------- */

%typemap(in, numinputs=0, noblock=1) dtc_error *err
    (dtc_error _global_err, dtcb_said _global_said = dtcb_said_nothing) {
  DTC_INIT(&_global_err);
  $1 = &_global_err;
}
%typemap(out, noblock=1) dtc_status {
  if ($1 != DTC_OK) {
    dtcb_raise(&_global_err, &_global_said);
    SWIG_fail;
  }
  $result = Py_NewRef(Py_None);
}

/* ---- plain values ------------------------------------------------------------------------------------------------ */

%define %dtc_number(TYPE)
%typemap(in, noblock=1) TYPE (uint64_t number) {
  if (!dtcb_u64($input, "$1_name", ($1_ltype)-1, &number))
    SWIG_fail;
  $1 = ($1_ltype)number;
}
%typemap(out, noblock=1) TYPE {
  $result = PyLong_FromUnsignedLongLong($1);
}
%enddef
%dtc_number(uint32_t)
%dtc_number(uint64_t)
%dtc_number(size_t)
%typemap(in, noblock=1) double (uint64_t number, PyObject *kept) {
  kept = dtcb_read_f64("$1_name", $input, &number);
  if (!kept)
    SWIG_fail;
  Py_DECREF(kept);
  $1 = dtcb_f64(number);
}
%typemap(out, noblock=1) const char * {
  if (!$1) {
    PyErr_SetString(PyExc_IndexError, "index out of range");
    SWIG_fail;
  }
  $result = PyUnicode_FromString($1);
}
%typemap(in, numinputs=0, noblock=1) uint64_t * (uint64_t number = 0) {
  $1 = &number;
}
%typemap(in, numinputs=0, noblock=1) double * (double number = 0) {
  $1 = &number;
}
%typemap(argout) const uint64_t * "";
%typemap(argout, noblock=1) uint64_t * {
  $result = dtcb_append($result, PyLong_FromUnsignedLongLong(*$1));
}
%typemap(argout, noblock=1) double * {
  $result = dtcb_append($result, PyFloat_FromDouble(*$1));
}

%define %dtc_enum(NOUN)
%typemap(in, noblock=1) dtc_##NOUN (uint64_t number, PyObject *kept) {
  kept = dtcb_read_enum(DTCB_ENUM_##NOUN, "$1_name", $input, UINT32_MAX, &number);
  if (!kept)
    SWIG_fail;
  Py_DECREF(kept);
  $1 = (dtc_##NOUN)number;
}
%enddef

/* ---- text -------------------------------------------------------------------------------------------------------- */

%typemap(in, noblock=1) const char * {
  if (!(DTCB_NULL_$symname_$1_name && $input == Py_None)) {
    $1 = (char *)dtcb_text($input, "$1_name");
    if (!$1)
      SWIG_fail;
    _global_said.text = $1;
    _global_said.len = strlen($1);
  }
}
%typemap(freearg) const char * "";
%define %dtc_text(ARG, LENGTH)
%typemap(in, noblock=1) (const char *ARG, size_t LENGTH)  {
  if (!(DTCB_NULL_$symname_$1_name && $input == Py_None) &&
      !dtcb_text_len($input, "$1_name", &_global_said.text, &_global_said.len))
    SWIG_fail;
  $1 = (char *)_global_said.text;
  $2 = _global_said.len;
}
%typemap(freearg) (const char *ARG, size_t LENGTH) "";
%enddef

/* ---- output arrays and texts: called again when the first guess was too small ------------------------------------ */

%typemap(in, numinputs=0, noblock=1) (char *buf, size_t cap, size_t *len)
    (dtcb_buffer _global_buffer = dtcb_text_buffer) {
  _global_buffer.at = &$1;
  _global_buffer.cap_at = &$2;
  if (!dtcb_reserve(&_global_buffer, 512))
    SWIG_fail;
  $3 = &_global_buffer.len;
}
%typemap(argout, noblock=1) (char *buf, size_t cap, size_t *len) {
  $result = dtcb_append($result, PyUnicode_DecodeUTF8(_global_buffer.data, (Py_ssize_t)_global_buffer.len, NULL));
}
%typemap(freearg, noblock=1) (char *buf, size_t cap, size_t *len) {
  PyMem_Free(_global_buffer.data);
}

%define %dtc_out_elements(TYPE, ARG, ROW)
%typemap(in, numinputs=0, noblock=1) (TYPE *ARG, size_t cap, size_t *count)
    (dtcb_buffer _global_buffer = {.element = sizeof(TYPE), .row = ROW}) {
  _global_buffer.at = &$1;
  _global_buffer.cap_at = &$2;
  if (!dtcb_reserve(&_global_buffer, DTCB_ROOM))
    SWIG_fail;
  $3 = &_global_buffer.len;
}
%typemap(argout, noblock=1) (TYPE *ARG, size_t cap, size_t *count) {
  $result = dtcb_append($result, dtcb_array(&_global_buffer));
}
%typemap(freearg, noblock=1) (TYPE *ARG, size_t cap, size_t *count) {
  PyMem_Free(_global_buffer.data);
}
%enddef
%define %dtc_out_array(NOUN, ARG)
%dtc_out_elements(dtc_##NOUN, ARG, DTCB_STRUCT_##NOUN)
%enddef
%define %dtc_out_numbers(TYPE, ARG)
%dtc_out_elements(TYPE, ARG, -1)
%enddef

/* Scratch: what the C stack holds, then as much as the library asks for. */
%typemap(in, numinputs=0, noblock=1) (uint64_t *scratch, size_t n_scratch)
    (uint64_t _global_room[DTCB_ROOM], dtcb_buffer _global_scratch = dtcb_scratch_buffer) {
  $1 = _global_room;
  $2 = DTCB_ROOM;
  _global_scratch.at = &$1;
  _global_scratch.cap_at = &$2;
}
%typemap(argout) (uint64_t *scratch, size_t n_scratch) "";
%typemap(freearg, noblock=1) (uint64_t *scratch, size_t n_scratch) {
  PyMem_Free(_global_scratch.data);
}

/* A call is made again with a longer array or more scratch, until it has asked for neither: three times at most, for
 * what it asks for follows from its inputs. What needs scratch may run long: others may run meanwhile, for all that it
 * reads are copies, or cannot change. */
%define %dtc_grows(FUNCTION)
%exception FUNCTION {
  size_t longer;
  do {
    $action
    longer = dtcb_longer(&_global_buffer);
    if (longer != 0 && !dtcb_reserve(&_global_buffer, longer))
      SWIG_fail;
  } while (longer != 0);
}
%enddef
%define %dtc_works(FUNCTION)
%exception FUNCTION {
  size_t roomier;
  do {
    Py_BEGIN_ALLOW_THREADS
    $action
    Py_END_ALLOW_THREADS
    roomier = dtcb_roomier(&_global_scratch, result, &_global_err);
    if (roomier != 0 && !dtcb_reserve(&_global_scratch, roomier))
      SWIG_fail;
  } while (roomier != 0);
}
%enddef
%define %dtc_grows_works(FUNCTION)
%exception FUNCTION {
  size_t longer, roomier;
  do {
    Py_BEGIN_ALLOW_THREADS
    $action
    Py_END_ALLOW_THREADS
    longer = dtcb_longer(&_global_buffer);
    roomier = dtcb_roomier(&_global_scratch, result, &_global_err);
    if (longer != 0 && !dtcb_reserve(&_global_buffer, longer))
      SWIG_fail;
    if (roomier != 0 && !dtcb_reserve(&_global_scratch, roomier))
      SWIG_fail;
  } while (longer != 0 || roomier != 0);
}
%enddef

/* ---- structs ----------------------------------------------------------------------------------------------------- */

%define %dtc_in(NOUN)
%typemap(in, noblock=1) const dtc_##NOUN * (dtc_##NOUN copy) {
  if (!(DTCB_NULL_$symname_$1_name && $input == Py_None)) {
    if (!dtcb_in(DTCB_STRUCT_##NOUN, $input, "$1_name", &copy))
      SWIG_fail;
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
  $result = dtcb_append($result, dtcb_object(DTCB_STRUCT_##NOUN, $1));
}
%enddef

%define %dtc_in_elements(TYPE, ARG, LENGTH, ROW)
%typemap(in, noblock=1) (const TYPE *ARG, size_t LENGTH) (void *elements = NULL, size_t number = 0) {
  if (!dtcb_in_array(ROW, $input, "$1_name", DTCB_NULL_$symname_$1_name, &elements, &number))
    SWIG_fail;
  $1 = (TYPE *)elements;
  $2 = number;
}
%typemap(freearg, noblock=1) (const TYPE *ARG, size_t LENGTH) {
  PyMem_Free(elements$argnum);
}
%enddef
%define %dtc_in_array(NOUN, ARG, LENGTH)
%dtc_in_elements(dtc_##NOUN, ARG, LENGTH, DTCB_STRUCT_##NOUN)
%enddef
%define %dtc_in_numbers(ARG, LENGTH)
%dtc_in_elements(uint64_t, ARG, LENGTH, -1)
%enddef
