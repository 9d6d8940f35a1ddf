/* Values of arguments from a stream of bytes: legal ones often enough that calls succeed, and everything else. */
#ifndef VALUES_H
#define VALUES_H

#include "harness/harness.h"
#include "internal/internal.h"

enum { TEXT_MAX = 1024, NUMBERS_MAX = 1024, SLOTS_MAX = 32, OPS_MAX = 2048 };

unsigned take_byte(call *c);
uint64_t take_u64(call *c);
uint64_t take_number(call *c); /* small, or anything */

int is_sized(uint32_t noun); /* starts with struct_size */

/* Fields of a struct into zeroed local memory of 4096 bytes (of a record: of its size). */
void make_struct(call *c, uint32_t noun, unsigned char *local);
/* Gives a field a value: a small one, a power of two, a bound or its neighbour, or anything. */
void take_field(call *c, unsigned char *local, const dtci_field *f);
/* Length of an input array that must be there: mostly a few elements, seldom none, or too many for a mesh. */
size_t make_length(call *c, uint32_t noun);
/* Keeps the sizes of a mesh, for the numbers that later arguments are made of. */
void note_mesh(call *c, const dtc_axis *axes, size_t n);
/* Keeps a sharding, for the slots and ranks that later arguments are made of. */
void note_shards(call *c, const void *shards);
/* Slots: mostly a layout of the tensors among the arguments by the sharding that has the same place; returns the length,
 * up to SLOTS_MAX. */
size_t make_slots(call *c, dtc_slot *slots);
/* Numbers of an argument, often a list that a function accepts; returns the length, up to NUMBERS_MAX. */
size_t make_numbers(call *c, const char *name, uint64_t *numbers);
/* Pipelines: a legal start, what later arguments are made of, and those. A record of them says that it is one; numbers
 * and lengths fit the job among the arguments; ops are mostly its order, times those of the simulation. */
dtc_pipe base_pipe(call *c);
dtc_pipe_split base_split(call *c);
void note_pipe(call *c, const void *pipe);
void note_split(call *c, const void *split);
int make_pipe_record(call *c, uint32_t noun, unsigned pick, unsigned char *local);
uint64_t pipe_number(call *c, const char *name);
size_t pipe_length(const call *c, uint32_t noun, size_t n);
size_t make_ops(call *c, dtc_pipe_op *ops);       /* returns the length, up to OPS_MAX */
size_t make_times(call *c, dtc_pipe_time *times); /* the same */
size_t split_weights(call *c, uint64_t *numbers); /* up to NUMBERS_MAX */
size_t layout_line(call *c, char *text);
/* A configuration in the dialect among the arguments; its length, below TEXT_MAX, 0 when the dialect has no keys. */
size_t lint_text(call *c, char *text);
/* Collectives: legal starts (0 when the struct is none of them), points, a matrix up to NUMBERS_MAX, a table. */
int make_collective_base(call *c, uint32_t noun, unsigned pick, unsigned char *local);
void make_timing(call *c, unsigned pick, unsigned char *local);
size_t matrix_numbers(call *c, uint64_t *numbers);
size_t table_lines(call *c, char *text);
/* Steps and runs: legal starts (0 when the struct is none of them), measured steps. */
int make_step_base(call *c, uint32_t noun, unsigned pick, unsigned char *local);
void make_sample(call *c, unsigned pick, unsigned char *local);
/* The struct_size to use; fills the tail behind what the library knows. */
uint32_t take_struct_size(call *c, uint32_t noun, unsigned char *local);
/* Texts; return the length, below TEXT_MAX. */
size_t make_text(call *c, const char *name, char *text);
size_t make_name(call *c, char *text);

#endif
