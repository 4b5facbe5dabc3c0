// A report in a real browser, answered as a person would: by pointer and by keys.
//
//   node report-browser.js <chromium> <page> <another report> <folder> <plan> [pictures]
//
// <folder> is where the browser saves files.
//
// The plan has a line for each row to answer: its place on the page, how (pointer or keys), what
// is said (right, wrong, open), the number of the class (0 where that is not asked), a note.
// Prints a line for each thing looked at: ok or FAILED, and what. Where a folder for pictures is
// given, the page is in it at 1200 and 400 px, light, dark and on paper.
"use strict";
const fs = require("fs");
const path = require("path");
const { start, until, pause } = require("./browser.js");
const [chromium, file, other, folder, plan, pictures] = process.argv.slice(2);

const say = (what, fine, more = "") => {
  console.log(fine ? `ok: ${what}` : `FAILED: ${what} ${more}`);
};
const steps = fs.readFileSync(plan, "utf8").trim().split("\n").map((line) => {
  const [at, how, said, label, note] = line.split("\t");
  return { at: Number(at), how, said, label, note: JSON.parse(note) };
});
const state = `JSON.stringify([...document.querySelectorAll("fieldset")].map((card) => [
  card.querySelector("input:checked")?.value, card.querySelector("select")?.value,
  card.querySelector("textarea").value]))`;
const said = "document.getElementById('done').textContent";
const card = (at) => `.suspects > li:nth-child(${at})`;

async function choose(page, at, label) {
  await page.value(`(() => {
    const which = document.querySelector("${card(at)} select");
    which.value = "${label}";
    which.dispatchEvent(new Event("change", {bubbles: true}));
  })()`);
}

async function answer(page, { at, how, said, label, note }) {
  if (how === "pointer") {
    await page.click(`${card(at)} input[value=${said}]`);
  } else {
    await page.value(`document.querySelector("${card(at)} input").focus()`);
    await page.key({ right: "1", wrong: "2", open: "3" }[said]);
  }
  if (label !== "0") await choose(page, at, label);
  if (note) {
    await page.click(`${card(at)} textarea`);
    await page.type(note);
  }
}

async function pristine(page) {
  const empty = await page.value(`!document.querySelector("fieldset input:checked") &&
    [...document.querySelectorAll("fieldset select")].every((which) => which.value === "") &&
    [...document.querySelectorAll("textarea")].every((note) => note.value === "")`);
  return empty && (await page.value("document.getElementById('save').disabled"));
}

async function answered(page) {
  for (const step of steps) await answer(page, step);
  const before = await page.value(state);
  const text = await page.value(said);
  say("the counter says how many are done", text.startsWith(`${steps.length} of `), text);
  console.log(`status: ${text}`);
  await page.reload();
  say("a page loaded again has the answers", (await page.value(state)) === before);
  say("and says the same of them", (await page.value(said)) === text);
  await page.open(other);
  say("another report has none of them", await pristine(page));
  await page.open(file);
  say("the first has them still", (await page.value(state)) === before);
}

async function saved(page, name) {
  await page.click("#save");
  const made = path.join(folder, name);
  await until("the file is saved", 20, () => fs.existsSync(made));
  await pause(300);
  say("what was saved is said", (await page.value(said)).includes("Saved as"));
}

async function reached(page) {
  await page.value("document.getElementById('open').focus()");
  await page.key("Enter");
  const at = "document.activeElement.closest('fieldset')";
  const led = await page.value(`${at} !== null && ${at}.dataset.said === "none"`);
  say("the button leads to an open row", led);
  await page.key("Tab");
  const outline = await page.value("getComputedStyle(document.activeElement).outlineStyle");
  say("the focus is seen", outline === "solid", outline);
  const hidden = await page.value(`(() => {
    const box = document.activeElement.getBoundingClientRect();
    const bar = document.querySelector(".answers").getBoundingClientRect();
    return box.top < bar.bottom - 1 || box.bottom > innerHeight;
  })()`);
  say("and not under the bar", !hidden);
}

async function heard(page) {
  const rows = await page.value("document.querySelectorAll('fieldset').length");
  if (rows > 200) return; // it takes minutes
  const { nodes } = await page.send("Accessibility.getFullAXTree");
  const of = (role) => nodes.filter((node) => node.role?.value === role && !node.ignored);
  const named = (list) => list.length > 0 && list.every((node) => node.name?.value?.trim());
  say("every choice has a name", named(of("radio")));
  const groups = of("group").filter((node) => /^Row \d+/.test(node.name?.value ?? ""));
  say("every group of choices names its row", groups.length === rows);
  say("every note and every button has a name", named(of("textbox")) && named(of("button")));
  say("the counter is announced", of("status").length === 1);
}

async function sizes(page, width) {
  const wide = await page.value("document.documentElement.scrollWidth");
  say(`nothing is wider than ${width} px`, wide <= width, wide);
}

async function printed(page) {
  await page.like({ media: "print" });
  await page.value("window.dispatchEvent(new Event('beforeprint'))");
  const shown = (selector) => page.value(`[...document.querySelectorAll("${selector}")]
    .filter((node) => node.offsetHeight > 0).length`);
  say("no button is printed", (await shown("button")) === 0);
  say("notes are", (await shown(".noted")) === steps.filter((step) => step.note).length);
  say("what is folded is printed", (await shown("section > details > *:nth-child(2)")) > 4);
  const few = (await page.value("document.body.scrollHeight")) < 15000; // no picture is higher
  if (pictures && few) await page.look(path.join(pictures, "print.png"), true);
  await page.value("window.dispatchEvent(new Event('afterprint'))");
  await page.like({ media: "" });
}

async function windows(browser, page) {
  const second = await browser.page(400);
  await second.open(file);
  const same = await page.value(state);
  say("a second window has the answers", (await second.value(state)) === same);
  await sizes(second, 400);
  await second.click(`${card(steps[0].at)} .undo`);
  await until("the first window hears of it", 5, async () => (await page.value(state)) !== same);
  const after = await second.value(state);
  say("an answer taken back is so in both", (await page.value(state)) === after);
  await answer(second, { ...steps[0], note: "" });
  await second.click("#forget");
  say("all can be forgotten", await pristine(second));
  await until("the first window hears of it", 5, () => pristine(page));
  return second;
}

async function drawn(browser) {
  for (const width of [1200, 400]) {
    for (const value of ["light", "dark"]) {
      const page = await browser.page(width);
      await page.like({ features: [{ name: "prefers-color-scheme", value }] });
      await page.open(file);
      await page.look(path.join(pictures, `${width}-${value}.png`));
      const row = `document.querySelector("${card(steps[0].at)}")`;
      await page.value(`${row}.scrollIntoView()`);
      await page.look(path.join(pictures, `${width}-${value}-rows.png`));
    }
  }
}

(async () => {
  const browser = await start(chromium, folder);
  try {
    const page = await browser.page(1200);
    await page.open(file);
    say("nothing is filled in", await pristine(page));
    const text = `typeof hacked === "undefined" && document.scripts.length === 2 &&
      !document.images.length`;
    say("names are text", await page.value(text));
    await answered(page);
    const data = "JSON.parse(document.getElementById('report').textContent)";
    await saved(page, await page.value(`${data}.saved`));
    await reached(page);
    await heard(page);
    await sizes(page, 1200);
    await printed(page);
    if (pictures) await drawn(browser);
    const second = await windows(browser, page);
    const requests = [...page.requests, ...second.requests];
    const asked = requests.filter((url) => !/^(file|data|blob):/.test(url));
    say("nothing was asked of a network", asked.length === 0, asked);
    const complaints = [...page.complaints, ...second.complaints];
    say("the browser has no complaint", complaints.length === 0, complaints);
  } finally {
    await browser.stop();
  }
})().catch((error) => {
  console.log(`FAILED: ${error.message}`);
  process.exit(1);
});
