/* Python objects to and from the structs of the C library, by the field tables. Limited API of Python 3.11.
 * Functions return 0 or NULL with a Python exception set when they fail. */
#ifndef DTCB_PYTHON_CONVERT_H
#define DTCB_PYTHON_CONVERT_H

#include "common.h"

/* What bind() got from the package: set once, at import. */
static PyObject *dtcb_class[DTCB_STRUCTS];     /* class of a struct */
static PyObject *dtcb_slot[DTCB_FIELDS];       /* descriptor of an input's field */
static PyObject *dtcb_enum_class[DTCB_ENUMS];  /* IntEnum class */
static PyObject *dtcb_enum_member[DTCB_ENUMS]; /* list: value -> member, or None */
static PyObject *dtcb_packed;                  /* descriptor of the slot that keeps an input's struct as bytes */
static descrsetfunc dtcb_set;                  /* of those descriptors: writes past the frozen __setattr__ */
static descrgetfunc dtcb_get;

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int dtcb_wrong_type(const char *name, const char *wanted, PyObject *v)
{
  PyObject *type = PyType_GetName(Py_TYPE(v));
  if (type)
    PyErr_Format(PyExc_TypeError, "%s: expected %s, got %U", name, wanted, type);
  Py_XDECREF(type);
  return 0;
}

/* The same where an object of a class is wanted. */
static int dtcb_wrong_class(const char *name, PyObject *class, PyObject *v)
{
  PyObject *wanted = PyType_GetName((PyTypeObject *)class);
  const char *text = wanted ? PyUnicode_AsUTF8AndSize(wanted, NULL) : NULL;
  if (text)
    dtcb_wrong_type(name, text, v);
  Py_XDECREF(wanted);
  return 0;
}

/* Whatever has __index__, as a plain int; class is what the message names when it has none. */
static PyObject *dtcb_plain_int(PyObject *v, const char *name, PyObject *class)
{
  PyObject *index = PyNumber_Index(v);
  if (!index) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      dtcb_wrong_class(name, class, v);
    return NULL;
  }
  if (Py_TYPE(index) == &PyLong_Type)
    return index;
  PyObject *plain = PyNumber_Long(index); /* a bool or another subclass */
  Py_DECREF(index);
  return plain;
}

static int dtcb_bits(PyObject *v, const char *name, uint64_t max, uint64_t *bits)
{
  *bits = PyLong_AsUnsignedLongLong(v);
  if (*bits <= max && !(*bits == UINT64_MAX && PyErr_Occurred()))
    return 1;
  PyErr_Format(PyExc_ValueError, "%s: must be in [0, %llu]", name, (unsigned long long)max);
  return 0;
}

/* An argument: whatever has __index__, up to max. */
static int dtcb_u64(PyObject *v, const char *name, uint64_t max, uint64_t *out)
{
  PyObject *plain = dtcb_plain_int(v, name, (PyObject *)&PyLong_Type);
  int ok = plain && dtcb_bits(plain, name, max, out);
  Py_XDECREF(plain);
  return ok;
}

/* The member with that value, else the int itself. New reference; takes over none. */
static PyObject *dtcb_member(int id, PyObject *plain, uint64_t value)
{
  PyObject *list = dtcb_enum_member[id];
  PyObject *found = value < (uint64_t)PyList_Size(list) ? PyList_GetItem(list, (Py_ssize_t)value) : Py_None;
  return Py_NewRef(found == Py_None ? plain : found);
}

/* ---- one field: object -> bits, and the object that the slot keeps ----------------------------------------------- */

/* Members of one enum are no values of another, nor counts. */
static PyObject *dtcb_field_int(PyObject *v, const char *name, PyObject *class)
{
  for (int i = 0; i < DTCB_ENUMS; i++)
    if ((PyObject *)Py_TYPE(v) == dtcb_enum_class[i]) {
      dtcb_wrong_class(name, class, v);
      return NULL;
    }
  return dtcb_plain_int(v, name, class);
}

/* Refuses a word, and names those that there are. */
static int dtcb_unknown_word(int id, const char *name, PyObject *v)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; i < DTCB_WORDS && list; i++) {
    PyObject *word = dtcb_words[i].enum_id == id ? PyUnicode_FromString(dtcb_words[i].word) : Py_NewRef(Py_None);
    if (!word || (word != Py_None && PyList_Append(list, word) < 0))
      Py_CLEAR(list);
    Py_XDECREF(word);
  }
  PyObject *comma = PyUnicode_FromString(", ");
  PyObject *legal = list && comma ? PyUnicode_Join(comma, list) : NULL;
  if (legal)
    PyErr_Format(PyExc_ValueError, "%s: unknown word %R; legal: %U", name, v, legal);
  Py_XDECREF(list);
  Py_XDECREF(comma);
  Py_XDECREF(legal);
  return 0;
}

/* A word of the enum: "zero3". */
static int dtcb_word_bits(int id, const char *name, PyObject *v, uint64_t *bits)
{
  for (int i = 0; i < DTCB_WORDS; i++)
    if (dtcb_words[i].enum_id == id && PyUnicode_CompareWithASCIIString(v, dtcb_words[i].word) == 0) {
      *bits = (uint64_t)dtcb_words[i].value;
      return 1;
    }
  return dtcb_unknown_word(id, name, v);
}

/* A member of the enum, its word or its number; numbers up to max that are no member are for the C library to judge. */
static PyObject *dtcb_read_enum(int id, const char *name, PyObject *v, uint64_t max, uint64_t *bits)
{
  if ((PyObject *)Py_TYPE(v) == dtcb_enum_class[id])
    return dtcb_bits(v, name, max, bits) ? Py_NewRef(v) : NULL;
  if (PyUnicode_Check(v))
    return dtcb_word_bits(id, name, v, bits) ? dtcb_member(id, Py_None, *bits) : NULL;
  PyObject *plain = dtcb_field_int(v, name, dtcb_enum_class[id]);
  PyObject *kept = plain && dtcb_bits(plain, name, max, bits) ? dtcb_member(id, plain, *bits) : NULL;
  Py_XDECREF(plain);
  return kept;
}

static PyObject *dtcb_read_bool(const char *name, PyObject *v, uint64_t *bits)
{
  if (v != Py_None && v != Py_True && v != Py_False) {
    dtcb_wrong_type(name, "None, True or False", v);
    return NULL;
  }
  *bits = v == Py_None ? DTC_BOOL_DEFAULT : v == Py_True ? DTC_BOOL_ON : DTC_BOOL_OFF;
  return Py_NewRef(v);
}

static PyObject *dtcb_read_f64(const char *name, PyObject *v, uint64_t *bits)
{
  double d = PyFloat_AsDouble(v);
  if (d == -1.0 && PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      dtcb_wrong_type(name, "float", v);
    else if (PyErr_ExceptionMatches(PyExc_OverflowError))
      PyErr_Format(PyExc_ValueError, "%s: too large for a float", name);
    return NULL;
  }
  memcpy(bits, &d, sizeof d);
  return Py_TYPE(v) == &PyFloat_Type ? Py_NewRef(v) : PyFloat_FromDouble(d);
}

static PyObject *dtcb_read(const dtcb_field *f, PyObject *v, uint64_t *bits)
{
  if (f->type == DTCB_ENUM)
    return dtcb_read_enum(f->enum_id, f->name, v, dtcb_most(f), bits);
  if (f->type == DTCB_BOOL)
    return dtcb_read_bool(f->name, v, bits);
  if (f->type == DTCB_F64)
    return dtcb_read_f64(f->name, v, bits);
  PyObject *plain = Py_TYPE(v) == &PyLong_Type ? Py_NewRef(v) : dtcb_field_int(v, f->name, (PyObject *)&PyLong_Type);
  if (plain && !dtcb_bits(plain, f->name, dtcb_most(f), bits))
    Py_CLEAR(plain);
  return plain;
}

/* ---- one field: struct -> object --------------------------------------------------------------------------------- */

static PyObject *dtcb_enum_value(int id, uint32_t value)
{
  PyObject *plain = PyLong_FromUnsignedLong(value);
  PyObject *member = plain ? dtcb_member(id, plain, value) : NULL;
  Py_XDECREF(plain);
  return member;
}

/* The members whose bit is set. */
static PyObject *dtcb_mask_value(int id, uint32_t mask)
{
  PyObject *set = PyFrozenSet_New(NULL);
  for (uint32_t n = 0; mask >> n != 0 && set; n++) {
    PyObject *member = mask >> n & 1 ? dtcb_enum_value(id, n) : Py_NewRef(Py_None);
    if (!member || (member != Py_None && PySet_Add(set, member) < 0))
      Py_CLEAR(set);
    Py_XDECREF(member);
  }
  return set;
}

static PyObject *dtcb_value(const dtcb_field *f, const void *data)
{
  uint64_t bits = dtcb_load(f, data);
  switch (f->type) {
  case DTCB_F64:
    return PyFloat_FromDouble(dtcb_f64(bits));
  case DTCB_BOOL:
    return Py_NewRef(bits == DTC_BOOL_ON ? Py_True : bits == DTC_BOOL_OFF ? Py_False : Py_None);
  case DTCB_OPTIONAL:
    return bits == DTC_NONE ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(bits);
  case DTCB_ENUM:
    return dtcb_enum_value(f->enum_id, (uint32_t)bits);
  case DTCB_MASK:
    return dtcb_mask_value(f->enum_id, (uint32_t)bits);
  default:
    return PyLong_FromUnsignedLongLong(bits);
  }
}

/* ---- inputs: frozen dataclasses ---------------------------------------------------------------------------------- */

/* pack(row, self, value of each field...): sets every slot of self and packs the struct in the same pass. */
static PyObject *dtcb_pack(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  long row = n < 2 ? -1 : PyLong_AsLong(args[0]);
  if (row < 0 || row >= DTCB_STRUCTS || !dtcb_structs[row].input || n != dtcb_structs[row].count + 2) {
    PyErr_SetString(PyExc_TypeError, "pack: wrong arguments");
    return NULL;
  }
  const dtcb_struct *s = &dtcb_structs[row];
  PyObject *packed = PyBytes_FromStringAndSize(NULL, s->size);
  if (!packed)
    return NULL;
  char *data = PyBytes_AsString(packed);
  memset(data, 0, s->size);
  dtcb_set_size((int)row, data);
  int bad = 0;
  for (int i = 0; i < s->count && !bad; i++) {
    uint64_t bits = 0;
    PyObject *kept = dtcb_read(dtcb_field_at((int)row, i), args[i + 2], &bits);
    dtcb_store(dtcb_field_at((int)row, i), bits, data);
    bad = !kept || dtcb_set(dtcb_slot[s->first + i], args[1], kept) < 0;
    Py_XDECREF(kept);
  }
  bad = bad || dtcb_set(dtcb_packed, args[1], packed) < 0;
  Py_DECREF(packed);
  return bad ? NULL : Py_NewRef(Py_None);
}

/* Copies the packed struct of an input object: a copy, because converting a later argument may run Python code. */
static int dtcb_in(int row, PyObject *v, const char *name, void *out)
{
  const dtcb_struct *s = &dtcb_structs[row];
  PyTypeObject *class = (PyTypeObject *)dtcb_class[row];
  if (Py_TYPE(v) != class && !PyType_IsSubtype(Py_TYPE(v), class))
    return dtcb_wrong_class(name, dtcb_class[row], v);
  PyObject *packed = dtcb_get(dtcb_packed, v, NULL);
  if (!packed)
    return 0;
  int ok = PyBytes_Check(packed) && PyBytes_Size(packed) == s->size;
  if (ok) {
    memcpy(out, PyBytes_AsString(packed), s->size);
    dtcb_set_size(row, out);
  }
  Py_DECREF(packed);
  return ok ? 1 : dtcb_wrong_type(name, "an object that __init__ made", v);
}

static PyObject *dtcb_new_input(int row, const char *data)
{
  const dtcb_struct *s = &dtcb_structs[row];
  PyObject *self = PyType_GenericAlloc((PyTypeObject *)dtcb_class[row], 0);
  PyObject *packed = self ? PyBytes_FromStringAndSize(data, s->size) : NULL;
  int bad = !packed || dtcb_set(dtcb_packed, self, packed) < 0;
  Py_XDECREF(packed);
  for (int i = 0; i < s->count && !bad; i++) {
    PyObject *v = dtcb_value(&dtcb_fields[s->first + i], data);
    bad = !v || dtcb_set(dtcb_slot[s->first + i], self, v) < 0;
    Py_XDECREF(v);
  }
  if (bad)
    Py_CLEAR(self);
  return self;
}

/* ---- input arrays: in *out, for the caller to free; None is NULL and 0 where it may be --------------------------- */

static int dtcb_new_array(size_t n, size_t size, void **out)
{
  *out = PyMem_Calloc(n + 1, size);
  if (!*out)
    PyErr_NoMemory();
  return *out != NULL;
}

/* A format of the buffer protocol: native 64-bit integers. */
static int dtcb_is_u64(const char *format)
{
  format += *format == '@' || *format == '=';
  return *format && strchr("LQlq", *format) && !format[1];
}

/* Bytes of an element that such a format writes as code, when the field can be it; else 0. A switch cannot: it has three
 * values in C. */
static size_t dtcb_format_size(const dtcb_field *f, char code)
{
  size_t integer = code == 'B'   ? 1
                   : code == 'H' ? sizeof(unsigned short)
                   : code == 'I' ? sizeof(unsigned)
                   : code == 'L' ? sizeof(unsigned long)
                   : code == 'Q' ? 8
                                 : 0;
  size_t size = f->type == DTCB_F64 ? (code == 'd' ? sizeof(double) : 0) : integer;
  return f->type != DTCB_BOOL && size == f->size ? size : 0;
}

/* The bytes up to the end of the last field, when a format of the buffer protocol is the record of that row, field by
 * field; else 0. So NumPy writes what array() in _base.py made: "T{Q:rows:Q:cols:I:dims:I:dtype:I:shared:}". */
static size_t dtcb_record_size(int row, const char *format)
{
  size_t end = 0;
  size_t offset = 0;
  int i = 0;
  if (strncmp(format, "T{", 2) != 0)
    return 0;
  for (format += 2; *format && *format != '}';) {
    size_t repeated = 0;
    for (; *format >= '0' && *format <= '9' && repeated < UINT16_MAX; format++)
      repeated = 10 * repeated + (size_t)(*format - '0');
    char code = *format++;
    if (code == 'x') {
      offset += repeated ? repeated : 1;
    } else if (code != '@' && code != '=') {
      const dtcb_field *f = i < dtcb_structs[row].count ? dtcb_field_at(row, i++) : NULL;
      size_t size = f && !repeated ? dtcb_format_size(f, code) : 0;
      size_t length = f ? strlen(f->name) : 0;
      if (size == 0 || offset != f->offset || *format != ':' || strncmp(format + 1, f->name, length) != 0 ||
          format[length + 1] != ':')
        return 0;
      offset += size;
      end = offset;
      format += length + 2;
    }
  }
  return *format == '}' && !format[1] && i == dtcb_structs[row].count ? end : 0;
}

/* Copies an array of the buffer protocol: a NumPy array of integers or of the fields of a record, say. -1 when it is to
 * be read as any iterable: a number below zero, which is refused there by name, among them. */
static int dtcb_in_buffer(int row, PyObject *v, void **out, size_t *n)
{
  Py_buffer view;
  size_t size = row < 0 ? sizeof(uint64_t) : dtcb_structs[row].size;
  if (!PyObject_CheckBuffer(v) || (row >= 0 && dtcb_structs[row].sized))
    return -1;
  if (PyObject_GetBuffer(v, &view, PyBUF_RECORDS_RO) < 0) {
    PyErr_Clear();
    return -1;
  }
  size_t used = 0; /* without the padding, which copies of NumPy leave to chance */
  if (view.format && view.ndim == 1 && view.itemsize == (Py_ssize_t)size)
    used = row >= 0 ? dtcb_record_size(row, view.format) : dtcb_is_u64(view.format) ? size : 0;
  int good = used != 0;
  int is_signed = good && strchr("lq", view.format[strlen(view.format) - 1]) != NULL;
  size_t number = good ? (size_t)view.shape[0] : 0;
  good = good ? dtcb_new_array(number, size, out) : -1;
  for (size_t i = 0; i < number && good == 1; i++) {
    char *at = (char *)*out + i * size;
    memcpy(at, (const char *)view.buf + (Py_ssize_t)i * view.strides[0], used);
    good = is_signed && *(const int64_t *)(const void *)at < 0 ? -1 : 1;
  }
  if (good == 1) {
    *n = number;
  } else {
    PyMem_Free(*out);
    *out = NULL;
  }
  PyBuffer_Release(&view);
  return good;
}

/* An iterable of structs, or with row -1 of whatever has __index__. */
static int dtcb_in_array(int row, PyObject *v, const char *name, int optional, void **out, size_t *n)
{
  if (optional && v == Py_None)
    return 1;
  int copied = dtcb_in_buffer(row, v, out, n);
  if (copied >= 0)
    return copied;
  PyObject *list = PySequence_List(v);
  if (!list && PyErr_ExceptionMatches(PyExc_TypeError))
    dtcb_wrong_type(name, optional ? "an iterable or None" : "an iterable", v);
  if (!list)
    return 0;
  size_t size = row < 0 ? sizeof(uint64_t) : dtcb_structs[row].size;
  *n = (size_t)PyList_Size(list);
  int ok = dtcb_new_array(*n, size, out);
  for (size_t i = 0; i < *n && ok; i++) {
    PyObject *element = PyList_GetItem(list, (Py_ssize_t)i);
    void *at = (char *)*out + i * size;
    ok = row < 0 ? dtcb_u64(element, name, UINT64_MAX, at) : dtcb_in(row, element, name, at);
  }
  Py_DECREF(list);
  return ok;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* A struct as its class: dataclass, named tuple, or DtcoreError around its bytes. */
static PyObject *dtcb_object(int row, const void *data)
{
  const dtcb_struct *s = &dtcb_structs[row];
  if (s->input)
    return dtcb_new_input(row, data);
  if (row == DTCB_STRUCT_error)
    return PyObject_CallFunction(dtcb_class[row], "y#", (const char *)data, (Py_ssize_t)s->size);
  PyObject *tuple = PyType_GenericAlloc((PyTypeObject *)dtcb_class[row], s->count);
  for (int i = 0; i < s->count && tuple; i++) {
    PyObject *v = dtcb_value(&dtcb_fields[s->first + i], data);
    if (!v || PyTuple_SetItem(tuple, i, v) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

static int dtcb_reserve(dtcb_buffer *b, size_t cap)
{
  PyMem_Free(b->data);
  b->data = PyMem_Calloc(cap, b->element);
  b->cap = b->data ? cap : 0;
  if (!b->data) {
    PyErr_NoMemory();
    return 0;
  }
  if (b->row >= 0)
    dtcb_set_size(b->row, b->data);
  dtcb_give(b);
  return 1;
}

/* The elements as a list. */
static PyObject *dtcb_list(const dtcb_buffer *b)
{
  PyObject *list = PyList_New((Py_ssize_t)b->len);
  for (size_t i = 0; i < b->len && list; i++) {
    PyObject *v = b->row < 0 ? PyLong_FromUnsignedLongLong(dtcb_number_at(b, i))
                             : dtcb_object(b->row, (const char *)b->data + i * b->element);
    if (!v || PyList_SetItem(list, (Py_ssize_t)i, v) < 0)
      Py_CLEAR(list);
  }
  return list;
}

/* The elements as they are, for NumPy, but a switch is a byte that says whether it is on. As a list of objects that of
 * which there are few, and uint64_t. */
static PyObject *dtcb_array(const dtcb_buffer *b)
{
  if (b->row < 0 ? b->element == sizeof(uint64_t) : dtcb_structs[b->row].few)
    return dtcb_list(b);
  for (int i = 0; b->row >= 0 && i < dtcb_structs[b->row].count; i++) {
    const dtcb_field *f = dtcb_field_at(b->row, i);
    char *element = b->data;
    for (size_t n = 0; n < b->len && f->type == DTCB_BOOL; n++, element += b->element)
      element[f->offset] = dtcb_load(f, element) == DTC_BOOL_ON;
  }
  return PyByteArray_FromStringAndSize(b->data, (Py_ssize_t)(b->len * b->element));
}

/* One more result: the first stands alone, further ones make a tuple. Takes over both references. */
static PyObject *dtcb_append(PyObject *results, PyObject *v)
{
  PyObject *all = NULL;
  if (results == Py_None || !v) {
    Py_DECREF(results);
    return v;
  }
  if (Py_TYPE(results) != &PyTuple_Type) { /* a named tuple is one result */
    all = PyTuple_Pack(2, results, v);
  } else {
    PyObject *last = PyTuple_Pack(1, v);
    all = last ? PySequence_Concat(results, last) : NULL;
    Py_XDECREF(last);
  }
  Py_DECREF(results);
  Py_DECREF(v);
  return all;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *dtcb_text(PyObject *v, const char *name)
{
  Py_ssize_t len = 0;
  if (!PyUnicode_Check(v)) {
    dtcb_wrong_type(name, "str", v);
    return NULL;
  }
  const char *text = PyUnicode_AsUTF8AndSize(v, &len);
  if (text && strlen(text) != (size_t)len) {
    PyErr_Format(PyExc_ValueError, "%s: holds a NUL character", name);
    return NULL;
  }
  return text;
}

static int dtcb_text_len(PyObject *v, const char *name, const char **text, size_t *len)
{
  Py_ssize_t n = 0;
  if (PyUnicode_Check(v)) {
    *text = PyUnicode_AsUTF8AndSize(v, &n);
  } else if (PyBytes_Check(v)) {
    *text = PyBytes_AsString(v);
    n = PyBytes_Size(v);
  } else {
    return dtcb_wrong_type(name, "str or bytes", v);
  }
  *len = (size_t)n;
  return *text != NULL;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Raises DtcoreError(bytes), or DtcoreError(bytes, word) where it is about a word of what was said. */
static void dtcb_raise(const dtc_error *e, const dtcb_said *said)
{
  char word[DTCB_WORD];
  PyObject *v = NULL;
  if (!dtcb_word_of(e, said, word)) {
    v = dtcb_object(DTCB_STRUCT_error, e);
  } else {
    PyObject *shown = PyUnicode_DecodeUTF8(word, (Py_ssize_t)strlen(word), "replace");
    v = shown
            ? PyObject_CallFunction(dtcb_class[DTCB_STRUCT_error], "y#O", (const char *)e, (Py_ssize_t)sizeof *e, shown)
            : NULL;
    Py_XDECREF(shown);
  }
  if (v)
    PyErr_SetObject(dtcb_class[DTCB_STRUCT_error], v);
  Py_XDECREF(v);
}

static int dtcb_error_in(PyObject *raw, dtc_error *e)
{
  if (!PyBytes_Check(raw) || PyBytes_Size(raw) != (Py_ssize_t)sizeof *e)
    return dtcb_wrong_type("error", "the bytes of a dtc_error", raw);
  memcpy(e, PyBytes_AsString(raw), sizeof *e);
  e->struct_size = (uint32_t)sizeof *e;
  return 1;
}

/* error_format(bytes, lang, word or None) */
static PyObject *dtcb_error_format(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  dtc_error e;
  uint64_t lang = 0;
  char line[DTCB_LINE];
  if (n != 3) {
    PyErr_SetString(PyExc_TypeError, "error_format: wrong arguments");
    return NULL;
  }
  const char *word = args[2] == Py_None ? NULL : dtcb_text(args[2], "word");
  if (!dtcb_error_in(args[0], &e) || !dtcb_u64(args[1], "lang", UINT32_MAX, &lang) || (args[2] != Py_None && !word))
    return NULL;
  dtcb_line(&e, (dtc_lang)lang, word, line);
  return PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
}

/* Name of a field or of an argument; None for 0. */
static PyObject *dtcb_field_name(uint32_t id)
{
  if (id == 0)
    return Py_NewRef(Py_None);
  return PyUnicode_FromString(dtc_field_name(id));
}

/* A number in the words of the field it belongs to: float for a double, None for DTC_NONE. */
static PyObject *dtcb_number_of(uint32_t field, uint64_t bits)
{
  const dtcb_field *f = dtcb_field_of(field);
  if (bits == DTC_NONE)
    return Py_NewRef(Py_None);
  return f && f->type == DTCB_F64 ? PyFloat_FromDouble(dtcb_f64(bits)) : PyLong_FromUnsignedLongLong(bits);
}

static PyObject *dtcb_error_value(const dtc_error *e, const dtcb_field *f)
{
  switch (f->offset) {
  case offsetof(dtc_error, field):
    return dtcb_field_name(e->field);
  case offsetof(dtc_error, other):
    return dtcb_field_name(e->other);
  case offsetof(dtc_error, other_got):
    return dtcb_number_of(e->other, e->other_got);
  case offsetof(dtc_error, offset):
    return dtcb_number_of(0, e->offset);
  default:
    return f->size == 8 ? dtcb_number_of(e->field, dtcb_load(f, e)) : dtcb_value(f, e);
  }
}

/* error_values(bytes): what a dtc_error holds, in the order of its fields. */
static PyObject *dtcb_error_values(PyObject *module, PyObject *raw)
{
  (void)module;
  dtc_error e;
  if (!dtcb_error_in(raw, &e))
    return NULL;
  const dtcb_struct *s = &dtcb_structs[DTCB_STRUCT_error];
  PyObject *tuple = PyTuple_New(s->count);
  for (int i = 0; i < s->count && tuple; i++) {
    PyObject *v = dtcb_error_value(&e, &dtcb_fields[s->first + i]);
    if (!v || PyTuple_SetItem(tuple, i, v) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

/* ---- what the package asks of this module besides the C functions ------------------------------------------------ */

/* Takes over the reference; a package that is imported again binds again. */
static void dtcb_keep(PyObject **place, PyObject *v)
{
  Py_XDECREF(*place);
  *place = v;
}

static int dtcb_bind_enum(int id, PyObject *class)
{
  PyObject *map = PyObject_GetAttrString(class, "_value2member_map_");
  PyObject *list = map ? PyList_New(0) : NULL;
  for (long value = 0, left = map ? (long)PyObject_Size(map) : 0; left > 0 && list; value++) {
    PyObject *key = PyLong_FromLong(value);
    PyObject *member = key ? PyDict_GetItemWithError(map, key) : NULL;
    left -= member != NULL;
    if (!key || PyList_Append(list, member ? member : Py_None) < 0)
      Py_CLEAR(list);
    Py_XDECREF(key);
  }
  Py_XDECREF(map);
  dtcb_keep(&dtcb_enum_class[id], Py_NewRef(class));
  dtcb_keep(&dtcb_enum_member[id], list);
  return list != NULL;
}

static int dtcb_bind_struct(int row, PyObject *class)
{
  const dtcb_struct *s = &dtcb_structs[row];
  dtcb_keep(&dtcb_class[row], Py_NewRef(class));
  for (int i = 0; i < s->count && s->input; i++) {
    PyObject *slot = PyObject_GetAttrString(class, dtcb_fields[s->first + i].name);
    if (!slot || Py_TYPE(slot) != Py_TYPE(dtcb_packed))
      return slot ? dtcb_wrong_type(s->name, "slots", slot) : 0;
    dtcb_keep(&dtcb_slot[s->first + i], slot);
  }
  return 1;
}

/* bind({C type: class}, base of the inputs): which classes the results are, once, at import. */
static PyObject *dtcb_bind(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  if (n != 2) {
    PyErr_SetString(PyExc_TypeError, "bind: wrong arguments");
    return NULL;
  }
  PyObject *packed = PyObject_GetAttrString(args[1], "_packed");
  if (!packed)
    return NULL;
  dtcb_keep(&dtcb_packed, packed);
  dtcb_set = (descrsetfunc)PyType_GetSlot(Py_TYPE(packed), Py_tp_descr_set);
  dtcb_get = (descrgetfunc)PyType_GetSlot(Py_TYPE(packed), Py_tp_descr_get);
  for (int i = 0; i < DTCB_ENUMS + DTCB_STRUCTS; i++) {
    const char *name = i < DTCB_ENUMS ? dtcb_enums[i] : dtcb_structs[i - DTCB_ENUMS].name;
    PyObject *class = PyMapping_GetItemString(args[0], name);
    int ok = class && (i < DTCB_ENUMS ? dtcb_bind_enum(i, class) : dtcb_bind_struct(i - DTCB_ENUMS, class));
    Py_XDECREF(class);
    if (!ok)
      return NULL;
  }
  return Py_NewRef(Py_None);
}

/* layout("dtc_memory"): [(name, offset, kind)], bytes of the struct. */
static PyObject *dtcb_layout(PyObject *module, PyObject *name)
{
  (void)module;
  for (int i = 0; i < DTCB_STRUCTS; i++) {
    const dtcb_struct *s = &dtcb_structs[i];
    if (!PyUnicode_Check(name) || PyUnicode_CompareWithASCIIString(name, s->name) != 0)
      continue;
    PyObject *list = PyList_New(0);
    for (int j = 0; j < s->count && list; j++) {
      const dtcb_field *f = &dtcb_fields[s->first + j];
      char code[] = {(char)(f->type == DTCB_F64 ? 'f' : 'u'), (char)('0' + f->size), 0};
      PyObject *row = Py_BuildValue("(sis)", f->name, (int)f->offset, f->type == DTCB_BOOL ? "?" : code);
      if (!row || PyList_Append(list, row) < 0)
        Py_CLEAR(list);
      Py_XDECREF(row);
    }
    return list ? Py_BuildValue("(Ni)", list, (int)s->size) : NULL;
  }
  PyErr_Format(PyExc_KeyError, "%R", name);
  return NULL;
}

/* field_id("plan", "tp"): DTC_FIELD(plan, tp). */
static PyObject *dtcb_field_id(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  const char *noun = n == 2 ? dtcb_text(args[0], "struct") : NULL;
  const char *member = noun ? dtcb_text(args[1], "field") : NULL;
  for (int i = 0; i < DTCB_STRUCTS && member; i++)
    for (int j = 0; j < dtcb_structs[i].count && strcmp(dtcb_structs[i].name + 4, noun) == 0; j++)
      if (strcmp(dtcb_fields[dtcb_structs[i].first + j].name, member) == 0)
        return PyLong_FromUnsignedLong(dtcb_structs[i].number << 16 | dtcb_fields[dtcb_structs[i].first + j].offset);
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_KeyError, "no such field");
  return NULL;
}

#endif
