// ---- what the tables say ---------------------------------------------------------------------------------------------

const SIZES = { number8: 1, number16: 2, number32: 4, number64: 8, double: 8 };
const SAFE = 2 ** 53; // up to which a Number holds every integer
const NONE = 2n ** 64n - 1n;
const ROOM = 32; // elements of a first guess

// "tp number64, sharding enum32 sharding" -> [{name, kind, size, most, offset, of}]; pads and sizes begin with '#'.
function fieldsOf(text) {
  let offset = 0;
  const fields = [];
  for (const row of text.split(", ")) {
    const [name, type, of] = row.split(" ");
    const [, kind, bits] = /^([a-z]+)(\d*)$/.exec(type);
    const size = bits ? bits / 8 : 8;
    if (name[0] !== "#") fields.push({ name, kind, size, most: 2n ** BigInt(8 * size) - 1n, offset, of });
    offset += size;
  }
  return { fields, size: offset, sized: text.startsWith("#size "), byName: new Map(fields.map((f) => [f.name, f])) };
}

// "in:model:model text:script? in:plan*:plan" -> [{kind, name, of, optional, fresh}], in C's order.
function argumentsOf(text) {
  return text.split(" ").map((row) => {
    const [kind, name, of] = row.split(":");
    return { kind, name: name.replace(/[?*]/, ""), of, optional: name.endsWith("?"), fresh: name.endsWith("*") };
  });
}

const STRUCTS = Object.fromEntries(
  Object.entries(STRUCT_TEXTS).map(([name, [number, text]]) => [name, { name, number, ...fieldsOf(text) }]),
);
const WORDS = Object.fromEntries(
  Object.entries(ENUMS).map(([name, values]) => [name, new Map(Object.entries(values).map(([word, v]) => [v, word]))]),
);

// ---- errors ----------------------------------------------------------------------------------------------------------

/** Why a call failed; plan_check() and its siblings give such objects as findings. message and text are English, zh is
 * Chinese. Numbers that do not apply are null. */
export class DtcoreError extends Error {
  constructor(values) {
    super(values.text);
    this.name = "DtcoreError";
    Object.assign(this, values);
  }

  /** The line in "en" or "zh". */
  line(lang = "en") {
    return lang === "zh" ? this.zh : this.text;
  }

  /** Without what a stack trace says. */
  toJSON() {
    const { name, stack, message, ...values } = this;
    return Object.fromEntries(Object.entries(values).map(([k, v]) => [k, typeof v === "bigint" ? String(v) : v]));
  }
}

// What the binding itself refuses, in English and Chinese.
function refuse(code, field, text, zh, more = {}) {
  throw new DtcoreError({
    code, severity: "error", rule: null, field, other: null, got: null, other_got: null, min: null, max: null,
    lower: null, upper: null, offset: null, text: `${field}${text}`, zh: `${field}${zh}`, ...more,
  });
}

function typeName(v) {
  return v === null ? "null" : Array.isArray(v) ? "array" : typeof v;
}

function refuseType(field, wanted, v) {
  refuse("type", field, `: expected ${wanted}, got ${typeName(v)}`, `：应为 ${wanted}，得到 ${typeName(v)}`);
}

// Least number of inserted, deleted or changed characters.
function distance(a, b) {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const best = Math.min(diagonal + (a[i - 1] !== b[j - 1]), row[j] + 1, row[j - 1] + 1);
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.length];
}

function refuseUnknown(field, word, known) {
  const cut = String(word).slice(0, 31);
  const far = (name) => 2 * distance(cut, name) + (cut[0] !== name[0]);
  const nearest = [...known].sort((a, b) => far(a) - far(b) || (a < b ? -1 : 1))[0];
  refuse("unknown", field, `: unknown name "${cut}"; the nearest is "${nearest}"`,
    `：未知的名称 "${cut}"；最接近的是 "${nearest}"`, { got: word, nearest });
}

// ---- values ----------------------------------------------------------------------------------------------------------

// A uint64_t as a result shows it: a Number where it is exact, else a BigInt.
const shown = (v) => (v <= 9007199254740992n ? Number(v) : v);

// An integer of a call as a BigInt: a BigInt, or a Number up to 2^53.
function integer(v, name, most) {
  if (typeof v !== "bigint" && typeof v !== "number") refuseType(name, "integer", v);
  if (typeof v === "bigint" ? v >= 0n && v <= most : Number.isInteger(v) && v >= 0 && v <= SAFE && BigInt(v) <= most)
    return BigInt(v);
  return refuse("range", name, ` = ${v}: must be an integer in 0 to ${most}`, ` = ${v}：必须是 0 到 ${most} 之间的整数`,
    { got: v });
}

// A word of the enum, or a number, which the library judges.
function enumerated(v, name, most, of) {
  if (typeof v === "number" || typeof v === "bigint") return integer(v, name, most);
  if (typeof v !== "string") refuseType(name, "name or number", v);
  if (!Object.hasOwn(ENUMS[of], v)) refuseUnknown(name, v, Object.keys(ENUMS[of]));
  return BigInt(ENUMS[of][v]);
}

const asDouble = new DataView(new ArrayBuffer(8));

function doubleOf(bits) {
  asDouble.setBigUint64(0, bits);
  return asDouble.getFloat64(0);
}

// ---- one instance ----------------------------------------------------------------------------------------------------

// Reads and writes the memory of an instance; space for a call is taken from the end of the library's own, and forgotten
// by the next.
class Memory {
  constructor(exports) {
    this.exports = exports;
    this.start = Number(exports.__heap_base.value);
    this.reset();
  }

  reset() {
    this.next = (this.start + 15) & ~15;
    this.look();
  }

  look() {
    if (this.view?.buffer !== this.exports.memory.buffer) {
      this.view = new DataView(this.exports.memory.buffer);
      this.bytes = new Uint8Array(this.exports.memory.buffer);
    }
  }

  // Zeroed.
  take(size) {
    const at = this.next;
    this.next = at + ((size + 15) & ~15);
    const more = this.next - this.exports.memory.buffer.byteLength;
    if (more > 0 && this.exports.memory.grow(Math.ceil(more / 65536)) === -1) throw new RangeError("out of memory");
    this.look();
    this.bytes.fill(0, at, at + size);
    return at;
  }

  load(at, size) {
    if (size === 8) return this.view.getBigUint64(at, true);
    return BigInt(size === 4 ? this.view.getUint32(at, true) : size === 2 ? this.view.getUint16(at, true) : this.bytes[at]);
  }

  store(at, size, bits) {
    if (size === 8) this.view.setBigUint64(at, bits, true);
    else if (size === 4) this.view.setUint32(at, Number(bits), true);
    else if (size === 2) this.view.setUint16(at, Number(bits), true);
    else this.bytes[at] = Number(bits);
  }

  text(at, length = this.bytes.indexOf(0, at) - at) {
    return new TextDecoder().decode(this.bytes.slice(at, at + length));
  }

  put(bytes) {
    const at = this.take(bytes.length + 1);
    this.bytes.set(bytes, at);
    return at;
  }

  // A struct at its default.
  fresh(s, count = 1) {
    const at = this.take(s.size * count);
    for (let i = 0; s.sized && i < count; i++) this.view.setUint32(at + i * s.size, s.size, true);
    return at;
  }

  // Writes the fields of an object.
  write(s, at, object, name) {
    if (typeof object !== "object" || object === null || Array.isArray(object)) refuseType(name, "object", object);
    for (const [key, v] of Object.entries(object)) {
      const f = s.byName.get(key);
      if (!f) refuseUnknown(name, key, s.byName.keys());
      if (v !== undefined) this.writeField(f, at + f.offset, v);
    }
  }

  writeField(f, at, v) {
    if (f.kind === "double") {
      if (typeof v !== "number") refuseType(f.name, "number", v);
      this.view.setFloat64(at, v, true);
    } else if (f.kind === "bool") {
      if (v !== null && typeof v !== "boolean") refuseType(f.name, "boolean or null", v);
      this.store(at, f.size, v === null ? 0n : v ? 1n : 2n);
    } else if (f.kind === "enum") {
      this.store(at, f.size, enumerated(v, f.name, f.most, f.of));
    } else if (f.kind === "mask" && Array.isArray(v)) {
      this.store(at, f.size, v.reduce((bits, word) => bits | (1n << enumerated(word, f.name, 63n, f.of)), 0n));
    } else {
      this.store(at, f.size, f.kind === "optional" && v === null ? NONE : integer(v, f.name, f.most));
    }
  }

  readField(f, at) {
    if (f.kind === "double") return this.view.getFloat64(at, true);
    const bits = this.load(at, f.size);
    if (f.kind === "bool") return bits === 0n ? null : bits === 1n;
    if (f.kind === "enum") return WORDS[f.of].get(Number(bits)) ?? shown(bits);
    if (f.kind === "mask") {
      const set = [];
      for (let n = 0n; bits >> n; n++) if ((bits >> n) & 1n) set.push(WORDS[f.of].get(Number(n)) ?? Number(n));
      return set;
    }
    return f.kind === "optional" && bits === NONE ? null : shown(bits);
  }

  read(s, at) {
    if (s.name === "error") return new DtcoreError(this.errorAt(at));
    const out = {};
    for (const f of s.fields) out[f.name] = this.readField(f, at + f.offset);
    return out;
  }

  // ---- errors

  // The word of the text that an error is about, as bytes of one line that can be read; null when it is about none.
  wordOf(values, said) {
    const isName = ["model_name", "gpu_name", "cluster_name", "nccl_system"].includes(values.rule);
    const isWord = ["plan_word", "plan_value"].includes(values.rule) && values.field !== "name";
    if (!said || !(isName || isWord) || (values.offset === null && !isName)) return null;
    const start = Number(values.offset ?? 0);
    if (start > said.length) return null;
    let end = said.length;
    if (values.offset !== null) {
      const stop = said.subarray(start).findIndex((c) => c === 0 || c === 59 || c === 32 || (c >= 9 && c <= 13 && c !== 11 && c !== 12));
      if (stop >= 0) end = start + stop;
    }
    let n = Math.min(end - start, 60);
    if (start + n < end) while (n > 0 && (said[start + n] & 0xc0) === 0x80) n--; // no half character
    const word = said.slice(start, start + n).map((c) => (c < 32 || c === 127 ? 63 : c));
    return new TextDecoder().decode(word) + (start + n < end ? "..." : "");
  }

  format(at, lang, word) {
    const buf = this.take(1024);
    this.exports.dtc_error_format(at, lang, buf, 1024);
    const line = this.text(buf);
    if (word === null) return line;
    const end = line.indexOf(lang ? "；" : ";");
    return end >= 0 ? `${line.slice(0, end)} '${word}'${line.slice(end)}` : `${line}${lang ? "：" : ": "}'${word}'`;
  }

  // A number in the words of the field it belongs to.
  numberOf(id, bits) {
    if (bits === NONE) return null;
    const s = Object.values(STRUCTS).find((one) => one.number === id >>> 16);
    const isDouble = s?.fields.some((f) => f.offset === (id & 0xffff) && f.kind === "double");
    return isDouble ? doubleOf(bits) : shown(bits);
  }

  errorAt(at, said = null) {
    const raw = {};
    for (const f of STRUCTS.error.fields) raw[f.name] = this.load(at + f.offset, f.size);
    const nameOf = (id) => (id ? this.text(this.exports.dtc_field_name(Number(id))) : null);
    const number = (bits) => this.numberOf(Number(raw.field), bits);
    const values = {
      code: WORDS.status.get(Number(raw.status)), severity: WORDS.severity.get(Number(raw.severity)),
      rule: WORDS.rule.get(Number(raw.rule)) ?? Number(raw.rule), field: nameOf(raw.field), other: nameOf(raw.other),
      got: number(raw.got), other_got: this.numberOf(Number(raw.other), raw.other_got), min: number(raw.min),
      max: number(raw.max), lower: number(raw.lower), upper: number(raw.upper), offset: this.numberOf(0, raw.offset),
    };
    const word = this.wordOf(values, said);
    values.text = this.format(at, 0, word);
    values.zh = this.format(at, 1, word);
    return values;
  }
}

// ---- calls -----------------------------------------------------------------------------------------------------------

// Puts one input into the memory; what C gets for it.
function given(m, arg, v, call) {
  const missing = v === undefined || (v === null && arg.optional);
  switch (arg.kind) {
    case "in": {
      if (missing && arg.optional) return [0];
      const at = m.fresh(STRUCTS[arg.of]);
      if (v !== undefined || !arg.fresh) m.write(STRUCTS[arg.of], at, v, arg.name);
      return [at];
    }
    case "array":
      return missing && arg.optional ? [0, 0] : givenArray(m, arg, v);
    case "text":
    case "bytes": {
      if (missing && arg.optional) return arg.kind === "text" ? [0] : [0, 0];
      if (typeof v !== "string" && !(v instanceof Uint8Array)) refuseType(arg.name, "string", v);
      const bytes = typeof v === "string" ? new TextEncoder().encode(v) : v;
      if (arg.kind === "text" && bytes.includes(0)) refuse("range", arg.name, ": holds a NUL character", "：含有 NUL 字符");
      call.said = bytes;
      return arg.kind === "text" ? [m.put(bytes)] : [m.put(bytes), bytes.length];
    }
    case "enum":
      return [missing && arg.optional ? 0 : Number(enumerated(v, arg.name, 2n ** 32n - 1n, arg.of))];
    case "double":
      if (missing && arg.optional) return [0];
      if (typeof v !== "number") refuseType(arg.name, "number", v);
      return [v];
    case "number64":
      return [integer(v, arg.name, NONE)];
    default:
      return [Number(integer(v, arg.name, 2n ** 32n - 1n))];
  }
}

function givenArray(m, arg, v) {
  if (!Array.isArray(v) || v.length > 2 ** 20) refuseType(arg.name, "array of at most 2^20 elements", v);
  const s = STRUCTS[arg.of];
  if (!s) {
    const at = m.take((v.length + 1) * 8);
    v.forEach((one, i) => m.store(at + 8 * i, 8, integer(one, arg.name, NONE)));
    return [at, v.length];
  }
  const at = m.fresh(s, v.length + 1);
  v.forEach((one, i) => m.write(s, at + i * s.size, one, arg.name));
  return [at, v.length];
}

// Room for one output: what C gets, and how to read it back.
function output(m, arg, caps) {
  const s = STRUCTS[arg.of];
  switch (arg.kind) {
    case "out": {
      const at = s ? m.fresh(s) : m.take(8);
      return { args: [at], read: () => (s ? m.read(s, at) : arg.of === "double" ? m.view.getFloat64(at, true) : shown(m.load(at, 8))) };
    }
    case "scratch":
      return { args: [m.take(8 * caps.scratch), caps.scratch] };
    case "error": {
      const at = m.fresh(STRUCTS.error);
      return { args: [at], at };
    }
    default: { // texts and arrays: the number of elements stands in *count
      const size = arg.kind === "chars" ? 1 : s ? s.size : SIZES[arg.of];
      const [at, count] = [m.take(size * caps.out), m.take(8)];
      if (s?.sized) m.view.setUint32(at, s.size, true);
      const one = (i) => (s ? m.read(s, at + i * size) : shown(m.load(at + i * size, size)));
      const length = () => m.view.getUint32(count, true);
      const read = () => (arg.kind === "chars" ? m.text(at, length()) : Array.from({ length: length() }, (_, i) => one(i)));
      return { args: [at, caps.out, count], read, asked: () => length() + (arg.kind === "chars") };
    }
  }
}

const INPUTS = new Set(["in", "array", "text", "bytes", "enum", "double", "number64", "number32"]);

function called(m, fn, values) {
  const caps = { out: fn.args.some((a) => a.kind === "chars") ? 512 : ROOM, scratch: ROOM };
  for (;;) {
    m.reset();
    const call = { said: null };
    const outs = [];
    let error = null;
    const args = fn.args.flatMap((arg) => {
      if (INPUTS.has(arg.kind)) return given(m, arg, values[fn.order.indexOf(arg.name)], call);
      const out = output(m, arg, caps);
      if (arg.kind === "error") error = out.at;
      outs.push(out);
      return out.args;
    });
    const status = m.exports[fn.c](...args);
    m.look();
    if (fn.result !== "status") return plainResult(m, fn, status);
    const asked = Math.max(0, ...outs.map((out) => out.asked?.() ?? 0));
    const roomier = status === ENUMS.status.space && scratchAsked(m, error);
    if (asked <= caps.out && !(roomier > caps.scratch)) {
      if (status !== 0) throw new DtcoreError(m.errorAt(error, call.said));
      const results = outs.filter((out) => out.read).map((out) => out.read());
      return results.length === 1 ? results[0] : results;
    }
    caps.out = Math.max(asked, caps.out);
    caps.scratch = Math.max(roomier || 0, caps.scratch);
  }
}

// Elements of scratch that an error asks for; 0 none.
function scratchAsked(m, error) {
  const at = (name) => error + STRUCTS.error.byName.get(name).offset;
  const wanted = m.view.getBigUint64(at("min"), true);
  return m.view.getUint32(at("rule"), true) === ENUMS.rule.scratch && wanted < 2n ** 27n ? Number(wanted) : 0;
}

function plainResult(m, fn, v) {
  if (fn.result !== "text") return fn.result === "number64" ? shown(BigInt.asUintN(64, v)) : v >>> 0;
  if (!v) refuse("range", "index", ": out of range", "：超出范围");
  return m.text(v);
}

// ---- the module ------------------------------------------------------------------------------------------------------

/** The fields of the structs, and the words of the enums with their values. */
export const fields = Object.fromEntries(Object.entries(STRUCTS).map(([name, s]) => [name, s.fields.map((f) => f.name)]));
export const enums = ENUMS;

/** Id of a field, as field_name() and value_name() take it: field_id("plan", "tp"). */
export function field_id(struct, field) {
  if (!Object.hasOwn(STRUCTS, struct)) refuseUnknown("struct", struct, Object.keys(STRUCTS));
  const f = STRUCTS[struct].byName.get(field);
  if (!f) refuseUnknown(struct, field, STRUCTS[struct].byName.keys());
  return STRUCTS[struct].number * 65536 + f.offset;
}

/** Makes an instance of dtcore.wasm: from its bytes, a Response of fetch(), or a WebAssembly.Module. */
export async function load(source) {
  const bytes = typeof Response !== "undefined" && source instanceof Response ? await source.arrayBuffer() : source;
  const made = await WebAssembly.instantiate(bytes);
  const exports = (made.instance ?? made).exports;
  exports._initialize();
  const memory = new Memory(exports);
  const dtcore = { fields, enums, field_id, NONE };
  for (const [name, [c, result, order, text]] of Object.entries(FUNCTIONS)) {
    const fn = { name, c, result, order: order ? order.split(" ") : [], args: text ? argumentsOf(text) : [] };
    dtcore[name] = (...values) => {
      if (values.length > fn.order.length)
        refuse("type", name, `: at most ${fn.order.length} arguments, got ${values.length}`,
          `：最多 ${fn.order.length} 个参数，得到 ${values.length} 个`);
      return called(memory, fn, values);
    };
  }
  const parse = dtcore.plan_parse;
  dtcore.plan_parse = (...values) => {
    const [model, plan] = parse(...values);
    return [plan, model.layers ? model : null];
  };
  for (const noun of ["model", "gpu", "cluster", "software", "framework"])
    dtcore[`${noun}_names`] = () => Array.from({ length: dtcore[`${noun}_count`]() }, (_, i) => dtcore[`${noun}_name`](i));
  return Object.freeze(dtcore);
}
