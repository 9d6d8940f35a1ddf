/* Calls of one function for many rows, from columns to an array: loops in C, other threads may run meanwhile. */
#ifndef DTCB_PYTHON_BATCH_H
#define DTCB_PYTHON_BATCH_H

#include "convert.h"

enum { DTCB_GIVEN = 3, DTCB_COLUMNS = 128 };

/* What all rows share: structs, arrays or numbers as bytes; NULL where nothing was given. */
typedef struct dtcb_given {
  const void *data;
  size_t bytes;
} dtcb_given;

/* Calls the function once: row is what varies, out where its result goes. */
typedef dtc_status dtcb_call(const dtcb_given *given, const void *row, void *out, dtc_error *err);

static uint64_t dtcb_number(const dtcb_given *given)
{
  uint64_t number = 0;
  memcpy(&number, given->data, sizeof number);
  return number;
}

static size_t dtcb_axes(const dtcb_given *given)
{
  return given->bytes / sizeof(dtc_axis);
}

static dtc_status dtcb_memory(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_memory_estimate(given[0].data, given[1].data, row, NULL, 0, out, err);
}

static dtc_status dtcb_step(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_step_estimate(given[0].data, given[1].data, row, NULL, 0, given[2].data, out, err);
}

static dtc_status dtcb_collective(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_collective_estimate(given[0].data, row, out, err);
}

static dtc_status dtcb_moe(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_moe_estimate(given[0].data, row, out, err);
}

static dtc_status dtcb_mesh_coord(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  size_t count = 0;
  return dtc_mesh_coord(given[0].data, dtcb_axes(given), dtcb_number(&given[1]), *(const uint64_t *)row, out,
                        dtcb_axes(given), &count, err);
}

static dtc_status dtcb_mesh_rank(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_mesh_rank(given[0].data, dtcb_axes(given), dtcb_number(&given[1]), row, dtcb_axes(given), out, err);
}

static dtc_status dtcb_mesh_group_of(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  return dtc_mesh_group_of(given[0].data, dtcb_axes(given), dtcb_number(&given[1]), given[2].data,
                           *(const uint64_t *)row, out, err);
}

static dtc_status dtcb_mesh_member(const dtcb_given *given, const void *row, void *out, dtc_error *err)
{
  const uint64_t *place = row;
  return dtc_mesh_member(given[0].data, dtcb_axes(given), dtcb_number(&given[1]), given[2].data, place[0], place[1],
                         out, err);
}

/* out: the row of a struct, whose first word, its size, becomes the status of the call; -1: numbers, as many as the
 * caller makes room for. */
static const struct {
  const char *name;
  dtcb_call *call;
  int out;
} dtcb_calls[] = {
    {"memory", dtcb_memory, DTCB_STRUCT_memory},
    {"step", dtcb_step, DTCB_STRUCT_step},
    {"collective", dtcb_collective, DTCB_STRUCT_collective_time},
    {"moe", dtcb_moe, DTCB_STRUCT_moe_time},
    {"mesh_coord", dtcb_mesh_coord, -1},
    {"mesh_rank", dtcb_mesh_rank, -1},
    {"mesh_group_of", dtcb_mesh_group_of, DTCB_STRUCT_group},
    {"mesh_member", dtcb_mesh_member, -1},
};

/* One field of the row, of each row or the same for all. */
typedef struct dtcb_column {
  dtcb_field field; /* offset and size alone */
  const uint64_t *bits;
  size_t stride; /* 0 or 1 */
} dtcb_column;

typedef struct dtcb_batch {
  dtcb_call *call;
  int out_row;
  dtcb_given given[DTCB_GIVEN];
  uint64_t row[4096 / sizeof(uint64_t)]; /* what does not vary */
  dtcb_column columns[DTCB_COLUMNS];
  size_t n_columns;
  char *out;
  size_t out_size; /* bytes of a result */
  size_t n;
  dtc_error err; /* of the first row that fails where results have no place for a status */
} dtcb_batch;

/* Makes a result what NumPy shows: its status in front, switches as bytes that say whether they are on. */
static void dtcb_finish(const dtcb_batch *b, const dtcb_field *switches, size_t n_switches, int32_t status, char *out)
{
  if (status != DTC_OK)
    memset(out, 0, b->out_size);
  memcpy(out, &status, sizeof status);
  for (size_t i = 0; i < n_switches; i++)
    out[switches[i].offset] = dtcb_load(&switches[i], out) == DTC_BOOL_ON;
}

static size_t dtcb_switches(int row, dtcb_field switches[DTCB_COLUMNS])
{
  size_t n = 0;
  for (int i = 0; row >= 0 && i < dtcb_structs[row].count; i++)
    if (dtcb_field_at(row, i)->type == DTCB_BOOL)
      switches[n++] = *dtcb_field_at(row, i);
  return n;
}

/* A field of 64 bits that varies: one move a row. */
typedef struct dtcb_wide {
  uint64_t *to;
  const uint64_t *from;
} dtcb_wide;

/* Stores what is the same for all rows and takes it out of the columns; of the others those of 64 bits become wide. */
static size_t dtcb_settle(dtcb_batch *b, dtcb_wide wide[DTCB_COLUMNS])
{
  size_t n_wide = 0;
  size_t kept = 0;
  for (size_t c = 0; c < b->n_columns && b->n > 0; c++) {
    const dtcb_column *column = &b->columns[c];
    if (column->stride == 0)
      dtcb_store(&column->field, column->bits[0], b->row);
    else if (column->field.size == sizeof(uint64_t))
      wide[n_wide++] = (dtcb_wide){&b->row[column->field.offset / sizeof(uint64_t)], column->bits};
    else
      b->columns[kept++] = *column;
  }
  b->n_columns = kept;
  return n_wide;
}

/* All rows, without Python: 1 when each was answered or has a status. */
static int dtcb_loop(dtcb_batch *b)
{
  dtcb_field switches[DTCB_COLUMNS];
  size_t n_switches = dtcb_switches(b->out_row, switches);
  dtcb_wide wide[DTCB_COLUMNS];
  size_t n_wide = dtcb_settle(b, wide);
  int sized = b->out_row >= 0 && dtcb_structs[b->out_row].sized;
  for (size_t i = 0; i < b->n; i++) {
    char *out = b->out + i * b->out_size;
    for (size_t c = 0; c < n_wide; c++)
      *wide[c].to = wide[c].from[i];
    for (size_t c = 0; c < b->n_columns; c++)
      dtcb_store(&b->columns[c].field, b->columns[c].bits[i], b->row);
    if (sized)
      dtcb_set_size(b->out_row, out);
    dtc_status status = b->call(b->given, b->row, out, NULL);
    if (sized)
      dtcb_finish(b, switches, n_switches, status, out);
    else if (status != DTC_OK && b->call(b->given, b->row, out, &b->err) != DTC_OK)
      return 0;
  }
  return 1;
}

/* ---- arguments: bytes objects and buffers, made by _batch.py ----------------------------------------------------- */

/* Copies the tuple of what all rows share. */
static int dtcb_read_given(PyObject *tuple, dtcb_given given[DTCB_GIVEN])
{
  Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : DTCB_GIVEN + 1;
  for (Py_ssize_t i = 0; i < n && n <= DTCB_GIVEN; i++) {
    PyObject *v = PyTuple_GetItem(tuple, i);
    if (v != Py_None && !PyBytes_Check(v))
      return 0;
    given[i].data = v == Py_None ? NULL : PyBytes_AsString(v);
    given[i].bytes = v == Py_None ? 0 : (size_t)PyBytes_Size(v);
  }
  return n <= DTCB_GIVEN;
}

/* Takes a buffer of so many bytes, or of one element's for all rows; view is for the caller to release. */
static int dtcb_view(PyObject *v, int flags, Py_buffer *view)
{
  return PyObject_CheckBuffer(v) && PyObject_GetBuffer(v, view, flags) == 0;
}

/* (offset, size, buffer of uint64_t) of each column. */
static int dtcb_read_columns(PyObject *list, dtcb_batch *b, Py_buffer views[DTCB_COLUMNS])
{
  Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : DTCB_COLUMNS + 1;
  for (Py_ssize_t i = 0; i < n && n <= DTCB_COLUMNS; i++) {
    dtcb_column *c = &b->columns[i];
    PyObject *bits = NULL;
    int offset = 0;
    int size = 0;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "iiO", &offset, &size, &bits))
      return 0;
    if (offset < 0 || size < 1 || size > 8 || (size_t)offset + (size_t)size > sizeof b->row)
      return 0;
    if (!dtcb_view(bits, PyBUF_SIMPLE, &views[i]))
      return 0;
    b->n_columns++;
    c->field.offset = (uint16_t)offset;
    c->field.size = (uint8_t)size;
    c->bits = views[i].buf;
    c->stride = (size_t)views[i].len == b->n * sizeof(uint64_t);
    if (!c->stride && views[i].len != sizeof(uint64_t))
      return 0;
  }
  return n <= DTCB_COLUMNS;
}

static int dtcb_read_batch(PyObject *const *args, dtcb_batch *b, Py_buffer views[DTCB_COLUMNS + 1])
{
  b->out_row = -2;
  for (size_t i = 0; i < sizeof dtcb_calls / sizeof dtcb_calls[0] && PyUnicode_Check(args[0]); i++)
    if (PyUnicode_CompareWithASCIIString(args[0], dtcb_calls[i].name) == 0) {
      b->call = dtcb_calls[i].call;
      b->out_row = dtcb_calls[i].out;
    }
  uint64_t n = 0;
  Py_ssize_t bytes = PyBytes_Check(args[2]) ? PyBytes_Size(args[2]) : -1;
  if (b->out_row == -2 || !dtcb_read_given(args[1], b->given) || bytes < 0 || bytes > (Py_ssize_t)sizeof b->row ||
      !dtcb_u64(args[4], "n", SIZE_MAX / sizeof(uint64_t), &n) ||
      !dtcb_view(args[5], PyBUF_WRITABLE, &views[DTCB_COLUMNS]))
    return 0;
  b->n = (size_t)n;
  memcpy(b->row, PyBytes_AsString(args[2]), (size_t)bytes);
  b->out = views[DTCB_COLUMNS].buf;
  b->out_size = b->n ? (size_t)views[DTCB_COLUMNS].len / b->n : 0;
  int fits = b->out_row < 0 || b->n == 0 || b->out_size == dtcb_structs[b->out_row].size;
  return fits && dtcb_read_columns(args[3], b, views);
}

/* batch(name, (shared...), bytes of the row, [(offset, size, bits)], rows, output): rows are columns in and structs or
 * numbers out. */
static PyObject *dtcb_batched(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  Py_buffer views[DTCB_COLUMNS + 1];
  dtcb_batch b;
  int good = 0;
  memset(views, 0, sizeof views);
  memset(&b, 0, sizeof b);
  DTC_INIT(&b.err);
  if (n == 6 && dtcb_read_batch(args, &b, views)) {
    Py_BEGIN_ALLOW_THREADS
    good = dtcb_loop(&b);
    Py_END_ALLOW_THREADS
    if (!good)
      dtcb_raise(&b.err, &dtcb_said_nothing);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "batch: wrong arguments");
  }
  for (size_t i = 0; i <= DTCB_COLUMNS; i++)
    if (views[i].obj)
      PyBuffer_Release(&views[i]);
  return good ? Py_NewRef(Py_None) : NULL;
}

#define DTCB_FASTCALL(f) (PyCFunction)(void (*)(void))(f), METH_FASTCALL
static PyMethodDef dtcb_methods[] = {
    {"bind", DTCB_FASTCALL(dtcb_bind), NULL},
    {"batch", DTCB_FASTCALL(dtcb_batched), NULL},
    {"pack", DTCB_FASTCALL(dtcb_pack), NULL},
    {"layout", dtcb_layout, METH_O, NULL},
    {"field_id", DTCB_FASTCALL(dtcb_field_id), NULL},
    {"error_format", DTCB_FASTCALL(dtcb_error_format), NULL},
    {"error_values", dtcb_error_values, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

#endif
