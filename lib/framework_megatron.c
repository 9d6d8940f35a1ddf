/* What the tables of the Megatron dialect cannot say: the text of --pipeline-model-parallel-layout, which is checked as
 * dtc_pipe_layers() does. */
#include "internal/lint_megatron.h"
#include "internal/pipeline_split.h"

static int is_known(const dtci_settings *s, uint32_t key)
{
  return s->state[key] != DTCI_STATE_NONE && s->state[key] != DTCI_STATE_UNKNOWN;
}

/* The finding is told at the flag, of the key that the layout is held against. */
static void tell(dtci_settings *s, dtc_error *e, uint32_t layers)
{
  if (e->rule == DTC_RULE_LAYOUT_LAYERS)
    e->field = DTCI_KEY_FIELD(DTC_DIALECT_MEGATRON, e->field == DTC_FIELD(pipe_split, layers) ? layers : MEGA_MTP);
  else
    e->field = DTCI_KEY_FIELD(DTC_DIALECT_MEGATRON, e->rule == DTC_RULE_LAYOUT_STAGES ? MEGA_PP : MEGA_LAYOUT);
  e->other = DTCI_KEY_FIELD(DTC_DIALECT_MEGATRON, MEGA_LAYOUT);
  e->severity = DTC_SEVERITY_ERROR;
  e->offset = s->at[MEGA_LAYOUT];
  dtci_lint_found(s, e);
}

static void put_vpp(dtci_settings *s, uint64_t vpp)
{
  s->value[MEGA_VPP] = vpp;
  s->state[MEGA_VPP] = DTCI_STATE_GIVEN;
}

void dtci_megatron_look(dtci_settings *s)
{
  dtci_split split;
  dtc_error e;
  uint32_t layers = s->state[MEGA_LAYERS] != DTCI_STATE_NONE ? MEGA_LAYERS : MEGA_ENCODER_LAYERS;
  if (s->state[MEGA_LAYOUT] != DTCI_STATE_GIVEN || s->kept_n == 0 || !is_known(s, MEGA_PP) || !is_known(s, layers) ||
      s->state[MEGA_MTP] == DTCI_STATE_UNKNOWN)
    return;
  memset(&split, 0, sizeof split);
  split.layout = s->kept;
  split.len = s->kept_n;
  split.s.layers = s->value[layers];
  split.s.mtp_layers = s->state[MEGA_MTP] != DTCI_STATE_NONE ? s->value[MEGA_MTP] : 0;
  split.s.pp = s->value[MEGA_PP];
  if (dtci_layout_resolve(&split, &e) == DTC_OK)
    put_vpp(s, split.s.vpp);
  else if (e.field == DTC_FIELD(pipe_split, vpp)) /* several chunks on one rank, which a rule is about; or too many */
    put_vpp(s, e.got);
  else
    tell(s, &e, layers);
}
