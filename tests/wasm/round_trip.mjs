// Makes the calls that round_trip wrote, one a line. usage: round_trip.mjs FOLDER CASES_FILE
import { readFileSync } from "node:fs";
import { difference, dtcore, module, shown } from "./check.mjs";

// Positive when the results are an array of several.
const several = (results) => results.length > 1;

function problem(name, args, results, error) {
  if (typeof dtcore[name] !== "function") return `there is no dtcore.${name}`;
  let got;
  try {
    got = dtcore[name](...args);
  } catch (raised) {
    if (!(raised instanceof module.DtcoreError)) return `raised ${raised.stack}`;
    if (!error) return `raised ${raised}`;
    if (raised.message !== raised.text || typeof raised.zh !== "string") return "its message is not the text";
    return difference(raised, error);
  }
  if (error) return `succeeded, but should say ${shown(error)}`;
  return difference(got, several(results) ? results : results[0]);
}

let [passed, failed] = [0, 0];
for (const line of readFileSync(process.argv[3], "utf8").trimEnd().split("\n")) {
  const found = problem(...new Function(`return ${line}`)());
  if (!found) {
    passed++;
    continue;
  }
  failed++;
  if (failed <= 10) console.log(`${JSON.parse(/"\w+"/.exec(line)[0])}: ${found}\n  ${line.slice(0, 2000)}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
