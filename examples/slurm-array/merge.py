#!/usr/bin/env python3
"""merge.py [--top K] [--json] FILE...: one answer of the answers of `dtcore plan --range ... --json` for all of a space.

Exit code 0 a plan fits, 1 none does, 2 the files are no whole search. Needs nothing but Python 3.8.
"""
import argparse
import json
import sys

SAME = ("dtcore", "model", "gpu", "objective", "size", "axes")
JOB = ("gbs=", "seq=", "precision=")  # words of a plan that no axis varies


def read(path):
    """An answer, or why it is none."""
    try:
        with open(path, encoding="utf-8") as file:
            answer = json.load(file)
    except (OSError, ValueError) as problem:
        return None, str(problem)
    if not isinstance(answer, dict) or answer.get("command") != "plan" or "plans" not in answer:
        return None, "no answer of dtcore plan --json"
    return answer, None


def coverage(answers):
    """What is wrong with the ranges that were searched; an interrupted search has done less than it was asked for."""
    at = 0
    size = next(iter(answers.values()))["size"]
    for path, answer in sorted(answers.items(), key=lambda item: (item[1]["first"], item[1]["done"])):
        first, done = answer["first"], answer["done"]
        if first > at:
            yield f"indices {at} to {first - 1} are missing: dtcore plan ... --range {at}:{first - at} --json"
        if first < at and done:
            yield f"{path}: indices {first} to {min(at, first + done) - 1} are in other files too"
        at = max(at, first + done)
    if at < size:
        yield f"indices {at} to {size - 1} are missing: dtcore plan ... --range {at}:{size - at} --json"


def job(answer):
    """What all plans of a search say of the job; a share in which none fits and none comes near says nothing."""
    plans = answer["plans"] or [plan for plan in [answer["least"]] if plan]
    return {word for plan in plans for word in plan["plan"].split() if word.startswith(JOB)}


def differences(answers):
    """Files that answer another question than the first one does."""
    (start, base), *others = answers.items()
    for path, answer in others:
        for key in SAME:
            if answer.get(key) != base.get(key):
                yield f"{path}: another {key} than in {start}"
    said = {path: job(answer) for path, answer in answers.items() if job(answer)}
    for path, words in said.items():
        if words != (first := next(iter(said.values()))):
            yield f"{path}: {' '.join(sorted(words))}, not {' '.join(sorted(first))}"


def enough(answers):
    """How many of the best are sure: as many as each file keeps, if it had more to keep."""
    cut = [len(a["plans"]) for a in answers.values() if len(a["plans"]) < a["counts"]["fit"]]
    return min(cut, default=sum(len(a["plans"]) for a in answers.values()))


def merge(answers, top):
    """The k best, of equal ones the smaller index; the counts together."""
    plans = [plan for answer in answers.values() for plan in answer["plans"]]
    plans.sort(key=lambda plan: (plan["value"], plan["index"]))
    least = [answer["least"] for answer in answers.values() if answer["least"]]
    base = next(iter(answers.values()))
    return {
        **{key: base[key] for key in SAME if key != "axes"},
        "counts": {name: sum(a["counts"][name] for a in answers.values()) for name in base["counts"]},
        "fits": bool(plans),
        "plans": plans[:top],
        "least": None if plans else min(least, key=lambda n: (n["worst"]["device"], n["index"]), default=None),
    }


def show(answer):
    """A table: words that all plans share are said once."""
    plans, counts = answer["plans"], answer["counts"]
    print(f"{answer['model']['name']} on {answer['gpu']['nodes']} x {answer['gpu']['name']}, least {answer['objective']}")
    print(", ".join(f"{name} {count:,}" for name, count in counts.items()))
    if not plans:
        print("No plan fits." + (f" The nearest: {answer['least']['plan']}" if answer["least"] else ""))
        return
    words = [plan["plan"].split() for plan in plans]
    shared = [word for word in words[0] if all(word in other for other in words)] if len(plans) > 1 else []
    print(f"\n{'':4}{'seconds':>10}{'GPUs':>8}{'GiB':>9}  plan")
    for place, (plan, own) in enumerate(zip(plans, words), 1):
        told = " ".join(word for word in own if word not in shared) or "-"
        print(f"{place:4}{plan['seconds']:10.4g}{plan['gpus']:8}{plan['device'] / 2**30:9.2f}  {told}")
    if shared:
        print("\nAll: " + " ".join(shared))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--top", type=int, help="plans to show (as many as the files are sure of)")
    parser.add_argument("--json", action="store_true", help="the answer in JSON, with the keys of dtcore plan")
    options = parser.parse_args()
    answers, problems = {}, []
    for path in options.files:
        answer, problem = read(path)
        if problem:
            problems.append(f"{path}: {problem}")
        else:
            answers[path] = answer
    if answers:
        problems += differences(answers)
    if not problems:
        problems += coverage(answers)
    if not problems and (options.top or 0) > enough(answers):
        problems.append(f"only the best {enough(answers)} are sure: search with --top {options.top}")
    if problems:
        print(*(f"merge.py: {problem}" for problem in problems), sep="\n", file=sys.stderr)
        return 2
    answer = merge(answers, options.top or enough(answers))
    if options.json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        show(answer)
    return 0 if answer["fits"] else 1


if __name__ == "__main__":
    sys.exit(main())
