/* Golden vectors through the public API: one handler per kind of file answers a row's judged columns, the judge
 * compares. A new kind is a file with its handler, and a line in the table of main.c. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <dtcore.h>

/* ---- csv.c: a whole CSV file (RFC 4180) in memory ---- */

typedef struct csv {
  char *text;   /* the file; its cells, unquoted in place, each ending in NUL */
  char **cells; /* columns names, then rows * columns cells */
  size_t columns;
  size_t rows; /* without the header */
} csv;

/* Reads the file; on failure says why on stderr and returns 0. */
int csv_read(csv *c, const char *path);
void csv_free(csv *c);

/* Index of a column by the first `len` bytes of `name`; c->columns when there is none. */
size_t csv_column(const csv *c, const char *name, size_t len);

/* Cell of a row, which counts from 0. */
const char *csv_cell(const csv *c, size_t row, size_t column);

/* ---- judge.c: a row, and what its handler answers ---- */

typedef struct golden golden;
typedef void golden_handler(golden *g);

typedef struct golden_kind {
  const char *name; /* stem of the file's name */
  golden_handler *run;
} golden_kind;

typedef struct golden_sums {
  uint64_t passed;
  uint64_t failed;
} golden_sums;

/* A cell of the row; "" when the file has no such column. */
const char *golden_cell(const golden *g, const char *column);

/* Is the cell this text? */
int golden_is(const golden *g, const char *column, const char *value);

/* The whole number that the cell begins with; 0 when there is none. */
uint64_t golden_number(const golden *g, const char *column);

/* Is this the copy of the vectors that the repository keeps? */
int golden_is_kept(const golden *g);

/* The file that is judged, and tests/golden: inputs that a row names lie beside the one or in the other. */
const char *golden_path(const golden *g);
const char *golden_home(void);

/* Names how the next answers were found, for the message when one is wrong: "config.json". */
void golden_way(golden *g, const char *way);

/* Answers a column; may be called more than once for a column, then every answer must be right. */
void golden_text(golden *g, const char *column, const char *value);
void golden_u64(golden *g, const char *column, uint64_t value);
void golden_f64(golden *g, const char *column, double value, double tolerance); /* relative */

/* Nothing to answer: the whole row fails with this instead of a value. */
void golden_refused(golden *g, const char *why);

/* The row holds a refusal, and the library did not refuse: the row fails. */
void golden_not_refused(golden *g);

/* golden_refused() for a call of the library; returns whether it succeeded. */
int golden_ok(golden *g, dtc_status status, const dtc_error *err);

/* Judges one file by a line of judged.csv; `kind` is NULL when there is no handler, `kept` as golden_is_kept(). Returns
 * 0 when the line does not fit the file. */
int golden_judge(const csv *file, const char *path, const golden_kind *kind, const csv *judged, size_t line, int kept,
                 golden_sums *sums);

/* Says where tests/golden is, before anything is judged. */
void golden_set_home(const char *home);

/* ---- sha256.c: vectors that keep the hash of a long text ---- */

/* Hexadecimal SHA-256 of `len` bytes, in small letters. */
void golden_sha256(const char *text, size_t len, char hex[65]);

/* ---- one handler per kind ---- */

void golden_colossal_chunks(golden *g);
void golden_config_validity(golden *g);
void golden_ddp_buckets(golden *g);
void golden_fsdp1_flatparam(golden *g);
void golden_fsdp2_shard(golden *g);
void golden_megatron_distopt(golden *g);
void golden_megatron_fsdp(golden *g);
void golden_memory_deepspeed_zero2(golden *g);
void golden_memory_deepspeed_zero3(golden *g);
void golden_memory_megatron(golden *g);
void golden_model_params(golden *g);
void golden_mpi_mapping(golden *g);
void golden_nccl_ib_hca(golden *g);
void golden_nccl_switchpoints(golden *g);
void golden_nccl_tuning(golden *g);
void golden_pipe_deepspeed_steps(golden *g);
void golden_pipe_errors(golden *g);
void golden_pipe_schedules(golden *g);
void golden_pipe_times(golden *g);
void golden_pipe_layers(golden *g);
void golden_ranks_colossal(golden *g);
void golden_ranks_deepspeed(golden *g);
void golden_ranks_devicemesh(golden *g);
void golden_ranks_devicemesh_torch215(golden *g);
void golden_ranks_hypercommgrid(golden *g);
void golden_ranks_megatron(golden *g);
void golden_ranks_nanotron(golden *g);
void golden_ranks_torchtitan(golden *g);
void golden_slurm_distribution(golden *g);
void golden_traced_optimizer_states(golden *g);
void golden_traced_saved_bytes(golden *g);
void golden_traced_zero_states(golden *g);
void golden_zero_deepspeed12(golden *g);
void golden_zero_deepspeed3(golden *g);
void golden_zero_deepspeed3_trace(golden *g);

/* Of colossal_chunks.csv the rows of kind lowlevel. */
void golden_colossal_lowlevel(golden *g);
void golden_zero_oss(golden *g);

/* Of traced_saved_bytes.csv the rows of Megatron-Core. */
void golden_traced_megatron(golden *g);
void golden_zero_reshard(golden *g);

#endif
