// The answers to the rows of a report: kept by the browser, counted, and saved as a table that
// update(fit, checked = ) takes. It asks no server for anything. Names and notes are text wherever
// they go: nothing here makes HTML of them.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const form = document.getElementById("answers");
  if (!form) return; // no row is left to check
  const cards = [...form.querySelectorAll("fieldset")];
  const words = {
    right: "right", wrong: "wrong", open: "can't say", part: "wrong, class not given", none: "",
  };
  const element = (id) => document.getElementById(id);

  // An answer: {said, label, note}. `label` is the number of the true class, 0 where it is not
  // said; `part` is "wrong" without it.
  const none = {said: "none", label: 0, note: ""};
  const is_empty = (answer) => answer.said === "none" && !answer.note;
  const answers = cards.map(() => none);

  // The fields of a card ---------------------------------------------------------------

  const fields = cards.map((card) => ({
    said: [...card.querySelectorAll("input")],
    which: card.querySelector("select"),
    note: card.querySelector("textarea"),
    undo: card.querySelector(".undo"),
    noted: card.querySelector(".noted"),
  }));

  // of two classes the true one is the other
  const other = (recorded) => (report.levels.length === 2 ? 3 - recorded : 0);

  function read(i) {
    const {said, which, note} = fields[i];
    const chosen = said.find((field) => field.checked);
    const answer = {said: chosen ? chosen.value : "none", label: 0, note: note.value};
    if (answer.said === "right") answer.label = report.recorded[i];
    if (answer.said === "wrong") {
      answer.label = which ? Number(which.value) : other(report.recorded[i]);
      if (!answer.label) answer.said = "part";
    }
    return answer;
  }

  function show(i) {
    const answer = answers[i];
    const {said, which, note, undo, noted} = fields[i];
    const value = answer.said === "part" ? "wrong" : answer.said;
    for (const field of said) field.checked = field.value === value;
    if (which) which.value = answer.said === "wrong" ? String(answer.label) : "";
    if (note.value !== answer.note) note.value = answer.note;
    noted.textContent = answer.note && "Note: " + answer.note;
    undo.hidden = answer.said === "none";
    cards[i].dataset.said = answer.said;
  }

  // What the browser keeps: an entry for each row, so that two windows do not undo each other ---

  const prefix = "sturdy-" + report.key + "-";
  let kept = true;
  let saved = true;

  function keep(i) {
    try {
      if (is_empty(answers[i])) localStorage.removeItem(prefix + report.row[i]);
      else localStorage.setItem(prefix + report.row[i], JSON.stringify(answers[i]));
      kept = true;
    } catch (error) {
      kept = false;
    }
  }

  // What was kept, where it is an answer to this row; whoever else writes to this place of the
  // browser can't make another of it
  function recall(i) {
    let entry = null;
    try {
      entry = localStorage.getItem(prefix + report.row[i]);
    } catch (error) {
      kept = false;
    }
    let found = null;
    try {
      found = JSON.parse(entry);
    } catch (error) {
      return none;
    }
    if (!found || typeof found !== "object") return none;
    const {said, label, note} = found;
    const is_class = Number.isInteger(label) && label > 0 && label <= report.levels.length;
    const fits = {
      right: label === report.recorded[i],
      wrong: is_class && label !== report.recorded[i],
    };
    const known = Object.hasOwn(words, said) && (fits[said] ?? label === 0);
    const text = typeof note === "string" ? note : "";
    return known ? {said, label, note: text} : {...none, note: text};
  }

  // What the answers change ---------------------------------------------------------------

  const digits = (v) => (v < 9.95 ? Number(v.toPrecision(2)) : Math.round(v));
  const number = (v) => (v < 0.05 ? "fewer than 0.1" : "about " + digits(v));

  // Wrong labels to expect among those that were not checked: each check takes the probability of
  // its row away. One that finds a wrong label rules out that there is none, too.
  function remaining(checks, wrong) {
    const taken = (of) => checks.reduce((sum, i) => sum + of[i], 0);
    if (wrong && report.some) return Math.max(0, report.total.some - taken(report.some));
    return report.total.expected * Math.max(0, 1 - taken(report.p) / report.total.p);
  }

  function count() {
    const at = (said) => answers.map((answer, i) => i).filter((i) => answers[i].said === said);
    const [right, wrong, open, part] = ["right", "wrong", "open", "part"].map(at);
    const done = right.length + wrong.length + open.length;
    const each = [[wrong, "wrong"], [right, "right"], [open, "can’t say"]]
      .filter(([rows]) => rows.length)
      .map(([rows, word]) => `${rows.length} ${word}`);
    let text = `${done} of ${cards.length} rows answered`;
    text += done ? `: ${each.join(", ")}.` : ".";
    if (part.length) text += ` ${part.length} wrong without a class: which is it?`;
    if (right.length + wrong.length && report.counted && (report.sign || wrong.length)) {
      const left = remaining([...right, ...wrong], wrong.length > 0);
      text += ` Wrong labels expected among the rest: ${number(left)}.`;
    }
    if (!kept) text += " This browser keeps no answers: save them before you close the page.";
    element("done").textContent = text;
    element("save").disabled = answers.every(is_empty);
  }

  function set(i, answer) {
    answers[i] = answer;
    saved = false;
    keep(i);
    show(i);
  }

  // The file --------------------------------------------------------------------------

  function table() {
    const cell = (text) => '"' + String(text).replaceAll('"', '""') + '"';
    const label = (code) => (code ? report.levels[code - 1] : "");
    const named = report.identifier === null ? [] : [report.identifier];
    const lines = [["row", ...named, "recorded", "answer", "label", "note"].map(cell)];
    answers.forEach((answer, i) => {
      if (is_empty(answer)) return;
      const rest = [
        ...named.map(() => report.id[i]), label(report.recorded[i]), words[answer.said],
        label(answer.label), answer.note,
      ];
      lines.push([report.row[i], ...rest.map(cell)]);
    });
    return lines.map((line) => line.join(",") + "\n").join("");
  }

  function save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([table()], {type: "text/csv;charset=utf-8"}));
    link.download = report.saved;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    saved = true;
    element("done").textContent += ` Saved as ${report.saved}.`;
  }

  // What a person does ------------------------------------------------------------------

  const card_of = (node) => cards.indexOf(node.closest("li").querySelector("fieldset"));
  const is_open = (i) => answers[i].said === "none" || answers[i].said === "part";

  function to_next(after) {
    const order = cards.map((card, k) => (after + 1 + k) % cards.length);
    const next = order.find(is_open);
    if (next === undefined) {
      element("save").focus();
      return;
    }
    cards[next].closest("li").scrollIntoView({block: "nearest"});
    const field = answers[next].said === "part" ? fields[next].which : fields[next].said[0];
    field.focus();
  }

  function answer(i, said) {
    if (said === "none") {
      for (const field of fields[i].said) field.checked = false;
    } else {
      const field = fields[i].said.find((choice) => choice.value === said);
      field.checked = true;
      field.focus();
    }
    if (fields[i].which && said !== "wrong") fields[i].which.value = "";
    set(i, read(i));
    count();
    if (answers[i].said === "part") fields[i].which.focus();
  }

  form.addEventListener("submit", (event) => event.preventDefault());

  form.addEventListener("change", (event) => {
    const i = card_of(event.target);
    if (event.target.matches("select") && event.target.value) fields[i].said[1].checked = true;
    if (event.target.matches("input") && event.target.value !== "wrong" && fields[i].which) {
      fields[i].which.value = "";
    }
    set(i, read(i));
    count();
  });

  form.addEventListener("input", (event) => {
    if (!event.target.matches("textarea")) return;
    const i = card_of(event.target);
    set(i, read(i));
    element("save").disabled = false;
  });

  form.addEventListener("click", (event) => {
    const button = event.target.closest(".undo");
    if (!button) return;
    const i = card_of(button);
    answer(i, "none");
    fields[i].said[0].focus();
  });

  form.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, select");
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    const i = card_of(event.target);
    const said = {1: "right", 2: "wrong", 3: "open", 0: "none"}[event.key];
    if (said) {
      event.preventDefault();
      answer(i, said);
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      to_next(i);
    }
  });

  element("save").addEventListener("click", save);
  element("open").addEventListener("click", () => to_next(-1));
  element("forget").addEventListener("click", () => {
    const sure = "Forget all answers and notes of this page? A file that was saved stays.";
    if (!window.confirm(sure)) return;
    cards.forEach((card, i) => set(i, none));
    saved = true;
    count();
  });

  window.addEventListener("storage", (event) => {
    if (event.key !== null && !event.key.startsWith(prefix)) return;
    load();
  });

  window.addEventListener("beforeunload", (event) => {
    if (!kept && !saved) event.preventDefault();
  });

  // Paper and links show what is folded -----------------------------------------------------

  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("section > details:not([open])")];
    for (const part of opened) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
  document.querySelector("nav").addEventListener("click", (event) => {
    const part = event.target.closest("a") && element(event.target.closest("a").hash.slice(1));
    if (part && part.matches("details")) part.open = true;
  });

  function load() {
    cards.forEach((card, i) => {
      answers[i] = recall(i);
      show(i);
    });
    count();
  }

  load();
  document.documentElement.classList.add("on");
})();
