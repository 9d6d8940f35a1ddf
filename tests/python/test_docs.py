"""doc/errors.md says of every rule what a finding of it says."""
import re

import dtcore
import gen_docs
import headers
import pytest

HEADERS = headers.read()


@pytest.fixture(scope="module")
def rules() -> dict[int, gen_docs.Rule]:
    return gen_docs.rules(HEADERS)


def sentence(line: str) -> str:
    """A line without the numbers of a plan and the nearest legal values."""
    line = re.sub(r"(; nearest legal: |；最接近的合法值：).*", "", line)
    return gen_docs.said(re.sub(r" = [\w.]+", f" = {2**32 - 1}", line))


PLANS = [
    dtcore.Plan(tp=7, pp=81, cp=3),
    dtcore.Plan(tp=16, sequence_parallel=True, seq=100),
    dtcore.Plan(ep=2, vpp=3, sharding="zero3", framework="megatron"),
    dtcore.Plan(pp=2, sharding="zero3", framework="deepspeed"),
    dtcore.Plan(pp=2, ep=2, framework="pytorch", sharding="distopt"),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_text_of_a_rule_is_that_of_its_findings(rules, model, cluster, plan):
    findings = dtcore.plan_check(model, cluster, plan)
    assert findings
    for finding in findings:
        told = rules[finding.rule]
        assert (finding.code, finding.severity == dtcore.Severity.WARNING) == (told.status, told.warning)
        for lang, text in zip(("en", "zh"), told.texts):
            assert sentence(finding.text(lang)) == sentence(f"tp = 1{': ' if lang == 'en' else '：'}{text}")


def test_every_rule_is_on_the_page(rules):
    page = (headers.ROOT / "doc/errors.md").read_text(encoding="utf-8")
    for name, value in HEADERS.constants.items():
        if name.startswith("DTC_RULE_") and value:
            row = next(line for line in page.splitlines() if line.startswith(f"| {value} | `{name}` |"))
            assert all(gen_docs.cell(text) in row for text in rules[value].texts)
