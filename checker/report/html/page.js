"use strict";
// Unpacks a story when it is looked at, and steps through it. Text is set as text, never as markup.
const $ = (id) => document.getElementById(id);
const cache = new Map();
let story = null, index = 0, at = 0, timer = 0;

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

async function unpack(i) {
  if (!cache.has(i)) {
    const bytes = Uint8Array.from(atob($(`packed-${i}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    cache.set(i, JSON.parse(await new Response(stream).text()));
  }
  return cache.get(i);
}

async function open(i, step) {
  index = i;
  $("story").setAttribute("aria-busy", "true");
  story = await unpack(i);
  if (i !== index) return;
  $("which").value = String(i);
  $("title").textContent = story.title;
  $("why").textContent = story.why;
  $("rule").textContent = story.rule ? `What would have stopped it: ${story.rule}` : "";
  $("text").textContent = story.text;
  $("reproduce").textContent = story.reproduce.join("\n");
  $("slider").max = String(story.steps.length);
  $("figures").replaceChildren(...story.facts.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
  const drawn = new DOMParser().parseFromString(story.svg, "image/svg+xml").documentElement;
  $("picture").replaceChildren(document.importNode(drawn, true));
  fence();
  trace();
  show(step === undefined ? story.steps.length : step);
  $("story").setAttribute("aria-busy", "false");
}

function fence() {
  const made = story.fence.map((boundary) => {
    const part = element("section"), list = element("ul");
    part.append(element("h3", boundary.name), element("p", boundary.asks, "missing"), list);
    for (const rule of boundary.rules) {
      const note = { stops: " — not in this fence; it would have stopped the story", missing: " — not in this fence" };
      list.append(element("li", `${rule.name} → ${rule.class}: ${rule.sentence}${note[rule.state] || ""}`, rule.state));
    }
    if (!boundary.rules.length) list.append(element("li", "no rule", "missing"));
    return part;
  });
  $("fence").replaceChildren(...made);
}

function trace() {
  const link = $("trace");
  URL.revokeObjectURL(link.href);
  link.hidden = !story.itf;
  if (!story.itf) return;
  link.href = URL.createObjectURL(new Blob([story.itf], { type: "application/json" }));
  link.download = `${story.name.replace(/[^A-Za-z0-9._=-]+/g, "-")}.itf.json`;
}

function show(step) {
  at = Math.max(0, Math.min(story.steps.length, step));
  $("slider").value = String(at);
  $("where").textContent = `step ${at} of ${story.steps.length}`;
  $("slider").setAttribute("aria-valuetext", at ? story.steps[at - 1].head : "before the first step");
  tell(at ? story.steps[at - 1] : null);
  changes();
  choices();
  mark();
  history.replaceState(null, "", `#${story.name}/${at}`);
}

function tell(step) {
  $("head").textContent = step ? step.head : "Before the first step";
  const lines = step ? [element("li", step.clock)] : [];
  if (step && step.fault) lines.push(element("li", step.fault, "fault"));
  if (step) lines.push(...step.changed.map((text) => element("li", text)));
  if (step && step.bites) lines.push(element("li", step.bites, "good"));
  if (step) lines.push(...step.violated.map((name) => element("li", `VIOLATED: ${name}`, "bad")));
  $("told").replaceChildren(...lines);
}

function changes() {
  const after = story.states[at] || {}, before = (at ? story.states[at - 1] : after) || {}, whole = $("whole").checked;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const rows = names.filter((name) => whole || before[name] !== after[name]).map((name) => {
    const row = element("tr", undefined, before[name] !== after[name] ? "changed" : "");
    row.append(element("td", name), element("td", before[name] ?? "—"), element("td", after[name] ?? "—"));
    return row;
  });
  const none = element("tr");
  none.append(element("td", names.length ? "nothing changes" : "a log has no states"));
  $("state").tBodies[0].replaceChildren(...(rows.length ? rows : [none]));
}

function choices() {
  const found = at ? story.choices[at - 1] || [] : [];
  const rows = found.map((choice) => {
    const row = element("tr", undefined, choice.nothing ? "nothing" : "");
    const answer = element("td", choice.answer || (choice.nothing ? "changes nothing" : ""), choice.rule ? "refused" : "");
    if (choice.rule) answer.append(element("div", `by ${choice.rule}${choice.behind.length ? `, behind it ${choice.behind.join(", ")}` : ""}`, "nothing"));
    row.append(element("td", choice.fault ? `fault ${choice.fault.replaceAll("_", " ")}: ${choice.label}` : choice.label, choice.fault ? "fault" : ""), answer);
    return row;
  });
  const none = element("tr");
  none.append(element("td", at ? "nothing else" : "go one step on to see what else could have been", "nothing"));
  $("choices").tBodies[0].replaceChildren(...(rows.length ? rows : [none]));
}

function mark() {
  const picture = $("picture"), svg = picture.querySelector("svg");
  svg.querySelectorAll(".here").forEach((old) => old.remove());
  if (!at) return void (picture.scrollTop = 0);
  const number = story.steps[at - 1].number, plane = svg.querySelector("g");
  const parts = [...svg.querySelectorAll(`[id="step-${number}"], [id^="step-${number}-"]`)].filter((one) => one.getBBox);
  const boxes = parts.map((one) => one.getBBox()).filter((box) => box.height);
  if (!boxes.length) return;
  const top = Math.min(...boxes.map((box) => box.y)), bottom = Math.max(...boxes.map((box) => box.y + box.height));
  const here = document.createElementNS("http://www.w3.org/2000/svg", "rect"), card = plane.getBBox();
  const look = { class: "here", x: card.x + 3, y: top - 3, width: card.width - 6, height: bottom - top + 6, rx: 4, fill: "#0969da", "fill-opacity": 0.08, stroke: "#0969da", "stroke-width": 2 };
  for (const [name, value] of Object.entries(look)) here.setAttribute(name, String(value));
  plane.append(here);
  const seen = here.getBoundingClientRect(), frame = picture.getBoundingClientRect();
  if (seen.top < frame.top + 20 || seen.bottom > frame.bottom - 20) picture.scrollTop += seen.top - frame.top - frame.height / 3;
}

function play(on) {
  clearInterval(timer);
  timer = 0;
  $("play").setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (at === story.steps.length) show(0);
  timer = setInterval(() => (at < story.steps.length ? show(at + 1) : play(false)), 900);
}

function turn(by) {
  const count = $("which").options.length;
  play(false);
  open((index + by + count) % count);
}

function go(step) { play(false); show(step); }

function address() {
  const [, name, step] = decodeURIComponent(location.hash).match(/^#(.*?)(?:\/(\d+))?$/) || [];
  const found = [...$("which").options].findIndex((option) => option.dataset.name === name);
  open(Math.max(found, 0), step === undefined ? undefined : Number(step));
}

const keys = {
  ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(story.steps.length),
  " ": () => play(!timer), n: () => turn(1), p: () => turn(-1),
};

if ($("story")) {
  $("first").onclick = keys.Home;
  $("back").onclick = keys.ArrowLeft;
  $("on").onclick = keys.ArrowRight;
  $("last").onclick = keys.End;
  $("play").onclick = keys[" "];
  $("slider").oninput = () => go(Number($("slider").value));
  $("whole").onchange = changes;
  $("which").onchange = () => { play(false); open(Number($("which").value)); };
  addEventListener("hashchange", address);
  addEventListener("keydown", (event) => {
    const typing = event.target.matches("select, input, button, summary") && (event.target.type !== "range" || event.key === " ");
    if (!story || typing || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  address();
}
