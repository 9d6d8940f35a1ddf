/* dtcore-golden: holds golden vectors against the library. usage: dtcore-golden HOME FILE.csv ...
 * HOME is tests/golden. The stem of a file's name is its kind; judged.csv, beside the file or else in HOME, says which
 * columns of the kind are compared. A file of a kind that judged.csv does not name holds inputs of other files.
 * Exit code: 0 no row failed, 1 some did, 2 the arguments cannot be used. */
#define _POSIX_C_SOURCE 200809L

#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const golden_kind kinds[] = {
    {"colossal_chunks", golden_colossal_chunks},
    {"config_validity", golden_config_validity},
    {"ddp_buckets", golden_ddp_buckets},
    {"fsdp1_flatparam", golden_fsdp1_flatparam},
    {"fsdp2_shard", golden_fsdp2_shard},
    {"megatron_distopt", golden_megatron_distopt},
    {"megatron_fsdp", golden_megatron_fsdp},
    {"memory_deepspeed_zero2", golden_memory_deepspeed_zero2},
    {"memory_deepspeed_zero3", golden_memory_deepspeed_zero3},
    {"memory_megatron", golden_memory_megatron},
    {"model_params", golden_model_params},
    {"mpi_mapping", golden_mpi_mapping},
    {"nccl_ib_hca", golden_nccl_ib_hca},
    {"nccl_switchpoints", golden_nccl_switchpoints},
    {"nccl_tuning", golden_nccl_tuning},
    {"pipe_deepspeed_steps", golden_pipe_deepspeed_steps},
    {"pipe_errors", golden_pipe_errors},
    {"pipe_layers", golden_pipe_layers},
    {"pipe_schedules", golden_pipe_schedules},
    {"pipe_times", golden_pipe_times},
    {"ranks_colossal", golden_ranks_colossal},
    {"ranks_deepspeed", golden_ranks_deepspeed},
    {"ranks_devicemesh", golden_ranks_devicemesh},
    {"ranks_devicemesh_torch215", golden_ranks_devicemesh_torch215},
    {"ranks_hypercommgrid", golden_ranks_hypercommgrid},
    {"ranks_megatron", golden_ranks_megatron},
    {"ranks_nanotron", golden_ranks_nanotron},
    {"ranks_torchtitan", golden_ranks_torchtitan},
    {"slurm_distribution", golden_slurm_distribution},
    {"traced_optimizer_states", golden_traced_optimizer_states},
    {"traced_saved_bytes", golden_traced_saved_bytes},
    {"traced_zero_states", golden_traced_zero_states},
    {"zero_deepspeed12", golden_zero_deepspeed12},
    {"zero_deepspeed3", golden_zero_deepspeed3},
    {"zero_deepspeed3_trace", golden_zero_deepspeed3_trace},
    {"zero_oss", golden_zero_oss},
    {"zero_reshard", golden_zero_reshard},
};

enum { PATH_SIZE = 4096 };

/* Writes FOLDER/NAME, or NAME for an empty folder; returns 0 when it is too long. */
static int join(char *out, const char *folder, size_t len, const char *name)
{
  int n = snprintf(out, PATH_SIZE, "%.*s%s%s", (int)len, folder, len > 0 ? "/" : "", name);
  return n > 0 && n < PATH_SIZE;
}

static int same_folder(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static const golden_kind *kind_of(const char *stem, size_t len)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strlen(kinds[i].name) == len && memcmp(kinds[i].name, stem, len) == 0)
      return &kinds[i];
  }
  return NULL;
}

/* Line of judged.csv for a kind; judged->rows when there is none. */
static size_t line_of(const csv *judged, const char *stem, size_t len)
{
  size_t i = 0, column = csv_column(judged, "file", 4);
  if (column == judged->columns)
    return judged->rows;
  while (i < judged->rows &&
         !(strlen(csv_cell(judged, i, column)) == len && memcmp(csv_cell(judged, i, column), stem, len) == 0))
    i++;
  return i;
}

/* Judges one file; returns 0 when it cannot be read. */
static int judge_file(const char *path, const char *home, golden_sums *sums)
{
  char beside[PATH_SIZE], folder[PATH_SIZE];
  const char *slash = strrchr(path, '/'), *stem = slash == NULL ? path : slash + 1, *dot = strrchr(stem, '.');
  size_t len = dot == NULL ? strlen(stem) : (size_t)(dot - stem);
  if (!join(folder, path, slash == NULL ? 0 : (size_t)(slash - path), slash == NULL ? "." : "") ||
      !join(beside, folder, strlen(folder), "judged.csv"))
    return 0;
  if (access(beside, R_OK) != 0 && !join(beside, home, strlen(home), "judged.csv"))
    return 0;
  csv judged, file;
  if (!csv_read(&judged, beside))
    return 0;
  size_t line = line_of(&judged, stem, len);
  int good = 1;
  if (line == judged.rows) {
    good = access(path, R_OK) == 0;
    if (!good)
      perror(path);
  } else {
    good = csv_read(&file, path);
    if (good) {
      good = golden_judge(&file, path, kind_of(stem, len), &judged, line, same_folder(folder, home), sums);
      csv_free(&file);
    }
  }
  csv_free(&judged);
  return good;
}

int main(int argc, char **argv)
{
  golden_sums sums = {0, 0};
  int unusable = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: dtcore-golden HOME FILE.csv ...\n");
    return 2;
  }
  golden_set_home(argv[1]);
  for (int i = 2; i < argc; i++)
    unusable |= !judge_file(argv[i], argv[1], &sums);
  printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sums.passed, sums.failed);
  if (unusable)
    return 2;
  return sums.failed > 0;
}
