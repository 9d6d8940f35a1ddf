// Elements and pictures. Pictures are canvases: they are drawn again when the window or its colours change.

/** @returns {any} */
export const $ = (id) => document.getElementById(id);

/**
 * An element with text or children, never with markup.
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, v] of Object.entries(attributes)) e.setAttribute(key, v);
  e.append(...children.map((c) => (typeof c === "object" ? c : String(c))));
  return e;
}

export const COLOURS = ["#2f6db5", "#b8650a", "#2f8049", "#7d55b0", "#b04848", "#0f7f80", "#7d6b10", "#a04a85",
  "#666666"];

const colourOf = (n) => COLOURS[n % COLOURS.length];

// A table; `numbers` are columns that stand to the right. A cell is a text or an element.
export function table(heads, rows, numbers = [], label = heads[0]) {
  const kind = (cell,
    i) => (numbers.includes(i) ? { class: "number" } : cell.className === "bar" ? { class: "bars" } : {});
  const head = heads.map((h, i) => (h ? make("th", { scope: "col",
    ...(numbers.includes(i) ? { class: "number" } : {}) }, h) : make("td")));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell, i) => make("td", kind(cell, i), cell))));
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
}

// Parts of a whole, one beside the other: [colour, value]; a mark where `limit` is.
export function bar(parts, whole, label, limit = 0) {
  const e = make("div", { class: "bar", role: "img", "aria-label": label });
  for (const [colour, v] of parts) {
    const piece = make("span");
    piece.style.width = `${(100 * v) / whole}%`;
    piece.style.background = colour;
    e.append(piece);
  }
  if (limit > 0 && limit < whole) {
    const mark = make("i");
    mark.style.left = `${(100 * limit) / whole}%`;
    e.append(mark);
  }
  return e;
}

export function key(names) {
  return make("ul", { class: "key" }, ...names.map(([colour, name]) => {
    const square = make("span");
    square.style.background = colour;
    return make("li", {}, square, name);
  }));
}

export const tiles = (pairs) => make("dl", { class: "tiles" },
  ...pairs.map(([name, v]) => make("div", {}, make("dt", {}, name), make("dd", {}, v))));

// ---- canvases -------------------------------------------------------------------------------------------------------

// paint(context, width, text colour) returns the height that it takes, and draws when it has a context.
export function picture(label, paint) {
  const canvas = make("canvas", { role: "img", "aria-label": label });
  const box = make("div", { class: "picture" }, canvas);
  const draw = () => {
    const width = Math.floor(box.clientWidth);
    if (!width) return;
    const [height, ratio] = [paint(null, width), window.devicePixelRatio || 1];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    paint(context, width, getComputedStyle(box).color);
  };
  new ResizeObserver(draw).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return box;
}

const FONT = "px system-ui, sans-serif";

function label(context, text, x, y, size, colour) {
  context.font = size + FONT;
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

// Nodes of `per` ranks as blocks of cells: groupOf(rank) gives a colour, chosen(rank) a frame.
export function nodesPicture(text, { nodes, per, groupOf, chosen, nodeName }) {
  return picture(text, (context, width, colour) => {
    const cell = Math.max(4, Math.min(30, Math.floor((width - 8) / per)));
    const across = Math.max(1, Math.floor((width + 12) / (per * cell + 12)));
    const tall = Math.max(cell, 14) + 24;
    for (let node = 0; context && node < nodes; node++) {
      const [x, y] = [(node % across) * (per * cell + 12), Math.floor(node / across) * tall];
      label(context, nodeName(node), x, y + 11, 11, colour);
      for (let i = 0; i < per; i++) {
        const rank = node * per + i;
        const group = groupOf(rank);
        context.fillStyle = group === null ? "#8884" : colourOf(group);
        context.fillRect(x + i * cell + 1, y + 16, cell - 2, cell - 2);
        if (chosen(rank)) {
          context.strokeStyle = colour;
          context.lineWidth = 2;
          context.strokeRect(x + i * cell + 1, y + 16, cell - 2, cell - 2);
        }
        context.textAlign = "center";
        if (cell >= 24) label(context, String(rank), x + i * cell + cell / 2, y + 16 + cell / 2 + 3,
          rank > 999 ? 9 : 11, "#fff");
        context.textAlign = "start";
      }
    }
    return Math.ceil(nodes / across) * tall;
  });
}

export const OPS = { forward: "#2f6db5", backward: "#b8650a", input: "#b04848", weight: "#2f8049" };

// Ranks as lines of a time axis. lines: [[{start, end, kind, chunk, name}]].
export function timelinePicture(text, lines, makespan, unit) {
  return picture(text, (context, width, colour) => {
    const [left, tall] = [34, lines.length > 16 ? 14 : 22];
    const scale = (width - left - 2) / makespan;
    lines.forEach((ops, rank) => {
      if (!context) return;
      const y = rank * tall;
      label(context, String(rank), 2, y + tall - 6, 11, colour);
      context.fillStyle = "#8883";
      context.fillRect(left, y, width - left - 2, tall - 2);
      for (const op of ops) {
        const [x, wide] = [left + op.start * scale, (op.stop - op.start) * scale];
        context.globalAlpha = op.chunk % 2 ? 0.7 : 1;
        context.fillStyle = OPS[op.kind];
        context.fillRect(x, y, Math.max(wide - (wide > 4 ? 1 : 0), 0.3), tall - 2);
        context.globalAlpha = 1;
        if (wide > 7 * op.name.length + 4 && tall > 14) label(context, op.name, x + 3, y + tall - 7, 11, "#fff");
      }
    });
    const foot = lines.length * tall + 14;
    if (context) {
      label(context, "0", left, foot, 11, colour);
      context.textAlign = "right";
      label(context, unit, width - 2, foot, 11, colour);
    }
    return foot + 6;
  });
}

// What a reader sees of an element, as lines: no buttons, no choices, no pictures.
export function asText(root) {
  const lines = [];
  for (const e of root.querySelectorAll("h3, p, pre, li, tr, dl > div")) {
    if (e.closest("[hidden]") || (e.tagName === "P" && e.querySelector("button, select"))) continue;
    const told = [...e.children].filter((c) => !c.querySelector("button, .bar"));
    const cells = e.tagName === "TR" || e.tagName === "DIV" ? told : [e];
    const line = cells.map((c) => c.textContent.trim()).filter(Boolean).join("  ");
    if (line) lines.push(e.tagName === "H3" ? `\n${line}` : e.tagName === "LI" ? `- ${line}` : line);
  }
  return `${lines.join("\n").trim()}\n`;
}
