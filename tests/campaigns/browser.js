// A browser for tests of pages: headless Chromium, driven by its DevTools protocol through a
// pipe, so that nothing has to be installed beside node and Chromium.
//
//   const browser = await start(chromium, downloads);
//   const page = await browser.page(1200);   // of that width
//   await page.open(file); await page.value("document.title"); await page.click("#save");
//   await browser.stop();
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, seconds, fine) {
  for (let k = 0; k < 20 * seconds; k++) {
    const value = await fine();
    if (value) return value;
    await pause(50);
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.requests = [];
    this.complaints = [];
    this.loaded = false;
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  heard(method, params) {
    if (method === "Page.loadEventFired") this.loaded = true;
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.text);
    if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") {
      this.send("Page.handleJavaScriptDialog", { accept: true });
    }
  }

  async open(file) {
    this.loaded = false;
    await this.send("Page.navigate", { url: file.includes(":") ? file : "file://" + file });
    await until("the page is loaded", 60, () => this.loaded);
  }

  async reload() {
    this.loaded = false;
    await this.send("Page.reload");
    await until("the page is loaded", 60, () => this.loaded);
  }

  // The value of an expression in the page, of a promise what it becomes
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, returnByValue: true, awaitPromise: true,
    });
    if (exceptionDetails) {
      throw new Error(`${expression}: ${JSON.stringify(exceptionDetails.exception)}`);
    }
    return result.value;
  }

  // The pointer on the middle of an element, where nothing may lie over it
  async click(selector) {
    const at = await this.value(`(() => {
      const node = document.querySelector(${JSON.stringify(selector)});
      node.scrollIntoView({block: "center"});
      const box = node.getBoundingClientRect();
      const x = box.x + box.width / 2, y = box.y + box.height / 2;
      const hit = document.elementFromPoint(x, y);
      return {x, y, free: node === hit || node.contains(hit)};
    })()`);
    if (!at.free) throw new Error(`something lies over ${selector}`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      const event = { type, x: at.x, y: at.y, button: "left", clickCount: 1 };
      await this.send("Input.dispatchMouseEvent", event);
    }
  }

  async key(key, modifiers = 0) {
    const codes = { Tab: 9, Enter: 13, ArrowDown: 40, ArrowUp: 38 };
    const code = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const event = { key, code: key, windowsVirtualKeyCode: code, modifiers };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  async type(text) { await this.send("Input.insertText", { text }); }

  async look(file, whole = false) {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png", captureBeyondViewport: whole,
    });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }

  async like(features) { await this.send("Emulation.setEmulatedMedia", features); }
}

class Browser {
  constructor(process, folder) {
    this.process = process;
    this.folder = folder;
    this.asked = new Map();
    this.pages = new Map();
    this.last = 0;
    let rest = "";
    process.stdio[4].setEncoding("utf8");
    process.stdio[4].on("data", (piece) => {
      const parts = (rest + piece).split("\0");
      rest = parts.pop();
      for (const part of parts) this.heard(JSON.parse(part));
    });
  }

  heard({ id, method, params, result, error, sessionId }) {
    if (id) {
      const { done, failed } = this.asked.get(id);
      this.asked.delete(id);
      if (error) failed(new Error(error.message));
      else done(result);
    } else {
      this.pages.get(sessionId)?.heard(method, params);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, failed) => this.asked.set(id, { done, failed }));
  }

  async page(width, height = 900) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.pages.set(sessionId, page);
    for (const part of ["Page", "Runtime", "Network", "Log"]) {
      await page.send(`${part}.enable`);
    }
    await page.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: 1, mobile: width < 600,
    });
    return page;
  }

  async stop() {
    await this.send("Browser.close").catch(() => undefined);
    const ended = () => this.process.exitCode !== null;
    await until("the browser has ended", 10, ended).catch(() => this.process.kill());
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function start(chromium, downloads) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
  const process = spawn(chromium, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
    "--remote-debugging-pipe", `--user-data-dir=${folder}`, "--no-first-run",
    "--disable-background-networking",
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const browser = new Browser(process, folder);
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  return browser;
}

module.exports = { start, until, pause };
